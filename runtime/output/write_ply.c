/* Binary little-endian PLY: points with their arrays, triangles and quads, edges.
 * Format: Greg Turk, "The PLY Polygon File Format", 1994.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/little_endian.h"
#include "output/writers.h"
#include <ctype.h>

/* A property name has no spaces. */
static void put_name(basin_strbuf *out, const basin_output_array *array, size_t component)
{
  basin__strbuf_puts(out, "property double ");
  for (const char *c = array->name; *c; ++c) {
    const char safe = isgraph((unsigned char)*c) ? *c : '_';
    basin__strbuf_append(out, &safe, 1);
  }
  if (array->components > 1) basin__strbuf_printf(out, "_%zu", component);
  basin__strbuf_puts(out, "\n");
}

static void put_header(const basin_mesh_image *image, basin_strbuf *out)
{
  const basin_mesh *mesh = image->mesh;
  basin__strbuf_printf(out,
                       "ply\nformat binary_little_endian 1.0\nelement vertex %zu\nproperty double "
                       "x\nproperty double y\nproperty double z\n",
                       basin_mesh_count(mesh, BASIN_MESH_POINT));
  for (size_t a = 0; a < image->array_count; ++a)
    for (size_t k = 0; !image->arrays[a].of_cells && k < image->arrays[a].components; ++k)
      put_name(out, &image->arrays[a], k);
  basin__strbuf_printf(out,
                       "element face %zu\nproperty list uchar int vertex_indices\n",
                       basin_mesh_count(mesh, BASIN_MESH_TRIANGLE) +
                           basin_mesh_count(mesh, BASIN_MESH_QUAD));
  if (basin_mesh_count(mesh, BASIN_MESH_EDGE) > 0)
    basin__strbuf_printf(out,
                         "element edge %zu\nproperty int vertex1\nproperty int vertex2\n",
                         basin_mesh_count(mesh, BASIN_MESH_EDGE));
  basin__strbuf_puts(out, "end_header\n");
}

static void put_points(const basin_mesh_image *image, basin_strbuf *out)
{
  for (size_t p = 0; p < basin_mesh_count(image->mesh, BASIN_MESH_POINT); ++p) {
    double x[3];
    basin__image_point(image, p, x);
    for (int i = 0; i < 3; ++i) basin__put_double(out, x[i]);
    for (size_t a = 0; a < image->array_count; ++a) {
      const basin_output_array *array = &image->arrays[a];
      for (size_t k = 0; !array->of_cells && k < array->components; ++k)
        basin__put_double(out, array->data[p * array->components + k]);
    }
  }
}

static void put_cells(const basin_mesh *mesh, basin_mesh_kind kind, bool counted, basin_strbuf *out)
{
  const unsigned arity = basin_mesh_arity(kind);
  const uint32_t *corners = basin_mesh_cells(mesh, kind);
  for (size_t c = 0; c < basin_mesh_count(mesh, kind); ++c) {
    if (counted) basin__put_little(out, arity, 1);
    for (unsigned k = 0; k < arity; ++k) basin__put_little(out, *corners++, 4);
  }
}

void basin__write_ply(const basin_mesh_image *image, basin_strbuf *out)
{
  put_header(image, out);
  put_points(image, out);
  put_cells(image->mesh, BASIN_MESH_TRIANGLE, true, out);
  put_cells(image->mesh, BASIN_MESH_QUAD, true, out);
  put_cells(image->mesh, BASIN_MESH_EDGE, false, out);
}
