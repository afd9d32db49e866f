/* The product of two matrices on the device of a system. SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include "linalg/cuda/linear.h"

basin_status basin_system_multiply(basin_system *system,
                                   const basin_csr *a,
                                   const basin_csr *b,
                                   basin_csr **result)
{
  basin_cuda_sparse *sparse;
  *result = NULL;
  if (system->cuda == NULL) return basin_csr_multiply(a, b, result);
  BASIN_TRY(basin__cuda_sparse_create(system->cuda, &sparse));
  basin_status status = basin__cuda_sparse_multiply(sparse, a, b, result);
  basin__cuda_sparse_destroy(sparse);
  return status;
}
