/* Gradients with respect to mapped expressions on a CUDA device: one vector has those of all curved
 * maps. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* ---- the vector ---- */

/* Where the rows of each curved map begin. */
static basin_status place_maps(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t rows = 0;
  bool changed = false;
  for (size_t k = 0; k < minimizer->maps.count; ++k) {
    const basin_dof_map *map = minimizer->maps.maps[k];
    uint32_t first = map->curved ? (uint32_t)rows : BASIN_NONE;
    changed = changed || device->maps[k].adjoint != first;
    device->maps[k].adjoint = first;
    if (map->curved) rows += map->row_count;
    if (rows >= BASIN_NONE)
      return BASIN_FAIL(
          minimizer->context, BASIN_ERROR_UNSUPPORTED, "maps of unknowns are too large");
  }
  if (changed || rows != device->adjoint_rows || device->adjoint_version == 0)
    ++device->adjoint_version;
  device->adjoint_rows = rows;
  return BASIN_OK;
}

basin_status basin__cuda_adjoint_begin(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  BASIN_TRY(place_maps(minimizer));
  size_t bytes = device->adjoint_rows * minimizer->layout.block * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->adjoints, bytes + sizeof(double)));
  return basin__cuda_zero(device->cuda, device->adjoints.address, bytes);
}

static basin_address adjoint_of(const basin_minimizer *minimizer, size_t map)
{
  const basin_cuda_minimizer *device = minimizer->device;
  return device->adjoints.address +
         (size_t)device->maps[map].adjoint * minimizer->layout.block * sizeof(double);
}

static unsigned place_bits(const basin_minimizer *minimizer)
{
  return basin__bits_of(minimizer->device->adjoint_rows + 1);
}

/* ---- what the elements of a term add ---- */

/* Of each local node: where the rows of its map begin. */
static basin_status send_bases(basin_minimizer *minimizer, basin_term *term)
{
  size_t bytes = term->local_nodes * sizeof(uint32_t);
  uint32_t *bases = basin__alloc(minimizer->context, bytes);
  if (!bases) return BASIN_ERROR_MEMORY;
  for (size_t a = 0; a < term->local_nodes; ++a)
    bases[a] = minimizer->device->maps[term->node_maps[a]].adjoint;
  basin_status status = basin__cuda_send(minimizer, &term->device->bases, bases, bytes);
  basin__free(minimizer->context, bases, bytes);
  return status;
}

static basin_status make_list(basin_minimizer *minimizer, const basin_term *term)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_term *own = term->device;
  basin_cuda_list *list = &own->adjoint;
  size_t count = term->elements * term->local_nodes;
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->keys, count * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(device->cuda, &list->words, count * sizeof(uint32_t)));
  basin_emit_task task = {.elements = term->elements,
                          .count = count,
                          .local_nodes = term->local_nodes,
                          .bits = place_bits(minimizer),
                          .batch = (uint32_t)own->batch,
                          .block = minimizer->layout.block,
                          .staged = basin__cuda_staged(minimizer, term),
                          .rows = own->rows.address,
                          .bases = own->bases.address,
                          .keys = device->keys.address,
                          .words = list->words.address};
  BASIN_TRY(
      basin__cuda_simple(minimizer, "contributions.cu", "emit_rows", "", count, (void *[]){&task}));
  return basin__cuda_list_build(minimizer, term->name, own->batches, count, task.bits, list);
}

basin_status basin__cuda_adjoint_list(basin_minimizer *minimizer, basin_term *term)
{
  const basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_term *own = term->device;
  if (own->adjoint_number == own->number && own->adjoint_version == device->adjoint_version)
    return BASIN_OK;
  own->adjoint_number = 0;
  BASIN_TRY(send_bases(minimizer, term));
  if (!device->atomic) BASIN_TRY(make_list(minimizer, term));
  own->adjoint_number = own->number;
  own->adjoint_version = device->adjoint_version;
  return BASIN_OK;
}

/* ---- from a map to its children ---- */

static basin_adjoint_task task_of(const basin_minimizer *minimizer, size_t number)
{
  const basin_dof_map *map = minimizer->maps.maps[number];
  const basin_cuda_map *own = &minimizer->device->maps[number];
  const basin_array *array = minimizer->system->arrays[map->array];
  bool computed = map->kind == BASIN_DOF_COMPUTED;
  return (basin_adjoint_task){.rows = map->row_count,
                              .links = own->link_count,
                              .limit = minimizer->device->adjoint_rows,
                              .block = minimizer->layout.block,
                              .mean = own->mode == BASIN_MAP_MEAN,
                              .nodes = map->nodes,
                              .matrix_rows = array->rows,
                              .matrix_cols = array->cols,
                              .local = own->local,
                              .per_row = computed ? own->local / minimizer->layout.block : 0,
                              .bits = place_bits(minimizer),
                              .link = own->links.address,
                              .jacobian = own->jacobian.address,
                              .from = adjoint_of(minimizer, number),
                              .to = minimizer->device->adjoints.address};
}

static basin_status union_down(basin_minimizer *minimizer, const basin_dof_map *map, size_t number)
{
  basin_address from = adjoint_of(minimizer, number);
  for (size_t k = 0; k < map->child_count; ++k) {
    size_t count = minimizer->maps.maps[map->children[k]]->row_count * minimizer->layout.block;
    basin_address to = adjoint_of(minimizer, map->children[k]);
    if (minimizer->maps.maps[map->children[k]]->curved)
      BASIN_TRY(basin__cuda_combine(minimizer->device->cuda, count, to, 1, from, to));
    from += count * sizeof(double);
  }
  return BASIN_OK;
}

static basin_status
send_child_bases(basin_minimizer *minimizer, const basin_dof_map *map, bool *wanted)
{
  size_t bytes = map->child_count * sizeof(uint32_t);
  uint32_t *bases = basin__alloc(minimizer->context, bytes);
  if (!bases) return BASIN_ERROR_MEMORY;
  *wanted = false;
  for (size_t k = 0; k < map->child_count; ++k) {
    bases[k] = minimizer->device->maps[map->children[k]].adjoint;
    *wanted = *wanted || bases[k] != BASIN_NONE;
  }
  basin_status status =
      *wanted ? basin__cuda_send(minimizer, &minimizer->device->tables, bases, bytes) : BASIN_OK;
  basin__free(minimizer->context, bases, bytes);
  return status;
}

/* The links of a map, sorted by the rows of curved children that they lead to. */
static basin_status update_down(basin_minimizer *minimizer, size_t number)
{
  basin_cuda_minimizer *device = minimizer->device;
  const basin_dof_map *map = minimizer->maps.maps[number];
  basin_cuda_map *own = &device->maps[number];
  basin_adjoint_task task = task_of(minimizer, number);
  bool wanted;
  if (own->down_structure == own->structure && own->down_version == device->adjoint_version)
    return BASIN_OK;
  own->down_structure = 0;
  own->down.run_count = own->down.long_count = 0;
  BASIN_TRY(send_child_bases(minimizer, map, &wanted));
  if (wanted) {
    BASIN_TRY(basin__buffer_reserve(
        device->cuda, &device->keys, (own->link_count + 1) * sizeof(uint64_t)));
    BASIN_TRY(basin__buffer_reserve(
        device->cuda, &own->down.words, (own->link_count + 1) * sizeof(uint32_t)));
    task.bases = device->tables.address;
    task.keys = device->keys.address;
    task.words = own->down.words.address;
    BASIN_TRY(basin__cuda_simple(
        minimizer, "adjoints.cu", "emit_links", "", own->link_count, (void *[]){&task}));
    BASIN_TRY(basin__cuda_list_build(minimizer,
                                     minimizer->system->arrays[map->array]->name,
                                     1,
                                     own->link_count,
                                     task.bits,
                                     &own->down));
  }
  own->down_structure = own->structure;
  own->down_version = device->adjoint_version;
  return BASIN_OK;
}

static basin_status links_down(basin_minimizer *minimizer, size_t number)
{
  basin_cuda *cuda = minimizer->device->cuda;
  BASIN_TRY(update_down(minimizer, number));
  const basin_cuda_list *list = &minimizer->device->maps[number].down;
  basin_adjoint_task task = task_of(minimizer, number);
  task.count = list->run_count;
  task.length = list->long_length;
  task.words = list->words.address;
  task.heads = list->heads.address;
  task.places = list->places.address;
  task.longs = list->longs.address;
  BASIN_TRY(basin__cuda_simple(
      minimizer, "adjoints.cu", "hand_down", "", task.count * task.block, (void *[]){&task}));
  return list->long_count == 0 ? BASIN_OK
                               : basin__cuda_run(cuda,
                                                 "adjoints.cu",
                                                 "hand_down_long",
                                                 "",
                                                 (unsigned)list->long_count,
                                                 (void *[]){&task});
}

basin_status basin__cuda_adjoint_propagate(basin_minimizer *minimizer)
{
  for (size_t k = minimizer->maps.count; k-- > 0;) {
    const basin_dof_map *map = minimizer->maps.maps[k];
    if (!map->curved || map->row_count == 0) continue;
    if (map->kind == BASIN_DOF_UNION)
      BASIN_TRY(union_down(minimizer, map, k));
    else
      BASIN_TRY(links_down(minimizer, k));
  }
  return BASIN_OK;
}

basin_status basin__cuda_adjoint_store(basin_minimizer *minimizer, size_t number)
{
  basin_system *system = minimizer->system;
  const basin_dof_map *map = minimizer->maps.maps[number];
  basin_array_id weight = map->source->curvature_weight;
  basin_adjoint_task task = task_of(minimizer, number);
  task.count = map->row_count / map->nodes;
  BASIN_TRY(basin__array_write_on_device(system, weight, &task.to));
  BASIN_TRY(basin__cuda_simple(minimizer,
                               "adjoints.cu",
                               "store_adjoint",
                               "",
                               task.count * task.matrix_rows * task.matrix_cols,
                               (void *[]){&task}));
  basin__array_written_on_device(system, weight);
  return BASIN_OK;
}
