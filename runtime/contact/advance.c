/* The first time at which two moving primitives come close, from the text that CUDA shares.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/advance.h"

#include "contact/device/contact_advance.h"

static double cut_up(const basin__search *search, const basin__piece *whole, bool *hit)
{
  basin__piece stack[BASIN__PIECE_DEPTH + 2];
  stack[0] = *whole;
  return basin__subdivide(search, stack, hit);
}

double basin__advance(
    const basin__motion *motion, double slackness, double limit, bool *hit, double *distance)
{
  basin__search search;
  basin__piece whole;
  double time;
  const basin__outcome how = basin__advance_whole(motion, slackness, limit, &search, &whole, &time);
  *distance = search.start;
  *hit = how == BASIN__REACHED;
  if (how != BASIN__STALLED) return *hit ? time : limit;
  time = cut_up(&search, &whole, hit);
  *hit = *hit && time < limit;
  return *hit ? time : limit;
}
