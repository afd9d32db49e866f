/* What friction keeps of a pair: coefficients of the closest points and two tangents.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

/* Squared sine below which edges count as parallel. */
static const double parallel = 1e-12;

/* Unit vectors t, u orthogonal to n (any length; arbitrary if it is 0). */
static void make_tangents(basin__vector3 n, double *out)
{
  const double length = sqrt(basin__v3_norm2(n));
  n = length > 0 ? basin__v3_scale(1 / length, n) : (basin__vector3){0, 0, 1};
  const double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
  basin__vector3 axis = {0, 0, 1};
  if (ax <= ay && ax <= az)
    axis = (basin__vector3){1, 0, 0};
  else if (ay <= az)
    axis = (basin__vector3){0, 1, 0};
  basin__vector3 t = basin__v3_cross(n, axis);
  t = basin__v3_scale(1 / sqrt(basin__v3_norm2(t)), t);
  const basin__vector3 u = basin__v3_cross(n, t);
  const double values[6] = {t.x, t.y, t.z, u.x, u.y, u.z};
  memcpy(out, values, sizeof values);
}

/* Place of p along the line a b; 0 on a line without length. */
static double along(basin__vector3 p, basin__vector3 a, basin__vector3 b)
{
  const basin__vector3 e = basin__v3_sub(b, a);
  const double length = basin__v3_norm2(e);
  return length > 0 ? basin__v3_dot(basin__v3_sub(p, a), e) / length : 0;
}

/* p x[0] against the line x[i] x[k]. */
static void point_line(const basin__vector3 *x, unsigned i, unsigned k, double *c)
{
  const double t = along(x[0], x[i], x[k]);
  c[0] = 1;
  c[i] = t - 1;
  c[k] = -t;
}

static basin__vector3 point_triangle(const basin__vector3 x[4], double c[4])
{
  const basin__vector3 e1 = basin__v3_sub(x[2], x[1]), e2 = basin__v3_sub(x[3], x[1]);
  const basin__vector3 h = basin__v3_sub(x[0], x[1]), n = basin__v3_cross(e1, e2);
  const double nn = basin__v3_norm2(n);
  if (!(nn > 0)) {
    basin__closest near;
    basin__closest_point_triangle(x, &near);
    memcpy(c, near.coefficients, 4 * sizeof *c);
    return near.vector;
  }
  const double u = basin__v3_dot(basin__v3_cross(h, e2), n) / nn;
  const double v = basin__v3_dot(basin__v3_cross(e1, h), n) / nn;
  c[0] = 1, c[1] = u + v - 1, c[2] = -u, c[3] = -v;
  return n;
}

/* Parallel edges: the middle of the stretch of the first that lies beside the second. */
static void overlap(const basin__vector3 x[4], double *s, double *t)
{
  const double p = along(x[2], x[0], x[1]), q = along(x[3], x[0], x[1]);
  const double low = fmin(fmax(fmin(p, q), 0), 1), high = fmax(fmin(fmax(p, q), 1), 0);
  *s = 0.5 * (low + high);
  const basin__vector3 at = basin__v3_step(x[0], *s, basin__v3_sub(x[1], x[0]));
  *t = fmin(fmax(along(at, x[2], x[3]), 0), 1);
}

static basin__vector3 edge_edge(const basin__vector3 x[4], double c[4])
{
  const basin__vector3 u = basin__v3_sub(x[1], x[0]), v = basin__v3_sub(x[3], x[2]);
  const basin__vector3 h = basin__v3_sub(x[0], x[2]), n = basin__v3_cross(u, v);
  const double a = basin__v3_norm2(u), b = basin__v3_dot(u, v), k = basin__v3_norm2(v);
  const double d = basin__v3_dot(u, h), e = basin__v3_dot(v, h), nn = basin__v3_norm2(n);
  double s, t;
  const bool crossing = nn > parallel * a * k;
  if (crossing) {
    s = (b * e - k * d) / nn;
    t = (a * e - b * d) / nn;
  } else {
    overlap(x, &s, &t);
  }
  c[0] = 1 - s, c[1] = s, c[2] = t - 1, c[3] = -t;
  return crossing ? n : basin__v3_step(basin__v3_step(h, s, u), -t, v);
}

static basin__vector3 combine(const basin__vector3 *x, const double *c, unsigned count)
{
  basin__vector3 w = {0, 0, 0};
  for (unsigned i = 0; i < count; ++i) w = basin__v3_step(w, c[i], x[i]);
  return w;
}

/* Coefficients and normal of one pair. */
static basin__vector3 frame(basin_contact_kind kind, const basin__vector3 x[4], double c[4])
{
  c[0] = 1, c[1] = c[2] = c[3] = 0;
  switch (kind) {
  case BASIN_CONTACT_POINT_POINT:
    c[1] = -1;
    return combine(x, c, 2);
  case BASIN_CONTACT_POINT_EDGE:
    point_line(x, 1, 2, c);
    return combine(x, c, 3);
  case BASIN_CONTACT_POINT_TRIANGLE:
    return point_triangle(x, c);
  case BASIN_CONTACT_MOLLIFIED_POINT_EDGE:
    point_line(x, 2, 3, c);
    return combine(x, c, 4);
  case BASIN_CONTACT_MOLLIFIED_POINT_POINT:
    c[2] = -1;
    return combine(x, c, 4);
  default:
    return edge_edge(x, c);
  }
}

basin_status basin_contact_friction_frames(const basin_contact *contact,
                                           basin_contact_kind kind,
                                           const double *positions,
                                           double *coefficients,
                                           double *tangents)
{
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, kind);
  if (pairs.arity == 0)
    return BASIN_FAIL(contact->context, BASIN_ERROR_ARGUMENT, "contact: unknown kind of pair");
  for (size_t i = 0; i < pairs.count; ++i) {
    basin__vector3 x[4] = {{0, 0, 0}}, n;
    double c[4] = {1, 0, 0, 0};
    for (unsigned k = 0; k < pairs.arity; ++k)
      x[k] = basin__v3(positions + 3 * (size_t)pairs.vertices[i * pairs.arity + k]);
    if (kind == BASIN_CONTACT_POINT_PLANE)
      n = basin__v3(contact->planes[pairs.planes[i]].normal);
    else
      n = frame(kind, x, c);
    if (coefficients) memcpy(coefficients + i * pairs.arity, c, pairs.arity * sizeof *c);
    if (tangents) make_tangents(n, tangents + 6 * i);
  }
  return BASIN_OK;
}
