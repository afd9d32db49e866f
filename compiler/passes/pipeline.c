/* The list of passes from an energy expression to local derivatives, and the driver that times and
 * checks them. SPDX-License-Identifier: Apache-2.0 */
#include "passes/pipeline.h"

#include "graph/verify.h"
#include "passes/waist.h"

/* Declares the array that the hoisted values will be read from. */
static basin_status run_hoist(basin_pipeline *pipeline)
{
  if (!pipeline->hoist) return BASIN_OK;
  BASIN_TRY(basin__hoist(
      &pipeline->analysis, pipeline->hoisted_array, &pipeline->root, &pipeline->hoisted));
  if (!pipeline->hoisted.count) return BASIN_OK;
  return basin_graph_declare_array(pipeline->graph,
                                   pipeline->hoisted_array,
                                   basin_expression_owner(pipeline->graph, pipeline->expression),
                                   pipeline->hoisted.count,
                                   1,
                                   BASIN_ARRAY_CONSTANT,
                                   "constants");
}

/* The root over stand-ins for the frontier, so that no derivative rule looks below it. */
static basin_status run_frontier(basin_pipeline *pipeline)
{
  BASIN_TRY(basin__frontier(
      &pipeline->analysis, pipeline->root, pipeline->project_unknowns, &pipeline->frontier));
  uint32_t n = pipeline->frontier.count;
  BASIN_TRY(basin__refs_resize(pipeline->context, &pipeline->variables, n));
  for (uint32_t i = 0; i < n; ++i) {
    pipeline->variables.items[i] = basin__load(pipeline->graph, pipeline->stand_in, i);
    if (!pipeline->variables.items[i]) return BASIN_ERROR_MEMORY;
  }
  BASIN_TRY(basin__substitute(pipeline->graph,
                              &pipeline->root,
                              1,
                              pipeline->frontier.items,
                              pipeline->variables.items,
                              n,
                              &pipeline->inner_root));
  return basin__gradient_init(
      &pipeline->gradient, &pipeline->analysis, pipeline->variables.items, n);
}

static basin_status run_gradient(basin_pipeline *pipeline)
{
  BASIN_TRY(
      basin__refs_resize(pipeline->context, &pipeline->inner_gradient, pipeline->frontier.count));
  return basin__gradient(&pipeline->gradient, pipeline->inner_root, pipeline->inner_gradient.items);
}

static basin_status run_hessian(basin_pipeline *pipeline)
{
  size_t n = pipeline->frontier.count;
  BASIN_TRY(basin__refs_resize(pipeline->context, &pipeline->inner_hessian, n * (n + 1) / 2));
  return basin__hessian(
      &pipeline->gradient, pipeline->inner_gradient.items, pipeline->inner_hessian.items);
}

/* Cost of energy, gradient and Hessian together. */
static basin_status cost_of(basin_pipeline *pipeline,
                            const basin_refs *gradient,
                            const basin_refs *hessian,
                            uint64_t *cost)
{
  basin_refs roots = {0};
  basin_status status = basin__refs_push(pipeline->context, &roots, pipeline->inner_root);
  for (uint32_t i = 0; i < gradient->count && status == BASIN_OK; ++i)
    status = basin__refs_push(pipeline->context, &roots, gradient->items[i]);
  for (uint32_t i = 0; i < hessian->count && status == BASIN_OK; ++i)
    status = basin__refs_push(pipeline->context, &roots, hessian->items[i]);
  if (status == BASIN_OK) status = basin__cost(pipeline->graph, roots.items, roots.count, cost);
  basin__refs_fini(pipeline->context, &roots);
  return status;
}

static void swap(basin_refs *a, basin_refs *b)
{
  basin_refs c = *a;
  *a = *b;
  *b = c;
}

/* Takes the route through the waist where it is cheaper. */
static basin_status try_waist(basin_pipeline *pipeline, basin_refs *gradient, basin_refs *hessian)
{
  uint32_t n = pipeline->frontier.count;
  bool found;
  uint64_t straight, through;
  basin_waist_request request = {.root = pipeline->inner_root,
                                 .variables = pipeline->variables.items,
                                 .count = n,
                                 .stand_in = pipeline->stand_in,
                                 .multiplier = pipeline->multiplier};
  BASIN_TRY(basin__refs_resize(pipeline->context, gradient, n));
  BASIN_TRY(basin__refs_resize(pipeline->context, hessian, (size_t)n * (n + 1) / 2));
  BASIN_TRY(basin__waist(&pipeline->analysis, &request, gradient->items, hessian->items, &found));
  if (!found) return BASIN_OK;
  BASIN_TRY(cost_of(pipeline, &pipeline->inner_gradient, &pipeline->inner_hessian, &straight));
  BASIN_TRY(cost_of(pipeline, gradient, hessian, &through));
  if (through < straight) {
    swap(&pipeline->inner_gradient, gradient);
    swap(&pipeline->inner_hessian, hessian);
  }
  return BASIN_OK;
}

static basin_status put_back(basin_pipeline *pipeline, basin_refs *roots)
{
  return basin__substitute(pipeline->graph,
                           roots->items,
                           roots->count,
                           pipeline->variables.items,
                           pipeline->frontier.items,
                           pipeline->frontier.count,
                           roots->items);
}

static basin_status run_waist(basin_pipeline *pipeline)
{
  basin_refs gradient = {0}, hessian = {0};
  basin_status status = try_waist(pipeline, &gradient, &hessian);
  basin__refs_fini(pipeline->context, &gradient);
  basin__refs_fini(pipeline->context, &hessian);
  BASIN_TRY(status);
  BASIN_TRY(put_back(pipeline, &pipeline->inner_gradient));
  return put_back(pipeline, &pipeline->inner_hessian);
}

static basin_status run_map_out(basin_pipeline *pipeline)
{
  size_t n = pipeline->unknown_count;
  BASIN_TRY(basin__refs_resize(pipeline->context, &pipeline->local_gradient, n));
  BASIN_TRY(basin__refs_resize(pipeline->context, &pipeline->local_hessian, n * (n + 1) / 2));
  basin_map_out map = {.frontier = pipeline->frontier.items,
                       .inner_count = pipeline->frontier.count,
                       .inner_hessian = pipeline->inner_hessian.items,
                       .unknowns = pipeline->unknowns,
                       .unknown_count = pipeline->unknown_count};
  return basin__map_out(
      &pipeline->analysis, &map, pipeline->local_gradient.items, pipeline->local_hessian.items);
}

static const basin_refs *hoisted_roots(const basin_pipeline *pipeline)
{
  return &pipeline->hoisted;
}

static const basin_refs *frontier_roots(const basin_pipeline *pipeline)
{
  return &pipeline->frontier;
}

static const basin_refs *gradient_roots(const basin_pipeline *pipeline)
{
  return &pipeline->inner_gradient;
}

static const basin_refs *hessian_roots(const basin_pipeline *pipeline)
{
  return &pipeline->inner_hessian;
}

static const basin_refs *map_out_roots(const basin_pipeline *pipeline)
{
  return &pipeline->local_hessian;
}

static const basin_pass passes[] = {
    {"hoist", run_hoist, hoisted_roots},
    {"frontier", run_frontier, frontier_roots},
    {"gradient", run_gradient, gradient_roots},
    {"hessian", run_hessian, hessian_roots},
    {"waist", run_waist, hessian_roots},
    {"map_out", run_map_out, map_out_roots},
};
_Static_assert(BASIN_COUNT(passes) <= BASIN_PASS_LIMIT, "room for the times of every pass");

const basin_pass *basin__pipeline_passes(uint32_t *count)
{
  *count = BASIN_COUNT(passes);
  return passes;
}

basin_status basin__pipeline_run(basin_pipeline *pipeline)
{
  for (uint32_t i = 0; i < BASIN_COUNT(passes); ++i) {
    double start = basin__seconds();
    basin_status status = passes[i].run(pipeline);
    pipeline->seconds[i] = basin__seconds() - start;
    if (status == BASIN_ERROR_MEMORY && !basin_error_last(pipeline->context)->code)
      return BASIN_FAIL(pipeline->context, status, "out of memory in pass %s", passes[i].name);
    if (status != BASIN_OK) return status;
    BASIN_TRY(basin__graph_verify(pipeline->graph));
    basin__log(pipeline->context,
               BASIN_LOG_TRACE,
               "pass %s: %.3f ms, %u nodes in the graph",
               passes[i].name,
               pipeline->seconds[i] * 1e3,
               basin__graph_count(pipeline->graph));
  }
  return BASIN_OK;
}

void basin__pipeline_fini(basin_pipeline *pipeline)
{
  basin_context *context = pipeline->context;
  basin__gradient_fini(&pipeline->gradient);
  basin__analysis_fini(&pipeline->analysis);
  basin__refs_fini(context, &pipeline->hoisted);
  basin__refs_fini(context, &pipeline->frontier);
  basin__refs_fini(context, &pipeline->variables);
  basin__refs_fini(context, &pipeline->inner_gradient);
  basin__refs_fini(context, &pipeline->inner_hessian);
  basin__refs_fini(context, &pipeline->local_gradient);
  basin__refs_fini(context, &pipeline->local_hessian);
}
