/* STL: ascii and binary triangles; the caller welds equal corners.
 * Format: 3D Systems, "StereoLithography Interface Specification", 1988.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/reader.h"

enum { HEADER = 80, RECORD = 50 };

static basin_status add_triangle(basin_reader *reader)
{
  const uint32_t next = (uint32_t)reader->mesh->point_count;
  return basin__mesh_add_cell(
      reader->mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){next - 3, next - 2, next - 1});
}

static basin_status read_binary(basin_reader *reader)
{
  const char *bytes;
  reader->binary = true;
  reader->swap = basin__host_is_big_endian(); /* the format is little-endian */
  BASIN_TRY(basin__reader_bytes(reader, "the header", HEADER + 4, &bytes));
  const uint32_t count = basin__reader_u32(reader, bytes + HEADER);
  BASIN_TRY(basin__reader_check_count(reader, "triangles", count, RECORD));
  for (uint32_t t = 0; t < count; ++t) {
    BASIN_TRY(basin__reader_bytes(reader, "a triangle", RECORD, &bytes));
    for (int k = 1; k <= 3; ++k) { /* 0 is the normal */
      double point[3];
      for (int i = 0; i < 3; ++i) point[i] = basin__reader_f32(reader, bytes + k * 12 + i * 4);
      BASIN_TRY(basin__reader_add_point(reader, point));
    }
    BASIN_TRY(add_triangle(reader));
  }
  return BASIN_OK;
}

static basin_status expect(basin_reader *reader, const char *text)
{
  if (!basin__word_is(basin__reader_peek(reader), text))
    return basin__reader_expected(reader, text);
  basin__reader_word(reader);
  return BASIN_OK;
}

static basin_status read_facet(basin_reader *reader)
{
  double normal, point[3];
  BASIN_TRY(expect(reader, "normal"));
  for (int i = 0; i < 3; ++i)
    BASIN_TRY(basin__reader_real(reader, "a component of the normal", &normal));
  BASIN_TRY(expect(reader, "outer"));
  BASIN_TRY(expect(reader, "loop"));
  for (int k = 0; k < 3; ++k) {
    BASIN_TRY(expect(reader, "vertex"));
    for (int i = 0; i < 3; ++i)
      BASIN_TRY(basin__reader_real(reader, "a coordinate of a vertex", &point[i]));
    BASIN_TRY(basin__reader_add_point(reader, point));
  }
  BASIN_TRY(expect(reader, "endloop"));
  BASIN_TRY(expect(reader, "endfacet"));
  return add_triangle(reader);
}

static basin_status read_ascii(basin_reader *reader)
{
  basin_word line;
  while (basin__reader_peek(reader).length > 0) {
    BASIN_TRY(expect(reader, "solid"));
    const bool named =
        reader->cursor < reader->end && *reader->cursor != '\n' && *reader->cursor != '\r';
    if (named) basin__reader_line(reader, &line); /* the rest of the line is a name */
    while (basin__word_is(basin__reader_peek(reader), "facet")) {
      basin__reader_word(reader);
      BASIN_TRY(read_facet(reader));
    }
    if (!basin__word_is(basin__reader_peek(reader), "endsolid"))
      return basin__reader_expected(reader, "'facet' or 'endsolid'");
    basin__reader_word(reader);
    basin__reader_line(reader, &line);
  }
  return BASIN_OK;
}

/* Binary files may begin with "solid" too: their size says so. */
basin_status basin__read_stl(basin_reader *reader)
{
  const size_t size = (size_t)(reader->end - reader->begin);
  if (size >= HEADER + 4) {
    basin_reader probe = *reader;
    probe.swap = basin__host_is_big_endian();
    const uint64_t count = basin__reader_u32(&probe, reader->begin + HEADER);
    if (HEADER + 4 + count * RECORD == size) return read_binary(reader);
  }
  if (basin__word_is(basin__reader_peek(reader), "solid")) return read_ascii(reader);
  if (size >= HEADER + 4) return read_binary(reader);
  return BASIN_READER_FAIL(reader, "expected 'solid', or a binary header of %d bytes", HEADER + 4);
}
