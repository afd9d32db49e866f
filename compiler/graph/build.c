/* The scalar builder: folds constants, applies the rules of rules_*.c, hash-conses.
 * Rules are exact for finite values up to the sign of zero and the range of exponents
 * (docs/internals/graph.md lists them).
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/build.h"
#include <string.h>

basin_node basin__peek(const basin_graph *graph, basin_ref ref)
{
  return *basin__node(graph, ref);
}

bool basin__is_boolean(const basin_graph *graph, basin_ref ref)
{
  return (basin__op_info(graph->nodes[ref].op)->flags & BASIN_OP_BOOLEAN) != 0;
}

basin_ref basin__to_number(basin_graph *graph, basin_ref ref)
{
  if (!ref || !basin__is_boolean(graph, ref)) return ref;
  basin_ref one = basin__const(graph, 1.0), zero = basin__const(graph, 0.0);
  return one && zero ? basin__raw(graph, BASIN_OP_SELECT, ref, one, zero) : 0;
}

basin_ref basin__to_boolean(basin_graph *graph, basin_ref ref)
{
  if (!ref || basin__is_boolean(graph, ref)) return ref;
  double value, yes, no;
  if (basin__is_const(graph, ref, &value)) return basin__const(graph, value != 0 ? 1.0 : 0.0);
  basin_node n = basin__peek(graph, ref);
  if (n.op == BASIN_OP_SELECT && basin__is_const(graph, n.b, &yes) &&
      basin__is_const(graph, n.c, &no)) {
    if (yes != 0 && no == 0) return n.a;
    if (yes == 0 && no != 0) return basin__unary(graph, BASIN_OP_NOT, n.a);
  }
  basin_ref zero = basin__const(graph, 0.0);
  return zero ? basin__raw(graph, BASIN_OP_NE, ref, zero, 0) : 0;
}

/* ---- one operand ---- */

/* Rules call the builder again; selects nested without end must not nest calls without end. Beyond
 * this depth nodes are made as they stand. */
enum { RULE_DEPTH = 200 };

static basin_ref rule_unary(basin_graph *graph, basin_op op, basin_ref a)
{
  basin_node n = basin__peek(graph, a);
  switch (op) {
  case BASIN_OP_NEG:
    return basin__rule_neg(graph, a);
  case BASIN_OP_NOT:
    return n.op == BASIN_OP_NOT ? n.a : 0;
  case BASIN_OP_ABS:
    if (n.op == BASIN_OP_ABS) return a;
    return n.op == BASIN_OP_NEG ? basin__unary(graph, op, n.a) : 0;
  default:
    return 0;
  }
}

basin_ref basin__unary(basin_graph *graph, basin_op op, basin_ref a)
{
  BASIN_ASSERT(basin__op_info(op)->arity == 1);
  if (!a) return 0;
  a = op == BASIN_OP_NOT ? basin__to_boolean(graph, a) : basin__to_number(graph, a);
  double x;
  if (!a) return 0;
  if (basin__is_const(graph, a, &x)) return basin__const(graph, basin__op_value(op, x, 0, 0));
  graph->rule_depth++;
  basin_ref simple = graph->rule_depth < RULE_DEPTH ? rule_unary(graph, op, a) : 0;
  graph->rule_depth--;
  return simple ? simple : basin__raw(graph, op, a, 0, 0);
}

/* ---- two operands ---- */

static basin_ref rule_compare(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  if (op == BASIN_OP_GT) return basin__raw(graph, BASIN_OP_LT, b, a, 0);
  if (op == BASIN_OP_GE) return basin__raw(graph, BASIN_OP_LE, b, a, 0);
  if (op == BASIN_OP_LT && a == b) return basin__const(graph, 0.0);
  return 0;
}

static basin_ref rule_logic(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  bool is_and = op == BASIN_OP_AND;
  double value;
  for (int side = 0; side < 2; side++) {
    basin_ref one = side ? b : a, other = side ? a : b;
    if (basin__is_const(graph, one, &value)) return (value != 0) == is_and ? other : one;
    basin_node n = basin__peek(graph, one);
    if (n.op == BASIN_OP_NOT && n.a == other) return basin__const(graph, is_and ? 0.0 : 1.0);
    if (n.op == (uint16_t)op && (n.a == other || n.b == other)) return one;
  }
  return a == b ? a : 0;
}

static basin_ref rule_binary(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  switch (op) {
  case BASIN_OP_ADD:
    return basin__rule_add(graph, a, b);
  case BASIN_OP_SUB:
    return basin__rule_sub(graph, a, b);
  case BASIN_OP_MUL:
    return basin__rule_mul(graph, a, b);
  case BASIN_OP_DIV:
    return basin__rule_div(graph, a, b);
  case BASIN_OP_POW:
    return basin__rule_power(graph, a, b);
  case BASIN_OP_XLOGY:
    return basin__rule_xlogy(graph, a, b);
  case BASIN_OP_MIN:
  case BASIN_OP_MAX:
    return a == b ? a : 0;
  case BASIN_OP_AND:
  case BASIN_OP_OR:
    return rule_logic(graph, op, a, b);
  default:
    return rule_compare(graph, op, a, b); /* touches comparisons only */
  }
}

basin_ref basin__binary(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  const basin_op_info *info = basin__op_info(op);
  BASIN_ASSERT(info->arity == 2 && !(info->flags & BASIN_OP_MATRIX));
  bool logical = (info->flags & BASIN_OP_LOGICAL) != 0;
  a = logical ? basin__to_boolean(graph, a) : basin__to_number(graph, a);
  b = logical ? basin__to_boolean(graph, b) : basin__to_number(graph, b);
  if (!a || !b) return 0;
  double x, y;
  if (basin__is_const(graph, a, &x) && basin__is_const(graph, b, &y))
    return basin__const(graph, basin__op_value(op, x, y, 0));
  graph->rule_depth++;
  basin_ref simple = graph->rule_depth < RULE_DEPTH ? rule_binary(graph, op, a, b) : 0;
  graph->rule_depth--;
  return simple ? simple : basin__raw(graph, op, a, b, 0);
}

/* ---- select ---- */

basin_ref basin__select(basin_graph *graph, basin_ref condition, basin_ref a, basin_ref b)
{
  condition = basin__to_boolean(graph, condition);
  a = basin__to_number(graph, a);
  b = basin__to_number(graph, b);
  if (!condition || !a || !b) return 0;
  double value;
  if (basin__is_const(graph, condition, &value)) return value != 0 ? a : b;
  basin_node n = basin__peek(graph, condition);
  if (n.op == BASIN_OP_NOT) {
    basin_ref swap = a;
    a = b;
    b = swap;
    condition = n.a;
  }
  n = basin__peek(graph, a);
  if (n.op == BASIN_OP_SELECT && n.a == condition) a = n.b;
  n = basin__peek(graph, b);
  if (n.op == BASIN_OP_SELECT && n.a == condition) b = n.c;
  return a == b ? a : basin__raw(graph, BASIN_OP_SELECT, condition, a, b);
}

/* ---- short forms ---- */

basin_ref basin__add(basin_graph *graph, basin_ref a, basin_ref b)
{
  return basin__binary(graph, BASIN_OP_ADD, a, b);
}

basin_ref basin__sub(basin_graph *graph, basin_ref a, basin_ref b)
{
  return basin__binary(graph, BASIN_OP_SUB, a, b);
}

basin_ref basin__mul(basin_graph *graph, basin_ref a, basin_ref b)
{
  return basin__binary(graph, BASIN_OP_MUL, a, b);
}

basin_ref basin__div(basin_graph *graph, basin_ref a, basin_ref b)
{
  return basin__binary(graph, BASIN_OP_DIV, a, b);
}

basin_ref basin__neg(basin_graph *graph, basin_ref a)
{
  return basin__unary(graph, BASIN_OP_NEG, a);
}

basin_ref basin__two_products(
    basin_graph *graph, basin_op op, basin_ref a, basin_ref b, basin_ref c, basin_ref d)
{
  basin_ref left = basin__mul(graph, a, b), right = basin__mul(graph, c, d);
  return basin__binary(graph, op, left, right);
}
