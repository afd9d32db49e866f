/* What pair primitives and the list of friction read, written on the device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"
#include "contact_frame.h"

/* Addresses of constants; 0: the primitive has none. */
typedef struct pair_target {
  word *vertices;
  double *multiplicity, *weight, *separation, *threshold, *plane;
  const double *weight_table; /* or 0 */
} pair_target;

/* The mean of a table's numbers over the vertex pairs across: exactly one of them if all are equal.
 */
static __device__ __forceinline__ double
look_up(const basin_cuda_rules &rules, const double *table, word kind, const word *v)
{
  if (!table) return 1;
  const size rows = rules.body_count ? rules.body_count : 1;
  const bool plane = kind == BASIN_CONTACT_POINT_PLANE;
  const word first = plane || kind <= BASIN_CONTACT_POINT_TRIANGLE ? 1 : 2;
  const word second = plane ? 1 : (kind <= BASIN_CONTACT_POINT_TRIANGLE ? kind + 1 : 2);
  double start = 0, sum = 0;
  for (word i = 0; i < first; ++i) {
    for (word k = 0; k < second; ++k) {
      const size other = plane ? rows : (size)body_of(rules, v[first + k]);
      const double value = table[body_of(rules, v[i]) * (rows + 1) + other];
      if (i == 0 && k == 0) start = value;
      sum += value - start;
    }
  }
  return start + sum / (double)(first * second);
}

/* Copies of each stencil, as words to be summed. */
extern "C" __global__ void
contact_copies(basin_cuda_pairs pairs, size first, size count, word *copies)
{
  const size i = thread_number();
  if (i < count) copies[i] = (word)pairs.multiplicity[first + i];
}

/* A thread a pair; with `places` it writes as many copies as the multiplicity says from there on.
 */
extern "C" __global__ void contact_fill(basin_cuda_rules rules,
                                        basin_cuda_pairs pairs,
                                        word kind,
                                        word arity,
                                        size first,
                                        size count,
                                        const word *places,
                                        pair_target to)
{
  const size i = thread_number();
  if (i >= count) return;
  const size row = first + i;
  const word *v = pairs.vertices + 4 * row;
  const double multiplicity = pairs.multiplicity[row];
  const size begin = places ? places[i] : i, end = places ? places[i + 1] : i + 1;
  for (size n = begin; n < end; ++n) {
    for (word c = 0; c < arity; ++c) to.vertices[n * arity + c] = v[c];
    if (to.multiplicity) to.multiplicity[n] = multiplicity;
    if (to.weight) to.weight[n] = multiplicity * look_up(rules, to.weight_table, kind, v);
    if (to.separation) to.separation[n] = pairs.separation[row];
    if (to.threshold) to.threshold[n] = pairs.threshold[row];
    if (to.plane)
      for (int k = 0; k < 4; ++k) to.plane[4 * n + k] = rules.planes[4 * (size)v[1] + k];
  }
}

/* ---- friction ---- */

typedef struct friction_target {
  word *vertices;
  double *coefficients, *tangents, *start, *weight, *squared, *separation, *fixed, *moving;
  const double *weight_table, *fixed_table, *moving_table;
} friction_target;

typedef struct friction_pair {
  word kind, arity;
  word v[4]; /* those that the kind lacks are the first */
  double weight, fixed, moving;
} friction_pair;

/* A row of the lists; false if the pair has no friction. */
static __device__ bool read_pair(const basin_cuda_rules &rules,
                                 const basin_cuda_pairs &pairs,
                                 const friction_target &to,
                                 const double *positions,
                                 size row,
                                 friction_pair *pair)
{
  word kind = 0;
  while (row >= pairs.first[kind + 1]) ++kind;
  const word arity = kind == BASIN_CONTACT_POINT_PLANE   ? 1
                     : kind == BASIN_CONTACT_POINT_POINT ? 2
                     : kind == BASIN_CONTACT_POINT_EDGE  ? 3
                                                         : 4;
  pair->kind = kind;
  pair->arity = arity;
  for (word k = 0; k < 4; ++k) pair->v[k] = pairs.vertices[4 * row + (k < arity ? k : 0)];
  pair->fixed = look_up(rules, to.fixed_table, kind, pair->v);
  pair->moving = look_up(rules, to.moving_table, kind, pair->v);
  pair->weight = pairs.multiplicity[row] * look_up(rules, to.weight_table, kind, pair->v);
  if (kind >= BASIN_CONTACT_MOLLIFIED_EDGE_EDGE && kind <= BASIN_CONTACT_MOLLIFIED_POINT_POINT) {
    basin__vector3 x[4];
    stencil_positions(positions, pair->v, 4, x);
    pair->weight *= basin__frame_mollifier(x, pairs.threshold[row]);
  }
  return pair->weight != 0 && (pair->fixed != 0 || pair->moving != 0);
}

/* 1 for each row with friction. */
extern "C" __global__ void contact_friction_flags(basin_cuda_rules rules,
                                                  basin_cuda_pairs pairs,
                                                  friction_target to,
                                                  const double *positions,
                                                  word *flags)
{
  const size row = thread_number();
  if (row >= pairs.first[BASIN__CUDA_KINDS]) return;
  friction_pair pair;
  flags[row] = read_pair(rules, pairs, to, positions, row, &pair);
}

/* The vertices of the rows with friction; places: sums of the flags. Tells in the status whether
 * they differ from those before, `count` rows. */
extern "C" __global__ void contact_friction_vertices(basin_cuda_pairs pairs,
                                                     const word *places,
                                                     const word *before,
                                                     size count,
                                                     word *vertices,
                                                     basin_cuda_status *status)
{
  const size row = thread_number(), rows = pairs.first[BASIN__CUDA_KINDS];
  if (row == 0) status->friction = places[rows];
  if (row >= rows || places[row] == places[row + 1]) return;
  const size n = places[row];
  word arity = 4;
  if (row >= pairs.first[BASIN_CONTACT_POINT_PLANE])
    arity = 1;
  else if (row < pairs.first[BASIN_CONTACT_POINT_EDGE])
    arity = 2;
  else if (row < pairs.first[BASIN_CONTACT_POINT_TRIANGLE])
    arity = 3;
  bool same = n < count;
  for (word k = 0; k < 4; ++k) {
    const word v = pairs.vertices[4 * row + (k < arity ? k : 0)];
    vertices[4 * n + k] = v;
    same = same && before[4 * n + k] == v;
  }
  if (!same) atomicOr(&status->changed, 1u);
}

extern "C" __global__ void contact_fill_friction(basin_cuda_rules rules,
                                                 basin_cuda_pairs pairs,
                                                 const word *places,
                                                 const double *lagged,
                                                 const double *before,
                                                 friction_target to)
{
  const size row = thread_number();
  if (row >= pairs.first[BASIN__CUDA_KINDS] || places[row] == places[row + 1]) return;
  const size n = places[row];
  friction_pair pair;
  basin__vector3 x[4];
  double c[4], tangents[6], start[2];
  const double *normal = 0;
  read_pair(rules, pairs, to, lagged, row, &pair);
  if (pair.kind == BASIN_CONTACT_POINT_PLANE)
    normal = rules.planes + 4 * (size)pairs.vertices[4 * row + 1];
  stencil_positions(lagged, pair.v, 4, x);
  basin__frame_of((basin_contact_kind)pair.kind, x, normal, c, tangents);
  for (word k = pair.arity; k < 4; ++k) c[k] = 0;
  stencil_positions(before, pair.v, 4, x);
  basin__frame_start(x, c, tangents, start);
  if (to.coefficients)
    for (int k = 0; k < 4; ++k) to.coefficients[4 * n + k] = c[k];
  if (to.tangents)
    for (int k = 0; k < 6; ++k) to.tangents[6 * n + k] = tangents[k];
  if (to.start)
    for (int k = 0; k < 2; ++k) to.start[2 * n + k] = start[k];
  if (to.weight) to.weight[n] = pair.weight;
  if (to.squared) to.squared[n] = pairs.squared[row];
  if (to.separation) to.separation[n] = pairs.separation[row];
  if (to.fixed) to.fixed[n] = pair.fixed;
  if (to.moving) to.moving[n] = pair.moving;
}
