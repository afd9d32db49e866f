/* Sorting, merging and reading the pairs that detect found.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* ---- gathering and sorting ---- */

/* All found pairs of a kind in one array: those of worker 0, which the others are appended to. */
static basin_status gather(basin_contact *contact, int kind, basin__found_list *all)
{
  basin__found_list *first = &contact->workers[0].found[kind];
  size_t total = 0;
  for (unsigned w = 0; w < contact->worker_count; ++w)
    total += contact->workers[w].found[kind].count;
  if (total > contact->pair_limit)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_LENGTH,
                      "contact: %zu %s pairs, more than the pair_limit of %zu",
                      total,
                      basin_contact_kind_name((basin_contact_kind)kind),
                      contact->pair_limit);
  BASIN_TRY(
      basin__grow(contact->context, &first->data, &first->capacity, total, sizeof *first->data));
  for (unsigned w = 1; w < contact->worker_count; ++w) {
    basin__found_list *more = &contact->workers[w].found[kind];
    if (more->count > 0)
      memcpy(first->data + first->count, more->data, more->count * sizeof *more->data);
    first->count += more->count;
    more->count = 0;
  }
  *all = *first;
  return BASIN_OK;
}

/* One stable pass by 11 bits of one vertex. */
static void sort_pass(
    const basin__found_list *all, unsigned column, int shift, const uint32_t *from, uint32_t *to)
{
  size_t starts[BUCKETS + 1] = {0};
  for (size_t i = 0; i < all->count; ++i)
    ++starts[(all->data[i].vertices[column] >> shift & (BUCKETS - 1)) + 1];
  for (int b = 0; b < BUCKETS; ++b) starts[b + 1] += starts[b];
  for (size_t i = 0; i < all->count; ++i) {
    const uint32_t row = from[i];
    to[starts[all->data[row].vertices[column] >> shift & (BUCKETS - 1)]++] = row;
  }
}

/* *order = the rows of `all` by vertices, in space of the contact. */
static basin_status
sort_rows(basin_contact *contact, const basin__found_list *all, unsigned columns, uint32_t **order)
{
  BASIN_TRY(basin__grow(contact->context,
                        &contact->sort_space,
                        &contact->sort_capacity,
                        2 * all->count,
                        sizeof(uint32_t)));
  uint32_t *from = contact->sort_space, *to = from + all->count;
  uint32_t largest = 0;
  for (size_t i = 0; i < all->count; ++i) {
    from[i] = (uint32_t)i;
    for (unsigned c = 0; c < columns; ++c)
      if (all->data[i].vertices[c] > largest) largest = all->data[i].vertices[c];
  }
  for (unsigned c = columns; c-- > 0;)
    for (int shift = 0; shift < 32 && largest >> shift; shift += DIGIT) {
      sort_pass(all, c, shift, from, to);
      uint32_t *other = from;
      from = to;
      to = other;
    }
  *order = from;
  return BASIN_OK;
}

/* ---- merging ---- */

static void list_free(basin_contact *contact, basin__pair_list *list)
{
  basin_context *context = contact->context;
  const size_t n = list->capacity;
  basin__free(context, list->vertices, 4 * n * sizeof(uint32_t));
  basin__free(context, list->multiplicity, n * sizeof(double));
  basin__free(context, list->squared, n * sizeof(double));
  basin__free(context, list->separation, n * sizeof(double));
  basin__free(context, list->threshold, n * sizeof(double));
  basin__free(context, list->planes, n * sizeof(uint32_t));
  *list = (basin__pair_list){0};
}

/* Room for `need` pairs; the old ones are lost. */
static basin_status list_reserve(basin_contact *contact, basin__pair_list *list, size_t need)
{
  if (need <= list->capacity) return BASIN_OK;
  basin_context *context = contact->context;
  size_t room = 2 * list->capacity;
  if (room < need) room = need;
  list_free(contact, list);
  *list = (basin__pair_list){.capacity = room,
                             .vertices = basin__alloc(context, 4 * room * sizeof(uint32_t)),
                             .multiplicity = basin__alloc(context, room * sizeof(double)),
                             .squared = basin__alloc(context, room * sizeof(double)),
                             .separation = basin__alloc(context, room * sizeof(double)),
                             .threshold = basin__alloc(context, room * sizeof(double)),
                             .planes = basin__alloc(context, room * sizeof(uint32_t))};
  if (list->vertices && list->multiplicity && list->squared && list->separation &&
      list->threshold && list->planes)
    return BASIN_OK;
  list_free(contact, list);
  return BASIN_ERROR_MEMORY;
}

/* Adds a row, or adds it to an equal one of the present run (which begins at `run`). A run of equal
 * vertices is ordered by separation; of equal stencils the smallest distance stays, so that nothing
 * depends on the order in which they were found. */
static void merge_row(basin__pair_list *list, size_t run, unsigned arity, const basin__found *row)
{
  size_t at = run;
  while (at < list->count && list->separation[at] < row->separation) ++at;
  if (at < list->count && list->separation[at] == row->separation && list->threshold[at] == 0) {
    list->multiplicity[at] += 1;
    if (row->squared < list->squared[at]) list->squared[at] = row->squared;
    return;
  }
  const size_t moved = list->count - at;
  memmove(list->separation + at + 1, list->separation + at, moved * sizeof(double));
  memmove(list->multiplicity + at + 1, list->multiplicity + at, moved * sizeof(double));
  memmove(list->squared + at + 1, list->squared + at, moved * sizeof(double));
  memmove(list->threshold + at + 1, list->threshold + at, moved * sizeof(double));
  list->separation[at] = row->separation;
  list->multiplicity[at] = 1;
  list->squared[at] = row->squared;
  list->threshold[at] = row->threshold;
  for (unsigned c = 0; c < arity; ++c) list->vertices[list->count * arity + c] = row->vertices[c];
  list->planes[list->count] = row->vertices[1];
  ++list->count;
}

static basin_status merge_kind(basin_contact *contact, int kind)
{
  basin__found_list all;
  basin__pair_list *list = &contact->pairs[kind];
  const unsigned arity = basin_contact_arity((basin_contact_kind)kind);
  const unsigned columns = arity == 1 ? 2 : arity; /* with the plane */
  uint32_t *order;
  BASIN_TRY(gather(contact, kind, &all));
  if (all.count == 0) return BASIN_OK;
  BASIN_TRY(sort_rows(contact, &all, columns, &order));
  BASIN_TRY(list_reserve(contact, list, all.count));
  size_t run = 0;
  const basin__found *last = NULL;
  for (size_t i = 0; i < all.count; ++i) {
    const basin__found *row = &all.data[order[i]];
    if (!last || memcmp(last->vertices, row->vertices, columns * sizeof(uint32_t)) != 0)
      run = list->count;
    merge_row(list, run, arity, row);
    last = row;
  }
  return BASIN_OK;
}

static uint64_t hash_of(const basin_contact *contact)
{
  uint64_t hash = 0;
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin__pair_list *list = &contact->pairs[kind];
    const unsigned arity = basin_contact_arity((basin_contact_kind)kind);
    hash = basin__hash64(&list->count, sizeof list->count, hash);
    if (list->count == 0) continue;
    hash = basin__hash64(list->vertices, list->count * arity * sizeof(uint32_t), hash);
    hash = basin__hash64(list->multiplicity, list->count * sizeof(double), hash);
    hash = basin__hash64(list->planes, arity == 1 ? list->count * sizeof(uint32_t) : 0, hash);
  }
  return hash;
}

basin_status basin__pairs_merge(basin_contact *contact)
{
  basin_status status = BASIN_OK;
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT && status == BASIN_OK; ++kind)
    status = merge_kind(contact, kind);
  if (status != BASIN_OK) {
    basin__pairs_clear(contact);
    return status;
  }
  const uint64_t hash = hash_of(contact);
  if (contact->version == 0 || hash != contact->stencil_hash) ++contact->version;
  contact->stencil_hash = hash;
  return BASIN_OK;
}

void basin__pairs_clear(basin_contact *contact)
{
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    contact->pairs[kind].count = 0;
    for (unsigned w = 0; w < contact->worker_count; ++w) contact->workers[w].found[kind].count = 0;
  }
}

void basin__pairs_fini(basin_contact *contact)
{
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind)
    list_free(contact, &contact->pairs[kind]);
  basin__free(contact->context, contact->sort_space, contact->sort_capacity * sizeof(uint32_t));
}

size_t basin__pairs_memory(const basin_contact *contact)
{
  size_t sum = contact->sort_capacity * sizeof(uint32_t);
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind)
    sum += contact->pairs[kind].capacity * (5 * sizeof(uint32_t) + 4 * sizeof(double));
  return sum;
}

/* ---- reading ---- */

basin_contact_pairs basin_contact_pairs_get(const basin_contact *contact, basin_contact_kind kind)
{
  basin_contact_pairs view = {.arity = basin_contact_arity(kind)};
  if (view.arity == 0 || contact->pairs[kind].count == 0) return view;
  const basin__pair_list *list = &contact->pairs[kind];
  view.count = list->count;
  view.vertices = list->vertices;
  view.multiplicity = list->multiplicity;
  view.squared_distance = list->squared;
  view.separation = list->separation;
  if (kind >= BASIN_CONTACT_MOLLIFIED_EDGE_EDGE && kind <= BASIN_CONTACT_MOLLIFIED_POINT_POINT)
    view.threshold = list->threshold;
  if (kind == BASIN_CONTACT_POINT_PLANE) view.planes = list->planes;
  return view;
}

uint64_t basin_contact_version(const basin_contact *contact)
{
  return contact->version;
}
