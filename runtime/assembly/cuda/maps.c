/* DOF maps on a CUDA device: which are out of date, and those that take no weights.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <string.h>

enum { ENTRY_BYTES = 2 * sizeof(uint32_t) };

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

basin_dof_table basin__cuda_map_table(const basin_minimizer *minimizer, size_t number)
{
  const basin_cuda_map *map = &minimizer->device->maps[number];
  bool plain = minimizer->maps.maps[number]->plain;
  return (basin_dof_table){
      map->entries.address, plain ? 0 : map->starts.address, plain ? 0 : map->values.address};
}

basin_status basin__cuda_path(basin_minimizer *minimizer,
                              basin_space_id space,
                              const basin_access *access,
                              basin_cuda_path *path)
{
  basin_walk walk;
  BASIN_TRY(basin__walk_check(&walk, minimizer->system, space, access));
  *path = (basin_cuda_path){.shared = walk.shared, .step_count = walk.step_count};
  for (uint32_t k = 0; k < walk.step_count; ++k) {
    BASIN_TRY(basin__connectivity_on_device(
        minimizer->system, access->steps[k].connectivity, &path->indices[k], NULL));
    path->arity[k] = walk.arity[k];
    path->slot[k] = walk.slot[k];
  }
  return BASIN_OK;
}

/* ---- maps that take no weights ---- */

static basin_status
fill_nodes(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  basin_plain_task task = {.rows = map->row_count,
                           .nodes = map->nodes,
                           .none = map->empty,
                           .entries = own->entries.address};
  if (map->kind == BASIN_DOF_TARGET) {
    const basin_layout *layout = &minimizer->layout;
    const basin_target *target = &layout->targets[basin__layout_find(layout, map->array)];
    task.first = target->first;
    task.stride = target->stride;
  }
  return basin__cuda_simple(
      minimizer, "map_entries.cu", "fill_plain", "", map->row_count, (void *[]){&task});
}

static basin_status
join_members(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  basin_address to = own->entries.address;
  for (size_t k = 0; k < map->child_count; ++k) {
    size_t bytes = minimizer->maps.maps[map->children[k]]->row_count * ENTRY_BYTES;
    basin_address from = minimizer->device->maps[map->children[k]].entries.address;
    if (bytes > 0) BASIN_TRY(basin__cuda_copy(minimizer->device->cuda, to, from, bytes));
    to += bytes;
  }
  return BASIN_OK;
}

static basin_status
fill_plain(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  BASIN_TRY(basin__buffer_reserve(
      minimizer->device->cuda, &own->entries, map->row_count * ENTRY_BYTES + ENTRY_BYTES));
  return map->kind == BASIN_DOF_UNION && !map->empty ? join_members(minimizer, map, own)
                                                     : fill_nodes(minimizer, map, own);
}

/* ---- the whole ---- */

/* The rows anew, if what they are made of has changed; the weights, if what they depend on has. */
static basin_status update(basin_minimizer *minimizer, basin_dof_map *map, basin_cuda_map *own)
{
  bool same = own->structure == map->structure;
  if (same && own->filled == map->version) return BASIN_OK;
  own->filled = 0;
  if (!same) own->structure = 0;
  if (map->row_count >= BASIN_NONE)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_UNSUPPORTED, "a map of unknowns is too large");
  if (map->plain) {
    if (!same) BASIN_TRY(fill_plain(minimizer, map, own));
  } else {
    if (!same) {
      BASIN_TRY(basin__cuda_map_links(minimizer, map, own));
      BASIN_TRY(basin__cuda_map_entries(minimizer, map, own));
    }
    BASIN_TRY(basin__cuda_map_values(minimizer, map, own));
  }
  own->structure = map->structure;
  own->filled = map->version;
  return BASIN_OK;
}

basin_status basin__cuda_maps_update(basin_minimizer *minimizer)
{
  BASIN_TRY(basin__dof_maps_refresh(&minimizer->maps));
  BASIN_TRY(reserve_maps(minimizer));
  for (size_t k = 0; k < minimizer->maps.count; ++k)
    BASIN_TRY(update(minimizer, minimizer->maps.maps[k], &minimizer->device->maps[k]));
  return BASIN_OK;
}

void basin__cuda_map_release(basin_minimizer *minimizer, basin_cuda_map *own)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_buffer *const buffers[] = {&own->entries,
                                   &own->starts,
                                   &own->values,
                                   &own->children,
                                   &own->links,
                                   &own->sorted,
                                   &own->spans,
                                   &own->jacobian};
  for (size_t k = 0; k < BASIN_COUNT(buffers); ++k) basin__buffer_release(cuda, buffers[k]);
  basin__cuda_list_release(minimizer, &own->down);
}
