/* Every scalar operator on ordinary and special numbers: compiled kernels against the operator
 * table's own values. SPDX-License-Identifier: Apache-2.0 */
#include "random_kernel.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 2.0,
                                 3.0,
                                 -2.5,
                                 1e-3,
                                 1e3,
                                 0.999999,
                                 -0.999999,
                                 1e-300,
                                 -1e-300,
                                 5e-324,
                                 1e300,
                                 -1e300,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 (double)NAN,
                                 0.25,
                                 88.0,
                                 -88.0,
                                 700.0,
                                 -745.5,
                                 1e15};
enum { SPECIAL = BASIN_COUNT(special), RANDOMS = 300, POINTS = SPECIAL * SPECIAL + RANDOMS };

/* Columns x, y, w of the points, as data of the elements. */
static double points[POINTS * 5];

static void make_points(void)
{
  random_stream random = {7};
  for (int i = 0; i < POINTS; i++) {
    double *p = points + 5 * i;
    for (int c = 0; c < 5; c++) p[c] = random_real(&random) * exp(6 * random_real(&random));
    if (i >= SPECIAL * SPECIAL) continue;
    p[0] = special[i % SPECIAL];
    p[1] = special[i / SPECIAL];
  }
}

/* The operator's value of components 0, 1, 2 of the element, truth values as numbers. */
static void make_program(program_builder *b, basin_op op)
{
  uint32_t values[3];
  const basin_op_info *info = basin__op_info(op);
  memset(b, 0, sizeof *b);
  b->accesses[0] = (basin_access){.array = 1};
  b->layouts[0] = (basin_access_layout){.stride = 5};
  b->access_count = 1;
  for (uint32_t c = 0; c < 3; c++) values[c] = add_code(b, BASIN_OP_LOAD, 0, c, 0);
  add_output(
      b,
      add_code(b, op, values[0], info->arity > 1 ? values[1] : 0, info->arity > 2 ? values[2] : 0));
}

static void run_operator(basin_backend *backend, basin_op op, double *results)
{
  static const basin_array_id arrays[] = {1};
  static program_builder builder;
  make_program(&builder, op);
  basin_kernel_program program = {.info = {.name = "operator",
                                           .stage = BASIN_STAGE_COMPUTE,
                                           .array_count = 1,
                                           .arrays = arrays,
                                           .output_size = 1},
                                  .inner = finish_program(&builder)};
  basin_kernel kernel = compile_one(backend, &program);
  const double *data[] = {points};
  size_t size = (kernel.scratch_size + 63) / 64 * 64;
  basin_kernel_args args = {.end = POINTS,
                            .arrays = data,
                            .output = results,
                            .scratch = size ? aligned_alloc(64, size) : NULL};
  kernel.function(&args, kernel.self);
  free(args.scratch);
}

/* Units in the last place between x and y in the precision of the kernel; 0 for two NaNs. */
static double distance(double x, double y, bool is_float)
{
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? 0 : (double)INFINITY;
  if (x == y) return 0;
  if (isinf(x) || isinf(y)) return (double)INFINITY;
  double unit =
      is_float ? fmax(fabs(y) * (double)FLT_EPSILON, 1e-45) : fmax(fabs(y) * DBL_EPSILON, 5e-324);
  return fabs(x - y) / unit;
}

static double expected(basin_op op, const double *p, bool is_float)
{
  if (!is_float) return basin__op_value(op, p[0], p[1], p[2]);
  return (double)(float)basin__op_value(
      op, (double)(float)p[0], (double)(float)p[1], (double)(float)p[2]);
}

/* Documented in docs/decisions: vector mathematics is good to 4 units in the last place of normal
 * results. */
static double allowed(basin_op op, bool is_float)
{
  if (basin__op_info(op)->flags & BASIN_OP_EXACT) return 0;
  return op == BASIN_OP_XLOGY ? 5 : is_float ? 4.5 : 4;
}

static bool is_tiny(double x, bool is_float)
{
  return fabs(x) < (is_float ? (double)FLT_MIN : DBL_MIN);
}

static void check_operator(basin_backend *backend, basin_op op, bool is_float)
{
  static double results[POINTS];
  double limit = allowed(op, is_float), worst = 0;
  run_operator(backend, op, results);
  for (int i = 0; i < POINTS; i++) {
    const double *p = points + 5 * i;
    double want = expected(op, p, is_float);
    /* Below the normal range the vector functions may flush to zero. */
    if (limit > 0 && is_tiny(want, is_float) && is_tiny(results[i], is_float)) continue;
    double error = distance(results[i], want, is_float);
    if (error > limit)
      fail_msg("%s(%.17g, %.17g, %.17g) = %.17g, not %.17g (%g units)",
               basin__op_info(op)->name,
               p[0],
               p[1],
               p[2],
               results[i],
               want,
               error);
    if (error > worst) worst = error;
  }
}

static void check_all(const char *kind, const char *precision, const char *width)
{
  bool is_float = strcmp(precision, "float") == 0;
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, kind, precision, width);
  make_points();
  for (unsigned op = 0; op < BASIN_OP_COUNT; op++) {
    const basin_op_info *info = basin__op_info(op);
    if (info->flags & (BASIN_OP_LEAF | BASIN_OP_LIST | BASIN_OP_MATRIX)) continue;
    check_operator(backend, (basin_op)op, is_float);
  }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_interp(void **state)
{
  (void)state;
  check_all("interp", "double", "");
}
static void test_double_2(void **state)
{
  (void)state;
  check_all("clang", "double", "2");
}
static void test_double_4(void **state)
{
  (void)state;
  check_all("clang", "double", "4");
}
static void test_double_8(void **state)
{
  (void)state;
  check_all("clang", "double", "8");
}
static void test_float_2(void **state)
{
  (void)state;
  check_all("clang", "float", "2");
}
static void test_float_4(void **state)
{
  (void)state;
  check_all("clang", "float", "4");
}
static void test_float_8(void **state)
{
  (void)state;
  check_all("clang", "float", "8");
}
static void test_float_16(void **state)
{
  (void)state;
  check_all("clang", "float", "16");
}

int main(void)
{
  if (!have_backend("clang")) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interp),
      cmocka_unit_test(test_double_2),
      cmocka_unit_test(test_double_4),
      cmocka_unit_test(test_double_8),
      cmocka_unit_test(test_float_2),
      cmocka_unit_test(test_float_4),
      cmocka_unit_test(test_float_8),
      cmocka_unit_test(test_float_16),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
