/* Step filters against closed forms and against a fine sampling of the path.
 * SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"
#include <math.h>

static double volume(const double *x, size_t size)
{
  double e[9];
  for (size_t k = 0; k < size; ++k)
    for (size_t i = 0; i < size; ++i) e[k * size + i] = x[(k + 1) * size + i] - x[i];
  if (size == 2) return e[0] * e[3] - e[1] * e[2];
  return e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6]) +
         e[2] * (e[3] * e[7] - e[4] * e[6]);
}

static basin_connectivity_id one_simplex(problem *p, unsigned corners)
{
  static const uint32_t indices[] = {0, 1, 2, 3};
  basin_space_description description = {.name = "simplices", .parent = BASIN_NONE, .count = 1};
  basin_space_id space;
  basin_connectivity_id to;
  ok(basin_system_add_space(p->system, &description, &space));
  ok(basin_system_add_connectivity(p->system, "corners", space, p->vertices, corners, &to));
  ok(basin_system_set_connectivity(p->system, to, indices, corners));
  return to;
}

/* The first sampled step at which the volume falls below what is to be kept. */
static double sampled(const double *x, const double *d, size_t size, double keep, size_t samples)
{
  double moved[12], start = volume(x, size);
  for (size_t k = 1; k <= samples; ++k) {
    double t = (double)k / (double)samples;
    for (size_t i = 0; i < size * (size + 1); ++i) moved[i] = x[i] - t * d[i];
    if (volume(moved, size) / start < 1 - keep) return t;
  }
  return 1;
}

static void random_simplices(size_t size)
{
  enum { SAMPLES = 4000 };
  problem p;
  uint64_t seed = 11;
  size_t cut = 0;
  problem_init(&p, NULL, (unsigned)size, size + 1);
  basin_connectivity_id corners = one_simplex(&p, (unsigned)size + 1);
  for (int trial = 0; trial < 300; ++trial) {
    double x[12], d[12], alpha = 1, keep = 0.5 + 0.49 * random_number(&seed);
    for (size_t i = 0; i < size * (size + 1); ++i)
      x[i] = random_number(&seed), d[i] = random_number(&seed);
    problem_set(&p, x);
    ok(basin_filter_inversion(p.minimizer, p.x, corners, keep, d, &alpha));
    double expected = sampled(x, d, size, keep, SAMPLES);
    cut += alpha < 1;
    /* Not beyond the first sample that is too small, and not more than a sample before it, unless
     * the path only grazes the bound. */
    assert_true(alpha <= expected);
    if (alpha < expected - 2.0 / (double)SAMPLES) {
      double moved[12];
      for (size_t i = 0; i < size * (size + 1); ++i) moved[i] = x[i] - alpha * d[i];
      assert_true(fabs(volume(moved, size) / volume(x, size) - (1 - keep)) < 1e-4);
    }
  }
  assert_true(cut > 100 && cut < 290);
  problem_fini(&p);
}

static void test_inversion(void **state)
{
  (void)state;
  random_simplices(3);
  random_simplices(2);
}

/* A unit simplex whose last corner falls through the opposite face at t = 1/2: 1 - 2 t = 1 - keep.
 */
static void test_inversion_exact(void **state)
{
  problem p;
  (void)state;
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
               d[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  problem_init(&p, NULL, 3, 4);
  basin_connectivity_id corners = one_simplex(&p, 4);
  problem_set(&p, x);
  double alpha = 1;
  ok(basin_filter_inversion(p.minimizer, p.x, corners, 0.8, d, &alpha));
  assert_true(fabs(alpha - 0.4) < 1e-10 && alpha <= 0.4);
  alpha = 0.3; /* a bound that is already smaller stays */
  ok(basin_filter_inversion(p.minimizer, p.x, corners, 0.8, d, &alpha));
  assert_true(alpha == 0.3);
  /* Shrinking to a point: (1 - t)³ = 1 - keep, a triple root. */
  const double shrink[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  alpha = 1;
  ok(basin_filter_inversion(p.minimizer, p.x, corners, 0.999, shrink, &alpha));
  assert_true(fabs(alpha - 0.9) < 1e-9);
  assert_int_equal(basin_filter_inversion(p.minimizer, p.x, corners, 1, d, &alpha),
                   BASIN_ERROR_ARGUMENT);
  problem_fini(&p);
}

static void test_plane(void **state)
{
  problem p;
  (void)state;
  const double x[] = {0, 1, 0, 5, 4, 0}, d[] = {0, 2, 7, 0, 1, 0}, normal[] = {0, 2, 0};
  problem_init(&p, NULL, 3, 2);
  problem_set(&p, x);
  double alpha = 1;
  /* 2 y >= 1: the first point is 1 away and falls at 4 a step; 0.9 of the distance may go. */
  ok(basin_filter_plane(p.minimizer, p.x, normal, 1, 0.9, d, &alpha));
  assert_true(fabs(alpha - 0.9 / 4) < 1e-15);
  alpha = 1;
  assert_int_equal(basin_filter_plane(p.minimizer, p.x, normal, 2, 0.9, d, &alpha),
                   BASIN_ERROR_STATE);
  assert_non_null(strstr(basin_error_last(p.context)->message, "instance 0 of x"));
  const double none[] = {0, 0, 0};
  assert_int_equal(basin_filter_plane(p.minimizer, p.x, none, 0, 0.9, d, &alpha),
                   BASIN_ERROR_ARGUMENT);
  problem_fini(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inversion),
      cmocka_unit_test(test_inversion_exact),
      cmocka_unit_test(test_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
