/* Vector loops of the iterative solvers, compiled for the machine at hand. All variants give the
 * same bits.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_VECTOR_H
#define BASIN_LINALG_VECTOR_H

#include <stddef.h>

typedef struct basin__vector_kernels {
  /* r -= alpha q; returns r . r. */
  double (*update_residual)(size_t count, double alpha, const double *q, double *r);
  double (*dot)(size_t count, const double *x, const double *y);
  /* z = M r for `count` symmetric 3x3 matrices, each stored as xx xy xz yy yz zz; returns r . z. */
  double (*apply_3)(size_t count, const double *matrices, const double *r, double *z);
} basin__vector_kernels;

const basin__vector_kernels *basin__vector_kernels_select(void);
/* Variant 0 is the portable one; NULL where this machine cannot run `variant`. For tests. */
const basin__vector_kernels *basin__vector_kernels_variant(unsigned variant);

#endif
