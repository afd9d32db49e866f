/* Simplification of sums, products, quotients, negation and powers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/build.h"
#include <math.h>

static bool is_const_value(const basin_graph *graph, basin_ref ref, double wanted)
{
  double value;
  return basin__is_const(graph, ref, &value) && value == wanted;
}

static bool is_op(const basin_graph *graph, basin_ref ref, basin_op op)
{
  return graph->nodes[ref].op == (uint16_t)op;
}

static basin_ref first(const basin_graph *graph, basin_ref ref)
{
  return graph->nodes[ref].a;
}

static bool is_power_of_two(double value)
{
  int exponent;
  return isnormal(value) && fabs(frexp(value, &exponent)) == 0.5 && fabs(value) <= 0x1p64 &&
         fabs(value) >= 0x1p-64;
}

/* ---- sums ---- */

basin_ref basin__rule_add(basin_graph *graph, basin_ref a, basin_ref b)
{
  if (basin__is_zero(graph, a)) return b;
  if (basin__is_zero(graph, b)) return a;
  if (a == b) return basin__mul(graph, basin__const(graph, 2.0), a);
  if (is_op(graph, b, BASIN_OP_NEG)) return basin__sub(graph, a, first(graph, b));
  if (is_op(graph, a, BASIN_OP_NEG)) return basin__sub(graph, b, first(graph, a));
  return basin__rule_select_sum(graph, BASIN_OP_ADD, a, b);
}

basin_ref basin__rule_sub(basin_graph *graph, basin_ref a, basin_ref b)
{
  if (basin__is_zero(graph, b)) return a;
  if (basin__is_zero(graph, a)) return basin__neg(graph, b);
  if (a == b) return basin__const(graph, 0.0);
  if (is_op(graph, b, BASIN_OP_NEG)) return basin__add(graph, a, first(graph, b));
  if (is_op(graph, a, BASIN_OP_NEG))
    return basin__neg(graph, basin__add(graph, first(graph, a), b));
  return basin__rule_select_sum(graph, BASIN_OP_SUB, a, b);
}

basin_ref basin__rule_neg(basin_graph *graph, basin_ref a)
{
  basin_node n = basin__peek(graph, a);
  double value;
  switch (n.op) {
  case BASIN_OP_NEG:
    return n.a;
  case BASIN_OP_SUB:
    return basin__sub(graph, n.b, n.a);
  case BASIN_OP_MUL:
    if (basin__is_const(graph, n.a, &value))
      return basin__mul(graph, basin__const(graph, -value), n.b);
    if (basin__is_const(graph, n.b, &value))
      return basin__mul(graph, n.a, basin__const(graph, -value));
    return 0;
  case BASIN_OP_DIV:
    if (basin__is_const(graph, n.a, &value))
      return basin__div(graph, basin__const(graph, -value), n.b);
    return 0;
  case BASIN_OP_SELECT:
    if (basin__is_zero(graph, n.c)) return basin__select(graph, n.a, basin__neg(graph, n.b), n.c);
    if (basin__is_zero(graph, n.b)) return basin__select(graph, n.a, n.b, basin__neg(graph, n.c));
    return 0;
  default:
    return 0;
  }
}

/* ---- products ---- */

/* The node times a power of two, where a constant factor inside can take it up; 0 if there is none.
 * Exact unless the constant's exponent overflows, which absorbed factors between 2^-64 and 2^64
 * leave to absurd constants. */
static basin_ref absorb_scale(basin_graph *graph, double scale, basin_ref ref, int depth)
{
  basin_node n = basin__peek(graph, ref);
  double value;
  if (basin__is_const(graph, ref, &value))
    return isnormal(value * scale) ? basin__const(graph, value * scale) : 0;
  if (depth == 0) return 0;
  basin_ref part;
  switch (n.op) {
  case BASIN_OP_MUL:
    part = absorb_scale(graph, scale, n.a, depth - 1);
    if (part) return basin__mul(graph, part, n.b);
    part = absorb_scale(graph, scale, n.b, depth - 1);
    return part ? basin__mul(graph, n.a, part) : 0;
  case BASIN_OP_DIV:
    part = absorb_scale(graph, scale, n.a, depth - 1);
    return part ? basin__div(graph, part, n.b) : 0;
  case BASIN_OP_SELECT:
    if (!basin__is_zero(graph, n.c)) return 0;
    part = absorb_scale(graph, scale, n.b, depth - 1);
    return part ? basin__select(graph, n.a, part, n.c) : 0;
  default:
    return 0;
  }
}

/* Numerator factors of a product, at most `limit`, from a few levels; constants are left out. */
static unsigned factors(const basin_graph *graph,
                        basin_ref ref,
                        int levels,
                        basin_ref *list,
                        unsigned count,
                        unsigned limit)
{
  const basin_node *n = &graph->nodes[ref];
  bool product = n->op == BASIN_OP_MUL || n->op == BASIN_OP_DIV || n->op == BASIN_OP_NEG;
  if (count >= limit || n->op == BASIN_OP_CONST) return count;
  if (product && levels > 0) {
    count = factors(graph, n->a, levels - 1, list, count, limit);
    return n->op == BASIN_OP_MUL ? factors(graph, n->b, levels - 1, list, count, limit) : count;
  }
  list[count] = ref;
  return count + 1;
}

/* x log(y) where x and y vanish together (a common factor): the value at 0 must be 0, not 0 * -inf.
 */
static bool vanish_together(const basin_graph *graph, basin_ref x, basin_ref y)
{
  basin_ref of_x[8], of_y[8];
  unsigned n = factors(graph, x, 6, of_x, 0, 8), m = factors(graph, y, 6, of_y, 0, 8);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      if (of_x[i] == of_y[j]) return true;
  return x == y;
}

static basin_ref mul_const(basin_graph *graph, double value, basin_ref ref)
{
  if (value == 0) return basin__const(graph, 0.0);
  if (value == 1) return ref;
  if (value == -1) return basin__neg(graph, ref);
  if (is_op(graph, ref, BASIN_OP_NEG))
    return basin__mul(graph, basin__const(graph, -value), first(graph, ref));
  if (is_power_of_two(value)) {
    basin_ref absorbed = absorb_scale(graph, value, ref, 6);
    if (absorbed) return absorbed;
  }
  basin_node n = basin__peek(graph, ref);
  double inner;
  if (n.op == BASIN_OP_MUL) { /* c (p x) with p a power of two */
    bool left = basin__is_const(graph, n.a, &inner);
    if ((left || basin__is_const(graph, n.b, &inner)) && is_power_of_two(inner) &&
        isnormal(value * inner))
      return basin__mul(graph, basin__const(graph, value * inner), left ? n.b : n.a);
  }
  return 0;
}

basin_ref basin__rule_mul(basin_graph *graph, basin_ref a, basin_ref b)
{
  double value;
  basin_ref simple = 0;
  if (basin__is_const(graph, a, &value))
    simple = mul_const(graph, value, b);
  else if (basin__is_const(graph, b, &value))
    simple = mul_const(graph, value, a);
  if (simple) return simple;
  bool minus_a = is_op(graph, a, BASIN_OP_NEG), minus_b = is_op(graph, b, BASIN_OP_NEG);
  if (minus_a || minus_b) {
    basin_ref product =
        basin__mul(graph, minus_a ? first(graph, a) : a, minus_b ? first(graph, b) : b);
    return minus_a && minus_b ? product : basin__neg(graph, product);
  }
  simple = basin__rule_select_mul(graph, a, b);
  if (simple) return simple;
  if (is_op(graph, b, BASIN_OP_LOG) && vanish_together(graph, a, first(graph, b)))
    return basin__raw(graph, BASIN_OP_XLOGY, a, first(graph, b), 0);
  if (is_op(graph, a, BASIN_OP_LOG) && vanish_together(graph, b, first(graph, a)))
    return basin__raw(graph, BASIN_OP_XLOGY, b, first(graph, a), 0);
  return 0;
}

basin_ref basin__rule_div(basin_graph *graph, basin_ref a, basin_ref b)
{
  double value;
  if (basin__is_zero(graph, a)) return basin__const(graph, 0.0);
  if (basin__is_const(graph, b, &value)) {
    if (value == 1) return a;
    if (is_power_of_two(value) || value == -1)
      return basin__mul(graph, a, basin__const(graph, 1.0 / value));
  }
  bool minus_a = is_op(graph, a, BASIN_OP_NEG), minus_b = is_op(graph, b, BASIN_OP_NEG);
  if (minus_a || minus_b) {
    basin_ref quotient =
        basin__div(graph, minus_a ? first(graph, a) : a, minus_b ? first(graph, b) : b);
    return minus_a && minus_b ? quotient : basin__neg(graph, quotient);
  }
  return basin__rule_select_div(graph, a, b);
}

/* ---- powers ---- */

static basin_ref integer_power(basin_graph *graph, basin_ref a, int n)
{
  if (n == 0) return basin__const(graph, 1.0);
  if (n == 1) return a;
  basin_ref half = integer_power(graph, a, n / 2);
  basin_ref square = basin__mul(graph, half, half);
  return n % 2 ? basin__mul(graph, square, a) : square;
}

/* Literal exponents n and n + 1/2 for |n| <= 8 become products and square roots: safe at 0, where
 * pow's own derivative is a product with a logarithm. */
basin_ref basin__rule_power(basin_graph *graph, basin_ref a, basin_ref b)
{
  double exponent;
  if (!basin__is_const(graph, b, &exponent) || !(fabs(exponent) <= 8.5)) return 0;
  double size = fabs(exponent), whole = floor(size);
  if (size != whole && size != whole + 0.5) return 0;
  basin_ref power = integer_power(graph, a, (int)whole);
  if (size != whole) power = basin__mul(graph, power, basin__unary(graph, BASIN_OP_SQRT, a));
  return exponent < 0 ? basin__div(graph, basin__const(graph, 1.0), power) : power;
}

basin_ref basin__rule_xlogy(basin_graph *graph, basin_ref a, basin_ref b)
{
  double value;
  if (basin__is_zero(graph, a)) return basin__const(graph, 0.0);
  if (is_const_value(graph, b, 1.0)) return basin__const(graph, 0.0);
  if (basin__is_const(graph, a, &value))
    return basin__mul(graph, a, basin__unary(graph, BASIN_OP_LOG, b));
  return 0;
}
