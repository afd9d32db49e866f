/* How far vertices and primitives move: from call to call, and in the motion at hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum { CHUNK = 1024 };

static const double operations = 20; /* a vertex or primitive */
static const double LARGEST = 1e18;  /* coordinate */

typedef struct travel_task {
  basin_contact *contact;
  const double *positions, *direction;
  double limit;
  atomic_bool bad, moves; /* a number is none; a vertex has moved */
  _Atomic double largest; /* coordinate */
} travel_task;

/* A float that is not less than a length. */
static float upward(double squared)
{
  return (float)(sqrt(squared) * (1 + 0x1p-20));
}

static void raise(_Atomic double *shared, double value)
{
  double present = atomic_load_explicit(shared, memory_order_relaxed);
  while (value > present && !atomic_compare_exchange_weak(shared, &present, value)) continue;
}

static void vertex_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  travel_task *task = user;
  basin__reuse *reuse = &task->contact->reuse;
  const size_t count = task->contact->vertex_count;
  double largest = 0, check = 0, moves = 0;
  for (size_t v = chunk * CHUNK; v < count && v < (chunk + 1) * CHUNK; ++v) {
    double moved = 0, swept = 0;
    for (size_t k = 3 * v; k < 3 * v + 3; ++k) {
      const double x = task->positions[k], d = x - reuse->last[k];
      const double q = task->direction ? task->limit * task->direction[k] : 0;
      const double size = fabs(x) + fabs(q);
      moved += d * d;
      swept += q * q;
      check += 0 * size;
      largest = size > largest ? size : largest;
      reuse->last[k] = x;
    }
    moves += moved;
    reuse->moved[v] = upward(moved);
    reuse->swept[v] = upward(swept);
  }
  if (check != 0) atomic_store_explicit(&task->bad, true, memory_order_relaxed);
  if (moves != 0) atomic_store_explicit(&task->moves, true, memory_order_relaxed);
  raise(&task->largest, largest);
}

static float most(const float *numbers, const uint32_t *vertices, unsigned count)
{
  float largest = numbers[vertices[0]];
  for (unsigned c = 1; c < count; ++c) {
    const float other = numbers[vertices[c]];
    largest = other > largest ? other : largest;
  }
  return largest;
}

static void move_items(basin__set *set, const float *moved, size_t first, size_t end)
{
  for (size_t i = first; i < end; ++i)
    set->travel[i] =
        (set->travel[i] + most(moved, set->items + i * set->arity, set->arity)) * (1 + 0x1p-22F);
}

static void sweep_items(basin__set *set, const float *swept, size_t first, size_t end)
{
  for (size_t i = first; i < end; ++i)
    set->sweep[i] = most(swept, set->items + i * set->arity, set->arity);
}

/* Chunks of all sets, one after the other. */
static void item_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  const travel_task *task = user;
  basin_contact *contact = task->contact;
  basin__set *set = contact->sets;
  for (size_t count; chunk >= (count = (set->count + CHUNK - 1) / CHUNK); ++set) chunk -= count;
  const size_t first = chunk * CHUNK;
  const size_t end = first + CHUNK < set->count ? first + CHUNK : set->count;
  if (atomic_load_explicit(&task->moves, memory_order_relaxed))
    move_items(set, contact->reuse.moved, first, end);
  if (task->direction) sweep_items(set, contact->reuse.swept, first, end);
}

bool basin__travel(basin_contact *contact,
                   const double *positions,
                   const double *direction,
                   double limit)
{
  travel_task task = {
      .contact = contact, .positions = positions, .direction = direction, .limit = limit};
  size_t chunks = 0, items = 0;
  atomic_init(&task.bad, false);
  atomic_init(&task.moves, false);
  atomic_init(&task.largest, 0);
  basin__parallel_work(contact->context,
                       (contact->vertex_count + CHUNK - 1) / CHUNK,
                       (double)contact->vertex_count * operations,
                       vertex_chunk,
                       &task);
  contact->reuse.largest = atomic_load(&task.largest);
  if (atomic_load(&task.bad) || !(contact->reuse.largest < LARGEST)) {
    contact->reuse.valid = false;
    return false;
  }
  for (int i = 0; i < BASIN__SET_COUNT; ++i) {
    chunks += (contact->sets[i].count + CHUNK - 1) / CHUNK;
    items += contact->sets[i].count;
  }
  if (!direction && !atomic_load(&task.moves)) return true;
  basin__parallel_work(contact->context, chunks, (double)items * operations, item_chunk, &task);
  return true;
}
