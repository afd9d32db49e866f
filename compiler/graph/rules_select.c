/* Selects inside sums, products and quotients: what multiplies a zero branch is moved into the
 * other branch, so that an infinite factor never meets the zero (division by zero in the branch of
 * a `where` that is not taken).
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/build.h"

typedef struct branches {
  basin_ref condition, yes, no;
} branches;

static bool open_select(const basin_graph *graph, basin_ref ref, branches *out)
{
  const basin_node *n = &graph->nodes[ref];
  if (n->op != BASIN_OP_SELECT) return false;
  *out = (branches){n->a, n->b, n->c};
  return true;
}

static bool has_zero_branch(const basin_graph *graph, const branches *s)
{
  return basin__is_zero(graph, s->yes) || basin__is_zero(graph, s->no);
}

static bool is_guarded(const basin_graph *graph, basin_ref ref, branches *out)
{
  return open_select(graph, ref, out) && has_zero_branch(graph, out);
}

/* Whether a sum consists of guarded terms only; looks at `budget` nodes at most. */
static bool is_supported(const basin_graph *graph, basin_ref ref, int *budget)
{
  const basin_node *n = &graph->nodes[ref];
  branches s;
  if ((*budget)-- <= 0) return false;
  if (is_guarded(graph, ref, &s)) return true;
  if (n->op != BASIN_OP_ADD && n->op != BASIN_OP_SUB) return false;
  return is_supported(graph, n->a, budget) && is_supported(graph, n->b, budget);
}

/* The condition outside of which such a sum is zero. */
static basin_ref support(basin_graph *graph, basin_ref ref)
{
  basin_node n = basin__peek(graph, ref);
  branches s;
  if (is_guarded(graph, ref, &s)) {
    if (basin__is_zero(graph, s.no)) return s.condition;
    return basin__unary(graph, BASIN_OP_NOT, s.condition);
  }
  basin_ref a = support(graph, n.a), b = support(graph, n.b);
  return basin__binary(graph, BASIN_OP_OR, a, b);
}

/* False if the node might be infinite or not a number where everything it is made of is finite and
 * moderate. */
static bool is_regular(const basin_graph *graph, basin_ref ref, int depth)
{
  const basin_node *n = &graph->nodes[ref];
  switch (n->op) {
  case BASIN_OP_CONST:
  case BASIN_OP_LOAD:
  case BASIN_OP_INNER:
    return true;
  case BASIN_OP_ADD:
  case BASIN_OP_SUB:
  case BASIN_OP_MUL:
    return depth > 0 && is_regular(graph, n->a, depth - 1) && is_regular(graph, n->b, depth - 1);
  case BASIN_OP_NEG:
  case BASIN_OP_ABS:
  case BASIN_OP_SIN:
  case BASIN_OP_COS:
  case BASIN_OP_TANH:
  case BASIN_OP_ATAN:
    return depth > 0 && is_regular(graph, n->a, depth - 1);
  default:
    return false;
  }
}

basin_ref basin__rule_select_sum(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  branches s, t;
  if (!open_select(graph, a, &s) || !open_select(graph, b, &t) || s.condition != t.condition)
    return 0;
  if (!has_zero_branch(graph, &s) && !has_zero_branch(graph, &t)) return 0;
  basin_ref yes = basin__binary(graph, op, s.yes, t.yes), no = basin__binary(graph, op, s.no, t.no);
  return basin__select(graph, s.condition, yes, no);
}

/* What `ref` is worth in one branch of a condition. */
static basin_ref in_branch(const basin_graph *graph, basin_ref ref, basin_ref condition, bool yes)
{
  branches s;
  if (!open_select(graph, ref, &s) || s.condition != condition) return ref;
  return yes ? s.yes : s.no;
}

static basin_ref push(basin_graph *graph, basin_op op, const branches *s, basin_ref b)
{
  bool yes = basin__is_zero(graph, s->no);
  basin_ref inner = in_branch(graph, b, s->condition, yes);
  basin_ref zero = basin__const(graph, 0.0);
  basin_ref value = basin__binary(graph, op, yes ? s->yes : s->no, inner);
  return yes ? basin__select(graph, s->condition, value, zero)
             : basin__select(graph, s->condition, zero, value);
}

/* (sum of guarded terms) op b, guarded as a whole where b may be infinite. */
static basin_ref guard_sum(basin_graph *graph, basin_op op, basin_ref a, basin_ref b)
{
  int budget = 32;
  if (graph->nodes[a].op != BASIN_OP_ADD && graph->nodes[a].op != BASIN_OP_SUB) return 0;
  if (!is_supported(graph, a, &budget)) return 0;
  if (op == BASIN_OP_MUL ? is_regular(graph, b, 6) : basin__is_const(graph, b, NULL)) return 0;
  basin_ref condition = support(graph, a);
  basin_ref value = basin__raw(graph, op, a, b, 0), zero = basin__const(graph, 0.0);
  return condition && value && zero ? basin__select(graph, condition, value, zero) : 0;
}

basin_ref basin__rule_select_mul(basin_graph *graph, basin_ref a, basin_ref b)
{
  branches s;
  if (is_guarded(graph, a, &s)) return push(graph, BASIN_OP_MUL, &s, b);
  if (is_guarded(graph, b, &s)) return push(graph, BASIN_OP_MUL, &s, a);
  basin_ref guarded = guard_sum(graph, BASIN_OP_MUL, a, b);
  return guarded ? guarded : guard_sum(graph, BASIN_OP_MUL, b, a);
}

basin_ref basin__rule_select_div(basin_graph *graph, basin_ref a, basin_ref b)
{
  branches s;
  if (is_guarded(graph, a, &s)) return push(graph, BASIN_OP_DIV, &s, b);
  return guard_sum(graph, BASIN_OP_DIV, a, b);
}
