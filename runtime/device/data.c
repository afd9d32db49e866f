/* Data of arrays: values in and out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include <math.h>
#include <string.h>

static basin_status find_stored(basin_system *system, basin_array_id id, basin_array **array)
{
  BASIN_TRY(basin__system_array(system, id, array));
  if ((*array)->kind != BASIN_ARRAY_STORED)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "%s is computed from other arrays and cannot be set",
                      (*array)->name);
  return basin__array_fit(system, *array);
}

static basin_status
check_finite(const basin_system *system, const basin_array *array, const double *data, size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (!isfinite(data[k]))
      return BASIN_FAIL(system->context,
                        BASIN_ERROR_NOT_FINITE,
                        "array %s: entry (%zu, %zu) of instance %zu is %s",
                        array->name,
                        k % array->size / array->cols,
                        k % array->size % array->cols,
                        k / array->size,
                        isnan(data[k]) ? "not a number" : "infinite");
  return BASIN_OK;
}

basin_status
basin_system_set_array(basin_system *system, basin_array_id id, const double *data, size_t count)
{
  basin_array *array;
  BASIN_TRY(find_stored(system, id, &array));
  size_t instances = system->spaces[array->space].count;
  if (count != instances * array->size)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_LENGTH,
                      "array %s: %zu numbers given, but %zu instances of %u x %u need %zu",
                      array->name,
                      count,
                      instances,
                      array->rows,
                      array->cols,
                      instances * array->size);
  BASIN_TRY(check_finite(system, array, data, count));
  if (count > 0) memmove(array->data, data, count * sizeof *data);
  basin__array_changed(system, array);
  return BASIN_OK;
}

basin_status
basin_system_fill_array(basin_system *system, basin_array_id id, const double *data, size_t count)
{
  basin_array *array;
  BASIN_TRY(find_stored(system, id, &array));
  if (count != array->size)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_LENGTH,
                      "array %s: %zu numbers given, but one instance has %u x %u",
                      array->name,
                      count,
                      array->rows,
                      array->cols);
  BASIN_TRY(check_finite(system, array, data, count));
  size_t instances = system->spaces[array->space].count;
  for (size_t i = 0; i < instances; ++i)
    memcpy(array->data + i * count, data, count * sizeof *data);
  basin__array_changed(system, array);
  return BASIN_OK;
}

basin_status basin_system_array(basin_system *system, basin_array_id id, basin_span *view)
{
  basin_array *array;
  BASIN_TRY(basin__system_array(system, id, &array));
  BASIN_TRY(basin__array_update(system, id));
  view->data = array->data;
  view->count = system->spaces[array->space].count;
  view->size = view->stride = array->size;
  return BASIN_OK;
}

double *basin_system_array_data(basin_system *system, basin_array_id id)
{
  basin_array *array = id < system->array_count ? system->arrays[id] : NULL;
  if (!array || array->kind != BASIN_ARRAY_STORED) return NULL;
  return basin__array_update(system, id) == BASIN_OK ? array->data : NULL;
}

void basin__array_changed(basin_system *system, basin_array *array)
{
  array->latest = array->host_version = ++system->clock;
  array->device_valid = array->host_stale = false;
}

void basin_system_touch(basin_system *system, basin_array_id id)
{
  if (id < system->array_count && system->arrays[id]->kind == BASIN_ARRAY_STORED)
    basin__array_changed(system, system->arrays[id]);
}

void basin_system_array_shape(const basin_system *system,
                              basin_array_id id,
                              basin_space_id *space,
                              unsigned *rows,
                              unsigned *cols)
{
  const basin_array *array = id < system->array_count ? system->arrays[id] : NULL;
  if (space) *space = array ? array->space : BASIN_NONE;
  if (rows) *rows = array ? array->rows : 0;
  if (cols) *cols = array ? array->cols : 0;
}

const char *basin_system_array_name(const basin_system *system, basin_array_id id)
{
  return id < system->array_count && system->arrays[id]->name ? system->arrays[id]->name : "";
}
