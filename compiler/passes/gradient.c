/* Reverse-mode differentiation of a scalar node with respect to the inner variables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/pass.h"

#include <string.h>

basin_status basin__gradient_init(basin_gradient *gradient,
                                  basin_analysis *analysis,
                                  const basin_ref *variables,
                                  uint32_t count)
{
  *gradient = (basin_gradient){
      .analysis = analysis,
      .variables = variables,
      .count = count,
      .number_count = basin__graph_count(analysis->graph) + 1,
  };
  gradient->number_of =
      basin__calloc(analysis->context, gradient->number_count, sizeof gradient->number_of[0]);
  if (!gradient->number_of) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < count; ++i) gradient->number_of[variables[i]] = i + 1;
  return BASIN_OK;
}

void basin__gradient_fini(basin_gradient *gradient)
{
  if (!gradient->analysis) return;
  basin_context *context = gradient->analysis->context;
  basin__free(context, gradient->number_of, gradient->number_count * sizeof gradient->number_of[0]);
  basin__refs_fini(context, &gradient->hubs);
  basin__refs_fini(context, &gradient->hub_parts);
  *gradient = (basin_gradient){0};
}

static uint32_t number_of(const basin_gradient *gradient, basin_ref ref)
{
  return ref < gradient->number_count ? gradient->number_of[ref] : 0;
}

/* One reverse sweep: the nodes of the root and their adjoints. */
typedef struct sweep {
  basin_gradient *gradient;
  basin_refs nodes;
  basin_ref *adjoints; /* by reference, 0 = nothing yet */
  uint8_t *inside;     /* by reference: mark for hub tests */
  basin_ref root;
} sweep;

static basin_status accumulate(sweep *pass, basin_ref node, basin_ref term)
{
  basin_graph *graph = pass->gradient->analysis->graph;
  if (!term) return BASIN_ERROR_MEMORY;
  if (basin__is_zero(graph, term)) return BASIN_OK;
  basin_ref *adjoint = &pass->adjoints[node];
  *adjoint = *adjoint ? basin__add(graph, *adjoint, term) : term;
  return *adjoint ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* Number of children that depend on an unknown. */
static basin_status live_children(basin_analysis *analysis, basin_ref ref, uint32_t *count)
{
  uint32_t children = basin__child_count(analysis->graph, ref);
  *count = 0;
  for (uint32_t i = 0; i < children; ++i) {
    bool depends;
    BASIN_TRY(basin__depends(analysis, basin__child(analysis->graph, ref, i), &depends));
    *count += depends;
  }
  return BASIN_OK;
}

/* Do all paths from the root to the descendants of `hub` (variables and constants apart) lead
 * through it? */
static basin_status is_pure(sweep *pass, basin_ref hub, bool *pure)
{
  basin_gradient *gradient = pass->gradient;
  basin_graph *graph = gradient->analysis->graph;
  basin_refs below = {0};
  basin_status status =
      basin__reachable(graph, &hub, 1, gradient->number_of, gradient->number_count, &below);
  for (uint32_t i = 0; i < below.count; ++i) pass->inside[below.items[i]] = 1;
  *pure = true;
  for (uint32_t i = 0; i < pass->nodes.count && *pure && status == BASIN_OK; ++i) {
    basin_ref parent = pass->nodes.items[i];
    if (pass->inside[parent] || number_of(gradient, parent)) continue;
    uint32_t children = basin__child_count(graph, parent);
    for (uint32_t k = 0; k < children && *pure && status == BASIN_OK; ++k) {
      basin_ref child = basin__child(graph, parent, k);
      if (child == hub || !pass->inside[child] || number_of(gradient, child)) continue;
      bool depends;
      status = basin__depends(gradient->analysis, child, &depends);
      *pure = !depends;
    }
  }
  for (uint32_t i = 0; i < below.count; ++i) pass->inside[below.items[i]] = 0;
  basin__refs_fini(gradient->analysis->context, &below);
  return status;
}

static basin_status is_hub(sweep *pass, basin_ref ref, basin_ref adjoint, bool *hub)
{
  basin_analysis *analysis = pass->gradient->analysis;
  *hub = false;
  if (ref == pass->root) return BASIN_OK;
  bool depends;
  BASIN_TRY(basin__depends(analysis, adjoint, &depends));
  if (!depends) return BASIN_OK;
  uint32_t live;
  BASIN_TRY(live_children(analysis, ref, &live));
  return live < 2 ? BASIN_OK : is_pure(pass, ref, hub);
}

/* The hub's own gradient, formed on first use; its position in hub_parts. */
static basin_status hub_parts(basin_gradient *gradient, basin_ref hub, uint32_t *first)
{
  basin_context *context = gradient->analysis->context;
  for (uint32_t i = 0; i < gradient->hubs.count; ++i)
    if (gradient->hubs.items[i] == hub) {
      *first = i * gradient->count;
      return BASIN_OK;
    }
  size_t size = gradient->count * sizeof(basin_ref);
  basin_ref *parts = basin__alloc(context, size);
  if (!parts) return BASIN_ERROR_MEMORY;
  basin_status status = basin__gradient(gradient, hub, parts);
  *first = gradient->hub_parts.count;
  for (uint32_t i = 0; i < gradient->count && status == BASIN_OK; ++i)
    status = basin__refs_push(context, &gradient->hub_parts, parts[i]);
  if (status == BASIN_OK) status = basin__refs_push(context, &gradient->hubs, hub);
  basin__free(context, parts, size);
  return status;
}

static basin_status pass_through_hub(sweep *pass, basin_ref hub, basin_ref adjoint)
{
  basin_gradient *gradient = pass->gradient;
  uint32_t first;
  BASIN_TRY(hub_parts(gradient, hub, &first));
  for (uint32_t i = 0; i < gradient->count; ++i) {
    basin_ref part = gradient->hub_parts.items[first + i];
    if (basin__is_zero(gradient->analysis->graph, part)) continue;
    BASIN_TRY(accumulate(
        pass, gradient->variables[i], basin__mul(gradient->analysis->graph, adjoint, part)));
  }
  return BASIN_OK;
}

static basin_status pass_down(sweep *pass, basin_ref ref, basin_ref adjoint)
{
  basin_analysis *analysis = pass->gradient->analysis;
  uint32_t children = basin__child_count(analysis->graph, ref);
  for (uint32_t i = 0; i < children; ++i) {
    basin_ref child = basin__child(analysis->graph, ref, i);
    bool depends;
    BASIN_TRY(basin__depends(analysis, child, &depends));
    if (!depends) continue;
    basin_ref partial = basin__partial(analysis->graph, ref, i);
    if (!partial) return BASIN_ERROR_MEMORY;
    if (basin__is_zero(analysis->graph, partial)) continue;
    BASIN_TRY(accumulate(pass, child, basin__mul(analysis->graph, adjoint, partial)));
  }
  return BASIN_OK;
}

static basin_status run_sweep(sweep *pass)
{
  basin_gradient *gradient = pass->gradient;
  pass->adjoints[pass->root] = basin__const(gradient->analysis->graph, 1.0);
  if (!pass->adjoints[pass->root]) return BASIN_ERROR_MEMORY;
  for (uint32_t i = pass->nodes.count; i-- > 0;) {
    basin_ref ref = pass->nodes.items[i], adjoint = pass->adjoints[ref];
    if (!adjoint || number_of(gradient, ref)) continue;
    bool hub;
    BASIN_TRY(is_hub(pass, ref, adjoint, &hub));
    BASIN_TRY(hub ? pass_through_hub(pass, ref, adjoint) : pass_down(pass, ref, adjoint));
  }
  return BASIN_OK;
}

basin_status basin__gradient(basin_gradient *gradient, basin_ref root, basin_ref *out)
{
  basin_analysis *analysis = gradient->analysis;
  sweep pass = {.gradient = gradient, .root = root};
  size_t size = (size_t)root + 1;
  pass.adjoints = basin__calloc(analysis->context, size, sizeof pass.adjoints[0]);
  pass.inside = basin__calloc(analysis->context, size, 1);
  basin_status status = pass.adjoints && pass.inside ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK)
    status = basin__reachable(
        analysis->graph, &root, 1, gradient->number_of, gradient->number_count, &pass.nodes);
  if (status == BASIN_OK) status = run_sweep(&pass);
  for (uint32_t i = 0; i < gradient->count && status == BASIN_OK; ++i) {
    basin_ref variable = gradient->variables[i];
    out[i] = variable < size ? pass.adjoints[variable] : 0;
    if (!out[i]) out[i] = basin__const(analysis->graph, 0.0);
    if (!out[i]) status = BASIN_ERROR_MEMORY;
  }
  basin__free(analysis->context, pass.adjoints, size * sizeof pass.adjoints[0]);
  basin__free(analysis->context, pass.inside, size);
  basin__refs_fini(analysis->context, &pass.nodes);
  return status;
}
