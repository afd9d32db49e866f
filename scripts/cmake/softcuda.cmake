# Tests of CUDA code over the software CUDA (tests/softcuda), which needs the Clang module and x86-64.
# SPDX-License-Identifier: Apache-2.0
set(BASIN_SOFTCUDA OFF)
if(BASIN_TESTS AND BASIN_HAVE_LLVM AND CMAKE_CXX_COMPILER AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(BASIN_SOFTCUDA ON)
endif()
set(BASIN_SOFTCUDA_FOLDER "${PROJECT_BINARY_DIR}/softcuda")
set(BASIN_SOFTCUDA_ENVIRONMENT
  "BASIN_LIB_CUDA=${BASIN_SOFTCUDA_FOLDER}/libcuda.so.1"
  "BASIN_LIB_NVRTC=${BASIN_SOFTCUDA_FOLDER}/libnvrtc.so.13"
  "BASIN_LIB_CUSPARSE=${BASIN_SOFTCUDA_FOLDER}/libcusparse.so.12"
  "BASIN_LIB_CUSOLVER=${BASIN_SOFTCUDA_FOLDER}/libcusolver.so.12"
  "SOFTCUDA_LOG=-")

# basin_softcuda_test(<name> SOURCES test_x.c [MODULES...] [LIBRARIES...] [LINK...] | COMMAND words...
#                     [GPU] [ORDERS] [RACES] [LABELS words...] [TIMEOUT seconds] [ENVIRONMENT NAME=value...]):
# a ctest test over the software CUDA, labelled softcuda; left out where that cannot be built. With GPU the same also
# runs as <name>_gpu, labelled gpu, on the machine's own driver: it must exit with 77 where there is no device. What would
# differ there shows before: functions of mathematics differ in the last place, reads of unwritten memory are errors.
# With ORDERS a second test, <name>_orders, runs it with blocks and threads in several orders: what it prints to its
# standard output must be the same. With RACES <name>_races runs it while accesses are compared (SOFTCUDA_RACES).
function(basin_softcuda_test name)
  if(NOT BASIN_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "GPU;ORDERS;RACES" "TIMEOUT" "SOURCES;MODULES;LIBRARIES;LINK;COMMAND;LABELS;ENVIRONMENT")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(command ${arg_COMMAND})
  set(as_device "")
  if(arg_GPU)
    set(as_device SOFTCUDA_MATH=1 SOFTCUDA_UNWRITTEN=1)
  endif()
  if(arg_SOURCES)
    basin_unit_test(${name} SOURCES ${arg_SOURCES} MODULES ${arg_MODULES} LIBRARIES ${arg_LIBRARIES} LINK ${arg_LINK}
      LABELS softcuda ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
    set(command test_${name})
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${BASIN_SOFTCUDA_ENVIRONMENT} ${as_device} ${arg_ENVIRONMENT})
    if(NOT BASIN_SOFTCUDA)
      set_property(TEST ${name} PROPERTY DISABLED TRUE)
    endif()
  elseif(BASIN_SOFTCUDA)
    basin_add_test(${name} COMMAND ${command} LABELS softcuda ${arg_LABELS} TIMEOUT ${arg_TIMEOUT}
      ENVIRONMENT ${BASIN_SOFTCUDA_ENVIRONMENT} ${as_device} ${arg_ENVIRONMENT})
  endif()
  if(arg_ORDERS AND BASIN_SOFTCUDA)
    set(words ${command})
    list(POP_FRONT words program)
    if(TARGET ${program})
      set(program "$<TARGET_FILE:${program}>")
    endif()
    list(PREPEND words "${program}")
    list(JOIN words "|" words)
    math(EXPR timeout "4 * ${arg_TIMEOUT}")
    basin_add_test(${name}_orders
      COMMAND "${CMAKE_COMMAND}" "-DCOMMAND=${words}" -P "${PROJECT_SOURCE_DIR}/tests/softcuda/orders.cmake"
      LABELS softcuda ${arg_LABELS} TIMEOUT ${timeout} ENVIRONMENT ${BASIN_SOFTCUDA_ENVIRONMENT} ${arg_ENVIRONMENT})
  endif()
  if(arg_RACES AND BASIN_SOFTCUDA)
    math(EXPR timeout "4 * ${arg_TIMEOUT}")
    basin_add_test(${name}_races COMMAND ${command} LABELS softcuda ${arg_LABELS} TIMEOUT ${timeout}
      ENVIRONMENT ${BASIN_SOFTCUDA_ENVIRONMENT} ${arg_ENVIRONMENT} "SOFTCUDA_RACES=1")
  endif()
  if(arg_GPU)
    basin_add_test(${name}_gpu COMMAND ${command} LABELS gpu TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
  endif()
endfunction()
