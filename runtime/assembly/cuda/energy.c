/* Energies on a CUDA device: of every element, summed in a fixed order; all terms come back at
 * once. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

enum { ENERGY_CHUNK = 2048 };

/* Terms without unknowns have no structure, but energies. */
static basin_status need_device(basin_minimizer *minimizer, basin_term *term)
{
  if (term->device) return BASIN_OK;
  term->device = basin__calloc(minimizer->context, 1, sizeof *term->device);
  return term->device ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* Energies of all elements from `address` on. */
static basin_status
run_values(basin_minimizer *minimizer, basin_term *term, size_t count, basin_address address)
{
  BASIN_TRY(need_device(minimizer, term));
  BASIN_TRY(basin__binding_on_device(
      minimizer->system, term->value.info, &term->device->bindings[BASIN_STAGE_VALUE]));
  basin_cuda_results results = {.energy = address};
  return basin__cuda_term_launch(
      minimizer, term, BASIN_STAGE_VALUE, BASIN_PROJECTION_NONE, 0, count, &results);
}

/* Elements whose energies count. */
static size_t value_count(const basin_minimizer *minimizer, const basin_term *term)
{
  return term->enabled ? minimizer->system->spaces[term->space].count : 0;
}

/* Where the energies and chunks of each term begin; sent if that has changed. */
static basin_status place_energies(basin_minimizer *minimizer, size_t *energies, size_t *chunks)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t terms = minimizer->term_count, words = 2 * (terms + 1);
  bool changed = device->sent_terms != terms;
  BASIN_TRY(basin__grow(minimizer->context,
                        &device->sent_places,
                        &device->sent_capacity,
                        words,
                        sizeof *device->sent_places));
  uint32_t *starts = device->sent_places, *firsts = starts + terms + 1;
  *energies = *chunks = 0;
  for (size_t k = 0;; ++k) {
    changed = changed || starts[k] != *energies || firsts[k] != *chunks;
    starts[k] = (uint32_t)*energies;
    firsts[k] = (uint32_t)*chunks;
    if (k == terms) break;
    size_t count = value_count(minimizer, minimizer->terms[k]);
    *energies += count;
    *chunks += (count + ENERGY_CHUNK - 1) / ENERGY_CHUNK;
  }
  if (*energies >= BASIN_NONE)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_UNSUPPORTED, "%zu elements are too many", *energies);
  if (!changed) return BASIN_OK;
  device->sent_terms = SIZE_MAX;
  BASIN_TRY(basin__cuda_send(minimizer, &device->places, starts, words * sizeof *starts));
  device->sent_terms = terms;
  return BASIN_OK;
}

static basin_status run_terms(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    double start = basin__seconds();
    size_t count = value_count(minimizer, term);
    if (count == 0) continue;
    basin_address at = device->energies.address + device->sent_places[k] * sizeof(double);
    basin_status status = run_values(minimizer, term, count, at);
    if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
    basin__term_ran(minimizer, term, BASIN_STAGE_VALUE, basin__seconds() - start);
  }
  return BASIN_OK;
}

/* As in energies.cu. */
typedef struct energy_task {
  uint32_t terms, chunk;
  basin_address starts, chunks, energies, partial, sums;
} energy_task;

static basin_status
sum(basin_minimizer *minimizer, const char *entry, size_t blocks, energy_task *task)
{
  return basin__cuda_run(
      minimizer->device->cuda, "energies.cu", entry, "", (unsigned)blocks, (void *[]){task});
}

basin_status basin__cuda_energies(basin_minimizer *minimizer, double *per_term)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t terms = minimizer->term_count, energies, chunks;
  if (terms == 0) return BASIN_OK;
  BASIN_TRY(place_energies(minimizer, &energies, &chunks));
  BASIN_TRY(
      basin__buffer_reserve(device->cuda, &device->energies, (energies + 1) * sizeof(double)));
  BASIN_TRY(
      basin__buffer_reserve(device->cuda, &device->partial, (chunks + terms) * sizeof(double)));
  BASIN_TRY(run_terms(minimizer));
  energy_task task = {.terms = (uint32_t)terms,
                      .chunk = ENERGY_CHUNK,
                      .starts = device->places.address,
                      .chunks = device->places.address + (terms + 1) * sizeof(uint32_t),
                      .energies = device->energies.address,
                      .partial = device->partial.address,
                      .sums = device->partial.address + chunks * sizeof(double)};
  BASIN_TRY(sum(minimizer, "sum_chunks", chunks, &task));
  BASIN_TRY(sum(minimizer, "sum_terms", terms, &task));
  return basin__cuda_download(device->cuda, per_term, task.sums, terms * sizeof(double));
}

/* ---- of every element of one term ---- */

basin_status
basin__cuda_element_energies(basin_minimizer *minimizer, basin_term *term, double *energies)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t count = minimizer->system->spaces[term->space].count;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->energies, count * sizeof(double)));
  BASIN_TRY(run_values(minimizer, term, count, device->energies.address));
  return basin__cuda_download(
      device->cuda, energies, device->energies.address, count * sizeof(double));
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
  bool staged = basin__cuda_staged(minimizer, term);
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
                                   s->local + n + e * (staged ? s->size : 1),
                                   s->size,
                                   s->local + n * (1 + s->size) + e * (staged ? s->packed : 1),
                                   s->packed,
                                   staged ? 1 : n));
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
