/* Tests of runtime/base/alloc.c: sizes, alignment, overflow, failure of every call.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void sizes_and_contents(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  size_t before = allocator.blocks;

  unsigned char *zeros = basin__calloc(context, 7, 3);
  for (size_t i = 0; i < 21; ++i) assert_int_equal(zeros[i], 0);
  memset(zeros, 5, 21);
  zeros = basin__realloc(context, zeros, 21, 4000);
  for (size_t i = 0; i < 21; ++i) assert_int_equal(zeros[i], 5);
  basin__free(context, zeros, 4000);

  void *empty = basin__alloc(context, 0);
  assert_non_null(empty);
  empty = basin__realloc(context, empty, 0, 0);
  assert_non_null(empty);
  basin__free(context, empty, 0);
  basin__free(context, NULL, 12);
  basin__free_aligned(context, NULL, 12);
  basin__strfree(context, NULL);

  char *copy = basin__strdup(context, "stable");
  assert_string_equal(copy, "stable");
  basin__strfree(context, copy);
  assert_int_equal(allocator.blocks, before);

  void *loose = basin__alloc(NULL, 10); /* no context: the default allocator */
  assert_non_null(loose);
  basin__free(NULL, loose, 10);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
  assert_int_equal(allocator.bytes, 0);
}

static void aligned_to_cache_lines(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  for (size_t size = 0; size < 300; size += 7) {
    char *data = basin__alloc_aligned(context, size);
    assert_int_equal((uintptr_t)data % 64, 0);
    memset(data, 1, (size + 63) / 64 * 64); /* whole lines may be written */
    basin__free_aligned(context, data, size);
  }
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void impossible_sizes_fail(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  size_t calls = allocator.calls;
  assert_null(basin__alloc(context, SIZE_MAX));
  assert_null(basin__alloc_aligned(context, SIZE_MAX - 3));
  assert_null(basin__alloc_aligned(context, PTRDIFF_MAX));
  basin__error_clear(context);
  assert_null(basin__calloc(context, SIZE_MAX / 8, 16));
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_MEMORY);
  double *array = NULL;
  size_t capacity = 0;
  assert_int_equal(basin__grow(context, &array, &capacity, SIZE_MAX / 4, sizeof *array),
                   BASIN_ERROR_MEMORY);
  assert_null(array);
  assert_int_equal(capacity, 0);
  assert_int_equal(allocator.calls, calls);
  basin_context_destroy(context);
}

static void growing_keeps_entries(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  uint32_t *array = NULL;
  size_t capacity = 0, calls = allocator.calls;
  for (uint32_t i = 0; i < 10000; ++i) {
    assert_int_equal(basin__grow(context, &array, &capacity, i + 1, sizeof *array), BASIN_OK);
    array[i] = i * i;
  }
  for (uint32_t i = 0; i < 10000; ++i) assert_int_equal(array[i], i * i);
  assert_true(allocator.calls - calls < 20); /* doubling: log2(10000 / 8) and a few */
  basin__free(context, array, capacity * sizeof *array);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

/* A little work through every allocating function; stops at the first failure. */
static basin_status work(basin_context *context)
{
  basin_status status = BASIN_ERROR_MEMORY;
  char *text = basin__strdup(context, "some text");
  double *aligned = basin__alloc_aligned(context, 100 * sizeof(double));
  int *array = NULL;
  size_t capacity = 0;
  if (text && aligned) status = basin__grow(context, &array, &capacity, 5, sizeof *array);
  if (status == BASIN_OK) status = basin__grow(context, &array, &capacity, 500, sizeof *array);
  basin__free(context, array, capacity * sizeof *array);
  basin__free_aligned(context, aligned, 100 * sizeof(double));
  basin__strfree(context, text);
  return status;
}

static void every_failure_is_reported(void **state)
{
  (void)state;
  for (size_t fail_at = 1;; ++fail_at) {
    assert_true(fail_at < 100);
    failing_allocator allocator = {.fail_at = fail_at};
    basin_context *context = test_context(&allocator);
    basin_status status = BASIN_ERROR_MEMORY;
    if (context) {
      status = work(context);
      assert_int_equal(basin_error_last(context)->code, status);
    }
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (status == BASIN_OK) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_contents),
      cmocka_unit_test(aligned_to_cache_lines),
      cmocka_unit_test(impossible_sizes_fail),
      cmocka_unit_test(growing_keeps_entries),
      cmocka_unit_test(every_failure_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
