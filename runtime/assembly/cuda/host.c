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

/* Keys and values of the upper blocks of both parts, one part after the other. */
typedef struct upper_blocks {
  size_t count, square;
  uint64_t *keys;
  double *values;
  basin_node_pair *pairs;
  uint32_t *slots;
} upper_blocks;

static basin_status download_parts(basin_minimizer *minimizer, const upper_blocks *blocks)
{
  basin_cuda *cuda = minimizer->device->cuda;
  size_t at = 0;
  for (int k = 0; k < BASIN_PART_COUNT; ++k) {
    const basin_cuda_part *part = &minimizer->device->parts[k];
    if (!part->used || part->upper_count == 0) continue;
    BASIN_TRY(basin__cuda_download(
        cuda, blocks->keys + at, part->unique.address, part->upper_count * sizeof(uint64_t)));
    BASIN_TRY(basin__cuda_download(cuda,
                                   blocks->values + at * blocks->square,
                                   part->upper.address,
                                   part->upper_count * blocks->square * sizeof(double)));
    at += part->upper_count;
  }
  return BASIN_OK;
}

static basin_status
build_matrix(basin_minimizer *minimizer, const upper_blocks *blocks, basin_bsr **matrix)
{
  unsigned bits = basin__bits_of(minimizer->layout.node_count + 1);
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  BASIN_TRY(download_parts(minimizer, blocks));
  for (size_t k = 0; k < blocks->count; ++k)
    blocks->pairs[k] =
        (basin_node_pair){(uint32_t)(blocks->keys[k] >> bits), (uint32_t)(blocks->keys[k] & mask)};
  BASIN_TRY(basin_bsr_create(minimizer->context,
                             (uint32_t)minimizer->layout.node_count,
                             minimizer->layout.block,
                             blocks->count,
                             blocks->pairs,
                             blocks->slots,
                             matrix));
  double *values = basin_bsr_values(*matrix);
  basin_bsr_zero(*matrix);
  for (size_t k = 0; k < blocks->count; ++k)
    for (size_t i = 0; i < blocks->square; ++i)
      values[(blocks->slots[k] & BASIN_SLOT_MASK) * blocks->square + i] +=
          blocks->values[k * blocks->square + i];
  return BASIN_OK;
}

static basin_status fetch_matrix(basin_minimizer *minimizer, basin_bsr **matrix)
{
  upper_blocks blocks = {.square = (size_t)minimizer->layout.block * minimizer->layout.block};
  for (int k = 0; k < BASIN_PART_COUNT; ++k)
    if (minimizer->device->parts[k].used) blocks.count += minimizer->device->parts[k].upper_count;
  size_t count = blocks.count + 1;
  size_t bytes =
      count * (sizeof(uint64_t) + blocks.square * sizeof(double) + sizeof(basin_node_pair) + 4);
  char *memory = basin__alloc_aligned(minimizer->context, bytes);
  if (!memory) return BASIN_ERROR_MEMORY;
  void *rooms[3] = {memory + count * 8,
                    memory + count * (8 + blocks.square * 8),
                    memory + count * (8 + blocks.square * 8 + sizeof(basin_node_pair))};
  blocks.keys = (void *)memory;
  blocks.values = rooms[0];
  blocks.pairs = rooms[1];
  blocks.slots = rooms[2];
  basin_status status = build_matrix(minimizer, &blocks, matrix);
  basin__free_aligned(minimizer->context, memory, bytes);
  return status;
}

/* What was added to the diagonal since the assembly is not in it. */
const basin_bsr *basin__cuda_host_matrix(const basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_bsr *matrix = NULL;
  if (device->host_matrix && device->host_matrix_version == minimizer->matrix_version)
    return device->host_matrix;
  basin_bsr_destroy(device->host_matrix);
  device->host_matrix = NULL;
  if (fetch_matrix(device->owner, &matrix) != BASIN_OK) {
    basin_bsr_destroy(matrix);
    return NULL;
  }
  device->host_matrix = matrix;
  device->host_matrix_version = minimizer->matrix_version;
  return matrix;
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
