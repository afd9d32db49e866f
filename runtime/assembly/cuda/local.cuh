/* Local results of a batch of elements, and what one contribution takes of them. Compiled for each
 * number BLOCK of unknowns a node; MAPPED: through DOF maps. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LOCAL_CUH
#define BASIN_LOCAL_CUH

#include "assembly.cuh"

typedef struct local_results {
  size begin, count;             /* elements of the batch; local[k * count + e - begin] */
  word local_nodes, local_pairs;
  const word *local_pair;        /* direct: (a << 16) + c */
  const virtual_node *nodes;
  const word *pairs;
  const dof_table *tables;
  const double *local;
} local_results;

static __device__ __forceinline__ double node_part(const local_results &from, word c, word i)
{
#ifdef MAPPED
  const virtual_node node = from.nodes[c];
  const double *local = from.local + (node.element - from.begin) +
                        (size)(node.local & LOCAL_MASK) * BLOCK * from.count;
  if (node.local & FULL) {
    const double *weight = from.tables[node.local & LOCAL_MASK].values + node.value;
    double sum = 0;
    for (word k = 0; k < BLOCK; ++k) sum += weight[k * BLOCK + i] * local[k * from.count];
    return sum;
  }
  return (node.local & UNIT ? 1.0 : from.tables[node.local & LOCAL_MASK].values[node.value]) *
         local[i * from.count];
#else
  const size e = c / from.local_nodes, a = c % from.local_nodes;
  return from.local[(a * BLOCK + i) * from.count + (e - from.begin)];
#endif
}

/* Entry (row, column) of the packed upper triangle of element e's matrix. */
static __device__ __forceinline__ double
local_entry(const local_results &from, size e, word row, word column)
{
  const size n = (size)from.local_nodes * BLOCK, r = row <= column ? row : column,
             c = row <= column ? column : row;
  return from.local[(r * n - r * (r + 1) / 2 + c) * from.count + (e - from.begin)];
}

#ifdef MAPPED
static __device__ __forceinline__ double
block_entry(const local_results &from, const virtual_node *v, const virtual_node *w, word i, word j)
{
  const word a = (v->local & LOCAL_MASK) * BLOCK, b = (w->local & LOCAL_MASK) * BLOCK;
  double both = 0;
  for (word l = 0; l < BLOCK; ++l) {
    const double right = weight_entry(from.tables, w, BLOCK, l, j);
    double left = 0;
    if (!(w->local & FULL) && l != j) continue;
    if (v->local & FULL)
      for (word k = 0; k < BLOCK; ++k)
        left += weight_entry(from.tables, v, BLOCK, k, i) *
                local_entry(from, v->element, a + k, b + l);
    else
      left = local_entry(from, v->element, a + i, b + l) *
             weight_entry(from.tables, v, BLOCK, i, i);
    both += left * right;
  }
  return both;
}
#endif

static __device__ __forceinline__ double
pair_part(const local_results &from, word flagged, word i, word j)
{
  const word c = flagged & WORD_MASK;
  const bool turned = flagged & TRANSPOSED, twice = flagged & TWICE;
#ifdef MAPPED
  const virtual_node v = from.nodes[from.pairs[2 * (size)c]],
                     w = from.nodes[from.pairs[2 * (size)c + 1]];
  const double value = block_entry(from, &v, &w, turned ? j : i, turned ? i : j);
  return twice ? value + block_entry(from, &v, &w, j, i) : value;
#else
  const size e = c / from.local_pairs;
  const word pair = from.local_pair[c % from.local_pairs];
  const word a = (pair >> 16) * BLOCK, b = (pair & 0xffff) * BLOCK;
  const double value = local_entry(from, e, a + (turned ? j : i), b + (turned ? i : j));
  return twice ? value + local_entry(from, e, a + j, b + i) : value;
#endif
}

#endif
