/* The derivative check passes right derivatives and names wrong ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"
#include <math.h>

/* sin(x) y² and what is wrong with it: bit 0 the gradient by y, bit 1 the mixed second derivative.
 */
static double wave(const double *u, double *g, double *H, int wrong)
{
  double x = u[0], y = u[1];
  if (g) {
    g[0] = cos(x) * y * y;
    g[1] = (wrong & 1 ? 2.01 : 2) * sin(x) * y;
  }
  if (H) {
    H[0] = -sin(x) * y * y;
    H[1] = H[2] = (wrong & 2 ? -2 : 2) * cos(x) * y;
    H[3] = (wrong & 1 ? 2.01 : 2) * sin(x);
  }
  return sin(x) * y * y;
}

static double right(const double *u, double *g, double *H)
{
  return wave(u, g, H, 0);
}
static double wrong_gradient(const double *u, double *g, double *H)
{
  return wave(u, g, H, 1);
}
static double wrong_hessian(const double *u, double *g, double *H)
{
  return wave(u, g, H, 2);
}

static const uint32_t pairs[] = {0, 1, 2, 1, 2, 3};

static void check(problem_function function, basin_check_report *report)
{
  problem p;
  problem_init(&p, NULL, 1, 4);
  problem_add(&p, "right", right, 2, pairs, 3, BASIN_PROJECTION_ABS);
  basin_term_id id = problem_add(&p, "wave", function, 2, pairs, 3, BASIN_PROJECTION_CLAMP);
  const double x[] = {0.3, 1.2, -0.7, 0.9};
  problem_set(&p, x);
  basin_check_options options = basin_check_options_defaults();
  options.samples = 0;
  ok(basin_minimizer_check(p.minimizer, id, &options, report));
  assert_int_equal(report->entries, 4);
  for (int k = 0; k < 4; ++k) assert_true(problem_get(&p)[k] == x[k]);
  double energies[2], total;
  ok(basin_minimizer_energy(p.minimizer, &total, energies));
  assert_true(energies[0] != 0); /* the other term is on again */
  problem_fini(&p);
}

static void test_right(void **state)
{
  basin_check_report report;
  (void)state;
  check(right, &report);
  assert_true(report.passed);
  assert_string_equal(report.text, "");
  assert_true(report.gradient.error < 1e-8 && report.hessian.error < 1e-6);
}

static void test_wrong_gradient(void **state)
{
  basin_check_report report;
  (void)state;
  check(wrong_gradient, &report);
  assert_false(report.passed);
  assert_true(report.gradient.instance == 1 || report.gradient.instance == 3);
  assert_non_null(strstr(report.text, "term wave: gradient by x (0, 0) of instance"));
  assert_true(fabs(report.gradient.analytic - 1.005 * report.gradient.numeric) < 1e-6);
}

static void test_wrong_hessian(void **state)
{
  basin_check_report report;
  (void)state;
  check(wrong_hessian, &report);
  assert_false(report.passed);
  assert_true(report.gradient.error < 1e-8);
  assert_non_null(strstr(report.text, "term wave: Hessian by x (0, 0) of instance"));
  assert_non_null(strstr(report.text, "(element "));
  assert_true(fabs(report.hessian.analytic + report.hessian.numeric) < 1e-5);
}

static void test_samples(void **state)
{
  problem p;
  basin_check_report report;
  (void)state;
  problem_init(&p, NULL, 3, 4);
  basin_term_id id = problem_add_polynomial(&p, 9, true, false, 2, pairs, 3);
  const double x[12] = {0.1, 0.5, -0.3, 0.8, 0.2, 0.9, -0.4, 0.3, 0.7, 0.6, -0.1, 0.2};
  problem_set(&p, x);
  basin_check_options options = basin_check_options_defaults();
  options.samples = 5;
  ok(basin_minimizer_check(p.minimizer, id, &options, &report));
  assert_true(report.passed);
  assert_int_equal(report.entries, 5);
  options.tolerance = 1e-14; /* no difference quotient is that good */
  ok(basin_minimizer_check(p.minimizer, id, &options, &report));
  assert_false(report.passed);
  options.tolerance = 0;
  assert_int_equal(basin_minimizer_check(p.minimizer, id, &options, &report), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_minimizer_check(p.minimizer, 7, NULL, &report), BASIN_ERROR_ARGUMENT);
  problem_fini(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right),
      cmocka_unit_test(test_wrong_gradient),
      cmocka_unit_test(test_wrong_hessian),
      cmocka_unit_test(test_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
