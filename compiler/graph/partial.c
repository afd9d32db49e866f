/* Partial derivatives of scalar operators: the builder expressions of ops.def, and the user's own
 * for CUSTOM.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"
#include "graph/small_matrix.h"

/* The words that the partials of ops.def are written in. */
#define NUM(value)      basin__const(g, value)
#define ADD(a, b)       basin__add(g, a, b)
#define SUB(a, b)       basin__sub(g, a, b)
#define MUL(a, b)       basin__mul(g, a, b)
#define DIV(a, b)       basin__div(g, a, b)
#define NEG(a)          basin__neg(g, a)
#define SELECT(c, a, b) basin__select(g, c, a, b)
#define LT(a, b)        basin__binary(g, BASIN_OP_LT, a, b)
#define LE(a, b)        basin__binary(g, BASIN_OP_LE, a, b)
#define NE(a, b)        basin__binary(g, BASIN_OP_NE, a, b)
#define POW(a, b)       basin__binary(g, BASIN_OP_POW, a, b)
#define OR(a, b)        basin__binary(g, BASIN_OP_OR, a, b)
#define SIGN(a)         basin__unary(g, BASIN_OP_SIGN, a)
#define SQRT(a)         basin__unary(g, BASIN_OP_SQRT, a)
#define EXP(a)          basin__unary(g, BASIN_OP_EXP, a)
#define LOG(a)          basin__unary(g, BASIN_OP_LOG, a)
#define SIN(a)          basin__unary(g, BASIN_OP_SIN, a)
#define COS(a)          basin__unary(g, BASIN_OP_COS, a)
#define SINH(a)         basin__unary(g, BASIN_OP_SINH, a)
#define COSH(a)         basin__unary(g, BASIN_OP_COSH, a)
#define ARC(a)          arc_slope(g, a)
#define ANGLE(a, b)     angle_slope(g, a, b)

/* 1 / sqrt(1 - x²), 0 where |x| >= 1. */
static basin_ref arc_slope(basin_graph *g, basin_ref x)
{
  basin_ref rest = MUL(SUB(NUM(1.0), x), ADD(NUM(1.0), x));
  return SELECT(LT(NUM(0.0), rest), DIV(NUM(1.0), SQRT(rest)), NUM(0.0));
}

/* a / (a² + b²), 0 at the origin. */
static basin_ref angle_slope(basin_graph *g, basin_ref a, basin_ref b)
{
  basin_ref square = ADD(MUL(a, a), MUL(b, b));
  return SELECT(LT(NUM(0.0), square), DIV(a, square), NUM(0.0));
}

/* A function for each row, so that only the wanted partial is built. */
#define D0                                         \
  (void)x, (void)y, (void)w, (void)z, (void)child; \
  return NUM(0.0)
#define D1(dx)                                     \
  (void)x, (void)y, (void)w, (void)z, (void)child; \
  return (dx)
#define D2(dx, dy)                    \
  (void)x, (void)y, (void)w, (void)z; \
  return child == 0 ? (dx) : (dy)
#define D3(dx, dy, dw)                \
  (void)x, (void)y, (void)w, (void)z; \
  return child == 0 ? (dx) : child == 1 ? (dy) : (dw)
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes)     \
  static basin_ref partial_##id(                                                          \
      basin_graph *g, basin_ref x, basin_ref y, basin_ref w, basin_ref z, uint32_t child) \
  {                                                                                       \
    (void)g;                                                                              \
    partials;                                                                             \
  }
#define BASIN_MATRIX(id, ...)
#include "graph/ops.def"
#undef BASIN_SCALAR

typedef basin_ref (*partial_function)(
    basin_graph *, basin_ref, basin_ref, basin_ref, basin_ref, uint32_t);

static const partial_function partials[] = {
#define BASIN_SCALAR(id, ...) partial_##id,
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
};

basin_ref basin__partial(basin_graph *graph, basin_ref node, uint32_t child)
{
  if (!node || graph->failed) return 0;
  basin_node n = *basin__node(graph, node);
  BASIN_ASSERT(n.op < BASIN_COUNT(partials) && child < basin__child_count(graph, node));
  if (n.op == BASIN_OP_CUSTOM) {
    uint32_t arguments = (n.b - 1) / 2;
    if (child == 0 || child > arguments) return basin__const(graph, 0.0);
    return graph->lists[n.a + arguments + child];
  }
  if (basin__op_info(n.op)->flags & BASIN_OP_OUTPUTS)
    return basin__small_partial(graph, node, child);
  return partials[n.op](graph, n.a, n.b, n.c, node, child);
}
