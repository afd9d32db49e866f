/* Multilevel additive Schwarz on a CUDA device. SPDX-License-Identifier: Apache-2.0 */
#include "schwarz.h"

basin_status basin__cuda_schwarz_create(basin_cuda *cuda,
                                        uint32_t node_count,
                                        unsigned block,
                                        basin__cuda_schwarz **schwarz)
{
  (void)node_count;
  (void)block;
  *schwarz = NULL;
  return BASIN_FAIL(basin__cuda_context(cuda),
                    BASIN_ERROR_UNSUPPORTED,
                    "the Schwarz preconditioner is not made on the device");
}

void basin__cuda_schwarz_destroy(basin__cuda_schwarz *schwarz)
{
  (void)schwarz;
}

basin_status basin__cuda_schwarz_update(basin__cuda_schwarz *schwarz,
                                        const basin_cuda_matrix *matrix,
                                        size_t *fallbacks)
{
  (void)schwarz;
  (void)matrix;
  (void)fallbacks;
  return BASIN_ERROR_UNSUPPORTED;
}

basin_status basin__cuda_schwarz_prepare(basin__cuda_schwarz *schwarz, bool single)
{
  (void)schwarz;
  (void)single;
  return BASIN_ERROR_UNSUPPORTED;
}

basin_status basin__cuda_schwarz_launch(
    basin__cuda_schwarz *schwarz, bool single, basin_address r, basin_address z, basin_address stop)
{
  (void)schwarz;
  (void)single;
  (void)r;
  (void)z;
  (void)stop;
  return BASIN_ERROR_UNSUPPORTED;
}

uint64_t basin__cuda_schwarz_signature(const basin__cuda_schwarz *schwarz, bool single)
{
  (void)schwarz;
  return single;
}
