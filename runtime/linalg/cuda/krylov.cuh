/* What the iterative solvers share on the device. The thread block that finishes a kernel last adds
 * up the shares of all, in order, and decides; once it says stop, the kernels that follow do
 * nothing. -DBLOCK=1..12, -DNUMBER=double or float. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_KRYLOV_CUH
#define BASIN_KRYLOV_CUH

#include "krylov_job.cuh"
#include "matrix.cuh"

#define THREADS 256

#define FOR_ENTRIES(i, count)                                                               \
  for (size i = (size)blockIdx.x * THREADS + threadIdx.x, step = (size)gridDim.x * THREADS; \
       i < (count);                                                                         \
       i += step)

/* The matrix that a job begins with, in shared memory: rows ask for its addresses again and again. */
static __device__ __forceinline__ const matrix &matrix_of(const void *job)
{
  const word count = sizeof(matrix) / sizeof(size);
  __shared__ size words[count];
  if (threadIdx.x < count) words[threadIdx.x] = ((const size *)job)[threadIdx.x];
  __syncthreads();
  return *(const matrix *)words;
}

/* True in all threads of the block that comes last; it then sees what the others wrote before, and
 * may change what they read: they all have. */
static __device__ __forceinline__ bool last_block(krylov_word *ticket)
{
  __shared__ word last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    if (last) *ticket = 0;
    __threadfence();
  }
  __syncthreads();
  return last != 0;
}

/* The sum of partial[k * stride] over all thread blocks k, in thread 0. */
static __device__ __forceinline__ double
sum_partial(const double *partial, word stride, double *room)
{
  const volatile double *from = partial;
  double sum = 0;
  for (word k = threadIdx.x; k < gridDim.x; k += THREADS) sum += from[k * stride];
  __syncthreads();
  return block_sum_of(sum, room, gridDim.x);
}

static __device__ __forceinline__ bool is_finite(double value)
{
  return value - value == 0;
}

/* 2^-exponent brings the largest entry of b near 1. */
static __device__ __forceinline__ int scale_exponent(double largest)
{
  int exponent = 0;
  if (largest > 0 && is_finite(largest)) frexp(largest, &exponent);
  return exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
}

/* Whole nodes a step of a thread block takes, where a node's unknowns stay together. */
#define STEP_NODES (THREADS / BLOCK)

/* Row k of a node's inverse, which is symmetric, times the node's residual. */
static __device__ __forceinline__ double
inverse_row(const NUMBER *__restrict__ inverse, word k, const double *residual)
{
  double z = 0;
#pragma unroll
  for (int l = 0; l < BLOCK; l++) z += (double)inverse[l * BLOCK + k] * residual[l];
  return z;
}

#endif
