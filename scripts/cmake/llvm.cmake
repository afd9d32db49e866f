# Finds LLVM 19 and libclang-cpp for the Clang shim; sets BASIN_HAVE_LLVM and the target basin_llvm.
# SPDX-License-Identifier: Apache-2.0
set(BASIN_HAVE_LLVM FALSE)
if(NOT BASIN_LLVM STREQUAL "OFF")
  find_program(BASIN_LLVM_CONFIG NAMES llvm-config-19 llvm-config HINTS /usr/lib/llvm-19/bin)
  mark_as_advanced(BASIN_LLVM_CONFIG)
  if(BASIN_LLVM_CONFIG)
    foreach(item version includedir libdir)
      execute_process(COMMAND ${BASIN_LLVM_CONFIG} --${item}
        OUTPUT_VARIABLE basin_llvm_${item} OUTPUT_STRIP_TRAILING_WHITESPACE)
    endforeach()
    find_library(BASIN_LIBRARY_LLVM NAMES LLVM-19 LLVM HINTS "${basin_llvm_libdir}" NO_DEFAULT_PATH)
    find_library(BASIN_LIBRARY_CLANG NAMES clang-cpp HINTS "${basin_llvm_libdir}" NO_DEFAULT_PATH)
    find_path(BASIN_CLANG_INCLUDE clang/Frontend/CompilerInstance.h
      HINTS "${basin_llvm_includedir}" NO_DEFAULT_PATH)
    mark_as_advanced(BASIN_LIBRARY_LLVM BASIN_LIBRARY_CLANG BASIN_CLANG_INCLUDE)
    if(basin_llvm_version VERSION_GREATER_EQUAL 19 AND basin_llvm_version VERSION_LESS 20
        AND BASIN_LIBRARY_LLVM AND BASIN_LIBRARY_CLANG AND BASIN_CLANG_INCLUDE)
      set(BASIN_HAVE_LLVM TRUE)
    endif()
  endif()
  if(BASIN_HAVE_LLVM)
    add_library(basin_llvm INTERFACE)
    target_include_directories(basin_llvm SYSTEM INTERFACE "${basin_llvm_includedir}")
    target_compile_definitions(basin_llvm INTERFACE
      __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
    target_link_libraries(basin_llvm INTERFACE "${BASIN_LIBRARY_CLANG}" "${BASIN_LIBRARY_LLVM}")
  elseif(BASIN_LLVM STREQUAL "ON")
    message(FATAL_ERROR "BASIN_LLVM=ON, but LLVM 19 with libclang-cpp was not found "
      "(Debian: llvm-19-dev libclang-19-dev libclang-cpp19-dev)")
  endif()
endif()
message(STATUS "Basin: in-process Clang back end: ${BASIN_HAVE_LLVM}")
