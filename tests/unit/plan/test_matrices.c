/* Jacobians of expressions and mixed second derivatives against differences.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/fixture.h"

#include <math.h>

static basin_plan *jacobian_plan(fixture *f, ex e)
{
  static const basin_array_id targets[] = {ARRAY_POSITION, ARRAY_MATRIX};
  basin_unknowns unknowns = {.outputs = targets, .output_count = 2, .block = 3};
  basin_plan *plan = NULL;
  if (basin_plan_jacobian(f->graph, e, "map", &unknowns, &plan) != BASIN_OK)
    fail_msg("%s", basin_error_text(f->context));
  return plan;
}

/* A X + t: affine, and each 3 x 3 part a multiple of the identity (the rest position's entries, and
 * 1). */
static void affine_vertex(void **state)
{
  fixture *f = *state;
  ex rest = op1(f, "transpose", row(f, gather(f, ARRAY_REST), 2));
  ex t = op1(f, "transpose", row(f, gather(f, ARRAY_POSITION), 0));
  basin_plan *plan =
      jacobian_plan(f, op2(f, "add", op2(f, "mul", array(f, ARRAY_MATRIX), rest), t));
  const basin_plan_info *info = basin_plan_get_info(plan);
  assert_true(info->affine && info->uniform);
  assert_int_equal(info->unknown_count, 2);
  double output[ELEMENTS * 36];
  run_compute(f, plan, output);
  for (uint32_t e = 0; e < ELEMENTS; ++e)
    for (uint32_t i = 0; i < 3; ++i)
      for (uint32_t j = 0; j < 12; ++j) {
        uint32_t node = j / 3; /* position first, then the three columns of A */
        double weight = node ? f->arrays[ARRAY_REST][f->corners[e * 4 + 2] * 3 + node - 1] : 1.0;
        assert_true(output[e * 36 + i * 12 + j] == (j % 3 == i ? weight : 0.0));
      }
  basin_plan_destroy(plan);
}

/* Affine, but not by multiples of the identity. */
static void sheared_vertex(void **state)
{
  fixture *f = *state;
  ex A = array(f, ARRAY_MATRIX);
  ex shear = op2(f, "outer", row(f, gather(f, ARRAY_REST), 1), row(f, gather(f, ARRAY_REST), 2));
  ex e =
      op2(f, "mul", shear, op2(f, "mul", A, op1(f, "transpose", row(f, gather(f, ARRAY_REST), 0))));
  basin_plan *plan = jacobian_plan(f, e);
  assert_true(basin_plan_get_info(plan)->affine);
  assert_false(basin_plan_get_info(plan)->uniform);
  basin_plan_destroy(plan);
}

/* A nonlinear map: every entry against central differences of the expression itself. */
static void nonlinear_map(void **state)
{
  fixture *f = *state;
  ex e = op2(f,
             "mul",
             array(f, ARRAY_MATRIX),
             op1(f, "normalized", op1(f, "transpose", row(f, gather(f, ARRAY_POSITION), 1))));
  basin_plan *plan = jacobian_plan(f, e), *value = NULL;
  assert_int_equal(basin_plan_compute(f->graph, e, "value", &value), BASIN_OK);
  const basin_plan_info *info = basin_plan_get_info(plan);
  assert_false(info->affine);
  uint32_t n = 12;
  double output[ELEMENTS * 36];
  run_compute(f, plan, output);
  for (uint32_t element = 0; element < ELEMENTS; ++element)
    for (uint32_t j = 0; j < n; ++j) {
      double *x = unknown(f, info, 3, element, j), start = *x, h = 1e-6, moved[2][ELEMENTS * 3];
      *x = start - h;
      run_compute(f, value, moved[0]);
      *x = start + h;
      run_compute(f, value, moved[1]);
      *x = start;
      for (uint32_t i = 0; i < 3; ++i) {
        double slope = (moved[1][element * 3 + i] - moved[0][element * 3 + i]) / (2 * h);
        assert_true(fabs(slope - output[(element * 3 + i) * n + j]) < 1e-8);
      }
    }
  basin_plan_destroy(plan);
  basin_plan_destroy(value);
}

/* d²E / dx dX of neo-Hookean: columns are constants. Against differences of the gradient kernel. */
static void mixed(void **state)
{
  fixture *f = *state;
  ex e = neo_hookean(f);
  static const basin_array_id rows[] = {ARRAY_POSITION}, columns[] = {ARRAY_REST, ARRAY_MATERIAL};
  basin_plan *plan = NULL, *energy = energy_plan(f, e, false, false);
  assert_int_equal(basin_plan_mixed(f->graph, e, "mixed", rows, 1, columns, 2, &plan), BASIN_OK);
  const basin_plan_info *info = basin_plan_get_info(plan);
  assert_int_equal(info->unknown_count, 4);
  assert_int_equal(info->column_count, 5);
  double output[ELEMENTS * 12 * 14], values[ELEMENTS];
  run_compute(f, plan, output);
  basin_plan_info side = *info;
  side.unknowns = info->columns;
  double scale = 0;
  for (size_t i = 0; i < BASIN_COUNT(output); ++i) scale = fmax(scale, fabs(output[i]));
  for (uint32_t element = 0; element < ELEMENTS; ++element)
    for (uint32_t j = 0; j < 14; ++j) {
      double *p = unknown(f, &side, 1, element, j), start = *p, h = 1e-6, moved[2][ELEMENTS * 12];
      for (int k = 0; k < 2; ++k) {
        *p = k ? start + h : start - h;
        run(f, energy, BASIN_STAGE_GRADIENT, BASIN_PROJECTION_NONE, values, moved[k], NULL);
      }
      *p = start;
      for (uint32_t i = 0; i < 12; ++i) {
        double slope = (moved[1][element * 12 + i] - moved[0][element * 12 + i]) / (2 * h);
        assert_true(fabs(slope - output[(element * 12 + i) * 14 + j]) < 1e-7 * scale);
      }
    }
  basin_plan_destroy(plan);
  basin_plan_destroy(energy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(affine_vertex, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(sheared_vertex, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(nonlinear_map, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(mixed, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
