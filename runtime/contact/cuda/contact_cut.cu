/* Times of the candidates that must be cut in pieces.
 * SPDX-License-Identifier: Apache-2.0 */
#define BASIN_SHARED_LARGE static __device__ __noinline__ /* few candidates: quick to compile */
#include "contact_step.cuh"

/* Cuts the listed candidates; each thread has a stack of pieces of its own. */
extern "C" __global__ void contact_cut(basin_cuda_rules rules,
                                       basin_cuda_sides sides,
                                       basin_cuda_candidates list,
                                       basin_cuda_motion motion,
                                       double slackness,
                                       double *times,
                                       const word *stalled,
                                       basin__piece *stacks,
                                       basin_cuda_status *status)
{
  basin__piece *stack = stacks + thread_number() * (BASIN__PIECE_DEPTH + 2);
  for (size k = thread_number(); k < status->stalled; k += thread_count()) {
    const size i = stalled[k];
    basin__motion m;
    basin__search search;
    double limit, time;
    if (!prepare(rules, sides, list, motion, slackness, i, status, &m, &limit)) continue;
    const basin__outcome how = basin__advance_whole(&m, slackness, limit, &search, stack, &time);
    bool hit = how == BASIN__REACHED;
    if (how == BASIN__STALLED) {
      time = basin__subdivide(&search, stack, &hit);
      hit = hit && time < limit;
    }
    if (hit) take_candidate(rules, sides, list, motion, i, time, times, status);
  }
}
