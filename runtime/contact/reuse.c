/* Candidates that serve several calls: those of boxes somewhat larger than asked for.
 *
 * Two primitives whose boxes meet are in the lists of any larger boxes. A call whose boxes all lie
 * inside those that the lists were made from therefore looks at the lists and at nothing else, and
 * finds the same. Lists made for a motion also serve the detections along it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

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
#define VAIN 40.0
/* Lists are shorter if they have this part of the old ones. */
#define SHORTER 0.7

basin_status basin__reuse_init(basin_contact *contact)
{
  basin__reuse *reuse = &contact->reuse;
  reuse->outer =
      basin__alloc_aligned(contact->context, contact->vertex_count * sizeof *reuse->outer);
  if (!reuse->outer) return BASIN_ERROR_MEMORY;
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
    const double more = task->margin + fmin(GROWTH * motion_of(contact, v), task->most);
    for (int k = 0; k < 3; ++k) {
      outer->low[k] = box->low[k] - (float)more;
      outer->high[k] = box->high[k] + (float)more;
    }
    outer->low[3] = outer->high[3] = 0;
  }
}

/* The boxes of a motion have no room for the activation of detections on the way. */
static void make_outer(basin_contact *contact)
{
  const size_t count = contact->vertex_count;
  const double length = edge_length(contact);
  outer_task task = {.contact = contact, .margin = MARGIN * length, .most = MOST * length};
  if (contact->box_direction) task.margin += 0.5 * contact->reuse.activation;
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

static basin_status make_lists(basin_contact *contact)
{
  basin__reuse *reuse = &contact->reuse;
  reuse->tested = reuse->met = 0;
  make_outer(contact);
  basin__contact_refit(contact, reuse->outer);
  BASIN_TRY(basin__contact_collect(contact, reuse->outer, false, &reuse->lists));
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

/* The present boxes do not lie in those of the lists, or the lists are too long. */
static basin_status renew(basin_contact *contact, bool too_long)
{
  basin__reuse *reuse = &contact->reuse;
  const size_t before = total(&reuse->lists);
  reuse->valid = false;
  if (reuse->pause > 0) {
    --reuse->pause;
  } else {
    BASIN_TRY(make_lists(contact));
    const bool shorter = (double)total(&reuse->lists) < SHORTER * (double)before;
    reuse->patience = too_long && !shorter ? 2 * reuse->patience : 1;
  }
  reuse->direct = !reuse->valid;
  if (reuse->direct) basin__contact_refit(contact, contact->boxes);
  ++contact->statistics.collections;
  return BASIN_OK;
}

basin_status basin__reuse_prepare(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach)
{
  basin__reuse *reuse = &contact->reuse;
  bool inside = false;
  reuse->direct = false;
  if (!direction) reuse->activation = 2 * reach;
  if (reuse->valid) {
    BASIN_TRY(
        basin__contact_boxes(contact, positions, direction, limit, reach, reuse->outer, &inside));
    if (inside && !in_vain(contact)) return BASIN_OK;
  }
  BASIN_TRY(basin__contact_boxes(contact, positions, direction, limit, reach, NULL, NULL));
  return renew(contact, inside);
}

basin_status
basin__reuse_visit(basin_contact *contact, unsigned pass, basin__visit visit, void *user)
{
  basin__reuse *reuse = &contact->reuse;
  if (reuse->direct) return basin__contact_scan(contact, pass, visit, user);
  reuse->tested += reuse->lists.candidates[pass];
  return basin__lists_visit(contact, &reuse->lists, pass, visit, user, true, &reuse->met);
}
