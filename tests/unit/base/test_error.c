/* Tests of runtime/base/error.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static basin_status fail_inside(basin_context *context)
{
  return BASIN_FAIL(context, BASIN_ERROR_SHAPE, "cannot add %s and %dx%d", "2x2", 3, 3);
}

static basin_status pass_on(basin_context *context)
{
  BASIN_TRY(fail_inside(context));
  return BASIN_FAIL(context, BASIN_ERROR_INTERNAL, "not reached");
}

static void status_texts(void **state)
{
  (void)state;
  for (int i = 0; i < BASIN_STATUS_COUNT; ++i) {
    const char *text = basin_status_text((basin_status)i);
    assert_non_null(text);
    assert_string_not_equal(text, "unknown status");
  }
  assert_string_equal(basin_status_text(BASIN_STATUS_COUNT), "unknown status");
  assert_string_equal(basin_status_text((basin_status)-1), "unknown status");
  assert_string_equal(basin_version(), BASIN_VERSION_STRING);
}

static void fields_and_text(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  assert_int_equal(basin_error_last(context)->code, BASIN_OK);
  assert_string_equal(basin_error_text(context), "no error");

  assert_int_equal(pass_on(context), BASIN_ERROR_SHAPE);
  const basin_error *error = basin_error_last(context);
  assert_int_equal(error->code, BASIN_ERROR_SHAPE);
  assert_string_equal(error->message, "cannot add 2x2 and 3x3");
  assert_null(error->script);
  assert_int_equal(error->script_line, 0);
  assert_null(error->expression);
  assert_non_null(strstr(error->site, "test_error.c:"));
  assert_string_equal(basin_error_text(context), "cannot add 2x2 and 3x3");

  basin__error_where(context, "scene.lua", 12, "a + b");
  basin__error_where(context, NULL, 99, NULL); /* leaves both alone */
  assert_string_equal(error->script, "scene.lua");
  assert_int_equal(error->script_line, 12);
  assert_string_equal(error->expression, "a + b");
  assert_string_equal(basin_error_text(context),
                      "scene.lua:12:\ncannot add 2x2 and 3x3\nin: a + b");

  BASIN_FAIL(context, BASIN_ERROR_IO, "first\nsecond"); /* the place of the old error is gone */
  assert_string_equal(basin_error_text(context), "first second");
  basin__error_clear(context);
  assert_int_equal(basin_error_last(context)->code, BASIN_OK);
  basin__error_where(context, "scene.lua", 1, "x"); /* without an error: nothing */
  assert_null(basin_error_last(context)->script);
  basin_context_destroy(context);
}

static void long_text_is_cut(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  char text[8001];
  for (size_t i = 0; i < 8000; i += 2) memcpy(text + i, "\xc3\xa9", 2); /* two-byte characters */
  text[8000] = '\0';
  for (size_t shift = 0; shift < 2; ++shift) {
    BASIN_FAIL(context, BASIN_ERROR_NAME, "%s%s", shift ? "x" : "", text);
    basin__error_where(context, text, 3, text);
    const basin_error *error = basin_error_last(context);
    const char *const parts[] = {error->message, error->script, error->expression};
    for (size_t i = 0; i < 3; ++i) {
      size_t length = strlen(parts[i]);
      assert_true(length > 900 && length < 2100);
      assert_string_equal(parts[i] + length - 3, "...");
      size_t lead = i == 0 ? shift : 0;
      assert_int_equal((length - 3 - lead) % 2, 0); /* whole characters only */
    }
    assert_non_null(strstr(basin_error_text(context), error->expression));
  }
  basin_context_destroy(context);
}

static void no_context(void **state)
{
  (void)state;
  assert_int_equal(fail_inside(NULL), BASIN_ERROR_SHAPE);
  basin__error_where(NULL, "a", 1, "b");
  basin__error_clear(NULL);
  assert_int_equal(basin_error_last(NULL)->code, BASIN_OK);
  assert_string_equal(basin_error_text(NULL), "no error");
}

static void fail_in_task(void *user, size_t index, unsigned worker)
{
  (void)worker;
  BASIN_FAIL(user, BASIN_ERROR_RANGE, "task %zu %zu", index, index);
}

static void the_first_error_is_held(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  assert_int_equal(fail_inside(context), BASIN_ERROR_SHAPE);
  basin__error_hold(context);
  basin__error_hold(context);
  assert_int_equal(BASIN_FAIL(context, BASIN_ERROR_RANGE, "while tidying up"), BASIN_ERROR_RANGE);
  basin__error_where(context, "scene.lua", 12, NULL);
  basin__error_release(context);
  basin__error_clear(context);
  assert_string_equal(basin_error_text(context), "cannot add 2x2 and 3x3");
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_SHAPE);
  basin__error_release(context);
  (void)BASIN_FAIL(context, BASIN_ERROR_RANGE, "later");
  assert_string_equal(basin_error_text(context), "later");
  basin__error_hold(NULL);
  basin__error_release(NULL);
  basin_context_destroy(context);
}

static void tasks_may_fail_together(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.threads = 4;
  basin_context *context = basin_context_create(&options);
  basin__parallel(context, 1000, fail_in_task, context);
  const char *message = basin_error_last(context)->message;
  char *rest;
  unsigned long first = strtoul(message + strlen("task "), &rest, 10);
  assert_int_equal(first, strtoul(rest, NULL, 10)); /* one message, not parts of two */
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_RANGE);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(status_texts),
      cmocka_unit_test(fields_and_text),
      cmocka_unit_test(long_text_is_cut),
      cmocka_unit_test(no_context),
      cmocka_unit_test(the_first_error_is_held),
      cmocka_unit_test(tasks_may_fail_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
