/* How every iterative solver begins: its options, and the power of two by which it scales.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_ITERATIVE_H
#define BASIN_LINALG_ITERATIVE_H

#include <basin/linalg.h>

/* Options that were not given become the defaults, in *room; those that no solver can work with are
 * errors. */
basin_status basin__iterative_options(basin_context *context,
                                      const basin_linear_options **options,
                                      basin_linear_options *room);
/* The matrix and its preconditioner have nodes alike. */
basin_status basin__iterative_shapes(basin_context *context,
                                     uint32_t node_count,
                                     unsigned block,
                                     uint32_t preconditioner_nodes,
                                     unsigned preconditioner_block);
/* Both, for a solve on the CPU; *result says that it has not run. */
basin_status basin__iterative_begin(basin_context *context,
                                    const basin_bsr *matrix,
                                    const basin_preconditioner *preconditioner,
                                    const basin_linear_options **options,
                                    basin_linear_options *room,
                                    basin_linear_result *result);

/* Powers of two: `to` brings the largest entry of b near 1, so that squares neither overflow nor
 * vanish; `back` undoes it. */
typedef struct basin__scale {
  double to, back;
} basin__scale;
basin__scale basin__scale_of(size_t size, const double *b);
/* to = b, scaled; x likewise, or zero if it is no guess. */
void basin__scale_in(
    const basin__scale *scale, size_t size, const double *b, double *to, double *x, bool guess);
void basin__scale_out(const basin__scale *scale, size_t size, double *x);

#endif
