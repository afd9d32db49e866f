/* Conjugate gradients: an iteration is three or more kernels without a word from the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "krylov.cuh"
#include "pcg_job.cuh"

static __device__ __forceinline__ size entries(const pcg_job *job)
{
  return (size)job->matrix.node_count * BLOCK;
}

/* ---- decisions, by one thread ---- */

static __device__ double measure(const pcg_state *s)
{
  return s->residual_rule ? sqrt(s->rr) / s->reference : s->rz / s->reference;
}

static __device__ word progress(pcg_state *s, double now)
{
  if (now > s->divergence * s->first) return KRYLOV_DIVERGED;
  if (now < 0.99 * s->best) {
    s->best = now;
    s->best_at = s->iterations;
  } else if (s->iterations - s->best_at >= s->stagnation_window) {
    return KRYLOV_STAGNATED;
  }
  return s->iterations >= s->maximum_iterations ? KRYLOV_ITERATION_LIMIT : KRYLOV_RUNNING;
}

static __device__ word start(pcg_state *s)
{
  double now = s->first = s->best = measure(s);
  if (!is_finite(now)) return KRYLOV_NOT_FINITE;
  if (now <= s->tolerance) return KRYLOV_ALREADY_CONVERGED;
  return s->maximum_iterations == 0 ? KRYLOV_ITERATION_LIMIT : KRYLOV_RUNNING;
}

static __device__ word set_reference(pcg_state *s)
{
  s->reference = s->residual_rule ? sqrt(s->rr) : s->rz;
  if (!is_finite(s->reference) || s->reference < 0) return KRYLOV_NOT_FINITE;
  if (s->reference == 0) { /* b = 0 */
    s->rr = 0;
    return KRYLOV_ALREADY_CONVERGED;
  }
  return s->initial_guess ? KRYLOV_RUNNING : start(s);
}

static __device__ word after_iteration(pcg_state *s, double before)
{
  s->beta = s->rz / before;
  s->iterations++;
  s->since_restart++;
  double now = measure(s);
  if (!is_finite(now) || now < 0) return KRYLOV_NOT_FINITE;
  if (now > s->tolerance) return progress(s, now);
  bool trusted = s->trusting && s->since_restart < 32 && s->restarts == 0;
  return trusted ? KRYLOV_CONVERGED : PCG_VERIFY;
}

static __device__ word after_check(pcg_state *s)
{
  double now = measure(s);
  if (now <= s->tolerance) return KRYLOV_CONVERGED;
  if (s->restarts >= s->maximum_restarts) return KRYLOV_STAGNATED;
  s->restarts++;
  s->best = now;
  s->best_at = s->iterations;
  return progress(s, now);
}

static __device__ void decide(pcg_state *s, word stage, double rz, double rr)
{
  double before = s->rz;
  s->rz = s->preconditioned ? rz : rr;
  s->rr = rr;
  if (stage != PCG_ITERATION) {
    s->beta = 0;
    s->since_restart = 0;
  }
  switch (stage) {
  case PCG_REFERENCE:
    s->stop = set_reference(s);
    break;
  case PCG_START:
    s->stop = start(s);
    break;
  case PCG_ITERATION:
    s->stop = after_iteration(s, before);
    break;
  case PCG_CHECK:
    s->stop = after_check(s);
    break;
  default:
    s->stop = KRYLOV_RUNNING;
  }
}

/* Every thread's share of r . z and r . r; the last block decides. */
static __device__ void add_up(pcg_job *job, word stage, double rz, double rr)
{
  __shared__ double room[32];
  const size used = gridDim.x == 1 ? entries(job) : THREADS; /* threads that have a share */
  rz = block_sum_of(rz, room, used);
  __syncthreads();
  rr = block_sum_of(rr, room, used);
  if (threadIdx.x == 0) {
    job->partial[2 * blockIdx.x] = rz;
    job->partial[2 * blockIdx.x + 1] = rr;
  }
  if (!last_block(&job->state.ticket)) return;
  rz = sum_partial(job->partial, 2, room);
  rr = sum_partial(job->partial + 1, 2, room);
  if (threadIdx.x == 0) decide(&job->state, stage, rz, rr);
}

/* ---- start, restart and end ---- */

/* state.largest is known. */
extern "C" __global__ void __launch_bounds__(THREADS)
    pcg_load(pcg_job *job, const double *b, double *x)
{
  int exponent = scale_exponent(job->state.largest);
  double scale = ldexp(1.0, -exponent);
  bool guess = job->state.initial_guess != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) job->state.back = ldexp(1.0, exponent);
  FOR_ENTRIES(i, entries(job))
  {
    double scaled = b[i] * scale;
    job->b[i] = scaled;
    job->r[i] = (NUMBER)scaled;
    job->p[i] = 0;
    x[i] = guess ? x[i] * scale : 0;
  }
}

/* r = b - product, and the direction is forgotten. */
extern "C" __global__ void __launch_bounds__(THREADS)
    pcg_residual(pcg_job *job, const double *product)
{
  FOR_ENTRIES(i, entries(job))
  {
    job->r[i] = (NUMBER)(job->b[i] - product[i]);
    job->p[i] = 0;
  }
}

/* x back to the scale of b; zero where b is. */
extern "C" __global__ void __launch_bounds__(THREADS) pcg_unload(pcg_job *job)
{
  double back = job->state.reference == 0 ? 0.0 : job->state.back;
  FOR_ENTRIES(i, entries(job)) job->x[i] = back == 0 ? 0.0 : job->x[i] * back;
}

/* ---- what stands between iterations and at their end ---- */

/* z is known, or is r. */
extern "C" __global__ void __launch_bounds__(THREADS) pcg_sums(pcg_job *job, word stage)
{
  if ((stage == PCG_ITERATION || stage == PCG_START) && job->state.stop) return;
  double rz = 0, rr = 0;
  FOR_ENTRIES(i, entries(job))
  {
    double r = job->r[i];
    rz += r * (double)job->z[i];
    rr += r * r;
  }
  add_up(job, stage, rz, rr);
}

/* p . p and q . q: is a curvature that is not positive more than rounding? */
extern "C" __global__ void __launch_bounds__(THREADS) pcg_squares(pcg_job *job, double epsilon)
{
  __shared__ double room[32];
  double pp = 0, qq = 0;
  FOR_ENTRIES(i, entries(job))
  {
    double p = job->p[i], q = job->q[i];
    pp += p * p;
    qq += q * q;
  }
  const size used = gridDim.x == 1 ? entries(job) : THREADS;
  pp = block_sum_of(pp, room, used);
  __syncthreads();
  qq = block_sum_of(qq, room, used);
  if (threadIdx.x == 0) {
    job->partial[2 * blockIdx.x] = pp;
    job->partial[2 * blockIdx.x + 1] = qq;
  }
  if (!last_block(&job->state.ticket)) return;
  pp = sum_partial(job->partial, 2, room);
  qq = sum_partial(job->partial + 1, 2, room);
  if (threadIdx.x != 0) return;
  pcg_state *s = &job->state;
  bool rounding = fabs(s->curvature) <= 64 * epsilon * sqrt(pp) * sqrt(qq);
  bool again = rounding && s->since_restart > 0 && s->restarts < s->maximum_restarts;
  s->curvature /= pp;
  if (again) s->restarts++;
  s->stop = again ? PCG_RESTART : KRYLOV_INDEFINITE;
}

/* ---- an iteration ---- */

extern "C" __global__ void __launch_bounds__(THREADS) pcg_direction(pcg_job *job)
{
  if (job->state.stop) return;
  double beta = job->state.beta;
  const NUMBER *__restrict__ z = job->z;
  NUMBER *__restrict__ p = job->p;
  FOR_ENTRIES(i, entries(job)) p[i] = (NUMBER)((double)z[i] + beta * (double)p[i]);
}

extern "C" __global__ void MULTIPLY_BOUNDS pcg_multiply(pcg_job *job)
{
  __shared__ double room[32];
  if (job->state.stop) return;
  double curvature = block_sum(multiply_rows(matrix_of(job), job->p, job->q), room);
  if (threadIdx.x == 0) job->partial[blockIdx.x] = curvature;
  if (!last_block(&job->state.ticket)) return;
  curvature = sum_partial(job->partial, 1, room);
  if (threadIdx.x != 0) return;
  pcg_state *s = &job->state;
  s->curvature = curvature;
  if (curvature > 0 && is_finite(curvature)) {
    s->alpha = s->rz / curvature;
  } else {
    s->stop = curvature <= 0 ? PCG_CURVATURE : KRYLOV_NOT_FINITE;
  }
}

/* x += alpha p, r -= alpha q. With SUMS, where z is r, also r . r. */
static __device__ __forceinline__ double update_entry(pcg_job *job, size i, double alpha)
{
  job->x[i] += alpha * (double)job->p[i];
  double r = (double)job->r[i] - alpha * (double)job->q[i];
  NUMBER stored = (NUMBER)r;
  job->r[i] = stored;
  return stored;
}

extern "C" __global__ void __launch_bounds__(THREADS) pcg_update(pcg_job *job)
{
  if (job->state.stop) return;
  double alpha = job->state.alpha;
  FOR_ENTRIES(i, entries(job)) update_entry(job, i, alpha);
}

/* Without a preconditioner. */
extern "C" __global__ void __launch_bounds__(THREADS) pcg_update_plain(pcg_job *job)
{
  if (job->state.stop) return;
  double alpha = job->state.alpha, rr = 0;
  FOR_ENTRIES(i, entries(job))
  {
    double r = update_entry(job, i, alpha);
    rr += r * r;
  }
  add_up(job, PCG_ITERATION, rr, rr);
}

/* With block Jacobi on single nodes: z, too. */
extern "C" __global__ void __launch_bounds__(THREADS) pcg_update_nodes(pcg_job *job)
{
  __shared__ double residual[THREADS];
  if (job->state.stop) return;
  const NUMBER *__restrict__ inverses = job->inverses;
  double alpha = job->state.alpha, rz = 0, rr = 0;
  word node_in_step = threadIdx.x / BLOCK, k = threadIdx.x % BLOCK;
  for (size first = (size)blockIdx.x * STEP_NODES; first < job->matrix.node_count;
       first += (size)gridDim.x * STEP_NODES) {
    size node = first + node_in_step;
    bool here = node_in_step < STEP_NODES && node < job->matrix.node_count;
    double r = 0;
    if (here) r = update_entry(job, node * BLOCK + k, alpha);
    __syncthreads();
    residual[threadIdx.x] = r;
    __syncthreads();
    if (!here) continue;
    NUMBER stored =
        (NUMBER)inverse_row(inverses + node * ENTRIES, k, residual + node_in_step * BLOCK);
    job->z[node * BLOCK + k] = stored;
    rz += r * (double)stored;
    rr += r * r;
  }
  __syncthreads();
  add_up(job, PCG_ITERATION, rz, rr);
}
