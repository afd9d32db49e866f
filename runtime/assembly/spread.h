/* Adding stored local gradients and Hessians to the global vector and matrix.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_SPREAD_H
#define BASIN_ASSEMBLY_SPREAD_H

#include "assembly/minimizer.h"

/* Where to add, and which part of it: nodes [node_begin, node_end) of the gradient, blocks
 * [slot_begin, slot_end) of the matrix. */
typedef struct basin_spread {
  const basin_minimizer *minimizer;
  const basin_term *term;
  double *gradient, *values; /* NULL: not wanted */
  size_t node_begin, node_end, slot_begin, slot_end;
} basin_spread;

/* One element of a direct term: `gradient` local_size numbers, `hessian` the packed upper triangle.
 */
void basin__spread_direct(const basin_spread *spread,
                          size_t element,
                          const double *gradient,
                          const double *hessian);
/* One element of a term over maps; `nodes` has room for the term's expansion. */
void basin__spread_mapped(const basin_spread *spread,
                          size_t element,
                          const double *gradient,
                          const double *hessian,
                          basin_virtual_node *nodes);
/* Adds the local gradient to the adjoints of the curved maps that the element reads. */
void basin__spread_adjoint(const basin_spread *spread, size_t element, const double *gradient);

#endif
