/* Which rows of its children a DOF map takes, found on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* Room for `count` links, which fit words of 32 bits. */
static basin_status reserve_links(basin_minimizer *minimizer, basin_cuda_map *own, size_t count)
{
  own->link_count = count;
  if (count >= BASIN_NONE)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_UNSUPPORTED, "a map of unknowns is too large");
  return basin__buffer_reserve(
      minimizer->device->cuda, &own->links, count * BASIN_LINK_BYTES + BASIN_LINK_BYTES);
}

static basin_status run(basin_minimizer *minimizer, const char *entry, basin_link_task *task)
{
  return basin__cuda_simple(minimizer, "map_entries.cu", entry, "", task->count, (void *[]){task});
}

static basin_status
link_union(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  size_t first = 0;
  BASIN_TRY(reserve_links(minimizer, own, map->row_count));
  for (size_t k = 0; k < map->child_count; ++k) {
    basin_link_task task = {.count = minimizer->maps.maps[map->children[k]]->row_count,
                            .first = first,
                            .child = (uint32_t)k,
                            .links = own->links.address};
    BASIN_TRY(run(minimizer, "link_member", &task));
    first += task.count;
  }
  own->mode = BASIN_MAP_SUM;
  return BASIN_OK;
}

static basin_status
link_reduction(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  basin_system *system = minimizer->system;
  const basin_array *array = system->arrays[map->array];
  basin_link_task task = {.nodes = map->nodes,
                          .arity = system->connectivities[array->connectivity].arity,
                          .instances = map->row_count / map->nodes};
  BASIN_TRY(
      basin__connectivity_on_device(system, array->connectivity, &task.indices, &task.offsets));
  size_t count = system->connectivities[array->connectivity].count;
  BASIN_TRY(reserve_links(minimizer, own, count * map->nodes));
  task.count = own->link_count;
  task.links = own->links.address;
  own->mode = array->mean ? BASIN_MAP_MEAN : BASIN_MAP_SUM;
  return run(minimizer, "link_rows", &task);
}

/* Nodes of all accesses; they agree with the arrays that are read. */
static basin_status
count_inner(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  const basin_system *system = minimizer->system;
  size_t number = 0;
  own->local = 0;
  for (size_t k = 0; k < map->source->unknown_count; ++k) {
    const basin_unknown_access *unknown = &map->source->unknowns[k];
    if (!unknown->output) continue;
    const basin_dof_map *child = minimizer->maps.maps[map->children[number++]];
    if (unknown->size != child->nodes * minimizer->layout.block)
      return BASIN_FAIL(minimizer->context,
                        BASIN_ERROR_SHAPE,
                        "map of %s: %s is read as %u numbers",
                        system->arrays[map->array]->name,
                        basin_system_array_name(system, unknown->access.array),
                        (unsigned)unknown->size);
    own->local += unknown->size;
  }
  return BASIN_OK;
}

static basin_status
link_computed(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  unsigned block = minimizer->layout.block;
  basin_space_id space = minimizer->system->arrays[map->array]->space;
  BASIN_TRY(count_inner(minimizer, map, own));
  BASIN_TRY(reserve_links(minimizer, own, map->row_count * (own->local / block)));
  basin_link_task task = {.nodes = map->nodes,
                          .block = block,
                          .per_row = own->local / block,
                          .links = own->links.address};
  for (size_t k = 0; k < map->source->unknown_count; ++k) {
    const basin_unknown_access *unknown = &map->source->unknowns[k];
    if (!unknown->output) continue;
    task.inner = unknown->size / block;
    task.column = unknown->first;
    task.count = map->row_count * task.inner;
    BASIN_TRY(basin__cuda_path(minimizer, space, &unknown->access, &task.way));
    BASIN_TRY(run(minimizer, "link_access", &task));
    task.position += task.inner;
    ++task.child;
  }
  own->mode = map->source->uniform ? BASIN_MAP_UNIFORM : BASIN_MAP_BLOCKS;
  return BASIN_OK;
}

basin_status
basin__cuda_map_links(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  switch (map->kind) {
  case BASIN_DOF_UNION:
    return link_union(minimizer, map, own);
  case BASIN_DOF_REDUCTION:
    return link_reduction(minimizer, map, own);
  default:
    return link_computed(minimizer, map, own);
  }
}
