/* Dividing a term's elements among workers: chunks, colours, partitions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/permute.h"
#include "device/work.h"
#include <string.h>

#define COLOUR_MAX  64u
#define BATCH_BYTES ((size_t)4 << 20) /* local results kept at once by a partitioned term */
/* Chunks a colour, on average, that make colours worth while. */
#define CHUNKS_NATURAL  4u
#define CHUNKS_PERMUTED 2u

#define ONE_CHUNK 512u /* elements that are one chunk */
#define PART      64u  /* a chunk of as few elements, where they are shared among workers */

/* Small chunks for small terms, so that there are enough of them; not smaller than what kernels
 * project at once. */
static size_t chunk_size(size_t elements)
{
  if (elements <= ONE_CHUNK) return elements ? elements : 1;
  if (elements < (size_t)1 << 16) return 128;
  return elements < (size_t)1 << 18 ? 256 : 512;
}

/* One bit a colour for every node: the colours of the chunks that touch it. */
typedef struct colouring {
  const basin_term *term;
  uint64_t *used;
  uint8_t *colours; /* of the chunks */
} colouring;

/* Gathers (bit 0) or sets the colours of a chunk's nodes. */
static uint64_t visit_chunk(const colouring *work, size_t chunk, uint64_t bit)
{
  const basin_term *term = work->term;
  size_t begin = chunk * term->schedule.chunk, end = begin + term->schedule.chunk;
  uint64_t seen = 0;
  if (end > term->elements) end = term->elements;
  for (size_t e = begin; e < end; ++e) {
    size_t count;
    const uint32_t *nodes = basin__element_nodes(term, e, &count);
    for (size_t k = 0; k < count; ++k) {
      if (nodes[k] == BASIN_NONE) continue;
      seen |= work->used[nodes[k]];
      work->used[nodes[k]] |= bit;
    }
  }
  return seen;
}

/* Greedy: the first colour that no neighbour has. False if more than COLOUR_MAX are needed. */
static bool colour_chunks(const colouring *work, size_t *colour_count)
{
  *colour_count = 0;
  for (size_t c = 0; c < work->term->schedule.chunk_count; ++c) {
    uint64_t seen = visit_chunk(work, c, 0), colour = 0;
    while (colour < COLOUR_MAX && (seen >> colour & 1)) ++colour;
    if (colour == COLOUR_MAX) return false;
    work->colours[c] = (uint8_t)colour;
    (void)visit_chunk(work, c, (uint64_t)1 << colour);
    if (colour + 1 > *colour_count) *colour_count = colour + 1;
  }
  return true;
}

static void order_chunks(basin_schedule *schedule, const uint8_t *colours, size_t colour_count)
{
  size_t place = 0;
  for (size_t k = 0; k < colour_count; ++k) {
    schedule->colour_starts[k] = place;
    for (size_t c = 0; c < schedule->chunk_count; ++c)
      if (colours[c] == k) schedule->order[place++] = (uint32_t)c;
  }
  schedule->colour_starts[colour_count] = place;
  schedule->colour_count = colour_count;
}

/* Colours the chunks; *wide if there are at least `wanted` chunks a colour. */
static basin_status
try_colours(basin_minimizer *minimizer, basin_term *term, size_t wanted, bool *wide)
{
  basin_context *context = minimizer->context;
  basin_schedule *schedule = &term->schedule;
  size_t node_bytes = (minimizer->layout.node_count + 1) * sizeof(uint64_t), colour_count = 0;
  colouring work = {.term = term};
  work.used = basin__calloc(context, 1, node_bytes);
  work.colours = work.used ? basin__alloc(context, schedule->chunk_count) : NULL;
  *wide = work.colours && colour_chunks(&work, &colour_count) &&
          schedule->chunk_count >= wanted * colour_count;
  if (*wide) order_chunks(schedule, work.colours, colour_count);
  basin_status status = work.colours ? BASIN_OK : BASIN_ERROR_MEMORY;
  basin__free(context, work.colours, schedule->chunk_count);
  basin__free(context, work.used, node_bytes);
  return status;
}

/* In the natural order if that will do; else in an order of our own; else without colours. */
static basin_status colour(basin_minimizer *minimizer, basin_term *term)
{
  bool wide;
  BASIN_TRY(try_colours(minimizer, term, CHUNKS_NATURAL, &wide));
  if (!wide && basin__permutation_allowed(minimizer, term)) {
    BASIN_TRY(basin__permutation_apply(minimizer, term));
    BASIN_TRY(try_colours(minimizer, term, CHUNKS_PERMUTED, &wide));
    if (!wide) basin__permutation_undo(term);
  }
  term->schedule.partitioned = !wide;
  return BASIN_OK;
}

/* ---- partitions ---- */

static basin_status reserve_bounds(basin_minimizer *minimizer, basin_schedule *schedule)
{
  basin_context *context = minimizer->context;
  size_t count = basin__worker_count(context), bytes = (count + 1) * sizeof(size_t);
  if (schedule->partition_count == count) return BASIN_OK;
  basin__schedule_fini(minimizer, schedule);
  schedule->node_bounds = basin__calloc(context, 1, bytes);
  schedule->slot_bounds = schedule->node_bounds ? basin__calloc(context, 1, bytes) : NULL;
  if (schedule->slot_bounds) {
    schedule->partition_count = count;
    return BASIN_OK;
  }
  basin__free(context, schedule->node_bounds, bytes);
  schedule->node_bounds = NULL;
  return BASIN_ERROR_MEMORY;
}

/* Cuts [0, length) into pieces of nearly equal weight. */
static void balance(const uint32_t *weights, size_t length, size_t *bounds, size_t count)
{
  uint64_t total = 0, sum = 0;
  size_t piece = 1;
  for (size_t k = 0; k < length; ++k) total += weights[k];
  bounds[0] = 0;
  for (size_t k = 0; k < length && piece < count; ++k) {
    while (piece < count && sum * count >= total * piece) bounds[piece++] = k;
    sum += weights[k];
  }
  while (piece <= count) bounds[piece++] = length;
}

static basin_status balance_nodes(basin_minimizer *minimizer, basin_term *term)
{
  basin_context *context = minimizer->context;
  size_t node_count = minimizer->layout.node_count;
  if (term->schedule.partition_count == 1) {
    term->schedule.node_bounds[1] = node_count;
    return BASIN_OK;
  }
  uint32_t *weights = basin__calloc(context, node_count + 1, sizeof *weights);
  if (!weights) return BASIN_ERROR_MEMORY;
  for (size_t e = 0; e < term->elements; ++e) {
    size_t count;
    const uint32_t *nodes = basin__element_nodes(term, e, &count);
    for (size_t k = 0; k < count; ++k)
      if (nodes[k] != BASIN_NONE) ++weights[nodes[k]];
  }
  balance(weights, node_count, term->schedule.node_bounds, term->schedule.partition_count);
  basin__free(context, weights, (node_count + 1) * sizeof *weights);
  return BASIN_OK;
}

basin_status basin__schedule_slots(basin_minimizer *minimizer, basin_term *term, size_t block_count)
{
  if (!term->schedule.partitioned) return BASIN_OK;
  if (term->schedule.partition_count == 1) {
    term->schedule.slot_bounds[1] = block_count;
    return BASIN_OK;
  }
  uint32_t *weights = basin__calloc(minimizer->context, block_count + 1, sizeof *weights);
  if (!weights) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < term->slot_count; ++k)
    if (term->slots[k] != BASIN_NONE) ++weights[term->slots[k] & BASIN_SLOT_MASK];
  balance(weights, block_count, term->schedule.slot_bounds, term->schedule.partition_count);
  basin__free(minimizer->context, weights, (block_count + 1) * sizeof *weights);
  return BASIN_OK;
}

void basin__schedule_fini(basin_minimizer *minimizer, basin_schedule *schedule)
{
  basin_context *context = minimizer->context;
  size_t bytes = (schedule->partition_count + 1) * sizeof(size_t);
  basin__free(context, schedule->order, schedule->order_capacity * sizeof *schedule->order);
  if (schedule->partition_count > 0) {
    basin__free(context, schedule->node_bounds, bytes);
    basin__free(context, schedule->slot_bounds, bytes);
  }
  schedule->order = NULL;
  schedule->node_bounds = schedule->slot_bounds = NULL;
  schedule->order_capacity = schedule->partition_count = 0;
}

/* ---- memory for local results ---- */

static basin_status reserve_local(basin_minimizer *minimizer, const basin_term *term)
{
  basin_context *context = minimizer->context;
  size_t local = (size_t)term->local_nodes * minimizer->layout.block,
         element = local + local * (local + 1) / 2;
  size_t workers = basin__worker_count(context);
  if (term->direct && !term->schedule.partitioned) return BASIN_OK;
  size_t need = element * (term->schedule.partitioned ? term->schedule.batch
                                                      : term->schedule.chunk * workers);
  if (need > minimizer->local_capacity) {
    double *fresh = basin__alloc_aligned(context, need * sizeof *fresh);
    if (!fresh) return BASIN_ERROR_MEMORY;
    basin__free_aligned(
        context, minimizer->local, minimizer->local_capacity * sizeof *minimizer->local);
    minimizer->local = fresh;
    minimizer->local_capacity = need;
  }
  if (term->direct ||
      (term->expansion <= minimizer->expansion_stride && workers <= minimizer->expansion_workers))
    return BASIN_OK;
  size_t stride =
      term->expansion > minimizer->expansion_stride ? term->expansion : minimizer->expansion_stride;
  basin_virtual_node *nodes = basin__calloc(context, stride * workers, sizeof *nodes);
  if (!nodes) return BASIN_ERROR_MEMORY;
  basin__free(context,
              minimizer->expansions,
              minimizer->expansion_stride * minimizer->expansion_workers * sizeof *nodes);
  minimizer->expansions = nodes;
  minimizer->expansion_stride = stride;
  minimizer->expansion_workers = workers;
  return BASIN_OK;
}

static size_t batch_size(const basin_minimizer *minimizer, const basin_term *term)
{
  size_t local = (size_t)term->local_nodes * minimizer->layout.block, chunk = term->schedule.chunk;
  size_t element = (1 + local + local * (local + 1) / 2) * sizeof(double);
  size_t chunks = BATCH_BYTES / (element * chunk);
  size_t all = term->schedule.chunk_count;
  if (chunks < 8) chunks = 8;
  return chunk * (chunks < all ? chunks : all);
}

/* A few elements are one chunk; those of long kernels are shared all the same: partitions add them
 * in their order, as one chunk would. */
static void part_chunk(basin_term *term)
{
  basin_schedule *schedule = &term->schedule;
  const basin_kernel_info *info = term->hessian.info;
  if (!info || term->elements < 2 * PART || schedule->chunk_count != 1 ||
      !basin__parallel_worthwhile(basin__kernel_work(info, term->elements)))
    return;
  schedule->chunk = PART;
  schedule->chunk_count = (term->elements + PART - 1) / PART;
  schedule->partitioned = true;
}

static basin_status order(basin_minimizer *minimizer, basin_term *term)
{
  basin_schedule *schedule = &term->schedule;
  static const uint8_t only = 0;
  size_t need = schedule->chunk_count;
  if (need == 0) return BASIN_OK;
  if (need > schedule->order_capacity)
    BASIN_TRY(basin__grow(minimizer->context,
                          &schedule->order,
                          &schedule->order_capacity,
                          need,
                          sizeof *schedule->order));
  if (need > 1) return colour(minimizer, term);
  order_chunks(schedule, &only, 1);
  return BASIN_OK;
}

basin_status basin__schedule_build(basin_minimizer *minimizer, basin_term *term)
{
  basin_schedule *schedule = &term->schedule;
  schedule->chunk = chunk_size(term->elements);
  schedule->chunk_count = (term->elements + schedule->chunk - 1) / schedule->chunk;
  schedule->partitioned = false;
  schedule->colour_count = 0;
  part_chunk(term);
  if (!schedule->partitioned) BASIN_TRY(order(minimizer, term));
  if (schedule->partitioned) {
    BASIN_TRY(reserve_bounds(minimizer, schedule));
    BASIN_TRY(balance_nodes(minimizer, term));
    schedule->batch = batch_size(minimizer, term);
  }
  return reserve_local(minimizer, term);
}
