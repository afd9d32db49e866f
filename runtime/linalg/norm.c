/* Euclidean norms that neither overflow nor underflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "norm.h"

#include <math.h>

#define SCALE_DOWN 0x1p-600
#define SCALE_UP   0x1p+600

void basin__norm_add(basin__norm *norm, size_t count, const double *values)
{
  double plain = 0, large = 0, small = 0;
  for (size_t i = 0; i < count; i++) {
    double down = values[i] * SCALE_DOWN, up = values[i] * SCALE_UP;
    plain += values[i] * values[i];
    large += down * down;
    small += up * up;
  }
  norm->plain += plain;
  norm->large += large;
  norm->small += small;
}

double basin__norm_value(const basin__norm *norm)
{
  if (isnan(norm->plain)) return (double)NAN;
  if (norm->plain > 0x1p+1000) return sqrt(norm->large) * SCALE_UP;
  if (norm->plain < 0x1p-900) return sqrt(norm->small) * SCALE_DOWN;
  return sqrt(norm->plain);
}

double basin__norm_max(size_t count, const double *values)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double value = fabs(values[i]);
    if (isnan(value)) return (double)NAN;
    if (value > largest) largest = value;
  }
  return largest;
}
