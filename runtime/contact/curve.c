/* Hilbert curve in three dimensions, and the sort along it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/curve.h"

#include <string.h>

uint32_t basin__curve_position(uint32_t x, uint32_t y, uint32_t z)
{
  return basin__curve_place(x, y, z);
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
