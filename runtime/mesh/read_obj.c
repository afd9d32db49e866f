/* Wavefront OBJ: v, f, l, p, o, g; everything else is passed over.
 * Format: Wavefront Technologies, "Object Files (.obj)", version 3.0.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/reader.h"
#include <string.h>

typedef struct obj_state {
  basin_reader *reader;
  basin_index_buffer corners; /* of the statement being read */
  char *object, *group;       /* current names, NULL = none */
} obj_state;

/* "7", "7/1", "7//3", "-1/-1/-1": the first number, as a point index from 0. */
static basin_status parse_corner(obj_state *state, basin_reader *line, uint32_t *corner)
{
  basin_word word = basin__reader_word(line);
  const char *slash = memchr(word.text, '/', word.length);
  basin_reader number = *line;
  number.cursor = word.text;
  number.end = slash ? slash : word.text + word.length;
  int64_t index;
  BASIN_TRY(basin__reader_integer(&number, "a vertex number", &index));
  const int64_t count = (int64_t)state->reader->mesh->point_count;
  const int64_t from_zero = index > 0 ? index - 1 : count + index;
  if (index == 0 || from_zero < 0 || from_zero >= count)
    return BASIN_READER_FAIL(
        line,
        "vertex %lld does not exist: %lld vertices so far, counted from 1 (or back from -1)",
        (long long)index,
        (long long)count);
  *corner = (uint32_t)from_zero;
  return BASIN_OK;
}

static basin_status parse_corners(obj_state *state, basin_reader *line)
{
  state->corners.count = 0;
  while (basin__reader_peek(line).length > 0) {
    uint32_t corner = 0;
    BASIN_TRY(parse_corner(state, line, &corner));
    BASIN_TRY(basin__index_push(line->context, &state->corners, corner));
  }
  return BASIN_OK;
}

static basin_status read_vertex(basin_reader *line)
{
  double point[3];
  static const char *const what[3] = {"the x coordinate of a vertex",
                                      "the y coordinate of a vertex",
                                      "the z coordinate of a vertex"};
  for (int i = 0; i < 3; ++i) BASIN_TRY(basin__reader_real(line, what[i], &point[i]));
  return basin__reader_add_point(line, point);
}

/* Adds the groups of the cells from `first` on. */
static basin_status tag_cells(obj_state *state, basin_mesh_kind kind, size_t first)
{
  basin_mesh *mesh = state->reader->mesh;
  const size_t last = basin_mesh_count(mesh, kind);
  const char *names[2] = {state->object, state->group};
  for (int n = 0; n < 2; ++n)
    for (size_t c = first; names[n] && c < last; ++c) {
      if (n == 1 && names[0] && strcmp(names[0], names[1]) == 0) break;
      BASIN_TRY(basin__mesh_group_push(mesh, kind, names[n], (uint32_t)c));
    }
  return BASIN_OK;
}

static basin_status read_face(obj_state *state, basin_reader *line)
{
  BASIN_TRY(parse_corners(state, line));
  if (state->corners.count < 3)
    return BASIN_READER_FAIL(
        line, "expected 3 or more corners of a face, found %zu", state->corners.count);
  basin_mesh *mesh = state->reader->mesh;
  const size_t triangles = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE),
               quads = basin_mesh_count(mesh, BASIN_MESH_QUAD);
  BASIN_TRY(basin__reader_add_polygon(line, state->corners.data, state->corners.count, NULL));
  BASIN_TRY(tag_cells(state, BASIN_MESH_TRIANGLE, triangles));
  return tag_cells(state, BASIN_MESH_QUAD, quads);
}

static basin_status read_polyline(obj_state *state, basin_reader *line)
{
  BASIN_TRY(parse_corners(state, line));
  if (state->corners.count < 2)
    return BASIN_READER_FAIL(
        line, "expected 2 or more corners of a line, found %zu", state->corners.count);
  const size_t first = basin_mesh_count(state->reader->mesh, BASIN_MESH_EDGE);
  for (size_t i = 0; i + 1 < state->corners.count; ++i)
    BASIN_TRY(basin__mesh_add_cell(state->reader->mesh, BASIN_MESH_EDGE, state->corners.data + i));
  return tag_cells(state, BASIN_MESH_EDGE, first);
}

static basin_status read_dots(obj_state *state, basin_reader *line)
{
  BASIN_TRY(parse_corners(state, line));
  const size_t first = basin_mesh_count(state->reader->mesh, BASIN_MESH_VERTEX);
  for (size_t i = 0; i < state->corners.count; ++i)
    BASIN_TRY(
        basin__mesh_add_cell(state->reader->mesh, BASIN_MESH_VERTEX, state->corners.data + i));
  return tag_cells(state, BASIN_MESH_VERTEX, first);
}

/* The rest of the line, trimmed, becomes *name; none if it is empty. */
static basin_status read_name(basin_reader *line, char **name)
{
  basin__strfree(line->context, *name);
  *name = NULL;
  const basin_word first = basin__reader_peek(line);
  if (first.length == 0) return BASIN_OK;
  size_t length = (size_t)(line->end - first.text);
  while (length > 0 && (first.text[length - 1] == ' ' || first.text[length - 1] == '\t')) --length;
  basin_strbuf text;
  basin__strbuf_init(&text, line->context);
  basin__strbuf_append(&text, first.text, length);
  if (!text.failed) *name = basin__strdup(line->context, basin__strbuf_text(&text));
  basin__strbuf_fini(&text);
  return *name ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static basin_status read_statement(obj_state *state, basin_reader *line)
{
  const basin_word word = basin__reader_word(line);
  if (basin__word_is(word, "v")) return read_vertex(line);
  if (basin__word_is(word, "f")) return read_face(state, line);
  if (basin__word_is(word, "l")) return read_polyline(state, line);
  if (basin__word_is(word, "p")) return read_dots(state, line);
  if (basin__word_is(word, "o")) return read_name(line, &state->object);
  if (basin__word_is(word, "g")) return read_name(line, &state->group);
  return BASIN_OK;
}

static basin_status read_lines(obj_state *state)
{
  basin_reader *reader = state->reader;
  basin_word text;
  while (basin__reader_line(reader, &text)) {
    const char *comment = memchr(text.text, '#', text.length);
    if (comment) text.length = (size_t)(comment - text.text);
    basin_reader line = *reader;
    line.cursor = text.text;
    line.end = text.text + text.length;
    if (text.length > 0 && text.text[text.length - 1] == '\\')
      return basin__reader_fail(&line,
                                BASIN_ERROR_UNSUPPORTED,
                                BASIN_SITE,
                                "a line continued with '\\' is not supported");
    BASIN_TRY(read_statement(state, &line));
  }
  if (reader->mesh->point_count == 0)
    return BASIN_READER_FAIL(reader, "expected vertices ('v x y z'), found none in the file");
  return BASIN_OK;
}

basin_status basin__read_obj(basin_reader *reader)
{
  obj_state state = {.reader = reader};
  const basin_status status = read_lines(&state);
  basin__index_fini(reader->context, &state.corners);
  basin__strfree(reader->context, state.object);
  basin__strfree(reader->context, state.group);
  return status;
}
