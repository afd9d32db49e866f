/* What the output tests share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_OUTPUT_SUPPORT_H
#define BASIN_TESTS_OUTPUT_SUPPORT_H

#include "support.h"
#include <basin/output.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define assert_ok(call) assert_int_equal((call), BASIN_OK)
#define OUT             BASIN_TEST_OUTPUT_DIR "/"

static inline char *file_text(basin_context *context, const char *path, size_t *size)
{
  char *data;
  if (basin__read_file(context, path, &data, size) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  return data;
}

/* Points, triangles, a quad, a tet, an edge, a vertex; coordinates that need all digits. */
static inline basin_mesh *mixed_mesh(basin_context *context, unsigned dim)
{
  const double points[21] = {0.1,  0, 0, 1.0 / 3, 0,  0,   0, 1e-300, 0, 0, 0,
                             1e10, 1, 1, 1,       -2, 0.7, 5, 4,      3, 2};
  const uint32_t vertex[1] = {6}, edge[4] = {0, 5, 5, 6}, triangles[6] = {0, 1, 2, 1, 4, 2},
                 quad[4] = {0, 1, 4, 5}, tet[4] = {0, 1, 2, 3};
  basin_mesh *mesh;
  assert_ok(basin_mesh_create(context, dim, &mesh));
  assert_ok(basin_mesh_set_points(mesh, 7, points));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_VERTEX, 1, vertex));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_EDGE, 2, edge));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 2, triangles));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_QUAD, 1, quad));
  if (dim == 3) assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 1, tet));
  return mesh;
}

#endif
