/* Eigenvalues, singular values and orthogonal factors: dense matrices, and the lowest modes of
 * sparse ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SPECTRAL_H
#define BASIN_SPECTRAL_H

#include <basin/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Dense matrices are row-major. Up to 48 rows or columns, whichever are fewer, are done by methods
 * of Basin's own; larger ones by LAPACK, which is opened at run time: BASIN_ERROR_MISSING_LIBRARY
 * names the package. Those, and what is asked for in full, have 32768 rows and columns at the most,
 * else BASIN_ERROR_UNSUPPORTED. An entry that is not finite is BASIN_ERROR_NOT_FINITE. Sizes of
 * zero are allowed. Results belong to the caller. */

/* A V = M V diag(values) for symmetric A, of which the lower triangle is read; values ascend,
 * eigenvector j is column j of `vectors` (n x n), V^T M V = I. The largest component of each is
 * positive. `mass` NULL is the identity; one that is not positive definite is
 * BASIN_ERROR_INDEFINITE. */
BASIN_API basin_status basin_dense_eigen(basin_context *context,
                                         size_t n,
                                         const double *a,
                                         const double *mass,
                                         double *values,
                                         double *vectors);
/* A = U diag(s) V^T for A of m x n, s descending, k = min(m, n) of them; U is m x k, V n x k; with
 * `full` U is m x m and V n x n. */
BASIN_API basin_status basin_dense_svd(basin_context *context,
                                       size_t m,
                                       size_t n,
                                       const double *a,
                                       bool full,
                                       double *u,
                                       double *s,
                                       double *v);
/* A P = Q R for A of m x n: Q is m x k, R k x n and upper triangular, k = min(m, n); with `full` Q
 * is m x m and R m x n. With `permutation` (n entries) the columns are taken largest first: column
 * j of A P is column permutation[j] of A, and the diagonal of R descends in size; NULL keeps their
 * order. */
BASIN_API basin_status basin_dense_qr(basin_context *context,
                                      size_t m,
                                      size_t n,
                                      const double *a,
                                      bool full,
                                      size_t *permutation,
                                      double *q,
                                      double *r);

typedef struct basin_eigen_options {
  size_t size;               /* sizeof(basin_eigen_options) */
  size_t count;              /* how many, 6 */
  bool near;                 /* those nearest to `shift`; false: the lowest */
  double shift;              /* 0 */
  double tolerance;          /* relative accuracy of the values; 0: all digits */
  size_t maximum_iterations; /* restarts, 1000 */
  size_t basis;              /* vectors kept at once; 0: twice the count, 20 at least */
} basin_eigen_options;
BASIN_API basin_eigen_options basin_eigen_options_defaults(void);

typedef struct basin_eigen_info {
  const char *method; /* "dense" or "ARPACK" */
  size_t iterations;  /* restarts */
  size_t solves;      /* with the factorized A - shift M */
  double shift;       /* that was used */
} basin_eigen_info;

/* A x = lambda M x for symmetric sparse A and positive definite M (NULL: the identity) among the x
 * with C x = 0 (NULL: all x): A x = lambda M x + C^T mu. The rows of C are independent, else
 * BASIN_ERROR_SINGULAR. Values ascend; vector j is column j of `vectors` (n x count), X^T M X = I,
 * its largest component is positive. Shift-and-invert Lanczos by ARPACK with Basin's
 * factorizations, always from the same start; up to 256 unknowns (2048 without ARPACK), or where
 * nearly all pairs are asked for, by dense methods. `info` may be NULL. Errors: more pairs than
 * there are, a basis of more than 32768 vectors, BASIN_ERROR_INDEFINITE for the mass,
 * BASIN_ERROR_SINGULAR for a shift that is an eigenvalue, BASIN_ERROR_NOT_CONVERGED. */
BASIN_API basin_status basin_sparse_eigen(basin_context *context,
                                          const basin_csr *a,
                                          const basin_csr *mass,
                                          const basin_csr *constraints,
                                          const basin_eigen_options *options,
                                          double *values,
                                          double *vectors,
                                          basin_eigen_info *info);

#ifdef __cplusplus
}
#endif
#endif
