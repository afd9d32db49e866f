/* Tests of the builder's simplification: each rule, random expressions against the unsimplified
 * ones, branches not taken.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"

typedef struct rules_state {
  test_graph t;
  basin_graph *g;
  basin_ref x, y, z, c; /* c: a truth value */
} rules_state;

static void start(rules_state *s)
{
  test_open(&s->t);
  s->g = s->t.graph;
  s->x = test_leaf(s->g, 0, 0);
  s->y = test_leaf(s->g, 0, 1);
  s->z = test_leaf(s->g, 0, 2);
  s->c = basin__binary(s->g, BASIN_OP_LT, s->x, s->y);
}

static basin_ref num(rules_state *s, double value)
{
  return basin__const(s->g, value);
}

static void arithmetic_rules(void **state)
{
  (void)state;
  rules_state s;
  start(&s);
  basin_graph *g = s.g;
  basin_ref x = s.x, y = s.y, zero = num(&s, 0.0), one = num(&s, 1.0);
  assert_int_equal(basin__add(g, x, zero), x);
  assert_int_equal(basin__sub(g, x, zero), x);
  assert_int_equal(basin__sub(g, zero, x), basin__neg(g, x));
  assert_int_equal(basin__sub(g, x, x), zero);
  assert_int_equal(basin__mul(g, x, one), x);
  assert_int_equal(basin__mul(g, zero, x), zero);
  assert_int_equal(basin__mul(g, x, num(&s, -1.0)), basin__neg(g, x));
  assert_int_equal(basin__div(g, x, one), x);
  assert_int_equal(basin__div(g, x, num(&s, 4.0)), basin__mul(g, x, num(&s, 0.25)));
  assert_int_equal(basin__node(g, basin__div(g, x, num(&s, 3.0)))->op,
                   BASIN_OP_DIV); /* 1/3 is not exact */
  assert_int_equal(basin__neg(g, basin__neg(g, x)), x);
  assert_int_equal(basin__add(g, x, basin__neg(g, y)), basin__sub(g, x, y));
  assert_int_equal(basin__sub(g, x, basin__neg(g, y)), basin__add(g, x, y));
  assert_int_equal(basin__mul(g, basin__neg(g, x), basin__neg(g, y)), basin__mul(g, x, y));
  assert_int_equal(basin__neg(g, basin__sub(g, x, y)), basin__sub(g, y, x));
  assert_int_equal(basin__add(g, x, x), basin__mul(g, num(&s, 2.0), x));
  assert_int_equal(basin__mul(g, num(&s, 2.0), basin__mul(g, num(&s, 0.5), x)), x);
  assert_int_equal(basin__mul(g, num(&s, 2.0), basin__div(g, num(&s, 0.5), x)),
                   basin__div(g, one, x));
  assert_int_equal(basin__add(g, num(&s, 0.1), num(&s, 0.2)), num(&s, 0.1 + 0.2));
  assert_int_equal(basin__unary(g, BASIN_OP_SQRT, num(&s, 2.0)), num(&s, sqrt(2.0)));
  assert_int_equal(basin__unary(g, BASIN_OP_ABS, basin__neg(g, x)),
                   basin__unary(g, BASIN_OP_ABS, x));
  assert_int_equal(basin__binary(g, BASIN_OP_MIN, x, x), x);
  /* nothing inexact: sums and products keep their grouping */
  assert_int_not_equal(basin__add(g, basin__add(g, x, y), s.z),
                       basin__add(g, x, basin__add(g, y, s.z)));
  assert_int_equal(basin__node(g, basin__mul(g, num(&s, 3.0), basin__mul(g, num(&s, 7.0), x)))->op,
                   BASIN_OP_MUL);
  test_close_graph(&s.t);
}

static void powers_expand(void **state)
{
  (void)state;
  rules_state s;
  start(&s);
  test_values values = {{{1.3, 2.0, 3.0}}};
  for (int twice = -17; twice <= 17; twice++) {
    basin_ref power = basin__binary(s.g, BASIN_OP_POW, s.x, num(&s, twice / 2.0));
    for (basin_ref ref = 1; ref <= basin__graph_count(s.g); ref++)
      assert_int_not_equal(basin__node(s.g, ref)->op, BASIN_OP_POW);
    test_close("power", test_value(s.g, power, &values), pow(1.3, twice / 2.0), 4e-15);
  }
  assert_int_equal(basin__node(s.g, basin__binary(s.g, BASIN_OP_POW, s.x, num(&s, 9.0)))->op,
                   BASIN_OP_POW);
  assert_int_equal(basin__node(s.g, basin__binary(s.g, BASIN_OP_POW, s.x, num(&s, 0.3)))->op,
                   BASIN_OP_POW);
  basin_ref square = basin__binary(s.g, BASIN_OP_POW, s.x, num(&s, 2.0));
  test_values origin = {{{0}}};
  assert_true(test_value(s.g, test_derivative(s.g, square, s.x), &origin) == 0);
  assert_true(
      test_value(s.g, test_derivative(s.g, test_derivative(s.g, square, s.x), s.x), &origin) == 2);
  test_close_graph(&s.t);
}

static void select_rules(void **state)
{
  (void)state;
  rules_state s;
  start(&s);
  basin_graph *g = s.g;
  basin_ref x = s.x, y = s.y, z = s.z, c = s.c, zero = num(&s, 0.0);
  assert_int_equal(basin__select(g, c, x, x), x);
  assert_int_equal(basin__select(g, num(&s, 1.0), x, y), x);
  assert_int_equal(basin__select(g, num(&s, -0.0), x, y), y);
  assert_int_equal(basin__select(g, basin__unary(g, BASIN_OP_NOT, c), x, y),
                   basin__select(g, c, y, x));
  assert_int_equal(basin__select(g, c, basin__select(g, c, x, y), z), basin__select(g, c, x, z));
  assert_int_equal(basin__mul(g, basin__select(g, c, x, zero), z),
                   basin__select(g, c, basin__mul(g, x, z), zero));
  assert_int_equal(basin__mul(g, z, basin__select(g, c, zero, x)),
                   basin__select(g, c, zero, basin__mul(g, x, z)));
  assert_int_equal(basin__div(g, basin__select(g, c, x, zero), z),
                   basin__select(g, c, basin__div(g, x, z), zero));
  assert_int_equal(basin__neg(g, basin__select(g, c, x, zero)),
                   basin__select(g, c, basin__neg(g, x), zero));
  assert_int_equal(basin__add(g, basin__select(g, c, x, zero), basin__select(g, c, y, zero)),
                   basin__select(g, c, basin__add(g, x, y), zero));
  assert_int_equal(basin__add(g, basin__select(g, c, x, zero), basin__select(g, c, zero, y)),
                   basin__select(g, c, x, y));
  test_close_graph(&s.t);
}

/* Selects nested 10^5 deep: no rule may need as many stack frames, and the value stays right. */
static void nesting_is_no_danger(void **state)
{
  (void)state;
  rules_state s;
  start(&s);
  basin_ref deep = s.z, zero = num(&s, 0.0);
  for (int i = 0; i < 100000; i++) {
    basin_ref condition = basin__binary(s.g, BASIN_OP_LT, num(&s, -i - 1.0), s.x);
    deep = basin__select(s.g, condition, deep, zero);
  }
  basin_ref product = basin__mul(s.g, deep, s.y), minus = basin__neg(s.g, deep),
            sum = basin__add(s.g, deep, minus);
  test_values values = {{{0.5, 3, 7}}};
  assert_true(test_value(s.g, product, &values) == 21);
  assert_true(test_value(s.g, minus, &values) == -7);
  assert_true(test_value(s.g, sum, &values) == 0);
  basin_ref chain = s.x;
  for (int i = 0; i < 100000; i++) chain = basin__mul(s.g, chain, i % 2 ? s.x : s.y);
  assert_true(test_value(s.g,
                         basin__mul(s.g, chain, basin__unary(s.g, BASIN_OP_LOG, chain)),
                         &(test_values){{{1, 1}}}) == 0);
  test_close_graph(&s.t);
}

/* ---- branches not taken, and singular points, up to second derivatives ---- */

typedef basin_ref (*energy_function)(rules_state *s);

static basin_ref positive(rules_state *s)
{
  return basin__binary(s->g, BASIN_OP_LT, num(s, 0.0), s->x);
}

static basin_ref guarded_quotient(rules_state *s)
{
  return basin__select(s->g, positive(s), basin__div(s->g, s->y, s->x), s->y);
}
static basin_ref guarded_log(rules_state *s)
{
  return basin__select(
      s->g, positive(s), basin__unary(s->g, BASIN_OP_LOG, s->x), basin__mul(s->g, s->x, s->x));
}
static basin_ref guarded_root(rules_state *s)
{
  return basin__select(s->g, positive(s), basin__unary(s->g, BASIN_OP_SQRT, s->x), s->y);
}

static basin_ref guarded_power(rules_state *s)
{
  return basin__select(
      s->g, positive(s), basin__binary(s->g, BASIN_OP_POW, s->x, num(s, -2.5)), num(s, 0.0));
}

/* One logarithm shared by two branches with different conditions, neither taken. */
static basin_ref shared_log(rules_state *s)
{
  basin_graph *g = s->g;
  basin_ref log = basin__unary(g, BASIN_OP_LOG, s->x), zero = num(s, 0.0);
  basin_ref other =
      basin__binary(g, BASIN_OP_AND, positive(s), basin__binary(g, BASIN_OP_LT, s->y, s->x));
  return basin__add(
      g,
      basin__mul(g, s->y, basin__select(g, positive(s), basin__mul(g, log, log), zero)),
      basin__select(g, other, basin__mul(g, s->z, log), zero));
}

static basin_ref nested(rules_state *s)
{
  basin_ref inner = basin__select(s->g,
                                  basin__binary(s->g, BASIN_OP_LT, s->x, s->y),
                                  basin__div(s->g, num(s, 1.0), s->x),
                                  num(s, 0.0));
  return basin__mul(
      s->g, basin__select(s->g, positive(s), inner, num(s, 0.0)), basin__div(s->g, s->z, s->x));
}

static basin_ref entropy(rules_state *s)
{
  return basin__mul(s->g, s->x, basin__unary(s->g, BASIN_OP_LOG, s->x));
}

static basin_ref entropy_of_square(rules_state *s)
{
  basin_ref square = basin__mul(s->g, s->x, s->x);
  return basin__mul(
      s->g, basin__mul(s->g, num(s, 0.5), square), basin__unary(s->g, BASIN_OP_LOG, square));
}

static basin_ref length(rules_state *s)
{
  basin_graph *g = s->g;
  return basin__unary(
      g,
      BASIN_OP_SQRT,
      basin__add(g,
                 basin__add(g, basin__mul(g, s->x, s->x), basin__mul(g, s->y, s->y)),
                 basin__mul(g, s->z, s->z)));
}

static basin_ref length_cubed(rules_state *s)
{
  return basin__binary(s->g, BASIN_OP_POW, length(s), num(s, 3.0));
}

static basin_ref length_power(rules_state *s)
{
  basin_ref n = length(s);
  return basin__binary(s->g, BASIN_OP_POW, basin__mul(s->g, n, n), num(s, 0.7));
}

static basin_ref angle(rules_state *s)
{
  return basin__binary(s->g, BASIN_OP_ATAN2, s->x, s->y);
}

/* All the first and second derivatives at the origin, where each term's dangerous part is not taken
 * or vanishes. */
static void nothing_is_nan_at_the_origin(void **state)
{
  (void)state;
  static const energy_function energies[] = {guarded_quotient,
                                             guarded_log,
                                             guarded_root,
                                             guarded_power,
                                             shared_log,
                                             nested,
                                             entropy,
                                             entropy_of_square,
                                             length,
                                             length_cubed,
                                             length_power,
                                             angle};
  static const double points[][3] = {{0, 0, 0}, {-1, 0, 0}, {0, 1, 1}, {0, -1, 0}};
  for (size_t e = 0; e < BASIN_COUNT(energies); e++) {
    rules_state s;
    start(&s);
    basin_ref energy = energies[e](&s), leaves[3] = {s.x, s.y, s.z};
    for (size_t p = 0; p < BASIN_COUNT(points); p++) {
      if (points[p][0] < 0 && energies[e] == entropy)
        continue; /* the logarithm of a negative number is taken */
      test_values values = {{{points[p][0], points[p][1], points[p][2]}}};
      assert_true(isfinite(test_value(s.g, energy, &values)));
      for (int i = 0; i < 3; i++) {
        basin_ref slope = test_derivative(s.g, energy, leaves[i]);
        for (int j = 0; j < 3; j++) {
          basin_ref bend = test_derivative(s.g, slope, leaves[j]);
          double first = test_value(s.g, slope, &values), second = test_value(s.g, bend, &values);
          if (!isfinite(first) || !isfinite(second))
            print_error("energy %zu point %zu d%d d%d: %g %g\n", e, p, i, j, first, second);
          assert_true(isfinite(first) && isfinite(second));
        }
      }
    }
    test_close_graph(&s.t);
  }
}

/* ---- random expressions, built with and without rules ---- */

static uint32_t next(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

typedef struct twin {
  basin_ref simple, plain;
} twin;

static twin random_operation(basin_graph *g, const twin *pool, uint32_t count, uint32_t *seed)
{
  static const basin_op exact[] = {BASIN_OP_ADD,
                                   BASIN_OP_SUB,
                                   BASIN_OP_MUL,
                                   BASIN_OP_DIV,
                                   BASIN_OP_MIN,
                                   BASIN_OP_MAX,
                                   BASIN_OP_NEG,
                                   BASIN_OP_ABS,
                                   BASIN_OP_SQRT};
  twin a = pool[next(seed) % count], b = pool[next(seed) % count], c = pool[next(seed) % count];
  unsigned kind = next(seed) % 12;
  if (kind >=
      BASIN_COUNT(exact)) { /* a select; the unsimplified twin is the same without any rule */
    twin condition = {basin__binary(g, BASIN_OP_LT, a.simple, b.simple),
                      basin__raw(g, BASIN_OP_LT, a.plain, b.plain, 0)};
    basin_ref zero = basin__const(g, 0.0);
    if (kind == 10)
      return (twin){basin__select(g, condition.simple, c.simple, zero),
                    basin__raw(g, BASIN_OP_SELECT, condition.plain, c.plain, zero)};
    return (twin){basin__select(g, condition.simple, c.simple, b.simple),
                  basin__raw(g, BASIN_OP_SELECT, condition.plain, c.plain, b.plain)};
  }
  basin_op op = exact[kind];
  if (basin__op_info(op)->arity == 1)
    return (twin){basin__unary(g, op, a.simple), basin__raw(g, op, a.plain, 0, 0)};
  return (twin){basin__binary(g, op, a.simple, b.simple), basin__raw(g, op, a.plain, b.plain, 0)};
}

/* The rules promise the same bits up to the sign of zero wherever the plain expression never meets
 * an infinity, a NaN or a number outside of the middle of the range of exponents. */
static bool stays_tame(basin_graph *g, basin_ref plain, const test_values *values)
{
  for (basin_ref ref = 1; ref <= plain; ref++) {
    double value = test_value(g, ref, values);
    if (!isfinite(value) || (value != 0 && (fabs(value) > 1e100 || fabs(value) < 1e-100)))
      return false;
  }
  return true;
}

static void random_expressions_keep_their_bits(void **state)
{
  (void)state;
  uint32_t compared = 0, smaller = 0;
  for (uint32_t round = 0; round < 600; round++) {
    rules_state s;
    uint32_t seed = round * 7919 + 1, count = 0;
    start(&s);
    twin pool[40];
    const double literals[] = {0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -0.25};
    for (size_t i = 0; i < BASIN_COUNT(literals); i++, count++)
      pool[count].simple = pool[count].plain = num(&s, literals[i]);
    const basin_ref leaves[3] = {s.x, s.y, s.z};
    for (int i = 0; i < 3; i++, count++) pool[count].simple = pool[count].plain = leaves[i];
    while (count < BASIN_COUNT(pool)) {
      pool[count] = random_operation(s.g, pool, count, &seed);
      count++;
    }
    for (int p = 0; p < 3; p++) {
      test_values values = {{{(double)(next(&seed) % 4000) / 1000 - 2,
                              (double)(next(&seed) % 4000) / 1000 - 2,
                              1.25 * p}}};
      for (uint32_t i = 10; i < count; i++) {
        if (!stays_tame(s.g, pool[i].plain, &values)) break;
        double simple = test_value(s.g, pool[i].simple, &values),
               plain = test_value(s.g, pool[i].plain, &values);
        if (simple != plain)
          print_error("round %u item %u: %.17g, plain %.17g\n", round, i, simple, plain);
        assert_true(simple == plain);
        compared++;
        smaller += pool[i].simple != pool[i].plain;
      }
    }
    test_close_graph(&s.t);
  }
  print_message("%u values compared, %u of simplified nodes\n", compared, smaller);
  assert_true(compared > 5000 && smaller > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_rules),
      cmocka_unit_test(powers_expand),
      cmocka_unit_test(select_rules),
      cmocka_unit_test(nesting_is_no_danger),
      cmocka_unit_test(nothing_is_nan_at_the_origin),
      cmocka_unit_test(random_expressions_keep_their_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
