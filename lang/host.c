/* The host API: every function calls one of basin.host, protected.
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "base/base.h"
#include "system.h"

#include <string.h>

basin_scene *basin_scene_load(basin_context *context, const char *path)
{
  if (!context) return NULL;
  if (!path) {
    BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "no script was named");
    return NULL;
  }
  basin_scene *scene = basin__calloc(context, 1, sizeof *scene);
  if (!scene) return NULL;
  scene->context = context;
  scene->L = basin__host_open(context);
  if (scene->L) {
    lua_pushstring(scene->L, path);
    if (basin__host_call(scene, "load", 1, 0)) return scene;
  }
  basin_scene_destroy(scene);
  return NULL;
}

void basin_scene_destroy(basin_scene *scene)
{
  if (!scene) return;
  if (scene->L) lua_close(scene->L);
  basin__free(scene->context, scene, sizeof *scene);
}

basin_step_report basin_step_report_defaults(void)
{
  basin_step_report report;
  memset(&report, 0, sizeof report);
  report.size = sizeof report;
  report.reason = BASIN_STOP_ERROR;
  return report;
}

static double number_field(lua_State *L, const char *name)
{
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* Fills in a report from the table on top of the stack. */
static void read_report(lua_State *L, basin_step_report *report)
{
  report->reason = (basin_stop_reason)(int)number_field(L, "reason_code");
  report->iterations = (unsigned)number_field(L, "iterations");
  report->linear_iterations = (unsigned)number_field(L, "linear_iterations");
  report->line_search_trials = (unsigned)number_field(L, "line_search_trials");
  report->step = (size_t)number_field(L, "step");
  report->time = number_field(L, "time");
  report->energy = number_field(L, "energy");
  report->gradient_norm = number_field(L, "gradient_norm");
  report->direction_norm = number_field(L, "direction_norm");
  report->seconds = number_field(L, "seconds");
}

basin_status basin_scene_step(basin_scene *scene, basin_step_report *report)
{
  if (!scene) return BASIN_ERROR_ARGUMENT;
  if (report && report->size != sizeof *report) {
    return BASIN_FAIL(scene->context,
                      BASIN_ERROR_ARGUMENT,
                      "the step report has size %zu instead of %zu",
                      report->size,
                      sizeof *report);
  }
  if (!basin__host_call(scene, "step", 0, 1)) return basin_error_last(scene->context)->code;
  basin_step_report result = basin_step_report_defaults();
  read_report(scene->L, &result);
  lua_pop(scene->L, 1);
  if (report) *report = result;
  if (result.reason != BASIN_STOP_INTERRUPTED) return BASIN_OK;
  basin__interrupt_clear(scene->context);
  return BASIN_FAIL(scene->context, BASIN_ERROR_INTERRUPTED, "interrupted");
}

/* Finds an attribute: its system and the id of its array. */
static basin_status
find_array(basin_scene *scene, const char *name, basin_l_system **system, basin_array_id *id)
{
  lua_State *L = scene->L;
  lua_pushstring(L, name ? name : "");
  if (!basin__host_call(scene, "find", 1, 2)) {
    basin_status status = basin_error_last(scene->context)->code;
    return status == BASIN_OK ? BASIN_ERROR_INTERNAL : status;
  }
  *system = lua_touserdata(L, -2); /* the scene keeps it alive */
  *id = (basin_array_id)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return BASIN_OK;
}

basin_span basin_scene_view(basin_scene *scene, const char *name)
{
  basin_span view = {0};
  basin_l_system *system;
  basin_array_id id;
  if (!scene) return view;
  if (find_array(scene, name, &system, &id) != BASIN_OK) return view;
  basin_span none = {0};
  return basin_system_array(system->system, id, &view) == BASIN_OK ? view : none;
}

basin_status basin_scene_set(basin_scene *scene, const char *name, const double *data, size_t count)
{
  if (!scene) return BASIN_ERROR_ARGUMENT;
  if (!data) return BASIN_FAIL(scene->context, BASIN_ERROR_ARGUMENT, "no data was given");
  basin_l_system *system;
  basin_array_id id;
  BASIN_TRY(find_array(scene, name, &system, &id));
  if (!basin_system_array_data(system->system, id)) {
    return BASIN_FAIL(
        scene->context, BASIN_ERROR_STATE, "'%s' is computed and has no data to replace", name);
  }
  return basin_system_set_array(system->system, id, data, count);
}

static basin_status call_with_path(basin_scene *scene, const char *function, const char *path)
{
  if (!scene) return BASIN_ERROR_ARGUMENT;
  if (!path) return BASIN_FAIL(scene->context, BASIN_ERROR_ARGUMENT, "no file was named");
  lua_pushstring(scene->L, path);
  if (basin__host_call(scene, function, 1, 0)) return BASIN_OK;
  return basin_error_last(scene->context)->code;
}

basin_status basin_scene_save(basin_scene *scene, const char *path)
{
  return call_with_path(scene, "save", path);
}

basin_status basin_scene_restore(basin_scene *scene, const char *path)
{
  return call_with_path(scene, "restore", path);
}

basin_status basin_scene_energy(basin_scene *scene, double *energy)
{
  if (!scene) return BASIN_ERROR_ARGUMENT;
  if (!energy)
    return BASIN_FAIL(scene->context, BASIN_ERROR_ARGUMENT, "no place for the energy was given");
  if (!basin__host_call(scene, "energy", 0, 1)) return basin_error_last(scene->context)->code;
  *energy = lua_tonumber(scene->L, -1);
  lua_pop(scene->L, 1);
  return BASIN_OK;
}
