/* Tests of the symmetric block multiplication: against dense results, other kernels, other thread
 * counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/bsr.h"
#include "linalg_support.h"

static void agrees_with_dense_for_every_block_size(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (unsigned b = 1; b <= 12; b++) {
    const size_t sizes[] = {1, 2, 7, 40};
    for (size_t s = 0; s < 4; s++) {
      basin_bsr *m = random_bsr(context, (uint32_t)sizes[s], b, sizes[s] * 5, 0, b * 10 + s);
      size_t n = basin_bsr_size(m);
      uint64_t seed = 99;
      double *dense = dense_of_bsr(m), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
      double *expected = calloc(n, sizeof *expected);
      for (size_t i = 0; i < n; i++) x[i] = random_number(&seed), y[i] = (double)NAN;
      dense_apply(n, n, dense, x, expected);
      basin_bsr_multiply(m, x, y);
      assert_close(n, y, expected, 1e-13 * (double)(sizes[s] * b));
      free(dense), free(x), free(y), free(expected);
      basin_bsr_destroy(m);
    }
  }
  basin_context_destroy(context);
}

/* Many chunks: the values fill several times what one chunk aims at, and random columns give large
 * halos. */
static basin_bsr *large_matrix(basin_context *context, unsigned b)
{
  return random_bsr(context, (uint32_t)(12000 / (b * b) + 300), b, 200000 / (b * b), 1, 1000 + b);
}

static void agrees_with_csr_over_many_chunks(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (unsigned b = 1; b <= 12; b++) {
    basin_bsr *m = large_matrix(context, b);
    basin_csr *csr;
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &csr));
    size_t n = basin_bsr_size(m);
    uint64_t seed = 4;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
    for (size_t i = 0; i < n; i++) x[i] = random_number(&seed);
    assert_true(m->plan.chunk_count >= 2);
    basin_bsr_multiply(m, x, y);
    basin_csr_apply(csr, 1, x, z);
    assert_close(n, y, z, 1e-11);
    free(x), free(y), free(z);
    basin_csr_destroy(csr);
    basin_bsr_destroy(m);
  }
  basin_context_destroy(context);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  for (unsigned b = 1; b <= 12; b++) {
    double *first = NULL;
    for (unsigned threads = 1; threads <= 8; threads += b <= 3 ? 1 : 7) {
      basin_context *context = context_with_threads(threads);
      basin_bsr *m = large_matrix(context, b);
      size_t n = basin_bsr_size(m);
      uint64_t seed = 4;
      double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
      for (size_t i = 0; i < n; i++) x[i] = random_number(&seed);
      for (int repeat = 0; repeat < 2; repeat++) {
        basin_bsr_multiply(m, x, y);
        if (first == NULL) {
          first = calloc(n, sizeof *first);
          memcpy(first, y, n * sizeof *y);
        }
        assert_memory_equal(first, y, n * sizeof *y);
      }
      free(x), free(y);
      basin_bsr_destroy(m);
      basin_context_destroy(context);
    }
    free(first);
  }
}

static void kernels_give_the_same_bits(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  for (unsigned b = 1; b <= 12; b++) {
    basin__bsr_kernel portable = basin__bsr_kernel_variant(b, 0);
    basin__bsr_kernel wide = basin__bsr_kernel_variant(b, 1);
    if (wide == NULL) skip();
    basin_bsr *m = large_matrix(context, b);
    size_t n = basin_bsr_size(m);
    uint64_t seed = 12;
    double *v[8];
    for (size_t i = 0; i < 8; i++) {
      v[i] = calloc(n, sizeof *v[i]);
      for (size_t k = 0; k < n && i < 4; k++) v[i][k] = random_number(&seed);
    }
    double *before = calloc(n, sizeof *before), *start = calloc(n, sizeof *start);
    memcpy(before, v[2], n * sizeof *before), memcpy(v[4], v[2], n * sizeof *before);
    memcpy(start, v[3], n * sizeof *start), memcpy(v[5], v[3], n * sizeof *start);
    basin__bsr_input a = {v[0], v[1], 0.25, 0.5, 0.75, v[2], v[3], true};
    basin__bsr_input c = {v[0], v[1], 0.25, 0.5, 0.75, v[4], v[5], true};
    double dot = 0, whole = 0;
    for (size_t chunk = 0; chunk < m->plan.chunk_count; chunk++) {
      double one = portable(m, chunk, 0, &a, v[6]), two = wide(m, chunk, 0, &c, v[7]);
      assert_memory_equal(&one, &two, sizeof one);
      dot += one;
    }
    for (size_t k = 2; k < 4; k++) assert_memory_equal(v[k], v[k + 2], n * sizeof **v);
    assert_memory_equal(v[6], v[7], n * sizeof **v);
    /* The fused direction, step and dot product against their definitions. */
    basin__bsr_reduce(m, 0, m->node_count, v[6]);
    for (size_t i = 0; i < n; i++) {
      assert_true(v[2][i] == v[1][i] + 0.75 * v[0][i]);
      assert_true(v[3][i] == start[i] + (0.25 * v[0][i] + 0.5 * before[i]));
      whole += v[2][i] * v[6][i];
    }
    assert_true(fabs(dot - whole) < 1e-9 * (1 + fabs(whole)));
    basin_bsr_multiply(m, v[2], v[7]);
    assert_close(n, v[6], v[7], 0);
    for (size_t i = 0; i < 8; i++) free(v[i]);
    free(before), free(start);
    basin_bsr_destroy(m);
  }
  basin_context_destroy(context);
}

/* Ranges that cut chunks anywhere add the same halo sums. */
static void halo_sums_by_ranges(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  basin_bsr *m = large_matrix(context, 3);
  size_t n = basin_bsr_size(m);
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  uint64_t seed = 3;
  for (size_t i = 0; i < n; i++) x[i] = random_number(&seed);
  basin__bsr_input input = {.x = x};
  basin__bsr_kernel kernel = basin__bsr_kernel_select(3);
  for (size_t chunk = 0; chunk < m->plan.chunk_count; chunk++) kernel(m, chunk, 0, &input, y);
  for (uint32_t first = 0; first < m->node_count; first += 37)
    basin__bsr_reduce(m, first, first + 37 < m->node_count ? first + 37 : m->node_count, y);
  basin__bsr_reduce(m, 5, 5, y);
  basin_bsr_multiply(m, x, z);
  assert_memory_equal(y, z, n * sizeof *y);
  free(x), free(y), free(z);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

/* A NaN stays where the matrix carries it. */
static void nan_stays_local(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  for (unsigned b = 1; b <= 12; b++) {
    basin_bsr *m = laplacian(context, 6, b, 1);
    size_t n = basin_bsr_size(m);
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    uint32_t bad = 3 * 36 + 3 * 6 + 3;
    for (unsigned k = 0; k < b; k++) x[bad * b + k] = (double)NAN;
    basin_bsr_multiply(m, x, y);
    for (size_t i = 0; i < n; i++) {
      uint32_t node = (uint32_t)(i / b);
      bool reached = basin_bsr_slot(m, node, bad) != BASIN_SLOT_NONE;
      assert_int_equal(isnan(y[i]) != 0, reached);
    }
    free(x), free(y);
    basin_bsr_destroy(m);
  }
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_dense_for_every_block_size),
      cmocka_unit_test(agrees_with_csr_over_many_chunks),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(kernels_give_the_same_bits),
      cmocka_unit_test(halo_sums_by_ranges),
      cmocka_unit_test(nan_stays_local),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
