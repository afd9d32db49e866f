/* Creating and destroying detectors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "contact/sets.h"
#include <string.h>

static const unsigned char arities[BASIN_CONTACT_KIND_COUNT] = {
#define X(name, arity, text) arity,
    BASIN_CONTACT_KIND_LIST(X)
#undef X
};

static const char *const names[BASIN_CONTACT_KIND_COUNT] = {
#define X(name, arity, text) text,
    BASIN_CONTACT_KIND_LIST(X)
#undef X
};

static const size_t default_limit = (size_t)1 << 31;

unsigned basin_contact_arity(basin_contact_kind kind)
{
  return (unsigned)kind < BASIN_CONTACT_KIND_COUNT ? arities[kind] : 0;
}

const char *basin_contact_kind_name(basin_contact_kind kind)
{
  return (unsigned)kind < BASIN_CONTACT_KIND_COUNT ? names[kind] : "unknown";
}

basin_contact_description basin_contact_description_defaults(void)
{
  return (basin_contact_description){.size = sizeof(basin_contact_description)};
}

/* ---- checking ---- */

static basin_status check_vertices(basin_context *context,
                                   const basin_contact_description *d,
                                   const char *what,
                                   const uint32_t *vertices,
                                   size_t count,
                                   size_t arity)
{
  if (count > 0 && !vertices)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "contact: %zu %s are announced but not given", count, what);
  for (size_t i = 0; i < count * arity; ++i)
    if (vertices[i] >= d->vertex_count)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "contact: entry %zu of %s is vertex %u, but there are %zu vertices",
                        i / arity,
                        what,
                        vertices[i],
                        d->vertex_count);
  return BASIN_OK;
}

static basin_status check_bodies(basin_context *context, const basin_contact_description *d)
{
  const bool bounded = d->body_pairs || d->offsets || d->plane_bodies;
  if (bounded && d->body_count == 0)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "contact: arrays by body need a body_count, it is 0");
  if (d->body_count > 65536)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "contact: body_count is %zu, more than 65536",
                      d->body_count);
  for (size_t v = 0; d->bodies && v < d->vertex_count; ++v)
    if (bounded ? d->bodies[v] >= d->body_count : d->bodies[v] >= BASIN__TAG_NONE)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "contact: vertex %zu has body %u, but there are %zu bodies",
                        v,
                        d->bodies[v],
                        bounded ? d->body_count : (size_t)BASIN__TAG_NONE);
  for (size_t a = 0; d->body_pairs && a < d->body_count; ++a)
    for (size_t b = 0; b < a; ++b)
      if (!d->body_pairs[a * d->body_count + b] != !d->body_pairs[b * d->body_count + a])
        return BASIN_FAIL(context,
                          BASIN_ERROR_ARGUMENT,
                          "contact: the table of body pairs is not symmetric at bodies %zu and %zu",
                          b,
                          a);
  for (size_t b = 0; d->offsets && b < d->body_count; ++b)
    if (!(d->offsets[b] >= 0 && d->offsets[b] < HUGE_VAL))
      return BASIN_FAIL(context,
                        BASIN_ERROR_ARGUMENT,
                        "contact: the offset of body %zu is %g, not a number >= 0",
                        b,
                        d->offsets[b]);
  return BASIN_OK;
}

static basin_status check_planes(basin_context *context, const basin_contact_description *d)
{
  if (d->plane_count > 0 && !d->planes)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "contact: %zu planes are announced but not given",
                      d->plane_count);
  if (d->plane_count > UINT32_MAX)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "contact: too many planes");
  for (size_t i = 0; i < d->plane_count; ++i) {
    const double length2 = basin__v3_norm2(basin__v3(d->planes[i].normal));
    if (!(fabs(length2 - 1) < 1e-6) || !isfinite(d->planes[i].offset))
      return BASIN_FAIL(context,
                        BASIN_ERROR_ARGUMENT,
                        "contact: plane %zu needs a normal of length 1 and a finite offset",
                        i);
  }
  return BASIN_OK;
}

static basin_status check(basin_context *context, const basin_contact_description *d)
{
  if (!d || d->size != sizeof *d)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "contact: the size of the description is not set");
  const size_t most = UINT32_MAX / 8;
  if (d->vertex_count > most || d->point_count > most || d->edge_count > most ||
      d->triangle_count > most)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "contact: more than %zu primitives", most);
  BASIN_TRY(check_vertices(context, d, "points", d->points, d->point_count, 1));
  BASIN_TRY(check_vertices(context, d, "edges", d->edges, d->edge_count, 2));
  BASIN_TRY(check_vertices(context, d, "triangles", d->triangles, d->triangle_count, 3));
  BASIN_TRY(check_bodies(context, d));
  BASIN_TRY(check_planes(context, d));
  if (!(d->separation >= 0 && d->separation < HUGE_VAL))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "contact: the separation is %g, not a number >= 0",
                      d->separation);
  for (size_t i = 0; d->rest_positions && i < 3 * d->vertex_count; ++i)
    if (!isfinite(d->rest_positions[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "contact: the rest position of vertex %zu is not finite",
                        i / 3);
  return BASIN_OK;
}

/* ---- filling ---- */

/* *copy = a copy of size bytes; untouched when there is nothing to copy. */
static basin_status copy_array(basin_context *context, const void *from, size_t size, void *copy)
{
  if (!from) return BASIN_OK;
  void *block = basin__alloc(context, size);
  if (!block) return BASIN_ERROR_MEMORY;
  if (size > 0) memcpy(block, from, size);
  memcpy(copy, &block, sizeof block);
  return BASIN_OK;
}

static basin_status measure_rest(basin_contact *contact, const double *rest)
{
  const basin__set *edges = &contact->sets[BASIN__EDGES];
  if (!rest) return BASIN_OK;
  contact->rest_lengths = basin__alloc(contact->context, edges->count * sizeof(double));
  if (!contact->rest_lengths) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < edges->count; ++i) {
    const basin__vector3 a = basin__v3(rest + 3 * (size_t)edges->items[2 * i]);
    const basin__vector3 b = basin__v3(rest + 3 * (size_t)edges->items[2 * i + 1]);
    contact->rest_lengths[i] = basin__v3_norm2(basin__v3_sub(b, a));
  }
  return BASIN_OK;
}

static basin_status measure_reaches(basin_contact *contact)
{
  if (!contact->offsets) return BASIN_OK;
  contact->reaches = basin__calloc(contact->context, contact->vertex_count, sizeof(double));
  if (!contact->reaches) return BASIN_ERROR_MEMORY;
  for (int i = 0; i < BASIN__SET_COUNT; ++i) {
    const basin__set *set = &contact->sets[i];
    for (size_t k = 0; k < set->count; ++k) {
      const uint32_t *v = set->items + k * set->arity;
      const double offset = basin__offset(contact, set->arity, v);
      for (unsigned c = 0; c < set->arity; ++c)
        if (contact->reaches[v[c]] < offset) contact->reaches[v[c]] = offset;
    }
  }
  return BASIN_OK;
}

static basin_status fill(basin_contact *contact, const basin_contact_description *d)
{
  basin_context *context = contact->context;
  const size_t n = d->body_count;
  contact->vertex_count = d->vertex_count;
  contact->body_count = n;
  contact->separation = contact->largest_separation = d->separation;
  for (size_t b = 0; d->offsets && b < n; ++b)
    contact->largest_separation =
        fmax(contact->largest_separation, d->separation + 2 * d->offsets[b]);
  contact->plane_count = d->plane_count;
  contact->exact_boxes = d->exact_boxes;
  contact->wide = basin__boxes_wide();
  contact->pair_limit = d->pair_limit ? d->pair_limit : default_limit;
  contact->worker_count = basin__worker_count(context);
  BASIN_TRY(copy_array(context, d->bodies, d->vertex_count * sizeof(uint32_t), &contact->bodies));
  BASIN_TRY(copy_array(context, d->body_pairs, n * n, &contact->table));
  BASIN_TRY(copy_array(context, d->plane_bodies, n, &contact->plane_bodies));
  BASIN_TRY(copy_array(context, d->offsets, n * sizeof(double), &contact->offsets));
  BASIN_TRY(copy_array(context, d->planes, d->plane_count * sizeof *d->planes, &contact->planes));
  contact->workers = basin__calloc(context, contact->worker_count, sizeof *contact->workers);
  contact->boxes = basin__alloc_aligned(context, d->vertex_count * sizeof *contact->boxes);
  const size_t bytes = 3 * d->vertex_count * sizeof(double);
  contact->swept_positions = basin__alloc(context, bytes);
  contact->swept_direction = basin__alloc(context, bytes);
  if (!contact->workers || !contact->boxes || !contact->swept_positions ||
      !contact->swept_direction)
    return BASIN_ERROR_MEMORY;
  BASIN_TRY(basin__sets_init(contact, d));
  BASIN_TRY(measure_reaches(contact));
  BASIN_TRY(basin__lists_init(contact, &contact->swept_lists));
  BASIN_TRY(basin__reuse_init(contact));
  return measure_rest(contact, d->rest_positions);
}

basin_status basin_contact_create(basin_context *context,
                                  const basin_contact_description *description,
                                  basin_contact **contact)
{
  *contact = NULL;
  BASIN_TRY(check(context, description));
  basin_contact *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  pthread_mutex_init(&made->growing, NULL);
  const basin_status status = fill(made, description);
  if (status != BASIN_OK) {
    basin_contact_destroy(made);
    return status;
  }
  *contact = made;
  return BASIN_OK;
}

static void workers_fini(basin_contact *contact)
{
  basin_context *context = contact->context;
  if (!contact->workers) return;
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    basin__worker *worker = &contact->workers[w];
    basin__free(context, worker->scratch.data, worker->scratch.capacity * sizeof(uint32_t));
    basin__free(context, worker->leaves.data, worker->leaves.capacity * sizeof(uint32_t));
    basin__free(context, worker->places.data, worker->places.capacity * sizeof(uint32_t));
    basin__free(context, worker->distances.data, worker->distances.capacity * sizeof(float));
    for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
      basin__found_list *found = &worker->found[kind];
      basin__free(context, found->data, found->capacity * sizeof *found->data);
    }
  }
  basin__free(context, contact->workers, contact->worker_count * sizeof *contact->workers);
}

void basin_contact_destroy(basin_contact *contact)
{
  if (!contact) return;
  basin_context *context = contact->context;
  const size_t vertices = contact->vertex_count, n = contact->body_count;
  basin__pairs_fini(contact);
  basin__lists_fini(contact, &contact->swept_lists);
  basin__reuse_fini(contact);
  workers_fini(contact);
  if (contact->rest_lengths)
    basin__free(context, contact->rest_lengths, contact->sets[BASIN__EDGES].count * sizeof(double));
  basin__sets_fini(contact);
  if (contact->boxes)
    basin__free_aligned(context, contact->boxes, vertices * sizeof *contact->boxes);
  basin__free(context, contact->swept_positions, 3 * vertices * sizeof(double));
  basin__free(context, contact->swept_direction, 3 * vertices * sizeof(double));
  basin__free(context, contact->reaches, vertices * sizeof(double));
  basin__free(context, contact->bodies, vertices * sizeof(uint32_t));
  basin__free(context, contact->table, n * n);
  basin__free(context, contact->plane_bodies, n);
  basin__free(context, contact->offsets, n * sizeof(double));
  basin__free(context, contact->planes, contact->plane_count * sizeof *contact->planes);
  pthread_mutex_destroy(&contact->growing);
  basin__free(context, contact, sizeof *contact);
}

/* ---- looking ---- */

size_t basin_contact_points(const basin_contact *contact, const uint32_t **points)
{
  *points = contact->sets[BASIN__POINTS].items;
  return contact->sets[BASIN__POINTS].count;
}

size_t basin_contact_edges(const basin_contact *contact, const uint32_t **edges)
{
  *edges = contact->sets[BASIN__EDGES].items;
  return contact->sets[BASIN__EDGES].count;
}

basin_contact_statistics basin_contact_statistics_get(const basin_contact *contact)
{
  basin_contact_statistics statistics = contact->statistics;
  statistics.size = sizeof statistics;
  return statistics;
}

size_t basin_contact_memory(const basin_contact *contact)
{
  size_t sum = sizeof *contact + contact->vertex_count * (2 * sizeof *contact->boxes + 80);
  if (contact->bodies) sum += contact->vertex_count * sizeof(uint32_t);
  if (contact->table) sum += contact->body_count * contact->body_count;
  if (contact->rest_lengths) sum += contact->sets[BASIN__EDGES].count * sizeof(double);
  for (int i = 0; i < BASIN__SET_COUNT; ++i) {
    const basin__set *set = &contact->sets[i];
    sum += set->count * (set->arity + 3) * sizeof(uint32_t) + basin__tree_memory(&set->tree);
  }
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    const basin__worker *worker = &contact->workers[w];
    sum += (worker->scratch.capacity + worker->leaves.capacity + worker->places.capacity +
            worker->distances.capacity) *
           sizeof(uint32_t);
    for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind)
      sum += worker->found[kind].capacity * sizeof(basin__found);
  }
  sum += basin__lists_memory(contact, &contact->swept_lists);
  sum += basin__lists_memory(contact, &contact->reuse.lists);
  for (unsigned w = 0; w < contact->worker_count; ++w)
    sum += 3 * contact->reuse.older[w].items.capacity * sizeof(uint32_t);
  sum += contact->reuse.row_count * (8 + 4 * contact->worker_count);
  return sum + basin__pairs_memory(contact);
}
