/* Reductions of doubles in two steps: one number a block, then one block for these. The numbers a
 * thread takes depend on the count and on nothing else. SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

#define THREADS 256

#define FOR_ITEMS                                                                           \
  for (size i = (size)blockIdx.x * THREADS + threadIdx.x, step = (size)gridDim.x * THREADS; \
       i < count;                                                                           \
       i += step)

#define DEFINE_REDUCTION(name, none, value)                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                            \
      name##_blocks(const double *a, const double *b, size count, double *results) \
  {                                                                                \
    __shared__ double room[32];                                                    \
    double result = none;                                                          \
    FOR_ITEMS result = JOIN(result, value);                                        \
    result = BLOCK(result, room, gridDim.x == 1 ? count : THREADS);                \
    if (threadIdx.x == 0) results[blockIdx.x] = result;                            \
  }

#define JOIN  join_sum
#define BLOCK block_sum_of
DEFINE_REDUCTION(sum, 0.0, a[i])
DEFINE_REDUCTION(dot, 0.0, a[i] * b[i])
#undef JOIN
#undef BLOCK
#define JOIN  join_largest
#define BLOCK block_largest_of
DEFINE_REDUCTION(largest, NO_LARGEST, fabs(a[i]))
#undef JOIN
#undef BLOCK
#define JOIN  join_smallest
#define BLOCK block_smallest_of
DEFINE_REDUCTION(smallest, NO_SMALLEST, a[i])
