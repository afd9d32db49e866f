/* Candidates of a motion, and the largest step they allow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact/device/contact_motion.h"

#include <string.h>

/* ---- sweep ---- */

basin_status basin_contact_sweep(basin_contact *contact,
                                 const double *positions,
                                 const double *direction,
                                 double limit)
{
  contact->swept = false;
  basin__lists_clear(contact, &contact->swept_lists);
  BASIN_TRY(basin__contact_check_limit(contact->context, limit));
  BASIN_TRY(basin__contact_boxes(contact, positions, direction, limit, 0, NULL, NULL, NULL));
  basin__contact_refit(contact, contact->boxes);
  const basin_status status =
      basin__contact_collect(contact, contact->boxes, contact->exact_boxes, &contact->swept_lists);
  if (status != BASIN_OK) {
    basin__lists_clear(contact, &contact->swept_lists);
    return status;
  }
  if (contact->vertex_count > 0) {
    const size_t bytes = 3 * contact->vertex_count * sizeof(double);
    memcpy(contact->swept_positions, positions, bytes);
    memcpy(contact->swept_direction, direction, bytes);
  }
  contact->swept_limit = limit;
  contact->swept = true;
  return BASIN_OK;
}

size_t basin_contact_candidate_count(const basin_contact *contact, basin_contact_kind kind)
{
  return (unsigned)kind < BASIN__PASS_COUNT ? contact->swept_lists.candidates[kind] : 0;
}

/* ---- step ---- */

/* The least time found so far and its pair, one a worker; all workers look at the shared time. */
typedef struct step_task {
  const double *positions, *direction;
  double limit, slackness;
  _Atomic double least;         /* a fraction of the limit */
  basin_contact_impact *firsts; /* one a worker; time is a fraction of the limit */
} step_task;

static bool comes_first(const basin_contact_impact *a, const basin_contact_impact *b)
{
  if (a->time != b->time) return a->time < b->time;
  if (a->kind != b->kind) return a->kind < b->kind;
  for (int i = 0; i < 4; ++i)
    if (a->vertices[i] != b->vertices[i]) return a->vertices[i] < b->vertices[i];
  return false;
}

static void take(step_task *task, unsigned worker, const basin_contact_impact *impact)
{
  basin_contact_impact *first = &task->firsts[worker];
  if (comes_first(impact, first)) *first = *impact;
  double least = atomic_load_explicit(&task->least, memory_order_relaxed);
  while (impact->time < least && !atomic_compare_exchange_weak(&task->least, &least, impact->time))
    continue;
}

/* Impacts at exactly the least time are still found (the limit passed on is a little later), so
 * that the first of equal ones does not depend on the order. */
static bool step_visit(basin__scan *scan,
                       unsigned worker,
                       uint32_t item,
                       const uint32_t *partners,
                       size_t count,
                       float *distances)
{
  step_task *task = scan->user;
  for (size_t i = 0; i < count; ++i) {
    uint32_t v[5] = {0};
    basin__motion motion = {.kind = (basin_contact_kind)scan->pass};
    const unsigned n = basin__candidate_vertices(scan, item, partners[i], v);
    basin__motion_of(task->positions, task->direction, task->limit, v, n, &motion);
    motion.separation = basin__candidate_separation(scan, item, partners[i]);
    const double least = atomic_load_explicit(&task->least, memory_order_relaxed);
    const double limit = least < 1 ? nextafter(least, 2) : 1;
    if (limit < 1 && basin__stays_far(&motion, scan->query_set->arity, n, task->slackness, limit))
      continue;
    bool hit;
    double distance;
    basin_contact_impact impact = {.kind = motion.kind};
    impact.time = basin__advance(&motion, task->slackness, limit, &hit, &distance);
    if (distances) distances[i] = (float)(distance * (1 - 0x1p-20) - motion.rounding);
    if (!hit || !basin__candidate_meets(scan->contact, v, scan->query_set->arity, n)) continue;
    for (unsigned k = 0; k < n; ++k) impact.vertices[k] = v[k];
    take(task, worker, &impact);
  }
  return true;
}

/* Time until the vertex keeps only (1 - slackness) of its gap above the plane. */
static void
plane_step(const basin_contact *contact, step_task *task, uint32_t vertex, uint32_t plane)
{
  const basin_contact_plane *at = &contact->planes[plane];
  const basin_contact_impact impact = {
      .kind = BASIN_CONTACT_POINT_PLANE,
      .vertices = {vertex, plane},
      .time = basin__plane_time(at->normal,
                                at->offset,
                                basin__v3(task->positions + 3 * (size_t)vertex),
                                basin__v3(task->direction + 3 * (size_t)vertex),
                                contact->separation + basin__offset(contact, 1, &vertex),
                                task->limit,
                                task->slackness)};
  if (impact.time < 1) take(task, 0, &impact);
}

static void step_planes(basin_contact *contact, step_task *task)
{
  const basin__set *points = &contact->sets[BASIN__POINTS];
  for (size_t i = 0; i < points->count; ++i) {
    if (!basin__meets_planes(contact, points->items[i])) continue;
    for (size_t k = 0; k < contact->plane_count; ++k)
      plane_step(contact, task, points->items[i], (uint32_t)k);
  }
}

/* Runs all passes over the candidates of the last sweep. */
static basin_status step_swept(basin_contact *contact, step_task *task)
{
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    BASIN_TRY(basin__lists_visit(contact, &contact->swept_lists, pass, step_visit, task));
  return BASIN_OK;
}

/* The same over those of the present motion; *seconds: how long finding them took. */
static basin_status step_reused(basin_contact *contact, step_task *task, double *seconds)
{
  const basin__reuse_motion motion = {.positions = task->positions,
                                      .direction = task->direction,
                                      .limit = task->limit,
                                      .slackness = task->slackness,
                                      .least = &task->least};
  return basin__reuse_step(contact, &motion, step_visit, task, seconds);
}

/* With `seconds` over candidates of the motion at hand, without over those of the last sweep. */
static basin_status
find_step(basin_contact *contact, step_task *task, double *seconds, basin_contact_impact *first)
{
  basin_context *context = contact->context;
  const size_t bytes = contact->worker_count * sizeof *task->firsts;
  basin_status status = BASIN_OK;
  atomic_init(&task->least, 1);
  task->firsts = basin__alloc(context, bytes);
  if (!task->firsts) return BASIN_ERROR_MEMORY;
  *first = (basin_contact_impact){.kind = BASIN_CONTACT_KIND_COUNT, .time = 1};
  for (unsigned w = 0; w < contact->worker_count; ++w) task->firsts[w] = *first;
  step_planes(contact, task);
  status = seconds ? step_reused(contact, task, seconds) : step_swept(contact, task);
  for (unsigned w = 0; w < contact->worker_count; ++w)
    if (comes_first(&task->firsts[w], first)) *first = task->firsts[w];
  basin__free(context, task->firsts, bytes);
  const bool limited = first->kind != BASIN_CONTACT_KIND_COUNT;
  first->time = limited ? first->time * task->limit * (1 - 0x1p-51) : task->limit;
  return status;
}

basin_status basin_contact_step(basin_contact *contact, double slackness, double *step)
{
  *step = 0;
  if (!contact->swept)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_STATE,
                      "contact: basin_contact_sweep must come before basin_contact_step");
  BASIN_TRY(basin__contact_check_slackness(contact->context, slackness));
  step_task task = {.positions = contact->swept_positions,
                    .direction = contact->swept_direction,
                    .limit = contact->swept_limit,
                    .slackness = slackness};
  contact->box_positions = contact->swept_positions;
  contact->box_direction = contact->swept_direction;
  contact->box_limit = contact->swept_limit;
  contact->box_reach = 0;
  basin_contact_impact first;
  BASIN_TRY(find_step(contact, &task, NULL, &first));
  *step = first.time;
  return BASIN_OK;
}

basin_status basin_contact_largest_step(basin_contact *contact,
                                        const double *positions,
                                        const double *direction,
                                        double limit,
                                        double slackness,
                                        double *step,
                                        basin_contact_impact *first)
{
  *step = 0;
  if (first) *first = (basin_contact_impact){.kind = BASIN_CONTACT_KIND_COUNT};
  BASIN_TRY(basin__contact_check_limit(contact->context, limit));
  BASIN_TRY(basin__contact_check_slackness(contact->context, slackness));
  basin_contact_statistics *statistics = &contact->statistics;
  const double start = basin__seconds();
  double broad = 0;
  step_task task = {
      .positions = positions, .direction = direction, .limit = limit, .slackness = slackness};
  basin_contact_impact found;
  BASIN_TRY(find_step(contact, &task, &broad, &found));
  ++statistics->steps;
  statistics->seconds_broad += broad;
  statistics->seconds_step += basin__seconds() - start - broad;
  *step = found.time;
  if (first) *first = found;
  return BASIN_OK;
}
