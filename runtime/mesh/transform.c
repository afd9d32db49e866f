/* Affine maps of a mesh and the orientation of its cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

/* Swaps two corners of every cell, which reverses its orientation. */
static void reverse_cells(basin_mesh *mesh)
{
  static const struct {
    basin_mesh_kind kind;
    unsigned first, second;
  } swaps[] = {{BASIN_MESH_TRIANGLE, 1, 2}, {BASIN_MESH_QUAD, 1, 3}, {BASIN_MESH_TET, 2, 3}};
  for (size_t s = 0; s < BASIN_COUNT(swaps); ++s) {
    basin_index_buffer *cells = &mesh->cells[swaps[s].kind];
    const unsigned arity = basin_mesh_arity(swaps[s].kind);
    for (size_t c = 0; c < cells->count; c += arity) {
      const uint32_t corner = cells->data[c + swaps[s].first];
      cells->data[c + swaps[s].first] = cells->data[c + swaps[s].second];
      cells->data[c + swaps[s].second] = corner;
    }
  }
}

static double determinant(const double matrix[12], unsigned dim)
{
  const double *a = matrix, *b = matrix + 4, *c = matrix + 8;
  if (dim == 2) return a[0] * b[1] - a[1] * b[0];
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

basin_status basin_mesh_transform(basin_mesh *mesh, const double matrix[12])
{
  basin_context *context = mesh->context;
  const unsigned dim = mesh->dim;
  for (int i = 0; i < 12; ++i)
    if (!isfinite(matrix[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "transform: entry (%d, %d) of the matrix is %g",
                        i / 4,
                        i % 4,
                        matrix[i]);
  const double det = determinant(matrix, dim);
  if (det == 0.0)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "transform: the matrix is singular and would flatten the mesh");
  const size_t entries = mesh->point_count * dim;
  double *moved;
  BASIN_TRY(basin__array_alloc(context, entries, sizeof(double), &moved));
  for (size_t p = 0; p < mesh->point_count; ++p)
    for (unsigned row = 0; row < dim; ++row) {
      double sum = matrix[row * 4 + 3];
      for (unsigned col = 0; col < dim; ++col)
        sum += matrix[row * 4 + col] * mesh->points[p * dim + col];
      if (!isfinite(sum)) {
        basin__array_free(context, moved, entries, sizeof(double));
        return BASIN_FAIL(context,
                          BASIN_ERROR_NOT_FINITE,
                          "transform: coordinate %u of point %zu overflows",
                          row,
                          p);
      }
      moved[p * dim + row] = sum;
    }
  if (entries) memcpy(mesh->points, moved, entries * sizeof(double));
  basin__array_free(context, moved, entries, sizeof(double));
  if (det < 0.0) reverse_cells(mesh);
  return BASIN_OK;
}

basin_status basin_mesh_scale(basin_mesh *mesh, const double factors[3])
{
  for (unsigned i = 0; i < 3 && i < mesh->dim; ++i)
    if (!(factors[i] != 0.0) || !isfinite(factors[i]))
      return BASIN_FAIL(mesh->context,
                        BASIN_ERROR_ARGUMENT,
                        "scale: factor %u is %g; it must be finite and not zero",
                        i,
                        factors[i]);
  const double z = mesh->dim == 3 ? factors[2] : 1.0;
  const double matrix[12] = {factors[0], 0, 0, 0, 0, factors[1], 0, 0, 0, 0, z, 0};
  return basin_mesh_transform(mesh, matrix);
}

basin_status basin_mesh_translate(basin_mesh *mesh, const double offset[3])
{
  const double z = mesh->dim == 3 ? offset[2] : 0.0;
  const double matrix[12] = {1, 0, 0, offset[0], 0, 1, 0, offset[1], 0, 0, 1, z};
  return basin_mesh_transform(mesh, matrix);
}

/* Rodrigues' rotation formula: R = cos I + sin [u] + (1 - cos) u u^T. */
basin_status basin_mesh_rotate(basin_mesh *mesh, const double axis[3], double angle)
{
  const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
  if (!isfinite(length) || length == 0.0 || !isfinite(angle))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "rotate: axis (%g, %g, %g) by %g is no rotation",
                      axis[0],
                      axis[1],
                      axis[2],
                      angle);
  if (mesh->dim == 2 && (axis[0] != 0.0 || axis[1] != 0.0))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "rotate: a plane mesh turns about (0, 0, 1), not (%g, %g, %g)",
                      axis[0],
                      axis[1],
                      axis[2]);
  const double u = axis[0] / length, v = axis[1] / length, w = axis[2] / length;
  const double c = cos(angle), s = sin(angle), t = 1.0 - c;
  const double matrix[12] = {
      c + t * u * u,
      t * u * v - s * w,
      t * u * w + s * v,
      0,
      t * u * v + s * w,
      c + t * v * v,
      t * v * w - s * u,
      0,
      t * u * w - s * v,
      t * v * w + s * u,
      c + t * w * w,
      0,
  };
  return basin_mesh_transform(mesh, matrix);
}

basin_status basin_mesh_scale_to_height(basin_mesh *mesh, double height)
{
  double lower[3], upper[3];
  BASIN_TRY(basin_mesh_bounds(mesh, lower, upper));
  const double extent = upper[1] - lower[1];
  if (!(height > 0.0) || !isfinite(height))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "scale_to_height: the height must be positive, not %g",
                      height);
  if (!(extent > 0.0) || !isfinite(height / extent))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "scale_to_height: the mesh has extent %g along y",
                      extent);
  const double factor = height / extent;
  return basin_mesh_scale(mesh, (const double[3]){factor, factor, factor});
}

static bool is_negative(const basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *corners)
{
  double p[4][3] = {{0.0}};
  for (unsigned k = 0; k < basin_mesh_arity(kind); ++k) basin__mesh_point(mesh, corners[k], p[k]);
  if (kind == BASIN_MESH_TET) return basin__tet_volume(p[0], p[1], p[2], p[3]) < 0.0;
  if (mesh->dim != 2) return false;
  if (kind == BASIN_MESH_QUAD) /* signed area from the diagonals */
    return (p[2][0] - p[0][0]) * (p[3][1] - p[1][1]) < (p[2][1] - p[0][1]) * (p[3][0] - p[1][0]);
  double cross[3];
  basin__triangle_cross(p[0], p[1], p[2], cross);
  return cross[2] < 0.0;
}

basin_status basin_mesh_orient(basin_mesh *mesh, size_t *flipped)
{
  size_t count = 0;
  for (int k = BASIN_MESH_TRIANGLE; k <= BASIN_MESH_TET; ++k) {
    const basin_mesh_kind kind = (basin_mesh_kind)k;
    const unsigned arity = basin_mesh_arity(kind);
    const unsigned first = kind == BASIN_MESH_TET ? 2 : 1, second = arity - 1;
    for (size_t c = 0; c < mesh->cells[kind].count; c += arity) {
      uint32_t *corners = mesh->cells[kind].data + c;
      if (!is_negative(mesh, kind, corners)) continue;
      const uint32_t corner = corners[first];
      corners[first] = corners[second];
      corners[second] = corner;
      ++count;
    }
  }
  if (flipped) *flipped = count;
  return BASIN_OK;
}
