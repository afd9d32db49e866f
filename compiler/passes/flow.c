/* Maximum flow by blocking flows (Dinic 1970), and the sides of the minimum cut.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/flow.h"

#include <basin/kernel.h>
#include <string.h>

basin_status basin__flow_init(basin_flow *flow, basin_context *context, uint32_t vertex_count)
{
  *flow = (basin_flow){.context = context, .vertex_count = vertex_count};
  size_t count = vertex_count;
  flow->first = basin__alloc(context, 4 * (count + 1) * sizeof flow->first[0]);
  if (!flow->first) return BASIN_ERROR_MEMORY;
  flow->level = flow->first + count;
  flow->queue = flow->level + count;
  flow->cursor = flow->queue + count;
  for (uint32_t v = 0; v < vertex_count; ++v) flow->first[v] = BASIN_NONE;
  return BASIN_OK;
}

void basin__flow_fini(basin_flow *flow)
{
  size_t count = flow->vertex_count;
  basin__free(
      flow->context, flow->first, flow->first ? 4 * (count + 1) * sizeof flow->first[0] : 0);
  basin__free(flow->context, flow->edges, flow->edge_capacity * sizeof flow->edges[0]);
  *flow = (basin_flow){0};
}

basin_status basin__flow_edge(basin_flow *flow, uint32_t from, uint32_t to, uint32_t capacity)
{
  BASIN_TRY(basin__grow(flow->context,
                        &flow->edges,
                        &flow->edge_capacity,
                        flow->edge_count + 2u,
                        sizeof flow->edges[0]));
  uint32_t e = flow->edge_count;
  flow->edges[e] = (basin_flow_edge){.to = to, .next = flow->first[from], .capacity = capacity};
  flow->edges[e + 1] = (basin_flow_edge){.to = from, .next = flow->first[to]};
  flow->first[from] = e;
  flow->first[to] = e + 1;
  flow->edge_count += 2;
  return BASIN_OK;
}

/* Distances from `start` in the residual network, against the edges if `backward`; unreached
 * vertices get BASIN_NONE. */
static void search(basin_flow *flow, uint32_t start, bool backward)
{
  uint32_t head = 0, tail = 0;
  for (uint32_t v = 0; v < flow->vertex_count; ++v) flow->level[v] = BASIN_NONE;
  flow->level[start] = 0;
  flow->queue[tail++] = start;
  while (head < tail) {
    uint32_t v = flow->queue[head++];
    for (uint32_t e = flow->first[v]; e != BASIN_NONE; e = flow->edges[e].next) {
      uint32_t to = flow->edges[e].to;
      bool open = flow->edges[backward ? e ^ 1 : e].capacity > 0;
      if (!open || flow->level[to] != BASIN_NONE) continue;
      flow->level[to] = flow->level[v] + 1;
      flow->queue[tail++] = to;
    }
  }
}

static void move(basin_flow *flow, uint32_t e, uint32_t amount)
{
  basin_flow_edge *edge = &flow->edges[e], *back = &flow->edges[e ^ 1];
  if (edge->capacity != BASIN_FLOW_UNBOUNDED) edge->capacity -= amount;
  if (back->capacity != BASIN_FLOW_UNBOUNDED) back->capacity += amount;
}

/* One augmenting path along rising levels, kept in `queue` as edges; the amount it carries, 0 if
 * there is none. */
static uint32_t push_path(basin_flow *flow, uint32_t source, uint32_t sink)
{
  uint32_t depth = 0, v = source;
  uint32_t *path = flow->queue;
  while (v != sink) {
    uint32_t e = flow->cursor[v];
    if (e != BASIN_NONE) {
      const basin_flow_edge *edge = &flow->edges[e];
      if (edge->capacity && flow->level[edge->to] == flow->level[v] + 1) {
        path[depth++] = e;
        v = edge->to;
      } else {
        flow->cursor[v] = edge->next;
      }
    } else {
      if (!depth) return 0;
      v = flow->edges[path[--depth] ^ 1].to;
      flow->cursor[v] = flow->edges[flow->cursor[v]].next;
    }
  }
  uint32_t amount = BASIN_FLOW_UNBOUNDED;
  for (uint32_t i = 0; i < depth; ++i)
    if (flow->edges[path[i]].capacity < amount) amount = flow->edges[path[i]].capacity;
  BASIN_ASSERT(amount != BASIN_FLOW_UNBOUNDED);
  for (uint32_t i = 0; i < depth; ++i) move(flow, path[i], amount);
  return amount;
}

uint64_t basin__flow_solve(basin_flow *flow, uint32_t source, uint32_t sink)
{
  uint64_t total = 0;
  for (search(flow, source, false); flow->level[sink] != BASIN_NONE; search(flow, source, false)) {
    memcpy(flow->cursor, flow->first, flow->vertex_count * sizeof flow->first[0]);
    for (uint32_t amount = push_path(flow, source, sink); amount;
         amount = push_path(flow, source, sink))
      total += amount;
  }
  search(flow, sink, true);
  return total;
}

bool basin__flow_on_sink_side(const basin_flow *flow, uint32_t vertex)
{
  return flow->level[vertex] != BASIN_NONE;
}
