/* Smallest vertex cuts: maximum flow with unit vertex capacities, breadth-first augmenting paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/vertex_cut.h"

#include <string.h>

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
  basin__free(context, cut->edges, cut->edge_capacity * sizeof cut->edges[0]);
  basin__free(context, cut->marks, cut->mark_capacity);
  basin__free(context, cut->queue, cut->queue ? cut->nodes.count * 4 * sizeof cut->queue[0] : 0);
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
  BASIN_TRY(basin__grow(
      cut->context, &cut->edges, &cut->edge_capacity, cut->edge_count + 1u, sizeof cut->edges[0]));
  cut->edges[cut->edge_count++] =
      (basin_cut_edge){.from = cut->local[from] - 1, .to = cut->local[to] - 1};
  return BASIN_OK;
}

void basin__cut_mark(basin_cut *cut, basin_ref ref, uint8_t bits)
{
  cut->marks[cut->local[ref] - 1] |= bits;
}

static void visit(basin_cut *cut, uint32_t state, uint32_t from, uint32_t *tail)
{
  if (cut->previous[state]) return;
  cut->previous[state] = from + 1;
  cut->queue[(*tail)++] = state;
}

/* One search in the residual network; the state reached at a sink, or BASIN_NONE. */
static uint32_t search(basin_cut *cut)
{
  uint32_t head = 0, tail = 0;
  memset(cut->previous, 0, cut->nodes.count * 2 * sizeof cut->previous[0]);
  for (uint32_t v = 0; v < cut->nodes.count; ++v)
    if (cut->marks[v] & BASIN_CUT_SOURCE) visit(cut, 2 * v, BASIN_NONE - 1, &tail);
  while (head < tail) {
    uint32_t state = cut->queue[head++], v = state / 2;
    bool out = state & 1, used = cut->marks[v] & BASIN_CUT_USED;
    if (out && (cut->marks[v] & BASIN_CUT_SINK)) return state;
    if (out == used) visit(cut, state ^ 1, state, &tail);
    for (uint32_t e = 0; e < cut->edge_count; ++e) {
      const basin_cut_edge *edge = &cut->edges[e];
      if (out && edge->from == v) visit(cut, 2 * edge->to, state, &tail);
      if (!out && edge->to == v && edge->flow) visit(cut, 2 * edge->from + 1, state, &tail);
    }
  }
  return BASIN_NONE;
}

static void set_flow(basin_cut *cut, uint32_t from, uint32_t to, bool flow)
{
  for (uint32_t e = 0; e < cut->edge_count; ++e)
    if (cut->edges[e].from == from && cut->edges[e].to == to && cut->edges[e].flow != flow) {
      cut->edges[e].flow = flow;
      return;
    }
}

/* Walks back from the sink and flips the path. */
static void augment(basin_cut *cut, uint32_t state)
{
  while (cut->previous[state] != BASIN_NONE) {
    uint32_t before = cut->previous[state] - 1, v = state / 2;
    if (before / 2 == v && !(before & 1))
      cut->marks[v] |= BASIN_CUT_USED;
    else if (before / 2 == v)
      cut->marks[v] &= (uint8_t)~BASIN_CUT_USED;
    else if (before & 1)
      set_flow(cut, before / 2, v, true);
    else
      set_flow(cut, v, before / 2, false);
    state = before;
  }
}

/* Marks (in `previous`) the states from which a sink can be reached in the residual network. */
static void mark_sink_side(basin_cut *cut)
{
  uint32_t head = 0, tail = 0;
  memset(cut->previous, 0, cut->nodes.count * 2 * sizeof cut->previous[0]);
  for (uint32_t v = 0; v < cut->nodes.count; ++v)
    if (cut->marks[v] & BASIN_CUT_SINK) visit(cut, 2 * v + 1, 0, &tail);
  while (head < tail) {
    uint32_t state = cut->queue[head++], v = state / 2;
    bool out = state & 1, used = cut->marks[v] & BASIN_CUT_USED;
    if (out != used)
      visit(cut, state ^ 1, 0, &tail); /* in to out while unused, out to in once used */
    for (uint32_t e = 0; e < cut->edge_count; ++e) {
      const basin_cut_edge *edge = &cut->edges[e];
      if (out && edge->from == v && edge->flow) visit(cut, 2 * edge->to, 0, &tail);
      if (!out && edge->to == v) visit(cut, 2 * edge->from + 1, 0, &tail);
    }
  }
}

basin_status basin__cut_solve(basin_cut *cut, basin_refs *result)
{
  if (!cut->nodes.count) return BASIN_OK;
  cut->queue = basin__alloc(cut->context, cut->nodes.count * 4 * sizeof cut->queue[0]);
  if (!cut->queue) return BASIN_ERROR_MEMORY;
  cut->previous = cut->queue + cut->nodes.count * 2;
  for (uint32_t state = search(cut); state != BASIN_NONE; state = search(cut)) augment(cut, state);
  mark_sink_side(cut);
  for (uint32_t v = 0; v < cut->nodes.count; ++v)
    if (cut->previous[2 * v + 1] && !cut->previous[2 * v])
      BASIN_TRY(basin__refs_push(cut->context, result, cut->nodes.items[v]));
  return BASIN_OK;
}
