/* Generators: boxes of tets and their surfaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>

basin_mesh_box_options basin_mesh_box_defaults(void)
{
  return (basin_mesh_box_options){.size = sizeof(basin_mesh_box_options),
                                  .nx = 1,
                                  .ny = 1,
                                  .nz = 1,
                                  .width = 1.0,
                                  .height = 1.0,
                                  .depth = 1.0};
}

static basin_status check_box(basin_context *context, const basin_mesh_box_options *o)
{
  if (o->size != sizeof *o)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the box options have size %zu; start from basin_mesh_box_defaults()",
                      o->size);
  if (o->nx < 1 || o->ny < 1 || o->nz < 1)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "box: needs at least one cell along each axis, not %zu x %zu x %zu",
                      o->nx,
                      o->ny,
                      o->nz);
  const double cells = ((double)o->nx + 1) * ((double)o->ny + 1) * ((double)o->nz + 1) * 6;
  if (cells > (double)BASIN_MESH_MAX_COUNT)
    return BASIN_FAIL(context,
                      BASIN_ERROR_RANGE,
                      "box: %zu x %zu x %zu cells are too many (32-bit indices)",
                      o->nx,
                      o->ny,
                      o->nz);
  const double sides[3] = {o->width, o->height, o->depth};
  for (int i = 0; i < 3; ++i)
    if (!(sides[i] > 0.0) || !isfinite(sides[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_ARGUMENT,
                        "box: width, height and depth must be positive, not %g, %g, %g",
                        sides[0],
                        sides[1],
                        sides[2]);
  return BASIN_OK;
}

/* Kuhn's subdivision: one tet for every order in which the three axes can be walked from corner 000
 * to corner 111. */
static basin_status add_kuhn_tets(basin_mesh *mesh, uint32_t origin, const uint32_t step[3])
{
  static const unsigned char walks[6][3] = {
      {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
  for (int w = 0; w < 6; ++w) {
    const uint32_t a = origin + step[walks[w][0]], b = a + step[walks[w][1]],
                   c = b + step[walks[w][2]];
    const bool odd = w >= 3; /* an odd permutation makes a negative tet: swap the middle corners */
    const uint32_t corners[4] = {origin, odd ? b : a, odd ? a : b, c};
    BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TET, corners));
  }
  return BASIN_OK;
}

static basin_status name_sides(basin_mesh *mesh, const size_t n[3])
{
  static const char *const names[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  for (int axis = 0; axis < 3; ++axis)
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
      const size_t at[3] = {
          p % (n[0] + 1), p / (n[0] + 1) % (n[1] + 1), p / (n[0] + 1) / (n[1] + 1)};
      if (at[axis] == 0)
        BASIN_TRY(basin__mesh_group_push(mesh, BASIN_MESH_POINT, names[axis][0], p));
      if (at[axis] == n[axis])
        BASIN_TRY(basin__mesh_group_push(mesh, BASIN_MESH_POINT, names[axis][1], p));
    }
  return BASIN_OK;
}

static basin_status fill_box(basin_mesh *mesh, const basin_mesh_box_options *o)
{
  const size_t n[3] = {o->nx, o->ny, o->nz};
  const uint32_t step[3] = {1, (uint32_t)(n[0] + 1), (uint32_t)((n[0] + 1) * (n[1] + 1))};
  BASIN_TRY(basin__mesh_reserve_points(mesh, (n[0] + 1) * (n[1] + 1) * (n[2] + 1)));
  for (size_t k = 0; k <= n[2]; ++k)
    for (size_t j = 0; j <= n[1]; ++j)
      for (size_t i = 0; i <= n[0]; ++i) {
        const double point[3] = {((double)i / (double)n[0] - 0.5) * o->width,
                                 ((double)j / (double)n[1] - 0.5) * o->height,
                                 ((double)k / (double)n[2] - 0.5) * o->depth};
        BASIN_TRY(basin__mesh_add_point(mesh, point));
      }
  for (size_t k = 0; k < n[2]; ++k)
    for (size_t j = 0; j < n[1]; ++j)
      for (size_t i = 0; i < n[0]; ++i)
        BASIN_TRY(add_kuhn_tets(mesh, (uint32_t)(i + j * step[1] + k * step[2]), step));
  return name_sides(mesh, n);
}

basin_status
basin_mesh_tet_box(basin_context *context, const basin_mesh_box_options *options, basin_mesh **mesh)
{
  *mesh = NULL;
  const basin_mesh_box_options o = options ? *options : basin_mesh_box_defaults();
  BASIN_TRY(check_box(context, &o));
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, 3, &made));
  const basin_status status = fill_box(made, &o);
  if (status == BASIN_OK)
    *mesh = made;
  else
    basin_mesh_destroy(made);
  return status;
}

basin_status basin_mesh_triangle_box(basin_context *context,
                                     const basin_mesh_box_options *options,
                                     basin_mesh **mesh)
{
  *mesh = NULL;
  basin_mesh *solid, *surface = NULL;
  BASIN_TRY(basin_mesh_tet_box(context, options, &solid));
  basin_status status = basin_mesh_surface(solid, &surface);
  basin_mesh_destroy(solid);
  if (status == BASIN_OK) status = basin_mesh_compact(surface, NULL);
  if (status == BASIN_OK)
    *mesh = surface;
  else
    basin_mesh_destroy(surface);
  return status;
}
