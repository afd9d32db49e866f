/* Cells by VTK type number.
 * Types: Kitware, "VTK File Formats" (VTK User's Guide), figure of linear cell types.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/vtk_cells.h"

enum {
  VERTEX = 1,
  POLY_VERTEX = 2,
  LINE = 3,
  POLY_LINE = 4,
  TRIANGLE = 5,
  POLYGON = 7,
  QUAD = 9,
  TET = 10
};

static basin_status check_corners(basin_reader *reader, size_t count, size_t least, size_t most)
{
  if (count >= least && count <= most) return BASIN_OK;
  return BASIN_READER_FAIL(reader, "expected %zu corners of a cell, found %zu", least, count);
}

basin_status
basin__vtk_add_cell(basin_reader *reader, int64_t type, const uint32_t *corners, size_t count)
{
  basin_mesh *mesh = reader->mesh;
  switch (type) {
  case VERTEX:
  case POLY_VERTEX:
    BASIN_TRY(check_corners(reader, count, 1, type == VERTEX ? 1 : SIZE_MAX));
    for (size_t k = 0; k < count; ++k)
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_VERTEX, corners + k));
    return BASIN_OK;
  case LINE:
  case POLY_LINE:
    BASIN_TRY(check_corners(reader, count, 2, type == LINE ? 2 : SIZE_MAX));
    for (size_t k = 0; k + 1 < count; ++k)
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_EDGE, corners + k));
    return BASIN_OK;
  case TRIANGLE:
    BASIN_TRY(check_corners(reader, count, 3, 3));
    return basin__reader_add_polygon(reader, corners, 3, NULL);
  case QUAD:
    BASIN_TRY(check_corners(reader, count, 4, 4));
    return basin__reader_add_polygon(reader, corners, 4, NULL);
  case POLYGON:
    BASIN_TRY(check_corners(reader, count, 3, SIZE_MAX));
    return basin__reader_add_polygon(reader, corners, count, NULL);
  case TET:
    BASIN_TRY(check_corners(reader, count, 4, 4));
    return basin__mesh_add_cell(mesh, BASIN_MESH_TET, corners);
  default:
    return basin__reader_fail(
        reader,
        BASIN_ERROR_UNSUPPORTED,
        BASIN_SITE,
        "cell type %lld is not supported: vertices, lines, triangles, polygons, quads and tets are",
        (long long)type);
  }
}
