/* Conjugate gradients on a CUDA device: vectors, graphs, and the few questions that come back to
 * the host. The kernels, and with them the rules, are in pcg.cu. SPDX-License-Identifier:
 * Apache-2.0 */
#include "krylov.h"

#include "base/base.h"
#include "pcg_job.cuh"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* What the launches of an iteration depend on, beyond the job's address. */
typedef struct shape {
  uint32_t node_count;
  unsigned block;
  bool single;
  uint64_t m;          /* signature of the preconditioner; 0 = none */
  unsigned iterations; /* of a graph, if chosen */
} shape;

struct basin_cuda_pcg {
  basin_cuda *cuda;
  shape shape;
  basin_buffer job, vectors, matrix[BASIN_CUDA_PARTS] /* in float */;
  basin__krylov_graphs graphs;
  basin_address r, z, q, p, b, product, direction; /* in `vectors` */
  basin_cuda_scratch scratch;
  bool solved;
};

/* One solve. */
typedef struct solve {
  basin_cuda_pcg *pcg;
  basin_cuda *cuda;
  const basin_cuda_matrix *matrix;
  basin_cuda_preconditioner *m;
  basin__cuda_definitions definitions;
  unsigned blocks; /* of vector kernels */
  size_t size;
  basin_address x;
  pcg_job job;
  pcg_state state; /* as last seen */
} solve;

/* ---- creation ---- */

basin_status basin__cuda_pcg_create(basin_cuda *cuda, basin_cuda_pcg **result)
{
  basin_cuda_pcg *pcg = *result = basin__calloc(basin__cuda_context(cuda), 1, sizeof *pcg);
  if (pcg == NULL) return BASIN_ERROR_MEMORY;
  pcg->cuda = cuda;
  return BASIN_OK;
}

void basin__cuda_pcg_destroy(basin_cuda_pcg *pcg)
{
  if (pcg == NULL) return;
  basin__krylov_forget(pcg->cuda, &pcg->graphs);
  basin__buffer_release(pcg->cuda, &pcg->job);
  basin__buffer_release(pcg->cuda, &pcg->vectors);
  basin__buffer_release(pcg->cuda, &pcg->scratch.memory);
  for (size_t p = 0; p < BASIN_CUDA_PARTS; p++) basin__buffer_release(pcg->cuda, &pcg->matrix[p]);
  basin__free(basin__cuda_context(pcg->cuda), pcg, sizeof *pcg);
}

basin_address basin__cuda_pcg_direction(const basin_cuda_pcg *pcg)
{
  return pcg->solved && !pcg->shape.single ? pcg->p : 0;
}

/* ---- memory ---- */

/* r, z, q, p in the precision of the iterations; b, a product of doubles and the direction in
 * double; the shares of sums. */
static basin_status reserve_vectors(solve *s)
{
  basin_cuda_pcg *pcg = s->pcg;
  bool single = pcg->shape.single;
  size_t numbers = (s->size * (single ? sizeof(float) : sizeof(double)) + 255) / 256 * 256;
  size_t doubles = (s->size * sizeof(double) + 255) / 256 * 256;
  size_t bytes = 4 * numbers + (single ? 2 : 1) * doubles + BASIN__KRYLOV_SHARES * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(s->cuda, &pcg->vectors, bytes));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &pcg->job, sizeof(pcg_job)));
  basin_address place = pcg->vectors.address;
  pcg->r = place;
  pcg->z = place + numbers;
  pcg->q = place + 2 * numbers;
  pcg->p = place + 3 * numbers;
  pcg->b = place + 4 * numbers;
  pcg->product = single ? pcg->b + doubles : pcg->q;
  s->job.r = pcg->r;
  s->job.z = s->m != NULL ? pcg->z : pcg->r;
  s->job.q = pcg->q;
  s->job.p = pcg->p;
  s->job.b = pcg->b;
  s->job.x = s->x;
  s->job.partial = pcg->b + (single ? 2 : 1) * doubles;
  return BASIN_OK;
}

/* The matrix in the precision of the iterations. */
static basin_status place_matrix(solve *s)
{
  s->job.matrix = basin__krylov_matrix(s->matrix);
  if (!s->pcg->shape.single) return BASIN_OK;
  for (unsigned p = 0; p < s->matrix->part_count; p++) {
    const basin_cuda_bsr *part = &s->matrix->parts[p];
    size_t count = part->block_count * part->block * part->block;
    basin_buffer *room = &s->pcg->matrix[p];
    BASIN_TRY(basin__buffer_reserve(s->cuda, room, (count + 1) * sizeof(float)));
    BASIN_TRY(basin__cuda_to_single(s->cuda, part->values, count, room->address));
    s->job.matrix.parts[p].values = room->address;
  }
  return BASIN_OK;
}

static basin_status place_preconditioner(solve *s)
{
  if (s->m == NULL) return BASIN_OK;
  bool single = s->pcg->shape.single;
  BASIN_TRY(basin__cuda_preconditioner_prepare(s->m, single));
  if (basin__krylov_fused(s->m))
    s->job.inverses = single ? s->m->single.address : s->m->inverses.address;
  return BASIN_OK;
}

static void set_state(solve *s, const basin_linear_options *options)
{
  bool preconditioned_rule = options->stop == BASIN_STOP_PRECONDITIONED;
  double least = preconditioned_rule ? DBL_EPSILON : sqrt(DBL_EPSILON);
  s->job.state = (pcg_state){.tolerance = options->tolerance,
                             .divergence = options->divergence,
                             .stagnation_window = options->stagnation_window,
                             .maximum_iterations = options->maximum_iterations,
                             .maximum_restarts = options->maximum_restarts,
                             .residual_rule = !preconditioned_rule,
                             .initial_guess = options->use_initial_guess,
                             .trusting = !s->pcg->shape.single && options->tolerance >= least,
                             .preconditioned = s->m != NULL};
}

/* ---- launches ---- */

static basin_status run(solve *s, const char *entry, unsigned blocks, void **parameters)
{
  return basin__cuda_run(s->cuda, "pcg.cu", entry, s->definitions.text, blocks, parameters);
}

static basin_status run_vectors(solve *s, const char *entry)
{
  void *parameters[] = {&s->pcg->job.address};
  return run(s, entry, s->blocks, parameters);
}

static basin_status sums(solve *s, uint32_t stage)
{
  void *parameters[] = {&s->pcg->job.address, &stage};
  return run(s, "pcg_sums", s->blocks, parameters);
}

static basin_status apply(solve *s, basin_address stop)
{
  if (s->m == NULL) return BASIN_OK;
  return basin__cuda_preconditioner_launch(s->m, s->pcg->shape.single, s->pcg->r, s->pcg->z, stop);
}

/* r = b - A x in double, z, and the sums. */
static basin_status restart(solve *s, uint32_t stage)
{
  void *parameters[] = {&s->pcg->job.address, &s->pcg->product};
  BASIN_TRY(basin__cuda_multiply(s->cuda, s->matrix, s->x, s->pcg->product));
  BASIN_TRY(run(s, "pcg_residual", s->blocks, parameters));
  BASIN_TRY(apply(s, 0));
  return sums(s, stage);
}

static basin_address state_address(const solve *s)
{
  return s->pcg->job.address + offsetof(pcg_job, state);
}

static basin_status look(solve *s)
{
  return basin__cuda_download(s->cuda, &s->state, state_address(s), sizeof s->state);
}

/* Everything up to the first iteration, without a question. */
static basin_status start(solve *s, basin_address b)
{
  void *load[] = {&s->pcg->job.address, &b, &s->x};
  BASIN_TRY(basin__cuda_upload(s->cuda, s->pcg->job.address, &s->job, sizeof s->job));
  BASIN_TRY(basin__cuda_largest(
      s->cuda, &s->pcg->scratch, b, s->size, state_address(s) + offsetof(pcg_state, largest)));
  BASIN_TRY(run(s, "pcg_load", s->blocks, load));
  BASIN_TRY(apply(s, 0));
  BASIN_TRY(sums(s, PCG_REFERENCE));
  return s->job.state.initial_guess ? restart(s, PCG_START) : BASIN_OK;
}

static basin_status iteration(void *user)
{
  solve *s = user;
  void *multiply[] = {&s->pcg->job.address};
  basin_address stop = state_address(s) + offsetof(pcg_state, stop);
  BASIN_TRY(run_vectors(s, "pcg_direction"));
  BASIN_TRY(run(s, "pcg_multiply", basin__cuda_multiply_blocks(s->matrix), multiply));
  if (s->m == NULL) return run_vectors(s, "pcg_update_plain");
  if (basin__krylov_fused(s->m)) return run_vectors(s, "pcg_update_nodes");
  BASIN_TRY(run_vectors(s, "pcg_update"));
  BASIN_TRY(apply(s, stop));
  return sums(s, PCG_ITERATION);
}

/* The texts in float, compiled side by side; those in double are the minimizer's to prepare. */
static basin_status prepare_texts(const solve *s)
{
  if (!s->pcg->shape.single) return BASIN_OK;
  const basin_cuda_wanted wanted[] = {
      {"pcg.cu", s->definitions.text},
      {s->m != NULL && s->m->schwarz != NULL ? "schwarz.cu" : "jacobi_apply.cu",
       s->definitions.text}};
  return basin__cuda_prepare(s->cuda, wanted, BASIN_COUNT(wanted));
}

static basin_status iterate(solve *s)
{
  static const char *const entries[] = {
      "pcg_direction", "pcg_multiply", "pcg_update", "pcg_update_plain", "pcg_update_nodes"};
  const basin__krylov_iteration work = {
      iteration, s, "pcg.cu", s->definitions.text, entries, BASIN_COUNT(entries)};
  basin_cuda_pcg *pcg = s->pcg;
  return basin__krylov_iterate(
      s->cuda, &pcg->graphs, &work, pcg->shape.iterations, s->state.iterations);
}

/* ---- solution ---- */

static basin_status squares(solve *s)
{
  double epsilon = s->pcg->shape.single ? (double)FLT_EPSILON : DBL_EPSILON;
  void *parameters[] = {&s->pcg->job.address, &epsilon};
  return run(s, "pcg_squares", s->blocks, parameters);
}

/* What the device asked for; it answers by its state. */
static basin_status answer(solve *s)
{
  switch (s->state.stop) {
  case PCG_VERIFY:
    return restart(s, PCG_CHECK);
  case PCG_CURVATURE:
    return squares(s);
  case PCG_RESTART:
    return restart(s, PCG_AGAIN);
  default:
    return iterate(s);
  }
}

static basin_status loop(solve *s, basin_linear_status *status)
{
  do {
    BASIN_TRY(answer(s));
    BASIN_TRY(look(s));
    if (s->state.stop == KRYLOV_RUNNING && basin__interrupted(basin__cuda_context(s->cuda))) {
      *status = BASIN_LINEAR_INTERRUPTED;
      return BASIN_OK;
    }
  } while (s->state.stop == KRYLOV_RUNNING || s->state.stop >= PCG_VERIFY);
  *status = (basin_linear_status)(s->state.stop - 1);
  return BASIN_OK;
}

static void describe(const solve *s, basin_linear_result *result)
{
  const pcg_state *state = &s->state;
  double norm = sqrt(state->rr), reference = state->reference;
  result->iterations = (size_t)state->iterations;
  result->restarts = (size_t)state->restarts;
  result->curvature = state->stop == KRYLOV_INDEFINITE ? state->curvature : 0;
  result->measure = reference > 0 ? (state->residual_rule ? norm : state->rz) / reference : 0;
  result->residual = norm * state->back;
}

static bool same_shape(const shape *a, const shape *b)
{
  return a->node_count == b->node_count && a->block == b->block && a->single == b->single &&
         a->m == b->m && a->iterations == b->iterations;
}

/* Graphs hold the shape's launches and addresses. */
static basin_status take_shape(solve *s, const basin_cuda_pcg_options *device)
{
  const basin_cuda_bsr *first = &s->matrix->parts[0];
  basin_cuda_pcg *pcg = s->pcg;
  shape before = pcg->shape;
  basin_address job = pcg->job.address, vectors = pcg->vectors.address;
  pcg->solved = false;
  pcg->shape = (shape){.node_count = first->node_count,
                       .block = first->block,
                       .single = device != NULL && device->single,
                       .iterations = device != NULL ? device->iterations : 0};
  basin_status status = place_preconditioner(s);
  if (status == BASIN_OK && s->m != NULL)
    pcg->shape.m = basin__cuda_preconditioner_signature(s->m, pcg->shape.single);
  if (status == BASIN_OK) status = reserve_vectors(s);
  if (status != BASIN_OK || !same_shape(&pcg->shape, &before) || job != pcg->job.address ||
      vectors != pcg->vectors.address)
    basin__krylov_forget(pcg->cuda, &pcg->graphs);
  return status;
}

basin_status basin__cuda_pcg_solve(basin_cuda_pcg *pcg,
                                   const basin_cuda_matrix *matrix,
                                   basin_cuda_preconditioner *preconditioner,
                                   basin_address b,
                                   basin_address x,
                                   const basin_linear_options *options,
                                   const basin_cuda_pcg_options *device,
                                   basin_linear_result *result)
{
  double began = basin__seconds();
  basin_linear_options room;
  BASIN_TRY(basin__krylov_begin(pcg->cuda, matrix, preconditioner, &options, &room, result));
  const basin_cuda_bsr *first = &matrix->parts[0];
  solve s = {.pcg = pcg, .cuda = pcg->cuda, .matrix = matrix, .m = preconditioner, .x = x};
  s.size = (size_t)first->node_count * first->block;
  if (s.size == 0) {
    result->status = BASIN_LINEAR_ALREADY_CONVERGED;
    return BASIN_OK;
  }
  s.blocks = basin__krylov_blocks(s.size);
  BASIN_TRY(take_shape(&s, device));
  s.definitions = basin__cuda_define(first->block, pcg->shape.single);
  BASIN_TRY(prepare_texts(&s));
  BASIN_TRY(place_matrix(&s));
  set_state(&s, options);
  BASIN_TRY(start(&s, b));
  BASIN_TRY(loop(&s, &result->status));
  BASIN_TRY(run_vectors(&s, "pcg_unload"));
  pcg->solved = true;
  describe(&s, result);
  result->seconds = basin__seconds() - began;
  return BASIN_OK;
}
