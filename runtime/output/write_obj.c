/* Wavefront OBJ: points, triangles and quads, edges, vertices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/writers.h"

static void
put_cells(const basin_mesh *mesh, basin_mesh_kind kind, const char *letter, basin_strbuf *out)
{
  const unsigned arity = basin_mesh_arity(kind);
  const uint32_t *corners = basin_mesh_cells(mesh, kind);
  for (size_t c = 0; c < basin_mesh_count(mesh, kind); ++c) {
    basin__strbuf_puts(out, letter);
    for (unsigned k = 0; k < arity; ++k)
      basin__strbuf_printf(out, " %llu", (unsigned long long)*corners++ + 1);
    basin__strbuf_puts(out, "\n");
  }
}

void basin__write_obj(const basin_mesh_image *image, basin_strbuf *out)
{
  for (size_t p = 0; p < basin_mesh_count(image->mesh, BASIN_MESH_POINT); ++p) {
    double x[3];
    basin__image_point(image, p, x);
    basin__strbuf_puts(out, "v");
    for (int i = 0; i < 3; ++i) {
      basin__strbuf_puts(out, " ");
      basin__strbuf_double(out, x[i]);
    }
    basin__strbuf_puts(out, "\n");
  }
  put_cells(image->mesh, BASIN_MESH_TRIANGLE, "f", out);
  put_cells(image->mesh, BASIN_MESH_QUAD, "f", out);
  put_cells(image->mesh, BASIN_MESH_EDGE, "l", out);
  put_cells(image->mesh, BASIN_MESH_VERTEX, "p", out);
}
