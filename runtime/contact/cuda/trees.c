/* Boxes, trees and candidates on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

#include <stddef.h>

/* A set is sorted anew when its cost exceeds this times that after the last sort. */
static const double decay = 1.3;

enum { TOP = 256 /* children that one block fills, level after level */ };

/* ---- trees ---- */

static basin_status sort_set(basin_cuda_contact *contact, basin_cuda_set *set)
{
  void *extent[] = {set, &contact->tree_boxes, &contact->device_status};
  void *keys[] = {set, &contact->tree_boxes, &contact->device_status, &contact->keys, &set->order};
  BASIN_TRY(
      basin__contact_launch_few(contact, BASIN_CONTACT_KERNEL_set_extent, set->count, extent));
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_keys, set->count, keys));
  BASIN_TRY(basin__cuda_sort_32(
      contact->cuda, &contact->scratch, contact->keys, set->order, set->count, 30));
  void *corners[] = {set};
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_corners, set->padded, corners);
}

static basin_status fill_set(basin_cuda_contact *contact, basin_cuda_set *set)
{
  void *leaves[] = {set, &contact->tree_boxes, &contact->device_status};
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_fill_leaves, set->padded, leaves));
  unsigned level = 1;
  for (; level < set->levels && (level == 1 || set->level_count[level] > TOP); ++level) {
    const size_t children = (size_t)set->level_count[level] * BASIN__TREE_WIDTH;
    void *inner[] = {set, &level, &contact->device_status};
    BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_fill_level, children, inner));
  }
  if (level >= set->levels) return BASIN_OK;
  void *top[] = {set, &level};
  const basin_cuda_launch how = {.kernel = contact->kernels[BASIN_CONTACT_KERNEL_fill_top],
                                 .blocks = 1,
                                 .threads = 256,
                                 .subject = "contact"};
  return basin__cuda_launch(contact->cuda, &how, top);
}

basin_status basin__contact_begin(basin_cuda_contact *contact,
                                  const basin_cuda_motion *motion,
                                  bool compare,
                                  double otherwise)
{
  basin_cuda_motion moved = *motion;
  size_t vertices = contact->host->vertex_count;
  basin_address outer = compare ? contact->outer : 0;
  void *start[] = {&contact->device_status};
  void *extent[] = {&moved.positions, &vertices, &contact->device_status};
  void *frame[] = {&contact->sets[BASIN__EDGES],
                   &moved.positions,
                   &otherwise,
                   &contact->device_status,
                   &contact->frame};
  void *boxes[] = {&contact->rules,
                   &moved,
                   &vertices,
                   &contact->frame,
                   &outer,
                   &contact->boxes,
                   &contact->device_status};
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_start, 1, start));
  if (!compare) {
    BASIN_TRY(basin__contact_launch_few(contact, BASIN_CONTACT_KERNEL_extent, vertices, extent));
    BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_frame, 1, frame));
  }
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_boxes, vertices, boxes);
}

basin_status basin__contact_fill_trees(basin_cuda_contact *contact, basin_address boxes)
{
  contact->tree_boxes = boxes;
  for (unsigned i = 0; i < BASIN__CUDA_SETS; ++i) {
    basin_cuda_set *set = &contact->sets[i];
    if (set->count == 0) continue;
    if (contact->stale[i]) {
      contact->built_cost[i] = 0;
      BASIN_TRY(sort_set(contact, set));
      contact->stale[i] = false;
    }
    BASIN_TRY(fill_set(contact, set));
  }
  return BASIN_OK;
}

/* Looks at how large the boxes of eight primitives have become against the primitives; a tree that
 * has decayed is sorted before its next use. */
static void judge_trees(basin_cuda_contact *contact)
{
  for (unsigned i = 0; i < BASIN__CUDA_SETS; ++i) {
    const double below = (double)contact->status.sizes[i][0];
    const double above = (double)contact->status.sizes[i][1];
    const double cost = below > 0 && above > 0 ? above / below : 1;
    if (contact->built_cost[i] == 0)
      contact->built_cost[i] = cost;
    else if (cost > decay * contact->built_cost[i])
      contact->stale[i] = true;
  }
}

/* ---- candidates ---- */

basin_cuda_pass basin__contact_pass(const basin_cuda_contact *contact, unsigned pass)
{
  static const struct {
    basin__set_name query, partner;
  } names[BASIN__CUDA_PASSES] = {{BASIN__LONE_POINTS, BASIN__LONE_POINTS},
                                 {BASIN__LONE_POINTS, BASIN__LONE_EDGES},
                                 {BASIN__POINTS, BASIN__TRIANGLES},
                                 {BASIN__EDGES, BASIN__EDGES}};
  return (basin_cuda_pass){.a = contact->sets[names[pass].query],
                           .b = contact->sets[names[pass].partner],
                           .kind = pass,
                           .same = names[pass].query == names[pass].partner};
}

basin_cuda_candidates basin__contact_view(const basin_cuda_candidate_list *list)
{
  basin_cuda_candidates view = {.first = {0}};
  for (int pass = 0; pass < BASIN__CUDA_PASSES; ++pass) {
    view.items[pass] = list->memory[pass].address;
    view.partners[pass] = list->memory[pass].address + list->capacity[pass] * sizeof(uint32_t);
    view.first[pass + 1] = view.first[pass] + list->count[pass];
  }
  return view;
}

static basin_status query(basin_cuda_contact *contact,
                          const basin_cuda_motion *motion,
                          bool exact,
                          basin_cuda_candidate_list *list,
                          unsigned pass)
{
  basin_cuda_pass sides = basin__contact_pass(contact, pass);
  sides.exact = exact;
  if (sides.a.count == 0 || sides.b.count == 0) return BASIN_OK;
  basin_cuda_motion moved = *motion;
  basin_cuda_candidates view = basin__contact_view(list);
  void *parameters[] = {&contact->rules,
                        &moved,
                        &sides,
                        &contact->tree_boxes,
                        &view.items[pass],
                        &view.partners[pass],
                        &list->capacity[pass],
                        &contact->device_status};
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_query, sides.a.count, parameters);
}

/* Room for the candidates that were counted; a pass that had too little runs again. */
static basin_status query_again(basin_cuda_contact *contact,
                                const basin_cuda_motion *motion,
                                bool exact,
                                basin_cuda_candidate_list *list,
                                unsigned pass)
{
  const size_t need = contact->status.candidates[pass], room = need + need / 4 + 1024;
  list->capacity[pass] = 0;
  BASIN_TRY(basin__buffer_reserve(contact->cuda, &list->memory[pass], 2 * room * sizeof(uint32_t)));
  list->capacity[pass] = room;
  const size_t at = offsetof(basin_cuda_status, candidates) + pass * sizeof(uint64_t);
  BASIN_TRY(basin__cuda_zero(contact->cuda, contact->device_status + at, sizeof(uint64_t)));
  return query(contact, motion, exact, list, pass);
}

static basin_status fail_counts(basin_cuda_contact *contact)
{
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES; ++pass)
    if (contact->status.candidates[pass] > contact->host->pair_limit)
      return BASIN_FAIL(contact->context,
                        BASIN_ERROR_LENGTH,
                        "contact: more than %zu %s pairs or candidates, the pair_limit",
                        contact->host->pair_limit,
                        basin_contact_kind_name((basin_contact_kind)pass));
  return BASIN_FAIL(contact->context,
                    BASIN_ERROR_LENGTH,
                    "contact: more than %u candidates, which a device cannot number",
                    (unsigned)UINT32_MAX);
}

basin_status basin__contact_gather(basin_cuda_contact *contact,
                                   const basin_cuda_motion *motion,
                                   bool exact,
                                   size_t most,
                                   basin_cuda_candidate_list *list,
                                   bool *many)
{
  size_t total = 0;
  *many = false;
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES; ++pass) list->count[pass] = 0;
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES; ++pass)
    BASIN_TRY(query(contact, motion, exact, list, pass));
  BASIN_TRY(basin__contact_fetch(contact, motion));
  judge_trees(contact);
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES; ++pass) {
    total += contact->status.candidates[pass];
    *many = *many || contact->status.candidates[pass] > most || total > UINT32_MAX;
  }
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES && !*many; ++pass) {
    list->count[pass] = contact->status.candidates[pass];
    if (list->count[pass] > list->capacity[pass])
      BASIN_TRY(query_again(contact, motion, exact, list, pass));
  }
  return BASIN_OK;
}

basin_status basin__contact_candidates(basin_cuda_contact *contact,
                                       const basin_cuda_motion *motion,
                                       basin_cuda_candidate_list *list)
{
  bool many;
  BASIN_TRY(basin__contact_begin(contact, motion, false, 0));
  BASIN_TRY(basin__contact_fill_trees(contact, contact->boxes));
  BASIN_TRY(basin__contact_gather(
      contact, motion, contact->host->exact_boxes, contact->host->pair_limit, list, &many));
  return many ? fail_counts(contact) : BASIN_OK;
}
