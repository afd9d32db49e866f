/* Compressed rows from a block matrix, comparison of patterns, permutation of vectors.
 * -DBLOCK=1..12. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.cuh"

/* One thread a row; `starts` has one word more than rows. */
extern "C" __global__ void expand_rows(word node_count,
                                       const word *row_starts,
                                       const word *columns,
                                       const double *values,
                                       word *starts,
                                       word *indices,
                                       double *to)
{
  size unknown = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (unknown > (size)node_count * BLOCK) return;
  if (unknown == (size)node_count * BLOCK) {
    starts[unknown] = row_starts[node_count] * ENTRIES;
    return;
  }
  word row = (word)(unknown / BLOCK), k = (word)(unknown % BLOCK);
  word first = row_starts[row], count = row_starts[row + 1] - first;
  word place = first * ENTRIES + k * count * BLOCK;
  starts[unknown] = place;
  for (word s = 0; s < count; s++) {
    for (word l = 0; l < BLOCK; l++, place++) {
      indices[place] = columns[first + s] * BLOCK + l;
      to[place] = values[(size)(first + s) * ENTRIES + k * BLOCK + l];
    }
  }
}

/* *different becomes 1 where two arrays of words differ. */
extern "C" __global__ void compare_words(const word *a, const word *b, size count, word *different)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && a[i] != b[i]) atomicOr(different, 1u);
}

/* Node i of one vector is node map[i] of the other. */
extern "C" __global__ void
permute(word node_count, const word *map, const double *from, double *to, word back)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)node_count * BLOCK) return;
  size other = (size)map[i / BLOCK] * BLOCK + i % BLOCK;
  if (back) {
    to[i] = from[other];
  } else {
    to[other] = from[i];
  }
}
