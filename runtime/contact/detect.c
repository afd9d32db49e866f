/* Close pairs: the smallest stencil that holds the closest points of each candidate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact/device/contact_classify.h"

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

/* Threshold of the mollifier if the edges are below it, else 0; see basin__mollifier_threshold. */
static double threshold_of(const basin__scan *scan,
                           uint32_t edge_a,
                           uint32_t edge_b,
                           const basin__vector3 x[4],
                           basin__closest *near)
{
  const double *lengths = scan->contact->rest_lengths;
  const uint32_t first = edge_a < edge_b ? edge_a : edge_b;
  const uint32_t second = edge_a < edge_b ? edge_b : edge_a;
  const double rest = lengths ? 1e-3 * lengths[first] * lengths[second] : 0;
  return basin__mollifier_threshold(rest, x, near);
}

static void note(float *distances, size_t i, double squared)
{
  if (distances) distances[i] = (float)(sqrt(squared) * (1 - 0x1p-20));
}

static bool detect_visit(basin__scan *scan,
                         unsigned worker,
                         uint32_t item,
                         const uint32_t *partners,
                         size_t count,
                         float *distances)
{
  const detect_task *task = scan->user;
  const basin_contact_kind candidate = (basin_contact_kind)scan->pass;
  for (size_t i = 0; i < count; ++i) {
    uint32_t v[5] = {0};
    basin__vector3 x[4];
    basin__closest near;
    const unsigned n = basin__candidate_vertices(scan, item, partners[i], v);
    for (unsigned k = 0; k < n; ++k) x[k] = basin__v3(task->positions + 3 * (size_t)v[k]);
    basin__found pair = {.separation = basin__candidate_separation(scan, item, partners[i])};
    const double reach = pair.separation + task->activation;
    double least;
    if (basin__far_apart(candidate, x, reach, &least)) {
      note(distances, i, least);
      continue;
    }
    basin__closest_of(candidate, x, &near);
    note(distances, i, near.squared);
    if (!(near.squared < reach * reach)) continue;
    if (candidate == BASIN_CONTACT_EDGE_EDGE)
      pair.threshold = threshold_of(scan, item, partners[i], x, &near);
    pair.squared = near.squared;
    const unsigned split = scan->query_set->arity;
    const basin_contact_kind kind =
        pair.threshold > 0 ? basin__mollified_stencil_of(v, near.region, pair.vertices)
                           : basin__stencil_of(v, split, n, near.region, pair.vertices);
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
  BASIN_TRY(basin__contact_check_activation(contact->context, activation));
  detect_task task = {.positions = positions, .activation = activation};
  basin_contact_statistics *statistics = &contact->statistics;
  const double start = basin__seconds();
  double broad = 0;
  BASIN_TRY(basin__reuse_detect(contact, positions, activation, detect_visit, &task, &broad));
  BASIN_TRY(detect_planes(contact, &task));
  BASIN_TRY(basin__pairs_merge(contact));
  ++statistics->detections;
  statistics->seconds_broad += broad;
  statistics->seconds_narrow += basin__seconds() - start - broad;
  return BASIN_OK;
}
