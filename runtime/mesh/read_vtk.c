/* Legacy VTK files: UNSTRUCTURED_GRID and POLYDATA, ascii and binary, with cells of the old and of
 * the 5.1 layout. Format: Kitware, "VTK File Formats" (VTK User's Guide), simple legacy formats.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/vtk_cells.h"
#include <math.h>

static const struct {
  const char *name;
  basin_number type;
} types[] = {{"char", BASIN_NUMBER_INT8},
             {"signed_char", BASIN_NUMBER_INT8},
             {"unsigned_char", BASIN_NUMBER_UINT8},
             {"short", BASIN_NUMBER_INT16},
             {"unsigned_short", BASIN_NUMBER_UINT16},
             {"int", BASIN_NUMBER_INT32},
             {"unsigned_int", BASIN_NUMBER_UINT32},
             {"vtkIdType", BASIN_NUMBER_INT32},
             {"vtkidtype", BASIN_NUMBER_INT32},
             {"long", BASIN_NUMBER_INT64},
             {"unsigned_long", BASIN_NUMBER_UINT64},
             {"vtktypeint64", BASIN_NUMBER_INT64},
             {"vtktypeuint64", BASIN_NUMBER_UINT64},
             {"float", BASIN_NUMBER_FLOAT32},
             {"double", BASIN_NUMBER_FLOAT64}};

typedef struct vtk_state {
  basin_reader *reader;
  bool ascii, poly, new_layout;
  bool has_points;
  basin_index_buffer offsets, corners; /* of the cells read last: cell c has corners[offsets[c]] ..
                                          corners[offsets[c + 1]] */
} vtk_state;

/* ---- values ---- */

static basin_status read_type(vtk_state *state, basin_number *type)
{
  const basin_word word = basin__reader_peek(state->reader);
  for (size_t t = 0; t < BASIN_COUNT(types); ++t)
    if (basin__word_is(word, types[t].name)) {
      *type = types[t].type;
      basin__reader_word(state->reader);
      return BASIN_OK;
    }
  return basin__reader_expected(state->reader, "a type (float, double, int, vtktypeint64, ...)");
}

static basin_status read_value(vtk_state *state, basin_number type, const char *what, double *value)
{
  if (state->ascii) return basin__reader_real(state->reader, what, value);
  const char *bytes;
  BASIN_TRY(basin__reader_bytes(state->reader, what, basin__number_size(type), &bytes));
  *value = basin__reader_number(state->reader, type, bytes);
  return BASIN_OK;
}

/* Binary values begin behind the line of their keyword. */
static void begin_values(vtk_state *state)
{
  basin_word line;
  if (!state->ascii) basin__reader_line(state->reader, &line);
}

static size_t least_bytes(const vtk_state *state, basin_number type)
{
  return state->ascii ? 2 : basin__number_size(type);
}

static basin_status
read_indices(vtk_state *state, basin_number type, size_t count, basin_index_buffer *indices)
{
  indices->count = 0;
  for (size_t i = 0; i < count; ++i) {
    double value;
    BASIN_TRY(read_value(state, type, "an index", &value));
    if (!(value >= 0.0) || value > (double)BASIN_MESH_MAX_COUNT || value != floor(value))
      return BASIN_READER_FAIL(state->reader, "expected an index, found %g", value);
    BASIN_TRY(basin__index_push(state->reader->context, indices, (uint32_t)value));
  }
  return BASIN_OK;
}

/* ---- sections ---- */

static basin_status read_points(vtk_state *state)
{
  basin_reader *reader = state->reader;
  uint64_t count;
  basin_number type;
  if (state->has_points) return BASIN_READER_FAIL(reader, "expected POINTS once");
  state->has_points = true;
  BASIN_TRY(basin__reader_index(reader, "the number of points", BASIN_MESH_MAX_COUNT, &count));
  BASIN_TRY(read_type(state, &type));
  BASIN_TRY(basin__reader_check_count(reader, "points", count, 3 * least_bytes(state, type)));
  begin_values(state);
  for (uint64_t p = 0; p < count; ++p) {
    double point[3];
    for (int i = 0; i < 3; ++i)
      BASIN_TRY(read_value(state, type, "a coordinate of a point", &point[i]));
    BASIN_TRY(basin__reader_add_point(reader, point));
  }
  return BASIN_OK;
}

/* Old layout: N c0 ... for each cell, `size` numbers in all. */
static basin_status unpack_old(vtk_state *state, size_t cells)
{
  basin_index_buffer *corners = &state->corners;
  size_t from = 0, to = 0;
  state->offsets.count = 0;
  for (size_t c = 0; c < cells; ++c) {
    if (from >= corners->count || corners->data[from] > corners->count - from - 1)
      return BASIN_READER_FAIL(
          state->reader, "expected %zu cells, found the numbers of %zu", cells, c);
    const uint32_t count = corners->data[from++];
    BASIN_TRY(basin__index_push(state->reader->context, &state->offsets, (uint32_t)to));
    for (uint32_t k = 0; k < count; ++k) corners->data[to++] = corners->data[from++];
  }
  corners->count = to;
  return basin__index_push(state->reader->context, &state->offsets, (uint32_t)to);
}

static basin_status expect(vtk_state *state, const char *text)
{
  if (!basin__word_is(basin__reader_peek(state->reader), text))
    return basin__reader_expected(state->reader, text);
  basin__reader_word(state->reader);
  return BASIN_OK;
}

static basin_status read_cells(vtk_state *state)
{
  basin_reader *reader = state->reader;
  uint64_t count, size;
  basin_number type = BASIN_NUMBER_INT32;
  BASIN_TRY(basin__reader_index(reader, "the number of cells", BASIN_MESH_MAX_COUNT, &count));
  BASIN_TRY(basin__reader_index(reader, "the number of indices", BASIN_MESH_MAX_COUNT, &size));
  if (state->new_layout) {
    BASIN_TRY(expect(state, "OFFSETS"));
    BASIN_TRY(read_type(state, &type));
    BASIN_TRY(basin__reader_check_count(reader, "offsets", count, least_bytes(state, type)));
    begin_values(state);
    BASIN_TRY(read_indices(state, type, (size_t)count, &state->offsets));
    BASIN_TRY(expect(state, "CONNECTIVITY"));
    BASIN_TRY(read_type(state, &type));
  }
  BASIN_TRY(basin__reader_check_count(reader, "indices", size, least_bytes(state, type)));
  begin_values(state);
  BASIN_TRY(read_indices(state, type, (size_t)size, &state->corners));
  if (!state->new_layout) return unpack_old(state, (size_t)count);
  const basin_index_buffer *offsets = &state->offsets;
  for (size_t c = 0; c < offsets->count; ++c)
    if (offsets->data[c] > size || (c > 0 && offsets->data[c] < offsets->data[c - 1]))
      return BASIN_READER_FAIL(reader,
                               "expected ascending offsets up to %llu, found %u",
                               (unsigned long long)size,
                               offsets->data[c]);
  return BASIN_OK;
}

static size_t cell_count(const vtk_state *state)
{
  return state->offsets.count ? state->offsets.count - 1 : 0;
}

static basin_status add_cell(vtk_state *state, size_t c, int64_t type)
{
  const uint32_t first = state->offsets.data[c], last = state->offsets.data[c + 1];
  return basin__vtk_add_cell(state->reader, type, state->corners.data + first, last - first);
}

static basin_status read_cell_types(vtk_state *state)
{
  basin_reader *reader = state->reader;
  size_t count;
  BASIN_TRY(basin__reader_count(reader, "cell types", state->ascii ? 2 : 4, &count));
  if (count != cell_count(state))
    return BASIN_READER_FAIL(
        reader, "expected %zu cell types, found %zu", cell_count(state), count);
  begin_values(state);
  for (size_t c = 0; c < count; ++c) {
    double type;
    BASIN_TRY(read_value(state, BASIN_NUMBER_INT32, "a cell type", &type));
    BASIN_TRY(add_cell(state, c, type >= 0.0 && type < 1e6 ? (int64_t)type : -1));
  }
  state->offsets.count = 0; /* used up: another CELL_TYPES needs its own CELLS */
  return BASIN_OK;
}

static basin_status read_poly_cells(vtk_state *state, int64_t type)
{
  BASIN_TRY(read_cells(state));
  for (size_t c = 0; c < cell_count(state); ++c) BASIN_TRY(add_cell(state, c, type));
  return BASIN_OK;
}

/* FIELD name n, then n arrays: name components tuples type, values. */
static basin_status skip_field(vtk_state *state)
{
  basin_reader *reader = state->reader;
  uint64_t arrays, components, tuples;
  basin__reader_word(reader);
  BASIN_TRY(basin__reader_index(reader, "the number of arrays", 10000, &arrays));
  for (uint64_t a = 0; a < arrays; ++a) {
    basin_number type;
    basin__reader_word(reader);
    BASIN_TRY(basin__reader_index(reader, "the number of components", 10000, &components));
    BASIN_TRY(basin__reader_index(reader, "the number of tuples", BASIN_MESH_MAX_COUNT, &tuples));
    BASIN_TRY(read_type(state, &type));
    BASIN_TRY(
        basin__reader_check_count(reader, "values", components * tuples, least_bytes(state, type)));
    begin_values(state);
    double value;
    for (uint64_t i = 0; i < components * tuples; ++i)
      BASIN_TRY(read_value(state, type, "a value", &value));
  }
  return BASIN_OK;
}

/* METADATA goes on to an empty line. */
static void skip_metadata(vtk_state *state)
{
  basin_word line;
  basin__reader_line(state->reader, &line);
  while (basin__reader_line(state->reader, &line) && line.length > 0) {
  }
}

static basin_status read_section(vtk_state *state, basin_word word)
{
  if (basin__word_is(word, "POINTS")) return read_points(state);
  if (basin__word_is(word, "FIELD")) return skip_field(state);
  if (basin__word_is(word, "METADATA")) {
    skip_metadata(state);
    return BASIN_OK;
  }
  if (!state->poly && basin__word_is(word, "CELLS")) return read_cells(state);
  if (!state->poly && basin__word_is(word, "CELL_TYPES")) return read_cell_types(state);
  if (state->poly && basin__word_is(word, "VERTICES")) return read_poly_cells(state, 2);
  if (state->poly && basin__word_is(word, "LINES")) return read_poly_cells(state, 4);
  if (state->poly && basin__word_is(word, "POLYGONS")) return read_poly_cells(state, 7);
  state->reader->cursor = word.text;
  return basin__reader_expected(state->reader,
                                state->poly ? "POINTS, VERTICES, LINES or POLYGONS"
                                            : "POINTS, CELLS or CELL_TYPES");
}

static basin_status read_header(vtk_state *state)
{
  basin_reader *reader = state->reader;
  basin_word line;
  double version = 0.0;
  for (int i = 0; i < 4; ++i) basin__reader_word(reader); /* # vtk DataFile Version */
  BASIN_TRY(basin__reader_real(reader, "the version of the file", &version));
  state->new_layout = version >= 5.0;
  basin__reader_line(reader, &line);
  if (!basin__reader_line(reader, &line)) return BASIN_READER_FAIL(reader, "expected a title line");
  const basin_word mode = basin__reader_peek(reader);
  state->ascii = basin__word_is(mode, "ASCII");
  if (!state->ascii && !basin__word_is(mode, "BINARY"))
    return basin__reader_expected(reader, "ASCII or BINARY");
  basin__reader_word(reader);
  BASIN_TRY(expect(state, "DATASET"));
  const basin_word set = basin__reader_peek(reader);
  state->poly = basin__word_is(set, "POLYDATA");
  if (!state->poly && !basin__word_is(set, "UNSTRUCTURED_GRID"))
    return basin__reader_expected(reader, "UNSTRUCTURED_GRID or POLYDATA");
  basin__reader_word(reader);
  reader->binary = !state->ascii;
  reader->swap = !basin__host_is_big_endian(); /* binary data is big-endian */
  return BASIN_OK;
}

static basin_status read_sections(vtk_state *state)
{
  BASIN_TRY(read_header(state));
  for (;;) {
    const basin_word word = basin__reader_word(state->reader);
    if (word.length == 0 || basin__word_is(word, "POINT_DATA") || basin__word_is(word, "CELL_DATA"))
      break;
    BASIN_TRY(read_section(state, word));
  }
  return state->has_points ? BASIN_OK
                           : BASIN_READER_FAIL(state->reader, "expected POINTS, found none");
}

basin_status basin__read_vtk(basin_reader *reader)
{
  vtk_state state = {.reader = reader};
  const basin_status status = read_sections(&state);
  basin__index_fini(reader->context, &state.offsets);
  basin__index_fini(reader->context, &state.corners);
  return status;
}
