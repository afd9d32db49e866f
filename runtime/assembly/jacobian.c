/* Sparse matrices of Jacobian and mixed plans from the local matrices of all elements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/dof_map.h"
#include <string.h>

/* One scalar that a local unknown depends on: d local / d global = weight. */
typedef struct scalar {
  size_t global, local;
  double weight;
} scalar;

/* Unknowns of one side: how local ones lead to entries of the listed arrays. */
typedef struct side {
  basin_layout layout;
  basin_dof_maps maps;
  size_t unknown_count;
  const basin_unknown_access *unknowns;
  basin_walk *walks;
  size_t *numbers; /* DOF map of each unknown */
  size_t *entries; /* of each entry of the layout: its number in the listed arrays */
  size_t local, total,
      width;       /* local unknowns, entries of the listed arrays, most scalars an element */
  scalar *scalars; /* of the present element */
} side;

static void side_fini(side *s, basin_context *context)
{
  size_t entries = s->layout.node_count * s->layout.block;
  basin__free(context, s->scalars, s->width * sizeof *s->scalars);
  basin__free(context, s->entries, s->entries ? (entries + 1) * sizeof *s->entries : 0);
  basin__free(context, s->numbers, s->numbers ? (s->unknown_count + 1) * sizeof *s->numbers : 0);
  basin__free(context, s->walks, s->walks ? (s->unknown_count + 1) * sizeof *s->walks : 0);
  basin__dof_maps_fini(&s->maps);
  basin__layout_fini(&s->layout);
}

/* Entry numbers: array after array, each in its own order. */
static void number_entries(side *s)
{
  size_t base = 0, b = s->layout.block;
  for (size_t k = 0; k < s->layout.target_count; ++k) {
    const basin_target *target = &s->layout.targets[k];
    for (size_t i = 0; i < target->count; ++i)
      for (size_t n = 0; n < target->nodes; ++n)
        for (size_t c = 0; c < b; ++c) {
          size_t node = target->first + i * target->stride + n;
          s->entries[node * b + c] =
              base + i * target->size +
              basin__node_entry(target->rows, target->cols, (unsigned)b, n, c);
        }
    base += target->count * target->size;
  }
  s->total = base;
}

static basin_status request_kernels(side *s)
{
  basin_kernel_list list = {0};
  basin_status status = basin__dof_maps_kernels(&s->maps, &list);
  if (status == BASIN_OK) status = basin__kernel_list_request(s->layout.system, &list);
  basin__kernel_list_release(s->layout.system, &list);
  return status;
}

/* Most entries of one row of a map. */
static size_t longest_row(const basin_dof_map *map)
{
  size_t longest = 1;
  for (size_t r = 0; r < map->row_count && !map->plain; ++r)
    if (map->starts[r + 1] - map->starts[r] > longest)
      longest = map->starts[r + 1] - map->starts[r];
  return longest;
}

static basin_status reserve_side(side *s, basin_context *context)
{
  size_t entries = s->layout.node_count * s->layout.block;
  s->walks = basin__alloc(context, (s->unknown_count + 1) * sizeof *s->walks);
  if (!s->walks) return BASIN_ERROR_MEMORY;
  s->numbers = basin__alloc(context, (s->unknown_count + 1) * sizeof *s->numbers);
  if (!s->numbers) return BASIN_ERROR_MEMORY;
  s->entries = basin__alloc(context, (entries + 1) * sizeof *s->entries);
  return s->entries ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static basin_status find_maps(side *s, basin_system *system, basin_space_id space)
{
  for (size_t k = 0; k < s->unknown_count; ++k) {
    const basin_unknown_access *unknown = &s->unknowns[k];
    if (!unknown->output) continue;
    BASIN_TRY(basin__walk_init(&s->walks[k], system, space, &unknown->access));
    BASIN_TRY(basin__dof_maps_get(&s->maps, unknown->access.array, &s->numbers[k]));
    s->local += unknown->size;
  }
  return BASIN_OK;
}

static basin_status fill_side(side *s, basin_system *system, basin_space_id space)
{
  size_t width = 1;
  BASIN_TRY(reserve_side(s, system->context));
  number_entries(s);
  BASIN_TRY(find_maps(s, system, space));
  BASIN_TRY(request_kernels(s));
  BASIN_TRY(basin__dof_maps_update(&s->maps));
  for (size_t k = 0; k < s->unknown_count; ++k)
    if (s->unknowns[k].output)
      width += s->unknowns[k].size * longest_row(s->maps.maps[s->numbers[k]]) * s->layout.block;
  s->scalars = basin__calloc(system->context, width, sizeof *s->scalars);
  if (!s->scalars) return BASIN_ERROR_MEMORY;
  s->width = width;
  return BASIN_OK;
}

static basin_status side_init(side *s,
                              basin_system *system,
                              basin_space_id space,
                              unsigned block,
                              const basin_array_id *arrays,
                              size_t array_count,
                              const basin_unknown_access *unknowns,
                              size_t unknown_count)
{
  BASIN_TRY(basin__layout_init(&s->layout, system, arrays, array_count, block));
  basin__dof_maps_init(&s->maps, &s->layout);
  s->unknowns = unknowns;
  s->unknown_count = unknown_count;
  return fill_side(s, system, space);
}

/* The scalars of one local node; their number. */
static size_t
expand_node(const side *s, const basin_dof_map *map, size_t row, size_t local, scalar *out)
{
  const basin_dof_entry *entries;
  size_t count = basin__dof_row(map, row, &entries), b = s->layout.block, made = 0;
  for (size_t k = 0; k < count; ++k) {
    const double *weight = map->plain ? NULL : map->values + (entries[k].value & BASIN_DOF_VALUE);
    bool full = weight && (entries[k].value & BASIN_DOF_BLOCK);
    const size_t *global = s->entries + (size_t)entries[k].node * b;
    for (size_t i = 0; i < b; ++i) {
      if (!full) out[made++] = (scalar){global[i], local + i, weight ? *weight : 1};
      for (size_t j = 0; j < b && full; ++j)
        out[made++] = (scalar){global[j], local + i, weight[i * b + j]};
    }
  }
  return made;
}

static size_t expand(side *s, size_t element)
{
  size_t count = 0;
  for (size_t k = 0; k < s->unknown_count; ++k) {
    const basin_unknown_access *unknown = &s->unknowns[k];
    if (!unknown->output) continue;
    const basin_dof_map *map = s->maps.maps[s->numbers[k]];
    size_t instance = basin__walk(&s->walks[k], element);
    for (size_t n = 0; n < map->nodes; ++n)
      count += expand_node(s,
                           map,
                           instance * map->nodes + n,
                           unknown->first + n * s->layout.block,
                           s->scalars + count);
  }
  return count;
}

/* ---- entries of the matrix ---- */

typedef struct triplets {
  basin_context *context;
  size_t *rows, *columns;
  double *values;
  size_t count, row_capacity, column_capacity, value_capacity;
} triplets;

static void triplets_fini(triplets *t)
{
  basin__free(t->context, t->rows, t->row_capacity * sizeof *t->rows);
  basin__free(t->context, t->columns, t->column_capacity * sizeof *t->columns);
  basin__free(t->context, t->values, t->value_capacity * sizeof *t->values);
}

static basin_status reserve(triplets *t, size_t more)
{
  size_t need = t->count + more;
  if (need > t->row_capacity)
    BASIN_TRY(basin__grow(t->context, &t->rows, &t->row_capacity, need, sizeof *t->rows));
  if (need > t->column_capacity)
    BASIN_TRY(basin__grow(t->context, &t->columns, &t->column_capacity, need, sizeof *t->columns));
  if (need > t->value_capacity)
    BASIN_TRY(basin__grow(t->context, &t->values, &t->value_capacity, need, sizeof *t->values));
  return BASIN_OK;
}

static void add(triplets *t, size_t row, size_t column, double value)
{
  t->rows[t->count] = row;
  t->columns[t->count] = column;
  t->values[t->count++] = value;
}

typedef struct evaluation {
  const basin_jacobian_description *description;
  side rows, columns; /* rows: mixed derivatives only */
  basin_kernel_slot slot;
  basin_binding binding;
  size_t elements, local_rows;
  double *output;
  triplets triplets;
} evaluation;

static basin_status add_element(evaluation *e, size_t element)
{
  const double *local = e->output + element * e->slot.info->output_size;
  size_t columns = expand(&e->columns, element), width = e->columns.local;
  bool mixed = e->description->row_unknowns;
  size_t rows = mixed ? expand(&e->rows, element) : e->local_rows;
  BASIN_TRY(reserve(&e->triplets, rows * columns));
  for (size_t r = 0; r < rows; ++r) {
    size_t row = mixed ? e->rows.scalars[r].global : element * e->local_rows + r;
    size_t from = mixed ? e->rows.scalars[r].local : r;
    double weight = mixed ? e->rows.scalars[r].weight : 1;
    for (size_t c = 0; c < columns; ++c) {
      const scalar *column = &e->columns.scalars[c];
      add(&e->triplets,
          row,
          column->global,
          weight * local[from * width + column->local] * column->weight);
    }
  }
  return BASIN_OK;
}

static basin_status run_kernel(evaluation *e, basin_system *system)
{
  basin_kernel_list list = {0};
  basin_status status = basin__kernel_list_add(system, &list, &e->slot);
  if (status == BASIN_OK) status = basin__kernel_list_add_inputs(system, &list, e->slot.info);
  if (status == BASIN_OK) status = basin__kernel_list_request(system, &list);
  basin__kernel_list_release(system, &list);
  if (status != BASIN_OK) return status;
  e->output = basin__alloc_aligned(
      system->context, (e->elements * e->slot.info->output_size + 1) * sizeof *e->output);
  if (!e->output) return BASIN_ERROR_MEMORY;
  BASIN_TRY(basin__binding_fill(system, e->slot.info, &e->binding));
  if (e->elements == 0) return BASIN_OK;
  return basin__kernel_compute(system, &e->slot, &e->binding, e->elements, e->output);
}

static basin_status evaluate(evaluation *e, basin_system *system, basin_csr **matrix)
{
  const basin_jacobian_description *d = e->description;
  unsigned block = d->info->block > 0 ? d->info->block : 1;
  e->local_rows = d->expression_size;
  BASIN_TRY(side_init(&e->columns,
                      system,
                      d->space,
                      block,
                      d->column_arrays,
                      d->column_array_count,
                      d->column_unknowns,
                      d->column_unknown_count));
  if (d->row_unknowns) {
    BASIN_TRY(side_init(&e->rows,
                        system,
                        d->space,
                        block,
                        d->row_arrays,
                        d->row_array_count,
                        d->row_unknowns,
                        d->row_unknown_count));
    e->local_rows = e->rows.local;
  }
  if (d->info->output_size != e->local_rows * e->columns.local)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_SHAPE,
                      "%s: the plan gives %u numbers an element, %zu x %zu are expected",
                      d->name,
                      (unsigned)d->info->output_size,
                      e->local_rows,
                      e->columns.local);
  BASIN_TRY(run_kernel(e, system));
  for (size_t k = 0; k < e->elements; ++k) BASIN_TRY(add_element(e, k));
  size_t rows = d->row_unknowns ? e->rows.total : e->elements * e->local_rows;
  return basin_csr_create(system->context,
                          rows,
                          e->columns.total,
                          e->triplets.count,
                          e->triplets.rows,
                          e->triplets.columns,
                          e->triplets.values,
                          matrix);
}

basin_status basin_system_jacobian_matrix(basin_system *system,
                                          const basin_jacobian_description *description,
                                          basin_csr **matrix)
{
  basin_space *space;
  *matrix = NULL;
  BASIN_TRY(basin__system_space(system, description->space, &space));
  evaluation e = {.description = description,
                  .slot = {.plan = description->plan, .info = description->info},
                  .elements = space->count,
                  .triplets = {.context = system->context}};
  basin_status status = evaluate(&e, system, matrix);
  triplets_fini(&e.triplets);
  basin__free_aligned(
      system->context,
      e.output,
      e.output ? (e.elements * description->info->output_size + 1) * sizeof *e.output : 0);
  basin__binding_release(system, &e.binding);
  side_fini(&e.rows, system->context);
  side_fini(&e.columns, system->context);
  return status;
}
