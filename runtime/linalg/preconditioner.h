/* Inside of preconditioners.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_PRECONDITIONER_H
#define BASIN_LINALG_PRECONDITIONER_H

#include <basin/linalg.h>

#include "vector.h"

/* Instances in ascending order cover all nodes. They are gathered into parts that depend on the
 * instances alone: what solvers hand to threads, and the unit of their sums. */
struct basin_preconditioner {
  basin_context *context;
  uint32_t node_count;
  unsigned block_size;
  struct basin__schwarz *schwarz; /* or NULL: block Jacobi, as follows */
  size_t instance_count;
  uint32_t *instance_starts; /* instance_count + 1 nodes */
  size_t *inverse_starts;    /* instance_count + 1 places in `inverses` */
  double *inverses; /* symmetric, in full; with `packed`, six numbers xx xy xz yy yz zz each */
  size_t part_count;
  size_t *part_starts; /* part_count + 1 instances */
  const basin__vector_kernels *kernels;
  size_t largest; /* unknowns of the largest instance */
  bool packed;    /* every instance is one node of three numbers */
};

/* True for block Jacobi, which is applied part by part. */
static inline bool basin__preconditioner_has_parts(const basin_preconditioner *p)
{
  return p != NULL && p->schwarz == NULL;
}

/* z = M^-1 r on the nodes of one part; returns its r . z. */
double basin__preconditioner_apply_part(const basin_preconditioner *preconditioner,
                                        size_t part,
                                        const double *r,
                                        double *z);

/* Scalar operations of one application, for basin__parallel_work. */
static inline double basin__preconditioner_work(const basin_preconditioner *p)
{
  return 2.0 * (double)p->inverse_starts[p->instance_count];
}

/* The inverse of a symmetric block, in full. True if it was definite; else a stand-in is made, see
 * basin_preconditioner_update. `block` is overwritten. */
bool basin__invert_block(size_t n, double *block, double *inverse);
bool basin__all_finite(size_t count, const double *values);

#endif
