/* What the elements of a term add to: a key (batch, node) or (batch, row, column) for each
 * contribution, in element order, and a word that says where it comes from. Sorted, they say what
 * is added where.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"

typedef struct emit_task {
  size elements, count; /* contributions */
  word local_nodes, local_pairs, bits, batch; /* bits of a node number; elements a batch */
  word block, staged;         /* how local results are stored: BASIN_CUDA_STAGED in kernel.h */
  const word *rows;           /* direct: global nodes */
  const word *local;          /* direct: local pairs, (a << 16) + c */
  const virtual_node *nodes;  /* mapped */
  const word *pairs;          /* mapped */
  const word *bases;          /* adjoints: first row of each local node's map, NONE: not wanted */
  key *keys;
  word *words;
  const key *unique;          /* blocks of the matrix, for find_words */
  size unique_count;
} emit_task;

/* Where number k of an element stands among the local results of its batch, of which an element has
 * `numbers`. */
static __device__ __forceinline__ word
place_in_batch(const emit_task &task, word element, word numbers, word k)
{
  const word first = element / task.batch * task.batch;
  if (task.staged) return (element - first) * numbers + k;
  const size left = task.elements - first;
  return k * (left < task.batch ? (word)left : task.batch) + (element - first);
}

static __device__ __forceinline__ void
put_node(const emit_task &task, size c, word element, word node, word from)
{
  const key mask = ((key)1 << task.bits) - 1;
  task.keys[c] = (key)(element / task.batch) << task.bits | (node == NONE ? mask : node);
  task.words[c] = from;
}

/* Of local node a. */
static __device__ __forceinline__ void
put_local_node(const emit_task &task, size c, word element, word a, word node)
{
  const word numbers = task.local_nodes * task.block;
  put_node(task, c, element, node, place_in_batch(task, element, numbers, a * task.block));
}

extern "C" __global__ void emit_nodes_direct(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)c / task.local_nodes, a = (word)c % task.local_nodes;
  put_local_node(task, c, e, a, task.rows[a * task.elements + e]);
}

extern "C" __global__ void emit_nodes_mapped(const emit_task task)
{
  const size c = thread_number();
  if (c < task.count) put_node(task, c, task.nodes[c].element, task.nodes[c].node, (word)c);
}

/* Rows of the maps instead of the nodes behind them. */
extern "C" __global__ void emit_rows(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)c / task.local_nodes, a = (word)c % task.local_nodes;
  const word base = task.bases[a];
  put_local_node(task, c, e, a, base == NONE ? NONE : base + task.rows[a * task.elements + e]);
}

/* The block of two local nodes belongs to the upper triangle of the matrix. */
typedef struct pair_place {
  key place; /* all bits set: none */
  word element, flags;
} pair_place;

static __device__ __forceinline__ pair_place
place_of(const emit_task &task, word element, word row, word column, bool same)
{
  pair_place found;
  found.element = element;
  found.place = ((key)1 << 2 * task.bits) - 1;
  found.flags = 0;
  if (row == NONE || column == NONE) return found;
  found.place = row <= column ? (key)row << task.bits | column : (key)column << task.bits | row;
  if (row > column) found.flags = TRANSPOSED;
  if (row == column && !same) found.flags = TWICE;
  return found;
}

static __device__ __forceinline__ pair_place pair_direct(const emit_task &task, word e, word p)
{
  const word pair = task.local[p], a = pair >> 16, b = pair & 0xffff;
  return place_of(
      task, e, task.rows[a * task.elements + e], task.rows[b * task.elements + e], a == b);
}

static __device__ __forceinline__ pair_place pair_mapped(const emit_task &task, size c)
{
  const word v = task.pairs[2 * c], w = task.pairs[2 * c + 1];
  return place_of(task, task.nodes[v].element, task.nodes[v].node, task.nodes[w].node, v == w);
}

static __device__ __forceinline__ void
put_pair(const emit_task &task, size c, const pair_place &found, word from)
{
  task.keys[c] = (key)(found.element / task.batch) << 2 * task.bits | found.place;
  if (task.words) task.words[c] = from | found.flags;
}

extern "C" __global__ void emit_pairs_direct(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)c / task.local_pairs, p = (word)c % task.local_pairs;
  const word a = task.local[p] >> 16, b = task.local[p] & 0xffff;
  const word size = task.local_nodes * task.block;
  const word from = place_in_batch(
      task, e, size * (size + 1) / 2, block_start(p, a, b, task.block));
  put_pair(task, c, pair_direct(task, e, p), a == b ? from | DIAGONAL : from);
}

extern "C" __global__ void emit_pairs_mapped(const emit_task task)
{
  const size c = thread_number();
  if (c < task.count) put_pair(task, c, pair_mapped(task, c), (word)c);
}

/* ---- for atomic additions: the slot of each contribution ---- */

static __device__ __forceinline__ word find_slot(const emit_task &task, const pair_place &found)
{
  size low = 0, high = task.unique_count;
  while (low < high) {
    const size middle = (low + high) / 2;
    if (task.unique[middle] < found.place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < task.unique_count ? (word)low | found.flags : NONE;
}

extern "C" __global__ void find_words_direct(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  task.words[c] = find_slot(
      task, pair_direct(task, (word)c / task.local_pairs, (word)c % task.local_pairs));
}

extern "C" __global__ void find_words_mapped(const emit_task task)
{
  const size c = thread_number();
  if (c < task.count) task.words[c] = find_slot(task, pair_mapped(task, c));
}

/* ---- runs of equal keys ---- */

typedef struct runs_task {
  const key *keys; /* sorted */
  const word *heads;
  size count; /* runs */
  word bits, batches, length, pad; /* bits below the batch; runs longer than `length` are listed */
  key *places;  /* of each run: its key without the batch */
  word *starts; /* first run of each batch, then the number of runs, then of long ones */
  word *longs;
} runs_task;

extern "C" __global__ void finish_runs(const runs_task task)
{
  const size r = thread_number();
  if (r >= task.count) return;
  const key all = task.keys[task.heads[r]];
  const word batch = (word)(all >> task.bits);
  const long long before = r == 0 ? -1 : (long long)(task.keys[task.heads[r - 1]] >> task.bits);
  task.places[r] = all & (((key)1 << task.bits) - 1);
  for (long long k = before + 1; k <= batch; ++k) task.starts[k] = (word)r;
  if (r == task.count - 1)
    for (word k = batch + 1; k <= task.batches; ++k) task.starts[k] = (word)task.count;
  if (task.heads[r + 1] - task.heads[r] > task.length)
    task.longs[atomicAdd(&task.starts[task.batches + 1], 1u)] = (word)r;
}
