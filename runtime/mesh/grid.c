/* Generators: triangle grid and line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>

basin_mesh_grid_options basin_mesh_grid_defaults(void)
{
  return (basin_mesh_grid_options){.size = sizeof(basin_mesh_grid_options),
                                   .nx = 2,
                                   .ny = 2,
                                   .width = 1.0,
                                   .height = 1.0,
                                   .dim = 3};
}

static basin_status check_grid(basin_context *context, const basin_mesh_grid_options *o)
{
  if (o->size != sizeof *o)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the grid options have size %zu; start from basin_mesh_grid_defaults()",
                      o->size);
  if (o->nx < 2 || o->ny < 2)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "grid: nx and ny count points and must be at least 2, not %zu and %zu",
                      o->nx,
                      o->ny);
  if (o->nx > BASIN_MESH_MAX_COUNT / o->ny / 2)
    return BASIN_FAIL(context,
                      BASIN_ERROR_RANGE,
                      "grid: %zu x %zu points are too many (32-bit indices)",
                      o->nx,
                      o->ny);
  if (!(o->width > 0.0) || !(o->height > 0.0) || !isfinite(o->width) || !isfinite(o->height))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "grid: width and height must be positive, not %g and %g",
                      o->width,
                      o->height);
  return BASIN_OK;
}

static basin_status name_grid_points(basin_mesh *mesh, uint32_t nx, uint32_t ny)
{
  const struct {
    const char *name;
    uint32_t first, step, count;
  } sets[] = {
      {"bottom_left", 0, 1, 1},
      {"bottom_right", nx - 1, 1, 1},
      {"top_left", nx * (ny - 1), 1, 1},
      {"top_right", nx * ny - 1, 1, 1},
      {"bottom", 0, 1, nx},
      {"top", nx * (ny - 1), 1, nx},
      {"left", 0, nx, ny},
      {"right", nx - 1, nx, ny},
  };
  for (size_t s = 0; s < BASIN_COUNT(sets); ++s)
    for (uint32_t i = 0; i < sets[s].count; ++i)
      BASIN_TRY(basin__mesh_group_push(
          mesh, BASIN_MESH_POINT, sets[s].name, sets[s].first + i * sets[s].step));
  return BASIN_OK;
}

static basin_status fill_grid(basin_mesh *mesh, const basin_mesh_grid_options *o)
{
  const uint32_t nx = (uint32_t)o->nx, ny = (uint32_t)o->ny;
  BASIN_TRY(basin__mesh_reserve_points(mesh, o->nx * o->ny));
  for (uint32_t j = 0; j < ny; ++j)
    for (uint32_t i = 0; i < nx; ++i) {
      const double point[3] = {
          (i / (nx - 1.0) - 0.5) * o->width, (j / (ny - 1.0) - 0.5) * o->height, 0.0};
      BASIN_TRY(basin__mesh_add_point(mesh, point));
    }
  for (uint32_t j = 0; j + 1 < ny; ++j)
    for (uint32_t i = 0; i + 1 < nx; ++i) {
      const uint32_t sw = i + nx * j, se = sw + 1, nw = sw + nx, ne = nw + 1;
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){sw, se, nw}));
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){se, ne, nw}));
    }
  return name_grid_points(mesh, nx, ny);
}

basin_status
basin_mesh_grid(basin_context *context, const basin_mesh_grid_options *options, basin_mesh **mesh)
{
  *mesh = NULL;
  const basin_mesh_grid_options o = options ? *options : basin_mesh_grid_defaults();
  BASIN_TRY(check_grid(context, &o));
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, o.dim, &made));
  const basin_status status = fill_grid(made, &o);
  if (status == BASIN_OK)
    *mesh = made;
  else
    basin_mesh_destroy(made);
  return status;
}

/* ---- line ---- */

static basin_status fill_line(basin_mesh *mesh, const double *from, const double *to, size_t count)
{
  BASIN_TRY(basin__mesh_reserve_points(mesh, count));
  for (size_t i = 0; i < count; ++i) {
    const double t = (double)i / (double)(count - 1);
    double point[3] = {0.0, 0.0, 0.0};
    for (unsigned k = 0; k < mesh->dim; ++k) point[k] = (1.0 - t) * from[k] + t * to[k];
    BASIN_TRY(basin__mesh_add_point(mesh, point));
  }
  for (uint32_t i = 0; i + 1 < count; ++i)
    BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_EDGE, (const uint32_t[2]){i, i + 1}));
  BASIN_TRY(basin__mesh_group_push(mesh, BASIN_MESH_POINT, "start", 0));
  BASIN_TRY(basin__mesh_group_push(mesh, BASIN_MESH_POINT, "end", (uint32_t)(count - 1)));
  return basin__mesh_validate(mesh, "line: ");
}

basin_status basin_mesh_line(basin_context *context,
                             unsigned dim,
                             const double *from,
                             const double *to,
                             size_t count,
                             basin_mesh **mesh)
{
  *mesh = NULL;
  if (count < 2 || count > BASIN_MESH_MAX_COUNT)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "line: needs at least 2 points, not %zu", count);
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, dim, &made));
  const basin_status status = fill_line(made, from, to, count);
  if (status == BASIN_OK)
    *mesh = made;
  else
    basin_mesh_destroy(made);
  return status;
}
