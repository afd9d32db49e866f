/* First-order minimizers: gradient descent, conjugate gradients, quasi-Newton methods.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/first_order.h"
#include "solve/course.h"
#include <math.h>

/* How far a line search may go where there is a step filter, in first trials. */
#define REACH 4.0
/* As in newton.c: parts of a step that filters may leave; what may be left when rounding ends a
 * minimization; values that run away. */
#define ALPHA_LEAST   1e-10
#define GAIN_LEFT     1e-3
#define GRADIENT_LEFT 0.1
#define NOISE_LIMIT   1e3
#define RUN_AWAY      1e8
/* Steps in a row that the energy cannot judge and that bring no smaller gradient. */
#define NOISE_STEPS 10u

const char *basin_first_order_word(basin_first_order_method method)
{
  static const char *const words[] = {
#define X(code, word, curvature) word,
      BASIN_FIRST_ORDER_LIST(X)
#undef X
  };
  return (unsigned)method < BASIN_METHOD_COUNT ? words[method] : "unknown method";
}

basin_first_order_options basin_first_order_options_defaults(basin_first_order_method method)
{
  return (basin_first_order_options){.size = sizeof(basin_first_order_options),
                                     .method = method,
                                     .rule = BASIN_STOP_RULE_GRADIENT,
                                     .tolerance = 1e-6,
                                     .step_scale = 1,
                                     .max_iterations = 1000,
                                     .line_search_limit = 40,
                                     .memory = 10,
                                     .sufficient_decrease = 1e-4};
}

/* ---- options ---- */

static double curvature_of(const basin_first_order_options *options)
{
  static const double own[] = {
#define X(code, word, curvature) curvature,
      BASIN_FIRST_ORDER_LIST(X)
#undef X
  };
  return options->curvature > 0 ? options->curvature : own[options->method];
}

static basin_status check_search(basin_context *context, const basin_first_order_options *options)
{
  double c1 = options->sufficient_decrease, c2 = curvature_of(options);
  if (!(c1 > 0 && c1 < 0.5))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the sufficient decrease must lie between 0 and 0.5, but is %g",
                      c1);
  if (!(options->curvature >= 0) || !(c2 > c1 && c2 < 1))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the curvature constant must lie between the sufficient decrease %g and 1, "
                      "but is %g",
                      c1,
                      options->curvature > 0 ? c2 : options->curvature);
  if (options->method == BASIN_METHOD_LBFGS && options->memory == 0)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "lbfgs needs a memory of at least one pair");
  return BASIN_OK;
}

static basin_status check_options(basin_context *context, const basin_first_order_options *options)
{
  if (options->size != sizeof *options)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "minimizer options of unknown size %zu", options->size);
  if ((unsigned)options->method >= BASIN_METHOD_COUNT)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "unknown method %d", (int)options->method);
  if ((unsigned)options->rule > BASIN_STOP_RULE_DECREMENT)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "unknown stopping rule %d", (int)options->rule);
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
  return check_search(context, options);
}

/* ---- energy and gradient ---- */

static basin_status move(basin_first_order_state *state, const double *x)
{
  BASIN_TRY(state->engine->targets_write(state->minimizer, x));
  if (!state->options->refresh) return BASIN_OK;
  return state->options->refresh(state->options->refresh_user, state->minimizer);
}

static double noise(const basin_first_order_state *state)
{
  double sum = 0;
  for (size_t k = 0; k < state->minimizer->term_count; ++k) sum += fabs(state->per_term[k]);
  return 32 * 2.220446049250313e-16 * sum;
}

static basin_status assemble(basin_first_order_state *state)
{
  double start = basin__seconds();
  basin_status status =
      basin_minimizer_assemble(state->minimizer, false, BASIN_PROJECTION_ADAPTIVE);
  state->report->seconds_assembly += basin__seconds() - start;
  if (status == BASIN_OK && state->minimizer->gradient_count != state->vectors.size)
    return BASIN_FAIL(state->minimizer->context,
                      BASIN_ERROR_STATE,
                      "the number of unknowns changed during a minimization");
  return status;
}

/* Energy and slope at x - t d. What is not finite counts as a wall. */
static basin_status evaluate(void *user, double t, basin_line_point *point, bool *stop)
{
  basin_first_order_state *state = user;
  double start = basin__seconds(), slope;
  *point = (basin_line_point){t, HUGE_VAL, (double)NAN};
  BASIN_TRY(state->engine->step(
      state->minimizer, state->vectors.size, state->x, t, state->direction, state->trial));
  BASIN_TRY(move(state, state->trial));
  ++state->trials;
  ++state->report->line_search_trials;
  double energy;
  BASIN_TRY(basin__minimizer_evaluate(state->minimizer, &energy, state->per_term));
  state->report->seconds_line_search += basin__seconds() - start;
  *stop = basin__interrupted(state->minimizer->context);
  if (energy == -HUGE_VAL) point->value = energy;
  if (!isfinite(energy)) return BASIN_OK;
  basin_status status = assemble(state);
  if (status == BASIN_ERROR_NOT_FINITE) return BASIN_OK;
  BASIN_TRY(status);
  BASIN_TRY(basin__vectors_dot(
      &state->vectors, state->direction, state->engine->gradient(state->minimizer), &slope));
  if (isfinite(slope)) *point = (basin_line_point){t, energy, -slope};
  return BASIN_OK;
}

/* ---- a step ---- */

/* Where the line search begins. */
static void choose_first(basin_first_order_state *state)
{
  bool quasi_newton = state->memory != NULL;
  double guess = state->last_alpha * state->last_slope / state->slope;
  if (quasi_newton && !state->along_gradient)
    state->first = 1;
  else if (!quasi_newton && !state->restarted && guess > 0 && isfinite(guess))
    state->first = guess;
  else
    state->first = fmin(1, 1 / sqrt(state->squared_gradient));
}

/* Bounds the line search by what the filter lets through of a long step. */
static basin_status filter(basin_first_order_state *state)
{
  double start = basin__seconds(), part = 1;
  state->bound = HUGE_VAL;
  if (!state->options->filter) return BASIN_OK;
  double reach = REACH * state->first;
  BASIN_TRY(state->engine->blend(state->minimizer,
                                 state->vectors.size,
                                 reach,
                                 state->direction,
                                 0,
                                 state->direction,
                                 state->trial));
  BASIN_TRY(
      state->options->filter(state->options->filter_user, state->minimizer, state->trial, &part));
  state->report->seconds_filter += basin__seconds() - start;
  state->filtered = part * REACH < 1;
  state->bound = fmin(part, 1) * reach;
  if (!(part >= ALPHA_LEAST)) state->reason = BASIN_STOP_STEP_VANISHED;
  return BASIN_OK;
}

/* The tried point becomes x; the step and the change of gradient are kept. */
static basin_status accept(basin_first_order_state *state, const basin_line_point *point)
{
  basin_minimizer *minimizer = state->minimizer;
  size_t n = state->vectors.size;
  const double *gradient = state->engine->gradient(minimizer);
  double *old = state->x;
  BASIN_TRY(state->engine->blend(minimizer, n, 1, state->trial, -1, state->x, state->s));
  BASIN_TRY(state->engine->blend(minimizer, n, 1, gradient, -1, state->gradient, state->y));
  BASIN_TRY(basin__vectors_copy(&state->vectors, gradient, state->gradient));
  bool told = state->energy - point->value > state->noise;
  state->x = state->trial;
  state->trial = old;
  state->energy = point->value;
  state->noise = noise(state);
  state->alpha = point->t;
  state->gain = point->t * state->slope / 2;
  state->bounded = point->t >= state->bound;
  state->last_alpha = point->t;
  state->last_slope = state->slope;
  state->squared_before = state->squared_gradient;
  BASIN_TRY(basin__vectors_dot(
      &state->vectors, state->gradient, state->gradient, &state->squared_gradient));
  BASIN_TRY(state->engine->gradient_largest(minimizer, &state->gradient_norm));
  told = told || state->gradient_norm < state->least_gradient;
  state->least_gradient = fmin(state->least_gradient, state->gradient_norm);
  state->noise_steps = told ? 0 : state->noise_steps + 1;
  return basin__descent_learn(state);
}

static basin_stop_reason end_of_rounding(const basin_first_order_state *state)
{
  double gain = state->first * state->slope / 2;
  bool gained = gain <= GAIN_LEFT * state->first_gain &&
                state->gradient_norm <= GRADIENT_LEFT * state->first_gradient;
  return gained || gain <= NOISE_LIMIT * state->first_noise ? BASIN_STOP_CONVERGED
                                                            : BASIN_STOP_STALLED;
}

/* Along the present direction. *taken false without a reason: nothing was found. */
static basin_status search(basin_first_order_state *state, bool *taken)
{
  basin_line_result result;
  basin_line line = {.value = state->energy,
                     .slope = -state->slope,
                     .noise = state->noise,
                     .armijo = state->options->sufficient_decrease,
                     .curvature = curvature_of(state->options),
                     .first = state->first,
                     .most = state->bound,
                     .far = state->direction_norm > 0 && state->scale > 0
                                ? RUN_AWAY * state->scale / state->direction_norm
                                : HUGE_VAL,
                     .limit = state->options->line_search_limit,
                     .function = evaluate,
                     .user = state};
  BASIN_TRY(basin__line_search(&line, &result));
  *taken = result.outcome == BASIN_LINE_WOLFE || result.outcome == BASIN_LINE_DECREASE;
  bool stop = false;
  if (*taken && !result.last) BASIN_TRY(evaluate(state, result.point.t, &result.point, &stop));
  if (*taken) return accept(state, &result.point);
  if (result.outcome == BASIN_LINE_UNBOUNDED) state->reason = BASIN_STOP_DIVERGED;
  if (result.outcome == BASIN_LINE_STOPPED) state->reason = BASIN_STOP_INTERRUPTED;
  return move(state, state->x);
}

static basin_status try_direction(basin_first_order_state *state, bool *taken)
{
  *taken = false;
  BASIN_TRY(basin__descent_direction(state));
  choose_first(state);
  if (state->first_gain == 0) {
    state->first_gain = state->first * state->slope / 2;
    state->scale += state->first * state->direction_norm;
  }
  BASIN_TRY(filter(state));
  if (state->reason == BASIN_STOP_REASON_COUNT) BASIN_TRY(search(state, taken));
  return BASIN_OK;
}

/* A step; along the gradient if what was learnt leads to none. */
static basin_status step(basin_first_order_state *state, bool *taken)
{
  BASIN_TRY(try_direction(state, taken));
  if (*taken || state->reason != BASIN_STOP_REASON_COUNT) return BASIN_OK;
  if (!state->along_gradient) {
    basin__descent_forget(state);
    state->restarted = true;
    BASIN_TRY(try_direction(state, taken));
    if (*taken || state->reason != BASIN_STOP_REASON_COUNT) return BASIN_OK;
  }
  state->reason = state->first * state->slope <= NOISE_LIMIT * state->noise
                      ? end_of_rounding(state)
                      : BASIN_STOP_LINE_SEARCH_FAILED;
  return BASIN_OK;
}

/* ---- iterations ---- */

static bool gradient_small(const basin_first_order_state *state)
{
  return state->gradient_norm == 0 || (state->options->rule == BASIN_STOP_RULE_GRADIENT &&
                                       state->gradient_norm <= state->options->tolerance);
}

/* After a step. Rules that look at it do not count while nothing was learnt, nor where a filter
 * ended it. */
static bool converged(const basin_first_order_state *state)
{
  const basin_first_order_options *options = state->options;
  if (gradient_small(state)) return true;
  if (state->report->iterations < 2 || state->bounded) return false;
  if (options->rule == BASIN_STOP_RULE_STEP)
    return state->alpha * state->direction_norm / options->step_scale <= options->tolerance;
  return options->rule == BASIN_STOP_RULE_DECREMENT && state->gain <= options->tolerance;
}

static bool report_iteration(const basin_first_order_state *state, double start)
{
  char flags[4];
  size_t length = 0;
  if (!state->options->monitor) return true;
  if (state->filtered) flags[length++] = 'f';
  if (state->restarted) flags[length++] = 's';
  if (state->trials > 1) flags[length++] = 'l';
  flags[length] = 0;
  basin_iteration iteration = {.number = state->report->iterations,
                               .energy = state->energy,
                               .gradient_norm = state->gradient_norm,
                               .direction_norm = state->direction_norm,
                               .alpha = state->alpha,
                               .line_search_trials = state->trials,
                               .flags = flags,
                               .seconds = basin__seconds() - start};
  return state->options->monitor(state->options->monitor_user, &iteration);
}

/* What a step that was taken says about going on. */
static basin_status after_step(basin_first_order_state *state, double start)
{
  double largest;
  ++state->report->iterations;
  if (state->report->iterations == 1)
    state->scale = fmax(state->scale, state->alpha * state->direction_norm);
  BASIN_TRY(state->engine->largest(state->minimizer, state->vectors.size, state->x, &largest));
  if (largest > RUN_AWAY * state->scale)
    state->reason = BASIN_STOP_DIVERGED;
  else if (converged(state))
    state->reason = BASIN_STOP_CONVERGED;
  else if (state->noise_steps >= NOISE_STEPS)
    state->reason = end_of_rounding(state);
  if (!report_iteration(state, start)) state->reason = BASIN_STOP_INTERRUPTED;
  return BASIN_OK;
}

static basin_status iterate(basin_first_order_state *state)
{
  state->reason = gradient_small(state) ? BASIN_STOP_CONVERGED : BASIN_STOP_REASON_COUNT;
  while (state->reason == BASIN_STOP_REASON_COUNT) {
    double start = basin__seconds();
    bool taken;
    if (state->report->iterations >= state->options->max_iterations) {
      state->reason = BASIN_STOP_ITERATION_LIMIT;
    } else if (!basin__course_goes_on(state->minimizer->context,
                                      basin_first_order_word(state->options->method),
                                      state->report->iterations,
                                      state->options->max_iterations)) {
      state->reason = BASIN_STOP_INTERRUPTED;
    } else {
      state->trials = 0;
      state->filtered = state->restarted = false;
      BASIN_TRY(step(state, &taken));
      if (taken) BASIN_TRY(after_step(state, start));
    }
  }
  return BASIN_OK;
}

/* Energy and gradient at the start; state->x has been read. */
static basin_status start_state(basin_first_order_state *state)
{
  basin_minimizer *minimizer = state->minimizer;
  if (state->options->refresh)
    BASIN_TRY(state->options->refresh(state->options->refresh_user, minimizer));
  BASIN_TRY(basin_minimizer_energy(minimizer, &state->energy, state->per_term));
  BASIN_TRY(assemble(state));
  state->noise = state->first_noise = noise(state);
  BASIN_TRY(
      basin__vectors_copy(&state->vectors, state->engine->gradient(minimizer), state->gradient));
  BASIN_TRY(state->engine->gradient_largest(minimizer, &state->gradient_norm));
  state->first_gradient = state->least_gradient = state->gradient_norm;
  BASIN_TRY(basin__vectors_dot(
      &state->vectors, state->gradient, state->gradient, &state->squared_gradient));
  return state->engine->largest(minimizer, state->vectors.size, state->x, &state->scale);
}

static basin_status run(basin_first_order_state *state)
{
  BASIN_TRY(basin__minimizer_kernels(state->minimizer, BASIN_NEED_VALUE | BASIN_NEED_GRADIENT));
  BASIN_TRY(state->engine->targets_read(state->minimizer, state->x));
  basin_status status = start_state(state);
  if (status == BASIN_OK) status = iterate(state);
  return basin__course_end(
      state->minimizer, status, state->x, state->report->iterations, &state->reason);
}

static basin_status reserve(basin_first_order_state *state)
{
  basin_minimizer *minimizer = state->minimizer;
  BASIN_TRY(basin__minimizer_layout(minimizer));
  state->vectors = (basin_vectors){
      state->engine, minimizer, minimizer->layout.node_count * minimizer->layout.block};
  state->per_term =
      basin__calloc(minimizer->context, minimizer->term_count + 1, sizeof *state->per_term);
  if (!state->per_term) return BASIN_ERROR_MEMORY;
  return basin__descent_reserve(state);
}

basin_status basin_first_order(basin_minimizer *minimizer,
                               const basin_first_order_options *options,
                               basin_newton_report *report)
{
  basin_context *context = minimizer->context;
  basin_first_order_options chosen =
      options ? *options : basin_first_order_options_defaults(BASIN_METHOD_LBFGS);
  basin_newton_report result = {.size = sizeof result, .reason = BASIN_STOP_ERROR};
  double pairs = minimizer->seconds_pairs, pair_energy = minimizer->seconds_pair_energy;
  double start = basin__seconds();
  if (report) *report = result;
  BASIN_TRY(check_options(context, &chosen));
  basin_first_order_state state = {.minimizer = minimizer,
                                   .engine = basin__solve_engine(minimizer),
                                   .options = &chosen,
                                   .report = &result,
                                   .reason = BASIN_STOP_ERROR};
  basin_status status = reserve(&state);
  if (status == BASIN_OK) status = run(&state);
  basin__descent_release(&state);
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
