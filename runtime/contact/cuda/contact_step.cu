/* The largest step: times of all candidates with one limit that shrinks, and which pair is first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_step.cuh"

/* times[i]: when candidate i ends the step, 2 if it does not. Those that must be cut are listed. */
extern "C" __global__ void contact_times(basin_cuda_rules rules,
                                         basin_cuda_sides sides,
                                         basin_cuda_candidates list,
                                         basin_cuda_motion motion,
                                         double slackness,
                                         double *times,
                                         word *stalled,
                                         basin_cuda_status *status)
{
  const size i = thread_number();
  if (i >= list.first[BASIN__CUDA_PASSES]) return;
  basin__motion m;
  basin__search search;
  basin__piece whole;
  double limit, time;
  times[i] = 2;
  if (!prepare(rules, sides, list, motion, slackness, i, status, &m, &limit)) return;
  const basin__outcome how = basin__advance_whole(&m, slackness, limit, &search, &whole, &time);
  if (how == BASIN__STALLED) {
    stalled[atomicAdd(&status->stalled, 1ull)] = (word)i;
  } else if (how == BASIN__REACHED) {
    take_candidate(rules, sides, list, motion, i, time, times, status);
  }
}

static __device__ double plane_time_of(const basin_cuda_rules &rules,
                                       const basin_cuda_motion &motion,
                                       double slackness,
                                       word vertex,
                                       word plane)
{
  if (!meets_planes(rules, vertex)) return 2;
  const double *at = rules.planes + 4 * (size)plane;
  const double xi = rules.separation + offset_of(rules, 1, &vertex);
  return basin__plane_time(at,
                           at[3],
                           basin__v3(motion.positions + 3 * (size)vertex),
                           basin__v3(motion.direction + 3 * (size)vertex),
                           xi,
                           motion.limit,
                           slackness);
}

extern "C" __global__ void contact_plane_times(basin_cuda_rules rules,
                                               basin_cuda_motion motion,
                                               double slackness,
                                               const word *points,
                                               size count,
                                               basin_cuda_status *status)
{
  for (size i = thread_number(); i < count * rules.plane_count; i += thread_count()) {
    const double time = plane_time_of(
        rules, motion, slackness, points[i / rules.plane_count], (word)(i % rules.plane_count));
    if (time < 1) atomicMin(&status->time, (size)__double_as_longlong(time));
  }
}

/* Lowers key number `part` of the first pair by kind and vertices; the keys before it are known. */
static __device__ void take_first(basin_cuda_status *status, word part, word kind, const word v[4])
{
  const size keys[3] = {(size)kind << 32 | v[0], (size)v[1] << 32 | v[2], v[3]};
  for (word k = 0; k < part; ++k)
    if (status->keys[k] != keys[k]) return;
  atomicMin(&status->keys[part], keys[part]);
}

/* Which pair has the least time: run for parts 0, 1, 2. */
extern "C" __global__ void contact_first(basin_cuda_sides sides,
                                         basin_cuda_candidates list,
                                         const double *times,
                                         word part,
                                         basin_cuda_status *status)
{
  const size i = thread_number();
  if (i >= list.first[BASIN__CUDA_PASSES] || times[i] != double_at(&status->time)) return;
  candidate c;
  read_candidate(sides, list, i, &c);
  take_first(status, part, c.kind, c.v);
}

extern "C" __global__ void contact_first_plane(basin_cuda_rules rules,
                                               basin_cuda_motion motion,
                                               double slackness,
                                               const word *points,
                                               size count,
                                               word part,
                                               basin_cuda_status *status)
{
  for (size i = thread_number(); i < count * rules.plane_count; i += thread_count()) {
    const word v[4] = {points[i / rules.plane_count], (word)(i % rules.plane_count), 0, 0};
    const double time = plane_time_of(rules, motion, slackness, v[0], v[1]);
    if (time < 1 && time == double_at(&status->time))
      take_first(status, part, BASIN_CONTACT_POINT_PLANE, v);
  }
}
