/* Euclidean norms that neither overflow nor underflow.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_NORM_H
#define BASIN_LINALG_NORM_H

#include <stddef.h>

/* Zero-initialise, add any number of arrays, take the value. NaN if an entry was NaN, infinity if
 * one was infinite. The plain sum of squares serves unless it left the safe range; then a scaled
 * one does (Blue 1978). */
typedef struct basin__norm {
  double plain; /* sum of squares */
  double large; /* of entries scaled by 2^-600 */
  double small; /* of entries scaled by 2^600 */
} basin__norm;

void basin__norm_add(basin__norm *norm, size_t count, const double *values);
double basin__norm_value(const basin__norm *norm);

/* Largest absolute value; NaN if one is NaN. */
double basin__norm_max(size_t count, const double *values);

#endif
