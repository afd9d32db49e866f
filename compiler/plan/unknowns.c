/* Which accesses are unknowns, and the order of the local ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static bool listed(const basin_array_id *list, size_t count, basin_array_id array)
{
  for (size_t i = 0; i < count; ++i)
    if (list[i] == array) return true;
  return false;
}

static uint8_t
role_of(const basin_graph *graph, const basin_unknowns *unknowns, const basin_access *access)
{
  basin_array_id array = access->array;
  unsigned rows, cols;
  basin_space_id space;
  basin_array_role role;
  if (array == BASIN_NONE) /* the stand-ins of the pipeline: inner variables without a step, held
                              factors with one */
    return access->step_count ? BASIN_ACCESS_CONSTANT : BASIN_ACCESS_HELD;
  if (listed(unknowns->outputs, unknowns->output_count, array)) return BASIN_ACCESS_OUTPUT;
  if (listed(unknowns->constants, unknowns->constant_count, array)) return BASIN_ACCESS_CONSTANT;
  if (!basin__array_declaration(graph, array, &rows, &cols, &space, &role))
    return BASIN_ACCESS_CONSTANT;
  return role == BASIN_ARRAY_DATA ? BASIN_ACCESS_HELD : BASIN_ACCESS_CONSTANT;
}

basin_status
basin__roles_init(basin_roles *roles, basin_graph *graph, const basin_unknowns *unknowns)
{
  *roles =
      (basin_roles){.context = basin__graph_context(graph), .count = basin__access_count(graph)};
  roles->roles = basin__calloc(roles->context, roles->count ? roles->count : 1, 1);
  if (!roles->roles) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < roles->count; ++i)
    roles->roles[i] = role_of(graph, unknowns, basin__access(graph, i));
  return BASIN_OK;
}

void basin__roles_fini(basin_roles *roles)
{
  basin__free(roles->context, roles->roles, roles->roles ? (roles->count ? roles->count : 1) : 0);
  *roles = (basin_roles){0};
}

/* An access with its sort key: the position of its array in the request. */
typedef struct candidate {
  basin_access access;
  size_t position;
  bool output;
} candidate;

static int compare_access(const basin_access *a, const basin_access *b)
{
  uint32_t shared = a->step_count < b->step_count ? a->step_count : b->step_count;
  for (uint32_t i = 0; i < shared; ++i) {
    const basin_path_step *x = &a->steps[i], *y = &b->steps[i];
    if (x->connectivity != y->connectivity) return x->connectivity < y->connectivity ? -1 : 1;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
  }
  return (a->step_count > b->step_count) - (a->step_count < b->step_count);
}

static int compare_candidates(const void *left, const void *right)
{
  const candidate *a = left, *b = right;
  if (a->output != b->output) return a->output ? -1 : 1;
  if (a->position != b->position) return a->position < b->position ? -1 : 1;
  if (a->access.array != b->access.array) return a->access.array < b->access.array ? -1 : 1;
  return compare_access(&a->access, &b->access);
}

static size_t position_in(const basin_array_id *arrays, size_t count, basin_array_id array)
{
  size_t i = 0;
  while (i < count && arrays[i] != array) ++i;
  return i;
}

/* Marks (in `seen`, by access number) and collects the unknown accesses that the nodes load. */
static basin_status collect(basin_plan *plan,
                            const basin_roles *roles,
                            const basin_refs *nodes,
                            candidate *found,
                            size_t *count,
                            uint8_t *seen)
{
  *count = 0;
  for (uint32_t i = 0; i < nodes->count; ++i) {
    const basin_node *node = basin__node(plan->graph, nodes->items[i]);
    if (node->op != BASIN_OP_LOAD || node->a >= roles->count || seen[node->a]) continue;
    if (roles->roles[node->a] == BASIN_ACCESS_CONSTANT) continue;
    seen[node->a] = 1;
    found[(*count)++] = (candidate){.access = *basin__access(plan->graph, node->a),
                                    .output = roles->roles[node->a] == BASIN_ACCESS_OUTPUT};
  }
  return BASIN_OK;
}

static basin_status describe(basin_plan *plan,
                             const candidate *found,
                             size_t count,
                             unsigned *block,
                             basin_unknown_access **list,
                             uint32_t *local_size)
{
  basin_unknown_access *unknowns =
      basin__arena_alloc(&plan->arena, (count + 1) * sizeof unknowns[0]);
  if (!unknowns) return BASIN_ERROR_MEMORY;
  *local_size = 0;
  for (size_t i = 0; i < count; ++i) {
    unsigned rows, cols;
    basin_space_id space;
    basin_array_role role;
    if (!basin__array_declaration(plan->graph, found[i].access.array, &rows, &cols, &space, &role))
      return BASIN_FAIL(plan->context, BASIN_ERROR_INTERNAL, "an unknown array is not declared");
    unknowns[i] = (basin_unknown_access){.access = found[i].access,
                                         .size = rows * cols,
                                         .rows = rows,
                                         .cols = cols,
                                         .output = found[i].output,
                                         .first = BASIN_NONE};
    if (!found[i].output) continue;
    unknowns[i].first = *local_size;
    *local_size += rows * cols;
    if (unknowns[i].size % *block) *block = 1;
  }
  *list = unknowns;
  return BASIN_OK;
}

basin_status basin__list_unknowns(basin_plan *plan,
                                  const basin_roles *roles,
                                  const basin_ref *roots,
                                  uint32_t root_count,
                                  const basin_array_id *arrays,
                                  size_t array_count,
                                  unsigned *block,
                                  basin_unknown_access **list,
                                  size_t *count,
                                  uint32_t *local_size)
{
  basin_refs nodes = {0};
  size_t room = roles->count ? roles->count : 1;
  uint8_t *seen = basin__calloc(plan->context, room, 1);
  candidate *found = basin__calloc(plan->context, room, sizeof found[0]);
  basin_status status = seen && found ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK)
    status = basin__reachable(plan->graph, roots, root_count, NULL, 0, &nodes);
  if (status == BASIN_OK) status = collect(plan, roles, &nodes, found, count, seen);
  if (status == BASIN_OK) {
    for (size_t i = 0; i < *count; ++i)
      found[i].position = position_in(arrays, array_count, found[i].access.array);
    qsort(found, *count, sizeof found[0], compare_candidates);
    status = describe(plan, found, *count, block, list, local_size);
  }
  basin__free(plan->context, seen, seen ? room : 0);
  basin__free(plan->context, found, found ? room * sizeof found[0] : 0);
  basin__refs_fini(plan->context, &nodes);
  return status;
}

/* Storage component of local number i of an access (kernel.h: matrices of `block` rows go column by
 * column). */
static uint32_t component_of(const basin_unknown_access *unknown, unsigned block, uint32_t i)
{
  if (unknown->rows != block || unknown->cols == 1) return i;
  return (i % block) * unknown->cols + i / block;
}

basin_status basin__unknown_loads(basin_plan *plan,
                                  const basin_unknown_access *list,
                                  size_t count,
                                  unsigned block,
                                  basin_refs *loads)
{
  loads->count = 0;
  for (size_t k = 0; k < count; ++k) {
    if (!list[k].output) continue;
    uint32_t access = basin__access_intern(plan->graph, &list[k].access);
    for (uint32_t i = 0; i < list[k].size; ++i) {
      basin_ref load = basin__load(plan->graph, access, component_of(&list[k], block, i));
      if (!load) return BASIN_ERROR_MEMORY;
      BASIN_TRY(basin__refs_push(plan->context, loads, load));
    }
  }
  return BASIN_OK;
}
