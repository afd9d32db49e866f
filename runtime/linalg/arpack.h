/* ARPACK, opened at run time: implicitly restarted Lanczos for A x = lambda M x around a shift.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_ARPACK_H
#define BASIN_LINALG_ARPACK_H

#include <basin/linalg.h>

/* The operator (A - shift M)^-1 and the mass, as functions. */
typedef struct basin__arpack_problem {
  size_t n, count, basis; /* count < basis <= n */
  double shift, tolerance;
  size_t maximum_iterations;
  const basin_csr *mass; /* NULL: the identity */
  basin_status (*invert)(void *user, const double *b, double *x);
  void *user;
} basin__arpack_problem;

/* `values` in no order, `vectors` column-major (n x count). Always starts from the same vector.
 * ARPACK keeps state between its calls: one problem of the process is solved at a time.
 * BASIN_ERROR_MISSING_LIBRARY names the package, BASIN_ERROR_UNSUPPORTED says that its integers
 * have 64 bits. */
basin_status basin__arpack_solve(basin_context *context,
                                 const basin__arpack_problem *problem,
                                 double *values,
                                 double *vectors,
                                 size_t *iterations);
/* False, without a recorded error, if the library cannot be opened. */
bool basin__arpack_available(basin_context *context);

#endif
