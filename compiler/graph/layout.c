/* Memory layout of accesses, and rebuilding nodes under a substitution.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/layout.h"
#include "graph/graph.h"

static bool space_shared(const basin_graph *graph, uint32_t id)
{
  const basin_graph_space *space = basin__graph_space(graph, id);
  return space && space->shared;
}

basin_status basin__access_layout(basin_graph *graph,
                                  basin_arena *arena,
                                  const basin_access *access,
                                  basin_access_layout *layout)
{
  const basin_graph_array *array = basin__graph_array(graph, access->array);
  *layout = (basin_access_layout){0};
  if (!array)
    return BASIN_FAIL(graph->context, BASIN_ERROR_STATE, "array %u is not declared", access->array);
  layout->stride = (uint32_t)array->rows * array->cols;
  layout->shared = space_shared(graph, array->space);
  layout->name = basin__arena_strdup(arena, array->name);
  for (uint32_t i = 0; i < access->step_count; ++i) {
    const basin_graph_connectivity *connectivity =
        basin__graph_connectivity(graph, access->steps[i].connectivity);
    if (!connectivity)
      return BASIN_FAIL(graph->context,
                        BASIN_ERROR_STATE,
                        "connectivity %u is not declared",
                        access->steps[i].connectivity);
    layout->arities[i] = connectivity->arity;
  }
  return layout->name ? BASIN_OK : BASIN_ERROR_MEMORY;
}

bool basin__access_shared(const basin_graph *graph, uint32_t access)
{
  const basin_graph_array *array = basin__graph_array(graph, basin__access(graph, access)->array);
  return array && space_shared(graph, array->space);
}

bool basin__array_declaration(const basin_graph *graph,
                              basin_array_id id,
                              unsigned *rows,
                              unsigned *cols,
                              basin_space_id *space,
                              basin_array_role *role)
{
  const basin_graph_array *array = basin__graph_array(graph, id);
  if (!array) return false;
  *rows = array->rows;
  *cols = array->cols;
  *space = array->space;
  *role = array->role;
  return true;
}

const char *basin__array_name(const basin_graph *graph, basin_array_id id)
{
  const basin_graph_array *array = basin__graph_array(graph, id);
  return array ? array->name : "?";
}

const char *basin__space_name(const basin_graph *graph, basin_space_id id)
{
  const basin_graph_space *space = basin__graph_space(graph, id);
  return space ? space->name : "?";
}

const char *basin__connectivity_name(const basin_graph *graph, basin_connectivity_id id)
{
  const basin_graph_connectivity *connectivity = basin__graph_connectivity(graph, id);
  return connectivity ? connectivity->name : "?";
}

uint32_t basin__access_count(const basin_graph *graph)
{
  return (uint32_t)graph->access_count;
}

basin_ref basin__inner(basin_graph *graph, uint32_t number)
{
  basin_node node = {.op = BASIN_OP_INNER, .rows = 1, .cols = 1, .a = number};
  return basin__intern(graph, &node, NULL, BASIN_SPACE_LITERAL);
}

static basin_ref rebuild_list(basin_graph *graph, basin_ref ref, const basin_ref *replaced)
{
  basin_node node = *basin__node(graph, ref);
  basin_ref small[64];
  basin_context *context = graph->context;
  size_t size = node.b * sizeof small[0];
  basin_ref *list = node.b <= BASIN_COUNT(small) ? small : basin__alloc(context, size);
  if (!list) return 0;
  for (uint32_t i = 0; i < node.b; ++i) list[i] = replaced[basin__child(graph, ref, i)];
  basin_ref result =
      basin__list_node(graph, (basin_op)node.op, list, node.b, node.c, node.rows, node.cols);
  if (list != small) basin__free(context, list, size);
  return result;
}

basin_ref basin__rebuild(basin_graph *graph, basin_ref ref, const basin_ref *replaced)
{
  basin_node node = *basin__node(graph, ref);
  const basin_op_info *info = basin__op_info(node.op);
  if (info->flags & BASIN_OP_LEAF) return ref;
  bool same = true;
  uint32_t children = basin__child_count(graph, ref);
  for (uint32_t i = 0; i < children; ++i) {
    basin_ref child = basin__child(graph, ref, i);
    same = same && replaced[child] == child;
  }
  if (same) return ref;
  if (info->flags & BASIN_OP_LIST) return rebuild_list(graph, ref, replaced);
  if (children == 1) return basin__unary(graph, (basin_op)node.op, replaced[node.a]);
  if (children == 2)
    return basin__binary(graph, (basin_op)node.op, replaced[node.a], replaced[node.b]);
  return basin__select(graph, replaced[node.a], replaced[node.b], replaced[node.c]);
}
