/* Candidates: every primitive of one set against the tree of another, a thread a query.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"

/* Lanes of a node whose boxes meet the query's, as closed sets, and whose tags it may meet; none
 * before the place `first` of level 0. */
static __device__ __forceinline__ word lanes_of(
    const basin_cuda_node *node, const float box[6], word skip, word child, word level, word first)
{
  word mask = 0;
  for (word lane = 0; lane < WIDTH; ++lane) {
    bool meets = node->tags[lane] != skip;
    for (int k = 0; k < 3; ++k)
      meets = meets && node->low[k][lane] <= box[3 + k] && node->high[k][lane] >= box[k];
    mask |= (word)meets << lane;
  }
  const word start = 3 * level < 32 ? first >> (3 * level) : 0;
  if (start > child) mask &= start - child < WIDTH ? 0xffu << (start - child) : 0;
  return mask;
}

/* Lanes of a leaf that are candidates: no common vertex, and what the rules say. */
static __device__ __forceinline__ word keep_lanes(const basin_cuda_rules &rules,
                                                  const basin_cuda_motion &motion,
                                                  const basin_cuda_pass &pass,
                                                  const word corners[3],
                                                  word child,
                                                  word mask)
{
  word kept = 0;
  const word a = pass.a.arity, n = a + pass.b.arity;
  for (; mask; mask &= mask - 1) {
    const word lane = (word)__ffs((int)mask) - 1;
    word v[4] = {corners[0], corners[1], 0, 0};
    bool keep = true;
    for (word t = a; t < n; ++t) {
      v[t] = pass.b.corners[(size)(t - a) * pass.b.padded + child + lane];
      for (word q = 0; q < a; ++q) keep = keep && v[t] != corners[q];
    }
    if (keep && rules.table) keep = table_allows(rules, v, a, n);
    if (keep && pass.exact) keep = candidate_meets(rules, motion, v, a, n);
    kept |= (word)keep << lane;
  }
  return kept;
}

/* Writes the candidates of a leaf from the next free place of the pass on, as far as there is room;
 * all are counted. */
static __device__ __forceinline__ void put_candidates(const basin_cuda_pass &pass,
                                                      word item,
                                                      word child,
                                                      word mask,
                                                      size *counter,
                                                      word *items,
                                                      word *partners,
                                                      size capacity)
{
  size at = atomicAdd(counter, (size)__popc(mask));
  for (; mask; mask &= mask - 1, ++at) {
    if (at >= capacity) return;
    const word partner = pass.b.order[child + (word)__ffs((int)mask) - 1];
    const bool swap = pass.same && partner < item;
    items[at] = swap ? partner : item;
    partners[at] = swap ? item : partner;
  }
}

/* The stack of a walk is a mask of open children a level: the path follows from the node's number.
 */
extern "C" __global__ void contact_query(basin_cuda_rules rules,
                                         basin_cuda_motion motion,
                                         basin_cuda_pass pass,
                                         const float *boxes,
                                         word *items,
                                         word *partners,
                                         size capacity,
                                         basin_cuda_status *status)
{
  const size place = thread_number();
  if (place >= pass.a.count) return;
  word corners[3] = {0, 0, 0};
  float box[6];
  unsigned char open[BASIN__CUDA_LEVELS];
  query_box(pass.a, boxes, place, corners, box);
  const word item = pass.a.order[place];
  const word skip = skipped_tag(rules, pass.a.tags[item]), first = pass.same ? (word)place + 1 : 0;
  const word top = pass.b.levels - 1;
  word level = top, node = 0;
  open[top] =
      (unsigned char)lanes_of(&pass.b.nodes[pass.b.level_start[top]], box, skip, 0, top, first);
  for (;;) {
    if (level == 0 && open[0]) {
      const word kept = keep_lanes(rules, motion, pass, corners, node * WIDTH, open[0]);
      if (kept)
        put_candidates(pass,
                       item,
                       node * WIDTH,
                       kept,
                       &status->candidates[pass.kind],
                       items,
                       partners,
                       capacity);
      open[0] = 0;
    }
    while (level <= top && !open[level]) {
      ++level;
      node /= WIDTH;
    }
    if (level > top) return;
    node = node * WIDTH + (word)__ffs((int)open[level]) - 1;
    open[level] &= (unsigned char)(open[level] - 1);
    --level;
    open[level] = (unsigned char)lanes_of(
        &pass.b.nodes[pass.b.level_start[level] + node], box, skip, node * WIDTH, level, first);
  }
}
