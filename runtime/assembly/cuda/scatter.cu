/* The same sums by atomic additions, for systems that give up their order: nothing is sorted, and
 * neighbouring threads read neighbouring elements. Compiled as gather.cu.
 * SPDX-License-Identifier: Apache-2.0 */
#include "local.cuh"

typedef struct scatter_task {
  local_results from;
  size elements;            /* of the term */
  const word *rows, *bases; /* direct: nodes, or with `bases` rows of maps and where these begin */
  const word *starts;       /* mapped: first virtual node or pair of each element */
  const word *words;        /* blocks: slot of each contribution; NONE */
  double *to;
} scatter_task;

/* A thread a local node of an element. */
extern "C" __global__ void scatter_rows(const scatter_task task)
{
  const size t = thread_number(), n = task.from.count;
  if (t >= n * task.from.local_nodes) return;
  const size e = t % n;
  const word a = (word)(t / n), row = task.rows[a * task.elements + task.from.begin + e];
  const word base = task.bases ? task.bases[a] : 0;
  if (row == NONE || base == NONE) return;
  for (word i = 0; i < BLOCK; ++i)
    atomicAdd(&task.to[((size)base + row) * BLOCK + i],
              task.from.local[((size)a * BLOCK + i) * n + e]);
}

#ifdef MAPPED
/* A thread a virtual node. */
extern "C" __global__ void scatter_nodes(const scatter_task task)
{
  const size step = (size)gridDim.x * blockDim.x, end = task.starts[task.from.begin + task.from.count];
  for (size v = task.starts[task.from.begin] + thread_number(); v < end; v += step)
    for (word i = 0; i < BLOCK; ++i)
      atomicAdd(&task.to[(size)task.from.nodes[v].node * BLOCK + i],
                node_part(task.from, (word)v, i));
}
#endif

/* One block. */
static __device__ __forceinline__ void scatter_block(const scatter_task &task, word c, word place)
{
  if (place == NONE) return;
  const word flagged = c | (place & (TRANSPOSED | TWICE));
  double *to = task.to + (size)(place & WORD_MASK) * BLOCK * BLOCK;
  for (word i = 0; i < BLOCK; ++i)
    for (word j = 0; j < BLOCK; ++j)
      atomicAdd(&to[i * BLOCK + j], pair_part(task.from, flagged, i, j));
}

/* A thread a pair of nodes of an element. */
extern "C" __global__ void scatter_pairs(const scatter_task task)
{
#ifdef MAPPED
  const size step = (size)gridDim.x * blockDim.x, end = task.starts[task.from.begin + task.from.count];
  for (size p = task.starts[task.from.begin] + thread_number(); p < end; p += step)
    scatter_block(task, (word)p, task.words[p]);
#else
  const size t = thread_number(), n = task.from.count;
  if (t >= n * task.from.local_pairs) return;
  const size e = task.from.begin + t % n, p = t / n;
  scatter_block(
      task, (word)(e * task.from.local_pairs + p), task.words[p * task.elements + e]);
#endif
}
