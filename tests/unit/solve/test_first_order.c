/* First-order minimizers on problems with known minima, and every way they can end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"
#include "solve/update.h"
#include <math.h>

static const uint32_t first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* ---- energies; `size` and `length` set their units ---- */

static double size = 1, length = 1;

/* Rosenbrock's valley, minimum 0 at (length, length). */
static double valley(const double *u, double *g, double *H)
{
  double x = u[0] / length, y = u[1] / length, r = y - x * x;
  (void)H;
  if (g) {
    g[0] = size * (-400 * x * r - 2 * (1 - x)) / length;
    g[1] = size * 200 * r / length;
  }
  return size * (100 * r * r + (1 - x) * (1 - x));
}
/* x - log x: minimum at 1, infinite or not a number from 0 on. */
static double barrier(const double *u, double *g, double *H)
{
  (void)H;
  if (g) g[0] = 1 - 1 / u[0];
  return u[0] - log(u[0]);
}
static double liar(const double *u, double *g, double *H)
{
  (void)H;
  if (g) g[0] = -1;
  return 5 + u[0];
}
static double slope(const double *u, double *g, double *H)
{
  (void)H;
  if (g) g[0] = -1;
  return -u[0];
}
/* Not bounded below: the exponential overflows before values run away. */
static double plunge(const double *u, double *g, double *H)
{
  double e = exp(u[0]);
  (void)H;
  if (g) g[0] = -e;
  return -e;
}
/* A gradient that is no number from 2 on, where the energy still is one. */
static double edge(const double *u, double *g, double *H)
{
  (void)H;
  if (g) g[0] = u[0] < 2 ? 2 * (u[0] - 1.5) : (double)NAN;
  return (u[0] - 1.5) * (u[0] - 1.5);
}

static void start(problem *p, const char *name, problem_function function, unsigned arity, double x)
{
  problem_init(p, NULL, 1, arity);
  problem_add(p, name, function, arity, first, 1, BASIN_PROJECTION_NONE);
  problem_set(p, arity == 2 ? (const double[]){-1.2 * x, x} : &x);
}

static basin_first_order_options with(basin_first_order_method method, double tolerance)
{
  basin_first_order_options options = basin_first_order_options_defaults(method);
  options.tolerance = tolerance;
  options.max_iterations = 3000;
  return options;
}

/* ---- convergence ---- */

static void test_methods(void **state)
{
  (void)state;
  for (int method = 0; method < BASIN_METHOD_COUNT; ++method) {
    problem p;
    basin_newton_report report;
    start(&p, "valley", valley, 2, 1);
    basin_first_order_options options = with((basin_first_order_method)method, 1e-8);
    ok(basin_first_order(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_true(fabs(problem_get(&p)[0] - 1) < 1e-6 && fabs(problem_get(&p)[1] - 1) < 1e-6);
    assert_true(report.gradient_norm <= 1e-8 && report.linear_iterations == 0);
    assert_true(report.line_search_trials >= report.iterations);
    if (method != BASIN_METHOD_GRADIENT_DESCENT) assert_true(report.iterations < 120);
    problem_fini(&p);
  }
}

/* The same problem in other units of energy and length. */
static void test_scales(void **state)
{
  static const double scales[] = {1e-12, 1e-6, 1e6, 1e12};
  (void)state;
  for (int method = BASIN_METHOD_FLETCHER_REEVES; method < BASIN_METHOD_COUNT; ++method)
    for (int k = 0; k < 8; ++k) {
      problem p;
      basin_newton_report report;
      size = k < 4 ? scales[k] : 1;
      length = k < 4 ? 1 : scales[k - 4];
      start(&p, "valley", valley, 2, length);
      basin_first_order_options options =
          with((basin_first_order_method)method, 1e-7 * size / length);
      ok(basin_first_order(p.minimizer, &options, &report));
      assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
      assert_true(fabs(problem_get(&p)[0] / length - 1) < 1e-6);
      assert_true(report.iterations < 120);
      problem_fini(&p);
    }
  size = length = 1;
}

/* 1/2 |x - goal|²: one step of length |x - goal|, and nothing to do at the goal. */
static void test_at_minimum(void **state)
{
  (void)state;
  for (int method = 0; method < BASIN_METHOD_COUNT; ++method) {
    problem p;
    basin_array_id goal;
    basin_newton_report report;
    problem_init(&p, NULL, 3, 4);
    problem_add_goal(&p, &goal);
    basin_first_order_options options = with((basin_first_order_method)method, 1e-12);
    ok(basin_first_order(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_true(report.iterations == 0 && report.line_search_trials == 0);
    assert_true(report.energy == 0 && report.gradient_norm == 0);
    problem_fini(&p);
    problem_init(&p, NULL, 1, 0);
    problem_add(&p, "barrier", barrier, 1, first, 0, BASIN_PROJECTION_NONE);
    ok(basin_first_order(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    problem_fini(&p);
  }
}

static void test_rules(void **state)
{
  (void)state;
  for (int rule = 0; rule < 3; ++rule) {
    problem p;
    basin_newton_report report;
    start(&p, "valley", valley, 2, 1);
    basin_first_order_options options = with(BASIN_METHOD_LBFGS, 1e-5);
    options.rule = (basin_stop_rule)rule;
    options.step_scale = 0.01;
    ok(basin_first_order(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_true(report.iterations > 10 && report.energy < 1e-6);
    if (rule == BASIN_STOP_RULE_GRADIENT) assert_true(report.gradient_norm <= 1e-5);
    problem_fini(&p);
  }
}

/* Small memories, and memories that are never full, end at the same place. */
static void test_memory(void **state)
{
  static const unsigned sizes[] = {1, 2, 3, 1000};
  (void)state;
  for (size_t k = 0; k < BASIN_COUNT(sizes); ++k) {
    problem p;
    basin_newton_report report;
    start(&p, "valley", valley, 2, 1);
    basin_first_order_options options = with(BASIN_METHOD_LBFGS, 1e-8);
    options.memory = sizes[k];
    ok(basin_first_order(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    problem_fini(&p);
  }
}

/* ---- other ends ---- */

static void ends(const char *name,
                 problem_function function,
                 double x,
                 basin_stop_reason reason,
                 double least,
                 double most)
{
  for (int method = 0; method < BASIN_METHOD_COUNT; ++method) {
    problem p;
    basin_newton_report report;
    start(&p, name, function, 1, x);
    basin_first_order_options options = with((basin_first_order_method)method, 1e-9);
    ok(basin_first_order(p.minimizer, &options, &report));
    if (report.reason != reason)
      fail_msg("%s, %s: %s",
               name,
               basin_first_order_word(options.method),
               basin_stop_reason_text(report.reason));
    assert_true(problem_get(&p)[0] >= least && problem_get(&p)[0] <= most);
    problem_fini(&p);
  }
}

static void test_ends(void **state)
{
  (void)state;
  ends("barrier", barrier, 50, BASIN_STOP_CONVERGED, 1 - 1e-8, 1 + 1e-8);
  ends("edge", edge, -40, BASIN_STOP_CONVERGED, 1.5 - 1e-8, 1.5 + 1e-8);
  ends("liar", liar, 1, BASIN_STOP_LINE_SEARCH_FAILED, 1, 1);
  ends("slope", slope, 1, BASIN_STOP_DIVERGED, 1e8, HUGE_VAL);
  ends("plunge", plunge, 0, BASIN_STOP_DIVERGED, 0, 1e3);
}

static void test_start_not_finite(void **state)
{
  problem p;
  basin_newton_report report;
  (void)state;
  start(&p, "barrier", barrier, 1, -1);
  assert_int_equal(basin_first_order(p.minimizer, NULL, &report), BASIN_ERROR_NOT_FINITE);
  assert_int_equal(report.reason, BASIN_STOP_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(p.context)->message, "barrier: the energy of element 0"));
  assert_true(problem_get(&p)[0] == -1);
  problem_set(&p, (const double[]){4});
  ok(basin_first_order(p.minimizer, NULL, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
}

static void test_iteration_limit(void **state)
{
  problem p;
  basin_newton_report report;
  (void)state;
  start(&p, "valley", valley, 2, 1);
  basin_first_order_options options = with(BASIN_METHOD_BFGS, 1e-8);
  options.max_iterations = 3;
  ok(basin_first_order(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_ITERATION_LIMIT);
  assert_int_equal(report.iterations, 3);
  problem_fini(&p);
}

/* ---- callbacks ---- */

typedef struct record {
  size_t refreshed, filtered;
  double part, longest, energy;
  unsigned stop_at;
} record;

static basin_status count_refresh(void *user, basin_minimizer *minimizer)
{
  (void)minimizer;
  ++((record *)user)->refreshed;
  return BASIN_OK;
}
static basin_status
limit(void *user, basin_minimizer *minimizer, const double *direction, double *alpha)
{
  record *l = user;
  (void)minimizer;
  assert_true(*alpha == 1);
  ++l->filtered;
  *alpha = l->part;
  l->longest = l->part * fabs(direction[0]);
  return BASIN_OK;
}
static bool watch(void *user, const basin_iteration *iteration)
{
  record *l = user;
  if (l->filtered > 0)
    assert_true(iteration->alpha * iteration->direction_norm <= l->longest * (1 + 1e-15));
  assert_true(iteration->energy <= l->energy);
  l->energy = iteration->energy;
  return l->stop_at == 0 || iteration->number < l->stop_at;
}

static void test_callbacks(void **state)
{
  static const double parts[] = {1, 0.1, 1e-11};
  (void)state;
  for (int method = 0; method < BASIN_METHOD_COUNT; ++method)
    for (int k = 0; k < 3; ++k) {
      problem p;
      basin_newton_report report;
      record l = {.part = parts[k], .energy = HUGE_VAL};
      start(&p, "barrier", barrier, 1, 9);
      basin_first_order_options options = with((basin_first_order_method)method, 1e-6);
      options.filter = limit;
      options.refresh = count_refresh;
      options.monitor = watch;
      options.filter_user = options.refresh_user = options.monitor_user = &l;
      ok(basin_first_order(p.minimizer, &options, &report));
      assert_int_equal(report.reason, k < 2 ? BASIN_STOP_CONVERGED : BASIN_STOP_STEP_VANISHED);
      assert_true(l.filtered >= report.iterations && l.refreshed > report.line_search_trials);
      if (k == 2) assert_true(problem_get(&p)[0] == 9);
      problem_fini(&p);
    }
}

static void test_interruption(void **state)
{
  problem p;
  basin_newton_report report;
  double energy;
  record l = {.energy = HUGE_VAL, .stop_at = 2};
  (void)state;
  start(&p, "valley", valley, 2, 1);
  basin_first_order_options options = with(BASIN_METHOD_LBFGS, 1e-8);
  options.monitor = watch;
  options.monitor_user = &l;
  assert_int_equal(basin_first_order(p.minimizer, &options, &report), BASIN_ERROR_INTERRUPTED);
  assert_int_equal(report.reason, BASIN_STOP_INTERRUPTED);
  assert_int_equal(report.iterations, 2);
  ok(basin_minimizer_energy(p.minimizer, &energy, NULL));
  assert_true(energy == l.energy);
  options.monitor = NULL;
  basin__interrupt(p.context);
  assert_int_equal(basin_first_order(p.minimizer, &options, &report), BASIN_ERROR_INTERRUPTED);
  assert_int_equal(report.iterations, 0);
  basin__interrupt_clear(p.context);
  ok(basin_first_order(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
}

/* ---- options and limits ---- */

static void assert_bad(problem *p, const basin_first_order_options *options)
{
  assert_int_equal(basin_first_order(p->minimizer, options, NULL), BASIN_ERROR_ARGUMENT);
}

static void test_bad_options(void **state)
{
  problem p;
  (void)state;
  start(&p, "barrier", barrier, 1, 2);
  for (int k = 0; k < 9; ++k) {
    basin_first_order_options options = with(BASIN_METHOD_LBFGS, 1e-8);
    if (k == 0) options.size = 1;
    if (k == 1) options.method = BASIN_METHOD_COUNT;
    if (k == 2) options.tolerance = (double)NAN;
    if (k == 3) options.step_scale = 0;
    if (k == 4) options.sufficient_decrease = 0.5;
    if (k == 5) options.curvature = 1;
    if (k == 6) options.curvature = 1e-5;
    if (k == 7) options.memory = 0;
    if (k == 8) options.rule = (basin_stop_rule)3;
    assert_bad(&p, &options);
  }
  problem_fini(&p);
}

static void test_dense_limit(void **state)
{
  problem p;
  basin_array_id goal;
  (void)state;
  problem_init(&p, NULL, 1, BASIN_DENSE_UNKNOWNS + 1);
  problem_add_goal(&p, &goal);
  basin_first_order_options options = with(BASIN_METHOD_DFP, 1e-8);
  assert_int_equal(basin_first_order(p.minimizer, &options, NULL), BASIN_ERROR_UNSUPPORTED);
  assert_non_null(strstr(basin_error_last(p.context)->message, "at most 4000 unknowns"));
  options.method = BASIN_METHOD_LBFGS;
  ok(basin_first_order(p.minimizer, &options, NULL));
  problem_fini(&p);
}

/* ---- formulas ---- */

/* A secant update maps y to s; a direct one s to y. */
static void test_secant(void **state)
{
  enum { N = 5 };
  double s[N], y[N], H[N * N], product[N];
  basin_context *context = test_context(NULL);
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    for (int i = 0; i < N; ++i) {
      s[i] = sin(3 * i + 1);
      y[i] = 2 * s[i] + 0.1 * cos(5 * i);
      for (int k = 0; k < N; ++k) H[i * N + k] = (i == k) * (i + 1) + 0.1 * (i + k);
    }
    ok((kind == 0   ? basin_update_inverse_bfgs
        : kind == 1 ? basin_update_inverse_dfp
                    : basin_update_bfgs)(context, N, s, y, H));
    basin__dense_multiply_cpu(NULL, N, H, kind == 2 ? s : y, product);
    for (int i = 0; i < N; ++i) {
      assert_true(fabs(product[i] - (kind == 2 ? y : s)[i]) < 1e-13);
      for (int k = 0; k < N; ++k) assert_true(H[i * N + k] == H[k * N + i]);
    }
    for (int i = 0; i < N; ++i) y[i] = -y[i];
    assert_int_equal(basin_update_bfgs(context, N, s, y, H), BASIN_ERROR_ARGUMENT);
    for (int i = 0; i < N; ++i) y[i] = (double)NAN;
    assert_int_equal(basin_update_bfgs(context, N, s, y, H), BASIN_ERROR_ARGUMENT);
  }
  basin_context_destroy(context);
}

/* The two-loop recursion is the product with the matrix that the same updates make. */
static void test_two_loop(void **state)
{
  enum { N = 6, M = 4 };
  double S[M * N], Y[M * N], g[N], H[N * N], dense[N], result[N];
  basin_context *context = test_context(NULL);
  (void)state;
  for (int k = 0; k < M * N; ++k) {
    S[k] = sin(7 * k + 1);
    Y[k] = S[k] * (1 + k % N) + 0.05 * cos(3 * k);
  }
  for (int i = 0; i < N; ++i) g[i] = cos(i);
  basin__dense_identity_cpu(NULL, N, 0.3, H);
  for (int k = 0; k < M; ++k) {
    ok(basin_two_loop(context, N, (size_t)k, S, Y, 0.3, g, result));
    basin__dense_multiply_cpu(NULL, N, H, g, dense);
    for (int i = 0; i < N; ++i) assert_true(fabs(result[i] - dense[i]) < 1e-12);
    ok(basin_update_inverse_bfgs(context, N, S + k * N, Y + k * N, H));
  }
  basin_context_destroy(context);
}

/* Sums do not depend on who computes them. */
static void test_threads(void **state)
{
  enum { N = 2000001 };
  double results[4][2], *a = malloc(3 * N * sizeof *a), *b = a + N, *c = b + N;
  (void)state;
  assert_non_null(a);
  for (int k = 0; k < N; ++k) {
    a[k] = sin(k);
    b[k] = cos(3 * k);
  }
  for (unsigned threads = 0; threads < 4; ++threads) {
    basin_options options = basin_options_defaults();
    options.threads = threads;
    basin_minimizer minimizer = {.context = basin_context_create(&options)};
    basin_minimizer *chosen = threads == 0 ? NULL : &minimizer;
    basin_vector_pair pairs[] = {{a, b}, {b, b}};
    assert_non_null(minimizer.context);
    ok(basin__dots_cpu(chosen, N, pairs, 2, results[threads]));
    ok(basin__blend_cpu(chosen, N, 2, a, -0.5, b, c));
    for (int k = 0; k < N; ++k) assert_true(c[k] == 2 * a[k] + -0.5 * b[k]);
    assert_memory_equal(results[threads], results[0], sizeof results[0]);
    basin_context_destroy(minimizer.context);
  }
  double sum = 0;
  for (int k = 0; k < N; ++k) sum += b[k] * b[k];
  assert_true(fabs(results[0][1] - sum) < 1e-9 * sum);
  free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_at_minimum),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_start_not_finite),
      cmocka_unit_test(test_iteration_limit),
      cmocka_unit_test(test_callbacks),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_dense_limit),
      cmocka_unit_test(test_secant),
      cmocka_unit_test(test_two_loop),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
