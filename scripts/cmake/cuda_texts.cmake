# Device texts of the runtime, kept in its library as data: CUDA C++ that NVRTC compiles when it is first needed.
# Run as a script it writes the C file: cmake -DOUTPUT=x.c "-DFILES=a.cu|b.cuh" -P cuda_texts.cmake
# SPDX-License-Identifier: Apache-2.0

# basin_cuda_texts(files...): adds texts of this folder (or with whole paths) to the table basin__cuda_texts. They include
# each other by file name alone, so names are unique.
function(basin_cuda_texts)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    set_property(GLOBAL APPEND PROPERTY basin_cuda_text_files "${file}")
  endforeach()
endfunction()

# basin_cuda_texts_module(): the module runtime_texts with the texts gathered so far; after all folders of the runtime.
function(basin_cuda_texts_module)
  get_property(files GLOBAL PROPERTY basin_cuda_text_files)
  basin_existing(files)
  list(SORT files)
  list(JOIN files "|" words)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/cuda_texts.c")
  set(script "${PROJECT_SOURCE_DIR}/scripts/cmake/cuda_texts.cmake")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFILES=${words}" -P "${script}"
    DEPENDS "${script}" ${files} VERBATIM)
  basin_module(runtime texts SOURCES "${output}")
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(names "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  if(name IN_LIST names)
    message(FATAL_ERROR "two device texts are named ${name}")
  endif()
  list(APPEND names "${name}")
  string(MAKE_C_IDENTIFIER "${name}" id)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  string(APPEND arrays "static const char text_${id}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text_${id}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "/* Made by cuda_texts.cmake from the device texts of the runtime.
 * SPDX-License-Identifier: Apache-2.0 */
#include \"device/cuda/texts.h\"

${arrays}
const basin_cuda_text basin__cuda_texts[] = {
${rows}    {0, 0},
};
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
