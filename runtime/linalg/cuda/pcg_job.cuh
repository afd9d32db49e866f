/* What the kernels of conjugate gradients work on, in device memory, so that a recorded graph
 * serves any matrix of the same size. Read by pcg.cu and by pcg.c: the same layout in both.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PCG_JOB_CUH
#define BASIN_PCG_JOB_CUH

#ifdef __cplusplus
#define DEVICE_POINTER(type) type *
typedef unsigned pcg_word;
typedef unsigned long long pcg_size;
#else
#include <stdint.h>
#define DEVICE_POINTER(type) basin_address
typedef uint32_t pcg_word;
typedef uint64_t pcg_size;
#endif

/* Why iterations stopped: 0, or 1 + a basin_linear_status, or a question to the host. */
enum {
  PCG_RUNNING,
  PCG_CONVERGED,
  PCG_ALREADY_CONVERGED,
  PCG_ITERATION_LIMIT,
  PCG_INDEFINITE,
  PCG_NOT_FINITE,
  PCG_STAGNATED,
  PCG_DIVERGED,
  PCG_VERIFY = 100, /* the updated residual converged: find the true one */
  PCG_CURVATURE,    /* p . A p is not positive: find p . p and A p . A p */
  PCG_RESTART       /* it is rounding: go on from the true residual */
};

/* What the two sums r . z and r . r are for. */
enum { PCG_REFERENCE, PCG_START, PCG_ITERATION, PCG_CHECK, PCG_AGAIN };

typedef struct pcg_state {
  double largest;     /* entry of b */
  double scale, back; /* powers of two that bring b near 1 and the solution back */
  double rz, rr, alpha, beta, curvature, pp, qq;
  double reference, first, best;
  double tolerance, divergence;
  pcg_size iterations, best_at, since_restart, restarts;
  pcg_size stagnation_window, maximum_iterations, maximum_restarts;
  pcg_word residual_rule;  /* stop by the norm of the residual, else by r . M^-1 r */
  pcg_word initial_guess;  /* start from x */
  pcg_word trusting;       /* the updated residual may be believed early on */
  pcg_word preconditioned; /* z is not r */
  pcg_word stop;           /* PCG_... */
  pcg_word ticket;         /* thread blocks that have finished the running kernel */
} pcg_state;

typedef struct pcg_part {
  DEVICE_POINTER(const pcg_word) row_starts;
  DEVICE_POINTER(const pcg_word) columns;
  DEVICE_POINTER(const NUMBER) values;
} pcg_part;

typedef struct pcg_job {
  pcg_word node_count, part_count;
  pcg_part parts[4];
  DEVICE_POINTER(const NUMBER) inverses; /* block Jacobi of single nodes */
  DEVICE_POINTER(NUMBER) r;
  DEVICE_POINTER(NUMBER) z; /* r itself without a preconditioner */
  DEVICE_POINTER(NUMBER) q;
  DEVICE_POINTER(NUMBER) p;
  DEVICE_POINTER(double) b; /* scaled */
  DEVICE_POINTER(double) x; /* scaled */
  DEVICE_POINTER(double) partial;
  pcg_state state;
} pcg_job;

#undef DEVICE_POINTER
#endif
