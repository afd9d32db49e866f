/* The passes from a lowered energy to straight-line programs. Each is a function over the scalar
 * graph; pipeline.c lists them. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_PASS_H
#define BASIN_PASSES_PASS_H

#include "graph/ir.h"
#include "graph/layout.h"
#include "plan/program.h"

/* Position of entry (i, j), i <= j < n, in a packed upper triangle, row after row. */
static inline uint32_t basin__packed(uint32_t n, uint32_t i, uint32_t j)
{
  return i * n - i * (i + 1) / 2 + j;
}

/* What an access means to the expression at hand. */
typedef enum basin_access_role {
  BASIN_ACCESS_CONSTANT,
  BASIN_ACCESS_HELD,  /* differentiable, takes part in the projection, has no rows */
  BASIN_ACCESS_OUTPUT /* differentiable, has rows in gradient and Hessian */
} basin_access_role;

/* A growing list of references. */
typedef struct basin_refs {
  basin_ref *items;
  uint32_t count;
  size_t capacity;
} basin_refs;
basin_status basin__refs_push(basin_context *context, basin_refs *refs, basin_ref ref);
/* Exactly `count` entries; new ones are not set. */
basin_status basin__refs_resize(basin_context *context, basin_refs *refs, size_t count);
void basin__refs_fini(basin_context *context, basin_refs *refs);

/* Rewrites the roots with each from[i] replaced by to[i], through the builder; results in `out`
 * (may be `roots`). */
basin_status basin__substitute(basin_graph *graph,
                               const basin_ref *roots,
                               uint32_t root_count,
                               const basin_ref *from,
                               const basin_ref *to,
                               uint32_t count,
                               basin_ref *out);

/* ---- analysis.c: which nodes depend on unknowns. Tables grow with the graph and are filled on
 * demand. ---- */
typedef struct basin_analysis {
  basin_graph *graph;
  basin_context *context;
  const uint8_t
      *roles; /* basin_access_role by access number; accesses beyond role_count are constant */
  uint32_t role_count;
  uint8_t *depends; /* by reference: reads an unknown, conditions included */
  uint8_t *kinds;   /* by reference: basin_kind, 0 = not yet known */
  size_t depends_capacity, kinds_capacity;
  uint32_t depends_count;
} basin_analysis;

typedef enum basin_kind {
  BASIN_KIND_UNKNOWN_YET,
  BASIN_KIND_CONSTANT, /* derivative zero */
  BASIN_KIND_AFFINE,   /* affine in the unknowns, coefficients free of unknowns */
  BASIN_KIND_NONLINEAR
} basin_kind;

void basin__analysis_init(basin_analysis *analysis,
                          basin_graph *graph,
                          const uint8_t *roles,
                          uint32_t role_count);
void basin__analysis_fini(basin_analysis *analysis);
/* Reads an unknown, be it only in a condition. */
basin_status basin__depends(basin_analysis *analysis, basin_ref ref, bool *depends);
/* Affine when every partial derivative with respect to a dependent child is free of unknowns. */
basin_status basin__kind(basin_analysis *analysis, basin_ref ref, basin_kind *kind);

/* All nodes that the roots reach, ascending (children first). `stop` (may be NULL, by reference,
 * `stop_count` entries): nodes with a nonzero entry are listed but not entered. */
basin_status basin__reachable(basin_graph *graph,
                              const basin_ref *roots,
                              uint32_t root_count,
                              const uint32_t *stop,
                              uint32_t stop_count,
                              basin_refs *refs);

/* ---- frontier.c ---- */
/* The smallest set of affine nodes through which every differentiable path from an unknown to
 * `root` passes (vertex cut by augmenting paths; among the smallest cuts the one nearest to the
 * root). `separate`: the unknowns' own loads instead. Ascending. */
basin_status
basin__frontier(basin_analysis *analysis, basin_ref root, bool separate, basin_refs *frontier);

/* ---- gradient.c: reverse mode over the nodes between `variables` and a root. Variables are loads:
 * were they inner nodes, the builder could rewrite an expression past them (-(x - y) to y - x) and
 * their derivatives would be lost. ---- */
typedef struct basin_gradient {
  basin_analysis *analysis;
  const basin_ref *variables;
  uint32_t count;
  uint32_t *number_of; /* by reference: 1 + number of the variable, 0 = none */
  uint32_t number_count;
  basin_refs hubs;      /* nodes whose own gradient was formed apart */
  basin_refs hub_parts; /* count references for each hub */
} basin_gradient;
basin_status basin__gradient_init(basin_gradient *gradient,
                                  basin_analysis *analysis,
                                  const basin_ref *variables,
                                  uint32_t count);
void basin__gradient_fini(basin_gradient *gradient);
/* out[i] = d root / d variables[i]. A node whose adjoint depends on the variables and whose
 * descendants all lead to the root through it (a hub: J = det F in an elastic energy) gets a
 * gradient of its own, which the adjoint then scales: the Hessian pass finds d hub / d variable
 * ready made. */
basin_status basin__gradient(basin_gradient *gradient, basin_ref root, basin_ref *out);

/* ---- hessian.c: forward mode over the gradient ---- */
/* out: packed upper triangle, row after row, of the matrix d gradient[i] / d variables[j]. */
basin_status basin__hessian(basin_gradient *gradient, const basin_ref *parts, basin_ref *out);
/* names[i]: equal for the variables of one connected component of the pattern of a packed Hessian.
 * A projection fills the rows and columns of a component, and nothing else. */
void basin__hessian_components(const basin_graph *graph,
                               const basin_ref *hessian,
                               uint32_t n,
                               uint32_t *names);

/* ---- tangent: derivative of `root` along one variable, used by hessian.c and by mixed derivatives
 * ---- */
basin_status basin__tangents(basin_gradient *gradient,
                             uint32_t variable,
                             const basin_ref *roots,
                             uint32_t root_count,
                             basin_ref *out);

/* ---- map_out.c: inner gradient and Hessian to the unknowns, down the affine nodes ---- */
typedef struct basin_map_out {
  const basin_ref *frontier;
  uint32_t inner_count;
  const basin_ref *inner_hessian; /* packed; tells its components. NULL: none */
  const basin_ref *unknowns;      /* loads, in local order; 0 entries get zero rows */
  uint32_t unknown_count;
} basin_map_out;
/* gradient: unknown_count references; hessian: packed upper triangle, or NULL; both are zero where
 * nothing leads to. Leaves are INNER nodes numbered as program.h says. */
basin_status basin__map_out(basin_analysis *analysis,
                            const basin_map_out *map,
                            basin_ref *gradient,
                            basin_ref *hessian);

/* ---- hoist.c ---- */
/* Finds subexpressions of per-element constants worth keeping in an array: `hoisted` lists them
 * (component k = k-th). *root is rebuilt to read component k of `array` at the element. Nothing
 * found: hoisted stays empty. */
basin_status
basin__hoist(basin_analysis *analysis, basin_array_id array, basin_ref *root, basin_refs *hoisted);

/* ---- schedule.c ---- */
/* Straight-line program for the roots; children directly before their first use. Memory from the
 * arena. */
basin_status basin__schedule(basin_graph *graph,
                             basin_arena *arena,
                             const basin_ref *roots,
                             uint32_t root_count,
                             basin_program *program);

#endif
