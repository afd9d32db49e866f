/* Tests of preconditioned conjugate gradients.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"

typedef struct problem {
  basin_context *context;
  basin_bsr *matrix;
  basin_preconditioner *preconditioner;
  basin_pcg *pcg;
  size_t size;
  double *solution, *b, *x;
} problem;

/* A known random solution for the matrix. */
static problem create_problem(basin_context *context, basin_bsr *matrix)
{
  problem p = {.context = context, .matrix = matrix, .size = basin_bsr_size(matrix)};
  uint64_t seed = 77;
  check_status(context, basin_pcg_create(context, &p.pcg));
  check_status(context,
               basin_preconditioner_create(context,
                                           basin_bsr_node_count(matrix),
                                           basin_bsr_block_size(matrix),
                                           0,
                                           NULL,
                                           &p.preconditioner));
  check_status(context, basin_preconditioner_update(p.preconditioner, matrix, NULL));
  p.solution = calloc(p.size + 1, sizeof *p.solution);
  p.b = calloc(p.size + 1, sizeof *p.b);
  p.x = calloc(p.size + 1, sizeof *p.x);
  for (size_t i = 0; i < p.size; i++) p.solution[i] = random_number(&seed);
  basin_bsr_multiply(matrix, p.solution, p.b);
  return p;
}

static void destroy_problem(problem *p)
{
  basin_pcg_destroy(p->pcg);
  basin_preconditioner_destroy(p->preconditioner);
  basin_bsr_destroy(p->matrix);
  free(p->solution), free(p->b), free(p->x);
}

static basin_linear_result
solve(problem *p, const basin_linear_options *options, bool preconditioned)
{
  basin_linear_result result;
  check_status(p->context,
               basin_pcg_solve(p->pcg,
                               p->matrix,
                               preconditioned ? p->preconditioner : NULL,
                               p->b,
                               p->x,
                               options,
                               &result));
  return result;
}

static double norm(size_t count, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static double true_residual(const problem *p)
{
  double *r = calloc(p->size + 1, sizeof *r);
  basin_bsr_multiply(p->matrix, p->x, r);
  for (size_t i = 0; i < p->size; i++) r[i] = p->b[i] - r[i];
  double result = norm(p->size, r);
  free(r);
  return result;
}

static void converges_to_the_rule(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (unsigned b = 1; b <= 12; b += b < 4 ? 1 : 4) {
    problem p = create_problem(context, laplacian(context, 9, b, 0.01));
    basin_linear_options options = basin_linear_options_defaults();
    for (int stop = 0; stop < 2; stop++) {
      for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        for (double tolerance = 1e-2; tolerance > 1e-13; tolerance *= 1e-5) {
          options.stop = stop ? BASIN_STOP_RESIDUAL : BASIN_STOP_PRECONDITIONED;
          options.tolerance = tolerance;
          basin_linear_result result = solve(&p, &options, preconditioned);
          assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
          assert_true(result.measure <= tolerance && result.iterations > 0);
          double residual = true_residual(&p);
          /* The diagonal is constant here, so both rules are about the same norm. */
          double bound = stop ? tolerance : sqrt(tolerance);
          assert_true(residual <= bound * norm(p.size, p.b) * 1.01);
          assert_true(fabs(residual - result.residual) <= 1e-13 * norm(p.size, p.b));
        }
      }
    }
    destroy_problem(&p);
  }
  basin_context_destroy(context);
}

/* In exact arithmetic the iterations are at most the number of distinct eigenvalues. */
static void few_distinct_eigenvalues(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m;
  check_status(context, basin_bsr_create(context, 60, 1, 0, NULL, NULL, &m));
  for (size_t i = 0; i < 60; i++) basin_bsr_values(m)[i] = (double)(1 + i % 3);
  problem p = create_problem(context, m);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-26;
  assert_int_equal(solve(&p, &options, false).iterations, 3);
  assert_close(60, p.x, p.solution, 1e-12);
  assert_int_equal(solve(&p, &options, true).iterations, 1); /* the preconditioner is the inverse */
  destroy_problem(&p);
  basin_context_destroy(context);
}

/* A body of four nodes whose block couples them strongly: one instance needs far fewer iterations
 * than four. */
static void whole_instances_help(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  enum { BODIES = 40 };
  basin_node_pair pairs[BODIES * 7];
  basin_node_range ranges[BODIES];
  size_t count = 0;
  uint64_t seed = 5;
  for (uint32_t body = 0; body < BODIES; body++) {
    ranges[body] = (basin_node_range){body * 4, 4};
    for (uint32_t i = 0; i < 4; i++)
      for (uint32_t j = i + 1; j < 4; j++)
        pairs[count++] = (basin_node_pair){body * 4 + i, body * 4 + j};
    if (body > 0) pairs[count++] = (basin_node_pair){body * 4 - 1, body * 4};
  }
  basin_bsr *m;
  check_status(context, basin_bsr_create(context, BODIES * 4, 3, count, pairs, NULL, &m));
  for (uint32_t body = 0; body < BODIES; body++) { /* outer products couple all twelve numbers */
    for (int term = 0; term < 8; term++) {
      double v[12];
      for (size_t k = 0; k < 12; k++) v[k] = 10 * random_number(&seed);
      for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = i; j < 4; j++) {
          double *block =
              basin_bsr_values(m) + (size_t)basin_bsr_slot(m, body * 4 + i, body * 4 + j) * 9;
          for (size_t k = 0; k < 9; k++) block[k] += v[i * 3 + k / 3] * v[j * 3 + k % 3];
        }
      }
    }
  }
  basin_bsr_add_diagonal(m, 0.1, NULL);
  problem p = create_problem(context, m);
  basin_preconditioner *whole;
  size_t fallbacks;
  check_status(context,
               basin_preconditioner_create(context, BODIES * 4, 3, BODIES, ranges, &whole));
  check_status(context, basin_preconditioner_update(whole, m, &fallbacks));
  assert_int_equal(fallbacks, 0);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-16;
  size_t single = solve(&p, &options, true).iterations;
  basin_linear_result result;
  check_status(context, basin_pcg_solve(p.pcg, m, whole, p.b, p.x, &options, &result));
  assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
  assert_true(result.iterations <= 2 && single > 10);
  basin_preconditioner_destroy(whole);
  destroy_problem(&p);
  basin_context_destroy(context);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  double *first = NULL;
  size_t iterations = 0;
  for (unsigned threads = 1; threads <= 8; threads++) {
    basin_context *context = context_with_threads(threads);
    problem p = create_problem(context, laplacian(context, 18, 3, 0.001));
    basin_linear_options options = basin_linear_options_defaults();
    options.tolerance = 1e-12;
    basin_linear_result result = solve(&p, &options, true);
    if (first == NULL) {
      first = calloc(p.size, sizeof *first);
      memcpy(first, p.x, p.size * sizeof *first);
      iterations = result.iterations;
    }
    assert_memory_equal(first, p.x, p.size * sizeof *first);
    assert_int_equal(result.iterations, iterations);
    destroy_problem(&p);
    basin_context_destroy(context);
  }
  free(first);
}

static void initial_guess(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p = create_problem(context, laplacian(context, 7, 3, 0.1));
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-18;
  options.use_initial_guess = true;
  memcpy(p.x, p.solution, p.size * sizeof *p.x);
  basin_linear_result result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_ALREADY_CONVERGED);
  assert_int_equal(result.iterations, 0);
  assert_memory_equal(p.x, p.solution, p.size * sizeof *p.x);
  for (size_t i = 0; i < p.size; i++) p.x[i] = 100 * p.solution[i] + 1;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_CONVERGED);
  assert_close(p.size, p.x, p.solution, 1e-6);
  for (size_t i = 0; i < p.size; i++) p.x[i] = (double)NAN; /* not looked at without the option */
  options.use_initial_guess = false;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_CONVERGED);
  memset(p.b, 0, p.size * sizeof *p.b);
  result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_ALREADY_CONVERGED);
  for (size_t i = 0; i < p.size; i++) assert_true(p.x[i] == 0);
  destroy_problem(&p);
  basin_context_destroy(context);
}

static void indefinite_is_reported(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  problem p =
      create_problem(context, laplacian(context, 8, 3, -1.5)); /* smallest eigenvalue 0.36 - 1.5 */
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-10;
  basin_linear_result result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_INDEFINITE);
  assert_true(result.curvature < 0);
  const double *direction = basin_pcg_direction(p.pcg);
  double *product = calloc(p.size, sizeof *product), curvature = 0, square = 0;
  basin_bsr_multiply(p.matrix, direction, product);
  for (size_t i = 0; i < p.size; i++) {
    curvature += direction[i] * product[i];
    square += direction[i] * direction[i];
    assert_true(isfinite(p.x[i]));
  }
  assert_true(fabs(curvature / square - result.curvature) < 1e-10);
  assert_true(fabs(true_residual(&p) - result.residual) < 1e-8 * norm(p.size, p.b));
  free(product);
  destroy_problem(&p);
  basin_context_destroy(context);
}

static void not_finite_and_limits(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p = create_problem(context, laplacian(context, 8, 3, 0.001));
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-20;
  options.maximum_iterations = 3;
  basin_linear_result result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_ITERATION_LIMIT);
  assert_int_equal(result.iterations, 3);
  assert_true(fabs(true_residual(&p) - result.residual) < 1e-13 * norm(p.size, p.b));
  options.maximum_iterations = 0;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_ITERATION_LIMIT);
  options.maximum_iterations = 1000;
  basin__interrupt(context);
  result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_INTERRUPTED);
  assert_int_equal(result.iterations, 1);
  basin__interrupt_clear(context);
  p.b[7] = (double)INFINITY;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_NOT_FINITE);
  p.b[7] = 1;
  basin_bsr_values(p.matrix)[11] = (double)NAN;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_NOT_FINITE);
  destroy_problem(&p);
  basin_context_destroy(context);
}

/* The measure cannot fall below rounding: the solve ends by itself and says so. */
static void out_of_reach_stagnates(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p = create_problem(context, laplacian(context, 8, 1, 0.001));
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-40;
  options.stagnation_window = 60;
  basin_linear_result result = solve(&p, &options, true);
  assert_int_equal(result.status, BASIN_LINEAR_STAGNATED);
  assert_close(p.size, p.x, p.solution, 1e-11);
  assert_true(result.restarts <= options.maximum_restarts);
  destroy_problem(&p);
  basin_context_destroy(context);
}

static void scales_do_not_matter(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  static const double scales[][2] = {
      {1e-150, 1}, {1e150, 1}, {1, 1e-250}, {1, 1e250}, {1e-100, 1e-150}, {1e100, 1e150}};
  for (size_t s = 0; s < 6; s++) {
    problem p = create_problem(context, laplacian(context, 6, 3, 0.1));
    basin_bsr_scale(p.matrix, scales[s][0]);
    check_status(context, basin_preconditioner_update(p.preconditioner, p.matrix, NULL));
    for (size_t i = 0; i < p.size; i++) p.b[i] *= scales[s][1];
    basin_linear_options options = basin_linear_options_defaults();
    options.tolerance = 1e-20;
    assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_CONVERGED);
    for (size_t i = 0; i < p.size; i++)
      assert_true(fabs(p.x[i] / (scales[s][1] / scales[s][0]) - p.solution[i]) < 1e-8);
    destroy_problem(&p);
  }
  basin_context_destroy(context);
}

static void singular_but_consistent(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  enum { N = 50 }; /* a free chain of springs: constants are its null space */
  basin_node_pair pairs[N - 1];
  basin_bsr *m;
  for (uint32_t i = 0; i + 1 < N; i++) pairs[i] = (basin_node_pair){i, i + 1};
  check_status(context, basin_bsr_create(context, N, 1, N - 1, pairs, NULL, &m));
  for (uint32_t i = 0; i + 1 < N; i++) {
    basin_bsr_values(m)[basin_bsr_slot(m, i, i)] += 1;
    basin_bsr_values(m)[basin_bsr_slot(m, i + 1, i + 1)] += 1;
    basin_bsr_values(m)[basin_bsr_slot(m, i, i + 1)] -= 1;
  }
  problem p = create_problem(context, m);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-20;
  assert_int_equal(solve(&p, &options, true).status, BASIN_LINEAR_CONVERGED);
  assert_true(true_residual(&p) < 1e-9);
  destroy_problem(&p);
  basin_context_destroy(context);
}

static void arguments_are_checked(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p = create_problem(context, laplacian(context, 3, 3, 1));
  basin_bsr *other = laplacian(context, 4, 3, 1);
  basin_linear_options options = basin_linear_options_defaults();
  basin_linear_result result;
  assert_int_equal(basin_pcg_solve(p.pcg, other, p.preconditioner, p.b, p.x, &options, &result),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(result.status, BASIN_LINEAR_NOT_RUN);
  options.tolerance = -1;
  assert_int_equal(basin_pcg_solve(p.pcg, p.matrix, NULL, p.b, p.x, &options, &result),
                   BASIN_ERROR_ARGUMENT);
  options.size = 3;
  assert_int_equal(basin_pcg_solve(p.pcg, p.matrix, NULL, p.b, p.x, &options, &result),
                   BASIN_ERROR_ARGUMENT);
  assert_string_equal(basin_linear_status_text(BASIN_LINEAR_CONVERGED), "converged");
  assert_string_equal(basin_linear_status_text((basin_linear_status)99), "unknown status");
  assert_true(basin_linear_status_good(BASIN_LINEAR_ALREADY_CONVERGED));
  assert_false(basin_linear_status_good(BASIN_LINEAR_INDEFINITE));
  basin_bsr_destroy(other);
  destroy_problem(&p);
  problem nothing = create_problem(context, random_bsr(context, 0, 3, 0, 0, 1));
  assert_int_equal(solve(&nothing, NULL, true).status, BASIN_LINEAR_ALREADY_CONVERGED);
  destroy_problem(&nothing);
  basin_context_destroy(context);
}

static basin_status run_all(basin_context *context, failing_allocator *allocator)
{
  const basin_node_pair pairs[] = {{0, 1}};
  const double identity[] = {4, 0, 0, 4, 1, 0, 0, 1, 4, 0, 0, 4}, b[] = {1, 2, 3, 4};
  double x[4];
  basin_bsr *m = NULL;
  basin_preconditioner *p = NULL;
  basin_pcg *pcg = NULL;
  basin_linear_result result;
  basin_status status = basin_bsr_create(context, 2, 2, 1, pairs, NULL, &m);
  if (status == BASIN_OK) memcpy(basin_bsr_values(m), identity, sizeof identity);
  if (status == BASIN_OK) status = basin_preconditioner_create(context, 2, 2, 0, NULL, &p);
  if (status == BASIN_OK) status = basin_preconditioner_update(p, m, NULL);
  if (status == BASIN_OK) status = basin_pcg_create(context, &pcg);
  if (status == BASIN_OK) status = basin_pcg_solve(pcg, m, p, b, x, NULL, &result);
  if (status == BASIN_OK) {
    size_t calls = allocator->calls; /* a second solve allocates nothing */
    status = basin_pcg_solve(pcg, m, p, b, x, NULL, &result);
    assert_int_equal(calls, allocator->calls);
    assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
  }
  if (status == BASIN_OK) status = basin_minres_solve(context, m, p, b, x, NULL, &result);
  basin_bsr_destroy(m);
  basin_preconditioner_destroy(p);
  basin_pcg_destroy(pcg);
  return status;
}

static void allocation_failures(void **state)
{
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = run_all(context, &allocator);
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
      cmocka_unit_test(converges_to_the_rule),
      cmocka_unit_test(few_distinct_eigenvalues),
      cmocka_unit_test(whole_instances_help),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(initial_guess),
      cmocka_unit_test(indefinite_is_reported),
      cmocka_unit_test(not_finite_and_limits),
      cmocka_unit_test(out_of_reach_stagnates),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(singular_but_consistent),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
