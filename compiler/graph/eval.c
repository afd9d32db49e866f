/* The oracle: values of scalar nodes by their rows in ops.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/eval.h"
#include "graph/graph.h"
#include "graph/small_matrix.h"
#include <math.h>

static double list_value(const basin_graph *graph, const basin_node *node, const double *values)
{
  const uint32_t *list = graph->lists + node->a;
  if (node->op == BASIN_OP_CUSTOM) return values[list[0]];
  double input[BASIN_SMALL_MATRIX_MAX_INPUTS], output[BASIN_SMALL_MATRIX_MAX_OUTPUTS];
  for (uint32_t i = 0; i < node->b; i++) input[i] = values[list[i]];
  basin__small_matrix((basin_op)node->op, input, output);
  return output[node->c];
}

static double node_value(const basin_graph *graph,
                         basin_ref ref,
                         const basin_eval_source *source,
                         const double *values)
{
  const basin_node *node = &graph->nodes[ref];
  const basin_op_info *info = basin__op_info(node->op);
  double value = (double)NAN;
  switch (node->op) {
  case BASIN_OP_CONST:
    basin__is_const(graph, ref, &value);
    return value;
  case BASIN_OP_LOAD:
    return source->load ? source->load(source->user, basin__access(graph, node->a), node->b)
                        : value;
  case BASIN_OP_INNER:
    return source->inner ? source->inner(source->user, node->a) : value;
  default:
    break;
  }
  if (info->flags & BASIN_OP_LIST) return list_value(graph, node, values);
  return basin__op_value((basin_op)node->op, values[node->a], values[node->b], values[node->c]);
}

basin_status basin__evaluate(const basin_graph *graph,
                             const basin_ref *roots,
                             uint32_t count,
                             const basin_eval_source *source,
                             double *values)
{
  basin_ref last = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!roots[i] || roots[i] > basin__graph_count(graph) ||
        (basin__op_info(graph->nodes[roots[i]].op)->flags & BASIN_OP_MATRIX))
      return BASIN_FAIL(graph->context, BASIN_ERROR_ARGUMENT, "root %u is no scalar node", i);
    if (roots[i] > last) last = roots[i];
  }
  size_t size = (size_t)last + 1;
  double *all = basin__calloc(graph->context, size, sizeof *all);
  uint8_t *wanted = all ? basin__calloc(graph->context, size, 1) : NULL;
  if (!wanted) {
    basin__free(graph->context, all, size * sizeof *all);
    return BASIN_ERROR_MEMORY;
  }
  for (uint32_t i = 0; i < count; i++) wanted[roots[i]] = 1;
  for (basin_ref ref = last; ref > 0; ref--) {
    if (!wanted[ref]) continue;
    for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++)
      wanted[basin__child(graph, ref, i)] = 1;
  }
  for (basin_ref ref = 1; ref <= last; ref++)
    if (wanted[ref]) all[ref] = node_value(graph, ref, source, all);
  for (uint32_t i = 0; i < count; i++) values[i] = all[roots[i]];
  basin__free(graph->context, wanted, size);
  basin__free(graph->context, all, size * sizeof *all);
  return BASIN_OK;
}

basin_status basin__evaluate_expression(basin_graph *graph,
                                        basin_ref expression,
                                        const basin_eval_source *source,
                                        double *values)
{
  uint32_t count = (uint32_t)graph->nodes[expression].rows * graph->nodes[expression].cols;
  basin_ref *roots = basin__alloc(graph->context, count * sizeof *roots);
  if (!roots) return BASIN_ERROR_MEMORY;
  basin_status status = basin__lower(graph, expression, roots);
  if (!status) status = basin__evaluate(graph, roots, count, source, values);
  basin__free(graph->context, roots, count * sizeof *roots);
  return status;
}
