/* What the solver does differently on each device: vectors, the linear system, step filters. One
 * Newton driver serves all. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_ENGINE_H
#define BASIN_SOLVE_ENGINE_H

#include "solve/solve.h"

/* What a step filter looks at: positions that move affinely along a step. */
typedef struct basin_filter_task {
  size_t map; /* number of the positions' DOF map */
  basin_array_id positions;
  const double *direction; /* a vector of the engine */
  size_t size, block,
      count; /* numbers a position, numbers a node, items (simplices or instances) */
  const basin_connectivity *simplices;
  basin_connectivity_id simplices_id;
  double normal[3], offset, keep;
} basin_filter_task;

/* Two vectors whose product is asked for. */
typedef struct basin_vector_pair {
  const double *a, *b;
} basin_vector_pair;
enum { BASIN_VECTOR_PAIRS = 4 }; /* most products of one call */

/* H + a u uT + b (u vT + v uT) + c v vT. */
typedef struct basin_dense_change {
  const double *u, *v;
  double a, b, c;
} basin_dense_change;

/* Vectors are node-major. Off the CPU a `double *` here is an address of device memory: it is
 * handed on and never read through. */
typedef struct basin_solve_engine {
  /* What a caller hands in, as a vector of the engine (until the next call); and a vector of the
   * engine as numbers for the host (until the next call, or as long as the vector). */
  basin_status (*accept)(basin_minimizer *minimizer, const double *given, const double **vector);
  basin_status (*to_host)(basin_minimizer *minimizer, const double *vector, const double **host);
  /* Numbers of no value. The caller destroys it with the same size. */
  basin_status (*vector_create)(basin_minimizer *minimizer, size_t size, double **vector);
  void (*vector_destroy)(basin_minimizer *minimizer, size_t size, double *vector);
  /* The targets' values. */
  basin_status (*targets_read)(basin_minimizer *minimizer, double *x);
  basin_status (*targets_write)(basin_minimizer *minimizer, const double *x);
  /* to = x - alpha * direction. */
  basin_status (*step)(basin_minimizer *minimizer,
                       size_t size,
                       const double *x,
                       double alpha,
                       const double *direction,
                       double *to);
  /* ---- what first-order minimizers add; on the CPU `minimizer` may be NULL ---- */
  /* to = a x + b y; `to` may be x or y. */
  basin_status (*blend)(basin_minimizer *minimizer,
                        size_t size,
                        double a,
                        const double *x,
                        double b,
                        const double *y,
                        double *to);
  /* Products of pairs of vectors, at most BASIN_VECTOR_PAIRS. */
  basin_status (*dots)(basin_minimizer *minimizer,
                       size_t size,
                       const basin_vector_pair *pairs,
                       size_t count,
                       double *results);
  /* The assembled gradient, until the next assembly. */
  const double *(*gradient)(const basin_minimizer *minimizer);
  /* Symmetric matrices of size x size numbers, held as vectors of that length: scale times the
   * identity, to = H x (another vector), and a change by two vectors. */
  basin_status (*dense_identity)(basin_minimizer *minimizer, size_t size, double scale, double *H);
  basin_status (*dense_multiply)(
      basin_minimizer *minimizer, size_t size, const double *H, const double *x, double *to);
  basin_status (*dense_change)(basin_minimizer *minimizer,
                               size_t size,
                               const basin_dense_change *change,
                               double *H);
  /* max |x|; NaN if one is NaN. */
  basin_status (*largest)(basin_minimizer *minimizer, size_t size, const double *x, double *result);
  /* The same for the assembled gradient. */
  basin_status (*gradient_largest)(basin_minimizer *minimizer, double *result);
  /* max |direction|, and its product with the assembled gradient. */
  basin_status (*judge)(basin_minimizer *minimizer,
                        size_t size,
                        const double *direction,
                        double *largest,
                        double *slope);
  /* The assembled matrix: adds shift times the identity; largest absolute value of a diagonal
   * entry that is not held. */
  basin_status (*shift)(basin_minimizer *minimizer, double shift);
  basin_status (*diagonal)(basin_minimizer *minimizer, double *largest);
  /* Puts a number where the diagonal and the gradient are zero: no energy sees these entries.
   * *count: how many. */
  basin_status (*fill)(basin_minimizer *minimizer, double number, size_t *count);
  /* Zeroes the held entries of a vector. */
  basin_status (*hold)(basin_minimizer *minimizer, double *vector);
  /* As basin_minimizer_solve, whose options have been checked; right-hand side (NULL: the gradient)
   * and direction are vectors of the engine. */
  basin_status (*solve)(basin_minimizer *minimizer,
                        const basin_solve_options *options,
                        const double *right_hand_side,
                        const double **direction,
                        basin_solve_report *report);
  /* Step filters: *alpha is lowered; *behind is an instance on the wrong side or SIZE_MAX. */
  basin_status (*inversion)(basin_minimizer *minimizer,
                            const basin_filter_task *task,
                            double *alpha);
  basin_status (*plane)(basin_minimizer *minimizer,
                        const basin_filter_task *task,
                        double *alpha,
                        size_t *behind);
  /* Into memory of the host; into memory of the device. */
  basin_status (*motion)(basin_minimizer *minimizer, const basin_filter_task *task, double *motion);
  basin_status (*device_motion)(basin_minimizer *minimizer,
                                const basin_filter_task *task,
                                double *motion);
} basin_solve_engine;

extern const basin_solve_engine basin__solve_engine_cpu;
const basin_solve_engine *basin__solve_engine(const basin_minimizer *minimizer);

/* ---- the CPU's own (linear.c, filter_cpu.c, vector_cpu.c) ---- */
basin_status basin__blend_cpu(basin_minimizer *minimizer,
                              size_t size,
                              double a,
                              const double *x,
                              double b,
                              const double *y,
                              double *to);
basin_status basin__dots_cpu(basin_minimizer *minimizer,
                             size_t size,
                             const basin_vector_pair *pairs,
                             size_t count,
                             double *results);
basin_status
basin__dense_identity_cpu(basin_minimizer *minimizer, size_t size, double scale, double *H);
basin_status basin__dense_multiply_cpu(
    basin_minimizer *minimizer, size_t size, const double *H, const double *x, double *to);
basin_status basin__dense_change_cpu(basin_minimizer *minimizer,
                                     size_t size,
                                     const basin_dense_change *change,
                                     double *H);
basin_status basin__solve_cpu(basin_minimizer *minimizer,
                              const basin_solve_options *options,
                              const double *right_hand_side,
                              const double **direction,
                              basin_solve_report *report);
basin_status
basin__inversion_cpu(basin_minimizer *minimizer, const basin_filter_task *task, double *alpha);
basin_status basin__plane_cpu(basin_minimizer *minimizer,
                              const basin_filter_task *task,
                              double *alpha,
                              size_t *behind);
basin_status
basin__motion_cpu(basin_minimizer *minimizer, const basin_filter_task *task, double *motion);

#endif
