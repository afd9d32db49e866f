/* Scenes in a host program: load a Lua script that declares one, step it, read and write its data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASIN_H
#define BASIN_BASIN_H

#include <basin/base.h>
#include <basin/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scene made by a script, with a Lua state of its own. Belongs to the caller, who destroys it
 * before its context. Used by one thread at a time, like its context. */
/* The functions below return BASIN_ERROR_ARGUMENT for a NULL scene. In its script os.exit is an
 * error: only the program may end itself. */
typedef struct basin_scene basin_scene;

/* Runs the script at `path`, which declares a scene; basin.simulate in it only records its options:
 * the host steps, and no frames, logs or checkpoints are written. The scene is the one that was
 * simulated, else the last one made. NULL on failure, with script position and expression in the
 * context's error. */
BASIN_API basin_scene *basin_scene_load(basin_context *context, const char *path);
BASIN_API void basin_scene_destroy(basin_scene *scene); /* NULL is fine */

/* What one step did. */
typedef struct basin_step_report {
  size_t size; /* sizeof(basin_step_report) of the caller */
  basin_stop_reason reason;
  unsigned iterations, linear_iterations, line_search_trials;
  size_t step; /* number of steps since the start */
  double time; /* s, at the end of the step */
  double energy, gradient_norm, direction_norm;
  double seconds;
} basin_step_report;
BASIN_API basin_step_report basin_step_report_defaults(void);

/* One time step with the options that the script gave to basin.simulate. A minimization that stops
 * short of its tolerance is no error: see report->reason. A step that fails or is interrupted
 * (BASIN_ERROR_INTERRUPTED) is undone. ERROR_STATE if the script did not call simulate. `report`
 * may be NULL.
 */
BASIN_API basin_status basin_scene_step(basin_scene *scene, basin_step_report *report);

/* The present values of an attribute, by full name ("cloth.vertices.position"), without a copy;
 * valid until the next call that changes the scene. count 0 and data NULL on failure. */
BASIN_API basin_span basin_scene_view(basin_scene *scene, const char *name);

/* Replaces the data of a stored attribute: `count` numbers, instance by instance, row after row. */
BASIN_API basin_status basin_scene_set(basin_scene *scene,
                                       const char *name,
                                       const double *data,
                                       size_t count);

/* The whole state, as an .npz file that NumPy reads; a scene restored from it goes on with the same
 * bits. */
BASIN_API basin_status basin_scene_save(basin_scene *scene, const char *path);
BASIN_API basin_status basin_scene_restore(basin_scene *scene, const char *path);

/* The sum of all energies at the present values. */
BASIN_API basin_status basin_scene_energy(basin_scene *scene, double *energy);

#ifdef __cplusplus
}
#endif
#endif
