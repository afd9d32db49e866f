/* What the kernels of conjugate gradients work on, in device memory, so that a recorded graph
 * serves any matrix of the same size. Read by pcg.cu and by pcg.c: the same layout in both.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PCG_JOB_CUH
#define BASIN_PCG_JOB_CUH

#include "krylov_job.cuh"

/* What the host is asked. */
enum {
  PCG_VERIFY = KRYLOV_QUESTIONS, /* the updated residual converged: find the true one */
  PCG_CURVATURE,                 /* p . A p is not positive: find p . p and A p . A p */
  PCG_RESTART                    /* it is rounding: go on from the true residual */
};

/* What the two sums r . z and r . r are for. */
enum { PCG_REFERENCE, PCG_START, PCG_ITERATION, PCG_CHECK, PCG_AGAIN };

typedef struct pcg_state {
  double largest; /* entry of b */
  double back;    /* power of two that brings the solution back, as b is scaled to about 1 */
  double rz, rr, alpha, beta, curvature, pp, qq;
  double reference, first, best;
  double tolerance, divergence;
  krylov_size iterations, best_at, since_restart, restarts;
  krylov_size stagnation_window, maximum_iterations, maximum_restarts;
  krylov_word residual_rule;  /* stop by the norm of the residual, else by r . M^-1 r */
  krylov_word initial_guess;  /* start from x */
  krylov_word trusting;       /* the updated residual may be believed early on */
  krylov_word preconditioned; /* z is not r */
  krylov_word stop;           /* KRYLOV_... or a question */
  krylov_word ticket;         /* thread blocks that have finished the running kernel */
} pcg_state;

typedef struct pcg_job {
  krylov_matrix matrix;
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

#endif
