/* Smallest vertex cuts: each vertex is split into an entry and an exit joined by an edge of
 * capacity 1. SPDX-License-Identifier: Apache-2.0 */
#include "passes/vertex_cut.h"

#include "passes/flow.h"

basin_status basin__cut_init(basin_cut *cut, basin_context *context, size_t ref_count)
{
  *cut = (basin_cut){.context = context, .local_count = ref_count};
  cut->local = basin__calloc(context, ref_count, sizeof cut->local[0]);
  return cut->local || !ref_count ? BASIN_OK : BASIN_ERROR_MEMORY;
}

void basin__cut_fini(basin_cut *cut)
{
  basin_context *context = cut->context;
  basin__free(context, cut->local, cut->local ? cut->local_count * sizeof cut->local[0] : 0);
  basin__free(context, cut->marks, cut->mark_capacity);
  basin__refs_fini(context, &cut->edges);
  basin__refs_fini(context, &cut->nodes);
  *cut = (basin_cut){0};
}

basin_status basin__cut_add(basin_cut *cut, basin_ref ref)
{
  BASIN_ASSERT(ref < cut->local_count && !cut->local[ref]);
  BASIN_TRY(basin__grow(cut->context, &cut->marks, &cut->mark_capacity, cut->nodes.count + 1u, 1));
  cut->marks[cut->nodes.count] = 0;
  BASIN_TRY(basin__refs_push(cut->context, &cut->nodes, ref));
  cut->local[ref] = cut->nodes.count;
  return BASIN_OK;
}

bool basin__cut_has(const basin_cut *cut, basin_ref ref)
{
  return ref < cut->local_count && cut->local[ref];
}

basin_status basin__cut_edge(basin_cut *cut, basin_ref from, basin_ref to)
{
  BASIN_TRY(basin__refs_push(cut->context, &cut->edges, cut->local[from] - 1));
  return basin__refs_push(cut->context, &cut->edges, cut->local[to] - 1);
}

void basin__cut_mark(basin_cut *cut, basin_ref ref, uint8_t bits)
{
  cut->marks[cut->local[ref] - 1] |= bits;
}

/* Entry of vertex v: 2 v, exit: 2 v + 1, source and sink behind them. */
static basin_status build_flow(const basin_cut *cut, basin_flow *flow)
{
  uint32_t source = 2 * cut->nodes.count, sink = source + 1;
  for (uint32_t v = 0; v < cut->nodes.count; ++v) {
    BASIN_TRY(basin__flow_edge(flow, 2 * v, 2 * v + 1, 1));
    if (cut->marks[v] & BASIN_CUT_SOURCE)
      BASIN_TRY(basin__flow_edge(flow, source, 2 * v, BASIN_FLOW_UNBOUNDED));
    if (cut->marks[v] & BASIN_CUT_SINK)
      BASIN_TRY(basin__flow_edge(flow, 2 * v + 1, sink, BASIN_FLOW_UNBOUNDED));
  }
  for (uint32_t e = 0; e + 1 < cut->edges.count; e += 2)
    BASIN_TRY(basin__flow_edge(
        flow, 2 * cut->edges.items[e] + 1, 2 * cut->edges.items[e + 1], BASIN_FLOW_UNBOUNDED));
  return BASIN_OK;
}

basin_status basin__cut_solve(basin_cut *cut, basin_refs *result)
{
  basin_flow flow;
  uint32_t source = 2 * cut->nodes.count;
  basin_status status = basin__flow_init(&flow, cut->context, source + 2);
  if (status == BASIN_OK) status = build_flow(cut, &flow);
  if (status == BASIN_OK) (void)basin__flow_solve(&flow, source, source + 1);
  for (uint32_t v = 0; v < cut->nodes.count && status == BASIN_OK; ++v)
    if (basin__flow_on_sink_side(&flow, 2 * v + 1) && !basin__flow_on_sink_side(&flow, 2 * v))
      status = basin__refs_push(cut->context, result, cut->nodes.items[v]);
  basin__flow_fini(&flow);
  return status;
}
