/* The affine frontier: the fewest affine values through which an energy sees its unknowns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/vertex_cut.h"

static basin_status
add_affine_nodes(basin_analysis *analysis, const basin_refs *all, basin_cut *cut)
{
  for (uint32_t i = 0; i < all->count; ++i) {
    basin_ref ref = all->items[i];
    basin_kind kind;
    BASIN_TRY(basin__kind(analysis, ref, &kind));
    if (kind != BASIN_KIND_AFFINE) continue;
    BASIN_TRY(basin__cut_add(cut, ref));
    if (basin__node(analysis->graph, ref)->op == BASIN_OP_LOAD)
      basin__cut_mark(cut, ref, BASIN_CUT_SOURCE);
  }
  return BASIN_OK;
}

/* Edges from affine children to affine parents; an affine node that a nonlinear one is
 * differentiated by is a sink. */
static basin_status connect(basin_analysis *analysis, basin_ref parent, basin_cut *cut)
{
  basin_graph *graph = analysis->graph;
  uint32_t children = basin__child_count(graph, parent);
  for (uint32_t k = 0; k < children; ++k) {
    basin_ref child = basin__child(graph, parent, k);
    if (!basin__cut_has(cut, child)) continue;
    if (basin__cut_has(cut, parent)) {
      BASIN_TRY(basin__cut_edge(cut, child, parent));
      continue;
    }
    basin_ref partial = basin__partial(graph, parent, k);
    if (!partial) return BASIN_ERROR_MEMORY;
    if (!basin__is_zero(graph, partial)) basin__cut_mark(cut, child, BASIN_CUT_SINK);
  }
  return BASIN_OK;
}

static basin_status
find_cut(basin_analysis *analysis, const basin_refs *all, basin_ref root, basin_refs *frontier)
{
  basin_cut cut;
  basin_status status = basin__cut_init(&cut, analysis->context, (size_t)root + 1);
  if (status == BASIN_OK) status = add_affine_nodes(analysis, all, &cut);
  for (uint32_t i = 0; i < all->count && status == BASIN_OK; ++i)
    status = connect(analysis, all->items[i], &cut);
  if (status == BASIN_OK && basin__cut_has(&cut, root)) basin__cut_mark(&cut, root, BASIN_CUT_SINK);
  if (status == BASIN_OK) status = basin__cut_solve(&cut, frontier);
  basin__cut_fini(&cut);
  return status;
}

static basin_status
unknown_loads(basin_analysis *analysis, const basin_refs *all, basin_refs *frontier)
{
  for (uint32_t i = 0; i < all->count; ++i) {
    bool depends;
    BASIN_TRY(basin__depends(analysis, all->items[i], &depends));
    if (depends && basin__node(analysis->graph, all->items[i])->op == BASIN_OP_LOAD)
      BASIN_TRY(basin__refs_push(analysis->context, frontier, all->items[i]));
  }
  return BASIN_OK;
}

basin_status
basin__frontier(basin_analysis *analysis, basin_ref root, bool separate, basin_refs *frontier)
{
  basin_refs all = {0};
  frontier->count = 0;
  basin_status status = basin__reachable(analysis->graph, &root, 1, NULL, 0, &all);
  if (status == BASIN_OK)
    status = separate ? unknown_loads(analysis, &all, frontier)
                      : find_cut(analysis, &all, root, frontier);
  basin__refs_fini(analysis->context, &all);
  return status;
}
