/* Tests of runtime/base/arena.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void objects_do_not_overlap(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  size_t before = allocator.blocks;
  basin_arena arena;
  basin__arena_init(&arena, context);
  unsigned char *objects[500];
  size_t sizes[500];
  for (size_t i = 0; i < 500; ++i) {
    sizes[i] = i % 50 == 49 ? 100000 + i : i * 7 % 300;
    objects[i] = basin__arena_alloc(&arena, sizes[i]);
    assert_non_null(objects[i]);
    assert_int_equal((uintptr_t)objects[i] % 16, 0);
    memset(objects[i], (int)(i % 251), sizes[i]);
  }
  for (size_t i = 0; i < 500; ++i)
    for (size_t k = 0; k < sizes[i]; ++k) assert_int_equal(objects[i][k], i % 251);
  assert_string_equal(basin__arena_strdup(&arena, "name"), "name");
  assert_null(basin__arena_alloc(&arena, SIZE_MAX - 8));
  basin__arena_fini(&arena);
  assert_int_equal(allocator.blocks, before);
  assert_non_null(basin__arena_alloc(&arena, 8)); /* usable again */
  basin__arena_fini(&arena);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void chunks_grow(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  size_t calls = allocator.calls;
  basin_arena arena;
  basin__arena_init(&arena, context);
  for (size_t i = 0; i < 100000; ++i) assert_non_null(basin__arena_alloc(&arena, 32));
  assert_true(allocator.calls - calls < 20);
  basin__arena_fini(&arena);
  basin_context_destroy(context);
}

static void failure_leaves_the_arena_usable(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_arena arena;
  basin__arena_init(&arena, context);
  char *first = basin__arena_strdup(&arena, "kept");
  allocator.fail_at = allocator.calls + 1;
  assert_null(basin__arena_alloc(&arena, 10000));
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_MEMORY);
  assert_string_equal(first, "kept");
  assert_non_null(basin__arena_alloc(&arena, 10000));
  basin__arena_fini(&arena);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_do_not_overlap),
      cmocka_unit_test(chunks_grow),
      cmocka_unit_test(failure_leaves_the_arena_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
