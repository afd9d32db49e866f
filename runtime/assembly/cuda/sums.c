/* Sums of the local results of a batch on a CUDA device: by sorted lists, or by atomic additions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <stdio.h>

/* Local results of `numbers` numbers an element, which are those of `parts` nodes or pairs. A
 * number n below 2^31 divided by parts is n * factor >> shift: the factor is 2^shift / parts
 * rounded up, and parts <= 2^(shift - 31), so that the error of n * factor is less than 2^shift. */
static basin_local_results results_of(const basin_minimizer *minimizer,
                                      const basin_term *term,
                                      const basin_cuda_sum *sum,
                                      bool pairs)
{
  const basin_cuda_term *own = term->device;
  uint32_t size = term->local_nodes * minimizer->layout.block, parts = term->local_nodes,
           numbers = size, shift = 31;
  if (pairs) {
    parts = term->local_pairs;
    numbers = size * (size + 1) / 2;
  }
  while (1ull << (shift - 31) < parts) ++shift;
  bool staged = basin__cuda_staged(minimizer, term);
  return (basin_local_results){.begin = (uint32_t)sum->begin,
                               .count = (uint32_t)sum->count,
                               .element_step = staged ? numbers : 1,
                               .number_step = staged ? 1 : (uint32_t)sum->count,
                               .local_nodes = term->local_nodes,
                               .local_pairs = term->local_pairs,
                               .factor = (uint32_t)(((1ull << shift) + parts - 1) / parts),
                               .shift = shift,
                               .local_pair = own->local.address,
                               .nodes = own->nodes.address,
                               .pairs = own->pairs.address,
                               .tables = own->tables.address,
                               .local = pairs ? sum->hessian : sum->gradient};
}

/* Through the weights of maps, or not. */
static void define(const basin_minimizer *minimizer, bool mapped, char definitions[32])
{
  snprintf(definitions, 32, "-DBLOCK=%u%s", minimizer->layout.block, mapped ? " -DMAPPED" : "");
}

/* ---- by sorted lists ---- */

/* Which list is followed, and by which kernels. */
typedef struct gathering {
  const basin_cuda_list *list;
  bool mapped;
  const char *entry, *entry_long;
  bool pairs;
  size_t numbers; /* of a place */
  uint32_t limit; /* places */
  basin_address to;
} gathering;

static basin_status gather(basin_minimizer *minimizer,
                           const basin_term *term,
                           const basin_cuda_sum *sum,
                           const gathering *work)
{
  const basin_cuda_list *list = work->list;
  char definitions[32];
  size_t first = list->starts[sum->batch];
  basin_gather_task task = {.from = results_of(minimizer, term, sum, work->pairs),
                            .first_run = first,
                            .run_count = list->starts[sum->batch + 1] - first,
                            .limit = work->limit,
                            .length = list->long_length,
                            .words = list->words.address,
                            .heads = list->heads.address,
                            .longs = list->longs.address,
                            .places = list->places.address,
                            .slots = list->slots.address,
                            .to = work->to};
  define(minimizer, work->mapped, definitions);
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

/* ---- by atomic additions ---- */

static basin_status scatter(basin_minimizer *minimizer,
                            const char *entry,
                            bool mapped,
                            size_t items,
                            basin_scatter_task *task)
{
  char definitions[32];
  define(minimizer, mapped, definitions);
  return basin__cuda_simple(minimizer, "scatter.cu", entry, definitions, items, (void *[]){task});
}

/* ---- either way ---- */

basin_status basin__cuda_add_gradient(basin_minimizer *minimizer,
                                      const basin_term *term,
                                      const basin_cuda_sum *sum)
{
  const basin_cuda_minimizer *device = minimizer->device;
  const basin_cuda_term *own = term->device;
  gathering work = {.list = &own->gradient,
                    .mapped = !term->direct,
                    .entry = "gather_gradient",
                    .entry_long = "gather_gradient_long",
                    .numbers = minimizer->layout.block,
                    .limit = (uint32_t)minimizer->layout.node_count,
                    .to = device->gradient.address};
  if (!device->atomic) return gather(minimizer, term, sum, &work);
  basin_scatter_task task = {.from = results_of(minimizer, term, sum, false),
                             .elements = term->elements,
                             .rows = own->rows.address,
                             .starts = own->node_starts.address,
                             .to = device->gradient.address};
  size_t items = (term->direct ? sum->count * term->local_nodes : own->node_count) * work.numbers;
  return scatter(
      minimizer, term->direct ? "scatter_rows" : "scatter_nodes", !term->direct, items, &task);
}

basin_status basin__cuda_add_adjoint(basin_minimizer *minimizer,
                                     const basin_term *term,
                                     const basin_cuda_sum *sum)
{
  const basin_cuda_minimizer *device = minimizer->device;
  const basin_cuda_term *own = term->device;
  gathering work = {.list = &own->adjoint,
                    .entry = "gather_gradient",
                    .entry_long = "gather_gradient_long",
                    .numbers = minimizer->layout.block,
                    .limit = (uint32_t)device->adjoint_rows,
                    .to = device->adjoints.address};
  if (!device->atomic) return gather(minimizer, term, sum, &work);
  basin_scatter_task task = {.from = results_of(minimizer, term, sum, false),
                             .elements = term->elements,
                             .rows = own->rows.address,
                             .bases = own->bases.address,
                             .to = device->adjoints.address};
  size_t items = sum->count * term->local_nodes * work.numbers;
  return scatter(minimizer, "scatter_rows", false, items, &task);
}

basin_status basin__cuda_add_hessian(basin_minimizer *minimizer,
                                     const basin_term *term,
                                     const basin_cuda_sum *sum)
{
  const basin_cuda_term *own = term->device;
  gathering work = {.list = &own->hessian,
                    .mapped = !term->direct,
                    .entry = "gather_hessian",
                    .entry_long = "gather_hessian_long",
                    .numbers = (size_t)minimizer->layout.block * minimizer->layout.block,
                    .limit = sum->limit,
                    .pairs = true,
                    .to = sum->to};
  if (!minimizer->device->atomic) return gather(minimizer, term, sum, &work);
  basin_scatter_task task = {.from = results_of(minimizer, term, sum, true),
                             .elements = term->elements,
                             .starts = own->pair_starts.address,
                             .words = own->hessian.words.address,
                             .to = sum->to};
  size_t items = (term->direct ? sum->count * term->local_pairs : own->pair_count) * work.numbers;
  return scatter(minimizer, "scatter_pairs", !term->direct, items, &task);
}
