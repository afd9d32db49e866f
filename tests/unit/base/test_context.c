/* Tests of runtime/base/context.c, log.c, environment.c, clock.c and span.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <math.h>
#include <time.h>

static void options_are_made_definite(void **state)
{
  (void)state;
  unsetenv("BASIN_DEVICE");
  unsetenv("BASIN_THREADS");
  setenv("BASIN_CACHE_DIR", "/somewhere", 1);
  basin_context *context = basin_context_create(NULL);
  const basin_options *options = basin__context_options(context);
  assert_string_equal(options->device, "auto");
  assert_string_equal(options->cache_folder, "/somewhere");
  assert_true(options->threads >= 1);
  assert_non_null(options->allocate);
  basin_context_destroy(context);

  unsetenv("BASIN_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  setenv("BASIN_DEVICE", "cpu:interp", 1);
  setenv("BASIN_THREADS", "3", 1);
  context = basin_context_create(NULL);
  options = basin__context_options(context);
  assert_string_equal(options->device, "cpu:interp");
  assert_string_equal(options->cache_folder, "/xdg/basin");
  assert_int_equal(options->threads, 3);
  basin_context_destroy(context);

  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  context = basin_context_create(NULL);
  assert_string_equal(basin__context_options(context)->cache_folder, "/home/someone/.cache/basin");
  basin_context_destroy(context);
  unsetenv("HOME");
  context = basin_context_create(NULL);
  assert_string_equal(basin__context_options(context)->cache_folder, ""); /* nowhere to write */
  basin_context_destroy(context);

  /* What the caller states wins over the environment, and its strings are copied. */
  char device[] = "cpu", cache[] = "";
  basin_options wanted = basin_options_defaults();
  wanted.device = device;
  wanted.cache_folder = cache;
  wanted.threads = 5;
  context = basin_context_create(&wanted);
  device[0] = 'X';
  options = basin__context_options(context);
  assert_string_equal(options->device, "cpu");
  assert_string_equal(options->cache_folder, "");
  assert_int_equal(options->threads, 5);
  basin_context_destroy(context);
  wanted.threads = 1000000;
  wanted.log_level = BASIN_LOG_ERROR; /* there is a warning */
  context = basin_context_create(&wanted);
  assert_int_equal(basin__context_options(context)->threads, BASIN_THREADS_MAX);
  basin_context_destroy(context);
  unsetenv("BASIN_DEVICE");
  unsetenv("BASIN_THREADS");
}

static void creation_fails_cleanly(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.size = 12;
  assert_null(basin_context_create(&options));
  basin_context_destroy(NULL);
  for (size_t fail_at = 1;; ++fail_at) {
    assert_true(fail_at < 20);
    failing_allocator allocator = {.fail_at = fail_at};
    basin_context *context = test_context(&allocator);
    bool made = context != NULL;
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (made) break;
  }
}

typedef struct capture {
  int calls;
  basin_log_level level;
  char text[4000];
} capture;

static void capture_log(void *user, basin_log_level level, const char *message)
{
  capture *c = user;
  ++c->calls;
  c->level = level;
  strncpy(c->text, message, sizeof c->text - 1);
}

static void log_goes_to_the_function(void **state)
{
  (void)state;
  unsetenv("BASIN_LOG");
  capture c = {0};
  basin_options options = basin_options_defaults();
  options.log = capture_log;
  options.log_user = &c;
  options.log_level = BASIN_LOG_INFO;
  basin_context *context = basin_context_create(&options);
  assert_true(basin__log_enabled(context, BASIN_LOG_INFO));
  assert_false(basin__log_enabled(context, BASIN_LOG_DEBUG));
  basin__log(context, BASIN_LOG_DEBUG, "unseen");
  assert_int_equal(c.calls, 0);
  basin__log(context, BASIN_LOG_WARN, "%d of %s", 3, "four");
  assert_int_equal(c.calls, 1);
  assert_int_equal(c.level, BASIN_LOG_WARN);
  assert_string_equal(c.text, "3 of four");
  char big[3501];
  memset(big, 'x', 3500);
  big[3500] = '\0';
  basin__log(context, BASIN_LOG_INFO, "%s!", big);
  assert_int_equal(strlen(c.text), 3501);
  assert_int_equal(c.text[3500], '!');
  basin__log(NULL, BASIN_LOG_ERROR, "no context: nowhere to go");
  basin_context_destroy(context);

  setenv("BASIN_LOG", "trace", 1);
  context = basin_context_create(&options); /* a level that was asked for comes first */
  assert_false(basin__log_enabled(context, BASIN_LOG_TRACE));
  basin_context_destroy(context);
  options.log_level = basin_options_defaults().log_level;
  context = basin_context_create(&options);
  assert_true(basin__log_enabled(context, BASIN_LOG_TRACE));
  basin_context_destroy(context);
  unsetenv("BASIN_LOG");
}

static void a_bad_number_of_threads_is_named(void **state)
{
  static const char *const bad[] = {"abc", "0", "-2", "4x", "100000"};
  (void)state;
  basin_options options = basin_options_defaults();
  options.log = capture_log;
  for (size_t i = 0; i < BASIN_COUNT(bad); ++i) {
    capture c = {0};
    options.log_user = &c;
    setenv("BASIN_THREADS", bad[i], 1);
    basin_context *context = basin_context_create(&options);
    assert_int_equal(c.calls, 1);
    assert_int_equal(c.level, BASIN_LOG_WARN);
    assert_non_null(strstr(c.text, "BASIN_THREADS="));
    assert_non_null(strstr(c.text, bad[i]));
    assert_true(basin__context_options(context)->threads >= 1);
    basin_context_destroy(context);
  }
  unsetenv("BASIN_THREADS");
}

static void values_that_mean_nothing_are_named(void **state)
{
  static const struct {
    const char *name, *bad[3], *good[3], *allowed;
  } rows[] = {
      {"BASIN_CACHE", {"maybe", "of", "on,"}, {"on", "off", ""}, "on, off"},
      {"BASIN_CACHE_MAX", {"abc", "0", "1.5"}, {"1", "512", ""}, "whole number from 1"},
      {"BASIN_CONTRACT", {"perhaps", "ON", " on"}, {"on", "off", ""}, "on, off"},
      {"BASIN_CUDA_BATCH", {"0", "-3", "9999999999999999999999"}, {"1", "64", ""}, "from 1"},
      {"BASIN_LOG", {"loud", "warning", "1"}, {"error", "warn", ""}, "error, warn, info"},
  };
  (void)state;
  basin_options options = basin_options_defaults();
  options.log = capture_log;
  for (size_t i = 0; i < BASIN_COUNT(rows); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      capture c = {0};
      options.log_user = &c;
      setenv(rows[i].name, rows[i].bad[k], 1);
      basin_context_destroy(basin_context_create(&options));
      assert_int_equal(c.calls, 1);
      assert_int_equal(c.level, BASIN_LOG_WARN);
      assert_non_null(strstr(c.text, rows[i].name));
      assert_non_null(strstr(c.text, rows[i].bad[k]));
      assert_non_null(strstr(c.text, rows[i].allowed));
      setenv(rows[i].name, rows[i].good[k], 1);
      basin_context_destroy(basin_context_create(&options));
      assert_int_equal(c.calls, 1);
    }
    unsetenv(rows[i].name);
  }
  setenv("BASIN_CUDA_BATCH", "17", 1);
  assert_int_equal(basin__env_count("CUDA_BATCH", 5), 17);
  setenv("BASIN_CUDA_BATCH", "17k", 1);
  assert_int_equal(basin__env_count("CUDA_BATCH", 5), 5);
  unsetenv("BASIN_CUDA_BATCH");
  assert_int_equal(basin__env_count("CUDA_BATCH", 5), 5);
}

typedef struct progress {
  int calls, limit;
} progress;

static bool count_progress(void *user, const char *stage, double fraction)
{
  progress *p = user;
  assert_string_equal(stage, "newton");
  assert_true(fraction >= 0 && fraction <= 1);
  return ++p->calls < p->limit;
}

static void progress_and_interrupts(void **state)
{
  (void)state;
  progress p = {.limit = 3};
  basin_options options = basin_options_defaults();
  options.progress = count_progress;
  options.progress_user = &p;
  basin_context *context = basin_context_create(&options);
  assert_true(basin__progress(context, "newton", 0.0));
  assert_true(basin__progress(context, "newton", 0.5));
  assert_false(basin__interrupted(context));
  assert_false(basin__progress(context, "newton", 1.0)); /* the callback vetoes */
  assert_true(basin__interrupted(context));
  basin__interrupt_clear(context);
  assert_false(basin__interrupted(context));
  p.limit = 100;
  basin__interrupt(context); /* as from a signal handler */
  assert_false(basin__progress(context, "newton", 1.0));
  basin_context_destroy(context);
}

static void spans(void **state)
{
  (void)state;
  const double data[] = {0, 1, 2, 3, 4, 5, 6, 7};
  basin_span span = {.data = data, .count = 3, .size = 2, .stride = 3};
  assert_true(basin_span_at(&span, 2, 1) == 7.0);
  assert_true(basin_span_at(&span, 0, 0) == 0.0);
  assert_true(isnan(basin_span_at(&span, 3, 0)));
  assert_true(isnan(basin_span_at(&span, 0, 2)));
  assert_true(isnan(basin_span_at(NULL, 0, 0)));
  span.data = NULL;
  assert_true(isnan(basin_span_at(&span, 0, 0)));
}

static void the_clock_advances(void **state)
{
  (void)state;
  double before = basin__seconds();
  struct timespec pause = {.tv_nsec = 2000000};
  nanosleep(&pause, NULL);
  assert_true(basin__seconds() - before >= 0.002);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_made_definite),
      cmocka_unit_test(creation_fails_cleanly),
      cmocka_unit_test(log_goes_to_the_function),
      cmocka_unit_test(a_bad_number_of_threads_is_named),
      cmocka_unit_test(values_that_mean_nothing_are_named),
      cmocka_unit_test(progress_and_interrupts),
      cmocka_unit_test(spans),
      cmocka_unit_test(the_clock_advances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
