/* Candidates with what is known of their distances: lists side by side, and looking only at those
 * that may matter.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <math.h>
#include <string.h>

static const double operations = 10; /* a candidate */

/* What a horizon loses to rounding: of itself, of the travel added and taken away, of sweeps. */
#define SAFE (1 - 0x1p-18F)

/* ---- side by side ---- */

typedef struct flat_task {
  const basin__lists *lists;
  unsigned pass;
} flat_task;

static void flat_block(void *user, size_t index, unsigned worker)
{
  (void)worker;
  const flat_task *task = user;
  const basin__block *block = &task->lists->blocks[task->pass][index];
  const basin__flat *flat = &task->lists->flat[block->part];
  const uint32_t *next = task->lists->parts[block->part].data + block->first;
  const uint32_t *end = next + block->count;
  size_t at = block->start;
  memset(flat->horizons.data + at, 0, block->candidates * sizeof(float));
  for (; next < end; next += 2 + next[1])
    for (uint32_t i = 0; i < next[1]; ++i, ++at) {
      flat->items.data[at] = next[0];
      flat->partners.data[at] = next[2 + i];
    }
}

static basin_status reserve_flat(basin_contact *contact, basin__flat *flat)
{
  basin_context *context = contact->context;
  const size_t count = flat->items.count;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(basin__grow(
      context, &flat->items.data, &flat->items.capacity, count, sizeof *flat->items.data));
  BASIN_TRY(basin__grow(
      context, &flat->partners.data, &flat->partners.capacity, count, sizeof *flat->partners.data));
  return basin__grow(
      context, &flat->horizons.data, &flat->horizons.capacity, count, sizeof *flat->horizons.data);
}

void basin__flat_free(basin_contact *contact, basin__flat *flats)
{
  basin_context *context = contact->context;
  if (!flats) return;
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    basin__flat *flat = &flats[w];
    basin__free(context, flat->items.data, flat->items.capacity * sizeof(uint32_t));
    basin__free(context, flat->partners.data, flat->partners.capacity * sizeof(uint32_t));
    basin__free(context, flat->horizons.data, flat->horizons.capacity * sizeof(float));
  }
  basin__free(context, flats, contact->worker_count * sizeof *flats);
}

/* Where the candidates of each pass and block go. */
static void lay_out(const basin_contact *contact, basin__lists *lists)
{
  for (unsigned w = 0; w < contact->worker_count; ++w) lists->flat[w].items.count = 0;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) {
    for (size_t i = 0; i < lists->block_count[pass]; ++i) {
      basin__block *block = &lists->blocks[pass][i];
      block->start = lists->flat[block->part].items.count;
      lists->flat[block->part].items.count += block->candidates;
    }
    for (unsigned w = 0; w < contact->worker_count; ++w)
      lists->flat[w].starts[pass + 1] = lists->flat[w].items.count;
  }
}

basin_status basin__lists_flatten(basin_contact *contact, basin__lists *lists)
{
  lay_out(contact, lists);
  for (unsigned w = 0; w < contact->worker_count; ++w)
    BASIN_TRY(reserve_flat(contact, &lists->flat[w]));
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) {
    flat_task task = {.lists = lists, .pass = pass};
    basin__parallel_work(contact->context,
                         lists->block_count[pass],
                         (double)lists->candidates[pass] * operations,
                         flat_block,
                         &task);
  }
  return BASIN_OK;
}

/* ---- by numbers ---- */

typedef struct sieve_task {
  basin__scan scan;
  const basin__lists *lists;
  const basin__sieve *sieve;
  atomic_size_t met;
} sieve_task;

/* Candidates of a block, and the travel and sweeps of their two sides. */
typedef struct candidates {
  const uint32_t *items, *partners;
  float *horizons;
  size_t count;
  const basin__set *a, *b;
} candidates;

static float travel_of(const candidates *rows, uint32_t place)
{
  return rows->a->travel[rows->items[place]] + rows->b->travel[rows->partners[place]];
}

/* Places of the candidates whose distance is known to lie between the two numbers. */
static size_t by_distance(const basin__sieve *sieve, const candidates *rows, uint32_t *places)
{
  const float *travel_a = rows->a->travel, *travel_b = rows->b->travel, *horizons = rows->horizons;
  const uint32_t *items = rows->items, *partners = rows->partners;
  const float from = sieve->from, to = sieve->to;
  const size_t count = rows->count;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const float distance = horizons[i] - (travel_a[items[i]] + travel_b[partners[i]]);
    places[kept] = (uint32_t)i;
    kept += (size_t)(distance >= from) & (size_t)(distance < to);
  }
  return kept;
}

/* Those of the places whose sweeps reach far enough. */
static size_t
by_sweep(const basin__sieve *sieve, const candidates *rows, size_t count, uint32_t *places)
{
  const float *sweep_a = rows->a->sweep, *sweep_b = rows->b->sweep;
  const float part =
      (float)(atomic_load_explicit(sieve->part, memory_order_relaxed) * (1 + 0x1p-20));
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t place = places[i];
    const float distance = rows->horizons[place] - travel_of(rows, place);
    const float sweep = part * (sweep_a[rows->items[place]] + sweep_b[rows->partners[place]]);
    places[kept] = place;
    kept += !(sweep < sieve->near * distance - sieve->room);
  }
  return kept;
}

/* ---- by boxes ---- */

/* Keeps the places of candidates whose boxes meet; the others get new horizons. */
static size_t boxes(const basin_contact *contact,
                    const basin__sieve *sieve,
                    const candidates *rows,
                    size_t count,
                    uint32_t *places)
{
  const basin__set *a = rows->a, *b = rows->b;
  basin__box box = {{0}, {0}};
  uint32_t item = UINT32_MAX;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t place = places[i], partner = rows->partners[place];
    if (rows->items[place] != item) {
      item = rows->items[place];
      box = basin__box_of(contact->boxes, a->items + (size_t)item * a->arity, a->arity);
    }
    const basin__box other =
        basin__box_of(contact->boxes, b->items + (size_t)partner * b->arity, b->arity);
    const float apart = basin__boxes_apart(&box, &other, sieve->meet);
    places[kept] = place;
    kept += !(apart > sieve->meet);
    if (!(apart > sieve->meet)) continue;
    const float horizon = SAFE * (apart + sieve->apart + travel_of(rows, place));
    if (horizon > rows->horizons[place]) rows->horizons[place] = horizon;
  }
  return kept;
}

/* ---- visiting ---- */

/* Room for what a sieve lets through of `count` candidates. */
static bool reserve(basin__scan *scan, basin__worker *worker, size_t count)
{
  basin__items *found = &worker->scratch, *places = &worker->places;
  basin__numbers *distances = &worker->distances;
  return (count <= found->capacity ||
          basin__contact_grow(scan, &found->data, &found->capacity, count, sizeof(uint32_t))) &&
         (count <= places->capacity ||
          basin__contact_grow(scan, &places->data, &places->capacity, count, sizeof(uint32_t))) &&
         (count <= distances->capacity ||
          basin__contact_grow(scan, &distances->data, &distances->capacity, count, sizeof(float)));
}

/* Visits what was kept, item by item, and takes what the visitor learnt. */
static bool visit_kept(basin__scan *scan, const candidates *rows, size_t kept, unsigned number)
{
  const basin__worker *worker = &scan->contact->workers[number];
  const uint32_t *places = worker->places.data;
  uint32_t *partners = worker->scratch.data;
  float *distances = worker->distances.data;
  for (size_t i = 0, end; i < kept; i = end) {
    const uint32_t item = rows->items[places[i]];
    for (end = i; end < kept && rows->items[places[end]] == item; ++end) {
      partners[end] = rows->partners[places[end]];
      distances[end] = 0;
    }
    if (!scan->visit(scan, number, item, partners + i, end - i, distances + i)) return false;
    for (size_t k = i; k < end; ++k) {
      float *horizon = &rows->horizons[places[k]];
      const float found = SAFE * (distances[k] + travel_of(rows, places[k]));
      if (found > *horizon && found < HUGE_VALF) *horizon = found;
    }
  }
  return true;
}

static void sieve_block(void *user, size_t index, unsigned number)
{
  sieve_task *task = user;
  basin__scan *scan = &task->scan;
  basin_contact *contact = scan->contact;
  const basin__sieve *sieve = task->sieve;
  const basin__block *block = &task->lists->blocks[scan->pass][index];
  const basin__flat *flat = &task->lists->flat[block->part];
  candidates rows = {.items = flat->items.data + block->start,
                     .partners = flat->partners.data + block->start,
                     .horizons = flat->horizons.data + block->start,
                     .count = block->candidates,
                     .a = scan->query_set,
                     .b = scan->partner_set};
  if (atomic_load_explicit(&scan->failed, memory_order_relaxed)) return;
  if (!reserve(scan, &contact->workers[number], block->candidates)) return;
  uint32_t *places = contact->workers[number].places.data;
  size_t kept = by_distance(sieve, &rows, places);
  if (sieve->part) kept = by_sweep(sieve, &rows, kept, places);
  if (sieve->boxes) kept = boxes(contact, sieve, &rows, kept, places);
  if (!visit_kept(scan, &rows, kept, number)) return;
  atomic_fetch_add_explicit(&task->met, kept, memory_order_relaxed);
}

basin_status basin__lists_sieve(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                const basin__sieve *sieve,
                                basin__visit visit,
                                void *user,
                                size_t *met)
{
  sieve_task task = {.lists = lists, .sieve = sieve};
  basin__scan_prepare(&task.scan, contact, pass, visit, user);
  atomic_init(&task.met, 0);
  basin__parallel_work(contact->context,
                       lists->block_count[pass],
                       (double)lists->candidates[pass] * operations,
                       sieve_block,
                       &task);
  *met += atomic_load(&task.met);
  return (basin_status)atomic_load(&task.scan.failed);
}
