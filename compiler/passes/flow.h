/* Maximum flow and minimum cut in small directed networks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_FLOW_H
#define BASIN_PASSES_FLOW_H

#include "base/base.h"

#define BASIN_FLOW_UNBOUNDED UINT32_MAX

typedef struct basin_flow_edge {
  uint32_t to, next; /* next edge out of the same vertex, BASIN_NONE at the end */
  uint32_t capacity; /* residual; edge e ^ 1 is the reverse of e */
} basin_flow_edge;

typedef struct basin_flow {
  basin_context *context;
  uint32_t vertex_count;
  uint32_t *first; /* first edge out of a vertex */
  uint32_t *level, *queue, *cursor;
  basin_flow_edge *edges;
  uint32_t edge_count;
  size_t edge_capacity;
} basin_flow;

basin_status basin__flow_init(basin_flow *flow, basin_context *context, uint32_t vertex_count);
void basin__flow_fini(basin_flow *flow);
basin_status basin__flow_edge(basin_flow *flow, uint32_t from, uint32_t to, uint32_t capacity);
/* Dinic's algorithm. The value of the cut; after it basin__flow_reaches_sink tells the two sides.
 * At least one finite cut must exist. */
uint64_t basin__flow_solve(basin_flow *flow, uint32_t source, uint32_t sink);
/* On the sink's side of the minimum cut nearest to the sink. */
bool basin__flow_on_sink_side(const basin_flow *flow, uint32_t vertex);

#endif
