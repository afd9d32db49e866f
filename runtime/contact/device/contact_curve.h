/* Hilbert curve in three dimensions (Skilling, "Programming the Hilbert curve", 2004).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CURVE_TEXT_H
#define BASIN_CONTACT_CURVE_TEXT_H

#include "contact_types.h"

enum { BASIN__CURVE_BITS = 10 };

/* The two bits between each pair of a 10-bit number are cleared and free for two others. */
BASIN_SHARED unsigned basin__curve_spread(unsigned v)
{
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}

/* Position of a cell with coordinates below 2^10 along the curve: 30 bits. */
BASIN_SHARED unsigned basin__curve_place(unsigned x, unsigned y, unsigned z)
{
  unsigned axes[3] = {x, y, z};
  /* Undo the rotations and reflections of each level, from the coarsest. */
  for (unsigned bit = 1u << (BASIN__CURVE_BITS - 1); bit > 1; bit >>= 1) {
    const unsigned low = bit - 1;
    for (int k = 0; k < 3; ++k) {
      const unsigned set = axes[k] & bit ? ~0u : 0;
      const unsigned exchange = (axes[0] ^ axes[k]) & low & ~set;
      axes[0] ^= (low & set) | exchange;
      axes[k] ^= exchange;
    }
  }
  axes[1] ^= axes[0];
  axes[2] ^= axes[1];
  unsigned flip = 0;
  for (unsigned bit = 1u << (BASIN__CURVE_BITS - 1); bit > 1; bit >>= 1)
    if (axes[2] & bit) flip ^= bit - 1;
  for (int k = 0; k < 3; ++k) axes[k] ^= flip;
  return basin__curve_spread(axes[0]) << 2 | basin__curve_spread(axes[1]) << 1 |
         basin__curve_spread(axes[2]);
}

/* The cell of a coordinate. */
BASIN_SHARED unsigned basin__curve_cell(float value, float low, float scale)
{
  const float at = (value - low) * scale;
  if (!(at > 0)) return 0;
  return at < 1023.0F ? (unsigned)at : 1023;
}

#endif
