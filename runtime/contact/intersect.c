/* Edges that meet triangles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "contact/curve.h"
#include <string.h>

static bool meet_visit(basin__scan *scan,
                       unsigned worker,
                       uint32_t item,
                       const uint32_t *partners,
                       size_t count,
                       float *distances)
{
  (void)distances;
  const double *positions = scan->user;
  basin__found_list *list = &scan->contact->workers[worker].found[0];
  for (size_t i = 0; i < count; ++i) {
    uint32_t v[5] = {0};
    double x[15];
    basin__candidate_vertices(scan, item, partners[i], v);
    for (unsigned k = 0; k < 5; ++k)
      memcpy(x + 3 * k, positions + 3 * (size_t)v[k], 3 * sizeof(double));
    if (!basin_contact_segment_meets_triangle(x, x + 6)) continue;
    if (list->count == list->capacity &&
        !basin__contact_grow(
            scan, &list->data, &list->capacity, list->count + 1, sizeof *list->data))
      return false;
    list->data[list->count++] = (basin__found){.vertices = {item, partners[i]}};
  }
  return true;
}

static void clear_found(basin_contact *contact)
{
  for (unsigned w = 0; w < contact->worker_count; ++w) contact->workers[w].found[0].count = 0;
}

static size_t found_total(const basin_contact *contact)
{
  size_t total = 0;
  for (unsigned w = 0; w < contact->worker_count; ++w) total += contact->workers[w].found[0].count;
  return total;
}

/* Sorts by the lower half, then by the upper half: two stable sorts. */
static void sort_pairs(size_t count, uint64_t *pairs, uint64_t *scratch)
{
  for (int half = 0; half < 2; ++half) {
    for (size_t i = 0; i < count; ++i) pairs[i] = pairs[i] << 32 | pairs[i] >> 32;
    basin__curve_sort(count, pairs, scratch);
  }
}

/* The first rows by edge, then triangle. */
static basin_status
write_rows(const basin_contact *contact, size_t count, size_t room, uint32_t *rows)
{
  basin_context *context = contact->context;
  const size_t bytes = 2 * count * sizeof(uint64_t);
  uint64_t *pairs = basin__alloc(context, bytes);
  if (!pairs) return BASIN_ERROR_MEMORY;
  size_t n = 0;
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    const basin__found_list *list = &contact->workers[w].found[0];
    for (size_t i = 0; i < list->count; ++i)
      pairs[n++] = (uint64_t)list->data[i].vertices[0] << 32 | list->data[i].vertices[1];
  }
  sort_pairs(count, pairs, pairs + count);
  const basin__set *edges = &contact->sets[BASIN__EDGES];
  const basin__set *triangles = &contact->sets[BASIN__TRIANGLES];
  for (size_t i = 0; i < count && i < room; ++i) {
    memcpy(rows + 5 * i, edges->items + 2 * (size_t)(pairs[i] >> 32), 2 * sizeof *rows);
    memcpy(
        rows + 5 * i + 2, triangles->items + 3 * (size_t)(pairs[i] & UINT32_MAX), 3 * sizeof *rows);
  }
  basin__free(context, pairs, bytes);
  return BASIN_OK;
}

basin_status basin_contact_intersections(
    basin_contact *contact, const double *positions, size_t room, uint32_t *rows, size_t *count)
{
  *count = 0;
  clear_found(contact);
  BASIN_TRY(basin__contact_boxes(contact, positions, NULL, 0, -1, NULL, NULL, NULL));
  basin__contact_refit(contact, contact->boxes);
  double *user;
  memcpy(&user, &positions, sizeof user); /* only read */
  BASIN_TRY(basin__contact_scan_edges(contact, meet_visit, user));
  const size_t total = found_total(contact);
  basin_status status = BASIN_OK;
  if (total > 0 && room > 0) status = write_rows(contact, total, room, rows);
  clear_found(contact);
  if (status == BASIN_OK) *count = total;
  return status;
}
