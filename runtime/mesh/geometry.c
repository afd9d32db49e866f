/* Bounds, lengths, areas, volumes and normals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

basin_status basin_mesh_bounds(const basin_mesh *mesh, double lower[3], double upper[3])
{
  for (int i = 0; i < 3; ++i) lower[i] = upper[i] = 0.0;
  if (mesh->point_count == 0)
    return BASIN_FAIL(mesh->context, BASIN_ERROR_STATE, "a mesh without points has no bounds");
  basin__mesh_point(mesh, 0, lower);
  basin__mesh_point(mesh, 0, upper);
  for (size_t p = 1; p < mesh->point_count; ++p)
    for (unsigned i = 0; i < mesh->dim; ++i) {
      lower[i] = fmin(lower[i], mesh->points[p * mesh->dim + i]);
      upper[i] = fmax(upper[i], mesh->points[p * mesh->dim + i]);
    }
  return BASIN_OK;
}

void basin__triangle_cross(const double a[3], const double b[3], const double c[3], double cross[3])
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  cross[0] = u[1] * v[2] - u[2] * v[1];
  cross[1] = u[2] * v[0] - u[0] * v[2];
  cross[2] = u[0] * v[1] - u[1] * v[0];
}

double basin__tet_volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double cross[3];
  basin__triangle_cross(a, b, c, cross);
  return (cross[0] * (d[0] - a[0]) + cross[1] * (d[1] - a[1]) + cross[2] * (d[2] - a[2])) / 6.0;
}

/* Area of a triangle; signed in the plane. */
static double triangle_area(unsigned dim, const double a[3], const double b[3], const double c[3])
{
  double cross[3];
  basin__triangle_cross(a, b, c, cross);
  return 0.5 * (dim == 2 ? cross[2] : hypot(hypot(cross[0], cross[1]), cross[2]));
}

static double measure_cell(const basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *corners)
{
  double p[4][3] = {{0.0}};
  for (unsigned k = 0; k < basin_mesh_arity(kind); ++k) basin__mesh_point(mesh, corners[k], p[k]);
  switch (kind) {
  case BASIN_MESH_EDGE:
    return hypot(hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]), p[1][2] - p[0][2]);
  case BASIN_MESH_TRIANGLE:
    return triangle_area(mesh->dim, p[0], p[1], p[2]);
  case BASIN_MESH_QUAD:
    return triangle_area(mesh->dim, p[0], p[1], p[2]) + triangle_area(mesh->dim, p[0], p[2], p[3]);
  case BASIN_MESH_TET:
    return basin__tet_volume(p[0], p[1], p[2], p[3]);
  default:
    return 1.0;
  }
}

basin_status basin_mesh_measure(const basin_mesh *mesh, basin_mesh_kind kind, double *measures)
{
  if ((unsigned)kind >= BASIN_MESH_KIND_COUNT || kind == BASIN_MESH_POINT)
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "measure: %s are no cells",
                      basin_mesh_kind_name(kind));
  const unsigned arity = basin_mesh_arity(kind);
  for (size_t c = 0; c < basin_mesh_count(mesh, kind); ++c)
    measures[c] = measure_cell(mesh, kind, mesh->cells[kind].data + c * arity);
  return BASIN_OK;
}

/* ---- normals ---- */

static void normalize(double *v)
{
  const double length = hypot(hypot(v[0], v[1]), v[2]);
  for (int i = 0; i < 3; ++i) v[i] = length > 0.0 ? v[i] / length : 0.0;
}

static basin_status check_space(const basin_mesh *mesh)
{
  if (mesh->dim == 3) return BASIN_OK;
  return BASIN_FAIL(mesh->context,
                    BASIN_ERROR_SHAPE,
                    "normals need a mesh of dim 3; this one has dim %u",
                    mesh->dim);
}

basin_status basin_mesh_triangle_normals(const basin_mesh *mesh, double *normals)
{
  BASIN_TRY(check_space(mesh));
  const uint32_t *corners = mesh->cells[BASIN_MESH_TRIANGLE].data;
  for (size_t t = 0; t < basin_mesh_count(mesh, BASIN_MESH_TRIANGLE); ++t, corners += 3) {
    basin__triangle_cross(mesh->points + (size_t)corners[0] * 3,
                          mesh->points + corners[1] * 3,
                          mesh->points + (size_t)corners[2] * 3,
                          normals + t * 3);
    normalize(normals + t * 3);
  }
  return BASIN_OK;
}

static void spread_normal(const basin_mesh *mesh, const uint32_t corners[3], double *normals)
{
  double cross[3];
  basin__triangle_cross(mesh->points + (size_t)corners[0] * 3,
                        mesh->points + (size_t)corners[1] * 3,
                        mesh->points + (size_t)corners[2] * 3,
                        cross);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) normals[(size_t)corners[k] * 3 + (size_t)i] += cross[i];
}

basin_status basin_mesh_point_normals(const basin_mesh *mesh, double *normals)
{
  BASIN_TRY(check_space(mesh));
  memset(normals, 0, mesh->point_count * 3 * sizeof(double));
  const basin_index_buffer *triangles = &mesh->cells[BASIN_MESH_TRIANGLE],
                           *quads = &mesh->cells[BASIN_MESH_QUAD];
  for (size_t c = 0; c < triangles->count; c += 3)
    spread_normal(mesh, triangles->data + c, normals);
  for (size_t c = 0; c < quads->count; c += 4) {
    const uint32_t *q = quads->data + c;
    spread_normal(mesh, q, normals);
    spread_normal(mesh, (const uint32_t[3]){q[0], q[2], q[3]}, normals);
  }
  for (size_t p = 0; p < mesh->point_count; ++p) normalize(normals + p * 3);
  return BASIN_OK;
}
