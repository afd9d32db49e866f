/* The pattern of the matrix on a CUDA device, found from the runs of all terms of a part.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

static uint64_t mix(uint64_t key, uint64_t value)
{
  return basin__hash64(&value, sizeof value, key);
}

static bool belongs(const basin_term *term, int number)
{
  return term->dynamic == (number == BASIN_PART_DYNAMIC) && term->local_nodes > 0;
}

static uint64_t part_key(const basin_minimizer *minimizer, int number, size_t *runs)
{
  uint64_t key = mix(1, minimizer->layout.version);
  *runs = 0;
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    const basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number)) continue;
    key = mix(mix(key, term->device->number), term->elements);
    *runs += term->device->hessian.run_count;
  }
  return key;
}

/* The keys of all runs and of the diagonal, each once: part->unique. */
static basin_status unite(basin_minimizer *minimizer, int number, size_t runs, unsigned bits)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  basin_cuda_part *part = &device->parts[number];
  uint32_t nodes = (uint32_t)minimizer->layout.node_count, unique;
  size_t count = runs + nodes + 1;
  BASIN_TRY(basin__buffer_reserve(cuda, &device->keys, count * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->heads, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->results, 256 * sizeof(double)));
  basin_address keys = device->keys.address, heads = device->heads.address, at = keys;
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    const basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number)) continue;
    const basin_cuda_list *list = &term->device->hessian;
    size_t bytes = list->run_count * sizeof(uint64_t);
    if (bytes > 0) BASIN_TRY(basin__cuda_copy(cuda, at, list->places.address, bytes));
    at += bytes;
  }
  uint32_t wide = bits;
  void *diagonal[] = {&nodes, &wide, &at};
  BASIN_TRY(basin__cuda_simple(
      minimizer, "pattern.cu", "emit_diagonal", "", (size_t)nodes + 1, diagonal));
  BASIN_TRY(basin__cuda_sort_64(cuda, &device->scratch, keys, 0, count, 2 * bits));
  BASIN_TRY(
      basin__cuda_runs_64(cuda, &device->scratch, keys, count, heads, 0, device->results.address));
  BASIN_TRY(basin__cuda_download(cuda, &unique, device->results.address, sizeof unique));
  part->upper_count = unique - 1; /* the last is that of no block */
  BASIN_TRY(basin__buffer_reserve(cuda, &part->unique, unique * sizeof(uint64_t)));
  uint64_t length = part->upper_count;
  void *gather[] = {&keys, &heads, &length, &part->unique.address};
  return basin__cuda_simple(minimizer, "pattern.cu", "unique_keys", "", length, gather);
}

/* Both triangles, by rows. */
static basin_status mirror(basin_minimizer *minimizer, basin_cuda_part *part, unsigned bits)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  uint32_t nodes = (uint32_t)minimizer->layout.node_count, wide = bits;
  uint64_t count = part->upper_count, twice = 2 * count;
  part->full_count = twice - nodes;
  BASIN_TRY(basin__buffer_reserve(cuda, &device->keys, twice * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &part->sources, twice * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &part->columns, part->full_count * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &part->row_starts, ((size_t)nodes + 1) * sizeof(uint32_t)));
  basin_address keys = device->keys.address;
  void *emit[] = {&part->unique.address, &count, &wide, &keys, &part->sources.address};
  BASIN_TRY(basin__cuda_simple(minimizer, "pattern.cu", "mirror_keys", "", count, emit));
  BASIN_TRY(
      basin__cuda_sort_64(cuda, &device->scratch, keys, part->sources.address, twice, 2 * bits));
  uint64_t full = part->full_count;
  void *finish[] = {&keys, &full, &nodes, &wide, &part->columns.address, &part->row_starts.address};
  return basin__cuda_simple(minimizer, "pattern.cu", "finish_rows", "", full, finish);
}

static basin_status reserve_values(basin_minimizer *minimizer, basin_cuda_part *part)
{
  basin_cuda *cuda = minimizer->device->cuda;
  size_t block = (size_t)minimizer->layout.block * minimizer->layout.block * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(cuda, &part->upper, part->upper_count * block));
  return basin__buffer_reserve(cuda, &part->full, part->full_count * block);
}

/* Each run of each term learns its block, or each contribution. */
static basin_status hand_out_slots(basin_minimizer *minimizer, int number)
{
  const basin_cuda_part *part = &minimizer->device->parts[number];
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number) || term->device->hessian.run_count == 0) continue;
    basin_cuda_list *list = &term->device->hessian;
    if (minimizer->device->atomic) {
      BASIN_TRY(basin__cuda_term_slots(minimizer, term));
      continue;
    }
    uint64_t runs = list->run_count, count = part->upper_count;
    basin_address unique = part->unique.address;
    BASIN_TRY(basin__buffer_reserve(
        minimizer->device->cuda, &list->slots, list->run_count * sizeof(uint32_t)));
    void *parameters[] = {&list->places.address, &runs, &unique, &count, &list->slots.address};
    BASIN_TRY(basin__cuda_simple(minimizer, "pattern.cu", "find_slots", "", runs, parameters));
  }
  return BASIN_OK;
}

static basin_status update_part(basin_minimizer *minimizer, int number)
{
  basin_part *part = &minimizer->parts[number];
  basin_cuda_part *own = &minimizer->device->parts[number];
  unsigned bits = basin__bits_of(minimizer->layout.node_count + 1);
  size_t runs;
  uint64_t key = part_key(minimizer, number, &runs);
  if (part->key == key) return BASIN_OK;
  part->key = part->constant_key = 0;
  minimizer->has_matrix = false;
  minimizer->values_key = 0;
  own->used = false;
  if (number == BASIN_PART_STATIC || runs > 0) {
    BASIN_TRY(unite(minimizer, number, runs, bits));
    if (own->upper_count > BASIN_SLOT_MASK)
      return BASIN_FAIL(
          minimizer->context, BASIN_ERROR_UNSUPPORTED, "the matrix has more than 2^30 blocks");
    BASIN_TRY(mirror(minimizer, own, bits));
    BASIN_TRY(reserve_values(minimizer, own));
    BASIN_TRY(hand_out_slots(minimizer, number));
    own->used = true;
  }
  part->key = key;
  return BASIN_OK;
}

basin_status basin__cuda_pattern_update(basin_minimizer *minimizer)
{
  BASIN_TRY(update_part(minimizer, BASIN_PART_STATIC));
  double start = basin__seconds();
  BASIN_TRY(update_part(minimizer, BASIN_PART_DYNAMIC));
  minimizer->seconds_pairs += basin__seconds() - start;
  return BASIN_OK;
}
