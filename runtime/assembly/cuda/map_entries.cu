/* DOF maps: what their rows consist of. A map takes rows of its children; a mention is one entry of
 * such a row. A node that a row mentions twice gets one entry, at the place of the first mention.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"

/* ---- maps that take no weights ---- */

typedef struct plain_task {
  size rows, first, stride; /* instance i of a target has the nodes from first + i * stride on */
  word nodes, none;         /* none: no row depends on an unknown */
  dof_entry *entries;
} plain_task;

extern "C" __global__ void fill_plain(const plain_task task)
{
  const size r = thread_number();
  if (r >= task.rows) return;
  dof_entry entry;
  entry.node =
      task.none ? NONE : (word)(task.first + r / task.nodes * task.stride + r % task.nodes);
  entry.value = 0;
  task.entries[r] = entry;
}

/* ---- which rows of its children a map takes ---- */

typedef struct link_task {
  size count, first;        /* links of this launch; first row */
  word nodes, child, block; /* nodes an instance; number of the child */
  word inner, position, per_row, column; /* mapped expressions: nodes of this access, the links
                                            before it, all links of a row, first column */
  word arity;               /* reductions; 0: rows of any length */
  size instances;
  const word *indices, *offsets;
  map_link *links;
  path way;
} link_task;

static __device__ __forceinline__ void
put_link(map_link *to, word row, word child, word source, word column)
{
  map_link link;
  link.row = row;
  link.child = child;
  link.source = source;
  link.column = column;
  *to = link;
}

/* A union takes its members' rows one after the other. */
extern "C" __global__ void link_member(const link_task task)
{
  const size t = thread_number();
  if (t >= task.count) return;
  const word row = (word)(task.first + t);
  put_link(&task.links[row], row, task.child, (word)t, 1);
}

/* A reduction takes the rows that a connectivity names: for each node of an instance all of them. */
extern "C" __global__ void link_rows(const link_task task)
{
  const size t = thread_number();
  if (t >= task.count) return;
  const word at = (word)(t / task.nodes);
  const word instance = task.arity ? at / task.arity : find_range(task.offsets, task.instances, at);
  const size begin = task.arity ? (size)instance * task.arity : task.offsets[instance];
  const word length = task.arity ? task.arity : (word)(task.offsets[instance + 1] - begin);
  const word rest = (word)(t - begin * task.nodes), node = rest / length;
  const word row = instance * task.nodes + node;
  put_link(
      &task.links[t], row, 0, task.indices[begin + rest % length] * task.nodes + node, length);
}

/* A mapped expression takes all nodes of everything it reads; one access a launch. */
extern "C" __global__ void link_access(const link_task task)
{
  const size t = thread_number();
  if (t >= task.count) return;
  const word row = (word)(t / task.inner), in = (word)(t % task.inner);
  const word source = walk(task.way, row / task.nodes) * task.inner + in;
  put_link(&task.links[(size)row * task.per_row + task.position + in],
           row,
           task.child,
           source,
           task.column + in * task.block);
}

/* ---- entries ---- */

/* An entry of a row that a link takes: of the child's map. */
typedef struct mention {
  word link, entry;
} mention;

/* The mentions of an entry, in order. */
typedef struct span {
  word first, end;
} span;

typedef struct entry_task {
  size rows, links, mentions, entries;
  word block, bits;         /* bits of a node number */
  word full, pad;           /* every weight becomes a block */
  const map_link *link;
  const dof_table *children;
  word *link_starts;        /* counts at first, then their sums: first mention of each link */
  unsigned long long *totals;
  key *keys;                /* row and node of each mention; sorted */
  word *words;              /* their numbers */
  const word *heads;        /* runs of equal keys: an entry each */
  word *places;             /* 1 where a mention is the first of its entry, then the sums */
  mention *sorted;
  dof_entry *to;
  span *spans;
  word *starts, *sizes;     /* of rows; numbers of each weight, then their sums */
} entry_task;

extern "C" __global__ void count_mentions(const entry_task task)
{
  const size l = thread_number();
  if (l >= task.links) return;
  const map_link link = task.link[l];
  word first;
  const word count = row_of(&task.children[link.child], link.source, &first);
  task.link_starts[l] = count;
  atomicAdd(&task.totals[0], (size)count);
}

/* The link that mention m belongs to, and the entry of the child's map. */
static __device__ __forceinline__ mention find_mention(const entry_task &task, word m)
{
  mention found;
  word first;
  found.link = find_range(task.link_starts, task.links, m);
  const map_link link = task.link[found.link];
  row_of(&task.children[link.child], link.source, &first);
  found.entry = first + (m - task.link_starts[found.link]);
  return found;
}

extern "C" __global__ void emit_mentions(const entry_task task)
{
  const size m = thread_number();
  if (m >= task.mentions) return;
  const mention found = find_mention(task, (word)m);
  const map_link link = task.link[found.link];
  const word node = task.children[link.child].entries[found.entry].node;
  task.keys[m] = (key)link.row << task.bits | node;
  task.words[m] = (word)m;
}

extern "C" __global__ void order_mentions(const entry_task task)
{
  const size m = thread_number();
  if (m < task.mentions) task.sorted[m] = find_mention(task, task.words[m]);
}

extern "C" __global__ void mark_firsts(const entry_task task)
{
  const size r = thread_number();
  if (r < task.entries) task.places[task.words[task.heads[r]]] = 1;
}

/* The weight is a block if one of its mentions makes it one. */
static __device__ __forceinline__ bool is_full(const entry_task &task, span of)
{
  if (task.full) return true;
  for (word m = of.first; m < of.end; ++m) {
    const dof_table *child = &task.children[task.link[task.sorted[m].link].child];
    if (child->starts && (child->entries[task.sorted[m].entry].value & FULL)) return true;
  }
  return false;
}

extern "C" __global__ void place_entries(const entry_task task)
{
  const size r = thread_number();
  if (r >= task.entries) return;
  span of;
  of.first = task.heads[r];
  of.end = task.heads[r + 1];
  const word p = task.places[task.words[of.first]];
  const bool full = is_full(task, of);
  dof_entry entry;
  entry.node = (word)(task.keys[of.first] & (((key)1 << task.bits) - 1));
  entry.value = full ? FULL : 0;
  task.to[p] = entry;
  task.spans[p] = of;
  task.sizes[p] = full ? task.block * task.block : 1;
  atomicAdd(&task.totals[1], (size)task.sizes[p]);
}

extern "C" __global__ void place_values(const entry_task task)
{
  const size p = thread_number();
  if (p < task.entries) task.to[p].value |= task.sizes[p];
}

/* Runs are in the order of the rows, as are entries: as many come before a row. */
extern "C" __global__ void place_rows(const entry_task task)
{
  const size r = thread_number();
  if (r > task.rows) return;
  size low = 0, high = task.entries;
  while (low < high) {
    const size middle = (low + high) / 2;
    if ((task.keys[task.heads[middle]] >> task.bits) < r)
      low = middle + 1;
    else
      high = middle;
  }
  task.starts[r] = (word)low;
}

/* ---- weights ---- */

#define SUM     0
#define MEAN    1
#define UNIFORM 2 /* a multiple of the identity, from the Jacobian */
#define BLOCKS  3

typedef struct value_task {
  size entries;
  word block, mode, nodes, rows, cols, local; /* of mapped expressions: shape, local unknowns */
  const dof_entry *entry;
  const span *spans;
  const mention *sorted;
  const map_link *link;
  const dof_table *children;
  const double *jacobian;
  double *values;
} value_task;

/* Row i of the local Jacobian of a link. */
static __device__ __forceinline__ const double *
jacobian_row(const value_task &task, const map_link &link, word i)
{
  const word node = link.row % task.nodes;
  const size numbers = (size)task.rows * task.cols;
  return task.jacobian +
         (link.row / task.nodes * numbers + node_entry(task.rows, task.cols, task.block, node, i)) *
             task.local +
         link.column;
}

/* Number (i, j) of a mention's weight times that of the child's entry. */
static __device__ __forceinline__ double
product(const value_task &task, const mention &from, bool full, word i, word j)
{
  const map_link link = task.link[from.link];
  const dof_table child = task.children[link.child];
  const word value = child.starts ? child.entries[from.entry].value : 0, b = task.block;
  const double *right = child.starts ? child.values + (value & VALUE_MASK) : nullptr;
  const double first = right ? *right : 1.0;
  if (task.mode == BLOCKS) {
    const double *left = jacobian_row(task, link, i);
    if (!(value & FULL)) return left[j] * first;
    double sum = 0;
    for (word k = 0; k < b; ++k) sum += left[k] * right[k * b + j];
    return sum;
  }
  const double scale = task.mode == UNIFORM ? *jacobian_row(task, link, 0)
                       : task.mode == MEAN  ? 1.0 / (double)link.column
                                            : 1.0;
  if (value & FULL) return scale * right[i * b + j];
  return !full || i == j ? scale * first : 0;
}

/* A thread a number. */
extern "C" __global__ void fill_values(const value_task task)
{
  const size t = thread_number(), square = (size)task.block * task.block;
  if (t >= task.entries * square) return;
  const size p = t / square;
  const word at = (word)(t % square), value = task.entry[p].value;
  if (!(value & FULL) && at > 0) return;
  const span of = task.spans[p];
  double sum = 0;
  for (word m = of.first; m < of.end; ++m)
    sum += product(task, task.sorted[m], value & FULL, at / task.block, at % task.block);
  task.values[(value & VALUE_MASK) + at] = sum;
}
