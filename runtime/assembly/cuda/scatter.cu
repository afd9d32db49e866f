/* The same sums by atomic additions, for systems that give up their order: nothing is sorted, and
 * neighbouring threads take neighbouring numbers of an element. Compiled as gather.cu.
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

/* The element of contribution c of the batch. */
static __device__ __forceinline__ word element_of(const local_results &from, word c)
{
  return (word)((size)c * from.factor >> from.shift);
}

/* A thread a local unknown of an element. */
extern "C" __global__ void scatter_rows(const scatter_task task)
{
  const size t = thread_number(), at = t / BLOCK;
  const word i = (word)(t % BLOCK);
  if (at >= (size)task.from.count * task.from.local_nodes) return;
  const word own = element_of(task.from, (word)at), e = task.from.begin + own;
  const word a = (word)at - own * task.from.local_nodes;
  const word row = task.rows[a * task.elements + e], base = task.bases ? task.bases[a] : 0;
  if (row == NONE || base == NONE) return;
  atomicAdd(&task.to[((size)base + row) * BLOCK + i], local_number(task.from, e, a * BLOCK + i));
}

#ifdef MAPPED
/* A thread a number of a virtual node. */
extern "C" __global__ void scatter_nodes(const scatter_task task)
{
  const size step = (size)gridDim.x * blockDim.x, first = task.starts[task.from.begin],
             count = task.starts[task.from.begin + task.from.count] - first;
  for (size t = thread_number(); t < count * BLOCK; t += step) {
    const size v = first + t / BLOCK;
    const word i = (word)(t % BLOCK);
    atomicAdd(&task.to[(size)task.from.nodes[v].node * BLOCK + i],
              node_part(task.from, (word)v, i));
  }
}
#endif

/* A thread a number of a pair of nodes. */
extern "C" __global__ void scatter_pairs(const scatter_task task)
{
#ifdef MAPPED
  const size step = (size)gridDim.x * blockDim.x, first = task.starts[task.from.begin],
             count = task.starts[task.from.begin + task.from.count] - first;
  for (size t = thread_number(); t < count * BLOCK * BLOCK; t += step) {
    const word c = (word)(first + t / (BLOCK * BLOCK)), entry = (word)(t % (BLOCK * BLOCK));
    const word slot = task.words[c];
    if (slot == NONE) continue;
    atomicAdd(&task.to[(size)(slot & WORD_MASK) * BLOCK * BLOCK + entry],
              pair_part(task.from,
                        c | (slot & (TRANSPOSED | TWICE)),
                        place_of_entry(task.from, entry / BLOCK, entry % BLOCK)));
  }
#else
  const size t = thread_number(), at = t / (BLOCK * BLOCK);
  const word entry = (word)(t % (BLOCK * BLOCK)), i = entry / BLOCK, j = entry % BLOCK;
  if (at >= (size)task.from.count * task.from.local_pairs) return;
  const word own = element_of(task.from, (word)at), e = task.from.begin + own;
  const word p = (word)at - own * task.from.local_pairs;
  const word slot = task.words[(size)e * task.from.local_pairs + p];
  const word pair = task.from.local_pair[p], a = pair >> 16, c = pair & 0xffff;
  if (slot == NONE) return;
  const word first = block_start(p, a, c, BLOCK), across = j * BLOCK + i,
             straight = a == c ? triangle_entry(i, j, BLOCK) : entry;
  double value = local_number(task.from, e, first + (slot & TRANSPOSED ? across : straight));
  if (slot & TWICE) value += local_number(task.from, e, first + across);
  atomicAdd(&task.to[(size)(slot & WORD_MASK) * BLOCK * BLOCK + entry], value);
#endif
}
