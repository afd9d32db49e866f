/* The formulas of first-order minimizers, over the vectors of any engine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_UPDATE_H
#define BASIN_SOLVE_UPDATE_H

#include "solve/engine.h"

/* Where vectors live, and how long they are. Without a minimizer: vectors of the host, serially. */
typedef struct basin_vectors {
  const basin_solve_engine *engine;
  basin_minimizer *minimizer;
  size_t size;
} basin_vectors;

/* One product, and a copy. */
basin_status
basin__vectors_dot(const basin_vectors *vectors, const double *a, const double *b, double *result);
basin_status basin__vectors_copy(const basin_vectors *vectors, const double *from, double *to);

/* Pairs of a step s and a change of gradient y: a ring, `memory` rows each, the oldest at `first`.
 */
typedef struct basin_history {
  double *S, *Y;
  size_t memory, first, count;
  double *products, *factors; /* memory numbers of the host each: s·y of every row; scratch */
  double scale;               /* of the identity that the oldest pair changes */
} basin_history;
/* to = H x by the two-loop recursion (Nocedal, Math. Comp. 35, 1980). */
basin_status basin__two_loop(const basin_vectors *vectors,
                             const basin_history *history,
                             const double *x,
                             double *to);

/* The changes of an inverse Hessian; `product` is room for H y. */
basin_status basin__inverse_bfgs(
    const basin_vectors *vectors, const double *s, const double *y, double *product, double *H);
basin_status basin__inverse_dfp(
    const basin_vectors *vectors, const double *s, const double *y, double *product, double *H);

/* What the coefficients of conjugate gradients consist of: y = g - g_old, d the direction of the
 * step between. */
typedef struct basin_conjugacy_products {
  double g_g, old_old, g_y, d_y;
} basin_conjugacy_products;
double basin__conjugacy(basin_first_order_method method, const basin_conjugacy_products *p);

#endif
