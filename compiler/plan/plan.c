/* Plans: creation, destruction, reading.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <string.h>

basin_status basin__plan_create(basin_graph *graph,
                                basin_expression expression,
                                const char *name,
                                basin_plan **result)
{
  basin_context *context = basin__graph_context(graph);
  *result = NULL;
  if (!expression || expression > basin__graph_count(graph))
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "the expression is not one of this graph");
  basin_plan *plan = basin__calloc(context, 1, sizeof *plan);
  if (!plan) return BASIN_ERROR_MEMORY;
  plan->context = context;
  plan->graph = graph;
  plan->expression = expression;
  basin__arena_init(&plan->arena, context);
  basin__strbuf_init(&plan->text, context);
  plan->name = basin__arena_strdup(&plan->arena, name && *name ? name : "expression");
  const char *script = basin__origin_script(graph, expression);
  plan->script = script ? basin__arena_strdup(&plan->arena, script) : NULL;
  plan->line = basin__origin_line(graph, expression);
  if (!plan->name || (script && !plan->script)) {
    basin_plan_destroy(plan);
    return BASIN_ERROR_MEMORY;
  }
  plan->info.space = basin_expression_owner(graph, expression);
  *result = plan;
  return BASIN_OK;
}

void basin_plan_destroy(basin_plan *plan)
{
  if (!plan) return;
  basin__strbuf_fini(&plan->text);
  basin__arena_fini(&plan->arena);
  basin__free(plan->context, plan, sizeof *plan);
}

basin_status basin__plan_copy(basin_plan *plan, const void *data, size_t size, void *copy_pointer)
{
  void *copy = basin__arena_alloc(&plan->arena, size ? size : 1);
  if (!copy) return BASIN_ERROR_MEMORY;
  if (size) memcpy(copy, data, size);
  memcpy(copy_pointer, &copy, sizeof copy);
  return BASIN_OK;
}

const basin_plan_info *basin_plan_get_info(const basin_plan *plan)
{
  return &plan->info;
}

const basin_kernel_program *basin__plan_program(const basin_plan *plan, basin_stage stage)
{
  return (unsigned)stage < BASIN_STAGE_COUNT ? plan->kernels[stage] : NULL;
}

const basin_kernel_info *basin_plan_kernel(const basin_plan *plan, basin_stage stage)
{
  const basin_kernel_program *program = basin__plan_program(plan, stage);
  return program ? &program->info : NULL;
}
