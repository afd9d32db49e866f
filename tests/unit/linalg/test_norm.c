/* Tests of norms and of the vector loops of the solvers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/norm.h"
#include "linalg/vector.h"
#include "linalg_support.h"

static double norm_of(size_t count, const double *values)
{
  basin__norm norm = {0};
  basin__norm_add(&norm, count / 2, values);
  basin__norm_add(&norm, count - count / 2, values + count / 2);
  return basin__norm_value(&norm);
}

static void scales(void **state)
{
  (void)state;
  for (int exponent = -300; exponent <= 300; exponent += 50) {
    double scale = pow(10, exponent), values[] = {3 * scale, -4 * scale, 0, 12 * scale};
    assert_true(fabs(norm_of(4, values) / (13 * scale) - 1) < 1e-14); /* 3-4-12-13 */
    assert_true(basin__norm_max(4, values) == 12 * scale);
  }
  double mixed[] = {1e-200, 1, 1e-160}, extreme[] = {1e-200, 1e200};
  assert_true(norm_of(3, mixed) == 1);
  assert_true(fabs(norm_of(2, extreme) / 1e200 - 1) < 1e-15);
  assert_true(norm_of(0, mixed) == 0);
}

static void not_finite(void **state)
{
  (void)state;
  double nan[] = {1, (double)NAN, 1e300}, infinite[] = {1, (double)-INFINITY};
  assert_true(isnan(norm_of(3, nan)) && isnan(basin__norm_max(3, nan)));
  assert_true(isinf(norm_of(2, infinite)) && isinf(basin__norm_max(2, infinite)));
}

static void vector_loops(void **state)
{
  (void)state;
  static const size_t place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const basin__vector_kernels *portable = basin__vector_kernels_variant(0),
                              *wide = basin__vector_kernels_select();
  for (size_t nodes = 0; nodes < 40; nodes++) {
    size_t n = 3 * nodes;
    double m[360], r[120], q[120], z[120], r2[120], z2[120];
    uint64_t seed = nodes + 1;
    for (size_t i = 0; i < 6 * nodes; i++) m[i] = random_number(&seed);
    for (size_t i = 0; i < n; i++) r[i] = r2[i] = random_number(&seed), q[i] = random_number(&seed);
    double norm = portable->update_residual(n, 0.3, q, r),
           norm2 = wide->update_residual(n, 0.3, q, r2);
    double dot = portable->apply_3(nodes, m, r, z), dot2 = wide->apply_3(nodes, m, r2, z2);
    double expected_norm = 0, expected_dot = 0;
    uint64_t again = nodes + 1;
    for (size_t i = 0; i < 6 * nodes; i++) random_number(&again);
    for (size_t i = 0; i < n; i++) {
      double first = random_number(&again), second = random_number(&again), product = 0;
      assert_true(r[i] == first - 0.3 * second);
      for (size_t k = 0; k < 3; k++) product += m[i / 3 * 6 + place[i % 3][k]] * r[i / 3 * 3 + k];
      assert_true(fabs(z[i] - product) < 1e-15);
      expected_norm += r[i] * r[i];
      expected_dot += r[i] * product;
    }
    assert_true(fabs(norm - expected_norm) < 1e-13 && fabs(dot - expected_dot) < 1e-13);
    assert_true(norm == norm2 && dot == dot2 && portable->dot(n, r, z) == wide->dot(n, r, z));
    assert_memory_equal(r, r2, n * sizeof *r);
    assert_memory_equal(z, z2, n * sizeof *z);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scales),
      cmocka_unit_test(not_finite),
      cmocka_unit_test(vector_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
