/* The linear system of a minimizer: choice of a solver, what is kept between solves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/engine.h"
#include <math.h>
#include <string.h>

/* AUTO: direct up to the limits of solve.h, else up to this number of operations for a
 * factorization: hundredths of a second, about what conjugate gradients take on a matrix that needs
 * as many. */
#define DIRECT_OPERATIONS 3e7
#define INSTANCE_LIMIT    256u /* unknowns an instance that a preconditioner inverts */

basin_solve_options basin_solve_options_defaults(void)
{
  return (basin_solve_options){.size = sizeof(basin_solve_options),
                               .kind = BASIN_SOLVER_AUTO,
                               .tolerance = 1e-6,
                               .max_iterations = 10000,
                               .warm_start = false};
}

static void linear_destroy(basin_minimizer *minimizer)
{
  basin_linear_state *state = minimizer->linear;
  basin_factor_destroy(state->factor);
  basin_pcg_destroy(state->pcg);
  basin_preconditioner_destroy(state->preconditioner);
  basin__free_aligned(minimizer->context, state->direction, state->capacity * sizeof(double));
  basin__free_aligned(minimizer->context, state->product, state->capacity * sizeof(double));
  basin__free(minimizer->context, state->given, state->given_capacity * sizeof(double));
  basin__free(minimizer->context, state, sizeof *state);
  minimizer->linear = NULL;
}

static basin_status linear_state(basin_minimizer *minimizer, basin_linear_state **result)
{
  basin_context *context = minimizer->context;
  basin_linear_state *state = minimizer->linear;
  if (!state) {
    state = basin__calloc(context, 1, sizeof *state);
    if (!state) return BASIN_ERROR_MEMORY;
    minimizer->linear = state;
    minimizer->linear_destroy = linear_destroy;
  }
  size_t size = minimizer->gradient_count;
  if (size > state->capacity) {
    double *direction = basin__alloc_aligned(context, size * sizeof *direction);
    double *product = direction ? basin__alloc_aligned(context, size * sizeof *product) : NULL;
    if (!product) {
      basin__free_aligned(context, direction, size * sizeof *direction);
      return BASIN_ERROR_MEMORY;
    }
    basin__free_aligned(context, state->direction, state->capacity * sizeof(double));
    basin__free_aligned(context, state->product, state->capacity * sizeof(double));
    state->direction = direction;
    state->product = product;
    state->capacity = size;
    state->solved = false;
  }
  state->solved = state->solved && state->size == size;
  state->size = size;
  *result = state;
  return BASIN_OK;
}

static basin_status need_factor(basin_minimizer *minimizer, basin_linear_state *state)
{
  if (state->factor) return BASIN_OK;
  return basin_factor_create(minimizer->context, BASIN_FACTOR_CHOLESKY, NULL, &state->factor);
}

/* Whether a factorization takes few operations. Asked once for a number of unknowns; each
 * factorization that is made corrects the answer. */
static basin_status cheap_factor(basin_minimizer *minimizer, basin_linear_state *state, bool *cheap)
{
  *cheap = false;
  if (state->predicted_size != state->size) {
    BASIN_TRY(need_factor(minimizer, state));
    state->predicted_size = state->size;
    state->operations = HUGE_VAL;
    state->factor_version = 0;
    basin_status status = basin_factor_predict_bsr(
        state->factor, minimizer->matrix, DIRECT_OPERATIONS, &state->operations);
    if (status == BASIN_ERROR_MEMORY) return status;
    if (status != BASIN_OK) { /* no library, or numbers that the solve will complain about */
      state->operations = HUGE_VAL;
      basin__error_clear(minimizer->context);
    }
    if (state->operations > DIRECT_OPERATIONS) { /* its copy of the matrix is of no more use */
      basin_factor_destroy(state->factor);
      state->factor = NULL;
    }
  }
  *cheap = state->operations <= DIRECT_OPERATIONS;
  return BASIN_OK;
}

static basin_status
choose(basin_minimizer *minimizer, basin_linear_state *state, basin_solver_kind *kind)
{
  bool direct = state->size <= BASIN_DIRECT_LIMIT_SMALL;
  if (!direct && state->size <= BASIN_DIRECT_LIMIT_CONSTANT) {
    /* Opening a library takes longer than many a solve: a factor that was made shows that it opens.
     */
    if (minimizer->values_key != 0)
      direct = (state->factor && state->factor_version != 0) ||
               basin_linear_library_available(minimizer->context, "CHOLMOD");
    else
      BASIN_TRY(cheap_factor(minimizer, state, &direct));
  }
  *kind = direct ? BASIN_SOLVER_DIRECT : BASIN_SOLVER_PCG;
  return BASIN_OK;
}

bool basin__factor_outcome(basin_status status, basin_linear_status *outcome)
{
  *outcome = BASIN_LINEAR_NOT_RUN;
  if (status == BASIN_OK) *outcome = BASIN_LINEAR_CONVERGED;
  if (status == BASIN_ERROR_INDEFINITE) *outcome = BASIN_LINEAR_INDEFINITE;
  if (status == BASIN_ERROR_SINGULAR) *outcome = BASIN_LINEAR_SINGULAR;
  if (status == BASIN_ERROR_NOT_FINITE) *outcome = BASIN_LINEAR_NOT_FINITE;
  return *outcome != BASIN_LINEAR_NOT_RUN;
}

static basin_status solve_direct(basin_minimizer *minimizer,
                                 basin_linear_state *state,
                                 const double *b,
                                 basin_solve_report *report)
{
  basin_status status = BASIN_OK;
  BASIN_TRY(need_factor(minimizer, state));
  if (state->factor_version != minimizer->matrix_version) {
    state->factor_version = 0;
    status = basin_factor_update_bsr(state->factor, minimizer->matrix);
    if (status == BASIN_OK) {
      state->factor_version = minimizer->matrix_version;
      state->predicted_size = state->size;
      state->operations = basin_factor_information(state->factor).operations;
    }
  }
  if (status == BASIN_OK) status = basin_factor_solve(state->factor, 1, b, state->direction);
  if (!basin__factor_outcome(status, &report->status)) return status;
  if (status != BASIN_OK) {
    basin__error_clear(minimizer->context);
    memset(state->direction, 0, state->size * sizeof(double));
  }
  return BASIN_OK;
}

basin_status basin__minimizer_instances(const basin_minimizer *minimizer,
                                        basin_node_range **ranges,
                                        size_t *count)
{
  *count = basin__layout_instances(&minimizer->layout, INSTANCE_LIMIT, NULL);
  *ranges = basin__alloc(minimizer->context, (*count + 1) * sizeof **ranges);
  if (!*ranges) return BASIN_ERROR_MEMORY;
  (void)basin__layout_instances(&minimizer->layout, INSTANCE_LIMIT, *ranges);
  return BASIN_OK;
}

basin_linear_options basin__iterative_options_of(const basin_solve_options *options, bool solved)
{
  basin_linear_options linear = basin_linear_options_defaults();
  linear.stop = BASIN_STOP_PRECONDITIONED;
  linear.tolerance = options->tolerance;
  linear.maximum_iterations = options->max_iterations;
  linear.use_initial_guess = options->warm_start && solved;
  return linear;
}

static basin_status make_preconditioner(basin_minimizer *minimizer,
                                        basin_linear_state *state,
                                        basin_preconditioner_kind kind)
{
  basin_context *context = minimizer->context;
  const basin_layout *layout = &minimizer->layout;
  if (kind == BASIN_PRECONDITIONER_AUTO) kind = BASIN_PRECONDITIONER_BLOCK_JACOBI;
  if (state->preconditioner && state->preconditioner_layout == layout->version &&
      state->preconditioner_kind == kind)
    return BASIN_OK;
  basin_preconditioner_destroy(state->preconditioner);
  state->preconditioner = NULL;
  state->preconditioner_version = 0;
  state->preconditioner_layout = layout->version;
  state->preconditioner_kind = kind;
  if (kind == BASIN_PRECONDITIONER_SCHWARZ)
    return basin_preconditioner_create_schwarz(
        context, (uint32_t)layout->node_count, layout->block, &state->preconditioner);
  size_t count;
  basin_node_range *ranges;
  BASIN_TRY(basin__minimizer_instances(minimizer, &ranges, &count));
  basin_status status = basin_preconditioner_create(
      context, (uint32_t)layout->node_count, layout->block, count, ranges, &state->preconditioner);
  basin__free(context, ranges, (count + 1) * sizeof *ranges);
  return status;
}

static basin_status run_iterative(basin_minimizer *minimizer,
                                  basin_linear_state *state,
                                  const double *b,
                                  const basin_solve_options *options,
                                  basin_solver_kind kind,
                                  basin_linear_result *result)
{
  basin_linear_options linear = basin__iterative_options_of(options, state->solved);
  if (kind == BASIN_SOLVER_MINRES)
    return basin_minres_solve(minimizer->context,
                              minimizer->matrix,
                              state->preconditioner,
                              b,
                              state->direction,
                              &linear,
                              result);
  if (!state->pcg) BASIN_TRY(basin_pcg_create(minimizer->context, &state->pcg));
  return basin_pcg_solve(
      state->pcg, minimizer->matrix, state->preconditioner, b, state->direction, &linear, result);
}

/* PCG or MINRES. */
static basin_status solve_iterative(basin_minimizer *minimizer,
                                    basin_linear_state *state,
                                    const double *b,
                                    const basin_solve_options *options,
                                    basin_solve_report *report)
{
  BASIN_TRY(make_preconditioner(minimizer, state, options->preconditioner));
  if (state->preconditioner_version != minimizer->matrix_version) {
    state->preconditioner_version = 0;
    basin_status status =
        basin_preconditioner_update(state->preconditioner, minimizer->matrix, NULL);
    if (status == BASIN_ERROR_NOT_FINITE) {
      basin__error_clear(minimizer->context);
      report->status = BASIN_LINEAR_NOT_FINITE;
      memset(state->direction, 0, state->size * sizeof(double));
      return BASIN_OK;
    }
    if (status != BASIN_OK) return status;
    state->preconditioner_version = minimizer->matrix_version;
  }
  basin_preconditioner_hold(state->preconditioner,
                            minimizer->matrix_held ? minimizer->hold.bits : NULL);
  basin_linear_result result;
  BASIN_TRY(run_iterative(minimizer, state, b, options, report->kind, &result));
  report->status = result.status;
  report->iterations = (unsigned)result.iterations;
  return BASIN_OK;
}

/* |b - A d| / |b|. */
static double
true_residual(const basin_minimizer *minimizer, const basin_linear_state *state, const double *b)
{
  double square = 0, scale = 0;
  basin_bsr_multiply(minimizer->matrix, state->direction, state->product);
  for (size_t k = 0; k < state->size; ++k) {
    double r = b[k] - state->product[k];
    square += r * r;
    scale += b[k] * b[k];
  }
  return scale > 0 ? sqrt(square / scale) : sqrt(square);
}

static basin_status check_options(basin_minimizer *minimizer, const basin_solve_options *options)
{
  basin_context *context = minimizer->context;
  if (!minimizer->assembled || !minimizer->has_matrix)
    return BASIN_FAIL(context, BASIN_ERROR_STATE, "there is no assembled system to solve");
  if (options->size != sizeof *options)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "solve options of unknown size %zu", options->size);
  if ((unsigned)options->kind > BASIN_SOLVER_MINRES)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "unknown linear solver %d", (int)options->kind);
  if ((unsigned)options->preconditioner > BASIN_PRECONDITIONER_SCHWARZ)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "unknown preconditioner %d", (int)options->preconditioner);
  if (!(options->tolerance > 0) || options->tolerance >= 1)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the solver's tolerance must lie between 0 and 1, not %g",
                      options->tolerance);
  return BASIN_OK;
}

/* The right-hand side that the matrix fits, once entries are held: the gradient of the same
 * assembly has nothing there, others are copied. */
static basin_status
right_hand_side_of(basin_minimizer *minimizer, basin_linear_state *state, const double **b)
{
  if (!*b && minimizer->gradient_held == minimizer->matrix_held) {
    *b = minimizer->gradient;
    return BASIN_OK;
  }
  const double *from = *b ? *b : minimizer->gradient;
  *b = from;
  if (!minimizer->matrix_held) return BASIN_OK;
  BASIN_TRY(basin__grow(minimizer->context,
                        &state->given,
                        &state->given_capacity,
                        state->size + 1,
                        sizeof *state->given));
  memcpy(state->given, from, state->size * sizeof *from);
  basin__hold_zero(&minimizer->hold, minimizer->layout.block, state->given);
  *b = state->given;
  return BASIN_OK;
}

/* Exact zeros, also in the start of an iteration and where rounding left something. */
static void hold_direction(const basin_minimizer *minimizer, const basin_linear_state *state)
{
  if (minimizer->matrix_held)
    basin__hold_zero(&minimizer->hold, minimizer->layout.block, state->direction);
}

basin_status basin__solve_cpu(basin_minimizer *minimizer,
                              const basin_solve_options *options,
                              const double *right_hand_side,
                              const double **direction,
                              basin_solve_report *report)
{
  basin_linear_state *state;
  BASIN_TRY(linear_state(minimizer, &state));
  const double *b = right_hand_side;
  BASIN_TRY(right_hand_side_of(minimizer, state, &b));
  if (state->solved) hold_direction(minimizer, state);
  report->kind = options->kind;
  if (options->kind == BASIN_SOLVER_AUTO) BASIN_TRY(choose(minimizer, state, &report->kind));
  if (state->size == 0) {
    report->status = BASIN_LINEAR_ALREADY_CONVERGED;
  } else if (report->kind == BASIN_SOLVER_DIRECT) {
    BASIN_TRY(solve_direct(minimizer, state, b, report));
  } else {
    BASIN_TRY(solve_iterative(minimizer, state, b, options, report));
  }
  if (state->factor) {
    basin_factor_info info = basin_factor_information(state->factor);
    report->factorizations = (unsigned)info.factorizations;
    report->symbolic_factorizations = (unsigned)info.analyses;
  }
  state->solved = basin_linear_status_good(report->status);
  hold_direction(minimizer, state);
  if (state->size > 0) report->residual = true_residual(minimizer, state, b);
  *direction = state->direction;
  return BASIN_OK;
}

/* ---- for all devices ---- */

basin_status basin__minimizer_solve(basin_minimizer *minimizer,
                                    const basin_solve_options *options,
                                    const double *right_hand_side,
                                    const double **direction,
                                    basin_solve_report *report)
{
  basin_solve_options chosen = options ? *options : basin_solve_options_defaults();
  basin_solve_report result = {.size = sizeof result};
  BASIN_TRY(check_options(minimizer, &chosen));
  BASIN_TRY(basin__solve_engine(minimizer)->solve(
      minimizer, &chosen, right_hand_side, direction, &result));
  if (report) *report = result;
  return BASIN_OK;
}

basin_status basin_minimizer_solve(basin_minimizer *minimizer,
                                   const basin_solve_options *options,
                                   const double *right_hand_side,
                                   const double **direction,
                                   basin_solve_report *report)
{
  const basin_solve_engine *engine = basin__solve_engine(minimizer);
  const double *given = NULL, *found;
  if (right_hand_side) BASIN_TRY(engine->accept(minimizer, right_hand_side, &given));
  BASIN_TRY(basin__minimizer_solve(minimizer, options, given, &found, report));
  return engine->to_host(minimizer, found, direction);
}

basin_status
basin_minimizer_vector(basin_minimizer *minimizer, const double *direction, const double **vector)
{
  return basin__solve_engine(minimizer)->to_host(minimizer, direction, vector);
}
