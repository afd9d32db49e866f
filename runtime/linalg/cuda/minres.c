/* MINRES on a CUDA device: vectors, graphs, and what comes back to the host. The kernels, and with
 * them the rules, are in minres.cu. SPDX-License-Identifier: Apache-2.0 */
#include "krylov.h"

#include "base/base.h"
#include "minres_job.cuh"
#include <math.h>
#include <stddef.h>

enum { VECTORS = 8 };

/* What the launches of an iteration depend on, beyond the job's address. */
typedef struct shape {
  uint32_t node_count;
  unsigned block;
  uint64_t m; /* signature of the preconditioner; 0 = none */
} shape;

struct basin_cuda_minres {
  basin_cuda *cuda;
  shape shape;
  basin_buffer job, vectors;
  basin__krylov_graphs graphs;
  basin_cuda_scratch scratch;
};

/* One solve. */
typedef struct solve {
  basin_cuda_minres *minres;
  basin_cuda *cuda;
  const basin_cuda_matrix *matrix;
  basin_cuda_preconditioner *m;
  basin__cuda_definitions definitions;
  unsigned blocks; /* of vector kernels */
  size_t size;
  minres_job job;
  minres_state state; /* as last seen */
} solve;

/* ---- creation ---- */

basin_status basin__cuda_minres_create(basin_cuda *cuda, basin_cuda_minres **result)
{
  basin_cuda_minres *minres = *result = basin__calloc(basin__cuda_context(cuda), 1, sizeof *minres);
  if (minres == NULL) return BASIN_ERROR_MEMORY;
  minres->cuda = cuda;
  return BASIN_OK;
}

void basin__cuda_minres_destroy(basin_cuda_minres *minres)
{
  if (minres == NULL) return;
  basin__krylov_forget(minres->cuda, &minres->graphs);
  basin__buffer_release(minres->cuda, &minres->job);
  basin__buffer_release(minres->cuda, &minres->vectors);
  basin__buffer_release(minres->cuda, &minres->scratch.memory);
  basin__free(basin__cuda_context(minres->cuda), minres, sizeof *minres);
}

/* ---- the job ---- */

static basin_status reserve_vectors(solve *s, basin_address x)
{
  basin_cuda_minres *minres = s->minres;
  minres_job *job = &s->job;
  size_t bytes = (s->size * sizeof(double) + 255) / 256 * 256;
  BASIN_TRY(basin__buffer_reserve(
      s->cuda, &minres->vectors, VECTORS * bytes + BASIN__KRYLOV_SHARES * sizeof(double)));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &minres->job, sizeof(minres_job)));
  basin_address place = minres->vectors.address;
  basin_address *vectors[VECTORS] = {
      &job->v[0], &job->v[1], &job->w[0], &job->w[1], &job->z, &job->q, &job->y, &job->b};
  for (size_t i = 0; i < VECTORS; i++) *vectors[i] = place + i * bytes;
  if (s->m == NULL) job->y = job->q;
  job->x = x;
  job->partial = place + VECTORS * bytes;
  return BASIN_OK;
}

static basin_status place_preconditioner(solve *s)
{
  if (s->m == NULL) return BASIN_OK;
  BASIN_TRY(basin__cuda_preconditioner_prepare(s->m, false));
  if (basin__krylov_fused(s->m)) s->job.inverses = s->m->inverses.address;
  return BASIN_OK;
}

/* Graphs hold the shape's launches and addresses. */
static basin_status take_shape(solve *s, basin_address x)
{
  basin_cuda_minres *minres = s->minres;
  const basin_cuda_bsr *first = &s->matrix->parts[0];
  shape before = minres->shape, *now = &minres->shape;
  basin_address job = minres->job.address, vectors = minres->vectors.address;
  *now = (shape){.node_count = first->node_count, .block = first->block};
  basin_status status = place_preconditioner(s);
  if (status == BASIN_OK && s->m != NULL)
    now->m = basin__cuda_preconditioner_signature(s->m, false);
  if (status == BASIN_OK) status = reserve_vectors(s, x);
  bool same = now->node_count == before.node_count && now->block == before.block &&
              now->m == before.m && job == minres->job.address &&
              vectors == minres->vectors.address;
  if (status != BASIN_OK || !same) basin__krylov_forget(minres->cuda, &minres->graphs);
  return status;
}

/* ---- launches ---- */

static basin_status run(solve *s, const char *entry, unsigned blocks)
{
  void *parameters[] = {&s->minres->job.address};
  return basin__cuda_run(s->cuda, "minres.cu", entry, s->definitions.text, blocks, parameters);
}

static basin_address state_address(const solve *s)
{
  return s->minres->job.address + offsetof(minres_job, state);
}

/* y = M^-1 q. */
static basin_status apply(solve *s, basin_address stop)
{
  if (s->m == NULL) return BASIN_OK;
  return basin__cuda_preconditioner_launch(s->m, false, s->job.q, s->job.y, stop);
}

static basin_status sums(solve *s, uint32_t stage)
{
  void *parameters[] = {&s->minres->job.address, &stage};
  return basin__cuda_run(
      s->cuda, "minres.cu", "minres_sums", s->definitions.text, s->blocks, parameters);
}

static basin_status residual(solve *s)
{
  BASIN_TRY(basin__cuda_multiply(s->cuda, s->matrix, s->job.x, s->job.q));
  return run(s, "minres_residual", s->blocks);
}

/* Everything up to the first iteration, without a question. */
static basin_status start(solve *s, basin_address b)
{
  basin_address job = s->minres->job.address;
  void *load[] = {&job, &b, &s->job.x};
  BASIN_TRY(basin__cuda_upload(s->cuda, job, &s->job, sizeof s->job));
  BASIN_TRY(basin__cuda_largest(s->cuda,
                                &s->minres->scratch,
                                b,
                                s->size,
                                state_address(s) + offsetof(minres_state, largest)));
  BASIN_TRY(
      basin__cuda_run(s->cuda, "minres.cu", "minres_load", s->definitions.text, s->blocks, load));
  BASIN_TRY(apply(s, 0));
  BASIN_TRY(sums(s, MINRES_REFERENCE));
  if (s->job.state.initial_guess) {
    BASIN_TRY(residual(s));
    BASIN_TRY(apply(s, 0));
    BASIN_TRY(sums(s, MINRES_START));
  }
  return run(s, "minres_first", s->blocks);
}

static basin_status iteration(void *user)
{
  solve *s = user;
  basin_address stop = state_address(s) + offsetof(minres_state, stop);
  BASIN_TRY(run(s, "minres_multiply", basin__cuda_multiply_blocks(s->matrix)));
  if (s->m == NULL) {
    BASIN_TRY(run(s, "minres_lanczos_plain", s->blocks));
  } else if (basin__krylov_fused(s->m)) {
    BASIN_TRY(run(s, "minres_lanczos_nodes", s->blocks));
  } else {
    BASIN_TRY(run(s, "minres_lanczos", s->blocks));
    BASIN_TRY(apply(s, stop));
    BASIN_TRY(sums(s, MINRES_ITERATION));
  }
  return run(s, "minres_update", s->blocks);
}

/* ---- solution ---- */

static basin_status look(solve *s)
{
  return basin__cuda_download(s->cuda, &s->state, state_address(s), sizeof s->state);
}

static basin_status loop(solve *s, basin_linear_status *status)
{
  static const char *const entries[] = {"minres_multiply",
                                        "minres_lanczos",
                                        "minres_lanczos_plain",
                                        "minres_lanczos_nodes",
                                        "minres_update"};
  const basin__krylov_iteration work = {
      iteration, s, "minres.cu", s->definitions.text, entries, BASIN_COUNT(entries)};
  do {
    BASIN_TRY(basin__krylov_iterate(s->cuda, &s->minres->graphs, &work, 0, s->state.iterations));
    BASIN_TRY(look(s));
    if (s->state.stop == KRYLOV_RUNNING && basin__interrupted(basin__cuda_context(s->cuda))) {
      *status = BASIN_LINEAR_INTERRUPTED;
      return BASIN_OK;
    }
  } while (s->state.stop == KRYLOV_RUNNING);
  *status = (basin_linear_status)(s->state.stop - 1);
  return BASIN_OK;
}

/* The true residual, and x at the scale of b. */
static basin_status finish(solve *s, basin_linear_result *result)
{
  const minres_state *state = &s->state;
  BASIN_TRY(residual(s));
  BASIN_TRY(run(s, "minres_unload", s->blocks));
  BASIN_TRY(look(s));
  double ratio = fabs(state->eta) / state->reference;
  result->iterations = (size_t)state->iterations;
  result->measure = !(state->reference > 0) ? 0 : state->squared ? ratio * ratio : ratio;
  result->residual = state->reference == 0 ? 0 : sqrt(state->residual) * state->back;
  return BASIN_OK;
}

basin_status basin__cuda_minres_solve(basin_cuda_minres *minres,
                                      const basin_cuda_matrix *matrix,
                                      basin_cuda_preconditioner *preconditioner,
                                      basin_address b,
                                      basin_address x,
                                      const basin_linear_options *options,
                                      basin_linear_result *result)
{
  double began = basin__seconds();
  basin_linear_options room;
  BASIN_TRY(basin__krylov_begin(minres->cuda, matrix, preconditioner, &options, &room, result));
  const basin_cuda_bsr *first = &matrix->parts[0];
  solve s = {.minres = minres, .cuda = minres->cuda, .matrix = matrix, .m = preconditioner};
  s.size = (size_t)first->node_count * first->block;
  if (s.size == 0) {
    result->status = BASIN_LINEAR_ALREADY_CONVERGED;
    return BASIN_OK;
  }
  s.blocks = basin__krylov_blocks(s.size);
  s.definitions = basin__cuda_define(first->block, false);
  BASIN_TRY(take_shape(&s, x));
  s.job.matrix = basin__krylov_matrix(matrix);
  s.job.state = (minres_state){.tolerance = options->tolerance,
                               .stagnation_window = options->stagnation_window,
                               .maximum_iterations = options->maximum_iterations,
                               .squared = options->stop == BASIN_STOP_PRECONDITIONED,
                               .initial_guess = options->use_initial_guess};
  BASIN_TRY(start(&s, b));
  BASIN_TRY(loop(&s, &result->status));
  BASIN_TRY(finish(&s, result));
  result->seconds = basin__seconds() - began;
  return BASIN_OK;
}
