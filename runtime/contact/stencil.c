/* Distance and time of a single stencil.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

static bool is_candidate(basin_contact_kind kind)
{
  return (unsigned)kind < BASIN__PASS_COUNT;
}

basin_status basin_contact_distance_get(basin_contact_kind kind,
                                        const double *x,
                                        basin_contact_distance *distance)
{
  *distance = (basin_contact_distance){.squared_distance = HUGE_VAL};
  if (!is_candidate(kind)) return BASIN_ERROR_ARGUMENT;
  const unsigned count = basin_contact_arity(kind);
  basin__vector3 points[4];
  for (unsigned i = 0; i < count; ++i) {
    points[i] = basin__v3(x + 3 * i);
    if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z))
      return BASIN_ERROR_NOT_FINITE;
  }
  basin__closest near;
  basin__closest_of(kind, points, &near);
  distance->squared_distance = near.squared;
  distance->region = near.region;
  memcpy(distance->coefficients, near.coefficients, sizeof near.coefficients);
  return BASIN_OK;
}

basin_status basin_contact_time(basin_contact_kind kind,
                                const double *x0,
                                const double *x1,
                                double separation,
                                double limit,
                                double slackness,
                                double *time,
                                bool *hit)
{
  *time = 0;
  *hit = false;
  if (!is_candidate(kind) || !(separation >= 0) || !(limit > 0) || !(slackness > 0) ||
      !(slackness < 1) || isinf(limit) || isinf(separation))
    return BASIN_ERROR_ARGUMENT;
  basin__motion motion = {.kind = kind, .separation = separation};
  const basin__vector3 start = basin__v3(x0), end = basin__v3(x1);
  for (unsigned i = 0; i < basin_contact_arity(kind); ++i) {
    motion.x[i] = basin__v3_sub(basin__v3(x0 + 3 * i), start);
    const basin__vector3 moved = basin__v3_sub(basin__v3(x1 + 3 * i), end);
    motion.q[i] = basin__v3_scale(limit, basin__v3_sub(moved, motion.x[i]));
    if (!isfinite(basin__v3_norm2(motion.x[i]) + basin__v3_norm2(motion.q[i])))
      return BASIN_ERROR_NOT_FINITE;
  }
  double distance;
  const double fraction = basin__advance(&motion, slackness, 1, hit, &distance);
  *time = *hit ? fraction * limit * (1 - (limit == 1 ? 0 : 0x1p-51)) : limit;
  return BASIN_OK;
}
