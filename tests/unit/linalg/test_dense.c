/* Tests of dense factorizations, eigenvalues and projection.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/dense.h"
#include "linalg_support.h"

enum { MOST = 60 };

static void random_symmetric(size_t n, double *a, uint64_t seed)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = random_number(&seed);
}

/* a = g g^T + shift. */
static void random_definite(size_t n, double *a, double shift, uint64_t seed)
{
  double g[MOST * MOST];
  for (size_t i = 0; i < n * n; i++) g[i] = random_number(&seed);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      a[i * n + j] = i == j ? shift : 0;
      for (size_t k = 0; k < n; k++) a[i * n + j] += g[i * n + k] * g[j * n + k];
    }
  }
}

static double residual(size_t n, const double *a, const double *x, const double *b)
{
  double y[MOST];
  dense_apply(n, n, a, x, y);
  return largest_difference(n, y, b);
}

static void cholesky_solves(void **state)
{
  (void)state;
  for (size_t n = 1; n <= MOST; n += n < 14 ? 1 : 23) {
    double a[MOST * MOST], l[MOST * MOST], inverse[MOST * MOST], x[MOST], b[MOST];
    uint64_t seed = n;
    random_definite(n, a, 1, n);
    memcpy(l, a, sizeof l);
    assert_true(basin__dense_cholesky(n, l, NULL));
    for (size_t i = 0; i < n; i++) x[i] = b[i] = random_number(&seed);
    basin__dense_cholesky_solve(n, l, x);
    assert_true(residual(n, a, x, b) < 1e-11);
    basin__dense_cholesky_inverse(n, l, inverse);
    dense_apply(n, n, inverse, b, l);
    assert_close(n, l, x, 1e-11);
    for (size_t i = 0; i < n * n; i++) assert_true(inverse[i] == inverse[i % n * n + i / n]);
  }
}

static void cholesky_refuses(void **state)
{
  (void)state;
  size_t bad = 77;
  double indefinite[9] = {4, 2, 0, 2, 1, 0, 0, 0, 1}; /* the second pivot is exactly zero */
  assert_false(basin__dense_cholesky(3, indefinite, &bad));
  assert_int_equal(bad, 1);
  double negative[4] = {1, 0, 0, -1}, nan[1] = {(double)NAN}, infinite[1] = {(double)INFINITY};
  assert_false(basin__dense_cholesky(2, negative, &bad));
  assert_int_equal(bad, 1);
  assert_false(basin__dense_cholesky(1, nan, &bad));
  assert_false(basin__dense_cholesky(1, infinite, NULL));
  double tiny[4] = {4e-300, 0, 0, 9e-300}; /* scale is no reason */
  assert_true(basin__dense_cholesky(2, tiny, NULL));
}

static void ldlt_solves_indefinite(void **state)
{
  (void)state;
  for (size_t n = 1; n <= MOST; n += n < 14 ? 1 : 23) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
      double a[MOST * MOST], f[MOST * MOST], x[MOST], b[MOST], off[MOST], work[MOST];
      double values[MOST], vectors[MOST * MOST];
      size_t permutation[MOST], negative, expected = 0;
      uint64_t random = seed * 100 + n;
      random_symmetric(n, a, seed * 31 + n);
      if (seed == 2)
        for (size_t i = 0; i < n; i++) a[i * n + i] = 0; /* no pivot on the diagonal at first */
      if (seed == 2 && n == 1) continue;
      memcpy(f, a, sizeof f);
      assert_true(basin__dense_ldlt(n, f, permutation, off, work, &negative, NULL));
      for (size_t i = 0; i < n; i++) x[i] = b[i] = random_number(&random);
      basin__dense_ldlt_solve(n, f, permutation, off, x, work);
      assert_true(residual(n, a, x, b) < 1e-10);
      /* Inertia by a second method (Sylvester). */
      if (n > BASIN__EIGEN_LARGEST) continue;
      assert_true(basin__eigen_symmetric(n, a, values, vectors));
      for (size_t i = 0; i < n; i++) expected += values[i] < 0;
      assert_int_equal(negative, expected);
    }
  }
}

static void singular_is_found(void **state)
{
  (void)state;
  double a[9] = {1, 2, 3, 2, 4, 6, 3, 6, 1}, off[3], work[3]; /* row 2 is twice row 1 */
  double b[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, zero[1] = {0};   /* rank 2 up to rounding */
  size_t permutation[3], negative, bad = 9;
  assert_false(basin__dense_ldlt(3, a, permutation, off, work, &negative, &bad));
  assert_true(bad < 3);
  assert_false(basin__dense_lu(3, b, permutation, work, &bad));
  assert_int_equal(bad, 2);
  assert_false(basin__dense_lu(1, zero, permutation, work, &bad));
  assert_false(basin__dense_ldlt(1, zero, permutation, off, work, &negative, &bad));
  double scaled[4] = {1e-200, 0, 0, 1e200};
  assert_true(basin__dense_lu(2, scaled, permutation, work, &bad));
}

static void lu_solves(void **state)
{
  (void)state;
  for (size_t n = 1; n <= MOST; n += n < 14 ? 1 : 23) {
    double a[MOST * MOST], f[MOST * MOST], x[MOST], b[MOST], work[MOST];
    size_t permutation[MOST];
    uint64_t seed = n + 7;
    for (size_t i = 0; i < n * n; i++) a[i] = random_number(&seed);
    if (n > 1) a[0] = 0; /* needs a row exchange */
    memcpy(f, a, sizeof f);
    assert_true(basin__dense_lu(n, f, permutation, work, NULL));
    for (size_t i = 0; i < n; i++) x[i] = b[i] = random_number(&seed);
    basin__dense_lu_solve(n, f, permutation, x, work);
    assert_true(residual(n, a, x, b) < 1e-10);
  }
}

static void eigenvalues_of_random_matrices(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-200, 1e200};
  for (size_t n = 0; n <= BASIN__EIGEN_LARGEST; n += n < 25 ? 1 : 23) {
    double a[MOST * MOST], values[MOST], v[MOST * MOST], trace = 0, sum = 0;
    double scale = scales[n % 3];
    random_symmetric(n, a, n + 3);
    for (size_t i = 0; i < n * n; i++) a[i] *= scale;
    assert_true(basin__eigen_symmetric(n, a, values, v));
    for (size_t i = 0; i < n; i++) {
      trace += a[i * n + i] / scale;
      sum += values[i] / scale;
      if (i > 0) assert_true(values[i - 1] <= values[i]);
      for (size_t j = 0; j < n; j++) {
        double product = 0, dot = 0;
        for (size_t k = 0; k < n; k++) {
          product += a[i * n + k] / scale * v[k * n + j];
          dot += v[k * n + i] * v[k * n + j];
        }
        assert_true(fabs(product - values[j] / scale * v[i * n + j]) < 1e-13 * (double)n);
        assert_true(fabs(dot - (i == j)) < 1e-14 * (double)(n + 10));
      }
    }
    assert_true(fabs(trace - sum) < 1e-13 * (double)(n + 1));
  }
}

/* Second differences: 2 - 2 cos(k pi / (n + 1)). */
static void eigenvalues_known_in_closed_form(void **state)
{
  (void)state;
  enum { N = 20 };
  double a[N * N] = {0}, values[N], v[N * N];
  for (size_t i = 0; i < N; i++) {
    a[i * N + i] = 2;
    if (i > 0) a[i * N + i - 1] = a[(i - 1) * N + i] = -1;
  }
  assert_true(basin__eigen_symmetric(N, a, values, v));
  for (size_t k = 0; k < N; k++)
    assert_true(fabs(values[k] - (2 - 2 * cos((double)(k + 1) * acos(-1) / (N + 1)))) < 1e-14);
  /* Multiple eigenvalues and graded ones keep their relative accuracy. */
  double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  assert_true(basin__eigen_symmetric(3, ones, values, v));
  assert_true(fabs(values[0]) < 1e-15 && fabs(values[1]) < 1e-15 && fabs(values[2] - 3) < 1e-15);
  double graded[4] = {1e-20, 1e-12, 1e-12, 1}; /* determinant 1e-20 - 1e-24 */
  assert_true(basin__eigen_symmetric(2, graded, values, v));
  assert_true(fabs(values[0] / (1e-20 - 1e-24) - 1) < 1e-14);
  double bad[4] = {1, (double)NAN, (double)NAN, 1};
  assert_false(basin__eigen_symmetric(2, bad, values, v));
}

static void projection(void **state)
{
  (void)state;
  for (size_t n = 1; n <= 24; n++) {
    double a[MOST * MOST], clamp[MOST * MOST], mirrored[MOST * MOST], values[MOST], v[MOST * MOST];
    size_t negative = 0;
    random_symmetric(n, a, n * 7);
    memcpy(clamp, a, sizeof a);
    memcpy(mirrored, a, sizeof a);
    basin__eigen_symmetric(n, a, values, v);
    for (size_t i = 0; i < n; i++) negative += values[i] < 0;
    assert_int_equal(basin__psd_project(n, a, BASIN__PROJECTION_NONE), negative);
    assert_int_equal(basin__psd_project(n, clamp, BASIN__PROJECTION_CLAMP), negative);
    assert_int_equal(basin__psd_project(n, mirrored, BASIN__PROJECTION_ABS), negative);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        double c = 0, m = 0;
        for (size_t k = 0; k < n; k++) {
          c += fmax(values[k], 0) * v[i * n + k] * v[j * n + k];
          m += fabs(values[k]) * v[i * n + k] * v[j * n + k];
        }
        assert_true(fabs(clamp[i * n + j] - c) < 1e-13 && clamp[i * n + j] == clamp[j * n + i]);
        assert_true(fabs(mirrored[i * n + j] - m) < 1e-13);
      }
    }
    double definite[MOST * MOST], same[MOST * MOST];
    random_definite(n, definite, 1, n);
    memcpy(same, definite, sizeof same);
    assert_int_equal(basin__psd_project(n, same, BASIN__PROJECTION_ABS), 0);
    assert_memory_equal(same, definite, n * n * sizeof *same);
  }
  double bad[1] = {(double)INFINITY};
  assert_int_equal(basin__psd_project(1, bad, BASIN__PROJECTION_CLAMP), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_solves),
      cmocka_unit_test(cholesky_refuses),
      cmocka_unit_test(ldlt_solves_indefinite),
      cmocka_unit_test(singular_is_found),
      cmocka_unit_test(lu_solves),
      cmocka_unit_test(eigenvalues_of_random_matrices),
      cmocka_unit_test(eigenvalues_known_in_closed_form),
      cmocka_unit_test(projection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
