/* Gradients and Hessians of model energies against central differences; hoisting and projection
 * variants against each other. SPDX-License-Identifier: Apache-2.0 */
#include "plan/fixture.h"
#include "plan/plan.h"

#include <math.h>

enum { LOCAL = 21, PACKED = LOCAL * (LOCAL + 1) / 2 };

typedef ex (*energy_function)(fixture *f);

/* x = A X + t with the corner 3 of the element: a product of two unknowns and a nonlinear function.
 */
static ex affine_point(fixture *f)
{
  ex p = op2(
      f,
      "add",
      op2(f, "mul", array(f, ARRAY_MATRIX), op1(f, "transpose", row(f, gather(f, ARRAY_REST), 3))),
      op1(f, "transpose", row(f, gather(f, ARRAY_POSITION), 0)));
  return op1(f, "exp", op2(f, "mul", literal(f, 0.3), op1(f, "squared_norm", p)));
}

static ex orthogonality(fixture *f)
{
  ex A = array(f, ARRAY_MATRIX);
  ex d = op2(f,
             "sub",
             op2(f, "mul", op1(f, "transpose", A), A),
             op2(f, "mul", literal(f, 2), literal(f, 1)));
  return op2(f, "mul", array(f, ARRAY_STEP), op1(f, "squared_norm", d));
}

static ex with_held(fixture *f)
{
  ex d = op2(f, "sub", row(f, gather(f, ARRAY_POSITION), 0), row(f, gather(f, ARRAY_HELD), 1));
  return op2(f, "pow", op1(f, "squared_norm", d), literal(f, 2));
}

static ex branches(fixture *f)
{
  ex x = entry(f, gather(f, ARRAY_POSITION), 4), y = entry(f, gather(f, ARRAY_POSITION), 0);
  ex safe = op3(f,
                "where",
                op2(f, "gt", x, literal(f, 0.5)),
                op1(f, "sqrt", op2(f, "sub", x, literal(f, 0.5))),
                op2(f, "mul", literal(f, 2), op2(f, "mul", x, x)));
  return op2(f, "mul", safe, op1(f, "sin", y));
}

static const energy_function energies[] = {
    neo_hookean, spring, hinge, point_triangle, affine_point, orthogonality, with_held, branches};

static uint32_t local_size(const basin_plan *plan)
{
  return basin_plan_kernel(plan, BASIN_STAGE_HESSIAN)->local_size;
}

/* Central differences of value and gradient; truncation and rounding are both far below 1e-7 at h =
 * 1e-5 for these energies. */
static void check_element(
    fixture *f, const basin_plan *plan, uint32_t e, const double *gradient, const double *hessian)
{
  const basin_plan_info *info = basin_plan_get_info(plan);
  uint32_t n = local_size(plan);
  double scale = 1e-3, h = 1e-5;
  for (uint32_t i = 0; i < n; ++i) scale = fmax(scale, fabs(gradient[i]));
  for (uint32_t i = 0; i < n * (n + 1) / 2; ++i) scale = fmax(scale, fabs(hessian[i]));
  for (uint32_t i = 0; i < n; ++i) {
    double *x = unknown(f, info, 3, e, i), start = *x;
    double energy[2][ELEMENTS], moved[2][ELEMENTS * LOCAL];
    for (int side = 0; side < 2; ++side) {
      *x = side ? start + h : start - h;
      run(f, plan, BASIN_STAGE_GRADIENT, BASIN_PROJECTION_NONE, energy[side], moved[side], NULL);
    }
    *x = start;
    double slope = (energy[1][e] - energy[0][e]) / (2 * h);
    assert_true(fabs(slope - gradient[i]) < 1e-7 * scale);
    for (uint32_t j = 0; j < n; ++j) {
      double second = (moved[1][e * n + j] - moved[0][e * n + j]) / (2 * h);
      double entry = hessian[i < j ? basin__packed(n, i, j) : basin__packed(n, j, i)];
      assert_true(fabs(second - entry) < 1e-6 * scale);
    }
  }
}

static void differences(void **state)
{
  fixture *f = *state;
  for (size_t k = 0; k < BASIN_COUNT(energies); ++k)
    for (int variant = 0; variant < 4; ++variant) {
      basin_plan *plan = energy_plan(f, energies[k](f), variant & 1, variant & 2);
      const basin_plan_info *info = basin_plan_get_info(plan);
      if (info->hoisted_size) run_compute(f, plan, f->arrays[ARRAY_HOISTED]);
      uint32_t n = local_size(plan);
      double energy[ELEMENTS], gradient[ELEMENTS * LOCAL], hessian[ELEMENTS * PACKED];
      assert_true(n <= LOCAL);
      run(f, plan, BASIN_STAGE_HESSIAN, BASIN_PROJECTION_NONE, energy, gradient, hessian);
      for (uint32_t e = 0; e < ELEMENTS; ++e)
        check_element(f, plan, e, gradient + e * n, hessian + e * n * (n + 1) / 2);
      basin_plan_destroy(plan);
    }
}

/* Rest-shape inverse and volume are computed once: nine entries and one, and the three kernels
 * agree with the plain ones. */
static void hoisting(void **state)
{
  fixture *f = *state;
  ex e = neo_hookean(f);
  basin_plan *plain = energy_plan(f, e, false, false), *hoisted = energy_plan(f, e, false, true);
  assert_int_equal(basin_plan_get_info(plain)->hoisted_size, 0);
  unsigned size = basin_plan_get_info(hoisted)->hoisted_size;
  assert_int_equal(size, 13); /* and three coefficients of the material */
  static const basin_stage stages[] = {
      BASIN_STAGE_VALUE, BASIN_STAGE_GRADIENT, BASIN_STAGE_HESSIAN};
  for (size_t i = 0; i < BASIN_COUNT(stages); ++i)
    assert_true(basin_plan_kernel(hoisted, stages[i])->operations <
                basin_plan_kernel(plain, stages[i])->operations);
  basin_plan_destroy(plain);
  basin_plan_destroy(hoisted);
}

/* A held vertex has no rows but stays in the inner matrix: (d·d)² of a difference, six numbers,
 * three of them shown. */
static void held_data(void **state)
{
  fixture *f = *state;
  basin_plan *plan = energy_plan(f, with_held(f), true, false);
  const basin_plan_info *info = basin_plan_get_info(plan);
  assert_int_equal(info->inner_size, 6);
  assert_int_equal(local_size(plan), 3);
  assert_int_equal(info->unknown_count, 2);
  assert_true(info->unknowns[0].output);
  assert_false(info->unknowns[1].output);
  assert_int_equal(info->unknowns[1].access.array, ARRAY_HELD);
  basin_plan_destroy(plan);
}

/* Column j of a matrix of `block` rows is node j: the gradient of A00 + 2 A10 + 3 A01 in node order
 * is 1 2 0, 3 0 0, 0 0 0. */
static void node_order(void **state)
{
  fixture *f = *state;
  ex A = array(f, ARRAY_MATRIX);
  ex e = op2(f,
             "add",
             entry(f, A, 0),
             op2(f,
                 "add",
                 op2(f, "mul", literal(f, 2), entry(f, A, 3)),
                 op2(f, "mul", literal(f, 3), entry(f, A, 1))));
  basin_plan *plan = energy_plan(f, e, false, false);
  double energy[ELEMENTS], gradient[ELEMENTS * 9];
  run(f, plan, BASIN_STAGE_GRADIENT, BASIN_PROJECTION_NONE, energy, gradient, NULL);
  static const double expected[9] = {1, 2, 0, 3, 0, 0, 0, 0, 0};
  for (int i = 0; i < 9; ++i) assert_true(gradient[i] == expected[i]);
  basin_plan_destroy(plan);
}

/* A projected Hessian has no negative eigenvalue: x·Hx >= 0 for many x; unprojected, some x shows a
 * negative one. */
static void projection(void **state)
{
  fixture *f = *state;
  basin_plan *plan = energy_plan(f, neo_hookean(f), false, false);
  double energy[ELEMENTS], gradient[ELEMENTS * 12], hessian[3][ELEMENTS * 78];
  for (uint32_t i = 0; i < VERTICES * 3; ++i)
    f->arrays[ARRAY_POSITION][i] *= -0.4; /* inverted elements */
  for (int mode = 0; mode < 3; ++mode)
    run(f, plan, BASIN_STAGE_HESSIAN, (basin_projection)mode, energy, gradient, hessian[mode]);
  double least[3] = {0};
  uint64_t random = 1;
  for (int trial = 0; trial < 400; ++trial) {
    double x[12], value[3] = {0};
    for (int i = 0; i < 12; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      x[i] = (double)(random >> 11) / 4503599627370496.0 - 1;
    }
    for (int mode = 0; mode < 3; ++mode) {
      for (uint32_t i = 0; i < 12; ++i)
        for (uint32_t j = i; j < 12; ++j)
          value[mode] += (i == j ? 1 : 2) * x[i] * x[j] * hessian[mode][basin__packed(12, i, j)];
      least[mode] = fmin(least[mode], value[mode]);
    }
    /* clamp <= abs in the order of quadratic forms, and none <= clamp */
    assert_true(value[0] <= value[1] + 1e-9 && value[1] <= value[2] + 1e-9);
  }
  assert_true(least[0] < -0.1);
  assert_true(least[1] > -1e-10 && least[2] > -1e-10);
  basin_plan_destroy(plan);
}

/* Every failing allocation gives an error and leaks nothing. */
static void out_of_memory(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  for (size_t n = 1;; ++n) {
    allocator.calls = 0;
    allocator.fail_at = n;
    basin_context *context = test_context(&allocator);
    basin_graph *graph = NULL;
    basin_plan *plan = NULL;
    basin_status status = context ? basin_graph_create(context, &graph) : BASIN_ERROR_MEMORY;
    basin_array_id id = 0;
    basin_expression x = 0, y = 0;
    if (!status) status = basin_graph_declare_space(graph, 0, BASIN_NONE, false, "points");
    if (!status) status = basin_graph_declare_array(graph, id, 0, 3, 1, BASIN_ARRAY_DATA, "x");
    if (!status) status = basin_expression_array(graph, id, &x);
    if (!status) status = basin_expression_apply(graph, "norm", &x, 1, NULL, 0, &y);
    basin_energy_request request = {.expression = y,
                                    .name = "norm",
                                    .unknowns = {.outputs = &id, .output_count = 1, .block = 3}};
    if (!status) status = basin_plan_energy(graph, &request, &plan);
    basin_plan_destroy(plan);
    if (graph) basin_graph_destroy(graph);
    if (context) basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (!status) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    assert_true(n < 2000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(differences, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(hoisting, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(held_data, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(node_order, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(projection, fixture_setup, fixture_teardown),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
