/* Closest features of two primitives, from the text that CUDA shares.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/distance.h"

#include "contact/device/contact_distance.h"

void basin__closest_point_point(const basin__vector3 x[2], basin__closest *result)
{
  basin__near_point_point(x, result);
}

void basin__closest_point_edge(const basin__vector3 x[3], basin__closest *result)
{
  basin__near_point_edge(x, result);
}

void basin__closest_point_triangle(const basin__vector3 x[4], basin__closest *result)
{
  basin__near_point_triangle(x, result);
}

void basin__closest_edge_ends(const basin__vector3 x[4], basin__closest *result)
{
  basin__near_edge_ends(x, result);
}

void basin__closest_edge_edge(const basin__vector3 x[4], basin__closest *result)
{
  basin__near_edge_edge(x, result);
}

void basin__closest_of(basin_contact_kind kind, const basin__vector3 x[4], basin__closest *result)
{
  basin__near_of(kind, x, result);
}

bool basin__far_apart(basin_contact_kind kind,
                      const basin__vector3 x[4],
                      double reach,
                      double *squared)
{
  const bool triangle = kind == BASIN_CONTACT_POINT_TRIANGLE;
  if (!triangle && kind != BASIN_CONTACT_EDGE_EDGE) return false;
  const basin__vector3 a = triangle ? basin__v3_sub(x[2], x[1]) : basin__v3_sub(x[1], x[0]);
  const basin__vector3 b = triangle ? basin__v3_sub(x[3], x[1]) : basin__v3_sub(x[3], x[2]);
  const basin__vector3 h = basin__v3_sub(x[0], x[triangle ? 1 : 2]), n = basin__v3_cross(a, b);
  const double height = basin__v3_dot(h, n), aa = basin__v3_norm2(a), bb = basin__v3_norm2(b);
  const double error = 1e-26 * (aa + bb + basin__v3_norm2(h)) * aa * bb; /* squared */
  const double sure = height * height - 1001 * error, size = 1.001 * basin__v3_norm2(n);
  if (!(sure > reach * reach * size)) return false;
  *squared = size > 0 ? sure / size : 0;
  return true;
}
