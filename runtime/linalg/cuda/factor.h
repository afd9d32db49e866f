/* Inside of direct solvers on a CUDA device: what stands between them and a vendor's library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_FACTOR_H
#define BASIN_LINALG_CUDA_FACTOR_H

#include "linalg/cuda/linear.h"

/* Compressed rows on the device, both triangles, 32-bit starts and indices. */
typedef struct basin__cuda_csr {
  size_t size, count;
  basin_address starts, indices, values;
} basin__cuda_csr;

/* A library at work. `self` is its own state. Calls are made with the device current. */
typedef struct basin__cuda_direct {
  void *self;
  /* A fill-reducing order of a graph on the host, starts and neighbours as 32-bit words: node
   * order[i] comes at place i. NULL: the library orders by itself. */
  basin_status (*order)(void *self,
                        uint32_t nodes,
                        const uint32_t *starts,
                        const uint32_t *neighbours,
                        uint32_t *order);
  basin_status (*analyze)(void *self, const basin__cuda_csr *matrix);
  /* INDEFINITE or SINGULAR without a recorded error, and the row where it stopped, if known. */
  basin_status (*factorize)(void *self, const basin__cuda_csr *matrix, size_t *bad);
  basin_status (*solve)(
      void *self, const basin__cuda_csr *matrix, size_t columns, basin_address b, basin_address x);
  void (*describe)(const void *self, basin_factor_info *info);
  void (*destroy)(void *self);
} basin__cuda_direct;

/* MISSING_LIBRARY, UNSUPPORTED: as of opening the library. */
basin_status basin__cuda_direct_cudss(basin_cuda *cuda, bool definite, basin__cuda_direct *direct);
basin_status basin__cuda_direct_cusolver(basin_cuda *cuda, basin__cuda_direct *direct);

#endif
