/* Keys: what changes them and what does not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/key.h"
#include "support.h"

static basin_key key_of(const char *text, const char *configuration)
{
  basin_context *context = test_context(NULL);
  basin_key key;
  assert_int_equal(basin__key_make(context, text, configuration, &key), BASIN_OK);
  basin_context_destroy(context);
  return key;
}

static void expect_keys(const char *a, const char *b, const char *configuration, bool equal)
{
  basin_key x = key_of(a, "one"), y = key_of(b, configuration);
  assert_int_equal(strlen(x.hex), 32);
  assert_int_equal(strcmp(x.hex, y.hex) == 0, equal);
}

static void test_comments(void **state)
{
  (void)state;
  expect_keys("x = 1; /* scene.lua:3 */\ny", "x = 1; /* scene.lua:47 */\ny", "one", true);
  expect_keys("/* a *//* b */x", "x", "one", true);
  expect_keys("x /* never closed", "x ", "one", true);
  expect_keys("x /*/ still inside */ y", "x  y", "one", true);
}

static void test_contents(void **state)
{
  (void)state;
  expect_keys("x = 1;", "x = 2;", "one", false);
  expect_keys("x = 1;", "x = 1;", "two", false);
  expect_keys("x = 1;one", "x = 1;", "oneone", false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_comments),
                                     cmocka_unit_test(test_contents)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
