/* Application of multilevel additive Schwarz. The nodes of all levels have one numbering, level
 * after level, and so have clusters; the vectors of the first level are the solver's own.
 * -DBLOCK=1..12, -DNUMBER=double or float. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.cuh"

#define REST_THREADS 1024

/* `fine` nodes are on the first level, the others follow. */
static __device__ __forceinline__ double
at(const NUMBER *first_level, const NUMBER *others, word fine, word node, word k)
{
  return node < fine ? first_level[(size)node * BLOCK + k]
                     : others[(size)(node - fine) * BLOCK + k];
}

/* Entry k of node `coarse` (counted from the second level): the sum of r over its piece. */
static __device__ __forceinline__ void restrict_entry(
    size i, word fine, const word *child_starts, const word *nodes, const NUMBER *r, NUMBER *others)
{
  word coarse = (word)(i / BLOCK), k = (word)(i % BLOCK);
  double sum = 0;
  for (word p = child_starts[coarse]; p < child_starts[coarse + 1]; p++)
    sum += at(r, others, fine, nodes[p], k);
  others[i] = (NUMBER)sum;
}

/* The nodes from `first` up to `last` (counted from the second level), all on one level. */
extern "C" __global__ void schwarz_restrict(word fine,
                                            word first,
                                            word last,
                                            const word *child_starts,
                                            const word *nodes,
                                            const NUMBER *r,
                                            NUMBER *others,
                                            const word *stop)
{
  size i = (size)first * BLOCK + (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)last * BLOCK || (stop && *stop)) return;
  restrict_entry(i, fine, child_starts, nodes, r, others);
}

/* The levels that one thread block does faster than several launches would: `level_starts` are
 * level_count + 1 nodes, counted from the second level. */
extern "C" __global__ void __launch_bounds__(REST_THREADS)
    schwarz_restrict_rest(word fine,
                          const word *level_starts,
                          word level_count,
                          const word *child_starts,
                          const word *nodes,
                          const NUMBER *r,
                          NUMBER *others,
                          const word *stop)
{
  if (stop && *stop) return;
  for (word l = 0; l < level_count; l++) {
    for (size i = (size)level_starts[l] * BLOCK + threadIdx.x;
         i < (size)level_starts[l + 1] * BLOCK;
         i += blockDim.x)
      restrict_entry(i, fine, child_starts, nodes, r, others);
    __syncthreads();
  }
}

/* z = D^-1 r on all levels at once, a thread an unknown in the order of clusters: `nodes` and
 * `clusters` of each place, `starts` of each cluster, `inverse_places` of its inverse. */
extern "C" __global__ void schwarz_solve(word fine,
                                         word total,
                                         const word *nodes,
                                         const word *clusters,
                                         const word *starts,
                                         const size *inverse_places,
                                         const NUMBER *inverses,
                                         const NUMBER *r,
                                         const NUMBER *other_r,
                                         NUMBER *z,
                                         NUMBER *other_z,
                                         const word *stop)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)total * BLOCK || (stop && *stop)) return;
  word place = (word)(i / BLOCK), k = (word)(i % BLOCK), cluster = clusters[place];
  word first = starts[cluster], count = starts[cluster + 1] - first, n = count * BLOCK;
  const NUMBER *column = inverses + inverse_places[cluster] + (place - first) * BLOCK + k;
  double sum = 0;
  for (word j = 0; j < count; j++) {
    word node = nodes[first + j];
#pragma unroll
    for (int l = 0; l < BLOCK; l++)
      sum += (double)column[(size)(j * BLOCK + l) * n] * at(r, other_r, fine, node, l);
  }
  word node = nodes[place];
  if (node < fine) {
    z[(size)node * BLOCK + k] = (NUMBER)sum;
  } else {
    other_z[(size)(node - fine) * BLOCK + k] = (NUMBER)sum;
  }
}

/* z of the first level takes what all pieces above a node found. parents[node] is on the next
 * level, ~0 on the last. Held unknowns (bit k of held[node], if there are any) take nothing. */
extern "C" __global__ void schwarz_gather(word fine,
                                          const word *parents,
                                          const NUMBER *other_z,
                                          NUMBER *z,
                                          const word *held,
                                          const word *stop)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)fine * BLOCK || (stop && *stop)) return;
  word k = (word)(i % BLOCK);
  if (held && (held[i / BLOCK] >> k & 1)) return;
  double sum = z[i];
  for (word node = parents[i / BLOCK]; node != ~0u; node = parents[node])
    sum += other_z[(size)(node - fine) * BLOCK + k];
  z[i] = (NUMBER)sum;
}
