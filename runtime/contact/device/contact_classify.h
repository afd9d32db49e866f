/* The stencil of a close candidate: which vertices stay, in which order, and how nearly parallel
 * edges are treated. A candidate has `count` vertices, the first `split` on one side.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CLASSIFY_TEXT_H
#define BASIN_CONTACT_CLASSIFY_TEXT_H

#include "contact_distance.h"

BASIN_SHARED void basin__sort_two(unsigned *a)
{
  if (a[0] <= a[1]) return;
  const unsigned high = a[0];
  a[0] = a[1];
  a[1] = high;
}

BASIN_SHARED void basin__sort_three(unsigned *a)
{
  basin__sort_two(a);
  basin__sort_two(a + 1);
  basin__sort_two(a);
}

BASIN_SHARED void basin__swap_sides(unsigned *v)
{
  for (int i = 0; i < 2; ++i) {
    const unsigned other = v[i];
    v[i] = v[i + 2];
    v[i + 2] = other;
  }
}

BASIN_SHARED void basin__sort_edges(unsigned *v)
{
  basin__sort_two(v);
  basin__sort_two(v + 2);
  if (v[2] < v[0]) basin__swap_sides(v);
}

/* The vertices in the region, ordered, the others 0; the kind follows from their number. */
BASIN_SHARED basin_contact_kind basin__stencil_of(
    const unsigned *v, unsigned split, unsigned count, unsigned region, unsigned out[4])
{
  unsigned a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0}, na = 0, nb = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!(region >> i & 1)) continue;
    if (i < split)
      a[na++] = v[i];
    else
      b[nb++] = v[i];
  }
  if (na == 2 && nb == 1) { /* the point comes first */
    const unsigned point = b[0];
    b[0] = a[0], b[1] = a[1], a[0] = point, a[1] = 0;
    na = 1, nb = 2;
  }
  if (na == 2) {
    out[0] = a[0], out[1] = a[1], out[2] = b[0], out[3] = b[1];
    basin__sort_edges(out);
    return BASIN_CONTACT_EDGE_EDGE;
  }
  out[0] = a[0], out[1] = b[0], out[2] = b[1], out[3] = b[2];
  if (nb == 3) {
    basin__sort_three(out + 1);
    return BASIN_CONTACT_POINT_TRIANGLE;
  }
  if (nb == 2) {
    basin__sort_two(out + 1);
    return BASIN_CONTACT_POINT_EDGE;
  }
  basin__sort_two(out);
  return BASIN_CONTACT_POINT_POINT;
}

/* All four vertices, ordered so that the closest ones are where the kind says. */
BASIN_SHARED basin_contact_kind basin__mollified_stencil_of(const unsigned *v,
                                                            unsigned region,
                                                            unsigned out[4])
{
  const bool inside_a = (region & 3) == 3, inside_b = (region & 12) == 12;
  out[0] = v[0], out[1] = v[1], out[2] = v[2], out[3] = v[3];
  if (inside_a && inside_b) {
    basin__sort_edges(out);
    return BASIN_CONTACT_MOLLIFIED_EDGE_EDGE;
  }
  if (!inside_a && (region & 2)) out[0] = v[1], out[1] = v[0];
  if (!inside_b && (region & 8)) out[2] = v[3], out[3] = v[2];
  if (inside_a) basin__swap_sides(out);
  if (inside_a || inside_b) {
    basin__sort_two(out + 2);
    return BASIN_CONTACT_MOLLIFIED_POINT_EDGE;
  }
  if (out[2] < out[0]) basin__swap_sides(out);
  return BASIN_CONTACT_MOLLIFIED_POINT_POINT;
}

/* Threshold of the mollifier if the edges are below it, else 0; `rest`: the product of their
 * squared rest lengths, 0 without. When they are parallel up to rounding, `near` becomes the
 * closest end: the distance between their insides has no direction. */
BASIN_SHARED double
basin__mollifier_threshold(double rest, const basin__vector3 x[4], basin__closest *near)
{
  const basin__vector3 u = basin__v3_sub(x[1], x[0]), v = basin__v3_sub(x[3], x[2]);
  const double cross = basin__v3_norm2(basin__v3_cross(u, v));
  if (near->region == 15 && cross <= 1e-14 * basin__v3_norm2(u) * basin__v3_norm2(v))
    basin__near_edge_ends(x, near);
  return cross < rest ? rest : 0;
}

#endif
