/* Sums of the energies of all terms at once: chunks first, then the chunks of each term, in an order
 * that depends on the numbers of elements alone. SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"
#include "blocks.cuh"

typedef struct energy_task {
  word terms, chunk;         /* elements a chunk */
  const word *starts, *chunks; /* of each term: its first energy and its first chunk; then the ends */
  const double *energies;
  double *partial, *sums;
} energy_task;

/* A block a chunk. */
extern "C" __global__ void sum_chunks(const energy_task task)
{
  __shared__ double room[32];
  const word t = find_range(task.chunks, task.terms, blockIdx.x);
  const word first = task.starts[t] + (blockIdx.x - task.chunks[t]) * task.chunk;
  word last = task.starts[t + 1];
  if (last - first > task.chunk) last = first + task.chunk;
  double sum = 0;
  for (word k = first + threadIdx.x; k < last; k += blockDim.x) sum += task.energies[k];
  sum = block_sum_of(sum, room, last - first);
  if (threadIdx.x == 0) task.partial[blockIdx.x] = sum;
}

/* A block a term. */
extern "C" __global__ void sum_terms(const energy_task task)
{
  __shared__ double room[32];
  const word first = task.chunks[blockIdx.x], last = task.chunks[blockIdx.x + 1];
  double sum = 0;
  for (word k = first + threadIdx.x; k < last; k += blockDim.x) sum += task.partial[k];
  sum = block_sum_of(sum, room, last - first);
  if (threadIdx.x == 0) task.sums[blockIdx.x] = sum;
}
