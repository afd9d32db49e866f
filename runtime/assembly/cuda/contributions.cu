/* What the elements of a term add to: a key (batch, node) or (batch, row, column) for each
 * contribution, in element order. Sorted, they say what is added where.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"

typedef struct emit_task {
  size elements, count; /* contributions */
  word local_nodes, local_pairs, bits, batch; /* bits of a node number; elements a batch */
  const word *rows;           /* direct: global nodes */
  const word *local;          /* direct: local pairs, (a << 16) + c */
  const virtual_node *nodes;  /* mapped */
  const word *pairs;          /* mapped */
  const word *bases;          /* adjoints: first row of each local node's map, NONE: not wanted */
  key *keys;
  word *words;
} emit_task;

static __device__ __forceinline__ void
put_node(const emit_task &task, size c, word element, word node)
{
  const key mask = ((key)1 << task.bits) - 1;
  task.keys[c] = (key)(element / task.batch) << task.bits | (node == NONE ? mask : node);
  task.words[c] = (word)c;
}

extern "C" __global__ void emit_nodes_direct(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)(c / task.local_nodes), a = (word)(c % task.local_nodes);
  put_node(task, c, e, task.rows[a * task.elements + e]);
}

extern "C" __global__ void emit_nodes_mapped(const emit_task task)
{
  const size c = thread_number();
  if (c < task.count) put_node(task, c, task.nodes[c].element, task.nodes[c].node);
}

/* Rows of the maps instead of the nodes behind them. */
extern "C" __global__ void emit_rows(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)(c / task.local_nodes), a = (word)(c % task.local_nodes);
  const word base = task.bases[a];
  put_node(task, c, e, base == NONE ? NONE : base + task.rows[a * task.elements + e]);
}

/* The block of two local nodes belongs to the upper triangle of the matrix. */
static __device__ __forceinline__ void
put_pair(const emit_task &task, size c, word element, word row, word column, bool same)
{
  const key mask = ((key)1 << 2 * task.bits) - 1;
  key place = mask;
  word flags = 0;
  if (row != NONE && column != NONE) {
    place = row <= column ? (key)row << task.bits | column : (key)column << task.bits | row;
    if (row > column) flags = TRANSPOSED;
    if (row == column && !same) flags = TWICE;
  }
  task.keys[c] = (key)(element / task.batch) << 2 * task.bits | place;
  task.words[c] = (word)c | flags;
}

extern "C" __global__ void emit_pairs_direct(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word e = (word)(c / task.local_pairs), pair = task.local[c % task.local_pairs];
  const word a = pair >> 16, b = pair & 0xffff;
  put_pair(task, c, e, task.rows[a * task.elements + e], task.rows[b * task.elements + e], a == b);
}

extern "C" __global__ void emit_pairs_mapped(const emit_task task)
{
  const size c = thread_number();
  if (c >= task.count) return;
  const word v = task.pairs[2 * c], w = task.pairs[2 * c + 1];
  put_pair(task, c, task.nodes[v].element, task.nodes[v].node, task.nodes[w].node, v == w);
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
