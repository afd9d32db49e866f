/* Copies for the host: gradient, matrix, and local gradients for the adjoints of curved maps.
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

/* ---- adjoints ---- */

static basin_status fetch_rows(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_term *own = term->device;
  size_t count = term->elements * term->local_nodes;
  if (own->host_structure == own->number) return BASIN_OK;
  own->host_structure = 0;
  BASIN_TRY(basin__grow(
      minimizer->context, &own->host_rows, &own->host_row_capacity, count, sizeof *own->host_rows));
  BASIN_TRY(basin__cuda_download(
      minimizer->device->cuda, own->host_rows, own->rows.address, count * sizeof(uint32_t)));
  own->host_structure = own->number;
  return BASIN_OK;
}

basin_status basin__cuda_add_adjoints(
    basin_minimizer *minimizer, basin_term *term, size_t begin, size_t count, basin_address local)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t b = minimizer->layout.block, size = term->local_nodes * b;
  BASIN_TRY(fetch_rows(minimizer, term));
  BASIN_TRY(
      reserve(minimizer->context, &device->host_local, &device->host_local_capacity, count * size));
  BASIN_TRY(
      basin__cuda_download(device->cuda, device->host_local, local, count * size * sizeof(double)));
  for (size_t e = 0; e < count; ++e)
    for (size_t a = 0; a < term->local_nodes; ++a) {
      const basin_dof_map *map = minimizer->maps.maps[term->node_maps[a]];
      if (!map->curved) continue;
      size_t row = term->device->host_rows[a * term->elements + begin + e];
      for (size_t i = 0; i < b; ++i)
        map->adjoint[row * b + i] += device->host_local[(a * b + i) * count + e];
    }
  return BASIN_OK;
}
