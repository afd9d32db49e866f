/* Candidates of a motion, and the largest step they allow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

/* ---- sweep ---- */

static basin_status check_limit(basin_contact *contact, double limit)
{
  if (limit > 0 && limit < HUGE_VAL) return BASIN_OK;
  return BASIN_FAIL(contact->context,
                    BASIN_ERROR_ARGUMENT,
                    "contact: the limit of a step must be a number > 0, it is %g",
                    limit);
}

static basin_status check_slackness(basin_contact *contact, double slackness)
{
  if (slackness > 0 && slackness < 1) return BASIN_OK;
  return BASIN_FAIL(contact->context,
                    BASIN_ERROR_ARGUMENT,
                    "contact: the slackness must be between 0 and 1, it is %g",
                    slackness);
}

/* Adds up what the workers kept. Blocks of a pass hold two numbers a query beside the candidates.
 */
static void count_candidates(basin_contact *contact, unsigned pass, size_t before)
{
  static const basin__set_name queries[BASIN__PASS_COUNT] = {
      BASIN__LONE_POINTS, BASIN__LONE_POINTS, BASIN__POINTS, BASIN__EDGES};
  size_t total = 0;
  for (unsigned w = 0; w < contact->worker_count; ++w) total += contact->workers[w].kept.count;
  total -= before;
  contact->candidate_count[pass] = total ? total - 2 * contact->sets[queries[pass]].count : 0;
}

static size_t kept_total(const basin_contact *contact)
{
  size_t total = 0;
  for (unsigned w = 0; w < contact->worker_count; ++w) total += contact->workers[w].kept.count;
  return total;
}

basin_status basin_contact_sweep(basin_contact *contact,
                                 const double *positions,
                                 const double *direction,
                                 double limit)
{
  contact->swept = false;
  for (unsigned w = 0; w < contact->worker_count; ++w) contact->workers[w].kept.count = 0;
  memset(contact->candidate_count, 0, sizeof contact->candidate_count);
  BASIN_TRY(check_limit(contact, limit));
  BASIN_TRY(basin__contact_boxes(contact, positions, direction, limit, 0));
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) {
    const size_t before = kept_total(contact);
    BASIN_TRY(basin__contact_scan(contact, pass, NULL, NULL, true));
    count_candidates(contact, pass, before);
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
  return (unsigned)kind < BASIN__PASS_COUNT ? contact->candidate_count[kind] : 0;
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

static double larger(double a, double b)
{
  return a > b ? a : b;
}

static double size_of(basin__vector3 v)
{
  return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

/* The stencil relative to its first vertex. */
static void make_motion(const step_task *task, const uint32_t *v, unsigned count, basin__motion *m)
{
  const basin__vector3 x0 = basin__v3(task->positions + 3 * (size_t)v[0]);
  const basin__vector3 p0 = basin__v3(task->direction + 3 * (size_t)v[0]);
  double largest = 0;
  for (unsigned i = 0; i < count; ++i) {
    const basin__vector3 x = basin__v3(task->positions + 3 * (size_t)v[i]);
    const basin__vector3 p = basin__v3(task->direction + 3 * (size_t)v[i]);
    m->x[i] = basin__v3_sub(x, x0);
    m->q[i] = basin__v3_scale(task->limit, basin__v3_sub(p, p0));
    largest = larger(largest, size_of(x) + task->limit * size_of(p));
  }
  /* x + step p is rounded to a double in each coordinate of each vertex. */
  m->rounding = 0x1p-50 * largest;
}

static void take(step_task *task, unsigned worker, const basin_contact_impact *impact)
{
  basin_contact_impact *first = &task->firsts[worker];
  if (comes_first(impact, first)) *first = *impact;
  double least = atomic_load_explicit(&task->least, memory_order_relaxed);
  while (impact->time < least && !atomic_compare_exchange_weak(&task->least, &least, impact->time))
    continue;
}

static double component(const basin__vector3 *v, unsigned k)
{
  return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

/* Largest gap along an axis over all times up to `limit`; 0 if there is none. */
static double axis_gap(const basin__motion *m, unsigned split, unsigned n, double limit)
{
  double best = 0;
  for (unsigned k = 0; k < 3; ++k) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (unsigned i = 0; i < n; ++i) {
      const double start = component(&m->x[i], k), end = start + limit * component(&m->q[i], k);
      const double least = start < end ? start : end, most = start < end ? end : start;
      const unsigned side = i >= split;
      low[side] = least < low[side] ? least : low[side];
      high[side] = larger(most, high[side]);
    }
    best = larger(best, larger(low[0] - high[1], low[1] - high[0]));
  }
  return best;
}

/* A test on coordinates that spares most pairs the search: until `limit` the gap stays above twice
 * what it has to keep, so that the search would find nothing either. */
static bool stays_far(const step_task *task, const basin__motion *m, unsigned split, double limit)
{
  const unsigned n = basin_contact_arity(m->kind);
  const double gap = axis_gap(m, split, n, limit);
  double near = HUGE_VAL;
  if (gap <= m->separation) return false;
  for (unsigned i = 0; i < split; ++i)
    for (unsigned j = split; j < n; ++j) {
      const double squared = basin__v3_norm2(basin__v3_sub(m->x[i], m->x[j]));
      if (squared < near) near = squared;
    }
  const double distance = sqrt(near); /* of vertices: not less than that of the primitives */
  return gap - m->separation >
         2 * (1 - task->slackness) * distance + 0x1p-40 * distance + 2 * m->rounding;
}

/* Impacts at exactly the least time are still found (the limit passed on is a little later), so
 * that the first of equal ones does not depend on the order. */
static bool step_visit(
    basin__scan *scan, unsigned worker, uint32_t item, const uint32_t *partners, size_t count)
{
  step_task *task = scan->user;
  for (size_t i = 0; i < count; ++i) {
    uint32_t v[5];
    basin__motion motion = {.kind = (basin_contact_kind)scan->pass};
    const unsigned n = basin__candidate_vertices(scan, item, partners[i], v);
    make_motion(task, v, n, &motion);
    motion.separation = basin__candidate_separation(scan, item, partners[i]);
    const double least = atomic_load_explicit(&task->least, memory_order_relaxed);
    const double limit = least < 1 ? nextafter(least, 2) : 1;
    if (stays_far(task, &motion, scan->query_set->arity, limit)) continue;
    bool hit;
    basin_contact_impact impact = {.kind = motion.kind};
    impact.time = basin__advance(&motion, task->slackness, limit, &hit);
    if (!hit) continue;
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
  const basin__vector3 n = basin__v3(at->normal);
  const basin__vector3 x = basin__v3(task->positions + 3 * (size_t)vertex);
  const basin__vector3 p = basin__v3(task->direction + 3 * (size_t)vertex);
  const double xi = contact->separation + basin__offset(contact, 1, &vertex);
  const double gap = basin__v3_dot(n, x) - at->offset - xi;
  const double rate = task->limit * basin__v3_dot(n, p);
  const double size = sqrt(basin__v3_norm2(x)) + fabs(at->offset) + xi;
  const double rounding = 0x1p-50 * (size + task->limit * sqrt(basin__v3_norm2(p)));
  basin_contact_impact impact = {.kind = BASIN_CONTACT_POINT_PLANE, .vertices = {vertex, plane}};
  if (gap > 0) {
    const double room = gap - fmax((1 - task->slackness) * gap, rounding);
    if (rate >= 0) return;
    impact.time = room > 0 ? room / -rate * (1 - 0x1p-50) : 0;
  }
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

/* Runs all passes with `scan` or over the kept candidates. */
static basin_status
find_step(basin_contact *contact, step_task *task, bool kept, basin_contact_impact *first)
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
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT && status == BASIN_OK; ++pass)
    status = kept ? basin__contact_revisit(contact, pass, step_visit, task)
                  : basin__contact_scan(contact, pass, step_visit, task, false);
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
  BASIN_TRY(check_slackness(contact, slackness));
  step_task task = {.positions = contact->swept_positions,
                    .direction = contact->swept_direction,
                    .limit = contact->swept_limit,
                    .slackness = slackness};
  basin_contact_impact first;
  BASIN_TRY(find_step(contact, &task, true, &first));
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
  BASIN_TRY(check_limit(contact, limit));
  BASIN_TRY(check_slackness(contact, slackness));
  BASIN_TRY(basin__contact_boxes(contact, positions, direction, limit, 0));
  step_task task = {
      .positions = positions, .direction = direction, .limit = limit, .slackness = slackness};
  basin_contact_impact found;
  BASIN_TRY(find_step(contact, &task, false, &found));
  *step = found.time;
  if (first) *first = found;
  return BASIN_OK;
}
