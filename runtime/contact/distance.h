/* Closest features of two primitives.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_DISTANCE_H
#define BASIN_CONTACT_DISTANCE_H

#include "contact/device/contact_types.h"
#include <stdbool.h>

/* The texts of device/contact_distance.h as functions. */
void basin__closest_point_point(const basin__vector3 x[2], basin__closest *result);
void basin__closest_point_edge(const basin__vector3 x[3], basin__closest *result);
void basin__closest_point_triangle(const basin__vector3 x[4], basin__closest *result);
void basin__closest_edge_edge(const basin__vector3 x[4], basin__closest *result);
/* Without the insides: the closest end of one edge against the other. */
void basin__closest_edge_ends(const basin__vector3 x[4], basin__closest *result);
/* By kind; POINT_POINT to EDGE_EDGE only. */
void basin__closest_of(basin_contact_kind kind, const basin__vector3 x[4], basin__closest *result);
/* A cheap test that is never wrongly true: the plane of the triangle, or the two that hold the
 * edges, are farther apart than `reach`. By (a + b)^2 <= 1.001 a^2 + 1001 b^2, where b is 1e-13 of
 * the sizes and bounds what rounding does to the height; 1 - 1.001^-1/2 is more than it does to
 * distances. If it is true, *squared is at most the squared distance. */
bool basin__far_apart(basin_contact_kind kind,
                      const basin__vector3 x[4],
                      double reach,
                      double *squared);

#endif
