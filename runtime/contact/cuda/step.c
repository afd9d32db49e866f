/* Candidates of a motion and the largest step on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

#include "contact/device/contact_advance.h"
#include <string.h>

enum { CUTTERS = 4 * 128 }; /* threads that cut stalled pairs; each has a stack of pieces */

/* ---- sweep ---- */

basin_status basin__cuda_contact_sweep(basin_cuda_contact *contact,
                                       basin_address positions,
                                       basin_address direction,
                                       double limit)
{
  contact->has_sweep = false;
  memset(contact->kept.count, 0, sizeof contact->kept.count);
  BASIN_TRY(basin__contact_check_limit(contact->context, limit));
  const size_t bytes = 3 * contact->host->vertex_count * sizeof(double);
  basin_cuda_motion motion = {.positions = positions, .direction = direction, .limit = limit};
  BASIN_TRY(basin__contact_candidates(contact, &motion, &contact->kept));
  BASIN_TRY(basin__buffer_reserve(contact->cuda, &contact->swept, 2 * bytes));
  if (bytes > 0) {
    BASIN_TRY(basin__cuda_copy(contact->cuda, contact->swept.address, positions, bytes));
    BASIN_TRY(basin__cuda_copy(contact->cuda, contact->swept.address + bytes, direction, bytes));
  }
  contact->swept_limit = limit;
  contact->has_sweep = true;
  return BASIN_OK;
}

size_t basin__cuda_contact_candidate_count(const basin_cuda_contact *contact,
                                           basin_contact_kind kind)
{
  return (unsigned)kind < BASIN__CUDA_PASSES ? contact->kept.count[kind] : 0;
}

/* ---- times ---- */

typedef struct step_work {
  basin_cuda_motion motion;
  basin_cuda_candidates list;
  double slackness;
  size_t total, points, on_planes;
  basin_address times, stalled;
} step_work;

static basin_status reserve(basin_cuda_contact *contact, step_work *work)
{
  const size_t bytes = work->total * sizeof(double);
  basin_address next = 0;
  basin__carve(&next, bytes);
  basin__carve(&next, work->total * sizeof(uint32_t));
  BASIN_TRY(basin__buffer_reserve(contact->cuda, &contact->work, next));
  next = contact->work.address;
  work->times = basin__carve(&next, bytes);
  work->stalled = basin__carve(&next, work->total * sizeof(uint32_t));
  return basin__buffer_reserve(
      contact->cuda, &contact->stacks, CUTTERS * (BASIN__PIECE_DEPTH + 2) * sizeof(basin__piece));
}

static basin_status find_times(basin_cuda_contact *contact, step_work *work)
{
  void *times[] = {&contact->rules,
                   &contact->sides,
                   &work->list,
                   &work->motion,
                   &work->slackness,
                   &work->times,
                   &work->stalled,
                   &contact->device_status};
  void *cut[] = {&contact->rules,
                 &contact->sides,
                 &work->list,
                 &work->motion,
                 &work->slackness,
                 &work->times,
                 &work->stalled,
                 &contact->stacks.address,
                 &contact->device_status};
  void *planes[] = {&contact->rules,
                    &work->motion,
                    &work->slackness,
                    &contact->sets[BASIN__POINTS].items,
                    &work->points,
                    &contact->device_status};
  BASIN_TRY(basin__contact_launch_few(
      contact, BASIN_CONTACT_KERNEL_plane_times, work->on_planes, planes));
  if (work->total == 0) return BASIN_OK;
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_times, work->total, times));
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_cut, CUTTERS, cut);
}

/* Which pair has the least time. */
static basin_status find_first(basin_cuda_contact *contact, step_work *work)
{
  for (unsigned part = 0; part < 3; ++part) {
    void *pairs[] = {&contact->sides, &work->list, &work->times, &part, &contact->device_status};
    void *planes[] = {&contact->rules,
                      &work->motion,
                      &work->slackness,
                      &contact->sets[BASIN__POINTS].items,
                      &work->points,
                      &part,
                      &contact->device_status};
    BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_first, work->total, pairs));
    BASIN_TRY(basin__contact_launch_few(
        contact, BASIN_CONTACT_KERNEL_first_plane, work->on_planes, planes));
  }
  return BASIN_OK;
}

/* The step over the listed candidates; the status is fresh. */
static basin_status find_step(basin_cuda_contact *contact,
                              const basin_cuda_motion *motion,
                              const basin_cuda_candidate_list *list,
                              double slackness,
                              basin_contact_impact *first)
{
  step_work work = {.motion = *motion, .list = basin__contact_view(list), .slackness = slackness};
  work.total = work.list.first[BASIN__CUDA_PASSES];
  work.points = contact->sets[BASIN__POINTS].count;
  work.on_planes = work.points * contact->host->plane_count;
  *first = (basin_contact_impact){.kind = BASIN_CONTACT_KIND_COUNT, .time = motion->limit};
  if (work.total == 0 && work.on_planes == 0) return BASIN_OK;
  BASIN_TRY(reserve(contact, &work));
  BASIN_TRY(find_times(contact, &work));
  BASIN_TRY(find_first(contact, &work));
  BASIN_TRY(basin__contact_fetch(contact, NULL));
  if (contact->status.keys[0] == UINT64_MAX) return BASIN_OK;
  basin__contact_read_keys(&contact->status, &first->kind, first->vertices);
  memcpy(&first->time, &contact->status.time, sizeof first->time);
  first->time *= motion->limit;
  first->time *= 1 - 0x1p-51;
  return BASIN_OK;
}

basin_status basin__cuda_contact_step(basin_cuda_contact *contact, double slackness, double *step)
{
  *step = 0;
  if (!contact->has_sweep)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_STATE,
                      "contact: basin_contact_sweep must come before basin_contact_step");
  BASIN_TRY(basin__contact_check_slackness(contact->context, slackness));
  basin_cuda_motion motion = {.positions = contact->swept.address,
                              .direction = contact->swept.address +
                                           3 * contact->host->vertex_count * sizeof(double),
                              .limit = contact->swept_limit};
  basin_contact_impact first;
  void *start[] = {&contact->device_status};
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_start, 1, start));
  BASIN_TRY(find_step(contact, &motion, &contact->kept, slackness, &first));
  *step = first.time;
  return BASIN_OK;
}

basin_status basin__cuda_contact_largest_step(basin_cuda_contact *contact,
                                              basin_address positions,
                                              basin_address direction,
                                              double limit,
                                              double slackness,
                                              double *step,
                                              basin_contact_impact *first)
{
  *step = 0;
  if (first) *first = (basin_contact_impact){.kind = BASIN_CONTACT_KIND_COUNT};
  BASIN_TRY(basin__contact_check_limit(contact->context, limit));
  BASIN_TRY(basin__contact_check_slackness(contact->context, slackness));
  basin_cuda_motion motion = {.positions = positions, .direction = direction, .limit = limit};
  basin_contact_impact found;
  const basin_cuda_candidate_list *candidates;
  BASIN_TRY(basin__contact_reuse(contact, &motion, &candidates));
  const double start = basin__seconds();
  BASIN_TRY(find_step(contact, &motion, candidates, slackness, &found));
  ++contact->statistics.steps;
  contact->statistics.seconds_step += basin__seconds() - start;
  *step = found.time;
  if (first) *first = found;
  return BASIN_OK;
}
