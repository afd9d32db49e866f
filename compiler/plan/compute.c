/* Plans of expressions that are only evaluated.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

basin_status basin_plan_compute(basin_graph *graph,
                                basin_expression expression,
                                const char *name,
                                basin_plan **result)
{
  *result = NULL;
  basin_plan *plan;
  BASIN_TRY(basin__plan_create(graph, expression, name, &plan));
  unsigned rows, cols;
  basin_expression_shape(graph, expression, &rows, &cols);
  size_t size = (size_t)rows * cols * sizeof(basin_ref);
  basin_ref *roots = basin__alloc(plan->context, size);
  basin_status status = roots ? basin__lower(graph, expression, roots) : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    basin_kernel_roots kernel = {.stage = BASIN_STAGE_COMPUTE,
                                 .suffix = "compute",
                                 .inner = roots,
                                 .inner_count = rows * cols,
                                 .block = 1};
    status = basin__plan_add_kernel(plan, &kernel);
  }
  basin__free(plan->context, roots, roots ? size : 0);
  if (status != BASIN_OK) {
    basin_plan_destroy(plan);
    return status;
  }
  *result = plan;
  return BASIN_OK;
}
