/* Node numbering of targets and JOIN paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/layout.h"
#include <string.h>

static basin_status target_init(const basin_layout *layout, basin_target *target, basin_array_id id)
{
  basin_system *system = layout->system;
  basin_array *array;
  BASIN_TRY(basin__system_array(system, id, &array));
  if (array->kind != BASIN_ARRAY_STORED)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_ARGUMENT,
                      "%s is computed from other arrays and cannot be an unknown",
                      array->name);
  if (array->size % layout->block != 0)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_SHAPE,
                      "%s has %u x %u entries, which nodes of %u numbers do not divide",
                      array->name,
                      array->rows,
                      array->cols,
                      layout->block);
  target->array = id;
  target->space = array->space;
  target->rows = array->rows;
  target->cols = array->cols;
  target->size = array->size;
  target->nodes = (unsigned)(array->size / layout->block);
  return BASIN_OK;
}

basin_status basin__layout_init(basin_layout *layout,
                                basin_system *system,
                                const basin_array_id *targets,
                                size_t count,
                                unsigned block)
{
  memset(layout, 0, sizeof *layout);
  layout->system = system;
  layout->block = block;
  if (block < 1 || block > 12)
    return BASIN_FAIL(
        system->context, BASIN_ERROR_ARGUMENT, "nodes of %u numbers are not possible", block);
  if (count == 0) return BASIN_FAIL(system->context, BASIN_ERROR_ARGUMENT, "there are no unknowns");
  layout->targets = basin__calloc(system->context, count, sizeof *layout->targets);
  if (!layout->targets) return BASIN_ERROR_MEMORY;
  layout->target_count = count;
  basin_status status = BASIN_OK;
  for (size_t k = 0; k < count && status == BASIN_OK; ++k) {
    for (size_t j = 0; j < k && status == BASIN_OK; ++j)
      if (targets[j] == targets[k])
        status = BASIN_FAIL(system->context,
                            BASIN_ERROR_ARGUMENT,
                            "%s is named twice as an unknown",
                            basin_system_array_name(system, targets[k]));
    if (status == BASIN_OK) status = target_init(layout, &layout->targets[k], targets[k]);
  }
  if (status == BASIN_OK) status = basin__layout_update(layout);
  if (status != BASIN_OK) basin__layout_fini(layout);
  return status;
}

void basin__layout_fini(basin_layout *layout)
{
  if (!layout->system) return;
  basin__free(
      layout->system->context, layout->targets, layout->target_count * sizeof *layout->targets);
  memset(layout, 0, sizeof *layout);
}

/* The first target that lives on the space of target `k`. */
static size_t leader(const basin_layout *layout, size_t k)
{
  size_t j = 0;
  while (layout->targets[j].space != layout->targets[k].space) ++j;
  return j;
}

static size_t instance_nodes(const basin_layout *layout, basin_space_id space)
{
  size_t nodes = 0;
  for (size_t k = 0; k < layout->target_count; ++k)
    if (layout->targets[k].space == space) nodes += layout->targets[k].nodes;
  return nodes;
}

basin_status basin__layout_update(basin_layout *layout)
{
  size_t first = 0;
  uint64_t version = 0;
  for (size_t k = 0; k < layout->target_count; ++k) {
    basin_target *target = &layout->targets[k];
    const basin_space *space = &layout->system->spaces[target->space];
    target->count = space->count;
    target->stride = instance_nodes(layout, target->space);
    version = space->version > version ? space->version : version;
    if (leader(layout, k) != k) continue;
    size_t place = first;
    for (size_t j = k; j < layout->target_count; ++j) {
      if (layout->targets[j].space != target->space) continue;
      layout->targets[j].first = place;
      place += layout->targets[j].nodes;
    }
    first += space->count * target->stride;
  }
  if (first >= BASIN_NONE)
    return BASIN_FAIL(layout->system->context, BASIN_ERROR_RANGE, "%zu nodes are too many", first);
  layout->node_count = first;
  layout->version = version;
  return BASIN_OK;
}

size_t basin__layout_instances(const basin_layout *layout, size_t limit, basin_node_range *ranges)
{
  size_t count = 0;
  for (size_t k = 0; k < layout->target_count; ++k) {
    const basin_target *target = &layout->targets[k];
    if (leader(layout, k) != k || target->stride < 2 || target->stride * layout->block > limit)
      continue;
    for (size_t i = 0; i < target->count && ranges; ++i)
      ranges[count + i] = (basin_node_range){(uint32_t)(target->first + i * target->stride),
                                             (uint32_t)target->stride};
    count += target->count;
  }
  return count;
}

size_t basin__layout_find(const basin_layout *layout, basin_array_id array)
{
  for (size_t k = 0; k < layout->target_count; ++k)
    if (layout->targets[k].array == array) return k;
  return SIZE_MAX;
}

/* Instances that both the layout and the array have: a space may have been resized since. */
static size_t common_count(const basin_layout *layout, const basin_target *target)
{
  size_t count = layout->system->spaces[target->space].count;
  return count < target->count ? count : target->count;
}

void basin__layout_to_array(const basin_layout *layout,
                            size_t number,
                            const double *vector,
                            double *array)
{
  const basin_target *target = &layout->targets[number];
  size_t b = layout->block, count = common_count(layout, target);
  size_t present = layout->system->spaces[target->space].count;
  for (size_t k = 0; k < count; ++k) {
    const double *from = vector + (target->first + k * target->stride) * b;
    double *to = array + k * target->size;
    for (size_t node = 0; node < target->nodes; ++node)
      for (size_t i = 0; i < b; ++i)
        to[basin__node_entry(target->rows, target->cols, layout->block, node, i)] = *from++;
  }
  for (size_t k = count * target->size; k < present * target->size; ++k) array[k] = 0;
}

void basin__layout_from_array(const basin_layout *layout,
                              size_t number,
                              const double *array,
                              double *vector)
{
  const basin_target *target = &layout->targets[number];
  size_t b = layout->block, count = common_count(layout, target);
  for (size_t k = 0; k < count; ++k) {
    const double *from = array + k * target->size;
    double *to = vector + (target->first + k * target->stride) * b;
    for (size_t node = 0; node < target->nodes; ++node)
      for (size_t i = 0; i < b; ++i)
        *to++ = from[basin__node_entry(target->rows, target->cols, layout->block, node, i)];
  }
}

basin_status basin__walk_check(basin_walk *walk,
                               const basin_system *system,
                               basin_space_id space,
                               const basin_access *access)
{
  basin_context *context = system->context;
  basin_array *array;
  BASIN_TRY(basin__system_array(system, access->array, &array));
  memset(walk, 0, sizeof *walk);
  walk->shared = system->spaces[array->space].shared && access->step_count == 0;
  if (access->step_count > BASIN_PATH_MAX)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s is read through more than %d connectivities",
                      array->name,
                      BASIN_PATH_MAX);
  for (uint32_t k = 0; k < access->step_count; ++k) {
    basin_connectivity *connectivity;
    BASIN_TRY(basin__system_connectivity(system, access->steps[k].connectivity, &connectivity));
    if (connectivity->from != space || access->steps[k].slot >= connectivity->arity)
      return BASIN_FAIL(context,
                        BASIN_ERROR_OWNER,
                        "%s is read through %s (slot %u of %u), which starts at %s, not at %s",
                        array->name,
                        connectivity->name,
                        (unsigned)access->steps[k].slot,
                        connectivity->arity,
                        system->spaces[connectivity->from].name,
                        system->spaces[space].name);
    BASIN_TRY(basin__connectivity_range(system, connectivity));
    walk->arity[k] = connectivity->arity;
    walk->slot[k] = access->steps[k].slot;
    space = connectivity->to;
  }
  walk->step_count = access->step_count;
  if (!walk->shared && array->space != space)
    return BASIN_FAIL(context,
                      BASIN_ERROR_OWNER,
                      "%s belongs to %s, but its path ends at %s",
                      array->name,
                      system->spaces[array->space].name,
                      system->spaces[space].name);
  return BASIN_OK;
}

basin_status basin__walk_init(basin_walk *walk,
                              const basin_system *system,
                              basin_space_id space,
                              const basin_access *access)
{
  BASIN_TRY(basin__walk_check(walk, system, space, access));
  for (uint32_t k = 0; k < walk->step_count; ++k) {
    basin_connectivity *connectivity = &system->connectivities[access->steps[k].connectivity];
    BASIN_TRY(basin__connectivity_check(system, connectivity));
    walk->indices[k] = connectivity->indices;
  }
  return BASIN_OK;
}

uint64_t basin__walk_version(const basin_system *system, const basin_access *access)
{
  uint64_t version = 0;
  for (uint32_t k = 0; k < access->step_count && k < BASIN_PATH_MAX; ++k) {
    basin_connectivity_id id = access->steps[k].connectivity;
    if (id >= system->connectivity_count) continue;
    const basin_connectivity *connectivity = &system->connectivities[id];
    uint64_t target = system->spaces[connectivity->to].version;
    if (connectivity->version > version) version = connectivity->version;
    if (target > version) version = target;
  }
  return version;
}
