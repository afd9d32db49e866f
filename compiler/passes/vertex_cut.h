/* Smallest vertex cuts of small directed networks of graph nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_VERTEX_CUT_H
#define BASIN_PASSES_VERTEX_CUT_H

#include "passes/pass.h"

/* Every vertex may be cut at cost 1, edges may not (Menger). */
typedef struct basin_cut {
  basin_context *context;
  basin_refs nodes; /* in the order they were added; local number = position */
  uint32_t *local;  /* by reference: 1 + local number, 0 = not in the network */
  size_t local_count;
  basin_refs edges; /* pairs of local numbers */
  uint8_t *marks;   /* by local number: bits below */
  size_t mark_capacity;
} basin_cut;

enum { BASIN_CUT_SOURCE = 1, BASIN_CUT_SINK = 2 };

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
