/* MINRES: an iteration is three or more kernels without a word from the host. The recurrences are
 * those of the CPU's minres.c. SPDX-License-Identifier: Apache-2.0 */
#include "krylov.cuh"
#include "minres_job.cuh"

#define ROUNDING (64 * 2.220446049250313e-16) /* of the largest entry: as good as zero */

static __device__ __forceinline__ size entries(const minres_job *job)
{
  return (size)job->matrix.node_count * BLOCK;
}

/* ---- decisions, by one thread ---- */

static __device__ double measure(const minres_state *s)
{
  double ratio = fabs(s->eta) / s->reference;
  return s->squared ? ratio * ratio : ratio;
}

static __device__ word start(minres_state *s, double norm)
{
  s->gamma = s->eta = norm;
  s->c_old = s->c = 1;
  double now = s->best = measure(s);
  if (!is_finite(now)) return KRYLOV_NOT_FINITE;
  if (now <= s->tolerance) return KRYLOV_ALREADY_CONVERGED;
  return s->maximum_iterations == 0 ? KRYLOV_ITERATION_LIMIT : KRYLOV_RUNNING;
}

static __device__ word set_reference(minres_state *s, double norm)
{
  s->reference = norm;
  if (!is_finite(norm)) return KRYLOV_NOT_FINITE;
  if (norm == 0) return KRYLOV_ALREADY_CONVERGED; /* b = 0 */
  return s->initial_guess ? KRYLOV_RUNNING : start(s, norm);
}

static __device__ word progress(minres_state *s, bool exhausted)
{
  double now = measure(s);
  if (!is_finite(now)) return KRYLOV_NOT_FINITE;
  if (now <= s->tolerance) return KRYLOV_CONVERGED;
  if (exhausted) return KRYLOV_SINGULAR;
  if (now < 0.99 * s->best) {
    s->best = now;
    s->best_at = s->iterations;
  } else if (s->iterations - s->best_at >= s->stagnation_window) {
    return KRYLOV_STAGNATED;
  }
  return s->iterations >= s->maximum_iterations ? KRYLOV_ITERATION_LIMIT : KRYLOV_RUNNING;
}

/* The next rotation; x and w follow it, then `next` counts. */
static __device__ void rotate(minres_state *s, double gamma)
{
  double a0 = s->c * s->delta - s->c_old * s->s * s->gamma;
  s->a1 = hypot(a0, gamma);
  s->a2 = s->s * s->delta + s->c_old * s->c * s->gamma;
  s->a3 = s->s_old * s->gamma;
  s->spectrum = fmax(s->spectrum, fmax(fabs(s->delta), gamma));
  if (s->a1 <= ROUNDING * s->spectrum) {
    s->stop = KRYLOV_SINGULAR;
    return;
  }
  s->c_old = s->c;
  s->s_old = s->s;
  s->c = a0 / s->a1;
  s->s = gamma / s->a1;
  s->step = s->c * s->eta;
  s->eta *= -s->s;
  s->gamma_old = s->gamma;
  s->gamma = gamma;
  s->iterations++;
  /* The space is used up: what is left of the residual is out of reach. */
  s->next = progress(s, gamma <= ROUNDING * s->spectrum);
}

static __device__ void decide(minres_state *s, word stage, double square)
{
  double norm = sqrt(square); /* NaN where M^-1 is not definite */
  if (stage == MINRES_REFERENCE) {
    s->stop = set_reference(s, norm);
  } else if (stage == MINRES_START) {
    s->stop = start(s, norm);
  } else if (norm != norm) {
    s->stop = KRYLOV_NOT_FINITE;
  } else {
    rotate(s, norm);
  }
}

/* The sum of all threads' shares, in thread 0 of the last block; true there. */
static __device__ __forceinline__ bool total(minres_job *job, double share, double *sum)
{
  __shared__ double room[32];
  share = block_sum(share, room);
  if (threadIdx.x == 0) job->partial[blockIdx.x] = share;
  if (!last_block(&job->state.ticket)) return false;
  *sum = sum_partial(job->partial, 1, room);
  return threadIdx.x == 0;
}

static __device__ __forceinline__ void add_up(minres_job *job, word stage, double share)
{
  double sum;
  if (total(job, share, &sum)) decide(&job->state, stage, sum);
}

/* ---- start and end ---- */

/* state.largest is known. */
extern "C" __global__ void __launch_bounds__(THREADS)
    minres_load(minres_job *job, const double *b, double *x)
{
  int exponent = scale_exponent(job->state.largest);
  double scale = ldexp(1.0, -exponent);
  bool guess = job->state.initial_guess != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) job->state.back = ldexp(1.0, exponent);
  FOR_ENTRIES(i, entries(job))
  {
    double scaled = b[i] * scale;
    job->b[i] = job->q[i] = job->v[0][i] = scaled;
    job->v[1][i] = job->w[0][i] = job->w[1][i] = 0;
    x[i] = guess ? x[i] * scale : 0;
  }
}

/* q = v = b - A x, where q is A x, and its square. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_residual(minres_job *job)
{
  double rr = 0, sum;
  FOR_ENTRIES(i, entries(job))
  {
    double r = job->b[i] - job->q[i];
    job->q[i] = job->v[0][i] = r;
    rr += r * r;
  }
  if (total(job, rr, &sum)) job->state.residual = sum;
}

/* y is known, or is q. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_sums(minres_job *job, word stage)
{
  if (stage != MINRES_REFERENCE && job->state.stop) return;
  double square = 0;
  FOR_ENTRIES(i, entries(job)) square += job->q[i] * job->y[i];
  add_up(job, stage, square);
}

extern "C" __global__ void __launch_bounds__(THREADS) minres_first(minres_job *job)
{
  if (job->state.stop) return;
  double gamma = job->state.gamma;
  FOR_ENTRIES(i, entries(job)) job->z[i] = job->y[i] / gamma;
}

/* x back to the scale of b; zero where b is. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_unload(minres_job *job)
{
  bool none = job->state.reference == 0;
  double back = job->state.back;
  FOR_ENTRIES(i, entries(job)) job->x[i] = none ? 0.0 : job->x[i] * back;
}

/* ---- an iteration ---- */

/* q = A z and z . q. */
extern "C" __global__ void MULTIPLY_BOUNDS minres_multiply(minres_job *job)
{
  double delta;
  if (job->state.stop) return;
  if (!total(job, multiply_rows(matrix_of(job), job->z, job->q), &delta)) return;
  minres_state *s = &job->state;
  s->delta = delta;
  s->of_v = delta / s->gamma;
  s->of_v_old = s->gamma_old > 0 ? s->gamma / s->gamma_old : 0;
  if (!is_finite(delta)) s->stop = KRYLOV_NOT_FINITE;
}

/* What a kernel reads from the state before its last block changes it. */
typedef struct lanczos {
  const double *v;
  double *old, of_v, of_v_old;
} lanczos;

static __device__ __forceinline__ lanczos lanczos_of(const minres_job *job)
{
  bool odd = job->state.iterations % 2 != 0;
  lanczos l = {job->v[odd ? 1 : 0], job->v[odd ? 0 : 1], job->state.of_v, job->state.of_v_old};
  return l;
}

/* The next Lanczos vector, not yet of norm 1. */
static __device__ __forceinline__ double next_entry(minres_job *job, const lanczos *l, size i)
{
  double next = job->q[i] - (l->of_v * l->v[i] + l->of_v_old * l->old[i]);
  l->old[i] = next;
  return next;
}

extern "C" __global__ void __launch_bounds__(THREADS) minres_lanczos(minres_job *job)
{
  if (job->state.stop) return;
  lanczos l = lanczos_of(job);
  FOR_ENTRIES(i, entries(job)) job->q[i] = next_entry(job, &l, i);
}

/* Without a preconditioner. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_lanczos_plain(minres_job *job)
{
  if (job->state.stop) return;
  lanczos l = lanczos_of(job);
  double square = 0;
  FOR_ENTRIES(i, entries(job))
  {
    double next = job->q[i] = next_entry(job, &l, i);
    square += next * next;
  }
  add_up(job, MINRES_ITERATION, square);
}

/* With block Jacobi on single nodes: y, too. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_lanczos_nodes(minres_job *job)
{
  __shared__ double vector[THREADS];
  if (job->state.stop) return;
  lanczos l = lanczos_of(job);
  double square = 0;
  word node_in_step = threadIdx.x / BLOCK, k = threadIdx.x % BLOCK;
  for (size first = (size)blockIdx.x * STEP_NODES; first < job->matrix.node_count;
       first += (size)gridDim.x * STEP_NODES) {
    size node = first + node_in_step;
    bool here = node_in_step < STEP_NODES && node < job->matrix.node_count;
    double next = here ? next_entry(job, &l, node * BLOCK + k) : 0;
    __syncthreads();
    vector[threadIdx.x] = next;
    __syncthreads();
    if (!here) continue;
    double y = inverse_row(job->inverses + node * ENTRIES, k, vector + node_in_step * BLOCK);
    job->y[node * BLOCK + k] = y;
    square += next * y;
  }
  __syncthreads();
  add_up(job, MINRES_ITERATION, square);
}

/* The search direction, the step along it, and the next z. */
extern "C" __global__ void __launch_bounds__(THREADS) minres_update(minres_job *job)
{
  if (job->state.stop) return;
  minres_state *s = &job->state;
  double a1 = s->a1, a2 = s->a2, a3 = s->a3, step_length = s->step, gamma = s->gamma;
  bool odd = s->iterations % 2 != 0; /* of the iteration that this one ends, plus one */
  double *w = odd ? job->w[0] : job->w[1], *old = odd ? job->w[1] : job->w[0];
  FOR_ENTRIES(i, entries(job))
  {
    double next = (job->z[i] - a3 * old[i] - a2 * w[i]) / a1;
    old[i] = next;
    job->x[i] += step_length * next;
    if (gamma > 0) job->z[i] = job->y[i] / gamma;
  }
  if (last_block(&s->ticket) && threadIdx.x == 0) s->stop = s->next;
}
