/* Systems and their spaces: creation, unions, resizing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include <string.h>

basin_status basin_system_create(basin_context *context,
                                 basin_kernel_provider provider,
                                 void *user,
                                 basin_system **system)
{
  *system = NULL;
  if (!provider)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "a system needs a kernel provider");
  basin_system *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  made->provider = provider;
  made->provider_user = user;
  made->clock = 1;
  *system = made;
  return BASIN_OK;
}

static void space_release(basin_context *context, basin_space *space)
{
  basin__strfree(context, space->name);
  basin__free(context, space->members, space->member_count * sizeof *space->members);
}

void basin_system_destroy(basin_system *system)
{
  if (!system) return;
  basin_context *context = system->context;
  for (size_t i = 0; i < system->array_count; ++i) basin__array_release(system, system->arrays[i]);
  for (size_t i = 0; i < system->connectivity_count; ++i)
    basin__connectivity_release(system, &system->connectivities[i]);
  for (size_t i = 0; i < system->space_count; ++i) space_release(context, &system->spaces[i]);
  basin__free(context, system->arrays, system->array_capacity * sizeof *system->arrays);
  basin__free(context,
              system->connectivities,
              system->connectivity_capacity * sizeof *system->connectivities);
  basin__free(context, system->spaces, system->space_capacity * sizeof *system->spaces);
  basin__free_aligned(context, system->scratch, system->scratch_stride * system->scratch_workers);
  basin__buffer_release(system->cuda, &system->output);
  basin__free(context, system, sizeof *system);
}

void basin_system_set_deterministic(basin_system *system, bool deterministic)
{
  system->atomic_sums = !deterministic;
}

bool basin_system_is_deterministic(const basin_system *system)
{
  return !system->atomic_sums || !system->cuda;
}

basin_context *basin_system_context(const basin_system *system)
{
  return system->context;
}

basin_status basin__system_space(const basin_system *system, basin_space_id id, basin_space **space)
{
  if (id >= system->space_count)
    return BASIN_FAIL(system->context, BASIN_ERROR_ARGUMENT, "there is no space %u", (unsigned)id);
  *space = &system->spaces[id];
  return BASIN_OK;
}

/* Appends an empty space; its name is already copied. */
static basin_status
space_append(basin_system *system, const char *name, basin_space_id parent, basin_space_id *id)
{
  basin_context *context = system->context;
  if (parent != BASIN_NONE && parent >= system->space_count)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "space %s: there is no parent space %u",
                      name,
                      (unsigned)parent);
  BASIN_TRY(basin__grow(context,
                        &system->spaces,
                        &system->space_capacity,
                        system->space_count + 1,
                        sizeof *system->spaces));
  basin_space *space = &system->spaces[system->space_count];
  memset(space, 0, sizeof *space);
  space->name = basin__strdup(context, name ? name : "space");
  if (!space->name) return BASIN_ERROR_MEMORY;
  space->parent = parent;
  space->version = ++system->clock;
  *id = (basin_space_id)system->space_count++;
  return BASIN_OK;
}

basin_status basin_system_add_space(basin_system *system,
                                    const basin_space_description *description,
                                    basin_space_id *id)
{
  size_t count = description->shared ? 1 : description->count;
  if (count >= BASIN_NONE)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_RANGE,
                      "space %s: %zu instances are too many",
                      description->name,
                      count);
  if (description->shared && description->dynamic)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_ARGUMENT,
                      "space %s: a shared space has one instance and cannot be dynamic",
                      description->name);
  BASIN_TRY(space_append(system, description->name, description->parent, id));
  basin_space *space = &system->spaces[*id];
  space->shared = description->shared;
  space->dynamic = description->dynamic;
  space->count = count;
  return BASIN_OK;
}

basin_status basin_system_add_union(basin_system *system,
                                    const char *name,
                                    basin_space_id parent,
                                    const basin_space_id *members,
                                    size_t count,
                                    basin_space_id *id)
{
  basin_context *context = system->context;
  size_t total = 0;
  bool dynamic = false;
  if (count == 0) return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "union %s has no members", name);
  for (size_t i = 0; i < count; ++i) {
    basin_space *member;
    BASIN_TRY(basin__system_space(system, members[i], &member));
    total += member->count;
    dynamic = dynamic || member->dynamic;
  }
  if (total >= BASIN_NONE)
    return BASIN_FAIL(
        context, BASIN_ERROR_RANGE, "union %s: %zu instances are too many", name, total);
  basin_space_id *copy = basin__alloc(context, count * sizeof *copy);
  if (!copy) return BASIN_ERROR_MEMORY;
  memcpy(copy, members, count * sizeof *copy);
  basin_status status = space_append(system, name, parent, id);
  if (status != BASIN_OK) {
    basin__free(context, copy, count * sizeof *copy);
    return status;
  }
  basin_space *space = &system->spaces[*id];
  space->members = copy;
  space->member_count = count;
  space->is_union = true;
  space->dynamic = dynamic;
  space->count = total;
  return BASIN_OK;
}

size_t basin_system_space_count(const basin_system *system, basin_space_id id)
{
  return id < system->space_count ? system->spaces[id].count : 0;
}

/* A connectivity from a space that changed its count is empty until it is set again. */
static void connectivities_clear(basin_system *system, basin_space_id from)
{
  for (size_t i = 0; i < system->connectivity_count; ++i) {
    basin_connectivity *connectivity = &system->connectivities[i];
    if (connectivity->from != from) continue;
    basin__free(system->context, connectivity->indices, connectivity->held * sizeof(uint32_t));
    basin__free(
        system->context, connectivity->offsets, connectivity->offset_count * sizeof(uint32_t));
    connectivity->indices = connectivity->offsets = NULL;
    connectivity->count = connectivity->held = connectivity->offset_count = 0;
    connectivity->set = connectivity->device_valid = connectivity->host_stale = false;
    connectivity->version = ++system->clock;
  }
}

/* Counts of all unions from those of their members, which have smaller ids; SIZE_MAX, or the first
 * union that is too large. */
static size_t unions_count(basin_system *system)
{
  for (size_t u = 0; u < system->space_count; ++u) {
    basin_space *space = &system->spaces[u];
    size_t total = 0;
    for (size_t k = 0; k < space->member_count; ++k)
      total += system->spaces[space->members[k]].count;
    if (space->is_union && total >= BASIN_NONE) return u;
    if (!space->is_union || space->count == total) continue;
    space->count = total;
  }
  return SIZE_MAX;
}

static basin_status space_recount(basin_system *system, basin_space_id id, size_t count)
{
  size_t old = system->spaces[id].count;
  system->spaces[id].count = count;
  size_t large = unions_count(system);
  if (large != SIZE_MAX) {
    system->spaces[id].count = old;
    (void)unions_count(system);
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_RANGE,
                      "union %s: too many instances",
                      system->spaces[large].name);
  }
  uint64_t before = system->clock;
  system->spaces[id].version = ++system->clock;
  connectivities_clear(system, id);
  for (size_t u = id + 1; u < system->space_count; ++u) {
    basin_space *space = &system->spaces[u];
    bool concerned = false;
    for (size_t k = 0; k < space->member_count; ++k)
      concerned = concerned || system->spaces[space->members[k]].version > before;
    if (!concerned) continue;
    space->version = ++system->clock;
    connectivities_clear(system, (basin_space_id)u);
  }
  /* Memory that cannot be had now is asked for again at the next use. */
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < system->array_count; ++i) {
    basin_array *array = system->arrays[i];
    if (array->kind != BASIN_ARRAY_STORED || system->spaces[array->space].version <= before)
      continue;
    array->latest = ++system->clock;
    basin_status fitted = basin__array_fit(system, array);
    status = status == BASIN_OK ? fitted : status;
  }
  return status;
}

basin_status basin_system_resize(basin_system *system, basin_space_id id, size_t count)
{
  basin_space *space;
  BASIN_TRY(basin__system_space(system, id, &space));
  if (space->is_union || !space->dynamic)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "%s %s",
                      space->name,
                      space->is_union ? "is a union: resize its members"
                                      : "was not made dynamic and cannot be resized");
  if (count >= BASIN_NONE)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_RANGE,
                      "space %s: %zu instances are too many",
                      space->name,
                      count);
  return space_recount(system, id, count);
}
