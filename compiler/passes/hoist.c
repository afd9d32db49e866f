/* Subexpressions of per-element constants (rest-shape inverses, volumes) move into an array that is
 * computed once. SPDX-License-Identifier: Apache-2.0 */
#include "graph/ops.h"
#include "passes/vertex_cut.h"

/* An expression below this cost is cheaper to repeat than to load. */
enum { MINIMUM_COST = 6, LOAD_COST = 2 };

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

static bool is_boolean(const hoist *h, basin_ref ref)
{
  return basin__op_info(basin__node(h->graph, ref)->op)->flags & BASIN_OP_BOOLEAN;
}

/* Vertices: per-element constants that are numbers. Sinks: those that something not constant (or
 * the root) reads. */
static basin_status build_network(hoist *h, basin_ref root, basin_cut *cut)
{
  for (uint32_t i = 0; i < h->all.count; ++i) {
    basin_ref ref = h->all.items[i];
    if (!h->per_item[ref]) continue;
    BASIN_TRY(basin__cut_add(cut, ref));
    if (basin__node(h->graph, ref)->op == BASIN_OP_LOAD)
      basin__cut_mark(cut, ref, BASIN_CUT_SOURCE);
  }
  for (uint32_t i = 0; i < h->all.count; ++i) {
    basin_ref parent = h->all.items[i];
    uint32_t children = basin__child_count(h->graph, parent);
    for (uint32_t k = 0; k < children; ++k) {
      basin_ref child = basin__child(h->graph, parent, k);
      if (!h->per_item[child]) continue;
      if (h->per_item[parent])
        BASIN_TRY(basin__cut_edge(cut, child, parent));
      else
        basin__cut_mark(cut, child, BASIN_CUT_SINK);
    }
  }
  if (basin__cut_has(cut, root)) basin__cut_mark(cut, root, BASIN_CUT_SINK);
  return BASIN_OK;
}

/* Cost of computing `ref` from scratch, loads included. */
static basin_status cost_of(const hoist *h, basin_ref ref, int *cost)
{
  basin_refs below = {0};
  basin_status status = basin__reachable(h->graph, &ref, 1, NULL, 0, &below);
  *cost = 0;
  for (uint32_t i = 0; i < below.count && status == BASIN_OK; ++i) {
    const basin_node *node = basin__node(h->graph, below.items[i]);
    if (node->op != BASIN_OP_LOAD)
      *cost += basin__op_info(node->op)->cost;
    else
      *cost += basin__access(h->graph, node->a)->step_count ? LOAD_COST + 1 : LOAD_COST;
  }
  basin__refs_fini(h->analysis->context, &below);
  return status;
}

static basin_status choose(hoist *h, const basin_refs *cut, basin_refs *hoisted)
{
  for (uint32_t i = 0; i < cut->count; ++i) {
    basin_ref ref = cut->items[i];
    if (basin__node(h->graph, ref)->op == BASIN_OP_LOAD || is_boolean(h, ref)) continue;
    int cost;
    BASIN_TRY(cost_of(h, ref, &cost));
    if (cost >= MINIMUM_COST + LOAD_COST)
      BASIN_TRY(basin__refs_push(h->analysis->context, hoisted, ref));
  }
  return BASIN_OK;
}

static basin_status find(hoist *h, basin_ref root, basin_refs *hoisted)
{
  BASIN_TRY(basin__reachable(h->graph, &root, 1, NULL, 0, &h->all));
  BASIN_TRY(mark_per_item(h));
  basin_cut cut;
  basin_refs chosen = {0};
  basin_status status = basin__cut_init(&cut, h->analysis->context, (size_t)root + 1);
  if (status == BASIN_OK) status = build_network(h, root, &cut);
  if (status == BASIN_OK) status = basin__cut_solve(&cut, &chosen);
  if (status == BASIN_OK) status = choose(h, &chosen, hoisted);
  basin__cut_fini(&cut);
  basin__refs_fini(h->analysis->context, &chosen);
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
  if (status == BASIN_OK && hoisted->count) status = replace(&h, array, hoisted, root);
  basin__free(analysis->context, h.per_item, h.per_item ? h.size : 0);
  basin__refs_fini(analysis->context, &h.all);
  return status;
}
