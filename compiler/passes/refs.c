/* Lists of node references, reachability, substitution.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/pass.h"

#include <stdlib.h>
#include <string.h>

basin_status basin__refs_push(basin_context *context, basin_refs *refs, basin_ref ref)
{
  if (refs->count == refs->capacity)
    BASIN_TRY(basin__grow(
        context, &refs->items, &refs->capacity, (size_t)refs->count + 1, sizeof refs->items[0]));
  refs->items[refs->count++] = ref;
  return BASIN_OK;
}

basin_status basin__refs_resize(basin_context *context, basin_refs *refs, size_t count)
{
  BASIN_TRY(basin__grow(
      context, &refs->items, &refs->capacity, count ? count : 1, sizeof refs->items[0]));
  refs->count = (uint32_t)count;
  return BASIN_OK;
}

void basin__refs_fini(basin_context *context, basin_refs *refs)
{
  basin__free(context, refs->items, refs->capacity * sizeof refs->items[0]);
  *refs = (basin_refs){0};
}

static int compare_refs(const void *a, const void *b)
{
  basin_ref x = *(const basin_ref *)a, y = *(const basin_ref *)b;
  return (x > y) - (x < y);
}

/* Marks by bit, one a reference. */
static bool mark(uint8_t *marks, basin_ref ref)
{
  uint8_t bit = (uint8_t)(1u << (ref & 7));
  if (marks[ref >> 3] & bit) return false;
  marks[ref >> 3] |= bit;
  return true;
}

static basin_status visit(basin_context *context, uint8_t *marks, basin_refs *refs, basin_ref ref)
{
  if (!mark(marks, ref)) return BASIN_OK;
  return basin__refs_push(context, refs, ref);
}

basin_status basin__reachable(basin_graph *graph,
                              const basin_ref *roots,
                              uint32_t root_count,
                              const uint32_t *stop,
                              uint32_t stop_count,
                              basin_refs *refs)
{
  basin_context *context = basin__graph_context(graph);
  size_t size = ((size_t)basin__graph_count(graph) >> 3) + 1;
  uint8_t *marks = basin__calloc(context, size, 1);
  if (!marks) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  refs->count = 0;
  for (uint32_t i = 0; i < root_count && status == BASIN_OK; ++i)
    status = visit(context, marks, refs, roots[i]);
  for (uint32_t next = 0; next < refs->count && status == BASIN_OK; ++next) {
    basin_ref ref = refs->items[next];
    if (stop && ref < stop_count && stop[ref]) continue;
    uint32_t children = basin__child_count(graph, ref);
    for (uint32_t i = 0; i < children && status == BASIN_OK; ++i)
      status = visit(context, marks, refs, basin__child(graph, ref, i));
  }
  basin__free(context, marks, size);
  if (status == BASIN_OK && refs->count)
    qsort(refs->items, refs->count, sizeof refs->items[0], compare_refs);
  return status;
}

basin_status basin__substitute(basin_graph *graph,
                               const basin_ref *roots,
                               uint32_t root_count,
                               const basin_ref *from,
                               const basin_ref *to,
                               uint32_t count,
                               basin_ref *out)
{
  basin_context *context = basin__graph_context(graph);
  basin_refs nodes = {0};
  size_t size = (basin__graph_count(graph) + 1u) * sizeof(basin_ref);
  basin_ref *replaced = basin__calloc(context, 1, size);
  basin_status status = replaced ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) status = basin__reachable(graph, roots, root_count, NULL, 0, &nodes);
  for (uint32_t i = 0; i < count && status == BASIN_OK; ++i) replaced[from[i]] = to[i];
  for (uint32_t i = 0; i < nodes.count && status == BASIN_OK; ++i) {
    basin_ref ref = nodes.items[i];
    if (!replaced[ref]) replaced[ref] = basin__rebuild(graph, ref, replaced);
    if (!replaced[ref]) status = BASIN_ERROR_MEMORY;
  }
  for (uint32_t i = 0; i < root_count && status == BASIN_OK; ++i) out[i] = replaced[roots[i]];
  basin__free(context, replaced, replaced ? size : 0);
  basin__refs_fini(context, &nodes);
  return status;
}
