/* Boxes of vertices, and trees of boxes of primitives.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_TREE_H
#define BASIN_CONTACT_TREE_H

#include "base/base.h"
#include "contact/box.h"

enum {
  BASIN__TREE_WIDTH = 8,
  BASIN__TREE_LEVELS = 12, /* 8^11 > 2^32 */
  BASIN__TREE_CORNERS = 3
};

/* Bodies of a primitive: their common id, or MIXED. NONE equals the tag of no primitive. */
#define BASIN__TAG_MIXED UINT32_C(0xffffffff)
#define BASIN__TAG_NONE  UINT32_C(0xfffffffe)

/* Eight children side by side. Empty places have low = infinity, high = -infinity. */
typedef struct basin__tree_node {
  float low[3][BASIN__TREE_WIDTH], high[3][BASIN__TREE_WIDTH];
  uint32_t tags[BASIN__TREE_WIDTH]; /* of the primitive; of all primitives below */
} basin__tree_node;

/* Primitives of `arity` vertices in the order of a Hilbert curve. Node k of level 0 holds the boxes
 * of the primitives at places 8 k ... 8 k + 7; node k of level l those of nodes 8 k ... 8 k + 7 of
 * level l - 1. The last level is one node. */
typedef struct basin__tree {
  unsigned arity;
  size_t count;
  const uint32_t *items;                  /* count x arity vertices; borrowed */
  const uint32_t *tags;                   /* count; borrowed */
  uint32_t *order;                        /* place -> primitive */
  uint32_t *corners[BASIN__TREE_CORNERS]; /* place -> vertex, to a multiple of 8 places */
  basin__tree_node *nodes;                /* all levels */
  size_t level_start[BASIN__TREE_LEVELS], level_count[BASIN__TREE_LEVELS];
  unsigned levels;
  uint64_t *keys, *scratch; /* curve positions while building */
  double built_cost;        /* cost when last built; 0 = never */
} basin__tree;

/* `items` and `tags` stay with the caller and must outlive the tree. An empty tree is legal. */
basin_status basin__tree_init(basin_context *context,
                              basin__tree *tree,
                              unsigned arity,
                              size_t count,
                              const uint32_t *items,
                              const uint32_t *tags);
void basin__tree_fini(basin_context *context, basin__tree *tree);

/* Gives the tree new boxes; sorts it anew on the first call, when `rebuild` is set, and when its
 * inner boxes have grown too much against its primitives since it was sorted. Cannot fail. */
void basin__tree_update(basin_context *context,
                        basin__tree *tree,
                        const basin__box *boxes,
                        bool rebuild);
size_t basin__tree_memory(const basin__tree *tree);

/* Box of the primitive at a place. */
static inline basin__box
basin__tree_box(const basin__tree *tree, const basin__box *boxes, size_t place)
{
  basin__box box = boxes[tree->corners[0][place]];
  for (unsigned c = 1; c < tree->arity; ++c) basin__box_join(&box, &boxes[tree->corners[c][place]]);
  return box;
}

/* ---- queries ---- */

/* Growing list of primitives. */
typedef struct basin__items {
  uint32_t *data;
  size_t count, capacity;
} basin__items;

typedef struct basin__query {
  const basin__tree *tree;
  basin__box box;
  uint32_t first;                        /* places before it are left out */
  uint32_t skip_tag;                     /* primitives with this tag are left out */
  uint32_t corners[BASIN__TREE_CORNERS]; /* primitives with one of these vertices are left out */
} basin__query;

/* Makes room for `need` numbers in all; false if that fails. */
typedef bool (*basin__grow_items)(void *user, basin__items *items, size_t need);

/* A search in two parts. `leaves` appends the leaves (nodes of level 0) whose boxes meet the
 * query's box, in ascending order. `pick` appends all primitives of some leaves whose boxes meet
 * the query's box (as closed sets), in the order of their places. The leaves of one query serve
 * others whose boxes lie inside, that skip at least the same tag and leave out no fewer places.
 * False if `grow` failed. */
typedef bool (*basin__tree_leaves_function)(const basin__query *query,
                                            basin__items *leaves,
                                            basin__grow_items grow,
                                            void *user);
typedef bool (*basin__tree_pick_function)(const basin__query *query,
                                          const basin__items *leaves,
                                          basin__items *found,
                                          basin__grow_items grow,
                                          void *user);
typedef struct basin__tree_versions {
  basin__tree_leaves_function leaves;
  basin__tree_pick_function pick;
} basin__tree_versions;

/* The fastest version that this machine runs, for queries with `arity` corners against a tree. All
 * versions find the same. */
basin__tree_versions basin__tree_fastest(unsigned arity, const basin__tree *tree);
/* The version for any machine. */
basin__tree_versions basin__tree_plain(unsigned arity, const basin__tree *tree);

#endif
