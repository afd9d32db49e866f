/* What the kernels of MINRES work on, in device memory, so that a recorded graph serves any matrix
 * of the same size. Read by minres.cu and by minres.c: the same layout in both.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MINRES_JOB_CUH
#define BASIN_MINRES_JOB_CUH

#include "krylov_job.cuh"

/* What the sum q . y, the square of an M^-1 norm, is for. */
enum { MINRES_REFERENCE, MINRES_START, MINRES_ITERATION };

typedef struct minres_state {
  double largest; /* entry of b */
  double back;    /* power of two that brings the solution back, as b is scaled to about 1 */
  double gamma_old, gamma, delta; /* of the Lanczos process */
  double of_v, of_v_old;          /* what the next Lanczos vector takes off */
  double eta;                     /* the residual norm, with a sign */
  double c_old, c, s_old, s;      /* the last two plane rotations */
  double a1, a2, a3, step;        /* of the search direction, and along it */
  double spectrum;                /* largest entry of the tridiagonal matrix so far */
  double reference, best, tolerance;
  double residual; /* ||b - A x||^2 at the end */
  krylov_size iterations, best_at;
  krylov_size stagnation_window, maximum_iterations;
  krylov_word squared;       /* the measure is the square of the norm */
  krylov_word initial_guess; /* start from x */
  krylov_word stop;          /* KRYLOV_... */
  krylov_word next;          /* what `stop` is to be after the update of x */
  krylov_word ticket;        /* thread blocks that have finished the running kernel */
} minres_state;

/* In iteration k the last Lanczos vectors are v[k % 2] and, before it, the other one, which the
 * next one replaces; w likewise. */
typedef struct minres_job {
  krylov_matrix matrix;
  DEVICE_POINTER(const double) inverses; /* block Jacobi of single nodes */
  DEVICE_POINTER(double) v[2];
  DEVICE_POINTER(double) w[2];
  DEVICE_POINTER(double) z; /* M^-1 v of norm 1 */
  DEVICE_POINTER(double) q; /* A z, then the next v where it is preconditioned elsewhere */
  DEVICE_POINTER(double) y; /* M^-1 times the next v; q itself without a preconditioner */
  DEVICE_POINTER(double) b; /* scaled */
  DEVICE_POINTER(double) x; /* scaled */
  DEVICE_POINTER(double) partial;
  minres_state state;
} minres_job;

#endif
