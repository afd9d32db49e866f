/* Gmsh files: the header, the sections, physical names, nodes and elements by tag.
 * Format: C. Geuzaine and J.-F. Remacle, "Gmsh Reference Manual", chapter on file formats.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/read_msh.h"
#include <string.h>

uint64_t basin__msh_key(unsigned first, int64_t tag)
{
  const uint64_t positive = (uint64_t)(tag < 0 ? -tag : tag);
  return (uint64_t)first << 56 | (positive & 0xffffffffffffffu);
}

/* ---- numbers ---- */

basin_status basin__msh_int(basin_msh *msh, const char *what, int64_t *value)
{
  if (!msh->reader->binary) {
    BASIN_TRY(basin__reader_integer(msh->reader, what, value));
    if (*value > INT32_MAX || *value < -INT32_MAX)
      return BASIN_READER_FAIL(msh->reader, "%s is too large: %lld", what, (long long)*value);
    return BASIN_OK;
  }
  const char *bytes;
  BASIN_TRY(basin__reader_bytes(msh->reader, what, 4, &bytes));
  *value = (int32_t)basin__reader_u32(msh->reader, bytes);
  return BASIN_OK;
}

basin_status basin__msh_size(basin_msh *msh, const char *what, uint64_t *value)
{
  if (!msh->reader->binary) return basin__reader_index(msh->reader, what, INT64_MAX, value);
  const char *bytes;
  BASIN_TRY(basin__reader_bytes(msh->reader, what, 8, &bytes));
  *value = basin__reader_u64(msh->reader, bytes);
  return BASIN_OK;
}

basin_status basin__msh_real(basin_msh *msh, const char *what, double *value)
{
  if (!msh->reader->binary) return basin__reader_real(msh->reader, what, value);
  const char *bytes;
  BASIN_TRY(basin__reader_bytes(msh->reader, what, 8, &bytes));
  *value = basin__reader_f64(msh->reader, bytes);
  return BASIN_OK;
}

/* ---- nodes and elements ---- */

basin_status basin__msh_add_node(basin_msh *msh, uint64_t tag, const double point[3])
{
  bool known;
  BASIN_TRY(basin__tag_map_add(
      msh->reader->context, &msh->nodes, tag, (uint32_t)msh->reader->mesh->point_count, &known));
  if (known)
    return BASIN_READER_FAIL(msh->reader, "node %llu appears twice", (unsigned long long)tag);
  return basin__reader_add_point(msh->reader, point);
}

basin_status basin__msh_find_node(basin_msh *msh, uint64_t tag, uint32_t *point)
{
  *point = basin__tag_map_get(&msh->nodes, tag);
  if (*point != BASIN_MESH_NONE) return BASIN_OK;
  return BASIN_READER_FAIL(
      msh->reader, "expected the tag of a node of the file, found %lld", (long long)tag);
}

basin_status basin__msh_type_of(basin_msh *msh, int64_t number, basin_msh_type *type)
{
  switch (number) {
  case 15:
    *type = (basin_msh_type){BASIN_MESH_VERTEX, 0, 1};
    return BASIN_OK;
  case 1:
    *type = (basin_msh_type){BASIN_MESH_EDGE, 1, 2};
    return BASIN_OK;
  case 2:
    *type = (basin_msh_type){BASIN_MESH_TRIANGLE, 2, 3};
    return BASIN_OK;
  case 3:
    *type = (basin_msh_type){BASIN_MESH_QUAD, 2, 4};
    return BASIN_OK;
  case 4:
    *type = (basin_msh_type){BASIN_MESH_TET, 3, 4};
    return BASIN_OK;
  default:
    return basin__reader_fail(msh->reader,
                              BASIN_ERROR_UNSUPPORTED,
                              BASIN_SITE,
                              "element type %lld is not supported: points (15), lines (1), "
                              "triangles (2), quads (3) and tets (4) are",
                              (long long)number);
  }
}

basin_status basin__msh_add_element(basin_msh *msh, basin_msh_type type, const uint32_t *corners)
{
  if (type.kind == BASIN_MESH_QUAD) return basin__reader_add_polygon(msh->reader, corners, 4, NULL);
  return basin__mesh_add_cell(msh->reader->mesh, type.kind, corners);
}

void basin__msh_counts(const basin_msh *msh, size_t counts[BASIN_MESH_KIND_COUNT])
{
  for (int kind = 0; kind < BASIN_MESH_KIND_COUNT; ++kind)
    counts[kind] = basin_mesh_count(msh->reader->mesh, (basin_mesh_kind)kind);
}

/* ---- physical groups ---- */

/* The number of the group of a kind and physical tag, made when missing. */
static basin_status find_group(
    basin_msh *msh, basin_mesh_kind kind, unsigned dimension, int64_t physical, uint32_t *group)
{
  basin_context *context = msh->reader->context;
  *group = basin__tag_map_get(&msh->groups, basin__msh_key((unsigned)kind, physical));
  if (*group != BASIN_MESH_NONE) return BASIN_OK;
  const uint32_t known = basin__tag_map_get(&msh->names, basin__msh_key(dimension, physical));
  basin_strbuf name;
  basin__strbuf_init(&name, context);
  if (known == BASIN_MESH_NONE)
    basin__strbuf_printf(&name, "physical_%lld", (long long)(physical < 0 ? -physical : physical));
  else
    basin__strbuf_append(&name, msh->name_list[known].text.text, msh->name_list[known].text.length);
  basin_named_set *set;
  basin_status status =
      name.failed ? BASIN_ERROR_MEMORY
                  : basin__mesh_group(msh->reader->mesh, kind, basin__strbuf_text(&name), &set);
  basin__strbuf_fini(&name);
  BASIN_TRY(status);
  *group = (uint32_t)(set - msh->reader->mesh->groups);
  bool twice;
  return basin__tag_map_add(
      context, &msh->groups, basin__msh_key((unsigned)kind, physical), *group, &twice);
}

basin_status basin__msh_tag_cells(basin_msh *msh,
                                  basin_msh_type type,
                                  int64_t physical,
                                  const size_t before[BASIN_MESH_KIND_COUNT])
{
  if (physical == 0) return BASIN_OK;
  basin_mesh *mesh = msh->reader->mesh;
  const basin_mesh_kind kind =
      type.kind == BASIN_MESH_QUAD && !msh->reader->keep_quads ? BASIN_MESH_TRIANGLE : type.kind;
  uint32_t group;
  BASIN_TRY(find_group(msh, kind, type.dimension, physical, &group));
  for (size_t c = before[kind]; c < basin_mesh_count(mesh, kind); ++c)
    BASIN_TRY(basin__index_push(mesh->context, &mesh->groups[group].indices, (uint32_t)c));
  return BASIN_OK;
}

/* A line: dimension tag "name". */
static basin_status read_name(basin_msh *msh)
{
  basin_reader *reader = msh->reader;
  uint64_t dimension;
  int64_t tag;
  BASIN_TRY(basin__reader_index(reader, "the dimension of a physical name", 3, &dimension));
  BASIN_TRY(basin__reader_integer(reader, "the tag of a physical name", &tag));
  basin_word rest;
  basin__reader_peek(reader);
  const char *stop = memchr(reader->cursor, '\n', (size_t)(reader->end - reader->cursor));
  rest = (basin_word){reader->cursor, (size_t)((stop ? stop : reader->end) - reader->cursor)};
  const char *last = rest.length > 1 ? memrchr(rest.text + 1, '"', rest.length - 1) : NULL;
  if (rest.length == 0 || rest.text[0] != '"' || !last)
    return basin__reader_expected(reader, "a name in double quotes");
  reader->cursor += rest.length;
  const basin_word name = {rest.text + 1, (size_t)(last - rest.text - 1)};
  if (name.length == 0 || name.length > 200 || memchr(name.text, 0, name.length))
    return BASIN_READER_FAIL(reader, "expected a name of 1 to 200 characters");
  BASIN_TRY(basin__grow(reader->context,
                        &msh->name_list,
                        &msh->name_capacity,
                        msh->name_count + 1,
                        sizeof *msh->name_list));
  msh->name_list[msh->name_count].text = name;
  bool twice;
  return basin__tag_map_add(reader->context,
                            &msh->names,
                            basin__msh_key((unsigned)dimension, tag),
                            (uint32_t)msh->name_count++,
                            &twice);
}

static basin_status read_names(basin_msh *msh)
{
  size_t count;
  BASIN_TRY(basin__reader_count(msh->reader, "physical names", 6, &count));
  for (size_t i = 0; i < count; ++i) BASIN_TRY(read_name(msh));
  return BASIN_OK;
}

/* ---- sections ---- */

static basin_status read_header(basin_msh *msh, int *version)
{
  basin_reader *reader = msh->reader;
  double number;
  uint64_t mode, size;
  if (!basin__word_is(basin__reader_peek(reader), "$MeshFormat"))
    return basin__reader_expected(reader, "$MeshFormat");
  basin__reader_word(reader);
  BASIN_TRY(basin__reader_real(reader, "the version of the file", &number));
  if (number >= 2.0 && number < 3.0)
    *version = 2;
  else if (number >= 4.1 && number < 5.0)
    *version = 4;
  else
    return basin__reader_fail(reader,
                              BASIN_ERROR_UNSUPPORTED,
                              BASIN_SITE,
                              "version %g of the format is not supported: 2.2 and 4.1 are",
                              number);
  BASIN_TRY(basin__reader_index(reader, "0 (ascii) or 1 (binary)", 1, &mode));
  BASIN_TRY(basin__reader_index(reader, "the size of a number", 64, &size));
  if (size != 8)
    return basin__reader_fail(reader,
                              BASIN_ERROR_UNSUPPORTED,
                              BASIN_SITE,
                              "numbers of %llu bytes are not supported: 8 is",
                              (unsigned long long)size);
  if (mode == 0) return BASIN_OK;
  basin_word line;
  const char *bytes;
  basin__reader_line(reader, &line);
  reader->binary = true;
  BASIN_TRY(basin__reader_bytes(reader, "the byte order mark", 4, &bytes));
  if (basin__reader_u32(reader, bytes) == 1) return BASIN_OK;
  reader->swap = true;
  if (basin__reader_u32(reader, bytes) == 1) return BASIN_OK;
  return BASIN_READER_FAIL(reader, "expected the number 1 as byte order mark");
}

/* Moves behind "$End" name. */
static basin_status end_section(basin_msh *msh, basin_word section, bool search)
{
  basin_reader *reader = msh->reader;
  char mark[80] = "$End";
  if (section.length > 60) return BASIN_READER_FAIL(reader, "the name of the section is too long");
  memcpy(mark + 4, section.text + 1, section.length - 1);
  mark[section.length + 3] = '\0';
  if (search) {
    const char *found =
        memmem(reader->cursor, (size_t)(reader->end - reader->cursor), mark, strlen(mark));
    if (!found) return BASIN_READER_FAIL(reader, "expected %s before the end of the file", mark);
    reader->cursor = found;
  }
  if (!basin__word_is(basin__reader_peek(reader), mark))
    return basin__reader_expected(reader, mark);
  basin__reader_word(reader);
  return BASIN_OK;
}

static basin_status read_section(basin_msh *msh, int version, basin_word section)
{
  const bool elements = basin__word_is(section, "$Elements");
  basin_status (*read)(basin_msh *) = NULL;
  if (basin__word_is(section, "$PhysicalNames")) read = read_names;
  if (basin__word_is(section, "$Entities") && version == 4) read = basin__msh4_entities;
  if (basin__word_is(section, "$Nodes"))
    read = version == 4 ? basin__msh4_nodes : basin__msh2_nodes;
  if (elements) read = version == 4 ? basin__msh4_elements : basin__msh2_elements;
  if (elements && !msh->has_nodes)
    return BASIN_READER_FAIL(msh->reader, "expected $Nodes before $Elements");
  if (read == basin__msh2_nodes || read == basin__msh4_nodes) {
    if (msh->has_nodes)
      return BASIN_READER_FAIL(msh->reader, "expected one section $Nodes, found another");
    msh->has_nodes = true;
  }
  if (!read) return end_section(msh, section, true);
  const bool words = read == read_names || (version == 2 && msh->reader->binary);
  if (msh->reader->binary && !words) { /* binary data begins behind the line */
    basin_word line;
    basin__reader_line(msh->reader, &line);
  }
  BASIN_TRY(read(msh));
  return end_section(msh, section, false);
}

static basin_status read_sections(basin_msh *msh)
{
  basin_reader *reader = msh->reader;
  int version = 0;
  BASIN_TRY(read_header(msh, &version));
  BASIN_TRY(end_section(msh, (basin_word){"$MeshFormat", 11}, false));
  while (basin__reader_peek(reader).length > 0) {
    if (*reader->cursor != '$')
      return basin__reader_expected(reader, "a section ($Nodes, $Elements, ...)");
    BASIN_TRY(read_section(msh, version, basin__reader_word(reader)));
  }
  return msh->has_nodes ? BASIN_OK : basin__reader_expected(reader, "a section $Nodes");
}

basin_status basin__read_msh(basin_reader *reader)
{
  basin_context *context = reader->context;
  basin_msh msh = {.reader = reader};
  const basin_status status = read_sections(&msh);
  basin__tag_map_fini(context, &msh.nodes);
  basin__tag_map_fini(context, &msh.names);
  basin__tag_map_fini(context, &msh.groups);
  basin__tag_map_fini(context, &msh.entities);
  basin__index_fini(context, &msh.physicals);
  basin__array_free(context, msh.name_list, msh.name_capacity, sizeof *msh.name_list);
  return status;
}
