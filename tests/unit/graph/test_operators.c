/* Every scalar row of ops.def at every probe point: value, first and second derivatives against
 * central differences (fourth order), complex steps where C has the function, and the documented
 * convention where the point is singular.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"
#include <complex.h>

typedef struct probe_row {
  basin_op op;
  const char *name;
  int arity;
  const double *points;
  size_t count; /* numbers in points */
} probe_row;

#define LIST(...) __VA_ARGS__
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes) \
  static const double points_##id[] = {0.0, LIST probes};
#define BASIN_MATRIX(id, ...)
#include "graph/ops.def"
#undef BASIN_SCALAR

static const probe_row table[] = {
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes) \
  {BASIN_OP_##id, name, arity, points_##id + 1, sizeof points_##id / sizeof(double) - 1},
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
};

/* The conventions of docs/internals/graph.md: first and second derivatives by definition, not by
 * limit. */
typedef struct singular_point {
  basin_op op;
  double x, y;
  double dx, dy, dxx, dxy, dyy;
} singular_point;

static const singular_point singular[] = {
    {BASIN_OP_ABS, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_SIGN, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_SQRT, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_ASIN, 1, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_ASIN, -1, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_ACOS, 1, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_ACOS, -1, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_ATAN2, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_POW, 0, 3, 0, 0, 0, 0, 0},
    {BASIN_OP_POW, 0, 0.5, 0, 0, 0, 0, 0},
    {BASIN_OP_POW, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_XLOGY, 0, 0, 0, 0, 0, 0, 0},
    {BASIN_OP_MIN, 1.5, 1.5, 1, 0, 0, 0, 0},
    {BASIN_OP_MAX, 1.5, 1.5, 1, 0, 0, 0, 0},
};

static const singular_point *find_singular(basin_op op, const double *point, int arity)
{
  for (size_t i = 0; i < BASIN_COUNT(singular); i++)
    if (singular[i].op == op && singular[i].x == point[0] &&
        (arity < 2 || singular[i].y == point[1]))
      return &singular[i];
  return NULL;
}

static basin_ref apply(basin_graph *graph, const probe_row *row, const basin_ref *leaves)
{
  basin_ref node = row->arity == 1   ? basin__unary(graph, row->op, leaves[0])
                   : row->arity == 2 ? basin__binary(graph, row->op, leaves[0], leaves[1])
                                     : basin__select(graph, leaves[0], leaves[1], leaves[2]);
  return basin__to_number(graph, node);
}

static void check_point(basin_graph *graph, const probe_row *row, const double *point)
{
  basin_ref leaves[3], first[3];
  test_values values = {{{0}}};
  char what[120];
  for (int i = 0; i < row->arity; i++) {
    leaves[i] = test_leaf(graph, 0, (unsigned)i);
    values.data[0][i] = point[i];
  }
  basin_ref node = apply(graph, row, leaves);
  const singular_point *convention = find_singular(row->op, point, row->arity);
  bool boolean = (basin__op_info(row->op)->flags & BASIN_OP_BOOLEAN) != 0;
  snprintf(
      what, sizeof what, "%s(%g, %g) value", row->name, point[0], row->arity > 1 ? point[1] : 0);
  double wanted = basin__op_value(
      row->op, point[0], row->arity > 1 ? point[1] : 0, row->arity > 2 ? point[2] : 0);
  test_close(what, test_value(graph, node, &values), wanted, 0);
  for (int i = 0; i < row->arity; i++) {
    first[i] = test_derivative(graph, node, leaves[i]);
    snprintf(
        what, sizeof what, "%s(%g, %g) d%d", row->name, point[0], row->arity > 1 ? point[1] : 0, i);
    double expected = boolean      ? 0
                      : convention ? (i ? convention->dy : convention->dx)
                                   : test_difference(graph, node, &values, 0, (unsigned)i);
    test_close(what, test_value(graph, first[i], &values), expected, 1e-8);
  }
  for (int i = 0; i < row->arity; i++)
    for (int j = 0; j < row->arity; j++) {
      basin_ref second = test_derivative(graph, first[i], leaves[j]);
      snprintf(what,
               sizeof what,
               "%s(%g, %g) d%d%d",
               row->name,
               point[0],
               row->arity > 1 ? point[1] : 0,
               i,
               j);
      double expected = boolean      ? 0
                        : convention ? (i != j ? convention->dxy
                                        : i    ? convention->dyy
                                               : convention->dxx)
                                     : test_difference(graph, first[i], &values, 0, (unsigned)j);
      test_close(what, test_value(graph, second, &values), expected, 1e-7);
    }
}

static void every_row_at_every_probe(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  for (size_t i = 0; i < BASIN_COUNT(table); i++) {
    const probe_row *row = &table[i];
    if (row->arity <= 0) continue; /* leaves; lists have tests of their own */
    assert_true(row->count >= (size_t)row->arity &&
                row->count % (size_t)row->arity == 0); /* no row without probes */
    for (size_t p = 0; p < row->count; p += (size_t)row->arity)
      check_point(t.graph, row, row->points + p);
  }
  test_close_graph(&t);
}

/* Every convention stands for a probe point: a row cannot lose its singular point unseen. */
static void every_singular_point_is_probed(void **state)
{
  (void)state;
  for (size_t s = 0; s < BASIN_COUNT(singular); s++) {
    bool found = false;
    for (size_t i = 0; i < BASIN_COUNT(table); i++)
      for (size_t p = 0; table[i].op == singular[s].op && p < table[i].count;
           p += (size_t)table[i].arity)
        found = found ||
                find_singular(table[i].op, table[i].points + p, table[i].arity) == &singular[s];
    assert_true(found);
  }
}

/* C11's CMPLX, which clang lacks. */
static double complex complex_of(double real, double imaginary)
{
  const double parts[2] = {real, imaginary};
  double complex z;
  memcpy(&z, parts, sizeof z);
  return z;
}

static double complex complex_value(basin_op op, double complex x)
{
  switch (op) {
  case BASIN_OP_SQRT:
    return csqrt(x);
  case BASIN_OP_EXP:
    return cexp(x);
  case BASIN_OP_EXPM1:
    return cexp(x) - 1;
  case BASIN_OP_LOG:
    return clog(x);
  case BASIN_OP_LOG1P:
    return clog(1 + x);
  case BASIN_OP_SIN:
    return csin(x);
  case BASIN_OP_COS:
    return ccos(x);
  case BASIN_OP_TAN:
    return ctan(x);
  case BASIN_OP_ASIN:
    return casin(x);
  case BASIN_OP_ACOS:
    return cacos(x);
  case BASIN_OP_ATAN:
    return catan(x);
  case BASIN_OP_SINH:
    return csinh(x);
  case BASIN_OP_COSH:
    return ccosh(x);
  case BASIN_OP_TANH:
    return ctanh(x);
  default:
    return complex_of((double)NAN, (double)NAN);
  }
}

/* Im f(x + ih) / h is the derivative to full precision (Squire and Trapp, SIAM Review 40, 1998). */
static void complex_steps_agree(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  unsigned tried = 0;
  for (size_t i = 0; i < BASIN_COUNT(table); i++) {
    const probe_row *row = &table[i];
    if (row->arity != 1) continue;
    for (size_t p = 0; p < row->count; p++) {
      double x = row->points[p], h = 1e-100,
             wanted = cimag(complex_value(row->op, complex_of(x, h))) / h;
      if (isnan(wanted) || find_singular(row->op, &x, 1)) continue;
      basin_ref leaf = test_leaf(t.graph, 0, 0), node = basin__unary(t.graph, row->op, leaf);
      test_values values = {{{x}}};
      test_close(row->name,
                 test_value(t.graph, test_derivative(t.graph, node, leaf), &values),
                 wanted,
                 4e-15);
      tried++;
    }
  }
  assert_true(tried >= 40);
  test_close_graph(&t);
}

static void names_are_unique_and_found(void **state)
{
  (void)state;
  for (unsigned op = 0; op < BASIN_OP_COUNT; op++) {
    const basin_op_info *info = basin__op_info(op);
    const char *name = *info->name == '.' ? info->name + 1 : info->name;
    assert_int_equal(basin__op_find(name, strlen(name), (info->flags & BASIN_OP_MATRIX) != 0), op);
  }
  assert_int_equal(basin__op_find("ad", 2, false), BASIN_OP_COUNT);
  assert_string_equal(basin__op_nearest("transpos"), "transpose");
  assert_string_equal(basin__op_nearest("normalised"), "normalized");
  assert_null(basin__op_nearest("qqqqqqqqqqqqqqqq"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_at_every_probe),
      cmocka_unit_test(every_singular_point_is_probed),
      cmocka_unit_test(complex_steps_agree),
      cmocka_unit_test(names_are_unique_and_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
