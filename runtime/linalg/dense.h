/* Small dense matrices: factorizations, symmetric eigenvalues, singular values, polar
 * decomposition, projection. Matrices are row-major. Nothing here allocates or records errors;
 * thread rule: any thread, no shared state.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_DENSE_H
#define BASIN_LINALG_DENSE_H

#include <basin/base.h>

/* ---- factorizations in place ---- */

/* A = L L^T; reads and writes the lower triangle only. False if A is not positive definite to
 * rounding; *bad (may be NULL) is then the row where that showed. */
BASIN_API bool basin__dense_cholesky(size_t n, double *a, size_t *bad);
BASIN_API void basin__dense_cholesky_solve(size_t n, const double *l, double *x);
/* From the factor, A^-1 in full. */
BASIN_API void basin__dense_cholesky_inverse(size_t n, const double *l, double *inverse);

/* P A P^T = L D L^T with 1x1 and 2x2 pivots (Bunch and Kaufman 1977). `a` is given in full; row i
 * of the permuted matrix is row permutation[i]; off_diagonal[k] != 0 marks a 2x2 pivot at k, k + 1.
 * *negative counts negative eigenvalues. `work` has n entries. False if singular to rounding, *bad
 * then names the unknown. */
BASIN_API bool basin__dense_ldlt(size_t n,
                                 double *a,
                                 size_t *permutation,
                                 double *off_diagonal,
                                 double *work,
                                 size_t *negative,
                                 size_t *bad);
/* `work` has n entries. */
BASIN_API void basin__dense_ldlt_solve(size_t n,
                                       const double *a,
                                       const size_t *permutation,
                                       const double *off_diagonal,
                                       double *x,
                                       double *work);

/* P A = L U, partial pivoting; row i of P A is row permutation[i]. `work` has n entries. False if
 * singular to rounding; *bad then names the column. */
BASIN_API bool basin__dense_lu(size_t n, double *a, size_t *permutation, double *work, size_t *bad);
BASIN_API void basin__dense_lu_solve(
    size_t n, const double *a, const size_t *permutation, double *x, double *work);

/* ---- eigenvalues ---- */

#define BASIN__EIGEN_LARGEST 48

/* A = V diag(values) V^T by cyclic Jacobi rotations, values ascending, eigenvector j in column j; n
 * <= BASIN__EIGEN_LARGEST. The lower triangle is read. False (nothing written) if an entry is not
 * finite. */
BASIN_API bool basin__eigen_symmetric(size_t n, const double *a, double *values, double *vectors);

typedef enum basin__projection {
  BASIN__PROJECTION_NONE,
  BASIN__PROJECTION_CLAMP,
  BASIN__PROJECTION_ABS
} basin__projection;

/* Replaces negative eigenvalues by zero or by their absolute values; a matrix that has none is left
 * as it is, bit for bit. Returns the number of negative eigenvalues, or n + 1 (nothing written) if
 * an entry is not finite. n <= BASIN__EIGEN_LARGEST. */
BASIN_API size_t basin__psd_project(size_t n, double *a, basin__projection mode);

/* ---- singular values and polar decomposition of 2x2 and 3x3 matrices ---- */

/* A = U diag(sigma) V^T, |sigma| descending; one-sided Jacobi, full relative accuracy for
 * well-scaled columns, any rank. With `rotations`, det U = det V = +1 and the last sigma takes the
 * sign of det A; else all sigma >= 0. False if not finite. */
BASIN_API bool
basin__svd2(const double a[4], double u[4], double sigma[2], double v[4], bool rotations);
BASIN_API bool
basin__svd3(const double a[9], double u[9], double sigma[3], double v[9], bool rotations);

/* A = R S with S symmetric and R orthogonal. With `rotation`, det R = +1 and S may be indefinite;
 * else S is positive semidefinite and det R has the sign of det A. False if not finite. */
BASIN_API bool basin__polar2(const double a[4], double r[4], double s[4], bool rotation);
BASIN_API bool basin__polar3(const double a[9], double r[9], double s[9], bool rotation);

#endif
