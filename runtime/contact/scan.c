/* All queries of one set against the tree of another, in blocks, on all threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum {
  QUERIES = 64, /* a block */
  FULL = -1     /* beside basin_status: a list is as long as it may be */
};

static const double operations = 200; /* a query */

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

/* basin__grow, one thread at a time; `most` is a limit of what is found. */
static bool
grow(basin__scan *scan, void *array, size_t *capacity, size_t need, size_t item, size_t most)
{
  basin_contact *contact = scan->contact;
  basin_status status = BASIN_OK;
  pthread_mutex_lock(&contact->growing);
  if (need > most)
    status = BASIN_FAIL(contact->context,
                        BASIN_ERROR_LENGTH,
                        "contact: more than %zu %s pairs or candidates, the pair_limit",
                        contact->pair_limit,
                        scan->pass < BASIN_CONTACT_KIND_COUNT
                            ? basin_contact_kind_name((basin_contact_kind)scan->pass)
                            : "edge-triangle");
  else
    status = basin__grow(contact->context, array, capacity, need, item);
  pthread_mutex_unlock(&contact->growing);
  if (status != BASIN_OK) basin__scan_failed(scan, status);
  return status == BASIN_OK;
}

bool basin__contact_grow(basin__scan *scan, void *array, size_t *capacity, size_t need, size_t item)
{
  if (scan->lists && scan->lists->most > 0 && need > scan->lists->most) {
    atomic_store(&scan->failed, FULL);
    return false;
  }
  return grow(scan, array, capacity, need, item, scan->contact->pair_limit);
}

static bool grow_leaves(void *user, basin__items *leaves, size_t need)
{
  return grow(user, &leaves->data, &leaves->capacity, need, sizeof *leaves->data, SIZE_MAX);
}

static bool grow_items(void *user, basin__items *items, size_t need)
{
  return basin__contact_grow(user, &items->data, &items->capacity, need, sizeof *items->data);
}

double basin__candidate_separation(const basin__scan *scan, uint32_t item, uint32_t partner)
{
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  const basin_contact *contact = scan->contact;
  if (!contact->offsets) return contact->separation;
  basin__order_sides(scan, &item, &partner);
  return contact->separation +
         basin__offset(contact, a->arity, a->items + (size_t)item * a->arity) +
         basin__offset(contact, b->arity, b->items + (size_t)partner * b->arity);
}

bool basin__candidate_meets(const basin_contact *contact,
                            const uint32_t *v,
                            unsigned split,
                            unsigned n)
{
  for (int k = 0; k < 3; ++k) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (unsigned i = 0; i < n; ++i) {
      const int side = i >= split;
      double from, to;
      basin__exact_interval(contact, v[i], k, &from, &to);
      low[side] = from < low[side] ? from : low[side];
      high[side] = to > high[side] ? to : high[side];
    }
    if (low[0] > high[1] || low[1] > high[0]) return false;
  }
  return true;
}

/* Drops partners whose one body the table forbids for the one body of the item. */
static void filter_bodies(const basin__scan *scan, uint32_t item, basin__items *items, size_t first)
{
  const basin_contact *contact = scan->contact;
  const uint32_t tag = scan->query_set->tags[item], *tags = scan->partner_set->tags;
  if (!contact->table || tag == BASIN__TAG_MIXED) return;
  const uint8_t *allowed = contact->table + (size_t)tag * contact->body_count;
  size_t kept = first;
  for (size_t i = first; i < items->count; ++i) {
    const uint32_t other = tags[items->data[i]];
    items->data[kept] = items->data[i];
    kept += other == BASIN__TAG_MIXED || allowed[other] != 0;
  }
  items->count = kept;
}

/* Drops what the table of bodies forbids, and boxes that only rounding made meet. */
static void filter(const basin__scan *scan, uint32_t item, basin__items *items, size_t first)
{
  const basin_contact *contact = scan->contact;
  const unsigned a = scan->query_set->arity;
  size_t kept = first;
  for (size_t i = first; i < items->count; ++i) {
    uint32_t v[5] = {0};
    const unsigned n = basin__candidate_vertices(scan, item, items->data[i], v);
    if (contact->mixed && !basin_contact_allows(contact, a, v, n - a, v + a)) continue;
    if (scan->exact && !basin__candidate_meets(contact, v, a, n)) continue;
    items->data[kept++] = items->data[i];
  }
  items->count = kept;
}

typedef struct scan_task {
  basin__scan *scan;
  basin__tree_versions tree;
  basin__block *blocks; /* NULL: nothing is kept */
} scan_task;

/* Queries of eight neighbours on the curve: they share the search for leaves. */
typedef struct scan_group {
  size_t first, count; /* places */
  basin__query queries[BASIN__TREE_WIDTH];
} scan_group;

/* The queries of a group, and the leaves that they need. */
static bool open_group(const scan_task *task, scan_group *group, size_t first, basin__items *leaves)
{
  basin__scan *scan = task->scan;
  const basin__tree *tree = &scan->query_set->tree;
  const bool same = scan->query_set == scan->partner_set;
  group->first = first;
  group->count = tree->count - first < BASIN__TREE_WIDTH ? tree->count - first : BASIN__TREE_WIDTH;
  basin__query whole;
  for (size_t i = 0; i < group->count; ++i) {
    const size_t place = first + i;
    basin__query *query = &group->queries[i];
    *query = (basin__query){.tree = &scan->partner_set->tree,
                            .box = basin__tree_box(tree, scan->boxes, place),
                            .first = same ? (uint32_t)place + 1 : 0,
                            .skip_tag =
                                basin__skipped_tag(scan->contact, tree->tags[tree->order[place]])};
    for (unsigned c = 0; c < tree->arity; ++c) query->corners[c] = tree->corners[c][place];
    if (i == 0) whole = *query;
    if (i > 0) basin__box_join(&whole.box, &query->box);
    if (query->skip_tag != whole.skip_tag) whole.skip_tag = BASIN__TAG_NONE;
  }
  leaves->count = 0;
  return task->tree.leaves(&whole, leaves, grow_leaves, scan);
}

/* The candidates of a query, after two numbers: item and count. */
static bool scan_query(const scan_task *task,
                       const scan_group *group,
                       size_t i,
                       basin__worker *worker,
                       basin__items *items)
{
  basin__scan *scan = task->scan;
  const uint32_t item = scan->query_set->tree.order[group->first + i];
  if (items->count + 2 > items->capacity && !grow_items(scan, items, items->count + 2))
    return false;
  const size_t header = items->count;
  items->count += 2;
  if (!task->tree.pick(&group->queries[i], &worker->leaves, items, grow_items, scan)) return false;
  filter_bodies(scan, item, items, header + 2);
  if (scan->contact->mixed || scan->exact) filter(scan, item, items, header + 2);
  items->data[header] = item;
  items->data[header + 1] = (uint32_t)(items->count - header - 2);
  if (items->data[header + 1] == 0) items->count = header;
  return true;
}

/* False if the scan has to stop. */
static bool scan_eight(const scan_task *task, size_t first, unsigned number, basin__items *items)
{
  basin__scan *scan = task->scan;
  basin__worker *worker = &scan->contact->workers[number];
  scan_group group;
  if (atomic_load_explicit(&scan->failed, memory_order_relaxed)) return false;
  if (!open_group(task, &group, first, &worker->leaves)) return false;
  for (size_t i = 0; i < group.count && worker->leaves.count > 0; ++i) {
    if (!scan->lists) items->count = 0;
    const size_t header = items->count;
    if (!scan_query(task, &group, i, worker, items)) return false;
    if (!scan->visit || items->count == header) continue;
    const uint32_t *found = items->data + header;
    if (!scan->visit(scan, number, found[0], found + 2, found[1], NULL)) return false;
  }
  return true;
}

static void scan_block(void *user, size_t block, unsigned number)
{
  const scan_task *task = user;
  basin__scan *scan = task->scan;
  basin__items *items =
      scan->lists ? &scan->lists->parts[number] : &scan->contact->workers[number].scratch;
  const size_t start = items->count, end = scan->query_set->count;
  if (task->blocks) task->blocks[block] = (basin__block){.part = number, .first = start};
  for (size_t p = block * QUERIES; p < end && p < (block + 1) * QUERIES; p += BASIN__TREE_WIDTH)
    if (!scan_eight(task, p, number, items)) return;
  if (task->blocks) task->blocks[block].count = items->count - start;
}

static basin_status run(basin__scan *scan)
{
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  if (a->count == 0 || b->count == 0) return BASIN_OK;
  basin_contact *contact = scan->contact;
  basin__lists *lists = scan->lists;
  const size_t blocks = (a->count + QUERIES - 1) / QUERIES;
  scan_task task = {.scan = scan, .tree = basin__tree_fastest(a->arity, &b->tree)};
  if (lists) {
    BASIN_TRY(basin__grow(contact->context,
                          &lists->blocks[scan->pass],
                          &lists->block_capacity[scan->pass],
                          blocks,
                          sizeof(basin__block)));
    task.blocks = lists->blocks[scan->pass];
  }
  basin__parallel_work(contact->context, blocks, (double)a->count * operations, scan_block, &task);
  const int failed = atomic_load(&scan->failed);
  if (lists && failed == BASIN_OK) basin__lists_close(lists, scan->pass, blocks);
  if (!lists || failed != FULL) return (basin_status)failed;
  lists->full = true;
  return BASIN_OK;
}

void basin__scan_prepare(
    basin__scan *scan, basin_contact *contact, unsigned pass, basin__visit visit, void *user)
{
  *scan = (basin__scan){.contact = contact,
                        .pass = pass,
                        .query_set = &contact->sets[passes[pass].query],
                        .partner_set = &contact->sets[passes[pass].partner],
                        .boxes = contact->boxes,
                        .exact = contact->exact_boxes,
                        .visit = visit,
                        .user = user};
  atomic_init(&scan->failed, (int)BASIN_OK);
}

basin_status
basin__contact_scan(basin_contact *contact, unsigned pass, basin__visit visit, void *user)
{
  basin__scan scan;
  basin__scan_prepare(&scan, contact, pass, visit, user);
  return run(&scan);
}

basin_status basin__contact_scan_edges(basin_contact *contact, basin__visit visit, void *user)
{
  basin__scan scan;
  basin__scan_prepare(&scan, contact, BASIN_CONTACT_EDGE_EDGE, visit, user);
  scan.partner_set = &contact->sets[BASIN__TRIANGLES];
  scan.pass = BASIN_CONTACT_KIND_COUNT;
  return run(&scan);
}

basin_status basin__contact_collect(basin_contact *contact,
                                    const basin__box *boxes,
                                    bool exact,
                                    basin__lists *lists)
{
  basin__lists_clear(contact, lists);
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT && !lists->full; ++pass) {
    basin__scan scan;
    basin__scan_prepare(&scan, contact, pass, NULL, NULL);
    scan.boxes = boxes;
    scan.exact = exact;
    scan.lists = lists;
    BASIN_TRY(run(&scan));
  }
  return BASIN_OK;
}
