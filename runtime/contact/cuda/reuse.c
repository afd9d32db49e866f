/* Candidates that serve several calls on a CUDA device: those of boxes somewhat larger than asked
 * for, as on the CPU (contact/reuse.c). Pairs and steps do not depend on it: a call looks at the
 * distances of all candidates, and a step is only ended by those whose own boxes meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

enum {
  PAUSE = 16,   /* calls without a list after a list became too long */
  A_VERTEX = 48 /* candidates, a vertex, that are not too many */
};

/* How much larger than asked for boxes may be, counting a mean edge a side to each, before a new
 * list is made; and the part of the old list that counts as shorter. */
static const double too_large = 0.6, shorter = 0.7;

static size_t total(const basin_cuda_candidate_list *list)
{
  size_t sum = 0;
  for (int pass = 0; pass < BASIN__CUDA_PASSES; ++pass) sum += list->count[pass];
  return sum;
}

/* The boxes of the call lie in those of the list, which are not much larger. */
static bool serves(const basin_cuda_contact *contact, bool *large)
{
  const double limit = 1 + too_large * contact->reuse.patience;
  *large = (double)contact->status.larger > limit * (double)contact->status.present;
  return contact->status.outside == 0 && !*large;
}

static basin_status make_list(basin_cuda_contact *contact, const basin_cuda_motion *motion)
{
  basin_cuda_reuse *reuse = &contact->reuse;
  basin_cuda_motion moved = *motion;
  size_t vertices = contact->host->vertex_count, most = A_VERTEX * (vertices + 64);
  /* The boxes of a motion have no room for the activation of detections on the way. */
  double room = motion->direction ? 0.5 * reuse->activation : 0;
  bool many;
  void *outer[] = {&moved, &vertices, &contact->frame, &room, &contact->boxes, &contact->outer};
  if (most > contact->host->pair_limit) most = contact->host->pair_limit;
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_outer, vertices, outer));
  BASIN_TRY(basin__contact_fill_trees(contact, contact->outer));
  BASIN_TRY(basin__contact_gather(contact, motion, false, most, &reuse->list, &many));
  reuse->valid = !many;
  if (many) reuse->pause = PAUSE;
  return BASIN_OK;
}

static basin_status renew(basin_cuda_contact *contact, const basin_cuda_motion *motion, bool large)
{
  basin_cuda_reuse *reuse = &contact->reuse;
  const size_t before = total(&reuse->list);
  reuse->valid = false;
  if (reuse->pause > 0) {
    --reuse->pause;
    return BASIN_OK;
  }
  BASIN_TRY(basin__contact_begin(contact, motion, false, reuse->activation));
  BASIN_TRY(make_list(contact, motion));
  const bool is_shorter = (double)total(&reuse->list) < shorter * (double)before;
  reuse->patience = large && !is_shorter ? 2 * reuse->patience : 1;
  return BASIN_OK;
}

basin_status basin__contact_reuse(basin_cuda_contact *contact,
                                  const basin_cuda_motion *motion,
                                  const basin_cuda_candidate_list **list)
{
  basin_cuda_reuse *reuse = &contact->reuse;
  const double start = basin__seconds();
  bool large = false, served = false;
  *list = &reuse->list;
  if (!motion->direction) reuse->activation = 2 * motion->reach;
  if (reuse->valid) {
    BASIN_TRY(basin__contact_begin(contact, motion, true, 0));
    BASIN_TRY(basin__contact_fetch(contact, motion));
    served = serves(contact, &large);
  }
  if (!served) {
    BASIN_TRY(renew(contact, motion, large));
    ++contact->statistics.collections;
    if (!reuse->valid) {
      *list = &contact->candidates;
      BASIN_TRY(basin__contact_candidates(contact, motion, &contact->candidates));
    }
  }
  contact->statistics.seconds_broad += basin__seconds() - start;
  return BASIN_OK;
}
