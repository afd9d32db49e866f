/* Rows of a DOF map and their weights, made on a CUDA device from those of its children.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

static basin_status
run(basin_minimizer *minimizer, const char *entry, size_t items, basin_entry_task *task)
{
  return basin__cuda_simple(minimizer, "map_entries.cu", entry, "", items, (void *[]){task});
}

static basin_status
send_children(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  size_t bytes = map->child_count * sizeof(basin_dof_table);
  basin_dof_table *tables = basin__alloc(minimizer->context, bytes);
  if (!tables) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < map->child_count; ++k)
    tables[k] = basin__cuda_map_table(minimizer, map->children[k]);
  basin_status status = basin__cuda_send(minimizer, &own->children, tables, bytes);
  basin__free(minimizer->context, tables, bytes);
  return status;
}

/* Where the mentions of each link begin, and how many there are. */
static basin_status count_mentions(basin_minimizer *minimizer, basin_entry_task *task)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  uint64_t total;
  BASIN_TRY(basin__buffer_reserve(cuda, &device->sources, (task->links + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->results, 256 * sizeof(double)));
  task->link_starts = device->sources.address;
  task->totals = device->results.address;
  BASIN_TRY(basin__cuda_zero(cuda, task->totals, 2 * sizeof total));
  BASIN_TRY(run(minimizer, "count_mentions", task->links, task));
  BASIN_TRY(basin__cuda_download(cuda, &total, task->totals, sizeof total));
  if (total >= BASIN_NONE)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_UNSUPPORTED, "a map of unknowns is too large");
  task->mentions = total;
  return basin__cuda_scan(
      cuda, &device->scratch, task->link_starts, task->links, task->link_starts);
}

/* Brings the mentions of an entry together, in order; how many entries there are. */
static basin_status sort_mentions(basin_minimizer *minimizer,
                                  const basin_dof_map *map,
                                  basin_cuda_map *own,
                                  basin_entry_task *task)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  size_t count = task->mentions;
  uint32_t runs = 0;
  task->bits = basin__bits_of(minimizer->layout.node_count);
  BASIN_TRY(basin__buffer_reserve(cuda, &device->keys, (count + 1) * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->words, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->heads, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->sorted, (count + 1) * 2 * sizeof(uint32_t)));
  task->keys = device->keys.address;
  task->words = device->words.address;
  task->heads = device->heads.address;
  task->sorted = own->sorted.address;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(run(minimizer, "emit_mentions", count, task));
  BASIN_TRY(basin__cuda_sort_64(cuda,
                                &device->scratch,
                                task->keys,
                                task->words,
                                count,
                                task->bits + basin__bits_of(map->row_count)));
  BASIN_TRY(run(minimizer, "order_mentions", count, task));
  BASIN_TRY(basin__cuda_runs_64(
      cuda, &device->scratch, task->keys, count, task->heads, 0, device->results.address));
  BASIN_TRY(basin__cuda_download(cuda, &runs, device->results.address, sizeof runs));
  task->entries = runs;
  return BASIN_OK;
}

/* Entries at the places of their first mentions. */
static basin_status
place_entries(basin_minimizer *minimizer, basin_cuda_map *own, basin_entry_task *task)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  size_t count = task->entries, words = (task->mentions + 1) * sizeof(uint32_t);
  uint64_t numbers = 0;
  BASIN_TRY(basin__buffer_reserve(cuda, &device->numbers, words));
  task->places = device->numbers.address;
  BASIN_TRY(basin__cuda_zero(cuda, task->places, words));
  BASIN_TRY(run(minimizer, "mark_firsts", count, task));
  BASIN_TRY(basin__cuda_scan(cuda, &device->scratch, task->places, task->mentions, task->places));
  BASIN_TRY(basin__cuda_zero(cuda, task->totals, 2 * sizeof numbers));
  BASIN_TRY(run(minimizer, "place_entries", count, task));
  BASIN_TRY(basin__cuda_download(cuda, &numbers, task->totals + sizeof numbers, sizeof numbers));
  if (numbers > BASIN_DOF_VALUE)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a map of unknowns needs more than 2^31 weights");
  BASIN_TRY(basin__buffer_reserve(cuda, &own->values, (numbers + 1) * sizeof(double)));
  BASIN_TRY(basin__cuda_scan(cuda, &device->scratch, task->sizes, count, task->sizes));
  return run(minimizer, "place_values", count, task);
}

basin_status
basin__cuda_map_entries(basin_minimizer *minimizer, const basin_dof_map *map, basin_cuda_map *own)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  BASIN_TRY(send_children(minimizer, map, own));
  basin_entry_task task = {.rows = map->row_count,
                           .links = own->link_count,
                           .block = minimizer->layout.block,
                           .full = own->mode == BASIN_MAP_BLOCKS,
                           .link = own->links.address,
                           .children = own->children.address};
  BASIN_TRY(count_mentions(minimizer, &task));
  BASIN_TRY(sort_mentions(minimizer, map, own, &task));
  own->entry_count = task.entries;
  /* Numbers of weights are counted where link_starts stood: both are words. */
  size_t entries = task.entries + 1, rows = map->row_count + 1;
  BASIN_TRY(basin__buffer_reserve(cuda, &own->entries, entries * 2 * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->spans, entries * 2 * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->starts, rows * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->sources, entries * sizeof(uint32_t)));
  task.to = own->entries.address;
  task.spans = own->spans.address;
  task.starts = own->starts.address;
  task.sizes = device->sources.address;
  task.link_starts = 0;
  if (task.entries > 0) BASIN_TRY(place_entries(minimizer, own, &task));
  return run(minimizer, "place_rows", rows, &task);
}

/* ---- weights ---- */

static basin_status
run_jacobian(basin_minimizer *minimizer, basin_dof_map *map, basin_cuda_map *own)
{
  basin_system *system = minimizer->system;
  const basin_kernel_slot *slot = &map->source->jacobian;
  size_t instances = map->row_count / map->nodes;
  BASIN_ASSERT(basin__kernel_ready(slot));
  BASIN_TRY(basin__binding_on_device(system, slot->info, &map->binding.device));
  BASIN_TRY(basin__buffer_reserve(minimizer->device->cuda,
                                  &own->jacobian,
                                  (instances * slot->info->output_size + 1) * sizeof(double)));
  if (instances == 0) return BASIN_OK;
  return basin__compute_on_device(system,
                                  slot,
                                  &map->binding.device,
                                  instances,
                                  own->jacobian.address,
                                  system->arrays[map->array]->name);
}

basin_status
basin__cuda_map_values(basin_minimizer *minimizer, basin_dof_map *map, basin_cuda_map *own)
{
  const basin_array *array = minimizer->system->arrays[map->array];
  unsigned block = minimizer->layout.block;
  if (map->kind == BASIN_DOF_COMPUTED) BASIN_TRY(run_jacobian(minimizer, map, own));
  basin_value_task task = {.entries = own->entry_count,
                           .block = block,
                           .mode = own->mode,
                           .nodes = map->nodes,
                           .rows = array->rows,
                           .cols = array->cols,
                           .local = own->local,
                           .entry = own->entries.address,
                           .spans = own->spans.address,
                           .sorted = own->sorted.address,
                           .link = own->links.address,
                           .children = own->children.address,
                           .jacobian = own->jacobian.address,
                           .values = own->values.address};
  return basin__cuda_simple(minimizer,
                            "map_entries.cu",
                            "fill_values",
                            "",
                            own->entry_count * block * block,
                            (void *[]){&task});
}
