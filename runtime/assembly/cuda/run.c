/* Running a term's kernel on a CUDA device, batch by batch, and summing what it gives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <stdio.h>

/* An address as a kernel gets it; never read through here. */
static void *pointer(basin_address address)
{
  return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
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
  basin_cuda_launch launch = {.kernel = slot->loaded,
                              .blocks = basin__cuda_blocks(end - begin, BASIN_CUDA_THREADS),
                              .threads = BASIN_CUDA_THREADS,
                              .subject = term->name};
  return basin__cuda_launch(minimizer->device->cuda, &launch, (void *[]){&args});
}

/* Which of a term's lists is followed, and where the sums go. */
typedef struct gathering {
  const basin_cuda_list *list;
  bool mapped; /* through the weights of maps */
  const char *entry, *entry_long;
  size_t numbers; /* of a place */
  uint32_t limit; /* places */
  basin_address local, to;
} gathering;

static basin_status gather(basin_minimizer *minimizer,
                           const basin_term *term,
                           const gathering *work,
                           size_t batch,
                           size_t begin,
                           size_t count)
{
  const basin_cuda_list *list = work->list;
  basin_cuda_term *own = term->device;
  char definitions[32];
  basin_gather_task task = {.first_run = list->starts[batch],
                            .run_count = list->starts[batch + 1] - list->starts[batch],
                            .begin = begin,
                            .count = count,
                            .local_nodes = term->local_nodes,
                            .local_pairs = term->local_pairs,
                            .limit = work->limit,
                            .length = list->long_length,
                            .words = list->words.address,
                            .heads = list->heads.address,
                            .longs = list->longs.address,
                            .places = list->places.address,
                            .slots = list->slots.address,
                            .local_pair = own->local.address,
                            .nodes = own->nodes.address,
                            .pairs = own->pairs.address,
                            .tables = own->tables.address,
                            .local = work->local,
                            .to = work->to};
  snprintf(definitions,
           sizeof definitions,
           "-DBLOCK=%u%s",
           minimizer->layout.block,
           work->mapped ? " -DMAPPED" : "");
  BASIN_TRY(basin__cuda_simple(minimizer,
                               "gather.cu",
                               work->entry,
                               definitions,
                               task.run_count * work->numbers,
                               (void *[]){&task}));
  if (list->long_count == 0) return BASIN_OK;
  basin_cuda_launch launch = {
      .blocks = (unsigned)list->long_count, .threads = 256, .subject = term->name};
  BASIN_TRY(basin__cuda_kernel(
      minimizer->device->cuda, "gather.cu", work->entry_long, definitions, &launch.kernel));
  return basin__cuda_launch(minimizer->device->cuda, &launch, (void *[]){&task});
}

/* One batch: local results, then their sums. */
static basin_status
run_batch(basin_minimizer *minimizer, basin_term *term, const basin_run *run, size_t batch)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_part *part = &device->parts[term->dynamic ? BASIN_PART_DYNAMIC : BASIN_PART_STATIC];
  size_t b = minimizer->layout.block, size = term->local_nodes * b;
  size_t begin = batch * term->device->batch, end = begin + term->device->batch;
  if (end > term->elements) end = term->elements;
  size_t count = end - begin;
  bool values = run->hessian && run->values != BASIN_RUN_NO_VALUES;
  bool local_gradient = run->gradient || run->adjoint;
  basin_address local = device->local.address, matrix = local + count * size * sizeof(double);
  basin_cuda_results results = {.gradient = local_gradient ? local : 0,
                                .hessian = values ? matrix : 0};
  BASIN_TRY(basin__cuda_term_launch(minimizer,
                                    term,
                                    run->hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT,
                                    run->projection,
                                    begin,
                                    end,
                                    &results));
  if (run->gradient) {
    gathering work = {.list = &term->device->gradient,
                      .mapped = !term->direct,
                      .entry = "gather_gradient",
                      .entry_long = "gather_gradient_long",
                      .numbers = b,
                      .limit = (uint32_t)minimizer->layout.node_count,
                      .local = local,
                      .to = device->gradient.address};
    BASIN_TRY(gather(minimizer, term, &work, batch, begin, count));
  }
  if (run->adjoint) {
    gathering work = {.list = &term->device->adjoint,
                      .entry = "gather_gradient",
                      .entry_long = "gather_gradient_long",
                      .numbers = b,
                      .limit = (uint32_t)device->adjoint_rows,
                      .local = local,
                      .to = device->adjoints.address};
    BASIN_TRY(gather(minimizer, term, &work, batch, begin, count));
  }
  if (!values) return BASIN_OK;
  gathering work = {.list = &term->device->hessian,
                    .mapped = !term->direct,
                    .entry = "gather_hessian",
                    .entry_long = "gather_hessian_long",
                    .numbers = b * b,
                    .limit = (uint32_t)part->upper_count,
                    .local = matrix,
                    .to = run->values == BASIN_RUN_CONSTANT ? part->constant.address
                                                            : part->upper.address};
  return gather(minimizer, term, &work, batch, begin, count);
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
      device->cuda, &device->local, term->device->batch * element * sizeof(double)));
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
