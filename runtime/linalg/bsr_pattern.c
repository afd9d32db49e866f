/* Patterns of symmetric block matrices: from node pairs by counting sort, and unions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"

/* Working arrays of the counting sort by (smaller node, larger node). */
typedef struct pair_sort {
  uint32_t *by_column, *by_row; /* pair numbers */
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

/* Walks the sorted pairs. With `matrix` NULL only counts blocks; else fills its pattern, and
 * `slots` if not NULL. */
static size_t walk_pairs(const pair_sort *sort,
                         uint32_t node_count,
                         const basin_node_pair *pairs,
                         basin_bsr *matrix,
                         uint32_t *slots)
{
  size_t blocks = 0;
  for (uint32_t row = 0; row < node_count; row++) {
    uint32_t last = row;
    if (matrix != NULL) matrix->row_starts[row] = blocks, matrix->columns[blocks] = row;
    blocks++;
    for (size_t i = sort->starts[row]; i < sort->starts[row + 1]; i++) {
      uint32_t pair = sort->by_row[i];
      uint32_t column = pair_high(&pairs[pair]);
      if (column != last) {
        if (matrix != NULL) matrix->columns[blocks] = column;
        blocks++;
        last = column;
      }
      if (slots != NULL) {
        slots[pair] = (uint32_t)(blocks - 1) |
                      (pairs[pair].row > pairs[pair].column ? BASIN_SLOT_TRANSPOSED : 0);
      }
    }
  }
  if (matrix != NULL) matrix->row_starts[node_count] = blocks;
  return blocks;
}

basin_status basin_bsr_create(basin_context *context,
                              uint32_t node_count,
                              unsigned block_size,
                              size_t pair_count,
                              const basin_node_pair *pairs,
                              uint32_t *slots,
                              basin_bsr **result)
{
  *result = NULL;
  BASIN_TRY(check_pairs(context, node_count, pair_count, pairs));
  size_t order_bytes = (pair_count + 1) * sizeof(uint32_t),
         starts_bytes = ((size_t)node_count + 1) * sizeof(size_t);
  pair_sort sort = {basin__alloc(context, order_bytes),
                    basin__alloc(context, order_bytes),
                    basin__calloc(context, (size_t)node_count + 1, sizeof(size_t))};
  basin_bsr *matrix = NULL;
  basin_status status = BASIN_ERROR_MEMORY;
  if (sort.by_column != NULL && sort.by_row != NULL && sort.starts != NULL) {
    sort_pairs(&sort, node_count, pair_count, pairs);
    size_t blocks = walk_pairs(&sort, node_count, pairs, NULL, NULL);
    status = basin__bsr_allocate(context, node_count, block_size, blocks, &matrix);
  }
  if (status == BASIN_OK) {
    walk_pairs(&sort, node_count, pairs, matrix, slots);
    status = basin__bsr_finish(matrix);
  }
  basin__free(context, sort.by_column, order_bytes);
  basin__free(context, sort.by_row, order_bytes);
  basin__free(context, sort.starts, starts_bytes);
  if (status != BASIN_OK) {
    basin_bsr_destroy(matrix);
    return status;
  }
  *result = matrix;
  return BASIN_OK;
}

/* Merges the rows of a and b; with `result` NULL only counts. */
static size_t merge_rows(
    const basin_bsr *a, const basin_bsr *b, basin_bsr *result, uint32_t *map_a, uint32_t *map_b)
{
  size_t blocks = 0;
  for (uint32_t row = 0; row < a->node_count; row++) {
    size_t i = a->row_starts[row], i_end = a->row_starts[row + 1];
    size_t j = b->row_starts[row], j_end = b->row_starts[row + 1];
    if (result != NULL) result->row_starts[row] = blocks;
    while (i < i_end || j < j_end) {
      bool take_a = i < i_end && (j == j_end || a->columns[i] <= b->columns[j]);
      bool take_b = j < j_end && (i == i_end || b->columns[j] <= a->columns[i]);
      if (result != NULL) {
        result->columns[blocks] = take_a ? a->columns[i] : b->columns[j];
        if (take_a && map_a != NULL) map_a[i] = (uint32_t)blocks;
        if (take_b && map_b != NULL) map_b[j] = (uint32_t)blocks;
      }
      i += take_a;
      j += take_b;
      blocks++;
    }
  }
  if (result != NULL) result->row_starts[a->node_count] = blocks;
  return blocks;
}

basin_status basin_bsr_create_merged(
    const basin_bsr *a, const basin_bsr *b, uint32_t *map_a, uint32_t *map_b, basin_bsr **result)
{
  *result = NULL;
  if (a->node_count != b->node_count || a->block_size != b->block_size) {
    return BASIN_FAIL(a->context,
                      BASIN_ERROR_SHAPE,
                      "cannot merge a pattern of %u nodes of %u with one of %u nodes of %u",
                      (unsigned)a->node_count,
                      a->block_size,
                      (unsigned)b->node_count,
                      b->block_size);
  }
  basin_bsr *matrix;
  size_t blocks = merge_rows(a, b, NULL, NULL, NULL);
  BASIN_TRY(basin__bsr_allocate(a->context, a->node_count, a->block_size, blocks, &matrix));
  merge_rows(a, b, matrix, map_a, map_b);
  basin_status status = basin__bsr_finish(matrix);
  if (status != BASIN_OK) {
    basin_bsr_destroy(matrix);
    return status;
  }
  *result = matrix;
  return BASIN_OK;
}
