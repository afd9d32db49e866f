/* Every allocation fails once: no leak, an error, and success on the second try.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../assembly/scene.h"
#include "../support.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

/* A step or two of the methods that differ in what they keep. */
static basin_status descend(scene *s)
{
  static const basin_first_order_method methods[] = {
      BASIN_METHOD_POLAK_RIBIERE, BASIN_METHOD_LBFGS, BASIN_METHOD_BFGS};
  for (size_t k = 0; k < BASIN_COUNT(methods); ++k) {
    basin_first_order_options options = basin_first_order_options_defaults(methods[k]);
    options.max_iterations = 2;
    BASIN_TRY(basin_first_order(s->minimizer, &options, NULL));
  }
  return BASIN_OK;
}

/* Everything that allocates after a scene has been described. */
static basin_status use(scene *s, double *energy)
{
  basin_newton_options options = basin_newton_options_defaults();
  basin_newton_report report;
  basin_check_report check;
  options.max_iterations = 2;
  BASIN_TRY(basin_newton(s->minimizer, &options, &report));
  options.linear.kind = BASIN_SOLVER_PCG;
  BASIN_TRY(basin_newton(s->minimizer, &options, &report));
  *energy = report.energy;
  BASIN_TRY(descend(s));
  basin_check_options few = basin_check_options_defaults();
  few.samples = 2;
  return basin_minimizer_check(s->minimizer, 0, &few, &check);
}

static void test_use(void **state)
{
  double expected = 0;
  bool done = false;
  (void)state;
  for (size_t n = 0; !done; ++n) {
    failing_allocator allocator = {0};
    scene s;
    double energy = 0;
    scene_init(&s,
               &allocator,
               1,
               2,
               SCENE_PLAIN | SCENE_UNION | SCENE_REDUCTION | SCENE_CURVED | SCENE_DYNAMIC,
               2);
    size_t before = allocator.calls;
    double start[128];
    scene_read(&s, start);
    if (n > 0) allocator.fail_at = before + n;
    basin_status status = use(&s, &energy);
    if (n == 0) expected = energy;
    done = n > 0 && allocator.calls < allocator.fail_at; /* it was never reached */
    if (!done && n > 0 && status != BASIN_OK) {
      assert_int_equal(status, BASIN_ERROR_MEMORY);
      assert_int_equal(basin_error_last(s.context)->code, BASIN_ERROR_MEMORY);
      allocator.fail_at = 0;
      for (size_t k = 0; k < s.target_count; ++k) { /* back to the start */
        basin_minimizer_to_array(
            s.minimizer, k, start, basin_system_array_data(s.system, s.targets[k]));
        basin_system_touch(s.system, s.targets[k]);
      }
      status = use(&s, &energy);
    }
    ok(status);
    assert_true(energy == expected);
    scene_fini(&s);
    assert_int_equal(allocator.blocks, 0);
  }
}

/* Describing: any failure leaves a system that can be destroyed. */
static basin_status describe(basin_system *system,
                             const polynomial_plan *plan,
                             const basin_kernel_info *compute,
                             basin_minimizer **minimizer)
{
  basin_space_description description = {
      .name = "vertices", .parent = BASIN_NONE, .dynamic = true, .count = 3};
  basin_space_id vertices, both;
  basin_connectivity_id to;
  basin_array_id x = BASIN_NONE, computed = BASIN_NONE, stacked = BASIN_NONE, sum = BASIN_NONE,
                 reserved;
  static const uint32_t offsets[] = {0, 1, 2, 3}, indices[] = {2, 1, 0};
  BASIN_TRY(basin_system_add_space(system, &description, &vertices));
  basin_space_id members[] = {vertices, vertices};
  BASIN_TRY(basin_system_add_union(system, "both", BASIN_NONE, members, 2, &both));
  BASIN_TRY(basin_system_add_array(system, "x", vertices, 1, 1, &x));
  BASIN_TRY(basin_system_add_connectivity(system, "to", vertices, vertices, 0, &to));
  BASIN_TRY(basin_system_set_connectivity_rows(system, to, offsets, 4, indices, 3));
  basin_computed_description expression = {"computed", vertices, 1, 1, plan, compute};
  BASIN_TRY(basin_system_add_computed(system, &expression, &computed));
  basin_array_id arrays[] = {x, computed};
  BASIN_TRY(basin_system_add_union_array(system, "stacked", both, arrays, 2, &stacked));
  BASIN_TRY(basin_system_add_reduction(system, "sum", to, computed, true, &sum));
  BASIN_TRY(basin_system_reserve_array(system, &reserved));
  basin_map_description map = {.plan = plan, .info = compute, .affine = true};
  basin_unknown_access access = {
      .access = {.array = x}, .size = 1, .rows = 1, .cols = 1, .output = true};
  map.unknown_count = 1;
  map.unknowns = &access;
  BASIN_TRY(basin_system_set_map(system, computed, &map));
  BASIN_TRY(basin_system_resize(system, vertices, 7));
  return basin_minimizer_create(system, &x, 1, 1, minimizer);
}

static void test_describe(void **state)
{
  basin_kernel_info compute = {.name = "compute", .stage = BASIN_STAGE_COMPUTE, .output_size = 1};
  polynomial_plan plan = {NULL, POLYNOMIAL_COMPUTE};
  bool done = false;
  (void)state;
  for (size_t n = 1; !done; ++n) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    basin_system *system = NULL;
    basin_minimizer *minimizer = NULL;
    allocator.fail_at = allocator.calls + n;
    basin_status status = basin_system_create(context, polynomial_provider, NULL, &system);
    if (status == BASIN_OK) status = describe(system, &plan, &compute, &minimizer);
    done = status == BASIN_OK;
    assert_true(done || status == BASIN_ERROR_MEMORY);
    basin_minimizer_destroy(minimizer);
    basin_system_destroy(system);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_use),
      cmocka_unit_test(test_describe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
