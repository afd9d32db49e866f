/* What the device texts of the assembly share. The structs are those of cuda/tasks.h, field by
 * field. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_CUH
#define BASIN_ASSEMBLY_CUH

typedef unsigned word;
typedef unsigned long long size;
typedef unsigned long long key;

#define NONE       0xffffffffu
#define TRANSPOSED 0x80000000u
#define TWICE      0x40000000u
#define WORD_MASK  0x3fffffffu
/* In words that say where a block of a local Hessian stands: one on its diagonal. */
#define DIAGONAL   0x20000000u
#define PLACE_MASK 0x1fffffffu

/* Number of this thread in the grid. */
static __device__ __forceinline__ size thread_number()
{
  return (size)blockIdx.x * blockDim.x + threadIdx.x;
}

/* t / d: in 32 bits where that will do, which takes a fifth of the instructions. */
static __device__ __forceinline__ size quotient(size t, word d)
{
  return t >> 32 ? t / d : (word)t / d;
}

/* ---- how elements lead to instances of an array ---- */
#define PATH_MAX 6

typedef struct path {
  const word *indices[PATH_MAX];
  word arity[PATH_MAX], slot[PATH_MAX];
  word shared, step_count; /* shared: always instance 0 */
} path;

static __device__ __forceinline__ word walk(const path &path, word element)
{
  word instance = path.shared ? 0 : element;
  for (word k = 0; k < path.step_count; ++k)
    instance = path.indices[k][(size)instance * path.arity[k] + path.slot[k]];
  return instance;
}

/* ---- how nodes of an array depend on nodes of the unknowns ---- */
typedef struct dof_entry {
  word node, value; /* value: place of the weight; FULL: a block x block matrix */
} dof_entry;
#define FULL       0x80000000u
#define VALUE_MASK 0x7fffffffu

/* The DOF map of one local node. starts == nullptr: one entry a row, of weight 1. */
typedef struct dof_table {
  const dof_entry *entries;
  const word *starts;
  const double *values;
} dof_table;

/* A node that an element depends on, through one of its local nodes. */
typedef struct virtual_node {
  word element, local; /* local: number in the low half; FULL, UNIT */
  word node, value;
} virtual_node;
#define UNIT       0x40000000u
#define LOCAL_MASK 0x0000ffffu

/* First entry of a row and how many there are. */
static __device__ __forceinline__ word row_of(const dof_table *table, word row, word *first)
{
  if (!table->starts) {
    *first = row;
    return table->entries[row].node != NONE;
  }
  *first = table->starts[row];
  return table->starts[row + 1] - *first;
}

/* Entry (i, j) of W^T block column by column: what a weight makes of component k of its row. */
static __device__ __forceinline__ double
weight_entry(const dof_table *tables, const virtual_node *node, word block, word k, word i)
{
  if (node->local & UNIT) return k == i ? 1.0 : 0.0;
  const double *value = tables[node->local & LOCAL_MASK].values + node->value;
  if (node->local & FULL) return value[k * block + i];
  return k == i ? *value : 0.0;
}

/* Row `row` of a map takes row `source` of its child number `child`. */
typedef struct map_link {
  word row, child, source;
  word column; /* mapped expressions: of the local Jacobian; reductions: rows taken together */
} map_link;

/* ---- where numbers of a local Hessian are (kernel.h: the stored form on a CUDA device) ---- */

/* First number of the block of nodes a <= c, which is pair p. Before it stand p blocks, of which a,
 * or a + 1 if it is beside the diagonal, lack their lower triangle. */
static __device__ __forceinline__ word block_start(word p, word a, word c, word block)
{
  return p * block * block - (a + (c > a)) * (block * (block - 1) / 2);
}

/* Entry (i, j) of a block on the diagonal. */
static __device__ __forceinline__ word triangle_entry(word i, word j, word block)
{
  const word r = i <= j ? i : j, s = i <= j ? j : i;
  return r * block - r * (r + 1) / 2 + s;
}

/* Where component i of a node of a matrix is stored. */
static __device__ __forceinline__ word
node_entry(word rows, word cols, word block, word node, word i)
{
  return rows == block ? i * cols + node : node * block + i;
}

/* Largest k in [0, count) with starts[k] <= at; starts ascend and starts[0] <= at. */
static __device__ __forceinline__ word find_range(const word *starts, size count, word at)
{
  size low = 0, high = count;
  while (high - low > 1) {
    const size middle = (low + high) / 2;
    if (starts[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return (word)low;
}

#endif
