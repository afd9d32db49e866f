/* Sums over the threads of a block, in one order. Blocks have a multiple of 32 threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BLOCKS_CUH
#define BASIN_BLOCKS_CUH

typedef unsigned word;
typedef unsigned long long size;

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ double join_sum(double a, double b)
{
  return a + b;
}

/* The larger; NaN if one is. */
static __device__ __forceinline__ double join_largest(double a, double b)
{
  return b > a || b != b ? b : a;
}

static __device__ __forceinline__ double join_smallest(double a, double b)
{
  return b < a || b != b ? b : a;
}

/* Lane 0 gets the result: lanes are joined in pairs 16 apart, then 8, 4, 2, 1. */
#define DEFINE_BLOCK_REDUCTION(name, join, none)                                    \
  static __device__ __forceinline__ double warp_##name(double value)                \
  {                                                                                 \
    for (int step = 16; step > 0; step /= 2)                                        \
      value = join(value, __shfl_down_sync(ALL_LANES, value, step));                \
    return value;                                                                   \
  }                                                                                 \
  /* Thread 0 gets the result. `room`: 32 doubles of shared memory, free again */   \
  /* after the next barrier. Threads from `count` on, the same number in all, */    \
  /* hold what changes nothing: their warps have nothing to do. */                  \
  static __device__ __forceinline__ double block_##name##_of(                       \
      double value, double *room, size count)                                       \
  {                                                                                 \
    if (threadIdx.x / 32 * 32 < count) value = warp_##name(value);                  \
    if (count <= 32) return value;                                                  \
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;                      \
    __syncthreads();                                                                \
    if (threadIdx.x < 32) {                                                         \
      value = threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : (none);           \
      value = warp_##name(value);                                                   \
    }                                                                               \
    return value;                                                                   \
  }                                                                                 \
  static __device__ __forceinline__ double block_##name(double value, double *room) \
  {                                                                                 \
    return block_##name##_of(value, room, blockDim.x);                              \
  }

#define NO_LARGEST  0.0
#define NO_SMALLEST __longlong_as_double(0x7ff0000000000000ll)
DEFINE_BLOCK_REDUCTION(sum, join_sum, 0.0)
DEFINE_BLOCK_REDUCTION(largest, join_largest, NO_LARGEST)
DEFINE_BLOCK_REDUCTION(smallest, join_smallest, NO_SMALLEST)
#undef DEFINE_BLOCK_REDUCTION

/* Exclusive sum over the block's threads; *total gets the sum of all. `room`: 32 words. */
static __device__ __forceinline__ word block_scan(word value, word *room, word *total)
{
  word lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = value;
  for (word step = 1; step < 32; step *= 2) {
    word other = __shfl_up_sync(ALL_LANES, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) room[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    word of_warp = lane < blockDim.x / 32 ? room[lane] : 0;
    for (word step = 1; step < 32; step *= 2) {
      word other = __shfl_up_sync(ALL_LANES, of_warp, step);
      if (lane >= step) of_warp += other;
    }
    room[lane] = of_warp;
  }
  __syncthreads();
  *total = room[31];
  return sum - value + (warp > 0 ? room[warp - 1] : 0);
}

#endif
