/* UMFPACK, opened at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_UMFPACK_H
#define BASIN_LINALG_UMFPACK_H

#include <basin/linalg.h>

/* Square matrix by rows, columns ascending. Borrowed. */
typedef struct basin__square {
  size_t size;
  const int64_t *starts, *columns;
  const double *values;
} basin__square;

typedef struct basin__umfpack basin__umfpack;

/* BASIN_ERROR_MISSING_LIBRARY with the package's name if the library cannot be opened. */
basin_status basin__umfpack_create(basin_context *context, basin__umfpack **umfpack);
void basin__umfpack_destroy(basin__umfpack *umfpack);
basin_status basin__umfpack_analyze(basin__umfpack *umfpack, const basin__square *matrix);
/* BASIN_ERROR_SINGULAR is returned without a recorded error. */
basin_status basin__umfpack_factorize(basin__umfpack *umfpack, const basin__square *matrix);
/* `matrix` is the one that was factorized. `x` may be `b`. */
basin_status basin__umfpack_solve(basin__umfpack *umfpack,
                                  const basin__square *matrix,
                                  size_t columns,
                                  const double *b,
                                  double *x);
void basin__umfpack_describe(const basin__umfpack *umfpack, basin_factor_info *info);

#endif
