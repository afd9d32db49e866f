/* Tests of checkpoints: bit-exact round trips, damaged and hostile files, widening of NumPy's
 * types. SPDX-License-Identifier: Apache-2.0 */
#include "output_support.h"

static basin_checkpoint *sample(basin_context *context)
{
  basin_checkpoint *checkpoint;
  assert_ok(basin_checkpoint_create(context, &checkpoint));
  double values[6] = {0.1, -0.0, 1e-310, (double)INFINITY, (double)NAN, 1.0 / 3};
  const int64_t step = -5000000000;
  const uint8_t bytes[3] = {0, 128, 255};
  assert_ok(basin_checkpoint_add(checkpoint,
                                 "soft.vertices.position",
                                 BASIN_CHECKPOINT_DOUBLE,
                                 2,
                                 (const size_t[]){2, 3},
                                 values));
  assert_ok(basin_checkpoint_add(checkpoint, "step", BASIN_CHECKPOINT_INT64, 0, NULL, &step));
  assert_ok(basin_checkpoint_add(
      checkpoint, "flags", BASIN_CHECKPOINT_UINT8, 1, (const size_t[]){3}, bytes));
  assert_ok(basin_checkpoint_add(
      checkpoint, "empty/none", BASIN_CHECKPOINT_DOUBLE, 3, (const size_t[]){4, 0, 2}, NULL));
  return checkpoint;
}

static void assert_equal_checkpoints(const basin_checkpoint *a, const basin_checkpoint *b)
{
  assert_int_equal(basin_checkpoint_count(a), basin_checkpoint_count(b));
  for (size_t e = 0; e < basin_checkpoint_count(a); ++e) {
    basin_checkpoint_array x, y;
    assert_true(basin_checkpoint_at(a, e, &x));
    assert_true(basin_checkpoint_find(b, x.name, &y));
    assert_true(x.type == y.type && x.dims == y.dims && x.count == y.count);
    assert_memory_equal(x.shape, y.shape, x.dims * sizeof(size_t));
    if (x.count)
      assert_memory_equal(x.data, y.data, x.count * (x.type == BASIN_CHECKPOINT_UINT8 ? 1 : 8));
  }
}

static void round_trip(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_checkpoint *written = sample(context), *read;
  assert_ok(basin_checkpoint_write(written, OUT "state.npz"));
  assert_ok(basin_checkpoint_read(context, OUT "state.npz", &read));
  assert_equal_checkpoints(written, read);
  basin_checkpoint_array array;
  assert_false(basin_checkpoint_find(read, "none", &array));
  assert_false(basin_checkpoint_at(read, 4, &array));
  basin_checkpoint_destroy(read);
  basin_checkpoint_destroy(written);
  assert_ok(basin_checkpoint_create(context, &written)); /* no arrays at all */
  assert_ok(basin_checkpoint_write(written, OUT "state.npz"));
  assert_ok(basin_checkpoint_read(context, OUT "state.npz", &read));
  assert_int_equal(basin_checkpoint_count(read), 0);
  basin_checkpoint_destroy(read);
  basin_checkpoint_destroy(written);
  basin_context_destroy(context);
}

static void refusals(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_checkpoint *checkpoint = sample(context);
  const double one = 1.0;
  const size_t huge[3] = {(size_t)1 << 40, (size_t)1 << 40, 1};
  char name[600];
  memset(name, 'n', sizeof name);
  name[599] = '\0';
  assert_int_equal(basin_checkpoint_add(checkpoint, "step", BASIN_CHECKPOINT_DOUBLE, 0, NULL, &one),
                   BASIN_ERROR_NAME);
  assert_int_equal(basin_checkpoint_add(checkpoint, "", BASIN_CHECKPOINT_DOUBLE, 0, NULL, &one),
                   BASIN_ERROR_NAME);
  assert_int_equal(basin_checkpoint_add(checkpoint, name, BASIN_CHECKPOINT_DOUBLE, 0, NULL, &one),
                   BASIN_ERROR_NAME);
  assert_int_equal(basin_checkpoint_add(checkpoint, "a", BASIN_CHECKPOINT_DOUBLE, 3, huge, &one),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(basin_checkpoint_add(checkpoint, "a", BASIN_CHECKPOINT_DOUBLE, 9, huge, &one),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(basin_checkpoint_add(checkpoint, "a", (basin_checkpoint_type)7, 0, NULL, &one),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_checkpoint_add(checkpoint, "a", BASIN_CHECKPOINT_DOUBLE, 0, NULL, NULL),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_checkpoint_count(checkpoint), 4);
  assert_int_equal(basin_checkpoint_write(checkpoint, "/proc/none.npz"), BASIN_ERROR_IO);
  basin_checkpoint_destroy(checkpoint);
  assert_int_equal(basin_checkpoint_read(context, OUT "missing.npz", &checkpoint), BASIN_ERROR_IO);
  assert_null(checkpoint);
  basin_context_destroy(context);
}

/* The same numbers; names may differ. A count of arrays that was damaged may hide some. */
static void assert_same_data(const basin_checkpoint *a, const basin_checkpoint *b)
{
  assert_true(basin_checkpoint_count(b) <= basin_checkpoint_count(a));
  for (size_t e = 0; e < basin_checkpoint_count(b); ++e) {
    basin_checkpoint_array x, y;
    assert_true(basin_checkpoint_at(a, e, &x) && basin_checkpoint_at(b, e, &y));
    assert_true(x.type == y.type && x.count == y.count);
    if (x.count)
      assert_memory_equal(x.data, y.data, x.count * (x.type == BASIN_CHECKPOINT_UINT8 ? 1 : 8));
  }
}

/* Every cut and every flipped bit of a file: an error, or (dates, versions, attributes, names) the
 * same numbers. */
static void damaged_files(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_checkpoint *good = sample(context), *read;
  assert_ok(basin_checkpoint_write(good, OUT "damage.npz"));
  size_t size, accepted = 0;
  char *data = file_text(context, OUT "damage.npz", &size);
  for (size_t cut = 0; cut < size; ++cut) {
    char *piece = malloc(cut + 1);
    memcpy(piece, data, cut);
    assert_int_equal(basin_checkpoint_read_memory(context, "cut.npz", piece, cut, &read),
                     BASIN_ERROR_FORMAT);
    free(piece);
  }
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    data[bit / 8] ^= (char)(1 << bit % 8);
    if (basin_checkpoint_read_memory(context, "bit.npz", data, size, &read) == BASIN_OK) {
      ++accepted;
      assert_same_data(good, read);
      basin_checkpoint_destroy(read);
    }
    data[bit / 8] ^= (char)(1 << bit % 8);
  }
  assert_true(accepted < 8 * size / 2);
  basin__free(context, data, size + 1);
  basin_checkpoint_destroy(good);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_checkpoint *good = sample(context), *read;
  const size_t blocks = allocator.blocks;
  size_t failures = 0;
  for (size_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.calls + n;
    basin_status status = basin_checkpoint_write(good, OUT "memory.npz");
    if (status == BASIN_OK) status = basin_checkpoint_read(context, OUT "memory.npz", &read);
    const bool failed = allocator.calls >= allocator.fail_at;
    allocator.fail_at = 0;
    if (status == BASIN_OK) basin_checkpoint_destroy(read);
    if (!failed) assert_ok(status);
    if (!failed) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    assert_true(allocator.blocks <= blocks + 2);
  }
  assert_true(failures > 20);
  basin_checkpoint_destroy(good);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(damaged_files),
                                     cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
