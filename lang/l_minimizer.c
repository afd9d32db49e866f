/* Minimizers in Lua: terms, energy, gradient, Hessian and one linear solve.
 * SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"
#include "system.h"

#include "base/base.h"

#include <string.h>

static const char *const projection_words[] = {"none", "clamp", "abs", "adaptive", NULL};
static const char *const solver_words[] = {"auto", "direct", "pcg", "minres", NULL};
static const char *const preconditioner_words[] = {"auto", "block_jacobi", "schwarz", NULL};

basin_l_minimizer *basin__check_minimizer(lua_State *L, int index)
{
  return basin__check_object(L, index, BASIN_CLASS_MINIMIZER);
}

static basin_l_system *system_of(lua_State *L, int index)
{
  lua_getiuservalue(L, index, 1);
  return basin__check_system(L, -1);
}

/* system:minimizer({targets}, block) */
static int system_minimizer(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  size_t count;
  const uint32_t *targets = basin__check_ids(L, 2, &count);
  unsigned block = basin__check_unsigned(L, 3);
  basin_l_minimizer *box = lua_newuserdatauv(L, sizeof *box, 2);
  memset(box, 0, sizeof *box);
  box->context = self->context;
  luaL_setmetatable(L, BASIN_CLASS_MINIMIZER);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 2);
  basin__check(L,
               self->context,
               basin_minimizer_create(self->system, targets, count, block, &box->minimizer));
  return 1;
}

static int minimizer_gc(lua_State *L)
{
  basin_l_minimizer *box = luaL_checkudata(L, 1, BASIN_CLASS_MINIMIZER);
  basin_minimizer_destroy(box->minimizer);
  box->minimizer = NULL;
  return 0;
}

/* minimizer:add_term(plan, name, projection, dynamic, script or nil, line) -> id */
static int minimizer_add_term(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_plan *plan = basin__check_plan(L, 2);
  const basin_plan_info *info = basin_plan_get_info(plan);
  basin_term_description description = {
      .name = luaL_checkstring(L, 3),
      .script = lua_tostring(L, 6),
      .line = (int)luaL_optinteger(L, 7, 0),
      .space = info->space,
      .plan = plan,
      .value = basin_plan_kernel(plan, BASIN_STAGE_VALUE),
      .gradient = basin_plan_kernel(plan, BASIN_STAGE_GRADIENT),
      .hessian = basin_plan_kernel(plan, BASIN_STAGE_HESSIAN),
      .unknown_count = info->unknown_count,
      .unknowns = info->unknowns,
      .constant_hessian = info->constant_hessian,
      .hessian_array_count = info->hessian_array_count,
      .hessian_arrays = info->hessian_arrays,
      .projection = (basin_projection)basin__check_word(L, 4, "projection", projection_words),
      .dynamic = lua_toboolean(L, 5),
  };
  basin_term_id id;
  basin__check(L, box->context, basin_minimizer_add_term(box->minimizer, &description, &id));
  lua_pushinteger(L, id);
  return 1;
}

/* minimizer:enable(term, boolean) */
static int minimizer_enable(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin__check(L,
               box->context,
               basin_minimizer_enable(
                   box->minimizer, (basin_term_id)luaL_checkinteger(L, 2), lua_toboolean(L, 3)));
  return 0;
}

/* minimizer:hold(target from 1, numbers of the held entries: all that are) */
static int minimizer_hold(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  size_t number = basin__check_size(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  size_t count = lua_rawlen(L, 3);
  luaL_argcheck(L, number > 0, 2, "targets count from 1");
  size_t *entries = lua_newuserdatauv(L, (count + 1) * sizeof *entries, 0);
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 3, (lua_Integer)i + 1);
    entries[i] = basin__check_size(L, -1);
    lua_pop(L, 1);
  }
  basin__check(L, box->context, basin_minimizer_hold(box->minimizer, number - 1, entries, count));
  return 0;
}

static int minimizer_nodes(lua_State *L)
{
  lua_pushinteger(L,
                  (lua_Integer)basin_minimizer_node_count(basin__check_minimizer(L, 1)->minimizer));
  return 1;
}

/* minimizer:energy(term count) -> total, {one number a term} */
static int minimizer_energy(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  size_t terms = basin__check_size(L, 2);
  double total = 0, *parts = lua_newuserdatauv(L, (terms + 1) * sizeof *parts, 0);
  memset(parts, 0, (terms + 1) * sizeof *parts);
  basin__check(L, box->context, basin_minimizer_energy(box->minimizer, &total, parts));
  lua_pushnumber(L, total);
  lua_createtable(L, (int)terms, 0);
  for (size_t i = 0; i < terms; ++i) {
    lua_pushnumber(L, parts[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 2;
}

/* minimizer:assemble(with Hessian, projection: "adaptive" keeps each term's own[, whole: also what
 * is held]) */
static int minimizer_assemble(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  bool hessian = lua_toboolean(L, 2);
  int mode = basin__check_word(L, 3, "projection", projection_words);
  basin_status (*assemble)(basin_minimizer *, bool, basin_projection) =
      lua_toboolean(L, 4) ? basin_minimizer_assemble_whole : basin_minimizer_assemble;
  basin__check(L, box->context, assemble(box->minimizer, hessian, (basin_projection)mode));
  return 0;
}

/* Pushes a list with one array a target, in the targets' own shapes. */
static void push_targets(lua_State *L, basin_l_minimizer *box, const double *vector)
{
  basin_l_system *self = system_of(L, 1);
  lua_getiuservalue(L, 1, 2);
  int targets = lua_gettop(L);
  size_t count = lua_rawlen(L, targets);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, targets, (lua_Integer)i + 1);
    basin_array_id id = (basin_array_id)lua_tointeger(L, -1);
    lua_pop(L, 1);
    basin_space_id space;
    unsigned rows, cols;
    basin_system_array_shape(self->system, id, &space, &rows, &cols);
    basin_l_array *array =
        basin__array_new(L, basin_system_space_count(self->system, space), rows, cols);
    basin_minimizer_to_array(box->minimizer, i, vector, array->data);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_remove(L, targets);
  lua_remove(L, targets - 1);
}

/* minimizer:gradient() -> list of arrays */
static int minimizer_gradient(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  size_t count = 0;
  const double *gradient = basin_minimizer_gradient(box->minimizer, &count);
  if (!gradient) return basin__throw(L, BASIN_ERROR_STATE, NULL, "no gradient was assembled yet");
  push_targets(L, box, gradient);
  return 1;
}

/* minimizer:direction(handle given to a step filter) -> list of arrays */
static int minimizer_direction(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  luaL_checktype(L, 2, LUA_TLIGHTUSERDATA);
  const double *vector;
  basin__check(
      L, box->context, basin_minimizer_vector(box->minimizer, lua_touserdata(L, 2), &vector));
  push_targets(L, box, vector);
  return 1;
}

/* minimizer:matrix() -> the last Hessian, rows in the order of the targets' nodes */
static int minimizer_matrix(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  const basin_bsr *matrix = basin_minimizer_matrix(box->minimizer);
  if (!matrix) return basin__throw(L, BASIN_ERROR_STATE, NULL, "no Hessian was assembled yet");
  basin_l_matrix *result = basin__matrix_new(L, 0);
  basin__check(L, box->context, basin_csr_create_bsr(matrix, BASIN_TRIANGLE_FULL, &result->matrix));
  return 1;
}

/* minimizer:order() -> for each entry of the targets, target after target in their own orders, its
 * row in the matrix, counted from 0; nothing where that is the same order */
static int minimizer_order(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  size_t total = 0;
  if (!basin_minimizer_gradient(box->minimizer, &total)) return 0;
  double *numbers = lua_newuserdatauv(L, (total + 1) * sizeof *numbers, 0);
  for (size_t i = 0; i < total; ++i) numbers[i] = (double)i;
  push_targets(L, box, numbers);
  basin_l_array *order = basin__array_new(L, total, 1, 1);
  size_t count = lua_rawlen(L, -2), at = 0;
  bool same = true;
  for (size_t k = 0; k < count; ++k) {
    lua_rawgeti(L, -2, (lua_Integer)k + 1);
    const basin_l_array *part = basin__array_check(L, -1);
    for (size_t i = 0; i < part->count * part->size && at < total; ++i) {
      same = same && part->data[i] == (double)at;
      order->data[at++] = part->data[i];
    }
    lua_pop(L, 1);
  }
  return same ? 0 : 1;
}

basin_solve_options basin__check_solve_options(lua_State *L, int table)
{
  basin_solve_options options = basin_solve_options_defaults();
  if (!lua_istable(L, table)) return options;
  if (lua_getfield(L, table, "solver") != LUA_TNIL) {
    options.kind = (basin_solver_kind)basin__check_word(L, lua_gettop(L), "solver", solver_words);
  }
  lua_pop(L, 1);
  options.tolerance = basin__opt_number_field(L, table, "tolerance", options.tolerance);
  options.max_iterations =
      (unsigned)basin__opt_size_field(L, table, "max_iterations", options.max_iterations);
  options.warm_start = basin__opt_boolean_field(L, table, "warm_start", options.warm_start);
  if (lua_getfield(L, table, "preconditioner") != LUA_TNIL) {
    options.preconditioner = (basin_preconditioner_kind)basin__check_word(
        L, lua_gettop(L), "preconditioner", preconditioner_words);
  }
  lua_pop(L, 1);
  options.single_precision =
      basin__opt_boolean_field(L, table, "single_precision", options.single_precision);
  return options;
}

static void push_solve_report(lua_State *L, const basin_solve_report *report)
{
  lua_createtable(L, 0, 8);
  lua_pushstring(
      L, (unsigned)report->kind < BASIN_COUNT(solver_words) - 1 ? solver_words[report->kind] : "?");
  lua_setfield(L, -2, "solver");
  lua_pushstring(L, basin_linear_status_text(report->status));
  lua_setfield(L, -2, "status");
  lua_pushboolean(L, basin_linear_status_good(report->status));
  lua_setfield(L, -2, "converged");
  lua_pushinteger(L, report->iterations);
  lua_setfield(L, -2, "iterations");
  lua_pushinteger(L, report->factorizations);
  lua_setfield(L, -2, "factorizations");
  lua_pushinteger(L, report->symbolic_factorizations);
  lua_setfield(L, -2, "symbolic_factorizations");
  lua_pushnumber(L, report->residual);
  lua_setfield(L, -2, "residual");
}

double *basin__check_vector(lua_State *L, basin_l_minimizer *box, int list)
{
  size_t total = 0;
  basin_minimizer_gradient(box->minimizer, &total);
  double *vector = lua_newuserdatauv(L, (total + 1) * sizeof *vector, 0);
  memset(vector, 0, (total + 1) * sizeof *vector);
  basin_l_system *self = system_of(L, 1);
  lua_getiuservalue(L, 1, 2);
  int targets = lua_gettop(L);
  size_t count = lua_rawlen(L, targets);
  if (lua_rawlen(L, list) != count) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "the right-hand side needs one array a target: %zu, got %zu",
                 count,
                 (size_t)lua_rawlen(L, list));
  }
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, targets, (lua_Integer)i + 1);
    basin_space_id space;
    unsigned rows, cols;
    basin_system_array_shape(
        self->system, (basin_array_id)lua_tointeger(L, -1), &space, &rows, &cols);
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    const basin_l_array *array = basin__array_check(L, -1);
    size_t expected = basin_system_space_count(self->system, space) * rows * cols;
    if (array->count * array->size != expected) {
      basin__throw(L,
                   BASIN_ERROR_LENGTH,
                   NULL,
                   "right-hand side %zu has %zu numbers instead of %zu",
                   i + 1,
                   array->count * array->size,
                   expected);
    }
    basin_minimizer_from_array(box->minimizer, i, array->data, vector);
    lua_pop(L, 2);
  }
  lua_pop(L, 2);
  return vector;
}

/* minimizer:solve(options or nil[, right-hand side: list of arrays]) -> list of directions, report
 */
static int minimizer_solve(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  lua_settop(L, 3);
  basin_solve_options options = basin__check_solve_options(L, 2);
  const double *right = lua_istable(L, 3) ? basin__check_vector(L, box, 3) : NULL,
               *direction = NULL;
  basin_solve_report report = {.size = sizeof report};
  basin__check(
      L, box->context, basin_minimizer_solve(box->minimizer, &options, right, &direction, &report));
  push_targets(L, box, direction);
  push_solve_report(L, &report);
  return 2;
}

/* ---- timing ---- */

static const char *const stage_words[] = {"value", "gradient", "hessian", NULL};
static const char *const form_words[] = {"cache", "stored", "assembled", NULL};

static basin_benchmark_options check_benchmark(lua_State *L, int table)
{
  basin_benchmark_options options = basin_benchmark_defaults();
  luaL_checktype(L, table, LUA_TTABLE);
  lua_getfield(L, table, "stage");
  options.stage =
      (basin_stage)(BASIN_STAGE_VALUE + basin__check_word(L, lua_gettop(L), "stage", stage_words));
  if (lua_getfield(L, table, "projection") != LUA_TNIL)
    options.projection =
        (basin_projection)basin__check_word(L, lua_gettop(L), "projection", projection_words);
  lua_pop(L, 2);
  if (lua_getfield(L, table, "form") != LUA_TNIL)
    options.form = (basin_benchmark_form)basin__check_word(L, lua_gettop(L), "form", form_words);
  lua_pop(L, 1);
  options.repeats = (unsigned)basin__opt_size_field(L, table, "repeats", options.repeats);
  return options;
}

/* minimizer:benchmark(term, {stage=, projection=, form=, repeats=}) -> report */
static int minimizer_benchmark(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_term_id term = (basin_term_id)luaL_checkinteger(L, 2);
  basin_benchmark_options options = check_benchmark(L, 3);
  basin_benchmark_report report;
  basin__check(L, box->context, basin_minimizer_benchmark(box->minimizer, term, &options, &report));
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"elements", (double)report.elements},
                 {"seconds", report.seconds},
                 {"best_seconds", report.best_seconds},
                 {"processor_seconds", report.processor_seconds},
                 {"energy", report.energy},
                 {"operations", report.operations},
                 {"stored_bytes", (double)report.stored_bytes}};
  lua_createtable(L, 0, BASIN_COUNT(numbers));
  for (size_t i = 0; i < BASIN_COUNT(numbers); ++i) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  return 1;
}

/* minimizer:machine() -> {workers=, flops=, bandwidth=}, a second, of all workers together */
static int minimizer_machine(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_machine machine;
  basin__check(L, box->context, basin_machine_measure(box->context, &machine));
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, machine.workers);
  lua_setfield(L, -2, "workers");
  lua_pushnumber(L, machine.flops);
  lua_setfield(L, -2, "flops");
  lua_pushnumber(L, machine.bandwidth);
  lua_setfield(L, -2, "bandwidth");
  return 1;
}

static const luaL_Reg minimizer_meta[] = {{"__gc", minimizer_gc}, {NULL, NULL}};
static const luaL_Reg minimizer_methods[] = {{"add_term", minimizer_add_term},
                                             {"enable", minimizer_enable},
                                             {"hold", minimizer_hold},
                                             {"node_count", minimizer_nodes},
                                             {"energy", minimizer_energy},
                                             {"assemble", minimizer_assemble},
                                             {"gradient", minimizer_gradient},
                                             {"direction", minimizer_direction},
                                             {"matrix", minimizer_matrix},
                                             {"order", minimizer_order},
                                             {"solve", minimizer_solve},
                                             {"benchmark", minimizer_benchmark},
                                             {"machine", minimizer_machine},
                                             {NULL, NULL}};
static const luaL_Reg system_minimizer_methods[] = {{"minimizer", system_minimizer}, {NULL, NULL}};

void basin__open_minimizer(lua_State *L)
{
  basin__class(L, BASIN_CLASS_MINIMIZER, minimizer_meta, minimizer_methods, NULL, NULL);
  lua_pop(L, 1);
  luaL_getmetatable(L, BASIN_CLASS_SYSTEM);
  lua_getfield(L, -1, "methods");
  basin__functions(L, system_minimizer_methods);
  lua_pop(L, 2);
}
