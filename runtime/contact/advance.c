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
#include "contact/advance.h"

#include "base/base.h"
#include <float.h>

enum {
  WHOLE_STEPS = 24,   /* steps before the primitives are cut */
  PIECE_STEPS = 6,    /* and before a piece is cut again */
  POINT_STEPS = 4096, /* two points cannot be cut, and need few steps */
  PIECES = 32768,     /* after so many pieces the time reached so far is the answer */
  DEPTH = 96
};

/* Two primitives or parts of them, free of contact until `time`. */
typedef struct piece {
  basin__vector3 a[3], qa[3], b[3], qb[3];
  double time;
  unsigned depth;
} piece;

typedef struct search {
  unsigned count_a, count_b;
  double separation, keep, stop; /* gap to keep, gap at which the search ends */
  double unit;                   /* 2^-53 times the size of the stencil and its motion */
} search;

/* Largest error of the gap along a direction: three differences, two dot products of three terms,
 * the multiplication by the time, and one midpoint a level. */
static double bound_error(const search *s, const piece *p)
{
  return (20 + 2 * p->depth) * s->unit;
}

static void closest(const search *s, const piece *p, basin__closest *result)
{
  basin__vector3 x[4];
  unsigned n = 0;
  for (unsigned i = 0; i < s->count_a; ++i) x[n++] = basin__v3_step(p->a[i], p->time, p->qa[i]);
  for (unsigned j = 0; j < s->count_b; ++j) x[n++] = basin__v3_step(p->b[j], p->time, p->qb[j]);
  if (s->count_a == 2)
    basin__closest_edge_edge(x, result);
  else if (s->count_b == 3)
    basin__closest_point_triangle(x, result);
  else if (s->count_b == 2)
    basin__closest_point_edge(x, result);
  else
    basin__closest_point_point(x, result);
}

/* How long the gap along n stays above `keep`: infinite, or at least 0; negative if it is not above
 * it now. */
static double time_along(const search *s, const piece *p, basin__vector3 n)
{
  const double target = s->separation + s->keep + bound_error(s, p);
  double level_b[3], rate_b[3], least = HUGE_VAL;
  for (unsigned j = 0; j < s->count_b; ++j) {
    rate_b[j] = basin__v3_dot(n, p->qb[j]);
    level_b[j] = basin__v3_dot(n, p->b[j]) + p->time * rate_b[j];
  }
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

typedef enum outcome { FREE, REACHED, STALLED } outcome;

/* Moves the piece's time forward until it passes `limit` (FREE), the gap is used up (REACHED), or
 * `steps` are. */
static outcome advance(const search *s, piece *p, unsigned steps, double limit)
{
  for (unsigned step = 0; step < steps; ++step) {
    basin__closest near;
    closest(s, p, &near);
    const double distance = sqrt(near.squared);
    if (!(distance - s->separation > s->stop)) return REACHED;
    const double more = time_along(s, p, basin__v3_scale(1 / distance, near.vector));
    if (more < 0) return STALLED;
    const double next = p->time + more * (1 - 4 * DBL_EPSILON);
    if (next >= limit) return FREE;
    if (!(next > p->time)) return STALLED;
    p->time = next;
  }
  return STALLED;
}

/* ---- cutting ---- */

/* Squared size of the edge i k: of its motion, and a little of its length so that a motionless
 * difference can still be cut. */
static double spread(const basin__vector3 *x, const basin__vector3 *q, unsigned i, unsigned k)
{
  return basin__v3_norm2(basin__v3_sub(q[i], q[k])) +
         0x1p-10 * basin__v3_norm2(basin__v3_sub(x[i], x[k]));
}

/* The edge of a side with the largest spread. */
static double
longest(const basin__vector3 *x, const basin__vector3 *q, unsigned count, unsigned *from)
{
  double most = 0;
  *from = 0;
  for (unsigned i = 0; i < (count == 3 ? 3u : count - 1); ++i) {
    const double size = spread(x, q, i, (i + 1) % count);
    if (size > most) {
      most = size;
      *from = i;
    }
  }
  return most;
}

static basin__vector3 middle(basin__vector3 a, basin__vector3 b)
{
  return (basin__vector3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

/* Cuts the piece in two; false if it cannot be. */
static bool cut(const search *s, const piece *p, piece halves[2])
{
  unsigned edge_a, edge_b;
  const double most_a = longest(p->a, p->qa, s->count_a, &edge_a);
  const double most_b = longest(p->b, p->qb, s->count_b, &edge_b);
  if (!(most_a > 0 || most_b > 0)) return false;
  const bool first = most_a > most_b;
  const unsigned i = first ? edge_a : edge_b, k = (i + 1) % (first ? s->count_a : s->count_b);
  const basin__vector3 *x = first ? p->a : p->b, *q = first ? p->qa : p->qb;
  for (int h = 0; h < 2; ++h) {
    halves[h] = *p;
    ++halves[h].depth;
    const unsigned moved = h == 0 ? k : i;
    (first ? halves[h].a : halves[h].b)[moved] = middle(x[i], x[k]);
    (first ? halves[h].qa : halves[h].qb)[moved] = middle(q[i], q[k]);
  }
  return true;
}

/* Depth-first through the pieces of a stalled pair, those left of the best time found so far. The
 * count of pieces does not depend on anything but the pair. */
static double subdivide(const search *s, const piece *whole, bool *hit)
{
  piece stack[DEPTH + 2];
  unsigned height = 1, seen = 0;
  double best = 1;
  stack[0] = *whole;
  *hit = false;
  while (height > 0) {
    piece *top = &stack[height - 1];
    const outcome how =
        top->time >= best ? FREE : advance(s, top, top->depth ? PIECE_STEPS : 0, best);
    if (how == FREE) {
      --height;
      continue;
    }
    piece halves[2];
    const bool last = how == REACHED || top->depth >= DEPTH || ++seen > PIECES;
    if (last || !cut(s, top, halves)) {
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

static double largest(const basin__vector3 *x, unsigned count)
{
  double most = 0;
  for (unsigned i = 0; i < count; ++i) {
    const double size = fabs(x[i].x) + fabs(x[i].y) + fabs(x[i].z);
    if (size > most) most = size;
  }
  return most;
}

/* Every vertex of the first side moves away from every vertex of the second. */
static bool separates(const search *s, const piece *p, basin__vector3 n)
{
  for (unsigned i = 0; i < s->count_a; ++i)
    for (unsigned j = 0; j < s->count_b; ++j)
      if (!(basin__v3_dot(n, basin__v3_sub(p->qa[i], p->qb[j])) > 8 * s->unit)) return false;
  return true;
}

static bool moves(const search *s, const piece *p)
{
  for (unsigned i = 0; i < s->count_a; ++i)
    for (unsigned j = 0; j < s->count_b; ++j)
      if (basin__v3_norm2(basin__v3_sub(p->qa[i], p->qb[j])) > 0) return true;
  return false;
}

double basin__advance(const basin__motion *motion, double slackness, double limit, bool *hit)
{
  search s = {.separation = motion->separation};
  s.count_a = motion->kind == BASIN_CONTACT_EDGE_EDGE ? 2 : 1;
  s.count_b = basin_contact_arity(motion->kind) - s.count_a;
  piece whole = {.time = 0};
  for (unsigned i = 0; i < s.count_a; ++i) {
    whole.a[i] = motion->x[i];
    whole.qa[i] = motion->q[i];
  }
  for (unsigned j = 0; j < s.count_b; ++j) {
    whole.b[j] = motion->x[s.count_a + j];
    whole.qb[j] = motion->q[s.count_a + j];
  }
  const unsigned count = s.count_a + s.count_b;
  s.unit = 0x1p-53 * (largest(motion->x, count) + largest(motion->q, count) + s.separation);
  basin__closest start;
  closest(&s, &whole, &start);
  const double distance = sqrt(start.squared), gap = distance - s.separation;
  *hit = true;
  if (!(gap > 0)) return 0;
  *hit = false;
  if (!moves(&s, &whole)) return limit;
  s.keep = fmax((1 - slackness) * gap, 40 * s.unit + motion->rounding);
  s.stop = s.keep + 0.0625 * fmin(s.keep, slackness * gap);
  if (!(gap > s.stop)) {
    *hit = !separates(&s, &whole, basin__v3_scale(1 / distance, start.vector));
    return *hit ? 0 : limit;
  }
  const bool points = count == 2;
  const outcome how = advance(&s, &whole, points ? POINT_STEPS : WHOLE_STEPS, limit);
  if (how == FREE) return limit;
  *hit = true;
  if (how == REACHED || points) return whole.time;
  const double time = subdivide(&s, &whole, hit);
  *hit = *hit && time < limit;
  return *hit ? time : limit;
}
