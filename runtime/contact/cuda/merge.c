/* Sorting and merging of found pairs on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

/* Memory while `count` pairs are merged. */
typedef struct merge_space {
  basin_address order, keys, flags, heads, counts; /* flags and counts become sums in place */
  basin_cuda_pairs rows;
} merge_space;

static size_t lay_out(merge_space *space, basin_address next, size_t count)
{
  const basin_address start = next;
  const size_t words = (count + 1) * sizeof(uint32_t), doubles = count * sizeof(double);
  space->order = basin__carve(&next, words);
  space->keys = basin__carve(&next, doubles);
  space->flags = basin__carve(&next, words);
  space->heads = basin__carve(&next, words);
  space->counts = basin__carve(&next, words);
  space->rows = (basin_cuda_pairs){.vertices = 0};
  space->rows.multiplicity = basin__carve(&next, doubles);
  space->rows.squared = basin__carve(&next, doubles);
  space->rows.separation = basin__carve(&next, doubles);
  space->rows.threshold = basin__carve(&next, doubles);
  return next - start;
}

static basin_status reserve_list(basin_cuda_contact *contact, size_t count)
{
  basin_cuda_pair_list *list = &contact->lists[1 - contact->present];
  if (count <= list->capacity) return BASIN_OK;
  const size_t room = count + count / 4 + 256, doubles = room * sizeof(double);
  list->capacity = 0;
  BASIN_TRY(basin__buffer_reserve(
      contact->cuda, &list->memory, room * (4 * sizeof(uint32_t) + 4 * sizeof(double))));
  list->capacity = room;
  list->pairs = (basin_cuda_pairs){.multiplicity = list->memory.address};
  list->pairs.squared = list->pairs.multiplicity + doubles;
  list->pairs.separation = list->pairs.squared + doubles;
  list->pairs.threshold = list->pairs.separation + doubles;
  list->pairs.vertices = list->pairs.threshold + doubles;
  return BASIN_OK;
}

/* space->order: the pairs by kind and vertices. */
static basin_status
sort(basin_cuda_contact *contact, merge_space *space, basin_cuda_found *found, size_t count)
{
  const unsigned width = 2 * found->bits;
  for (unsigned begin = 1;; begin = 0) {
    basin_address *part = begin ? &found->low : &found->high;
    void *parameters[] = {part, &space->order, &count, &begin, &space->keys};
    BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_sort_keys, count, parameters));
    BASIN_TRY(basin__cuda_sort_64(contact->cuda,
                                  &contact->scratch,
                                  space->keys,
                                  space->order,
                                  count,
                                  begin ? width : width + 3));
    if (!begin) return BASIN_OK;
  }
}

/* Runs of equal vertices: their first rows in space->heads. */
static basin_status
find_runs(basin_cuda_contact *contact, merge_space *space, basin_cuda_found *found, size_t count)
{
  void *flags[] = {found, &space->order, &count, &space->flags};
  void *heads[] = {
      found, &space->order, &count, &space->flags, &space->heads, &contact->device_status};
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_run_flags, count, flags));
  BASIN_TRY(basin__cuda_scan(contact->cuda, &contact->scratch, space->flags, count, space->flags));
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_run_heads, count + 1, heads);
}

static basin_status
merge_runs(basin_cuda_contact *contact, merge_space *space, basin_cuda_found *found, size_t count)
{
  basin_cuda_pairs *fresh = &contact->lists[1 - contact->present].pairs;
  void *merge[] = {found,
                   &space->order,
                   &count,
                   &space->heads,
                   &space->rows,
                   &space->counts,
                   &contact->device_status};
  void *gather[] = {found,
                    &space->order,
                    &count,
                    &space->heads,
                    &space->counts,
                    &space->rows,
                    fresh,
                    &contact->device_status};
  BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_merge_runs, count, merge));
  BASIN_TRY(
      basin__cuda_scan(contact->cuda, &contact->scratch, space->counts, count, space->counts));
  return basin__contact_launch(contact, BASIN_CONTACT_KERNEL_gather_runs, count, gather);
}

basin_status
basin__contact_merge(basin_cuda_contact *contact, const basin_cuda_found *found, size_t count)
{
  merge_space space;
  basin_cuda_found rows = *found;
  BASIN_TRY(basin__buffer_reserve(contact->cuda, &contact->work, lay_out(&space, 0, count)));
  lay_out(&space, contact->work.address, count);
  BASIN_TRY(reserve_list(contact, count));
  BASIN_TRY(sort(contact, &space, &rows, count));
  BASIN_TRY(find_runs(contact, &space, &rows, count));
  BASIN_TRY(merge_runs(contact, &space, &rows, count));
  size_t before = 0;
  for (unsigned k = 0; k < BASIN__CUDA_KINDS; ++k) before += contact->before[k];
  if (before > 0) {
    basin_cuda_pairs *fresh = &contact->lists[1 - contact->present].pairs;
    basin_cuda_pairs *old = &contact->lists[contact->present].pairs;
    void *compare[] = {fresh, old, &before, &contact->device_status};
    BASIN_TRY(basin__contact_launch(contact, BASIN_CONTACT_KERNEL_compare, before, compare));
  }
  return basin__contact_fetch(contact, NULL);
}
