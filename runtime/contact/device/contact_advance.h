/* Conservative advancement along separating directions, with subdivision.
 *
 * For any unit direction n, two convex hulls of points a_i and b_j are at least
 * min_i n.a_i - max_j n.b_j apart. For vertices on straight lines this bound is a minimum of
 * functions linear in time, so the time until it falls to a given gap is known in closed form. With
 * n along the closest vector it touches the distance at the present time: each step is at least
 * that of additive conservative advancement (Li, Kaufman, Jiang, "Codimensional Incremental
 * Potential Contact", 2021, section 5), whose bound is the sum of the largest speeds, and a motion
 * across n costs nothing. Where this stalls (a feature that turns about its closest point), the
 * primitives are cut in halves, each of which has directions and bounds of its own.
 *
 * Rounding only enters through the dot products: the direction may be anything, and the closest
 * points are used for nothing else but to choose it and to decide when to stop.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_ADVANCE_TEXT_H
#define BASIN_CONTACT_ADVANCE_TEXT_H

#include "contact_distance.h"

enum {
  BASIN__WHOLE_STEPS = 24,   /* steps before the primitives are cut */
  BASIN__PIECE_STEPS = 6,    /* and before a piece is cut again */
  BASIN__POINT_STEPS = 4096, /* two points cannot be cut, and need few steps */
  BASIN__PIECES = 32768,     /* after so many pieces the time reached so far is the answer */
  BASIN__PIECE_DEPTH = 96
};

/* Two primitives or parts of them, free of contact until `time`. */
typedef struct basin__piece {
  basin__vector3 a[3], qa[3], b[3], qb[3];
  double time;
  unsigned depth;
} basin__piece;

typedef struct basin__search {
  unsigned count_a, count_b;
  double separation, keep, stop; /* gap to keep, gap at which the search ends */
  double start;                  /* distance at time 0 */
  double unit;                   /* 2^-53 times the size of the stencil and its motion */
} basin__search;

typedef enum basin__outcome {
  BASIN__FREE,    /* nothing before the limit */
  BASIN__REACHED, /* the gap is used up */
  BASIN__STALLED  /* the steps are */
} basin__outcome;

/* Largest error of the gap along a direction: three differences, two dot products of three terms,
 * the multiplication by the time, and one midpoint a level. */
BASIN_SHARED double basin__bound_error(const basin__search *s, const basin__piece *p)
{
  return (20 + 2 * p->depth) * s->unit;
}

BASIN_SHARED_LARGE void
basin__piece_closest(const basin__search *s, const basin__piece *p, basin__closest *result)
{
  basin__vector3 x[4];
  unsigned n = 0;
  BASIN_SHARED_LOOP
  for (unsigned i = 0; i < s->count_a; ++i) x[n++] = basin__v3_step(p->a[i], p->time, p->qa[i]);
  BASIN_SHARED_LOOP
  for (unsigned j = 0; j < s->count_b; ++j) x[n++] = basin__v3_step(p->b[j], p->time, p->qb[j]);
  if (s->count_a == 2)
    basin__near_edge_edge(x, result);
  else if (s->count_b == 3)
    basin__near_point_triangle(x, result);
  else if (s->count_b == 2)
    basin__near_point_edge(x, result);
  else
    basin__near_point_point(x, result);
}

/* How long the gap along n stays above `keep`: infinite, or at least 0; negative if it is not above
 * it now. */
BASIN_SHARED double
basin__time_along(const basin__search *s, const basin__piece *p, basin__vector3 n)
{
  const double target = s->separation + s->keep + basin__bound_error(s, p);
  double level_b[3], rate_b[3], least = BASIN_SHARED_INFINITY;
  BASIN_SHARED_LOOP
  for (unsigned j = 0; j < s->count_b; ++j) {
    rate_b[j] = basin__v3_dot(n, p->qb[j]);
    level_b[j] = basin__v3_dot(n, p->b[j]) + p->time * rate_b[j];
  }
  BASIN_SHARED_LOOP
  for (unsigned i = 0; i < s->count_a; ++i) {
    const double rate_a = basin__v3_dot(n, p->qa[i]);
    const double level_a = basin__v3_dot(n, p->a[i]) + p->time * rate_a;
    for (unsigned j = 0; j < s->count_b; ++j) {
      const double room = level_a - level_b[j] - target, closing = rate_b[j] - rate_a;
      if (room <= 0) return -1;
      if (closing > 0 && room < least * closing) least = room / closing;
    }
  }
  return least;
}

/* Moves the piece's time forward until it passes `limit` (FREE), the gap is used up (REACHED), or
 * `steps` are. */
BASIN_SHARED basin__outcome basin__piece_advance(const basin__search *s,
                                                 basin__piece *p,
                                                 unsigned steps,
                                                 double limit)
{
  for (unsigned step = 0; step < steps; ++step) {
    basin__closest near;
    basin__piece_closest(s, p, &near);
    const double distance = sqrt(near.squared);
    if (!(distance - s->separation > s->stop)) return BASIN__REACHED;
    const double more = basin__time_along(s, p, basin__v3_scale(1 / distance, near.vector));
    if (more < 0) return BASIN__STALLED;
    const double next = p->time + more * (1 - 0x1p-50);
    if (next >= limit) return BASIN__FREE;
    if (!(next > p->time)) return BASIN__STALLED;
    p->time = next;
  }
  return BASIN__STALLED;
}

/* ---- cutting ---- */

/* Squared size of the edge i k: of its motion, and a little of its length so that a motionless
 * difference can still be cut. */
BASIN_SHARED double
basin__edge_spread(const basin__vector3 *x, const basin__vector3 *q, unsigned i, unsigned k)
{
  return basin__v3_norm2(basin__v3_sub(q[i], q[k])) +
         0x1p-10 * basin__v3_norm2(basin__v3_sub(x[i], x[k]));
}

/* The edge of a side with the largest spread. */
BASIN_SHARED double basin__longest_edge(const basin__vector3 *x,
                                        const basin__vector3 *q,
                                        unsigned count,
                                        unsigned *from)
{
  double most = 0;
  *from = 0;
  for (unsigned i = 0; i < (count == 3 ? 3u : count - 1); ++i) {
    const double size = basin__edge_spread(x, q, i, (i + 1) % count);
    if (size > most) {
      most = size;
      *from = i;
    }
  }
  return most;
}

BASIN_SHARED basin__vector3 basin__v3_middle(basin__vector3 a, basin__vector3 b)
{
  return basin__v3_of(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z));
}

/* Cuts the piece in two; false if it cannot be. */
BASIN_SHARED bool
basin__piece_cut(const basin__search *s, const basin__piece *p, basin__piece halves[2])
{
  unsigned edge_a, edge_b;
  const double most_a = basin__longest_edge(p->a, p->qa, s->count_a, &edge_a);
  const double most_b = basin__longest_edge(p->b, p->qb, s->count_b, &edge_b);
  if (!(most_a > 0 || most_b > 0)) return false;
  const bool first = most_a > most_b;
  const unsigned i = first ? edge_a : edge_b, k = (i + 1) % (first ? s->count_a : s->count_b);
  const basin__vector3 *x = first ? p->a : p->b, *q = first ? p->qa : p->qb;
  for (int h = 0; h < 2; ++h) {
    halves[h] = *p;
    ++halves[h].depth;
    const unsigned moved = h == 0 ? k : i;
    (first ? halves[h].a : halves[h].b)[moved] = basin__v3_middle(x[i], x[k]);
    (first ? halves[h].qa : halves[h].qb)[moved] = basin__v3_middle(q[i], q[k]);
  }
  return true;
}

/* Depth-first through the pieces of a stalled pair, those left of the best time found so far. The
 * count of pieces does not depend on anything but the pair. `stack` has room for PIECE_DEPTH + 2;
 * its first is the whole. */
BASIN_SHARED double basin__subdivide(const basin__search *s, basin__piece *stack, bool *hit)
{
  unsigned height = 1, seen = 0;
  double best = 1;
  *hit = false;
  while (height > 0) {
    basin__piece *top = &stack[height - 1];
    const unsigned steps = top->depth ? BASIN__PIECE_STEPS : 0;
    const basin__outcome how =
        top->time >= best ? BASIN__FREE : basin__piece_advance(s, top, steps, best);
    if (how == BASIN__FREE) {
      --height;
      continue;
    }
    basin__piece halves[2];
    const bool last =
        how == BASIN__REACHED || top->depth >= BASIN__PIECE_DEPTH || ++seen > BASIN__PIECES;
    if (last || !basin__piece_cut(s, top, halves)) {
      *hit = true;
      best = top->time;
      --height;
      continue;
    }
    stack[height - 1] = halves[1];
    stack[height++] = halves[0];
  }
  return best;
}

/* ---- the question ---- */

BASIN_SHARED double basin__largest_sum(const basin__vector3 *x, unsigned count)
{
  double most = 0;
  BASIN_SHARED_LOOP
  for (unsigned i = 0; i < count; ++i) {
    const double size = fabs(x[i].x) + fabs(x[i].y) + fabs(x[i].z);
    if (size > most) most = size;
  }
  return most;
}

/* Every vertex of the first side moves away from every vertex of the second. */
BASIN_SHARED bool basin__separates(const basin__search *s, const basin__piece *p, basin__vector3 n)
{
  for (unsigned i = 0; i < s->count_a; ++i)
    for (unsigned j = 0; j < s->count_b; ++j)
      if (!(basin__v3_dot(n, basin__v3_sub(p->qa[i], p->qb[j])) > 8 * s->unit)) return false;
  return true;
}

BASIN_SHARED bool basin__moves(const basin__search *s, const basin__piece *p)
{
  for (unsigned i = 0; i < s->count_a; ++i)
    for (unsigned j = 0; j < s->count_b; ++j)
      if (basin__v3_norm2(basin__v3_sub(p->qa[i], p->qb[j])) > 0) return true;
  return false;
}

/* One bound for the whole motion, along the closest vector at the start: it spares most pairs the
 * search, which would find nothing either. */
BASIN_SHARED bool basin__stays_free(const basin__search *s,
                                    const basin__piece *p,
                                    const basin__closest *start,
                                    double limit)
{
  const double distance = sqrt(start->squared);
  const basin__vector3 n = basin__v3_scale(1 / distance, start->vector);
  double least_a = BASIN_SHARED_INFINITY, most_b = -BASIN_SHARED_INFINITY;
  for (unsigned i = 0; i < s->count_a; ++i) {
    const double rate = basin__v3_dot(n, p->qa[i]);
    if (rate < least_a) least_a = rate;
  }
  for (unsigned j = 0; j < s->count_b; ++j) {
    const double rate = basin__v3_dot(n, p->qb[j]);
    if (rate > most_b) most_b = rate;
  }
  const double rate = least_a < most_b ? least_a - most_b : 0;
  return distance + limit * rate > s->separation + s->keep + 4 * basin__bound_error(s, p);
}

BASIN_SHARED void
basin__search_init(const basin__motion *motion, basin__search *s, basin__piece *whole)
{
  const unsigned count = motion->kind == BASIN_CONTACT_POINT_POINT  ? 2u
                         : motion->kind == BASIN_CONTACT_POINT_EDGE ? 3u
                                                                    : 4u;
  s->separation = motion->separation;
  s->keep = s->stop = 0;
  s->count_a = motion->kind == BASIN_CONTACT_EDGE_EDGE ? 2 : 1;
  s->count_b = count - s->count_a;
  whole->time = 0;
  whole->depth = 0;
  for (unsigned i = 0; i < s->count_a; ++i) {
    whole->a[i] = motion->x[i];
    whole->qa[i] = motion->q[i];
  }
  for (unsigned j = 0; j < s->count_b; ++j) {
    whole->b[j] = motion->x[s->count_a + j];
    whole->qb[j] = motion->q[s->count_a + j];
  }
  s->unit = 0x1p-53 * (basin__largest_sum(motion->x, count) + basin__largest_sum(motion->q, count) +
                       s->separation);
}

/* The question without cutting: FREE or REACHED with *hit and the time; STALLED where the whole
 * must be cut. */
BASIN_SHARED basin__outcome basin__advance_whole(const basin__motion *motion,
                                                 double slackness,
                                                 double limit,
                                                 basin__search *s,
                                                 basin__piece *whole,
                                                 double *time)
{
  basin__search_init(motion, s, whole);
  basin__closest start;
  basin__piece_closest(s, whole, &start);
  const double distance = sqrt(start.squared), gap = distance - s->separation;
  *time = 0;
  s->start = distance;
  if (!(gap > 0)) return BASIN__REACHED;
  s->keep = fmax((1 - slackness) * gap, 40 * s->unit + motion->rounding);
  s->stop = s->keep + 0.0625 * fmin(s->keep, slackness * gap);
  if (gap > s->stop && basin__stays_free(s, whole, &start, limit)) return BASIN__FREE;
  if (!basin__moves(s, whole)) return BASIN__FREE;
  if (!(gap > s->stop)) {
    const bool apart = basin__separates(s, whole, basin__v3_scale(1 / distance, start.vector));
    return apart ? BASIN__FREE : BASIN__REACHED;
  }
  const bool points = motion->kind == BASIN_CONTACT_POINT_POINT;
  const unsigned steps = points ? BASIN__POINT_STEPS : BASIN__WHOLE_STEPS;
  const basin__outcome how = basin__piece_advance(s, whole, steps, limit);
  *time = whole->time;
  return points && how == BASIN__STALLED ? BASIN__REACHED : how;
}

#endif
