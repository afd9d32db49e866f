/* The first time at which two moving primitives come close.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_ADVANCE_H
#define BASIN_CONTACT_ADVANCE_H

#include "contact/distance.h"

/* One question: vertices x + t q, t in [0, 1], the first `split` of `count` on one side. Both are
 * relative to one vertex, so that they are as small as the stencil; `rounding` bounds what was
 * lost before that, in length. */
typedef struct basin__motion {
  basin_contact_kind kind; /* POINT_POINT to EDGE_EDGE */
  basin__vector3 x[4], q[4];
  double separation, rounding;
} basin__motion;

/* The largest time, at most `limit` <= 1, before which the gap d - separation stays above
 * (1 - slackness) of what it was at time 0. *hit: it ended before the limit. Times beyond `limit`
 * are not looked for; the time found does not depend on it. */
double basin__advance(const basin__motion *motion, double slackness, double limit, bool *hit);

#endif
