/* VTK XML files of unstructured grids (.vtu): the pieces one after the other in one mesh.
 * Format: Kitware, "VTK File Formats" (VTK User's Guide), XML formats.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/vtk_cells.h"
#include "mesh/vtu_array.h"
#include <math.h>
#include <string.h>

typedef enum vtu_section { NOWHERE, POINTS, CELLS } vtu_section;

typedef struct vtu_state {
  basin_vtu_file file;
  vtu_section section;
  uint64_t piece_points, piece_cells;
  bool in_piece, has_grid;
  basin_vtu_values points, corners, offsets, types;
} vtu_state;

static basin_status
read_count(basin_reader *reader, const basin_xml_tag *tag, const char *name, uint64_t *count)
{
  basin_word text;
  if (!basin__xml_attribute(tag, name, &text))
    return BASIN_READER_FAIL(reader, "expected the attribute %s of <Piece>", name);
  basin_reader number = *reader;
  number.cursor = text.text;
  number.end = text.text + text.length;
  return basin__reader_index(&number, name, BASIN_MESH_MAX_COUNT, count);
}

static bool attribute_is(const basin_xml_tag *tag, const char *name, const char *value)
{
  basin_word text;
  return basin__xml_attribute(tag, name, &text) && basin__word_is(text, value);
}

static basin_status read_file_tag(vtu_state *state, const basin_xml_tag *tag)
{
  basin_reader *reader = state->file.reader;
  basin_word text;
  if (!attribute_is(tag, "type", "UnstructuredGrid"))
    return basin__reader_fail(
        reader, BASIN_ERROR_UNSUPPORTED, BASIN_SITE, "expected a VTKFile of type UnstructuredGrid");
  reader->swap = attribute_is(tag, "byte_order", "BigEndian") != basin__host_is_big_endian();
  state->file.header_size = attribute_is(tag, "header_type", "UInt64") ? 8 : 4;
  state->file.compressed = basin__xml_attribute(tag, "compressor", &text) && text.length > 0;
  if (state->file.compressed && !basin__word_is(text, "vtkZLibDataCompressor"))
    return basin__reader_fail(reader,
                              BASIN_ERROR_UNSUPPORTED,
                              BASIN_SITE,
                              "the compressor %.*s is not supported: vtkZLibDataCompressor is",
                              text.length < 40 ? (int)text.length : 40,
                              text.text);
  state->has_grid = true;
  return BASIN_OK;
}

/* Looks for the appended data, which ends the XML part of the file. */
static basin_status find_appended(vtu_state *state)
{
  basin_reader *reader = state->file.reader;
  const char *open =
      memmem(reader->begin, (size_t)(reader->end - reader->begin), "<AppendedData", 13);
  if (!open) return BASIN_OK;
  basin_reader probe = *reader;
  basin_xml_tag tag;
  bool found;
  probe.cursor = open;
  BASIN_TRY(basin__xml_next(&probe, &tag, &found));
  state->file.appended_base64 = attribute_is(&tag, "encoding", "base64");
  const char *mark = memchr(probe.cursor, '_', (size_t)(reader->end - probe.cursor));
  if (!mark) return BASIN_READER_FAIL(&probe, "expected '_' at the start of the appended data");
  state->file.appended = mark + 1;
  return BASIN_OK;
}

static basin_status read_array(vtu_state *state, const basin_xml_tag *tag)
{
  if (state->section == NOWHERE) return BASIN_OK;
  basin_vtu_values *values = state->section == POINTS ? &state->points : NULL;
  if (state->section == CELLS && attribute_is(tag, "Name", "connectivity"))
    values = &state->corners;
  if (state->section == CELLS && attribute_is(tag, "Name", "offsets")) values = &state->offsets;
  if (state->section == CELLS && attribute_is(tag, "Name", "types")) values = &state->types;
  return values ? basin__vtu_array(&state->file, tag, values) : BASIN_OK;
}

/* ---- the end of a piece: everything is there ---- */

static basin_status check_sizes(vtu_state *state)
{
  basin_reader *reader = state->file.reader;
  if (state->points.count != 3 * state->piece_points)
    return BASIN_READER_FAIL(reader,
                             "expected 3 x %llu coordinates in <Points>, found %zu",
                             (unsigned long long)state->piece_points,
                             state->points.count);
  if (state->offsets.count != state->piece_cells || state->types.count != state->piece_cells)
    return BASIN_READER_FAIL(reader,
                             "expected %llu offsets and types in <Cells>, found %zu and %zu",
                             (unsigned long long)state->piece_cells,
                             state->offsets.count,
                             state->types.count);
  return BASIN_OK;
}

/* Corners of a cell as point indices of the mesh, appended to an empty buffer. */
static basin_status
take_corners(vtu_state *state, size_t from, size_t to, size_t shift, basin_index_buffer *corners)
{
  basin_reader *reader = state->file.reader;
  corners->count = 0;
  for (size_t i = from; i < to; ++i) {
    const double value = state->corners.data[i];
    if (!(value >= 0.0) || value >= (double)state->piece_points || value != floor(value))
      return BASIN_READER_FAIL(reader,
                               "expected a point from 0 to %llu in connectivity, found %g",
                               (unsigned long long)state->piece_points - 1,
                               value);
    BASIN_TRY(basin__index_push(reader->context, corners, (uint32_t)((size_t)value + shift)));
  }
  return BASIN_OK;
}

static basin_status add_cells(vtu_state *state, size_t shift, basin_index_buffer *corners)
{
  basin_reader *reader = state->file.reader;
  size_t from = 0;
  for (size_t c = 0; c < state->piece_cells; ++c) {
    const double to = state->offsets.data[c], type = state->types.data[c];
    if (!(to >= (double)from) || to > (double)state->corners.count || to != floor(to))
      return BASIN_READER_FAIL(
          reader, "expected an ascending offset up to %zu, found %g", state->corners.count, to);
    BASIN_TRY(take_corners(state, from, (size_t)to, shift, corners));
    BASIN_TRY(basin__vtk_add_cell(
        reader, type >= 0.0 && type < 1e6 ? (int64_t)type : -1, corners->data, corners->count));
    from = (size_t)to;
  }
  return BASIN_OK;
}

static basin_status end_piece(vtu_state *state)
{
  basin_reader *reader = state->file.reader;
  const size_t shift = reader->mesh->point_count;
  BASIN_TRY(check_sizes(state));
  if (shift + state->piece_points > BASIN_MESH_MAX_COUNT)
    return BASIN_READER_FAIL(reader, "the pieces have too many points (32-bit indices)");
  for (size_t p = 0; p < state->piece_points; ++p)
    BASIN_TRY(basin__reader_add_point(reader, state->points.data + p * 3));
  basin_index_buffer corners = {0};
  const basin_status status = add_cells(state, shift, &corners);
  basin__index_fini(reader->context, &corners);
  state->in_piece = false;
  return status;
}

static basin_status begin_piece(vtu_state *state, const basin_xml_tag *tag)
{
  basin_reader *reader = state->file.reader;
  if (!state->has_grid) return BASIN_READER_FAIL(reader, "expected <VTKFile> before <Piece>");
  state->points.count = state->corners.count = state->offsets.count = state->types.count = 0;
  state->in_piece = true;
  BASIN_TRY(read_count(reader, tag, "NumberOfPoints", &state->piece_points));
  return read_count(reader, tag, "NumberOfCells", &state->piece_cells);
}

static basin_status read_tag(vtu_state *state, const basin_xml_tag *tag)
{
  const bool open = !tag->closing;
  if (open && basin__word_is(tag->name, "VTKFile")) return read_file_tag(state, tag);
  if (open && basin__word_is(tag->name, "Piece")) {
    BASIN_TRY(begin_piece(state, tag));
    return tag->empty ? end_piece(state) : BASIN_OK;
  }
  if (!state->in_piece) return BASIN_OK;
  if (!open && basin__word_is(tag->name, "Piece")) return end_piece(state);
  if (open && basin__word_is(tag->name, "DataArray")) return read_array(state, tag);
  if (basin__word_is(tag->name, "DataArray")) return BASIN_OK;
  state->section = NOWHERE;
  if (open && !tag->empty && basin__word_is(tag->name, "Points")) state->section = POINTS;
  if (open && !tag->empty && basin__word_is(tag->name, "Cells")) state->section = CELLS;
  return BASIN_OK;
}

static basin_status read_tags(vtu_state *state)
{
  basin_reader *reader = state->file.reader;
  BASIN_TRY(find_appended(state));
  for (;;) {
    basin_xml_tag tag;
    bool found;
    BASIN_TRY(basin__xml_next(reader, &tag, &found));
    if (!found || basin__word_is(tag.name, "AppendedData")) break;
    BASIN_TRY(read_tag(state, &tag));
  }
  if (!state->has_grid)
    return BASIN_READER_FAIL(reader, "expected <VTKFile type=\"UnstructuredGrid\">");
  return state->in_piece ? BASIN_READER_FAIL(reader, "expected </Piece>") : BASIN_OK;
}

basin_status basin__read_vtu(basin_reader *reader)
{
  basin_context *context = reader->context;
  vtu_state state = {.file = {.reader = reader, .header_size = 4}};
  const basin_status status = read_tags(&state);
  basin__vtu_values_fini(context, &state.points);
  basin__vtu_values_fini(context, &state.corners);
  basin__vtu_values_fini(context, &state.offsets);
  basin__vtu_values_fini(context, &state.types);
  return status;
}
