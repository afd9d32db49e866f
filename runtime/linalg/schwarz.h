/* Multilevel additive Schwarz: inverses of the blocks of clusters on every level of a hierarchy.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_SCHWARZ_H
#define BASIN_LINALG_SCHWARZ_H

#include "clusters.h"

typedef struct basin__schwarz basin__schwarz;

/* Nodes of a cluster for this block size. */
uint32_t basin__schwarz_limit(unsigned block_size);

basin_status basin__schwarz_create(basin_context *context,
                                   uint32_t node_count,
                                   unsigned block_size,
                                   basin__schwarz **schwarz);
void basin__schwarz_destroy(basin__schwarz *schwarz); /* NULL is fine */
/* The clusters are those of the first matrix. See basin_preconditioner_update. */
basin_status
basin__schwarz_update(basin__schwarz *schwarz, const basin_bsr *matrix, size_t *fallbacks);
/* As basin_preconditioner_hold. */
void basin__schwarz_hold(basin__schwarz *schwarz, const uint32_t *bits);
/* z = M^-1 r. */
void basin__schwarz_apply(const basin__schwarz *schwarz, const double *r, double *z);

#endif
