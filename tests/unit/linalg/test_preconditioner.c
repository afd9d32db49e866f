/* Tests of the block Jacobi preconditioner.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/dense.h"
#include "linalg_support.h"

/* z = M^-1 r solved instance by instance on the dense matrix. */
static void expected_apply(
    const basin_bsr *m, size_t count, const basin_node_range *instances, const double *r, double *z)
{
  size_t n = basin_bsr_size(m), b = basin_bsr_block_size(m);
  double *dense = dense_of_bsr(m), block[48 * 48];
  for (size_t i = 0; i < count; i++) {
    size_t start = instances[i].first * b, size = instances[i].count * b;
    for (size_t k = 0; k < size * size; k++)
      block[k] = dense[(start + k / size) * n + start + k % size];
    assert_true(basin__dense_cholesky(size, block, NULL));
    for (size_t k = 0; k < size; k++) z[start + k] = r[start + k];
    basin__dense_cholesky_solve(size, block, z + start);
  }
  free(dense);
}

static void inverts_instances(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (unsigned b = 1; b <= 12; b++) {
    basin_bsr *m = random_bsr(context, 30, b, 120, 8.0 * b, b);
    /* Out of order, with an empty one; nodes 0, 5..6, 10..25, 29 are left on their own. */
    const basin_node_range given[] = {{26, 3}, {1, 4}, {9, 0}, {7, 3}};
    basin_node_range all[30];
    size_t count = 0;
    for (uint32_t node = 0; node < 30;) {
      basin_node_range range = {node, 1};
      for (size_t i = 0; i < 4; i++)
        if (given[i].first == node && given[i].count > 0) range = given[i];
      all[count++] = range;
      node += range.count;
    }
    basin_preconditioner *p;
    size_t fallbacks = 9, n = basin_bsr_size(m);
    check_status(context, basin_preconditioner_create(context, 30, b, 4, given, &p));
    check_status(context, basin_preconditioner_update(p, m, &fallbacks));
    assert_int_equal(fallbacks, 0);
    double *r = calloc(n, sizeof *r), *z = calloc(n, sizeof *z),
           *expected = calloc(n, sizeof *expected);
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) r[i] = random_number(&seed);
    basin_preconditioner_apply(p, r, z);
    expected_apply(m, count, all, r, expected);
    assert_close(n, z, expected, 1e-13);
    free(r), free(z), free(expected);
    basin_preconditioner_destroy(p);
    basin_bsr_destroy(m);
  }
  basin_context_destroy(context);
}

static void many_nodes_of_three(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  basin_bsr *m = random_bsr(context, 3001, 3, 9000, 30, 4);
  size_t n = basin_bsr_size(m);
  basin_preconditioner *p;
  check_status(context, basin_preconditioner_create(context, 3001, 3, 0, NULL, &p));
  check_status(context, basin_preconditioner_update(p, m, NULL));
  double *r = calloc(n, sizeof *r), *z = calloc(n, sizeof *z);
  uint64_t seed = 1;
  for (size_t i = 0; i < n; i++) r[i] = random_number(&seed);
  basin_preconditioner_apply(p, r, z);
  for (size_t node = 0; node < 3001; node++) {
    double block[9], x[3];
    memcpy(block, basin_bsr_values(m) + basin_bsr_row_starts(m)[node] * 9, sizeof block);
    memcpy(x, r + node * 3, sizeof x);
    assert_true(basin__dense_cholesky(3, block, NULL));
    basin__dense_cholesky_solve(3, block, x);
    assert_close(3, x, z + node * 3, 1e-14);
  }
  free(r), free(z);
  basin_preconditioner_destroy(p);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void fallbacks_stay_definite(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m;
  check_status(context, basin_bsr_create(context, 4, 2, 0, NULL, NULL, &m));
  const double blocks[] = {1,
                           3,
                           3,
                           1, /* eigenvalues 4 and -2: |A|^-1 = (3 -1; -1 3) / 8 */
                           -2,
                           0,
                           0,
                           -4, /* negative */
                           0,
                           0,
                           0,
                           0, /* nothing */
                           2,
                           0,
                           0,
                           4};
  memcpy(basin_bsr_values(m), blocks, sizeof blocks);
  basin_preconditioner *p;
  size_t fallbacks;
  check_status(context, basin_preconditioner_create(context, 4, 2, 0, NULL, &p));
  check_status(context, basin_preconditioner_update(p, m, &fallbacks));
  assert_int_equal(fallbacks, 3);
  const double r[] = {8, 16, 2, 4, 5, 6, 2, 4}, expected[] = {1, 5, 1, 1, 5, 6, 1, 1};
  double z[8];
  basin_preconditioner_apply(p, r, z);
  assert_close(8, z, expected, 1e-14);
  basin_bsr_values(m)[5] = (double)NAN;
  assert_int_equal(basin_preconditioner_update(p, m, NULL), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(context)->message, "node 1"));
  basin_preconditioner_destroy(p);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void bad_instances_are_errors(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_preconditioner *p;
  const basin_node_range overlap[] = {{0, 3}, {2, 1}}, outside[] = {{8, 3}}, large[] = {{0, 100}};
  assert_int_equal(basin_preconditioner_create(context, 10, 3, 2, overlap, &p),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_preconditioner_create(context, 10, 3, 1, outside, &p), BASIN_ERROR_RANGE);
  assert_int_equal(basin_preconditioner_create(context, 100, 3, 1, large, &p),
                   BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin_preconditioner_create(context, 10, 0, 0, NULL, &p),
                   BASIN_ERROR_UNSUPPORTED);
  assert_null(p);
  check_status(context, basin_preconditioner_create(context, 10, 3, 0, NULL, &p));
  basin_bsr *m = random_bsr(context, 11, 3, 5, 9, 1);
  assert_int_equal(basin_preconditioner_update(p, m, NULL), BASIN_ERROR_SHAPE);
  basin_preconditioner_destroy(p);
  basin_bsr_destroy(m);
  check_status(context, basin_preconditioner_create(context, 0, 3, 0, NULL, &p));
  basin_preconditioner_apply(p, NULL, NULL);
  basin_preconditioner_destroy(p);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverts_instances),
      cmocka_unit_test(many_nodes_of_three),
      cmocka_unit_test(fallbacks_stay_definite),
      cmocka_unit_test(bad_instances_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
