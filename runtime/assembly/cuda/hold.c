/* Held unknowns on a CUDA device. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

basin_status basin__cuda_held(basin_minimizer *minimizer, basin_address *bits)
{
  basin_cuda_minimizer *device = minimizer->device;
  const basin_hold *hold = &minimizer->hold;
  *bits = 0;
  if (hold->count == 0) return BASIN_OK;
  if (device->held_version != hold->version) {
    device->held_version = 0;
    BASIN_TRY(basin__cuda_send(
        minimizer, &device->held, hold->bits, hold->node_count * sizeof *hold->bits));
    device->held_version = hold->version;
  }
  *bits = device->held.address;
  return BASIN_OK;
}

basin_status basin__cuda_hold_vector(basin_minimizer *minimizer, basin_address vector)
{
  uint64_t nodes = minimizer->hold.node_count;
  uint32_t block = minimizer->layout.block;
  basin_address bits;
  BASIN_TRY(basin__cuda_held(minimizer, &bits));
  if (bits == 0) return BASIN_OK;
  return basin__cuda_simple(
      minimizer, "hold.cu", "hold_vector", "", nodes, (void *[]){&bits, &nodes, &block, &vector});
}

basin_status basin__cuda_hold_gradient(basin_minimizer *minimizer)
{
  return basin__cuda_hold_vector(minimizer, minimizer->device->gradient.address);
}

/* The first part, of the static terms, has all diagonal blocks; in the sum the others add nothing
 * to held rows. */
basin_status basin__cuda_hold_matrix(basin_minimizer *minimizer)
{
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  uint64_t nodes = minimizer->hold.node_count;
  uint32_t block = minimizer->layout.block;
  basin_address bits;
  BASIN_TRY(basin__cuda_held(minimizer, &bits));
  for (unsigned k = 0; k < matrix.part_count && bits != 0; ++k) {
    basin_cuda_bsr *part = &matrix.parts[k];
    double diagonal = k == 0 ? 1 : 0;
    BASIN_TRY(basin__cuda_simple(
        minimizer,
        "hold.cu",
        "hold_rows",
        "",
        nodes,
        (void *[]){
            &bits, &nodes, &block, &part->row_starts, &part->columns, &diagonal, &part->values}));
  }
  return BASIN_OK;
}
