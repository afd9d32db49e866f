/* Timing one kernel of a term: alone, with its results kept in the cache, or with the assembly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/benchmark.h"

#include "assembly/engine.h"
#include "assembly/permute.h"
#include "solve/cuda/cuda_solve.h"

#include <stdlib.h>
#include <time.h>

enum { PIECE = 128, LONGEST = 1000 }; /* elements a buffer; most repeats */

typedef struct benchmark {
  basin_minimizer *minimizer;
  basin_term *term;
  const basin_benchmark_options *options;
  const basin_kernel_slot *slot;
  size_t local, packed;       /* numbers an element */
  double *buffers, *energies; /* one piece a worker; one sum a piece */
  size_t buffer_size;
} benchmark;

basin_benchmark_options basin_benchmark_defaults(void)
{
  return (basin_benchmark_options){.size = sizeof(basin_benchmark_options),
                                   .stage = BASIN_STAGE_HESSIAN,
                                   .projection = BASIN_PROJECTION_NONE,
                                   .repeats = 10};
}

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what is timed ---- */

static void run_piece(void *user, size_t index, unsigned worker)
{
  const benchmark *b = user;
  size_t begin = index * PIECE, end = begin + PIECE;
  double *local = b->buffers + worker * b->buffer_size;
  if (end > b->term->elements) end = b->term->elements;
  b->energies[index] = 0;
  basin_kernel_args args = {.begin = begin,
                            .end = end,
                            .arrays = b->term->binding.arrays,
                            .indices = b->term->binding.indices,
                            .energy_sum = &b->energies[index],
                            .scratch = basin__system_scratch(b->minimizer->system, worker),
                            .projection = (uint32_t)b->options->projection};
  bool stored = b->options->form == BASIN_BENCHMARK_STORED;
  if (stored && b->options->stage >= BASIN_STAGE_GRADIENT) args.local_gradient = local;
  if (stored && b->options->stage == BASIN_STAGE_HESSIAN)
    args.local_hessian = local + (end - begin) * b->local;
  b->slot->kernel.function(&args, b->slot->kernel.self);
}

basin_status basin__benchmark_assembled(basin_minimizer *minimizer,
                                        basin_term *term,
                                        const basin_benchmark_options *options)
{
  bool hessian = options->stage == BASIN_STAGE_HESSIAN;
  basin_run run = {.hessian = hessian,
                   .projection = options->projection,
                   .gradient = true,
                   .values = hessian ? BASIN_RUN_VALUES : BASIN_RUN_NO_VALUES};
  BASIN_TRY(minimizer->engine->zero_gradient(minimizer));
  if (hessian)
    BASIN_TRY(minimizer->engine->start_values(minimizer, basin__term_part(minimizer, term), false));
  return minimizer->engine->run(minimizer, term, &run);
}

static basin_status run_once(benchmark *b)
{
  if (b->options->form == BASIN_BENCHMARK_ASSEMBLED)
    return basin__benchmark_assembled(b->minimizer, b->term, b->options);
  basin__parallel(b->minimizer->context, (b->term->elements + PIECE - 1) / PIECE, run_piece, b);
  return BASIN_OK;
}

/* ---- repeats ---- */

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double basin__benchmark_median(double *values, unsigned count)
{
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* The first run warms caches and is not counted. */
static basin_status repeat(benchmark *b, double *wall, double *processor, basin_benchmark_report *r)
{
  unsigned count = b->options->repeats;
  BASIN_TRY(run_once(b));
  for (unsigned k = 0; k < count; ++k) {
    double used = processor_seconds(), start = basin__seconds();
    BASIN_TRY(run_once(b));
    wall[k] = basin__seconds() - start;
    processor[k] = processor_seconds() - used;
  }
  r->seconds = basin__benchmark_median(wall, count);
  r->processor_seconds = basin__benchmark_median(processor, count);
  r->best_seconds = wall[0];
  for (size_t k = 0; k * PIECE < b->term->elements && b->options->form != BASIN_BENCHMARK_ASSEMBLED;
       ++k)
    r->energy += b->energies[k];
  return BASIN_OK;
}

static basin_status run_repeats(benchmark *b, basin_benchmark_report *report)
{
  basin_context *context = b->minimizer->context;
  basin_term *term = b->term;
  BASIN_TRY(basin__binding_fill(b->minimizer->system, b->slot->info, &term->binding));
  BASIN_TRY(basin__permutation_bind(b->minimizer, term, b->slot->info));
  size_t workers = basin__worker_count(context), repeats = b->options->repeats;
  size_t pieces = b->term->elements / PIECE + 1;
  b->buffer_size = PIECE * (b->local + b->packed) + 8;
  size_t count = workers * b->buffer_size + pieces + 2 * repeats;
  b->buffers = basin__alloc_aligned(context, count * sizeof *b->buffers);
  if (!b->buffers) return BASIN_ERROR_MEMORY;
  b->energies = b->buffers + workers * b->buffer_size;
  double *wall = b->energies + pieces;
  basin_status status = repeat(b, wall, wall + repeats, report);
  basin__free_aligned(context, b->buffers, count * sizeof *b->buffers);
  return status;
}

static basin_status
check(const basin_minimizer *minimizer, basin_term_id term, const basin_benchmark_options *options)
{
  basin_context *context = minimizer->context;
  if (options->size != sizeof *options)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "benchmark options of unknown size %zu", options->size);
  if (term >= minimizer->term_count)
    return BASIN_FAIL(context, BASIN_ERROR_RANGE, "there is no term %u", (unsigned)term);
  if (options->stage < BASIN_STAGE_VALUE || options->stage > BASIN_STAGE_HESSIAN ||
      (options->form == BASIN_BENCHMARK_ASSEMBLED && options->stage == BASIN_STAGE_VALUE))
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "this stage cannot be timed");
  if ((unsigned)options->form > BASIN_BENCHMARK_ASSEMBLED)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "unknown form %d", (int)options->form);
  if ((unsigned)options->projection > BASIN_PROJECTION_ABS)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "a benchmark needs projection none, clamp or abs");
  if (options->repeats < 1 || options->repeats > LONGEST)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "the number of repeats must lie in 1 .. %d", LONGEST);
  return BASIN_OK;
}

basin_status basin_minimizer_benchmark(basin_minimizer *minimizer,
                                       basin_term_id id,
                                       const basin_benchmark_options *options,
                                       basin_benchmark_report *report)
{
  BASIN_TRY(check(minimizer, id, options));
  BASIN_TRY(basin_minimizer_assemble(minimizer, true, BASIN_PROJECTION_NONE));
  basin_term *term = minimizer->terms[id];
  benchmark b = {.minimizer = minimizer, .term = term, .options = options};
  BASIN_TRY(basin__minimizer_kernels(minimizer,
                                     BASIN_NEED_VALUE | BASIN_NEED_GRADIENT | BASIN_NEED_HESSIAN));
  b.slot = basin__term_kernel(term, options->stage);
  b.local = (size_t)term->local_nodes * minimizer->layout.block;
  b.packed = b.local * (b.local + 1) / 2;
  *report = (basin_benchmark_report){.size = sizeof *report,
                                     .elements = term->elements,
                                     .operations = b.slot->info->operations,
                                     .stored_bytes =
                                         sizeof(double) * (options->stage == BASIN_STAGE_VALUE ? 0
                                                           : options->stage == BASIN_STAGE_GRADIENT
                                                               ? b.local
                                                               : b.local + b.packed)};
  basin_status status = minimizer->device ? basin__cuda_benchmark(minimizer, term, options, report)
                                          : run_repeats(&b, report);
  minimizer->assembled = minimizer->assembled && options->form != BASIN_BENCHMARK_ASSEMBLED;
  minimizer->values_key = 0; /* the matrix now holds this term alone */
  return status;
}
