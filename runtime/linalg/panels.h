/* Solutions with a Cholesky factor that is kept: panels of up to four columns with the same rows,
 * and up to four right-hand sides at once. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_PANELS_H
#define BASIN_LINALG_PANELS_H

#include "cholmod.h"

/* Columns first .. first + width - 1 of L. Column k holds its diagonal entry, the entries in the
 * later columns' rows, then those in `rows`. */
typedef struct basin__panel {
  const double *columns[4];
  const int64_t *rows;
  size_t count; /* of rows */
  uint32_t first, width;
} basin__panel;

/* L L^T or L D L^T of a permuted matrix. The numbers of L are the factor's. */
typedef struct basin__panels {
  basin_context *context;
  size_t size, count;
  basin__panel *panels;
  const int64_t *permutation; /* unknown of each row of L */
  double *scale, *middle;     /* one over the diagonals of L and of D */
  double *work;               /* four numbers a row */
} basin__panels;

/* Zero-initialise with the context. `factor` stays as it is until the next call. */
basin_status basin__panels_take(basin__panels *panels, const basin__cholmod_factor *factor);
void basin__panels_fini(basin__panels *panels);

/* L D L^T y = y for `work`, 1, 2 or 4 numbers a row. Variant 0 is the portable one, NULL where this
 * machine cannot run `variant`; all give the same bits. For tests. */
typedef void (*basin__substitute_function)(const basin__panels *panels);
basin__substitute_function basin__substitute_variant(size_t sides, unsigned variant);

/* A x = b for `copies` * `columns` right-hand sides: entry i of number k of column j is at
 * [(j * size + i) * copies + k]. x may be b. */
void basin__panels_solve(
    const basin__panels *panels, size_t copies, size_t columns, const double *b, double *x);

#endif
