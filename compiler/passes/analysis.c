/* Dependence on unknowns and affinity of scalar nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/pass.h"

#include <string.h>

void basin__analysis_init(basin_analysis *analysis,
                          basin_graph *graph,
                          const uint8_t *roles,
                          uint32_t role_count)
{
  *analysis = (basin_analysis){.graph = graph,
                               .context = basin__graph_context(graph),
                               .roles = roles,
                               .role_count = role_count,
                               .depends_count = 1};
}

void basin__analysis_fini(basin_analysis *analysis)
{
  basin__free(analysis->context, analysis->depends, analysis->depends_capacity);
  basin__free(analysis->context, analysis->kinds, analysis->kinds_capacity);
  *analysis = (basin_analysis){0};
}

static bool reads_unknown(const basin_analysis *analysis, const basin_node *node)
{
  return node->a < analysis->role_count && analysis->roles[node->a] != BASIN_ACCESS_CONSTANT;
}

/* Extends the dependence table to `ref`: children precede parents, so one ascending sweep does. */
static basin_status extend(basin_analysis *analysis, basin_ref ref)
{
  BASIN_TRY(basin__grow(
      analysis->context, &analysis->depends, &analysis->depends_capacity, (size_t)ref + 1, 1));
  for (; analysis->depends_count <= ref; ++analysis->depends_count) {
    basin_ref current = analysis->depends_count;
    const basin_node *node = basin__node(analysis->graph, current);
    uint8_t depends = node->op == BASIN_OP_LOAD && reads_unknown(analysis, node);
    uint32_t children = basin__child_count(analysis->graph, current);
    for (uint32_t i = 0; i < children && !depends; ++i)
      depends = analysis->depends[basin__child(analysis->graph, current, i)];
    analysis->depends[current] = depends;
  }
  return BASIN_OK;
}

basin_status basin__depends(basin_analysis *analysis, basin_ref ref, bool *depends)
{
  if (ref >= analysis->depends_count) BASIN_TRY(extend(analysis, ref));
  *depends = analysis->depends[ref];
  return BASIN_OK;
}

/* The kind from the kinds of the children, which are known. */
static basin_status kind_of(basin_analysis *analysis, basin_ref ref, basin_kind *kind)
{
  basin_graph *graph = analysis->graph;
  bool depends;
  BASIN_TRY(basin__depends(analysis, ref, &depends));
  *kind = BASIN_KIND_CONSTANT;
  if (!depends) return BASIN_OK;
  *kind = BASIN_KIND_AFFINE;
  uint32_t children = basin__child_count(graph, ref);
  if (basin__node(graph, ref)->op == BASIN_OP_CUSTOM) *kind = BASIN_KIND_NONLINEAR;
  for (uint32_t i = 0; i < children && *kind == BASIN_KIND_AFFINE; ++i) {
    basin_ref child = basin__child(graph, ref, i);
    BASIN_TRY(basin__depends(analysis, child, &depends));
    if (!depends) continue;
    basin_ref partial = basin__partial(graph, ref, i);
    if (!partial) return BASIN_ERROR_MEMORY;
    BASIN_TRY(basin__depends(analysis, partial, &depends));
    bool dead =
        basin__is_zero(graph, partial); /* a condition, a sign: piecewise constant in the child */
    if (depends || dead || analysis->kinds[child] == BASIN_KIND_NONLINEAR)
      *kind = BASIN_KIND_NONLINEAR;
  }
  return BASIN_OK;
}

basin_status basin__kind(basin_analysis *analysis, basin_ref ref, basin_kind *kind)
{
  if (ref < analysis->kinds_capacity && analysis->kinds[ref] != BASIN_KIND_UNKNOWN_YET) {
    *kind = (basin_kind)analysis->kinds[ref];
    return BASIN_OK;
  }
  size_t before = analysis->kinds_capacity;
  BASIN_TRY(basin__grow(
      analysis->context, &analysis->kinds, &analysis->kinds_capacity, (size_t)ref + 1, 1));
  if (analysis->kinds_capacity > before)
    memset(analysis->kinds + before, 0, analysis->kinds_capacity - before);
  basin_refs refs = {0};
  basin_status status = basin__reachable(analysis->graph, &ref, 1, NULL, 0, &refs);
  for (uint32_t i = 0; i < refs.count && status == BASIN_OK; ++i) {
    basin_ref current = refs.items[i];
    if (analysis->kinds[current] != BASIN_KIND_UNKNOWN_YET) continue;
    basin_kind found = BASIN_KIND_UNKNOWN_YET;
    status = kind_of(analysis, current, &found);
    analysis->kinds[current] = (uint8_t)found;
  }
  basin__refs_fini(analysis->context, &refs);
  if (status != BASIN_OK) return status;
  *kind = (basin_kind)analysis->kinds[ref];
  return BASIN_OK;
}
