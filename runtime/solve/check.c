/* Derivative check of one term by central differences.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"
#include "solve/solve.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps tried, as fractions of the range of an array's values: truncation falls, rounding grows
 * from the first to the last. */
static const double step_factors[] = {1e-4, 1e-5, 1e-6, 1e-3, 1e-7};
enum { STEP_COUNT = 5 };
/* Entries much smaller than the largest are judged against this fraction of it. */
#define FLOOR_FRACTION 1e-4

typedef struct checker {
  basin_minimizer *minimizer;
  basin_term *term;
  const basin_check_options *options;
  basin_check_report *report;
  size_t size;                  /* unknowns */
  double *x, *moved, *gradient; /* at the start; moved values; analytic gradient */
  double *unit, *column, *up,
      *difference;     /* a unit vector and the matrix's column; gradients on both sides */
  double *energies[2]; /* of all elements, on both sides */
  size_t elements;
  double gradient_floor;
  basin_strbuf text;
} checker;

basin_check_options basin_check_options_defaults(void)
{
  return (basin_check_options){
      .size = sizeof(basin_check_options), .tolerance = 1e-4, .samples = 64, .seed = 1};
}

/* ---- names of entries ---- */

typedef struct entry_name {
  size_t target, instance;
  unsigned row, col;
} entry_name;

/* Which entry of which array stands at a place of the vector. */
static entry_name name_entry(const basin_minimizer *minimizer, size_t place)
{
  const basin_layout *layout = &minimizer->layout;
  size_t node = place / layout->block, component = place % layout->block;
  entry_name name = {0};
  for (size_t k = 0; k < layout->target_count; ++k) {
    const basin_target *target = &layout->targets[k];
    if (node < target->first || target->stride == 0) continue;
    size_t instance = (node - target->first) / target->stride,
           local = (node - target->first) % target->stride;
    if (instance >= target->count || local >= target->nodes) continue;
    size_t at = basin__node_entry(target->rows, target->cols, layout->block, local, component);
    name = (entry_name){k, instance, (unsigned)(at / target->cols), (unsigned)(at % target->cols)};
  }
  return name;
}

static void
print_entry(basin_strbuf *text, const basin_minimizer *minimizer, const entry_name *name)
{
  const basin_target *target = &minimizer->layout.targets[name->target];
  basin__strbuf_printf(text,
                       "%s (%u, %u) of instance %zu",
                       basin_system_array_name(minimizer->system, target->array),
                       name->row,
                       name->col,
                       name->instance);
}

/* The first element that depends on a node. */
static size_t find_element(const checker *c, size_t node)
{
  const basin_term *term = c->term;
  for (size_t e = 0; e < term->elements; ++e)
    for (size_t a = 0; a < term->local_nodes; ++a) {
      const basin_dof_entry *entries;
      size_t row = term->rows[e * term->local_nodes + a];
      if (term->direct) {
        if (row == node) return term->permutation.active ? term->permutation.order[e] : e;
        continue;
      }
      size_t count = basin__dof_row(c->minimizer->maps.maps[term->node_maps[a]], row, &entries);
      for (size_t k = 0; k < count; ++k)
        if (entries[k].node == node) return e;
    }
  return SIZE_MAX;
}

/* ---- evaluation ---- */

static basin_status copy_gradient(const checker *c, double *gradient)
{
  const double *assembled = basin_minimizer_gradient(c->minimizer, NULL);
  if (!assembled) return BASIN_ERROR_DEVICE;
  memcpy(gradient, assembled, c->size * sizeof *gradient);
  return BASIN_OK;
}

/* Energies of all elements and the gradient at the moved values. */
static basin_status evaluate(checker *c, double *energies, double *gradient)
{
  basin_minimizer *minimizer = c->minimizer;
  BASIN_TRY(basin__targets_write(minimizer, c->moved));
  BASIN_TRY(basin__minimizer_prepare(minimizer, BASIN_NEED_VALUE));
  BASIN_TRY(minimizer->engine->element_energies(minimizer, c->term, energies));
  BASIN_TRY(basin_minimizer_assemble_whole(minimizer, false, BASIN_PROJECTION_NONE));
  return copy_gradient(c, gradient);
}

/* Central differences by entry `place`: of the energy, element by element, and of the gradient into
 * c->difference. */
static basin_status differences(checker *c, size_t place, double h, double *slope)
{
  memcpy(c->moved, c->x, c->size * sizeof *c->x);
  c->moved[place] = c->x[place] + h;
  double above = c->moved[place];
  BASIN_TRY(evaluate(c, c->energies[0], c->up));
  c->moved[place] = c->x[place] - h;
  double span = above - c->moved[place]; /* what rounding has left of 2 h */
  BASIN_TRY(evaluate(c, c->energies[1], c->difference));
  double sum = 0;
  for (size_t e = 0; e < c->elements; ++e) sum += c->energies[0][e] - c->energies[1][e];
  *slope = sum / span;
  for (size_t k = 0; k < c->size; ++k) c->difference[k] = (c->up[k] - c->difference[k]) / span;
  return BASIN_OK;
}

static double relative_error(double analytic, double numeric, double floor)
{
  double difference = fabs(analytic - numeric);
  return difference == 0 ? 0 : difference / (fabs(analytic) + fabs(numeric) + floor);
}

/* Range of the values of the array that an entry belongs to. */
static double value_range(const checker *c, size_t target_number)
{
  const basin_target *target = &c->minimizer->layout.targets[target_number];
  const double *data = basin_system_array_data(c->minimizer->system, target->array);
  double low = DBL_MAX, high = -DBL_MAX, largest = 0;
  for (size_t k = 0; data && k < target->count * target->size; ++k) {
    low = fmin(low, data[k]);
    high = fmax(high, data[k]);
    largest = fmax(largest, fabs(data[k]));
  }
  if (high > low) return high - low;
  return largest > 0 ? largest : 1;
}

/* ---- one entry ---- */

static void record(basin_check_entry *entry,
                   const checker *c,
                   size_t place,
                   size_t other,
                   double error,
                   double analytic,
                   double numeric)
{
  if (!(error > entry->error)) return;
  entry_name moved = name_entry(c->minimizer, place), row = name_entry(c->minimizer, other);
  *entry = (basin_check_entry){.error = error,
                               .analytic = analytic,
                               .numeric = numeric,
                               .target = moved.target,
                               .instance = moved.instance,
                               .row = moved.row,
                               .col = moved.col,
                               .other_target = row.target,
                               .other_instance = row.instance,
                               .other_row = row.row,
                               .other_col = row.col,
                               .element = find_element(c, place / c->minimizer->layout.block)};
}

static double column_error(const checker *c, double floor, size_t *worst)
{
  double largest = -1;
  for (size_t k = 0; k < c->size; ++k) {
    double error = relative_error(c->column[k], c->difference[k], floor);
    if (!(error <= largest)) {
      largest = error;
      *worst = k;
    }
  }
  return largest;
}

/* The smallest error over the steps counts: a wrong derivative agrees with none of them. */
static basin_status check_entry(checker *c, size_t place, double range, const basin_bsr *matrix)
{
  double slope_error = HUGE_VAL, best_slope = 0, matrix_error = HUGE_VAL, best_value = 0;
  size_t best_row = place;
  memset(c->unit, 0, c->size * sizeof *c->unit);
  c->unit[place] = 1;
  basin_bsr_multiply(matrix, c->unit, c->column);
  double floor = FLOOR_FRACTION * basin__vector_largest(c->size, c->column);
  for (int k = 0; k < STEP_COUNT &&
                  !(slope_error <= c->options->tolerance && matrix_error <= c->options->tolerance);
       ++k) {
    double slope;
    size_t row = place;
    BASIN_TRY(differences(c, place, step_factors[k] * range, &slope));
    double error = relative_error(c->gradient[place], slope, c->gradient_floor);
    if (error < slope_error || k == 0) {
      slope_error = error;
      best_slope = slope;
    }
    double size = fmax(floor, FLOOR_FRACTION * basin__vector_largest(c->size, c->difference));
    error = column_error(c, size + DBL_MIN, &row);
    if (error < matrix_error || k == 0) {
      matrix_error = error;
      best_row = row;
      best_value = c->difference[row];
    }
  }
  ++c->report->entries;
  record(&c->report->gradient, c, place, place, slope_error, c->gradient[place], best_slope);
  record(&c->report->hessian, c, place, best_row, matrix_error, c->column[best_row], best_value);
  return BASIN_OK;
}

static uint64_t next_random(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* The term alone, unprojected; a copy of the matrix survives the assemblies of gradients. */
static basin_status check_entries(checker *c)
{
  basin_bsr *matrix = NULL;
  BASIN_TRY(basin_minimizer_assemble_whole(c->minimizer, true, BASIN_PROJECTION_NONE));
  BASIN_TRY(copy_gradient(c, c->gradient));
  c->gradient_floor = FLOOR_FRACTION * basin__vector_largest(c->size, c->gradient) + DBL_MIN;
  /* For find_element, on every device. */
  BASIN_TRY(basin__dof_maps_update(&c->minimizer->maps));
  BASIN_TRY(basin__term_structure(c->minimizer, c->term));
  const basin_bsr *assembled = basin_minimizer_matrix(c->minimizer);
  if (!assembled) return BASIN_ERROR_DEVICE;
  BASIN_TRY(basin_bsr_copy(assembled, &matrix));
  size_t samples = c->options->samples,
         count = samples == 0 || samples > c->size ? c->size : samples;
  uint64_t seed = c->options->seed;
  basin_status status = BASIN_OK;
  for (size_t k = 0; k < count && status == BASIN_OK; ++k) {
    size_t place = count == c->size ? k : next_random(&seed) % c->size;
    status = check_entry(c, place, value_range(c, name_entry(c->minimizer, place).target), matrix);
    if (status == BASIN_OK && basin__interrupted(c->minimizer->context))
      status = BASIN_FAIL(c->minimizer->context, BASIN_ERROR_INTERRUPTED, "interrupted");
  }
  basin_bsr_destroy(matrix);
  return status;
}

/* ---- the report ---- */

static void print_failure(checker *c, const char *what, const basin_check_entry *entry)
{
  entry_name moved = {entry->target, entry->instance, entry->row, entry->col};
  entry_name other = {
      entry->other_target, entry->other_instance, entry->other_row, entry->other_col};
  if (!(entry->error > c->options->tolerance)) return;
  basin__strbuf_printf(
      &c->text, "%sterm %s: %s by ", c->report->passed ? "" : "\n", c->term->name, what);
  print_entry(&c->text, c->minimizer, &moved);
  if (entry == &c->report->hessian) {
    basin__strbuf_puts(&c->text, " and ");
    print_entry(&c->text, c->minimizer, &other);
  }
  basin__strbuf_printf(
      &c->text, " is %.9g, differences give %.9g", entry->analytic, entry->numeric);
  if (entry->element != SIZE_MAX) basin__strbuf_printf(&c->text, " (element %zu)", entry->element);
  c->report->passed = false;
}

static basin_status conclude(checker *c)
{
  c->report->passed = true;
  basin__strbuf_init(&c->text, c->minimizer->context);
  print_failure(c, "gradient", &c->report->gradient);
  print_failure(c, "Hessian", &c->report->hessian);
  bool failed = c->text.failed;
  snprintf(c->report->text, sizeof c->report->text, "%s", basin__strbuf_text(&c->text));
  basin__strbuf_fini(&c->text);
  return failed ? BASIN_ERROR_MEMORY : BASIN_OK;
}

/* ---- with all other terms switched off ---- */

static double *take(double **next, size_t count)
{
  double *taken = *next;
  *next += count;
  return taken;
}

static basin_status check_alone(checker *c)
{
  basin_minimizer *minimizer = c->minimizer;
  BASIN_TRY(basin__minimizer_layout(minimizer));
  c->size = minimizer->layout.node_count * minimizer->layout.block;
  c->elements = minimizer->system->spaces[c->term->space].count;
  size_t count = 7 * c->size + 2 * c->elements + 1;
  double *memory = basin__alloc_aligned(minimizer->context, count * sizeof *memory), *next = memory;
  if (!memory) return BASIN_ERROR_MEMORY;
  double **vectors[] = {
      &c->x, &c->moved, &c->gradient, &c->unit, &c->column, &c->up, &c->difference};
  for (size_t k = 0; k < BASIN_COUNT(vectors); ++k) *vectors[k] = take(&next, c->size);
  for (size_t k = 0; k < 2; ++k) c->energies[k] = take(&next, c->elements);
  basin_status status = basin__targets_read(minimizer, c->x);
  if (status == BASIN_OK && c->size > 0 && c->elements > 0 && c->term->local_nodes > 0) {
    status = check_entries(c);
    if (status != BASIN_OK) basin__error_hold(minimizer->context);
    basin_status restored = basin__targets_write(minimizer, c->x);
    if (status != BASIN_OK) basin__error_release(minimizer->context);
    if (status == BASIN_OK) status = restored;
  }
  if (status == BASIN_OK) status = conclude(c);
  basin__free_aligned(minimizer->context, memory, count * sizeof *memory);
  return status;
}

basin_status basin_minimizer_check(basin_minimizer *minimizer,
                                   basin_term_id term,
                                   const basin_check_options *options,
                                   basin_check_report *report)
{
  basin_context *context = minimizer->context;
  basin_check_options chosen = options ? *options : basin_check_options_defaults();
  if (term >= minimizer->term_count)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "there is no term %u", (unsigned)term);
  if (chosen.size != sizeof chosen)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "check options of unknown size %zu", chosen.size);
  if (!(chosen.tolerance > 0))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the tolerance must be positive, but is %g",
                      chosen.tolerance);
  bool *enabled = basin__alloc(context, minimizer->term_count * sizeof *enabled);
  if (!enabled) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    enabled[k] = minimizer->terms[k]->enabled;
    minimizer->terms[k]->enabled = k == term;
  }
  memset(report, 0, sizeof *report);
  report->size = sizeof *report;
  checker c = {
      .minimizer = minimizer, .term = minimizer->terms[term], .options = &chosen, .report = report};
  basin_status status = check_alone(&c);
  for (size_t k = 0; k < minimizer->term_count; ++k) minimizer->terms[k]->enabled = enabled[k];
  minimizer->assembled = false;
  basin__free(context, enabled, minimizer->term_count * sizeof *enabled);
  return status;
}
