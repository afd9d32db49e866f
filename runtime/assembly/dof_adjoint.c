/* Gradients with respect to mapped expressions, handed down from what reads them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/dof_map.h"
#include <string.h>

basin_status basin__dof_adjoint_begin(basin_dof_maps *maps)
{
  basin_context *context = maps->layout->system->context;
  for (size_t k = 0; k < maps->count; ++k) {
    basin_dof_map *map = maps->maps[k];
    size_t need = map->row_count * maps->layout->block;
    if (!map->curved) continue;
    if (need > map->adjoint_capacity)
      BASIN_TRY(
          basin__grow(context, &map->adjoint, &map->adjoint_capacity, need, sizeof *map->adjoint));
    if (need > 0) memset(map->adjoint, 0, need * sizeof *map->adjoint);
  }
  return BASIN_OK;
}

static void union_down(basin_dof_maps *maps, const basin_dof_map *map)
{
  const double *from = map->adjoint;
  for (size_t k = 0; k < map->child_count; ++k) {
    basin_dof_map *child = maps->maps[map->children[k]];
    size_t length = child->row_count * maps->layout->block;
    for (size_t i = 0; child->curved && i < length; ++i) child->adjoint[i] += from[i];
    from += length;
  }
}

static void reduction_down(basin_dof_maps *maps, const basin_dof_map *map)
{
  const basin_system *system = maps->layout->system;
  const basin_array *array = system->arrays[map->array];
  const basin_connectivity *rows = &system->connectivities[array->connectivity];
  basin_dof_map *source = maps->maps[map->children[0]];
  size_t width = (size_t)map->nodes * maps->layout->block;
  for (size_t i = 0; source->curved && i < map->row_count / map->nodes; ++i) {
    size_t first = rows->arity ? i * rows->arity : rows->offsets[i];
    size_t last = rows->arity ? first + rows->arity : rows->offsets[i + 1];
    double weight = array->mean && last > first ? 1 / (double)(last - first) : 1;
    for (size_t k = first; k < last; ++k)
      for (size_t c = 0; c < width; ++c)
        source->adjoint[rows->indices[k] * width + c] += weight * map->adjoint[i * width + c];
  }
}

/* child adjoint += J^T adjoint, for one access of a computed array. */
static void access_down(basin_dof_maps *maps,
                        const basin_dof_map *map,
                        const basin_unknown_access *unknown,
                        const basin_walk *walk,
                        basin_dof_map *child,
                        size_t local)
{
  const basin_array *array = maps->layout->system->arrays[map->array];
  unsigned b = maps->layout->block;
  for (size_t i = 0; i < map->row_count / map->nodes; ++i) {
    const double *jacobian = map->jacobian + i * array->size * local + unknown->first;
    const double *adjoint = map->adjoint + i * array->size;
    double *out = child->adjoint + (size_t)basin__walk(walk, i) * unknown->size;
    for (size_t r = 0; r < array->size; ++r) {
      const double *row =
          jacobian + basin__node_entry(array->rows, array->cols, b, r / b, r % b) * local;
      for (size_t c = 0; c < unknown->size; ++c) out[c] += row[c] * adjoint[r];
    }
  }
}

static basin_status computed_down(basin_dof_maps *maps, const basin_dof_map *map)
{
  const basin_system *system = maps->layout->system;
  const basin_array *array = system->arrays[map->array];
  size_t local = 0, number = 0;
  for (size_t k = 0; k < map->source->unknown_count; ++k)
    if (map->source->unknowns[k].output) local += map->source->unknowns[k].size;
  for (size_t k = 0; k < map->source->unknown_count; ++k) {
    const basin_unknown_access *unknown = &map->source->unknowns[k];
    if (!unknown->output) continue;
    basin_dof_map *child = maps->maps[map->children[number++]];
    basin_walk walk;
    if (!child->curved) continue;
    BASIN_TRY(basin__walk_init(&walk, system, array->space, &unknown->access));
    access_down(maps, map, unknown, &walk, child, local);
  }
  return BASIN_OK;
}

basin_status basin__dof_adjoint_propagate(basin_dof_maps *maps)
{
  for (size_t k = maps->count; k-- > 0;) {
    const basin_dof_map *map = maps->maps[k];
    if (!map->curved || map->row_count == 0) continue;
    if (map->kind == BASIN_DOF_UNION) union_down(maps, map);
    if (map->kind == BASIN_DOF_REDUCTION) reduction_down(maps, map);
    if (map->kind == BASIN_DOF_COMPUTED) BASIN_TRY(computed_down(maps, map));
  }
  return BASIN_OK;
}

basin_status basin__dof_adjoint_store(basin_dof_maps *maps, size_t number)
{
  basin_system *system = maps->layout->system;
  const basin_dof_map *map = maps->maps[number];
  const basin_array *array = system->arrays[map->array];
  double *weight = basin_system_array_data(system, map->source->curvature_weight);
  unsigned b = maps->layout->block;
  size_t instances = map->row_count / map->nodes;
  if (!weight && instances > 0) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < instances; ++i)
    for (size_t r = 0; r < array->size; ++r)
      weight[i * array->size + basin__node_entry(array->rows, array->cols, b, r / b, r % b)] =
          map->adjoint[i * array->size + r];
  basin_system_touch(system, map->source->curvature_weight);
  return BASIN_OK;
}
