/* Tests of runtime/base/dl.c with a small library built beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void first_that_opens(void **state)
{
  (void)state;
  unsetenv("BASIN_LIB_TEST");
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  const char *const names[] = {"libno-such-library.so.9", TEST_PLUGIN, NULL};
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  basin_dl *library = basin__dl_open(context, "TEST", names, &reason);
  assert_non_null(library);
  assert_non_null(strstr(reason.data, "libno-such-library.so.9"));
  assert_string_equal(basin__dl_path(library), TEST_PLUGIN);
  int (*answer)(void);
  void *symbol = basin__dl_symbol(library, "plugin_answer");
  memcpy(&answer, &symbol, sizeof answer);
  assert_int_equal(answer(), 42);
  assert_null(basin__dl_symbol(library, "plugin_question"));
  basin__dl_close(library);
  basin__dl_close(NULL);
  basin__strbuf_fini(&reason);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void none_opens(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *const names[] = {"libno-such-a.so", "libno-such-b.so", NULL};
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  assert_null(basin__dl_open(context, NULL, names, &reason));
  assert_non_null(strstr(reason.data, "libno-such-a.so"));
  assert_non_null(strstr(reason.data, "; libno-such-b.so"));
  assert_null(basin__dl_open(context, NULL, names, NULL));
  basin__strbuf_fini(&reason);
  basin_context_destroy(context);
}

static void the_user_s_choice_is_not_replaced(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const char *const names[] = {"libno-such-library.so.9", NULL};
  setenv("BASIN_LIB_TEST", TEST_PLUGIN, 1);
  basin_dl *library = basin__dl_open(context, "TEST", names, NULL);
  assert_non_null(library);
  basin__dl_close(library);
  const char *const good[] = {TEST_PLUGIN, NULL};
  setenv("BASIN_LIB_TEST", "/nonexistent/file.so", 1);
  assert_null(basin__dl_open(context, "TEST", good, NULL));
  unsetenv("BASIN_LIB_TEST");
  basin_context_destroy(context);
}

static void failure_of_every_allocation(void **state)
{
  (void)state;
  const char *const names[] = {TEST_PLUGIN, NULL};
  for (size_t fail_at = 1;; ++fail_at) {
    assert_true(fail_at < 20);
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    allocator.fail_at = allocator.calls + fail_at;
    basin_dl *library = basin__dl_open(context, "TEST", names, NULL);
    bool opened = library != NULL;
    basin__dl_close(library);
    if (!opened) assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_MEMORY);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (opened) break;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_that_opens),
      cmocka_unit_test(none_opens),
      cmocka_unit_test(the_user_s_choice_is_not_replaced),
      cmocka_unit_test(failure_of_every_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
