# Installs the build tree BUILD under FOLDER, moves it, then builds and runs consumer/ through find_package and pkg-config,
# and uses the command and, in a stock LUA, the module from there.
# SPDX-License-Identifier: Apache-2.0
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Runs a program that steps the cloth and must leave a checkpoint.
function(run_scene program)
  set(checkpoint "${FOLDER}/checkpoint.npz")
  file(REMOVE "${checkpoint}")
  run("${program}" "${FOLDER}/scripts/hanging_cloth.lua" "${checkpoint}")
  if(NOT EXISTS "${checkpoint}")
    message(FATAL_ERROR "${program} wrote no checkpoint")
  endif()
  message("${program}: ${output}")
endfunction()

set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
file(REMOVE_RECURSE "${FOLDER}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${FOLDER}/first")
# The installed tree may be moved: nothing in it names the place it was installed to.
file(RENAME "${FOLDER}/first" "${FOLDER}/prefix")
set(prefix "${FOLDER}/prefix")
file(COPY "${EXAMPLES}/hanging_cloth.lua" DESTINATION "${FOLDER}/scripts")
set(ENV{BASIN_CACHE_DIR} "${FOLDER}/cache")

list(JOIN SANITIZE "," sanitizers)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${sanitizers}")
endif()
file(GLOB scenes "${prefix}/${LIBDIR}/libbasin.so*")

# ---- find_package ----
run(${CMAKE_COMMAND} -S "${consumer}" -B "${FOLDER}/cmake" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_C_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build "${FOLDER}/cmake")
run("${FOLDER}/cmake/consumer")
message("find_package: ${output}")

# ---- pkg-config ----
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
function(build_by_pkg_config package source)
  run(pkg-config --cflags --libs ${package})
  separate_arguments(words UNIX_COMMAND "${output}")
  run(${C} -std=c11 ${flags} "${consumer}/${source}.c" -o "${FOLDER}/${source}" ${words} -lm
    "-Wl,-rpath,${prefix}/${LIBDIR}")
endfunction()
build_by_pkg_config(basin-runtime consumer)
run("${FOLDER}/consumer")
message("pkg-config: ${output}")

if(NOT scenes)
  return()
endif()
run_scene("${FOLDER}/cmake/scene")
build_by_pkg_config(basin scene)
run_scene("${FOLDER}/scene")

# ---- the command, from another folder ----
run(${CMAKE_COMMAND} -E chdir "${FOLDER}" "${prefix}/bin/basin" run --set steps=2 --out "${FOLDER}/out"
  scripts/hanging_cloth.lua)
file(GLOB frames "${FOLDER}/out/*.vtu")
list(LENGTH frames count)
if(count LESS 2)
  message(FATAL_ERROR "the installed command wrote ${count} frames:\n${output}")
endif()

# ---- require "basin" in a stock interpreter ----
if(LUA AND NOT IS_ABSOLUTE "${CMOD}")
  set(ENV{LUA_PATH} "${prefix}/${LMOD}/?.lua;${prefix}/${LMOD}/?/init.lua")
  set(ENV{LUA_CPATH} "${prefix}/${CMOD}/?.so")
  file(WRITE "${FOLDER}/scripts/stock.lua" "
local basin, std = require 'basin', require 'basin.std'
local scene = basin.scene('stock')
local x = scene:add_mesh('m'):add_primitive('points', 2):add_attribute('x', { rows = 3, value = 1 })
scene:add_energy(x:dot(x))
scene:add_minimize_target { x }
assert(basin.newton(scene, { tolerance = 1e-10 }).converged and x:value():max_abs() < 1e-12)
print(basin.version, type(std.elastic))
")
  run(${CMAKE_COMMAND} -E env "LD_PRELOAD=${PRELOAD}" "${LUA}" "${FOLDER}/scripts/stock.lua")
  message("stock interpreter: ${output}")
endif()
