/* Running a term's gradient or Hessian kernel over all its elements, every sum in one fixed order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"
#include "assembly/permute.h"
#include "assembly/spread.h"
#include "device/work.h"

typedef struct run_state {
  basin_minimizer *minimizer;
  basin_term *term;
  const basin_run *run;
  const basin_kernel_slot *slot;
  basin_spread spread;  /* of everything */
  size_t local, packed; /* numbers an element */
  size_t first; /* coloured: place of the colour's first chunk in the order; partitioned: first
                   element of the batch */
  size_t end;   /* partitioned: end of the batch */
} run_state;

static basin_kernel_args
kernel_args(const run_state *state, size_t begin, size_t end, unsigned worker)
{
  basin_kernel_args args = {.begin = begin,
                            .end = end < state->term->elements ? end : state->term->elements,
                            .arrays = state->term->binding.arrays,
                            .indices = state->term->binding.indices,
                            .scratch = basin__system_scratch(state->minimizer->system, worker),
                            .projection = (uint32_t)state->run->projection};
  return args;
}

/* ---- coloured ---- */

static void run_direct(const run_state *state, size_t chunk, unsigned worker)
{
  size_t size = state->term->schedule.chunk;
  basin_kernel_args args = kernel_args(state, chunk * size, (chunk + 1) * size, worker);
  args.nodes = state->term->rows;
  args.slots = state->term->slots;
  args.gradient = state->spread.gradient;
  args.values = state->spread.values;
  state->slot->kernel.function(&args, state->slot->kernel.self);
}

static void direct_chunk(void *user, size_t index, unsigned worker)
{
  const run_state *state = user;
  run_direct(state, state->term->schedule.order[state->first + index], worker);
}

/* Local results of elements [begin, end) into `local`: all gradients, then all Hessians. */
static basin_kernel_args
run_stored(const run_state *state, size_t begin, size_t end, double *local, unsigned worker)
{
  basin_kernel_args args = kernel_args(state, begin, end, worker);
  args.local_gradient = local;
  args.local_hessian = state->run->hessian ? local + (args.end - args.begin) * state->local : NULL;
  state->slot->kernel.function(&args, state->slot->kernel.self);
  return args;
}

static void run_mapped(const run_state *state, size_t chunk, unsigned worker)
{
  size_t size = state->term->schedule.chunk;
  double *local = state->minimizer->local + worker * size * (state->local + state->packed);
  basin_virtual_node *nodes =
      state->minimizer->expansions + worker * state->minimizer->expansion_stride;
  basin_kernel_args args = run_stored(state, chunk * size, (chunk + 1) * size, local, worker);
  for (size_t e = args.begin; e < args.end; ++e) {
    const double *gradient = args.local_gradient + (e - args.begin) * state->local;
    const double *hessian =
        args.local_hessian ? args.local_hessian + (e - args.begin) * state->packed : NULL;
    basin__spread_mapped(&state->spread, e, gradient, hessian, nodes);
    if (state->run->adjoint) basin__spread_adjoint(&state->spread, e, gradient);
  }
}

static void mapped_chunk(void *user, size_t index, unsigned worker)
{
  const run_state *state = user;
  run_mapped(state, state->term->schedule.order[state->first + index], worker);
}

static void run_coloured(run_state *state)
{
  const basin_schedule *schedule = &state->term->schedule;
  for (size_t k = 0; k < schedule->colour_count; ++k) {
    state->first = schedule->colour_starts[k];
    size_t chunks = schedule->colour_starts[k + 1] - state->first;
    basin__parallel_work(state->minimizer->context,
                         chunks,
                         basin__kernel_work(state->slot->info, chunks * schedule->chunk),
                         state->term->direct ? direct_chunk : mapped_chunk,
                         state);
  }
}

/* ---- partitioned ---- */

/* A single worker, and few elements that are not worth waking others for: it adds in element order
 * anyway: the sums of the partitions, without storing. */
static void run_serial(run_state *state)
{
  for (size_t k = 0; k < state->term->schedule.chunk_count; ++k) {
    if (state->term->direct)
      run_direct(state, k, 0);
    else
      run_mapped(state, k, 0);
  }
}

static void stored_chunk(void *user, size_t index, unsigned worker)
{
  const run_state *state = user;
  size_t size = state->term->schedule.chunk, begin = state->first + index * size;
  double *local = state->minimizer->local + index * size * (state->local + state->packed);
  (void)run_stored(
      state, begin, begin + size < state->end ? begin + size : state->end, local, worker);
}

/* Local results of element `e` of the batch, as stored_chunk has put them. */
static const double *stored_element(const run_state *state, size_t e, const double **hessian)
{
  size_t size = state->term->schedule.chunk, chunk = (e - state->first) / size,
         begin = state->first + chunk * size;
  size_t count = begin + size < state->end ? size : state->end - begin;
  const double *local = state->minimizer->local + chunk * size * (state->local + state->packed);
  *hessian =
      state->run->hessian ? local + count * state->local + (e - begin) * state->packed : NULL;
  return local + (e - begin) * state->local;
}

static void spread_partition(void *user, size_t index, unsigned worker)
{
  const run_state *state = user;
  const basin_schedule *schedule = &state->term->schedule;
  basin_spread spread = state->spread;
  spread.node_begin = schedule->node_bounds[index];
  spread.node_end = schedule->node_bounds[index + 1];
  spread.slot_begin = schedule->slot_bounds[index];
  spread.slot_end = schedule->slot_bounds[index + 1];
  for (size_t e = state->first; e < state->end; ++e) {
    const double *hessian, *gradient = stored_element(state, e, &hessian);
    if (state->term->direct)
      basin__spread_direct(&spread, e, gradient, hessian);
    else
      basin__spread_mapped(&spread,
                           e,
                           gradient,
                           hessian,
                           state->minimizer->expansions +
                               worker * state->minimizer->expansion_stride);
  }
}

/* Scalar operations, for basin__parallel_work. */
static double spread_work(const run_state *state, size_t elements)
{
  return (double)elements * (double)state->packed * (state->term->direct ? 1 : 4);
}

static void run_partitioned(run_state *state)
{
  const basin_schedule *schedule = &state->term->schedule;
  for (state->first = 0; state->first < state->term->elements; state->first += schedule->batch) {
    size_t end = state->first + schedule->batch;
    state->end = end < state->term->elements ? end : state->term->elements;
    basin__parallel_work(state->minimizer->context,
                         (state->end - state->first + schedule->chunk - 1) / schedule->chunk,
                         basin__kernel_work(state->slot->info, state->end - state->first),
                         stored_chunk,
                         state);
    basin__parallel_work(state->minimizer->context,
                         schedule->partition_count,
                         spread_work(state, state->end - state->first),
                         spread_partition,
                         state);
    for (size_t e = state->first; e < state->end && state->run->adjoint; ++e) {
      const double *hessian, *gradient = stored_element(state, e, &hessian);
      basin__spread_adjoint(&state->spread, e, gradient);
    }
  }
}

/* Where the values of a run go; NULL: nowhere. */
static double *run_values(basin_minimizer *minimizer, const basin_term *term, const basin_run *run)
{
  const basin_part *part = basin__term_part(minimizer, term);
  if (!run->hessian || run->values == BASIN_RUN_NO_VALUES) return NULL;
  return run->values == BASIN_RUN_CONSTANT ? part->constant : basin_bsr_values(part->matrix);
}

basin_status basin__term_run(basin_minimizer *minimizer, basin_term *term, const basin_run *run)
{
  if (term->elements == 0 || term->local_nodes == 0) return BASIN_OK;
  double start = basin__seconds();
  size_t local = (size_t)term->local_nodes * minimizer->layout.block;
  run_state state = {.minimizer = minimizer,
                     .term = term,
                     .run = run,
                     .slot = run->hessian ? &term->hessian : &term->gradient,
                     .spread = {minimizer,
                                term,
                                run->gradient ? minimizer->gradient : NULL,
                                run_values(minimizer, term, run),
                                0,
                                SIZE_MAX,
                                0,
                                SIZE_MAX},
                     .local = local,
                     .packed = local * (local + 1) / 2};
  basin_status status = basin__binding_fill(minimizer->system, state.slot->info, &term->binding);
  if (status == BASIN_OK) status = basin__permutation_bind(minimizer, term, state.slot->info);
  if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
  BASIN_ASSERT(state.slot->kernel.function);
  bool alone = basin__worker_count(minimizer->context) == 1 ||
               !basin__parallel_worthwhile(basin__kernel_work(state.slot->info, term->elements));
  if (term->schedule.partitioned && alone)
    run_serial(&state);
  else if (term->schedule.partitioned)
    run_partitioned(&state);
  else
    run_coloured(&state);
  basin_stage stage = run->hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT;
  basin__term_ran(minimizer, term, stage, basin__seconds() - start);
  return BASIN_OK;
}
