/* What the host and the device text of contact say to each other: plain data, the same bytes on
 * both sides. The device text defines BASIN_CUDA_TEXT. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_DATA_H
#define BASIN_CONTACT_DATA_H

#ifdef BASIN_CUDA_TEXT
#define BASIN_AT(type) type *
#else
#define BASIN_AT(type) unsigned long long /* a basin_address */
#endif

enum {
  BASIN__CUDA_LEVELS = 12, /* of a tree; as BASIN__TREE_LEVELS */
  BASIN__CUDA_SETS = 5,
  BASIN__CUDA_PASSES = 4,
  BASIN__CUDA_KINDS = 8
};

/* The rule for bodies, separation and planes (body.c). Addresses may be 0 as there. */
typedef struct basin_cuda_rules {
  BASIN_AT(const unsigned) bodies;
  BASIN_AT(const unsigned char) table;
  BASIN_AT(const unsigned char) plane_bodies;
  BASIN_AT(const double) offsets;
  BASIN_AT(const double) reaches;      /* one a vertex: the largest offset of its primitives */
  BASIN_AT(const double) planes;       /* normal and offset, 4 a plane */
  BASIN_AT(const double) rest_lengths; /* squared, one an edge */
  unsigned long long body_count, plane_count;
  double separation;
} basin_cuda_rules;

/* Eight children side by side, as basin__tree_node. */
typedef struct basin_cuda_node {
  float low[3][8], high[3][8];
  unsigned tags[8];
} basin_cuda_node;

/* A set of primitives and its tree (tree.h). corners[c * padded + place] is a vertex. */
typedef struct basin_cuda_set {
  BASIN_AT(const unsigned) items; /* count x arity vertices */
  BASIN_AT(const unsigned) tags;
  BASIN_AT(unsigned) order;
  BASIN_AT(unsigned) corners;
  BASIN_AT(basin_cuda_node) nodes;
  unsigned arity, count, padded, levels, number;
  unsigned level_start[BASIN__CUDA_LEVELS], level_count[BASIN__CUDA_LEVELS];
} basin_cuda_set;

/* Where vertices are and how they move: x + t direction, t in [0, limit]. */
typedef struct basin_cuda_motion {
  BASIN_AT(const double) positions;
  BASIN_AT(const double) direction; /* or 0 */
  double limit;
  double reach; /* beyond half of xi; negative: boxes without any */
} basin_cuda_motion;

/* One pass: queries of set a against the tree of set b. */
typedef struct basin_cuda_pass {
  basin_cuda_set a, b;
  unsigned kind, same, exact;
  unsigned unused;
} basin_cuda_pass;

/* Candidates of each pass: numbers of primitives. Those of pass k are numbered from first[k] on;
 * first[4] is the total. Of a set against itself the smaller number comes first. */
typedef struct basin_cuda_candidates {
  BASIN_AT(unsigned) items[BASIN__CUDA_PASSES];    /* of set a */
  BASIN_AT(unsigned) partners[BASIN__CUDA_PASSES]; /* of set b */
  unsigned long long first[BASIN__CUDA_PASSES + 1];
} basin_cuda_candidates;

/* Sets a and b of all passes, as far as candidates need them. */
typedef struct basin_cuda_sides {
  BASIN_AT(const unsigned) a[BASIN__CUDA_PASSES];
  BASIN_AT(const unsigned) b[BASIN__CUDA_PASSES];
} basin_cuda_sides;

/* Found pairs before sorting, and the parts of their keys. */
typedef struct basin_cuda_found {
  BASIN_AT(unsigned long long) high; /* kind, vertex 0, vertex 1 */
  BASIN_AT(unsigned long long) low;  /* vertex 2, vertex 3 */
  BASIN_AT(double) squared;
  BASIN_AT(double) separation;
  BASIN_AT(double) threshold;
  unsigned long long capacity;
  unsigned bits; /* of a vertex number */
  unsigned unused;
} basin_cuda_found;

/* Sorted and merged pairs: those of kind k are rows first[k] ... first[k + 1] - 1. */
typedef struct basin_cuda_pairs {
  BASIN_AT(unsigned) vertices; /* 4 a row; entry 1 of a point and a plane is the plane */
  BASIN_AT(double) multiplicity;
  BASIN_AT(double) squared;
  BASIN_AT(double) separation;
  BASIN_AT(double) threshold;
  unsigned long long first[BASIN__CUDA_KINDS + 1];
} basin_cuda_pairs;

/* What boxes are made with; kept from call to call. */
typedef struct basin_cuda_frame {
  double center[3]; /* taken away from positions before rounding to single precision */
  double edge;      /* mean length of edges */
} basin_cuda_frame;

/* All that comes back to the host, and what kernels share. Doubles are kept as bits: of numbers
 * that are not negative the order is the same; `ordered` ones are mapped so that it is for all. */
typedef struct basin_cuda_status {
  unsigned long long low[3], high[3];                /* ordered: of all positions */
  unsigned long long candidates[BASIN__CUDA_PASSES]; /* found, written or not */
  unsigned long long found;                          /* pairs before merging */
  unsigned long long kinds[BASIN__CUDA_KINDS];       /* merged pairs */
  unsigned long long copies[BASIN__CUDA_KINDS];      /* sums of multiplicities */
  unsigned long long least_squared;                  /* of merged pairs */
  unsigned long long time;                           /* least time found */
  unsigned long long nearest, gap;                   /* squared; ordered */
  unsigned long long keys[3];                        /* of the first pair at that time */
  unsigned long long sizes[BASIN__CUDA_SETS][2];     /* perimeters of levels 0 and 1 */
  unsigned long long stalled;                        /* pairs to cut */
  unsigned long long friction;                       /* pairs with friction */
  unsigned set_low[BASIN__CUDA_SETS][3], set_high[BASIN__CUDA_SETS][3]; /* ordered floats */
  unsigned long long present, larger; /* sizes of boxes, and of those that hold them */
  unsigned bad, changed;              /* a vertex that is not finite, or ~0 */
  unsigned outside, unused;           /* a box is not held */
  unsigned runs, rows;
} basin_cuda_status;

#endif
