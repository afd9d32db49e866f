/* Whether a closed segment and a closed triangle have a point in common, by signs alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/orientation.h"
#include <basin/contact.h>

static bool between(double low, double high, double value)
{
  return low <= high ? low <= value && value <= high : high <= value && value <= low;
}

/* c on the segment a b, all on one line of the plane. */
static bool covers(const double *a, const double *b, const double *c, int i, int j)
{
  return between(a[i], b[i], c[i]) && between(a[j], b[j], c[j]);
}

/* Closed segments a b and c d in the plane of coordinates i and j. */
static bool
segments_meet(const double *a, const double *b, const double *c, const double *d, int i, int j)
{
  const int c_side = basin__orientation_2d(a, b, c, i, j);
  const int d_side = basin__orientation_2d(a, b, d, i, j);
  const int a_side = basin__orientation_2d(c, d, a, i, j);
  const int b_side = basin__orientation_2d(c, d, b, i, j);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && covers(a, b, c, i, j)) || (d_side == 0 && covers(a, b, d, i, j)) ||
         (a_side == 0 && covers(c, d, a, i, j)) || (b_side == 0 && covers(c, d, b, i, j));
}

/* Point in a triangle of the plane; only for triangles with area. */
static bool inside(const double *p, const double *t, int i, int j)
{
  const int s0 = basin__orientation_2d(t, t + 3, p, i, j);
  const int s1 = basin__orientation_2d(t + 3, t + 6, p, i, j);
  const int s2 = basin__orientation_2d(t + 6, t, p, i, j);
  return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

/* The shadows of the segment on the coordinate plane i j. */
static bool shadows_meet(const double *segment, const double *triangle, int i, int j)
{
  for (int k = 0; k < 3; ++k)
    if (segments_meet(segment, segment + 3, triangle + 3 * k, triangle + 3 * ((k + 1) % 3), i, j))
      return true;
  return inside(segment, triangle, i, j);
}

/* All in one plane: shadows on three coordinate planes. If the sets meet, all shadows do; of a
 * plane there is a one-to-one shadow, in which they meet only if the sets do. */
static bool coplanar_meet(const double *segment, const double *triangle)
{
  return shadows_meet(segment, triangle, 0, 1) && shadows_meet(segment, triangle, 1, 2) &&
         shadows_meet(segment, triangle, 2, 0);
}

/* Closed segments in space. */
static bool lines_meet(const double *segment, const double *c, const double *d)
{
  const double *a = segment, *b = segment + 3;
  return basin__orientation_3d(a, b, c, d) == 0 && segments_meet(a, b, c, d, 0, 1) &&
         segments_meet(a, b, c, d, 1, 2) && segments_meet(a, b, c, d, 2, 0);
}

static bool has_area(const double *t)
{
  return basin__orientation_2d(t, t + 3, t + 6, 0, 1) != 0 ||
         basin__orientation_2d(t, t + 3, t + 6, 1, 2) != 0 ||
         basin__orientation_2d(t, t + 3, t + 6, 2, 0) != 0;
}

bool basin_contact_segment_meets_triangle(const double segment[6], const double triangle[9])
{
  const double *p = segment, *q = segment + 3, *t0 = triangle, *t1 = t0 + 3, *t2 = t0 + 6;
  const int p_side = basin__orientation_3d(t0, t1, t2, p);
  const int q_side = basin__orientation_3d(t0, t1, t2, q);
  if (p_side * q_side > 0) return false;
  if (p_side == 0 && q_side == 0) {
    if (has_area(t0)) return coplanar_meet(segment, triangle);
    return lines_meet(segment, t0, t1) || lines_meet(segment, t1, t2) ||
           lines_meet(segment, t2, t0);
  }
  const int s0 = basin__orientation_3d(p, q, t0, t1);
  const int s1 = basin__orientation_3d(p, q, t1, t2);
  const int s2 = basin__orientation_3d(p, q, t2, t0);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}
