/* The detector: its sets of primitives, boxes and lists.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_INTERNAL_H
#define BASIN_CONTACT_INTERNAL_H

#include "contact/advance.h"
#include "contact/device/contact_box.h"
#include "contact/tree.h"
#include <pthread.h>
#include <stdatomic.h>

typedef enum basin__set_name {
  BASIN__POINTS,
  BASIN__EDGES,
  BASIN__TRIANGLES,
  BASIN__LONE_POINTS, /* of no edge or triangle */
  BASIN__LONE_EDGES,  /* of no triangle */
  BASIN__SET_COUNT
} basin__set_name;

typedef struct basin__set {
  unsigned arity;
  size_t count;
  uint32_t *items; /* count x arity vertices */
  uint32_t *tags;  /* body of each, or BASIN__TAG_MIXED */
  basin__tree tree;
} basin__set;

/* Which sets meet. The number of a pass is the kind of its candidates, POINT_POINT to EDGE_EDGE. */
enum { BASIN__PASS_COUNT = BASIN_CONTACT_EDGE_EDGE + 1 };

/* A pair found by detect, before sorting. */
typedef struct basin__found {
  uint32_t vertices[4]; /* unused entries 0; of a plane, entry 1 is its index */
  double squared, separation, threshold;
} basin__found;

typedef struct basin__found_list {
  basin__found *data;
  size_t count, capacity;
} basin__found_list;

/* What one worker writes to. */
typedef struct basin__worker {
  basin__items scratch; /* partners of the query at hand */
  basin__items leaves;  /* of the partners' tree, for eight queries */
  basin__found_list found[BASIN_CONTACT_KIND_COUNT];
} basin__worker;

/* Where the candidates of a block of queries are. */
typedef struct basin__block {
  unsigned part;
  size_t first, count;
} basin__block;

/* Candidates of all passes. A part holds, for each query that has any: its item, the number of
 * partners, they. */
typedef struct basin__lists {
  basin__items *parts; /* one a worker */
  basin__block *blocks[BASIN__PASS_COUNT];
  size_t block_count[BASIN__PASS_COUNT], block_capacity[BASIN__PASS_COUNT];
  size_t candidates[BASIN__PASS_COUNT];
  size_t most; /* numbers in a part beyond which collecting ends with `full`; 0: an error at the
                  limit of pairs */
  bool full;
} basin__lists;

/* Candidates of boxes that are larger than asked for: good for every call whose boxes lie inside.
 */
typedef struct basin__reuse {
  basin__box *outer; /* one a vertex */
  basin__lists lists;
  bool valid, direct; /* whether the lists are; whether the call at hand does without */
  double activation;  /* of the last detect */
  size_t tested,
      met;         /* candidates looked at since the lists were made, and those whose boxes met */
  double patience; /* how much longer to look at lists that could not be made shorter */
  unsigned pause;  /* calls to come that try no lists */
} basin__reuse;

/* Sorted and merged pairs of one kind. */
typedef struct basin__pair_list {
  size_t count, capacity;
  uint32_t *vertices;
  double *multiplicity, *squared, *separation, *threshold;
  uint32_t *planes;
} basin__pair_list;

struct basin_contact {
  basin_context *context;
  size_t vertex_count;
  basin__set sets[BASIN__SET_COUNT];
  uint32_t *bodies; /* NULL: all 0 */
  size_t body_count;
  uint8_t *table, *plane_bodies;
  double *offsets; /* one a body */
  double *reaches; /* one a vertex: the largest offset of its primitives; NULL without offsets */
  double separation;
  size_t plane_count;
  basin_contact_plane *planes;
  double *rest_lengths; /* squared, one an edge; NULL: nothing is mollified */
  size_t pair_limit;

  basin__box *boxes; /* one a vertex */
  double center[3];  /* taken away from positions before rounding to single precision */
  bool exact_boxes;
  /* What the boxes were made from; borrowed during a call. */
  const double *box_positions, *box_direction;
  double box_limit, box_reach;
  unsigned worker_count;
  basin__worker *workers;
  pthread_mutex_t growing; /* the context records errors of one thread at a time */

  double *swept_positions, *swept_direction, swept_limit;
  bool swept;
  basin__lists swept_lists;
  basin__reuse reuse;
  basin_contact_statistics statistics;

  basin__pair_list pairs[BASIN_CONTACT_KIND_COUNT];
  uint64_t version, stencil_hash;
  uint32_t *sort_space;
  size_t sort_capacity;
};

/* ---- bodies ---- */

uint32_t basin__body(const basin_contact *contact, uint32_t vertex);
/* Largest offset of the vertices. */
double basin__offset(const basin_contact *contact, unsigned count, const uint32_t *vertices);
/* The tag of partners that a primitive with this tag never meets. */
uint32_t basin__skipped_tag(const basin_contact *contact, uint32_t tag);
/* Whether a table says more than tags do. */
bool basin__needs_check(const basin_contact *contact);
uint32_t basin__tag(const basin_contact *contact, unsigned count, const uint32_t *vertices);
/* Whether the planes act on a vertex. */
bool basin__meets_planes(const basin_contact *contact, uint32_t vertex);

/* ---- broad phase ---- */

/* Ends of the box of one vertex along axis k in double precision. */
static inline void basin__exact_interval(
    const basin_contact *contact, uint32_t vertex, int k, double *low, double *high)
{
  const size_t at = 3 * (size_t)vertex + (size_t)k;
  const double start = contact->box_positions[at];
  double end = start, reach = 0;
  if (contact->box_direction) end += contact->box_limit * contact->box_direction[at];
  if (contact->box_reach >= 0)
    reach = contact->box_reach + 0.5 * contact->separation +
            (contact->reaches ? contact->reaches[vertex] : 0);
  basin__box_interval(start, end, reach, low, high);
}

/* ---- arguments of the public calls (arguments.c) ---- */
basin_status basin__contact_check_activation(basin_context *context, double activation);
basin_status basin__contact_check_limit(basin_context *context, double limit);
basin_status basin__contact_check_slackness(basin_context *context, double slackness);
/* The error of a vertex whose coordinates, or whose motion, a detector cannot take: NOT_FINITE, or
 * RANGE beyond BASIN__LARGEST_POSITION. */
basin_status
basin__contact_fail_position(basin_context *context, size_t vertex, const double position[3]);

/* Checks numbers and fills the boxes of x + t direction (may be NULL), t in [0, limit], grown by
 * `reach` beyond half of xi (not at all if it is negative). With `outer`, *inside tells whether
 * each lies in its own of those boxes, and the center stays; without, the center is chosen. */
basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach,
                                  const basin__box *outer,
                                  bool *inside);
/* Gives all trees the boxes of vertices. */
void basin__contact_refit(basin_contact *contact, const basin__box *boxes);

typedef struct basin__scan basin__scan;

/* One query and the partners the rules allow: primitives of the two sets. False stops the scan
 * (memory or the limit; see basin__scan_failed). */
typedef bool (*basin__visit)(
    basin__scan *scan, unsigned worker, uint32_t item, const uint32_t *partners, size_t count);

struct basin__scan {
  basin_contact *contact;
  unsigned pass; /* kind of the candidates */
  basin__set *query_set, *partner_set;
  const basin__box *boxes; /* of the queries, one a vertex */
  bool exact;              /* whether boxes must meet in double precision, too */
  basin__visit visit;
  void *user;
  basin__lists *lists; /* to fill, or NULL */
  atomic_int failed;   /* a basin_status */
};

/* Names the sets of a pass, the present boxes and the visitor. */
void basin__scan_prepare(
    basin__scan *scan, basin_contact *contact, unsigned pass, basin__visit visit, void *user);
/* Visits all queries of a pass in blocks. */
basin_status
basin__contact_scan(basin_contact *contact, unsigned pass, basin__visit visit, void *user);
/* Edges against triangles. */
basin_status basin__contact_scan_edges(basin_contact *contact, basin__visit visit, void *user);
/* Appends the candidates of all passes to lists, which are emptied first. `boxes` are those of the
 * trees. */
basin_status basin__contact_collect(basin_contact *contact,
                                    const basin__box *boxes,
                                    bool exact,
                                    basin__lists *lists);
void basin__scan_failed(basin__scan *scan, basin_status status);
/* Thread-safe basin__grow. */
bool basin__contact_grow(
    basin__scan *scan, void *array, size_t *capacity, size_t need, size_t item);

/* Of a set against itself the smaller number comes first: results do not depend on the tree. */
static inline void basin__order_sides(const basin__scan *scan, uint32_t *item, uint32_t *partner)
{
  if (scan->query_set != scan->partner_set || *item <= *partner) return;
  const uint32_t other = *item;
  *item = *partner;
  *partner = other;
}

/* Vertices of a candidate: those of the query, then those of the partner; of a set against itself
 * those of the smaller number first. Returns their number. */
static inline unsigned basin__candidate_vertices(const basin__scan *scan,
                                                 uint32_t item,
                                                 uint32_t partner,
                                                 uint32_t vertices[5])
{
  unsigned n = 0;
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  basin__order_sides(scan, &item, &partner);
  for (unsigned c = 0; c < a->arity; ++c) vertices[n++] = a->items[(size_t)item * a->arity + c];
  for (unsigned c = 0; c < b->arity; ++c) vertices[n++] = b->items[(size_t)partner * b->arity + c];
  return n;
}
double basin__candidate_separation(const basin__scan *scan, uint32_t item, uint32_t partner);
/* Whether the boxes of the two sides of a candidate meet in double precision. */
bool basin__candidate_meets(const basin_contact *contact,
                            const uint32_t *vertices,
                            unsigned split,
                            unsigned count);

/* ---- lists of candidates ---- */

basin_status basin__lists_init(basin_contact *contact, basin__lists *lists);
void basin__lists_fini(basin_contact *contact, basin__lists *lists);
void basin__lists_clear(const basin_contact *contact, basin__lists *lists);
size_t basin__lists_memory(const basin_contact *contact, const basin__lists *lists);
/* Notes what a pass has added: `blocks` blocks, of which empty ones go. */
void basin__lists_close(basin__lists *lists, unsigned pass, size_t blocks);
/* Visits the candidates of a pass; with `filter` only those whose present boxes meet, which are
 * counted in *met. */
basin_status basin__lists_visit(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                basin__visit visit,
                                void *user,
                                bool filter,
                                size_t *met);

/* ---- reuse ---- */

basin_status basin__reuse_init(basin_contact *contact);
void basin__reuse_fini(basin_contact *contact);
/* Fills the present boxes, as basin__contact_boxes, and finds lists that are good for them or makes
 * new ones. */
basin_status basin__reuse_prepare(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach);
/* Visits the candidates of a pass whose present boxes meet. */
basin_status
basin__reuse_visit(basin_contact *contact, unsigned pass, basin__visit visit, void *user);

/* ---- smallest distances ---- */

/* basin_contact_smallest_distance if its gap is not above 0; else any pair with a gap above 0, or
 * none. */
basin_status basin__contact_illegal(basin_contact *contact,
                                    const double *positions,
                                    basin_contact_closest *closest);

/* ---- pairs ---- */

basin_status basin__pairs_merge(basin_contact *contact);
void basin__pairs_clear(basin_contact *contact);
void basin__pairs_fini(basin_contact *contact);
size_t basin__pairs_memory(const basin_contact *contact);

#endif
