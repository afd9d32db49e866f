/* Preconditioned conjugate gradients with deterministic sums and few passes over memory.
 * An iteration is two loops over threads. The first forms the new direction p = z + beta p,
 * multiplies q = A p and sums p . q, chunk by chunk of the matrix; every other time it also takes
 * the two steps x += alpha p that are pending by then. The second finishes q, updates
 * r -= alpha q, applies z = M^-1 r and sums r . z and r . r, part by part of the preconditioner.
 * Both begin with the same nodes on the same thread, whose cache holds their vectors.
 * SPDX-License-Identifier: Apache-2.0 */
#include <basin/linalg.h>

#include "base/base.h"
#include "bsr.h"
#include "iterative.h"
#include "large.h"
#include "preconditioner.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { PART_NODES = 1024, TRUSTED_ITERATIONS = 32 };

struct basin_pcg {
  basin_context *context;
  size_t size, sum_count;
  double *memory; /* r, z, q, p, other p, b: one after the other, each padded to cache lines */
  double *sums;   /* two a part, or one a chunk */
  const double *direction;
};

enum { VECTORS = 6 };

/* One solve. Vectors are scaled by a power of two so that the right-hand side is about 1. */
typedef struct solve {
  basin_pcg *pcg;
  const basin_bsr *matrix;
  const basin_preconditioner *m; /* or NULL */
  basin__bsr_kernel kernel;
  const basin__vector_kernels *kernels;
  const basin_linear_options *options;
  basin_linear_result *result;
  double *b, *x, *r, *z, *q, *p, *next;
  size_t part_count;
  double alpha, alpha_before; /* pending steps along p and, if not zero, next */
  double beta, rz, rr, reference;
  double best;    /* smallest measure so far */
  size_t best_at; /* iteration of that */
  size_t since_restart;
  double first; /* measure at the start */
} solve;

/* ---- vectors ---- */

static size_t vector_stride(size_t size)
{
  return (size + 8 + 7) / 8 * 8;
}

static size_t sum_count(const basin_bsr *matrix, const basin_preconditioner *m)
{
  size_t parts = (size_t)matrix->node_count / PART_NODES + 1;
  if (basin__preconditioner_has_parts(m) && m->part_count > parts) parts = m->part_count;
  return parts > matrix->plan.chunk_count ? parts : matrix->plan.chunk_count;
}

static void release(basin_pcg *pcg)
{
  basin__free_aligned(
      pcg->context, pcg->memory, VECTORS * vector_stride(pcg->size) * sizeof(double));
  basin__free(pcg->context, pcg->sums, 2 * pcg->sum_count * sizeof(double));
  pcg->memory = pcg->sums = NULL;
  pcg->size = pcg->sum_count = 0;
  pcg->direction = NULL;
}

static basin_status reserve(basin_pcg *pcg, size_t size, size_t sums)
{
  if (pcg->memory != NULL && pcg->size == size && pcg->sum_count >= sums) return BASIN_OK;
  release(pcg);
  double *memory = basin__alloc_large(pcg->context, VECTORS * vector_stride(size) * sizeof(double));
  if (memory == NULL) return BASIN_ERROR_MEMORY;
  pcg->memory = memory;
  pcg->size = size;
  pcg->sums = basin__calloc(pcg->context, 2 * sums, sizeof(double));
  if (pcg->sums == NULL) {
    release(pcg);
    return BASIN_ERROR_MEMORY;
  }
  pcg->sum_count = sums;
  return BASIN_OK;
}

basin_status basin_pcg_create(basin_context *context, basin_pcg **result)
{
  basin_pcg *pcg = *result = basin__calloc(context, 1, sizeof *pcg);
  if (pcg == NULL) return BASIN_ERROR_MEMORY;
  pcg->context = context;
  return BASIN_OK;
}

void basin_pcg_destroy(basin_pcg *pcg)
{
  if (pcg == NULL) return;
  release(pcg);
  basin__free(pcg->context, pcg, sizeof *pcg);
}

const double *basin_pcg_direction(const basin_pcg *pcg)
{
  return pcg->direction;
}

/* ---- the two loops ---- */

static void multiply_task(void *user, size_t chunk, unsigned worker)
{
  solve *s = user;
  basin__bsr_input input = {s->p,
                            s->z,
                            s->alpha,
                            s->alpha_before,
                            s->beta,
                            s->next,
                            s->alpha_before != 0 ? s->x : NULL,
                            true};
  s->pcg->sums[chunk] = s->kernel(s->matrix, chunk, worker, &input, s->q);
}

static void part_nodes(const solve *s, size_t part, uint32_t *first, uint32_t *last)
{
  if (basin__preconditioner_has_parts(s->m)) {
    *first = s->m->instance_starts[s->m->part_starts[part]];
    *last = s->m->instance_starts[s->m->part_starts[part + 1]];
  } else {
    *first = (uint32_t)(part * PART_NODES);
    *last =
        s->matrix->node_count - *first < PART_NODES ? s->matrix->node_count : *first + PART_NODES;
  }
}

/* z = M^-1 r and r . z where that goes part by part, or z = r. `rr` is r . r of the part. */
static void precondition_part(solve *s, size_t part, double rr)
{
  double *sums = s->pcg->sums + 2 * part;
  bool parts = basin__preconditioner_has_parts(s->m);
  sums[0] = parts ? basin__preconditioner_apply_part(s->m, part, s->r, s->z) : rr;
  sums[1] = rr;
}

static void update_task(void *user, size_t part, unsigned worker)
{
  solve *s = user;
  uint32_t first, last;
  (void)worker;
  part_nodes(s, part, &first, &last);
  basin__bsr_reduce(s->matrix, first, last, s->q);
  size_t begin = (size_t)first * s->matrix->block_size,
         count = (size_t)(last - first) * s->matrix->block_size;
  precondition_part(
      s, part, s->kernels->update_residual(count, s->alpha, s->q + begin, s->r + begin));
}

static void precondition_task(void *user, size_t part, unsigned worker)
{
  solve *s = user;
  uint32_t first, last;
  (void)worker;
  part_nodes(s, part, &first, &last);
  const double *r = s->r + (size_t)first * s->matrix->block_size;
  precondition_part(s, part, s->kernels->dot((size_t)(last - first) * s->matrix->block_size, r, r));
}

static void dot_task(void *user, size_t part, unsigned worker)
{
  solve *s = user;
  uint32_t first, last;
  (void)worker;
  part_nodes(s, part, &first, &last);
  size_t begin = (size_t)first * s->matrix->block_size,
         count = (size_t)(last - first) * s->matrix->block_size;
  s->pcg->sums[2 * part] = s->kernels->dot(count, s->r + begin, s->z + begin);
}

/* The sums of all parts, after z where that is found for all at once. */
static void collect_residual(solve *s)
{
  if (s->m != NULL && !basin__preconditioner_has_parts(s->m)) {
    basin_preconditioner_apply(s->m, s->r, s->z);
    basin__parallel_work(s->pcg->context, s->part_count, 2.0 * (double)s->pcg->size, dot_task, s);
  }
  s->rz = s->rr = 0;
  for (size_t part = 0; part < s->part_count; part++) {
    s->rz += s->pcg->sums[2 * part];
    s->rr += s->pcg->sums[2 * part + 1];
  }
}

/* Scalar operations of what is done with vectors and preconditioner in an iteration. */
static double part_work(const solve *s)
{
  bool parts = basin__preconditioner_has_parts(s->m);
  return 8.0 * (double)s->pcg->size + (parts ? basin__preconditioner_work(s->m) : 0);
}

static void precondition(solve *s)
{
  basin__parallel_work(s->pcg->context, s->part_count, part_work(s), precondition_task, s);
  collect_residual(s);
}

/* Takes the steps that are still pending. */
static void flush_steps(solve *s)
{
  if (s->alpha_before != 0) {
    for (size_t i = 0; i < s->pcg->size; i++) s->x[i] += s->alpha_before * s->next[i];
  }
  if (s->alpha != 0) {
    for (size_t i = 0; i < s->pcg->size; i++) s->x[i] += s->alpha * s->p[i];
  }
  s->alpha = s->alpha_before = 0;
}

/* r = b - A x, z = M^-1 r, and forgets the direction. Uses q. */
static void restart(solve *s)
{
  flush_steps(s);
  basin_bsr_multiply(s->matrix, s->x, s->q);
  for (size_t i = 0; i < s->pcg->size; i++) s->r[i] = s->b[i] - s->q[i];
  precondition(s);
  memset(s->p, 0, s->pcg->size * sizeof *s->p);
  s->beta = 0;
  s->since_restart = 0;
}

/* ---- decisions ---- */

static double measure(const solve *s)
{
  return s->options->stop == BASIN_STOP_PRECONDITIONED ? s->rz / s->reference
                                                       : sqrt(s->rr) / s->reference;
}

static bool finish(solve *s, basin_linear_status status)
{
  s->result->status = status;
  return true;
}

static bool try_restart(solve *s)
{
  if (s->result->restarts >= s->options->maximum_restarts) return false;
  s->result->restarts++;
  restart(s);
  return true;
}

/* p . q is not positive. True if the solve ends. */
static bool handle_curvature(solve *s, double curvature)
{
  if (isnan(curvature)) return finish(s, BASIN_LINEAR_NOT_FINITE);
  basin__bsr_reduce(s->matrix, 0, s->matrix->node_count, s->q);
  double pp = s->kernels->dot(s->pcg->size, s->next, s->next);
  double qq = s->kernels->dot(s->pcg->size, s->q, s->q);
  s->result->curvature = curvature / pp;
  bool rounding = fabs(curvature) <= 64 * DBL_EPSILON * sqrt(pp) * sqrt(qq);
  if (rounding && s->since_restart > 0 && try_restart(s)) return false;
  return finish(s, BASIN_LINEAR_INDEFINITE);
}

/* The updated residual drifts from the true one by rounding errors: it is believed after few
 * iterations that lost no more than half the digits. */
static bool trusted(const solve *s)
{
  double least = s->options->stop == BASIN_STOP_PRECONDITIONED ? DBL_EPSILON : sqrt(DBL_EPSILON);
  return s->since_restart < TRUSTED_ITERATIONS && s->result->restarts == 0 &&
         s->options->tolerance >= least;
}

/* The updated residual has converged: has the true one? True if the solve ends. */
static bool verify(solve *s)
{
  restart(s);
  if (measure(s) <= s->options->tolerance) return finish(s, BASIN_LINEAR_CONVERGED);
  if (s->result->restarts >= s->options->maximum_restarts) return finish(s, BASIN_LINEAR_STAGNATED);
  s->result->restarts++;
  s->best = measure(s);
  s->best_at = s->result->iterations;
  return false;
}

/* After an iteration. True if the solve ends. */
static bool check_progress(solve *s)
{
  double now = measure(s);
  size_t iteration = s->result->iterations;
  if (!isfinite(now) || now < 0) return finish(s, BASIN_LINEAR_NOT_FINITE);
  if (now <= s->options->tolerance) {
    if (trusted(s)) return finish(s, BASIN_LINEAR_CONVERGED);
    if (verify(s)) return true;
    now = measure(s);
  }
  if (now > s->options->divergence * s->first) return finish(s, BASIN_LINEAR_DIVERGED);
  if (now < 0.99 * s->best) {
    s->best = now;
    s->best_at = iteration;
  } else if (iteration - s->best_at >= s->options->stagnation_window) {
    return finish(s, BASIN_LINEAR_STAGNATED);
  }
  if (iteration >= s->options->maximum_iterations) return finish(s, BASIN_LINEAR_ITERATION_LIMIT);
  if (basin__interrupted(s->pcg->context)) return finish(s, BASIN_LINEAR_INTERRUPTED);
  return false;
}

/* One iteration. True if the solve ends. */
static bool iterate(solve *s)
{
  basin_context *context = s->pcg->context;
  basin__parallel_work(
      context, s->matrix->plan.chunk_count, basin__bsr_work(s->matrix), multiply_task, s);
  double curvature = 0;
  for (size_t chunk = 0; chunk < s->matrix->plan.chunk_count; chunk++)
    curvature += s->pcg->sums[chunk];
  if (s->alpha_before != 0) s->alpha = s->alpha_before = 0; /* both were taken */
  s->pcg->direction = s->next;
  if (!(curvature > 0)) return handle_curvature(s, curvature);
  if (isinf(curvature)) return finish(s, BASIN_LINEAR_NOT_FINITE);
  double before = s->rz, *keep = s->p;
  s->alpha_before = s->alpha;
  s->alpha = s->rz / curvature;
  basin__parallel_work(context, s->part_count, part_work(s), update_task, s);
  collect_residual(s);
  s->p = s->next;
  s->next = keep;
  s->beta = s->rz / before;
  s->result->iterations++;
  s->since_restart++;
  return check_progress(s);
}

/* ---- set-up ---- */

static void place_vectors(solve *s)
{
  size_t stride = vector_stride(s->pcg->size);
  double **vectors[VECTORS] = {&s->r, &s->z, &s->q, &s->p, &s->next, &s->b};
  for (size_t i = 0; i < VECTORS; i++) *vectors[i] = s->pcg->memory + i * stride;
  if (s->m == NULL) s->z = s->r;
}

/* Right side of the stopping rule without its tolerance. */
static void find_reference(solve *s)
{
  memcpy(s->r, s->b, s->pcg->size * sizeof *s->r);
  precondition(s);
  s->reference = s->options->stop == BASIN_STOP_PRECONDITIONED ? s->rz : sqrt(s->rr);
  memset(s->p, 0, s->pcg->size * sizeof *s->p);
}

static void run(solve *s)
{
  s->result->status = BASIN_LINEAR_ITERATION_LIMIT;
  find_reference(s);
  if (!isfinite(s->reference) || s->reference < 0) {
    s->result->status = BASIN_LINEAR_NOT_FINITE;
    return;
  }
  if (s->reference == 0) { /* b = 0 */
    memset(s->x, 0, s->pcg->size * sizeof *s->x);
    s->rr = 0;
    s->result->status = BASIN_LINEAR_ALREADY_CONVERGED;
    return;
  }
  if (s->options->use_initial_guess) restart(s);
  s->first = s->best = measure(s);
  if (!isfinite(s->first)) {
    s->result->status = BASIN_LINEAR_NOT_FINITE;
  } else if (s->first <= s->options->tolerance) {
    s->result->status = BASIN_LINEAR_ALREADY_CONVERGED;
  } else if (s->options->maximum_iterations > 0) {
    while (!iterate(s)) continue;
    flush_steps(s);
  }
}

basin_status basin_pcg_solve(basin_pcg *pcg,
                             const basin_bsr *matrix,
                             const basin_preconditioner *preconditioner,
                             const double *b,
                             double *x,
                             const basin_linear_options *options,
                             basin_linear_result *result)
{
  double start = basin__seconds();
  basin_linear_options room;
  BASIN_TRY(basin__iterative_begin(pcg->context, matrix, preconditioner, &options, &room, result));
  BASIN_TRY(reserve(pcg, basin_bsr_size(matrix), sum_count(matrix, preconditioner)));
  size_t size = pcg->size;
  solve s = {.pcg = pcg,
             .matrix = matrix,
             .m = preconditioner,
             .options = options,
             .result = result,
             .x = x};
  s.kernel = basin__bsr_kernel_select(matrix->block_size);
  s.kernels = basin__vector_kernels_select();
  s.part_count = basin__preconditioner_has_parts(preconditioner)
                     ? preconditioner->part_count
                     : ((size_t)matrix->node_count + PART_NODES - 1) / PART_NODES;
  place_vectors(&s);
  basin__scale scale = basin__scale_of(size, b);
  basin__scale_in(&scale, size, b, s.b, x, options->use_initial_guess);
  run(&s);
  basin__scale_out(&scale, size, x);
  result->measure = s.reference > 0 ? measure(&s) : 0;
  result->residual = sqrt(s.rr) * scale.back;
  result->seconds = basin__seconds() - start;
  return BASIN_OK;
}
