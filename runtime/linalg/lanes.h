/* Four doubles as one vector value, and sums whose lanes are fixed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_LANES_H
#define BASIN_LINALG_LANES_H

#include <stddef.h>

/* Compiled to AVX registers where the function's target has them, to pairs of SSE registers
 * elsewhere: the same bits. Never a parameter or return value of a function (the calling convention
 * would depend on the target). */
typedef double basin__lanes __attribute__((vector_size(32)));

/* Any alignment. */
#define BASIN__LANES_LOAD(vector, pointer) \
  __builtin_memcpy(&(vector), (pointer), sizeof(basin__lanes))
#define BASIN__LANES_STORE(pointer, vector) \
  __builtin_memcpy((pointer), &(vector), sizeof(basin__lanes))

#define BASIN__INLINE static inline __attribute__((always_inline))

/* Functions compiled for a wider instruction set, where the compiler and machine have one. */
#if defined(__x86_64__) && defined(__GNUC__)
#define BASIN__HAVE_AVX2   1
#define BASIN__TARGET_AVX2 __attribute__((target("avx2")))
#else
#define BASIN__HAVE_AVX2 0
#endif

/* x . y with eight running sums, entry i in sum i mod 8, added pairwise at the end. */
BASIN__INLINE double basin__lanes_dot(size_t count, const double *x, const double *y)
{
  basin__lanes low = {0, 0, 0, 0}, high = {0, 0, 0, 0}, a, b;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    BASIN__LANES_LOAD(a, x + i);
    BASIN__LANES_LOAD(b, y + i);
    low += a * b;
    BASIN__LANES_LOAD(a, x + i + 4);
    BASIN__LANES_LOAD(b, y + i + 4);
    high += a * b;
  }
  low += high;
  double sum = (low[0] + low[2]) + (low[1] + low[3]);
  for (; i < count; i++) sum += x[i] * y[i];
  return sum;
}

#endif
