/* DOF maps on a CUDA device: the host fills them, and what has changed is copied.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <string.h>

static basin_status reserve_maps(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t before = device->map_capacity;
  BASIN_TRY(basin__grow(minimizer->context,
                        &device->maps,
                        &device->map_capacity,
                        minimizer->maps.count,
                        sizeof *device->maps));
  if (device->map_capacity > before)
    memset(device->maps + before, 0, (device->map_capacity - before) * sizeof *device->maps);
  return BASIN_OK;
}

/* Places as words of 32 bits; basin__dof_fill has seen to it that they fit. */
static basin_status
send_starts(basin_minimizer *minimizer, const basin_dof_map *map, basin_buffer *buffer)
{
  basin_context *context = minimizer->context;
  size_t count = map->row_count + 1, bytes = count * sizeof(uint32_t);
  uint32_t *starts = basin__alloc(context, bytes);
  if (!starts) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < count; ++k) starts[k] = (uint32_t)map->starts[k];
  basin_status status = basin__cuda_send(minimizer, buffer, starts, bytes);
  basin__free(context, starts, bytes);
  return status;
}

static basin_status
send_map(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *to)
{
  size_t entries = map->plain ? map->row_count : map->entry_count;
  BASIN_TRY(
      basin__cuda_send(minimizer, &to->entries, map->entries, entries * sizeof *map->entries));
  if (map->plain) return BASIN_OK;
  BASIN_TRY(send_starts(minimizer, map, &to->starts));
  return basin__cuda_send(
      minimizer, &to->values, map->values, map->value_count * sizeof *map->values);
}

basin_status basin__cuda_maps_update(basin_minimizer *minimizer)
{
  BASIN_TRY(basin__dof_maps_update(&minimizer->maps));
  BASIN_TRY(reserve_maps(minimizer));
  for (size_t k = 0; k < minimizer->maps.count; ++k) {
    const basin_dof_map *map = minimizer->maps.maps[k];
    basin_cuda_map *copy = &minimizer->device->maps[k];
    if (copy->filled == map->filled) continue;
    copy->filled = 0;
    BASIN_TRY(send_map(minimizer, map, copy));
    copy->filled = map->filled;
  }
  return BASIN_OK;
}

basin_dof_table basin__cuda_map_table(const basin_minimizer *minimizer, size_t number)
{
  const basin_cuda_map *map = &minimizer->device->maps[number];
  bool plain = minimizer->maps.maps[number]->plain;
  return (basin_dof_table){
      map->entries.address, plain ? 0 : map->starts.address, plain ? 0 : map->values.address};
}
