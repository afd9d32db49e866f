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
