/* The oracle: values of scalar nodes by their rows in ops.def.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_EVAL_H
#define BASIN_GRAPH_EVAL_H

#include "graph/ir.h"

/* Where leaves get their values from. Functions may be NULL if there are no such leaves: their
 * value is NaN. */
typedef struct basin_eval_source {
  double (*load)(void *user, const basin_access *access, uint32_t component);
  double (*inner)(void *user, uint32_t number);
  void *user;
} basin_eval_source;

/* values[i] = the value of roots[i], scalar nodes. */
basin_status basin__evaluate(const basin_graph *graph,
                             const basin_ref *roots,
                             uint32_t count,
                             const basin_eval_source *source,
                             double *values);

/* Lowers a matrix expression and evaluates its entries, row-major. */
basin_status basin__evaluate_expression(basin_graph *graph,
                                        basin_ref expression,
                                        const basin_eval_source *source,
                                        double *values);

#endif
