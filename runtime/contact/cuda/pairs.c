/* Close pairs on a CUDA device: classification, sorting, merging, and copies for the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

#include <stddef.h>
#include <string.h>

enum { ROW = 2 * sizeof(uint64_t) + 3 * sizeof(double) }; /* of a found pair */

/* ---- finding ---- */

static basin_status reserve_found(basin_cuda_contact *contact, size_t need)
{
  if (need <= contact->found_capacity) return BASIN_OK;
  const size_t room = need + need / 4 + 256;
  contact->found_capacity = 0;
  BASIN_TRY(basin__buffer_reserve(contact->cuda, &contact->found, room * ROW));
  contact->found_capacity = room;
  return BASIN_OK;
}

static basin_cuda_found view_found(const basin_cuda_contact *contact)
{
  const basin_contact *host = contact->host;
  const size_t n = contact->found_capacity;
  const size_t most =
      host->vertex_count > host->plane_count ? host->vertex_count : host->plane_count;
  const basin_address at = contact->found.address;
  return (basin_cuda_found){.high = at,
                            .low = at + n * sizeof(uint64_t),
                            .squared = at + 2 * n * sizeof(uint64_t),
                            .separation = at + 3 * n * sizeof(uint64_t),
                            .threshold = at + 4 * n * sizeof(uint64_t),
                            .capacity = n,
                            .bits = basin__bits_of(most)};
}

static basin_status find(basin_cuda_contact *contact,
                         const basin_cuda_candidate_list *candidates,
                         basin_address positions,
                         double activation)
{
  basin_cuda_found found = view_found(contact);
  basin_cuda_candidates list = basin__contact_view(candidates);
  basin_cuda_set *points = &contact->sets[BASIN__POINTS];
  size_t count = points->count;
  void *parameters[] = {&contact->rules,
                        &contact->sides,
                        &list,
                        &positions,
                        &activation,
                        &found,
                        &contact->device_status};
  BASIN_TRY(basin__contact_launch(
      contact, BASIN_CONTACT_KERNEL_detect, list.first[BASIN__CUDA_PASSES], parameters));
  void *planes[] = {&contact->rules,
                    &points->items,
                    &count,
                    &positions,
                    &activation,
                    &found,
                    &contact->device_status};
  return basin__contact_launch_few(
      contact, BASIN_CONTACT_KERNEL_detect_planes, count * contact->host->plane_count, planes);
}

/* *count pairs, in an order that does not matter. */
static basin_status
find_all(basin_cuda_contact *contact, basin_address positions, double activation, size_t *count)
{
  basin_cuda_motion still = {.positions = positions, .reach = 0.5 * activation};
  *count = 0;
  const basin_cuda_candidate_list *candidates;
  BASIN_TRY(basin__contact_reuse(contact, &still, &candidates));
  const size_t total = basin__contact_view(candidates).first[BASIN__CUDA_PASSES];
  if (total == 0 && contact->host->plane_count == 0) return BASIN_OK;
  /* A candidate gives one pair at most; planes are asked for as many as there are points. */
  BASIN_TRY(reserve_found(
      contact, total + (contact->host->plane_count > 0 ? contact->sets[BASIN__POINTS].count : 0)));
  for (;;) {
    BASIN_TRY(find(contact, candidates, positions, activation));
    BASIN_TRY(basin__contact_fetch(contact, NULL));
    *count = contact->status.found;
    if (*count > UINT32_MAX)
      return BASIN_FAIL(contact->context,
                        BASIN_ERROR_LENGTH,
                        "contact: %zu pairs, more than a device can sort",
                        *count);
    if (*count <= contact->found_capacity) return BASIN_OK;
    BASIN_TRY(reserve_found(contact, *count));
    BASIN_TRY(basin__cuda_zero(contact->cuda,
                               contact->device_status + offsetof(basin_cuda_status, found),
                               sizeof contact->status.found));
  }
}

/* ---- detect ---- */

static void forget(basin_cuda_contact *contact)
{
  contact->listed = false;
  contact->least_squared = HUGE_VAL;
  memset(contact->is_copied, 0, sizeof contact->is_copied);
}

/* Takes over what merging found: counts, and whether anything changed. */
static basin_status adopt(basin_cuda_contact *contact)
{
  const basin_cuda_status *status = &contact->status;
  basin_cuda_pair_list *fresh = &contact->lists[1 - contact->present];
  bool changed = contact->version == 0 || status->changed != 0;
  fresh->pairs.first[0] = 0;
  for (unsigned k = 0; k < BASIN__CUDA_KINDS; ++k) {
    if (status->copies[k] > contact->host->pair_limit)
      return BASIN_FAIL(contact->context,
                        BASIN_ERROR_LENGTH,
                        "contact: %zu %s pairs, more than the pair_limit of %zu",
                        (size_t)status->copies[k],
                        basin_contact_kind_name((basin_contact_kind)k),
                        contact->host->pair_limit);
    changed = changed || contact->before[k] != status->kinds[k];
    fresh->pairs.first[k + 1] = fresh->pairs.first[k] + status->kinds[k];
  }
  for (unsigned k = 0; k < BASIN__CUDA_KINDS; ++k) {
    contact->before[k] = status->kinds[k];
    contact->copies[k] = status->copies[k];
  }
  memcpy(&contact->least_squared, &status->least_squared, sizeof contact->least_squared);
  contact->present = 1 - contact->present;
  contact->listed = true;
  contact->version += changed;
  return BASIN_OK;
}

basin_status
basin__cuda_contact_detect(basin_cuda_contact *contact, basin_address positions, double activation)
{
  size_t count;
  forget(contact);
  BASIN_TRY(basin__contact_check_activation(contact->context, activation));
  basin_contact_statistics *statistics = &contact->statistics;
  const double start = basin__seconds() - statistics->seconds_broad;
  BASIN_TRY(find_all(contact, positions, activation, &count));
  if (count > 0) {
    basin_cuda_found found = view_found(contact);
    BASIN_TRY(basin__contact_merge(contact, &found, count));
  }
  BASIN_TRY(adopt(contact));
  ++statistics->detections;
  statistics->seconds_narrow += basin__seconds() - statistics->seconds_broad - start;
  return BASIN_OK;
}

/* ---- looking ---- */

uint64_t basin__cuda_contact_version(const basin_cuda_contact *contact)
{
  return contact->version;
}

size_t basin__cuda_contact_count(const basin_cuda_contact *contact, basin_contact_kind kind)
{
  return contact->listed && (unsigned)kind < BASIN__CUDA_KINDS ? contact->before[kind] : 0;
}

size_t basin__cuda_contact_copies(const basin_cuda_contact *contact, basin_contact_kind kind)
{
  return contact->listed && (unsigned)kind < BASIN__CUDA_KINDS ? contact->copies[kind] : 0;
}

double basin__cuda_contact_least_squared(const basin_cuda_contact *contact)
{
  return contact->least_squared;
}

const basin_cuda_pairs *basin__cuda_contact_lists(const basin_cuda_contact *contact)
{
  return &contact->lists[contact->present].pairs;
}

/* ---- copies on the host ---- */

static void copy_free(basin_cuda_contact *contact, basin__pair_list *list)
{
  const size_t n = list->capacity;
  basin__free(contact->context, list->vertices, 4 * n * sizeof(uint32_t));
  basin__free(contact->context, list->multiplicity, 4 * n * sizeof(double));
  basin__free(contact->context, list->planes, n * sizeof(uint32_t));
  *list = (basin__pair_list){0};
}

static basin_status copy_reserve(basin_cuda_contact *contact, basin__pair_list *list, size_t need)
{
  if (need <= list->capacity) return BASIN_OK;
  copy_free(contact, list);
  list->capacity = need;
  list->vertices = basin__alloc(contact->context, 4 * need * sizeof(uint32_t));
  list->multiplicity = basin__alloc(contact->context, 4 * need * sizeof(double));
  list->planes = basin__alloc(contact->context, need * sizeof(uint32_t));
  if (list->vertices && list->multiplicity && list->planes) {
    list->squared = list->multiplicity + need;
    list->separation = list->squared + need;
    list->threshold = list->separation + need;
    return BASIN_OK;
  }
  copy_free(contact, list);
  return BASIN_ERROR_MEMORY;
}

static basin_status fetch(basin_cuda_contact *contact,
                          void *to,
                          basin_address from,
                          size_t first,
                          size_t count,
                          size_t size)
{
  return basin__cuda_download(contact->cuda, to, from + first * size, count * size);
}

static basin_status copy_kind(basin_cuda_contact *contact, basin_contact_kind kind, size_t count)
{
  const basin_cuda_pairs *pairs = basin__cuda_contact_lists(contact);
  basin__pair_list *list = &contact->copied[kind];
  const size_t first = pairs->first[kind], arity = basin_contact_arity(kind);
  BASIN_TRY(copy_reserve(contact, list, count));
  BASIN_TRY(fetch(contact, list->vertices, pairs->vertices, first, count, 4 * sizeof(uint32_t)));
  BASIN_TRY(fetch(contact, list->multiplicity, pairs->multiplicity, first, count, sizeof(double)));
  BASIN_TRY(fetch(contact, list->squared, pairs->squared, first, count, sizeof(double)));
  BASIN_TRY(fetch(contact, list->separation, pairs->separation, first, count, sizeof(double)));
  BASIN_TRY(fetch(contact, list->threshold, pairs->threshold, first, count, sizeof(double)));
  for (size_t i = 0; i < count; ++i) {
    list->planes[i] = list->vertices[4 * i + 1];
    memmove(list->vertices + i * arity, list->vertices + 4 * i, arity * sizeof(uint32_t));
  }
  list->count = count;
  return BASIN_OK;
}

basin_status basin__cuda_contact_pairs(basin_cuda_contact *contact,
                                       basin_contact_kind kind,
                                       basin_contact_pairs *pairs)
{
  *pairs = (basin_contact_pairs){.arity = basin_contact_arity(kind)};
  const size_t count = basin__cuda_contact_count(contact, kind);
  if (count == 0) return BASIN_OK;
  if (!contact->is_copied[kind]) BASIN_TRY(copy_kind(contact, kind, count));
  contact->is_copied[kind] = true;
  const basin__pair_list *list = &contact->copied[kind];
  pairs->count = count;
  pairs->vertices = list->vertices;
  pairs->multiplicity = list->multiplicity;
  pairs->squared_distance = list->squared;
  pairs->separation = list->separation;
  if (kind >= BASIN_CONTACT_MOLLIFIED_EDGE_EDGE && kind <= BASIN_CONTACT_MOLLIFIED_POINT_POINT)
    pairs->threshold = list->threshold;
  if (kind == BASIN_CONTACT_POINT_PLANE) pairs->planes = list->planes;
  return BASIN_OK;
}

void basin__contact_lists_fini(basin_cuda_contact *contact)
{
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) copy_free(contact, &contact->copied[k]);
  for (int i = 0; i < 2; ++i) basin__buffer_release(contact->cuda, &contact->lists[i].memory);
}
