/* Directions of first-order minimizers, and what they learn from steps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/first_order.h"
#include <math.h>

/* y·s at least this times |y| |s|: less is rounding, and no curvature to learn from. */
#define CURVATURE_LEAST 1e-14

static bool is_dense(basin_first_order_method method)
{
  return method == BASIN_METHOD_BFGS || method == BASIN_METHOD_DFP;
}

static bool is_conjugate(basin_first_order_method method)
{
  return method >= BASIN_METHOD_FLETCHER_REEVES && method <= BASIN_METHOD_DAI_YUAN;
}

/* ---- memory ---- */

static basin_status reserve_memory(basin_first_order_state *state)
{
  basin_context *context = state->minimizer->context;
  size_t n = state->vectors.size, memory = state->options->memory;
  if (is_dense(state->options->method)) {
    if (n > BASIN_DENSE_UNKNOWNS)
      return BASIN_FAIL(context,
                        BASIN_ERROR_UNSUPPORTED,
                        "%s keeps a dense matrix, for at most %u unknowns; there are %zu: "
                        "take lbfgs",
                        basin_first_order_word(state->options->method),
                        BASIN_DENSE_UNKNOWNS,
                        n);
    state->memory_size = n * n;
  } else if (state->options->method == BASIN_METHOD_LBFGS) {
    if (n > 0 && memory > SIZE_MAX / 2 / sizeof(double) / n)
      return BASIN_FAIL(
          context, BASIN_ERROR_MEMORY, "%zu pairs of %zu unknowns do not fit", memory, n);
    state->memory_size = 2 * memory * n;
    state->number_count = 2 * memory;
    state->numbers = basin__calloc(context, state->number_count, sizeof *state->numbers);
    if (!state->numbers) return BASIN_ERROR_MEMORY;
  } else {
    return BASIN_OK;
  }
  return state->engine->vector_create(state->minimizer, state->memory_size, &state->memory);
}

basin_status basin__descent_reserve(basin_first_order_state *state)
{
  double **const vectors[] = {&state->x,
                              &state->trial,
                              &state->gradient,
                              &state->direction,
                              &state->s,
                              &state->y,
                              &state->product};
  for (size_t k = 0; k < BASIN_COUNT(vectors); ++k)
    BASIN_TRY(state->engine->vector_create(state->minimizer, state->vectors.size, vectors[k]));
  BASIN_TRY(reserve_memory(state));
  if (state->numbers)
    state->history = (basin_history){.S = state->memory,
                                     .Y = state->memory + state->memory_size / 2,
                                     .memory = state->options->memory,
                                     .products = state->numbers,
                                     .factors = state->numbers + state->options->memory,
                                     .scale = 1};
  return BASIN_OK;
}

void basin__descent_release(basin_first_order_state *state)
{
  double *const vectors[] = {state->x,
                             state->trial,
                             state->gradient,
                             state->direction,
                             state->s,
                             state->y,
                             state->product};
  for (size_t k = 0; k < BASIN_COUNT(vectors); ++k)
    state->engine->vector_destroy(state->minimizer, state->vectors.size, vectors[k]);
  state->engine->vector_destroy(state->minimizer, state->memory_size, state->memory);
  basin__free(
      state->minimizer->context, state->numbers, state->number_count * sizeof *state->numbers);
}

void basin__descent_forget(basin_first_order_state *state)
{
  state->history.first = state->history.count = 0;
  state->has_matrix = false;
  state->since_start = 0;
}

/* ---- direction ---- */

/* d <- g + b d: the direction of the last step is -d. */
static basin_status conjugate(basin_first_order_state *state)
{
  basin_minimizer *minimizer = state->minimizer;
  size_t n = state->vectors.size;
  basin_vector_pair pairs[] = {{state->gradient, state->y}, {state->direction, state->y}};
  double products[2];
  BASIN_TRY(state->engine->dots(minimizer, n, pairs, 2, products));
  basin_conjugacy_products p = {.g_g = state->squared_gradient,
                                .old_old = state->squared_before,
                                .g_y = products[0],
                                .d_y = -products[1]};
  double b = fmax(basin__conjugacy(state->options->method, &p), 0);
  if (!isfinite(b) ||
      (state->options->method == BASIN_METHOD_FLETCHER_REEVES && state->since_start >= n))
    b = 0;
  if (b == 0) state->since_start = 0;
  return state->engine->blend(
      minimizer, n, 1, state->gradient, b, state->direction, state->direction);
}

static basin_status propose(basin_first_order_state *state)
{
  basin_first_order_method method = state->options->method;
  state->along_gradient = false;
  if (is_conjugate(method) && state->since_start > 0) return conjugate(state);
  if (method == BASIN_METHOD_LBFGS && state->history.count > 0)
    return basin__two_loop(&state->vectors, &state->history, state->gradient, state->direction);
  if (state->has_matrix)
    return state->engine->dense_multiply(
        state->minimizer, state->vectors.size, state->memory, state->gradient, state->direction);
  state->along_gradient = true;
  return basin__vectors_copy(&state->vectors, state->gradient, state->direction);
}

/* Largest entry, and slope along it. */
static basin_status judge(basin_first_order_state *state)
{
  BASIN_TRY(state->engine->largest(
      state->minimizer, state->vectors.size, state->direction, &state->direction_norm));
  return basin__vectors_dot(&state->vectors, state->direction, state->gradient, &state->slope);
}

basin_status basin__descent_direction(basin_first_order_state *state)
{
  double start = basin__seconds();
  BASIN_TRY(propose(state));
  BASIN_TRY(judge(state));
  if (!state->along_gradient &&
      !(state->slope > 0 && isfinite(state->slope) && isfinite(state->direction_norm))) {
    basin__descent_forget(state);
    state->restarted = true;
    BASIN_TRY(propose(state));
    BASIN_TRY(judge(state));
  }
  state->report->seconds_solve += basin__seconds() - start;
  return BASIN_OK;
}

/* ---- learning ---- */

/* s and y become the newest pair, in the place of the oldest if the memory is full. */
static basin_status remember(basin_first_order_state *state, double product)
{
  basin_history *history = &state->history;
  size_t n = state->vectors.size;
  if (history->count == history->memory) {
    history->first = (history->first + 1) % history->memory;
    --history->count;
  }
  size_t row = (history->first + history->count++) % history->memory;
  history->products[row] = product;
  BASIN_TRY(basin__vectors_copy(&state->vectors, state->s, history->S + row * n));
  return basin__vectors_copy(&state->vectors, state->y, history->Y + row * n);
}

static basin_status change_matrix(basin_first_order_state *state, double scale)
{
  if (!state->has_matrix)
    BASIN_TRY(
        state->engine->dense_identity(state->minimizer, state->vectors.size, scale, state->memory));
  state->has_matrix = true;
  return (state->options->method == BASIN_METHOD_BFGS ? basin__inverse_bfgs : basin__inverse_dfp)(
      &state->vectors, state->s, state->y, state->product, state->memory);
}

basin_status basin__descent_learn(basin_first_order_state *state)
{
  basin_vector_pair pairs[] = {{state->s, state->y}, {state->y, state->y}, {state->s, state->s}};
  double n[3];
  ++state->since_start;
  if (!state->memory) return BASIN_OK;
  double start = basin__seconds();
  BASIN_TRY(state->engine->dots(state->minimizer, state->vectors.size, pairs, 3, n));
  double scale = n[0] / n[1];
  if (!(n[0] > CURVATURE_LEAST * sqrt(n[1]) * sqrt(n[2])) || !isfinite(scale) || !(scale > 0))
    return BASIN_OK;
  if (state->options->fixed_scale) scale = 1;
  state->history.scale = scale;
  if (state->number_count > 0)
    BASIN_TRY(remember(state, n[0]));
  else
    BASIN_TRY(change_matrix(state, scale));
  state->report->seconds_solve += basin__seconds() - start;
  return BASIN_OK;
}
