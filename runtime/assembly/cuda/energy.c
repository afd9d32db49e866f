/* Energies on a CUDA device: of every element, summed in a fixed order; all terms come back at
 * once. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* Terms without unknowns have no structure, but energies. */
static basin_status need_device(basin_minimizer *minimizer, basin_term *term)
{
  if (term->device) return BASIN_OK;
  term->device = basin__calloc(minimizer->context, 1, sizeof *term->device);
  return term->device ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* Energies of all elements into the term's buffer. */
static basin_status run_values(basin_minimizer *minimizer, basin_term *term, size_t count)
{
  BASIN_TRY(need_device(minimizer, term));
  basin_cuda_term *own = term->device;
  BASIN_TRY(
      basin__buffer_reserve(minimizer->device->cuda, &own->energies, (count + 1) * sizeof(double)));
  BASIN_TRY(basin__binding_on_device(
      minimizer->system, term->value.info, &own->bindings[BASIN_STAGE_VALUE]));
  basin_cuda_results results = {.energy = own->energies.address};
  return basin__cuda_term_launch(
      minimizer, term, BASIN_STAGE_VALUE, BASIN_PROJECTION_NONE, 0, count, &results);
}

static basin_status term_energy(basin_minimizer *minimizer, basin_term *term, basin_address result)
{
  double start = basin__seconds();
  size_t count = minimizer->system->spaces[term->space].count;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(run_values(minimizer, term, count));
  BASIN_TRY(basin__cuda_sum(minimizer->device->cuda,
                            &minimizer->device->scratch,
                            term->device->energies.address,
                            count,
                            result));
  double seconds = basin__seconds() - start;
  ++term->statistics.value_calls;
  term->statistics.value_seconds += seconds;
  if (term->dynamic) minimizer->seconds_pair_energy += seconds;
  return BASIN_OK;
}

basin_status basin__cuda_energies(basin_minimizer *minimizer, double *per_term)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t count = minimizer->term_count, bytes = count * sizeof(double);
  if (count == 0) return BASIN_OK;
  BASIN_TRY(basin__buffer_reserve(
      device->cuda, &device->results, bytes > 256 * sizeof(double) ? bytes : 256 * sizeof(double)));
  basin_address results = device->results.address;
  BASIN_TRY(basin__cuda_zero(device->cuda, results, bytes));
  for (size_t k = 0; k < count; ++k) {
    basin_term *term = minimizer->terms[k];
    if (!term->enabled) continue;
    basin_status status = term_energy(minimizer, term, results + k * sizeof(double));
    if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
  }
  return basin__cuda_download(device->cuda, per_term, results, bytes);
}

basin_status
basin__cuda_element_energies(basin_minimizer *minimizer, basin_term *term, double *energies)
{
  size_t count = minimizer->system->spaces[term->space].count;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(run_values(minimizer, term, count));
  return basin__cuda_download(
      minimizer->device->cuda, energies, term->device->energies.address, count * sizeof(double));
}

/* ---- what is not finite: local results are copied and looked at here ---- */

typedef struct search {
  basin_stage stage;
  size_t count, size, packed; /* elements, numbers of the gradient and of the Hessian of one */
  size_t batch;
  double *local; /* energies, gradients, Hessians of a batch */
} search;

static basin_status
search_batch(basin_minimizer *minimizer, basin_term *term, const search *s, size_t begin)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t end = begin + s->batch < s->count ? begin + s->batch : s->count, n = end - begin;
  basin_address local = device->local.address;
  basin_cuda_results results = {.energy = local,
                                .gradient = s->size > 0 ? local + n * sizeof(double) : 0,
                                .hessian =
                                    s->packed > 0 ? local + n * (1 + s->size) * sizeof(double) : 0};
  BASIN_TRY(basin__cuda_term_launch(
      minimizer, term, s->stage, BASIN_PROJECTION_NONE, begin, end, &results));
  BASIN_TRY(basin__cuda_download(
      device->cuda, s->local, local, n * (1 + s->size + s->packed) * sizeof(double)));
  for (size_t e = 0; e < n; ++e)
    BASIN_TRY(basin__judge_element(minimizer,
                                   term,
                                   begin + e,
                                   s->local[e],
                                   s->local + n + e,
                                   s->size,
                                   s->local + n * (1 + s->size) + e,
                                   s->packed,
                                   n));
  return BASIN_OK;
}

basin_status basin__cuda_find_bad(basin_minimizer *minimizer, basin_term *term, basin_stage stage)
{
  basin_cuda_minimizer *device = minimizer->device;
  const basin_kernel_info *info = basin__term_kernel(term, stage)->info;
  search s = {.stage = stage, .count = minimizer->system->spaces[term->space].count};
  if (stage != BASIN_STAGE_VALUE) s.size = info->local_size;
  if (stage == BASIN_STAGE_HESSIAN) s.packed = s.size * (s.size + 1) / 2;
  size_t element = (1 + s.size + s.packed) * sizeof(double);
  s.batch = device->batch_bytes / element < s.count ? device->batch_bytes / element : s.count;
  if (s.count == 0) return BASIN_OK;
  if (s.batch == 0) s.batch = 1;
  BASIN_TRY(need_device(minimizer, term));
  BASIN_TRY(basin__binding_on_device(minimizer->system, info, &term->device->bindings[stage]));
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->local, s.batch * element));
  s.local = basin__alloc_aligned(minimizer->context, s.batch * element);
  if (!s.local) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (size_t begin = 0; begin < s.count && status == BASIN_OK; begin += s.batch)
    status = search_batch(minimizer, term, &s, begin);
  basin__free_aligned(minimizer->context, s.local, s.batch * element);
  return status;
}
