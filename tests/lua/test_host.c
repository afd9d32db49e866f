/* A host program: load, step, look at and change data, save and restore, errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include <basin/basin.h>

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static basin_context *context;

static int setup(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.threads = 2;
  options.log_level = BASIN_LOG_ERROR;
  context = basin_context_create(&options);
  return context ? 0 : -1;
}

static int teardown(void **state)
{
  (void)state;
  basin_context_destroy(context);
  return 0;
}

static basin_scene *load(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", BASIN_TEST_SCRIPTS, name);
  return basin_scene_load(context, path);
}

/* Implicit Euler of m x'' = m g - 10 x: x' = (x + h v + h^2 g) / (1 + h^2 10 / m), v' = (x' - x) /
 * h. */
static void test_steps_follow_the_formula(void **state)
{
  (void)state;
  basin_scene *scene = load("swing.lua");
  assert_non_null(scene);
  double x[2][3] = {{1, 0, 0}, {0, 2, 0}}, v[2][3] = {{0}}, h = 0.01;
  const double m[2] = {1, 2}, g[3] = {0, -10, 0};
  for (size_t step = 1; step <= 5; ++step) {
    basin_step_report report = basin_step_report_defaults();
    assert_int_equal(basin_scene_step(scene, &report), BASIN_OK);
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_int_equal(report.step, step);
    assert_true(fabs(report.time - h * (double)step) < 1e-15);
    basin_span view = basin_scene_view(scene, "cloud.points.position");
    assert_int_equal(view.count, 2);
    assert_int_equal(view.size, 3);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < 3; ++k) {
        double next = (x[i][k] + h * v[i][k] + h * h * g[k]) / (1 + h * h * 10 / m[i]);
        v[i][k] = (next - x[i][k]) / h;
        x[i][k] = next;
        assert_true(fabs(basin_span_at(&view, i, k) - next) < 1e-12);
      }
    }
  }
  assert_int_equal(basin_scene_step(scene, NULL), BASIN_OK);
  basin_scene_destroy(scene);
}

static void test_data_is_read_and_written(void **state)
{
  (void)state;
  basin_scene *scene = load("swing.lua");
  assert_non_null(scene);
  const double positions[6] = {3, 0, 0, 0, 0, 4};
  assert_int_equal(basin_scene_set(scene, "cloud.points.position", positions, 6), BASIN_OK);
  basin_span computed = basin_scene_view(scene, "cloud.points.double");
  assert_true(basin_span_at(&computed, 1, 2) == 8);
  double energy = 0;
  assert_int_equal(basin_scene_energy(scene, &energy), BASIN_OK);
  assert_true(isfinite(energy));
  assert_int_equal(basin_scene_set(scene, "cloud.points.position", positions, 5),
                   BASIN_ERROR_LENGTH);
  const double bad[6] = {3, 0, 0, 0, (double)NAN, 4};
  assert_int_equal(basin_scene_set(scene, "cloud.points.position", bad, 6), BASIN_ERROR_NOT_FINITE);
  assert_int_equal(basin_scene_set(scene, "cloud.points.double", positions, 6), BASIN_ERROR_STATE);
  assert_int_equal(basin_scene_set(scene, "cloud.points.positio", positions, 6), BASIN_ERROR_NAME);
  assert_non_null(strstr(basin_error_text(context), "did you mean 'position'"));
  assert_null(basin_scene_view(scene, "cloud.points").data);
  assert_null(basin_scene_view(scene, NULL).data);
  assert_int_equal(basin_scene_step(scene, NULL), BASIN_OK);
  basin_scene_destroy(scene);
}

static void test_restored_scene_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/host.npz", BASIN_TEST_OUTPUT_DIR);
  basin_scene *first = load("swing.lua"), *second = load("swing.lua");
  assert_non_null(first);
  assert_non_null(second);
  for (int i = 0; i < 3; ++i) assert_int_equal(basin_scene_step(first, NULL), BASIN_OK);
  assert_int_equal(basin_scene_save(first, path), BASIN_OK);
  assert_int_equal(basin_scene_restore(second, path), BASIN_OK);
  basin_step_report report = basin_step_report_defaults();
  assert_int_equal(basin_scene_step(first, NULL), BASIN_OK);
  assert_int_equal(basin_scene_step(second, &report), BASIN_OK);
  assert_int_equal(report.step, 4);
  basin_span a = basin_scene_view(first, "cloud.points.position"),
             b = basin_scene_view(second, "cloud.points.position");
  assert_memory_equal(a.data, b.data, 6 * sizeof(double));
  assert_int_equal(basin_scene_restore(second, "/nonexistent.npz"), BASIN_ERROR_IO);
  assert_int_equal(basin_scene_save(second, NULL), BASIN_ERROR_ARGUMENT);
  basin_scene_destroy(first);
  basin_scene_destroy(second);
}

static void test_errors_name_script_and_line(void **state)
{
  (void)state;
  assert_null(load("broken.lua"));
  const basin_error *error = basin_error_last(context);
  assert_int_equal(error->code, BASIN_ERROR_SHAPE);
  assert_int_equal(error->script_line, 7);
  assert_non_null(strstr(error->script, "broken.lua"));
  assert_non_null(strstr(error->expression, "dot"));
  assert_null(load("missing.lua"));
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_IO);
  assert_null(basin_scene_load(context, NULL));
  basin_scene *scene = load("no_step.lua");
  assert_non_null(scene);
  assert_int_equal(basin_scene_step(scene, NULL), BASIN_ERROR_STATE);
  double energy = 0;
  assert_int_equal(basin_scene_energy(scene, &energy), BASIN_OK);
  assert_true(energy == 12);
  basin_step_report report = basin_step_report_defaults();
  report.size = 1;
  assert_int_equal(basin_scene_step(scene, &report), BASIN_ERROR_ARGUMENT);
  basin_scene_destroy(scene);
  basin_scene_destroy(NULL);
}

static void test_missing_arguments_are_errors(void **state)
{
  (void)state;
  const double number = 1;
  double energy = 0;
  assert_int_equal(basin_scene_step(NULL, NULL), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_scene_set(NULL, "a", &number, 1), BASIN_ERROR_ARGUMENT);
  assert_null(basin_scene_view(NULL, "a").data);
  assert_int_equal(basin_scene_view(NULL, "a").count, 0);
  assert_int_equal(basin_scene_energy(NULL, &energy), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_scene_save(NULL, "a.npz"), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_scene_restore(NULL, "a.npz"), BASIN_ERROR_ARGUMENT);
  basin_scene *scene = load("swing.lua");
  assert_non_null(scene);
  assert_int_equal(basin_scene_energy(scene, NULL), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_scene_energy(scene, &energy), BASIN_OK);
  basin_scene_destroy(scene);
}

static void test_scripts_do_not_end_the_program(void **state)
{
  (void)state;
  assert_null(load("exits.lua"));
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_STATE);
  assert_non_null(strstr(basin_error_text(context), "os.exit is not available in a host program"));
}

typedef struct progress_count {
  unsigned calls, veto_at;
} progress_count;

static bool count_progress(void *user, const char *stage, double fraction)
{
  progress_count *count = user;
  assert_string_equal(stage, "newton");
  assert_true(fraction >= 0 && fraction <= 1);
  return ++count->calls != count->veto_at;
}

/* One call an iteration; a veto undoes the step, and the next one runs. */
static void test_progress_is_told_and_may_stop(void **state)
{
  (void)state;
  progress_count count = {0};
  basin_options options = basin_options_defaults();
  options.threads = 1;
  options.device = "cpu:interp";
  options.log_level = BASIN_LOG_ERROR;
  options.progress = count_progress;
  options.progress_user = &count;
  basin_context *watched = basin_context_create(&options);
  assert_non_null(watched);
  basin_scene *scene = basin_scene_load(watched, BASIN_TEST_SCRIPTS "/swing.lua");
  assert_non_null(scene);
  basin_step_report report = basin_step_report_defaults();
  assert_int_equal(basin_scene_step(scene, &report), BASIN_OK);
  assert_true(report.iterations >= 1);
  assert_int_equal(count.calls, report.iterations);
  basin_span view = basin_scene_view(scene, "cloud.points.position");
  double before = basin_span_at(&view, 0, 1);
  count.veto_at = count.calls + 1;
  assert_int_equal(basin_scene_step(scene, NULL), BASIN_ERROR_INTERRUPTED);
  view = basin_scene_view(scene, "cloud.points.position");
  assert_true(basin_span_at(&view, 0, 1) == before);
  assert_int_equal(basin_scene_step(scene, &report), BASIN_OK);
  assert_int_equal(report.step, 2);
  basin_scene_destroy(scene);
  basin_context_destroy(watched);
}

/* Load, step and energy with the n-th allocation of the context failing: an error each time,
 * nothing leaked. */
static void test_failing_memory(void **state)
{
  (void)state;
  bool done = false;
  for (size_t fail_at = 1; !done; fail_at += 1 + fail_at / 16) {
    failing_allocator allocator = {.fail_at = 0};
    basin_options options = basin_options_defaults();
    options.threads = 1;
    options.device = "cpu:interp";
    options.log_level = BASIN_LOG_ERROR;
    options.allocate = failing_allocate;
    options.allocate_user = &allocator;
    basin_context *limited = basin_context_create(&options);
    assert_non_null(limited);
    allocator.fail_at = allocator.calls + fail_at;
    basin_scene *scene = basin_scene_load(limited, BASIN_TEST_SCRIPTS "/swing.lua");
    done = scene && basin_scene_step(scene, NULL) == BASIN_OK;
    if (!done && basin_error_last(limited)->code != BASIN_ERROR_MEMORY)
      fail_msg("allocation %zu: %s", fail_at, basin_error_text(limited));
    basin_scene_destroy(scene);
    basin_context_destroy(limited);
    assert_int_equal(allocator.blocks, 0);
  }
}

static void test_a_wrong_device_is_blamed_on_the_options(void **state)
{
  (void)state;
  char path[512];
  unsetenv("BASIN_DEVICE");
  basin_options options = basin_options_defaults();
  options.device = "foo";
  basin_context *own = basin_context_create(&options);
  snprintf(path, sizeof path, "%s/swing.lua", BASIN_TEST_SCRIPTS);
  assert_null(basin_scene_load(own, path));
  assert_non_null(strstr(basin_error_text(own), "the context's options must be one of auto"));
  assert_null(strstr(basin_error_text(own), "BASIN_DEVICE"));
  basin_context_destroy(own);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_steps_follow_the_formula, setup, teardown),
      cmocka_unit_test_setup_teardown(test_data_is_read_and_written, setup, teardown),
      cmocka_unit_test_setup_teardown(
          test_restored_scene_goes_on_with_the_same_bits, setup, teardown),
      cmocka_unit_test_setup_teardown(test_errors_name_script_and_line, setup, teardown),
      cmocka_unit_test_setup_teardown(test_missing_arguments_are_errors, setup, teardown),
      cmocka_unit_test_setup_teardown(test_scripts_do_not_end_the_program, setup, teardown),
      cmocka_unit_test(test_progress_is_told_and_may_stop),
      cmocka_unit_test(test_a_wrong_device_is_blamed_on_the_options),
      cmocka_unit_test(test_failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
