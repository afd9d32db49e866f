/* LAPACK, opened at run time. Matrices are column-major here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_LAPACK_H
#define BASIN_LINALG_LAPACK_H

#include "base/base.h"

typedef struct basin__lapack {
  basin_context *context;
  basin_dl *library;
#define SYMBOL(required, type, name, arguments) type(*name) arguments;
#include "lapack.def"
#undef SYMBOL
} basin__lapack;

/* BASIN_ERROR_MISSING_LIBRARY with the package's name if the library cannot be opened,
 * BASIN_ERROR_UNSUPPORTED if its integers have 64 bits. Close it in either case. */
basin_status basin__lapack_open(basin_context *context, basin__lapack *lapack);
void basin__lapack_close(basin__lapack *lapack);

/* Work memory comes from the arena. Sizes are below 2^15 squared, see basin__lapack_check_size. */
basin_status basin__lapack_check_size(basin_context *context, size_t m, size_t n);
/* `a` (n x n) becomes the eigenvectors; `mass` (may be NULL) is destroyed; *indefinite is its first
 * row (from 1) that is not positive definite, else 0. */
basin_status basin__lapack_eigen(const basin__lapack *lapack,
                                 basin_arena *arena,
                                 size_t n,
                                 double *a,
                                 double *mass,
                                 double *values,
                                 size_t *indefinite);
/* `a` (m x n) is destroyed; u is m x (full ? m : k), vt (full ? n : k) x n. */
basin_status basin__lapack_svd(const basin__lapack *lapack,
                               basin_arena *arena,
                               size_t m,
                               size_t n,
                               double *a,
                               bool full,
                               double *u,
                               double *s,
                               double *vt);
/* `a` (m x n) becomes R on and above its diagonal; q is m x columns, k <= columns <= m.
 * `permutation` may be NULL. */
basin_status basin__lapack_qr(const basin__lapack *lapack,
                              basin_arena *arena,
                              size_t m,
                              size_t n,
                              double *a,
                              size_t *permutation,
                              size_t columns,
                              double *q);

#endif
