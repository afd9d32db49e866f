/* Timing one kernel of a term on a CUDA device, with the device's own clock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/benchmark.h"
#include "solve/cuda/cuda_solve.h"

typedef struct benchmark {
  basin_minimizer *minimizer;
  basin_term *term;
  const basin_benchmark_options *options;
  size_t size, packed, batch; /* numbers an element; elements a launch */
} benchmark;

/* The kernel alone: energies are written, local results only if they are asked for. */
static basin_status run_once(const benchmark *b)
{
  basin_cuda_minimizer *device = b->minimizer->device;
  bool stored = b->options->form == BASIN_BENCHMARK_STORED;
  if (b->options->form == BASIN_BENCHMARK_ASSEMBLED)
    return basin__benchmark_assembled(b->minimizer, b->term, b->options);
  for (size_t begin = 0; begin < b->term->elements; begin += b->batch) {
    size_t end = begin + b->batch < b->term->elements ? begin + b->batch : b->term->elements;
    basin_address local = device->local.address;
    basin_cuda_results results = {
        .energy = b->term->device->energies.address + begin * sizeof(double),
        .gradient = stored && b->size > 0 ? local : 0,
        .hessian =
            stored && b->packed > 0 ? basin__cuda_behind(local, (end - begin) * b->size) : 0};
    BASIN_TRY(basin__cuda_term_launch(
        b->minimizer, b->term, b->options->stage, b->options->projection, begin, end, &results));
  }
  return BASIN_OK;
}

/* The first run loads and warms and is not counted. */
static basin_status repeat(const benchmark *b, double *seconds, basin_benchmark_report *report)
{
  basin_cuda *cuda = b->minimizer->device->cuda;
  unsigned count = b->options->repeats;
  BASIN_TRY(run_once(b));
  for (unsigned k = 0; k < count; ++k) {
    BASIN_TRY(basin__cuda_timer_start(cuda));
    BASIN_TRY(run_once(b));
    BASIN_TRY(basin__cuda_timer_stop(cuda, &seconds[k]));
  }
  report->seconds = basin__benchmark_median(seconds, count);
  report->best_seconds = seconds[0];
  return BASIN_OK;
}

static basin_status sum_energies(const benchmark *b, basin_benchmark_report *report)
{
  basin_cuda_minimizer *device = b->minimizer->device;
  if (b->options->form == BASIN_BENCHMARK_ASSEMBLED || b->term->elements == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_sum(device->cuda,
                            &device->scratch,
                            b->term->device->energies.address,
                            b->term->elements,
                            device->results.address));
  return basin__cuda_download(
      device->cuda, &report->energy, device->results.address, sizeof(double));
}

basin_status basin__cuda_benchmark(basin_minimizer *minimizer,
                                   basin_term *term,
                                   const basin_benchmark_options *options,
                                   basin_benchmark_report *report)
{
  basin_cuda_minimizer *device = minimizer->device;
  const basin_kernel_info *info = basin__term_kernel(term, options->stage)->info;
  benchmark b = {.minimizer = minimizer, .term = term, .options = options};
  if (term->local_nodes == 0 || term->elements == 0) return BASIN_OK;
  if (options->stage >= BASIN_STAGE_GRADIENT)
    b.size = (size_t)term->local_nodes * minimizer->layout.block;
  if (options->stage == BASIN_STAGE_HESSIAN) b.packed = b.size * (b.size + 1) / 2;
  b.batch = term->device->batch;
  BASIN_TRY(
      basin__binding_on_device(minimizer->system, info, &term->device->bindings[options->stage]));
  BASIN_TRY(basin__buffer_reserve(
      device->cuda, &device->local, (b.batch * (b.size + b.packed) + 1) * sizeof(double) + 256));
  BASIN_TRY(basin__buffer_reserve(
      device->cuda, &term->device->energies, (term->elements + 1) * sizeof(double)));
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->results, 256 * sizeof(double)));
  size_t bytes = options->repeats * sizeof(double);
  double *seconds = basin__alloc(minimizer->context, bytes);
  if (!seconds) return BASIN_ERROR_MEMORY;
  basin_status status = repeat(&b, seconds, report);
  if (status == BASIN_OK) status = sum_energies(&b, report);
  basin__free(minimizer->context, seconds, bytes);
  return status;
}
