# Installs the build tree BUILD under FOLDER, moves it, then builds and runs consumer/ through find_package and pkg-config.
# SPDX-License-Identifier: Apache-2.0
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
file(REMOVE_RECURSE "${FOLDER}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${FOLDER}/first")
# The installed tree may be moved: nothing in it names the place it was installed to.
file(RENAME "${FOLDER}/first" "${FOLDER}/prefix")
set(prefix "${FOLDER}/prefix")

list(JOIN SANITIZE "," sanitizers)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${sanitizers}")
endif()

# ---- find_package ----
run(${CMAKE_COMMAND} -S "${consumer}" -B "${FOLDER}/cmake" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_C_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build "${FOLDER}/cmake")
run("${FOLDER}/cmake/consumer")
message("find_package: ${output}")

# ---- pkg-config ----
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run(pkg-config --cflags --libs basin-runtime)
separate_arguments(words UNIX_COMMAND "${output}")
run(${C} -std=c11 ${flags} "${consumer}/consumer.c" -o "${FOLDER}/consumer" ${words} "-Wl,-rpath,${prefix}/${LIBDIR}")
run("${FOLDER}/consumer")
message("pkg-config: ${output}")
