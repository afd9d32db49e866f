/* The smallest distance of all: a thread a query, nearest boxes first, none that is farther than
 * the best so far. SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"
#include "contact_distance.h"

/* What a walk does with the pairs that it meets: lower the minima; or, when these are known, lower
 * part 0, 1 or 2 of the keys of the first pair at the smallest distance. */
#define FIND_MINIMA 3u

static __device__ __forceinline__ double
box_distance(const basin_cuda_node *node, word lane, const float box[6])
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double apart = fmax((double)node->low[k][lane] - (double)box[3 + k],
                              (double)box[k] - (double)node->high[k][lane]);
    if (apart > 0) sum += apart * apart;
  }
  return sum * (1 - 0x1p-48);
}

static __device__ __forceinline__ bool
too_far(const basin_cuda_status *status, double most_separation, double squared)
{
  if (squared <= double_at(&status->nearest)) return false;
  return sqrt(squared) - most_separation > double_of(*(const volatile size *)&status->gap);
}

static __device__ void take_pair(
    basin_cuda_status *status, word part, word kind, const word v[4], double squared, double gap)
{
  if (part == FIND_MINIMA) {
    atomicMin(&status->nearest, (size)__double_as_longlong(squared));
    atomicMin(&status->gap, ordered_of(gap));
    return;
  }
  if (squared != double_at(&status->nearest)) return;
  const size keys[3] = {(size)kind << 32 | v[0], (size)v[1] << 32 | v[2], v[3]};
  for (word k = 0; k < part; ++k)
    if (status->keys[k] != keys[k]) return;
  atomicMin(&status->keys[part], keys[part]);
}

static __device__ void evaluate(const basin_cuda_rules &rules,
                                const basin_cuda_pass &pass,
                                const double *positions,
                                word item,
                                const word corners[3],
                                word place,
                                word part,
                                basin_cuda_status *status)
{
  const word a = pass.a.arity, n = a + pass.b.arity;
  word v[4] = {corners[0], corners[1], 0, 0};
  basin__vector3 x[4];
  basin__closest near;
  for (word t = a; t < n; ++t) {
    v[t] = pass.b.corners[(size)(t - a) * pass.b.padded + place];
    for (word q = 0; q < a; ++q)
      if (v[t] == corners[q]) return;
  }
  for (word t = n; t < 4; ++t) v[t] = 0;
  if (pass.same && pass.b.order[place] < item) { /* the smaller number first */
    for (word k = 0; k < a; ++k) {
      v[a + k] = v[k];
      v[k] = pass.b.corners[(size)k * pass.b.padded + place];
    }
  }
  if (rules.table && !table_allows(rules, v, a, n)) return;
  stencil_positions(positions, v, n, x);
  basin__near_of((basin_contact_kind)pass.kind, x, &near);
  take_pair(
      status, part, pass.kind, v, near.squared, sqrt(near.squared) - separation_of(rules, v, a, n));
}

/* The nearest open child of a node that is not too far, or WIDTH. */
static __device__ word nearest_child(const basin_cuda_node *node,
                                     const float box[6],
                                     word open,
                                     double most_separation,
                                     const basin_cuda_status *status)
{
  word best = WIDTH;
  double least = BASIN_SHARED_INFINITY;
  for (word lane = 0; lane < WIDTH; ++lane) {
    if (!(open >> lane & 1)) continue;
    const double squared = box_distance(node, lane, box);
    if (squared >= least) continue;
    least = squared;
    best = lane;
  }
  return best < WIDTH && too_far(status, most_separation, least) ? WIDTH : best;
}

/* Lanes of a node that are there, may be met, and are not before the place `first`. */
static __device__ word
open_lanes(const basin_cuda_node *node, word skip, word child, word level, word first)
{
  word mask = 0;
  for (word lane = 0; lane < WIDTH; ++lane)
    if (node->low[0][lane] <= node->high[0][lane] && node->tags[lane] != skip) mask |= 1u << lane;
  const word start = 3 * level < 32 ? first >> (3 * level) : 0;
  if (start > child) mask &= start - child < WIDTH ? 0xffu << (start - child) : 0;
  return mask;
}

extern "C" __global__ void contact_nearest(basin_cuda_rules rules,
                                           basin_cuda_pass pass,
                                           const double *positions,
                                           const float *boxes,
                                           double most_separation,
                                           word part,
                                           basin_cuda_status *status)
{
  const size place = thread_number();
  if (place >= pass.a.count) return;
  word corners[3] = {0, 0, 0};
  float box[6];
  unsigned char open[BASIN__CUDA_LEVELS];
  query_box(pass.a, boxes, place, corners, box);
  const word item = pass.a.order[place], skip = skipped_tag(rules, pass.a.tags[item]);
  const word first = pass.same ? (word)place + 1 : 0, top = pass.b.levels - 1;
  word level = top, node = 0;
  const basin_cuda_node *at = &pass.b.nodes[pass.b.level_start[top]];
  open[top] = (unsigned char)open_lanes(at, skip, 0, top, first);
  for (;;) {
    at = &pass.b.nodes[pass.b.level_start[level] + node];
    const word lane = nearest_child(at, box, open[level], most_separation, status);
    if (lane == WIDTH) {
      if (level == top) return;
      ++level;
      node /= WIDTH;
      continue;
    }
    open[level] &= (unsigned char)~(1u << lane);
    if (level == 0) {
      evaluate(rules, pass, positions, item, corners, node * WIDTH + lane, part, status);
      continue;
    }
    node = node * WIDTH + lane;
    --level;
    open[level] = (unsigned char)open_lanes(
        &pass.b.nodes[pass.b.level_start[level] + node], skip, node * WIDTH, level, first);
  }
}

extern "C" __global__ void contact_nearest_plane(basin_cuda_rules rules,
                                                 const word *points,
                                                 size count,
                                                 const double *positions,
                                                 word part,
                                                 basin_cuda_status *status)
{
  for (size i = thread_number(); i < count * rules.plane_count; i += thread_count()) {
    const word v[4] = {points[i / rules.plane_count], (word)(i % rules.plane_count), 0, 0};
    if (!meets_planes(rules, v[0])) continue;
    const double *at = rules.planes + 4 * (size)v[1];
    const basin__vector3 x = basin__v3(positions + 3 * (size)v[0]);
    const double height = basin__v3_dot(basin__v3(at), x) - at[3];
    const double gap = height - rules.separation - offset_of(rules, 1, v);
    take_pair(status, part, BASIN_CONTACT_POINT_PLANE, v, height > 0 ? height * height : 0, gap);
  }
}
