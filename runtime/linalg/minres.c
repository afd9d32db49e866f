/* MINRES for symmetric systems, preconditioned by a definite block Jacobi. Paige and Saunders, SIAM
 * J. Numer. Anal. 12 (1975); the recurrences are those of Elman, Silvester and Wathen, Finite
 * Elements and Fast Iterative Solvers, algorithm 4.1.
 * SPDX-License-Identifier: Apache-2.0 */
#include <basin/linalg.h>

#include "base/base.h"
#include "iterative.h"
#include "lanes.h"
#include "preconditioner.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { VECTORS = 9 };

typedef struct solve {
  basin_context *context;
  size_t size;
  const basin_bsr *matrix;
  const basin_preconditioner *m; /* or NULL */
  const basin_linear_options *options;
  basin_linear_result *result;
  double *b, *x, *v_old, *v, *v_new, *z, *z_new, *w_old, *w, *w_new;
  double gamma_old, gamma, eta; /* eta is the residual norm, with a sign */
  double c_old, c, s_old, s;    /* the last two plane rotations */
  double largest;               /* largest entry of the tridiagonal matrix so far */
  double reference, first, best;
  size_t best_at;
} solve;

static double dot(const solve *k, const double *a, const double *b)
{
  return basin__lanes_dot(k->size, a, b);
}

/* z = M^-1 v; returns the M^-1 norm of v, NaN where M^-1 is not definite on it. */
static double precondition(const solve *k, const double *v, double *z)
{
  if (k->m != NULL) {
    basin_preconditioner_apply(k->m, v, z);
  } else {
    memcpy(z, v, k->size * sizeof *z);
  }
  return sqrt(dot(k, v, z));
}

static double measure(const solve *k)
{
  double ratio = fabs(k->eta) / k->reference;
  return k->options->stop == BASIN_STOP_PRECONDITIONED ? ratio * ratio : ratio;
}

static void swap_vectors(double **oldest, double **old, double **now)
{
  double *keep = *oldest;
  *oldest = *old;
  *old = *now;
  *now = keep;
}

/* One step of the Lanczos process: z, v, v_old to v_new, z_new. Returns the new gamma, and delta.
 */
static double lanczos_step(solve *k, double *delta)
{
  for (size_t i = 0; i < k->size; i++) k->z[i] /= k->gamma;
  basin_bsr_multiply(k->matrix, k->z, k->v_new);
  *delta = dot(k, k->v_new, k->z);
  double a = *delta / k->gamma, b = k->gamma_old > 0 ? k->gamma / k->gamma_old : 0;
  for (size_t i = 0; i < k->size; i++) k->v_new[i] -= a * k->v[i] + b * k->v_old[i];
  return precondition(k, k->v_new, k->z_new);
}

static bool finish(solve *k, basin_linear_status status)
{
  k->result->status = status;
  return true;
}

static bool check_progress(solve *k, bool exhausted)
{
  double now = measure(k);
  size_t iteration = k->result->iterations;
  if (!isfinite(now)) return finish(k, BASIN_LINEAR_NOT_FINITE);
  if (now <= k->options->tolerance) return finish(k, BASIN_LINEAR_CONVERGED);
  if (exhausted) return finish(k, BASIN_LINEAR_SINGULAR);
  if (now < 0.99 * k->best) {
    k->best = now;
    k->best_at = iteration;
  } else if (iteration - k->best_at >= k->options->stagnation_window) {
    return finish(k, BASIN_LINEAR_STAGNATED);
  }
  if (iteration >= k->options->maximum_iterations) return finish(k, BASIN_LINEAR_ITERATION_LIMIT);
  if (basin__interrupted(k->context)) return finish(k, BASIN_LINEAR_INTERRUPTED);
  return false;
}

static bool iterate(solve *k)
{
  double delta, gamma_new = lanczos_step(k, &delta);
  if (!isfinite(delta) || isnan(gamma_new)) return finish(k, BASIN_LINEAR_NOT_FINITE);
  double a0 = k->c * delta - k->c_old * k->s * k->gamma,
         a2 = k->s * delta + k->c_old * k->c * k->gamma;
  double a1 = hypot(a0, gamma_new), a3 = k->s_old * k->gamma;
  k->largest = fmax(k->largest, fmax(fabs(delta), gamma_new));
  if (a1 <= 64 * DBL_EPSILON * k->largest) return finish(k, BASIN_LINEAR_SINGULAR);
  /* The space is used up: what is left of the residual is out of reach. */
  bool exhausted = gamma_new <= 64 * DBL_EPSILON * k->largest;
  k->c_old = k->c;
  k->s_old = k->s;
  k->c = a0 / a1;
  k->s = gamma_new / a1;
  for (size_t i = 0; i < k->size; i++) {
    k->w_new[i] = (k->z[i] - a3 * k->w_old[i] - a2 * k->w[i]) / a1;
    k->x[i] += k->c * k->eta * k->w_new[i];
  }
  k->eta *= -k->s;
  k->gamma_old = k->gamma;
  k->gamma = gamma_new;
  swap_vectors(&k->v_old, &k->v, &k->v_new);
  swap_vectors(&k->w_old, &k->w, &k->w_new);
  double *keep = k->z;
  k->z = k->z_new;
  k->z_new = keep;
  k->result->iterations++;
  return check_progress(k, exhausted);
}

/* v = b - A x. */
static void true_residual(const solve *k, double *v)
{
  basin_bsr_multiply(k->matrix, k->x, v);
  for (size_t i = 0; i < k->size; i++) v[i] = k->b[i] - v[i];
}

static void run(solve *k)
{
  memcpy(k->v, k->b, k->size * sizeof *k->v);
  k->reference = precondition(k, k->v, k->z);
  if (!isfinite(k->reference)) {
    k->result->status = BASIN_LINEAR_NOT_FINITE;
    return;
  }
  if (k->reference == 0) {
    memset(k->x, 0, k->size * sizeof *k->x);
    k->result->status = BASIN_LINEAR_ALREADY_CONVERGED;
    return;
  }
  if (k->options->use_initial_guess) true_residual(k, k->v);
  k->gamma = k->eta = precondition(k, k->v, k->z);
  k->c_old = k->c = 1;
  k->first = k->best = measure(k);
  k->result->status = BASIN_LINEAR_ITERATION_LIMIT;
  if (!isfinite(k->first)) {
    k->result->status = BASIN_LINEAR_NOT_FINITE;
  } else if (k->first <= k->options->tolerance) {
    k->result->status = BASIN_LINEAR_ALREADY_CONVERGED;
  } else if (k->options->maximum_iterations > 0) {
    while (!iterate(k)) continue;
  }
}

static void run_scaled(solve *k, const double *b)
{
  basin__scale scale = basin__scale_of(k->size, b);
  basin__scale_in(&scale, k->size, b, k->b, k->x, k->options->use_initial_guess);
  run(k);
  true_residual(k, k->v_new);
  k->result->residual = sqrt(dot(k, k->v_new, k->v_new)) * scale.back;
  k->result->measure = k->reference > 0 ? measure(k) : 0;
  basin__scale_out(&scale, k->size, k->x);
}

basin_status basin_minres_solve(basin_context *context,
                                const basin_bsr *matrix,
                                const basin_preconditioner *preconditioner,
                                const double *b,
                                double *x,
                                const basin_linear_options *options,
                                basin_linear_result *result)
{
  double start = basin__seconds();
  basin_linear_options room;
  BASIN_TRY(basin__iterative_begin(context, matrix, preconditioner, &options, &room, result));
  solve k = {.context = context,
             .size = basin_bsr_size(matrix),
             .matrix = matrix,
             .m = preconditioner,
             .options = options,
             .result = result,
             .x = x};
  size_t stride = (k.size + 15) / 8 * 8, bytes = VECTORS * stride * sizeof(double);
  double *memory = basin__alloc_aligned(context, bytes);
  if (memory == NULL) return BASIN_ERROR_MEMORY;
  memset(memory, 0, bytes);
  double **vectors[VECTORS] = {
      &k.b, &k.v_old, &k.v, &k.v_new, &k.z, &k.z_new, &k.w_old, &k.w, &k.w_new};
  for (size_t i = 0; i < VECTORS; i++) *vectors[i] = memory + i * stride;
  run_scaled(&k, b);
  basin__free_aligned(context, memory, bytes);
  result->seconds = basin__seconds() - start;
  return BASIN_OK;
}
