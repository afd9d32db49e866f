/* Trees of boxes: sorting along a Hilbert curve, filling in boxes, and when to sort anew.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/tree.h"

#include "contact/curve.h"
#include <math.h>
#include <string.h>

enum { WIDTH = BASIN__TREE_WIDTH, CHUNK = 256 /* nodes a task */ };

static float lesser(float a, float b)
{
  return a < b ? a : b;
}

static float greater(float a, float b)
{
  return a > b ? a : b;
}

/* Sorted anew when the cost exceeds this times that after the last sort. */
static const double decay = 1.3;

static size_t padded(const basin__tree *tree)
{
  return (tree->count + WIDTH - 1) / WIDTH * WIDTH;
}

static size_t node_total(const basin__tree *tree)
{
  return tree->levels == 0 ? 0 : tree->level_start[tree->levels - 1] + 1;
}

basin_status basin__tree_init(basin_context *context,
                              basin__tree *tree,
                              unsigned arity,
                              size_t count,
                              const uint32_t *items,
                              const uint32_t *tags)
{
  *tree = (basin__tree){.arity = arity, .count = count, .items = items, .tags = tags};
  if (count == 0) return BASIN_OK;
  size_t start = 0, nodes = count;
  do {
    nodes = (nodes + WIDTH - 1) / WIDTH;
    tree->level_start[tree->levels] = start;
    tree->level_count[tree->levels++] = nodes;
    start += nodes;
  } while (nodes > 1);
  const size_t bytes = padded(tree) * sizeof(uint32_t);
  tree->order = basin__alloc(context, bytes);
  tree->keys = basin__alloc(context, count * sizeof(uint64_t));
  tree->scratch = basin__alloc(context, count * sizeof(uint64_t));
  tree->nodes = basin__alloc_aligned(context, node_total(tree) * sizeof *tree->nodes);
  bool complete = tree->order && tree->keys && tree->scratch && tree->nodes;
  for (unsigned c = 0; c < arity; ++c) {
    tree->corners[c] = basin__alloc_aligned(context, bytes);
    complete = complete && tree->corners[c];
  }
  if (complete) return BASIN_OK;
  basin__tree_fini(context, tree);
  return BASIN_ERROR_MEMORY;
}

void basin__tree_fini(basin_context *context, basin__tree *tree)
{
  const size_t bytes = padded(tree) * sizeof(uint32_t);
  basin__free(context, tree->order, bytes);
  basin__free(context, tree->keys, tree->count * sizeof(uint64_t));
  basin__free(context, tree->scratch, tree->count * sizeof(uint64_t));
  if (tree->nodes)
    basin__free_aligned(context, tree->nodes, node_total(tree) * sizeof *tree->nodes);
  for (unsigned c = 0; c < tree->arity; ++c)
    if (tree->corners[c]) basin__free_aligned(context, tree->corners[c], bytes);
  *tree = (basin__tree){0};
}

size_t basin__tree_memory(const basin__tree *tree)
{
  return node_total(tree) * sizeof *tree->nodes +
         padded(tree) * sizeof(uint32_t) * (1 + tree->arity) + tree->count * 2 * sizeof(uint64_t);
}

/* ---- sorting ---- */

typedef struct sort_task {
  basin__tree *tree;
  const basin__box *boxes;
  float low[3], scale;
} sort_task;

static void box_of_item(const basin__tree *tree, const basin__box *boxes, size_t i, basin__box *box)
{
  const uint32_t *v = tree->items + i * tree->arity;
  *box = boxes[v[0]];
  for (unsigned c = 1; c < tree->arity; ++c)
    for (int k = 0; k < 4; ++k) {
      box->low[k] = lesser(box->low[k], boxes[v[c]].low[k]);
      box->high[k] = greater(box->high[k], boxes[v[c]].high[k]);
    }
}

static void key_task(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  const sort_task *task = user;
  const basin__tree *tree = task->tree;
  const size_t first = chunk * CHUNK * WIDTH;
  for (size_t i = first; i < tree->count && i < first + (size_t)CHUNK * WIDTH; ++i) {
    basin__box box;
    uint32_t at[3];
    box_of_item(tree, task->boxes, i, &box);
    for (int k = 0; k < 3; ++k)
      at[k] = basin__curve_cell(0.5F * box.low[k] + 0.5F * box.high[k], task->low[k], task->scale);
    tree->keys[i] = (uint64_t)basin__curve_position(at[0], at[1], at[2]) << 32 | (uint32_t)i;
  }
}

/* The cube that holds every box. */
static void bounds(const basin__tree *tree, const basin__box *boxes, sort_task *task)
{
  float high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0;
  for (int k = 0; k < 3; ++k) task->low[k] = INFINITY;
  for (size_t i = 0; i < tree->count * tree->arity; ++i)
    for (int k = 0; k < 3; ++k) {
      const basin__box *box = &boxes[tree->items[i]];
      task->low[k] = lesser(task->low[k], box->low[k]);
      high[k] = greater(high[k], box->high[k]);
    }
  for (int k = 0; k < 3; ++k) extent = greater(extent, high[k] - task->low[k]);
  task->scale = extent > 0 && extent < INFINITY ? 1024.0F / extent : 0.0F;
}

static size_t chunks(size_t nodes)
{
  return (nodes + CHUNK - 1) / CHUNK;
}

static void sort(basin_context *context, basin__tree *tree, const basin__box *boxes)
{
  sort_task task = {.tree = tree, .boxes = boxes};
  bounds(tree, boxes, &task);
  basin__parallel(context, chunks(tree->level_count[0]), key_task, &task);
  basin__curve_sort(tree->count, tree->keys, tree->scratch);
  for (size_t place = 0; place < padded(tree); ++place) {
    const size_t inside = place < tree->count ? place : tree->count - 1;
    const uint32_t item = (uint32_t)tree->keys[inside];
    tree->order[place] = item;
    for (unsigned c = 0; c < tree->arity; ++c)
      tree->corners[c][place] = tree->items[(size_t)item * tree->arity + c];
  }
}

/* ---- boxes ---- */

typedef struct fill_task {
  basin__tree *tree;
  const basin__box *boxes;
  unsigned level;
} fill_task;

static void clear_child(basin__tree_node *node, unsigned lane)
{
  for (int k = 0; k < 3; ++k) {
    node->low[k][lane] = INFINITY;
    node->high[k][lane] = -INFINITY;
  }
  node->tags[lane] = BASIN__TAG_MIXED;
}

static void fill_leaf(const fill_task *task, size_t index)
{
  const basin__tree *tree = task->tree;
  basin__tree_node *node = &tree->nodes[index];
  for (unsigned lane = 0; lane < WIDTH; ++lane) {
    const size_t place = index * WIDTH + lane;
    if (place >= tree->count) {
      clear_child(node, lane);
      continue;
    }
    const basin__box box = basin__tree_box(tree, task->boxes, place);
    for (int k = 0; k < 3; ++k) {
      node->low[k][lane] = box.low[k];
      node->high[k][lane] = box.high[k];
    }
    node->tags[lane] = tree->tags[tree->order[place]];
  }
}

static void fill_inner(const fill_task *task, size_t index)
{
  const basin__tree *tree = task->tree;
  basin__tree_node *node = &tree->nodes[tree->level_start[task->level] + index];
  const basin__tree_node *below = &tree->nodes[tree->level_start[task->level - 1]];
  for (unsigned lane = 0; lane < WIDTH; ++lane) {
    const size_t child = index * WIDTH + lane;
    clear_child(node, lane);
    if (child >= tree->level_count[task->level - 1]) continue;
    const basin__tree_node *from = &below[child];
    node->tags[lane] = from->tags[0];
    for (unsigned i = 0; i < WIDTH; ++i) {
      if (from->low[0][i] > from->high[0][i]) continue;
      if (from->tags[i] != node->tags[lane]) node->tags[lane] = BASIN__TAG_MIXED;
      for (int k = 0; k < 3; ++k) {
        node->low[k][lane] = lesser(node->low[k][lane], from->low[k][i]);
        node->high[k][lane] = greater(node->high[k][lane], from->high[k][i]);
      }
    }
  }
}

static void fill_nodes(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  const fill_task *task = user;
  const size_t end = task->tree->level_count[task->level];
  for (size_t i = chunk * CHUNK; i < end && i < (chunk + 1) * CHUNK; ++i) {
    if (task->level == 0)
      fill_leaf(task, i);
    else
      fill_inner(task, i);
  }
}

static void fill(basin_context *context, basin__tree *tree, const basin__box *boxes)
{
  for (unsigned level = 0; level < tree->levels; ++level) {
    fill_task task = {.tree = tree, .boxes = boxes, .level = level};
    basin__parallel(context, chunks(tree->level_count[level]), fill_nodes, &task);
  }
}

/* Half perimeters of all boxes of a level. */
static double perimeter(const basin__tree *tree, unsigned level)
{
  double sum = 0;
  for (size_t i = 0; i < tree->level_count[level]; ++i) {
    const basin__tree_node *node = &tree->nodes[tree->level_start[level] + i];
    for (unsigned lane = 0; lane < WIDTH; ++lane)
      for (int k = 0; k < 3; ++k)
        if (node->high[k][lane] >= node->low[k][lane])
          sum += (double)node->high[k][lane] - (double)node->low[k][lane];
  }
  return sum;
}

/* How large the boxes of eight primitives are against the primitives: about how many leaves a query
 * visits in vain. */
static double cost_of(const basin__tree *tree)
{
  if (tree->levels < 2) return 1;
  const double below = perimeter(tree, 0), above = perimeter(tree, 1);
  if (below > 0) return above / below;
  return above > 0 ? HUGE_VAL : 1;
}

void basin__tree_update(basin_context *context,
                        basin__tree *tree,
                        const basin__box *boxes,
                        bool rebuild)
{
  if (tree->count == 0) return;
  if (!rebuild && tree->built_cost > 0) {
    fill(context, tree, boxes);
    if (cost_of(tree) <= decay * tree->built_cost) return;
  }
  sort(context, tree, boxes);
  fill(context, tree, boxes);
  tree->built_cost = cost_of(tree);
}
