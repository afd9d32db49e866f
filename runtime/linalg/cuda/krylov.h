/* What the iterative solvers of a device share on the host: checks, the matrix in a job, graphs of
 * iterations. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_KRYLOV_H
#define BASIN_LINALG_CUDA_KRYLOV_H

#include "internal.h"
#include "krylov_job.cuh"

enum { BASIN__KRYLOV_SHARES = 4096 }; /* doubles for the sums of thread blocks */

/* As basin__iterative_begin. */
basin_status basin__krylov_begin(basin_cuda *cuda,
                                 const basin_cuda_matrix *matrix,
                                 const basin_cuda_preconditioner *preconditioner,
                                 const basin_linear_options **options,
                                 basin_linear_options *room,
                                 basin_linear_result *result);
/* Thread blocks of kernels over vectors of `size` entries. */
unsigned basin__krylov_blocks(size_t size);
/* The matrix as kernels find it in a job. */
krylov_matrix basin__krylov_matrix(const basin_cuda_matrix *matrix);
/* Whether the update of a solver can apply the preconditioner itself: inverses of single nodes. */
bool basin__krylov_fused(const basin_cuda_preconditioner *preconditioner);

/* An iteration, which is recorded, and the kernels that it launches. */
typedef struct basin__krylov_iteration {
  basin_status (*launch)(void *user);
  void *user;
  const char *file, *definitions;
  const char *const *entries;
  size_t entry_count;
} basin__krylov_iteration;

/* Graphs of iterations, recorded when first needed. Zero-initialise. */
typedef struct basin__krylov_graphs {
  basin_cuda_graph *few, *many;
} basin__krylov_graphs;
/* What they launch has changed. */
void basin__krylov_forget(basin_cuda *cuda, basin__krylov_graphs *graphs);
/* Launches as many iterations as seem worth it after `done`: 8, later 64; or `chosen`, which stays
 * the same for these graphs, if it is not 0. */
basin_status basin__krylov_iterate(basin_cuda *cuda,
                                   basin__krylov_graphs *graphs,
                                   const basin__krylov_iteration *iteration,
                                   unsigned chosen,
                                   uint64_t done);

#endif
