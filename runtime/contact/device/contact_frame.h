/* What friction keeps of a pair: coefficients of the closest points and two tangents.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_FRAME_TEXT_H
#define BASIN_CONTACT_FRAME_TEXT_H

#include "contact_distance.h"

/* Squared sine below which edges count as parallel. */
#define BASIN__FRAME_PARALLEL 1e-12

/* Unit vectors t, u orthogonal to n (any length; arbitrary if it is 0). */
BASIN_SHARED void basin__frame_tangents(basin__vector3 n, double *out)
{
  const double length = sqrt(basin__v3_norm2(n));
  n = length > 0 ? basin__v3_scale(1 / length, n) : basin__v3_of(0, 0, 1);
  const double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
  basin__vector3 axis = {0, 0, 1};
  if (ax <= ay && ax <= az)
    axis = basin__v3_of(1, 0, 0);
  else if (ay <= az)
    axis = basin__v3_of(0, 1, 0);
  basin__vector3 t = basin__v3_cross(n, axis);
  t = basin__v3_scale(1 / sqrt(basin__v3_norm2(t)), t);
  const basin__vector3 u = basin__v3_cross(n, t);
  out[0] = t.x, out[1] = t.y, out[2] = t.z;
  out[3] = u.x, out[4] = u.y, out[5] = u.z;
}

/* Place of p along the line a b; 0 on a line without length. */
BASIN_SHARED double basin__frame_along(basin__vector3 p, basin__vector3 a, basin__vector3 b)
{
  const basin__vector3 e = basin__v3_sub(b, a);
  const double length = basin__v3_norm2(e);
  return length > 0 ? basin__v3_dot(basin__v3_sub(p, a), e) / length : 0;
}

/* p x[0] against the line x[i] x[k]. */
BASIN_SHARED void
basin__frame_point_line(const basin__vector3 *x, unsigned i, unsigned k, double *c)
{
  const double t = basin__frame_along(x[0], x[i], x[k]);
  c[0] = 1;
  c[i] = t - 1;
  c[k] = -t;
}

BASIN_SHARED basin__vector3 basin__frame_point_triangle(const basin__vector3 x[4], double c[4])
{
  const basin__vector3 e1 = basin__v3_sub(x[2], x[1]), e2 = basin__v3_sub(x[3], x[1]);
  const basin__vector3 h = basin__v3_sub(x[0], x[1]), n = basin__v3_cross(e1, e2);
  const double nn = basin__v3_norm2(n);
  if (!(nn > 0)) {
    basin__closest near;
    basin__near_point_triangle(x, &near);
    for (int k = 0; k < 4; ++k) c[k] = near.coefficients[k];
    return near.vector;
  }
  const double u = basin__v3_dot(basin__v3_cross(h, e2), n) / nn;
  const double v = basin__v3_dot(basin__v3_cross(e1, h), n) / nn;
  c[0] = 1, c[1] = u + v - 1, c[2] = -u, c[3] = -v;
  return n;
}

/* The nearest number of [0, 1]; by comparisons, as devices differ in which zero fmax takes. */
BASIN_SHARED double basin__frame_unit(double t)
{
  return t > 0 ? (t < 1 ? t : 1) : 0;
}

/* Parallel edges: the middle of the stretch of the first that lies beside the second. */
BASIN_SHARED void basin__frame_overlap(const basin__vector3 x[4], double *s, double *t)
{
  const double p = basin__frame_along(x[2], x[0], x[1]), q = basin__frame_along(x[3], x[0], x[1]);
  *s = 0.5 * (basin__frame_unit(p) + basin__frame_unit(q));
  const basin__vector3 at = basin__v3_step(x[0], *s, basin__v3_sub(x[1], x[0]));
  *t = basin__frame_unit(basin__frame_along(at, x[2], x[3]));
}

BASIN_SHARED basin__vector3 basin__frame_edge_edge(const basin__vector3 x[4], double c[4])
{
  const basin__vector3 u = basin__v3_sub(x[1], x[0]), v = basin__v3_sub(x[3], x[2]);
  const basin__vector3 h = basin__v3_sub(x[0], x[2]), n = basin__v3_cross(u, v);
  const double a = basin__v3_norm2(u), b = basin__v3_dot(u, v), k = basin__v3_norm2(v);
  const double d = basin__v3_dot(u, h), e = basin__v3_dot(v, h), nn = basin__v3_norm2(n);
  double s, t;
  const bool crossing = nn > BASIN__FRAME_PARALLEL * a * k;
  if (crossing) {
    s = (b * e - k * d) / nn;
    t = (a * e - b * d) / nn;
  } else {
    basin__frame_overlap(x, &s, &t);
  }
  c[0] = 1 - s, c[1] = s, c[2] = t - 1, c[3] = -t;
  return crossing ? n : basin__v3_step(basin__v3_step(h, s, u), -t, v);
}

BASIN_SHARED basin__vector3 basin__frame_combine(const basin__vector3 *x,
                                                 const double *c,
                                                 unsigned count)
{
  basin__vector3 w = {0, 0, 0};
  for (unsigned i = 0; i < count; ++i) w = basin__v3_step(w, c[i], x[i]);
  return w;
}

/* Coefficients and normal of one pair. */
BASIN_SHARED basin__vector3 basin__frame_coefficients(basin_contact_kind kind,
                                                      const basin__vector3 x[4],
                                                      double c[4])
{
  c[0] = 1, c[1] = c[2] = c[3] = 0;
  switch (kind) {
  case BASIN_CONTACT_POINT_POINT:
    c[1] = -1;
    return basin__frame_combine(x, c, 2);
  case BASIN_CONTACT_POINT_EDGE:
    basin__frame_point_line(x, 1, 2, c);
    return basin__frame_combine(x, c, 3);
  case BASIN_CONTACT_POINT_TRIANGLE:
    return basin__frame_point_triangle(x, c);
  case BASIN_CONTACT_MOLLIFIED_POINT_EDGE:
    basin__frame_point_line(x, 2, 3, c);
    return basin__frame_combine(x, c, 4);
  case BASIN_CONTACT_MOLLIFIED_POINT_POINT:
    c[2] = -1;
    return basin__frame_combine(x, c, 4);
  default:
    return basin__frame_edge_edge(x, c);
  }
}

/* Coefficients and tangents of a pair of any kind; `normal`: of its plane, if it has one. */
BASIN_SHARED void basin__frame_of(basin_contact_kind kind,
                                  const basin__vector3 x[4],
                                  const double *normal,
                                  double c[4],
                                  double tangents[6])
{
  basin__vector3 n;
  c[0] = 1, c[1] = c[2] = c[3] = 0;
  if (kind == BASIN_CONTACT_POINT_PLANE)
    n = basin__v3(normal);
  else
    n = basin__frame_coefficients(kind, x, c);
  basin__frame_tangents(n, tangents);
}

/* The mollifier of a pair of edges: friction fades with the force of the pair. */
BASIN_SHARED double basin__frame_mollifier(const basin__vector3 x[4], double threshold)
{
  const basin__vector3 a = basin__v3_sub(x[1], x[0]), b = basin__v3_sub(x[3], x[2]);
  const double s = basin__v3_norm2(basin__v3_cross(a, b)) / threshold;
  return s < 1 ? s * (2 - s) : 1;
}

/* Where the slip of the pair is counted from: T sum c_i x_i at the start of the step. */
BASIN_SHARED void basin__frame_start(const basin__vector3 x[4],
                                     const double c[4],
                                     const double tangents[6],
                                     double start[2])
{
  start[0] = start[1] = 0;
  for (int i = 0; i < 4; ++i) {
    const double p[3] = {x[i].x, x[i].y, x[i].z};
    for (int k = 0; k < 3; ++k) {
      start[0] += c[i] * tangents[k] * p[k];
      start[1] += c[i] * tangents[3 + k] * p[k];
    }
  }
}

#endif
