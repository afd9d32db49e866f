/* The expression graph: hash-consed nodes of 16 bytes, matrices and scalars alike, and the builder
 * every pass uses.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_IR_H
#define BASIN_GRAPH_IR_H

#include "base/base.h"
#include <basin/kernel.h>

/* A node reference. Children always have smaller references than their parent. 0 is no node. */
typedef uint32_t basin_ref;

/* Operators: rows of ops.def, in order. BASIN_OP_<ID>. */
typedef enum basin_op {
#define BASIN_OP_ROW(id, ...) BASIN_OP_##id,
#include "graph/ops_ids.inc"
  BASIN_OP_COUNT
} basin_op;

/* a, b, c: child references, or payload for leaves and list operators (see ops.def).
 * CONST: a, b = low and high word of the double's bits. LOAD: a = access number, b = component, c =
 * 0. List operators: a = offset into the list pool, b = length, c = extra payload. */
typedef struct basin_node {
  uint16_t op;
  uint8_t rows, cols; /* 1 x 1 for every scalar node */
  uint32_t a, b, c;
} basin_node;
_Static_assert(sizeof(basin_node) == 16, "a node is 16 bytes");

/* One graph: nodes, lists, accesses, declared arrays and connectivities. Owned by basin_graph
 * (compiler.h). */
typedef struct basin_graph basin_graph;

basin_context *basin__graph_context(const basin_graph *graph);
const basin_node *basin__node(const basin_graph *graph, basin_ref ref);
uint32_t basin__graph_count(const basin_graph *graph); /* references are 1 .. count */
const uint32_t *basin__node_list(const basin_graph *graph,
                                 basin_ref ref,
                                 uint32_t *length); /* list operators only */
/* Number of child references (fixed arity or list length) and the i-th. LOAD and CONST have none.
 */
uint32_t basin__child_count(const basin_graph *graph, basin_ref ref);
basin_ref basin__child(const basin_graph *graph, basin_ref ref, uint32_t i);

/* ---- scalar builder: simplifies by exact local rules, then hash-conses. 0 only when memory is out
 * (sticky: basin__graph_failed). ---- */
basin_ref basin__const(basin_graph *graph,
                       double value); /* by bit pattern: -0.0 and NaN payloads are kept apart */
bool basin__is_const(const basin_graph *graph, basin_ref ref, double *value);
bool basin__is_zero(const basin_graph *graph, basin_ref ref); /* +0.0 or -0.0 */
basin_ref basin__load(basin_graph *graph, uint32_t access, uint32_t component);
basin_ref basin__unary(basin_graph *graph, basin_op op, basin_ref a);
basin_ref basin__binary(basin_graph *graph, basin_op op, basin_ref a, basin_ref b);
basin_ref basin__select(basin_graph *graph, basin_ref condition, basin_ref a, basin_ref b);
basin_ref basin__list_node(basin_graph *graph,
                           basin_op op,
                           const basin_ref *list,
                           uint32_t length,
                           uint32_t extra,
                           unsigned rows,
                           unsigned cols);
/* Short forms used everywhere in derivative code. */
basin_ref basin__add(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__sub(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__mul(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__div(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__neg(basin_graph *graph, basin_ref a);
bool basin__graph_failed(const basin_graph *graph);

/* Partial derivative of a scalar operator node with respect to its i-th child, built from the
 * operator's row in ops.def. Safe at singular points: never NaN where the true product with a zero
 * tangent is zero. */
basin_ref basin__partial(basin_graph *graph, basin_ref node, uint32_t child);

/* ---- accesses: (array, path) pairs, interned ---- */
uint32_t basin__access_intern(basin_graph *graph, const basin_access *access);
const basin_access *basin__access(const basin_graph *graph, uint32_t number);

/* ---- origins: the script line that made a matrix node; lowering hands it to the scalars ---- */
const char *basin__origin_script(const basin_graph *graph, basin_ref ref); /* NULL if unknown */
int basin__origin_line(const basin_graph *graph, basin_ref ref);

/* ---- matrices to scalars (passes/lower.c): rows * cols scalar references, row-major, into `out`.
 * ---- */
basin_status basin__lower(basin_graph *graph, basin_ref expression, basin_ref *out);

#endif
