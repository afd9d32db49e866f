/* Questions to surfaces of triangles in Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <basin/contact.h>

/* Positions at `index`, triangles after them; both stay on the stack. */
static basin_surface check_surface(lua_State *L, int index)
{
  const basin_l_array *points = basin__array_to(L, index);
  const basin_l_array *triangles = basin__array_to(L, index + 1);
  if (points->count * points->size > 0 && points->size != 3)
    basin__throw(L, BASIN_ERROR_SHAPE, NULL, "a surface needs points of 3 numbers");
  if (triangles->count * triangles->size > 0 && triangles->size != 3)
    basin__throw(L, BASIN_ERROR_SHAPE, NULL, "a surface needs triangles of 3 vertices");
  return (basin_surface){.vertex_count = points->count,
                         .positions = points->data,
                         .triangle_count = triangles->count,
                         .triangles = basin__array_to_indices(L, triangles, "triangles")};
}

static const double *check_points(lua_State *L, int index, size_t *count)
{
  const basin_l_array *points = basin__array_to(L, index);
  size_t total = points->count * points->size;
  if (total % 3 != 0)
    basin__throw(L, BASIN_ERROR_SHAPE, NULL, "points of 3 numbers are needed, got %zu", total);
  *count = total / 3;
  return points->data;
}

/* core.surface_winding(points, triangles, places) -> a number a place */
static int core_surface_winding(lua_State *L)
{
  size_t count;
  lua_settop(L, 3);
  const double *places = check_points(L, 3, &count);
  basin_surface surface = check_surface(L, 1);
  basin_l_array *result = basin__array_new(L, count, 1, 1);
  basin_context *context = basin__context(L);
  basin__check(L, context, basin_surface_winding(context, &surface, count, places, result->data));
  return 1;
}

/* core.surface_rays(points, triangles, origins, directions) -> a length a ray */
static int core_surface_rays(lua_State *L)
{
  size_t count, other;
  lua_settop(L, 4);
  const double *origins = check_points(L, 3, &count), *directions = check_points(L, 4, &other);
  if (count != other)
    basin__throw(L, BASIN_ERROR_LENGTH, NULL, "%zu origins, but %zu directions", count, other);
  basin_surface surface = check_surface(L, 1);
  basin_l_array *result = basin__array_new(L, count, 1, 1);
  basin_context *context = basin__context(L);
  basin__check(
      L, context, basin_surface_rays(context, &surface, count, origins, directions, result->data));
  return 1;
}

static const luaL_Reg functions[] = {
    {"surface_winding", core_surface_winding}, {"surface_rays", core_surface_rays}, {NULL, NULL}};

void basin__open_surface(lua_State *L)
{
  basin__functions(L, functions);
}
