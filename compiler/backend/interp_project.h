/* The interpreter's projection of a symmetric matrix: a plain cyclic Jacobi iteration, the
 * reference of the fast ones. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_INTERP_PROJECT_H
#define BASIN_BACKEND_INTERP_PROJECT_H

#include <basin/kernel.h>

/* Doubles of workspace for n rows. */
#define BASIN_PROJECT_WORK(n) (2 * (size_t)(n) * (n))

/* Changes the negative eigenvalues of the n x n matrix (packed upper triangle, row after row) as
 * `mode` says. A matrix without negative eigenvalues, or with an entry that is not finite, is left
 * alone. */
void basin__project_packed(double *packed, uint32_t n, basin_projection mode, double *work);

#endif
