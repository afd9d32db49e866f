/* Newton's method on problems with known minima, and every way it can end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"
#include <math.h>

/* ---- energies ---- */

/* Rosenbrock's valley, minimum 0 at (1, 1). */
static double rosenbrock(const double *u, double *g, double *H)
{
  double x = u[0], y = u[1], r = y - x * x;
  if (g) {
    g[0] = -400 * x * r - 2 * (1 - x);
    g[1] = 200 * r;
  }
  if (H) {
    H[0] = -400 * r + 800 * x * x + 2;
    H[1] = H[2] = -400 * x;
    H[3] = 200;
  }
  return 100 * r * r + (1 - x) * (1 - x);
}

/* Spring of rest length 1 between two points in space. */
static double spring(const double *u, double *g, double *H)
{
  double d[3], length = 0;
  for (int i = 0; i < 3; ++i) {
    d[i] = u[i] - u[3 + i];
    length += d[i] * d[i];
  }
  length = sqrt(length);
  double stretch = length - 1;
  for (int i = 0; i < 6 && g; ++i) g[i] = (i < 3 ? 100 : -100) * stretch * d[i % 3] / length;
  for (int i = 0; i < 6 && H; ++i)
    for (int j = 0; j < 6; ++j) {
      double n = d[i % 3] * d[j % 3] / (length * length),
             k = n + stretch / length * ((i % 3 == j % 3) - n);
      H[i * 6 + j] = 100 * ((i < 3) == (j < 3) ? k : -k);
    }
  return 50 * stretch * stretch;
}

/* Weight along -y and a soft pin, for one point. */
static double weight(const double *u, double *g, double *H)
{
  for (int i = 0; i < 3 && g; ++i) g[i] = i == 1 ? 2 : 0;
  for (int i = 0; i < 9 && H; ++i) H[i] = 0;
  return 2 * u[1];
}
static double pin(const double *u, double *g, double *H)
{
  for (int i = 0; i < 3 && g; ++i) g[i] = 1000 * u[i];
  for (int i = 0; i < 9 && H; ++i) H[i] = i % 4 == 0 ? 1000 : 0;
  return 500 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* Two wells at -1 and 1: concave between. */
static double wells(const double *u, double *g, double *H)
{
  double x = u[0];
  if (g) g[0] = 4 * x * (x * x - 1);
  if (H) H[0] = 12 * x * x - 4;
  return (x * x - 1) * (x * x - 1);
}

/* x - log x: minimum at 1, infinite or not a number from 0 on. A full step from above 2 leads
 * there. */
static double barrier(const double *u, double *g, double *H)
{
  double x = u[0];
  if (g) g[0] = 1 - 1 / x;
  if (H) H[0] = 1 / (x * x);
  return x - log(x);
}

/* A gradient that lies: no step along it finds a decrease. */
static double liar(const double *u, double *g, double *H)
{
  if (g) g[0] = -1;
  if (H) H[0] = 1;
  return 5 + u[0];
}

/* No minimum: each step of the projected Newton method doubles the distance from 0. */
static double hill(const double *u, double *g, double *H)
{
  if (g) g[0] = -u[0];
  if (H) H[0] = -1;
  return -u[0] * u[0] / 2;
}

/* The sum of both is -x; far from 0 the large parts hide it. */
static double up(const double *u, double *g, double *H)
{
  double x = u[0];
  if (g) g[0] = 4 * x * x * x;
  if (H) H[0] = 12 * x * x;
  return x * x * x * x;
}
static double down(const double *u, double *g, double *H)
{
  double x = u[0];
  if (g) g[0] = -4 * x * x * x - 1;
  if (H) H[0] = -12 * x * x;
  return -(x * x * x * x) - x;
}

static const uint32_t first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static basin_newton_options tight(void)
{
  basin_newton_options options = basin_newton_options_defaults();
  options.rule = BASIN_STOP_RULE_GRADIENT;
  options.tolerance = 1e-10;
  return options;
}

/* ---- convergence ---- */

static void test_rosenbrock(void **state)
{
  static const basin_projection modes[] = {BASIN_PROJECTION_NONE,
                                           BASIN_PROJECTION_CLAMP,
                                           BASIN_PROJECTION_ABS,
                                           BASIN_PROJECTION_ADAPTIVE};
  (void)state;
  for (size_t k = 0; k < 4; ++k) {
    problem p;
    problem_init(&p, NULL, 1, 2);
    problem_add(&p, "valley", rosenbrock, 2, first, 1, modes[k]);
    problem_set(&p, (const double[]){-1.2, 1});
    basin_newton_options options = tight();
    basin_newton_report report;
    ok(basin_newton(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_true(fabs(problem_get(&p)[0] - 1) < 1e-9 && fabs(problem_get(&p)[1] - 1) < 1e-9);
    assert_true(report.iterations > 5 && report.iterations < 60);
    assert_true(report.energy < 1e-18);
    problem_fini(&p);
  }
}

static bool record_energy(void *user, const basin_iteration *iteration)
{
  double *last = user;
  assert_true(iteration->energy <= *last);
  assert_true(iteration->alpha > 0 && iteration->seconds >= 0);
  *last = iteration->energy;
  return true;
}

/* A hanging chain: every spring carries the weight below it, so spring k of n is stretched by 2 (n
 * - k) / 100. */
static void hanging_chain(basin_solver_kind kind, double tolerance)
{
  enum { N = 9 };
  uint32_t pairs[2 * N];
  double x[3 * (N + 1)], last = HUGE_VAL;
  problem p;
  problem_init(&p, NULL, 3, N + 1);
  for (uint32_t k = 0; k < N; ++k) pairs[2 * k] = k, pairs[2 * k + 1] = k + 1;
  problem_add(&p, "spring", spring, 2, pairs, N, BASIN_PROJECTION_ABS);
  problem_add(&p, "pin", pin, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_add(&p, "weight", weight, 1, first + 1, N, BASIN_PROJECTION_NONE);
  for (int k = 0; k <= N; ++k)
    x[3 * k] = 0.8 * k, x[3 * k + 1] = 0.1 * sin(k), x[3 * k + 2] = 0.05 * cos(2 * k);
  problem_set(&p, x);
  basin_newton_options options = tight();
  options.linear.kind = kind;
  options.linear.tolerance = 1e-16;
  options.tolerance = tolerance;
  options.max_iterations = 300;
  options.monitor = record_energy;
  options.monitor_user = &last;
  basin_newton_report report;
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  const double *y = problem_get(&p);
  assert_true(fabs(y[1] + 2.0 * (double)N / 1000) < 1e-7);
  for (int k = 0; k < N; ++k) {
    assert_true(fabs(y[3 * k + 1] - y[3 * k + 4] - (1 + 0.02 * (N - k))) < 1e-7);
    assert_true(fabs(y[3 * k]) < 1e-6 && fabs(y[3 * k + 2]) < 1e-6);
  }
  if (kind == BASIN_SOLVER_PCG) assert_true(report.linear_iterations > report.iterations);
  problem_fini(&p);
}

static void test_hanging_chain(void **state)
{
  (void)state;
  hanging_chain(BASIN_SOLVER_DIRECT, 1e-9);
  hanging_chain(BASIN_SOLVER_PCG, 1e-8);
  hanging_chain(BASIN_SOLVER_AUTO, 1e-9);
}

static void test_stop_rules(void **state)
{
  (void)state;
  for (int rule = 0; rule < 3; ++rule) {
    problem p;
    problem_init(&p, NULL, 1, 2);
    problem_add(&p, "valley", rosenbrock, 2, first, 1, BASIN_PROJECTION_CLAMP);
    problem_set(&p, (const double[]){-1.2, 1});
    basin_newton_options options = basin_newton_options_defaults();
    options.rule = (basin_stop_rule)rule;
    options.tolerance = 1e-3;
    options.step_scale = 0.01;
    basin_newton_report report;
    ok(basin_newton(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    if (rule == BASIN_STOP_RULE_STEP) assert_true(report.direction_norm / 0.01 <= 1e-3);
    if (rule == BASIN_STOP_RULE_GRADIENT) assert_true(report.gradient_norm <= 1e-3);
    if (rule == BASIN_STOP_RULE_DECREMENT) assert_true(report.energy < 1e-2);
    problem_fini(&p);
  }
}

static void test_iteration_limit(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 2);
  problem_add(&p, "valley", rosenbrock, 2, first, 1, BASIN_PROJECTION_CLAMP);
  problem_set(&p, (const double[]){-1.2, 1});
  basin_newton_options options = tight();
  options.max_iterations = 3;
  basin_newton_report report;
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_ITERATION_LIMIT);
  assert_int_equal(report.iterations, 3);
  assert_string_equal(basin_stop_reason_text(report.reason), "iteration limit");
  problem_fini(&p);
}

/* At the start the exact Hessian is negative: the matrix must be strengthened, and the report says
 * so. */
static bool look_for_p(void *user, const basin_iteration *iteration)
{
  if (strchr(iteration->flags, 'p')) ++*(int *)user;
  return true;
}

static void test_indefinite(void **state)
{
  (void)state;
  for (int kind = BASIN_SOLVER_DIRECT; kind <= BASIN_SOLVER_PCG; ++kind) {
    problem p;
    int strengthened = 0;
    problem_init(&p, NULL, 1, 1);
    problem_add(&p, "wells", wells, 1, first, 1, BASIN_PROJECTION_NONE);
    problem_set(&p, (const double[]){0.1});
    basin_newton_options options = tight();
    options.linear.kind = (basin_solver_kind)kind;
    options.monitor = look_for_p;
    options.monitor_user = &strengthened;
    basin_newton_report report;
    ok(basin_newton(p.minimizer, &options, &report));
    assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
    assert_true(fabs(problem_get(&p)[0] - 1) < 1e-9);
    assert_true(strengthened >= 1);
    problem_fini(&p);
  }
}

/* A saddle in one direction, no curvature at all in the other: only the shift helps. */
static double flat(const double *u, double *g, double *H)
{
  if (g) g[0] = 2 * u[0], g[1] = 1 + 4 * u[1] * u[1] * u[1];
  if (H) H[0] = 2, H[1] = H[2] = 0, H[3] = 12 * u[1] * u[1];
  return u[0] * u[0] + u[1] + u[1] * u[1] * u[1] * u[1];
}

static void test_singular(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 2);
  problem_add(&p, "flat", flat, 2, first, 1, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){3, 0});
  basin_newton_options options = tight();
  options.linear.kind = BASIN_SOLVER_DIRECT;
  basin_newton_report report;
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  assert_true(fabs(problem_get(&p)[0]) < 1e-10 && fabs(problem_get(&p)[1] + cbrt(0.25)) < 1e-9);
  problem_fini(&p);
}

/* ---- energies that are not finite ---- */

static void test_trial_not_finite(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "barrier", barrier, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){5});
  basin_newton_options options = tight();
  basin_newton_report report;
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  assert_true(fabs(problem_get(&p)[0] - 1) < 1e-9);
  assert_true(report.line_search_trials > report.iterations);
  problem_fini(&p);
}

static void test_start_not_finite(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 4);
  problem_add(&p, "fine", wells, 1, first, 4, BASIN_PROJECTION_NONE);
  problem_add(&p, "barrier", barrier, 1, first, 4, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){1, 2, -1, 3});
  basin_newton_report report;
  assert_int_equal(basin_newton(p.minimizer, NULL, &report), BASIN_ERROR_NOT_FINITE);
  assert_int_equal(report.reason, BASIN_STOP_NOT_FINITE);
  const basin_error *error = basin_error_last(p.context);
  assert_non_null(strstr(error->message, "term barrier"));
  assert_non_null(strstr(error->message, "element 2"));
  assert_string_equal(error->script, "problem.lua");
  assert_int_equal(error->script_line, 7);
  /* The context stays usable. */
  problem_set(&p, (const double[]){1, 2, 1, 3});
  ok(basin_newton(p.minimizer, NULL, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
}

/* ---- failures keep the last accepted state ---- */

static void test_line_search_failed(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "liar", liar, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){2.5});
  basin_newton_report report;
  ok(basin_newton(p.minimizer, NULL, &report));
  assert_int_equal(report.reason, BASIN_STOP_LINE_SEARCH_FAILED);
  assert_true(problem_get(&p)[0] == 2.5);
  problem_fini(&p);
}

static basin_status
no_step(void *user, basin_minimizer *minimizer, const double *direction, double *alpha)
{
  (void)user, (void)minimizer, (void)direction;
  *alpha = 0;
  return BASIN_OK;
}

static basin_status
half_step(void *user, basin_minimizer *minimizer, const double *direction, double *alpha)
{
  (void)user, (void)minimizer, (void)direction;
  if (*alpha > 0.5) *alpha = 0.5;
  return BASIN_OK;
}

static basin_status
broken_filter(void *user, basin_minimizer *minimizer, const double *direction, double *alpha)
{
  (void)user, (void)direction, (void)alpha;
  basin_status status;
  double energy;
  /* A filter may use the minimizer; here it fails half-way. */
  status = basin_minimizer_energy(minimizer, &energy, NULL);
  return status == BASIN_OK ? BASIN_ERROR_UNSUPPORTED : status;
}

static void test_filters(void **state)
{
  (void)state;
  basin_step_filter filters[] = {no_step, half_step, broken_filter};
  for (int k = 0; k < 3; ++k) {
    problem p;
    problem_init(&p, NULL, 1, 1);
    problem_add(&p, "barrier", barrier, 1, first, 1, BASIN_PROJECTION_NONE);
    problem_set(&p, (const double[]){0.5});
    basin_newton_options options = tight();
    options.filter = filters[k];
    basin_newton_report report;
    basin_status status = basin_newton(p.minimizer, &options, &report);
    assert_int_equal(status, k == 2 ? BASIN_ERROR_UNSUPPORTED : BASIN_OK);
    static const basin_stop_reason reasons[] = {
        BASIN_STOP_STEP_VANISHED, BASIN_STOP_CONVERGED, BASIN_STOP_ERROR};
    assert_int_equal(report.reason, reasons[k]);
    if (k != 1) assert_true(problem_get(&p)[0] == 0.5);
    problem_fini(&p);
  }
}

/* ---- interruption ---- */

static bool stop_at_second(void *user, const basin_iteration *iteration)
{
  *(double *)user = iteration->energy;
  return iteration->number < 2;
}

static void test_interruption(void **state)
{
  problem p;
  double accepted = 0, energy;
  (void)state;
  problem_init(&p, NULL, 1, 2);
  problem_add(&p, "valley", rosenbrock, 2, first, 1, BASIN_PROJECTION_CLAMP);
  problem_set(&p, (const double[]){-1.2, 1});
  basin_newton_options options = tight();
  options.monitor = stop_at_second;
  options.monitor_user = &accepted;
  basin_newton_report report;
  assert_int_equal(basin_newton(p.minimizer, &options, &report), BASIN_ERROR_INTERRUPTED);
  assert_int_equal(report.reason, BASIN_STOP_INTERRUPTED);
  assert_int_equal(report.iterations, 2);
  ok(basin_minimizer_energy(p.minimizer, &energy, NULL));
  assert_true(energy == accepted);
  /* From outside: nothing moves any more until the request is taken back. */
  options.monitor = NULL;
  basin__interrupt(p.context);
  assert_int_equal(basin_newton(p.minimizer, &options, &report), BASIN_ERROR_INTERRUPTED);
  assert_int_equal(report.iterations, 0);
  basin__interrupt_clear(p.context);
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
}

/* ---- the refresh callback is called for every change of the targets ---- */

typedef struct refresh_log {
  problem *p;
  size_t calls;
} refresh_log;

static basin_status count_refresh(void *user, basin_minimizer *minimizer)
{
  refresh_log *log = user;
  (void)minimizer;
  ++log->calls;
  return BASIN_OK;
}

static void test_refresh(void **state)
{
  problem p;
  refresh_log log = {&p, 0};
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "barrier", barrier, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){5});
  basin_newton_options options = tight();
  options.refresh = count_refresh;
  options.refresh_user = &log;
  basin_newton_report report;
  ok(basin_newton(p.minimizer, &options, &report));
  assert_true(log.calls >= 1 + report.line_search_trials);
  problem_fini(&p);
}

static void test_nothing_to_do(void **state)
{
  problem p;
  basin_newton_report report;
  (void)state;
  problem_init(&p, NULL, 1, 0);
  problem_add(&p, "barrier", barrier, 1, first, 0, BASIN_PROJECTION_NONE);
  ok(basin_newton(p.minimizer, NULL, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
}

/* x grows to 1e8 times its start and its first step, 2 in all: 2^28 is the first power above. */
static void test_diverged(void **state)
{
  problem p;
  basin_newton_report report;
  basin_newton_options options = tight();
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "hill", hill, 1, first, 1, BASIN_PROJECTION_ABS);
  problem_set(&p, (const double[]){1});
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_DIVERGED);
  assert_int_equal(report.iterations, 28);
  assert_true(problem_get(&p)[0] == 0x1p28);
  problem_fini(&p);
}

/* Steps that the energy cannot judge are no convergence while the gradient is what it was. */
static void test_stalled(void **state)
{
  problem p;
  basin_newton_report report;
  basin_newton_options options = tight();
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "up", up, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_add(&p, "down", down, 1, first, 1, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){0});
  ok(basin_newton(p.minimizer, &options, &report));
  assert_int_equal(report.reason, BASIN_STOP_STALLED);
  assert_true(report.gradient_norm == 1 && problem_get(&p)[0] > 1e3);
  assert_string_equal(basin_stop_reason_text(report.reason), "rounding hides any further decrease");
  problem_fini(&p);
}

static void test_bad_options(void **state)
{
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 1);
  problem_add(&p, "wells", wells, 1, first, 1, BASIN_PROJECTION_NONE);
  basin_newton_options options = tight();
  options.tolerance = -1;
  assert_int_equal(basin_newton(p.minimizer, &options, NULL), BASIN_ERROR_ARGUMENT);
  options = tight();
  options.size = 1;
  assert_int_equal(basin_newton(p.minimizer, &options, NULL), BASIN_ERROR_ARGUMENT);
  options = tight();
  options.step_scale = 0;
  assert_int_equal(basin_newton(p.minimizer, &options, NULL), BASIN_ERROR_ARGUMENT);
  problem_fini(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rosenbrock),
      cmocka_unit_test(test_hanging_chain),
      cmocka_unit_test(test_stop_rules),
      cmocka_unit_test(test_iteration_limit),
      cmocka_unit_test(test_indefinite),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_trial_not_finite),
      cmocka_unit_test(test_start_not_finite),
      cmocka_unit_test(test_line_search_failed),
      cmocka_unit_test(test_filters),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_refresh),
      cmocka_unit_test(test_nothing_to_do),
      cmocka_unit_test(test_diverged),
      cmocka_unit_test(test_stalled),
      cmocka_unit_test(test_bad_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
