/* Inner derivatives through a narrow waist of polynomials, an alternative to differentiating
 * straight through. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_WAIST_H
#define BASIN_PASSES_WAIST_H

#include "passes/pass.h"

typedef struct basin_waist_request {
  basin_ref root;
  const basin_ref *variables; /* loads of access `stand_in`, components 0 .. count - 1 */
  uint32_t count;
  uint32_t stand_in;   /* an unknown access; components from `count` on are free */
  uint32_t multiplier; /* a constant access whose loads are used nowhere else */
} basin_waist_request;

/* gradient: count references, hessian: packed upper triangle. *found = false (and nothing written)
 * if fewer than `count` polynomials do not suffice. */
basin_status basin__waist(basin_analysis *analysis,
                          const basin_waist_request *request,
                          basin_ref *gradient,
                          basin_ref *hessian,
                          bool *found);

/* Sum of the operators' costs over all nodes that the roots reach. */
basin_status
basin__cost(basin_graph *graph, const basin_ref *roots, uint32_t count, uint64_t *cost);

#endif
