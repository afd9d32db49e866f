/* General sparse matrices: products with dense matrices, norms, checks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "csr.h"

#include "base/base.h"
#include "norm.h"
#include <math.h>

enum { CHUNK_ROWS = 2048 };

typedef struct apply_job {
  const basin_csr *a;
  size_t width;
  const double *x;
  double *y;
} apply_job;

static double row_dot(const basin_csr *a, size_t row, const double *x)
{
  double sum = 0;
  for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++)
    sum += a->values[k] * x[a->indices[k]];
  return sum;
}

static void apply_task(void *user, size_t chunk, unsigned worker)
{
  const apply_job *job = user;
  const basin_csr *a = job->a;
  size_t end = (chunk + 1) * CHUNK_ROWS, width = job->width;
  (void)worker;
  for (size_t row = chunk * CHUNK_ROWS; row < end && row < a->rows; row++) {
    double *y = job->y + row * width;
    if (width == 1) {
      *y = row_dot(a, row, job->x);
      continue;
    }
    for (size_t j = 0; j < width; j++) y[j] = 0;
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
      const double *x = job->x + a->indices[k] * width;
      for (size_t j = 0; j < width; j++) y[j] += a->values[k] * x[j];
    }
  }
}

void basin_csr_apply(const basin_csr *a, size_t width, const double *x, double *y)
{
  apply_job job = {a, width, x, y};
  basin__parallel_work(a->context,
                       (a->rows + CHUNK_ROWS - 1) / CHUNK_ROWS,
                       2.0 * (double)a->starts[a->rows] * (double)width,
                       apply_task,
                       &job);
}

void basin_csr_apply_transposed(const basin_csr *a, size_t width, const double *x, double *y)
{
  for (size_t i = 0; i < a->columns * width; i++) y[i] = 0;
  for (size_t row = 0; row < a->rows; row++) {
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
      double *out = y + a->indices[k] * width;
      for (size_t j = 0; j < width; j++) out[j] += a->values[k] * x[row * width + j];
    }
  }
}

static double row_sum_largest(const basin_csr *a)
{
  double largest = 0;
  for (size_t row = 0; row < a->rows; row++) {
    double sum = 0;
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) sum += fabs(a->values[k]);
    if (isnan(sum)) return sum;
    largest = fmax(largest, sum);
  }
  return largest;
}

double basin_csr_norm(const basin_csr *a, basin_norm norm)
{
  basin__norm sum = {0};
  basin_csr *transpose;
  switch (norm) {
  case BASIN_NORM_FROBENIUS:
    basin__norm_add(&sum, a->count, a->values);
    return basin__norm_value(&sum);
  case BASIN_NORM_MAX:
    return basin__norm_max(a->count, a->values);
  case BASIN_NORM_INFINITY:
    return row_sum_largest(a);
  case BASIN_NORM_ONE:
    if (basin_csr_transpose(a, &transpose) != BASIN_OK) return (double)NAN;
    double largest = row_sum_largest(transpose);
    basin_csr_destroy(transpose);
    return largest;
  }
  return (double)NAN;
}

bool basin_csr_symmetric(const basin_csr *a, double tolerance)
{
  if (a->rows != a->columns) return false;
  double bound = tolerance * basin__norm_max(a->count, a->values);
  for (size_t row = 0; row < a->rows; row++) {
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
      if (!(fabs(a->values[k] - basin_csr_at(a, a->indices[k], row)) <= bound)) return false;
    }
  }
  return true;
}

bool basin_csr_finite(const basin_csr *a, size_t *row, size_t *column)
{
  for (size_t i = 0; i < a->rows; i++) {
    for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++) {
      if (isfinite(a->values[k])) continue;
      if (row != NULL) *row = i;
      if (column != NULL) *column = a->indices[k];
      return false;
    }
  }
  return true;
}
