/* What the mesh tests share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_MESH_SUPPORT_H
#define BASIN_TESTS_MESH_SUPPORT_H

#include "support.h"
#include <basin/mesh.h>
#include <math.h>
#include <stdio.h>

#define assert_ok(call) assert_int_equal((call), BASIN_OK)
#define MESHES          BASIN_TEST_DATA_DIR "/meshes/"

/* |a - b| <= tolerance, with the numbers in the message. */
static inline void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%.17g and %.17g differ by %g, more than %g", a, b, fabs(a - b), tolerance);
}

static inline basin_mesh *read_mesh(basin_context *context, const char *path)
{
  basin_mesh *mesh;
  if (basin_mesh_read(context, path, NULL, &mesh) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  return mesh;
}

/* Volume inside a closed triangle surface by the divergence theorem, about the origin. */
static inline double enclosed_volume(const basin_mesh *surface)
{
  const double *x = basin_mesh_points(surface);
  const uint32_t *t = basin_mesh_cells(surface, BASIN_MESH_TRIANGLE);
  double sum = 0.0;
  for (size_t i = 0; i < basin_mesh_count(surface, BASIN_MESH_TRIANGLE); ++i, t += 3) {
    const double *a = x + 3 * (size_t)t[0], *b = x + 3 * (size_t)t[1], *c = x + 3 * (size_t)t[2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6.0;
}

static inline double total_measure(const basin_mesh *mesh, basin_mesh_kind kind)
{
  const size_t count = basin_mesh_count(mesh, kind);
  double *measures = calloc(count + 1, sizeof(double)), sum = 0.0;
  assert_ok(basin_mesh_measure(mesh, kind, measures));
  for (size_t i = 0; i < count; ++i) sum += measures[i];
  free(measures);
  return sum;
}

/* A mesh with two tets that share a face, and an edge cell that touches nothing else. */
static inline basin_mesh *two_tets(basin_context *context)
{
  static const double points[7 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
                                       1, 1, 1, 1, 3, 0, 0, 4, 0, 0};
  static const uint32_t tets[8] = {0, 1, 2, 3, 4, 2, 1, 3}, edge[2] = {5, 6};
  basin_mesh *mesh;
  assert_ok(basin_mesh_create(context, 3, &mesh));
  assert_ok(basin_mesh_set_points(mesh, 7, points));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 2, tets));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_EDGE, 1, edge));
  return mesh;
}

#endif
