/* The detector: its sets of primitives, boxes and lists.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_INTERNAL_H
#define BASIN_CONTACT_INTERNAL_H

#include "contact/advance.h"
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
  basin__items kept;    /* of the last sweep: per query its item, the number of partners, they */
  basin__items scratch; /* of the query at hand */
  basin__found_list found[BASIN_CONTACT_KIND_COUNT];
} basin__worker;

/* Where the candidates of a block of queries are. */
typedef struct basin__block {
  unsigned worker;
  size_t first, count;
} basin__block;

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
  double separation;
  size_t plane_count;
  basin_contact_plane *planes;
  double *rest_lengths; /* squared, one an edge; NULL: nothing is mollified */
  size_t pair_limit;

  basin__box *boxes;
  bool exact_boxes;
  /* What the boxes were made from; borrowed during a call. */
  const double *box_positions, *box_direction;
  double box_limit, box_reach;
  unsigned worker_count;
  basin__worker *workers;
  pthread_mutex_t growing; /* the context records errors of one thread at a time */

  double *swept_positions, *swept_direction, swept_limit;
  bool swept;
  basin__block *blocks[BASIN__PASS_COUNT];
  size_t block_capacity[BASIN__PASS_COUNT];
  size_t candidate_count[BASIN__PASS_COUNT];

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
void basin__exact_interval(
    const basin_contact *contact, uint32_t vertex, int k, double *low, double *high);

/* Checks numbers, fills the boxes of x + t direction (may be NULL), t in [0, limit], grown by
 * `reach` beyond half of xi (not at all if it is negative), and updates the trees. */
basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach);

typedef struct basin__scan basin__scan;

/* One query and the partners the rules allow: primitives of the two sets. False stops the scan
 * (memory or the limit; see basin__scan_failed). */
typedef bool (*basin__visit)(
    basin__scan *scan, unsigned worker, uint32_t item, const uint32_t *partners, size_t count);

struct basin__scan {
  basin_contact *contact;
  unsigned pass; /* kind of the candidates */
  basin__set *query_set, *partner_set;
  basin__visit visit;
  void *user;
  bool keep;
  atomic_int failed; /* a basin_status */
};

/* Visits all queries of a pass in blocks. With `keep` the candidates stay in contact->blocks. */
basin_status basin__contact_scan(
    basin_contact *contact, unsigned pass, basin__visit visit, void *user, bool keep);
/* Edges against triangles. */
basin_status basin__contact_scan_edges(basin_contact *contact, basin__visit visit, void *user);
/* Visits the kept candidates of a pass. */
basin_status
basin__contact_revisit(basin_contact *contact, unsigned pass, basin__visit visit, void *user);
void basin__scan_failed(basin__scan *scan, basin_status status);
/* Thread-safe basin__grow. */
bool basin__contact_grow(
    basin__scan *scan, void *array, size_t *capacity, size_t need, size_t item);

/* Vertices of a candidate: those of the query, then those of the partner; of a set against itself
 * those of the smaller number first. Returns their number. */
unsigned basin__candidate_vertices(const basin__scan *scan,
                                   uint32_t item,
                                   uint32_t partner,
                                   uint32_t vertices[5]);
double basin__candidate_separation(const basin__scan *scan, uint32_t item, uint32_t partner);

/* ---- pairs ---- */

basin_status basin__pairs_merge(basin_contact *contact);
void basin__pairs_clear(basin_contact *contact);
void basin__pairs_fini(basin_contact *contact);
size_t basin__pairs_memory(const basin_contact *contact);

#endif
