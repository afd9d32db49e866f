/* Tests of runtime/base/strbuf.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void text_grows(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_strbuf buffer;
  basin__strbuf_init(&buffer, context);
  assert_string_equal(basin__strbuf_text(&buffer), "");
  basin__strbuf_puts(&buffer, "a");
  basin__strbuf_append(&buffer, "bcdef", 2);
  basin__strbuf_append(&buffer, NULL, 0);
  basin__strbuf_printf(&buffer, "%d-%s", 17, "x");
  assert_string_equal(basin__strbuf_text(&buffer), "abc17-x");
  assert_int_equal(buffer.length, 7);

  char big[5001];
  memset(big, 'q', 5000);
  big[5000] = '\0';
  basin__strbuf_printf(&buffer, "<%s>", big);
  assert_int_equal(buffer.length, 7 + 5002);
  assert_int_equal(buffer.data[7], '<');
  assert_int_equal(buffer.data[7 + 5001], '>');
  assert_int_equal(strlen(buffer.data), buffer.length);
  basin__strbuf_fini(&buffer);
  assert_string_equal(basin__strbuf_text(&buffer), "");
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void failure_is_remembered(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_strbuf buffer;
  basin__strbuf_init(&buffer, context);
  basin__strbuf_puts(&buffer, "kept");
  char big[1000];
  memset(big, 'q', 999);
  big[999] = '\0';
  allocator.fail_at = allocator.calls + 1;
  basin__strbuf_printf(&buffer, "%s", big);
  assert_true(buffer.failed);
  assert_string_equal(basin__strbuf_text(&buffer), "kept");
  basin__strbuf_puts(&buffer, "more");
  assert_string_equal(basin__strbuf_text(&buffer), "kept");
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_MEMORY);
  basin__strbuf_fini(&buffer);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_grows),
      cmocka_unit_test(failure_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
