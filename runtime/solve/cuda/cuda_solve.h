/* What a solver keeps on a CUDA device: vectors, conjugate gradients, factors, filters' results.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_CUDA_SOLVE_H
#define BASIN_SOLVE_CUDA_SOLVE_H

#include "assembly/cuda/cuda_minimizer.h"
#include "linalg/cuda/linear.h"
#include "solve/engine.h"

enum { BASIN_CUDA_VECTORS = 16 }; /* lent to the minimizations that run at once */

/* basin_minimizer.linear on a system with a device. */
typedef struct basin_cuda_solver {
  basin_buffer vectors[BASIN_CUDA_VECTORS];
  bool lent[BASIN_CUDA_VECTORS];
  basin_buffer direction, product, given; /* given: a vector that came from the host */
  basin_buffer results, items;            /* scalars; one number a simplex or instance */
  basin_cuda_pcg *pcg;
  basin_cuda_minres *minres;
  basin_cuda_preconditioner *preconditioner;
  uint64_t preconditioner_layout, preconditioner_version; /* layout and matrix_version; 0 = none */
  basin_preconditioner_kind preconditioner_kind;
  basin_cuda_factor *factor;
  basin_factor *host_factor; /* where no library factorizes on the device */
  bool no_library;           /* that was found out */
  uint64_t factor_version, host_factor_version;
  size_t size;
  unsigned prepared; /* solvers whose texts were compiled side by side, by bits */
  bool solved;       /* `direction` is a solution of the present size: a warm start */
  double *host;      /* a vector for the host */
  size_t host_capacity;
} basin_cuda_solver;

extern const basin_solve_engine basin__solve_engine_cuda;

/* Makes the state where it is missing. */
basin_status basin__cuda_solver(basin_minimizer *minimizer, basin_cuda_solver **solver);
basin_status basin__cuda_solve(basin_minimizer *minimizer,
                               const basin_solve_options *options,
                               const double *right_hand_side,
                               const double **direction,
                               basin_solve_report *report);

/* ---- filters.c ---- */
basin_status
basin__cuda_inversion(basin_minimizer *minimizer, const basin_filter_task *task, double *alpha);
basin_status basin__cuda_plane(basin_minimizer *minimizer,
                               const basin_filter_task *task,
                               double *alpha,
                               size_t *behind);
basin_status
basin__cuda_motion(basin_minimizer *minimizer, const basin_filter_task *task, double *motion);
basin_status basin__cuda_device_motion(basin_minimizer *minimizer,
                                       const basin_filter_task *task,
                                       double *motion);

/* ---- benchmark.c ---- */
basin_status basin__cuda_benchmark(basin_minimizer *minimizer,
                                   basin_term *term,
                                   const basin_benchmark_options *options,
                                   basin_benchmark_report *report);

/* Vectors of the engine are addresses in a pointer's clothes. */
static inline basin_address basin__address_of(const double *vector)
{
  return (basin_address)(uintptr_t)vector;
}
static inline double *basin__vector_at(basin_address address)
{
  return (double *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

#endif
