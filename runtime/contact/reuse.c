/* Candidates that serve several calls: those of boxes somewhat larger than asked for.
 *
 * Two primitives whose boxes meet are in the lists of any larger boxes. A call whose boxes all lie
 * inside those that the lists were made from therefore looks at the lists and at nothing else, and
 * finds the same. Lists made for a motion also serve the detections along it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <math.h>
#include <string.h>

enum {
  CHUNK = 1024,
  PAUSE = 16,    /* calls without lists after lists became too long */
  A_VERTEX = 64, /* numbers in a list, a vertex, that are not too many */
  SAMPLE = 1024  /* edges whose lengths are looked at */
};

static const double operations = 30; /* a vertex */

/* Parts of the mean length of edges by which boxes grow on each side: always, and at most in
 * addition for GROWTH of the vertex's own motion. */
#define MARGIN 0.04
#define MOST   0.08
#define GROWTH 0.5
/* Candidates a vertex that are looked at in vain before shorter lists are tried. Making lists takes
 * about twice as long as that. */
#define VAIN 160.0
/* Lists are shorter if they have this part of the old ones. */
#define SHORTER 0.7
/* Part of the activation up to which candidates are near. */
#define NEAR 0.25

basin_status basin__reuse_init(basin_contact *contact)
{
  basin__reuse *reuse = &contact->reuse;
  reuse->outer =
      basin__alloc_aligned(contact->context, contact->vertex_count * sizeof *reuse->outer);
  reuse->last = basin__calloc(contact->context, 3 * contact->vertex_count, sizeof *reuse->last);
  reuse->moved = basin__calloc(contact->context, contact->vertex_count, sizeof *reuse->moved);
  reuse->swept = basin__calloc(contact->context, contact->vertex_count, sizeof *reuse->swept);
  reuse->lists.flat =
      basin__calloc(contact->context, contact->worker_count, sizeof *reuse->lists.flat);
  reuse->older = basin__calloc(contact->context, contact->worker_count, sizeof *reuse->older);
  for (int i = 0; i < BASIN__SET_COUNT; ++i)
    if (contact->sets[i].count > reuse->row_count) reuse->row_count = contact->sets[i].count;
  reuse->rows = basin__calloc(contact->context, reuse->row_count, sizeof *reuse->rows);
  bool complete = reuse->outer && reuse->last && reuse->moved && reuse->swept &&
                  reuse->lists.flat && reuse->older && reuse->rows;
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    uint32_t **slots = &contact->workers[w].slots;
    *slots = basin__calloc(contact->context, reuse->row_count, sizeof **slots);
    complete = complete && *slots;
  }
  if (!complete) return BASIN_ERROR_MEMORY;
  const size_t most = A_VERTEX * (contact->vertex_count + 64);
  reuse->lists.most = most < contact->pair_limit ? most : contact->pair_limit;
  reuse->patience = 1;
  return basin__lists_init(contact, &reuse->lists);
}

void basin__reuse_fini(basin_contact *contact)
{
  basin__reuse *reuse = &contact->reuse;
  if (reuse->outer)
    basin__free_aligned(
        contact->context, reuse->outer, contact->vertex_count * sizeof *reuse->outer);
  basin__free(contact->context, reuse->last, 3 * contact->vertex_count * sizeof *reuse->last);
  basin__free(contact->context, reuse->moved, contact->vertex_count * sizeof *reuse->moved);
  basin__free(contact->context, reuse->swept, contact->vertex_count * sizeof *reuse->swept);
  basin__free(contact->context, reuse->rows, reuse->row_count * sizeof *reuse->rows);
  for (unsigned w = 0; contact->workers && w < contact->worker_count; ++w)
    basin__free(contact->context,
                contact->workers[w].slots,
                reuse->row_count * sizeof *contact->workers[w].slots);
  basin__flat_free(contact, reuse->older);
  basin__lists_fini(contact, &reuse->lists);
}

/* ---- larger boxes ---- */

/* Mean of the largest components of some edges, the activation distance without edges. */
static double edge_length(const basin_contact *contact)
{
  const basin__set *edges = &contact->sets[BASIN__EDGES];
  const size_t stride = edges->count / SAMPLE + 1;
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < edges->count; i += stride, ++count) {
    const double *a = contact->box_positions + 3 * (size_t)edges->items[2 * i];
    const double *b = contact->box_positions + 3 * (size_t)edges->items[2 * i + 1];
    sum += fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
  }
  return count > 0 ? sum / (double)count : contact->reuse.activation;
}

typedef struct outer_task {
  basin_contact *contact;
  double margin, most; /* added to each side: always, and at most for the motion */
  double part;         /* of the motion that the boxes hold */
} outer_task;

static double motion_of(const basin_contact *contact, size_t vertex)
{
  double motion = 0;
  for (size_t k = 0; contact->box_direction && k < 3; ++k)
    motion = fmax(motion, fabs(contact->box_direction[3 * vertex + k]));
  return contact->box_limit * motion;
}

static void outer_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  const outer_task *task = user;
  const basin_contact *contact = task->contact;
  for (size_t v = chunk * CHUNK; v < contact->vertex_count && v < (chunk + 1) * CHUNK; ++v) {
    const basin__box *box = &contact->boxes[v];
    basin__box *outer = &contact->reuse.outer[v];
    const double more =
        task->margin + fmin(GROWTH * task->part * motion_of(contact, v), task->most);
    for (int k = 0; k < 3; ++k) {
      outer->low[k] = box->low[k] - (float)more;
      outer->high[k] = box->high[k] + (float)more;
    }
    outer->low[3] = outer->high[3] = 0;
  }
}

static void make_outer(basin_contact *contact, double part)
{
  const size_t count = contact->vertex_count;
  const double length = edge_length(contact);
  outer_task task = {
      .contact = contact, .margin = MARGIN * length, .most = MOST * length, .part = part};
  basin__parallel_work(contact->context,
                       (count + CHUNK - 1) / CHUNK,
                       (double)count * operations,
                       outer_chunk,
                       &task);
}

/* ---- lists ---- */

static size_t total(const basin__lists *lists)
{
  size_t sum = 0;
  for (int pass = 0; pass < BASIN__PASS_COUNT; ++pass) sum += lists->candidates[pass];
  return sum;
}

/* `known`: the lists of before hold horizons. */
static basin_status make_lists(basin_contact *contact, double part, bool known)
{
  basin__reuse *reuse = &contact->reuse;
  basin__flat *flat = reuse->older;
  reuse->older = reuse->lists.flat;
  reuse->lists.flat = flat;
  reuse->tested = reuse->met = 0;
  make_outer(contact, part);
  basin__contact_refit(contact, reuse->outer);
  BASIN_TRY(basin__contact_collect(contact, reuse->outer, false, &reuse->lists));
  BASIN_TRY(basin__lists_flatten(contact, &reuse->lists));
  if (known) basin__horizons_take(contact);
  for (int i = 0; i < BASIN__SET_COUNT; ++i)
    memset(contact->sets[i].travel, 0, contact->sets[i].count * sizeof(float));
  reuse->valid = !reuse->lists.full;
  if (!reuse->valid) reuse->pause = PAUSE;
  return BASIN_OK;
}

/* Whether looking at candidates in vain has cost as much as lists that are shorter may cost. */
static bool in_vain(const basin_contact *contact)
{
  const basin__reuse *reuse = &contact->reuse;
  return (double)(reuse->tested - reuse->met) >
         VAIN * reuse->patience * ((double)contact->vertex_count + 1000);
}

/* What boxes are made for: x + t direction, t in [0, limit], cut, grown by `reach`. */
typedef struct box_request {
  const double *positions, *direction;
  double limit, reach;
  const basin__cut *cut; /* or NULL */
} box_request;

static basin_status make_boxes(basin_contact *contact, const box_request *r, bool *inside)
{
  return basin__contact_boxes(contact,
                              r->positions,
                              r->direction,
                              r->limit,
                              r->reach,
                              r->cut,
                              inside ? contact->reuse.outer : NULL,
                              inside);
}

/* The present boxes do not lie in those of the lists, or the lists are too long. */
static basin_status renew(basin_contact *contact, double part, bool too_long)
{
  basin__reuse *reuse = &contact->reuse;
  const size_t before = total(&reuse->lists);
  const bool known = reuse->valid;
  reuse->valid = false;
  if (reuse->pause > 0) {
    --reuse->pause;
  } else {
    BASIN_TRY(make_lists(contact, part, known));
    const bool shorter = (double)total(&reuse->lists) < SHORTER * (double)before;
    reuse->patience = too_long && !shorter ? 2 * reuse->patience : 1;
  }
  reuse->direct = !reuse->valid;
  if (reuse->direct) basin__contact_refit(contact, contact->boxes);
  ++contact->statistics.collections;
  return BASIN_OK;
}

/* Fills the present boxes, and finds lists that are good for them or makes new ones (*fresh). */
static basin_status prepare(basin_contact *contact, const box_request *r, bool *fresh)
{
  basin__reuse *reuse = &contact->reuse;
  bool inside = false;
  reuse->direct = *fresh = false;
  if (reuse->valid) {
    BASIN_TRY(make_boxes(contact, r, &inside));
    if (inside && !in_vain(contact)) return BASIN_OK;
  }
  *fresh = true;
  BASIN_TRY(make_boxes(contact, r, NULL));
  return renew(contact, r->cut ? r->cut->part : 1, inside);
}

/* ---- visiting ---- */

static basin_status
visit_all(basin_contact *contact, basin__visit visit, void *user, const basin__sieve *sieve)
{
  basin__reuse *reuse = &contact->reuse;
  basin_status status = BASIN_OK;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT && status == BASIN_OK; ++pass) {
    if (reuse->direct) {
      status = basin__contact_scan(contact, pass, visit, user);
      continue;
    }
    reuse->tested += reuse->lists.candidates[pass];
    status = basin__lists_sieve(contact, &reuse->lists, pass, sieve, visit, user, &reuse->met);
  }
  if (status != BASIN_OK) reuse->valid = false;
  return status;
}

/* A float that is not less. */
static float upward(double length)
{
  return (float)(length * (1 + 0x1p-20));
}

static float downward(double length)
{
  return (float)(length * (1 - 0x1p-20));
}

basin_status basin__reuse_detect(basin_contact *contact,
                                 const double *positions,
                                 double activation,
                                 basin__visit visit,
                                 void *user,
                                 double *seconds)
{
  basin__reuse *reuse = &contact->reuse;
  const box_request request = {.positions = positions, .reach = 0.5 * activation};
  const basin__sieve sieve = {.from = -HUGE_VALF,
                              .to = upward(contact->largest_separation + activation),
                              .boxes = true,
                              .apart = downward(contact->separation + activation)};
  const double start = basin__seconds();
  bool fresh;
  reuse->activation = activation;
  if (reuse->valid || reuse->pause == 0) basin__travel(contact, positions, NULL, 0);
  BASIN_TRY(prepare(contact, &request, &fresh));
  *seconds = basin__seconds() - start;
  return visit_all(contact, visit, user, &sieve);
}

/* ---- steps ---- */

/* A pair ends a step where its gap falls to 17/16 of the part that it keeps, or to the rounding of
 * coordinates. Until then it has lost at least `lost` of the gap it had, by the motion of its
 * sides alone; and the gap is at most `kept / lost` times that motion. */
static double lost_part(double slackness)
{
  return 1 - 1.0625 * (1 - slackness);
}

/* More than all roundings of a step: 256 times 2^-53 of twelve coordinates. */
static double rounding_of(const basin_contact *contact)
{
  return 0x1p-40 * (contact->reuse.largest + contact->largest_separation);
}

/* Only a small part of candidates is near; the step they allow spares most others. */
static basin_status visit_near(
    basin_contact *contact, basin__visit visit, void *user, basin__sieve *sieve, double *seconds)
{
  const double start = basin__seconds();
  basin__sieve near = *sieve;
  near.to = upward(contact->largest_separation + NEAR * contact->reuse.activation);
  near.boxes = false;
  sieve->from = near.to;
  const basin_status status = visit_all(contact, visit, user, &near);
  *seconds = basin__seconds() - start;
  return status;
}

basin_status basin__reuse_step(basin_contact *contact,
                               const basin__reuse_motion *motion,
                               basin__visit visit,
                               void *user,
                               double *seconds)
{
  basin__reuse *reuse = &contact->reuse;
  const double start = basin__seconds(), lost = lost_part(motion->slackness);
  double near_seconds = 0;
  bool fresh;
  basin__cut cut = {.part = 1, .more = 0.5 * reuse->activation};
  box_request request = {
      .positions = motion->positions, .direction = motion->direction, .limit = motion->limit};
  basin__sieve sieve = {.from = -HUGE_VALF,
                        .to = HUGE_VALF,
                        .boxes = true,
                        .meet = -downward(reuse->activation),
                        .apart = downward(reuse->activation),
                        .part = motion->least,
                        .near = downward(lost)};
  if ((reuse->valid || reuse->pause == 0) &&
      basin__travel(contact, motion->positions, motion->direction, motion->limit))
    request.cut = &cut;
  sieve.room = upward(fmax(lost, 0) * contact->largest_separation + rounding_of(contact));
  contact->box_positions = motion->positions;
  contact->box_direction = motion->direction;
  contact->box_limit = motion->limit;
  contact->box_reach = 0;
  if (reuse->valid) {
    reuse->direct = false;
    BASIN_TRY(visit_near(contact, visit, user, &sieve, &near_seconds));
    const double part = (1 + 0x1p-40) * atomic_load(motion->least);
    const double growth = (1 - lost) / lost * (1 + 0x1p-20);
    if (lost > 0 && part * (1 + 2 * growth) < 1) {
      cut.part = part;
      cut.growth = growth;
      cut.more += rounding_of(contact);
    }
  }
  BASIN_TRY(prepare(contact, &request, &fresh));
  if (fresh) sieve.from = -HUGE_VALF;
  *seconds = basin__seconds() - start - near_seconds;
  return visit_all(contact, visit, user, &sieve);
}
