/* Local results of a batch of elements, and what one contribution takes of them. Compiled for each
 * number BLOCK of unknowns a node; MAPPED: through DOF maps. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LOCAL_CUH
#define BASIN_LOCAL_CUH

#include "assembly.cuh"

typedef struct local_results {
  word begin, count;           /* elements of the batch */
  word element_step;           /* between the same number of two elements, */
  word number_step;            /* and two numbers of an element: see BASIN_CUDA_STAGED */
  word local_nodes, local_pairs;
  word factor, shift;          /* for what divides by one of these */
  const word *local_pair;      /* direct: (a << 16) + c */
  const virtual_node *nodes;
  const word *pairs;
  const dof_table *tables;
  const double *local;
} local_results;

/* An entry of a block, and how far from the block's first number it stands; in blocks that are
 * added transposed; in those on the diagonal. Places in a batch have 29 bits. */
typedef struct block_place {
  word i, j, straight, across, triangle;
} block_place;

static __device__ __forceinline__ block_place
place_of_entry(const local_results &from, word i, word j)
{
  const block_place place = {i,
                             j,
                             (i * BLOCK + j) * from.number_step,
                             (j * BLOCK + i) * from.number_step,
                             triangle_entry(i, j, BLOCK) * from.number_step};
  return place;
}

/* Number k of an element. */
static __device__ __forceinline__ double local_number(const local_results &from, word e, word k)
{
  return from.local[(size)(e - from.begin) * from.element_step + (size)k * from.number_step];
}

#ifdef MAPPED

static __device__ __forceinline__ double node_part(const local_results &from, word c, word i)
{
  const virtual_node node = from.nodes[c];
  const word first = (node.local & LOCAL_MASK) * BLOCK;
  if (node.local & FULL) {
    const double *weight = from.tables[node.local & LOCAL_MASK].values + node.value;
    double sum = 0;
    for (word k = 0; k < BLOCK; ++k)
      sum += weight[k * BLOCK + i] * local_number(from, node.element, first + k);
    return sum;
  }
  return (node.local & UNIT ? 1.0 : from.tables[node.local & LOCAL_MASK].values[node.value]) *
         local_number(from, node.element, first + i);
}

/* Entry (i, j) of the block of nodes a and c of an element. */
static __device__ __forceinline__ double
local_entry(const local_results &from, word e, word a, word c, word i, word j)
{
  const word r = a <= c ? a : c, s = a <= c ? c : a;
  const word first = block_start(r * from.local_nodes - r * (r + 1) / 2 + s, r, s, BLOCK);
  const word entry = a == c  ? triangle_entry(i, j, BLOCK)
                     : a < c ? i * BLOCK + j
                             : j * BLOCK + i;
  return local_number(from, e, first + entry);
}

static __device__ __forceinline__ double
block_entry(const local_results &from, const virtual_node *v, const virtual_node *w, word i, word j)
{
  const word a = v->local & LOCAL_MASK, b = w->local & LOCAL_MASK;
  double both = 0;
  for (word l = 0; l < BLOCK; ++l) {
    const double right = weight_entry(from.tables, w, BLOCK, l, j);
    double left = 0;
    if (!(w->local & FULL) && l != j) continue;
    if (v->local & FULL)
      for (word k = 0; k < BLOCK; ++k)
        left += weight_entry(from.tables, v, BLOCK, k, i) *
                local_entry(from, v->element, a, b, k, l);
    else
      left = local_entry(from, v->element, a, b, i, l) * weight_entry(from.tables, v, BLOCK, i, i);
    both += left * right;
  }
  return both;
}

static __device__ __forceinline__ double
pair_part(const local_results &from, word flagged, const block_place &place)
{
  const word c = flagged & WORD_MASK, i = place.i, j = place.j;
  const bool turned = flagged & TRANSPOSED, twice = flagged & TWICE;
  const virtual_node v = from.nodes[from.pairs[2 * (size)c]],
                     w = from.nodes[from.pairs[2 * (size)c + 1]];
  const double value = block_entry(from, &v, &w, turned ? j : i, turned ? i : j);
  return twice ? value + block_entry(from, &v, &w, j, i) : value;
}

#else

/* Words say where the numbers of a node or pair begin. */
static __device__ __forceinline__ double node_part(const local_results &from, word place, word i)
{
  return from.local[place + i * from.number_step];
}

static __device__ __forceinline__ double
pair_part(const local_results &from, word flagged, const block_place &place)
{
  const word first = flagged & PLACE_MASK;
  const double value = from.local[first + (flagged & DIAGONAL     ? place.triangle
                                           : flagged & TRANSPOSED ? place.across
                                                                  : place.straight)];
  return flagged & TWICE ? value + from.local[first + place.across] : value;
}

#endif
#endif
