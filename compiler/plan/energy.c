/* Plans of energies: three kernels, and a fourth that computes what was hoisted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <stdio.h>

static basin_status fail_at(basin_plan *plan, basin_status status, const char *message)
{
  BASIN_FAIL(plan->context, status, "energy \"%s\" %s", plan->name, message);
  basin__error_where(plan->context,
                     plan->script,
                     plan->line,
                     basin_expression_text(plan->graph, plan->expression, 200));
  return status;
}

static basin_status check_scalar(basin_plan *plan)
{
  unsigned rows, cols;
  basin_expression_shape(plan->graph, plan->expression, &rows, &cols);
  if (rows == 1 && cols == 1) return BASIN_OK;
  char message[96];
  (void)snprintf(message,
                 sizeof message,
                 "must be a scalar for each instance, its shape is %u x %u",
                 rows,
                 cols);
  return fail_at(plan, BASIN_ERROR_SHAPE, message);
}

/* inner: energy, gradient, packed Hessian; outer: local gradient, packed local Hessian. Each stage
 * is a prefix of both. */
typedef struct energy_roots {
  basin_refs inner, outer;
} energy_roots;

static basin_status append(basin_plan *plan, basin_refs *list, const basin_refs *more)
{
  for (uint32_t i = 0; i < more->count; ++i)
    BASIN_TRY(basin__refs_push(plan->context, list, more->items[i]));
  return BASIN_OK;
}

static basin_status add_stages(basin_plan *plan,
                               const basin_pipeline *pipeline,
                               const energy_roots *roots,
                               uint32_t local_size,
                               unsigned block)
{
  uint32_t n = pipeline->frontier.count;
  basin_kernel_roots kernel = {.stage = BASIN_STAGE_VALUE,
                               .suffix = "value",
                               .inner = roots->inner.items,
                               .inner_count = 1,
                               .block = block};
  BASIN_TRY(basin__plan_add_kernel(plan, &kernel));
  kernel.stage = BASIN_STAGE_GRADIENT;
  kernel.suffix = "gradient";
  kernel.inner_count = 1 + n;
  kernel.outer = roots->outer.items;
  kernel.outer_count = local_size;
  kernel.local_size = local_size;
  kernel.inner_size = n;
  BASIN_TRY(basin__plan_add_kernel(plan, &kernel));
  kernel.stage = BASIN_STAGE_HESSIAN;
  kernel.suffix = "hessian";
  kernel.inner_count = roots->inner.count;
  kernel.outer_count = roots->outer.count;
  BASIN_TRY(basin__plan_add_kernel(plan, &kernel));
  if (!pipeline->hoisted.count) return BASIN_OK;
  basin_kernel_roots constants = {.stage = BASIN_STAGE_COMPUTE,
                                  .suffix = "constants",
                                  .inner = pipeline->hoisted.items,
                                  .inner_count = pipeline->hoisted.count,
                                  .block = 1};
  return basin__plan_add_kernel(plan, &constants);
}

static basin_status
add_kernels(basin_plan *plan, basin_pipeline *pipeline, uint32_t local_size, unsigned block)
{
  energy_roots roots = {0};
  basin_status status = basin__refs_push(plan->context, &roots.inner, pipeline->root);
  if (status == BASIN_OK) status = append(plan, &roots.inner, &pipeline->inner_gradient);
  if (status == BASIN_OK) status = append(plan, &roots.inner, &pipeline->inner_hessian);
  if (status == BASIN_OK) status = append(plan, &roots.outer, &pipeline->local_gradient);
  if (status == BASIN_OK) status = append(plan, &roots.outer, &pipeline->local_hessian);
  if (status == BASIN_OK) status = add_stages(plan, pipeline, &roots, local_size, block);
  basin__refs_fini(plan->context, &roots.inner);
  basin__refs_fini(plan->context, &roots.outer);
  return status;
}

/* Is every entry of the inner Hessian free of unknowns? Diagonal with literal entries >= 0: convex
 * whatever the data. */
static basin_status classify(basin_plan *plan, basin_pipeline *pipeline)
{
  uint32_t n = pipeline->frontier.count;
  plan->info.constant_hessian = true;
  plan->info.convex_proven = true;
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = i; j < n; ++j) {
      basin_ref entry = pipeline->inner_hessian.items[basin__packed(n, i, j)];
      bool depends;
      double value;
      BASIN_TRY(basin__depends(&pipeline->analysis, entry, &depends));
      if (depends) plan->info.constant_hessian = false;
      bool zero = basin__is_zero(plan->graph, entry);
      bool literal = basin__is_const(plan->graph, entry, &value);
      if (!(zero || (i == j && literal && value >= 0))) plan->info.convex_proven = false;
    }
  basin_refs read = {0};
  basin_status status = append(plan, &read, &pipeline->inner_hessian);
  if (status == BASIN_OK) status = append(plan, &read, &pipeline->local_hessian);
  if (status == BASIN_OK)
    status = basin__plan_arrays(
        plan, read.items, read.count, &plan->info.hessian_arrays, &plan->info.hessian_array_count);
  basin__refs_fini(plan->context, &read);
  return status;
}

/* Keeps what explain and dump show. */
static basin_status keep_stages(basin_plan *plan, const basin_pipeline *pipeline)
{
  uint32_t count;
  const basin_pass *passes = basin__pipeline_passes(&count);
  for (uint32_t i = 0; i < count; ++i) {
    const basin_refs *roots = passes[i].roots(pipeline);
    BASIN_TRY(basin__plan_copy(
        plan, roots->items, roots->count * sizeof roots->items[0], &plan->stages[i].items));
    plan->stages[i].count = roots->count;
    plan->seconds[i] = pipeline->seconds[i];
  }
  plan->root = pipeline->root;
  return BASIN_OK;
}

/* An energy in which the targets cancel is one with derivative zero; one that names none of them is
 * a mistake. */
static basin_status check_targets(basin_plan *plan, const basin_energy_request *request)
{
  size_t count;
  const basin_array_id *read = basin_expression_arrays(plan->graph, request->expression, &count);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < request->unknowns.output_count; ++k)
      if (read[i] == request->unknowns.outputs[k]) return BASIN_OK;
  return fail_at(plan, BASIN_ERROR_ARGUMENT, "depends on none of the minimization targets");
}

static basin_status compile(basin_plan *plan,
                            const basin_energy_request *request,
                            basin_pipeline *pipeline,
                            unsigned block)
{
  basin_unknown_access *unknowns;
  size_t count;
  uint32_t local_size;
  basin_refs loads = {0};
  basin_roles roles = {0};
  basin_access stand_in = {.array = BASIN_NONE};
  pipeline->stand_in = basin__access_intern(plan->graph, &stand_in);
  stand_in.step_count = 1; /* as unknowns.c tells them apart */
  pipeline->multiplier = basin__access_intern(plan->graph, &stand_in);
  if (pipeline->stand_in == BASIN_NONE || pipeline->multiplier == BASIN_NONE)
    return BASIN_ERROR_MEMORY;
  basin_status status = basin__roles_init(&roles, plan->graph, &request->unknowns);
  if (status == BASIN_OK)
    status = basin__list_unknowns(plan,
                                  &roles,
                                  &pipeline->root,
                                  1,
                                  request->unknowns.outputs,
                                  request->unknowns.output_count,
                                  &block,
                                  &unknowns,
                                  &count,
                                  &local_size);
  if (status == BASIN_OK && !local_size) status = check_targets(plan, request);
  if (status == BASIN_OK) status = basin__unknown_loads(plan, unknowns, count, block, &loads);
  if (status == BASIN_OK) {
    basin__analysis_init(&pipeline->analysis, plan->graph, roles.roles, roles.count);
    pipeline->unknowns = loads.items;
    pipeline->unknown_count = loads.count;
    status = basin__pipeline_run(pipeline);
  }
  if (status == BASIN_OK) {
    plan->info.unknowns = unknowns;
    plan->info.unknown_count = count;
    plan->info.inner_size = pipeline->frontier.count;
    plan->info.hoisted_size = pipeline->hoisted.count;
    status = add_kernels(plan, pipeline, local_size, block);
  }
  if (status == BASIN_OK) status = classify(plan, pipeline);
  if (status == BASIN_OK) status = keep_stages(plan, pipeline);
  basin__roles_fini(&roles);
  basin__refs_fini(plan->context, &loads);
  return status;
}

basin_status
basin_plan_energy(basin_graph *graph, const basin_energy_request *request, basin_plan **result)
{
  *result = NULL;
  basin_plan *plan;
  BASIN_TRY(basin__plan_create(graph, request->expression, request->name, &plan));
  plan->project_unknowns = request->project_unknowns;
  basin_pipeline pipeline = {.graph = graph,
                             .context = plan->context,
                             .expression = request->expression,
                             .project_unknowns = request->project_unknowns,
                             .hoist = request->hoist,
                             .hoisted_array = request->hoisted_array};
  unsigned block = request->unknowns.block ? request->unknowns.block : 1;
  basin_status status = check_scalar(plan);
  if (status == BASIN_OK) status = basin__lower(graph, request->expression, &pipeline.root);
  if (status == BASIN_OK) status = compile(plan, request, &pipeline, block);
  basin__pipeline_fini(&pipeline);
  if (status != BASIN_OK) {
    basin_plan_destroy(plan);
    return status;
  }
  *result = plan;
  return BASIN_OK;
}
