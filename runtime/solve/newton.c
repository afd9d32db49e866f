/* Newton's method: direction, step filter, line search, stopping rules, recovery.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/newton.h"
#include "solve/course.h"

/* Fractions of a step that filters may leave; below, the step has vanished. */
#define ALPHA_LEAST 1e-10
/* Rounding may hide what is left to gain; that is convergence if it and the gradient are this small
 * against what they were at the start, or if the start was known no better. */
#define GAIN_LEFT     1e-3
#define GRADIENT_LEFT 0.1
#define NOISE_LIMIT   1e3 /* of the rounding level: slopes that a line search may fail on */
/* Values this many times larger than all that was at the start run away. A quadratic energy is left
 * behind by its first step. */
#define RUN_AWAY 1e8
/* Iterations after which shifted steps as long as the first say the same. */
#define FALL_LEAST 20u

const char *basin_stop_reason_text(basin_stop_reason reason)
{
  static const char *const texts[] = {
#define X(code, text) text,
      BASIN_STOP_REASON_LIST(X)
#undef X
  };
  return (unsigned)reason < BASIN_STOP_REASON_COUNT ? texts[reason] : "unknown reason";
}

basin_newton_options basin_newton_options_defaults(void)
{
  return (basin_newton_options){.size = sizeof(basin_newton_options),
                                .rule = BASIN_STOP_RULE_STEP,
                                .tolerance = 1e-3,
                                .step_scale = 1,
                                .max_iterations = 100,
                                .line_search_limit = 40,
                                .sufficient_decrease = 1e-4,
                                .linear = basin_solve_options_defaults()};
}

static basin_status check_options(basin_context *context, const basin_newton_options *options)
{
  if (options->size != sizeof *options)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "Newton options of unknown size %zu", options->size);
  if (!(options->tolerance >= 0))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the tolerance must not be negative, but is %g",
                      options->tolerance);
  if (!(options->step_scale > 0))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the step scale must be positive, but is %g",
                      options->step_scale);
  if (!(options->sufficient_decrease >= 0 && options->sufficient_decrease < 0.5))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the sufficient decrease must lie in [0, 0.5), but is %g",
                      options->sufficient_decrease);
  if ((unsigned)options->rule > BASIN_STOP_RULE_DECREMENT)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "unknown stopping rule %d", (int)options->rule);
  return BASIN_OK;
}

/* A direction from a solve that was cut short, or from a matrix that was shifted by much or more
 * than the energy curves along it, says nothing about the distance to the minimum. */
static bool converged(const basin_newton_state *state)
{
  const basin_newton_options *options = state->options;
  if (!state->solved || state->bounded || state->strength > BASIN_STRENGTH_SHIFT) return false;
  if (options->rule == BASIN_STOP_RULE_STEP)
    return state->direction_norm / options->step_scale <= options->tolerance;
  if (options->rule == BASIN_STOP_RULE_DECREMENT) return state->slope / 2 <= options->tolerance;
  return false;
}

basin_stop_reason basin__newton_end_of_rounding(const basin_newton_state *state)
{
  bool gained = state->slope <= GAIN_LEFT * state->first_slope &&
                state->gradient_norm <= GRADIENT_LEFT * state->first_gradient;
  bool at_start = state->slope <= NOISE_LIMIT * state->first_noise;
  return gained || at_start ? BASIN_STOP_CONVERGED : BASIN_STOP_STALLED;
}

/* Notes the first direction, by which later ones are judged. */
static basin_status note_first(basin_newton_state *state)
{
  double start;
  if (state->first_slope > 0) return BASIN_OK;
  BASIN_TRY(state->engine->largest(state->minimizer, state->size, state->x, &start));
  state->first_slope = state->slope;
  state->first_gradient = state->gradient_norm;
  state->first_direction = state->direction_norm;
  state->scale = start + state->direction_norm;
  return BASIN_OK;
}

/* Largest admissible step; false if none is left. */
static basin_status filter(basin_newton_state *state, bool *left)
{
  state->alpha = 1;
  *left = true;
  if (!state->options->filter) return BASIN_OK;
  double start = basin__seconds();
  BASIN_TRY(state->options->filter(
      state->options->filter_user, state->minimizer, state->direction, &state->alpha));
  state->report->seconds_filter += basin__seconds() - start;
  if (state->alpha > 1) state->alpha = 1;
  state->filtered = state->alpha < 1;
  if (state->alpha >= ALPHA_LEAST) return BASIN_OK;
  *left = false;
  state->reason = BASIN_STOP_STEP_VANISHED;
  return BASIN_OK;
}

/* One direction, filtered, and the line search along it. Not taken and no reason set: the line
 * search found nothing. */
static basin_status try_direction(basin_newton_state *state, bool *taken)
{
  bool found;
  *taken = false;
  BASIN_TRY(basin__newton_direction(state, &found));
  if (!found) return BASIN_OK;
  BASIN_TRY(note_first(state));
  bool last = converged(state); /* its step is at hand, so it is taken all the same */
  BASIN_TRY(filter(state, &found));
  if (found) BASIN_TRY(basin__newton_line_search(state, taken));
  if (state->reason == BASIN_STOP_INTERRUPTED) return BASIN_OK;
  if (last)
    state->reason = BASIN_STOP_CONVERGED;
  else if (found && !*taken && state->slope <= NOISE_LIMIT * state->noise)
    state->reason = basin__newton_end_of_rounding(state);
  return BASIN_OK;
}

/* A step; with stronger and stronger matrices as long as line searches find nothing. */
static basin_status step(basin_newton_state *state, bool *taken)
{
  for (state->strength = BASIN_STRENGTH_OWN;; ++state->strength) {
    BASIN_TRY(try_direction(state, taken));
    if (*taken || state->reason != BASIN_STOP_REASON_COUNT) return BASIN_OK;
    if (state->strength >= BASIN_STRENGTH_SHIFT) break;
    state->strengthened = true;
  }
  state->reason = BASIN_STOP_LINE_SEARCH_FAILED;
  return BASIN_OK;
}

/* Shifted matrices and directions that do not shorten, to the last iteration. */
static bool falls_on(const basin_newton_state *state)
{
  return state->report->iterations >= FALL_LEAST && state->strength >= BASIN_STRENGTH_SHIFT &&
         state->direction_norm >= state->first_direction / 2;
}

/* True to go on. */
static bool report_iteration(const basin_newton_state *state, double start)
{
  char flags[8];
  size_t length = 0;
  if (!state->options->monitor) return true;
  if (state->strengthened) flags[length++] = 'p';
  if (state->filtered) flags[length++] = 'f';
  if (state->retried) flags[length++] = 's';
  if (state->cut) flags[length++] = 'l';
  flags[length] = 0;
  basin_iteration iteration = {.number = state->report->iterations,
                               .energy = state->energy,
                               .gradient_norm = state->gradient_norm,
                               .direction_norm = state->direction_norm,
                               .alpha = state->alpha,
                               .line_search_trials = state->trials,
                               .linear_iterations = state->linear_iterations,
                               .flags = flags,
                               .seconds = basin__seconds() - start};
  return state->options->monitor(state->options->monitor_user, &iteration);
}

static basin_status iterate(basin_newton_state *state)
{
  state->reason = BASIN_STOP_ITERATION_LIMIT;
  while (state->report->iterations < state->options->max_iterations) {
    double start = basin__seconds();
    bool taken;
    if (!basin__course_goes_on(state->minimizer->context,
                               "newton",
                               state->report->iterations,
                               state->options->max_iterations)) {
      state->reason = BASIN_STOP_INTERRUPTED;
      return BASIN_OK;
    }
    state->trials = state->linear_iterations = 0;
    state->strengthened = state->filtered = state->retried = state->cut = false;
    state->reason = BASIN_STOP_REASON_COUNT;
    BASIN_TRY(step(state, &taken));
    if (taken) {
      ++state->report->iterations;
      double largest;
      BASIN_TRY(state->engine->largest(state->minimizer, state->size, state->x, &largest));
      if (largest > RUN_AWAY * state->scale) state->reason = BASIN_STOP_DIVERGED;
      if (!report_iteration(state, start)) state->reason = BASIN_STOP_INTERRUPTED;
    }
    if (state->reason != BASIN_STOP_REASON_COUNT) return BASIN_OK;
    state->reason = falls_on(state) ? BASIN_STOP_DIVERGED : BASIN_STOP_ITERATION_LIMIT;
  }
  return BASIN_OK;
}

/* Energy at the start; state->x has been read. */
static basin_status start_state(basin_newton_state *state)
{
  if (state->options->refresh)
    BASIN_TRY(state->options->refresh(state->options->refresh_user, state->minimizer));
  BASIN_TRY(basin_minimizer_energy(state->minimizer, &state->energy, state->per_term));
  state->noise = state->first_noise = basin__newton_noise(state);
  return BASIN_OK;
}

static basin_status run(basin_newton_state *state)
{
  state->minimizer->clamp_adaptive = false;
  BASIN_TRY(basin__minimizer_kernels(state->minimizer,
                                     BASIN_NEED_VALUE | BASIN_NEED_HESSIAN)); /* all at once */
  BASIN_TRY(state->engine->targets_read(state->minimizer, state->x));
  basin_status status = start_state(state);
  if (status == BASIN_OK) status = iterate(state);
  return basin__course_end(
      state->minimizer, status, state->x, state->report->iterations, &state->reason);
}

static basin_status reserve(basin_newton_state *state)
{
  basin_context *context = state->minimizer->context;
  BASIN_TRY(basin__minimizer_layout(state->minimizer));
  state->size = state->minimizer->layout.node_count * state->minimizer->layout.block;
  BASIN_TRY(state->engine->vector_create(state->minimizer, state->size, &state->x));
  BASIN_TRY(state->engine->vector_create(state->minimizer, state->size, &state->trial));
  state->per_term =
      basin__calloc(context, state->minimizer->term_count + 1, sizeof *state->per_term);
  return state->per_term ? BASIN_OK : BASIN_ERROR_MEMORY;
}

basin_status basin_newton(basin_minimizer *minimizer,
                          const basin_newton_options *options,
                          basin_newton_report *report)
{
  basin_context *context = minimizer->context;
  basin_newton_options chosen = options ? *options : basin_newton_options_defaults();
  basin_newton_report result = {.size = sizeof result, .reason = BASIN_STOP_ERROR};
  double pairs = minimizer->seconds_pairs, pair_energy = minimizer->seconds_pair_energy;
  double start = basin__seconds();
  if (report) *report = result;
  BASIN_TRY(check_options(context, &chosen));
  basin_newton_state state = {.minimizer = minimizer,
                              .engine = basin__solve_engine(minimizer),
                              .options = &chosen,
                              .report = &result,
                              .reason = BASIN_STOP_ERROR};
  basin_status status = reserve(&state);
  if (status == BASIN_OK) status = run(&state);
  state.engine->vector_destroy(minimizer, state.size, state.x);
  state.engine->vector_destroy(minimizer, state.size, state.trial);
  basin__free(context, state.per_term, (minimizer->term_count + 1) * sizeof *state.per_term);
  result.reason = state.reason;
  result.energy = state.energy;
  result.gradient_norm = state.gradient_norm;
  result.direction_norm = state.direction_norm;
  result.seconds = basin__seconds() - start;
  result.seconds_pairs = minimizer->seconds_pairs - pairs;
  result.seconds_pair_energy = minimizer->seconds_pair_energy - pair_energy;
  if (report) *report = result;
  return status;
}
