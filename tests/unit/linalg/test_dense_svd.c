/* Tests of singular values and polar decomposition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/dense.h"
#include "linalg_support.h"

static double determinant(size_t n, const double *a)
{
  if (n == 2) return a[0] * a[3] - a[1] * a[2];
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static void check_orthogonal(size_t n, const double *u)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double dot = 0;
      for (size_t k = 0; k < n; k++) dot += u[k * n + i] * u[k * n + j];
      if (!(fabs(dot - (i == j)) < 4e-15)) fail_msg("not orthogonal: %g at (%zu, %zu)", dot, i, j);
    }
  }
}

static void
check_product(size_t n, const double *a, const double *u, const double *sigma, const double *v)
{
  double scale = 0;
  for (size_t i = 0; i < n * n; i++) scale = fmax(scale, fabs(a[i]));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += u[i * n + k] * sigma[k] * v[j * n + k];
      if (!(fabs(sum - a[i * n + j]) <= 4e-15 * scale))
        fail_msg("product differs by %g", sum - a[i * n + j]);
    }
  }
}

static void check_matrix(size_t n, const double *a)
{
  double u[9], sigma[3], v[9], r[9], s[9];
  for (int rotations = 0; rotations < 2; rotations++) {
    bool done =
        n == 2 ? basin__svd2(a, u, sigma, v, rotations) : basin__svd3(a, u, sigma, v, rotations);
    assert_true(done);
    check_orthogonal(n, u);
    check_orthogonal(n, v);
    check_product(n, a, u, sigma, v);
    for (size_t k = 1; k < n; k++) assert_true(fabs(sigma[k - 1]) >= fabs(sigma[k]));
    for (size_t k = 0; k < n; k++) assert_true(sigma[k] >= 0 || (rotations && k == n - 1));
    if (rotations) assert_true(determinant(n, u) > 0.5 && determinant(n, v) > 0.5);
    done = n == 2 ? basin__polar2(a, r, s, rotations) : basin__polar3(a, r, s, rotations);
    assert_true(done);
    check_orthogonal(n, r);
    if (rotations) assert_true(determinant(n, r) > 0.5);
    double scale = fabs(sigma[0]);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += r[i * n + k] * s[k * n + j];
        assert_true(fabs(sum - a[i * n + j]) <= 8e-15 * scale);
        assert_true(fabs(s[i * n + j] - s[j * n + i]) <= 2e-16 * scale);
      }
    }
  }
}

static void random_matrices(void **state)
{
  (void)state;
  uint64_t seed = 8;
  for (int round = 0; round < 3000; round++) {
    double a[9], scale = round % 3 == 0 ? 1 : round % 3 == 1 ? 1e-250 : 1e250;
    for (size_t i = 0; i < 9; i++) a[i] = random_number(&seed) * scale;
    check_matrix(2, a);
    check_matrix(3, a);
  }
}

/* Rank one, rank two, nearly so, and graded columns. */
static void deficient_matrices(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (int round = 0; round < 2000; round++) {
    double p[3], q[3], s[3], t[3], a[9], noise = pow(10, -18 + round % 20);
    for (size_t i = 0; i < 3; i++) {
      p[i] = random_number(&seed), q[i] = random_number(&seed);
      s[i] = random_number(&seed), t[i] = random_number(&seed);
    }
    for (size_t i = 0; i < 9; i++) a[i] = p[i / 3] * q[i % 3];
    check_matrix(3, a);
    for (size_t i = 0; i < 9; i++) a[i] += s[i / 3] * t[i % 3] * (round % 2 ? 1 : noise);
    check_matrix(3, a);
    for (size_t i = 0; i < 9; i++) a[i] += random_number(&seed) * noise;
    check_matrix(3, a);
    for (size_t i = 0; i < 4; i++) a[i] = p[i / 2] * q[i % 2];
    check_matrix(2, a);
    for (size_t i = 0; i < 9; i++) a[i] = random_number(&seed) * pow(noise, (double)(i % 3));
    check_matrix(3, a);
  }
}

static void special_matrices(void **state)
{
  (void)state;
  static const double cases[][9] = {
      {0, 0, 0, 0, 0, 0, 0, 0, 0},
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {1, 0, 0, 0, 1, 0, 0, 0, -1},   /* a reflection */
      {-1, 0, 0, 0, -1, 0, 0, 0, -1}, /* the point reflection */
      {0, 1, 0, 0, 0, 1, 1, 0, 0},    /* a rotation by 120 degrees */
      {0, 0, 0, 0, 0, 0, 0, 0, 5},
      {1, 1, 1, 1, 1, 1, 1, 1, 1},
      {2, 0, 0, 0, 2, 0, 0, 0, 0},
      {1, 0, 0, 0, 1e-20, 0, 0, 0, 1e-30},
      {1, 0, 0, 0, 1e-200, 0, 0, 0, 1e-300},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_matrix(3, cases[i]);
    check_matrix(2, cases[i]);
  }
  double u[9], sigma[3], v[9], r[9], s[9];
  assert_true(basin__svd3(cases[3], u, sigma, v, true));
  assert_true(sigma[0] == 1 && sigma[1] == 1 && sigma[2] == -1); /* sign of the determinant */
  assert_true(basin__svd3(cases[8], u, sigma, v, false));
  assert_true(sigma[1] == 1e-20 && sigma[2] == 1e-30);
  assert_true(basin__polar3(cases[4], r, s, true));
  assert_close(9, r, cases[4], 1e-15);
  /* Singular values are the roots of the eigenvalues of A^T A: for (3 0; 4 5) they are 3 sqrt 5 and
   * sqrt 5. */
  const double known[4] = {3, 0, 4, 5};
  assert_true(basin__svd2(known, u, sigma, v, true));
  assert_true(fabs(sigma[0] - 3 * sqrt(5)) < 2e-15 && fabs(sigma[1] - sqrt(5)) < 1e-15);
  double bad[9] = {1, 2, 3, 4, (double)NAN, 6, 7, 8, 9};
  assert_false(basin__svd3(bad, u, sigma, v, true));
  assert_false(basin__polar3(bad, r, s, false));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices),
      cmocka_unit_test(deficient_matrices),
      cmocka_unit_test(special_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
