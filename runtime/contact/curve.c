/* Hilbert curve in three dimensions (Skilling, "Programming the Hilbert curve", 2004), and the sort
 * along it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/curve.h"

#include <string.h>

/* The two bits between each pair of a 10-bit number are cleared and free for two others. */
static uint32_t spread(uint32_t v)
{
  v = (v | v << 16) & UINT32_C(0x030000ff);
  v = (v | v << 8) & UINT32_C(0x0300f00f);
  v = (v | v << 4) & UINT32_C(0x030c30c3);
  return (v | v << 2) & UINT32_C(0x09249249);
}

uint32_t basin__curve_position(uint32_t x, uint32_t y, uint32_t z)
{
  uint32_t axes[3] = {x, y, z};
  /* Undo the rotations and reflections of each level, from the coarsest. */
  for (uint32_t bit = UINT32_C(1) << (BASIN__CURVE_BITS - 1); bit > 1; bit >>= 1) {
    const uint32_t low = bit - 1;
    for (int k = 0; k < 3; ++k) {
      const uint32_t set = axes[k] & bit ? ~UINT32_C(0) : 0;
      const uint32_t exchange = (axes[0] ^ axes[k]) & low & ~set;
      axes[0] ^= (low & set) | exchange;
      axes[k] ^= exchange;
    }
  }
  axes[1] ^= axes[0];
  axes[2] ^= axes[1];
  uint32_t flip = 0;
  for (uint32_t bit = UINT32_C(1) << (BASIN__CURVE_BITS - 1); bit > 1; bit >>= 1)
    if (axes[2] & bit) flip ^= bit - 1;
  for (int k = 0; k < 3; ++k) axes[k] ^= flip;
  return spread(axes[0]) << 2 | spread(axes[1]) << 1 | spread(axes[2]);
}

/* Three passes over 10 bits each. */
void basin__curve_sort(size_t count, uint64_t *keys, uint64_t *scratch)
{
  enum { BUCKETS = 1 << BASIN__CURVE_BITS };
  uint64_t *from = keys, *to = scratch;
  for (int pass = 0; pass < 3; ++pass) {
    const int shift = 32 + pass * BASIN__CURVE_BITS;
    size_t starts[BUCKETS + 1] = {0};
    for (size_t i = 0; i < count; ++i) ++starts[(from[i] >> shift & (BUCKETS - 1)) + 1];
    for (int b = 0; b < BUCKETS; ++b) starts[b + 1] += starts[b];
    for (size_t i = 0; i < count; ++i) to[starts[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
    uint64_t *other = from;
    from = to;
    to = other;
  }
  if (count > 0) memcpy(keys, scratch, count * sizeof *keys);
}
