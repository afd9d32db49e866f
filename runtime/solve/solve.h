/* What the solver's files share: linear solver state, targets as one vector.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_SOLVE_H
#define BASIN_SOLVE_SOLVE_H

#include "assembly/minimizer.h"

/* Kept by a minimizer between its linear solves. */
typedef struct basin_linear_state {
  basin_factor *factor;
  basin_pcg *pcg;
  basin_preconditioner *preconditioner;
  uint64_t preconditioner_layout; /* layout version and node count it was made for */
  basin_preconditioner_kind preconditioner_kind;
  uint64_t factor_version,
      preconditioner_version;  /* matrix_version that they stand for; 0 = none */
  double *direction, *product; /* size entries each */
  size_t size, capacity;
  double *given; /* a right-hand side without what is held */
  size_t given_capacity;
  size_t predicted_size; /* unknowns of the matrix that `operations` belongs to; 0: none */
  double operations;     /* of a factorization */
  bool solved;           /* direction is of the present size: a warm start */
} basin_linear_state;

/* AUTO: direct up to these numbers of unknowns, the second where the matrix is constant: its factor
 * pays for itself over many steps. */
#define BASIN_DIRECT_LIMIT_SMALL    600u
#define BASIN_DIRECT_LIMIT_CONSTANT 200000u
/* Instances whose whole blocks block Jacobi inverts: *count ranges of nodes, in memory for one more
 * that the caller frees. */
basin_status basin__minimizer_instances(const basin_minimizer *minimizer,
                                        basin_node_range **ranges,
                                        size_t *count);
/* What iterative solvers are told; `solved`: the last direction may serve as a start. */
basin_linear_options basin__iterative_options_of(const basin_solve_options *options, bool solved);
/* A factorization that fails is an outcome, unless memory or a library is missing. */
bool basin__factor_outcome(basin_status status, basin_linear_status *outcome);
/* A solve that leaves everything on the device: as basin_minimizer_solve, but right-hand side and
 * direction are vectors of the solve engine (engine.h). */
basin_status basin__minimizer_solve(basin_minimizer *minimizer,
                                    const basin_solve_options *options,
                                    const double *right_hand_side,
                                    const double **direction,
                                    basin_solve_report *report);

/* The targets' values as one node-major vector of the host, and back. */
basin_status basin__targets_read(basin_minimizer *minimizer, double *x);
basin_status basin__targets_write(basin_minimizer *minimizer, const double *x);

/* ---- reductions with a fixed order (vector.c) ---- */
double basin__vector_dot(basin_context *context, size_t count, const double *a, const double *b);
double basin__vector_largest(size_t count, const double *a); /* max |a|; NaN if one is NaN */

#endif
