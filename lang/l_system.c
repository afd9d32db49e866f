/* Scene data in Lua: spaces, connectivities, arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

basin_l_system *basin__check_system(lua_State *L, int index)
{
  return basin__check_object(L, index, BASIN_CLASS_SYSTEM);
}

/* core.system(context, device, precision, deterministic) */
static int core_system(lua_State *L)
{
  static const char *const precisions[] = {"double", "float", NULL};
  basin_context *context = basin__check_context(L, 1);
  const char *device = luaL_checkstring(L, 2);
  const char *precision = precisions[basin__check_word(L, 3, "precision", precisions)];
  basin_l_system *self = lua_newuserdatauv(L, sizeof *self, 1);
  memset(self, 0, sizeof *self);
  self->context = context;
  snprintf(self->device, sizeof self->device, "%s", device);
  snprintf(self->precision, sizeof self->precision, "%s", precision);
  luaL_setmetatable(L, BASIN_CLASS_SYSTEM);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  basin__check(L, context, basin_graph_create(context, &self->graph));
  basin__check(
      L, context, basin_system_create(context, basin__provide_kernels, self, &self->system));
  basin_system_set_deterministic(self->system, lua_isnoneornil(L, 4) || lua_toboolean(L, 4));
  basin__check(L, context, basin__system_open_device(self));
  return 1;
}

static int system_gc(lua_State *L)
{
  basin_l_system *self = luaL_checkudata(L, 1, BASIN_CLASS_SYSTEM);
  basin_system_destroy(self->system);
  for (size_t i = 0; i < self->plan_count; ++i) basin_plan_destroy(self->plans[i]);
  basin__free(self->context, self->plans, self->plan_capacity * sizeof *self->plans);
  basin_backend_destroy(self->backend);
  basin_graph_destroy(self->graph);
  memset(self, 0, sizeof *self);
  return 0;
}

/* ---- spaces ---- */

/* system:add_space(name, full name, parent or nil, shared, dynamic, count) -> id */
static int system_add_space(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_space_description description = {0};
  const char *name = luaL_checkstring(L, 2);
  description.name = luaL_checkstring(L, 3);
  description.parent = lua_isnil(L, 4) ? BASIN_NONE : (basin_space_id)luaL_checkinteger(L, 4);
  description.shared = lua_toboolean(L, 5);
  description.dynamic = lua_toboolean(L, 6);
  description.count = basin__check_size(L, 7);
  basin_space_id id;
  basin__check(L, self->context, basin_system_add_space(self->system, &description, &id));
  basin__check(
      L,
      self->context,
      basin_graph_declare_space(self->graph, id, description.parent, description.shared, name));
  lua_pushinteger(L, id);
  return 1;
}

uint32_t *basin__check_ids(lua_State *L, int index, size_t *count)
{
  index = lua_absindex(L, index);
  luaL_checktype(L, index, LUA_TTABLE);
  *count = lua_rawlen(L, index);
  uint32_t *ids = lua_newuserdatauv(L, *count * sizeof *ids + 4, 0);
  for (size_t i = 0; i < *count; ++i) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    ids[i] = (uint32_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return ids;
}

/* system:add_union(name, full name, parent, {members}) -> id */
static int system_add_union(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *name = luaL_checkstring(L, 2), *full = luaL_checkstring(L, 3);
  basin_space_id parent = (basin_space_id)luaL_checkinteger(L, 4), id;
  size_t count;
  const uint32_t *members = basin__check_ids(L, 5, &count);
  basin__check(
      L, self->context, basin_system_add_union(self->system, full, parent, members, count, &id));
  basin__check(L, self->context, basin_graph_declare_space(self->graph, id, parent, false, name));
  lua_pushinteger(L, id);
  return 1;
}

static int system_space_count(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  lua_pushinteger(
      L,
      (lua_Integer)basin_system_space_count(self->system, (basin_space_id)luaL_checkinteger(L, 2)));
  return 1;
}

static int system_resize(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_space_id id = (basin_space_id)luaL_checkinteger(L, 2);
  basin__check(L, self->context, basin_system_resize(self->system, id, basin__check_size(L, 3)));
  return 0;
}

/* ---- connectivities ---- */

/* system:add_connectivity(name, full name, from, to, arity) -> id */
static int system_add_connectivity(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *name = luaL_checkstring(L, 2), *full = luaL_checkstring(L, 3);
  basin_space_id from = (basin_space_id)luaL_checkinteger(L, 4),
                 to = (basin_space_id)luaL_checkinteger(L, 5);
  unsigned arity = basin__check_unsigned(L, 6);
  basin_connectivity_id id;
  basin__check(
      L, self->context, basin_system_add_connectivity(self->system, full, from, to, arity, &id));
  basin__check(
      L, self->context, basin_graph_declare_connectivity(self->graph, id, from, to, arity, name));
  lua_pushinteger(L, id);
  return 1;
}

/* system:set_connectivity(id, full name, array[, offsets array]) */
static int system_set_connectivity(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_connectivity_id id = (basin_connectivity_id)luaL_checkinteger(L, 2);
  const char *name = luaL_checkstring(L, 3);
  lua_settop(L, 5);
  const basin_l_array *array = basin__array_check(L, 4);
  const uint32_t *indices = basin__array_to_indices(L, array, name);
  size_t count = array->count * array->size;
  if (lua_isnoneornil(L, 5)) {
    basin__check(L, self->context, basin_system_set_connectivity(self->system, id, indices, count));
    return 0;
  }
  const basin_l_array *starts = basin__array_check(L, 5);
  const char *starts_name = lua_pushfstring(L, "%s: offsets", name);
  const uint32_t *offsets = basin__array_to_indices(L, starts, starts_name);
  basin__check(L,
               self->context,
               basin_system_set_connectivity_rows(
                   self->system, id, offsets, starts->count * starts->size, indices, count));
  return 0;
}

/* system:connectivity(id, arity, from space) -> indices[, offsets] */
static int system_connectivity(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_connectivity_id id = (basin_connectivity_id)luaL_checkinteger(L, 2);
  size_t arity = basin__check_size(L, 3), count = 0;
  const uint32_t *offsets = NULL;
  const uint32_t *indices = basin_system_connectivity(self->system, id, &count, &offsets);
  if (arity > 0) {
    basin__array_indices(L, count / arity, arity, indices);
    return 1;
  }
  basin__array_indices(L, count, 1, indices);
  if (!offsets) return 1;
  size_t from = basin_system_space_count(self->system, (basin_space_id)luaL_checkinteger(L, 4));
  basin__array_indices(L, from + 1, 1, offsets);
  return 2;
}

/* ---- arrays ---- */

static basin_array_role check_role(lua_State *L, int index)
{
  return lua_toboolean(L, index) ? BASIN_ARRAY_DATA : BASIN_ARRAY_CONSTANT;
}

static int declare(
    lua_State *L, basin_l_system *self, basin_array_id id, basin_array_role role, const char *name)
{
  basin_space_id space;
  unsigned rows, cols;
  basin_system_array_shape(self->system, id, &space, &rows, &cols);
  basin__check(
      L, self->context, basin_graph_declare_array(self->graph, id, space, rows, cols, role, name));
  lua_pushinteger(L, id);
  return 1;
}

/* system:add_array(name, full name, space, rows, cols, data) -> id; data false: a constant */
static int system_add_array(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *name = luaL_checkstring(L, 2), *full = luaL_checkstring(L, 3);
  basin_space_id space = (basin_space_id)luaL_checkinteger(L, 4);
  basin_array_id id = BASIN_NONE;
  basin__check(L,
               self->context,
               basin_system_add_array(self->system,
                                      full,
                                      space,
                                      basin__check_unsigned(L, 5),
                                      basin__check_unsigned(L, 6),
                                      &id));
  return declare(L, self, id, check_role(L, 7), name);
}

/* system:add_union_array(name, full name, space, {arrays}, data) -> id */
static int system_add_union_array(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *name = luaL_checkstring(L, 2), *full = luaL_checkstring(L, 3);
  basin_space_id space = (basin_space_id)luaL_checkinteger(L, 4);
  basin_array_role role = check_role(L, 6);
  size_t count;
  const uint32_t *members = basin__check_ids(L, 5, &count);
  basin_array_id id = BASIN_NONE;
  basin__check(L,
               self->context,
               basin_system_add_union_array(self->system, full, space, members, count, &id));
  return declare(L, self, id, role, name);
}

/* system:add_reduction(name, full name, connectivity, source, mean, data) -> id */
static int system_add_reduction(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const char *name = luaL_checkstring(L, 2), *full = luaL_checkstring(L, 3);
  basin_connectivity_id connectivity = (basin_connectivity_id)luaL_checkinteger(L, 4);
  basin_array_id source = (basin_array_id)luaL_checkinteger(L, 5), id = BASIN_NONE;
  basin__check(L,
               self->context,
               basin_system_add_reduction(
                   self->system, full, connectivity, source, lua_toboolean(L, 6), &id));
  return declare(L, self, id, check_role(L, 7), name);
}

/* system:reserve() -> id, for the hoisted array of an energy plan */
static int system_reserve(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id;
  basin__check(L, self->context, basin_system_reserve_array(self->system, &id));
  lua_pushinteger(L, id);
  return 1;
}

/* system:add_computed(full name, space, rows, cols, plan[, reserved id]) -> id */
static int system_add_computed(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_plan *plan = basin__check_plan(L, 6);
  basin_computed_description description = {
      .name = luaL_checkstring(L, 2),
      .space = (basin_space_id)luaL_checkinteger(L, 3),
      .rows = basin__check_unsigned(L, 4),
      .cols = basin__check_unsigned(L, 5),
      .plan = plan,
      .info = basin_plan_kernel(plan, BASIN_STAGE_COMPUTE),
  };
  basin_array_id id = lua_isnoneornil(L, 7) ? BASIN_NONE : (basin_array_id)luaL_checkinteger(L, 7);
  basin__check(L, self->context, basin_system_add_computed(self->system, &description, &id));
  lua_pushinteger(L, id);
  return 1;
}

/* system:declare_computed(name, id, data): makes a computed array readable in expressions. */
static int system_declare_computed(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  return declare(
      L, self, (basin_array_id)luaL_checkinteger(L, 3), check_role(L, 4), luaL_checkstring(L, 2));
}

/* system:set_map(array, jacobian plan[, curvature plan, weight array]) */
static int system_set_map(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id array = (basin_array_id)luaL_checkinteger(L, 2);
  basin_plan *plan = basin__check_plan(L, 3);
  const basin_plan_info *info = basin_plan_get_info(plan);
  basin_map_description map = {
      .plan = plan,
      .info = basin_plan_kernel(plan, BASIN_STAGE_COMPUTE),
      .unknown_count = info->unknown_count,
      .unknowns = info->unknowns,
      .affine = info->affine,
      .uniform = info->uniform,
      .curvature_weight = BASIN_NONE,
  };
  if (!lua_isnoneornil(L, 4)) {
    basin_plan *curvature = basin__check_plan(L, 4);
    map.curvature_plan = curvature;
    map.curvature_hessian = basin_plan_kernel(curvature, BASIN_STAGE_HESSIAN);
    map.curvature_weight = (basin_array_id)luaL_checkinteger(L, 5);
  }
  basin__check(L, self->context, basin_system_set_map(self->system, array, &map));
  return 0;
}

/* ---- values ---- */

/* system:set(id, array): all instances, or with one instance's numbers and fill = true the same for
 * all. */
static int system_set(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id = (basin_array_id)luaL_checkinteger(L, 2);
  const basin_l_array *value = basin__array_check(L, 3);
  size_t count = value->count * value->size;
  basin_status status = lua_toboolean(L, 4)
                            ? basin_system_fill_array(self->system, id, value->data, count)
                            : basin_system_set_array(self->system, id, value->data, count);
  basin__check(L, self->context, status);
  return 0;
}

/* system:keep(id): of a stored array; its values can be put back */
static int system_keep(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id = (basin_array_id)luaL_checkinteger(L, 2);
  basin__check(L, self->context, basin_system_keep_array(self->system, id));
  return 0;
}

/* system:restore(id): the values that were kept */
static int system_restore(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id = (basin_array_id)luaL_checkinteger(L, 2);
  basin__check(L, self->context, basin_system_restore_array(self->system, id));
  return 0;
}

/* system:get(id) -> array, computed first if it is stale */
static int system_get(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_array_id id = (basin_array_id)luaL_checkinteger(L, 2);
  basin_span view = {0};
  basin__check(L, self->context, basin_system_array(self->system, id, &view));
  basin_space_id space;
  unsigned rows, cols;
  basin_system_array_shape(self->system, id, &space, &rows, &cols);
  basin_l_array *array = basin__array_new(L, view.count, rows, cols);
  for (size_t i = 0; i < view.count; ++i) {
    memcpy(
        array->data + i * array->size, view.data + i * view.stride, array->size * sizeof(double));
  }
  return 1;
}

/* system:shape(id) -> instances, rows, cols */
static int system_shape(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_space_id space;
  unsigned rows, cols;
  basin_system_array_shape(
      self->system, (basin_array_id)luaL_checkinteger(L, 2), &space, &rows, &cols);
  lua_pushinteger(L, (lua_Integer)basin_system_space_count(self->system, space));
  lua_pushinteger(L, rows);
  lua_pushinteger(L, cols);
  return 3;
}

static int system_version(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  lua_pushinteger(L,
                  (lua_Integer)basin_system_array_version(self->system,
                                                          (basin_array_id)luaL_checkinteger(L, 2)));
  return 1;
}

/* ---- the back end ---- */

static int system_describe(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_backend *backend = NULL;
  basin__check(L, self->context, basin__system_backend(self, &backend));
  char device[16];
  basin_device_info info;
  basin_system_device(self->system, device);
  if (strcmp(device, "cpu") == 0) {
    lua_pushstring(L, basin_backend_describe(backend));
    return 1;
  }
  int ordinal = atoi(device + sizeof "cuda:" - 1);
  basin__check(L, self->context, basin_device_get_info(self->context, ordinal, &info));
  lua_pushfstring(L,
                  "%s: %s, %s%s",
                  device,
                  info.name,
                  basin_backend_describe(backend),
                  basin_system_is_deterministic(self->system) ? "" : ", sums in any order");
  return 1;
}

/* system:statistics() -> compiled, from disk, from memory, seconds */
static int system_statistics(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_backend_statistics statistics = {0};
  if (self->backend) statistics = basin_backend_get_statistics(self->backend);
  lua_pushinteger(L, (lua_Integer)statistics.compiled);
  lua_pushinteger(L, (lua_Integer)statistics.from_disk);
  lua_pushinteger(L, (lua_Integer)statistics.from_memory);
  lua_pushnumber(L, statistics.seconds);
  return 4;
}

/* system:transfers() -> {launches=, graph_launches=, uploads=, uploaded_bytes=, downloads=,
 * downloaded_bytes=} */
static int system_transfers(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_transfers transfers = basin_system_transfers(self->system);
  const struct {
    const char *name;
    size_t value;
  } counts[] = {{"launches", transfers.launches},
                {"graph_launches", transfers.graph_launches},
                {"uploads", transfers.uploads},
                {"uploaded_bytes", transfers.uploaded_bytes},
                {"downloads", transfers.downloads},
                {"downloaded_bytes", transfers.downloaded_bytes}};
  lua_createtable(L, 0, BASIN_COUNT(counts));
  for (size_t i = 0; i < BASIN_COUNT(counts); ++i) {
    lua_pushinteger(L, (lua_Integer)counts[i].value);
    lua_setfield(L, -2, counts[i].name);
  }
  return 1;
}

/* system:multiply(matrix, matrix) -> matrix, on the system's device */
static int system_multiply(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  const basin_csr *a = basin__matrix_check(L, 2)->matrix, *b = basin__matrix_check(L, 3)->matrix;
  lua_getiuservalue(L, 1, 1);
  basin_l_matrix *box = basin__matrix_new(L, lua_gettop(L));
  basin__check(L, self->context, basin_system_multiply(self->system, a, b, &box->matrix));
  return 1;
}

static int system_context(lua_State *L)
{
  basin__check_system(L, 1);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static const luaL_Reg system_meta[] = {{"__gc", system_gc}, {NULL, NULL}};
static const luaL_Reg system_methods[] = {{"add_space", system_add_space},
                                          {"add_union", system_add_union},
                                          {"space_count", system_space_count},
                                          {"resize", system_resize},
                                          {"add_connectivity", system_add_connectivity},
                                          {"set_connectivity", system_set_connectivity},
                                          {"connectivity", system_connectivity},
                                          {"add_array", system_add_array},
                                          {"add_union_array", system_add_union_array},
                                          {"add_reduction", system_add_reduction},
                                          {"reserve", system_reserve},
                                          {"add_computed", system_add_computed},
                                          {"declare_computed", system_declare_computed},
                                          {"set_map", system_set_map},
                                          {"set", system_set},
                                          {"get", system_get},
                                          {"keep", system_keep},
                                          {"restore", system_restore},
                                          {"shape", system_shape},
                                          {"version", system_version},
                                          {"describe", system_describe},
                                          {"statistics", system_statistics},
                                          {"transfers", system_transfers},
                                          {"multiply", system_multiply},
                                          {"context", system_context},
                                          {NULL, NULL}};
static const luaL_Reg system_functions[] = {{"system", core_system}, {NULL, NULL}};

void basin__open_system(lua_State *L)
{
  basin__class(L, BASIN_CLASS_SYSTEM, system_meta, system_methods, NULL, NULL);
  lua_pop(L, 1);
  basin__functions(L, system_functions);
}
