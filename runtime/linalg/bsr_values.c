/* Values of symmetric block matrices: scaling, sums, diagonals, fixed nodes, norms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include "norm.h"
#include <math.h>
#include <string.h>

static size_t block_entries(const basin_bsr *matrix)
{
  return (size_t)matrix->block_size * matrix->block_size;
}

void basin_bsr_zero(basin_bsr *matrix)
{
  memset(matrix->values, 0, matrix->block_count * block_entries(matrix) * sizeof *matrix->values);
}

void basin_bsr_scale(basin_bsr *matrix, double factor)
{
  size_t count = matrix->block_count * block_entries(matrix);
  for (size_t i = 0; i < count; i++) matrix->values[i] *= factor;
}

basin_status
basin_bsr_add(basin_bsr *matrix, double factor, const basin_bsr *other, const uint32_t *map)
{
  size_t size = block_entries(matrix);
  if (matrix->block_size != other->block_size ||
      (map == NULL && matrix->pattern != other->pattern)) {
    return BASIN_FAIL(matrix->context,
                      BASIN_ERROR_SHAPE,
                      "the matrices to add have different patterns and no slot map");
  }
  for (size_t slot = 0; slot < other->block_count; slot++) {
    size_t target = map == NULL ? slot : map[slot];
    BASIN_ASSERT(target < matrix->block_count);
    const double *from = other->values + slot * size;
    double *to = matrix->values + target * size;
    for (size_t i = 0; i < size; i++) to[i] += factor * from[i];
  }
  return BASIN_OK;
}

void basin_bsr_add_diagonal(basin_bsr *matrix, double shift, const double *diagonal)
{
  unsigned b = matrix->block_size;
  for (uint32_t node = 0; node < matrix->node_count; node++) {
    double *block = matrix->values + matrix->row_starts[node] * block_entries(matrix);
    for (unsigned k = 0; k < b; k++) {
      block[(size_t)k * b + k] += diagonal == NULL ? shift : shift * diagonal[(size_t)node * b + k];
    }
  }
}

void basin_bsr_fix_nodes(basin_bsr *matrix, const uint8_t *fixed, double diagonal)
{
  unsigned b = matrix->block_size;
  size_t size = block_entries(matrix);
  for (uint32_t row = 0; row < matrix->node_count; row++) {
    for (size_t slot = matrix->row_starts[row]; slot < matrix->row_starts[row + 1]; slot++) {
      if (!fixed[row] && !fixed[matrix->columns[slot]]) continue;
      double *block = matrix->values + slot * size;
      memset(block, 0, size * sizeof *block);
      if (matrix->columns[slot] != row) continue;
      for (unsigned k = 0; k < b; k++) block[(size_t)k * b + k] = diagonal;
    }
  }
}

/* Zeroes the rows of one mask and the columns of the other in a block. */
static void clear_block(unsigned b, uint32_t rows, uint32_t columns, double *block)
{
  for (unsigned i = 0; i < b; i++) {
    for (unsigned j = 0; j < b; j++) {
      if ((rows >> i & 1) || (columns >> j & 1)) block[(size_t)i * b + j] = 0;
    }
  }
}

void basin__bsr_fix(basin_bsr *matrix, const uint32_t *bits, double diagonal)
{
  unsigned b = matrix->block_size;
  size_t size = block_entries(matrix);
  for (uint32_t row = 0; row < matrix->node_count; row++) {
    size_t first = matrix->row_starts[row];
    for (size_t slot = first; slot < matrix->row_starts[row + 1]; slot++) {
      uint32_t columns = bits[matrix->columns[slot]];
      if ((bits[row] | columns) != 0)
        clear_block(b, bits[row], columns, matrix->values + slot * size);
    }
    for (unsigned k = 0; k < b; k++) {
      if (bits[row] >> k & 1) matrix->values[first * size + (size_t)k * b + k] = diagonal;
    }
  }
}

double basin_bsr_norm(const basin_bsr *matrix)
{
  size_t size = block_entries(matrix);
  basin__norm once = {0}, twice = {0};
  for (uint32_t row = 0; row < matrix->node_count; row++) {
    size_t slot = matrix->row_starts[row], end = matrix->row_starts[row + 1];
    basin__norm_add(&once, size, matrix->values + slot * size);
    basin__norm_add(&twice, (end - slot - 1) * size, matrix->values + (slot + 1) * size);
  }
  return hypot(basin__norm_value(&once), sqrt(2.0) * basin__norm_value(&twice));
}

bool basin_bsr_finite(const basin_bsr *matrix, uint32_t *row, uint32_t *column)
{
  size_t size = block_entries(matrix);
  for (uint32_t i = 0; i < matrix->node_count; i++) {
    for (size_t slot = matrix->row_starts[i]; slot < matrix->row_starts[i + 1]; slot++) {
      double sum = 0;
      for (size_t k = 0; k < size; k++)
        sum += matrix->values[slot * size + k] * 0.0; /* NaN unless all are finite */
      if (sum == 0) continue;
      if (row != NULL) *row = i;
      if (column != NULL) *column = matrix->columns[slot];
      return false;
    }
  }
  return true;
}

void basin_bsr_diagonal_blocks(const basin_bsr *matrix, double *blocks)
{
  size_t size = block_entries(matrix);
  for (uint32_t node = 0; node < matrix->node_count; node++) {
    memcpy(blocks + node * size,
           matrix->values + matrix->row_starts[node] * size,
           size * sizeof *blocks);
  }
}
