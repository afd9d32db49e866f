/* Gauss-Seidel sweeps over the rows of constraints.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/layout.h"
#include <math.h>
#include <string.h>

/* A kernel over all elements with room for its results. */
typedef struct evaluator {
  basin_kernel_slot slot;
  basin_binding binding;
  double *output;
  size_t size; /* doubles in output */
} evaluator;

typedef struct row_set {
  const basin_sweep_rows *rows;
  size_t elements, width; /* width: unknowns of a row */
  basin_walk *walks;
  size_t *bases;   /* of each access: index of its array's first number */
  size_t *columns; /* of the present row: unknowns without repetition */
  double *slopes;  /* and the derivatives by them */
  size_t column_count;
  evaluator value, jacobian;
} row_set;

typedef struct sweep {
  basin_system *system;
  const basin_sweep_description *description;
  row_set *sets;
  size_t total;     /* unknowns */
  double **numbers; /* of each array */
  size_t *firsts;   /* of each array: its first number; then the total */
} sweep;

/* ---- making ---- */

static void evaluator_fini(evaluator *e, basin_system *system)
{
  basin__binding_release(system, &e->binding);
  basin__free_aligned(system->context, e->output, e->output ? e->size * sizeof *e->output : 0);
}

static basin_status evaluator_init(evaluator *e,
                                   basin_system *system,
                                   const void *plan,
                                   const basin_kernel_info *info,
                                   size_t count)
{
  e->slot = (basin_kernel_slot){.plan = plan, .info = info};
  e->size = count * info->output_size + 1;
  e->output = basin__alloc_aligned(system->context, e->size * sizeof *e->output);
  if (!e->output) return BASIN_ERROR_MEMORY;
  basin_kernel_list list = {0};
  basin_status status = basin__kernel_list_add(system, &list, &e->slot);
  if (status == BASIN_OK) status = basin__kernel_list_add_inputs(system, &list, info);
  if (status == BASIN_OK) status = basin__kernel_list_request(system, &list);
  basin__kernel_list_release(system, &list);
  return status == BASIN_OK ? basin__binding_fill(system, info, &e->binding) : status;
}

static void set_fini(row_set *set, basin_system *system)
{
  basin_context *context = system->context;
  size_t count = set->rows->unknown_count + 1, width = set->width + 1;
  basin__free(context, set->walks, set->walks ? count * sizeof *set->walks : 0);
  basin__free(context, set->bases, set->bases ? count * sizeof *set->bases : 0);
  basin__free(context, set->columns, set->columns ? width * sizeof *set->columns : 0);
  basin__free(context, set->slopes, set->slopes ? width * sizeof *set->slopes : 0);
  evaluator_fini(&set->value, system);
  evaluator_fini(&set->jacobian, system);
}

/* Everything that a kernel reads holds while x changes, but x itself. */
static basin_status
check_inputs(const sweep *self, const basin_sweep_rows *rows, const basin_kernel_info *info)
{
  const basin_sweep_description *d = self->description;
  for (uint32_t k = 0; k < info->array_count; ++k) {
    bool depends;
    const basin_array *array;
    BASIN_TRY(
        basin__array_depends(self->system, info->arrays[k], d->arrays, d->array_count, &depends));
    array = self->system->arrays[info->arrays[k]];
    if (depends && array->kind != BASIN_ARRAY_STORED)
      return BASIN_FAIL(self->system->context,
                        BASIN_ERROR_UNSUPPORTED,
                        "%s: constraints taken one after the other must read the unknowns "
                        "themselves, this one reads %s, which is computed from them",
                        rows->name,
                        array->name);
  }
  return BASIN_OK;
}

/* Where the array of an access begins among the unknowns; false: it is none of them. */
static bool base_of(const sweep *self, basin_array_id id, size_t *base)
{
  for (size_t k = 0; k < self->description->array_count; ++k) {
    if (self->description->arrays[k] != id) continue;
    *base = self->firsts[k];
    return true;
  }
  return false;
}

static basin_status place_accesses(const sweep *self, row_set *set)
{
  const basin_sweep_rows *rows = set->rows;
  size_t width = 0;
  for (size_t k = 0; k < rows->unknown_count; ++k) {
    const basin_unknown_access *unknown = &rows->unknowns[k];
    if (!unknown->output) continue;
    BASIN_TRY(basin__walk_init(&set->walks[k], self->system, rows->space, &unknown->access));
    if (!base_of(self, unknown->access.array, &set->bases[k])) set->bases[k] = SIZE_MAX;
    width += unknown->size;
  }
  if (set->jacobian.slot.info->output_size != width * rows->expression_size ||
      set->value.slot.info->output_size != rows->expression_size)
    return BASIN_FAIL(self->system->context,
                      BASIN_ERROR_SHAPE,
                      "%s: the plans give %u and %u numbers an element for %zu rows of %zu",
                      rows->name,
                      (unsigned)set->value.slot.info->output_size,
                      (unsigned)set->jacobian.slot.info->output_size,
                      rows->expression_size,
                      width);
  return BASIN_OK;
}

static basin_status set_init(const sweep *self, row_set *set, const basin_sweep_rows *rows)
{
  basin_system *system = self->system;
  basin_space *space;
  set->rows = rows;
  BASIN_TRY(basin__system_space(system, rows->space, &space));
  BASIN_TRY(check_inputs(self, rows, rows->value));
  BASIN_TRY(check_inputs(self, rows, rows->jacobian));
  set->elements = space->count;
  for (size_t k = 0; k < rows->unknown_count; ++k)
    if (rows->unknowns[k].output) set->width += rows->unknowns[k].size;
  set->walks = basin__calloc(system->context, rows->unknown_count + 1, sizeof *set->walks);
  if (!set->walks) return BASIN_ERROR_MEMORY;
  set->bases = basin__calloc(system->context, rows->unknown_count + 1, sizeof *set->bases);
  if (!set->bases) return BASIN_ERROR_MEMORY;
  set->columns = basin__calloc(system->context, set->width + 1, sizeof *set->columns);
  if (!set->columns) return BASIN_ERROR_MEMORY;
  set->slopes = basin__calloc(system->context, set->width + 1, sizeof *set->slopes);
  if (!set->slopes) return BASIN_ERROR_MEMORY;
  BASIN_TRY(evaluator_init(&set->value, system, rows->value_plan, rows->value, set->elements));
  BASIN_TRY(
      evaluator_init(&set->jacobian, system, rows->jacobian_plan, rows->jacobian, set->elements));
  return place_accesses(self, set);
}

static basin_status find_arrays(sweep *self)
{
  const basin_sweep_description *d = self->description;
  for (size_t k = 0; k < d->array_count; ++k) {
    basin_array *array;
    self->firsts[k] = self->total;
    BASIN_TRY(basin__system_array(self->system, d->arrays[k], &array));
    self->numbers[k] = basin_system_array_data(self->system, d->arrays[k]);
    if (!self->numbers[k])
      return BASIN_FAIL(self->system->context,
                        BASIN_ERROR_STATE,
                        "%s is computed from other arrays and cannot be swept",
                        array->name);
    self->total += self->system->spaces[array->space].count * array->size;
  }
  self->firsts[d->array_count] = self->total;
  return BASIN_OK;
}

/* ---- one row ---- */

static double *number_at(const sweep *self, size_t index)
{
  size_t k = 0;
  while (index >= self->firsts[k + 1]) ++k;
  return &self->numbers[k][index - self->firsts[k]];
}

static void add_column(row_set *set, size_t column, double slope)
{
  for (size_t k = 0; k < set->column_count; ++k) {
    if (set->columns[k] != column) continue;
    set->slopes[k] += slope;
    return;
  }
  set->columns[set->column_count] = column;
  set->slopes[set->column_count++] = slope;
}

/* The unknowns of a row with the derivatives that the Jacobian kernel has left for it. */
static void gather_row(row_set *set, size_t element, size_t entry)
{
  const basin_sweep_rows *rows = set->rows;
  const double *local =
      set->jacobian.output + (element * rows->expression_size + entry) * set->width;
  set->column_count = 0;
  for (size_t k = 0; k < rows->unknown_count; ++k) {
    const basin_unknown_access *unknown = &rows->unknowns[k];
    if (!unknown->output) continue;
    size_t first = set->bases[k] + basin__walk(&set->walks[k], element) * unknown->size;
    for (size_t i = 0; i < unknown->size && set->bases[k] != SIZE_MAX; ++i)
      add_column(set, first + i, local[i]);
    local += unknown->size;
  }
}

static void change_row(const sweep *self, row_set *set, size_t element, size_t entry)
{
  const basin_sweep_rows *rows = set->rows;
  const double *w = self->description->inverse_mass, *from = self->description->from;
  size_t row = element * rows->expression_size + entry;
  double compliance = rows->compliance ? rows->compliance[row] : 0, stiffness = compliance;
  double residual = rows->bias ? rows->bias[row] : set->value.output[row];
  gather_row(set, element, entry);
  for (size_t k = 0; k < set->column_count; ++k) {
    size_t column = set->columns[k];
    double slope = set->slopes[k];
    stiffness += w[column] * slope * slope;
    if (rows->bias) residual += slope * (*number_at(self, column) - from[column]);
  }
  if (!(stiffness > 0)) return;
  double y = -(residual + compliance * rows->multipliers[row]) / stiffness;
  rows->multipliers[row] += y;
  for (size_t k = 0; k < set->column_count; ++k)
    *number_at(self, set->columns[k]) += w[set->columns[k]] * set->slopes[k] * y;
}

/* ---- on the CPU: row after row ---- */

static void evaluate_one(const sweep *self, const evaluator *e, size_t element)
{
  const basin_kernel *kernel = &e->slot.kernel;
  basin_kernel_args args = {.begin = element,
                            .end = element + 1,
                            .arrays = e->binding.arrays,
                            .indices = e->binding.indices,
                            .output = e->output,
                            .scratch = basin__system_scratch(self->system, 0)};
  kernel->function(&args, kernel->self);
}

static void sweep_set(const sweep *self, row_set *set)
{
  for (size_t element = 0; element < set->elements; ++element)
    for (size_t entry = 0; entry < set->rows->expression_size; ++entry) {
      if (!set->rows->bias) evaluate_one(self, &set->value, element);
      evaluate_one(self, &set->jacobian, element);
      change_row(self, set, element, entry);
    }
}

/* ---- on a device: rows that share no unknown at once ---- */

/* A row of one sweep; `turn` is one more than that of every earlier row that shares an unknown, so
 * that rows of one turn do not see each other. */
typedef struct turn_row {
  uint32_t turn, set;
  uint32_t entry;
  size_t element;
} turn_row;

static uint32_t turn_of(row_set *set, size_t element, size_t entry, uint32_t *turns)
{
  uint32_t turn = 0;
  gather_row(set, element, entry); /* for the columns; the slopes are of no use yet */
  for (size_t k = 0; k < set->column_count; ++k)
    if (turns[set->columns[k]] > turn) turn = turns[set->columns[k]];
  ++turn;
  for (size_t k = 0; k < set->column_count; ++k) turns[set->columns[k]] = turn;
  return turn;
}

/* The rows of all sweeps in order, each with its turn; the number of turns. */
static uint32_t list_rows(const sweep *self, uint32_t *turns, turn_row *list)
{
  uint32_t last = 0;
  size_t count = 0;
  for (size_t s = 0; s < self->description->sweeps; ++s)
    for (size_t k = 0; k < self->description->set_count; ++k) {
      row_set *set = &self->sets[k];
      for (size_t element = 0; element < set->elements; ++element)
        for (size_t entry = 0; entry < set->rows->expression_size; ++entry) {
          uint32_t turn = turn_of(set, element, entry, turns);
          list[count++] = (turn_row){turn, (uint32_t)k, (uint32_t)entry, element};
          last = turn > last ? turn : last;
        }
    }
  return last;
}

static basin_status evaluate_all(const sweep *self, evaluator *e, size_t elements)
{
  BASIN_TRY(basin__binding_fill(self->system, e->slot.info, &e->binding));
  return basin__kernel_compute(self->system, &e->slot, &e->binding, elements, e->output);
}

/* The rows list[begin .. end) of one turn. */
static basin_status
take_turn(const sweep *self, const turn_row *list, const size_t *order, size_t begin, size_t end)
{
  const basin_sweep_description *d = self->description;
  for (size_t k = 0; k < d->set_count; ++k) {
    bool wanted = false;
    row_set *set = &self->sets[k];
    for (size_t i = begin; i < end && !wanted; ++i) wanted = list[order[i]].set == k;
    if (!wanted) continue;
    if (!set->rows->bias) BASIN_TRY(evaluate_all(self, &set->value, set->elements));
    BASIN_TRY(evaluate_all(self, &set->jacobian, set->elements));
  }
  for (size_t i = begin; i < end; ++i) {
    const turn_row *row = &list[order[i]];
    change_row(self, &self->sets[row->set], row->element, row->entry);
  }
  for (size_t k = 0; k < d->array_count; ++k) basin_system_touch(self->system, d->arrays[k]);
  return BASIN_OK;
}

/* Rows by turn, otherwise in order: starts[t] is where turn t + 1 begins. */
static void
sort_by_turn(const turn_row *list, size_t count, size_t *starts, uint32_t last, size_t *order)
{
  for (size_t i = 0; i < count; ++i) ++starts[list[i].turn];
  for (uint32_t t = 0; t < last; ++t) starts[t + 1] += starts[t];
  for (size_t i = 0; i < count; ++i) order[starts[list[i].turn - 1]++] = i;
  for (uint32_t t = last; t > 0; --t) starts[t] = starts[t - 1];
  starts[0] = 0;
}

static basin_status take_turns(const sweep *self, turn_row *list, size_t count, uint32_t last)
{
  basin_context *context = self->system->context;
  size_t *starts = basin__calloc(context, last + 2, sizeof *starts);
  size_t *order = basin__calloc(context, count + 1, sizeof *order);
  basin_status status = starts && order ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) sort_by_turn(list, count, starts, last, order);
  for (uint32_t t = 0; t < last && status == BASIN_OK; ++t)
    status = take_turn(self, list, order, starts[t], starts[t + 1]);
  basin__free(context, starts, starts ? (last + 2) * sizeof *starts : 0);
  basin__free(context, order, order ? (count + 1) * sizeof *order : 0);
  return status;
}

static basin_status sweep_on_device(const sweep *self)
{
  basin_context *context = self->system->context;
  size_t count = 0;
  for (size_t k = 0; k < self->description->set_count; ++k)
    count += self->sets[k].elements * self->sets[k].rows->expression_size;
  count *= self->description->sweeps;
  uint32_t *turns = basin__calloc(context, self->total + 1, sizeof *turns);
  turn_row *list = basin__calloc(context, count + 1, sizeof *list);
  basin_status status = turns && list ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) status = take_turns(self, list, count, list_rows(self, turns, list));
  basin__free(context, turns, turns ? (self->total + 1) * sizeof *turns : 0);
  basin__free(context, list, list ? (count + 1) * sizeof *list : 0);
  return status;
}

/* ---- all of it ---- */

static basin_status run(sweep *self)
{
  const basin_sweep_description *d = self->description;
  BASIN_TRY(find_arrays(self));
  for (size_t k = 0; k < d->set_count; ++k) BASIN_TRY(set_init(self, &self->sets[k], &d->sets[k]));
  if (self->system->cuda) return sweep_on_device(self);
  for (size_t s = 0; s < d->sweeps; ++s)
    for (size_t k = 0; k < d->set_count; ++k) sweep_set(self, &self->sets[k]);
  for (size_t k = 0; k < d->array_count; ++k) basin_system_touch(self->system, d->arrays[k]);
  return BASIN_OK;
}

basin_status basin_system_sweep(basin_system *system, const basin_sweep_description *description)
{
  basin_context *context = system->context;
  size_t sets = description->set_count, arrays = description->array_count;
  sweep self = {.system = system, .description = description};
  self.sets = basin__calloc(context, sets + 1, sizeof *self.sets);
  self.numbers = basin__calloc(context, arrays + 1, sizeof *self.numbers);
  self.firsts = basin__calloc(context, arrays + 1, sizeof *self.firsts);
  basin_status status = self.sets && self.numbers && self.firsts ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) status = run(&self);
  for (size_t k = 0; k < sets && self.sets && self.sets[k].rows; ++k)
    set_fini(&self.sets[k], system);
  basin__free(context, self.sets, self.sets ? (sets + 1) * sizeof *self.sets : 0);
  basin__free(context, self.numbers, self.numbers ? (arrays + 1) * sizeof *self.numbers : 0);
  basin__free(context, self.firsts, self.firsts ? (arrays + 1) * sizeof *self.firsts : 0);
  return status;
}
