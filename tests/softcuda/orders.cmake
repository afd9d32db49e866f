# Runs a command once for each order of blocks and threads; what it prints must be the same:
# cmake "-DCOMMAND=program|argument|..." -P orders.cmake
# SPDX-License-Identifier: Apache-2.0
string(REPLACE "|" ";" COMMAND "${COMMAND}")
foreach(order forward reverse random:1 random:2)
  set(ENV{SOFTCUDA_ORDER} "${order}")
  execute_process(COMMAND ${COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE messages)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "order ${order}: exit status ${result}\n${output}${messages}")
  endif()
  if(NOT DEFINED first)
    set(first "${output}")
  elseif(NOT output STREQUAL first)
    message(FATAL_ERROR "order ${order} gives\n${output}order forward gives\n${first}")
  endif()
endforeach()
if(first STREQUAL "")
  message(FATAL_ERROR "the command prints nothing that could be compared")
endif()
