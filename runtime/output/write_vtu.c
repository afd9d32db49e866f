/* VTK XML unstructured grids with raw appended data: little-endian, 64-bit headers.
 * Format: Kitware, "VTK File Formats" (VTK User's Guide), XML formats.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/little_endian.h"
#include "output/writers.h"

static const struct {
  basin_mesh_kind kind;
  unsigned char vtk_type;
} cell_kinds[] = {{BASIN_MESH_VERTEX, 1},
                  {BASIN_MESH_EDGE, 3},
                  {BASIN_MESH_TRIANGLE, 5},
                  {BASIN_MESH_QUAD, 9},
                  {BASIN_MESH_TET, 10}};

static void put_escaped(basin_strbuf *out, const char *text)
{
  for (; *text; ++text) {
    if (*text == '&')
      basin__strbuf_puts(out, "&amp;");
    else if (*text == '<')
      basin__strbuf_puts(out, "&lt;");
    else if (*text == '"')
      basin__strbuf_puts(out, "&quot;");
    else
      basin__strbuf_append(out, text, 1);
  }
}

/* The tag of an array at *offset of the appended data, which then moves behind its `bytes` bytes.
 */
static void put_array_tag(basin_strbuf *out,
                          const char *type,
                          const char *name,
                          size_t components,
                          size_t bytes,
                          size_t *offset)
{
  basin__strbuf_printf(out, "        <DataArray type=\"%s\" Name=\"", type);
  put_escaped(out, name);
  basin__strbuf_printf(out,
                       "\" NumberOfComponents=\"%zu\" format=\"appended\" offset=\"%zu\"/>\n",
                       components,
                       *offset);
  *offset += 8 + bytes;
}

static void put_data_tags(
    const basin_mesh_image *image, bool of_cells, size_t count, basin_strbuf *out, size_t *offset)
{
  basin__strbuf_puts(out, of_cells ? "      <CellData>\n" : "      <PointData>\n");
  for (size_t a = 0; a < image->array_count; ++a)
    if (image->arrays[a].of_cells == of_cells)
      put_array_tag(out,
                    "Float64",
                    image->arrays[a].name,
                    image->arrays[a].components,
                    count * image->arrays[a].components * 8,
                    offset);
  basin__strbuf_puts(out, of_cells ? "      </CellData>\n" : "      </PointData>\n");
}

static void put_data(const basin_mesh_image *image, bool of_cells, size_t count, basin_strbuf *out)
{
  for (size_t a = 0; a < image->array_count; ++a) {
    if (image->arrays[a].of_cells != of_cells) continue;
    const size_t numbers = count * image->arrays[a].components;
    basin__put_little(out, numbers * 8, 8);
    for (size_t i = 0; i < numbers; ++i) basin__put_double(out, image->arrays[a].data[i]);
  }
}

static void put_points(const basin_mesh_image *image, size_t points, basin_strbuf *out)
{
  basin__put_little(out, points * 24, 8);
  for (size_t p = 0; p < points; ++p) {
    double x[3];
    basin__image_point(image, p, x);
    for (int i = 0; i < 3; ++i) basin__put_double(out, x[i]);
  }
}

static void put_cells(const basin_mesh *mesh, size_t cells, size_t corners, basin_strbuf *out)
{
  basin__put_little(out, corners * 8, 8);
  for (size_t k = 0; k < BASIN_COUNT(cell_kinds); ++k) {
    const size_t count =
        basin_mesh_count(mesh, cell_kinds[k].kind) * basin_mesh_arity(cell_kinds[k].kind);
    for (size_t i = 0; i < count; ++i)
      basin__put_little(out, basin_mesh_cells(mesh, cell_kinds[k].kind)[i], 8);
  }
  basin__put_little(out, cells * 8, 8);
  uint64_t end = 0;
  for (size_t k = 0; k < BASIN_COUNT(cell_kinds); ++k)
    for (size_t c = 0; c < basin_mesh_count(mesh, cell_kinds[k].kind); ++c)
      basin__put_little(out, end += basin_mesh_arity(cell_kinds[k].kind), 8);
  basin__put_little(out, cells, 8);
  for (size_t k = 0; k < BASIN_COUNT(cell_kinds); ++k)
    for (size_t c = 0; c < basin_mesh_count(mesh, cell_kinds[k].kind); ++c)
      basin__put_little(out, cell_kinds[k].vtk_type, 1);
}

void basin__write_vtu(const basin_mesh_image *image, basin_strbuf *out)
{
  const size_t points = basin_mesh_count(image->mesh, BASIN_MESH_POINT);
  size_t cells = 0, corners = 0, offset = 0;
  for (size_t k = 0; k < BASIN_COUNT(cell_kinds); ++k) {
    cells += basin_mesh_count(image->mesh, cell_kinds[k].kind);
    corners +=
        basin_mesh_count(image->mesh, cell_kinds[k].kind) * basin_mesh_arity(cell_kinds[k].kind);
  }
  basin__strbuf_printf(out,
                       "<?xml version=\"1.0\"?>\n"
                       "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                       "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%zu\" "
                       "NumberOfCells=\"%zu\">\n      <Points>\n",
                       points,
                       cells);
  put_array_tag(out, "Float64", "Points", 3, points * 24, &offset);
  basin__strbuf_puts(out, "      </Points>\n      <Cells>\n");
  put_array_tag(out, "Int64", "connectivity", 1, corners * 8, &offset);
  put_array_tag(out, "Int64", "offsets", 1, cells * 8, &offset);
  put_array_tag(out, "UInt8", "types", 1, cells, &offset);
  basin__strbuf_puts(out, "      </Cells>\n");
  put_data_tags(image, false, points, out, &offset);
  put_data_tags(image, true, cells, out, &offset);
  basin__strbuf_puts(out,
                     "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
  put_points(image, points, out);
  put_cells(image->mesh, cells, corners, out);
  put_data(image, false, points, out);
  put_data(image, true, cells, out);
  basin__strbuf_puts(out, "\n  </AppendedData>\n</VTKFile>\n");
}
