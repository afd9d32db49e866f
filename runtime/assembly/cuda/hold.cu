/* Held unknowns: bit i of bits[node] is component i of the node. SPDX-License-Identifier: Apache-2.0
 */
typedef unsigned word;
typedef unsigned long long size;

static __device__ __forceinline__ size thread_number()
{
  return (size)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Zeroes the held entries of a vector. A thread a node. */
extern "C" __global__ void hold_vector(const word *bits, size nodes, word block, double *vector)
{
  const size node = thread_number();
  if (node >= nodes) return;
  for (word i = 0; bits[node] >> i != 0; ++i)
    if (bits[node] >> i & 1) vector[node * block + i] = 0;
}

/* Zeroes the held rows and columns of one part of a matrix; its diagonal blocks get `diagonal`
 * there. A thread a node. */
extern "C" __global__ void hold_rows(const word *bits,
                                     size nodes,
                                     word block,
                                     const word *row_starts,
                                     const word *columns,
                                     double diagonal,
                                     double *values)
{
  const size node = thread_number();
  if (node >= nodes) return;
  const word rows = bits[node];
  for (word slot = row_starts[node]; slot < row_starts[node + 1]; ++slot) {
    const word column = columns[slot], cleared = bits[column];
    double *to = values + (size)slot * block * block;
    if ((rows | cleared) == 0) continue;
    for (word i = 0; i < block; ++i)
      for (word j = 0; j < block; ++j)
        if ((rows >> i & 1) || (cleared >> j & 1))
          to[i * block + j] = column == node && i == j ? diagonal : 0;
  }
}
