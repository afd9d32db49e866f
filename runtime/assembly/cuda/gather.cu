/* Sums of local results: every node and every block collects what the elements of a batch give it,
 * in element order. Compiled for each number BLOCK of unknowns a node; MAPPED: through DOF maps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"
#include "local.cuh"

typedef struct gather_task {
  local_results from;
  size first_run, run_count;      /* runs of this batch */
  word limit, length;             /* slots from `limit` on are none */
  const word *words, *heads, *longs;
  const key *places;              /* gradient: node of each run */
  const word *slots;              /* Hessian: block of each run */
  double *to;
} gather_task;

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
  for (word k = first; k < last; ++k) sum += node_part(task.from, task.words[k], i);
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
  for (word k = first; k < last; ++k) sum += pair_part(task.from, task.words[k], i, j);
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
      sum += node_part(task.from, task.words[k], i);
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
      sum += pair_part(task.from, task.words[k], entry / BLOCK, entry % BLOCK);
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) task.to[(size)slot * BLOCK * BLOCK + entry] += sum;
    __syncthreads();
  }
}
