/* Gauss-Seidel sweeps over constraints from Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"

/* The numbers of the array in field `key` of the table at `table`; NULL if it is false or nil. The
 * table keeps the array alive. */
static double *numbers_in(lua_State *L, int table, const char *key, size_t count)
{
  if (lua_getfield(L, table, key) == LUA_TNIL || !lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  basin_l_array *array = basin__array_check(L, lua_gettop(L));
  if (array->count * array->size != count) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "sweep: '%s' has %zu numbers instead of %zu",
                 key,
                 array->count * array->size,
                 count);
  }
  lua_pop(L, 1);
  return array->data;
}

static basin_plan *plan_in(lua_State *L, int table, const char *key)
{
  lua_getfield(L, table, key);
  basin_plan *plan = basin__check_plan(L, lua_gettop(L));
  lua_pop(L, 1);
  return plan;
}

static lua_Integer integer_in(lua_State *L, int table, const char *key)
{
  lua_getfield(L, table, key);
  lua_Integer value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

/* From {name =, space =, rows = an instance, value = plan, jacobian = plan, compliance =, bias =,
 * multipliers =}, which is on top of the stack and is taken off. */
static basin_sweep_rows check_rows(lua_State *L, const basin_l_system *self)
{
  int table = lua_gettop(L);
  luaL_checktype(L, table, LUA_TTABLE);
  basin_plan *value = plan_in(L, table, "value"), *jacobian = plan_in(L, table, "jacobian");
  const basin_plan_info *info = basin_plan_get_info(jacobian);
  size_t size = (size_t)integer_in(L, table, "rows");
  basin_space_id space = (basin_space_id)integer_in(L, table, "space");
  size_t total = size * basin_system_space_count(self->system, space);
  lua_getfield(L, table, "name");
  basin_sweep_rows rows = {.name = luaL_checkstring(L, -1),
                           .space = space,
                           .value_plan = value,
                           .jacobian_plan = jacobian,
                           .value = basin_plan_kernel(value, BASIN_STAGE_COMPUTE),
                           .jacobian = basin_plan_kernel(jacobian, BASIN_STAGE_COMPUTE),
                           .expression_size = size,
                           .unknown_count = info->unknown_count,
                           .unknowns = info->unknowns,
                           .compliance = numbers_in(L, table, "compliance", total),
                           .bias = numbers_in(L, table, "bias", total),
                           .multipliers = numbers_in(L, table, "multipliers", total)};
  lua_settop(L, table - 1);
  if (!rows.multipliers)
    basin__throw(L, BASIN_ERROR_ARGUMENT, NULL, "sweep: 'multipliers' are missing");
  return rows;
}

static size_t count_unknowns(const basin_l_system *self, const basin_array_id *ids, size_t count)
{
  size_t total = 0;
  for (size_t k = 0; k < count; ++k) {
    basin_space_id space;
    unsigned rows, cols;
    basin_system_array_shape(self->system, ids[k], &space, &rows, &cols);
    total += basin_system_space_count(self->system, space) * rows * cols;
  }
  return total;
}

/* system:sweep({sets}, {arrays}, {inverse_mass =, from =}, sweeps): changes the arrays and, in
 * place, the multipliers of the sets. */
static int system_sweep(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  basin_sweep_description description = {.sweeps = basin__check_size(L, 5)};
  description.arrays = basin__check_ids(L, 3, &description.array_count);
  size_t total = count_unknowns(self, description.arrays, description.array_count);
  description.inverse_mass = numbers_in(L, 4, "inverse_mass", total);
  description.from = numbers_in(L, 4, "from", total);
  description.set_count = (size_t)luaL_len(L, 2);
  basin_sweep_rows *sets = lua_newuserdatauv(L, (description.set_count + 1) * sizeof *sets, 0);
  for (size_t k = 0; k < description.set_count; ++k) {
    lua_rawgeti(L, 2, (lua_Integer)k + 1);
    sets[k] = check_rows(L, self);
    if (sets[k].bias && !description.from)
      return basin__throw(L, BASIN_ERROR_ARGUMENT, NULL, "sweep: a bias needs 'from'");
  }
  if (!description.inverse_mass)
    return basin__throw(L, BASIN_ERROR_ARGUMENT, NULL, "sweep: 'inverse_mass' is missing");
  description.sets = sets;
  basin__check(L, self->context, basin_system_sweep(self->system, &description));
  return 0;
}

static const luaL_Reg sweep_methods[] = {{"sweep", system_sweep}, {NULL, NULL}};

void basin__open_sweep(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_SYSTEM);
  lua_getfield(L, -1, "methods");
  basin__functions(L, sweep_methods);
  lua_pop(L, 2);
}
