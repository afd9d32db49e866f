/* Sums of local results: every node and every block collects what the elements of a batch give it,
 * in element order. Compiled for each number BLOCK of unknowns a node; MAPPED: through DOF maps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"
#include "blocks.cuh"

typedef struct gather_task {
  size first_run, run_count;      /* runs of this batch */
  size begin, count;              /* elements of the batch; local[k * count + e - begin] */
  word local_nodes, local_pairs, limit, length; /* slots from `limit` on are none */
  const word *words, *heads, *longs;
  const key *places;        /* gradient: node of each run */
  const word *slots;        /* Hessian: block of each run */
  const word *local_pair;   /* direct: (a << 16) + c */
  const virtual_node *nodes;
  const word *pairs;
  const dof_table *tables;
  const double *local;
  double *to;
} gather_task;

/* ---- one contribution ---- */

static __device__ __forceinline__ double node_part(const gather_task &task, word c, word i)
{
#ifdef MAPPED
  const virtual_node node = task.nodes[c];
  const double *local = task.local + (node.element - task.begin) +
                        (size)(node.local & LOCAL_MASK) * BLOCK * task.count;
  if (node.local & FULL) {
    const double *weight = task.tables[node.local & LOCAL_MASK].values + node.value;
    double sum = 0;
    for (word k = 0; k < BLOCK; ++k) sum += weight[k * BLOCK + i] * local[k * task.count];
    return sum;
  }
  return (node.local & UNIT ? 1.0 : task.tables[node.local & LOCAL_MASK].values[node.value]) *
         local[i * task.count];
#else
  const size e = c / task.local_nodes, a = c % task.local_nodes;
  return task.local[(a * BLOCK + i) * task.count + (e - task.begin)];
#endif
}

/* Entry (row, column) of the packed upper triangle of element e's matrix. */
static __device__ __forceinline__ double
local_entry(const gather_task &task, size e, word row, word column)
{
  const size n = (size)task.local_nodes * BLOCK, r = row <= column ? row : column,
             c = row <= column ? column : row;
  return task.local[(r * n - r * (r + 1) / 2 + c) * task.count + (e - task.begin)];
}

#ifdef MAPPED
static __device__ __forceinline__ double
block_entry(const gather_task &task, const virtual_node *v, const virtual_node *w, word i, word j)
{
  const word a = (v->local & LOCAL_MASK) * BLOCK, b = (w->local & LOCAL_MASK) * BLOCK;
  double both = 0;
  for (word l = 0; l < BLOCK; ++l) {
    const double right = weight_entry(task.tables, w, BLOCK, l, j);
    double left = 0;
    if (!(w->local & FULL) && l != j) continue;
    if (v->local & FULL)
      for (word k = 0; k < BLOCK; ++k)
        left += weight_entry(task.tables, v, BLOCK, k, i) *
                local_entry(task, v->element, a + k, b + l);
    else
      left = local_entry(task, v->element, a + i, b + l) *
             weight_entry(task.tables, v, BLOCK, i, i);
    both += left * right;
  }
  return both;
}
#endif

static __device__ __forceinline__ double
pair_part(const gather_task &task, word flagged, word i, word j)
{
  const word c = flagged & WORD_MASK;
  const bool turned = flagged & TRANSPOSED, twice = flagged & TWICE;
#ifdef MAPPED
  const virtual_node v = task.nodes[task.pairs[2 * (size)c]],
                     w = task.nodes[task.pairs[2 * (size)c + 1]];
  const double value = block_entry(task, &v, &w, turned ? j : i, turned ? i : j);
  return twice ? value + block_entry(task, &v, &w, j, i) : value;
#else
  const size e = c / task.local_pairs;
  const word pair = task.local_pair[c % task.local_pairs];
  const word a = (pair >> 16) * BLOCK, b = (pair & 0xffff) * BLOCK;
  const double value = local_entry(task, e, a + (turned ? j : i), b + (turned ? i : j));
  return twice ? value + local_entry(task, e, a + j, b + i) : value;
#endif
}

/* ---- short runs: a thread a number ---- */

extern "C" __global__ void gather_gradient(const gather_task task)
{
  const size t = thread_number();
  if (t >= task.run_count * BLOCK) return;
  const size run = task.first_run + t / BLOCK;
  const word i = (word)(t % BLOCK);
  const key node = task.places[run];
  const word first = task.heads[run], last = task.heads[run + 1];
  if (node >= task.limit || last - first > task.length) return;
  double sum = task.to[node * BLOCK + i];
  for (word k = first; k < last; ++k) sum += node_part(task, task.words[k], i);
  task.to[node * BLOCK + i] = sum;
}

extern "C" __global__ void gather_hessian(const gather_task task)
{
  const size t = thread_number();
  if (t >= task.run_count * BLOCK * BLOCK) return;
  const size run = task.first_run + t / (BLOCK * BLOCK);
  const word entry = (word)(t % (BLOCK * BLOCK)), i = entry / BLOCK, j = entry % BLOCK;
  const word slot = task.slots[run], first = task.heads[run], last = task.heads[run + 1];
  if (slot >= task.limit || last - first > task.length) return;
  double *to = task.to + (size)slot * BLOCK * BLOCK + entry;
  double sum = *to;
  for (word k = first; k < last; ++k) sum += pair_part(task, task.words[k], i, j);
  *to = sum;
}

/* ---- long runs: a block each ---- */

extern "C" __global__ void gather_gradient_long(const gather_task task)
{
  __shared__ double room[32];
  const word run = task.longs[blockIdx.x];
  if (run < task.first_run || run >= task.first_run + task.run_count) return;
  const key node = task.places[run];
  const word first = task.heads[run], last = task.heads[run + 1];
  if (node >= task.limit) return;
  for (word i = 0; i < BLOCK; ++i) {
    double sum = 0;
    for (word k = first + threadIdx.x; k < last; k += blockDim.x)
      sum += node_part(task, task.words[k], i);
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) task.to[node * BLOCK + i] += sum;
    __syncthreads();
  }
}

extern "C" __global__ void gather_hessian_long(const gather_task task)
{
  __shared__ double room[32];
  const word run = task.longs[blockIdx.x];
  if (run < task.first_run || run >= task.first_run + task.run_count) return;
  const word slot = task.slots[run], first = task.heads[run], last = task.heads[run + 1];
  if (slot >= task.limit) return;
  for (word entry = 0; entry < BLOCK * BLOCK; ++entry) {
    double sum = 0;
    for (word k = first + threadIdx.x; k < last; k += blockDim.x)
      sum += pair_part(task, task.words[k], entry / BLOCK, entry % BLOCK);
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) task.to[(size)slot * BLOCK * BLOCK + entry] += sum;
    __syncthreads();
  }
}
