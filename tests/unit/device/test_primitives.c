/* Scans, sorts, runs and reductions on a CUDA device against serial loops on the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda_support.h"
#include "device/cuda/primitives.h"

#include <math.h>

static basin_context *test_context_of;
static basin_cuda *cuda;
static basin_cuda_scratch scratch;

static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 2048, 2049, 4096, 4097, 100000};

static int open_device(void **state)
{
  (void)state;
  test_context_of = test_context(NULL);
  OK(basin__cuda_open(test_context_of, 0, &cuda));
  return 0;
}

static int close_device(void **state)
{
  (void)state;
  basin__buffer_release(cuda, &scratch.memory);
  basin__cuda_close(cuda);
  basin_context_destroy(test_context_of);
  return 0;
}

/* splitmix64 */
static uint64_t random_word(uint64_t *state)
{
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void *host_array(size_t count, size_t item)
{
  void *array = calloc(count + 1, item);
  assert_non_null(array);
  return array;
}

/* A device copy of an array, with a guard word after it that must not change. */
typedef struct device_array {
  basin_buffer buffer;
  size_t bytes;
} device_array;

static const uint32_t guard = 0xfeedbeef;

static device_array to_device(const void *from, size_t bytes)
{
  device_array array = {.bytes = bytes};
  OK(basin__buffer_reserve(cuda, &array.buffer, bytes + sizeof guard));
  OK(basin__cuda_upload(cuda, array.buffer.address, from, bytes));
  OK(basin__cuda_upload(cuda, array.buffer.address + bytes, &guard, sizeof guard));
  return array;
}

static void from_device(device_array *array, void *to)
{
  uint32_t found;
  if (array->bytes > 0) OK(basin__cuda_download(cuda, to, array->buffer.address, array->bytes));
  OK(basin__cuda_download(cuda, &found, array->buffer.address + array->bytes, sizeof found));
  assert_int_equal(found, guard);
  basin__buffer_release(cuda, &array->buffer);
}

/* ---- scan ---- */

static void check_scan(size_t count, bool in_place, uint32_t largest)
{
  uint64_t seed = count;
  uint32_t *from = host_array(count + 1, sizeof *from), *to = host_array(count + 1, sizeof *to);
  for (size_t i = 0; i < count; i++) from[i] = (uint32_t)(random_word(&seed) % (largest + 1u));
  device_array a = to_device(from, (count + 1) * sizeof *from);
  device_array b = to_device(to, (count + 1) * sizeof *to);
  OK(basin__cuda_scan(
      cuda, &scratch, a.buffer.address, count, in_place ? a.buffer.address : b.buffer.address));
  from_device(in_place ? &a : &b, to);
  basin__buffer_release(cuda, in_place ? &b.buffer : &a.buffer);
  uint32_t sum = 0;
  for (size_t i = 0; i <= count; i++) {
    assert_int_equal(to[i], sum);
    sum += i < count ? from[i] : 0;
  }
  free(from);
  free(to);
}

static void test_scan(void **state)
{
  (void)state;
  for (size_t i = 0; i < BASIN_COUNT(sizes); i++) {
    check_scan(sizes[i], false, 9);
    check_scan(sizes[i], true, 9);
  }
  check_scan(5000, true, 800000); /* totals near 2^31 */
}

/* Three levels: 2048^2 words and one. A constant array, so that the host does little. */
static void test_scan_of_three_levels(void **state)
{
  (void)state;
  if (is_software()) skip(); /* minutes there; the levels are the same code as two */
  size_t count = (size_t)2048 * 2048 + 1;
  basin_buffer words = {0};
  uint32_t found;
  OK(basin__buffer_reserve(cuda, &words, (count + 1) * sizeof found));
  OK(basin__cuda_fill(cuda, words.address, 3, count + 1));
  OK(basin__cuda_scan(cuda, &scratch, words.address, count, words.address));
  for (size_t i = 0; i <= count; i += 65535) {
    OK(basin__cuda_download(cuda, &found, words.address + i * sizeof found, sizeof found));
    assert_int_equal(found, 3 * i);
  }
  OK(basin__cuda_download(cuda, &found, words.address + count * sizeof found, sizeof found));
  assert_int_equal(found, 3 * count);
  basin__buffer_release(cuda, &words);
}

/* ---- sort ---- */

typedef struct item {
  uint64_t key;
  uint32_t value;
} item;

static uint64_t key_mask;

/* Equal keys keep their order: values count up. */
static int compare_items(const void *a, const void *b)
{
  const item *x = a, *y = b;
  uint64_t i = x->key & key_mask, j = y->key & key_mask;
  if (i != j) return i < j ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

static void check_sort(size_t count, unsigned bits, unsigned key_bits, bool with_values)
{
  uint64_t seed = count + bits, limit = key_bits == 64 ? UINT64_MAX : UINT32_MAX;
  item *items = host_array(count, sizeof *items);
  uint64_t *keys = host_array(count, sizeof *keys);
  uint32_t *small = host_array(count, sizeof *small), *values = host_array(count, sizeof *values);
  for (size_t i = 0; i < count; i++) {
    /* Bits above those sorted by are noise that must travel along. */
    keys[i] = items[i].key = random_word(&seed) & limit;
    small[i] = (uint32_t)keys[i];
    values[i] = items[i].value = (uint32_t)i;
  }
  size_t key_bytes = key_bits / 8;
  device_array k = to_device(key_bits == 64 ? (void *)keys : small, count * key_bytes);
  device_array v = to_device(values, count * sizeof *values);
  basin_address moved = with_values ? v.buffer.address : 0;
  if (key_bits == 64) OK(basin__cuda_sort_64(cuda, &scratch, k.buffer.address, moved, count, bits));
  if (key_bits == 32) OK(basin__cuda_sort_32(cuda, &scratch, k.buffer.address, moved, count, bits));
  from_device(&k, key_bits == 64 ? (void *)keys : small);
  from_device(&v, values);
  key_mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  qsort(items, count, sizeof *items, compare_items);
  for (size_t i = 0; i < count; i++) {
    uint64_t key = key_bits == 64 ? keys[i] : small[i];
    if (key != items[i].key) fail_msg("key %zu of %zu, %u bits", i, count, bits);
    if (values[i] != (with_values ? items[i].value : i)) fail_msg("value %zu of %zu", i, count);
  }
  free(items);
  free(keys);
  free(small);
  free(values);
}

static void test_sort(void **state)
{
  (void)state;
  for (size_t i = 0; i < BASIN_COUNT(sizes); i++) {
    size_t count = sizes[i] < 20000 ? sizes[i] : 20000;
    check_sort(count, 64, 64, true);
    check_sort(count, 32, 32, true);
  }
}

static void test_sort_of_few_bits(void **state)
{
  (void)state;
  static const unsigned bits[] = {0, 1, 3, 8, 9, 17, 31};
  for (size_t i = 0; i < BASIN_COUNT(bits); i++) {
    check_sort(9000, bits[i], 64, true);
    check_sort(9000, bits[i], 32, true);
    check_sort(300, bits[i], 64, true);
  }
  check_sort(9000, 40, 64, false);
  check_sort(9000, 20, 32, false);
}

static void test_large_sort(void **state)
{
  (void)state;
  check_sort(100000, 34, 64, true);
}

/* ---- runs ---- */

static void check_runs(size_t count, uint64_t different, bool with_numbers)
{
  uint64_t *keys = host_array(count, sizeof *keys), seed = 3;
  uint32_t *heads = host_array(count + 1, sizeof *heads),
           *numbers = host_array(count, sizeof(uint32_t)), runs = 77;
  for (size_t i = 1; i < count; i++)
    keys[i] = keys[i - 1] + (random_word(&seed) % 64 < different ? UINT64_C(1) << 40 : 0);
  device_array k = to_device(keys, count * sizeof *keys);
  device_array h = to_device(heads, (count + 1) * sizeof *heads);
  device_array n = to_device(numbers, count * sizeof *numbers);
  device_array r = to_device(&runs, sizeof runs);
  OK(basin__cuda_runs_64(cuda,
                         &scratch,
                         k.buffer.address,
                         count,
                         h.buffer.address,
                         with_numbers ? n.buffer.address : 0,
                         r.buffer.address));
  from_device(&k, keys);
  from_device(&h, heads);
  from_device(&n, numbers);
  from_device(&r, &runs);
  size_t expected = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || keys[i] != keys[i - 1]) assert_int_equal(heads[expected++], i);
    assert_int_equal(numbers[i], with_numbers ? expected - 1 : 0);
  }
  assert_int_equal(runs, expected);
  assert_int_equal(heads[expected], count);
  free(keys);
  free(heads);
  free(numbers);
}

static void test_runs(void **state)
{
  (void)state;
  for (size_t i = 0; i < BASIN_COUNT(sizes); i++) {
    size_t count = sizes[i] < 20000 ? sizes[i] : 20000;
    check_runs(count, 9, true);
    check_runs(count, 64, false);
    check_runs(count, 0, true);
  }
}

/* ---- reductions ---- */

typedef basin_status (*reduction)(
    basin_cuda *, basin_cuda_scratch *, basin_address, size_t, basin_address);

static double reduce(reduction run, const double *values, size_t count)
{
  double result = 12345;
  device_array a = to_device(values, count * sizeof *values);
  device_array r = to_device(&result, sizeof result);
  OK(run(cuda, &scratch, a.buffer.address, count, r.buffer.address));
  from_device(&r, &result);
  basin__buffer_release(cuda, &a.buffer);
  return result;
}

static void test_sums(void **state)
{
  (void)state;
  for (size_t s = 0; s < BASIN_COUNT(sizes); s++) {
    size_t count = sizes[s];
    uint64_t seed = 5;
    double *a = host_array(count, sizeof *a), *b = host_array(count, sizeof *b), sum = 0, dot = 0,
           result;
    for (size_t i = 0; i < count; i++) {
      a[i] = (double)(int64_t)(random_word(&seed) % 2001) - 1000;
      b[i] = (double)(int64_t)(random_word(&seed) % 2001) - 1000;
      sum += a[i]; /* whole numbers: exact in any order */
      dot += a[i] * b[i];
    }
    assert_true(reduce(basin__cuda_sum, a, count) == sum);
    device_array x = to_device(a, count * sizeof *a), y = to_device(b, count * sizeof *b);
    device_array r = to_device(&sum, sizeof sum);
    OK(basin__cuda_dot(
        cuda, &scratch, x.buffer.address, y.buffer.address, count, r.buffer.address));
    from_device(&r, &result);
    assert_true(result == dot);
    OK(basin__cuda_combine(cuda, count, x.buffer.address, 0.5, y.buffer.address, y.buffer.address));
    from_device(&x, a);
    double *c = host_array(count, sizeof *c);
    from_device(&y, c);
    for (size_t i = 0; i < count; i++) assert_true(c[i] == a[i] + 0.5 * b[i]);
    free(a);
    free(b);
    free(c);
  }
}

static void test_extremes(void **state)
{
  (void)state;
  assert_true(reduce(basin__cuda_largest, NULL, 0) == 0);
  assert_true(reduce(basin__cuda_smallest, NULL, 0) == (double)INFINITY);
  for (size_t s = 1; s < BASIN_COUNT(sizes); s++) {
    size_t count = sizes[s], place = count - 1 - count / 3;
    double *a = host_array(count, sizeof *a);
    uint64_t seed = count;
    for (size_t i = 0; i < count; i++) a[i] = (double)(random_word(&seed) >> 11) * 0x1p-53;
    a[place] = -2;
    assert_true(reduce(basin__cuda_largest, a, count) == 2);
    assert_true(reduce(basin__cuda_smallest, a, count) == -2);
    a[count / 2] = (double)NAN;
    assert_true(isnan(reduce(basin__cuda_largest, a, count)));
    assert_true(isnan(reduce(basin__cuda_smallest, a, count)));
    assert_true(isnan(reduce(basin__cuda_sum, a, count)));
    free(a);
  }
}

/* The order of a sum depends on its length alone: the same bits for blocks in any order. */
static void test_order(void **state)
{
  (void)state;
  enum { COUNT = 50000 };
  static double values[COUNT];
  static const char *const orders[] = {"forward", "reverse", "random:1", "random:9"};
  uint64_t seed = 8;
  for (size_t i = 0; i < COUNT; i++) values[i] = (double)(random_word(&seed) >> 11) * 0x1p-53;
  double first = reduce(basin__cuda_sum, values, COUNT);
  for (size_t i = 0; i < BASIN_COUNT(orders); i++) {
    setenv("SOFTCUDA_ORDER", orders[i], 1);
    assert_true(reduce(basin__cuda_sum, values, COUNT) == first);
    check_sort(9000, 17, 64, true);
    check_scan(9000, true, 5);
    check_runs(9000, 9, true);
  }
  unsetenv("SOFTCUDA_ORDER");
}

static void test_too_many(void **state)
{
  (void)state;
  assert_int_equal(basin__cuda_scan(cuda, &scratch, 0, (size_t)1 << 33, 0),
                   BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin__cuda_sort_64(cuda, &scratch, 0, 0, (size_t)1 << 33, 64),
                   BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin__cuda_runs_64(cuda, &scratch, 0, (size_t)1 << 33, 0, 0, 0),
                   BASIN_ERROR_UNSUPPORTED);
}

int main(int count, char **words)
{
  skip_without_device();
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scan),
                                     cmocka_unit_test(test_scan_of_three_levels),
                                     cmocka_unit_test(test_sort),
                                     cmocka_unit_test(test_sort_of_few_bits),
                                     cmocka_unit_test(test_large_sort),
                                     cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_extremes),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_too_many)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
