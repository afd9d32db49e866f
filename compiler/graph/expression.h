/* Matrix nodes: what an operator is applied to, shapes, owners, integers, messages.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_EXPRESSION_H
#define BASIN_GRAPH_EXPRESSION_H

#include "graph/graph.h"

/* An operator about to be applied. */
typedef struct basin_call {
  basin_graph *graph;
  basin_op op;
  const basin_ref *arguments;
  uint32_t count;
  int integers[2];
  unsigned rows, cols; /* the result's shape, filled in by basin__call_shape */
} basin_call;

/* Static parameters that are kept in the node behind its children; those of matrix, identity,
 * zeros, reshape are its shape. */
uint32_t basin__stored_integers(unsigned op);
/* The i-th of them in a node. */
int basin__stored_integer(const basin_node *node, uint32_t i);

/* Finds the result's shape or records an error that names the shapes. Arguments must be nodes of
 * the graph. */
basin_status basin__call_shape(basin_call *call);

/* The space of an expression that combines these: equal owners, or the descendant of a shared one.
 * BASIN_ERROR_OWNER else. */
basin_status basin__call_owner(const basin_call *call, uint32_t *owner);

/* Records an error about the call: message, origin of the graph, printed call. */
basin_status basin__call_fail(const basin_call *call,
                              basin_status status,
                              const char *site,
                              const char *format,
                              ...) BASIN_PRINTF(4, 5);
#define BASIN_CALL_FAIL(call, status, ...) \
  basin__failed((status), basin__call_fail((call), (status), BASIN_SITE, __VA_ARGS__))

/* The call or expression as one short line of infix text; indices count from 1 as in scripts. */
void basin__call_text(basin_strbuf *text, const basin_call *call, size_t limit);
void basin__text(basin_strbuf *text, const basin_graph *graph, basin_ref ref, size_t limit);

/* Makes the node of a checked call. 0 if memory is out. */
basin_ref basin__call_node(const basin_call *call, uint32_t owner);

static inline unsigned basin__rows(const basin_graph *graph, basin_ref ref)
{
  return graph->nodes[ref].rows;
}

static inline unsigned basin__cols(const basin_graph *graph, basin_ref ref)
{
  return graph->nodes[ref].cols;
}

static inline unsigned basin__size(const basin_graph *graph, basin_ref ref)
{
  return (unsigned)graph->nodes[ref].rows * graph->nodes[ref].cols;
}

#endif
