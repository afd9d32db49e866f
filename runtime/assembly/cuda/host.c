/* Copies for the host: gradient and matrix.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* Room for `need` numbers, whose old content is given up. */
static basin_status reserve(basin_context *context, double **numbers, size_t *capacity, size_t need)
{
  if (need <= *capacity) return BASIN_OK;
  double *fresh = basin__alloc_aligned(context, need * sizeof *fresh);
  if (!fresh) return BASIN_ERROR_MEMORY;
  basin__free_aligned(context, *numbers, *capacity * sizeof *fresh);
  *numbers = fresh;
  *capacity = need;
  return BASIN_OK;
}

const double *basin__cuda_host_gradient(const basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t count = minimizer->gradient_count;
  if (device->host_gradient_valid) return device->host_gradient;
  if (reserve(
          minimizer->context, &device->host_gradient, &device->host_gradient_capacity, count + 1) !=
          BASIN_OK ||
      (count > 0 && basin__cuda_download(device->cuda,
                                         device->host_gradient,
                                         device->gradient.address,
                                         count * sizeof(double)) != BASIN_OK))
    return NULL;
  device->host_gradient_valid = true;
  return device->host_gradient;
}

/* ---- matrix ---- */

basin_cuda_matrix basin__cuda_minimizer_matrix(const basin_minimizer *minimizer)
{
  basin_cuda_matrix matrix = {0};
  for (int k = 0; k < BASIN_PART_COUNT; ++k) {
    const basin_cuda_part *part = &minimizer->device->parts[k];
    if (!part->used) continue;
    matrix.parts[matrix.part_count++] =
        (basin_cuda_bsr){.node_count = (uint32_t)minimizer->layout.node_count,
                         .block = minimizer->layout.block,
                         .block_count = part->full_count,
                         .row_starts = part->row_starts.address,
                         .columns = part->columns.address,
                         .values = part->full.address};
  }
  return matrix;
}

const basin_bsr *basin__cuda_host_matrix(const basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  if (device->host_matrix && device->host_matrix_version == minimizer->matrix_version)
    return device->host_matrix;
  basin_bsr_destroy(device->host_matrix);
  device->host_matrix = NULL;
  if (basin__cuda_matrix_download(device->cuda, &matrix, &device->host_matrix) != BASIN_OK)
    return NULL;
  device->host_matrix_version = minimizer->matrix_version;
  return device->host_matrix;
}
