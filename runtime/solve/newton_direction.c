/* A descent direction: assemble, solve, and strengthen the matrix until it gives one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/newton.h"
#include <math.h>

/* First multiple of the largest diagonal entry that is added to the diagonal, and its growth. */
#define SHIFT_FIRST  1e-6
#define SHIFT_GROWTH 100.0

static void note_altered(basin_minimizer *minimizer)
{
  minimizer->matrix_altered = true;
  minimizer->values_key = 0;
  ++minimizer->matrix_version;
}

/* Entries that no energy sees make the matrix singular, and a shift on their account would bound
 * the steps of all others: they stay where they are. */
static basin_status fill_empty(basin_newton_state *state)
{
  double diagonal;
  size_t count;
  BASIN_TRY(state->engine->diagonal(state->minimizer, &diagonal));
  BASIN_TRY(state->engine->fill(state->minimizer, diagonal > 0 ? diagonal : 1, &count));
  state->empty = count > 0;
  if (state->empty) note_altered(state->minimizer);
  return BASIN_OK;
}

static basin_status assemble(basin_newton_state *state)
{
  basin_minimizer *minimizer = state->minimizer;
  double start = basin__seconds();
  basin_projection override =
      state->strength == BASIN_STRENGTH_OWN ? BASIN_PROJECTION_ADAPTIVE : BASIN_PROJECTION_ABS;
  BASIN_TRY(basin_minimizer_assemble(minimizer, true, override));
  if (minimizer->gradient_count != state->size)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_STATE,
                      "the number of unknowns changed during a minimization");
  state->shift = 0;
  if (state->empty) BASIN_TRY(fill_empty(state));
  if (state->strength >= BASIN_STRENGTH_SHIFT) {
    double diagonal;
    BASIN_TRY(state->engine->diagonal(minimizer, &diagonal));
    double factor = SHIFT_FIRST * pow(SHIFT_GROWTH, state->strength - BASIN_STRENGTH_SHIFT);
    state->shift = factor * (diagonal > 0 ? diagonal : 1);
    BASIN_TRY(state->engine->shift(minimizer, state->shift));
    note_altered(minimizer);
  }
  state->report->seconds_assembly += basin__seconds() - start;
  return BASIN_OK;
}

/* True if the direction is finite and goes downhill. */
static basin_status judge(basin_newton_state *state, bool *good)
{
  BASIN_TRY(state->engine->judge(
      state->minimizer, state->size, state->direction, &state->direction_norm, &state->slope));
  *good = isfinite(state->direction_norm) && isfinite(state->slope) && state->slope > 0;
  return BASIN_OK;
}

/* Of d . (H + shift) d = d . g, the shift's part is shift |d|^2. */
static basin_status judge_shift(basin_newton_state *state)
{
  basin_vector_pair pair = {state->direction, state->direction};
  double sum;
  state->bounded = false;
  if (state->shift == 0) return BASIN_OK;
  BASIN_TRY(state->engine->dots(state->minimizer, state->size, &pair, 1, &sum));
  state->bounded = state->shift * sum > state->slope / 2;
  return BASIN_OK;
}

static basin_status solve(basin_newton_state *state, bool *good)
{
  basin_solve_report report;
  double start = basin__seconds();
  BASIN_TRY(basin__minimizer_solve(
      state->minimizer, &state->options->linear, NULL, &state->direction, &report));
  state->report->seconds_solve += basin__seconds() - start;
  state->linear_iterations += report.iterations;
  state->report->linear_iterations += report.iterations;
  if (report.status == BASIN_LINEAR_NOT_FINITE)
    BASIN_TRY(basin__minimizer_find_bad(state->minimizer, BASIN_STAGE_HESSIAN));
  state->solved = basin_linear_status_good(report.status);
  /* An iteration that was cut short still gives a direction worth trying. */
  bool usable = state->solved || report.status == BASIN_LINEAR_ITERATION_LIMIT ||
                report.status == BASIN_LINEAR_STAGNATED;
  *good = false;
  return usable ? judge(state, good) : BASIN_OK;
}

basin_status basin__newton_direction(basin_newton_state *state, bool *found)
{
  *found = false;
  for (; state->strength <= BASIN_STRENGTH_LAST; ++state->strength) {
    bool good;
    BASIN_TRY(assemble(state));
    BASIN_TRY(state->engine->gradient_largest(state->minimizer, &state->gradient_norm));
    state->direction_norm = state->slope = 0;
    if (state->gradient_norm == 0) {
      state->reason = BASIN_STOP_CONVERGED;
      return BASIN_OK;
    }
    if (state->options->rule == BASIN_STOP_RULE_GRADIENT &&
        state->gradient_norm <= state->options->tolerance) {
      state->reason = BASIN_STOP_CONVERGED;
      return BASIN_OK;
    }
    BASIN_TRY(solve(state, &good));
    if (!good && !state->empty) {
      BASIN_TRY(fill_empty(state));
      if (state->empty) BASIN_TRY(solve(state, &good));
    }
    if (good) {
      *found = true;
      return judge_shift(state);
    }
    if (basin__interrupted(state->minimizer->context)) {
      state->reason = BASIN_STOP_INTERRUPTED;
      return BASIN_OK;
    }
    state->retried = true;
    state->strengthened = true;
  }
  state->reason = BASIN_STOP_SOLVE_FAILED;
  return BASIN_OK;
}
