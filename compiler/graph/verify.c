/* The invariants of a graph: what every pass may rely on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/verify.h"
#include "graph/expression.h"
#include "graph/small_matrix.h"
#include <string.h>

#define BROKEN(graph, ref, ...) broken((graph), (ref), BASIN_SITE, __VA_ARGS__)

static basin_status broken(basin_graph *graph, basin_ref ref, const char *site, const char *what)
{
  return basin__fail(graph->context,
                     BASIN_ERROR_INTERNAL,
                     site,
                     "node %u (%s): %s",
                     ref,
                     basin__op_info(graph->nodes[ref].op)->name,
                     what);
}

static bool is_matrix(const basin_graph *graph, basin_ref ref)
{
  return (basin__op_info(graph->nodes[ref].op)->flags & BASIN_OP_MATRIX) != 0;
}

static basin_status check_list(basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  if ((size_t)node->a + node->b > graph->list_count)
    return BROKEN(graph, ref, "its list is outside of the pool");
  if (node->op == BASIN_OP_CUSTOM && node->b % 2 == 0)
    return BROKEN(graph, ref, "needs a value and as many partials as arguments");
  if (basin__op_info(node->op)->flags & BASIN_OP_OUTPUTS) {
    if (node->b != basin__small_matrix_inputs((basin_op)node->op))
      return BROKEN(graph, ref, "wrong number of inputs");
    if (node->c >= basin__small_matrix_outputs((basin_op)node->op))
      return BROKEN(graph, ref, "no such output");
  }
  return BASIN_OK;
}

static basin_status check_children(basin_graph *graph, basin_ref ref)
{
  bool matrix = is_matrix(graph, ref);
  for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++) {
    basin_ref child = basin__child(graph, ref, i);
    if (!child || child >= ref)
      return BROKEN(graph, ref, "a child does not come before its parent");
    if (!matrix && is_matrix(graph, child))
      return BROKEN(graph, ref, "a scalar operator over a matrix");
    if (matrix && !is_matrix(graph, child) && graph->nodes[child].op != BASIN_OP_CONST)
      return BROKEN(graph, ref, "a matrix operator over a scalar that is no literal");
  }
  return BASIN_OK;
}

/* Truth values go where truth values are wanted, numbers elsewhere. */
static basin_status check_types(basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  bool logical = (basin__op_info(node->op)->flags & BASIN_OP_LOGICAL) != 0;
  for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++) {
    bool wanted = logical && (node->op != BASIN_OP_SELECT || i == 0);
    if (basin__is_boolean(graph, basin__child(graph, ref, i)) != wanted)
      return BROKEN(graph,
                    ref,
                    wanted ? "a number where a truth value is wanted"
                           : "a truth value where a number is wanted");
  }
  return BASIN_OK;
}

static basin_status check_scalar(basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  const basin_op_info *info = basin__op_info(node->op);
  if (node->rows != 1 || node->cols != 1) return BROKEN(graph, ref, "a scalar that is not 1 x 1");
  if (node->op == BASIN_OP_LOAD && node->a >= graph->access_count)
    return BROKEN(graph, ref, "no such access");
  if ((node->op == BASIN_OP_CONST || node->op == BASIN_OP_LOAD) && node->c)
    return BROKEN(graph, ref, "unused field is not zero");
  if (info->arity == 1 && (node->b || node->c))
    return BROKEN(graph, ref, "unused field is not zero");
  if (info->arity == 2 && node->c) return BROKEN(graph, ref, "unused field is not zero");
  if ((info->flags & BASIN_OP_COMMUTES) && node->a > node->b)
    return BROKEN(graph, ref, "operands are out of order");
  return check_types(graph, ref);
}

static basin_status check_matrix(basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  const basin_op_info *info = basin__op_info(node->op);
  uint32_t count = basin__child_count(graph, ref), stored = basin__stored_integers(node->op);
  const uint32_t fields[3] = {node->a, node->b, node->c};
  if (node->op == BASIN_OP_M_ARRAY) {
    const basin_graph_array *array = basin__graph_array(graph, node->a);
    if (!array || array->rows != node->rows || array->cols != node->cols)
      return BROKEN(graph, ref, "does not match the declared array");
    return BASIN_OK;
  }
  if (node->op == BASIN_OP_M_JOIN) {
    const basin_graph_connectivity *c = basin__graph_connectivity(graph, node->b);
    unsigned size = basin__size(graph, node->a);
    if (!c || c->arity == 0 ||
        (c->arity > 1 ? node->rows != c->arity || node->cols != size
                      : (unsigned)node->rows * node->cols != size))
      return BROKEN(graph, ref, "does not match the declared connectivity");
    return BASIN_OK;
  }
  basin_call call = {
      graph, (basin_op)node->op, fields, count, {node->rows, node->cols}, node->rows, node->cols};
  if (info->flags & BASIN_OP_LIST)
    call.arguments = graph->lists + node->a;
  else
    for (uint32_t i = 0; i < stored; i++) call.integers[i] = basin__stored_integer(node, i);
  if (basin__call_shape(&call) || call.rows != node->rows || call.cols != node->cols)
    return BROKEN(graph, ref, "has the wrong shape");
  return BASIN_OK;
}

static basin_status check_node(basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  if (node->op >= BASIN_OP_COUNT)
    return BASIN_FAIL(graph->context, BASIN_ERROR_INTERNAL, "node %u has no operator", ref);
  bool list = (basin__op_info(node->op)->flags & BASIN_OP_LIST) != 0;
  if (!node->rows || !node->cols) return BROKEN(graph, ref, "an empty shape");
  if (list) BASIN_TRY(check_list(graph, ref));
  BASIN_TRY(check_children(graph, ref));
  BASIN_TRY(is_matrix(graph, ref) ? check_matrix(graph, ref) : check_scalar(graph, ref));
  if (basin__lookup(graph, node, list ? graph->lists + node->a : NULL) != ref)
    return BROKEN(graph, ref, "has a twin of the same structure");
  return BASIN_OK;
}

basin_status basin__graph_verify(basin_graph *graph)
{
  if (graph->failed)
    return BASIN_FAIL(graph->context, BASIN_ERROR_MEMORY, "out of memory in the expression graph");
  for (size_t i = graph->verified + 1; i < graph->count; i++) {
    BASIN_TRY(check_node(graph, (basin_ref)i));
    graph->verified = i;
  }
  return BASIN_OK;
}
