/* Every matrix row of ops.def through lowering: first and second derivatives against central
 * differences, values against direct formulas and defining properties.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"

typedef struct sample {
  const char *op;
  unsigned shapes[3][2]; /* 0 ends the list */
  int integers[2];
} sample;

static const sample samples[] = {
    {"matrix", {{1, 1}, {1, 1}}, {1, 2}},
    {"identity", {{0, 0}}, {3, 0}},
    {"zeros", {{0, 0}}, {2, 3}},
    {"add", {{2, 3}, {2, 3}}, {0, 0}},
    {"add", {{2, 3}, {1, 1}}, {0, 0}},
    {"sub", {{1, 1}, {2, 3}}, {0, 0}},
    {"mul", {{2, 3}, {3, 2}}, {0, 0}},
    {"mul", {{1, 1}, {2, 2}}, {0, 0}},
    {"mul", {{2, 2}, {1, 1}}, {0, 0}},
    {"div", {{2, 2}, {1, 1}}, {0, 0}},
    {"hadamard", {{2, 3}, {2, 3}}, {0, 0}},
    {"element_div", {{2, 2}, {2, 2}}, {0, 0}},
    {"matmul", {{3, 2}, {2, 1}}, {0, 0}},
    {"outer", {{3, 1}, {1, 2}}, {0, 0}},
    {"kron", {{2, 1}, {2, 3}}, {0, 0}},
    {"transpose", {{2, 3}}, {0, 0}},
    {"row", {{3, 2}}, {1, 0}},
    {"col", {{3, 2}}, {1, 0}},
    {"entry", {{3, 2}}, {4, 0}},
    {"at", {{3, 2}}, {2, 1}},
    {"reshape", {{3, 2}}, {2, 3}},
    {"concat_rows", {{1, 2}, {2, 2}}, {0, 0}},
    {"concat_cols", {{2, 1}, {2, 3}}, {0, 0}},
    {"columns", {{3, 1}, {1, 3}}, {0, 0}},
    {"rows", {{3, 1}, {1, 3}}, {0, 0}},
    {"dot", {{3, 1}, {1, 3}}, {0, 0}},
    {"dot", {{2, 3}, {2, 3}}, {0, 0}},
    {"cross", {{3, 1}, {1, 3}}, {0, 0}},
    {"cross", {{1, 2}, {1, 2}}, {0, 0}},
    {"norm", {{2, 3}}, {0, 0}},
    {"norm", {{1, 1}}, {0, 0}},
    {"squared_norm", {{2, 3}}, {0, 0}},
    {"normalized", {{3, 1}}, {0, 0}},
    {"sum", {{2, 3}}, {0, 0}},
    {"trace", {{3, 3}}, {0, 0}},
    {"det", {{1, 1}}, {0, 0}},
    {"det", {{2, 2}}, {0, 0}},
    {"det", {{3, 3}}, {0, 0}},
    {"det", {{4, 4}}, {0, 0}},
    {"inverse", {{1, 1}}, {0, 0}},
    {"inverse", {{2, 2}}, {0, 0}},
    {"inverse", {{3, 3}}, {0, 0}},
    {"inverse", {{4, 4}}, {0, 0}},
    {"neg", {{2, 2}}, {0, 0}},
    {"abs", {{2, 2}}, {0, 0}},
    {"sign", {{2, 2}}, {0, 0}},
    {"sqrt", {{2, 1}}, {0, 0}},
    {"exp", {{2, 1}}, {0, 0}},
    {"expm1", {{2, 1}}, {0, 0}},
    {"log", {{2, 1}}, {0, 0}},
    {"log1p", {{2, 1}}, {0, 0}},
    {"sin", {{2, 1}}, {0, 0}},
    {"cos", {{2, 1}}, {0, 0}},
    {"tan", {{2, 1}}, {0, 0}},
    {"asin", {{2, 1}}, {0, 0}},
    {"acos", {{2, 1}}, {0, 0}},
    {"atan", {{2, 1}}, {0, 0}},
    {"sinh", {{2, 1}}, {0, 0}},
    {"cosh", {{2, 1}}, {0, 0}},
    {"tanh", {{2, 1}}, {0, 0}},
    {"atan2", {{2, 1}, {2, 1}}, {0, 0}},
    {"pow", {{2, 1}, {1, 1}}, {0, 0}},
    {"xlogy", {{2, 1}, {2, 1}}, {0, 0}},
    {"min", {{2, 1}, {2, 1}}, {0, 0}},
    {"max", {{2, 1}, {1, 1}}, {0, 0}},
    {"clamp", {{3, 1}, {1, 1}, {1, 1}}, {0, 0}},
    {"lt", {{2, 1}, {2, 1}}, {0, 0}},
    {"le", {{2, 1}, {2, 1}}, {0, 0}},
    {"gt", {{2, 1}, {2, 1}}, {0, 0}},
    {"ge", {{2, 1}, {2, 1}}, {0, 0}},
    {"eq", {{2, 1}, {2, 1}}, {0, 0}},
    {"ne", {{2, 1}, {2, 1}}, {0, 0}},
    {"and", {{2, 1}, {2, 1}}, {0, 0}},
    {"or", {{2, 1}, {2, 1}}, {0, 0}},
    {"not", {{2, 1}}, {0, 0}},
    {"all", {{2, 2}}, {0, 0}},
    {"any", {{2, 2}}, {0, 0}},
    {"where", {{1, 1}, {2, 2}, {2, 2}}, {0, 0}},
    {"where", {{2, 2}, {2, 2}, {1, 1}}, {0, 0}},
    {"stop", {{2, 2}}, {0, 0}},
    {"polar", {{2, 2}}, {0, 0}},
    {"polar", {{3, 3}}, {0, 0}},
    {"svd_u", {{2, 2}}, {0, 0}},
    {"svd_u", {{3, 3}}, {0, 0}},
    {"svd_s", {{2, 2}}, {0, 0}},
    {"svd_s", {{3, 3}}, {0, 0}},
    {"svd_v", {{2, 2}}, {0, 0}},
    {"svd_v", {{3, 3}}, {0, 0}},
    {"eig_values", {{2, 2}}, {0, 0}},
    {"eig_values", {{3, 3}}, {0, 0}},
    {"eig_vectors", {{2, 2}}, {0, 0}},
    {"eig_vectors", {{3, 3}}, {0, 0}},
};

/* Numbers in (-0.95, 0.95) without pattern; operands that must be positive get the absolute value.
 */
static void fill(test_values *values, const char *op)
{
  bool positive = strstr(" sqrt log pow xlogy clamp ", op) != NULL;
  uint32_t seed = 12345;
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < TEST_ARRAY_SIZE; i++) {
      seed = seed * 1664525u + 1013904223u;
      double x = 1.9 * (seed >> 8) / 0x1p24 - 0.95;
      values->data[a][i] = positive ? 0.05 + fabs(x) : x;
    }
  if (strcmp(op, "clamp") == 0) {
    values->data[1][0] = 0.2;
    values->data[2][0] = 0.7;
  }
}

typedef struct built {
  test_graph t;
  basin_expression expression;
  basin_ref entries[64];
  unsigned size, rows, cols;
  test_values values;
  unsigned arguments;
  const sample *sample;
} built;

static void check_ok(const test_graph *t, basin_status status)
{
  if (!status) return;
  print_error("%s\n", basin_error_text(t->context));
  fail();
}

static void build(built *b, const sample *s)
{
  basin_expression arguments[3];
  memset(b, 0, sizeof *b);
  b->sample = s;
  test_open(&b->t);
  basin_graph *graph = b->t.graph;
  fill(&b->values, s->op);
  check_ok(&b->t, basin_graph_declare_space(graph, 0, BASIN_NONE, false, "elements"));
  const basin_operator_info *info = NULL;
  for (size_t i = 0; i < basin_operator_count(); i++)
    if (strcmp(basin_operator(i)->name, s->op) == 0) info = basin_operator(i);
  assert_non_null(info);
  for (; b->arguments < 3 && s->shapes[b->arguments][0]; b->arguments++) {
    unsigned a = b->arguments;
    check_ok(&b->t,
             basin_graph_declare_array(
                 graph, a, 0, s->shapes[a][0], s->shapes[a][1], BASIN_ARRAY_DATA, "a"));
    check_ok(&b->t, basin_expression_array(graph, a, &arguments[a]));
  }
  check_ok(&b->t,
           basin_expression_apply(graph,
                                  s->op,
                                  arguments,
                                  b->arguments,
                                  s->integers,
                                  (size_t)info->integer_count,
                                  &b->expression));
  basin_expression_shape(graph, b->expression, &b->rows, &b->cols);
  b->size = b->rows * b->cols;
  assert_true(b->size <= BASIN_COUNT(b->entries));
  check_ok(&b->t, basin__lower(graph, b->expression, b->entries));
}

static void every_operator_has_a_sample(void **state)
{
  (void)state;
  for (size_t i = 0; i < basin_operator_count(); i++) {
    bool found = false;
    for (size_t k = 0; k < BASIN_COUNT(samples); k++)
      found = found || strcmp(samples[k].op, basin_operator(i)->name) == 0;
    if (!found) print_error("no sample for %s\n", basin_operator(i)->name);
    assert_true(found);
    assert_true(strlen(basin_operator(i)->doc) > 5);
  }
  assert_null(basin_operator(basin_operator_count()));
}

/* Differentiates sum_k w_k out_k once and twice. */
static void derivatives_agree(void **state)
{
  (void)state;
  for (size_t k = 0; k < BASIN_COUNT(samples); k++) {
    built b;
    build(&b, &samples[k]);
    basin_graph *graph = b.t.graph;
    basin_ref energy = basin__const(graph, 0.0);
    for (unsigned i = 0; i < b.size; i++)
      energy = basin__add(
          graph, energy, basin__mul(graph, basin__const(graph, 1 + 0.37 * i), b.entries[i]));
    bool stopped = strcmp(samples[k].op, "stop") == 0;
    char what[80];
    for (unsigned a = 0; a < b.arguments; a++)
      for (unsigned i = 0, n = samples[k].shapes[a][0] * samples[k].shapes[a][1]; i < n; i++) {
        basin_ref slope = test_derivative(graph, energy, test_leaf(graph, a, i));
        snprintf(what, sizeof what, "%s (sample %zu) d a%u[%u]", samples[k].op, k, a, i);
        test_close(what,
                   test_value(graph, slope, &b.values),
                   stopped ? 0 : test_difference(graph, energy, &b.values, a, i),
                   1e-7);
        unsigned other = (a + i) % b.arguments,
                 j = (5 * i + 2) % (samples[k].shapes[other][0] * samples[k].shapes[other][1]);
        basin_ref bend = test_derivative(graph, slope, test_leaf(graph, other, j));
        snprintf(what,
                 sizeof what,
                 "%s (sample %zu) d a%u[%u] a%u[%u]",
                 samples[k].op,
                 k,
                 a,
                 i,
                 other,
                 j);
        test_close(what,
                   test_value(graph, bend, &b.values),
                   test_difference(graph, slope, &b.values, other, j),
                   1e-6);
      }
    test_close_graph(&b.t);
  }
}

static void values_of(const built *b, double *out)
{
  for (unsigned i = 0; i < b->size; i++) out[i] = test_value(b->t.graph, b->entries[i], &b->values);
}

/* c = a b, n x k times k x m. */
static void
multiply(const double *a, const double *b, unsigned n, unsigned k, unsigned m, double *c)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) {
      c[i * m + j] = 0;
      for (unsigned l = 0; l < k; l++) c[i * m + j] += a[i * k + l] * b[l * m + j];
    }
}

static void transpose(const double *a, unsigned n, unsigned m, double *t)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) t[j * n + i] = a[i * m + j];
}

/* Leibniz: sum over permutations. */
static double leibniz(const double *m, unsigned n, unsigned row, unsigned used)
{
  if (row == n) return 1;
  double sum = 0;
  int sign = 1;
  for (unsigned j = 0; j < n; j++) {
    if (used & (1u << j)) continue;
    sum += sign * m[row * n + j] * leibniz(m, n, row + 1, used | (1u << j));
    sign = -sign;
  }
  return sum;
}

static void expect(const built *b, const double *wanted, double tolerance)
{
  double got[64];
  values_of(b, got);
  for (unsigned i = 0; i < b->size; i++) test_close(b->sample->op, got[i], wanted[i], tolerance);
}

static void expect_identity(const char *what, const double *m, unsigned n)
{
  for (unsigned i = 0; i < n * n; i++) test_close(what, m[i], i % (n + 1) == 0, 1e-13);
}

static void check_products(const built *b, const char *op, const double *x, const double *y)
{
  const unsigned(*s)[2] = b->sample->shapes;
  double wanted[64];
  if (strcmp(op, "matmul") == 0 || (strcmp(op, "mul") == 0 && b->arguments == 2 &&
                                    s[0][1] * s[0][0] > 1 && s[1][0] * s[1][1] > 1)) {
    multiply(x, y, s[0][0], s[0][1], s[1][1], wanted);
    expect(b, wanted, 1e-15);
  } else if (strcmp(op, "outer") == 0) {
    multiply(x, y, 3, 1, 2, wanted);
    expect(b, wanted, 0);
  } else if (strcmp(op, "kron") == 0) {
    for (unsigned i = 0; i < 2; i++)
      for (unsigned k = 0; k < 6; k++) wanted[i * 6 + k] = x[i] * y[k];
    expect(b, wanted, 0);
  } else if (strcmp(op, "transpose") == 0) {
    transpose(x, 2, 3, wanted);
    expect(b, wanted, 0);
  } else if (strcmp(op, "cross") == 0 && b->size == 3) {
    const double c[3] = {
        x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    expect(b, c, 1e-15);
  }
}

static void check_arrangement(const built *b, const char *op, const double *x, const double *y)
{
  const double columns[6] = {x[0], y[0], x[1], y[1], x[2], y[2]},
               rows[6] = {x[0], x[1], x[2], y[0], y[1], y[2]};
  const double side[8] = {x[0], y[0], y[1], y[2], x[1], y[3], y[4], y[5]},
               below[6] = {x[0], x[1], y[0], y[1], y[2], y[3]};
  if (strcmp(op, "columns") == 0) expect(b, columns, 0);
  if (strcmp(op, "rows") == 0) expect(b, rows, 0);
  if (strcmp(op, "concat_cols") == 0) expect(b, side, 0);
  if (strcmp(op, "concat_rows") == 0) expect(b, below, 0);
  if (strcmp(op, "row") == 0) expect(b, x + 2, 0);
  if (strcmp(op, "entry") == 0) expect(b, x + 4, 0);
  if (strcmp(op, "at") == 0) expect(b, x + 5, 0);
  if (strcmp(op, "col") == 0) expect(b, (const double[]){x[1], x[3], x[5]}, 0);
  if (strcmp(op, "identity") == 0) expect(b, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 0);
  if (strcmp(op, "where") == 0 && b->sample->shapes[0][0] == 1)
    expect(b, x[0] != 0 ? y : b->values.data[2], 0);
}

static void check_square(const built *b, const char *op, const double *x)
{
  double out[64], product[64];
  values_of(b, out);
  unsigned n = b->sample->shapes[0][0];
  if (strcmp(op, "det") == 0) test_close("det", out[0], leibniz(x, n, 0, 0), 1e-15);
  if (strcmp(op, "inverse") == 0) {
    multiply(x, out, n, n, n, product);
    expect_identity("inverse", product, n);
  }
  if (strcmp(op, "trace") == 0) test_close("trace", out[0], x[0] + x[4] + x[8], 1e-15);
}

static void values_agree(void **state)
{
  (void)state;
  for (size_t k = 0; k < BASIN_COUNT(samples); k++) {
    built b;
    build(&b, &samples[k]);
    const double *x = b.values.data[0], *y = b.values.data[1];
    check_products(&b, b.sample->op, x, y);
    check_arrangement(&b, b.sample->op, x, y);
    check_square(&b, b.sample->op, x);
    test_close_graph(&b.t);
  }
}

/* ---- small matrices by their definitions, singular ones included ---- */

static void check_rotation(const char *what, const double *r, unsigned n)
{
  double t[9], product[9];
  transpose(r, n, n, t);
  multiply(t, r, n, n, n, product);
  expect_identity(what, product, n);
  test_close(what, leibniz(r, n, 0, 0), 1, 1e-13);
}

static void check_svd(const double *f, unsigned n)
{
  double u[9], s[3], v[9], us[9], vt[9], product[9], r[9], rt[9], largest = 0;
  for (unsigned i = 0; i < n * n; i++) largest = fmax(largest, fabs(f[i]));
  basin__svd(n, f, u, s, v);
  check_rotation("svd u", u, n);
  check_rotation("svd v", v, n);
  for (unsigned i = 0; i < n * n; i++) us[i] = u[i] * s[i % n];
  transpose(v, n, n, vt);
  multiply(us, vt, n, n, n, product);
  for (unsigned i = 0; i < n * n; i++) assert_true(fabs(product[i] - f[i]) <= 1e-14 * largest);
  for (unsigned i = 0; i + 1 < n; i++)
    assert_true(s[i] >= fabs(s[i + 1]) * (1 - 1e-14) && s[i] >= 0);
  basin__polar(n, f, r);
  check_rotation("polar", r, n);
  transpose(r, n, n, rt);
  multiply(rt, f, n, n, n, product);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < i; j++)
      assert_true(fabs(product[i * n + j] - product[j * n + i]) <= 1e-14 * largest);
}

static void check_eig(const double *m, unsigned n)
{
  double upper[6], values[3], vectors[9], av[9], largest = 0;
  unsigned at = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i; j < n; j++) {
      upper[at++] = m[i * n + j];
      largest = fmax(largest, fabs(m[i * n + j]));
    }
  basin__eig(n, upper, values, vectors);
  check_rotation("eig", vectors, n);
  double full[9];
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) full[i * n + j] = m[i < j ? i * n + j : j * n + i];
  multiply(full, vectors, n, n, n, av);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      assert_true(fabs(av[i * n + j] - vectors[i * n + j] * values[j]) <= 2e-14 * largest);
  for (unsigned i = 0; i + 1 < n; i++) assert_true(values[i] <= values[i + 1]);
}

static void small_matrices_hold_by_definition(void **state)
{
  (void)state;
  static const double special[][9] = {
      {0},
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {1, 0, 0, 0, 1, 0, 0, 0, -1}, /* a reflection */
      {-1, 0, 0, 0, -1, 0, 0, 0, -1},
      {1, 2, 3, 2, 4, 6, 3, 6, 9},           /* rank 1 */
      {1, 2, 3, 4, 5, 6, 7, 8, 9},           /* rank 2 */
      {1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 1}, /* far apart */
      {1e200, 1e199, 0, 0, 1e200, 0, 0, 0, 1e200},
      {1, 1e-9, 0, 0, 1, 0, 0, 0, 1 + 1e-15}, /* nearly equal values */
      {0, 0, 5, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 1, 1, 0, 0},
      {5e-324, 0, 0, 0, 0, 0, 0, 0, 0},
  };
  for (size_t k = 0; k < BASIN_COUNT(special); k++)
    for (unsigned n = 2; n <= 3; n++) {
      double m[9];
      for (unsigned i = 0; i < n * n; i++) m[i] = special[k][i / n * 3 + i % n];
      if (fabs(m[0]) != 5e-324) check_svd(m, n); /* a subnormal cannot be met to a relative error */
      check_eig(m, n);
    }
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    double m[9];
    for (int i = 0; i < 9; i++) {
      seed = seed * 1664525u + 1013904223u;
      m[i] = (double)(seed >> 8) / 0x1p23 - 1;
    }
    check_svd(m, 2 + (unsigned)round % 2);
    check_eig(m, 2 + (unsigned)round % 2);
  }
}

/* dR is defined by a denominator that vanishes where two singular values sum to zero; everything
 * stays finite there. */
static void small_matrix_derivatives_are_finite(void **state)
{
  (void)state;
  static const char *const ops[] = {
      "polar", "svd_u", "svd_s", "svd_v", "eig_values", "eig_vectors"};
  static const double points[][9] = {{0},
                                     {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     {1, 0, 0, 0, 1, 0, 0, 0, -1},
                                     {2, 0, 0, 0, 0, 0, 0, 0, 0},
                                     {1, 2, 3, 2, 4, 6, 3, 6, 9}};
  for (size_t o = 0; o < BASIN_COUNT(ops); o++) {
    sample s = {ops[o], {{3, 3}}, {0, 0}};
    built b;
    build(&b, &s);
    for (size_t p = 0; p < BASIN_COUNT(points); p++) {
      memcpy(b.values.data[0], points[p], sizeof points[p]);
      for (unsigned i = 0; i < b.size; i++)
        for (unsigned j = 0; j < 9; j++) {
          basin_ref slope = test_derivative(b.t.graph, b.entries[i], test_leaf(b.t.graph, 0, j));
          double value = test_value(b.t.graph, slope, &b.values);
          if (!isfinite(value))
            print_error("%s entry %u by %u at point %zu: %g\n", ops[o], i, j, p, value);
          assert_true(isfinite(value));
        }
    }
    test_close_graph(&b.t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_has_a_sample),
      cmocka_unit_test(derivatives_agree),
      cmocka_unit_test(values_agree),
      cmocka_unit_test(small_matrices_hold_by_definition),
      cmocka_unit_test(small_matrix_derivatives_are_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
