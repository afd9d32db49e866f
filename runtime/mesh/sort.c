/* Stable radix sort of index rows: linear, deterministic, no comparison callbacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

static void sort_digit(
    const uint32_t *from, uint32_t *to, size_t count, size_t width, size_t column, unsigned shift)
{
  size_t start[DIGITS] = {0};
  for (size_t i = 0; i < count; ++i) ++start[(from[i * width + column] >> shift) & (DIGITS - 1)];
  size_t sum = 0;
  for (unsigned d = 0; d < DIGITS; ++d) {
    const size_t here = start[d];
    start[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *row = from + i * width;
    memcpy(
        to + start[(row[column] >> shift) & (DIGITS - 1)]++ * width, row, width * sizeof(uint32_t));
  }
}

basin_status
basin__sort_rows(basin_context *context, uint32_t *rows, size_t count, size_t width, size_t keys)
{
  if (count < 2) return BASIN_OK;
  uint32_t *other;
  BASIN_TRY(basin__array_alloc(context, count * width, sizeof(uint32_t), &other));
  uint32_t *from = rows, *to = other;
  for (size_t column = keys; column-- > 0;) {
    uint32_t largest = 0;
    for (size_t i = 0; i < count; ++i)
      if (from[i * width + column] > largest) largest = from[i * width + column];
    for (unsigned shift = 0; shift < 32 && (largest >> shift) > 0; shift += DIGIT_BITS) {
      sort_digit(from, to, count, width, column, shift);
      uint32_t *swap = from;
      from = to;
      to = swap;
    }
  }
  if (from != rows) memcpy(rows, from, count * width * sizeof(uint32_t));
  basin__array_free(context, other, count * width, sizeof(uint32_t));
  return BASIN_OK;
}
