/* What the device texts of contact have in common: data, the rule for bodies, atomic minima.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CUH
#define BASIN_CONTACT_CUH

#define BASIN_CUDA_TEXT 1
#include "contact_box.h"
#include "contact_data.h"
#include "contact_types.h"

typedef unsigned int word;
typedef unsigned long long size;

#define TAG_MIXED 0xffffffffu
#define TAG_NONE  0xfffffffeu
#define WIDTH     8u

/* The number of this thread in the whole launch. */
static __device__ __forceinline__ size thread_number(void)
{
  return (size)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ size thread_count(void)
{
  return (size)gridDim.x * blockDim.x;
}

/* ---- numbers as bits that have their order ---- */

static __device__ __forceinline__ size ordered_of(double value)
{
  const size bits = (size)__double_as_longlong(value);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

static __device__ __forceinline__ double double_of(size ordered)
{
  return __longlong_as_double(
      (long long)(ordered >> 63 ? ordered & 0x7fffffffffffffffull : ~ordered));
}

static __device__ __forceinline__ word ordered_float(float value)
{
  const word bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static __device__ __forceinline__ float float_of(word ordered)
{
  return __uint_as_float(ordered >> 31 ? ordered & 0x7fffffffu : ~ordered);
}

/* A number that is not negative. */
static __device__ __forceinline__ double double_at(const size *bits)
{
  return __longlong_as_double((long long)*(const volatile size *)bits);
}

/* ---- bodies (body.c) ---- */

static __device__ __forceinline__ word body_of(const basin_cuda_rules &rules, word vertex)
{
  return rules.bodies ? rules.bodies[vertex] : 0;
}

static __device__ __forceinline__ double
offset_of(const basin_cuda_rules &rules, word count, const word *vertices)
{
  double largest = 0;
  if (!rules.offsets) return 0;
  for (word i = 0; i < count; ++i) {
    const double offset = rules.offsets[body_of(rules, vertices[i])];
    if (offset > largest) largest = offset;
  }
  return largest;
}

/* xi of a candidate; the first `split` of `count` vertices are one side. */
static __device__ __forceinline__ double
separation_of(const basin_cuda_rules &rules, const word *v, word split, word count)
{
  if (!rules.offsets) return rules.separation;
  return rules.separation + offset_of(rules, split, v) + offset_of(rules, count - split, v + split);
}

static __device__ __forceinline__ bool
table_allows(const basin_cuda_rules &rules, const word *v, word split, word count)
{
  for (word i = 0; i < split; ++i)
    for (word k = split; k < count; ++k)
      if (!rules.table[body_of(rules, v[i]) * rules.body_count + body_of(rules, v[k])])
        return false;
  return true;
}

static __device__ __forceinline__ word skipped_tag(const basin_cuda_rules &rules, word tag)
{
  if (tag == TAG_MIXED) return TAG_NONE;
  const bool skips = rules.table ? !rules.table[tag * (rules.body_count + 1)] : tag != 0;
  return skips ? tag : TAG_NONE;
}

static __device__ __forceinline__ bool meets_planes(const basin_cuda_rules &rules, word vertex)
{
  return !rules.plane_bodies || rules.plane_bodies[body_of(rules, vertex)];
}

/* ---- primitives ---- */

static __device__ __forceinline__ word arity_a(word kind)
{
  return kind == BASIN_CONTACT_EDGE_EDGE ? 2 : 1;
}

static __device__ __forceinline__ word arity_b(word kind)
{
  return kind == BASIN_CONTACT_POINT_TRIANGLE ? 3 : kind == BASIN_CONTACT_POINT_POINT ? 1 : 2;
}

typedef struct candidate {
  word kind, item, partner;
  word split, count; /* vertices of the first side, of both */
  word v[4];         /* of the query, then of the partner; unused ones 0 */
} candidate;

static __device__ __forceinline__ void read_candidate(const basin_cuda_sides &sides,
                                                      const basin_cuda_candidates &list,
                                                      size i,
                                                      candidate *c)
{
  word kind = 0, n = 0;
  while (kind + 1 < BASIN__CUDA_PASSES && i >= list.first[kind + 1]) ++kind;
  c->kind = kind;
  c->item = list.items[kind][i - list.first[kind]];
  c->partner = list.partners[kind][i - list.first[kind]];
  c->split = arity_a(kind);
  c->count = c->split + arity_b(kind);
  for (word k = 0; k < c->split; ++k) c->v[n++] = sides.a[kind][(size)c->item * c->split + k];
  for (word k = 0; n < c->count; ++k)
    c->v[n++] = sides.b[kind][(size)c->partner * (c->count - c->split) + k];
  while (n < 4) c->v[n++] = 0;
}

static __device__ __forceinline__ void
stencil_positions(const double *positions, const word *v, word count, basin__vector3 *x)
{
  for (word i = 0; i < count; ++i) x[i] = basin__v3(positions + 3 * (size)v[i]);
}

/* Box of the query at a place, and its corners. */
static __device__ __forceinline__ void
query_box(const basin_cuda_set &set, const float *boxes, size place, word corners[3], float box[6])
{
  for (word c = 0; c < set.arity; ++c) {
    corners[c] = set.corners[(size)c * set.padded + place];
    const float *other = boxes + 6 * (size)corners[c];
    for (int k = 0; k < 3; ++k) {
      box[k] = c == 0 || other[k] < box[k] ? other[k] : box[k];
      box[3 + k] = c == 0 || other[3 + k] > box[3 + k] ? other[3 + k] : box[3 + k];
    }
  }
}

/* ---- boxes in double precision ---- */

/* Ends of the box of a vertex along axis k. */
static __device__ __forceinline__ void exact_interval(const basin_cuda_rules &rules,
                                                      const basin_cuda_motion &motion,
                                                      word vertex,
                                                      int k,
                                                      double *low,
                                                      double *high)
{
  const double start = motion.positions[3 * (size)vertex + k];
  double end = start, reach = 0;
  if (motion.direction) end += motion.limit * motion.direction[3 * (size)vertex + k];
  if (motion.reach >= 0)
    reach = motion.reach + 0.5 * rules.separation + (rules.reaches ? rules.reaches[vertex] : 0);
  basin__box_interval(start, end, reach, low, high);
}

/* Whether the boxes of the two sides of a candidate meet. */
static __device__ bool candidate_meets(const basin_cuda_rules &rules,
                                       const basin_cuda_motion &motion,
                                       const word *v,
                                       word split,
                                       word n)
{
  BASIN_SHARED_LOOP
  for (int k = 0; k < 3; ++k) {
    double low[2] = {BASIN_SHARED_INFINITY, BASIN_SHARED_INFINITY};
    double high[2] = {-BASIN_SHARED_INFINITY, -BASIN_SHARED_INFINITY};
    BASIN_SHARED_LOOP
    for (word i = 0; i < n; ++i) {
      const int side = i >= split;
      double from, to;
      exact_interval(rules, motion, v[i], k, &from, &to);
      low[side] = fmin(low[side], from);
      high[side] = fmax(high[side], to);
    }
    if (low[0] > high[1] || low[1] > high[0]) return false;
  }
  return true;
}

#endif
