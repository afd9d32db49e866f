/* Sizes of affine frontiers, constant Hessians, block structure.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/fixture.h"
#include "plan/plan.h"

#include <math.h>

static void expect_inner(fixture *f, ex e, unsigned inner, bool constant, unsigned blocks)
{
  basin_plan *plan = energy_plan(f, e, false, false);
  const basin_plan_info *info = basin_plan_get_info(plan);
  assert_int_equal(info->inner_size, inner);
  assert_int_equal(info->constant_hessian, constant);
  assert_int_equal(basin__plan_program(plan, BASIN_STAGE_HESSIAN)->block_count, blocks);
  basin_plan_destroy(plan);
}

static void sizes(void **state)
{
  fixture *f = *state;
  expect_inner(f, neo_hookean(f), 9, false, 1); /* the entries of F */
  expect_inner(f, spring(f), 3, false, 1);      /* one difference of points */
  expect_inner(f, hinge(f), 9, false, 1);       /* three edges */
  expect_inner(f, point_triangle(f), 9, false, 1);
}

/* A quadratic energy is seen as constant, its blocks are single numbers. */
static void quadratic(void **state)
{
  fixture *f = *state;
  ex x = gather(f, ARRAY_POSITION);
  ex d = op2(f, "sub", row(f, x, 0), row(f, gather(f, ARRAY_REST), 1));
  ex e = op2(f, "mul", entry(f, array(f, ARRAY_MATERIAL), 0), op2(f, "dot", d, d));
  expect_inner(f, e, 3, true, 3);
}

/* A linear energy: one inner variable, the energy itself, and no curvature. */
static void linear(void **state)
{
  fixture *f = *state;
  ex x = gather(f, ARRAY_POSITION);
  ex e = op2(f, "mul", literal(f, 9.8), entry(f, x, 1));
  expect_inner(f, e, 1, true, 1);
}

/* A sum of an affine and a nonlinear part of the same two numbers needs no third inner variable. */
static void mixed_parts(void **state)
{
  fixture *f = *state;
  ex x = gather(f, ARRAY_POSITION);
  ex a = entry(f, x, 0), b = entry(f, x, 1);
  ex curved = op2(f, "add", op2(f, "pow", a, literal(f, 2)), op2(f, "pow", b, literal(f, 4)));
  expect_inner(f, op2(f, "add", curved, op2(f, "mul", literal(f, 3), b)), 2, false, 2);
}

/* Derivatives must not look past the frontier: -(x - y) is rewritten to y - x by the builder (so
 * there are two inner variables). */
static void negated_difference(void **state)
{
  fixture *f = *state;
  ex x = gather(f, ARRAY_POSITION);
  ex d = op2(f, "sub", entry(f, x, 0), entry(f, x, 3));
  ex e = op2(f, "mul", op1(f, "neg", d), op1(f, "exp", d));
  expect_inner(f, e, 2, false, 1);
  basin_plan *plan = energy_plan(f, e, false, false);
  double hessian[ELEMENTS * 78];
  double gradient[ELEMENTS * 12];
  double energy[ELEMENTS];
  run(f, plan, BASIN_STAGE_HESSIAN, BASIN_PROJECTION_NONE, energy, gradient, hessian);
  for (uint32_t k = 0; k < ELEMENTS; ++k) {
    const uint32_t *c = &f->corners[k * 4];
    double value = f->arrays[ARRAY_POSITION][c[0] * 3] - f->arrays[ARRAY_POSITION][c[1] * 3];
    /* -d exp(d): second derivative -(2 + d) exp(d). Only corners 0 and 1 are loaded: six local
     * unknowns. */
    double expected = -(2 + value) * exp(value);
    assert_true(fabs(hessian[k * 21] - expected) <= 1e-13 * fabs(expected));
  }
  basin_plan_destroy(plan);
}

static void no_target(void **state)
{
  fixture *f = *state;
  basin_array_id target = ARRAY_POSITION;
  basin_energy_request request = {.expression = entry(f, array(f, ARRAY_MATERIAL), 0),
                                  .name = "still",
                                  .unknowns = {.outputs = &target, .output_count = 1, .block = 3}};
  basin_plan *plan = NULL;
  assert_int_equal(basin_plan_energy(f->graph, &request, &plan), BASIN_ERROR_ARGUMENT);
  assert_null(plan);
  assert_non_null(strstr(basin_error_text(f->context), "\"still\""));
  request.expression = gather(f, ARRAY_POSITION);
  assert_int_equal(basin_plan_energy(f->graph, &request, &plan), BASIN_ERROR_SHAPE);
  assert_non_null(strstr(basin_error_text(f->context), "4 x 3"));
}

static void cancelled(fixture *f, ex e, double value, uint32_t size)
{
  basin_plan *plan = energy_plan(f, e, false, false);
  double energy[ELEMENTS], gradient[ELEMENTS * 12], hessian[ELEMENTS * 78];
  assert_int_equal(basin_plan_get_info(plan)->inner_size, 0);
  assert_int_equal(basin_plan_kernel(plan, BASIN_STAGE_HESSIAN)->local_size, size);
  run(f, plan, BASIN_STAGE_HESSIAN, BASIN_PROJECTION_ABS, energy, gradient, hessian);
  assert_true(energy[0] == value);
  for (uint32_t i = 0; i < size; ++i) assert_true(gradient[i] == 0);
  for (uint32_t i = 0; i < size * (size + 1) / 2; ++i) assert_true(hessian[i] == 0);
  basin_plan_destroy(plan);
}

/* Energies that read the target and have derivative zero. */
static void flat(void **state)
{
  fixture *f = *state;
  ex x = entry(f, gather(f, ARRAY_POSITION), 0);
  cancelled(f, op2(f, "add", op2(f, "mul", literal(f, 0), x), literal(f, 3)), 3, 0);
  cancelled(f, op2(f, "sub", x, x), 0, 0);
  cancelled(f, op1(f, "abs", op1(f, "sign", x)), 1, 3);
}

/* x exp(y) has Hessian ((0, e), (e, x e)): a zero on the diagonal that a projection fills. By
 * e = exp(y), the eigenvalues are e (x +- sqrt(x^2 + 4)) / 2. */
static void filled_zero(void **state)
{
  fixture *f = *state;
  ex p = gather(f, ARRAY_POSITION);
  ex x = entry(f, p, 0), y = entry(f, p, 1);
  basin_plan *plan = energy_plan(f, op2(f, "mul", x, op1(f, "exp", y)), false, false);
  uint32_t n = basin_plan_kernel(plan, BASIN_STAGE_HESSIAN)->local_size;
  assert_int_equal(n, 3);
  double energy[ELEMENTS], gradient[ELEMENTS * 3], hessian[ELEMENTS * 6];
  for (int mode = 0; mode < 2; ++mode) {
    basin_projection projection = mode ? BASIN_PROJECTION_ABS : BASIN_PROJECTION_CLAMP;
    run(f, plan, BASIN_STAGE_HESSIAN, projection, energy, gradient, hessian);
    for (uint32_t k = 0; k < ELEMENTS; ++k) {
      const double *at = &f->arrays[ARRAY_POSITION][f->corners[k * 4] * 3];
      double scale = exp(at[1]), root = sqrt(at[0] * at[0] + 4);
      double high = scale * (at[0] + root) / 2, low = scale * (at[0] - root) / 2;
      low = mode ? -low : 0;
      /* trace and determinant are those of the projected eigenvalues */
      const double *h = &hessian[k * 6];
      assert_true(fabs(h[0] + h[3] - (high + low)) < 1e-12 * high);
      assert_true(fabs(h[0] * h[3] - h[1] * h[1] - high * low) < 1e-12 * high * high);
    }
  }
  basin_plan_destroy(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sizes, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(quadratic, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(linear, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(mixed_parts, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(negated_difference, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(no_target, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(flat, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(filled_zero, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
