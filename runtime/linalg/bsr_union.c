/* Unions of the patterns of two symmetric block matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include <string.h>

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

static basin_status check_merge(const basin_bsr *a, const basin_bsr *b)
{
  if (a->node_count == b->node_count && a->block_size == b->block_size) return BASIN_OK;
  return BASIN_FAIL(a->context,
                    BASIN_ERROR_SHAPE,
                    "cannot merge a pattern of %u nodes of %u with one of %u nodes of %u",
                    (unsigned)a->node_count,
                    a->block_size,
                    (unsigned)b->node_count,
                    b->block_size);
}

basin_status basin_bsr_create_merged(
    const basin_bsr *a, const basin_bsr *b, uint32_t *map_a, uint32_t *map_b, basin_bsr **result)
{
  *result = NULL;
  BASIN_TRY(check_merge(a, b));
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

/* ---- unions of a matrix with one that has few blocks ---- */

/* The first row from `row` on where b has a block; the number of rows if there is none. */
static uint32_t empty_rows(const basin_bsr *b, uint32_t row)
{
  while (row < b->node_count && b->row_starts[row + 1] == b->row_starts[row]) row++;
  return row;
}

/* Rows [row, end) of `a` alone. */
static void copy_rows(const basin_bsr *a,
                      uint32_t row,
                      uint32_t end,
                      basin_bsr *result,
                      size_t *blocks,
                      uint32_t *map)
{
  size_t begin = a->row_starts[row], count = a->row_starts[end] - begin, shift = *blocks - begin;
  for (; row < end; row++) result->row_starts[row] = a->row_starts[row] + shift;
  memcpy(result->columns + *blocks, a->columns + begin, count * sizeof *a->columns);
  for (size_t i = 0; i < count; i++) map[begin + i] = (uint32_t)(*blocks + i);
  *blocks += count;
}

/* Adds what row `row` of b has to that of a. */
static void join_row(const basin_bsr *a,
                     const basin_bsr *b,
                     uint32_t row,
                     basin_bsr *result,
                     size_t *blocks,
                     uint32_t *maps[2])
{
  size_t i = a->row_starts[row], i_end = a->row_starts[row + 1], place = *blocks;
  result->row_starts[row] = place;
  for (size_t j = b->row_starts[row]; j < b->row_starts[row + 1]; j++) {
    for (; i < i_end && a->columns[i] < b->columns[j]; i++) {
      maps[0][i] = (uint32_t)place;
      result->columns[place++] = a->columns[i];
    }
    bool both = i < i_end && a->columns[i] == b->columns[j];
    if (both) maps[0][i++] = (uint32_t)place;
    maps[1][j] = (uint32_t)place | (both ? 0 : BASIN__SLOT_ALONE);
    result->columns[place++] = b->columns[j];
  }
  for (; i < i_end; i++) {
    maps[0][i] = (uint32_t)place;
    result->columns[place++] = a->columns[i];
  }
  *blocks = place;
}

static void join_rows(const basin_bsr *a, const basin_bsr *b, basin_bsr *result, uint32_t *maps[2])
{
  size_t blocks = 0;
  for (uint32_t row = 0; row < a->node_count; row++) {
    uint32_t end = empty_rows(b, row);
    copy_rows(a, row, end, result, &blocks, maps[0]);
    row = end;
    if (row < a->node_count) join_row(a, b, row, result, &blocks, maps);
  }
  result->block_count = result->row_starts[a->node_count] = blocks;
}

basin_status basin__bsr_remerge(
    const basin_bsr *a, const basin_bsr *b, uint32_t *map_a, uint32_t *map_b, basin_bsr **merged)
{
  basin_bsr *matrix = *merged;
  size_t most = a->block_count + b->block_count;
  basin_status status = check_merge(a, b);
  *merged = NULL;
  if (matrix != NULL && (status != BASIN_OK || matrix->node_count != a->node_count ||
                         matrix->block_size != a->block_size || matrix->capacity < most)) {
    basin_bsr_destroy(matrix);
    matrix = NULL;
  }
  BASIN_TRY(status);
  if (matrix == NULL)
    BASIN_TRY(basin__bsr_allocate(
        a->context, a->node_count, a->block_size, most + b->block_count / 2, &matrix));
  join_rows(a, b, matrix, (uint32_t *[2]){map_a, map_b});
  memset(matrix->values + matrix->block_count * matrix->block_size * matrix->block_size,
         0,
         BASIN__BSR_PADDING * sizeof *matrix->values);
  status = basin__bsr_finish(matrix);
  if (status != BASIN_OK) {
    basin_bsr_destroy(matrix);
    return status;
  }
  *merged = matrix;
  return BASIN_OK;
}
