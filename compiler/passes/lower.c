/* Matrices to scalars: evaluates the `lower` column of ops.def, each matrix node once for each JOIN
 * path it is reached by.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/lower_rules.h"
#include <string.h>

/* One path: the steps from the element to where an expression is evaluated. Path 0 is empty. */
typedef struct path {
  uint32_t parent;
  uint32_t depth;
  basin_path_step step;
} path;

typedef struct memo_entry {
  basin_ref ref; /* 0 = empty */
  uint32_t path;
  uint32_t offset; /* of rows * cols references in `pool` */
} memo_entry;

typedef struct work_item {
  basin_ref ref;
  uint32_t path;
} work_item;

/* Entries a graph may lower to: nested connectivities of many slots multiply. */
enum { POOL_LIMIT = 1 << 26 };

/* What was lowered before: belongs to the graph, so that expressions share what they have in
 * common. */
typedef struct basin_lowering {
  path *paths;
  size_t path_count, path_capacity;
  memo_entry *memo;
  size_t memo_count, memo_size;
  basin_ref *pool;
  size_t pool_count, pool_capacity;
  work_item *stack;
  size_t stack_count, stack_capacity;
} basin_lowering;

void basin__lowering_destroy(basin_graph *graph)
{
  basin_lowering *l = graph->lowering;
  if (!l) return;
  basin__free(graph->context, l->paths, l->path_capacity * sizeof *l->paths);
  basin__free(graph->context, l->memo, l->memo_size * sizeof *l->memo);
  basin__free(graph->context, l->pool, l->pool_capacity * sizeof *l->pool);
  basin__free(graph->context, l->stack, l->stack_capacity * sizeof *l->stack);
  basin__free(graph->context, l, sizeof *l);
  graph->lowering = NULL;
}

static basin_status create(basin_graph *graph)
{
  if (graph->lowering) return BASIN_OK;
  basin_lowering *l = graph->lowering = basin__calloc(graph->context, 1, sizeof *l);
  if (!l) return BASIN_ERROR_MEMORY;
  basin_status status =
      basin__grow(graph->context, &l->paths, &l->path_capacity, 1, sizeof *l->paths);
  if (status) {
    basin__lowering_destroy(graph);
    return status;
  }
  l->paths[0] = (path){0, 0, {0, 0}};
  l->path_count = 1;
  return BASIN_OK;
}

/* ---- memo ---- */

static size_t memo_slot(const basin_lowering *l, basin_ref ref, uint32_t at)
{
  uint64_t hash = (((uint64_t)ref << 32) | at) * 0x9e3779b97f4a7c15u;
  size_t slot = (size_t)(hash >> 20) & (l->memo_size - 1);
  while (l->memo[slot].ref && (l->memo[slot].ref != ref || l->memo[slot].path != at))
    slot = (slot + 1) & (l->memo_size - 1);
  return slot;
}

static const basin_ref *known(const basin_lowering *l, basin_ref ref, uint32_t at)
{
  if (!l->memo_size) return NULL;
  const memo_entry *entry = &l->memo[memo_slot(l, ref, at)];
  return entry->ref ? l->pool + entry->offset : NULL;
}

static basin_status memo_reserve(basin_graph *graph)
{
  basin_lowering *l = graph->lowering;
  if (2 * (l->memo_count + 1) <= l->memo_size) return BASIN_OK;
  size_t old_size = l->memo_size, size = old_size ? 2 * old_size : 128;
  memo_entry *old = l->memo, *memo = basin__calloc(graph->context, size, sizeof *memo);
  if (!memo) return BASIN_ERROR_MEMORY;
  l->memo = memo;
  l->memo_size = size;
  for (size_t i = 0; i < old_size; i++)
    if (old[i].ref) memo[memo_slot(l, old[i].ref, old[i].path)] = old[i];
  basin__free(graph->context, old, old_size * sizeof *old);
  return BASIN_OK;
}

/* ---- paths ---- */

static basin_status
extend(basin_graph *graph, uint32_t parent, uint32_t connectivity, uint32_t slot, uint32_t *result)
{
  basin_lowering *l = graph->lowering;
  for (size_t i = parent + 1; i < l->path_count; i++) { /* children come after their parent */
    if (l->paths[i].parent != parent || l->paths[i].step.connectivity != connectivity ||
        l->paths[i].step.slot != slot)
      continue;
    *result = (uint32_t)i;
    return BASIN_OK;
  }
  BASIN_TRY(basin__grow(
      graph->context, &l->paths, &l->path_capacity, l->path_count + 1, sizeof *l->paths));
  l->paths[l->path_count] = (path){parent, l->paths[parent].depth + 1, {connectivity, slot}};
  *result = (uint32_t)l->path_count++;
  return BASIN_OK;
}

/* Literals and expressions of scenes and meshes are the same wherever they are read. */
static uint32_t path_for(const basin_graph *graph, basin_ref ref, uint32_t at)
{
  uint32_t owner = graph->side[ref].owner;
  if (owner == BASIN_SPACE_LITERAL) return 0;
  const basin_graph_space *space = basin__graph_space(graph, owner);
  return space && space->shared ? 0 : at;
}

/* ---- leaves ---- */

static basin_status lower_array(basin_graph *graph, basin_ref ref, uint32_t at, basin_ref *out)
{
  const basin_lowering *l = graph->lowering;
  basin_access access = {.array = graph->nodes[ref].a, .step_count = l->paths[at].depth};
  if (access.step_count > BASIN_PATH_MAX)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "more than %d connectivities in a row",
                      BASIN_PATH_MAX);
  for (uint32_t i = access.step_count, p = at; i > 0; p = l->paths[p].parent)
    access.steps[--i] = l->paths[p].step;
  uint32_t number = basin__access_intern(graph, &access),
           size = (uint32_t)graph->nodes[ref].rows * graph->nodes[ref].cols;
  for (uint32_t i = 0; i < size; i++) out[i] = basin__load(graph, number, i);
  return BASIN_OK;
}

/* ---- the walk ---- */

static basin_status push(basin_graph *graph, basin_ref ref, uint32_t at)
{
  basin_lowering *l = graph->lowering;
  BASIN_TRY(basin__grow(
      graph->context, &l->stack, &l->stack_capacity, l->stack_count + 1, sizeof *l->stack));
  l->stack[l->stack_count++] = (work_item){ref, at};
  return BASIN_OK;
}

/* Copies of the source under each slot of the connectivity, one a row. */
static basin_status
lower_join(basin_graph *graph, basin_ref ref, uint32_t at, basin_ref *out, bool *ready)
{
  basin_ref source = graph->nodes[ref].a;
  uint32_t id = graph->nodes[ref].b, arity = basin__graph_connectivity(graph, id)->arity;
  size_t size = (size_t)graph->nodes[source].rows * graph->nodes[source].cols;
  for (uint32_t slot = arity; slot-- > 0;) { /* the last comes first off the stack */
    uint32_t to;
    BASIN_TRY(extend(graph, at, id, slot, &to));
    to = path_for(graph, source, to);
    const basin_ref *from = known(graph->lowering, source, to);
    if (from && *ready)
      memcpy(out + slot * size, from, size * sizeof *out);
    else if (!from) {
      *ready = false;
      BASIN_TRY(push(graph, source, to));
    }
  }
  return BASIN_OK;
}

/* Computes the node into `out` if its children are known, else pushes those that are not and clears
 * *ready. */
static basin_status lower_one(basin_graph *graph,
                              basin_ref ref,
                              uint32_t at,
                              basin_ref *out,
                              const basin_ref **parts,
                              bool *ready)
{
  basin_op op = (basin_op)graph->nodes[ref].op;
  if (!(basin__op_info(op)->flags & BASIN_OP_MATRIX)) {
    out[0] = ref;
    return BASIN_OK;
  }
  if (op == BASIN_OP_M_ARRAY) return lower_array(graph, ref, at, out);
  if (op == BASIN_OP_M_JOIN) return lower_join(graph, ref, at, out, ready);
  uint32_t count = basin__child_count(graph, ref);
  for (uint32_t i = count; i-- > 0;) {
    basin_ref child = basin__child(graph, ref, i);
    uint32_t to = path_for(graph, child, at);
    parts[i] = known(graph->lowering, child, to);
    if (parts[i]) continue;
    *ready = false;
    BASIN_TRY(push(graph, child, to));
  }
  return *ready ? basin__lower_rule(graph, ref, parts, out) : BASIN_OK;
}

/* One step of the walk: the item on top of the stack is computed and leaves, or its missing
 * children come above it. */
static basin_status step(basin_graph *graph)
{
  basin_lowering *l = graph->lowering;
  work_item item = l->stack[l->stack_count - 1];
  if (known(l, item.ref, item.path)) {
    l->stack_count--;
    return BASIN_OK;
  }
  size_t size = (size_t)graph->nodes[item.ref].rows * graph->nodes[item.ref].cols;
  size_t children = basin__child_count(graph, item.ref);
  if (l->pool_count + size > POOL_LIMIT)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "the expression has too many entries over all its connectivities");
  BASIN_TRY(memo_reserve(graph));
  BASIN_TRY(basin__grow(
      graph->context, &l->pool, &l->pool_capacity, l->pool_count + size, sizeof *l->pool));
  const basin_ref *few[8], **parts = few;
  if (children > BASIN_COUNT(few)) parts = basin__alloc(graph->context, children * sizeof *parts);
  if (!parts) return BASIN_ERROR_MEMORY;
  bool ready = true;
  graph->origin = graph->side[item.ref].origin;
  basin_status status =
      lower_one(graph, item.ref, item.path, l->pool + l->pool_count, parts, &ready);
  if (parts != few) basin__free(graph->context, parts, children * sizeof *parts);
  if (status || !ready) return status;
  if (graph->failed)
    return BASIN_FAIL(graph->context, BASIN_ERROR_MEMORY, "out of memory in the expression graph");
  l->memo[memo_slot(l, item.ref, item.path)] =
      (memo_entry){item.ref, item.path, (uint32_t)l->pool_count};
  l->memo_count++;
  l->pool_count += size;
  l->stack_count--;
  return BASIN_OK;
}

basin_status basin__lower(basin_graph *graph, basin_ref expression, basin_ref *out)
{
  BASIN_ASSERT(expression > 0 && expression <= basin__graph_count(graph));
  BASIN_TRY(create(graph));
  basin_lowering *l = graph->lowering;
  uint32_t origin = graph->origin;
  l->stack_count = 0;
  basin_status status = push(graph, expression, 0);
  while (!status && l->stack_count) status = step(graph);
  graph->origin = origin;
  BASIN_TRY(status);
  const basin_ref *result = known(l, expression, 0);
  size_t size = (size_t)graph->nodes[expression].rows * graph->nodes[expression].cols;
  for (size_t i = 0; i < size; i++) out[i] = basin__to_number(graph, result[i]);
  return graph->failed ? BASIN_FAIL(graph->context,
                                    BASIN_ERROR_MEMORY,
                                    "out of memory in the expression graph")
                       : BASIN_OK;
}
