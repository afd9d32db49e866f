/* Energies: sums in a fixed order, and the search for the element that is not finite.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/minimizer.h"
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
  energy_task task = {minimizer, term, count};
  basin__parallel_work(
      minimizer->context, chunks, basin__kernel_work(term->value.info, count), energy_chunk, &task);
  for (size_t k = 0; k < chunks; ++k) sum_add(&total, term->energies[k]);
  *energy = sum_value(&total);
  ++term->statistics.value_calls;
  term->statistics.value_seconds += basin__seconds() - start;
  return BASIN_OK;
}

basin_status basin__minimizer_evaluate(basin_minimizer *minimizer, double *total, double *per_term)
{
  exact_sum sum = {0, 0};
  BASIN_TRY(basin__minimizer_prepare(minimizer, BASIN_NEED_VALUE));
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    double energy = 0;
    if (term->enabled) {
      basin_status status = term_energy(minimizer, term, &energy);
      if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
    }
    if (per_term) per_term[k] = energy;
    sum_add(&sum, energy);
  }
  *total = sum_value(&sum);
  return BASIN_OK;
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

static bool all_finite(const double *values, size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (!isfinite(values[k])) return false;
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

/* One element after the other: slow, and only done to name the culprit. */
static basin_status
search_term(basin_minimizer *minimizer, basin_term *term, basin_stage stage, double *local)
{
  basin_kernel_slot *slot = stage == BASIN_STAGE_VALUE      ? &term->value
                            : stage == BASIN_STAGE_GRADIENT ? &term->gradient
                                                            : &term->hessian;
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
    if (!isfinite(energy)) return report_bad(minimizer, term, e, BASIN_STAGE_VALUE, energy);
    if (!all_finite(local, size))
      return report_bad(minimizer, term, e, BASIN_STAGE_GRADIENT, energy);
    if (!all_finite(local + size, packed))
      return report_bad(minimizer, term, e, BASIN_STAGE_HESSIAN, energy);
  }
  return BASIN_OK;
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
    size_t size = (size_t)term->local_nodes * minimizer->layout.block,
           bytes = (1 + size + size * (size + 1) / 2) * sizeof(double);
    double *local = basin__alloc_aligned(minimizer->context, bytes);
    if (!local) return BASIN_ERROR_MEMORY;
    basin_status status = search_term(minimizer, term, stage, local);
    basin__free_aligned(minimizer->context, local, bytes);
    if (status != BASIN_OK) return status;
  }
  return BASIN_OK;
}
