/* All queries of one set against the tree of another, in blocks, on all threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum { QUERIES = 64 /* a block */ };

static const struct {
  basin__set_name query, partner;
} passes[BASIN__PASS_COUNT] = {
    [BASIN_CONTACT_POINT_POINT] = {BASIN__LONE_POINTS, BASIN__LONE_POINTS},
    [BASIN_CONTACT_POINT_EDGE] = {BASIN__LONE_POINTS, BASIN__LONE_EDGES},
    [BASIN_CONTACT_POINT_TRIANGLE] = {BASIN__POINTS, BASIN__TRIANGLES},
    [BASIN_CONTACT_EDGE_EDGE] = {BASIN__EDGES, BASIN__EDGES},
};

void basin__scan_failed(basin__scan *scan, basin_status status)
{
  atomic_store(&scan->failed, (int)status);
}

bool basin__contact_grow(basin__scan *scan, void *array, size_t *capacity, size_t need, size_t item)
{
  basin_contact *contact = scan->contact;
  pthread_mutex_lock(&contact->growing);
  basin_status status = BASIN_OK;
  if (need > contact->pair_limit)
    status = BASIN_FAIL(contact->context,
                        BASIN_ERROR_LENGTH,
                        "contact: more than %zu %s pairs or candidates, the pair_limit",
                        contact->pair_limit,
                        basin_contact_kind_name((basin_contact_kind)scan->pass));
  else
    status = basin__grow(contact->context, array, capacity, need, item);
  pthread_mutex_unlock(&contact->growing);
  if (status != BASIN_OK) basin__scan_failed(scan, status);
  return status == BASIN_OK;
}

static bool grow_items(void *user, basin__items *items, size_t need)
{
  return basin__contact_grow(user, &items->data, &items->capacity, need, sizeof *items->data);
}

/* Of a set against itself the smaller number comes first: results do not depend on the tree. */
static void order_sides(const basin__scan *scan, uint32_t *item, uint32_t *partner)
{
  if (scan->query_set != scan->partner_set || *item <= *partner) return;
  const uint32_t other = *item;
  *item = *partner;
  *partner = other;
}

unsigned basin__candidate_vertices(const basin__scan *scan,
                                   uint32_t item,
                                   uint32_t partner,
                                   uint32_t vertices[5])
{
  unsigned n = 0;
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  order_sides(scan, &item, &partner);
  for (unsigned c = 0; c < a->arity; ++c) vertices[n++] = a->items[(size_t)item * a->arity + c];
  for (unsigned c = 0; c < b->arity; ++c) vertices[n++] = b->items[(size_t)partner * b->arity + c];
  return n;
}

double basin__candidate_separation(const basin__scan *scan, uint32_t item, uint32_t partner)
{
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  const basin_contact *contact = scan->contact;
  if (!contact->offsets) return contact->separation;
  order_sides(scan, &item, &partner);
  return contact->separation +
         basin__offset(contact, a->arity, a->items + (size_t)item * a->arity) +
         basin__offset(contact, b->arity, b->items + (size_t)partner * b->arity);
}

/* Whether the boxes of the two sides meet in double precision. */
static bool boxes_meet(const basin_contact *contact, const uint32_t *v, unsigned split, unsigned n)
{
  for (int k = 0; k < 3; ++k) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (unsigned i = 0; i < n; ++i) {
      const int side = i >= split;
      double from, to;
      basin__exact_interval(contact, v[i], k, &from, &to);
      low[side] = fmin(low[side], from);
      high[side] = fmax(high[side], to);
    }
    if (low[0] > high[1] || low[1] > high[0]) return false;
  }
  return true;
}

/* Drops what the table of bodies forbids, and boxes that only rounding made meet. */
static void filter(const basin__scan *scan, uint32_t item, basin__items *items, size_t first)
{
  const basin_contact *contact = scan->contact;
  const unsigned a = scan->query_set->arity;
  size_t kept = first;
  for (size_t i = first; i < items->count; ++i) {
    uint32_t v[5];
    const unsigned n = basin__candidate_vertices(scan, item, items->data[i], v);
    if (basin__needs_check(contact) && !basin_contact_allows(contact, a, v, n - a, v + a)) continue;
    if (contact->exact_boxes && !boxes_meet(contact, v, a, n)) continue;
    items->data[kept++] = items->data[i];
  }
  items->count = kept;
}

typedef struct scan_task {
  basin__scan *scan;
  basin__tree_query_function query;
  basin__block *blocks; /* NULL: nothing is kept */
} scan_task;

/* The candidates of the query at a place, after two numbers: item and count. */
static bool scan_query(const scan_task *task, size_t place, basin__items *items)
{
  basin__scan *scan = task->scan;
  const basin__tree *tree = &scan->query_set->tree;
  const uint32_t item = tree->order[place];
  basin__query query = {.tree = &scan->partner_set->tree,
                        .box = basin__tree_box(tree, scan->contact->boxes, place),
                        .skip_tag = basin__skipped_tag(scan->contact, tree->tags[item])};
  if (scan->query_set == scan->partner_set) query.first = (uint32_t)place + 1;
  for (unsigned c = 0; c < tree->arity; ++c) query.corners[c] = tree->corners[c][place];
  if (items->count + 2 > items->capacity && !grow_items(scan, items, items->count + 2))
    return false;
  const size_t header = items->count;
  items->count += 2;
  if (!task->query(&query, items, grow_items, scan)) return false;
  if (basin__needs_check(scan->contact) || scan->contact->exact_boxes)
    filter(scan, item, items, header + 2);
  items->data[header] = item;
  items->data[header + 1] = (uint32_t)(items->count - header - 2);
  return true;
}

static void scan_block(void *user, size_t block, unsigned number)
{
  const scan_task *task = user;
  basin__scan *scan = task->scan;
  basin__worker *worker = &scan->contact->workers[number];
  basin__items *items = task->blocks ? &worker->kept : &worker->scratch;
  const size_t start = items->count, end = scan->query_set->count;
  for (size_t p = block * QUERIES; p < end && p < (block + 1) * QUERIES; ++p) {
    if (atomic_load_explicit(&scan->failed, memory_order_relaxed)) return;
    if (!task->blocks) items->count = 0;
    const size_t header = items->count;
    if (!scan_query(task, p, items)) return;
    const uint32_t *found = items->data + header;
    if (!task->blocks && found[1] == 0) continue;
    if (scan->visit && !scan->visit(scan, number, found[0], found + 2, found[1])) return;
  }
  if (task->blocks)
    task->blocks[block] =
        (basin__block){.worker = number, .first = start, .count = items->count - start};
}

static basin_status run(basin__scan *scan)
{
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  if (a->count == 0 || b->count == 0) return BASIN_OK;
  basin_contact *contact = scan->contact;
  const size_t blocks = (a->count + QUERIES - 1) / QUERIES;
  scan_task task = {.scan = scan, .query = basin__tree_query(a->arity, &b->tree)};
  if (scan->keep) {
    BASIN_TRY(basin__grow(contact->context,
                          &contact->blocks[scan->pass],
                          &contact->block_capacity[scan->pass],
                          blocks,
                          sizeof(basin__block)));
    task.blocks = contact->blocks[scan->pass];
  }
  basin__parallel(contact->context, blocks, scan_block, &task);
  return (basin_status)atomic_load(&scan->failed);
}

static void prepare(basin__scan *scan,
                    basin_contact *contact,
                    basin__set_name query,
                    basin__set_name partner,
                    basin__visit visit,
                    void *user)
{
  *scan = (basin__scan){.contact = contact,
                        .query_set = &contact->sets[query],
                        .partner_set = &contact->sets[partner],
                        .visit = visit,
                        .user = user};
  atomic_init(&scan->failed, (int)BASIN_OK);
}

basin_status basin__contact_scan(
    basin_contact *contact, unsigned pass, basin__visit visit, void *user, bool keep)
{
  basin__scan scan;
  prepare(&scan, contact, passes[pass].query, passes[pass].partner, visit, user);
  scan.pass = pass;
  scan.keep = keep;
  return run(&scan);
}

basin_status basin__contact_scan_edges(basin_contact *contact, basin__visit visit, void *user)
{
  basin__scan scan;
  prepare(&scan, contact, BASIN__EDGES, BASIN__TRIANGLES, visit, user);
  scan.pass = BASIN_CONTACT_KIND_COUNT;
  return run(&scan);
}

/* ---- candidates that were kept ---- */

static void revisit_block(void *user, size_t block, unsigned number)
{
  const scan_task *task = user;
  basin__scan *scan = task->scan;
  const basin__block *where = &task->blocks[block];
  const uint32_t *next = scan->contact->workers[where->worker].kept.data + where->first;
  const uint32_t *end = next + where->count;
  while (next < end && !atomic_load_explicit(&scan->failed, memory_order_relaxed)) {
    const uint32_t item = next[0], count = next[1];
    if (count > 0 && !scan->visit(scan, number, item, next + 2, count)) return;
    next += 2 + count;
  }
}

basin_status
basin__contact_revisit(basin_contact *contact, unsigned pass, basin__visit visit, void *user)
{
  basin__scan scan;
  prepare(&scan, contact, passes[pass].query, passes[pass].partner, visit, user);
  scan.pass = pass;
  if (scan.query_set->count == 0 || scan.partner_set->count == 0) return BASIN_OK;
  scan_task task = {.scan = &scan, .blocks = contact->blocks[pass]};
  const size_t blocks = (scan.query_set->count + QUERIES - 1) / QUERIES;
  basin__parallel(contact->context, blocks, revisit_block, &task);
  return (basin_status)atomic_load(&scan.failed);
}
