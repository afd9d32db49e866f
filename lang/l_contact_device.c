/* Contact detectors of scenes on a CUDA device in Lua: positions are arrays of the scene, and pairs
 * stay on the device. SPDX-License-Identifier: Apache-2.0 */
#include "contact.h"
#include "system.h"

#include <string.h>

/* contact:attach(system) -> whether the system, and from now on the detector, is on a device */
static int contact_attach(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  basin_l_system *self = basin__check_system(L, 2);
  char name[16];
  basin_system_device(self->system, name);
  if (strncmp(name, "cuda", 4) != 0) {
    lua_pushboolean(L, 0);
    return 1;
  }
  basin_device_contact_destroy(box->device);
  box->device = NULL;
  basin__check(
      L, box->context, basin_device_contact_create(box->contact, self->system, &box->device));
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 1, 2);
  lua_pushboolean(L, 1);
  return 1;
}

static basin_l_contact *check_attached(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  luaL_argcheck(L, box->device != NULL, 1, "the detector is not on a device");
  return box;
}

/* contact:remember(array id): the positions that slip is counted from */
static int contact_remember(lua_State *L)
{
  basin_l_contact *box = check_attached(L);
  const basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 2);
  basin__check(L, box->context, basin_device_contact_remember(box->device, positions));
  return 0;
}

/* contact:filter_step(minimizer, array id, direction, limit, slackness) -> the largest step along
 * the direction of a running solve */
static int contact_filter_step(lua_State *L)
{
  basin_l_contact *box = check_attached(L);
  basin_l_minimizer *minimizer = basin__check_minimizer(L, 2);
  const basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 3);
  luaL_argcheck(L, lua_islightuserdata(L, 4), 4, "not the direction of a running solve");
  const double *direction = lua_touserdata(L, 4);
  const double limit = luaL_checknumber(L, 5), slackness = luaL_checknumber(L, 6);
  double *motion, step = 0;
  basin__check(L, box->context, basin_device_contact_motion(box->device, &motion));
  basin__check(
      L, box->context, basin_filter_motion(minimizer->minimizer, positions, direction, motion));
  basin__check(
      L,
      box->context,
      basin_device_contact_largest_step(box->device, positions, limit, slackness, &step, NULL));
  lua_pushnumber(L, step);
  return 1;
}

/* ---- pair primitives ---- */

/* As contact:fill on the CPU. */
int basin__contact_fill_on_device(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  const basin_contact_kind kind = basin__check_contact_kind(L, 2);
  basin_l_system *self = basin__check_system(L, 3);
  luaL_checktype(L, 6, LUA_TTABLE);
  luaL_checktype(L, 7, LUA_TTABLE);
  size_t count;
  const basin_contact_target target = {
      .size = sizeof target,
      .space = (basin_space_id)luaL_checkinteger(L, 4),
      .connectivity = (basin_connectivity_id)luaL_checkinteger(L, 5),
      .multiplicity = basin__contact_id_field(L, 6, "multiplicity", self, 1),
      .weight = basin__contact_id_field(L, 6, "weight", self, 1),
      .separation = basin__contact_id_field(L, 6, "separation", self, 1),
      .threshold = basin__contact_id_field(L, 6, "threshold", self, 1),
      .plane = basin__contact_id_field(L, 6, "plane", self, 4),
      .weight_table = basin__contact_table_field(L, 7, "weight", box->body_count)};
  basin__check(L, box->context, basin_device_contact_fill(box->device, kind, &target, &count));
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}

/* As contact:fill_friction on the CPU, but the positions are an array id, and slip is counted from
 * the positions remembered last. */
int basin__contact_fill_friction_on_device(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  basin_l_system *self = basin__check_system(L, 2);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 8, LUA_TTABLE);
  const basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 6);
  size_t count;
  const basin_contact_friction_target target = {
      .size = sizeof target,
      .space = (basin_space_id)luaL_checkinteger(L, 3),
      .connectivity = (basin_connectivity_id)luaL_checkinteger(L, 4),
      .coefficients = basin__contact_id_field(L, 5, "coefficients", self, 4),
      .tangents = basin__contact_id_field(L, 5, "tangents", self, 6),
      .start = basin__contact_id_field(L, 5, "start", self, 2),
      .weight = basin__contact_id_field(L, 5, "weight", self, 1),
      .squared_distance = basin__contact_id_field(L, 5, "squared_distance", self, 1),
      .separation = basin__contact_id_field(L, 5, "separation", self, 1),
      .fixed = basin__contact_id_field(L, 5, "fixed", self, 1),
      .moving = basin__contact_id_field(L, 5, "moving", self, 1),
      .weight_table = basin__contact_table_field(L, 8, "weight", box->body_count),
      .fixed_table = basin__contact_table_field(L, 8, "fixed", box->body_count),
      .moving_table = basin__contact_table_field(L, 8, "moving", box->body_count)};
  basin__check(
      L, box->context, basin_device_contact_fill_friction(box->device, positions, &target, &count));
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}

static const luaL_Reg methods[] = {{"attach", contact_attach},
                                   {"remember", contact_remember},
                                   {"filter_step", contact_filter_step},
                                   {NULL, NULL}};

void basin__open_contact_device(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_CONTACT);
  lua_getfield(L, -1, "methods");
  basin__functions(L, methods);
  lua_pop(L, 2);
}
