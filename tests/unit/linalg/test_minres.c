/* Tests of MINRES.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"

static basin_linear_result solve(basin_context *context,
                                 const basin_bsr *m,
                                 bool preconditioned,
                                 const double *b,
                                 double *x,
                                 const basin_linear_options *options)
{
  basin_preconditioner *p = NULL;
  basin_linear_result result;
  if (preconditioned) {
    check_status(context,
                 basin_preconditioner_create(
                     context, basin_bsr_node_count(m), basin_bsr_block_size(m), 0, NULL, &p));
    check_status(context, basin_preconditioner_update(p, m, NULL));
  }
  check_status(context, basin_minres_solve(context, m, p, b, x, options, &result));
  basin_preconditioner_destroy(p);
  return result;
}

static void indefinite_systems(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (unsigned b = 1; b <= 3; b++) {
    for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
      basin_bsr *m = laplacian(context, 6, b, -3.7);
      size_t n = basin_bsr_size(m);
      double *x = calloc(n, sizeof *x), *known = calloc(n, sizeof *known),
             *right = calloc(n, sizeof *right);
      uint64_t seed = 3;
      for (size_t i = 0; i < n; i++) known[i] = random_number(&seed);
      basin_bsr_multiply(m, known, right);
      basin_linear_options options = basin_linear_options_defaults();
      options.stop = BASIN_STOP_RESIDUAL;
      options.tolerance = 1e-12;
      basin_linear_result result = solve(context, m, preconditioned, right, x, &options);
      assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
      assert_close(n, x, known, 1e-9);
      options.use_initial_guess = true;
      options.tolerance = 1e-10;
      result = solve(context, m, preconditioned, right, x, &options);
      assert_int_equal(result.status, BASIN_LINEAR_ALREADY_CONVERGED);
      for (size_t i = 0; i < n; i++) x[i] += 3 * random_number(&seed);
      result = solve(context, m, preconditioned, right, x, &options);
      assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
      assert_close(n, x, known, 1e-7);
      free(x), free(known), free(right);
      basin_bsr_destroy(m);
    }
  }
  basin_context_destroy(context);
}

/* A residual norm that never grows: cut off after k iterations. */
static void residuals_decrease(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m = laplacian(context, 4, 2, -5);
  size_t n = basin_bsr_size(m);
  double *x = calloc(n, sizeof *x), *b = calloc(n, sizeof *b), before = 1e300;
  uint64_t seed = 4;
  for (size_t i = 0; i < n; i++) b[i] = random_number(&seed);
  basin_linear_options options = basin_linear_options_defaults();
  options.stop = BASIN_STOP_RESIDUAL;
  options.tolerance = 1e-13;
  for (size_t k = 0; k < 40; k++) {
    options.maximum_iterations = k;
    basin_linear_result result = solve(context, m, false, b, x, &options);
    assert_true(result.residual <= before * (1 + 1e-12) + 1e-12);
    /* The recurrence knows the true residual (no preconditioner: both are Euclidean). */
    double norm = 0;
    for (size_t i = 0; i < n; i++) norm += b[i] * b[i];
    assert_true(fabs(result.measure * sqrt(norm) - result.residual) < 1e-10);
    before = result.residual;
  }
  free(x), free(b);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

/* Inconsistent: diag(1, 2, 0) x = (1, 2, 1). The least-squares residual is 1. */
static void singular_systems(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m;
  check_status(context, basin_bsr_create(context, 3, 1, 0, NULL, NULL, &m));
  basin_bsr_values(m)[0] = 1;
  basin_bsr_values(m)[1] = 2;
  double b[] = {1, 2, 1}, x[3];
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-20;
  basin_linear_result result = solve(context, m, false, b, x, &options);
  assert_int_equal(result.status, BASIN_LINEAR_SINGULAR);
  assert_true(fabs(result.residual - 1) < 1e-10);
  assert_true(fabs(x[0] - 1) < 1e-10 && fabs(x[1] - 1) < 1e-10);
  b[2] = 0; /* consistent */
  result = solve(context, m, false, b, x, &options);
  assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
  assert_true(fabs(x[0] - 1) < 1e-12 && fabs(x[1] - 1) < 1e-12);
  b[0] = (double)NAN;
  assert_int_equal(solve(context, m, false, b, x, &options).status, BASIN_LINEAR_NOT_FINITE);
  memset(b, 0, sizeof b);
  assert_int_equal(solve(context, m, false, b, x, &options).status, BASIN_LINEAR_ALREADY_CONVERGED);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indefinite_systems),
      cmocka_unit_test(residuals_decrease),
      cmocka_unit_test(singular_systems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
