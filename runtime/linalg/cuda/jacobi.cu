/* Inverses of diagonal blocks: of the instances of block Jacobi, of the clusters of Schwarz.
 * -DBLOCK=1..12.
 * SPDX-License-Identifier: Apache-2.0 */
#include "blocks_inverse.cuh"
#include "matrix.cuh"

#define SHARED_UNKNOWNS 48 /* instances up to this size are inverted in shared memory */

/* Entry k, l of block (row, column), the sum of all parts. */
static __device__ double entry_of(const matrix &a, word row, word column, word k, word l)
{
  double sum = 0;
#pragma unroll
  for (word p = 0; p < PARTS; p++) {
    if (p >= a.part_count) break;
    const word *columns = a.parts[p].columns;
    word low = a.parts[p].row_starts[row], end = a.parts[p].row_starts[row + 1], high = end;
    while (low < high) {
      word middle = low + (high - low) / 2;
      if (columns[middle] < column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < end && columns[low] == column)
      sum += (double)a.parts[p].values[(size)low * ENTRIES + k * BLOCK + l];
  }
  return sum;
}

/* results[0]: the first instance with a number that is not finite, results[1]: stand-ins. */
struct found {
  word bad, fallbacks;
};

#if BLOCK == 3
/* The common case, a definite 3 x 3 block, one thread each, by the CPU's operations. What is left
 * over is flagged. */
extern "C" __global__ void invert_nodes(matrix a, double *inverses, word *left)
{
  word node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= a.node_count) return;
  double m[9];
#pragma unroll
  for (int k = 0; k < 9; k++) m[k] = 0;
#pragma unroll
  for (word p = 0; p < PARTS; p++) {
    if (p >= a.part_count) break;
    const word *columns = a.parts[p].columns;
    word low = a.parts[p].row_starts[node], end = a.parts[p].row_starts[node + 1], high = end;
    while (low < high) {
      word middle = low + (high - low) / 2;
      if (columns[middle] < node) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == end || columns[low] != node) continue;
    const double *block = a.parts[p].values + (size)low * 9;
#pragma unroll
    for (int k = 0; k < 9; k++) m[k] += block[k];
  }
  const double least = 3 * EPSILON;
  double d0 = m[0], l10 = m[3] / d0, d1 = m[4] - l10 * m[3];
  double l20 = m[6] / d0, below = m[7] - l20 * m[3], l21 = below / d1;
  double d2 = m[8] - l20 * m[6] - l21 * below;
  bool definite = d0 > 0 && d0 <= LARGEST && d1 > least * m[4] && d2 > least * m[8];
  double i0 = 1 / d0, i1 = 1 / d1, i2 = 1 / d2, n = l10 * l21 - l20;
  double xx = i0 + l10 * l10 * i1 + n * n * i2, xy = -l10 * i1 - l21 * n * i2, xz = n * i2;
  double yy = i1 + l21 * l21 * i2, yz = -l21 * i2;
  double check = xx * 0.0 + xy * 0.0 + xz * 0.0 + yy * 0.0 + yz * 0.0 + i2 * 0.0;
  left[node] = !definite || check != 0;
  double *to = inverses + (size)node * 9;
  to[0] = xx;
  to[1] = to[3] = xy;
  to[2] = to[6] = xz;
  to[4] = yy;
  to[5] = to[7] = yz;
  to[8] = i2;
}
#endif

/* The block of some nodes: `first` and those after it, or a list minus an offset. */
struct block_entry {
  const matrix &a;
  const word *nodes;
  word first, offset;
  __device__ word node(word i) const { return nodes ? nodes[first + i] - offset : first + i; }
  __device__ double operator()(word i, word j) const
  {
    return entry_of(a, node(i / BLOCK), node(j / BLOCK), i % BLOCK, j % BLOCK);
  }
};

/* The instances from `begin` up to `end`, one thread block each; those with left[instance] == 0 are
 * done (`left` NULL: none). `starts`: the nodes of instances, or their places in `nodes`; NULL:
 * each its own. `places`: where the inverses stand. `scratch`: room for instances beyond shared
 * memory, of `room` numbers a thread block. */
extern "C" __global__ void invert_instances(matrix a,
                                            word begin,
                                            word end,
                                            const word *nodes,
                                            word offset,
                                            const word *starts,
                                            const size *places,
                                            const word *left,
                                            double *scratch,
                                            size room,
                                            double *inverses,
                                            found *results)
{
  extern __shared__ double shared[];
  __shared__ word flag;
  for (word instance = begin + blockIdx.x; instance < end; instance += gridDim.x) {
    if (left && left[instance] == 0) continue;
    word first = starts ? starts[instance] : instance;
    word last = starts ? starts[instance + 1] : instance + 1;
    word n = (last - first) * BLOCK;
    double *inverse = inverses + (places ? places[instance] : (size)instance * ENTRIES);
    double *work = n <= SHARED_UNKNOWNS ? shared : scratch + blockIdx.x * room;
    block_entry entry = {a, nodes, first, offset};
    __syncthreads();
    for (word at = threadIdx.x; at < n * n; at += blockDim.x) work[at] = entry(at / n, at % n);
    __syncthreads();
    if (any_not_finite((size)n * n, work, &flag)) {
      if (threadIdx.x == 0) atomicMin(&results->bad, instance);
      continue;
    }
    bool definite = invert_block(n, work, inverse, &flag, entry);
    if (!definite && threadIdx.x == 0) atomicAdd(&results->fallbacks, 1u);
  }
}
