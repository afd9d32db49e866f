/* Dirty tracking by versions and the evaluation of computed arrays, unions and reductions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include <string.h>

static uint64_t newer(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* ---- versions ---- */

static basin_status
refresh(basin_system *system, basin_array_id id, unsigned depth, uint64_t *latest);

static basin_status
refresh_info(basin_system *system, const basin_kernel_info *info, unsigned depth, uint64_t *latest)
{
  for (uint32_t k = 0; k < info->array_count; ++k) {
    uint64_t version;
    BASIN_TRY(refresh(system, info->arrays[k], depth, &version));
    *latest = newer(*latest, version);
  }
  for (uint32_t k = 0; k < info->connectivity_count; ++k) {
    basin_connectivity *connectivity;
    BASIN_TRY(basin__system_connectivity(system, info->connectivities[k], &connectivity));
    *latest = newer(*latest, connectivity->version);
  }
  return BASIN_OK;
}

/* The newest change of anything the array reads; its own `visiting` flag is up meanwhile. */
static basin_status
refresh_inputs(basin_system *system, const basin_array *array, unsigned depth, uint64_t *latest)
{
  uint64_t version;
  switch (array->kind) {
  case BASIN_ARRAY_COMPUTED:
    return refresh_info(system, array->kernel.info, depth, latest);
  case BASIN_ARRAY_UNION:
    for (size_t k = 0; k < array->member_count; ++k) {
      BASIN_TRY(refresh(system, array->members[k], depth, &version));
      *latest = newer(*latest, version);
    }
    return BASIN_OK;
  case BASIN_ARRAY_REDUCTION:
    BASIN_TRY(refresh(system, array->source, depth, &version));
    *latest = newer(*latest, newer(version, system->connectivities[array->connectivity].version));
    return BASIN_OK;
  default:
    return BASIN_OK;
  }
}

static basin_status
refresh(basin_system *system, basin_array_id id, unsigned depth, uint64_t *latest)
{
  basin_array *array;
  BASIN_TRY(basin__system_array(system, id, &array));
  if (array->visiting)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "array %s is computed from itself: its expression forms a cycle",
                      array->name);
  if (depth >= BASIN_DEPTH_MAX)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "array %s stands at the end of a chain of more than %u computed arrays",
                      array->name,
                      BASIN_DEPTH_MAX);
  if (array->kind != BASIN_ARRAY_STORED && array->checked != system->clock) {
    uint64_t newest = system->spaces[array->space].version;
    array->visiting = true;
    basin_status status = refresh_inputs(system, array, depth + 1, &newest);
    array->visiting = false;
    if (status != BASIN_OK) return status;
    array->latest = newest;
    array->checked = system->clock;
  }
  *latest = array->latest;
  return BASIN_OK;
}

basin_status basin__array_refresh(basin_system *system, basin_array_id id, uint64_t *latest)
{
  return refresh(system, id, 0, latest);
}

basin_status
basin__info_latest(basin_system *system, const basin_kernel_info *info, uint64_t *latest)
{
  *latest = 0;
  return refresh_info(system, info, 0, latest);
}

uint64_t basin_system_array_version(basin_system *system, basin_array_id id)
{
  uint64_t latest = 0;
  return refresh(system, id, 0, &latest) == BASIN_OK ? latest : 0;
}

/* ---- evaluation; chains are finite here, `refresh` has seen to that ---- */

static basin_status fill_computed(basin_system *system, basin_array *array)
{
  size_t count = system->spaces[array->space].count;
  BASIN_TRY(basin__binding_fill(system, array->kernel.info, &array->binding));
  return count > 0
             ? basin__kernel_compute(system, &array->kernel, &array->binding, count, array->data)
             : BASIN_OK;
}

static basin_status fill_union(basin_system *system, basin_array *array)
{
  double *out = array->data;
  for (size_t k = 0; k < array->member_count; ++k) {
    const basin_array *member = system->arrays[array->members[k]];
    BASIN_TRY(basin__array_update(system, array->members[k]));
    size_t length = system->spaces[member->space].count * member->size;
    if (length > 0) memcpy(out, member->data, length * sizeof *out);
    out += length;
  }
  return BASIN_OK;
}

typedef struct reduce_task {
  const basin_connectivity *connectivity;
  const double *source;
  double *out;
  size_t size, count;
  bool mean;
} reduce_task;

#define REDUCE_CHUNK 1024u

static void reduce_chunk(void *user, size_t index, unsigned worker)
{
  const reduce_task *task = user;
  const basin_connectivity *rows = task->connectivity;
  size_t end = (index + 1) * REDUCE_CHUNK < task->count ? (index + 1) * REDUCE_CHUNK : task->count,
         size = task->size;
  (void)worker;
  for (size_t i = index * REDUCE_CHUNK; i < end; ++i) {
    double *out = task->out + i * size;
    size_t first = rows->arity ? i * rows->arity : rows->offsets[i];
    size_t last = rows->arity ? first + rows->arity : rows->offsets[i + 1];
    memset(out, 0, size * sizeof *out);
    for (size_t k = first; k < last; ++k)
      for (size_t c = 0; c < size; ++c) out[c] += task->source[rows->indices[k] * size + c];
    if (!task->mean || last == first) continue;
    for (size_t c = 0; c < size; ++c) out[c] /= (double)(last - first);
  }
}

static basin_status fill_reduction(basin_system *system, basin_array *array)
{
  basin_connectivity *connectivity = &system->connectivities[array->connectivity];
  BASIN_TRY(basin__connectivity_check(system, connectivity));
  BASIN_TRY(basin__array_update(system, array->source));
  reduce_task task = {connectivity,
                      system->arrays[array->source]->data,
                      array->data,
                      array->size,
                      system->spaces[array->space].count,
                      array->mean};
  basin__parallel_work(system->context,
                       (task.count + REDUCE_CHUNK - 1) / REDUCE_CHUNK,
                       (double)connectivity->count * (double)array->size,
                       reduce_chunk,
                       &task);
  return BASIN_OK;
}

static basin_status fill(basin_system *system, basin_array *array)
{
  BASIN_TRY(basin__array_fit(system, array));
  if (system->cuda) return basin__array_to_host(system, array);
  switch (array->kind) {
  case BASIN_ARRAY_COMPUTED:
    return fill_computed(system, array);
  case BASIN_ARRAY_UNION:
    return fill_union(system, array);
  case BASIN_ARRAY_REDUCTION:
    return fill_reduction(system, array);
  default:
    return BASIN_OK;
  }
}

/* Asks for the kernels of the array and of everything it reads before the first of them runs. */
basin_status basin__array_request(basin_system *system, basin_array *array)
{
  if (array->kind != BASIN_ARRAY_COMPUTED || basin__kernel_ready(&array->kernel)) return BASIN_OK;
  basin_kernel_list list = {0};
  basin_status status = basin__kernel_list_add(system, &list, &array->kernel);
  if (status == BASIN_OK) status = basin__kernel_list_add_inputs(system, &list, array->kernel.info);
  if (status == BASIN_OK) status = basin__kernel_list_request(system, &list);
  basin__kernel_list_release(system, &list);
  return status;
}

basin_status basin__array_update(basin_system *system, basin_array_id id)
{
  uint64_t latest;
  BASIN_TRY(refresh(system, id, 0, &latest));
  basin_array *array = system->arrays[id];
  if (array->kind == BASIN_ARRAY_STORED) {
    BASIN_TRY(basin__array_fit(system, array));
    return array->host_stale ? basin__array_to_host(system, array) : BASIN_OK;
  }
  if (array->filled == latest) return BASIN_OK;
  BASIN_TRY(basin__array_request(system, array));
  array->filled = 0;
  BASIN_TRY(fill(system, array));
  array->filled = latest;
  return BASIN_OK;
}

/* ---- dependence on unknowns ---- */

static bool contains(const basin_array_id *list, size_t count, basin_array_id id)
{
  for (size_t k = 0; k < count; ++k)
    if (list[k] == id) return true;
  return false;
}

/* `seen` has one flag an array. */
static void depends(const basin_system *system,
                    basin_array_id id,
                    const basin_array_id *targets,
                    size_t count,
                    bool *seen,
                    bool *found)
{
  const basin_array *array = system->arrays[id];
  if (*found || seen[id]) return;
  seen[id] = true;
  if (contains(targets, count, id)) {
    *found = true;
    return;
  }
  if (array->kind == BASIN_ARRAY_COMPUTED)
    for (uint32_t k = 0; k < array->kernel.info->array_count; ++k)
      depends(system, array->kernel.info->arrays[k], targets, count, seen, found);
  if (array->kind == BASIN_ARRAY_UNION)
    for (size_t k = 0; k < array->member_count; ++k)
      depends(system, array->members[k], targets, count, seen, found);
  if (array->kind == BASIN_ARRAY_REDUCTION)
    depends(system, array->source, targets, count, seen, found);
}

basin_status basin__array_depends(basin_system *system,
                                  basin_array_id id,
                                  const basin_array_id *targets,
                                  size_t count,
                                  bool *result)
{
  uint64_t latest;
  BASIN_TRY(refresh(system, id, 0, &latest)); /* all ids are good and no chain is too long */
  bool *seen = basin__calloc(system->context, system->array_count, sizeof *seen);
  if (!seen) return BASIN_ERROR_MEMORY;
  *result = false;
  depends(system, id, targets, count, seen, result);
  basin__free(system->context, seen, system->array_count * sizeof *seen);
  return BASIN_OK;
}
