/* Tests of modes of sparse matrices and of dense decompositions, also without memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"
#include <basin/spectral.h>
#include <stdlib.h>

enum { CHAIN = 700, MODES = 5 };

static void need_libraries(basin_context *context)
{
  if (basin_linear_library_available(context, "ARPACK") &&
      basin_linear_library_available(context, "LAPACK"))
    return;
  basin_context_destroy(context);
  skip();
}

/* Springs between n nodes in a row: eigenvalues 4 sin^2(pi k / (2 n)). */
static basin_status make_chain(basin_context *context, size_t n, basin_csr **chain)
{
  size_t count = 0;
  size_t *rows = malloc(4 * n * sizeof *rows), *columns = malloc(4 * n * sizeof *columns);
  double *values = malloc(4 * n * sizeof *values);
  assert_true(rows && columns && values);
  for (size_t i = 0; i + 1 < n; i++) {
    for (size_t k = 0; k < 4; k++) {
      rows[count] = i + k / 2;
      columns[count] = i + k % 2;
      values[count++] = k / 2 == k % 2 ? 1 : -1;
    }
  }
  basin_status status = basin_csr_create(context, n, n, count, rows, columns, values, chain);
  free(rows);
  free(columns);
  free(values);
  return status;
}

static double chain_value(size_t n, size_t k)
{
  double s = sin(acos(-1) * (double)k / (2 * (double)n));
  return 4 * s * s;
}

static void modes_of_a_chain(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  need_libraries(context);
  basin_csr *chain;
  check_status(context, make_chain(context, CHAIN, &chain));
  static double values[MODES], vectors[CHAIN * MODES], expected[MODES];
  basin_eigen_options options = basin_eigen_options_defaults();
  basin_eigen_info info;
  options.count = MODES;
  check_status(context,
               basin_sparse_eigen(context, chain, NULL, NULL, &options, values, vectors, &info));
  assert_string_equal(info.method, "ARPACK");
  assert_true(info.shift < 0);
  for (size_t k = 0; k < MODES; k++) expected[k] = chain_value(CHAIN, k);
  assert_close(MODES, values, expected, 1e-14);
  /* Without the constant: the sum is zero. Once by elimination, once in one system. */
  size_t zeros[CHAIN] = {0}, all[CHAIN];
  double ones[CHAIN];
  for (size_t i = 0; i < CHAIN; i++) {
    all[i] = i;
    ones[i] = 1;
  }
  basin_csr *sum;
  check_status(context, basin_csr_create(context, 1, CHAIN, CHAIN, zeros, all, ones, &sum));
  for (int near = 0; near < 2; near++) {
    options.near = near;
    options.shift = 1e-7;
    check_status(context,
                 basin_sparse_eigen(context, chain, NULL, sum, &options, values, vectors, NULL));
    for (size_t k = 0; k < MODES; k++) expected[k] = chain_value(CHAIN, k + 1);
    assert_close(MODES, values, expected, 1e-13);
    double sums[MODES], none[MODES] = {0};
    basin_csr_apply(sum, MODES, vectors, sums);
    assert_close(MODES, sums, none, 1e-11);
  }
  basin_csr_destroy(sum);
  basin_csr_destroy(chain);
  basin_context_destroy(context);
}

/* One run of everything; the first failure is returned. */
static basin_status run_all(basin_context *context, size_t n, size_t side)
{
  basin_csr *chain = NULL;
  double *work = malloc((n * 3 + 6 * side * side) * sizeof *work);
  size_t *order = malloc(side * sizeof *order);
  assert_true(work && order);
  uint64_t seed = 7;
  double *a = work + 3 * n, *u = a + side * side, *s = u + side * side, *v = s + side * side;
  for (size_t i = 0; i < side * side; i++) a[i] = random_number(&seed);
  basin_eigen_options options = basin_eigen_options_defaults();
  options.count = 2;
  basin_status status = make_chain(context, n, &chain);
  if (status == BASIN_OK) {
    status = basin_sparse_eigen(context, chain, NULL, NULL, &options, work, work + n, NULL);
    basin_csr_destroy(chain);
  }
  if (status == BASIN_OK) status = basin_dense_svd(context, side, side, a, true, u, s, v);
  if (status == BASIN_OK) status = basin_dense_qr(context, side, side, a, false, order, u, v);
  for (size_t i = 0; i < side; i++) {
    for (size_t j = 0; j < i; j++) a[j * side + i] = a[i * side + j];
  }
  if (status == BASIN_OK) status = basin_dense_eigen(context, side, a, NULL, s, v);
  free(work);
  free(order);
  return status;
}

static void out_of_memory(void **state)
{
  (void)state;
  basin_context *probe = test_context(NULL);
  need_libraries(probe);
  basin_context_destroy(probe);
  static const size_t sizes[][2] = {{40, 6}, {300, 50}};
  for (size_t k = 0; k < 2; k++) {
    for (size_t fail_at = 1;; fail_at++) {
      failing_allocator allocator = {0};
      basin_context *context = test_context(&allocator);
      assert_non_null(context);
      allocator.fail_at = allocator.calls + fail_at;
      basin_status status = run_all(context, sizes[k][0], sizes[k][1]);
      allocator.fail_at = 0;
      basin_context_destroy(context);
      assert_int_equal(allocator.blocks, 0);
      if (status == BASIN_OK) break;
      /* What cannot be opened for want of memory counts as missing. */
      assert_true(status == BASIN_ERROR_MEMORY || status == BASIN_ERROR_MISSING_LIBRARY);
    }
  }
}

static void bad_input(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  double a[4] = {1, 0, 0, (double)NAN}, values[2], vectors[4], u[4], v[4];
  assert_int_equal(basin_dense_eigen(context, 2, a, NULL, values, vectors), BASIN_ERROR_NOT_FINITE);
  assert_int_equal(basin_dense_svd(context, 2, 2, a, false, u, values, v), BASIN_ERROR_NOT_FINITE);
  a[3] = 1;
  double mass[4] = {1, 0, 0, -1};
  assert_int_equal(basin_dense_eigen(context, 2, a, mass, values, vectors), BASIN_ERROR_INDEFINITE);
  check_status(context, basin_dense_eigen(context, 2, a, NULL, values, vectors));
  /* The largest and the smallest numbers keep their digits. */
  double far[4] = {3e300, 0, 0, 4e-300};
  check_status(context, basin_dense_svd(context, 2, 2, far, false, u, values, v));
  assert_true(fabs(values[0] / 3e300 - 1) < 1e-15);
  check_status(context, basin_dense_qr(context, 2, 2, far, false, NULL, u, v));
  assert_true(fabs(fabs(v[0]) / 3e300 - 1) < 1e-15);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(modes_of_a_chain),
                                     cmocka_unit_test(out_of_memory),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
