/* Filling DOF maps: targets, held data, unions, reductions and mapped expressions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/dof_fill.h"
#include <string.h>

/* ---- rows under construction: a node that comes twice gets the sum of its weights ---- */

typedef struct row_builder {
  basin_context *context;
  basin_dof_map *map;
  uint32_t *marker; /* marker[node] = place of the node's entry, if it lies in the current row */
  size_t row_start;
  unsigned block;
} row_builder;

static basin_status builder_start(row_builder *builder, basin_dof_maps *maps, basin_dof_map *map)
{
  basin_context *context = maps->layout->system->context;
  size_t nodes = maps->layout->node_count;
  BASIN_TRY(basin__grow(
      context, &map->starts, &map->start_capacity, map->row_count + 1, sizeof *map->starts));
  if (nodes > maps->marker_capacity)
    BASIN_TRY(
        basin__grow(context, &maps->marker, &maps->marker_capacity, nodes, sizeof *maps->marker));
  if (nodes > 0) memset(maps->marker, 0xff, nodes * sizeof *maps->marker);
  map->entry_count = map->value_count = 0;
  *builder = (row_builder){
      .context = context, .map = map, .marker = maps->marker, .block = maps->layout->block};
  return BASIN_OK;
}

static void builder_row(row_builder *builder, size_t row)
{
  builder->map->starts[row] = builder->row_start = builder->map->entry_count;
}

static basin_status take_values(row_builder *builder, size_t count, uint32_t *first)
{
  basin_dof_map *map = builder->map;
  if (map->value_count + count > BASIN_DOF_VALUE)
    return BASIN_FAIL(builder->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a map of unknowns needs more than 2^31 weights");
  BASIN_TRY(basin__grow(builder->context,
                        &map->values,
                        &map->value_capacity,
                        map->value_count + count,
                        sizeof *map->values));
  *first = (uint32_t)map->value_count;
  memset(map->values + map->value_count, 0, count * sizeof *map->values);
  map->value_count += count;
  return BASIN_OK;
}

/* A new entry at the end of the current row. */
static basin_status append_entry(row_builder *builder, uint32_t node, bool full, size_t *place)
{
  basin_dof_map *map = builder->map;
  size_t square = (size_t)builder->block * builder->block;
  uint32_t first;
  if (map->entry_count >= BASIN_NONE)
    return BASIN_FAIL(builder->context, BASIN_ERROR_UNSUPPORTED, "a map of unknowns is too large");
  BASIN_TRY(basin__grow(builder->context,
                        &map->entries,
                        &map->entry_capacity,
                        map->entry_count + 1,
                        sizeof *map->entries));
  BASIN_TRY(take_values(builder, full ? square : 1, &first));
  *place = map->entry_count++;
  builder->marker[node] = (uint32_t)*place;
  map->entries[*place] = (basin_dof_entry){node, first | (full ? BASIN_DOF_BLOCK : 0)};
  return BASIN_OK;
}

/* A weight becomes that multiple of the identity as a block. */
static basin_status promote(row_builder *builder, basin_dof_entry *entry)
{
  basin_dof_map *map = builder->map;
  unsigned b = builder->block;
  uint32_t first;
  BASIN_TRY(take_values(builder, (size_t)b * b, &first));
  for (size_t i = 0; i < b; ++i) map->values[first + i * (b + 1)] = map->values[entry->value];
  entry->value = first | BASIN_DOF_BLOCK;
  return BASIN_OK;
}

/* The entry of `node` in the current row, made if need be, as a weight or (if `full`) as a block.
 */
static basin_status
builder_entry(row_builder *builder, uint32_t node, bool full, basin_dof_entry **entry)
{
  basin_dof_map *map = builder->map;
  size_t place = builder->marker[node];
  bool known =
      place >= builder->row_start && place < map->entry_count && map->entries[place].node == node;
  if (!known) BASIN_TRY(append_entry(builder, node, full, &place));
  if (full && !(map->entries[place].value & BASIN_DOF_BLOCK))
    BASIN_TRY(promote(builder, &map->entries[place]));
  *entry = &map->entries[place];
  return BASIN_OK;
}

/* values += scale * weight, scale * block, weight * block or block * block, whichever the operands
 * are. `left` NULL: `scale` alone. */
static void add_product(double *out,
                        bool out_full,
                        double scale,
                        const double *left,
                        const double *right,
                        bool right_full,
                        unsigned b)
{
  if (!out_full) {
    out[0] += scale * right[0];
    return;
  }
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) {
      double sum = 0;
      if (left && right_full)
        for (size_t k = 0; k < b; ++k) sum += left[i * b + k] * right[k * b + j];
      else if (left)
        sum = left[i * b + j] * right[0];
      else if (right_full)
        sum = scale * right[i * b + j];
      else
        sum = i == j ? scale * right[0] : 0;
      out[i * b + j] += sum;
    }
}

/* Adds row `row` of `child` times `scale` (left NULL) or times the block `left` to the current row.
 */
static basin_status builder_add(
    row_builder *builder, const basin_dof_map *child, size_t row, double scale, const double *left)
{
  static const double one = 1;
  const basin_dof_entry *entries;
  size_t count = basin__dof_row(child, row, &entries);
  for (size_t k = 0; k < count; ++k) {
    bool right_full = !child->plain && (entries[k].value & BASIN_DOF_BLOCK);
    const double *right =
        child->plain ? &one : child->values + (entries[k].value & BASIN_DOF_VALUE);
    basin_dof_entry *entry;
    BASIN_TRY(builder_entry(builder, entries[k].node, left || right_full, &entry));
    double *out = builder->map->values + (entry->value & BASIN_DOF_VALUE);
    add_product(
        out, entry->value & BASIN_DOF_BLOCK, scale, left, right, right_full, builder->block);
  }
  return BASIN_OK;
}

/* ---- kinds ---- */

static basin_status reserve_plain(basin_dof_maps *maps, basin_dof_map *map)
{
  if (map->row_count <= map->entry_capacity) return BASIN_OK;
  return basin__grow(maps->layout->system->context,
                     &map->entries,
                     &map->entry_capacity,
                     map->row_count,
                     sizeof *map->entries);
}

static basin_status fill_target(basin_dof_maps *maps, basin_dof_map *map)
{
  const basin_target *target = &maps->layout->targets[basin__layout_find(maps->layout, map->array)];
  BASIN_TRY(reserve_plain(maps, map));
  for (size_t r = 0; r < map->row_count; ++r)
    map->entries[r] = (basin_dof_entry){
        (uint32_t)(target->first + r / map->nodes * target->stride + r % map->nodes), 0};
  return BASIN_OK;
}

static basin_status fill_empty(basin_dof_maps *maps, basin_dof_map *map)
{
  BASIN_TRY(reserve_plain(maps, map));
  for (size_t r = 0; r < map->row_count; ++r) map->entries[r] = (basin_dof_entry){BASIN_NONE, 0};
  return BASIN_OK;
}

static basin_status fill_union_plain(basin_dof_maps *maps, basin_dof_map *map)
{
  size_t row = 0;
  BASIN_TRY(reserve_plain(maps, map));
  for (size_t k = 0; k < map->child_count; ++k) {
    const basin_dof_map *child = maps->maps[map->children[k]];
    if (child->row_count > 0)
      memcpy(map->entries + row, child->entries, child->row_count * sizeof *map->entries);
    row += child->row_count;
  }
  return BASIN_OK;
}

static basin_status fill_union(basin_dof_maps *maps, basin_dof_map *map)
{
  row_builder builder;
  size_t row = 0;
  BASIN_TRY(builder_start(&builder, maps, map));
  for (size_t k = 0; k < map->child_count; ++k) {
    const basin_dof_map *child = maps->maps[map->children[k]];
    for (size_t r = 0; r < child->row_count; ++r, ++row) {
      builder_row(&builder, row);
      BASIN_TRY(builder_add(&builder, child, r, 1, NULL));
    }
  }
  map->starts[map->row_count] = map->entry_count;
  return BASIN_OK;
}

static basin_status fill_reduction(basin_dof_maps *maps, basin_dof_map *map)
{
  basin_system *system = maps->layout->system;
  const basin_array *array = system->arrays[map->array];
  const basin_connectivity *rows = &system->connectivities[array->connectivity];
  const basin_dof_map *source = maps->maps[map->children[0]];
  row_builder builder;
  BASIN_TRY(basin__connectivity_check(system, rows));
  BASIN_TRY(builder_start(&builder, maps, map));
  for (size_t r = 0; r < map->row_count; ++r) {
    size_t instance = r / map->nodes, node = r % map->nodes;
    size_t first = rows->arity ? instance * rows->arity : rows->offsets[instance];
    size_t last = rows->arity ? first + rows->arity : rows->offsets[instance + 1];
    double weight = array->mean && last > first ? 1 / (double)(last - first) : 1;
    builder_row(&builder, r);
    for (size_t k = first; k < last; ++k)
      BASIN_TRY(builder_add(
          &builder, source, (size_t)rows->indices[k] * source->nodes + node, weight, NULL));
  }
  map->starts[map->row_count] = map->entry_count;
  return BASIN_OK;
}

/* ---- mapped expressions ---- */

typedef struct computed_fill {
  row_builder builder;
  const basin_array *array;
  const basin_map *map;
  basin_walk *walks; /* one for each output access */
  size_t local;      /* local unknowns: columns of the local Jacobian */
} computed_fill;

/* d(node `out` of the instance) / d(node `in` of an access): from the dense local Jacobian into
 * `block`. */
static void jacobian_block(
    const computed_fill *fill, const double *jacobian, size_t out, size_t column, double *block)
{
  unsigned b = fill->builder.block;
  for (size_t i = 0; i < b; ++i) {
    const double *row =
        jacobian +
        basin__node_entry(fill->array->rows, fill->array->cols, b, out, i) * fill->local + column;
    for (size_t j = 0; j < b; ++j) block[i * b + j] = row[j];
  }
}

static basin_status
fill_instance(basin_dof_maps *maps, basin_dof_map *map, computed_fill *fill, size_t instance)
{
  unsigned b = fill->builder.block;
  const double *jacobian = map->jacobian + instance * fill->array->size * fill->local;
  double block[12 * 12];
  for (size_t out = 0; out < map->nodes; ++out) {
    size_t child_number = 0;
    builder_row(&fill->builder, instance * map->nodes + out);
    for (size_t k = 0; k < fill->map->unknown_count; ++k) {
      const basin_unknown_access *unknown = &fill->map->unknowns[k];
      if (!unknown->output) continue;
      const basin_dof_map *child = maps->maps[map->children[child_number]];
      size_t source = basin__walk(&fill->walks[child_number++], instance);
      for (size_t in = 0; in < unknown->size / b; ++in) {
        jacobian_block(fill, jacobian, out, unknown->first + in * b, block);
        BASIN_TRY(builder_add(&fill->builder,
                              child,
                              source * child->nodes + in,
                              block[0],
                              fill->map->uniform ? NULL : block));
      }
    }
  }
  return BASIN_OK;
}

static basin_status run_jacobian(basin_system *system,
                                 basin_dof_map *map,
                                 const basin_kernel_slot *slot,
                                 size_t instances)
{
  size_t need = instances * slot->info->output_size;
  if (need > map->jacobian_capacity) {
    double *fresh = basin__alloc_aligned(system->context, need * sizeof *fresh);
    if (!fresh) return BASIN_ERROR_MEMORY;
    basin__free_aligned(system->context, map->jacobian, map->jacobian_capacity * sizeof *fresh);
    map->jacobian = fresh;
    map->jacobian_capacity = need;
  }
  BASIN_ASSERT(basin__kernel_ready(slot));
  BASIN_TRY(basin__binding_fill(system, slot->info, &map->binding));
  if (instances == 0) return BASIN_OK;
  return basin__kernel_compute(system, slot, &map->binding, instances, map->jacobian);
}

static basin_status fill_rows(basin_dof_maps *maps, basin_dof_map *map, computed_fill *fill)
{
  size_t instances = map->row_count / map->nodes, number = 0;
  basin_system *system = maps->layout->system;
  for (size_t k = 0; k < fill->map->unknown_count; ++k) {
    const basin_unknown_access *unknown = &fill->map->unknowns[k];
    if (!unknown->output) continue;
    if (unknown->size != maps->maps[map->children[number]]->nodes * maps->layout->block)
      return BASIN_FAIL(system->context,
                        BASIN_ERROR_SHAPE,
                        "map of %s: %s is read as %u numbers",
                        fill->array->name,
                        basin_system_array_name(system, unknown->access.array),
                        (unsigned)unknown->size);
    BASIN_TRY(
        basin__walk_init(&fill->walks[number++], system, fill->array->space, &unknown->access));
    fill->local += unknown->size;
  }
  BASIN_TRY(run_jacobian(system, map, &fill->map->jacobian, instances));
  BASIN_TRY(builder_start(&fill->builder, maps, map));
  for (size_t i = 0; i < instances; ++i) BASIN_TRY(fill_instance(maps, map, fill, i));
  map->starts[map->row_count] = map->entry_count;
  return BASIN_OK;
}

static basin_status fill_computed(basin_dof_maps *maps, basin_dof_map *map)
{
  basin_system *system = maps->layout->system;
  const basin_array *array = system->arrays[map->array];
  computed_fill fill = {.array = array, .map = map->source};
  size_t bytes = map->child_count * sizeof *fill.walks;
  fill.walks = basin__alloc(system->context, bytes);
  if (!fill.walks) return BASIN_ERROR_MEMORY;
  basin_status status = fill_rows(maps, map, &fill);
  basin__free(system->context, fill.walks, bytes);
  return status;
}

basin_status basin__dof_fill(basin_dof_maps *maps, basin_dof_map *map)
{
  if (map->kind == BASIN_DOF_TARGET) return fill_target(maps, map);
  if (map->empty) return fill_empty(maps, map);
  switch (map->kind) {
  case BASIN_DOF_UNION:
    return map->plain ? fill_union_plain(maps, map) : fill_union(maps, map);
  case BASIN_DOF_REDUCTION:
    return fill_reduction(maps, map);
  default:
    return fill_computed(maps, map);
  }
}
