# Compiles each header alone: public ones as C and as C++, internal ones as C.
# cmake -DROOT=<source tree> -DC=<compiler> -DCXX=<compiler or empty> -DFLAGS=<list> -DFOLDER=<scratch> -P headers.cmake
# SPDX-License-Identifier: Apache-2.0
cmake_policy(SET CMP0057 NEW)
set(warnings -Wall -Wextra -Wpedantic -Werror -Wconversion -Wundef -Wcast-qual -Wwrite-strings)
set(public_includes -I${ROOT}/runtime/include -I${ROOT}/compiler/include -I${ROOT}/lang/include)
set(all_includes ${public_includes} -I${ROOT}/runtime -I${ROOT}/compiler -I${ROOT}/lang)
set(faults 0)
set(count 0)

# Compiles a file of one line, so that no other header can help.
function(compile_header compiler language header)
  if(language STREQUAL "c")
    set(standard -std=c11 -Wstrict-prototypes)
  else()
    set(standard -std=c++17)
  endif()
  file(WRITE "${FOLDER}/alone.${language}" "#include \"${header}\"\n#include \"${header}\"\n")
  execute_process(COMMAND ${compiler} ${standard} ${warnings} ${ARGN} -fsyntax-only "${FOLDER}/alone.${language}"
    RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(NOT result EQUAL 0)
    message("${header} does not compile alone as ${language}:\n${output}")
    math(EXPR faults "${faults} + 1")
  endif()
  math(EXPR count "${count} + 1")
  set(faults ${faults} PARENT_SCOPE)
  set(count ${count} PARENT_SCOPE)
endfunction()

file(GLOB public "${ROOT}/*/include/basin/*.h")
foreach(header IN LISTS public)
  compile_header("${C}" c "${header}" ${public_includes})
  if(CXX)
    compile_header("${CXX}" cpp "${header}" ${public_includes})
  endif()
endforeach()

file(GLOB_RECURSE internal "${ROOT}/runtime/*.h" "${ROOT}/compiler/*.h" "${ROOT}/lang/*.h")
foreach(header IN LISTS internal)
  # Dialect texts are no headers of the library: compiler/emit/CMakeLists.txt embeds these very names as data, and they
  # are compiled one after the other as parts of kernels.
  if(header MATCHES "/include/basin/|/emit/device/|/emit/[a-z_]+_(cpu|cuda)[.]h$")
    continue()
  endif()
  compile_header("${C}" c "${header}" ${all_includes} -D_GNU_SOURCE= ${FLAGS})
endforeach()

if(count EQUAL 0 OR faults GREATER 0)
  message(FATAL_ERROR "${faults} of ${count} compilations failed")
endif()
message("${count} compilations of single headers")
