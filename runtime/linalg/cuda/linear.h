/* Sparse matrices and linear solvers on a CUDA device: products, preconditioners, conjugate
 * gradients, MINRES, factorizations. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_LINEAR_H
#define BASIN_LINALG_CUDA_LINEAR_H

#include "device/cuda/primitives.h"
#include <basin/linalg.h>

/* ======== matrices ========
 * Rows of b x b blocks, b from 1 to 12: symmetric matrices in full, both triangles. Columns ascend
 * in a row. Block `slot` is the b * b doubles from values + slot * b * b * 8 on, row-major. A row
 * may be empty, a diagonal block may be missing. The memory is the caller's. */
typedef struct basin_cuda_bsr {
  uint32_t node_count;
  unsigned block;
  size_t block_count;
  basin_address row_starts; /* node_count + 1 words of 32 bits */
  basin_address columns;    /* block_count words */
  basin_address values;     /* block_count * block * block doubles */
} basin_cuda_bsr;

/* A matrix is the sum of 1 to BASIN_CUDA_PARTS parts of the same node count and block: say what
 * stays and what changes. */
enum { BASIN_CUDA_PARTS = 4 };
typedef struct basin_cuda_matrix {
  unsigned part_count;
  basin_cuda_bsr parts[BASIN_CUDA_PARTS];
} basin_cuda_matrix;

/* SHAPE if the parts do not fit each other, UNSUPPORTED for a block that is not in 1..12. */
basin_status basin__cuda_matrix_check(basin_cuda *cuda, const basin_cuda_matrix *matrix);

/* Memory of a matrix that these functions make. */
typedef struct basin_cuda_bsr_memory {
  basin_buffer row_starts, columns, values;
} basin_cuda_bsr_memory; /* zero-initialise */
void basin__cuda_bsr_release(basin_cuda *cuda, basin_cuda_bsr_memory *memory);
/* A matrix of the CPU, in full, on the device. */
basin_status basin__cuda_bsr_upload(basin_cuda *cuda,
                                    const basin_bsr *matrix,
                                    basin_cuda_bsr_memory *memory,
                                    basin_cuda_bsr *copy);
/* The upper triangle of the sum of all parts, on the host: a new matrix. */
basin_status
basin__cuda_matrix_download(basin_cuda *cuda, const basin_cuda_matrix *matrix, basin_bsr **copy);

/* y = A x; x and y do not overlap. */
basin_status basin__cuda_multiply(basin_cuda *cuda,
                                  const basin_cuda_matrix *matrix,
                                  basin_address x,
                                  basin_address y);
/* The same, and the double at `result` becomes x . y. */
basin_status basin__cuda_multiply_dot(basin_cuda *cuda,
                                      basin_cuda_scratch *scratch,
                                      const basin_cuda_matrix *matrix,
                                      basin_address x,
                                      basin_address y,
                                      basin_address result);
/* Adds shift times the identity, or times the diagonal given as node_count * block doubles (0:
 * none). Every row of `part` must have its diagonal block: rows without it are left alone. */
basin_status basin__cuda_bsr_add_diagonal(basin_cuda *cuda,
                                          const basin_cuda_bsr *part,
                                          double shift,
                                          basin_address diagonal);
/* The diagonal of the sum of all parts: node_count * block doubles. */
basin_status
basin__cuda_matrix_diagonal(basin_cuda *cuda, const basin_cuda_matrix *matrix, basin_address to);

/* ======== preconditioners ======== */
typedef struct basin_cuda_preconditioner basin_cuda_preconditioner;

/* Block Jacobi, as basin_preconditioner_create: the inverse of the whole diagonal block of each
 * instance (at most 256 unknowns); a node of no instance is its own. */
basin_status basin__cuda_preconditioner_create(basin_cuda *cuda,
                                               uint32_t node_count,
                                               unsigned block,
                                               size_t instance_count,
                                               const basin_node_range *instances,
                                               basin_cuda_preconditioner **preconditioner);
/* Multilevel additive Schwarz, as basin_preconditioner_create_schwarz. */
basin_status basin__cuda_preconditioner_create_schwarz(basin_cuda *cuda,
                                                       uint32_t node_count,
                                                       unsigned block,
                                                       basin_cuda_preconditioner **preconditioner);
/* As basin_preconditioner_update: stand-ins for blocks that are not definite are counted in
 * *fallbacks (may be NULL), NOT_FINITE names the node. Downloads two words. */
basin_status basin__cuda_preconditioner_update(basin_cuda_preconditioner *preconditioner,
                                               const basin_cuda_matrix *matrix,
                                               size_t *fallbacks);
/* As basin_preconditioner_hold: `bits` is a word a node on the device, 0 for no such rows. */
void basin__cuda_preconditioner_hold(basin_cuda_preconditioner *preconditioner, basin_address bits);
/* z = M^-1 r. */
basin_status basin__cuda_preconditioner_apply(basin_cuda_preconditioner *preconditioner,
                                              basin_address r,
                                              basin_address z);
void basin__cuda_preconditioner_destroy(basin_cuda_preconditioner *preconditioner); /* NULL: fine */

/* ======== conjugate gradients ======== */
typedef struct basin_cuda_pcg_options {
  unsigned iterations; /* a graph launch; 0: chosen (8, growing to 64) */
  bool single; /* matrix, preconditioner and all vectors but x in float, sums in double; the true
                  residual in double confirms convergence and restarts. Default: all in double */
} basin_cuda_pcg_options;

/* Conjugate gradients with their vectors and graphs, which are kept while sizes stay the same. */
typedef struct basin_cuda_pcg basin_cuda_pcg;
basin_status basin__cuda_pcg_create(basin_cuda *cuda, basin_cuda_pcg **pcg);
void basin__cuda_pcg_destroy(basin_cuda_pcg *pcg); /* NULL is fine */
/* Solves A x = b as basin_pcg_solve does: the same rules, the same status. b and x are device
 * addresses of node_count * block doubles. `preconditioner` NULL: none. `device` NULL: defaults.
 * What comes back to the host is a few words per graph launch. */
basin_status basin__cuda_pcg_solve(basin_cuda_pcg *pcg,
                                   const basin_cuda_matrix *matrix,
                                   basin_cuda_preconditioner *preconditioner,
                                   basin_address b,
                                   basin_address x,
                                   const basin_linear_options *options,
                                   const basin_cuda_pcg_options *device,
                                   basin_linear_result *result);
/* The last search direction (doubles, on the device): with INDEFINITE, one of non-positive
 * curvature. Until the next solve. 0 before the first, and after one in single precision. */
basin_address basin__cuda_pcg_direction(const basin_cuda_pcg *pcg);

/* ======== MINRES ======== */
/* MINRES with its vectors and graphs, which are kept while sizes stay the same. */
typedef struct basin_cuda_minres basin_cuda_minres;
basin_status basin__cuda_minres_create(basin_cuda *cuda, basin_cuda_minres **minres);
void basin__cuda_minres_destroy(basin_cuda_minres *minres); /* NULL is fine */
/* Solves A x = b as basin_minres_solve does: the same rules, the same status; otherwise as
 * basin__cuda_pcg_solve. */
basin_status basin__cuda_minres_solve(basin_cuda_minres *minres,
                                      const basin_cuda_matrix *matrix,
                                      basin_cuda_preconditioner *preconditioner,
                                      basin_address b,
                                      basin_address x,
                                      const basin_linear_options *options,
                                      basin_linear_result *result);

/* ======== factorizations ======== */
typedef struct basin_cuda_factor basin_cuda_factor;
/* As basin_factor_create for the symmetric kinds: cuDSS where its library opens, else cuSOLVER
 * (Cholesky only). MISSING_LIBRARY if neither does; the caller may then download the matrix and use
 * basin_factor. */
basin_status
basin__cuda_factor_create(basin_cuda *cuda, basin_factor_kind kind, basin_cuda_factor **factor);
/* As basin_factor_update_bsr; the same errors. The analysis is kept while the pattern is the same.
 */
basin_status basin__cuda_factor_update(basin_cuda_factor *factor, const basin_cuda_matrix *matrix);
/* `columns` right-hand sides, one after the other, on the device; x may be b. */
basin_status basin__cuda_factor_solve(basin_cuda_factor *factor,
                                      size_t columns,
                                      basin_address b,
                                      basin_address x);
basin_factor_info basin__cuda_factor_information(const basin_cuda_factor *factor);
void basin__cuda_factor_destroy(basin_cuda_factor *factor); /* NULL is fine */

/* ======== general matrices, by cuSPARSE ========
 * Matrices of the host that are multiplied on the device: uploaded, and the result downloaded. */
typedef struct basin_cuda_sparse basin_cuda_sparse;
/* MISSING_LIBRARY where cuSPARSE cannot be opened. */
basin_status basin__cuda_sparse_create(basin_cuda *cuda, basin_cuda_sparse **sparse);
void basin__cuda_sparse_destroy(basin_cuda_sparse *sparse); /* NULL is fine */
/* As basin_csr_multiply. */
basin_status basin__cuda_sparse_multiply(basin_cuda_sparse *sparse,
                                         const basin_csr *a,
                                         const basin_csr *b,
                                         basin_csr **result);
/* y = A x for one vector of the host, as basin_csr_apply. */
basin_status
basin__cuda_sparse_apply(basin_cuda_sparse *sparse, const basin_csr *a, const double *x, double *y);

/* ======== many small eigenproblems, by cuSOLVER ========
 * `batch` symmetric matrices of n <= 32 rows, one after the other from `matrices` on: each becomes
 * its eigenvectors, vector j in row j; `values` gets n ascending eigenvalues a matrix.
 * MISSING_LIBRARY where cuSOLVER cannot be opened; NOT_CONVERGED names the matrix. A second way to
 * what the element kernels do themselves, for tests and comparisons. */
basin_status basin__cuda_eigen_batched(
    basin_cuda *cuda, unsigned n, size_t batch, basin_address matrices, basin_address values);

#endif
