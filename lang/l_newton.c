/* Newton's method, first-order minimizers and step filters from Lua: callbacks run protected, their
 * errors are raised afterwards. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"
#include "system.h"

#include "base/base.h"

#include <string.h>

/* One minimization: where the callbacks find their functions, and the first error one of them
 * raised. */
typedef struct newton_call {
  lua_State *L;
  basin_context *context;
  int minimizer, filter, refresh, monitor, error; /* stack positions; error: 0 until there is one */
} newton_call;

static const char *const rule_words[] = {"step", "gradient", "decrement", NULL};

/* Calls the function below its arguments; on error keeps the error value in the slot `error`. */
static bool protected_call(newton_call *call, int arguments, int results)
{
  if (lua_pcall(call->L, arguments, results, 0) == LUA_OK) return true;
  lua_replace(call->L, call->error);
  return false;
}

static bool has_error(const newton_call *call)
{
  return !lua_isnil(call->L, call->error);
}

/* Pushes the text of an error value, whose __tostring may raise. */
static int text_of(lua_State *L)
{
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static basin_status failed(newton_call *call)
{
  lua_State *L = call->L;
  lua_pushcfunction(L, text_of);
  lua_pushvalue(L, call->error);
  bool told = lua_pcall(L, 1, 1, 0) == LUA_OK;
  basin_status status = BASIN_FAIL(call->context,
                                   BASIN_ERROR_STATE,
                                   "a callback failed: %s",
                                   told ? lua_tostring(L, -1) : "an error without a text");
  lua_pop(L, 1);
  return status;
}

/* Lua has no constant pointers: who takes it out of the userdata makes it one again. */
static void push_address(lua_State *L, const void *address)
{
  void *plain;
  memcpy(&plain, &address, sizeof plain);
  lua_pushlightuserdata(L, plain);
}

/* filter(direction as a borrowed handle, alpha) -> alpha. The direction is handed on to
 * basin_filter_*. */
static basin_status
filter_step(void *user, basin_minimizer *minimizer, const double *direction, double *alpha)
{
  newton_call *call = user;
  lua_State *L = call->L;
  (void)minimizer;
  if (has_error(call)) return failed(call);
  if (!lua_checkstack(L, 8)) return BASIN_ERROR_MEMORY;
  lua_pushvalue(L, call->filter);
  push_address(L, direction);
  lua_pushnumber(L, *alpha);
  if (!protected_call(call, 2, 1)) return failed(call);
  int number;
  double bound = lua_tonumberx(L, -1, &number);
  lua_pop(L, 1);
  if (!number)
    return BASIN_FAIL(call->context, BASIN_ERROR_ARGUMENT, "a step filter must return a number");
  if (bound < *alpha) *alpha = bound;
  return BASIN_OK;
}

static basin_status refresh(void *user, basin_minimizer *minimizer)
{
  newton_call *call = user;
  (void)minimizer;
  if (has_error(call)) return failed(call);
  if (!lua_checkstack(call->L, 8)) return BASIN_ERROR_MEMORY;
  lua_pushvalue(call->L, call->refresh);
  return protected_call(call, 0, 0) ? BASIN_OK : failed(call);
}

static void push_iteration(lua_State *L, const basin_iteration *iteration)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"energy", iteration->energy},
                 {"gradient_norm", iteration->gradient_norm},
                 {"direction_norm", iteration->direction_norm},
                 {"alpha", iteration->alpha},
                 {"seconds", iteration->seconds}};
  lua_createtable(L, 0, 9);
  for (size_t i = 0; i < BASIN_COUNT(numbers); ++i) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  lua_pushinteger(L, iteration->number);
  lua_setfield(L, -2, "number");
  lua_pushinteger(L, iteration->line_search_trials);
  lua_setfield(L, -2, "line_search_trials");
  lua_pushinteger(L, iteration->linear_iterations);
  lua_setfield(L, -2, "linear_iterations");
  lua_pushstring(L, iteration->flags ? iteration->flags : "");
  lua_setfield(L, -2, "flags");
}

/* monitor(iteration); returning false interrupts. */
static int call_monitor(lua_State *L)
{
  const basin_iteration *iteration = lua_touserdata(L, 2);
  lua_settop(L, 1);
  push_iteration(L, iteration);
  lua_call(L, 1, 1);
  return 1;
}

static bool monitor_iteration(void *user, const basin_iteration *iteration)
{
  newton_call *call = user;
  lua_State *L = call->L;
  if (has_error(call) || !lua_checkstack(L, 8)) return false;
  lua_pushcfunction(L, call_monitor);
  lua_pushvalue(L, call->monitor);
  push_address(L, iteration);
  if (!protected_call(call, 2, 1)) return false;
  bool go_on = lua_isnil(L, -1) || lua_toboolean(L, -1);
  lua_pop(L, 1);
  return go_on;
}

/* Pushes field `name` of the options, a function or nil; returns its position, 0 for nil. */
static int function_field(lua_State *L, const char *name)
{
  int type = lua_getfield(L, 2, name);
  if (type != LUA_TNIL && type != LUA_TFUNCTION) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 NULL,
                 "option '%s' must be a function, got a %s",
                 name,
                 lua_typename(L, type));
  }
  return type == LUA_TNIL ? 0 : lua_gettop(L);
}

static basin_newton_options check_options(lua_State *L)
{
  basin_newton_options options = basin_newton_options_defaults();
  if (lua_getfield(L, 2, "rule") != LUA_TNIL) {
    options.rule = (basin_stop_rule)basin__check_word(L, lua_gettop(L), "rule", rule_words);
  }
  lua_pop(L, 1);
  options.tolerance = basin__opt_number_field(L, 2, "tolerance", options.tolerance);
  options.step_scale = basin__opt_number_field(L, 2, "step_scale", options.step_scale);
  options.sufficient_decrease =
      basin__opt_number_field(L, 2, "sufficient_decrease", options.sufficient_decrease);
  options.max_iterations =
      (unsigned)basin__opt_size_field(L, 2, "max_iterations", options.max_iterations);
  options.line_search_limit =
      (unsigned)basin__opt_size_field(L, 2, "line_search_limit", options.line_search_limit);
  lua_getfield(L, 2, "linear");
  options.linear = basin__check_solve_options(L, lua_gettop(L));
  lua_pop(L, 1);
  return options;
}

static void push_report(lua_State *L, const basin_newton_report *report)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"energy", report->energy},
                 {"gradient_norm", report->gradient_norm},
                 {"direction_norm", report->direction_norm},
                 {"seconds", report->seconds},
                 {"seconds_assembly", report->seconds_assembly},
                 {"seconds_solve", report->seconds_solve},
                 {"seconds_line_search", report->seconds_line_search},
                 {"seconds_filter", report->seconds_filter},
                 {"seconds_pairs", report->seconds_pairs},
                 {"seconds_pair_energy", report->seconds_pair_energy}};
  lua_createtable(L, 0, 16);
  for (size_t i = 0; i < BASIN_COUNT(numbers); ++i) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  lua_pushstring(L, basin_stop_reason_text(report->reason));
  lua_setfield(L, -2, "reason");
  lua_pushinteger(L, report->reason);
  lua_setfield(L, -2, "reason_code");
  lua_pushboolean(L, report->reason == BASIN_STOP_CONVERGED);
  lua_setfield(L, -2, "converged");
  lua_pushboolean(L, report->reason == BASIN_STOP_INTERRUPTED);
  lua_setfield(L, -2, "interrupted");
  lua_pushboolean(L, report->reason == BASIN_STOP_DIVERGED);
  lua_setfield(L, -2, "diverged");
  lua_pushinteger(L, report->iterations);
  lua_setfield(L, -2, "iterations");
  lua_pushinteger(L, report->linear_iterations);
  lua_setfield(L, -2, "linear_iterations");
  lua_pushinteger(L, report->line_search_trials);
  lua_setfield(L, -2, "line_search_trials");
}

/* Finds the callbacks of the options, whose table is at 2. */
static newton_call find_callbacks(lua_State *L, const basin_l_minimizer *box)
{
  newton_call call = {.L = L, .context = box->context, .minimizer = 1};
  lua_pushnil(L);
  call.error = lua_gettop(L);
  call.filter = function_field(L, "filter");
  call.refresh = function_field(L, "refresh");
  call.monitor = function_field(L, "monitor");
  return call;
}

/* Pushes the report. A solve that does not converge is a report with another reason, not an error.
 */
static int finish(lua_State *L,
                  const newton_call *call,
                  basin_status status,
                  const basin_newton_report *report)
{
  if (has_error(call)) {
    lua_pushvalue(L, call->error);
    return lua_error(L);
  }
  bool reported = status == BASIN_OK ||
                  (report->reason != BASIN_STOP_ERROR && status == BASIN_ERROR_INTERRUPTED);
  if (!reported) {
    lua_pushnil(L);
    basin__check(L, call->context, status);
  }
  push_report(L, report);
  return 1;
}

/* minimizer:newton(options) -> report */
static int minimizer_newton(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  basin_newton_options options = check_options(L);
  newton_call call = find_callbacks(L, box);
  if (call.filter) options.filter = filter_step;
  if (call.refresh) options.refresh = refresh;
  if (call.monitor) options.monitor = monitor_iteration;
  options.filter_user = options.refresh_user = options.monitor_user = &call;
  basin_newton_report report = {.size = sizeof report};
  basin_status status = basin_newton(box->minimizer, &options, &report);
  return finish(L, &call, status, &report);
}

static basin_first_order_options check_first_order(lua_State *L)
{
  static const char *const words[] = {
#define X(code, word, curvature) word,
      BASIN_FIRST_ORDER_LIST(X)
#undef X
          NULL};
  lua_getfield(L, 2, "method");
  int method = basin__check_word(L, lua_gettop(L), "method", words);
  basin_first_order_options options =
      basin_first_order_options_defaults((basin_first_order_method)method);
  if (lua_getfield(L, 2, "rule") != LUA_TNIL)
    options.rule = (basin_stop_rule)basin__check_word(L, lua_gettop(L), "rule", rule_words);
  lua_pop(L, 2);
  options.tolerance = basin__opt_number_field(L, 2, "tolerance", options.tolerance);
  options.step_scale = basin__opt_number_field(L, 2, "step_scale", options.step_scale);
  options.sufficient_decrease =
      basin__opt_number_field(L, 2, "sufficient_decrease", options.sufficient_decrease);
  options.curvature = basin__opt_number_field(L, 2, "curvature", options.curvature);
  options.max_iterations =
      (unsigned)basin__opt_size_field(L, 2, "max_iterations", options.max_iterations);
  options.line_search_limit =
      (unsigned)basin__opt_size_field(L, 2, "line_search_limit", options.line_search_limit);
  options.memory = (unsigned)basin__opt_size_field(L, 2, "memory", options.memory);
  options.fixed_scale = basin__opt_boolean_field(L, 2, "fixed_scale", options.fixed_scale);
  return options;
}

/* minimizer:first_order(options) -> report */
static int minimizer_first_order(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  basin_first_order_options options = check_first_order(L);
  newton_call call = find_callbacks(L, box);
  if (call.filter) options.filter = filter_step;
  if (call.refresh) options.refresh = refresh;
  if (call.monitor) options.monitor = monitor_iteration;
  options.filter_user = options.refresh_user = options.monitor_user = &call;
  basin_newton_report report = {.size = sizeof report};
  basin_status status = basin_first_order(box->minimizer, &options, &report);
  return finish(L, &call, status, &report);
}

static const double *check_direction(lua_State *L, int index)
{
  if (!lua_islightuserdata(L, index)) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 "call it inside a filter function with the direction given there",
                 "a step filter needs the direction of the running solve");
  }
  return lua_touserdata(L, index);
}

/* minimizer:filter_plane(positions array id, normal table, offset, keep, direction, alpha) -> alpha
 */
static int minimizer_filter_plane(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 2);
  const basin_l_array *vector = basin__array_to(L, 3);
  double offset = luaL_checknumber(L, 4), keep = luaL_checknumber(L, 5);
  const double *direction = check_direction(L, 6);
  double alpha = luaL_checknumber(L, 7), normal[3] = {0};
  size_t size = vector->count * vector->size;
  luaL_argcheck(L, size == 2 || size == 3, 3, "a normal has 2 or 3 numbers");
  memcpy(normal, vector->data, size * sizeof *normal);
  basin__check(
      L,
      box->context,
      basin_filter_plane(box->minimizer, positions, normal, offset, keep, direction, &alpha));
  lua_pushnumber(L, alpha);
  return 1;
}

/* minimizer:filter_inversion(positions array id, connectivity id, keep, direction, alpha) -> alpha
 */
static int minimizer_filter_inversion(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 2);
  basin_connectivity_id simplices = (basin_connectivity_id)luaL_checkinteger(L, 3);
  double keep = luaL_checknumber(L, 4);
  const double *direction = check_direction(L, 5);
  double alpha = luaL_checknumber(L, 6);
  basin__check(
      L,
      box->context,
      basin_filter_inversion(box->minimizer, positions, simplices, keep, direction, &alpha));
  lua_pushnumber(L, alpha);
  return 1;
}

/* minimizer:motion(positions array id, direction) -> how the positions move along a whole step */
static int minimizer_motion(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  basin_array_id positions = (basin_array_id)luaL_checkinteger(L, 2);
  const double *direction = check_direction(L, 3);
  lua_getiuservalue(L, 1, 1);
  basin_l_system *self = basin__check_system(L, -1);
  basin_span view;
  basin__check(L, box->context, basin_system_array(self->system, positions, &view));
  basin_l_array *motion = basin__array_new(L, view.count, view.size, 1);
  basin__check(L,
               box->context,
               basin_filter_motion_copy(box->minimizer, positions, direction, motion->data));
  return 1;
}

/* minimizer:filtered(directions: one array a target, filter of (direction handle, 1)) -> what the
 * filter allows */
static int minimizer_filtered(lua_State *L)
{
  basin_l_minimizer *box = basin__check_minimizer(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  lua_settop(L, 3);
  const double *direction = basin__check_vector(L, box, 2);
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 1);
  push_address(L, direction);
  lua_pushnumber(L, 1);
  lua_call(L, 3, 1);
  return 1;
}

static const luaL_Reg newton_methods[] = {{"newton", minimizer_newton},
                                          {"first_order", minimizer_first_order},
                                          {"filter_plane", minimizer_filter_plane},
                                          {"filter_inversion", minimizer_filter_inversion},
                                          {"motion", minimizer_motion},
                                          {"filtered", minimizer_filtered},
                                          {NULL, NULL}};

void basin__open_newton(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_MINIMIZER);
  lua_getfield(L, -1, "methods");
  basin__functions(L, newton_methods);
  lua_pop(L, 2);
}
