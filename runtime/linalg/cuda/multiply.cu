/* Block matrix times vector. -DBLOCK=1..12. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.cuh"

extern "C" __global__ void MULTIPLY_BOUNDS
    multiply(matrix a, const double *x, double *y)
{
  multiply_rows(a, x, y);
}

/* dots: one share of x . y a thread block. */
extern "C" __global__ void MULTIPLY_BOUNDS
    multiply_dot(matrix a, const double *x, double *y, double *dots)
{
  __shared__ double room[32];
  double dot = block_sum(multiply_rows(a, x, y), room);
  if (threadIdx.x == 0) dots[blockIdx.x] = dot;
}

/* The block (row, row) of one part; NULL if it is missing. */
static __device__ __forceinline__ const double *diagonal_of(const matrix_part &part, word row)
{
  word low = part.row_starts[row], high = part.row_starts[row + 1];
  while (low < high) {
    word middle = low + (high - low) / 2;
    if (part.columns[middle] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == part.row_starts[row + 1] || part.columns[low] != row) return 0;
  return part.values + (size)low * ENTRIES;
}

extern "C" __global__ void diagonal(matrix a, double *to)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)a.node_count * BLOCK) return;
  word row = (word)(i / BLOCK), k = (word)(i % BLOCK);
  double sum = 0;
#pragma unroll
  for (word p = 0; p < PARTS; p++) {
    if (p >= a.part_count) break;
    const double *block = diagonal_of(a.parts[p], row);
    if (block) sum += block[k * BLOCK + k];
  }
  to[i] = sum;
}

/* Adds shift, times `diagonal` where that is given; `values` are those of the one part of `a`. */
extern "C" __global__ void
add_diagonal(matrix a, double shift, const double *diagonal, double *values)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)a.node_count * BLOCK) return;
  word row = (word)(i / BLOCK), k = (word)(i % BLOCK);
  const double *block = diagonal_of(a.parts[0], row);
  if (block) values[block - a.parts[0].values + k * BLOCK + k] += diagonal ? shift * diagonal[i] : shift;
}

extern "C" __global__ void to_single(const double *from, size count, float *to)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = (float)from[i];
}
