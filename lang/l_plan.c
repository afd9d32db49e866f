/* Plans in Lua: energies, computed expressions, Jacobians and mixed derivatives, and what they say.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"

#include <string.h>

/* User value 1 is the system that owns the plan. */
typedef struct plan_box {
  basin_plan *plan;
} plan_box;

static const char *const stage_words[] = {"compute", "value", "gradient", "hessian", NULL};

basin_plan *basin__check_plan(lua_State *L, int index)
{
  plan_box *box = basin__check_object(L, index, BASIN_CLASS_PLAN);
  lua_getiuservalue(L, index, 1);
  (void)basin__check_system(L, -1);
  lua_pop(L, 1);
  return box->plan;
}

/* Stores the plan with its system and pushes a handle; destroys it if memory is out. */
void basin__push_plan(lua_State *L, int owner, basin_plan *plan)
{
  basin_l_system *self = basin__check_system(L, owner);
  basin_status status = basin__grow(
      self->context, &self->plans, &self->plan_capacity, self->plan_count + 1, sizeof *self->plans);
  if (status != BASIN_OK) {
    basin_plan_destroy(plan);
    basin__raise(L, self->context);
  }
  self->plans[self->plan_count++] = plan;
  plan_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->plan = plan;
  luaL_setmetatable(L, BASIN_CLASS_PLAN);
  lua_pushvalue(L, owner);
  lua_setiuservalue(L, -2, 1);
}

static basin_expression check_expression(lua_State *L, int index)
{
  return (basin_expression)luaL_checkinteger(L, index);
}

static basin_unknowns check_unknowns(lua_State *L, int outputs, int constants, int block)
{
  basin_unknowns unknowns = {0};
  unknowns.outputs = basin__check_ids(L, outputs, &unknowns.output_count);
  unknowns.constants = basin__check_ids(L, constants, &unknowns.constant_count);
  unknowns.block = basin__check_unsigned(L, block);
  return unknowns;
}

/* system:plan_energy(expression, name, {outputs}, {constants}, block, project unknowns, hoisted
 * array or nil) */
static int system_plan_energy(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  lua_settop(L, 8);
  basin_energy_request request = {
      .expression = check_expression(L, 2),
      .name = luaL_checkstring(L, 3),
      .unknowns = check_unknowns(L, 4, 5, 6),
      .project_unknowns = lua_toboolean(L, 7),
      .hoist = !lua_isnil(L, 8),
      .hoisted_array = lua_isnil(L, 8) ? BASIN_NONE : (basin_array_id)luaL_checkinteger(L, 8),
  };
  basin_plan *plan = NULL;
  basin__check(L, self->context, basin_plan_energy(self->graph, &request, &plan));
  basin__push_plan(L, 1, plan);
  return 1;
}

/* system:plan_compute(expression, name) */
static int system_plan_compute(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_plan *plan = NULL;
  basin__check(
      L,
      self->context,
      basin_plan_compute(self->graph, check_expression(L, 2), luaL_checkstring(L, 3), &plan));
  basin__push_plan(L, 1, plan);
  return 1;
}

/* system:plan_jacobian(expression, name, {outputs}, {constants}, block) */
static int system_plan_jacobian(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_unknowns unknowns = check_unknowns(L, 4, 5, 6);
  basin_plan *plan = NULL;
  basin__check(L,
               self->context,
               basin_plan_jacobian(
                   self->graph, check_expression(L, 2), luaL_checkstring(L, 3), &unknowns, &plan));
  basin__push_plan(L, 1, plan);
  return 1;
}

/* system:plan_mixed(expression, name, {rows}, {columns}) */
static int system_plan_mixed(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  size_t rows, columns;
  const basin_array_id *row_ids = basin__check_ids(L, 4, &rows),
                       *column_ids = basin__check_ids(L, 5, &columns);
  basin_plan *plan = NULL;
  basin__check(L,
               self->context,
               basin_plan_mixed(self->graph,
                                check_expression(L, 2),
                                luaL_checkstring(L, 3),
                                row_ids,
                                rows,
                                column_ids,
                                columns,
                                &plan));
  basin__push_plan(L, 1, plan);
  return 1;
}

/* ---- what a plan says ---- */

static void push_accesses(lua_State *L, const basin_unknown_access *unknowns, size_t count)
{
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; ++i) {
    const basin_unknown_access *unknown = &unknowns[i];
    lua_createtable(L, 0, 6);
    lua_pushinteger(L, unknown->access.array);
    lua_setfield(L, -2, "array");
    lua_pushinteger(L, unknown->size);
    lua_setfield(L, -2, "size");
    lua_pushinteger(L, unknown->first);
    lua_setfield(L, -2, "first");
    lua_pushboolean(L, unknown->output);
    lua_setfield(L, -2, "output");
    lua_createtable(L, (int)unknown->access.step_count, 0);
    for (uint32_t s = 0; s < unknown->access.step_count; ++s) {
      lua_createtable(L, 0, 2);
      lua_pushinteger(L, unknown->access.steps[s].connectivity);
      lua_setfield(L, -2, "connectivity");
      lua_pushinteger(L, unknown->access.steps[s].slot);
      lua_setfield(L, -2, "slot");
      lua_rawseti(L, -2, (lua_Integer)s + 1);
    }
    lua_setfield(L, -2, "steps");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* plan:info() -> table of basin_plan_info */
static int plan_info(lua_State *L)
{
  const basin_plan_info *info = basin_plan_get_info(basin__check_plan(L, 1));
  lua_createtable(L, 0, 12);
  lua_pushinteger(L, info->space);
  lua_setfield(L, -2, "space");
  push_accesses(L, info->unknowns, info->unknown_count);
  lua_setfield(L, -2, "unknowns");
  push_accesses(L, info->columns, info->column_count);
  lua_setfield(L, -2, "columns");
  lua_pushinteger(L, info->inner_size);
  lua_setfield(L, -2, "inner_size");
  lua_pushboolean(L, info->constant_hessian);
  lua_setfield(L, -2, "constant_hessian");
  lua_pushboolean(L, info->affine);
  lua_setfield(L, -2, "affine");
  lua_pushboolean(L, info->uniform);
  lua_setfield(L, -2, "uniform");
  lua_pushboolean(L, info->convex_proven);
  lua_setfield(L, -2, "convex_proven");
  lua_pushinteger(L, info->hoisted_size);
  lua_setfield(L, -2, "hoisted_size");
  return 1;
}

/* plan:kernel(stage) -> {name, operations, output_size, local_size, inner_size, block}, or nil */
static int plan_kernel(lua_State *L)
{
  basin_plan *plan = basin__check_plan(L, 1);
  const basin_kernel_info *info =
      basin_plan_kernel(plan, (basin_stage)luaL_checkoption(L, 2, NULL, stage_words));
  if (!info) return 0;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, info->name);
  lua_setfield(L, -2, "name");
  lua_pushinteger(L, info->operations);
  lua_setfield(L, -2, "operations");
  lua_pushinteger(L, info->output_size);
  lua_setfield(L, -2, "output_size");
  lua_pushinteger(L, info->local_size);
  lua_setfield(L, -2, "local_size");
  lua_pushinteger(L, info->inner_size);
  lua_setfield(L, -2, "inner_size");
  lua_pushinteger(L, info->block);
  lua_setfield(L, -2, "block");
  return 1;
}

static int plan_explain(lua_State *L)
{
  lua_pushstring(L, basin_plan_explain(basin__check_plan(L, 1)));
  return 1;
}

static basin_l_system *system_of_plan(lua_State *L)
{
  lua_getiuservalue(L, 1, 1);
  return basin__check_system(L, -1);
}

/* plan:dump(stage of the pipeline) */
static int plan_dump(lua_State *L)
{
  basin_plan *plan = basin__check_plan(L, 1);
  const char *stage = luaL_checkstring(L, 2);
  basin_l_system *self = system_of_plan(L);
  const char *text = basin_plan_dump(plan, stage);
  if (!text) basin__raise(L, self->context);
  lua_pushstring(L, text);
  return 1;
}

/* What NVRTC says of a kernel on an architecture like "sm_90", which needs no device. */
static basin_status device_text(
    basin_l_system *self, const basin_plan *plan, basin_stage stage, const char *form, char **text)
{
  basin_backend *backend;
  BASIN_TRY(basin_backend_create(self->context, "nvrtc", self->precision, &backend));
  basin_status status = basin_backend_text(backend, plan, stage, form, text);
  basin_backend_destroy(backend);
  return status;
}

/* plan:text(stage, form): the emitted text of a kernel; form is "kernel", "llvm", "asm" or "cuda";
 * or an architecture: what the kernel takes there */
static int plan_text(lua_State *L)
{
  basin_plan *plan = basin__check_plan(L, 1);
  basin_stage stage = (basin_stage)luaL_checkoption(L, 2, NULL, stage_words);
  const char *form = luaL_checkstring(L, 3);
  basin_l_system *self = system_of_plan(L);
  basin_backend *backend;
  char *text = NULL;
  if (strncmp(form, "sm_", 3) == 0) {
    basin__check(L, self->context, device_text(self, plan, stage, form, &text));
  } else {
    basin__check(L, self->context, basin__system_backend(self, &backend));
    basin__check(L, self->context, basin_backend_text(backend, plan, stage, form, &text));
  }
  lua_pushstring(L, text);
  basin_text_free(self->context, text);
  return 1;
}

/* plan:hash(stage): compiles the kernel and returns its key, "" for the interpreter */
static int plan_hash(lua_State *L)
{
  basin_compile_request request = {.plan = basin__check_plan(L, 1),
                                   .stage = (basin_stage)luaL_checkoption(L, 2, NULL, stage_words)};
  basin_l_system *self = system_of_plan(L);
  basin_backend *backend;
  basin__check(L, self->context, basin__system_backend(self, &backend));
  basin__check(L, self->context, basin_backend_compile(backend, &request, 1));
  lua_pushstring(L, request.kernel.hash ? request.kernel.hash : "");
  return 1;
}

static const luaL_Reg plan_methods[] = {{"info", plan_info},
                                        {"kernel", plan_kernel},
                                        {"explain", plan_explain},
                                        {"dump", plan_dump},
                                        {"text", plan_text},
                                        {"hash", plan_hash},
                                        {NULL, NULL}};
static const luaL_Reg system_plan_methods[] = {{"plan_energy", system_plan_energy},
                                               {"plan_compute", system_plan_compute},
                                               {"plan_jacobian", system_plan_jacobian},
                                               {"plan_mixed", system_plan_mixed},
                                               {NULL, NULL}};

void basin__open_plan(lua_State *L)
{
  basin__class(L, BASIN_CLASS_PLAN, NULL, plan_methods, NULL, NULL);
  lua_pop(L, 1);
  luaL_getmetatable(L, BASIN_CLASS_SYSTEM);
  lua_getfield(L, -1, "methods");
  basin__functions(L, system_plan_methods);
  lua_pop(L, 2);
}
