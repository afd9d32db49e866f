/* Tests of sums, products, Kronecker products, block matrices and submatrices against dense
 * results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"

typedef struct pair {
  basin_csr *sparse;
  double *dense;
  size_t rows, columns;
} pair;

static pair random_pair(basin_context *context, size_t rows, size_t columns, uint64_t seed)
{
  pair p = {NULL, calloc(rows * columns + 1, sizeof(double)), rows, columns};
  for (size_t i = 0; i < rows * columns; i++)
    if (random_number(&seed) > 0.3) p.dense[i] = random_number(&seed);
  check_status(context, basin_csr_create_dense(context, rows, columns, p.dense, &p.sparse));
  return p;
}

static void free_pair(pair *p)
{
  basin_csr_destroy(p->sparse);
  free(p->dense);
}

/* Compares and destroys; columns must ascend. */
static void check_result(basin_csr *m, size_t rows, size_t columns, const double *expected)
{
  double *dense = calloc(rows * columns + 1, sizeof *dense);
  assert_int_equal(basin_csr_rows(m), rows);
  assert_int_equal(basin_csr_columns(m), columns);
  for (size_t row = 0; row < rows; row++)
    for (size_t k = basin_csr_starts(m)[row] + 1; k < basin_csr_starts(m)[row + 1]; k++)
      assert_true(basin_csr_column_indices(m)[k - 1] < basin_csr_column_indices(m)[k]);
  basin_csr_to_dense(m, dense);
  assert_close(rows * columns, dense, expected, 1e-14);
  free(dense);
  basin_csr_destroy(m);
}

static void transpose_add_multiply(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  static const size_t shapes[][3] = {
      {1, 1, 1}, {3, 5, 4}, {8, 2, 9}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    size_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
    pair a = random_pair(context, m, n, s), b = random_pair(context, m, n, s + 50);
    pair c = random_pair(context, n, k, s + 90);
    double expected[200] = {0};
    basin_csr *result;
    for (size_t i = 0; i < m * n; i++) expected[i % n * m + i / n] = a.dense[i];
    check_status(context, basin_csr_transpose(a.sparse, &result));
    check_result(result, n, m, expected);
    for (size_t i = 0; i < m * n; i++) expected[i] = 2 * a.dense[i] - 3 * b.dense[i];
    check_status(context, basin_csr_add(2, a.sparse, -3, b.sparse, &result));
    check_result(result, m, n, expected);
    for (size_t i = 0; i < m; i++) {
      for (size_t j = 0; j < k; j++) {
        expected[i * k + j] = 0;
        for (size_t l = 0; l < n; l++)
          expected[i * k + j] += a.dense[i * n + l] * c.dense[l * k + j];
      }
    }
    check_status(context, basin_csr_multiply(a.sparse, c.sparse, &result));
    check_result(result, m, k, expected);
    free_pair(&a);
    free_pair(&b);
    free_pair(&c);
  }
  basin_context_destroy(context);
}

static void kron(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  pair a = random_pair(context, 3, 2, 1), b = random_pair(context, 2, 4, 2);
  double expected[48];
  basin_csr *result, *huge;
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 8; j++)
      expected[i * 8 + j] = a.dense[i / 2 * 2 + j / 4] * b.dense[i % 2 * 4 + j % 4];
  check_status(context, basin_csr_kron(a.sparse, b.sparse, &result));
  check_result(result, 6, 8, expected);
  check_status(context, basin_csr_create_zero(context, (size_t)1 << 20, (size_t)1 << 20, &huge));
  assert_int_equal(basin_csr_kron(huge, huge, &result), BASIN_ERROR_UNSUPPORTED);
  basin_csr_destroy(huge);
  free_pair(&a);
  free_pair(&b);
  basin_context_destroy(context);
}

static void block_matrices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  pair a = random_pair(context, 2, 3, 1), b = random_pair(context, 2, 2, 2),
       c = random_pair(context, 4, 3, 3);
  const basin_csr *blocks[] = {a.sparse, b.sparse, c.sparse, NULL};
  double expected[30] = {0};
  for (size_t i = 0; i < 2; i++) {
    for (size_t j = 0; j < 3; j++) expected[i * 5 + j] = a.dense[i * 3 + j];
    for (size_t j = 0; j < 2; j++) expected[i * 5 + 3 + j] = b.dense[i * 2 + j];
  }
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 3; j++) expected[(i + 2) * 5 + j] = c.dense[i * 3 + j];
  basin_csr *result;
  check_status(context, basin_csr_create_blocks(context, 2, 2, blocks, &result));
  check_result(result, 6, 5, expected);
  const basin_csr *wrong[] = {a.sparse, c.sparse}, *empty[] = {a.sparse, NULL};
  assert_int_equal(basin_csr_create_blocks(context, 1, 2, wrong, &result), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_csr_create_blocks(context, 1, 2, empty, &result), BASIN_ERROR_SHAPE);
  check_status(context,
               basin_csr_create_blocks(context, 2, 1, wrong, &result)); /* one on the other */
  basin_csr_destroy(result);
  free_pair(&a);
  free_pair(&b);
  free_pair(&c);
  basin_context_destroy(context);
}

static void submatrices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  pair a = random_pair(context, 6, 7, 4);
  const size_t rows[] = {5, 0, 0, 3}, columns[] = {6, 2, 6, 0, 1};
  double expected[42];
  basin_csr *result;
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 5; j++) expected[i * 5 + j] = a.dense[rows[i] * 7 + columns[j]];
  check_status(context, basin_csr_select(a.sparse, 4, rows, 5, columns, &result));
  check_result(result, 4, 5, expected);
  check_status(context, basin_csr_select(a.sparse, 0, NULL, 0, NULL, &result));
  check_result(result, 6, 7, a.dense);
  check_status(context, basin_csr_select(a.sparse, 0, rows, 0, columns, &result));
  check_result(result, 0, 0, expected);
  const size_t bad[] = {7};
  assert_int_equal(basin_csr_select(a.sparse, 1, bad, 0, NULL, &result), BASIN_ERROR_RANGE);
  assert_int_equal(basin_csr_select(a.sparse, 0, NULL, 1, bad, &result), BASIN_ERROR_RANGE);
  free_pair(&a);
  basin_context_destroy(context);
}

static void shapes_are_checked(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_csr *a, *b, *result;
  check_status(context, basin_csr_create_zero(context, 2, 3, &a));
  check_status(context, basin_csr_create_identity(context, 4, 2.5, &b));
  assert_int_equal(basin_csr_add(1, a, 1, b, &result), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_csr_multiply(a, b, &result), BASIN_ERROR_SHAPE);
  assert_non_null(strstr(basin_error_last(context)->message, "2 x 3"));
  basin_csr_scale(b, 2);
  assert_true(basin_csr_at(b, 3, 3) == 5 && basin_csr_count(b) == 4);
  assert_int_equal(basin_csr_create_zero(context, (size_t)1 << 40, 1, &result),
                   BASIN_ERROR_UNSUPPORTED);
  basin_csr_destroy(a);
  basin_csr_destroy(b);
  basin_context_destroy(context);
}

static basin_status run_all(basin_context *context)
{
  const double dense[] = {1, 2, 0, 3, 0, 4};
  const size_t at[] = {1, 0}, starts[] = {0, 1, 2};
  const uint32_t indices[] = {1, 0};
  basin_csr *m[9] = {NULL};
  basin_bsr *blocks = NULL;
  const basin_csr *stack[2];
  basin_status status = basin_csr_create_dense(context, 2, 3, dense, &m[0]);
  if (status == BASIN_OK) status = basin_csr_transpose(m[0], &m[1]);
  if (status == BASIN_OK) status = basin_csr_multiply(m[0], m[1], &m[2]);
  if (status == BASIN_OK) status = basin_csr_add(1, m[2], 1, m[2], &m[3]);
  if (status == BASIN_OK) status = basin_csr_kron(m[3], m[2], &m[4]);
  if (status == BASIN_OK) {
    stack[0] = m[2], stack[1] = m[3];
    status = basin_csr_create_blocks(context, 2, 1, stack, &m[5]);
  }
  if (status == BASIN_OK) status = basin_csr_select(m[5], 2, at, 0, NULL, &m[6]);
  if (status == BASIN_OK)
    status = basin_csr_create_compressed(context, 2, 2, starts, indices, dense, &m[7]);
  if (status == BASIN_OK) status = basin_bsr_create_csr(m[2], 2, &blocks);
  if (status == BASIN_OK) status = basin_csr_create_bsr(blocks, BASIN_TRIANGLE_FULL, &m[8]);
  for (size_t i = 0; i < 9; i++) basin_csr_destroy(m[i]);
  basin_bsr_destroy(blocks);
  return status;
}

static void allocation_failures(void **state)
{
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = run_all(context);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (status == BASIN_OK) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    assert_true(fail_at < 300);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transpose_add_multiply),
      cmocka_unit_test(kron),
      cmocka_unit_test(block_matrices),
      cmocka_unit_test(submatrices),
      cmocka_unit_test(shapes_are_checked),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
