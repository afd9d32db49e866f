/* DOF maps: which maps there are, what they depend on, and whether they are up to date.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/dof_map.h"
#include "assembly/dof_fill.h"
#include <string.h>

void basin__dof_maps_init(basin_dof_maps *maps, basin_layout *layout)
{
  memset(maps, 0, sizeof *maps);
  maps->layout = layout;
}

static void map_destroy(basin_system *system, basin_dof_map *map)
{
  basin_context *context = system->context;
  basin__free(context, map->children, map->child_count * sizeof *map->children);
  basin__free(context, map->starts, map->start_capacity * sizeof *map->starts);
  basin__free(context, map->entries, map->entry_capacity * sizeof *map->entries);
  basin__free(context, map->values, map->value_capacity * sizeof *map->values);
  basin__free_aligned(context, map->jacobian, map->jacobian_capacity * sizeof *map->jacobian);
  basin__free(context, map->adjoint, map->adjoint_capacity * sizeof *map->adjoint);
  basin__binding_release(system, &map->binding);
  basin__free(context, map, sizeof *map);
}

void basin__dof_maps_fini(basin_dof_maps *maps)
{
  if (!maps->layout || !maps->layout->system) return;
  basin_system *system = maps->layout->system;
  for (size_t k = 0; k < maps->count; ++k) map_destroy(system, maps->maps[k]);
  basin__free(system->context, maps->maps, maps->capacity * sizeof *maps->maps);
  basin__free(system->context, maps->marker, maps->marker_capacity * sizeof *maps->marker);
  memset(maps, 0, sizeof *maps);
}

/* ---- making maps ---- */

/* What a map is made from: the arrays below it. */
typedef struct sources {
  basin_dof_kind kind;
  basin_map *map;
  size_t count;
} sources;

/* A computed array without a map is held data, unless it depends on an unknown. */
static basin_status
held_or_error(const basin_layout *layout, basin_array_id id, const basin_array *array)
{
  basin_context *context = layout->system->context;
  basin_array_id *targets = basin__alloc(context, layout->target_count * sizeof *targets);
  if (!targets) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < layout->target_count; ++k) targets[k] = layout->targets[k].array;
  bool depends = false;
  basin_status status =
      basin__array_depends(layout->system, id, targets, layout->target_count, &depends);
  basin__free(context, targets, layout->target_count * sizeof *targets);
  if (status == BASIN_OK && depends)
    status =
        BASIN_FAIL(context,
                   BASIN_ERROR_STATE,
                   "%s depends on an unknown, but has no map through which derivatives could flow",
                   array->name);
  return status;
}

static basin_status
classify(const basin_layout *layout, basin_array_id id, const basin_array *array, sources *out)
{
  out->count = 0;
  out->kind = BASIN_DOF_HELD;
  out->map = basin__array_map(array, layout->block);
  if (basin__layout_find(layout, id) != SIZE_MAX) {
    out->kind = BASIN_DOF_TARGET;
  } else if (array->kind == BASIN_ARRAY_UNION) {
    out->kind = BASIN_DOF_UNION;
    out->count = array->member_count;
  } else if (array->kind == BASIN_ARRAY_REDUCTION) {
    out->kind = BASIN_DOF_REDUCTION;
    out->count = 1;
  } else if (array->kind == BASIN_ARRAY_COMPUTED && out->map) {
    out->kind = BASIN_DOF_COMPUTED;
    for (size_t k = 0; k < out->map->unknown_count; ++k) out->count += out->map->unknowns[k].output;
  } else if (array->kind == BASIN_ARRAY_COMPUTED) {
    return held_or_error(layout, id, array);
  }
  return BASIN_OK;
}

/* The number-th array below. */
static basin_array_id
source_array(const basin_array *array, const basin_dof_map *map, size_t number)
{
  if (map->kind == BASIN_DOF_UNION) return array->members[number];
  if (map->kind == BASIN_DOF_REDUCTION) return array->source;
  const basin_unknown_access *unknown = map->source->unknowns;
  for (;; ++unknown)
    if (unknown->output && number-- == 0) return unknown->access.array;
}

/* Properties that follow from the children. */
static void conclude(const basin_dof_maps *maps, basin_dof_map *map)
{
  bool plain = true, empty = true, affine = true, curved = false;
  for (size_t k = 0; k < map->child_count; ++k) {
    const basin_dof_map *child = maps->maps[map->children[k]];
    plain = plain && child->plain;
    empty = empty && child->empty;
    affine = affine && child->affine;
    curved = curved || child->curved;
  }
  if (map->kind == BASIN_DOF_TARGET) empty = false;
  if (map->kind == BASIN_DOF_REDUCTION || map->kind == BASIN_DOF_COMPUTED) plain = empty;
  if (map->kind == BASIN_DOF_COMPUTED && !empty && !map->source->affine) {
    affine = false;
    curved = true;
  }
  map->plain = plain;
  map->empty = empty;
  map->affine = affine;
  map->curved = curved && !empty;
}

static basin_status build(basin_dof_maps *maps, basin_array_id id, unsigned depth, size_t *number);

static basin_status
build_children(basin_dof_maps *maps, basin_dof_map *map, const basin_array *array, unsigned depth)
{
  for (size_t k = 0; k < map->child_count; ++k) {
    basin_array_id source = source_array(array, map, k);
    BASIN_TRY(build(maps, source, depth + 1, &map->children[k]));
  }
  return BASIN_OK;
}

static basin_status append(basin_dof_maps *maps, basin_dof_map *map, size_t *number)
{
  BASIN_TRY(basin__grow(maps->layout->system->context,
                        &maps->maps,
                        &maps->capacity,
                        maps->count + 1,
                        sizeof *maps->maps));
  *number = maps->count;
  maps->maps[maps->count++] = map;
  return BASIN_OK;
}

/* Cycles of maps are cycles of arrays, which basin__array_refresh has already excluded. */
static basin_status build(basin_dof_maps *maps, basin_array_id id, unsigned depth, size_t *number)
{
  basin_system *system = maps->layout->system;
  basin_context *context = system->context;
  basin_array *array;
  for (size_t k = 0; k < maps->count; ++k)
    if (maps->maps[k]->array == id) {
      *number = k;
      return BASIN_OK;
    }
  BASIN_TRY(basin__system_array(system, id, &array));
  if (depth > BASIN_DEPTH_MAX)
    return BASIN_FAIL(
        context, BASIN_ERROR_UNSUPPORTED, "%s depends on itself through its map", array->name);
  if (array->size % maps->layout->block != 0)
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "%s has %u x %u entries, which nodes of %u numbers do not divide",
                      array->name,
                      array->rows,
                      array->cols,
                      maps->layout->block);
  sources from;
  BASIN_TRY(classify(maps->layout, id, array, &from));
  basin_dof_map *map = basin__calloc(context, 1, sizeof *map);
  if (!map) return BASIN_ERROR_MEMORY;
  map->array = id;
  map->kind = from.kind;
  map->source = from.map;
  map->nodes = (unsigned)(array->size / maps->layout->block);
  basin_status status = BASIN_OK;
  if (from.count > 0 &&
      !(map->children = basin__calloc(context, from.count, sizeof *map->children)))
    status = BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    map->child_count = from.count;
    status = build_children(maps, map, array, depth);
  }
  if (status == BASIN_OK) {
    conclude(maps, map);
    status = append(maps, map, number);
  }
  if (status != BASIN_OK) map_destroy(system, map);
  return status;
}

basin_status basin__dof_maps_get(basin_dof_maps *maps, basin_array_id array, size_t *number)
{
  uint64_t latest;
  BASIN_TRY(basin__array_refresh(maps->layout->system, array, &latest));
  return build(maps, array, 0, number);
}

/* ---- what is out of date ---- */

static uint64_t newer(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static basin_status refresh(const basin_dof_maps *maps, basin_dof_map *map)
{
  basin_system *system = maps->layout->system;
  const basin_array *array = system->arrays[map->array];
  uint64_t structure = newer(system->spaces[array->space].version, maps->layout->version),
           version = 0;
  for (size_t k = 0; k < map->child_count; ++k) {
    structure = newer(structure, maps->maps[map->children[k]]->structure);
    version = newer(version, maps->maps[map->children[k]]->version);
  }
  if (map->kind == BASIN_DOF_REDUCTION)
    structure = newer(structure, system->connectivities[array->connectivity].version);
  if (map->kind == BASIN_DOF_COMPUTED && !map->empty) {
    uint64_t latest;
    for (size_t k = 0; k < map->source->unknown_count; ++k)
      structure = newer(structure, basin__walk_version(system, &map->source->unknowns[k].access));
    BASIN_TRY(basin__info_latest(system, map->source->jacobian.info, &latest));
    version = newer(version, latest);
  }
  map->structure = structure;
  map->version = newer(structure, version);
  map->row_count = system->spaces[array->space].count * map->nodes;
  return BASIN_OK;
}

basin_status basin__dof_maps_refresh(basin_dof_maps *maps)
{
  for (size_t k = 0; k < maps->count; ++k) BASIN_TRY(refresh(maps, maps->maps[k]));
  return BASIN_OK;
}

basin_status basin__dof_maps_update(basin_dof_maps *maps)
{
  BASIN_TRY(basin__dof_maps_refresh(maps));
  for (size_t k = 0; k < maps->count; ++k) {
    basin_dof_map *map = maps->maps[k];
    if (map->filled == map->version) continue;
    map->filled = 0;
    BASIN_TRY(basin__dof_fill(maps, map));
    map->filled = map->version;
  }
  return BASIN_OK;
}

basin_status basin__dof_maps_kernels(basin_dof_maps *maps, basin_kernel_list *list)
{
  basin_system *system = maps->layout->system;
  for (size_t k = 0; k < maps->count; ++k) {
    basin_dof_map *map = maps->maps[k];
    if (map->kind != BASIN_DOF_COMPUTED || map->empty) continue;
    basin_kernel_slot *slot = &map->source->jacobian;
    BASIN_TRY(basin__kernel_list_add(system, list, slot));
    BASIN_TRY(basin__kernel_list_add_inputs(system, list, slot->info));
  }
  return BASIN_OK;
}
