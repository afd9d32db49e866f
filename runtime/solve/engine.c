/* Solving on the CPU, as the table of functions that the Newton driver calls, and the choice of the
 * table. SPDX-License-Identifier: Apache-2.0 */
#include "solve/cuda/cuda_solve.h"
#include <math.h>

static basin_status accept(basin_minimizer *minimizer, const double *given, const double **vector)
{
  (void)minimizer;
  *vector = given;
  return BASIN_OK;
}

static basin_status vector_create(basin_minimizer *minimizer, size_t size, double **vector)
{
  *vector = basin__alloc_aligned(minimizer->context, (size + 1) * sizeof **vector);
  return *vector ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static void vector_destroy(basin_minimizer *minimizer, size_t size, double *vector)
{
  basin__free_aligned(minimizer->context, vector, (size + 1) * sizeof *vector);
}

static basin_status step(basin_minimizer *minimizer,
                         size_t size,
                         const double *x,
                         double alpha,
                         const double *direction,
                         double *to)
{
  (void)minimizer;
  for (size_t k = 0; k < size; ++k) to[k] = x[k] - alpha * direction[k];
  return BASIN_OK;
}

static basin_status
largest(basin_minimizer *minimizer, size_t size, const double *x, double *result)
{
  (void)minimizer;
  *result = basin__vector_largest(size, x);
  return BASIN_OK;
}

static basin_status gradient_largest(basin_minimizer *minimizer, double *result)
{
  *result = basin__vector_largest(minimizer->gradient_count, minimizer->gradient);
  return BASIN_OK;
}

static basin_status
judge(basin_minimizer *minimizer, size_t size, const double *direction, double *most, double *slope)
{
  *most = basin__vector_largest(size, direction);
  *slope = basin__vector_dot(minimizer->context, size, direction, minimizer->gradient);
  return BASIN_OK;
}

static const double *gradient(const basin_minimizer *minimizer)
{
  return minimizer->gradient;
}

static basin_status shift(basin_minimizer *minimizer, double amount)
{
  basin_bsr_add_diagonal(minimizer->matrix, amount, NULL);
  return BASIN_OK;
}

static basin_status diagonal(basin_minimizer *minimizer, double *result)
{
  unsigned b = basin_bsr_block_size(minimizer->matrix);
  const size_t *starts = basin_bsr_row_starts(minimizer->matrix);
  const double *values = basin_bsr_values_const(minimizer->matrix);
  *result = 0;
  const uint32_t *held = minimizer->matrix_held ? minimizer->hold.bits : NULL;
  for (uint32_t node = 0; node < basin_bsr_node_count(minimizer->matrix); ++node)
    for (unsigned i = 0; i < b; ++i)
      if (!held || !(held[node] >> i & 1))
        *result = fmax(*result, fabs(values[starts[node] * b * b + i * (b + 1)]));
  return BASIN_OK;
}

static basin_status fill(basin_minimizer *minimizer, double number, size_t *count)
{
  unsigned b = basin_bsr_block_size(minimizer->matrix);
  const size_t *starts = basin_bsr_row_starts(minimizer->matrix);
  double *values = basin_bsr_values(minimizer->matrix);
  *count = 0;
  for (uint32_t node = 0; node < basin_bsr_node_count(minimizer->matrix); ++node)
    for (unsigned i = 0; i < b; ++i) {
      double *entry = &values[starts[node] * b * b + i * (b + 1)];
      if (*entry != 0 || minimizer->gradient[node * b + i] != 0) continue;
      *entry = number;
      ++*count;
    }
  return BASIN_OK;
}

static basin_status hold(basin_minimizer *minimizer, double *vector)
{
  basin__hold_zero(&minimizer->hold, minimizer->layout.block, vector);
  return BASIN_OK;
}

const basin_solve_engine basin__solve_engine_cpu = {.accept = accept,
                                                    .to_host = accept,
                                                    .vector_create = vector_create,
                                                    .vector_destroy = vector_destroy,
                                                    .targets_read = basin__targets_read,
                                                    .targets_write = basin__targets_write,
                                                    .step = step,
                                                    .blend = basin__blend_cpu,
                                                    .dots = basin__dots_cpu,
                                                    .gradient = gradient,
                                                    .dense_identity = basin__dense_identity_cpu,
                                                    .dense_multiply = basin__dense_multiply_cpu,
                                                    .dense_change = basin__dense_change_cpu,
                                                    .largest = largest,
                                                    .gradient_largest = gradient_largest,
                                                    .judge = judge,
                                                    .shift = shift,
                                                    .diagonal = diagonal,
                                                    .fill = fill,
                                                    .hold = hold,
                                                    .solve = basin__solve_cpu,
                                                    .inversion = basin__inversion_cpu,
                                                    .plane = basin__plane_cpu,
                                                    .motion = basin__motion_cpu,
                                                    .device_motion = basin__motion_cpu};

const basin_solve_engine *basin__solve_engine(const basin_minimizer *minimizer)
{
  return minimizer->device ? &basin__solve_engine_cuda : &basin__solve_engine_cpu;
}
