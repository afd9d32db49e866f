/* The smallest distance of all: nearest boxes first, none that is farther than the best.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum { WIDTH = BASIN__TREE_WIDTH, QUERIES = 64 };

/* Best of one worker; all workers prune by the shared numbers. */
typedef struct best {
  basin_contact_closest pair;
} best;

typedef struct closest_task {
  basin_contact *contact;
  const double *positions;
  basin__scan scan; /* names the two sets */
  double most_separation;
  _Atomic double squared, gap;
  best *bests;
} closest_task;

static void lower(_Atomic double *shared, double value)
{
  double present = atomic_load_explicit(shared, memory_order_relaxed);
  while (value < present && !atomic_compare_exchange_weak(shared, &present, value)) continue;
}

static bool comes_first(const basin_contact_closest *a, const basin_contact_closest *b)
{
  if (a->squared_distance != b->squared_distance) return a->squared_distance < b->squared_distance;
  if (a->kind != b->kind) return a->kind < b->kind;
  for (int i = 0; i < 4; ++i)
    if (a->vertices[i] != b->vertices[i]) return a->vertices[i] < b->vertices[i];
  return false;
}

static void take(closest_task *task, best *mine, const basin_contact_closest *pair)
{
  const double gap = fmin(pair->gap, mine->pair.gap);
  if (comes_first(pair, &mine->pair)) mine->pair = *pair;
  mine->pair.gap = gap;
  lower(&task->squared, pair->squared_distance);
  lower(&task->gap, pair->gap);
}

/* Squared distance of two boxes, not more than the exact one. */
static double box_distance(const basin__tree_node *node, unsigned lane, const basin__box *box)
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double low = (double)node->low[k][lane], high = (double)node->high[k][lane];
    const double apart = fmax(low - (double)box->high[k], (double)box->low[k] - high);
    if (apart > 0) sum += apart * apart;
  }
  return sum * (1 - 0x1p-48);
}

static bool too_far(const closest_task *task, double squared)
{
  if (squared <= atomic_load_explicit(&task->squared, memory_order_relaxed)) return false;
  return sqrt(squared) - task->most_separation >
         atomic_load_explicit(&task->gap, memory_order_relaxed);
}

static void evaluate(closest_task *task, best *mine, uint32_t item, uint32_t partner)
{
  const basin__scan *scan = &task->scan;
  basin_contact_closest pair = {.kind = (basin_contact_kind)scan->pass};
  uint32_t v[5] = {0};
  basin__vector3 x[4];
  basin__closest near;
  const unsigned a = scan->query_set->arity;
  const unsigned n = basin__candidate_vertices(scan, item, partner, v);
  for (unsigned i = 0; i < a; ++i)
    for (unsigned k = a; k < n; ++k)
      if (v[i] == v[k]) return;
  if (!basin_contact_allows(task->contact, a, v, n - a, v + a)) return;
  for (unsigned i = 0; i < n; ++i) {
    x[i] = basin__v3(task->positions + 3 * (size_t)v[i]);
    pair.vertices[i] = v[i];
  }
  basin__closest_of(pair.kind, x, &near);
  pair.squared_distance = near.squared;
  pair.gap = sqrt(near.squared) - basin__candidate_separation(scan, item, partner);
  take(task, mine, &pair);
}

typedef struct entry {
  double squared;
  uint32_t node;
  unsigned level;
} entry;

/* Children of a node that are not too far, the nearest last; or, at level 0, primitives at once. */
static unsigned open_node(closest_task *task,
                          best *mine,
                          const basin__query *query,
                          uint32_t item,
                          const entry *at,
                          entry *children)
{
  const basin__tree *tree = query->tree;
  const basin__tree_node *node = &tree->nodes[tree->level_start[at->level] + at->node];
  const uint32_t first = (uint32_t)((uint64_t)query->first >> (3 * at->level));
  unsigned count = 0;
  for (unsigned lane = 0; lane < WIDTH; ++lane) {
    const uint32_t child = at->node * WIDTH + lane;
    if (child < first || node->low[0][lane] > node->high[0][lane]) continue;
    if (node->tags[lane] == query->skip_tag) continue;
    const double squared = box_distance(node, lane, &query->box);
    if (too_far(task, squared)) continue;
    if (at->level == 0) {
      evaluate(task, mine, item, tree->order[child]);
      continue;
    }
    unsigned k = count++;
    for (; k > 0 && children[k - 1].squared < squared; --k) children[k] = children[k - 1];
    children[k] = (entry){squared, child, at->level - 1};
  }
  return count;
}

static void search(closest_task *task, best *mine, size_t place)
{
  const basin__tree *tree = &task->scan.query_set->tree;
  const uint32_t item = tree->order[place];
  basin__query query = {.tree = &task->scan.partner_set->tree,
                        .box = basin__tree_box(tree, task->contact->boxes, place),
                        .skip_tag = basin__skipped_tag(task->contact, tree->tags[item])};
  if (task->scan.query_set == task->scan.partner_set) query.first = (uint32_t)place + 1;
  entry stack[BASIN__TREE_LEVELS * WIDTH];
  unsigned height = 0;
  stack[height++] = (entry){0, 0, query.tree->levels - 1};
  while (height > 0) {
    const entry at = stack[--height];
    if (too_far(task, at.squared)) continue;
    height += open_node(task, mine, &query, item, &at, stack + height);
  }
}

static void search_block(void *user, size_t block, unsigned worker)
{
  closest_task *task = user;
  const size_t end = task->scan.query_set->count;
  for (size_t p = block * QUERIES; p < end && p < (block + 1) * QUERIES; ++p)
    search(task, &task->bests[worker], p);
}

static void search_planes(closest_task *task)
{
  basin_contact *contact = task->contact;
  const basin__set *points = &contact->sets[BASIN__POINTS];
  for (size_t i = 0; i < points->count * contact->plane_count; ++i) {
    const uint32_t vertex = points->items[i / contact->plane_count];
    const uint32_t plane = (uint32_t)(i % contact->plane_count);
    const basin_contact_plane *at = &contact->planes[plane];
    if (!basin__meets_planes(contact, vertex)) continue;
    const basin__vector3 x = basin__v3(task->positions + 3 * (size_t)vertex);
    const double height = basin__v3_dot(basin__v3(at->normal), x) - at->offset;
    const basin_contact_closest pair = {.kind = BASIN_CONTACT_POINT_PLANE,
                                        .vertices = {vertex, plane},
                                        .squared_distance = height > 0 ? height * height : 0,
                                        .gap = height - contact->separation -
                                               basin__offset(contact, 1, &vertex)};
    take(task, &task->bests[0], &pair);
  }
}

static void search_pass(closest_task *task, unsigned pass)
{
  static const basin__set_name sets[BASIN__PASS_COUNT][2] = {
      {BASIN__LONE_POINTS, BASIN__LONE_POINTS},
      {BASIN__LONE_POINTS, BASIN__LONE_EDGES},
      {BASIN__POINTS, BASIN__TRIANGLES},
      {BASIN__EDGES, BASIN__EDGES}};
  basin_contact *contact = task->contact;
  task->scan.contact = contact;
  task->scan.pass = pass;
  task->scan.query_set = &contact->sets[sets[pass][0]];
  task->scan.partner_set = &contact->sets[sets[pass][1]];
  if (task->scan.query_set->count == 0 || task->scan.partner_set->count == 0) return;
  basin__parallel(
      contact->context, (task->scan.query_set->count + QUERIES - 1) / QUERIES, search_block, task);
}

/* With `illegal` pairs that are farther apart than they must stay are left out as far as that saves
 * work. */
static basin_status smallest(basin_contact *contact,
                             const double *positions,
                             bool illegal,
                             basin_contact_closest *closest)
{
  *closest = (basin_contact_closest){
      .kind = BASIN_CONTACT_KIND_COUNT, .squared_distance = HUGE_VAL, .gap = HUGE_VAL};
  BASIN_TRY(basin__contact_boxes(contact, positions, NULL, 0, -1, NULL, NULL, NULL));
  basin__contact_refit(contact, contact->boxes);
  closest_task task = {.contact = contact, .positions = positions};
  task.most_separation = contact->largest_separation;
  atomic_init(&task.squared, illegal ? task.most_separation * task.most_separation : HUGE_VAL);
  atomic_init(&task.gap, illegal ? 0 : HUGE_VAL);
  const size_t bytes = contact->worker_count * sizeof *task.bests;
  task.bests = basin__alloc(contact->context, bytes);
  if (!task.bests) return BASIN_ERROR_MEMORY;
  for (unsigned w = 0; w < contact->worker_count; ++w) task.bests[w].pair = *closest;
  search_planes(&task);
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) search_pass(&task, pass);
  double gap = HUGE_VAL;
  for (unsigned w = 0; w < contact->worker_count; ++w) {
    gap = fmin(gap, task.bests[w].pair.gap);
    if (comes_first(&task.bests[w].pair, closest)) *closest = task.bests[w].pair;
  }
  closest->gap = gap;
  basin__free(contact->context, task.bests, bytes);
  return BASIN_OK;
}

basin_status basin_contact_smallest_distance(basin_contact *contact,
                                             const double *positions,
                                             basin_contact_closest *closest)
{
  return smallest(contact, positions, false, closest);
}

basin_status basin__contact_illegal(basin_contact *contact,
                                    const double *positions,
                                    basin_contact_closest *closest)
{
  return smallest(contact, positions, true, closest);
}
