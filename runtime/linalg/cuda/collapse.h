/* Sums of block matrices with rows and columns put together, on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_COLLAPSE_H
#define BASIN_LINALG_CUDA_COLLAPSE_H

#include "linalg/cuda/linear.h"

/* Memory kept between calls. Zero-initialise. */
typedef struct basin__cuda_collapse {
  basin_buffer keys, order, heads, runs;
  basin_cuda_scratch scratch;
} basin__cuda_collapse;
void basin__cuda_collapse_release(basin_cuda *cuda, basin__cuda_collapse *work);

/* result = sum over the blocks (i, j) of all parts of the block at (map[i], map[j]): `count` rows.
 * `map`: a word a node, below `count`; 0: the identity, and the parts are added up. Sums have the
 * order of parts and blocks. Downloads one word. */
basin_status basin__cuda_collapse_matrix(basin_cuda *cuda,
                                         basin__cuda_collapse *work,
                                         const basin_cuda_matrix *matrix,
                                         basin_address map,
                                         uint32_t count,
                                         basin_cuda_bsr_memory *memory,
                                         basin_cuda_bsr *result);

#endif
