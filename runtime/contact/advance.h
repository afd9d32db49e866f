/* The first time at which two moving primitives come close.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_ADVANCE_H
#define BASIN_CONTACT_ADVANCE_H

#include "contact/distance.h"

/* The largest time, at most `limit` <= 1, before which the gap d - separation stays above
 * (1 - slackness) of what it was at time 0. *hit: it ended before the limit. Times beyond `limit`
 * are not looked for; the time found does not depend on it. *distance: d at time 0. */
double basin__advance(
    const basin__motion *motion, double slackness, double limit, bool *hit, double *distance);

#endif
