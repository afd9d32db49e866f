/* Forward-mode differentiation along one variable, and the Hessian as tangents of the gradient.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/pass.h"

typedef struct tangent_pass {
  basin_gradient *gradient;
  uint32_t variable;
  basin_ref *tangents; /* by reference, 0 = zero */
} tangent_pass;

/* d ref / d variable by the chain rule over the children. */
static basin_status chain(const tangent_pass *pass, basin_ref ref, basin_ref *tangent)
{
  basin_graph *graph = pass->gradient->analysis->graph;
  uint32_t children = basin__child_count(graph, ref);
  *tangent = 0;
  for (uint32_t i = 0; i < children; ++i) {
    basin_ref inner = pass->tangents[basin__child(graph, ref, i)];
    if (!inner) continue;
    basin_ref partial = basin__partial(graph, ref, i);
    if (!partial) return BASIN_ERROR_MEMORY;
    if (basin__is_zero(graph, partial)) continue;
    basin_ref term = basin__mul(graph, partial, inner);
    if (!term) return BASIN_ERROR_MEMORY;
    if (basin__is_zero(graph, term)) continue;
    *tangent = *tangent ? basin__add(graph, *tangent, term) : term;
    if (!*tangent) return BASIN_ERROR_MEMORY;
  }
  return BASIN_OK;
}

/* The gradient entry of a hub, which is its tangent; 0 if the node is none. */
static basin_ref hub_tangent(const tangent_pass *pass, basin_ref ref)
{
  const basin_gradient *gradient = pass->gradient;
  for (uint32_t i = 0; i < gradient->hubs.count; ++i)
    if (gradient->hubs.items[i] == ref)
      return gradient->hub_parts.items[i * gradient->count + pass->variable];
  return 0;
}

static basin_status node_tangent(tangent_pass *pass, basin_ref ref)
{
  basin_gradient *gradient = pass->gradient;
  basin_analysis *analysis = gradient->analysis;
  uint32_t number = ref < gradient->number_count ? gradient->number_of[ref] : 0;
  basin_ref *tangent = &pass->tangents[ref];
  *tangent = 0;
  if (number) {
    if (number == pass->variable + 1) *tangent = basin__const(analysis->graph, 1.0);
    return BASIN_OK;
  }
  bool depends;
  BASIN_TRY(basin__depends(analysis, ref, &depends));
  if (!depends) return BASIN_OK;
  basin_ref hub = hub_tangent(pass, ref);
  if (!hub) return chain(pass, ref, tangent);
  if (!basin__is_zero(analysis->graph, hub)) *tangent = hub;
  return BASIN_OK;
}

basin_status basin__tangents(basin_gradient *gradient,
                             uint32_t variable,
                             const basin_ref *roots,
                             uint32_t root_count,
                             basin_ref *out)
{
  basin_analysis *analysis = gradient->analysis;
  basin_refs nodes = {0};
  basin_status status = basin__reachable(
      analysis->graph, roots, root_count, gradient->number_of, gradient->number_count, &nodes);
  size_t size = nodes.count ? (size_t)nodes.items[nodes.count - 1] + 1 : 1;
  tangent_pass pass = {.gradient = gradient, .variable = variable};
  if (status == BASIN_OK) {
    pass.tangents = basin__calloc(analysis->context, size, sizeof pass.tangents[0]);
    if (!pass.tangents) status = BASIN_ERROR_MEMORY;
  }
  for (uint32_t i = 0; i < nodes.count && status == BASIN_OK; ++i)
    status = node_tangent(&pass, nodes.items[i]);
  for (uint32_t i = 0; i < root_count && status == BASIN_OK; ++i) {
    basin_ref tangent = pass.tangents[roots[i]];
    out[i] = tangent ? tangent : basin__const(analysis->graph, 0.0);
    if (!out[i]) status = BASIN_ERROR_MEMORY;
  }
  basin__free(analysis->context, pass.tangents, pass.tangents ? size * sizeof pass.tangents[0] : 0);
  basin__refs_fini(analysis->context, &nodes);
  return status;
}

basin_status basin__hessian(basin_gradient *gradient, const basin_ref *parts, basin_ref *out)
{
  uint32_t n = gradient->count;
  basin_context *context = gradient->analysis->context;
  basin_ref *column = basin__alloc(context, (n ? n : 1) * sizeof column[0]);
  if (!column) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (uint32_t j = 0; j < n && status == BASIN_OK; ++j) {
    status = basin__tangents(gradient, j, parts, j + 1, column);
    for (uint32_t i = 0; i <= j && status == BASIN_OK; ++i) out[basin__packed(n, i, j)] = column[i];
  }
  basin__free(context, column, (n ? n : 1) * sizeof column[0]);
  return status;
}

void basin__hessian_components(const basin_graph *graph,
                               const basin_ref *hessian,
                               uint32_t n,
                               uint32_t *names)
{
  for (uint32_t i = 0; i < n; ++i) names[i] = i;
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = i + 1; j < n; ++j) {
      if (basin__is_zero(graph, hessian[basin__packed(n, i, j)])) continue;
      uint32_t from = names[j], to = names[i];
      for (uint32_t k = 0; k < n; ++k)
        if (names[k] == from) names[k] = to;
    }
}
