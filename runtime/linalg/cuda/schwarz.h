/* Multilevel additive Schwarz on a CUDA device. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_SCHWARZ_H
#define BASIN_LINALG_CUDA_SCHWARZ_H

#include "linalg/cuda/linear.h"

/* See basin_preconditioner_create_schwarz; behind basin_cuda_preconditioner. */
typedef struct basin__cuda_schwarz basin__cuda_schwarz;

basin_status basin__cuda_schwarz_create(basin_cuda *cuda,
                                        uint32_t node_count,
                                        unsigned block,
                                        basin__cuda_schwarz **schwarz);
void basin__cuda_schwarz_destroy(basin__cuda_schwarz *schwarz); /* NULL is fine */
basin_status basin__cuda_schwarz_update(basin__cuda_schwarz *schwarz,
                                        const basin_cuda_matrix *matrix,
                                        size_t *fallbacks);
/* As basin__cuda_preconditioner_hold. */
void basin__cuda_schwarz_hold(basin__cuda_schwarz *schwarz, basin_address bits);
/* What an application in this precision needs; then applications, which may be recorded. */
basin_status basin__cuda_schwarz_prepare(basin__cuda_schwarz *schwarz, bool single);
basin_status basin__cuda_schwarz_launch(basin__cuda_schwarz *schwarz,
                                        bool single,
                                        basin_address r,
                                        basin_address z,
                                        basin_address stop);
/* Another one where applications are launched with other addresses or sizes. */
uint64_t basin__cuda_schwarz_signature(const basin__cuda_schwarz *schwarz, bool single);

#endif
