/* Dense orthogonal factors of small matrices, by Basin's own methods.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_SPECTRAL_H
#define BASIN_LINALG_SPECTRAL_H

#include "base/base.h"
#include <basin/spectral.h>

/* Matrices whose smaller side is longer go to LAPACK. */
#define BASIN__SPECTRAL_SMALL 48

/* Everything is row-major. Work memory comes from the arena. Entries are finite. */

/* A P = Q R by Householder's reflections. `a` (m x n) becomes R, zeros below the diagonal; q is
 * m x columns, columns <= m; `permutation` (may be NULL): columns largest first. */
basin_status basin__qr_small(basin_arena *arena,
                             size_t m,
                             size_t n,
                             double *a,
                             size_t *permutation,
                             size_t columns,
                             double *q);
/* A = U diag(s) V^T by one-sided Jacobi rotations (Hestenes 1958); sizes as in basin_dense_svd. */
basin_status basin__svd_small(basin_arena *arena,
                              size_t m,
                              size_t n,
                              const double *a,
                              bool full,
                              double *u,
                              double *s,
                              double *v);
/* b = a^T for a of rows x columns. */
void basin__transpose_dense(size_t rows, size_t columns, const double *a, double *b);
/* Turns each column of n x count vectors so that its largest component is positive. */
void basin__orient_columns(size_t n, size_t count, double *vectors);
/* False: entry *bad is not finite. */
bool basin__dense_finite(size_t count, const double *a, size_t *bad);

#endif
