/* The matrix of a factorization in the form that the sparse libraries want, and whether it changed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_SYSTEM_H
#define BASIN_LINALG_SYSTEM_H

#include <basin/linalg.h>

/* Rows of the upper triangle (symmetric) or of the whole matrix, columns ascending. The rows of the
 * upper triangle are the columns of the lower one. */
typedef struct basin__system {
  basin_context *context;
  bool loaded, symmetric;
  size_t size, count;
  int64_t *starts, *indices;
  double *values;
  unsigned block_size;
  unsigned copies; /* the matrix loaded is this one for each component of a node, uncoupled */
  size_t node_count, node_entries; /* pattern by nodes; 0 entries: none */
  int64_t *node_starts, *node_indices;
  uint64_t pattern;
} basin__system;

typedef struct basin__system_change {
  bool pattern, values;
} basin__system_change;

/* Zero-initialise with the context. After an error the system is empty. If `split` and every block
 * is a multiple of the identity, only the matrix of the factors is loaded, and `copies` is the
 * block size, else 1. */
basin_status basin__system_load_bsr(basin__system *system,
                                    const basin_bsr *matrix,
                                    bool split,
                                    basin__system_change *change);
/* With `symmetric`, stores the upper triangle of a matrix that must be symmetric to rounding. */
basin_status basin__system_load_csr(basin__system *system,
                                    const basin_csr *matrix,
                                    bool symmetric,
                                    basin__system_change *change);
void basin__system_clear(basin__system *system);

/* The matrix in full, row-major. */
void basin__system_to_dense(const basin__system *system, double *dense);
/* r = b - A x. */
void basin__system_residual(const basin__system *system,
                            const double *b,
                            const double *x,
                            double *r);

#endif
