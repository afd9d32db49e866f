/* Closest features of two primitives: classification, closest vector, squared distance. Valid for
 * edges without length and triangles without area.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_DISTANCE_TEXT_H
#define BASIN_CONTACT_DISTANCE_TEXT_H

#include "contact_types.h"

/* Below these (squared sines of the angle between the sides) a normal or a determinant is not
 * trusted, and the distance between the two points found replaces the distance along the normal. */
#define BASIN__SLIVER   1e-10
#define BASIN__PARALLEL 1e-8

BASIN_SHARED void
basin__near_set(basin__closest *near, double c0, double c1, double c2, double c3, unsigned region)
{
  near->coefficients[0] = c0;
  near->coefficients[1] = c1;
  near->coefficients[2] = c2;
  near->coefficients[3] = c3;
  near->region = region;
}

BASIN_SHARED void basin__near_point_point(const basin__vector3 x[2], basin__closest *result)
{
  const basin__vector3 w = basin__v3_sub(x[0], x[1]);
  result->squared = basin__v3_norm2(w);
  result->vector = w;
  basin__near_set(result, 1, -1, 0, 0, 3);
}

/* Point p against the edge e0 e1: t and the closest vector. Measured from the nearer end, so that
 * nothing cancels. */
BASIN_SHARED double
basin__project(basin__vector3 p, basin__vector3 e0, basin__vector3 e1, basin__vector3 *w)
{
  const basin__vector3 e = basin__v3_sub(e1, e0), from0 = basin__v3_sub(p, e0);
  const double length = basin__v3_norm2(e), along = basin__v3_dot(from0, e);
  *w = from0;
  if (!(length > 0) || along <= 0) return 0;
  const basin__vector3 from1 = basin__v3_sub(p, e1);
  const double back = -basin__v3_dot(from1, e);
  if (back <= 0) {
    *w = from1;
    return 1;
  }
  if (along <= back) {
    *w = basin__v3_step(from0, -along / length, e);
    return along / length;
  }
  *w = basin__v3_step(from1, back / length, e);
  return 1 - back / length;
}

BASIN_SHARED void basin__near_point_edge(const basin__vector3 x[3], basin__closest *result)
{
  basin__vector3 w;
  const double t = basin__project(x[0], x[1], x[2], &w);
  result->squared = basin__v3_norm2(w);
  result->vector = w;
  basin__near_set(result, 1, t - 1, -t, 0, 1u | (t < 1 ? 2u : 0) | (t > 0 ? 4u : 0));
}

/* Takes the closest points of `point` and the edge of vertices `from`, `to` if they are closer.
 * `sign` is that of the point's coefficient. */
BASIN_SHARED void basin__try_edge(
    const basin__vector3 x[4], int point, int from, int to, double sign, basin__closest *best)
{
  basin__vector3 w;
  const double t = basin__project(x[point], x[from], x[to], &w);
  const double squared = basin__v3_norm2(w);
  if (squared >= best->squared) return;
  best->squared = squared;
  best->vector = basin__v3_scale(sign, w);
  basin__near_set(
      best, 0, 0, 0, 0, 1u << point | (t < 1 ? 1u << from : 0) | (t > 0 ? 1u << to : 0));
  best->coefficients[point] = sign;
  best->coefficients[from] = -sign * (1 - t);
  best->coefficients[to] = -sign * t;
}

/* The plane candidate; true if it is certainly the closest. */
BASIN_SHARED bool basin__point_plane(const basin__vector3 x[4], basin__closest *best)
{
  const basin__vector3 e1 = basin__v3_sub(x[2], x[1]), e2 = basin__v3_sub(x[3], x[1]);
  const basin__vector3 h = basin__v3_sub(x[0], x[1]), n = basin__v3_cross(e1, e2);
  const double nn = basin__v3_norm2(n);
  if (!(nn > 0)) return false;
  const double u = basin__v3_dot(basin__v3_cross(h, e2), n) / nn;
  const double v = basin__v3_dot(basin__v3_cross(e1, h), n) / nn;
  if (!(u > 0 && v > 0 && u + v < 1)) return false;
  basin__near_set(best, 1, u + v - 1, -u, -v, 15);
  /* From the nearest corner, whose difference cancels least. */
  const basin__vector3 h1 = basin__v3_sub(x[0], x[2]), h2 = basin__v3_sub(x[0], x[3]);
  basin__vector3 near = h;
  if (u > v && u > 1 - u - v) near = h1;
  if (v >= u && v > 1 - u - v) near = h2;
  const double height = basin__v3_dot(near, n);
  const bool trusted = nn > BASIN__SLIVER * basin__v3_norm2(e1) * basin__v3_norm2(e2);
  best->vector =
      trusted ? basin__v3_scale(height / nn, n) : basin__v3_step(basin__v3_step(h, -u, e1), -v, e2);
  best->squared = trusted ? height * height / nn : basin__v3_norm2(best->vector);
  return trusted;
}

BASIN_SHARED void basin__near_point_triangle(const basin__vector3 x[4], basin__closest *result)
{
  result->squared = BASIN_SHARED_INFINITY;
  if (basin__point_plane(x, result)) return;
  basin__try_edge(x, 0, 1, 2, 1, result);
  basin__try_edge(x, 0, 2, 3, 1, result);
  basin__try_edge(x, 0, 3, 1, 1, result);
}

/* The candidate inside both edges; true if it is certainly the closest. */
BASIN_SHARED bool basin__inside_edges(const basin__vector3 x[4], basin__closest *best)
{
  const basin__vector3 u = basin__v3_sub(x[1], x[0]), v = basin__v3_sub(x[3], x[2]);
  const basin__vector3 h = basin__v3_sub(x[0], x[2]), n = basin__v3_cross(u, v);
  const double a = basin__v3_norm2(u), b = basin__v3_dot(u, v), c = basin__v3_norm2(v);
  const double nn = basin__v3_norm2(n);
  if (!(nn > 0)) return false;
  const double d = basin__v3_dot(u, h), e = basin__v3_dot(v, h);
  const double s = (b * e - c * d) / nn, t = (a * e - b * d) / nn;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return false;
  basin__near_set(best, 1 - s, s, t - 1, -t, 15);
  /* Between the ends nearest to the closest points, whose difference cancels least. */
  const basin__vector3 near = basin__v3_sub(x[s > 0.5], x[t > 0.5 ? 3 : 2]);
  const double height = basin__v3_dot(near, n);
  const bool trusted = nn > BASIN__PARALLEL * a * c;
  best->vector =
      trusted ? basin__v3_scale(height / nn, n) : basin__v3_step(basin__v3_step(h, s, u), -t, v);
  best->squared = trusted ? height * height / nn : basin__v3_norm2(best->vector);
  return trusted;
}

BASIN_SHARED void basin__try_ends(const basin__vector3 x[4], basin__closest *result)
{
  basin__try_edge(x, 0, 2, 3, 1, result);
  basin__try_edge(x, 1, 2, 3, 1, result);
  basin__try_edge(x, 2, 0, 1, -1, result);
  basin__try_edge(x, 3, 0, 1, -1, result);
}

BASIN_SHARED void basin__near_edge_ends(const basin__vector3 x[4], basin__closest *result)
{
  result->squared = BASIN_SHARED_INFINITY;
  basin__try_ends(x, result);
}

BASIN_SHARED void basin__near_edge_edge(const basin__vector3 x[4], basin__closest *result)
{
  result->squared = BASIN_SHARED_INFINITY;
  if (!basin__inside_edges(x, result)) basin__try_ends(x, result);
}

BASIN_SHARED void
basin__near_of(basin_contact_kind kind, const basin__vector3 x[4], basin__closest *result)
{
  if (kind == BASIN_CONTACT_POINT_POINT)
    basin__near_point_point(x, result);
  else if (kind == BASIN_CONTACT_POINT_EDGE)
    basin__near_point_edge(x, result);
  else if (kind == BASIN_CONTACT_POINT_TRIANGLE)
    basin__near_point_triangle(x, result);
  else
    basin__near_edge_edge(x, result);
}

#endif
