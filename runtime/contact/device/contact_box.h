/* Boxes of vertices: rounded outward to single precision, and exact ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_BOX_TEXT_H
#define BASIN_CONTACT_BOX_TEXT_H

#include "contact_types.h"

#define BASIN__FLOAT_MAX 0x1.fffffep127F

/* Beyond the largest float is the largest one: infinite bounds belong to empty lanes of nodes. */
BASIN_SHARED float basin__float_below(double value)
{
  const float rounded = (float)value;
  const float below =
      (double)rounded > value ? nextafterf(rounded, -(float)BASIN_SHARED_INFINITY) : rounded;
  return fmaxf(below, -BASIN__FLOAT_MAX);
}

BASIN_SHARED float basin__float_above(double value)
{
  const float rounded = (float)value;
  const float above =
      (double)rounded < value ? nextafterf(rounded, (float)BASIN_SHARED_INFINITY) : rounded;
  return fminf(above, BASIN__FLOAT_MAX);
}

/* Ends of the box of one coordinate that moves from `start` to `end`. Rounding is monotonic, so
 * that boxes without reach meet whenever the exact ones do; a reach is enlarged by what its two
 * additions can lose. *high is infinite if a number is not finite. */
BASIN_SHARED void
basin__box_interval(double start, double end, double reach, double *low, double *high)
{
  *low = fmin(start, end);
  *high = fmax(start, end);
  if (!(fabs(start) < BASIN_SHARED_INFINITY && fabs(end) < BASIN_SHARED_INFINITY))
    *high = BASIN_SHARED_INFINITY; /* fmin and fmax hide one NaN */
  if (reach > 0) {
    const double grown = reach + 0x1p-50 * (fmax(fabs(*low), fabs(*high)) + reach);
    *low -= grown;
    *high += grown;
  }
}

/* What is taken away from coordinates between `low` and `high` before they are rounded: a common
 * translation costs single precision its digits. */
BASIN_SHARED double basin__box_center(double low, double high)
{
  const double middle = 0.5 * low + 0.5 * high;
  const bool far = fabs(middle) > 4 * (high - low) && fabs(middle) < BASIN_SHARED_INFINITY;
  return far ? middle : 0;
}

#endif
