/* Close pairs: the smallest stencil that holds the closest points of each candidate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

typedef struct detect_task {
  const double *positions;
  double activation;
} detect_task;

static bool
push(basin__scan *scan, unsigned worker, basin_contact_kind kind, const basin__found *pair)
{
  basin__found_list *list = &scan->contact->workers[worker].found[kind];
  if (list->count == list->capacity &&
      !basin__contact_grow(scan, &list->data, &list->capacity, list->count + 1, sizeof *list->data))
    return false;
  list->data[list->count++] = *pair;
  return true;
}

static void sort_two(uint32_t *a)
{
  if (a[0] <= a[1]) return;
  const uint32_t high = a[0];
  a[0] = a[1];
  a[1] = high;
}

static void sort_three(uint32_t *a)
{
  sort_two(a);
  sort_two(a + 1);
  sort_two(a);
}

static void swap_sides(uint32_t *v)
{
  for (int i = 0; i < 2; ++i) {
    const uint32_t other = v[i];
    v[i] = v[i + 2];
    v[i + 2] = other;
  }
}

/* The vertices in the region, ordered; the kind follows from their number. The first `split` of the
 * stencil are one side. */
static basin_contact_kind
reduce(const uint32_t *v, unsigned split, unsigned count, unsigned region, uint32_t *out)
{
  uint32_t a[4] = {0}, b[4] = {0};
  unsigned na = 0, nb = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!(region >> i & 1)) continue;
    if (i < split)
      a[na++] = v[i];
    else
      b[nb++] = v[i];
  }
  if (na == 2 && nb == 1) { /* the point comes first */
    const uint32_t point = b[0];
    b[0] = a[0], b[1] = a[1], a[0] = point;
    na = 1, nb = 2;
  }
  for (unsigned i = 0; i < na; ++i) out[i] = a[i];
  for (unsigned i = 0; i < nb; ++i) out[na + i] = b[i];
  if (na == 2) {
    sort_two(out);
    sort_two(out + 2);
    if (out[2] < out[0]) swap_sides(out);
    return BASIN_CONTACT_EDGE_EDGE;
  }
  if (nb == 3) {
    sort_three(out + 1);
    return BASIN_CONTACT_POINT_TRIANGLE;
  }
  if (nb == 2) {
    sort_two(out + 1);
    return BASIN_CONTACT_POINT_EDGE;
  }
  sort_two(out);
  return BASIN_CONTACT_POINT_POINT;
}

/* All four vertices, ordered so that the closest ones are where the kind says. */
static basin_contact_kind mollified(const uint32_t *v, unsigned region, uint32_t *out)
{
  const bool inside_a = (region & 3) == 3, inside_b = (region & 12) == 12;
  out[0] = v[0], out[1] = v[1], out[2] = v[2], out[3] = v[3];
  if (inside_a && inside_b) {
    sort_two(out);
    sort_two(out + 2);
    if (out[2] < out[0]) swap_sides(out);
    return BASIN_CONTACT_MOLLIFIED_EDGE_EDGE;
  }
  if (!inside_a && (region & 2)) out[0] = v[1], out[1] = v[0];
  if (!inside_b && (region & 8)) out[2] = v[3], out[3] = v[2];
  if (inside_a) swap_sides(out);
  if (inside_a || inside_b) {
    sort_two(out + 2);
    return BASIN_CONTACT_MOLLIFIED_POINT_EDGE;
  }
  if (out[2] < out[0]) swap_sides(out);
  return BASIN_CONTACT_MOLLIFIED_POINT_POINT;
}

/* Threshold of the mollifier if the edges are below it, else 0. When they are parallel up to
 * rounding, `near` becomes the closest end: the distance between their insides has no direction. */
static double threshold_of(const basin__scan *scan,
                           uint32_t edge_a,
                           uint32_t edge_b,
                           const basin__vector3 x[4],
                           basin__closest *near)
{
  const double *rest = scan->contact->rest_lengths;
  const basin__vector3 u = basin__v3_sub(x[1], x[0]), v = basin__v3_sub(x[3], x[2]);
  const double cross = basin__v3_norm2(basin__v3_cross(u, v));
  if (near->region == 15 && cross <= 1e-14 * basin__v3_norm2(u) * basin__v3_norm2(v))
    basin__closest_edge_ends(x, near);
  if (!rest) return 0;
  const bool ordered = edge_a < edge_b;
  const double threshold = 1e-3 * rest[ordered ? edge_a : edge_b] * rest[ordered ? edge_b : edge_a];
  return cross < threshold ? threshold : 0;
}

static bool detect_visit(
    basin__scan *scan, unsigned worker, uint32_t item, const uint32_t *partners, size_t count)
{
  const detect_task *task = scan->user;
  const basin_contact_kind candidate = (basin_contact_kind)scan->pass;
  for (size_t i = 0; i < count; ++i) {
    uint32_t v[5];
    basin__vector3 x[4];
    basin__closest near;
    const unsigned n = basin__candidate_vertices(scan, item, partners[i], v);
    for (unsigned k = 0; k < n; ++k) x[k] = basin__v3(task->positions + 3 * (size_t)v[k]);
    basin__closest_of(candidate, x, &near);
    basin__found pair = {.separation = basin__candidate_separation(scan, item, partners[i])};
    const double reach = pair.separation + task->activation;
    if (!(near.squared < reach * reach)) continue;
    if (candidate == BASIN_CONTACT_EDGE_EDGE)
      pair.threshold = threshold_of(scan, item, partners[i], x, &near);
    pair.squared = near.squared;
    const unsigned split = scan->query_set->arity;
    const basin_contact_kind kind = pair.threshold > 0
                                        ? mollified(v, near.region, pair.vertices)
                                        : reduce(v, split, n, near.region, pair.vertices);
    if (!push(scan, worker, kind, &pair)) return false;
  }
  return true;
}

/* Points above planes; those below have a distance too and are left to basin_contact_check. */
static basin_status detect_planes(basin_contact *contact, const detect_task *task)
{
  const basin__set *points = &contact->sets[BASIN__POINTS];
  basin__scan scan = {.contact = contact, .pass = BASIN_CONTACT_POINT_PLANE};
  atomic_init(&scan.failed, (int)BASIN_OK);
  for (size_t i = 0; i < points->count * contact->plane_count; ++i) {
    const uint32_t vertex = points->items[i / contact->plane_count];
    const uint32_t plane = (uint32_t)(i % contact->plane_count);
    const basin_contact_plane *at = &contact->planes[plane];
    if (!basin__meets_planes(contact, vertex)) continue;
    const basin__vector3 x = basin__v3(task->positions + 3 * (size_t)vertex);
    const double height = basin__v3_dot(basin__v3(at->normal), x) - at->offset;
    const double xi = contact->separation + basin__offset(contact, 1, &vertex);
    if (!(height < xi + task->activation)) continue;
    const basin__found pair = {
        .vertices = {vertex, plane}, .squared = height * height, .separation = xi};
    if (!push(&scan, 0, BASIN_CONTACT_POINT_PLANE, &pair))
      return (basin_status)atomic_load(&scan.failed);
  }
  return BASIN_OK;
}

basin_status
basin_contact_detect(basin_contact *contact, const double *positions, double activation)
{
  basin__pairs_clear(contact);
  if (!(activation > 0 && activation < HUGE_VAL))
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_ARGUMENT,
                      "contact: the activation distance must be a number > 0, it is %g",
                      activation);
  detect_task task = {.positions = positions, .activation = activation};
  BASIN_TRY(basin__contact_boxes(contact, positions, NULL, 0, 0.5 * activation));
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    BASIN_TRY(basin__contact_scan(contact, pass, detect_visit, &task, false));
  BASIN_TRY(detect_planes(contact, &task));
  return basin__pairs_merge(contact);
}
