/* Values of stored arrays that are kept to be put back: beside the copy that is up to date, so that
 * nothing is transferred. SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"

#include <string.h>

static basin_status find(basin_system *system, basin_array_id id, basin_array **array)
{
  BASIN_TRY(basin__system_array(system, id, array));
  if ((*array)->kind == BASIN_ARRAY_STORED) return basin__array_fit(system, *array);
  return BASIN_FAIL(system->context,
                    BASIN_ERROR_STATE,
                    "%s is computed from other arrays and cannot be set",
                    (*array)->name);
}

static size_t bytes_of(const basin_array *array, size_t instances)
{
  return instances * array->size * sizeof(double);
}

static basin_status keep_on_host(basin_system *system, basin_array *array, size_t bytes)
{
  basin_kept *kept = &array->kept;
  if (bytes > kept->capacity * sizeof *kept->data) {
    double *made = basin__alloc_aligned(system->context, bytes);
    if (!made) return BASIN_ERROR_MEMORY;
    basin__free_aligned(system->context, kept->data, kept->capacity * sizeof *made);
    kept->data = made;
    kept->capacity = bytes / sizeof *made;
  }
  if (bytes > 0) memcpy(kept->data, array->data, bytes);
  return BASIN_OK;
}

static basin_status
keep_on_device(basin_system *system, basin_array_id id, basin_array *array, size_t bytes)
{
  basin_address from;
  BASIN_TRY(basin__array_on_device(system, id, &from));
  BASIN_TRY(basin__buffer_reserve(system->cuda, &array->kept.device, bytes));
  return basin__cuda_copy(system->cuda, array->kept.device.address, from, bytes);
}

basin_status basin_system_keep_array(basin_system *system, basin_array_id id)
{
  basin_array *array;
  BASIN_TRY(find(system, id, &array));
  basin_kept *kept = &array->kept;
  size_t count = system->spaces[array->space].count, bytes = bytes_of(array, count);
  kept->valid = false;
  kept->on_device = array->host_stale;
  BASIN_TRY(kept->on_device ? keep_on_device(system, id, array, bytes)
                            : keep_on_host(system, array, bytes));
  kept->count = count;
  kept->version = array->latest;
  kept->valid = true;
  return BASIN_OK;
}

basin_status basin_system_restore_array(basin_system *system, basin_array_id id)
{
  basin_array *array;
  BASIN_TRY(find(system, id, &array));
  const basin_kept *kept = &array->kept;
  size_t count = system->spaces[array->space].count, bytes = bytes_of(array, count);
  if (!kept->valid)
    return BASIN_FAIL(
        system->context, BASIN_ERROR_STATE, "array %s: no values were kept", array->name);
  if (kept->count != count)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_LENGTH,
                      "array %s: values of %zu instances were kept, there are now %zu",
                      array->name,
                      kept->count,
                      count);
  if (kept->on_device && array->host_version == kept->version) {
    basin__array_changed(system, array); /* they were read since: this serves without the device */
    return BASIN_OK;
  }
  if (!kept->on_device) {
    if (bytes > 0) memcpy(array->data, kept->data, bytes);
    basin__array_changed(system, array);
    return BASIN_OK;
  }
  basin_address to;
  BASIN_TRY(basin__array_write_on_device(system, id, &to));
  BASIN_TRY(basin__cuda_copy(system->cuda, to, kept->device.address, bytes));
  basin__array_written_on_device(system, id);
  return BASIN_OK;
}
