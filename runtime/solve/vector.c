/* Reductions over vectors, and the targets of a minimizer as one vector.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/solve.h"
#include <math.h>

/* Partial sums of blocks, then their sum: the order depends on nothing but the length. */
double basin__vector_dot(basin_context *context, size_t count, const double *a, const double *b)
{
  enum { BLOCK = 512 };
  double total = 0;
  (void)context;
  for (size_t first = 0; first < count; first += BLOCK) {
    size_t end = first + BLOCK < count ? first + BLOCK : count;
    double sum = 0;
    for (size_t k = first; k < end; ++k) sum += a[k] * b[k];
    total += sum;
  }
  return total;
}

double basin__vector_largest(size_t count, const double *a)
{
  double largest = 0;
  for (size_t k = 0; k < count; ++k) {
    if (isnan(a[k])) return a[k];
    largest = fmax(largest, fabs(a[k]));
  }
  return largest;
}

basin_status basin__targets_read(basin_minimizer *minimizer, double *x)
{
  for (size_t k = 0; k < minimizer->layout.target_count; ++k) {
    const basin_target *target = &minimizer->layout.targets[k];
    const double *data = basin_system_array_data(minimizer->system, target->array);
    if (!data && target->count > 0) return BASIN_ERROR_MEMORY;
    basin__layout_from_array(&minimizer->layout, k, data, x);
  }
  return BASIN_OK;
}

basin_status basin__targets_write(basin_minimizer *minimizer, const double *x)
{
  for (size_t k = 0; k < minimizer->layout.target_count; ++k) {
    const basin_target *target = &minimizer->layout.targets[k];
    double *data = basin_system_array_data(minimizer->system, target->array);
    if (!data && target->count > 0) return BASIN_ERROR_MEMORY;
    basin__layout_to_array(&minimizer->layout, k, x, data);
    basin_system_touch(minimizer->system, target->array);
  }
  return BASIN_OK;
}
