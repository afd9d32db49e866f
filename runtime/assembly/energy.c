/* Energies: sums in a fixed order, and the search for the element that is not finite.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"
#include "device/work.h"
#include <math.h>

/* Elements a task and a partial sum: fixed, so the sum has the same bits for any number of threads.
 */
#define ENERGY_CHUNK 1024u

/* A sum with a running correction for what rounding loses (A. Neumaier, ZAMM 54, 1974). */
typedef struct exact_sum {
  double sum, lost;
} exact_sum;

static void sum_add(exact_sum *total, double value)
{
  double sum = total->sum + value;
  if (fabs(total->sum) >= fabs(value))
    total->lost += (total->sum - sum) + value;
  else
    total->lost += (value - sum) + total->sum;
  total->sum = sum;
}

static double sum_value(const exact_sum *total)
{
  double value = total->sum + total->lost;
  return isfinite(value) ? value : total->sum; /* inf - inf in the correction */
}

typedef struct energy_task {
  const basin_minimizer *minimizer;
  const basin_term *term;
  size_t count;
  double *energies; /* one an element; only where they are wanted */
} energy_task;

static void energy_chunk(void *user, size_t index, unsigned worker)
{
  const energy_task *task = user;
  const basin_term *term = task->term;
  size_t begin = index * ENERGY_CHUNK;
  double *sum = &term->energies[index];
  *sum = 0;
  basin_kernel_args args = {.begin = begin,
                            .end = begin + ENERGY_CHUNK < task->count ? begin + ENERGY_CHUNK
                                                                      : task->count,
                            .arrays = term->binding.arrays,
                            .indices = term->binding.indices,
                            .energy_sum = sum,
                            .scratch = basin__system_scratch(task->minimizer->system, worker)};
  term->value.kernel.function(&args, term->value.kernel.self);
}

static basin_status term_energy(basin_minimizer *minimizer, basin_term *term, double *energy)
{
  double start = basin__seconds();
  size_t count = minimizer->system->spaces[term->space].count,
         chunks = (count + ENERGY_CHUNK - 1) / ENERGY_CHUNK;
  exact_sum total = {0, 0};
  *energy = 0;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(basin__binding_fill(minimizer->system, term->value.info, &term->binding));
  if (chunks > term->energy_capacity)
    BASIN_TRY(basin__grow(minimizer->context,
                          &term->energies,
                          &term->energy_capacity,
                          chunks,
                          sizeof *term->energies));
  energy_task task = {minimizer, term, count, NULL};
  basin__parallel_work(
      minimizer->context, chunks, basin__kernel_work(term->value.info, count), energy_chunk, &task);
  for (size_t k = 0; k < chunks; ++k) sum_add(&total, term->energies[k]);
  *energy = sum_value(&total);
  basin__term_ran(minimizer, term, BASIN_STAGE_VALUE, basin__seconds() - start);
  return BASIN_OK;
}

/* ---- of every element ---- */

static void element_chunk(void *user, size_t index, unsigned worker)
{
  const energy_task *task = user;
  const basin_term *term = task->term;
  size_t begin = index * ENERGY_CHUNK;
  basin_kernel_args args = {.begin = begin,
                            .end = begin + ENERGY_CHUNK < task->count ? begin + ENERGY_CHUNK
                                                                      : task->count,
                            .arrays = term->binding.arrays,
                            .indices = term->binding.indices,
                            .energy = task->energies + begin,
                            .scratch = basin__system_scratch(task->minimizer->system, worker)};
  term->value.kernel.function(&args, term->value.kernel.self);
}

basin_status basin__element_energies(basin_minimizer *minimizer, basin_term *term, double *energies)
{
  size_t count = minimizer->system->spaces[term->space].count;
  energy_task task = {minimizer, term, count, energies};
  BASIN_TRY(basin__binding_fill(minimizer->system, term->value.info, &term->binding));
  basin__parallel(
      minimizer->context, (count + ENERGY_CHUNK - 1) / ENERGY_CHUNK, element_chunk, &task);
  return BASIN_OK;
}

/* ---- of all terms ---- */

basin_status basin__energies(basin_minimizer *minimizer, double *per_term)
{
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    per_term[k] = 0;
    if (!term->enabled) continue;
    basin_status status = term_energy(minimizer, term, &per_term[k]);
    if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
  }
  return BASIN_OK;
}

basin_status basin__minimizer_evaluate(basin_minimizer *minimizer, double *total, double *per_term)
{
  exact_sum sum = {0, 0};
  size_t count = minimizer->term_count, bytes = (count + 1) * sizeof(double);
  BASIN_TRY(basin__minimizer_prepare(minimizer, BASIN_NEED_VALUE));
  double *energies = per_term ? per_term : basin__alloc(minimizer->context, bytes);
  if (!energies) return BASIN_ERROR_MEMORY;
  basin_status status = minimizer->engine->energies(minimizer, energies);
  for (size_t k = 0; k < count && status == BASIN_OK; ++k) sum_add(&sum, energies[k]);
  if (!per_term) basin__free(minimizer->context, energies, bytes);
  *total = sum_value(&sum);
  return status;
}

basin_status basin_minimizer_energy(basin_minimizer *minimizer, double *total, double *per_term)
{
  BASIN_TRY(basin__minimizer_evaluate(minimizer, total, per_term));
  if (isfinite(*total)) return BASIN_OK;
  BASIN_TRY(basin__minimizer_find_bad(minimizer, BASIN_STAGE_VALUE));
  return BASIN_FAIL(minimizer->context,
                    BASIN_ERROR_NOT_FINITE,
                    "the energy overflows: the sum of finite energies is not finite");
}

/* ---- what is not finite ---- */

static bool all_finite(const double *values, size_t count, size_t stride)
{
  for (size_t k = 0; k < count; ++k)
    if (!isfinite(values[k * stride])) return false;
  return true;
}

static const char *bad_word(double value)
{
  return isnan(value) ? "not a number" : "infinite";
}

static basin_status report_bad(const basin_minimizer *minimizer,
                               const basin_term *term,
                               size_t element,
                               basin_stage stage,
                               double energy)
{
  const char *space = minimizer->system->spaces[term->space].name;
  basin_status status;
  if (stage == BASIN_STAGE_VALUE)
    status = BASIN_FAIL(minimizer->context,
                        BASIN_ERROR_NOT_FINITE,
                        "term %s: the energy of element %zu of %s is %s",
                        term->name,
                        element,
                        space,
                        bad_word(energy));
  else
    status = BASIN_FAIL(minimizer->context,
                        BASIN_ERROR_NOT_FINITE,
                        "term %s: the %s of element %zu of %s is not finite (its energy is %g)",
                        term->name,
                        stage == BASIN_STAGE_GRADIENT ? "gradient" : "Hessian",
                        element,
                        space,
                        energy);
  return basin__term_blame(minimizer, term, status);
}

basin_status basin__judge_element(const basin_minimizer *minimizer,
                                  const basin_term *term,
                                  size_t element,
                                  double energy,
                                  const double *gradient,
                                  size_t gradient_size,
                                  const double *hessian,
                                  size_t hessian_size,
                                  size_t stride)
{
  if (!isfinite(energy)) return report_bad(minimizer, term, element, BASIN_STAGE_VALUE, energy);
  if (!all_finite(gradient, gradient_size, stride))
    return report_bad(minimizer, term, element, BASIN_STAGE_GRADIENT, energy);
  if (!all_finite(hessian, hessian_size, stride))
    return report_bad(minimizer, term, element, BASIN_STAGE_HESSIAN, energy);
  return BASIN_OK;
}

/* One element after the other: slow, and only done to name the culprit. */
static basin_status
search_term(basin_minimizer *minimizer, basin_term *term, basin_stage stage, double *local)
{
  basin_kernel_slot *slot = basin__term_kernel(term, stage);
  size_t size = slot->info->local_size,
         packed = stage == BASIN_STAGE_HESSIAN ? size * (size + 1) / 2 : 0;
  if (stage == BASIN_STAGE_VALUE) size = 0;
  BASIN_TRY(basin__binding_fill(minimizer->system, slot->info, &term->binding));
  for (size_t e = 0; e < minimizer->system->spaces[term->space].count; ++e) {
    double energy = 0;
    basin_kernel_args args = {.begin = e,
                              .end = e + 1,
                              .arrays = term->binding.arrays,
                              .indices = term->binding.indices,
                              .energy = &energy,
                              .local_gradient = size > 0 ? local : NULL,
                              .local_hessian = packed > 0 ? local + size : NULL,
                              .scratch = basin__system_scratch(minimizer->system, 0),
                              .projection = BASIN_PROJECTION_NONE};
    slot->kernel.function(&args, slot->kernel.self);
    BASIN_TRY(
        basin__judge_element(minimizer, term, e, energy, local, size, local + size, packed, 1));
  }
  return BASIN_OK;
}

basin_status basin__term_find_bad(basin_minimizer *minimizer, basin_term *term, basin_stage stage)
{
  size_t size = (size_t)term->local_nodes * minimizer->layout.block,
         bytes = (1 + size + size * (size + 1) / 2) * sizeof(double);
  double *local = basin__alloc_aligned(minimizer->context, bytes);
  if (!local) return BASIN_ERROR_MEMORY;
  basin_status status = search_term(minimizer, term, stage, local);
  basin__free_aligned(minimizer->context, local, bytes);
  return status;
}

basin_status basin__minimizer_find_bad(basin_minimizer *minimizer, basin_stage stage)
{
  static const unsigned needs[BASIN_STAGE_COUNT] = {[BASIN_STAGE_VALUE] = BASIN_NEED_VALUE,
                                                    [BASIN_STAGE_GRADIENT] = BASIN_NEED_GRADIENT,
                                                    [BASIN_STAGE_HESSIAN] = BASIN_NEED_HESSIAN};
  BASIN_TRY(basin__minimizer_prepare(minimizer, needs[stage]));
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    if (!term->enabled || (stage != BASIN_STAGE_VALUE && term->local_nodes == 0)) continue;
    BASIN_TRY(minimizer->engine->find_bad(minimizer, term, stage));
  }
  return BASIN_OK;
}
