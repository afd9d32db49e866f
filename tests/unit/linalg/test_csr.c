/* Tests of general sparse matrices: creation, access, products with dense matrices, norms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"

static void duplicates_are_summed(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const size_t rows[] = {2, 0, 2, 0, 2}, columns[] = {1, 2, 1, 0, 0};
  const double values[] = {1, 2, 10, 3, 0};
  basin_csr *m;
  check_status(context, basin_csr_create(context, 3, 3, 5, rows, columns, values, &m));
  assert_int_equal(basin_csr_count(m), 4); /* an explicit zero stays */
  const size_t starts[] = {0, 2, 2, 4};
  assert_memory_equal(basin_csr_starts(m), starts, sizeof starts);
  assert_true(basin_csr_at(m, 2, 1) == 11 && basin_csr_at(m, 0, 0) == 3);
  assert_true(basin_csr_at(m, 1, 1) == 0 && isnan(basin_csr_at(m, 3, 0)));
  double dense[9], diagonal[3];
  const double expected[] = {3, 0, 2, 0, 0, 0, 0, 11, 0};
  basin_csr_to_dense(m, dense);
  assert_close(9, dense, expected, 0);
  basin_csr_diagonal(m, diagonal);
  assert_true(diagonal[0] == 3 && diagonal[1] == 0 && diagonal[2] == 0);
  basin_csr *same;
  check_status(context, basin_csr_create_dense(context, 3, 3, dense, &same));
  assert_int_equal(basin_csr_count(same), 3);
  basin_csr_destroy(same);
  const size_t mixed_starts[] = {0, 3, 3};
  const uint32_t mixed[] = {2, 0, 2};
  check_status(context,
               basin_csr_create_compressed(context, 2, 3, mixed_starts, mixed, values, &same));
  assert_true(basin_csr_at(same, 0, 2) == 11 && basin_csr_at(same, 0, 0) == 2);
  assert_int_equal(basin_csr_count(same), 2);
  basin_csr_destroy(same);
  basin_csr_destroy(m);
  basin_context_destroy(context);
}

static void bad_input_is_an_error(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const size_t rows[] = {0, 3}, columns[] = {0, 0}, bad_starts[] = {0, 2, 1}, late[] = {1, 1};
  const uint32_t indices[] = {0, 5};
  const double values[] = {1, 2};
  basin_csr *m;
  assert_int_equal(basin_csr_create(context, 3, 3, 2, rows, columns, values, &m),
                   BASIN_ERROR_RANGE);
  assert_null(m);
  assert_non_null(strstr(basin_error_last(context)->message, "(3, 0)"));
  assert_int_equal(basin_csr_create_compressed(context, 2, 3, bad_starts, indices, values, &m),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_csr_create_compressed(context, 1, 3, late, indices, values, &m),
                   BASIN_ERROR_ARGUMENT);
  const size_t starts[] = {0, 2};
  assert_int_equal(basin_csr_create_compressed(context, 1, 3, starts, indices, values, &m),
                   BASIN_ERROR_RANGE);
  basin_csr_destroy(NULL);
  basin_context_destroy(context);
}

static void from_and_to_blocks(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (unsigned b = 1; b <= 12; b++) {
    basin_bsr *m = random_bsr(context, 11, b, 30, 0, b), *back;
    size_t n = basin_bsr_size(m);
    double *dense = dense_of_bsr(m), *other = calloc(n * n, sizeof *other);
    basin_csr *full, *upper, *lower;
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &full));
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_UPPER, &upper));
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_LOWER, &lower));
    basin_csr_to_dense(full, other);
    assert_close(n * n, dense, other, 0);
    assert_true(basin_csr_symmetric(full, 0));
    assert_int_equal(basin_csr_count(full) + n, 2 * basin_csr_count(upper));
    for (size_t row = 0; row < n; row++)
      for (size_t k = basin_csr_starts(full)[row] + 1; k < basin_csr_starts(full)[row + 1]; k++)
        assert_true(basin_csr_column_indices(full)[k - 1] < basin_csr_column_indices(full)[k]);
    basin_csr_to_dense(upper, other);
    for (size_t i = 0; i < n * n; i++) assert_true(other[i] == (i / n <= i % n ? dense[i] : 0));
    basin_csr_to_dense(lower, other);
    for (size_t i = 0; i < n * n; i++) assert_true(other[i] == (i / n >= i % n ? dense[i] : 0));
    check_status(context, basin_bsr_create_csr(full, b, &back));
    assert_true(basin_bsr_pattern(back) == basin_bsr_pattern(m));
    assert_memory_equal(basin_bsr_values(back),
                        basin_bsr_values(m),
                        basin_bsr_block_count(m) * b * b * sizeof(double));
    if (b > 1 && n % (b + 1) != 0) {
      basin_bsr *none;
      assert_int_equal(basin_bsr_create_csr(full, b + 1, &none), BASIN_ERROR_SHAPE);
    }
    free(dense), free(other);
    basin_csr_destroy(full);
    basin_csr_destroy(upper);
    basin_csr_destroy(lower);
    basin_bsr_destroy(m);
    basin_bsr_destroy(back);
  }
  basin_context_destroy(context);
}

static basin_csr *
random_csr(basin_context *context, size_t rows, size_t columns, size_t count, uint64_t seed)
{
  size_t *at = calloc(2 * count + 1, sizeof *at);
  double *values = calloc(count + 1, sizeof *values);
  for (size_t i = 0; i < count; i++) {
    at[i] = random_below(&seed, (uint32_t)rows);
    at[count + i] = random_below(&seed, (uint32_t)columns);
    values[i] = random_number(&seed);
  }
  basin_csr *m;
  check_status(context,
               basin_csr_create(context, rows, columns, count, at, at + count, values, &m));
  free(at), free(values);
  return m;
}

static void products_with_dense_matrices(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  basin_csr *m = random_csr(context, 5000, 37, 9000, 3);
  for (size_t width = 1; width <= 3; width++) {
    double *dense = calloc(5000 * 37, sizeof *dense), *x = calloc(5000 * width, sizeof *x);
    double *y = calloc(5000 * width, sizeof *y), *expected = calloc(5000 * width, sizeof *expected);
    uint64_t seed = 5;
    basin_csr_to_dense(m, dense);
    for (size_t i = 0; i < 5000 * width; i++) x[i] = random_number(&seed);
    basin_csr_apply(m, width, x, y);
    for (size_t i = 0; i < 5000; i++)
      for (size_t j = 0; j < 37; j++)
        for (size_t c = 0; c < width; c++)
          expected[i * width + c] += dense[i * 37 + j] * x[j * width + c];
    assert_close(5000 * width, y, expected, 1e-12);
    basin_csr_apply_transposed(m, width, x, y);
    memset(expected, 0, 37 * width * sizeof *expected);
    for (size_t i = 0; i < 5000; i++)
      for (size_t j = 0; j < 37; j++)
        for (size_t c = 0; c < width; c++)
          expected[j * width + c] += dense[i * 37 + j] * x[i * width + c];
    assert_close(37 * width, y, expected, 1e-11);
    free(dense), free(x), free(y), free(expected);
  }
  basin_csr_destroy(m);
  basin_context_destroy(context);
}

static void norms(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const double dense[] = {1, -2, 0, 4, 0, -8};
  basin_csr *m, *zero;
  check_status(context, basin_csr_create_dense(context, 2, 3, dense, &m));
  assert_true(fabs(basin_csr_norm(m, BASIN_NORM_FROBENIUS) - sqrt(85)) < 1e-14);
  assert_true(basin_csr_norm(m, BASIN_NORM_ONE) == 8);
  assert_true(basin_csr_norm(m, BASIN_NORM_INFINITY) == 12);
  assert_true(basin_csr_norm(m, BASIN_NORM_MAX) == 8);
  assert_false(basin_csr_symmetric(m, 1));
  size_t row, column;
  assert_true(basin_csr_finite(m, NULL, NULL));
  basin_csr_values(m)[2] = (double)NAN;
  assert_false(basin_csr_finite(m, &row, &column));
  assert_true(row == 1 && column == 0);
  for (int norm = BASIN_NORM_FROBENIUS; norm <= BASIN_NORM_MAX; norm++)
    assert_true(isnan(basin_csr_norm(m, (basin_norm)norm)));
  check_status(context, basin_csr_create_zero(context, 0, 4, &zero));
  for (int norm = BASIN_NORM_FROBENIUS; norm <= BASIN_NORM_MAX; norm++)
    assert_true(basin_csr_norm(zero, (basin_norm)norm) == 0);
  const double nearly[] = {1, 2, 2 + 1e-12, 5};
  basin_csr *symmetric;
  check_status(context, basin_csr_create_dense(context, 2, 2, nearly, &symmetric));
  assert_false(basin_csr_symmetric(symmetric, 0));
  assert_true(basin_csr_symmetric(symmetric, 1e-12));
  basin_csr_destroy(symmetric);
  basin_csr_destroy(m);
  basin_csr_destroy(zero);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(duplicates_are_summed),
      cmocka_unit_test(bad_input_is_an_error),
      cmocka_unit_test(from_and_to_blocks),
      cmocka_unit_test(products_with_dense_matrices),
      cmocka_unit_test(norms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
