/* Gauss-Seidel sweeps against sweeps by hand, wrong descriptions, every allocation failing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "base/base.h"
#include <basin/runtime.h>
#include <math.h>

enum { POINTS = 5, RODS = POINTS - 1, SWEEPS = 6 };
#define REST 0.8

/* ---- kernels: c = |b - a| - rest of a rod, and its derivative by a and b ---- */

static const double *end_of(const basin_kernel_args *args, size_t element, unsigned slot)
{
  return args->arrays[0] + 2 * args->indices[0][2 * element + slot];
}

static void value_kernel(const basin_kernel_args *args, const void *self)
{
  (void)self;
  for (size_t e = args->begin; e < args->end; ++e) {
    const double *a = end_of(args, e, 0), *b = end_of(args, e, 1);
    args->output[e] = hypot(b[0] - a[0], b[1] - a[1]) - REST;
  }
}

static void jacobian_kernel(const basin_kernel_args *args, const void *self)
{
  (void)self;
  for (size_t e = args->begin; e < args->end; ++e) {
    const double *a = end_of(args, e, 0), *b = end_of(args, e, 1);
    double length = hypot(b[0] - a[0], b[1] - a[1]), *out = args->output + 4 * e;
    for (int i = 0; i < 2; ++i) {
      out[2 + i] = (b[i] - a[i]) / length;
      out[i] = -out[2 + i];
    }
  }
}

static basin_status provide(void *user, basin_kernel_request *requests, size_t count)
{
  (void)user;
  for (size_t k = 0; k < count; ++k)
    requests[k].kernel.function = *(const bool *)requests[k].plan ? value_kernel : jacobian_kernel;
  return BASIN_OK;
}

/* ---- the scene ---- */

typedef struct chain {
  basin_context *context;
  basin_system *system;
  basin_space_id points, rods;
  basin_connectivity_id ends;
  basin_array_id x;
  basin_kernel_info value, jacobian;
  basin_unknown_access accesses[2];
} chain;

static const bool value_plan = true, jacobian_plan = false;
static const double start[2 * POINTS] = {0, 0, 1, 0.1, 2, -0.2, 2.9, 0.3, 4.1, 0};
static const double inverse_mass[2 * POINTS] = {0, 0, 1, 1, 0.5, 0.5, 2, 2, 1, 1};

static basin_status chain_init(chain *c)
{
  basin_space_description points = {.name = "points", .parent = BASIN_NONE, .count = POINTS};
  basin_space_description rods = {.name = "rods", .parent = BASIN_NONE, .count = RODS};
  uint32_t indices[2 * RODS];
  for (uint32_t k = 0; k < 2 * RODS; ++k) indices[k] = k / 2 + k % 2;
  BASIN_TRY(basin_system_create(c->context, provide, NULL, &c->system));
  BASIN_TRY(basin_system_add_space(c->system, &points, &c->points));
  BASIN_TRY(basin_system_add_space(c->system, &rods, &c->rods));
  BASIN_TRY(basin_system_add_connectivity(c->system, "ends", c->rods, c->points, 2, &c->ends));
  BASIN_TRY(basin_system_set_connectivity(c->system, c->ends, indices, 2 * RODS));
  c->x = BASIN_NONE;
  BASIN_TRY(basin_system_add_array(c->system, "x", c->points, 2, 1, &c->x));
  BASIN_TRY(basin_system_set_array(c->system, c->x, start, 2 * POINTS));
  c->value = (basin_kernel_info){.name = "rod_value",
                                 .stage = BASIN_STAGE_COMPUTE,
                                 .array_count = 1,
                                 .connectivity_count = 1,
                                 .arrays = &c->x,
                                 .connectivities = &c->ends,
                                 .output_size = 1};
  c->jacobian = c->value;
  c->jacobian.name = "rod_jacobian";
  c->jacobian.output_size = 4;
  for (uint32_t slot = 0; slot < 2; ++slot)
    c->accesses[slot] = (basin_unknown_access){
        .access = {.array = c->x, .step_count = 1, .steps = {{c->ends, slot}}},
        .size = 2,
        .first = 2 * slot,
        .rows = 2,
        .cols = 1,
        .output = true};
  return BASIN_OK;
}

static basin_sweep_rows rows_of(const chain *c, double *multipliers)
{
  return (basin_sweep_rows){.name = "rods",
                            .space = c->rods,
                            .value_plan = &value_plan,
                            .jacobian_plan = &jacobian_plan,
                            .value = &c->value,
                            .jacobian = &c->jacobian,
                            .expression_size = 1,
                            .unknown_count = 2,
                            .unknowns = c->accesses,
                            .multipliers = multipliers};
}

static basin_status sweep(const chain *c, const basin_sweep_rows *rows, const double *from)
{
  basin_sweep_description description = {.set_count = 1,
                                         .sets = rows,
                                         .array_count = 1,
                                         .arrays = &c->x,
                                         .inverse_mass = inverse_mass,
                                         .from = from,
                                         .sweeps = SWEEPS};
  return basin_system_sweep(c->system, &description);
}

/* The same with plain loops; bias NULL: the residual is c. */
static void by_hand(double *x, const double *compliance, const double *bias, double *multipliers)
{
  for (int s = 0; s < SWEEPS; ++s)
    for (int e = 0; e < RODS; ++e) {
      double *a = x + 2 * e, *b = a + 2, length = hypot(b[0] - a[0], b[1] - a[1]);
      double soft = compliance ? compliance[e] : 0, stiffness = soft;
      double n[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length}, r = length - REST;
      if (bias) r = bias[e];
      for (int i = 0; i < 2; ++i) {
        stiffness += n[i] * n[i] * (inverse_mass[2 * e + i] + inverse_mass[2 * e + 2 + i]);
        if (bias) r += n[i] * (b[i] - start[2 * e + 2 + i] - a[i] + start[2 * e + i]);
      }
      double y = -(r + soft * multipliers[e]) / stiffness;
      multipliers[e] += y;
      for (int i = 0; i < 2; ++i) {
        a[i] -= inverse_mass[2 * e + i] * n[i] * y;
        b[i] += inverse_mass[2 * e + 2 + i] * n[i] * y;
      }
    }
}

static void check(const double *compliance, const double *bias)
{
  chain c = {.context = test_context(NULL)};
  double x[2 * POINTS], expected[RODS] = {0}, multipliers[RODS] = {0};
  assert_int_equal(chain_init(&c), BASIN_OK);
  basin_sweep_rows rows = rows_of(&c, multipliers);
  rows.compliance = compliance;
  rows.bias = bias;
  uint64_t version = basin_system_array_version(c.system, c.x);
  assert_int_equal(sweep(&c, &rows, start), BASIN_OK);
  memcpy(x, start, sizeof x);
  by_hand(x, compliance, bias, expected);
  const double *found = basin_system_array_data(c.system, c.x);
  for (int k = 0; k < 2 * POINTS; ++k) assert_true(fabs(found[k] - x[k]) < 1e-14);
  for (int k = 0; k < RODS; ++k) assert_true(fabs(multipliers[k] - expected[k]) < 1e-14);
  assert_true(basin_system_array_version(c.system, c.x) > version);
  basin_system_destroy(c.system);
  basin_context_destroy(c.context);
}

static void test_rigid(void **state)
{
  (void)state;
  check(NULL, NULL);
}

static void test_soft(void **state)
{
  (void)state;
  const double compliance[RODS] = {0.1, 0, 2, 0.5};
  check(compliance, NULL);
}

static void test_bias(void **state)
{
  (void)state;
  const double bias[RODS] = {0.05, -0.02, 0, 0.1};
  check(NULL, bias);
}

/* A row whose particles are all held stays as it is. */
static void test_held(void **state)
{
  (void)state;
  chain c = {.context = test_context(NULL)};
  double multipliers[RODS] = {0};
  const double none[2 * POINTS] = {0};
  assert_int_equal(chain_init(&c), BASIN_OK);
  basin_sweep_rows rows = rows_of(&c, multipliers);
  basin_sweep_description description = {.set_count = 1,
                                         .sets = &rows,
                                         .array_count = 1,
                                         .arrays = &c.x,
                                         .inverse_mass = none,
                                         .sweeps = 1};
  assert_int_equal(basin_system_sweep(c.system, &description), BASIN_OK);
  assert_memory_equal(basin_system_array_data(c.system, c.x), start, sizeof start);
  basin_system_destroy(c.system);
  basin_context_destroy(c.context);
}

static void test_wrong(void **state)
{
  (void)state;
  chain c = {.context = test_context(NULL)};
  double multipliers[RODS] = {0};
  assert_int_equal(chain_init(&c), BASIN_OK);
  basin_sweep_rows rows = rows_of(&c, multipliers);
  rows.expression_size = 2;
  assert_int_equal(sweep(&c, &rows, NULL), BASIN_ERROR_SHAPE);
  basin_computed_description copy = {
      .name = "copy", .space = c.rods, .rows = 1, .cols = 1, .plan = &value_plan, .info = &c.value};
  basin_array_id computed = BASIN_NONE;
  assert_int_equal(basin_system_add_computed(c.system, &copy, &computed), BASIN_OK);
  rows = rows_of(&c, multipliers);
  basin_kernel_info indirect = c.value;
  indirect.arrays = &computed;
  rows.value = &indirect;
  assert_int_equal(sweep(&c, &rows, NULL), BASIN_ERROR_UNSUPPORTED);
  rows = rows_of(&c, multipliers);
  basin_sweep_description description = {.set_count = 1,
                                         .sets = &rows,
                                         .array_count = 1,
                                         .arrays = &computed,
                                         .inverse_mass = inverse_mass,
                                         .sweeps = 1};
  assert_int_equal(basin_system_sweep(c.system, &description), BASIN_ERROR_STATE);
  assert_memory_equal(basin_system_array_data(c.system, c.x), start, sizeof start);
  basin_system_destroy(c.system);
  basin_context_destroy(c.context);
}

static void test_memory(void **state)
{
  (void)state;
  bool done = false;
  for (size_t fail_at = 1; !done; ++fail_at) {
    failing_allocator allocator = {0};
    chain c = {.context = test_context(&allocator)};
    double multipliers[RODS] = {0};
    assert_non_null(c.context);
    assert_int_equal(chain_init(&c), BASIN_OK);
    basin_sweep_rows rows = rows_of(&c, multipliers);
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = sweep(&c, &rows, NULL);
    allocator.fail_at = 0;
    done = status == BASIN_OK;
    if (!done) {
      assert_int_equal(status, BASIN_ERROR_MEMORY);
      assert_memory_equal(basin_system_array_data(c.system, c.x), start, sizeof start);
    }
    basin_system_destroy(c.system);
    basin_context_destroy(c.context);
    assert_int_equal(allocator.blocks, 0);
    assert_true(fail_at < 100);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_soft),
      cmocka_unit_test(test_bias),
      cmocka_unit_test(test_held),
      cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
