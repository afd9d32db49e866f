/* Gradients with respect to mapped expressions, handed down to what these read. Sums follow sorted
 * lists, in the order of the CPU. SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"
#include "blocks.cuh"

typedef struct adjoint_task {
  size count, rows, links, limit;        /* limit: rows of all adjoints */
  word block, mean, nodes, matrix_rows, matrix_cols, local;
  word per_row, bits, length, pad;       /* links of a row of a mapped expression, else 0 */
  const map_link *link;
  const word *bases;                     /* of each child: its first row; NONE: not wanted */
  key *keys;
  word *words;
  const word *heads;
  const key *places;
  const word *longs;
  const double *jacobian, *from;
  double *to;
} adjoint_task;

/* Rows of the children that links lead to. The links of an access come together, as on the CPU. */
extern "C" __global__ void emit_links(const adjoint_task task)
{
  const size t = thread_number();
  if (t >= task.links) return;
  const word l =
      (word)(task.per_row ? t % task.rows * task.per_row + t / task.rows : t);
  const map_link link = task.link[l];
  const word base = task.bases[link.child];
  task.keys[t] = base == NONE ? ((key)1 << task.bits) - 1 : (key)base + link.source;
  task.words[t] = l;
}

/* What number c of a child's row gets through one link, added to `sum`. */
static __device__ __forceinline__ double
add_link(const adjoint_task &task, word l, word c, double sum)
{
  const map_link link = task.link[l];
  const double *from = task.from + (size)link.row * task.block;
  if (task.per_row == 0) return sum + (task.mean ? 1.0 / (double)link.column : 1.0) * from[c];
  const size numbers = (size)task.matrix_rows * task.matrix_cols;
  const double *jacobian =
      task.jacobian + link.row / task.nodes * numbers * task.local + link.column + c;
  for (word i = 0; i < task.block; ++i)
    sum += jacobian[node_entry(task.matrix_rows,
                               task.matrix_cols,
                               task.block,
                               link.row % task.nodes,
                               i) *
                    (size)task.local] *
           from[i];
  return sum;
}

/* A thread a number. */
extern "C" __global__ void hand_down(const adjoint_task task)
{
  const size t = thread_number();
  if (t >= task.count * task.block) return;
  const size run = t / task.block;
  const word c = (word)(t % task.block), first = task.heads[run], last = task.heads[run + 1];
  const key place = task.places[run];
  if (place >= task.limit || last - first > task.length) return;
  double sum = task.to[place * task.block + c];
  for (word k = first; k < last; ++k) sum = add_link(task, task.words[k], c, sum);
  task.to[place * task.block + c] = sum;
}

/* Long runs: a block each. */
extern "C" __global__ void hand_down_long(const adjoint_task task)
{
  __shared__ double room[32];
  const word run = task.longs[blockIdx.x], first = task.heads[run], last = task.heads[run + 1];
  const key place = task.places[run];
  if (place >= task.limit) return;
  for (word c = 0; c < task.block; ++c) {
    double sum = 0;
    for (word k = first + threadIdx.x; k < last; k += blockDim.x)
      sum = add_link(task, task.words[k], c, sum);
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) task.to[place * task.block + c] += sum;
    __syncthreads();
  }
}

/* Node-major rows as an array stores them. */
extern "C" __global__ void store_adjoint(const adjoint_task task)
{
  const size t = thread_number(), numbers = (size)task.matrix_rows * task.matrix_cols;
  if (t >= task.count * numbers) return;
  const size instance = t / numbers;
  const word r = (word)(t % numbers);
  task.to[instance * numbers + node_entry(task.matrix_rows,
                                          task.matrix_cols,
                                          task.block,
                                          r / task.block,
                                          r % task.block)] = task.from[t];
}
