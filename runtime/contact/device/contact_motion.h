/* Motions of candidates and of points above planes, and the test that spares most of them the
 * search. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_MOTION_TEXT_H
#define BASIN_CONTACT_MOTION_TEXT_H

#include "contact_types.h"

BASIN_SHARED double basin__larger(double a, double b)
{
  return a > b ? a : b;
}

BASIN_SHARED double basin__v3_largest(basin__vector3 v)
{
  return basin__larger(fabs(v.x), basin__larger(fabs(v.y), fabs(v.z)));
}

/* The stencil relative to its first vertex; the motion is `limit` times the direction. */
BASIN_SHARED void basin__motion_of(const double *positions,
                                   const double *direction,
                                   double limit,
                                   const unsigned *v,
                                   unsigned count,
                                   basin__motion *m)
{
  const basin__vector3 x0 = basin__v3(positions + 3 * (unsigned long)v[0]);
  const basin__vector3 p0 = basin__v3(direction + 3 * (unsigned long)v[0]);
  double largest = 0;
  for (unsigned i = 0; i < count; ++i) {
    const basin__vector3 x = basin__v3(positions + 3 * (unsigned long)v[i]);
    const basin__vector3 p = basin__v3(direction + 3 * (unsigned long)v[i]);
    m->x[i] = basin__v3_sub(x, x0);
    m->q[i] = basin__v3_scale(limit, basin__v3_sub(p, p0));
    largest = basin__larger(largest, basin__v3_largest(x) + limit * basin__v3_largest(p));
  }
  /* x + step p is rounded to a double in each coordinate of each vertex. */
  m->rounding = 0x1p-50 * largest;
}

BASIN_SHARED double basin__v3_component(const basin__vector3 *v, unsigned k)
{
  return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

/* Largest gap along an axis over all times up to `limit`; 0 if there is none. */
BASIN_SHARED double
basin__axis_gap(const basin__motion *m, unsigned split, unsigned n, double limit)
{
  double best = 0;
  BASIN_SHARED_LOOP
  for (unsigned k = 0; k < 3; ++k) {
    double low_a = BASIN_SHARED_INFINITY, high_a = -BASIN_SHARED_INFINITY;
    double low_b = BASIN_SHARED_INFINITY, high_b = -BASIN_SHARED_INFINITY;
    BASIN_SHARED_LOOP
    for (unsigned i = 0; i < n; ++i) {
      const double start = basin__v3_component(&m->x[i], k);
      const double end = start + limit * basin__v3_component(&m->q[i], k);
      const double least = start < end ? start : end, most = start < end ? end : start;
      if (i < split) {
        low_a = least < low_a ? least : low_a;
        high_a = basin__larger(most, high_a);
      } else {
        low_b = least < low_b ? least : low_b;
        high_b = basin__larger(most, high_b);
      }
    }
    best = basin__larger(best, basin__larger(low_a - high_b, low_b - high_a));
  }
  return best;
}

/* A test on coordinates: until `limit` the gap stays above twice what it has to keep, so that the
 * search would find nothing either. */
BASIN_SHARED bool
basin__stays_far(const basin__motion *m, unsigned split, unsigned n, double slackness, double limit)
{
  const double gap = basin__axis_gap(m, split, n, limit);
  double near = BASIN_SHARED_INFINITY;
  if (gap <= m->separation) return false;
  for (unsigned i = 0; i < split; ++i)
    for (unsigned j = split; j < n; ++j) {
      const double squared = basin__v3_norm2(basin__v3_sub(m->x[i], m->x[j]));
      if (squared < near) near = squared;
    }
  const double distance = sqrt(near); /* of vertices: not less than that of the primitives */
  return gap - m->separation >
         2 * (1 - slackness) * distance + 0x1p-40 * distance + 2 * m->rounding;
}

/* Time until a point keeps only (1 - slackness) of its gap above a plane, as a part of `limit`; at
 * least 1 if it never does. `xi`: its separation. */
BASIN_SHARED double basin__plane_time(const double *normal,
                                      double offset,
                                      basin__vector3 x,
                                      basin__vector3 p,
                                      double xi,
                                      double limit,
                                      double slackness)
{
  const basin__vector3 n = basin__v3(normal);
  const double gap = basin__v3_dot(n, x) - offset - xi;
  const double rate = limit * basin__v3_dot(n, p);
  const double size = sqrt(basin__v3_norm2(x)) + fabs(offset) + xi;
  const double rounding = 0x1p-50 * (size + limit * sqrt(basin__v3_norm2(p)));
  if (!(gap > 0)) return 0;
  if (rate >= 0) return 1;
  const double room = gap - fmax((1 - slackness) * gap, rounding);
  return room > 0 ? room / -rate * (1 - 0x1p-50) : 0;
}

#endif
