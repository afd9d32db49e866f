/* Running a term's kernel on a CUDA device, batch by batch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* An address as a kernel gets it; never read through here. */
static void *pointer(basin_address address)
{
  return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

basin_address basin__cuda_behind(basin_address address, size_t count)
{
  return address + (count * sizeof(double) + 255) / 256 * 256;
}

basin_status basin__cuda_term_launch(basin_minimizer *minimizer,
                                     basin_term *term,
                                     basin_stage stage,
                                     basin_projection projection,
                                     size_t begin,
                                     size_t end,
                                     const basin_cuda_results *results)
{
  const basin_kernel_slot *slot = basin__term_kernel(term, stage);
  const basin_device_binding *binding = &term->device->bindings[stage];
  BASIN_ASSERT(slot->loaded);
  basin_kernel_args args = {.begin = begin,
                            .end = end,
                            .arrays = pointer(binding->arrays),
                            .indices = pointer(binding->indices),
                            .energy = pointer(results->energy),
                            .local_gradient = pointer(results->gradient),
                            .local_hessian = pointer(results->hessian),
                            .projection = (uint32_t)projection};
  unsigned threads = stage >= BASIN_STAGE_GRADIENT ? BASIN_CUDA_THREADS_LOCAL : BASIN_CUDA_THREADS;
  basin_cuda_launch launch = {.kernel = slot->loaded,
                              .blocks = basin__cuda_blocks(end - begin, threads),
                              .threads = threads,
                              .subject = term->name};
  return basin__cuda_launch(minimizer->device->cuda, &launch, (void *[]){&args});
}

/* One batch: local results, then their sums. */
static basin_status
run_batch(basin_minimizer *minimizer, basin_term *term, const basin_run *run, size_t batch)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_part *part = &device->parts[term->dynamic ? BASIN_PART_DYNAMIC : BASIN_PART_STATIC];
  size_t size = (size_t)term->local_nodes * minimizer->layout.block;
  size_t begin = batch * term->device->batch, end = begin + term->device->batch;
  if (end > term->elements) end = term->elements;
  bool values = run->hessian && run->values != BASIN_RUN_NO_VALUES;
  bool local_gradient = run->gradient || run->adjoint;
  basin_cuda_sum sum = {.batch = batch,
                        .begin = begin,
                        .count = end - begin,
                        .gradient = device->local.address,
                        .hessian = basin__cuda_behind(device->local.address, (end - begin) * size)};
  basin_cuda_results results = {.gradient = local_gradient ? sum.gradient : 0,
                                .hessian = values ? sum.hessian : 0};
  BASIN_TRY(basin__cuda_term_launch(minimizer,
                                    term,
                                    run->hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT,
                                    run->projection,
                                    begin,
                                    end,
                                    &results));
  if (run->gradient) BASIN_TRY(basin__cuda_add_gradient(minimizer, term, &sum));
  if (run->adjoint) BASIN_TRY(basin__cuda_add_adjoint(minimizer, term, &sum));
  if (!values) return BASIN_OK;
  sum.limit = (uint32_t)part->upper_count;
  sum.to = run->values == BASIN_RUN_CONSTANT ? part->constant.address : part->upper.address;
  return basin__cuda_add_hessian(minimizer, term, &sum);
}

static basin_status run_batches(basin_minimizer *minimizer, basin_term *term, const basin_run *run)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_stage stage = run->hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT;
  size_t size = (size_t)term->local_nodes * minimizer->layout.block;
  size_t element = size + (run->hessian ? size * (size + 1) / 2 : 0);
  BASIN_TRY(basin__binding_on_device(
      minimizer->system, basin__term_kernel(term, stage)->info, &term->device->bindings[stage]));
  BASIN_TRY(basin__buffer_reserve(
      device->cuda, &device->local, term->device->batch * element * sizeof(double) + 256));
  if (run->adjoint) BASIN_TRY(basin__cuda_adjoint_list(minimizer, term));
  for (size_t k = 0; k < term->device->batches; ++k) BASIN_TRY(run_batch(minimizer, term, run, k));
  return BASIN_OK;
}

/* Seconds are those of the launches: nothing waits here. */
basin_status
basin__cuda_term_run(basin_minimizer *minimizer, basin_term *term, const basin_run *run)
{
  double start = basin__seconds();
  if (term->elements == 0 || term->local_nodes == 0) return BASIN_OK;
  basin_status status = run_batches(minimizer, term, run);
  if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
  basin_stage stage = run->hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT;
  basin__term_ran(minimizer, term, stage, basin__seconds() - start);
  return BASIN_OK;
}
