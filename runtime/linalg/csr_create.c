/* General sparse matrices from triplets, compressed rows, dense arrays and block matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"
#include "csr.h"

#include "base/base.h"
#include <string.h>

typedef struct entries {
  size_t rows, columns, count;
  const size_t *row_indices, *column_indices;
  const double *values;
} entries;

static basin_status check_entries(basin_context *context, const entries *e)
{
  if (e->count >= UINT32_MAX)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a sparse matrix is built from fewer than 2^32 - 1 entries");
  for (size_t i = 0; i < e->count; i++) {
    if (e->row_indices[i] >= e->rows || e->column_indices[i] >= e->columns) {
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "entry %zu is at (%zu, %zu), outside of a %zu x %zu matrix",
                        i,
                        e->row_indices[i],
                        e->column_indices[i],
                        e->rows,
                        e->columns);
    }
  }
  return BASIN_OK;
}

/* Stable counting sort of `order` by key; `starts` has keys + 1 zero entries and ends as first
 * places. */
static void sort_by(const size_t *keys,
                    size_t key_count,
                    size_t count,
                    const uint32_t *from,
                    uint32_t *to,
                    size_t *starts)
{
  for (size_t i = 0; i < count; i++) starts[keys[i] + 1]++;
  for (size_t i = 0; i < key_count; i++) starts[i + 1] += starts[i];
  for (size_t i = 0; i < count; i++) {
    uint32_t entry = from != NULL ? from[i] : (uint32_t)i;
    to[starts[keys[entry]]++] = entry;
  }
  for (size_t i = key_count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

/* Sums entries that are neighbours in `order`; with `matrix` NULL only counts. */
static size_t
sum_entries(const entries *e, const uint32_t *order, const size_t *starts, basin_csr *matrix)
{
  size_t count = 0;
  for (size_t row = 0; row < e->rows; row++) {
    for (size_t i = starts[row]; i < starts[row + 1]; i++) {
      size_t column = e->column_indices[order[i]];
      bool repeated = i > starts[row] && column == e->column_indices[order[i - 1]];
      if (!repeated) count++;
      if (matrix == NULL) continue;
      double before = repeated ? matrix->values[count - 1] : 0;
      matrix->indices[count - 1] = (uint32_t)column;
      matrix->values[count - 1] = repeated ? before + e->values[order[i]] : e->values[order[i]];
    }
    if (matrix != NULL) matrix->starts[row + 1] = count;
  }
  return count;
}

basin_status basin_csr_create(basin_context *context,
                              size_t rows,
                              size_t columns,
                              size_t count,
                              const size_t *row_indices,
                              const size_t *column_indices,
                              const double *values,
                              basin_csr **matrix)
{
  entries e = {rows, columns, count, row_indices, column_indices, values};
  *matrix = NULL;
  BASIN_TRY(check_entries(context, &e));
  size_t order_bytes = (count + 1) * sizeof(uint32_t);
  uint32_t *by_column = basin__alloc(context, order_bytes),
           *by_row = basin__alloc(context, order_bytes);
  size_t *column_starts = basin__calloc(context, columns + 1, sizeof(size_t));
  size_t *row_starts = basin__calloc(context, rows + 1, sizeof(size_t));
  basin_status status = BASIN_ERROR_MEMORY;
  if (by_column != NULL && by_row != NULL && column_starts != NULL && row_starts != NULL) {
    sort_by(column_indices, columns, count, NULL, by_column, column_starts);
    sort_by(row_indices, rows, count, by_column, by_row, row_starts);
    status = basin__csr_allocate(
        context, rows, columns, sum_entries(&e, by_row, row_starts, NULL), matrix);
    if (status == BASIN_OK) sum_entries(&e, by_row, row_starts, *matrix);
  }
  basin__free(context, by_column, order_bytes);
  basin__free(context, by_row, order_bytes);
  basin__free(context, column_starts, (columns + 1) * sizeof(size_t));
  basin__free(context, row_starts, (rows + 1) * sizeof(size_t));
  return status;
}

static basin_status check_starts(basin_context *context, size_t rows, const size_t *starts)
{
  if (starts[0] != 0)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "compressed rows begin at %zu instead of 0", starts[0]);
  for (size_t row = 0; row < rows; row++) {
    if (starts[row + 1] < starts[row]) {
      return BASIN_FAIL(
          context, BASIN_ERROR_ARGUMENT, "row %zu of compressed rows ends before it begins", row);
    }
  }
  return BASIN_OK;
}

basin_status basin_csr_create_compressed(basin_context *context,
                                         size_t rows,
                                         size_t columns,
                                         const size_t *starts,
                                         const uint32_t *column_indices,
                                         const double *values,
                                         basin_csr **matrix)
{
  *matrix = NULL;
  BASIN_TRY(check_starts(context, rows, starts));
  size_t count = starts[rows];
  size_t *places = basin__calloc(context, 2 * count + 1, sizeof *places);
  if (places == NULL) return BASIN_ERROR_MEMORY;
  for (size_t row = 0; row < rows; row++) {
    for (size_t k = starts[row]; k < starts[row + 1]; k++) {
      places[k] = row;
      places[count + k] = column_indices[k];
    }
  }
  basin_status status =
      basin_csr_create(context, rows, columns, count, places, places + count, values, matrix);
  basin__free(context, places, (2 * count + 1) * sizeof *places);
  return status;
}

basin_status basin_csr_create_dense(
    basin_context *context, size_t rows, size_t columns, const double *values, basin_csr **matrix)
{
  size_t count = 0;
  for (size_t i = 0; i < rows * columns; i++) count += !(values[i] == 0);
  BASIN_TRY(basin__csr_allocate(context, rows, columns, count, matrix));
  count = 0;
  for (size_t row = 0; row < rows; row++) {
    for (size_t column = 0; column < columns; column++) {
      double value = values[row * columns + column];
      if (value == 0) continue;
      (*matrix)->indices[count] = (uint32_t)column;
      (*matrix)->values[count++] = value;
    }
    (*matrix)->starts[row + 1] = count;
  }
  return BASIN_OK;
}

/* ---- from and to symmetric block matrices ---- */

/* Entries of scalar row `node * b + k` that lie in the block row and in the triangle; appended at
 * `count` if `matrix` is not NULL. */
static size_t add_upper(const basin_bsr *source,
                        uint32_t node,
                        unsigned k,
                        bool strictly_full,
                        basin_csr *matrix,
                        size_t count)
{
  unsigned b = source->block_size;
  for (size_t slot = source->row_starts[node]; slot < source->row_starts[node + 1]; slot++) {
    bool diagonal = slot == source->row_starts[node];
    for (unsigned l = diagonal && !strictly_full ? k : 0; l < b; l++, count++) {
      if (matrix == NULL) continue;
      matrix->indices[count] = (uint32_t)(source->columns[slot] * b + l);
      matrix->values[count] = source->values[slot * b * b + (size_t)k * b + l];
    }
  }
  return count;
}

/* The upper triangle, or (`full_diagonal`) it and the diagonal blocks in full. */
static basin_status create_upper(const basin_bsr *source, bool full_diagonal, basin_csr **matrix)
{
  size_t count = 0;
  for (uint32_t node = 0; node < source->node_count; node++) {
    for (unsigned k = 0; k < source->block_size; k++)
      count = add_upper(source, node, k, full_diagonal, NULL, count);
  }
  BASIN_TRY(basin__csr_allocate(
      source->context, basin_bsr_size(source), basin_bsr_size(source), count, matrix));
  count = 0;
  for (uint32_t node = 0; node < source->node_count; node++) {
    for (unsigned k = 0; k < source->block_size; k++) {
      count = add_upper(source, node, k, full_diagonal, *matrix, count);
      (*matrix)->starts[(size_t)node * source->block_size + k + 1] = count;
    }
  }
  return BASIN_OK;
}

/* Upper block triangle `upper` with full diagonal blocks to both triangles: entry (i, j) below the
 * blocks' diagonal is (j, i). */
static basin_status mirror_blocks(const basin_csr *upper, unsigned block_size, basin_csr **matrix)
{
  size_t diagonal = upper->rows * block_size;
  BASIN_TRY(basin__csr_allocate(
      upper->context, upper->rows, upper->rows, 2 * upper->count - diagonal, matrix));
  basin_csr *out = *matrix;
  for (size_t row = 0; row < upper->rows; row++) {
    out->starts[row + 1] += upper->starts[row + 1] - upper->starts[row];
    for (size_t k = upper->starts[row] + block_size; k < upper->starts[row + 1]; k++)
      out->starts[upper->indices[k] + 1]++;
  }
  for (size_t row = 0; row < upper->rows; row++) out->starts[row + 1] += out->starts[row];
  /* Ascending rows put the mirrored entries of each row in ascending order, before its own: own
   * entries come after all of them. */
  for (size_t row = 0; row < upper->rows; row++) {
    for (size_t k = upper->starts[row]; k < upper->starts[row + 1]; k++) {
      size_t place = out->starts[row]++;
      out->indices[place] = upper->indices[k];
      out->values[place] = upper->values[k];
      if (k < upper->starts[row] + block_size) continue;
      place = out->starts[upper->indices[k]]++;
      out->indices[place] = (uint32_t)row;
      out->values[place] = upper->values[k];
    }
  }
  for (size_t row = upper->rows; row > 0; row--) out->starts[row] = out->starts[row - 1];
  out->starts[0] = 0;
  return BASIN_OK;
}

basin_status
basin_csr_create_bsr(const basin_bsr *source, basin_triangle triangle, basin_csr **matrix)
{
  basin_csr *upper;
  *matrix = NULL;
  BASIN_TRY(create_upper(source, triangle == BASIN_TRIANGLE_FULL, &upper));
  if (triangle == BASIN_TRIANGLE_UPPER) {
    *matrix = upper;
    return BASIN_OK;
  }
  basin_status status = triangle == BASIN_TRIANGLE_LOWER
                            ? basin_csr_transpose(upper, matrix)
                            : mirror_blocks(upper, source->block_size, matrix);
  basin_csr_destroy(upper);
  return status;
}

static void add_entries(const basin_csr *source, unsigned b, basin_bsr *matrix)
{
  for (size_t row = 0; row < source->rows; row++) {
    for (size_t k = source->starts[row]; k < source->starts[row + 1]; k++) {
      size_t column = source->indices[k];
      if (column < row) continue;
      size_t slot = basin_bsr_slot(matrix, (uint32_t)(row / b), (uint32_t)(column / b));
      double *block = matrix->values + slot * b * b;
      block[row % b * b + column % b] = source->values[k];
      if (row / b == column / b) block[column % b * b + row % b] = source->values[k];
    }
  }
}

basin_status basin_bsr_create_csr(const basin_csr *source, unsigned block_size, basin_bsr **matrix)
{
  basin_context *context = source->context;
  *matrix = NULL;
  if (block_size == 0 || source->rows != source->columns || source->rows % block_size != 0) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "a %zu x %zu matrix is not made of symmetric blocks of %u",
                      source->rows,
                      source->columns,
                      block_size);
  }
  size_t bytes = (source->count + 1) * sizeof(basin_node_pair), count = 0;
  basin_node_pair *pairs = basin__alloc(context, bytes);
  if (pairs == NULL) return BASIN_ERROR_MEMORY;
  for (size_t row = 0; row < source->rows; row++) {
    for (size_t k = source->starts[row]; k < source->starts[row + 1]; k++) {
      if (source->indices[k] < row) continue;
      pairs[count++] =
          (basin_node_pair){(uint32_t)(row / block_size), source->indices[k] / block_size};
    }
  }
  basin_status status = basin_bsr_create(
      context, (uint32_t)(source->rows / block_size), block_size, count, pairs, NULL, matrix);
  basin__free(context, pairs, bytes);
  if (status == BASIN_OK) add_entries(source, block_size, *matrix);
  return status;
}
