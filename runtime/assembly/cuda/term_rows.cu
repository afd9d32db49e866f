/* Rows of the elements of a term: where the paths of their unknowns lead, and the nodes that they
 * depend on through DOF maps. SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"

typedef struct walk_task {
  size elements;
  word nodes, column;       /* nodes an instance; first local node */
  const dof_entry *entries; /* direct terms: global nodes; nullptr: rows of the map */
  word *rows;               /* rows[local node * elements + element] */
  path way;
} walk_task;

extern "C" __global__ void walk_rows(const walk_task task)
{
  const size e = thread_number();
  if (e >= task.elements) return;
  const word instance = walk(task.way, (word)e);
  for (word n = 0; n < task.nodes; ++n) {
    const word row = instance * task.nodes + n;
    task.rows[(task.column + n) * task.elements + e] =
        task.entries ? task.entries[row].node : row;
  }
}

/* ---- terms over maps ---- */

typedef struct expand_task {
  size elements;
  word local_nodes, pad;
  const word *rows;
  const dof_table *tables;
  word *node_starts, *pair_starts; /* counts at first, then their exclusive sums */
  unsigned long long *totals;      /* nodes, pairs, most nodes of an element */
  virtual_node *nodes;
} expand_task;

/* How many nodes each element depends on, and pairs of them. */
extern "C" __global__ void count_nodes(const expand_task task)
{
  const size e = thread_number();
  if (e >= task.elements) return;
  size count = 0;
  for (word a = 0; a < task.local_nodes; ++a) {
    word first;
    count += row_of(&task.tables[a], task.rows[a * task.elements + e], &first);
  }
  const size pairs = count * (count + 1) / 2;
  task.node_starts[e] = (word)count;
  task.pair_starts[e] = (word)pairs;
  atomicAdd(&task.totals[0], count);
  atomicAdd(&task.totals[1], pairs);
  atomicMax(&task.totals[2], count);
}

extern "C" __global__ void expand_nodes(const expand_task task)
{
  const size e = thread_number();
  if (e >= task.elements) return;
  word at = task.node_starts[e];
  for (word a = 0; a < task.local_nodes; ++a) {
    const dof_table *table = &task.tables[a];
    word first;
    const word count = row_of(table, task.rows[a * task.elements + e], &first);
    for (word k = 0; k < count; ++k, ++at) {
      const dof_entry entry = table->entries[first + k];
      virtual_node node;
      node.element = (word)e;
      node.local = table->starts ? a | (entry.value & FULL) : a | UNIT;
      node.node = entry.node;
      node.value = entry.value & VALUE_MASK;
      task.nodes[at] = node;
    }
  }
}

typedef struct pair_task {
  size elements, count; /* pairs */
  const word *node_starts, *pair_starts;
  word *pairs; /* two virtual nodes each */
} pair_task;

/* The pairs v <= w of virtual nodes of each element: (0, 0), (0, 1), ... (1, 1), ... */
extern "C" __global__ void expand_pairs(const pair_task task)
{
  const size p = thread_number();
  if (p >= task.count) return;
  const word e = find_range(task.pair_starts, task.elements, (word)p);
  const word first = task.node_starts[e];
  const long long n = task.node_starts[e + 1] - first, q = (long long)p - task.pair_starts[e];
  /* Row v begins at v n - v (v - 1) / 2. */
  long long v = (long long)((2.0 * n + 1 - sqrt((2.0 * n + 1) * (2.0 * n + 1) - 8.0 * q)) / 2);
  if (v < 0) v = 0;
  while (v > 0 && v * n - v * (v - 1) / 2 > q) --v;
  while ((v + 1) * n - (v + 1) * v / 2 <= q) ++v;
  const long long w = v + q - (v * n - v * (v - 1) / 2);
  task.pairs[2 * p] = first + (word)v;
  task.pairs[2 * p + 1] = first + (word)w;
}
