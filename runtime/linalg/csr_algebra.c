/* General sparse matrices: transpose, sums, products, Kronecker product.
 * SPDX-License-Identifier: Apache-2.0 */
#include "csr.h"

#include "base/base.h"
#include <stdlib.h>
#include <string.h>

basin_status basin_csr_transpose(const basin_csr *a, basin_csr **result)
{
  BASIN_TRY(basin__csr_allocate(a->context, a->columns, a->rows, a->count, result));
  basin_csr *t = *result;
  for (size_t k = 0; k < a->count; k++) t->starts[a->indices[k] + 1]++;
  for (size_t i = 0; i < t->rows; i++) t->starts[i + 1] += t->starts[i];
  for (size_t row = 0; row < a->rows; row++) {
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
      size_t place = t->starts[a->indices[k]]++;
      t->indices[place] = (uint32_t)row;
      t->values[place] = a->values[k];
    }
  }
  for (size_t i = t->rows; i > 0; i--) t->starts[i] = t->starts[i - 1];
  t->starts[0] = 0;
  return BASIN_OK;
}

/* Merges rows; with `out` NULL only counts. */
static size_t
add_rows(double alpha, const basin_csr *a, double beta, const basin_csr *b, basin_csr *out)
{
  size_t count = 0;
  for (size_t row = 0; row < a->rows; row++) {
    size_t i = a->starts[row], j = b->starts[row], i_end = a->starts[row + 1],
           j_end = b->starts[row + 1];
    for (; i < i_end || j < j_end; count++) {
      bool take_a = i < i_end && (j == j_end || a->indices[i] <= b->indices[j]);
      bool take_b = j < j_end && (i == i_end || b->indices[j] <= a->indices[i]);
      if (out != NULL) {
        out->indices[count] = take_a ? a->indices[i] : b->indices[j];
        out->values[count] = take_a && take_b ? alpha * a->values[i] + beta * b->values[j]
                             : take_a         ? alpha * a->values[i]
                                              : beta * b->values[j];
      }
      i += take_a;
      j += take_b;
    }
    if (out != NULL) out->starts[row + 1] = count;
  }
  return count;
}

basin_status
basin_csr_add(double alpha, const basin_csr *a, double beta, const basin_csr *b, basin_csr **result)
{
  *result = NULL;
  if (a->rows != b->rows || a->columns != b->columns) {
    return BASIN_FAIL(a->context,
                      BASIN_ERROR_SHAPE,
                      "cannot add a %zu x %zu and a %zu x %zu matrix",
                      a->rows,
                      a->columns,
                      b->rows,
                      b->columns);
  }
  BASIN_TRY(basin__csr_allocate(
      a->context, a->rows, a->columns, add_rows(alpha, a, beta, b, NULL), result));
  add_rows(alpha, a, beta, b, *result);
  return BASIN_OK;
}

void basin_csr_scale(basin_csr *matrix, double factor)
{
  for (size_t k = 0; k < matrix->count; k++) matrix->values[k] *= factor;
}

/* ---- product, row by row (Gustavson 1978) ---- */

typedef struct product {
  const basin_csr *a, *b;
  size_t *marks; /* per column of b: last row that touched it, plus 1 */
  double *sums;  /* per column of b */
  uint32_t *touched;
} product;

static int compare_indices(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Columns of row `row` of a b, unsorted; sums their values. */
static size_t product_row(product *p, size_t row, size_t mark)
{
  size_t count = 0;
  for (size_t i = p->a->starts[row]; i < p->a->starts[row + 1]; i++) {
    size_t inner = p->a->indices[i];
    double factor = p->a->values[i];
    for (size_t j = p->b->starts[inner]; j < p->b->starts[inner + 1]; j++) {
      uint32_t column = p->b->indices[j];
      if (p->marks[column] != mark) {
        p->marks[column] = mark;
        p->sums[column] = 0;
        p->touched[count++] = column;
      }
      p->sums[column] += factor * p->b->values[j];
    }
  }
  return count;
}

static basin_status run_product(product *p, basin_csr **result)
{
  size_t rows = p->a->rows, count = 0;
  for (size_t row = 0; row < rows; row++) count += product_row(p, row, row + 1);
  BASIN_TRY(basin__csr_allocate(p->a->context, rows, p->b->columns, count, result));
  basin_csr *out = *result;
  count = 0;
  for (size_t row = 0; row < rows; row++) {
    size_t added = product_row(p, row, rows + row + 1);
    qsort(p->touched, added, sizeof *p->touched, compare_indices);
    for (size_t k = 0; k < added; k++) {
      out->indices[count] = p->touched[k];
      out->values[count++] = p->sums[p->touched[k]];
    }
    out->starts[row + 1] = count;
  }
  return BASIN_OK;
}

basin_status basin_csr_multiply(const basin_csr *a, const basin_csr *b, basin_csr **result)
{
  basin_context *context = a->context;
  *result = NULL;
  if (a->columns != b->rows) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "cannot multiply a %zu x %zu by a %zu x %zu matrix",
                      a->rows,
                      a->columns,
                      b->rows,
                      b->columns);
  }
  size_t n = b->columns + 1;
  product p = {a,
               b,
               basin__calloc(context, n, sizeof(size_t)),
               basin__calloc(context, n, sizeof(double)),
               basin__calloc(context, n, sizeof(uint32_t))};
  basin_status status = BASIN_ERROR_MEMORY;
  if (p.marks != NULL && p.sums != NULL && p.touched != NULL) status = run_product(&p, result);
  basin__free(context, p.marks, n * sizeof(size_t));
  basin__free(context, p.sums, n * sizeof(double));
  basin__free(context, p.touched, n * sizeof(uint32_t));
  return status;
}

/* Row i of a times row k of b, appended at `count`. */
static size_t
kron_row(const basin_csr *a, size_t i, const basin_csr *b, size_t k, basin_csr *out, size_t count)
{
  for (size_t p = a->starts[i]; p < a->starts[i + 1]; p++) {
    for (size_t q = b->starts[k]; q < b->starts[k + 1]; q++) {
      out->indices[count] = (uint32_t)(a->indices[p] * b->columns + b->indices[q]);
      out->values[count++] = a->values[p] * b->values[q];
    }
  }
  return count;
}

basin_status basin_csr_kron(const basin_csr *a, const basin_csr *b, basin_csr **result)
{
  *result = NULL;
  if ((b->rows != 0 && a->rows > UINT32_MAX / b->rows) ||
      (b->columns != 0 && a->columns > UINT32_MAX / b->columns)) {
    return BASIN_FAIL(a->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "the Kronecker product of a %zu x %zu and a %zu x %zu matrix is too large",
                      a->rows,
                      a->columns,
                      b->rows,
                      b->columns);
  }
  if (b->count != 0 && a->count > SIZE_MAX / 16 / b->count) {
    return BASIN_FAIL(a->context, BASIN_ERROR_MEMORY, "the Kronecker product has too many entries");
  }
  BASIN_TRY(basin__csr_allocate(
      a->context, a->rows * b->rows, a->columns * b->columns, a->count * b->count, result));
  basin_csr *out = *result;
  size_t count = 0;
  for (size_t i = 0; i < a->rows; i++) {
    for (size_t k = 0; k < b->rows; k++) {
      count = kron_row(a, i, b, k, out, count);
      out->starts[i * b->rows + k + 1] = count;
    }
  }
  return BASIN_OK;
}
