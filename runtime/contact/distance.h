/* Closest features of two primitives.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_DISTANCE_H
#define BASIN_CONTACT_DISTANCE_H

#include "contact/device/contact_types.h"

/* The texts of device/contact_distance.h as functions. */
void basin__closest_point_point(const basin__vector3 x[2], basin__closest *result);
void basin__closest_point_edge(const basin__vector3 x[3], basin__closest *result);
void basin__closest_point_triangle(const basin__vector3 x[4], basin__closest *result);
void basin__closest_edge_edge(const basin__vector3 x[4], basin__closest *result);
/* Without the insides: the closest end of one edge against the other. */
void basin__closest_edge_ends(const basin__vector3 x[4], basin__closest *result);
/* By kind; POINT_POINT to EDGE_EDGE only. */
void basin__closest_of(basin_contact_kind kind, const basin__vector3 x[4], basin__closest *result);

#endif
