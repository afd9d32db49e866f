# Writes a C file with the texts of headers as data: cmake -DOUTPUT=x.c "-DFILES=a.h|b.h" -P embed.cmake
# SPDX-License-Identifier: Apache-2.0
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" id)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  string(APPEND arrays "static const char text_${id}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text_${id}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "/* Made by embed.cmake from the headers of the dialect.
 * SPDX-License-Identifier: Apache-2.0 */
#include \"emit/texts.h\"

${arrays}
const basin_dialect_file basin__dialect_texts[] = {
${rows}};
const size_t basin__dialect_text_count = sizeof basin__dialect_texts / sizeof *basin__dialect_texts;
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
