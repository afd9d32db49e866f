/* A program outside the project: steps the scene of a script, looks at positions, saves a
 * checkpoint. SPDX-License-Identifier: Apache-2.0 */
#include <basin/basin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3 };

static int fail(const char *what, basin_context *context)
{
  fprintf(stderr, "%s: %s\n", what, basin_error_text(context));
  return 1;
}

/* The height of the lowest point; the points must be in space. */
static double lowest(const basin_span *x)
{
  double least = (double)INFINITY;
  for (size_t i = 0; i < x->count && x->size == 3; ++i) least = fmin(least, basin_span_at(x, i, 1));
  return least;
}

static int run(basin_context *context, basin_scene *scene, const char *checkpoint)
{
  basin_span before = basin_scene_view(scene, "cloth.vertices.position");
  if (before.count != 1600 || lowest(&before) != 0) return fail("positions at first", context);
  basin_step_report report = basin_step_report_defaults();
  for (size_t step = 1; step <= STEPS; ++step) {
    if (basin_scene_step(scene, &report) != BASIN_OK) return fail("step", context);
    if (report.reason != BASIN_STOP_CONVERGED || report.step != step)
      return fail(basin_stop_reason_text(report.reason), context);
  }
  /* Implicit Euler from rest: free fall by g h^2 (1 + 2 + 3). */
  basin_span after = basin_scene_view(scene, "cloth.vertices.position");
  double fall = -lowest(&after), expected = 9.8 / 3600 * 6;
  if (!(fall > 0.9 * expected && fall < 1.1 * expected)) {
    fprintf(stderr, "the cloth fell by %g instead of about %g\n", fall, expected);
    return 1;
  }
  if (basin_scene_save(scene, checkpoint) != BASIN_OK) return fail("save", context);
  printf("%zu points fell by %.4g m in %d steps\n", after.count, fall, STEPS);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc != 3) return 2;
  basin_options options = basin_options_defaults();
  options.device = "auto";
  basin_context *context = basin_context_create(&options);
  if (!context) return 2;
  basin_scene *scene = basin_scene_load(context, argv[1]);
  int status = scene ? run(context, scene, argv[2]) : fail("load", context);
  basin_scene_destroy(scene);
  basin_context_destroy(context);
  return status;
}
