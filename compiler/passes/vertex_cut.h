/* Smallest vertex cuts of small directed networks, by augmenting paths.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_VERTEX_CUT_H
#define BASIN_PASSES_VERTEX_CUT_H

#include "passes/pass.h"

typedef struct basin_cut_edge {
  uint32_t from, to;
  bool flow;
} basin_cut_edge;

/* Every vertex may be cut at cost 1, edges may not (Menger). */
typedef struct basin_cut {
  basin_context *context;
  basin_refs nodes; /* in the order they were added; local number = position */
  uint32_t *local;  /* by reference: 1 + local number, 0 = not in the network */
  size_t local_count;
  basin_cut_edge *edges;
  uint32_t edge_count;
  size_t edge_capacity;
  uint8_t *marks; /* by local number: bits below */
  size_t mark_capacity;
  uint32_t *queue,
      *previous; /* by state: in (2 v) and out (2 v + 1) of vertex v; previous: 1 + state */
} basin_cut;

enum { BASIN_CUT_SOURCE = 1, BASIN_CUT_SINK = 2, BASIN_CUT_USED = 4 };

/* References below `ref_count` may be added. */
basin_status basin__cut_init(basin_cut *cut, basin_context *context, size_t ref_count);
void basin__cut_fini(basin_cut *cut);
basin_status basin__cut_add(basin_cut *cut, basin_ref ref);
bool basin__cut_has(const basin_cut *cut, basin_ref ref);
/* Both ends must have been added. */
basin_status basin__cut_edge(basin_cut *cut, basin_ref from, basin_ref to);
void basin__cut_mark(basin_cut *cut, basin_ref ref, uint8_t bits);
/* Among the smallest cuts between sources and sinks, the one nearest to the sinks, in the order the
 * vertices were added. */
basin_status basin__cut_solve(basin_cut *cut, basin_refs *result);

#endif
