/* The sets of primitives: listed ones, sides and corners that were not listed, and those that stand
 * alone. SPDX-License-Identifier: Apache-2.0 */
#include "contact/sets.h"

#include <string.h>

/* Open-addressing table of edges (low vertex, high vertex) -> number of the edge. */
typedef struct edge_table {
  uint32_t *slots; /* edge number + 1; 0 = free */
  size_t mask;
} edge_table;

static uint64_t edge_key(const uint32_t *edge)
{
  const uint32_t low = edge[0] < edge[1] ? edge[0] : edge[1];
  const uint32_t high = edge[0] < edge[1] ? edge[1] : edge[0];
  return (uint64_t)low << 32 | high;
}

static size_t slot_of(const edge_table *table, uint64_t key)
{
  return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & table->mask;
}

/* The number of an equal edge already there, or `number`, which is then entered. */
static uint32_t enter(edge_table *table, const uint32_t *edges, uint32_t number)
{
  const uint64_t key = edge_key(edges + 2 * (size_t)number);
  size_t slot = slot_of(table, key);
  for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
    const uint32_t other = table->slots[slot] - 1;
    if (edge_key(edges + 2 * (size_t)other) == key) return other;
  }
  table->slots[slot] = number + 1;
  return number;
}

static basin_status
set_alloc(basin_contact *contact, basin__set_name name, unsigned arity, size_t room)
{
  basin__set *set = &contact->sets[name];
  set->arity = arity;
  set->items = basin__alloc(contact->context, room * arity * sizeof(uint32_t));
  return set->items ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* Gives back what was not needed of `room`. */
static basin_status set_trim(basin_contact *contact, basin__set *set, size_t room)
{
  const size_t old = room * set->arity * sizeof(uint32_t);
  uint32_t *fresh =
      basin__realloc(contact->context, set->items, old, set->count * set->arity * sizeof(uint32_t));
  if (!fresh) {
    basin__free(contact->context, set->items, old);
    set->items = NULL;
    return BASIN_ERROR_MEMORY;
  }
  set->items = fresh;
  return BASIN_OK;
}

/* Listed edges and the missing sides of triangles. `of_triangle` has one byte an edge. */
static void collect_edges(basin_contact *contact,
                          const basin_contact_description *description,
                          edge_table *table,
                          uint8_t *of_triangle)
{
  basin__set *edges = &contact->sets[BASIN__EDGES];
  const size_t listed = description->edge_count;
  if (listed > 0) memcpy(edges->items, description->edges, listed * 2 * sizeof(uint32_t));
  edges->count = listed;
  for (size_t i = 0; i < listed; ++i) enter(table, edges->items, (uint32_t)i);
  for (size_t i = 0; i < description->triangle_count * 3; ++i) {
    const uint32_t *corners = description->triangles + i / 3 * 3;
    uint32_t *side = edges->items + 2 * edges->count;
    side[0] = corners[i % 3];
    side[1] = corners[(i + 1) % 3];
    const uint32_t number = enter(table, edges->items, (uint32_t)edges->count);
    if (number == edges->count) ++edges->count;
    of_triangle[number] = 1;
  }
  /* An edge that is listed twice is of a triangle in both places. */
  for (size_t i = 0; i < listed; ++i)
    of_triangle[i] = of_triangle[enter(table, edges->items, (uint32_t)i)];
}

static basin_status make_edges(basin_contact *contact, const basin_contact_description *description)
{
  basin_context *context = contact->context;
  const size_t room = description->edge_count + 3 * description->triangle_count + 1;
  edge_table table = {.mask = 15};
  while (table.mask < 2 * room) table.mask = 2 * table.mask + 1;
  table.slots = basin__calloc(context, table.mask + 1, sizeof *table.slots);
  uint8_t *of_triangle = basin__calloc(context, room, 1);
  basin__set *edges = &contact->sets[BASIN__EDGES], *lone = &contact->sets[BASIN__LONE_EDGES];
  basin_status status = set_alloc(contact, BASIN__EDGES, 2, room);
  if (status == BASIN_OK) status = set_alloc(contact, BASIN__LONE_EDGES, 2, room);
  if (!table.slots || !of_triangle) status = BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    collect_edges(contact, description, &table, of_triangle);
    for (size_t i = 0; i < edges->count; ++i)
      if (!of_triangle[i])
        memcpy(lone->items + 2 * lone->count++, edges->items + 2 * i, 2 * sizeof(uint32_t));
  }
  basin__free(context, table.slots, (table.mask + 1) * sizeof *table.slots);
  basin__free(context, of_triangle, room);
  if (status != BASIN_OK) {
    basin__free(context, edges->items, room * 2 * sizeof(uint32_t));
    basin__free(context, lone->items, room * 2 * sizeof(uint32_t));
    edges->items = lone->items = NULL;
    return status;
  }
  status = set_trim(contact, lone, room);
  const basin_status other = set_trim(contact, edges, room);
  return status == BASIN_OK ? other : status;
}

enum { USED = 1, IN_CELL = 2 };

static basin_status
make_points(basin_contact *contact, const basin_contact_description *description, uint8_t *marks)
{
  const basin__set *edges = &contact->sets[BASIN__EDGES];
  for (size_t i = 0; i < description->point_count; ++i) marks[description->points[i]] |= USED;
  for (size_t i = 0; i < 2 * edges->count; ++i) marks[edges->items[i]] |= USED | IN_CELL;
  basin__set *points = &contact->sets[BASIN__POINTS], *lone = &contact->sets[BASIN__LONE_POINTS];
  size_t count = 0, alone = 0;
  for (size_t v = 0; v < contact->vertex_count; ++v) {
    count += marks[v] != 0;
    alone += marks[v] == USED;
  }
  BASIN_TRY(set_alloc(contact, BASIN__POINTS, 1, count));
  points->count = count;
  BASIN_TRY(set_alloc(contact, BASIN__LONE_POINTS, 1, alone));
  lone->count = alone;
  count = alone = 0;
  for (size_t v = 0; v < contact->vertex_count; ++v) {
    if (marks[v]) points->items[count++] = (uint32_t)v;
    if (marks[v] == USED) lone->items[alone++] = (uint32_t)v;
  }
  return BASIN_OK;
}

static basin_status tag_set(basin_contact *contact, basin__set *set)
{
  set->tags = basin__alloc(contact->context, set->count * sizeof(uint32_t));
  if (!set->tags) return BASIN_ERROR_MEMORY;
  set->travel = basin__calloc(contact->context, set->count, sizeof *set->travel);
  set->sweep = basin__calloc(contact->context, set->count, sizeof *set->sweep);
  if (!set->travel || !set->sweep) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < set->count; ++i)
    set->tags[i] = basin__tag(contact, set->arity, set->items + i * set->arity);
  for (size_t i = 0; contact->table && i < set->count; ++i)
    contact->mixed = contact->mixed || set->tags[i] == BASIN__TAG_MIXED;
  return basin__tree_init(
      contact->context, &set->tree, set->arity, set->count, set->items, set->tags);
}

basin_status basin__sets_init(basin_contact *contact, const basin_contact_description *description)
{
  basin_context *context = contact->context;
  BASIN_TRY(set_alloc(contact, BASIN__TRIANGLES, 3, description->triangle_count));
  basin__set *triangles = &contact->sets[BASIN__TRIANGLES];
  triangles->count = description->triangle_count;
  if (triangles->count > 0)
    memcpy(triangles->items, description->triangles, triangles->count * 3 * sizeof(uint32_t));
  BASIN_TRY(make_edges(contact, description));
  uint8_t *marks = basin__calloc(context, contact->vertex_count, 1);
  if (!marks) return BASIN_ERROR_MEMORY;
  const basin_status status = make_points(contact, description, marks);
  basin__free(context, marks, contact->vertex_count);
  BASIN_TRY(status);
  for (int i = 0; i < BASIN__SET_COUNT; ++i) BASIN_TRY(tag_set(contact, &contact->sets[i]));
  return BASIN_OK;
}

void basin__sets_fini(basin_contact *contact)
{
  basin_context *context = contact->context;
  for (int i = 0; i < BASIN__SET_COUNT; ++i) {
    basin__set *set = &contact->sets[i];
    basin__tree_fini(context, &set->tree);
    if (set->items) basin__free(context, set->items, set->count * set->arity * sizeof(uint32_t));
    if (set->tags) basin__free(context, set->tags, set->count * sizeof(uint32_t));
    if (set->travel) basin__free(context, set->travel, set->count * sizeof *set->travel);
    if (set->sweep) basin__free(context, set->sweep, set->count * sizeof *set->sweep);
    set->items = set->tags = NULL;
    set->travel = set->sweep = NULL;
  }
}
