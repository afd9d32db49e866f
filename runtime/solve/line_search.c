/* Backtracking line search on the true energy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/newton.h"
#include <math.h>

/* The quadratic model fits well if the decrease is within this fraction of the predicted one:
 * adaptive terms then clamp, else they take absolute values. (After Chen et al., Trust-Region
 * Eigenvalue Filtering for Projected Newton, arXiv 2410.10102.) */
#define FIT_TOLERANCE 0.1
/* Steps that the energy cannot judge and that are taken in a row before the state counts as
 * converged to rounding. */
#define NOISE_STEPS 3u

basin_status basin__newton_move(basin_newton_state *state, const double *x)
{
  BASIN_TRY(state->engine->targets_write(state->minimizer, x));
  if (!state->options->refresh) return BASIN_OK;
  return state->options->refresh(state->options->refresh_user, state->minimizer);
}

basin_status basin__newton_energy(basin_newton_state *state, double *energy)
{
  return basin__minimizer_evaluate(state->minimizer, energy, state->per_term);
}

/* The terms may cancel, so their own sizes count. */
double basin__newton_noise(const basin_newton_state *state)
{
  double sum = 0;
  for (size_t k = 0; k < state->minimizer->term_count; ++k) sum += fabs(state->per_term[k]);
  return 32 * 2.220446049250313e-16 * sum;
}

static basin_status try_step(basin_newton_state *state, double *energy)
{
  BASIN_TRY(state->engine->step(
      state->minimizer, state->size, state->x, state->alpha, state->direction, state->trial));
  BASIN_TRY(basin__newton_move(state, state->trial));
  ++state->trials;
  ++state->report->line_search_trials;
  return basin__newton_energy(state, energy);
}

/* How well the quadratic model foretold the first trial, for the choice of projection in the next
 * iteration. */
static void judge_model(basin_newton_state *state, double energy)
{
  double predicted = state->alpha * (1 - state->alpha / 2) * state->slope;
  double ratio = predicted > 0 && isfinite(energy) ? (state->energy - energy) / predicted : -1;
  state->minimizer->clamp_adaptive = fabs(ratio - 1) <= FIT_TOLERANCE;
}

static bool acceptable(const basin_newton_state *state, double energy)
{
  if (!isfinite(energy)) return false;
  if (energy <= state->energy - state->options->sufficient_decrease * state->alpha * state->slope)
    return true;
  return state->alpha * state->slope <= state->noise && energy <= state->energy + state->noise;
}

static void accept(basin_newton_state *state, double energy)
{
  double *old = state->x;
  bool told = state->energy - energy > state->noise;
  state->x = state->trial;
  state->trial = old;
  state->energy = energy;
  state->noise = basin__newton_noise(state);
  state->noise_steps = told ? 0 : state->noise_steps + 1;
  if (state->noise_steps >= NOISE_STEPS) state->reason = basin__newton_end_of_rounding(state);
}

basin_status basin__newton_line_search(basin_newton_state *state, bool *found)
{
  double start = basin__seconds();
  *found = false;
  for (unsigned k = 0; k <= state->options->line_search_limit; ++k) {
    double energy;
    BASIN_TRY(try_step(state, &energy));
    if (k == 0) judge_model(state, energy);
    if (acceptable(state, energy)) {
      accept(state, energy);
      *found = true;
      break;
    }
    state->cut = true;
    state->alpha /= 2;
    if (basin__interrupted(state->minimizer->context)) {
      state->reason = BASIN_STOP_INTERRUPTED;
      break;
    }
  }
  if (!*found) BASIN_TRY(basin__newton_move(state, state->x));
  state->report->seconds_line_search += basin__seconds() - start;
  return BASIN_OK;
}
