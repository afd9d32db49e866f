/* What the texts about the largest step have in common. Times do not depend on the limit, so that the
 * least does not depend on the order. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_STEP_CUH
#define BASIN_CONTACT_STEP_CUH

#include "contact.cuh"
#include "contact_advance.h"
#include "contact_motion.h"

/* A candidate in motion; false if it does not come close before the limit. Impacts at exactly the
 * least time are still found: the limit passed on is a little later. */
static __device__ bool prepare(const basin_cuda_rules &rules,
                               const basin_cuda_sides &sides,
                               const basin_cuda_candidates &list,
                               const basin_cuda_motion &motion,
                               double slackness,
                               size i,
                               const basin_cuda_status *status,
                               basin__motion *m,
                               double *limit)
{
  candidate c;
  read_candidate(sides, list, i, &c);
  m->kind = (basin_contact_kind)c.kind;
  basin__motion_of(motion.positions, motion.direction, motion.limit, c.v, c.count, m);
  m->separation = separation_of(rules, c.v, c.split, c.count);
  const double least = double_at(&status->time);
  *limit = least < 1 ? __longlong_as_double(__double_as_longlong(least) + 1) : 1;
  return !basin__stays_far(m, c.split, c.count, slackness, *limit);
}

/* Takes the time of a candidate whose boxes meet: those that only rounding made meet are none. */
static __device__ void take_candidate(const basin_cuda_rules &rules,
                                      const basin_cuda_sides &sides,
                                      const basin_cuda_candidates &list,
                                      const basin_cuda_motion &motion,
                                      size i,
                                      double time,
                                      double *times,
                                      basin_cuda_status *status)
{
  candidate c;
  read_candidate(sides, list, i, &c);
  if (!candidate_meets(rules, motion, c.v, c.split, c.count)) return;
  times[i] = time;
  atomicMin(&status->time, (size)__double_as_longlong(time));
}

#endif
