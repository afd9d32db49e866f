/* Symmetric block matrices: creation, destruction, access.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include "large.h"
#include <string.h>

static size_t values_bytes(const basin_bsr *matrix)
{
  size_t entries = matrix->capacity * matrix->block_size * matrix->block_size;
  return (entries + BASIN__BSR_PADDING) * sizeof(double);
}

static basin_status
check_size(basin_context *context, uint32_t node_count, unsigned block_size, size_t block_count)
{
  if (block_size < 1 || block_size > BASIN__BSR_LARGEST_BLOCK) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "block size %u is not in 1..%d",
                      block_size,
                      BASIN__BSR_LARGEST_BLOCK);
  }
  if (node_count >= BASIN_SLOT_TRANSPOSED || block_count >= BASIN_SLOT_INDEX) {
    return BASIN_FAIL(
        context, BASIN_ERROR_UNSUPPORTED, "a block matrix holds fewer than 2^31 nodes and blocks");
  }
  return BASIN_OK;
}

basin_status basin__bsr_allocate(basin_context *context,
                                 uint32_t node_count,
                                 unsigned block_size,
                                 size_t block_count,
                                 basin_bsr **result)
{
  *result = NULL;
  BASIN_TRY(check_size(context, node_count, block_size, block_count));
  basin_bsr *matrix = basin__calloc(context, 1, sizeof *matrix);
  if (matrix == NULL) return BASIN_ERROR_MEMORY;
  matrix->context = context;
  matrix->node_count = node_count;
  matrix->block_size = block_size;
  matrix->block_count = matrix->capacity = block_count;
  matrix->row_starts = basin__calloc(context, (size_t)node_count + 1, sizeof *matrix->row_starts);
  matrix->columns = basin__calloc(context, block_count + 1, sizeof *matrix->columns);
  matrix->values = basin__alloc_large(context, values_bytes(matrix));
  if (matrix->row_starts == NULL || matrix->columns == NULL || matrix->values == NULL) {
    basin_bsr_destroy(matrix);
    return BASIN_ERROR_MEMORY;
  }
  *result = matrix;
  return BASIN_OK;
}

void basin__bsr_hash(basin_bsr *matrix)
{
  uint64_t seed = (uint64_t)matrix->node_count * 16 + matrix->block_size;
  seed = basin__hash64(
      matrix->row_starts, ((size_t)matrix->node_count + 1) * sizeof *matrix->row_starts, seed);
  matrix->pattern =
      basin__hash64(matrix->columns, matrix->block_count * sizeof *matrix->columns, seed);
}

basin_status basin__bsr_finish(basin_bsr *matrix)
{
  basin__bsr_hash(matrix);
  return basin__bsr_plan_init(matrix);
}

basin_status basin_bsr_copy(const basin_bsr *matrix, basin_bsr **copy)
{
  basin_bsr *result;
  *copy = NULL;
  BASIN_TRY(basin__bsr_allocate(
      matrix->context, matrix->node_count, matrix->block_size, matrix->block_count, &result));
  memcpy(result->row_starts,
         matrix->row_starts,
         ((size_t)matrix->node_count + 1) * sizeof *matrix->row_starts);
  memcpy(result->columns, matrix->columns, matrix->block_count * sizeof *matrix->columns);
  memcpy(result->values, matrix->values, values_bytes(result));
  basin_status status = basin__bsr_finish(result);
  if (status != BASIN_OK) {
    basin_bsr_destroy(result);
    return status;
  }
  *copy = result;
  return BASIN_OK;
}

void basin_bsr_destroy(basin_bsr *matrix)
{
  if (matrix == NULL) return;
  basin_context *context = matrix->context;
  basin__bsr_plan_fini(matrix);
  basin__free(
      context, matrix->row_starts, ((size_t)matrix->node_count + 1) * sizeof *matrix->row_starts);
  basin__free(context, matrix->columns, (matrix->capacity + 1) * sizeof *matrix->columns);
  basin__free_aligned(context, matrix->values, values_bytes(matrix));
  basin__free(context, matrix, sizeof *matrix);
}

uint32_t basin_bsr_node_count(const basin_bsr *matrix)
{
  return matrix->node_count;
}
unsigned basin_bsr_block_size(const basin_bsr *matrix)
{
  return matrix->block_size;
}
size_t basin_bsr_size(const basin_bsr *matrix)
{
  return (size_t)matrix->node_count * matrix->block_size;
}
size_t basin_bsr_block_count(const basin_bsr *matrix)
{
  return matrix->block_count;
}
const size_t *basin_bsr_row_starts(const basin_bsr *matrix)
{
  return matrix->row_starts;
}
const uint32_t *basin_bsr_columns(const basin_bsr *matrix)
{
  return matrix->columns;
}
double *basin_bsr_values(basin_bsr *matrix)
{
  return matrix->values;
}
const double *basin_bsr_values_const(const basin_bsr *matrix)
{
  return matrix->values;
}
uint64_t basin_bsr_pattern(const basin_bsr *matrix)
{
  return matrix->pattern;
}

size_t basin_bsr_bytes(const basin_bsr *matrix)
{
  size_t block =
      (size_t)matrix->block_size * matrix->block_size * sizeof(double) + sizeof(uint32_t);
  return matrix->block_count * block + (size_t)matrix->node_count * sizeof(size_t);
}

uint32_t basin_bsr_slot(const basin_bsr *matrix, uint32_t row, uint32_t column)
{
  if (row >= matrix->node_count || column >= matrix->node_count) return BASIN_SLOT_NONE;
  uint32_t low = row < column ? row : column;
  uint32_t high = row < column ? column : row;
  size_t begin = matrix->row_starts[low], end = matrix->row_starts[low + 1];
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (matrix->columns[middle] < high) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == matrix->row_starts[low + 1] || matrix->columns[begin] != high)
    return BASIN_SLOT_NONE;
  return (uint32_t)begin | (row > column ? BASIN_SLOT_TRANSPOSED : 0);
}
