/* Single stencils of contact in Lua: distances, times, intersections.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact.h"

/* The positions of a stencil of this kind at `index`. */
static const double *check_stencil(lua_State *L, int index, basin_contact_kind kind)
{
  const basin_l_array *array = basin__array_to(L, index);
  unsigned arity = basin_contact_arity(kind);
  luaL_argcheck(L, kind <= BASIN_CONTACT_EDGE_EDGE, 1, "no kind of its own");
  if (array->count * array->size != 3 * (size_t)arity) {
    basin__throw(L,
                 BASIN_ERROR_SHAPE,
                 NULL,
                 "%s needs %u points of 3 numbers",
                 basin_contact_kind_name(kind),
                 arity);
  }
  return array->data;
}

/* Single stencils have no context to record an error in. */
static void check_status(lua_State *L, basin_status status)
{
  if (status == BASIN_OK) return;
  basin__throw(L, status, NULL, "a contact stencil: %s", basin_status_text(status));
}

/* core.contact_distance(kind, points) -> squared distance, {coefficients}, {vertices of the
 * closest features, from 0} */
static int core_contact_distance(lua_State *L)
{
  basin_contact_kind kind = basin__check_contact_kind(L, 1);
  const double *x = check_stencil(L, 2, kind);
  basin_contact_distance distance;
  check_status(L, basin_contact_distance_get(kind, x, &distance));
  unsigned arity = basin_contact_arity(kind), length = 0;
  lua_pushnumber(L, distance.squared_distance);
  lua_createtable(L, (int)arity, 0);
  lua_createtable(L, (int)arity, 0);
  for (unsigned i = 0; i < arity; ++i) {
    lua_pushnumber(L, distance.coefficients[i]);
    lua_rawseti(L, -3, (lua_Integer)i + 1);
    if (!(distance.region >> i & 1)) continue;
    lua_pushinteger(L, i);
    lua_rawseti(L, -2, (lua_Integer)++length);
  }
  return 3;
}

/* core.contact_time(kind, start, end, separation, limit, slackness) -> time, whether it was hit */
static int core_contact_time(lua_State *L)
{
  basin_contact_kind kind = basin__check_contact_kind(L, 1);
  const double *start = check_stencil(L, 2, kind), *end = check_stencil(L, 3, kind);
  double separation = luaL_checknumber(L, 4), limit = luaL_checknumber(L, 5);
  double slackness = luaL_checknumber(L, 6), time = 0;
  bool hit = false;
  check_status(L, basin_contact_time(kind, start, end, separation, limit, slackness, &time, &hit));
  lua_pushnumber(L, time);
  lua_pushboolean(L, hit);
  return 2;
}

/* core.contact_meets(segment, triangle) -> boolean */
static int core_contact_meets(lua_State *L)
{
  const basin_l_array *segment = basin__array_to(L, 1), *triangle = basin__array_to(L, 2);
  luaL_argcheck(L, segment->count * segment->size == 6, 1, "a segment has 2 points");
  luaL_argcheck(L, triangle->count * triangle->size == 9, 2, "a triangle has 3 points");
  lua_pushboolean(L, basin_contact_segment_meets_triangle(segment->data, triangle->data));
  return 1;
}

static const luaL_Reg functions[] = {{"contact_distance", core_contact_distance},
                                     {"contact_time", core_contact_time},
                                     {"contact_meets", core_contact_meets},
                                     {NULL, NULL}};

void basin__open_contact_stencil(lua_State *L)
{
  basin__functions(L, functions);
}
