/* Held unknowns. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/hold.h"
#include "assembly/minimizer.h"
#include <stdlib.h>
#include <string.h>

void basin__hold_fini(basin_hold *hold, basin_context *context)
{
  for (size_t k = 0; k < hold->list_count; ++k)
    basin__free(
        context, hold->lists[k].entries, hold->lists[k].capacity * sizeof *hold->lists[k].entries);
  basin__free(context, hold->lists, hold->list_count * sizeof *hold->lists);
  basin__free(context, hold->bits, hold->capacity * sizeof *hold->bits);
  memset(hold, 0, sizeof *hold);
}

/* ---- lists ---- */

static int compare(const void *a, const void *b)
{
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return x < y ? -1 : x > y;
}

basin_status
basin_minimizer_hold(basin_minimizer *minimizer, size_t number, const size_t *entries, size_t count)
{
  basin_hold *hold = &minimizer->hold;
  basin_context *context = minimizer->context;
  size_t targets = minimizer->layout.target_count;
  if (number >= targets)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "there is no target %zu to hold", number);
  if (count == 0 && !hold->lists) return BASIN_OK;
  if (!hold->lists) {
    hold->lists = basin__calloc(context, targets, sizeof *hold->lists);
    if (!hold->lists) return BASIN_ERROR_MEMORY;
    hold->list_count = targets;
  }
  basin_held_list *list = &hold->lists[number];
  if (count > list->capacity)
    BASIN_TRY(basin__grow(context, &list->entries, &list->capacity, count, sizeof *list->entries));
  if (count > 0) {
    memcpy(list->entries, entries, count * sizeof *entries);
    qsort(list->entries, count, sizeof *entries, compare);
  }
  list->count = count;
  ++hold->changes;
  minimizer->assembled = false;
  return BASIN_OK;
}

/* ---- bits ---- */

/* Marks the held entries of one target; entries beyond its instances mark nothing. */
static void mark(basin_hold *hold, const basin_layout *layout, size_t number)
{
  const basin_target *target = &layout->targets[number];
  const basin_held_list *list = &hold->lists[number];
  unsigned block = layout->block;
  for (size_t k = 0; k < list->count; ++k) {
    size_t instance = list->entries[k] / target->size, entry = list->entries[k] % target->size;
    if (instance >= target->count) return;
    bool columns = target->rows == block; /* as basin__node_entry */
    size_t node = columns ? entry % target->cols : entry / block;
    size_t component = columns ? entry / target->cols : entry % block;
    uint32_t *bits = &hold->bits[target->first + instance * target->stride + node];
    uint32_t bit = UINT32_C(1) << component;
    hold->count += (*bits & bit) == 0;
    *bits |= bit;
  }
}

basin_status basin__hold_update(basin_hold *hold, const basin_layout *layout)
{
  size_t nodes = layout->node_count;
  if (!hold->lists || (hold->made_changes == hold->changes &&
                       hold->made_layout == layout->version && hold->node_count == nodes))
    return BASIN_OK;
  if (nodes > hold->capacity)
    BASIN_TRY(basin__grow(
        layout->system->context, &hold->bits, &hold->capacity, nodes, sizeof *hold->bits));
  if (nodes > 0) memset(hold->bits, 0, nodes * sizeof *hold->bits);
  hold->count = 0;
  hold->node_count = nodes;
  for (size_t k = 0; k < hold->list_count; ++k) mark(hold, layout, k);
  hold->made_changes = hold->changes;
  hold->made_layout = layout->version;
  ++hold->version;
  return BASIN_OK;
}

void basin__hold_zero(const basin_hold *hold, unsigned block, double *vector)
{
  if (hold->count == 0) return;
  for (size_t node = 0; node < hold->node_count; ++node)
    for (unsigned i = 0; hold->bits[node] >> i != 0; ++i)
      if (hold->bits[node] >> i & 1) vector[node * block + i] = 0;
}
