/* Direct solvers, general products and batches of eigenproblems by the vendor's libraries, against
 * the CPU's. Over the software CUDA, cuDSS is the library beside the others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linear_support.h"

#include "linalg/dense.h"

#include <stdio.h>

enum { NO_CUDSS, CUDSS_0_7 = 7, CUDSS_0_8 = 8 };

/* cuDSS is found where it is named, and nowhere else. */
static void use_cudss(int minor)
{
  char name[1024] = "/nowhere/libcudss.so";
  if (!is_software()) return;
  if (minor != NO_CUDSS) snprintf(name, sizeof name, "%s/libcudss-0.%d.so", TEST_SOFTCUDA, minor);
  setenv("BASIN_LIB_CUDSS", name, 1);
}

static bool have_factor(basin_factor_kind kind, basin_cuda_factor **factor)
{
  basin_status status = basin__cuda_factor_create(cuda, kind, factor);
  if (status == BASIN_ERROR_MISSING_LIBRARY && !is_software()) return false;
  if (status != BASIN_OK) fail_msg("%s", basin_error_text(test_context_of));
  return true;
}

/* Three right-hand sides, the last in place. */
static void check_solutions(basin_cuda_factor *factor, const basin_bsr *matrix)
{
  size_t size = basin_bsr_size(matrix);
  double *x = calloc(3 * size, sizeof *x), *b = calloc(3 * size, sizeof *b),
         *found = calloc(3 * size, sizeof *found);
  uint64_t seed = size;
  for (size_t i = 0; i < 3 * size; i++) x[i] = random_number(&seed);
  for (int j = 0; j < 3; j++)
    basin_bsr_multiply(matrix, x + (size_t)j * size, b + (size_t)j * size);
  basin_buffer on_device = numbers_on_device(b, 3 * size), to = numbers_on_device(NULL, 3 * size);
  OK(basin__cuda_factor_solve(factor, 3, on_device.address, to.address));
  numbers_from_device(&to, found, 3 * size);
  assert_close(3 * size, found, x, 1e-9);
  OK(basin__cuda_factor_solve(factor, 1, on_device.address, on_device.address));
  numbers_from_device(&on_device, found, size);
  assert_close(size, found, x, 1e-9);
  basin__buffer_release(cuda, &on_device);
  basin__buffer_release(cuda, &to);
  free(x), free(b), free(found);
}

static void check_factor(int cudss, basin_factor_kind kind, double shift)
{
  basin_cuda_factor *factor;
  use_cudss(cudss);
  if (!have_factor(kind, &factor)) skip();
  for (unsigned b = 1; b <= 6; b += b < 3 ? 1 : 3) {
    basin_bsr *matrix = laplacian(test_context_of, 4, b, shift);
    device_matrix device = matrix_on_device(matrix, b % 2 + 1);
    OK(basin__cuda_factor_update(factor, &device.matrix));
    check_solutions(factor, matrix);
    basin_factor_info info = basin__cuda_factor_information(factor);
    size_t analyses = info.analyses;
    if (is_software()) assert_string_equal(info.library, cudss != NO_CUDSS ? "cuDSS" : "cuSOLVER");
    assert_int_equal(info.unknowns, basin_bsr_size(matrix));
    if (kind == BASIN_FACTOR_LDLT) assert_true((info.negative_pivots > 0) == (shift < 0));
    /* Other values: the analysis is kept. */
    basin_bsr_add_diagonal(matrix, 0.5, NULL);
    OK(basin__cuda_bsr_add_diagonal(cuda, &device.matrix.parts[0], 0.5, 0));
    OK(basin__cuda_factor_update(factor, &device.matrix));
    check_solutions(factor, matrix);
    assert_int_equal(basin__cuda_factor_information(factor).analyses, analyses);
    release_matrix(&device);
    basin_bsr_destroy(matrix);
    /* Another pattern of as many nodes. */
    matrix = random_bsr(test_context_of, 64, b, 150, 40, 3);
    device = matrix_on_device(matrix, 1);
    OK(basin__cuda_factor_update(factor, &device.matrix));
    check_solutions(factor, matrix);
    assert_int_equal(basin__cuda_factor_information(factor).analyses, analyses + 1);
    release_matrix(&device);
    basin_bsr_destroy(matrix);
  }
  basin__cuda_factor_destroy(factor);
}

static void test_cusolver(void **state)
{
  (void)state;
  check_factor(NO_CUDSS, BASIN_FACTOR_CHOLESKY, 0.1);
}

static void test_cudss(void **state)
{
  (void)state;
  for (int minor = CUDSS_0_7; minor <= CUDSS_0_8; ++minor) {
    check_factor(minor, BASIN_FACTOR_CHOLESKY, 0.1);
    check_factor(minor, BASIN_FACTOR_LDLT, -2.3);
  }
}

/* The unknown where the factorization stops is one of the original numbering. */
static void test_indefinite(void **state)
{
  (void)state;
  static const int versions[] = {NO_CUDSS, CUDSS_0_7, CUDSS_0_8};
  for (size_t i = 0; i < BASIN_COUNT(versions); ++i) {
    const int cudss = versions[i];
    basin_cuda_factor *factor;
    use_cudss(cudss);
    if (!have_factor(BASIN_FACTOR_CHOLESKY, &factor)) skip();
    basin_bsr *matrix = laplacian(test_context_of, 3, 2, 0.1);
    /* Node 11 alone is not definite, in its second component. */
    basin_bsr_values(matrix)[basin_bsr_row_starts(matrix)[11] * 4 + 3] = -5;
    device_matrix device = matrix_on_device(matrix, 1);
    basin_address b = device.memory[0].values.address;
    assert_int_equal(basin__cuda_factor_update(factor, &device.matrix), BASIN_ERROR_INDEFINITE);
    basin_factor_info info = basin__cuda_factor_information(factor);
    if (cudss == NO_CUDSS && is_software()) {
      assert_int_equal(info.bad_unknown, 23);
      assert_non_null(strstr(basin_error_last(test_context_of)->message, "(node 11, component 1)"));
    }
    assert_int_equal(basin__cuda_factor_solve(factor, 1, b, b), BASIN_ERROR_STATE);
    /* And the next matrix is fine again. */
    basin_bsr_values(matrix)[basin_bsr_row_starts(matrix)[11] * 4 + 3] = 9;
    release_matrix(&device);
    device = matrix_on_device(matrix, 1);
    OK(basin__cuda_factor_update(factor, &device.matrix));
    check_solutions(factor, matrix);
    basin_bsr_values(matrix)[5] = (double)NAN;
    release_matrix(&device);
    device = matrix_on_device(matrix, 1);
    assert_int_equal(basin__cuda_factor_update(factor, &device.matrix), BASIN_ERROR_NOT_FINITE);
    release_matrix(&device);
    basin_bsr_destroy(matrix);
    basin__cuda_factor_destroy(factor);
  }
}

static void test_empty_factor(void **state)
{
  (void)state;
  basin_cuda_factor *factor;
  use_cudss(CUDSS_0_8);
  if (!have_factor(BASIN_FACTOR_CHOLESKY, &factor)) skip();
  basin_cuda_matrix empty = {1, {{0, 3, 0, 0, 0, 0}}};
  OK(basin__cuda_factor_update(factor, &empty));
  OK(basin__cuda_factor_solve(factor, 1, 0, 0));
  basin__cuda_factor_destroy(factor);
  assert_int_equal(basin__cuda_factor_create(cuda, BASIN_FACTOR_LU, &factor),
                   BASIN_ERROR_UNSUPPORTED);
  assert_null(factor);
}

/* Without a library: which one, and how to name it. An unknown version of cuDSS is passed over. */
static void test_missing_libraries(void **state)
{
  (void)state;
  if (!is_software()) skip();
  const char *before = getenv("BASIN_LIB_CUSOLVER");
  char *keep = strdup(before ? before : "");
  basin_cuda_factor *factor;
  use_cudss(NO_CUDSS);
  assert_int_equal(basin__cuda_factor_create(cuda, BASIN_FACTOR_LDLT, &factor),
                   BASIN_ERROR_MISSING_LIBRARY);
  assert_non_null(strstr(basin_error_last(test_context_of)->message, "BASIN_LIB_CUDSS"));
  setenv("BASIN_LIB_CUSOLVER", "/nowhere/libcusolver.so", 1);
  assert_int_equal(basin__cuda_factor_create(cuda, BASIN_FACTOR_CHOLESKY, &factor),
                   BASIN_ERROR_MISSING_LIBRARY);
  assert_non_null(strstr(basin_error_last(test_context_of)->message, "cuSOLVER"));
  assert_null(factor);
  setenv("BASIN_LIB_CUSOLVER", keep, 1);
  use_cudss(CUDSS_0_8);
  setenv("SOFTCUDA_CUDSS_MINOR", "9", 1);
  OK(basin__cuda_factor_create(cuda, BASIN_FACTOR_CHOLESKY, &factor));
  basin__cuda_factor_destroy(factor);
  assert_int_equal(basin__cuda_factor_create(cuda, BASIN_FACTOR_LDLT, &factor),
                   BASIN_ERROR_UNSUPPORTED);
  assert_non_null(strstr(basin_error_last(test_context_of)->message, "0.9"));
  unsetenv("SOFTCUDA_CUDSS_MINOR");
  free(keep);
}

/* ---- general matrices ---- */

static basin_csr *random_csr(size_t rows, size_t columns, size_t count, uint64_t seed)
{
  size_t *row = calloc(count + 1, sizeof *row), *column = calloc(count + 1, sizeof *column);
  double *values = calloc(count + 1, sizeof *values);
  for (size_t k = 0; k < count; k++) {
    row[k] = random_below(&seed, (uint32_t)rows);
    column[k] = random_below(&seed, (uint32_t)columns);
    values[k] = random_number(&seed);
  }
  basin_csr *matrix;
  OK(basin_csr_create(test_context_of, rows, columns, count, row, column, values, &matrix));
  free(row), free(column), free(values);
  return matrix;
}

static void test_products(void **state)
{
  (void)state;
  basin_cuda_sparse *sparse;
  basin_status status = basin__cuda_sparse_create(cuda, &sparse);
  if (status == BASIN_ERROR_MISSING_LIBRARY && !is_software()) skip();
  OK(status);
  static const size_t counts[] = {0, 1, 60, 900};
  for (size_t i = 0; i < BASIN_COUNT(counts); i++) {
    basin_csr *a = random_csr(40, 30, counts[i], 1), *b = random_csr(30, 50, counts[i], 2),
              *expected, *found, *none;
    OK(basin_csr_multiply(a, b, &expected));
    OK(basin__cuda_sparse_multiply(sparse, a, b, &found));
    double *x = calloc(40 * 50, sizeof *x), *y = calloc(40 * 50, sizeof *y), in[30];
    basin_csr_to_dense(expected, x);
    basin_csr_to_dense(found, y);
    assert_close(40 * 50, y, x, 1e-13);
    uint64_t seed = 4;
    for (int k = 0; k < 30; k++) in[k] = random_number(&seed);
    basin_csr_apply(a, 1, in, x);
    OK(basin__cuda_sparse_apply(sparse, a, in, y));
    assert_close(40, y, x, 1e-13);
    assert_int_equal(basin__cuda_sparse_multiply(sparse, b, a, &none), BASIN_ERROR_SHAPE);
    free(x), free(y);
    basin_csr_destroy(a);
    basin_csr_destroy(b);
    basin_csr_destroy(expected);
    basin_csr_destroy(found);
  }
  basin__cuda_sparse_destroy(sparse);
}

/* ---- eigenproblems ---- */

/* The CPU's eigenvalues, and A v = lambda v for each row v of `rows`. */
static void check_eigen(size_t n, const double *m, const double *rows, const double *found)
{
  double values[12], vectors[144];
  assert_true(basin__eigen_symmetric(n, m, values, vectors));
  assert_close(n, found, values, 1e-11);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t l = 0; l < n; l++) sum += m[i * n + l] * rows[j * n + l];
      assert_true(fabs(sum - found[j] * rows[j * n + i]) < 1e-11);
    }
  }
}

static void test_eigen(void **state)
{
  (void)state;
  enum { BATCH = 5 };
  static const unsigned sizes[] = {1, 2, 3, 9, 12};
  for (size_t s = 0; s < BASIN_COUNT(sizes); s++) {
    size_t n = sizes[s];
    double *a = calloc(BATCH * n * n, sizeof *a), *v = calloc(BATCH * n * n, sizeof *v),
           found[12 * BATCH];
    uint64_t seed = n;
    for (size_t k = 0; k < BATCH; k++) {
      for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
          a[k * n * n + i * n + j] = a[k * n * n + j * n + i] = random_number(&seed);
      }
    }
    basin_buffer on_device = numbers_on_device(a, BATCH * n * n),
                 of_values = numbers_on_device(NULL, BATCH * n);
    basin_status status =
        basin__cuda_eigen_batched(cuda, (unsigned)n, BATCH, on_device.address, of_values.address);
    if (status == BASIN_ERROR_MISSING_LIBRARY && !is_software()) skip();
    OK(status);
    numbers_from_device(&on_device, v, BATCH * n * n);
    numbers_from_device(&of_values, found, BATCH * n);
    for (size_t k = 0; k < BATCH; k++) check_eigen(n, a + k * n * n, v + k * n * n, found + k * n);
    basin__buffer_release(cuda, &on_device);
    basin__buffer_release(cuda, &of_values);
    free(a), free(v);
  }
  assert_int_equal(basin__cuda_eigen_batched(cuda, 33, 1, 0, 0), BASIN_ERROR_UNSUPPORTED);
  OK(basin__cuda_eigen_batched(cuda, 3, 0, 0, 0));
}

int main(int count, char **words)
{
  skip_without_device();
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cusolver),
                                     cmocka_unit_test(test_cudss),
                                     cmocka_unit_test(test_indefinite),
                                     cmocka_unit_test(test_empty_factor),
                                     cmocka_unit_test(test_missing_libraries),
                                     cmocka_unit_test(test_products),
                                     cmocka_unit_test(test_eigen)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
