/* Connectivities: indices from the instances of one space into another.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include <string.h>

basin_status basin__system_connectivity(const basin_system *system,
                                        basin_connectivity_id id,
                                        basin_connectivity **connectivity)
{
  if (id >= system->connectivity_count)
    return BASIN_FAIL(
        system->context, BASIN_ERROR_ARGUMENT, "there is no connectivity %u", (unsigned)id);
  *connectivity = &system->connectivities[id];
  return BASIN_OK;
}

basin_status basin_system_add_connectivity(basin_system *system,
                                           const char *name,
                                           basin_space_id from,
                                           basin_space_id to,
                                           unsigned arity,
                                           basin_connectivity_id *id)
{
  basin_context *context = system->context;
  basin_space *space;
  BASIN_TRY(basin__system_space(system, from, &space));
  BASIN_TRY(basin__system_space(system, to, &space));
  BASIN_TRY(basin__grow(context,
                        &system->connectivities,
                        &system->connectivity_capacity,
                        system->connectivity_count + 1,
                        sizeof *system->connectivities));
  basin_connectivity *connectivity = &system->connectivities[system->connectivity_count];
  memset(connectivity, 0, sizeof *connectivity);
  connectivity->name = basin__strdup(context, name ? name : "connectivity");
  if (!connectivity->name) return BASIN_ERROR_MEMORY;
  connectivity->from = from;
  connectivity->to = to;
  connectivity->arity = arity;
  connectivity->version = ++system->clock;
  *id = (basin_connectivity_id)system->connectivity_count++;
  return BASIN_OK;
}

/* Names the first index at or above `limit`. */
static basin_status fail_index(const basin_system *system,
                               const basin_connectivity *connectivity,
                               const uint32_t *indices,
                               size_t count,
                               size_t limit)
{
  size_t k = 0;
  while (k < count && indices[k] < limit) ++k;
  const char *from = system->spaces[connectivity->from].name,
             *to = system->spaces[connectivity->to].name;
  if (connectivity->arity == 0)
    return BASIN_FAIL(
        system->context,
        BASIN_ERROR_RANGE,
        "connectivity %s: entry %zu is %u, but %s has %zu instances (indices count from 0)",
        connectivity->name,
        k,
        (unsigned)indices[k],
        to,
        limit);
  return BASIN_FAIL(
      system->context,
      BASIN_ERROR_RANGE,
      "connectivity %s: index %zu of %s %zu is %u, but %s has %zu instances (indices count from 0)",
      connectivity->name,
      k % connectivity->arity,
      from,
      k / connectivity->arity,
      (unsigned)indices[k],
      to,
      limit);
}

/* Checks and copies; the connectivity is unchanged on failure. `offsets` NULL for fixed arity. */
static basin_status assign(basin_system *system,
                           basin_connectivity *connectivity,
                           const uint32_t *offsets,
                           size_t offset_count,
                           const uint32_t *indices,
                           size_t count)
{
  basin_context *context = system->context;
  size_t limit = system->spaces[connectivity->to].count;
  uint32_t largest = 0;
  for (size_t k = 0; k < count; ++k) largest = indices[k] > largest ? indices[k] : largest;
  if (count > 0 && largest >= limit) return fail_index(system, connectivity, indices, count, limit);
  uint32_t *copy = NULL, *offset_copy = NULL;
  if (count > 0 && !(copy = basin__alloc(context, count * sizeof *copy))) return BASIN_ERROR_MEMORY;
  if (offset_count > 0 &&
      !(offset_copy = basin__alloc(context, offset_count * sizeof *offset_copy))) {
    basin__free(context, copy, count * sizeof *copy);
    return BASIN_ERROR_MEMORY;
  }
  if (count > 0) memcpy(copy, indices, count * sizeof *copy);
  if (offset_count > 0) memcpy(offset_copy, offsets, offset_count * sizeof *offset_copy);
  basin__free(context, connectivity->indices, connectivity->held * sizeof *copy);
  basin__free(context, connectivity->offsets, connectivity->offset_count * sizeof *offset_copy);
  connectivity->indices = copy;
  connectivity->count = connectivity->held = count;
  connectivity->offsets = offset_copy;
  connectivity->offset_count = offset_count;
  connectivity->largest = largest;
  connectivity->set = true;
  connectivity->device_valid = connectivity->host_stale = false;
  connectivity->version = ++system->clock;
  return BASIN_OK;
}

basin_status basin_system_set_connectivity(basin_system *system,
                                           basin_connectivity_id id,
                                           const uint32_t *indices,
                                           size_t count)
{
  basin_connectivity *connectivity;
  BASIN_TRY(basin__system_connectivity(system, id, &connectivity));
  const basin_space *from = &system->spaces[connectivity->from];
  if (connectivity->arity == 0)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_ARGUMENT,
                      "connectivity %s has rows of any length: it needs offsets",
                      connectivity->name);
  if (count != from->count * connectivity->arity)
    return BASIN_FAIL(
        system->context,
        BASIN_ERROR_LENGTH,
        "connectivity %s: %zu indices given, but %zu instances of %s with %u indices each need %zu",
        connectivity->name,
        count,
        from->count,
        from->name,
        connectivity->arity,
        from->count * connectivity->arity);
  return assign(system, connectivity, NULL, 0, indices, count);
}

basin_status basin_system_set_connectivity_rows(basin_system *system,
                                                basin_connectivity_id id,
                                                const uint32_t *offsets,
                                                size_t offset_count,
                                                const uint32_t *indices,
                                                size_t count)
{
  basin_connectivity *connectivity;
  BASIN_TRY(basin__system_connectivity(system, id, &connectivity));
  const basin_space *from = &system->spaces[connectivity->from];
  basin_context *context = system->context;
  const char *name = connectivity->name;
  if (connectivity->arity != 0)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "connectivity %s has %u indices an instance: it takes no offsets",
                      name,
                      connectivity->arity);
  if (offset_count != from->count + 1)
    return BASIN_FAIL(context,
                      BASIN_ERROR_LENGTH,
                      "connectivity %s: %zu offsets given, but %zu instances of %s need %zu",
                      name,
                      offset_count,
                      from->count,
                      from->name,
                      from->count + 1);
  if (offsets[0] != 0 || offsets[from->count] != count)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_LENGTH,
        "connectivity %s: offsets must run from 0 to the number of indices, %zu, not from %u to %u",
        name,
        count,
        (unsigned)offsets[0],
        (unsigned)offsets[from->count]);
  for (size_t i = 0; i < from->count; ++i)
    if (offsets[i + 1] < offsets[i])
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "connectivity %s: offset %zu (%u) is smaller than the one before it (%u)",
                        name,
                        i + 1,
                        (unsigned)offsets[i + 1],
                        (unsigned)offsets[i]);
  return assign(system, connectivity, offsets, offset_count, indices, count);
}

const uint32_t *basin_system_connectivity(const basin_system *system,
                                          basin_connectivity_id id,
                                          size_t *count,
                                          const uint32_t **offsets)
{
  basin_connectivity *connectivity =
      id < system->connectivity_count ? &system->connectivities[id] : NULL;
  /* After a change of the instances there are none, and the old offsets are for others. */
  if (connectivity &&
      (!connectivity->set || basin__connectivity_to_host(system, connectivity) != BASIN_OK))
    connectivity = NULL;
  if (count) *count = connectivity ? connectivity->count : 0;
  if (offsets) *offsets = connectivity ? connectivity->offsets : NULL;
  return connectivity ? connectivity->indices : NULL;
}

basin_status basin__connectivity_range(const basin_system *system, basin_connectivity *connectivity)
{
  const basin_space *from = &system->spaces[connectivity->from];
  size_t limit = system->spaces[connectivity->to].count;
  if (!connectivity->set && from->count > 0)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "connectivity %s has no indices yet: %s has %zu instances",
                      connectivity->name,
                      from->name,
                      from->count);
  if (connectivity->count > 0 && connectivity->largest >= limit) {
    BASIN_TRY(basin__connectivity_to_host(system, connectivity));
    return fail_index(system, connectivity, connectivity->indices, connectivity->count, limit);
  }
  return BASIN_OK;
}

basin_status basin__connectivity_check(const basin_system *system,
                                       const basin_connectivity *connectivity)
{
  basin_connectivity *own = &system->connectivities[connectivity - system->connectivities];
  BASIN_TRY(basin__connectivity_range(system, own));
  return basin__connectivity_to_host(system, own);
}

void basin__connectivity_release(basin_system *system, basin_connectivity *connectivity)
{
  basin_context *context = system->context;
  basin__strfree(context, connectivity->name);
  basin__free(context, connectivity->indices, connectivity->held * sizeof *connectivity->indices);
  basin__free(
      context, connectivity->offsets, connectivity->offset_count * sizeof *connectivity->offsets);
  basin__buffer_release(system->cuda, &connectivity->device_indices);
  basin__buffer_release(system->cuda, &connectivity->device_offsets);
}
