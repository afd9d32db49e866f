/* Partial derivatives of scalar operators: the builder expressions of ops.def, and the user's own
 * for CUSTOM.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"
#include "graph/small_matrix.h"

/* A partial under construction. C leaves the order of a call's arguments open, and with it the
 * numbers of the nodes that they make; so the words below push their operands one after another and
 * then pop them. */
typedef struct writer {
  basin_graph *graph;
  basin_ref stack[24];
  unsigned depth;
} writer;

static void push(writer *g, basin_ref ref)
{
  BASIN_ASSERT(g->depth < BASIN_COUNT(g->stack));
  g->stack[g->depth++] = ref;
}

static basin_ref pop1(writer *g, basin_op op)
{
  g->depth -= 1;
  return basin__unary(g->graph, op, g->stack[g->depth]);
}

static basin_ref pop2(writer *g, basin_op op)
{
  g->depth -= 2;
  return basin__binary(g->graph, op, g->stack[g->depth], g->stack[g->depth + 1]);
}

static basin_ref pop3(writer *g)
{
  g->depth -= 3;
  return basin__select(
      g->graph, g->stack[g->depth], g->stack[g->depth + 1], g->stack[g->depth + 2]);
}

/* The words that the partials of ops.def are written in. */
#define NUM(value)       basin__const(g->graph, value)
#define UNARY(op, a)     (push(g, a), pop1(g, BASIN_OP_##op))
#define BINARY(op, a, b) (push(g, a), push(g, b), pop2(g, BASIN_OP_##op))
#define SELECT(c, a, b)  (push(g, c), push(g, a), push(g, b), pop3(g))
#define ADD(a, b)        BINARY(ADD, a, b)
#define SUB(a, b)        BINARY(SUB, a, b)
#define MUL(a, b)        BINARY(MUL, a, b)
#define DIV(a, b)        BINARY(DIV, a, b)
#define LT(a, b)         BINARY(LT, a, b)
#define LE(a, b)         BINARY(LE, a, b)
#define NE(a, b)         BINARY(NE, a, b)
#define OR(a, b)         BINARY(OR, a, b)
#define POW(a, b)        BINARY(POW, a, b)
#define NEG(a)           UNARY(NEG, a)
#define SIGN(a)          UNARY(SIGN, a)
#define SQRT(a)          UNARY(SQRT, a)
#define EXP(a)           UNARY(EXP, a)
#define LOG(a)           UNARY(LOG, a)
#define SIN(a)           UNARY(SIN, a)
#define COS(a)           UNARY(COS, a)
#define SINH(a)          UNARY(SINH, a)
#define COSH(a)          UNARY(COSH, a)
#define ARC(a)           arc_slope(g, a)
#define ANGLE(a, b)      angle_slope(g, a, b)

/* 1 / sqrt(1 - x²), 0 where |x| >= 1. */
static basin_ref arc_slope(writer *g, basin_ref x)
{
  basin_ref rest = MUL(SUB(NUM(1.0), x), ADD(NUM(1.0), x));
  return SELECT(LT(NUM(0.0), rest), DIV(NUM(1.0), SQRT(rest)), NUM(0.0));
}

/* a / (a² + b²), 0 at the origin. */
static basin_ref angle_slope(writer *g, basin_ref a, basin_ref b)
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
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes) \
  static basin_ref partial_##id(                                                      \
      writer *g, basin_ref x, basin_ref y, basin_ref w, basin_ref z, uint32_t child)  \
  {                                                                                   \
    (void)g;                                                                          \
    partials;                                                                         \
  }
#define BASIN_MATRIX(id, ...)
#include "graph/ops.def"
#undef BASIN_SCALAR

typedef basin_ref (*partial_function)(
    writer *, basin_ref, basin_ref, basin_ref, basin_ref, uint32_t);

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
  writer g = {graph, {0}, 0};
  return partials[n.op](&g, n.a, n.b, n.c, node, child);
}
