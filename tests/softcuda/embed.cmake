# Writes a C file with texts as data: cmake -DOUTPUT=x.c "-DFILES=a.h|b.h" -P embed.cmake; a.h becomes softcuda_text_a.
# SPDX-License-Identifier: Apache-2.0
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  string(APPEND arrays "const char softcuda_text_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${OUTPUT}.new" "/* Made by embed.cmake. SPDX-License-Identifier: Apache-2.0 */\n#include \"texts.h\"\n\n${arrays}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
