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
  float *travel;   /* how far each has moved since the lists of reuse were made: a sum over calls */
  float *sweep;    /* how far each moves in the motion at hand */
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

/* Growing list of numbers. */
typedef struct basin__numbers {
  float *data;
  size_t capacity;
} basin__numbers;

/* What one worker writes to. */
typedef struct basin__worker {
  basin__items scratch; /* partners of the query at hand */
  basin__items places;  /* where each is among the candidates of the block */
  basin__numbers distances;
  uint32_t *slots;     /* one a partner: where it was among older candidates */
  basin__items leaves; /* of the partners' tree, for eight queries */
  basin__found_list found[BASIN_CONTACT_KIND_COUNT];
} basin__worker;

/* Where the candidates of a block of queries are: in a part of lists, and flat. */
typedef struct basin__block {
  unsigned part;
  size_t first, count;
  size_t start, candidates;
} basin__block;

/* The same candidates side by side. A candidate is at least its horizon minus the travel of its two
 * sides apart. */
typedef struct basin__flat {
  basin__items items, partners;
  basin__numbers horizons;
  size_t starts[BASIN__PASS_COUNT + 1]; /* of the candidates of a pass */
} basin__flat;

/* Candidates of all passes. A part holds, for each query that has any: its item, the number of
 * partners, they. */
typedef struct basin__lists {
  basin__items *parts; /* one a worker */
  basin__flat *flat;   /* one a worker; NULL: not kept */
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
  double *last;      /* positions of the last call that used the lists */
  float *moved;      /* one a vertex: from there to the positions at hand */
  float *swept;      /* one a vertex: length of the motion at hand */
  double largest;    /* coordinate of the motion at hand */
  basin__lists lists;
  basin__flat *older; /* candidates of the lists before these; one a worker */
  uint64_t *rows;     /* one an item: where its older candidates are */
  size_t row_count;
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
  bool wide;  /* boxes are made with AVX2: the same ones */
  bool mixed; /* there is a table, and a primitive of several bodies */
  /* What the boxes were made from; borrowed during a call. */
  const double *box_positions, *box_direction;
  double box_limit, box_reach;
  double largest_separation; /* of any pair */
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

/* A motion that is cut: boxes of `part` of it, grown by `growth` times the length of that part
 * (those of reuse.swept) and by `more`. */
typedef struct basin__cut {
  double part, growth, more;
} basin__cut;

/* Checks numbers and fills the boxes of x + t direction (may be NULL), t in [0, limit], grown by
 * `reach` beyond half of xi (not at all if it is negative). With `outer`, *inside tells whether
 * each lies in its own of those boxes, and the center stays; without, the center is chosen. With
 * `cut` (may be NULL) the boxes in single precision are cut. */
basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach,
                                  const basin__cut *cut,
                                  const basin__box *outer,
                                  bool *inside);
/* Whether this machine has AVX2. */
bool basin__boxes_wide(void);
/* Gives all trees the boxes of vertices. */
void basin__contact_refit(basin_contact *contact, const basin__box *boxes);

typedef struct basin__scan basin__scan;

/* One query and the partners the rules allow: primitives of the two sets. `distances` (may be NULL)
 * are 0 and receive lower bounds of the distances at the positions of the call, as far as they
 * become known. False stops the scan (memory or the limit; see basin__scan_failed). */
typedef bool (*basin__visit)(basin__scan *scan,
                             unsigned worker,
                             uint32_t item,
                             const uint32_t *partners,
                             size_t count,
                             float *distances);

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
/* Visits all candidates of a pass. */
basin_status basin__lists_visit(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                basin__visit visit,
                                void *user);

/* ---- sieves ---- */

/* Fills lists->flat; all horizons are 0: nothing is known. */
basin_status basin__lists_flatten(basin_contact *contact, basin__lists *lists);
void basin__flat_free(basin_contact *contact, basin__flat *flats);
/* Takes over what reuse.older knows of the candidates of reuse.lists, as of the present travel, to
 * horizons as of no travel. */
void basin__horizons_take(basin_contact *contact);

/* Which candidates of flat lists are visited. */
typedef struct basin__sieve {
  float from, to; /* those whose distance is known to be at least a number in between */
  bool boxes;     /* only if their present boxes are at most `meet` apart (less than 0: overlap) */
  float meet, apart; /* those of other boxes are at least `apart` farther apart than their boxes */
  /* Only if part of the sweep reaches near * distance - room; NULL: always. */
  const _Atomic double *part;
  float near, room;
} basin__sieve;

/* Visits the candidates of a pass that a sieve lets through; *met is increased by their number. */
basin_status basin__lists_sieve(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                const basin__sieve *sieve,
                                basin__visit visit,
                                void *user,
                                size_t *met);

/* ---- travel ---- */

/* Adds what lies between the last positions of reuse and these to the travel of all primitives, and
 * makes these the last. With a direction fills reuse.swept and the sweeps of the motion
 * x + t direction, t in [0, limit]. False, and the lists are invalid, if a number is not finite or
 * too large for floats. */
bool basin__travel(basin_contact *contact,
                   const double *positions,
                   const double *direction,
                   double limit);

/* ---- reuse ---- */

basin_status basin__reuse_init(basin_contact *contact);
void basin__reuse_fini(basin_contact *contact);
/* Visits the candidates of all passes that may be closer than xi + activation. *seconds: how long
 * finding them took. */
basin_status basin__reuse_detect(basin_contact *contact,
                                 const double *positions,
                                 double activation,
                                 basin__visit visit,
                                 void *user,
                                 double *seconds);

typedef struct basin__reuse_motion {
  const double *positions, *direction;
  double limit, slackness;
  const _Atomic double *least; /* the part of the limit that is left */
} basin__reuse_motion;

/* Visits all candidates of a motion that may keep less than their gap within the part of it that is
 * left, near ones first. */
basin_status basin__reuse_step(basin_contact *contact,
                               const basin__reuse_motion *motion,
                               basin__visit visit,
                               void *user,
                               double *seconds);

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
