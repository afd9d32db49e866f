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
  const block_place place = place_of_entry(task.from, i, j);
  double sum = *to;
  for (word k = first; k < last; ++k) sum += pair_part(task.from, task.words[k], place);
  *to = sum;
}

/* ---- long runs: a block each ---- */

/* How many of n numbers that stand back to back a thread adds up at once. */
#ifdef MAPPED
#define AT_ONCE(n) 1
#else
#define AT_ONCE(n) ((n) % 4 == 0 ? 4 : (n) % 3 == 0 ? 3 : (n) % 2 == 0 ? 2 : 1)
#endif

/* The shares of all threads, added to numbers that follow each other. */
template <word count>
static __device__ __forceinline__ void add_shares(const double *sums, double *room, double *to)
{
  _Pragma("unroll") for (word n = 0; n < count; ++n)
  {
    const double sum = block_sum(sums[n], room);
    if (threadIdx.x == 0) to[n] += sum;
    __syncthreads();
  }
}

extern "C" __global__ void gather_gradient_long(const gather_task task)
{
  __shared__ double room[32];
  const word count = AT_ONCE(BLOCK), run = task.longs[blockIdx.x];
  if (run < task.first_run || run >= task.first_run + task.run_count) return;
  const key node = task.places[run];
  const word first = task.heads[run], last = task.heads[run + 1];
  if (node >= task.limit) return;
  for (word i = 0; i < BLOCK; i += count) {
    double sums[count] = {};
    for (word k = first + threadIdx.x; k < last; k += blockDim.x) {
      const word c = task.words[k];
      _Pragma("unroll") for (word n = 0; n < count; ++n) sums[n] += node_part(task.from, c, i + n);
    }
    add_shares<count>(sums, room, task.to + node * BLOCK + i);
  }
}

extern "C" __global__ void gather_hessian_long(const gather_task task)
{
  __shared__ double room[32];
  const word count = AT_ONCE(BLOCK * BLOCK), run = task.longs[blockIdx.x];
  if (run < task.first_run || run >= task.first_run + task.run_count) return;
  const word slot = task.slots[run], first = task.heads[run], last = task.heads[run + 1];
  if (slot >= task.limit) return;
  for (word entry = 0; entry < BLOCK * BLOCK; entry += count) {
    double sums[count] = {};
    block_place places[count];
    _Pragma("unroll") for (word n = 0; n < count; ++n) places[n] =
        place_of_entry(task.from, (entry + n) / BLOCK, (entry + n) % BLOCK);
    for (word k = first + threadIdx.x; k < last; k += blockDim.x) {
      const word c = task.words[k];
      _Pragma("unroll") for (word n = 0; n < count; ++n) sums[n] +=
          pair_part(task.from, c, places[n]);
    }
    add_shares<count>(sums, room, task.to + (size)slot * BLOCK * BLOCK + entry);
  }
}
