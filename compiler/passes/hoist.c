/* Subexpressions of per-element constants (rest-shape inverses, volumes) move into an array that is
 * computed once. SPDX-License-Identifier: Apache-2.0 */
#include "graph/ops.h"
#include "passes/flow.h"
#include "passes/pass.h"

/* Rough times in additions of one element, as in ops.def: a value of the element's own instance,
 * and one behind an index. */
enum { OWN_LOAD_COST = 3, INDEXED_LOAD_COST = 5 };

/* Rows of the array: an element with more is left as it is. */
enum { HOISTED_LIMIT = 255 };

/* What is known of the constant nodes below an energy. */
typedef struct hoist {
  basin_analysis *analysis;
  basin_graph *graph;
  basin_refs all;    /* reachable nodes, ascending */
  uint8_t *per_item; /* by reference: constant, reads an array with one instance an element */
  size_t size;
} hoist;

static basin_status mark_per_item(hoist *h)
{
  for (uint32_t i = 0; i < h->all.count; ++i) {
    basin_ref ref = h->all.items[i];
    bool depends;
    BASIN_TRY(basin__depends(h->analysis, ref, &depends));
    if (depends) continue;
    const basin_node *node = basin__node(h->graph, ref);
    uint8_t found = node->op == BASIN_OP_LOAD && !basin__access_shared(h->graph, node->a);
    uint32_t children = basin__child_count(h->graph, ref);
    for (uint32_t k = 0; k < children; ++k)
      found = found || h->per_item[basin__child(h->graph, ref, k)];
    h->per_item[ref] = found;
  }
  return BASIN_OK;
}

/* Loads exist already; truth values cannot be stored. */
static bool is_load(const hoist *h, basin_ref ref)
{
  return basin__node(h->graph, ref)->op == BASIN_OP_LOAD;
}

static bool is_boolean(const hoist *h, basin_ref ref)
{
  return basin__op_info(basin__node(h->graph, ref)->op)->flags & BASIN_OP_BOOLEAN;
}

static uint32_t load_cost(const hoist *h, basin_ref ref)
{
  const basin_node *node = basin__node(h->graph, ref);
  if (!is_load(h, ref)) return OWN_LOAD_COST;
  return basin__access(h->graph, node->a)->step_count ? INDEXED_LOAD_COST : OWN_LOAD_COST;
}

/* The cheapest split into values that are stored (source side) and values that are recomputed (sink
 * side), as a minimum cut. Vertex 2 i: node i is recomputed, at its operator's cost. Vertex 2 i +
 * 1: node i is stored and something recomputed reads it, at the cost of a load. What depends on
 * unknowns is always recomputed. */
static basin_status build_flow(hoist *h, const uint32_t *position, basin_ref root, basin_flow *flow)
{
  uint32_t source = 2 * h->all.count, sink = source + 1;
  for (uint32_t i = 0; i < h->all.count; ++i) {
    basin_ref ref = h->all.items[i];
    if (h->per_item[ref]) {
      uint32_t cost = (uint32_t)basin__op_info(basin__node(h->graph, ref)->op)->cost;
      BASIN_TRY(
          basin__flow_edge(flow, source, 2 * i, is_load(h, ref) ? BASIN_FLOW_UNBOUNDED : cost));
      if (is_boolean(h, ref)) BASIN_TRY(basin__flow_edge(flow, 2 * i, sink, BASIN_FLOW_UNBOUNDED));
      BASIN_TRY(basin__flow_edge(flow, 2 * i, 2 * i + 1, load_cost(h, ref)));
      if (ref == root) BASIN_TRY(basin__flow_edge(flow, 2 * i + 1, sink, BASIN_FLOW_UNBOUNDED));
    }
    uint32_t children = basin__child_count(h->graph, ref);
    for (uint32_t k = 0; k < children; ++k) {
      basin_ref child = basin__child(h->graph, ref, k);
      if (!h->per_item[child]) continue;
      uint32_t reader = h->per_item[ref] ? 2 * i : sink;
      BASIN_TRY(basin__flow_edge(flow, 2 * position[child] + 1, reader, BASIN_FLOW_UNBOUNDED));
    }
  }
  return BASIN_OK;
}

static basin_status choose(hoist *h, const basin_flow *flow, basin_refs *hoisted)
{
  for (uint32_t i = 0; i < h->all.count; ++i) {
    basin_ref ref = h->all.items[i];
    if (!h->per_item[ref] || is_load(h, ref)) continue;
    if (!basin__flow_on_sink_side(flow, 2 * i) && basin__flow_on_sink_side(flow, 2 * i + 1))
      BASIN_TRY(basin__refs_push(h->analysis->context, hoisted, ref));
  }
  return BASIN_OK;
}

static basin_status find(hoist *h, basin_ref root, basin_refs *hoisted)
{
  basin_context *context = h->analysis->context;
  BASIN_TRY(basin__reachable(h->graph, &root, 1, NULL, 0, &h->all));
  BASIN_TRY(mark_per_item(h));
  uint32_t *position = basin__calloc(context, h->size, sizeof position[0]);
  if (!position) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < h->all.count; ++i) position[h->all.items[i]] = i;
  basin_flow flow;
  uint32_t source = 2 * h->all.count;
  basin_status status = basin__flow_init(&flow, context, source + 2);
  if (status == BASIN_OK) status = build_flow(h, position, root, &flow);
  if (status == BASIN_OK) {
    (void)basin__flow_solve(&flow, source, source + 1);
    status = choose(h, &flow, hoisted);
  }
  basin__flow_fini(&flow);
  basin__free(context, position, h->size * sizeof position[0]);
  return status;
}

/* Rebuilds the root over loads of the array in place of the hoisted nodes. */
static basin_status
replace(hoist *h, basin_array_id array, const basin_refs *hoisted, basin_ref *root)
{
  basin_access own = {.array = array};
  basin_refs loads = {0};
  uint32_t access = basin__access_intern(h->graph, &own);
  basin_status status = access == BASIN_NONE ? BASIN_ERROR_MEMORY : BASIN_OK;
  for (uint32_t i = 0; i < hoisted->count && status == BASIN_OK; ++i)
    status = basin__refs_push(h->analysis->context, &loads, basin__load(h->graph, access, i));
  if (status == BASIN_OK)
    status = basin__substitute(h->graph, root, 1, hoisted->items, loads.items, loads.count, root);
  basin__refs_fini(h->analysis->context, &loads);
  return status;
}

basin_status
basin__hoist(basin_analysis *analysis, basin_array_id array, basin_ref *root, basin_refs *hoisted)
{
  hoist h = {.analysis = analysis, .graph = analysis->graph, .size = (size_t)*root + 1};
  hoisted->count = 0;
  h.per_item = basin__calloc(analysis->context, h.size, 1);
  basin_status status = h.per_item ? find(&h, *root, hoisted) : BASIN_ERROR_MEMORY;
  if (hoisted->count > HOISTED_LIMIT) hoisted->count = 0;
  if (status == BASIN_OK && hoisted->count) status = replace(&h, array, hoisted, root);
  basin__free(analysis->context, h.per_item, h.per_item ? h.size : 0);
  basin__refs_fini(analysis->context, &h.all);
  return status;
}
