/* Boxes of vertices: rounded outward to single precision, and exact ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_BOX_TEXT_H
#define BASIN_CONTACT_BOX_TEXT_H

#include "contact_types.h"

#ifndef BASIN_CUDA_TEXT
#include <stdint.h>
#include <string.h>
#endif

#define BASIN__FLOAT_MAX 0x1.fffffep127F

/* The largest float <= value. Beyond the largest float is the largest one: infinite bounds belong
 * to empty lanes of nodes. */
#ifdef BASIN_CUDA_TEXT
BASIN_SHARED float basin__float_below(double value)
{
  const float rounded = (float)value;
  const float below =
      (double)rounded > value ? nextafterf(rounded, -(float)BASIN_SHARED_INFINITY) : rounded;
  return fmaxf(below, -BASIN__FLOAT_MAX);
}
#else
/* Without a branch that depends on the digits. */
BASIN_SHARED float basin__float_below(double value)
{
  float rounded = (float)value;
  const int32_t above = (double)rounded > value;
  int32_t bits;
  if (rounded == 0) return above ? -0x1p-149F : 0;
  memcpy(&bits, &rounded, sizeof bits);
  bits += bits < 0 ? above : -above;
  memcpy(&rounded, &bits, sizeof bits);
  return rounded < -BASIN__FLOAT_MAX ? -BASIN__FLOAT_MAX : rounded;
}
#endif

/* The smallest float >= value. */
BASIN_SHARED float basin__float_above(double value)
{
  return -basin__float_below(-value);
}

#define BASIN__LARGEST_POSITION 1e48 /* distances take sixth powers */

/* Ends of the box of one coordinate that moves from `start` to `end`. Rounding is monotonic, so
 * that boxes without reach meet whenever the exact ones do; a reach is enlarged by what its two
 * additions can lose. *high is infinite if a number is not finite, or the start so large that
 * powers of distances would not be. */
BASIN_SHARED void
basin__box_interval(double start, double end, double reach, double *low, double *high)
{
  *low = start < end ? start : end;
  *high = start < end ? end : start;
  if (!(fabs(start) < BASIN__LARGEST_POSITION && fabs(end) < BASIN_SHARED_INFINITY))
    *high = BASIN_SHARED_INFINITY;
  if (reach > 0) {
    const double size = fabs(*low) > fabs(*high) ? fabs(*low) : fabs(*high);
    const double grown = reach + 0x1p-50 * (size + reach);
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
