/* Contact: close pairs of points, edges and triangles, the largest step without contact, and
 * intersections. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_H
#define BASIN_CONTACT_H

#include <basin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A detector of contacts among the points, edges and triangles of one set of vertices. It owns
 * copies of everything it is given and keeps the context it was made with: errors are found there,
 * and it must be destroyed before that context. One detector is used from one thread at a time; the
 * work inside runs on the context's threads, with results that do not depend on their number.
 * Positions and directions are vertex_count x 3 finite doubles, read only during the call. */
typedef struct basin_contact basin_contact;

/* Stencils of a pair, and what their vertices mean. The MOLLIFIED kinds come from nearly parallel
 * edges: all four vertices stay in the stencil (the edges are vertices 0 1 and 2 3), the distance
 * is that of the named feature, and the energy is multiplied by the mollifier (see
 * basin_contact_pairs.threshold).
 * X(name, arity, text) */
#define BASIN_CONTACT_KIND_LIST(X)                                                         \
  X(POINT_POINT, 2, "point-point")                     /* 0 against 1 */                   \
  X(POINT_EDGE, 3, "point-edge")                       /* 0 against the inside of 1 2 */   \
  X(POINT_TRIANGLE, 4, "point-triangle")               /* 0 against the inside of 1 2 3 */ \
  X(EDGE_EDGE, 4, "edge-edge")                         /* insides of 0 1 and 2 3 */        \
  X(MOLLIFIED_EDGE_EDGE, 4, "mollified edge-edge")     /* insides of 0 1 and 2 3 */        \
  X(MOLLIFIED_POINT_EDGE, 4, "mollified point-edge")   /* 0 against the inside of 2 3 */   \
  X(MOLLIFIED_POINT_POINT, 4, "mollified point-point") /* 0 against 2 */                   \
  X(POINT_PLANE, 1, "point-plane")                     /* 0 against a plane */

typedef enum basin_contact_kind {
#define X(name, arity, text) BASIN_CONTACT_##name,
  BASIN_CONTACT_KIND_LIST(X)
#undef X
      BASIN_CONTACT_KIND_COUNT
} basin_contact_kind;

/* Vertices of a stencil of this kind; 0 for an unknown kind. */
BASIN_API unsigned basin_contact_arity(basin_contact_kind kind);
/* "point-point", ...; "unknown" otherwise. */
BASIN_API const char *basin_contact_kind_name(basin_contact_kind kind);

/* ---- detectors ---- */

/* A fixed half-space: points stay where normal . x > offset. The normal has length 1. */
typedef struct basin_contact_plane {
  double normal[3];
  double offset;
} basin_contact_plane;

/* What can touch. Zero-initialise, set `size`, then the fields; or start from
 * basin_contact_description_defaults(). All arrays are copied.
 *
 * The sides of triangles are edges and the corners of edges and triangles are points, whether
 * listed or not, so that nothing has a hole. Listed edges keep their numbers; missing ones follow.
 * Edges and triangles may be degenerate (repeated vertices, no length, no area).
 *
 * Pairs: point-triangle and edge-edge everywhere; in addition points that no edge or triangle uses
 * meet each other and the edges that no triangle uses. Primitives that share a vertex never meet.
 *
 * Bodies, one rule for every function: without a table, body 0 touches itself and everything, and a
 * pair of primitives whose vertices all have one body other than 0 is skipped. With a table, a pair
 * is skipped when any of its vertex pairs across is off: body_pairs[a * body_count + b] == 0. The
 * table must be symmetric; its diagonal says whether a body touches itself. Points of a body whose
 * entry in `plane_bodies` is 0 ignore the planes (NULL: none ignores them).
 *
 * A pair keeps the distance xi = separation + offset(A) + offset(B): the offset of a primitive is
 * the largest of its vertices' bodies. Planes have offset 0. */
typedef struct basin_contact_description {
  size_t size; /* sizeof(basin_contact_description) of the caller: ABI growth */
  size_t vertex_count;
  size_t point_count, edge_count, triangle_count;
  const uint32_t *points;      /* vertices */
  const uint32_t *edges;       /* edge_count x 2 */
  const uint32_t *triangles;   /* triangle_count x 3 */
  const uint32_t *bodies;      /* one a vertex; NULL = all 0 */
  size_t body_count;           /* rows of the arrays below; ids must be smaller if any is given */
  const uint8_t *body_pairs;   /* body_count x body_count; NULL = no table */
  const double *offsets;       /* one a body, not negative; NULL = 0 */
  const uint8_t *plane_bodies; /* one a body; NULL = all 1 */
  double separation;           /* not negative */
  size_t plane_count;
  const basin_contact_plane *planes;
  const double *rest_positions; /* vertex_count x 3: lengths in the threshold of the mollifier; NULL
                                   = no pair is mollified */
  bool exact_boxes;  /* candidates are pairs whose boxes meet in double precision; without it, also
                        those that meet after rounding outward to single precision (faster) */
  size_t pair_limit; /* most candidates or pairs held at once; 0 = 2^31 */
} basin_contact_description;

BASIN_API basin_contact_description basin_contact_description_defaults(void);

BASIN_API basin_status basin_contact_create(basin_context *context,
                                            const basin_contact_description *description,
                                            basin_contact **contact);
BASIN_API void basin_contact_destroy(basin_contact *contact); /* NULL is fine */

/* Every point, and every edge (vertex pairs, the listed ones first); they live with the detector.
 */
BASIN_API size_t basin_contact_points(const basin_contact *contact, const uint32_t **points);
BASIN_API size_t basin_contact_edges(const basin_contact *contact, const uint32_t **edges);

/* Whether the rule for bodies lets a stencil through: vertices of one side, then of the other. */
BASIN_API bool basin_contact_allows(const basin_contact *contact,
                                    size_t count_a,
                                    const uint32_t *vertices_a,
                                    size_t count_b,
                                    const uint32_t *vertices_b);

/* ---- close pairs ---- */

/* Finds every pair whose distance d is less than xi + activation (activation > 0), sorts it by kind
 * and vertices, and merges equal stencils. The lists replace those of the last call; after an error
 * they are empty. ERROR_NOT_FINITE names a vertex; ERROR_LENGTH if more than pair_limit are found.
 */
BASIN_API basin_status basin_contact_detect(basin_contact *contact,
                                            const double *positions,
                                            double activation);

/* Pairs of one kind, ordered by their vertices: an order that depends on the positions and the
 * description alone. Vertices are sorted inside a stencil where its symmetry allows. Arrays are
 * borrowed until the next detect; NULL when count is 0.
 *
 * `multiplicity` counts the candidates (point-triangle, edge-edge, point-edge, point-point) whose
 * closest features are this stencil: a sum over candidates equals the sum over pairs times the
 * multiplicity. Mollified kinds always have 1. */
typedef struct basin_contact_pairs {
  size_t count;
  size_t arity;
  const uint32_t *vertices;       /* count x arity */
  const double *multiplicity;     /* count */
  const double *squared_distance; /* count */
  const double *separation;       /* count: xi */
  const double *threshold; /* count: e = 1e-3 |rest a|^2 |rest b|^2; the mollifier is m = (x/e)(2 -
                              x/e) with x = |a x b|^2 < e. NULL for the kinds without one */
  const uint32_t *planes;  /* count: index of the plane. NULL except for POINT_PLANE */
} basin_contact_pairs;

/* Empty for an unknown kind. */
BASIN_API basin_contact_pairs basin_contact_pairs_get(const basin_contact *contact,
                                                      basin_contact_kind kind);

/* Grows by one whenever a detect finds other stencils or multiplicities than the one before it: the
 * pattern of the Hessian must be rebuilt only then. */
BASIN_API uint64_t basin_contact_version(const basin_contact *contact);

/* What friction keeps of the pairs of one kind, at `positions` (those of the detect or others):
 * for each pair `arity` coefficients c of the unclamped closest vector w = sum c_i x_i and two unit
 * tangents (t_x t_y t_z, u_x u_y u_z) orthogonal to it. `coefficients` and `tangents` have room for
 * count x arity and count x 6, and may be NULL. Parallel edges take a closest pair at the middle of
 * their overlap. */
BASIN_API basin_status basin_contact_friction_frames(const basin_contact *contact,
                                                     basin_contact_kind kind,
                                                     const double *positions,
                                                     double *coefficients,
                                                     double *tangents);

/* The smallest distance over all pairs that the rules allow, close or not. */
typedef struct basin_contact_closest {
  basin_contact_kind kind; /* of the candidate: POINT_TRIANGLE, EDGE_EDGE, POINT_EDGE, POINT_POINT,
                              POINT_PLANE; BASIN_CONTACT_KIND_COUNT if there is no pair at all */
  uint32_t vertices[4];
  double squared_distance; /* of the pair with the smallest d; infinite without one */
  double gap;              /* smallest d - xi; its pair is the one above if all xi are equal */
} basin_contact_closest;
BASIN_API basin_status basin_contact_smallest_distance(basin_contact *contact,
                                                       const double *positions,
                                                       basin_contact_closest *closest);

/* ---- steps ---- */

/* Collects the candidates of the motion x + t direction, t in [0, limit]: all pairs of primitives
 * whose swept boxes, grown by xi / 2 a side, overlap. Positions and direction are copied. */
BASIN_API basin_status basin_contact_sweep(basin_contact *contact,
                                           const double *positions,
                                           const double *direction,
                                           double limit);

/* Candidates of the last sweep, per kind: POINT_POINT, POINT_EDGE, POINT_TRIANGLE, EDGE_EDGE. */
BASIN_API size_t basin_contact_candidate_count(const basin_contact *contact,
                                               basin_contact_kind kind);
/* Bytes that the detector holds. */
BASIN_API size_t basin_contact_memory(const basin_contact *contact);

/* What detect and largest_step have cost since the detector was made; seconds are wall time. */
typedef struct basin_contact_statistics {
  size_t size;
  size_t detections, steps; /* calls */
  size_t collections;       /* how often candidates were collected anew; the other calls found all
                               of theirs among those of an earlier one */
  double seconds_broad;     /* boxes, trees and collecting candidates, of both */
  double seconds_narrow;    /* detect: distances of candidates, sorting pairs */
  double seconds_step;      /* largest_step: times of candidates */
} basin_contact_statistics;
BASIN_API basin_contact_statistics basin_contact_statistics_get(const basin_contact *contact);

/* The largest step <= limit of the last sweep such that on [0, step] every candidate keeps d - xi
 * >= (1 - slackness) (d0 - xi), up to the rounding of the coordinates: 0 < slackness < 1. Never
 * later than the first contact; 0 if a pair already has d <= xi. ERROR_STATE without a sweep. The
 * result is never to be scaled by the slackness again. */
BASIN_API basin_status basin_contact_step(basin_contact *contact, double slackness, double *step);

/* Sweep and step in one, without keeping candidates: less memory, the same result. Does not replace
 * the last sweep. `first` (may be NULL) is the pair that limits the step, kind KIND_COUNT if none
 * does; of equal ones the first by kind and vertices. */
typedef struct basin_contact_impact {
  basin_contact_kind kind; /* of the candidate, as in basin_contact_closest */
  uint32_t vertices[4];
  double time;
} basin_contact_impact;
BASIN_API basin_status basin_contact_largest_step(basin_contact *contact,
                                                  const double *positions,
                                                  const double *direction,
                                                  double limit,
                                                  double slackness,
                                                  double *step,
                                                  basin_contact_impact *first);

/* ---- intersections ---- */

/* Edges that meet triangles without sharing a vertex with them, as closed sets, decided exactly;
 * the body rule applies. `*count` is their number; the first `room` are written as rows (edge
 * vertex, edge vertex, three triangle vertices), by edge number, then triangle number. */
BASIN_API basin_status basin_contact_intersections(
    basin_contact *contact, const double *positions, size_t room, uint32_t *rows, size_t *count);

/* ERROR_ARGUMENT whose message lists the first pairs that intersect, are closer than xi, or lie
 * behind a plane; OK if the positions are a legal start. */
BASIN_API basin_status basin_contact_check(basin_contact *contact, const double *positions);

/* ---- surfaces ---- */

/* Triangles over vertex_count x 3 finite doubles; read only during a call. Work is divided among
 * the context's threads and does not depend on their number. */
typedef struct basin_surface {
  size_t vertex_count;
  const double *positions;
  size_t triangle_count;
  const uint32_t *triangles;
} basin_surface;

/* How often the surface winds around each of `count` points (the sum of the solid angles over 4
 * pi): 1 inside of a closed surface that looks outwards, 0 outside. Costs points x triangles.
 * ERROR_NOT_FINITE and ERROR_RANGE name a vertex or triangle. */
BASIN_API basin_status basin_surface_winding(basin_context *context,
                                             const basin_surface *surface,
                                             size_t count,
                                             const double *points,
                                             double *winding);
/* How far each ray goes to the first triangle, in lengths of its direction; infinite where it meets
 * none. Triangles that a ray runs along are not seen. Costs and errors as above. */
BASIN_API basin_status basin_surface_rays(basin_context *context,
                                          const basin_surface *surface,
                                          size_t count,
                                          const double *origins,
                                          const double *directions,
                                          double *lengths);

/* ---- single stencils ---- */

/* Closest features of a stencil of kind POINT_POINT, POINT_EDGE, POINT_TRIANGLE or EDGE_EDGE (each
 * as closed sets), x = arity x 3. `region` is the smallest feature that holds the closest points:
 * bit i is set if vertex i belongs to it. `coefficients` c gives the closest vector sum c_i x_i
 * (clamped: 0 outside the region). */
typedef struct basin_contact_distance {
  double squared_distance;
  double coefficients[4];
  unsigned region;
} basin_contact_distance;
BASIN_API basin_status basin_contact_distance_get(basin_contact_kind kind,
                                                  const double *x,
                                                  basin_contact_distance *distance);

/* Largest time <= limit such that the stencil, moving along straight lines from x0 (time 0) to x1
 * (time 1), keeps d - separation >= (1 - slackness) (d0 - separation) before it; *hit tells whether
 * it ended before the limit because the gap fell to 17/16 of that or to the rounding of the
 * coordinates. Kinds as above. */
BASIN_API basin_status basin_contact_time(basin_contact_kind kind,
                                          const double *x0,
                                          const double *x1,
                                          double separation,
                                          double limit,
                                          double slackness,
                                          double *time,
                                          bool *hit);

/* Whether the closed segment (2 x 3) and the closed triangle (3 x 3) have a point in common. Exact
 * unless coordinates overflow or underflow (magnitudes between 1e-90 and 1e90, or 0, are safe). */
BASIN_API bool basin_contact_segment_meets_triangle(const double segment[6],
                                                    const double triangle[9]);

#ifdef __cplusplus
}
#endif
#endif
