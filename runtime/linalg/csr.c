/* General sparse matrices: creation, destruction, access.
 * SPDX-License-Identifier: Apache-2.0 */
#include "csr.h"

#include "base/base.h"
#include <math.h>
#include <string.h>

basin_status basin__csr_allocate(
    basin_context *context, size_t rows, size_t columns, size_t count, basin_csr **result)
{
  *result = NULL;
  if (rows >= UINT32_MAX || columns >= UINT32_MAX) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a sparse matrix has fewer than 2^32 - 1 rows and columns, not %zu x %zu",
                      rows,
                      columns);
  }
  if (count > SIZE_MAX / 16)
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "a sparse matrix of %zu entries", count);
  basin_csr *matrix = basin__calloc(context, 1, sizeof *matrix);
  if (matrix == NULL) return BASIN_ERROR_MEMORY;
  *matrix = (basin_csr){.context = context, .rows = rows, .columns = columns, .count = count};
  matrix->starts = basin__calloc(context, rows + 1, sizeof *matrix->starts);
  matrix->indices = basin__alloc(context, (count + 1) * sizeof *matrix->indices);
  matrix->values = basin__alloc_aligned(context, (count + 1) * sizeof *matrix->values);
  if (matrix->starts == NULL || matrix->indices == NULL || matrix->values == NULL) {
    basin_csr_destroy(matrix);
    return BASIN_ERROR_MEMORY;
  }
  *result = matrix;
  return BASIN_OK;
}

void basin_csr_destroy(basin_csr *matrix)
{
  if (matrix == NULL) return;
  basin_context *context = matrix->context;
  basin__free(context, matrix->starts, (matrix->rows + 1) * sizeof *matrix->starts);
  basin__free(context, matrix->indices, (matrix->count + 1) * sizeof *matrix->indices);
  basin__free_aligned(context, matrix->values, (matrix->count + 1) * sizeof *matrix->values);
  basin__free(context, matrix, sizeof *matrix);
}

basin_status
basin_csr_create_zero(basin_context *context, size_t rows, size_t columns, basin_csr **matrix)
{
  return basin__csr_allocate(context, rows, columns, 0, matrix);
}

basin_status
basin_csr_create_identity(basin_context *context, size_t size, double value, basin_csr **matrix)
{
  BASIN_TRY(basin__csr_allocate(context, size, size, size, matrix));
  for (size_t i = 0; i < size; i++) {
    (*matrix)->starts[i + 1] = i + 1;
    (*matrix)->indices[i] = (uint32_t)i;
    (*matrix)->values[i] = value;
  }
  return BASIN_OK;
}

basin_status basin_csr_create_diagonal(basin_context *context,
                                       size_t size,
                                       const double *values,
                                       basin_csr **matrix)
{
  BASIN_TRY(basin_csr_create_identity(context, size, 1, matrix));
  if (size > 0) memcpy((*matrix)->values, values, size * sizeof *values);
  return BASIN_OK;
}

basin_status basin_csr_copy(const basin_csr *a, basin_csr **copy)
{
  BASIN_TRY(basin__csr_allocate(a->context, a->rows, a->columns, a->count, copy));
  memcpy((*copy)->starts, a->starts, (a->rows + 1) * sizeof *a->starts);
  memcpy((*copy)->indices, a->indices, a->count * sizeof *a->indices);
  memcpy((*copy)->values, a->values, a->count * sizeof *a->values);
  return BASIN_OK;
}

size_t basin_csr_rows(const basin_csr *matrix)
{
  return matrix->rows;
}
size_t basin_csr_columns(const basin_csr *matrix)
{
  return matrix->columns;
}
size_t basin_csr_count(const basin_csr *matrix)
{
  return matrix->count;
}
const size_t *basin_csr_starts(const basin_csr *matrix)
{
  return matrix->starts;
}
const uint32_t *basin_csr_column_indices(const basin_csr *matrix)
{
  return matrix->indices;
}
double *basin_csr_values(basin_csr *matrix)
{
  return matrix->values;
}
const double *basin_csr_values_const(const basin_csr *matrix)
{
  return matrix->values;
}

double basin_csr_at(const basin_csr *a, size_t row, size_t column)
{
  if (row >= a->rows || column >= a->columns) return (double)NAN;
  size_t begin = a->starts[row], end = a->starts[row + 1];
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (a->indices[middle] == column) return a->values[middle];
    if (a->indices[middle] < column) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return 0;
}

void basin_csr_diagonal(const basin_csr *a, double *diagonal)
{
  size_t count = a->rows < a->columns ? a->rows : a->columns;
  for (size_t i = 0; i < count; i++) diagonal[i] = basin_csr_at(a, i, i);
}

void basin_csr_to_dense(const basin_csr *a, double *values)
{
  for (size_t i = 0; i < a->rows * a->columns; i++) values[i] = 0;
  for (size_t row = 0; row < a->rows; row++) {
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++)
      values[row * a->columns + a->indices[k]] = a->values[k];
  }
}
