/* The life of a graph; declared spaces, arrays and connectivities; the origin given to new nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"
#include <string.h>

basin_status basin_graph_create(basin_context *context, basin_graph **result)
{
  *result = NULL;
  basin_graph *graph = basin__calloc(context, 1, sizeof *graph);
  if (!graph) return BASIN_ERROR_MEMORY;
  graph->context = context;
  basin__arena_init(&graph->arena, context);
  basin__strbuf_init(&graph->text, context);
  basin_status status =
      basin__grow(context, &graph->origins, &graph->origin_capacity, 1, sizeof *graph->origins);
  if (status) {
    basin_graph_destroy(graph);
    return status;
  }
  graph->origins[0] = (basin_origin){NULL, 0};
  graph->origin_count = 1;
  *result = graph;
  return BASIN_OK;
}

void basin_graph_destroy(basin_graph *graph)
{
  if (!graph) return;
  basin_context *context = graph->context;
  basin__lowering_destroy(graph);
  basin__free(context, graph->nodes, graph->node_capacity * sizeof *graph->nodes);
  basin__free(context, graph->side, graph->side_capacity * sizeof *graph->side);
  basin__free(context, graph->joins, graph->join_capacity * sizeof *graph->joins);
  basin__free(context, graph->lists, graph->list_capacity * sizeof *graph->lists);
  basin__free(context, graph->table, graph->table_size * sizeof *graph->table);
  basin__free(context, graph->accesses, graph->access_capacity * sizeof *graph->accesses);
  basin__free(context, graph->access_table, graph->access_table_size * sizeof *graph->access_table);
  basin__free(context, graph->spaces, graph->space_capacity * sizeof *graph->spaces);
  basin__free(context, graph->arrays, graph->array_capacity * sizeof *graph->arrays);
  basin__free(
      context, graph->connectivities, graph->connectivity_capacity * sizeof *graph->connectivities);
  basin__free(context, graph->origins, graph->origin_capacity * sizeof *graph->origins);
  basin__free(context, graph->ids, graph->id_capacity * sizeof *graph->ids);
  basin__arena_fini(&graph->arena);
  basin__strbuf_fini(&graph->text);
  basin__free(context, graph, sizeof *graph);
}

/* ---- records sorted by id: each begins with its uint32_t id ---- */

static uint32_t id_at(const void *records, size_t item, size_t i)
{
  uint32_t id;
  memcpy(&id, (const char *)records + i * item, sizeof id);
  return id;
}

/* The first record whose id is not below `id`. */
static size_t lower_bound(const void *records, size_t count, size_t item, uint32_t id)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (id_at(records, item, middle) < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const void *find(const void *records, size_t count, size_t item, uint32_t id)
{
  size_t i = lower_bound(records, count, item, id);
  return i < count && id_at(records, item, i) == id ? (const char *)records + i * item : NULL;
}

/* Inserts `record`; the id must be new. */
static basin_status insert(basin_graph *graph,
                           void *array_pointer,
                           size_t *count,
                           size_t *capacity,
                           size_t item,
                           const void *record)
{
  uint32_t id = id_at(record, item, 0);
  char *records;
  BASIN_TRY(basin__grow(graph->context, array_pointer, capacity, *count + 1, item));
  memcpy(&records, array_pointer, sizeof records);
  size_t i = lower_bound(records, *count, item, id);
  memmove(records + (i + 1) * item, records + i * item, (*count - i) * item);
  memcpy(records + i * item, record, item);
  ++*count;
  return BASIN_OK;
}

const basin_graph_space *basin__graph_space(const basin_graph *graph, uint32_t id)
{
  return find(graph->spaces, graph->space_count, sizeof *graph->spaces, id);
}

const basin_graph_array *basin__graph_array(const basin_graph *graph, uint32_t id)
{
  return find(graph->arrays, graph->array_count, sizeof *graph->arrays, id);
}

const basin_graph_connectivity *basin__graph_connectivity(const basin_graph *graph, uint32_t id)
{
  return find(graph->connectivities, graph->connectivity_count, sizeof *graph->connectivities, id);
}

/* ---- declarations ---- */

static basin_status copy_name(basin_graph *graph, const char *name, char **copy)
{
  *copy = basin__arena_strdup(&graph->arena, name ? name : "");
  return *copy ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static basin_status
check_new(basin_graph *graph, const char *kind, uint32_t id, const void *old, const char *name)
{
  if (old)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_STATE,
                      "%s %u (\"%s\") is declared twice",
                      kind,
                      id,
                      name ? name : "");
  if (id == BASIN_NONE)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_ARGUMENT,
                      "%u is no %s id (\"%s\")",
                      id,
                      kind,
                      name ? name : "");
  return BASIN_OK;
}

basin_status basin_graph_declare_space(
    basin_graph *graph, basin_space_id id, basin_space_id parent, bool shared, const char *name)
{
  BASIN_TRY(check_new(graph, "space", id, basin__graph_space(graph, id), name));
  if (parent == id)
    return BASIN_FAIL(
        graph->context, BASIN_ERROR_ARGUMENT, "space \"%s\" is its own parent", name ? name : "");
  if (parent != BASIN_NONE && !basin__graph_space(graph, parent))
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_ARGUMENT,
                      "space \"%s\": its parent, space %u, is not declared",
                      name ? name : "",
                      parent);
  unsigned depth = 0;
  for (const basin_graph_space *s = basin__graph_space(graph, parent); s;
       s = basin__graph_space(graph, s->parent))
    depth++;
  if (depth > 16)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_ARGUMENT,
                      "space \"%s\" lies below more than 16 others",
                      name ? name : "");
  basin_graph_space space = {id, parent, shared, NULL};
  BASIN_TRY(copy_name(graph, name, &space.name));
  return insert(
      graph, &graph->spaces, &graph->space_count, &graph->space_capacity, sizeof space, &space);
}

basin_status basin_graph_declare_array(basin_graph *graph,
                                       basin_array_id id,
                                       basin_space_id space,
                                       unsigned rows,
                                       unsigned cols,
                                       basin_array_role role,
                                       const char *name)
{
  BASIN_TRY(check_new(graph, "array", id, basin__graph_array(graph, id), name));
  if (!basin__graph_space(graph, space))
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_ARGUMENT,
                      "array \"%s\": space %u is not declared",
                      name ? name : "",
                      space);
  if (rows < 1 || cols < 1 || rows > 255 || cols > 255)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_SHAPE,
                      "array \"%s\" is %u x %u: rows and columns must be 1 to 255",
                      name ? name : "",
                      rows,
                      cols);
  if (role != BASIN_ARRAY_DATA && role != BASIN_ARRAY_CONSTANT)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_ARGUMENT,
                      "array \"%s\": unknown role %d",
                      name ? name : "",
                      (int)role);
  basin_graph_array array = {id, space, (uint8_t)rows, (uint8_t)cols, role, NULL};
  BASIN_TRY(copy_name(graph, name, &array.name));
  return insert(
      graph, &graph->arrays, &graph->array_count, &graph->array_capacity, sizeof array, &array);
}

basin_status basin_graph_declare_connectivity(basin_graph *graph,
                                              basin_connectivity_id id,
                                              basin_space_id from,
                                              basin_space_id to,
                                              unsigned arity,
                                              const char *name)
{
  BASIN_TRY(check_new(graph, "connectivity", id, basin__graph_connectivity(graph, id), name));
  const basin_space_id ends[] = {from, to};
  for (int i = 0; i < 2; i++)
    if (!basin__graph_space(graph, ends[i]))
      return BASIN_FAIL(graph->context,
                        BASIN_ERROR_ARGUMENT,
                        "connectivity \"%s\": space %u is not declared",
                        name ? name : "",
                        ends[i]);
  basin_graph_connectivity connectivity = {id, from, to, arity, NULL};
  BASIN_TRY(copy_name(graph, name, &connectivity.name));
  return insert(graph,
                &graph->connectivities,
                &graph->connectivity_count,
                &graph->connectivity_capacity,
                sizeof connectivity,
                &connectivity);
}

/* ---- origins ---- */

basin_status basin_graph_set_origin(basin_graph *graph, const char *script, int line)
{
  if (!script) {
    graph->origin = 0;
    return BASIN_OK;
  }
  const basin_origin *last = &graph->origins[graph->origin_count - 1];
  bool same_script = last->script && strcmp(last->script, script) == 0;
  if (same_script && last->line == line) {
    graph->origin = (uint32_t)graph->origin_count - 1;
    return BASIN_OK;
  }
  const char *copy = same_script ? last->script : NULL;
  for (size_t i = 1; !copy && i < graph->origin_count; i++)
    if (strcmp(graph->origins[i].script, script) == 0) copy = graph->origins[i].script;
  if (!copy) copy = basin__arena_strdup(&graph->arena, script);
  if (!copy) return BASIN_ERROR_MEMORY;
  BASIN_TRY(basin__grow(graph->context,
                        &graph->origins,
                        &graph->origin_capacity,
                        graph->origin_count + 1,
                        sizeof *graph->origins));
  graph->origins[graph->origin_count] = (basin_origin){copy, line};
  graph->origin = (uint32_t)graph->origin_count++;
  return BASIN_OK;
}
