/* Chunks of a block matrix multiplication: local columns, halos, and the order in which halo sums
 * are added.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include <string.h>

/* Bytes of block values a chunk aims at: large enough that halos stay small, small enough to share
 * among threads. */
#define CHUNK_BYTES ((size_t)768 * 1024)
#define CHUNK_ROWS  64u

static unsigned local_stride(unsigned block_size)
{
  return block_size == 1 ? 1 : (block_size + 3) / 4 * 4;
}

static size_t chunk_block_target(const basin_bsr *matrix)
{
  return CHUNK_BYTES /
             ((size_t)matrix->block_size * matrix->block_size * sizeof(double) + sizeof(uint32_t)) +
         1;
}

/* First row after the chunk that begins at `first`. */
static uint32_t chunk_end(const basin_bsr *matrix, uint32_t first, size_t target)
{
  uint32_t row = first;
  while (row < matrix->node_count &&
         (row - first < CHUNK_ROWS ||
          matrix->row_starts[row + 1] - matrix->row_starts[first] <= target)) {
    row++;
  }
  return row;
}

static basin_status cut_rows(basin_bsr *matrix)
{
  basin__bsr_plan *plan = &matrix->plan;
  size_t target = chunk_block_target(matrix), count = 0;
  for (uint32_t row = 0; row < matrix->node_count; row = chunk_end(matrix, row, target)) count++;
  plan->chunk_rows = basin__calloc(matrix->context, count + 1, sizeof *plan->chunk_rows);
  if (plan->chunk_rows == NULL) return BASIN_ERROR_MEMORY;
  plan->chunk_count = count;
  for (size_t i = 0; i < count; i++)
    plan->chunk_rows[i + 1] = chunk_end(matrix, plan->chunk_rows[i], target);
  return BASIN_OK;
}

/* Working arrays while halos are numbered. */
typedef struct halo_search {
  uint64_t *bits;           /* one bit a node, clear between chunks */
  uint32_t *local_index;    /* per node, valid where the chunk has it in its halo */
  size_t words, most_nodes; /* most_nodes: of a chunk and its halo */
} halo_search;

/* Marks the columns of chunk `chunk` beyond its rows; returns the range of words that may hold a
 * bit. */
static size_t mark_halo(const basin_bsr *matrix, halo_search *search, size_t chunk)
{
  uint32_t end_row = matrix->plan.chunk_rows[chunk + 1];
  size_t end_word = 0;
  for (size_t slot = matrix->row_starts[matrix->plan.chunk_rows[chunk]];
       slot < matrix->row_starts[end_row];
       slot++) {
    uint32_t column = matrix->columns[slot];
    if (column < end_row) continue;
    search->bits[column / 64] |= UINT64_C(1) << (column % 64);
    if (column / 64 + 1 > end_word) end_word = column / 64 + 1;
  }
  return end_word;
}

/* Clears the marks in ascending order; appends the nodes to `nodes` if not NULL and returns their
 * number. */
static size_t take_halo(
    const basin_bsr *matrix, halo_search *search, size_t chunk, size_t end_word, uint32_t *nodes)
{
  uint32_t own = matrix->plan.chunk_rows[chunk + 1] - matrix->plan.chunk_rows[chunk];
  size_t count = 0;
  for (size_t word = matrix->plan.chunk_rows[chunk + 1] / 64; word < end_word; word++) {
    for (uint64_t bits = search->bits[word]; bits != 0; bits &= bits - 1) {
      uint32_t node = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
      if (nodes != NULL) {
        nodes[count] = node;
        search->local_index[node] = own + (uint32_t)count;
      }
      count++;
    }
    search->bits[word] = 0;
  }
  return count;
}

static void number_columns(basin_bsr *matrix, const halo_search *search, size_t chunk)
{
  uint32_t first = matrix->plan.chunk_rows[chunk], last = matrix->plan.chunk_rows[chunk + 1];
  for (size_t slot = matrix->row_starts[first]; slot < matrix->row_starts[last]; slot++) {
    uint32_t column = matrix->columns[slot];
    matrix->plan.local[slot] = column < last ? column - first : search->local_index[column];
  }
}

/* The halo of one chunk, after those of the chunks before it. */
static basin_status number_halo(basin_bsr *matrix, halo_search *search, size_t chunk)
{
  basin__bsr_plan *plan = &matrix->plan;
  size_t begin = plan->halo_starts[chunk], most = matrix->node_count - plan->chunk_rows[chunk + 1];
  BASIN_TRY(basin__grow(matrix->context,
                        &plan->halo_nodes,
                        &plan->halo_capacity,
                        begin + most + 1,
                        sizeof *plan->halo_nodes));
  size_t end_word = mark_halo(matrix, search, chunk);
  size_t count = take_halo(matrix, search, chunk, end_word, plan->halo_nodes + begin);
  size_t nodes = count + plan->chunk_rows[chunk + 1] - plan->chunk_rows[chunk];
  plan->halo_starts[chunk + 1] = begin + count;
  if (nodes > search->most_nodes) search->most_nodes = nodes;
  number_columns(matrix, search, chunk);
  return BASIN_OK;
}

static basin_status number_halos(basin_bsr *matrix, halo_search *search)
{
  basin__bsr_plan *plan = &matrix->plan;
  basin_context *context = matrix->context;
  if (plan->local == NULL)
    plan->local = basin__alloc(context, (matrix->capacity + 1) * sizeof *plan->local);
  plan->halo_starts = basin__calloc(context, plan->chunk_count + 1, sizeof *plan->halo_starts);
  if (plan->local == NULL || plan->halo_starts == NULL) return BASIN_ERROR_MEMORY;
  for (size_t chunk = 0; chunk < plan->chunk_count; chunk++)
    BASIN_TRY(number_halo(matrix, search, chunk));
  plan->halo_count = plan->halo_starts[plan->chunk_count];
  plan->halo_values =
      basin__alloc_aligned(context, (plan->halo_count + 1) * plan->stride * sizeof(double));
  return plan->halo_values != NULL ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* Cuts the halo of each source chunk where its nodes pass from one destination chunk to the next.
 * Calls with `segments` NULL count into starts[destination + 1]; else places are taken from
 * starts[destination]. */
static void walk_segments(const basin_bsr *matrix, size_t *starts, basin__bsr_segment *segments)
{
  const basin__bsr_plan *plan = &matrix->plan;
  for (size_t source = 0; source < plan->chunk_count; source++) {
    size_t entry = plan->halo_starts[source], destination = source + 1;
    while (entry < plan->halo_starts[source + 1]) {
      while (plan->halo_nodes[entry] >= plan->chunk_rows[destination + 1]) destination++;
      size_t begin = entry;
      while (entry < plan->halo_starts[source + 1] &&
             plan->halo_nodes[entry] < plan->chunk_rows[destination + 1])
        entry++;
      if (segments == NULL) {
        starts[destination + 1]++;
      } else {
        segments[starts[destination]++] = (basin__bsr_segment){begin, entry};
      }
    }
  }
}

static basin_status list_segments(basin_bsr *matrix)
{
  basin__bsr_plan *plan = &matrix->plan;
  plan->segment_starts =
      basin__calloc(matrix->context, plan->chunk_count + 1, sizeof *plan->segment_starts);
  if (plan->segment_starts == NULL) return BASIN_ERROR_MEMORY;
  walk_segments(matrix, plan->segment_starts, NULL);
  for (size_t i = 0; i < plan->chunk_count; i++)
    plan->segment_starts[i + 1] += plan->segment_starts[i];
  plan->segment_count = plan->segment_starts[plan->chunk_count];
  plan->segments =
      basin__alloc(matrix->context, (plan->segment_count + 1) * sizeof *plan->segments);
  if (plan->segments == NULL) return BASIN_ERROR_MEMORY;
  walk_segments(matrix, plan->segment_starts, plan->segments);
  for (size_t i = plan->chunk_count; i > 0; i--)
    plan->segment_starts[i] = plan->segment_starts[i - 1];
  plan->segment_starts[0] = 0;
  return BASIN_OK;
}

static size_t scratch_bytes(const basin__bsr_plan *plan)
{
  return plan->workers * 2 * (plan->local_nodes * plan->stride + BASIN__BSR_PADDING) *
         sizeof(double);
}

/* Room for the local vectors of chunks of `nodes` nodes. Padding between numbers stays where it was
 * while the room suffices. */
static basin_status reserve_scratch(basin_bsr *matrix, size_t nodes)
{
  basin__bsr_plan *plan = &matrix->plan;
  if (plan->scratch != NULL && nodes <= plan->local_nodes) return BASIN_OK;
  bool again = plan->scratch != NULL;
  basin__free_aligned(matrix->context, plan->scratch, scratch_bytes(plan));
  plan->local_nodes = again ? nodes + nodes / 8 : nodes;
  plan->scratch = basin__alloc_aligned(matrix->context, scratch_bytes(plan));
  if (plan->scratch == NULL) return BASIN_ERROR_MEMORY;
  memset(plan->scratch, 0, scratch_bytes(plan));
  return BASIN_OK;
}

/* Gives back what depends on the number of chunks and the size of their halos. */
static void clear_lists(basin_bsr *matrix)
{
  basin_context *context = matrix->context;
  basin__bsr_plan *plan = &matrix->plan;
  basin__free(context, plan->chunk_rows, (plan->chunk_count + 1) * sizeof *plan->chunk_rows);
  basin__free(context, plan->halo_starts, (plan->chunk_count + 1) * sizeof *plan->halo_starts);
  basin__free_aligned(
      context, plan->halo_values, (plan->halo_count + 1) * plan->stride * sizeof(double));
  basin__free(
      context, plan->segment_starts, (plan->chunk_count + 1) * sizeof *plan->segment_starts);
  basin__free(context, plan->segments, (plan->segment_count + 1) * sizeof *plan->segments);
  plan->chunk_rows = NULL;
  plan->halo_starts = plan->segment_starts = NULL;
  plan->halo_values = NULL;
  plan->segments = NULL;
  plan->chunk_count = plan->halo_count = plan->segment_count = 0;
}

basin_status basin__bsr_plan_init(basin_bsr *matrix)
{
  basin_context *context = matrix->context;
  basin__bsr_plan *plan = &matrix->plan;
  clear_lists(matrix);
  plan->stride = local_stride(matrix->block_size);
  plan->workers = basin__worker_count(context);
  BASIN_TRY(cut_rows(matrix));
  halo_search search = {.words = (size_t)matrix->node_count / 64 + 1};
  size_t index_bytes = ((size_t)matrix->node_count + 1) * sizeof *search.local_index;
  search.bits = basin__calloc(context, search.words, sizeof *search.bits);
  search.local_index = basin__alloc(context, index_bytes);
  basin_status status = BASIN_ERROR_MEMORY;
  if (search.bits != NULL && search.local_index != NULL) status = number_halos(matrix, &search);
  basin__free(context, search.bits, search.words * sizeof *search.bits);
  basin__free(context, search.local_index, index_bytes);
  if (status == BASIN_OK) status = list_segments(matrix);
  return status == BASIN_OK ? reserve_scratch(matrix, search.most_nodes) : status;
}

void basin__bsr_plan_fini(basin_bsr *matrix)
{
  basin_context *context = matrix->context;
  basin__bsr_plan *plan = &matrix->plan;
  clear_lists(matrix);
  basin__free(context, plan->local, (matrix->capacity + 1) * sizeof *plan->local);
  basin__free(context, plan->halo_nodes, plan->halo_capacity * sizeof *plan->halo_nodes);
  basin__free_aligned(context, plan->scratch, scratch_bytes(plan));
}
