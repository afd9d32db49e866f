/* A minimizer on a CUDA device through the C interface: the same results as on the CPU, host
 * copies, filters with vectors of either side, the derivative check, and every call of the driver
 * failing once. SPDX-License-Identifier: Apache-2.0 */
#include "../device/two_systems.h"
#include "solve/solve.h"

#include <math.h>

/* A scene with a minimizer of x: springs between points, and a pull of the points themselves. */
typedef struct problem {
  scene s;
  basin_minimizer *minimizer;
  basin_term_id terms[2];
} problem;

static basin_status add_term(
    problem *p, size_t number, const char *name, basin_expression energy, basin_projection mode)
{
  basin_energy_request request = {.expression = energy,
                                  .name = name,
                                  .unknowns = {.outputs = &p->s.x, .output_count = 1, .block = 3}};
  basin_plan *plan;
  BASIN_TRY(basin_plan_energy(p->s.graph, &request, &plan));
  p->s.plans[p->s.plan_count++] = plan;
  const basin_plan_info *info = basin_plan_get_info(plan);
  basin_term_description term = {.name = name,
                                 .space = info->space,
                                 .plan = plan,
                                 .value = basin_plan_kernel(plan, BASIN_STAGE_VALUE),
                                 .gradient = basin_plan_kernel(plan, BASIN_STAGE_GRADIENT),
                                 .hessian = basin_plan_kernel(plan, BASIN_STAGE_HESSIAN),
                                 .unknown_count = info->unknown_count,
                                 .unknowns = info->unknowns,
                                 .constant_hessian = info->constant_hessian,
                                 .hessian_array_count = info->hessian_array_count,
                                 .hessian_arrays = info->hessian_arrays,
                                 .projection = mode};
  return basin_minimizer_add_term(p->minimizer, &term, &p->terms[number]);
}

/* |ends|^4 of an edge; |x|² of a point, with a constant Hessian. */
static basin_status add_terms(problem *p)
{
  basin_graph *graph = p->s.graph;
  basin_expression x, e, d;
  BASIN_TRY(basin_expression_array(graph, p->s.x, &x));
  BASIN_TRY(basin_expression_join(graph, p->s.ends, x, &e));
  BASIN_TRY(basin_expression_apply(graph, "dot", (basin_expression[]){e, e}, 2, NULL, 0, &d));
  BASIN_TRY(basin_expression_apply(graph, "mul", (basin_expression[]){d, d}, 2, NULL, 0, &e));
  BASIN_TRY(add_term(p, 0, "edges", e, BASIN_PROJECTION_ADAPTIVE));
  BASIN_TRY(basin_expression_apply(graph, "dot", (basin_expression[]){x, x}, 2, NULL, 0, &d));
  return add_term(p, 1, "points", d, BASIN_PROJECTION_NONE);
}

static basin_status problem_init(problem *p, basin_context *context, const char *device)
{
  *p = (problem){0};
  BASIN_TRY(scene_init(&p->s, context, device));
  BASIN_TRY(basin_minimizer_create(p->s.system, &p->s.x, 1, 3, &p->minimizer));
  return add_terms(p);
}

static void problem_fini(problem *p)
{
  basin_minimizer_destroy(p->minimizer);
  scene_fini(&p->s);
}

static void same(const double *a, const double *b, size_t count, double tolerance)
{
  double scale = 1;
  for (size_t k = 0; k < count; ++k) scale = fmax(scale, fabs(a[k]));
  for (size_t k = 0; k < count; ++k)
    if (!(fabs(a[k] - b[k]) <= tolerance * scale))
      fail_msg("number %zu: %.17g and %.17g", k, a[k], b[k]);
}

#define ok(call)                                                                           \
  do {                                                                                     \
    if ((call) != BASIN_OK) fail_msg("%s: %s", #call, basin_error_last(context)->message); \
  } while (0)

static void test_results(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p[2];
  double total[2], parts[2][2];
  const double *gradient[2], *direction[2];
  const basin_bsr *matrix[2];
  size_t count = 0;
  for (int k = 0; k < 2; ++k) {
    basin_solve_options options = basin_solve_options_defaults();
    basin_solve_report report;
    options.kind = BASIN_SOLVER_PCG;
    options.tolerance = 1e-28;
    ok(problem_init(&p[k], context, k == 0 ? "cpu" : "cuda"));
    ok(basin_minimizer_energy(p[k].minimizer, &total[k], parts[k]));
    ok(basin_minimizer_assemble(p[k].minimizer, true, BASIN_PROJECTION_ADAPTIVE));
    gradient[k] = basin_minimizer_gradient(p[k].minimizer, &count);
    matrix[k] = basin_minimizer_matrix(p[k].minimizer);
    ok(basin_minimizer_solve(p[k].minimizer, &options, gradient[k], &direction[k], &report));
    assert_true(basin_linear_status_good(report.status) && report.residual < 1e-12);
  }
  assert_int_equal(count, 3 * TWO_POINTS);
  same(parts[0], parts[1], 2, 1e-14);
  same(&total[0], &total[1], 1, 1e-14);
  same(gradient[0], gradient[1], count, 1e-14);
  assert_int_equal(basin_bsr_block_count(matrix[0]), basin_bsr_block_count(matrix[1]));
  same(basin_bsr_values_const(matrix[0]),
       basin_bsr_values_const(matrix[1]),
       9 * basin_bsr_block_count(matrix[0]),
       1e-13);
  same(direction[0], direction[1], count, 1e-11);
  double array[3 * TWO_POINTS], plain[3 * TWO_POINTS];
  basin_minimizer_to_array(p[1].minimizer, 0, direction[1], array);
  basin_minimizer_from_array(p[1].minimizer, 0, array, plain);
  same(plain, direction[1], count, 0);
  for (int k = 0; k < 2; ++k) problem_fini(&p[k]);
  basin_context_destroy(context);
}

/* Directions of the host and of the device; bounds and motions are those of the CPU. */
static void test_filters(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p[2];
  double direction[3 * TWO_POINTS], alpha[2], motion[2][3 * TWO_POINTS];
  const double normal[3] = {0, 0, 2};
  for (size_t k = 0; k < 3 * TWO_POINTS; ++k) direction[k] = scene_number(k) + 0.5;
  for (int k = 0; k < 2; ++k) {
    alpha[k] = 1;
    ok(problem_init(&p[k], context, k == 0 ? "cpu" : "cuda"));
    ok(basin_filter_plane(p[k].minimizer, p[k].s.x, normal, -9, 0.9, direction, &alpha[k]));
    ok(basin_filter_motion_copy(p[k].minimizer, p[k].s.x, direction, motion[k]));
    double given = 1;
    assert_int_equal(
        basin_filter_plane(p[k].minimizer, p[k].s.x, normal, 9, 0.9, direction, &given),
        BASIN_ERROR_STATE);
    assert_non_null(strstr(basin_error_last(context)->message, "instance 0 of x lies"));
    assert_true(given == 1);
  }
  assert_true(alpha[0] == alpha[1] && alpha[0] > 0);
  same(motion[0], motion[1], 3 * TWO_POINTS, 0);
  for (int k = 0; k < 2; ++k) problem_fini(&p[k]);
  basin_context_destroy(context);
}

static void test_check(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  problem p;
  basin_check_options options = basin_check_options_defaults();
  basin_check_report report;
  options.samples = 4;
  ok(problem_init(&p, context, "cuda"));
  for (int k = 0; k < 2; ++k) {
    ok(basin_minimizer_check(p.minimizer, p.terms[k], &options, &report));
    if (!report.passed) fail_msg("%s", report.text);
    assert_int_equal(report.entries, 4);
    assert_int_not_equal(report.gradient.element, SIZE_MAX);
  }
  problem_fini(&p);
  basin_context_destroy(context);
}

static basin_status minimize(basin_context *context, const char *device)
{
  problem p;
  basin_newton_options options = basin_newton_options_defaults();
  basin_newton_report report;
  options.rule = BASIN_STOP_RULE_GRADIENT;
  options.tolerance = 1e-6;
  options.linear.kind = BASIN_SOLVER_PCG;
  basin_status status = problem_init(&p, context, device);
  if (status == BASIN_OK) status = basin_newton(p.minimizer, &options, &report);
  if (status == BASIN_OK) assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  problem_fini(&p);
  return status;
}

/* The n-th call of a function of the driver fails, for some n: an error, nothing leaks, and the CPU
 * minimizes. */
static void test_failures(void **state)
{
  static const char *const names[] = {
      "cuLaunchKernel", "cuMemAlloc", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuGraphLaunch"};
  (void)state;
  if (!is_software()) return;
  for (size_t i = 0; i < BASIN_COUNT(names); ++i) {
    unsigned failures = 0;
    for (unsigned n = 1; n < 4000; n = n < 8 ? n + 1 : n * 2) {
      failing_allocator allocator = {0};
      basin_context *context = test_context(&allocator);
      char fault[128];
      int result = i == 1 ? 2 : 700; /* out of memory is asked for twice */
      snprintf(
          fault, sizeof fault, "%s:%u=%d,%s:%u=%d", names[i], n, result, names[i], n + 1, result);
      setenv("SOFTCUDA_FAIL", fault, 1);
      basin_status status = minimize(context, "cuda");
      unsetenv("SOFTCUDA_FAIL");
      if (status != BASIN_OK) {
        assert_true(status == BASIN_ERROR_DEVICE || status == BASIN_ERROR_MEMORY);
        assert_non_null(strstr(basin_error_last(context)->message, "cuda:0"));
        if (n == 3) ok(minimize(context, "cpu"));
      }
      basin_context_destroy(context);
      assert_int_equal(allocator.blocks, 0);
      if (status == BASIN_OK) break;
      ++failures;
    }
    if (failures < 2) fail_msg("%s failed %u times", names[i], failures);
  }
}

int main(void)
{
  skip_without_device();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_results),
                                     cmocka_unit_test(test_filters),
                                     cmocka_unit_test(test_check),
                                     cmocka_unit_test(test_failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
