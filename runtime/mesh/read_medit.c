/* MEDIT .mesh, ascii: Vertices, Edges, Triangles, Quadrilaterals, Tetrahedra; other sections of
 * numbers are passed over. Format: P. Frey, "MEDIT: an interactive mesh visualization software",
 * INRIA RT-0253, 2001. SPDX-License-Identifier: Apache-2.0 */
#include "mesh/reader.h"
#include <stdio.h>
#include <string.h>

typedef struct medit_state {
  basin_reader *reader;
  uint64_t dimension; /* 0 until it is known */
  bool has_vertices;
} medit_state;

static const struct {
  const char *name;
  basin_mesh_kind kind;
} sections[] = {
    {"Edges", BASIN_MESH_EDGE},
    {"Triangles", BASIN_MESH_TRIANGLE},
    {"Quadrilaterals", BASIN_MESH_QUAD},
    {"Tetrahedra", BASIN_MESH_TET},
};

static basin_status
add_reference(basin_reader *reader, basin_mesh_kind kind, size_t first, int64_t reference)
{
  if (reference == 0) return BASIN_OK;
  char name[40];
  snprintf(name, sizeof name, "reference_%lld", (long long)reference);
  for (size_t c = first; c < basin_mesh_count(reader->mesh, kind); ++c)
    BASIN_TRY(basin__mesh_group_push(reader->mesh, kind, name, (uint32_t)c));
  return BASIN_OK;
}

static basin_status read_vertices(medit_state *state)
{
  basin_reader *reader = state->reader;
  size_t count;
  if (state->dimension == 0) return BASIN_READER_FAIL(reader, "expected Dimension before Vertices");
  if (state->has_vertices)
    return BASIN_READER_FAIL(reader, "expected one section Vertices, found another");
  state->has_vertices = true;
  BASIN_TRY(basin__reader_count(reader, "vertices", 6, &count));
  for (size_t v = 0; v < count; ++v) {
    double point[3] = {0.0, 0.0, 0.0};
    int64_t reference;
    basin__reader_skip(reader, '#');
    for (uint64_t i = 0; i < state->dimension; ++i)
      BASIN_TRY(basin__reader_real(reader, "a coordinate of a vertex", &point[i]));
    BASIN_TRY(basin__reader_integer(reader, "the reference of a vertex", &reference));
    BASIN_TRY(basin__reader_add_point(reader, point));
    BASIN_TRY(add_reference(reader, BASIN_MESH_POINT, v, reference));
  }
  return BASIN_OK;
}

static basin_status read_cells(medit_state *state, basin_mesh_kind kind)
{
  basin_reader *reader = state->reader;
  const unsigned arity = basin_mesh_arity(kind);
  const uint64_t points = reader->mesh->point_count;
  size_t count;
  if (!state->has_vertices) return BASIN_READER_FAIL(reader, "expected Vertices before the cells");
  BASIN_TRY(basin__reader_count(reader, basin_mesh_kind_name(kind), 2 * arity + 2, &count));
  for (size_t c = 0; c < count; ++c) {
    uint32_t corners[4];
    int64_t reference;
    basin__reader_skip(reader, '#');
    for (unsigned k = 0; k < arity; ++k) {
      uint64_t number;
      BASIN_TRY(basin__reader_index(reader, "a vertex number", points, &number));
      if (number == 0) return BASIN_READER_FAIL(reader, "expected a vertex number from 1, found 0");
      corners[k] = (uint32_t)(number - 1);
    }
    BASIN_TRY(basin__reader_integer(reader, "the reference of a cell", &reference));
    const basin_mesh_kind added =
        kind == BASIN_MESH_QUAD && !reader->keep_quads ? BASIN_MESH_TRIANGLE : kind;
    const size_t first = basin_mesh_count(reader->mesh, added);
    if (kind == BASIN_MESH_QUAD)
      BASIN_TRY(basin__reader_add_polygon(reader, corners, 4, NULL));
    else
      BASIN_TRY(basin__mesh_add_cell(reader->mesh, kind, corners));
    BASIN_TRY(add_reference(reader, added, first, reference));
  }
  return BASIN_OK;
}

static basin_status read_section(medit_state *state, basin_word section)
{
  basin_reader *reader = state->reader;
  if (basin__word_is(section, "Dimension")) {
    BASIN_TRY(basin__reader_index(reader, "the dimension", 3, &state->dimension));
    return state->dimension >= 2 ? BASIN_OK
                                 : BASIN_READER_FAIL(reader, "expected dimension 2 or 3");
  }
  if (basin__word_is(section, "Vertices")) return read_vertices(state);
  for (size_t s = 0; s < BASIN_COUNT(sections); ++s)
    if (basin__word_is(section, sections[s].name)) return read_cells(state, sections[s].kind);
  if (basin__word_is(section, "Hexahedra") || basin__word_is(section, "Prisms") ||
      basin__word_is(section, "Pyramids"))
    return basin__reader_fail(
        reader,
        BASIN_ERROR_UNSUPPORTED,
        BASIN_SITE,
        "%.*s are not supported: Edges, Triangles, Quadrilaterals and Tetrahedra are",
        (int)section.length,
        section.text);
  /* Corners, Ridges, Normals and so on: numbers up to the next keyword. */
  for (;;) {
    basin__reader_skip(reader, '#');
    const basin_word word = basin__reader_peek(reader);
    if (word.length == 0 || !strchr("+-.0123456789", word.text[0])) return BASIN_OK;
    basin__reader_word(reader);
  }
}

basin_status basin__read_medit(basin_reader *reader)
{
  medit_state state = {.reader = reader};
  int64_t version;
  basin__reader_skip(reader, '#');
  if (!basin__word_is(basin__reader_peek(reader), "MeshVersionFormatted"))
    return basin__reader_expected(reader, "MeshVersionFormatted");
  basin__reader_word(reader);
  BASIN_TRY(basin__reader_integer(reader, "the version of the format", &version));
  for (;;) {
    basin__reader_skip(reader, '#');
    const basin_word section = basin__reader_peek(reader);
    if (section.length == 0) return basin__reader_expected(reader, "End");
    if ((section.text[0] < 'A' || section.text[0] > 'Z'))
      return basin__reader_expected(reader, "a section (Vertices, Tetrahedra, ... End)");
    basin__reader_word(reader);
    if (basin__word_is(section, "End")) break;
    BASIN_TRY(read_section(&state, section));
  }
  return state.has_vertices ? BASIN_OK
                            : BASIN_READER_FAIL(reader, "expected a section Vertices, found none");
}
