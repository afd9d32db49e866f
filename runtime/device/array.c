/* Arrays, one small matrix an instance of a space: their kinds and how they are defined.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include <string.h>

basin_status basin__system_array(const basin_system *system, basin_array_id id, basin_array **array)
{
  if (id >= system->array_count)
    return BASIN_FAIL(system->context, BASIN_ERROR_ARGUMENT, "there is no array %u", (unsigned)id);
  *array = system->arrays[id];
  if ((*array)->kind == BASIN_ARRAY_RESERVED)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "array %u was reserved but never defined",
                      (unsigned)id);
  return BASIN_OK;
}

basin_status basin__array_fit(basin_system *system, basin_array *array)
{
  size_t count = system->spaces[array->space].count, need;
  if (__builtin_mul_overflow(count, array->size, &need) || need > SIZE_MAX / sizeof(double) / 2)
    return BASIN_FAIL(system->context, BASIN_ERROR_MEMORY, "array %s is too large", array->name);
  if (need > array->capacity) {
    double *data = basin__alloc_aligned(system->context, need * sizeof *data);
    if (!data) return BASIN_ERROR_MEMORY;
    if (array->count > 0) memcpy(data, array->data, array->count * array->size * sizeof *data);
    basin__free_aligned(system->context, array->data, array->capacity * sizeof *data);
    array->data = data;
    array->capacity = need;
  }
  if (count > array->count)
    memset(array->data + array->count * array->size,
           0,
           (count - array->count) * array->size * sizeof(double));
  array->count = count;
  if (array->device_count > count) array->device_count = count;
  return BASIN_OK;
}

static void maps_release(basin_context *context, basin_map *map)
{
  while (map) {
    basin_map *next = map->next;
    basin__free(context, map->unknowns, map->unknown_count * sizeof *map->unknowns);
    basin__free(context, map, sizeof *map);
    map = next;
  }
}

basin_map *basin__array_map(const basin_array *array, unsigned block)
{
  basin_map *map = array->map;
  while (map && map->block != block) map = map->next;
  return map;
}

void basin__array_release(basin_system *system, basin_array *array)
{
  basin_context *context = system->context;
  if (!array) return;
  basin__strfree(context, array->name);
  basin__free_aligned(context, array->data, array->capacity * sizeof *array->data);
  basin__buffer_release(system->cuda, &array->device);
  basin__free_aligned(context, array->kept.data, array->kept.capacity * sizeof(double));
  basin__buffer_release(system->cuda, &array->kept.device);
  basin__binding_release(system, &array->binding);
  basin__free(context, array->members, array->member_count * sizeof *array->members);
  maps_release(context, array->map);
  basin__free(context, array, sizeof *array);
}

/* ---- definition ---- */

basin_status basin_system_reserve_array(basin_system *system, basin_array_id *id)
{
  basin_context *context = system->context;
  if (system->array_count >= BASIN_NONE)
    return BASIN_FAIL(context, BASIN_ERROR_RANGE, "too many arrays");
  BASIN_TRY(basin__grow(context,
                        &system->arrays,
                        &system->array_capacity,
                        system->array_count + 1,
                        sizeof *system->arrays));
  basin_array *array = basin__calloc(context, 1, sizeof *array);
  if (!array) return BASIN_ERROR_MEMORY;
  *id = (basin_array_id)system->array_count;
  system->arrays[system->array_count++] = array;
  return BASIN_OK;
}

/* Takes a new or a reserved id and fills in what every array has. The kind is set by the caller
 * when nothing can fail any more. */
static basin_status define(basin_system *system,
                           const char *name,
                           basin_space_id space,
                           unsigned rows,
                           unsigned cols,
                           basin_array_id *id,
                           basin_array **array)
{
  basin_context *context = system->context;
  basin_space *owner;
  BASIN_TRY(basin__system_space(system, space, &owner));
  if (rows == 0 || cols == 0 || rows > 65535 || cols > 65535)
    return BASIN_FAIL(
        context, BASIN_ERROR_SHAPE, "array %s: a %u x %u matrix is not possible", name, rows, cols);
  if (*id == BASIN_NONE) BASIN_TRY(basin_system_reserve_array(system, id));
  if (*id >= system->array_count || system->arrays[*id]->kind != BASIN_ARRAY_RESERVED)
    return BASIN_FAIL(
        context, BASIN_ERROR_STATE, "array %s: id %u is not a reserved one", name, (unsigned)*id);
  basin_array *made = system->arrays[*id];
  basin__strfree(context, made->name); /* of an attempt that failed */
  made->name = basin__strdup(context, name ? name : "array");
  if (!made->name) return BASIN_ERROR_MEMORY;
  made->space = space;
  made->rows = rows;
  made->cols = cols;
  made->size = (size_t)rows * cols;
  *array = made;
  return BASIN_OK;
}

basin_status basin_system_add_array(basin_system *system,
                                    const char *name,
                                    basin_space_id space,
                                    unsigned rows,
                                    unsigned cols,
                                    basin_array_id *id)
{
  basin_array *array;
  BASIN_TRY(define(system, name, space, rows, cols, id, &array));
  BASIN_TRY(basin__array_fit(system, array));
  array->kind = BASIN_ARRAY_STORED;
  array->latest = ++system->clock;
  return BASIN_OK;
}

basin_status basin_system_add_computed(basin_system *system,
                                       const basin_computed_description *description,
                                       basin_array_id *id)
{
  basin_array *array;
  const basin_kernel_info *info = description->info;
  BASIN_TRY(define(system,
                   description->name,
                   description->space,
                   description->rows,
                   description->cols,
                   id,
                   &array));
  if (!info || info->stage != BASIN_STAGE_COMPUTE || info->output_size != array->size)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_SHAPE,
                      "computed array %s: the plan gives %u numbers an instance, the array has %zu",
                      array->name,
                      info ? (unsigned)info->output_size : 0u,
                      array->size);
  array->kernel.plan = description->plan;
  array->kernel.info = info;
  array->kind = BASIN_ARRAY_COMPUTED;
  ++system->clock;
  return BASIN_OK;
}

static basin_status check_member(const basin_system *system,
                                 const basin_array *array,
                                 const basin_array *member,
                                 basin_space_id expected,
                                 size_t number)
{
  if (member->space != expected)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_OWNER,
                      "union array %s: member %zu, %s, belongs to %s, not to %s",
                      array->name,
                      number,
                      member->name,
                      system->spaces[member->space].name,
                      system->spaces[expected].name);
  if (member->rows != array->rows || member->cols != array->cols)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_SHAPE,
                      "union array %s is %u x %u, but its member %s is %u x %u",
                      array->name,
                      array->rows,
                      array->cols,
                      member->name,
                      member->rows,
                      member->cols);
  return BASIN_OK;
}

basin_status basin_system_add_union_array(basin_system *system,
                                          const char *name,
                                          basin_space_id space,
                                          const basin_array_id *members,
                                          size_t count,
                                          basin_array_id *id)
{
  basin_context *context = system->context;
  basin_space *owner;
  basin_array *array, *member;
  BASIN_TRY(basin__system_space(system, space, &owner));
  if (!owner->is_union || owner->member_count != count)
    return BASIN_FAIL(context,
                      BASIN_ERROR_LENGTH,
                      "union array %s: %zu members given, but %s has %zu",
                      name,
                      count,
                      owner->name,
                      owner->member_count);
  BASIN_TRY(basin__system_array(system, members[0], &member));
  BASIN_TRY(define(system, name, space, member->rows, member->cols, id, &array));
  for (size_t k = 0; k < count; ++k) {
    BASIN_TRY(basin__system_array(system, members[k], &member));
    BASIN_TRY(check_member(system, array, member, system->spaces[space].members[k], k));
  }
  array->members = basin__alloc(context, count * sizeof *members);
  if (!array->members) return BASIN_ERROR_MEMORY; /* still only reserved */
  memcpy(array->members, members, count * sizeof *members);
  array->member_count = count;
  array->kind = BASIN_ARRAY_UNION;
  ++system->clock;
  return BASIN_OK;
}

basin_status basin_system_add_reduction(basin_system *system,
                                        const char *name,
                                        basin_connectivity_id connectivity,
                                        basin_array_id source,
                                        bool mean,
                                        basin_array_id *id)
{
  basin_connectivity *rows;
  basin_array *from, *array;
  BASIN_TRY(basin__system_connectivity(system, connectivity, &rows));
  BASIN_TRY(basin__system_array(system, source, &from));
  if (from->space != rows->to)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_OWNER,
                      "reduction %s: %s leads to %s, but %s belongs to %s",
                      name,
                      rows->name,
                      system->spaces[rows->to].name,
                      from->name,
                      system->spaces[from->space].name);
  BASIN_TRY(define(system, name, rows->from, from->rows, from->cols, id, &array));
  array->connectivity = connectivity;
  array->source = source;
  array->mean = mean;
  array->kind = BASIN_ARRAY_REDUCTION;
  ++system->clock;
  return BASIN_OK;
}

/* Does the description fit the array? */
static basin_status check_map(const basin_system *system,
                              const basin_array *array,
                              const basin_map_description *description)
{
  basin_context *context = system->context;
  const basin_kernel_info *info = description->info;
  size_t local = 0;
  for (size_t k = 0; k < description->unknown_count; ++k)
    if (description->unknowns[k].output) local += description->unknowns[k].size;
  if (array->kind != BASIN_ARRAY_COMPUTED)
    return BASIN_FAIL(
        context, BASIN_ERROR_STATE, "%s is not a computed array and takes no map", array->name);
  if (!info || info->stage != BASIN_STAGE_COMPUTE || info->output_size != local * array->size)
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "map of %s: the Jacobian has %u entries an instance, %zu x %zu are expected",
                      array->name,
                      info ? (unsigned)info->output_size : 0u,
                      array->size,
                      local);
  if (description->affine) return BASIN_OK;
  if (!description->curvature_hessian || description->curvature_hessian->local_size != local)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "map of %s is not affine: it needs a curvature plan over the same unknowns",
                      array->name);
  basin_array *weight;
  BASIN_TRY(basin__system_array(system, description->curvature_weight, &weight));
  if (weight->kind != BASIN_ARRAY_STORED || weight->space != array->space ||
      weight->size != array->size)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_SHAPE,
        "map of %s: the curvature weight must be a stored array of its shape and space",
        array->name);
  return BASIN_OK;
}

basin_status basin_system_set_map(basin_system *system,
                                  basin_array_id id,
                                  const basin_map_description *description)
{
  basin_context *context = system->context;
  basin_array *array;
  BASIN_TRY(basin__system_array(system, id, &array));
  BASIN_TRY(check_map(system, array, description));
  unsigned block = description->info->block > 0 ? description->info->block : 1;
  if (basin__array_map(array, block))
    return BASIN_FAIL(context,
                      BASIN_ERROR_STATE,
                      "%s already has a map for nodes of %u numbers",
                      array->name,
                      block);
  basin_map *map = basin__calloc(context, 1, sizeof *map);
  if (!map) return BASIN_ERROR_MEMORY;
  size_t bytes = description->unknown_count * sizeof *map->unknowns;
  if (bytes > 0 && !(map->unknowns = basin__alloc(context, bytes))) {
    basin__free(context, map, sizeof *map);
    return BASIN_ERROR_MEMORY;
  }
  if (bytes > 0) memcpy(map->unknowns, description->unknowns, bytes);
  map->block = block;
  map->unknown_count = description->unknown_count;
  map->jacobian.plan = description->plan;
  map->jacobian.info = description->info;
  map->affine = description->affine;
  map->uniform = description->uniform;
  map->curvature_weight = BASIN_NONE;
  if (!map->affine) {
    map->curvature.plan = description->curvature_plan;
    map->curvature.info = description->curvature_hessian;
    map->curvature_weight = description->curvature_weight;
  }
  map->next = array->map;
  array->map = map;
  ++system->clock;
  return BASIN_OK;
}
