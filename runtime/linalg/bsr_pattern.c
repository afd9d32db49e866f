/* Patterns of symmetric block matrices, from node pairs by counting sort.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include <string.h>

/* Working arrays of the counting sort by (smaller node, larger node). */
typedef struct pair_sort {
  uint32_t *by_column, *by_row; /* pair numbers; by_column has room for as many columns as the
                                   matrix may have */
  size_t *starts; /* node_count + 1: where the pairs of each smaller node begin in by_row */
} pair_sort;

static uint32_t pair_low(const basin_node_pair *pair)
{
  return pair->row < pair->column ? pair->row : pair->column;
}
static uint32_t pair_high(const basin_node_pair *pair)
{
  return pair->row < pair->column ? pair->column : pair->row;
}

static basin_status check_pairs(basin_context *context,
                                uint32_t node_count,
                                size_t pair_count,
                                const basin_node_pair *pairs)
{
  if (pair_count >= UINT32_MAX) {
    return BASIN_FAIL(
        context, BASIN_ERROR_UNSUPPORTED, "a pattern is built from fewer than 2^32 - 1 node pairs");
  }
  if (pair_count > 0 && pairs == NULL)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "the node pairs are NULL");
  for (size_t i = 0; i < pair_count; i++) {
    if (pairs[i].row >= node_count || pairs[i].column >= node_count) {
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "pair %zu is (%u, %u), but there are %u nodes",
                        i,
                        (unsigned)pairs[i].row,
                        (unsigned)pairs[i].column,
                        (unsigned)node_count);
    }
  }
  return BASIN_OK;
}

/* counts[i + 1] holds the number of items with key i: makes counts[i] the first place of key i. */
static void accumulate(size_t *counts, size_t keys)
{
  for (size_t i = 0; i < keys; i++) counts[i + 1] += counts[i];
}

/* counts[i] has become the first place of key i + 1: shifts back. */
static void shift_back(size_t *counts, size_t keys)
{
  for (size_t i = keys; i > 0; i--) counts[i] = counts[i - 1];
  counts[0] = 0;
}

static void
sort_pairs(pair_sort *sort, uint32_t node_count, size_t pair_count, const basin_node_pair *pairs)
{
  size_t *starts = sort->starts;
  for (size_t i = 0; i < pair_count; i++) starts[(size_t)pair_high(&pairs[i]) + 1]++;
  accumulate(starts, node_count);
  for (size_t i = 0; i < pair_count; i++)
    sort->by_column[starts[pair_high(&pairs[i])]++] = (uint32_t)i;
  for (size_t i = 0; i <= node_count; i++) starts[i] = 0;
  for (size_t i = 0; i < pair_count; i++) starts[(size_t)pair_low(&pairs[i]) + 1]++;
  accumulate(starts, node_count);
  for (size_t i = 0; i < pair_count; i++) {
    uint32_t pair = sort->by_column[i];
    sort->by_row[starts[pair_low(&pairs[pair])]++] = pair;
  }
  shift_back(starts, node_count);
}

/* A matrix from sorted pairs. */
typedef struct pattern_request {
  uint32_t node_count;
  unsigned block_size;
  size_t pair_count;
  const basin_node_pair *pairs;
  uint32_t *slots; /* of each pair; may be NULL */
  bool summand;    /* only the named blocks, no plan */
} pattern_request;

/* Walks the sorted pairs and hands out slots. Columns of blocks take the place of by_column, first
 * blocks of rows that of starts; returns the number of blocks. */
static size_t walk_pairs(pair_sort *sort, const pattern_request *request)
{
  const basin_node_pair *pairs = request->pairs;
  uint32_t *columns = sort->by_column;
  size_t blocks = 0, end = 0;
  for (uint32_t row = 0; row < request->node_count; row++) {
    uint32_t last = request->summand ? UINT32_MAX : row;
    size_t begin = end;
    end = sort->starts[row + 1];
    sort->starts[row] = blocks;
    if (!request->summand) columns[blocks++] = row;
    for (size_t i = begin; i < end; i++) {
      uint32_t pair = sort->by_row[i];
      uint32_t column = pair_high(&pairs[pair]);
      if (column != last) columns[blocks++] = last = column;
      if (request->slots != NULL) {
        request->slots[pair] = (uint32_t)(blocks - 1) |
                               (pairs[pair].row > pairs[pair].column ? BASIN_SLOT_TRANSPOSED : 0);
      }
    }
  }
  sort->starts[request->node_count] = blocks;
  return blocks;
}

static basin_status build_sorted(basin_context *context,
                                 pair_sort *sort,
                                 const pattern_request *request,
                                 basin_bsr **matrix)
{
  size_t blocks = walk_pairs(sort, request);
  BASIN_TRY(basin__bsr_allocate(context, request->node_count, request->block_size, blocks, matrix));
  memcpy((*matrix)->row_starts,
         sort->starts,
         ((size_t)request->node_count + 1) * sizeof *sort->starts);
  memcpy((*matrix)->columns, sort->by_column, blocks * sizeof *sort->by_column);
  if (!request->summand) return basin__bsr_finish(*matrix);
  basin__bsr_hash(*matrix);
  return BASIN_OK;
}

static basin_status
build(basin_context *context, const pattern_request *request, basin_bsr **result)
{
  uint32_t node_count = request->node_count;
  size_t pair_count = request->pair_count;
  *result = NULL;
  BASIN_TRY(check_pairs(context, node_count, pair_count, request->pairs));
  size_t order_bytes = (pair_count + 1) * sizeof(uint32_t),
         column_bytes = order_bytes + (size_t)node_count * sizeof(uint32_t),
         starts_bytes = ((size_t)node_count + 1) * sizeof(size_t);
  pair_sort sort = {basin__alloc(context, column_bytes),
                    basin__alloc(context, order_bytes),
                    basin__calloc(context, (size_t)node_count + 1, sizeof(size_t))};
  basin_bsr *matrix = NULL;
  basin_status status = BASIN_ERROR_MEMORY;
  if (sort.by_column != NULL && sort.by_row != NULL && sort.starts != NULL) {
    sort_pairs(&sort, node_count, pair_count, request->pairs);
    status = build_sorted(context, &sort, request, &matrix);
  }
  basin__free(context, sort.by_column, column_bytes);
  basin__free(context, sort.by_row, order_bytes);
  basin__free(context, sort.starts, starts_bytes);
  if (status != BASIN_OK) {
    basin_bsr_destroy(matrix);
    return status;
  }
  *result = matrix;
  return BASIN_OK;
}

basin_status basin_bsr_create(basin_context *context,
                              uint32_t node_count,
                              unsigned block_size,
                              size_t pair_count,
                              const basin_node_pair *pairs,
                              uint32_t *slots,
                              basin_bsr **matrix)
{
  pattern_request request = {node_count, block_size, pair_count, pairs, slots, false};
  return build(context, &request, matrix);
}

basin_status basin__bsr_create_summand(basin_context *context,
                                       uint32_t node_count,
                                       unsigned block_size,
                                       size_t pair_count,
                                       const basin_node_pair *pairs,
                                       uint32_t *slots,
                                       basin_bsr **matrix)
{
  pattern_request request = {node_count, block_size, pair_count, pairs, slots, true};
  return build(context, &request, matrix);
}
