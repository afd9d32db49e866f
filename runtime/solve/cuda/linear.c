/* The linear system of a minimizer on a CUDA device: choice of a solver, what is kept between
 * solves. SPDX-License-Identifier: Apache-2.0 */
#include "solve/cuda/cuda_solve.h"
#include <math.h>
#include <stdio.h>

/* ---- direct ---- */

/* solver->factor stays NULL where no library factorizes on the device. */
static basin_status need_factor(basin_minimizer *minimizer, basin_cuda_solver *solver)
{
  if (solver->factor || solver->no_library) return BASIN_OK;
  basin_status status =
      basin__cuda_factor_create(minimizer->device->cuda, BASIN_FACTOR_CHOLESKY, &solver->factor);
  if (status != BASIN_ERROR_MISSING_LIBRARY) return status;
  solver->no_library = true;
  basin__error_clear(minimizer->context);
  return BASIN_OK;
}

static basin_status
solve_on_device(basin_minimizer *minimizer, basin_cuda_solver *solver, basin_address b)
{
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  if (solver->factor_version != minimizer->matrix_version) {
    solver->factor_version = 0;
    BASIN_TRY(basin__cuda_factor_update(solver->factor, &matrix));
    solver->factor_version = minimizer->matrix_version;
  }
  return basin__cuda_factor_solve(solver->factor, 1, b, solver->direction.address);
}

/* The matrix is copied to the host, with what was added to its diagonal. */
static basin_status factorize_on_host(basin_minimizer *minimizer, basin_cuda_solver *solver)
{
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  basin_bsr *copy = NULL;
  if (!solver->host_factor)
    BASIN_TRY(
        basin_factor_create(minimizer->context, BASIN_FACTOR_CHOLESKY, NULL, &solver->host_factor));
  if (solver->host_factor_version == minimizer->matrix_version) return BASIN_OK;
  solver->host_factor_version = 0;
  BASIN_TRY(basin__cuda_matrix_download(minimizer->device->cuda, &matrix, &copy));
  basin_status status = basin_factor_update_bsr(solver->host_factor, copy);
  basin_bsr_destroy(copy);
  if (status == BASIN_OK) solver->host_factor_version = minimizer->matrix_version;
  return status;
}

static basin_status
solve_on_host(basin_minimizer *minimizer, basin_cuda_solver *solver, basin_address b)
{
  size_t size = solver->size, bytes = size * sizeof(double);
  BASIN_TRY(factorize_on_host(minimizer, solver));
  double *both = basin__alloc_aligned(minimizer->context, 2 * bytes);
  if (!both) return BASIN_ERROR_MEMORY;
  basin_status status = basin__cuda_download(minimizer->device->cuda, both, b, bytes);
  if (status == BASIN_OK) status = basin_factor_solve(solver->host_factor, 1, both, both + size);
  if (status == BASIN_OK)
    status =
        basin__cuda_upload(minimizer->device->cuda, solver->direction.address, both + size, bytes);
  basin__free_aligned(minimizer->context, both, 2 * bytes);
  return status;
}

static basin_status solve_direct(basin_minimizer *minimizer,
                                 basin_cuda_solver *solver,
                                 basin_address b,
                                 basin_solve_report *report)
{
  BASIN_TRY(need_factor(minimizer, solver));
  basin_status status =
      solver->factor ? solve_on_device(minimizer, solver, b) : solve_on_host(minimizer, solver, b);
  if (!basin__factor_outcome(status, &report->status)) return status;
  if (status != BASIN_OK) {
    basin__error_clear(minimizer->context);
    BASIN_TRY(basin__cuda_zero(
        minimizer->device->cuda, solver->direction.address, solver->size * sizeof(double)));
  }
  basin_factor_info info = solver->factor ? basin__cuda_factor_information(solver->factor)
                                          : basin_factor_information(solver->host_factor);
  report->factorizations = (unsigned)info.factorizations;
  report->symbolic_factorizations = (unsigned)info.analyses;
  return BASIN_OK;
}

/* ---- iterative ---- */

static basin_status create_jacobi(basin_minimizer *minimizer, basin_cuda_solver *solver)
{
  const basin_layout *layout = &minimizer->layout;
  size_t count;
  basin_node_range *ranges;
  BASIN_TRY(basin__minimizer_instances(minimizer, &ranges, &count));
  basin_status status = basin__cuda_preconditioner_create(minimizer->device->cuda,
                                                          (uint32_t)layout->node_count,
                                                          layout->block,
                                                          count,
                                                          ranges,
                                                          &solver->preconditioner);
  basin__free(minimizer->context, ranges, (count + 1) * sizeof *ranges);
  return status;
}

static basin_status make_preconditioner(basin_minimizer *minimizer,
                                        basin_cuda_solver *solver,
                                        basin_preconditioner_kind kind)
{
  const basin_layout *layout = &minimizer->layout;
  if (kind == BASIN_PRECONDITIONER_AUTO) kind = BASIN_PRECONDITIONER_BLOCK_JACOBI;
  if (solver->preconditioner && solver->preconditioner_layout == layout->version &&
      solver->preconditioner_kind == kind)
    return BASIN_OK;
  basin__cuda_preconditioner_destroy(solver->preconditioner);
  solver->preconditioner = NULL;
  solver->preconditioner_version = 0;
  solver->preconditioner_layout = layout->version;
  solver->preconditioner_kind = kind;
  if (kind == BASIN_PRECONDITIONER_SCHWARZ)
    return basin__cuda_preconditioner_create_schwarz(minimizer->device->cuda,
                                                     (uint32_t)layout->node_count,
                                                     layout->block,
                                                     &solver->preconditioner);
  return create_jacobi(minimizer, solver);
}

/* *finite false: the matrix is not, and the direction is zero. */
static basin_status update_preconditioner(basin_minimizer *minimizer,
                                          basin_cuda_solver *solver,
                                          const basin_cuda_matrix *matrix,
                                          bool *finite)
{
  *finite = true;
  if (solver->preconditioner_version == minimizer->matrix_version) return BASIN_OK;
  solver->preconditioner_version = 0;
  basin_status status = basin__cuda_preconditioner_update(solver->preconditioner, matrix, NULL);
  if (status == BASIN_ERROR_NOT_FINITE) {
    *finite = false;
    basin__error_clear(minimizer->context);
    return basin__cuda_zero(
        minimizer->device->cuda, solver->direction.address, solver->size * sizeof(double));
  }
  if (status == BASIN_OK) solver->preconditioner_version = minimizer->matrix_version;
  return status;
}

static basin_status run_iterative(basin_minimizer *minimizer,
                                  basin_cuda_solver *solver,
                                  const basin_cuda_matrix *matrix,
                                  basin_address b,
                                  const basin_solve_options *options,
                                  basin_solver_kind kind,
                                  basin_linear_result *result)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_address x = solver->direction.address;
  basin_linear_options linear = basin__iterative_options_of(options, solver->solved);
  basin_cuda_pcg_options device = {.single = options->single_precision};
  if (kind == BASIN_SOLVER_MINRES) {
    if (!solver->minres) BASIN_TRY(basin__cuda_minres_create(cuda, &solver->minres));
    return basin__cuda_minres_solve(
        solver->minres, matrix, solver->preconditioner, b, x, &linear, result);
  }
  if (!solver->pcg) BASIN_TRY(basin__cuda_pcg_create(cuda, &solver->pcg));
  return basin__cuda_pcg_solve(
      solver->pcg, matrix, solver->preconditioner, b, x, &linear, &device, result);
}

/* Texts that the first matrix has not come to: those of a solver and a preconditioner other than
 * the usual ones, compiled side by side. */
static basin_status prepare_texts(basin_minimizer *minimizer,
                                  basin_cuda_solver *solver,
                                  const basin_solve_options *options,
                                  basin_solver_kind kind)
{
  bool minres = kind == BASIN_SOLVER_MINRES,
       schwarz = options->preconditioner == BASIN_PRECONDITIONER_SCHWARZ;
  unsigned bit = 1u << (minres + 2 * schwarz);
  char texts[48];
  basin_cuda_wanted wanted[3];
  size_t count = 0;
  if (solver->prepared & bit) return BASIN_OK;
  snprintf(texts, sizeof texts, "-DBLOCK=%u -DNUMBER=double", minimizer->layout.block);
  if (minres) wanted[count++] = (basin_cuda_wanted){"minres.cu", texts};
  if (schwarz) {
    wanted[count++] = (basin_cuda_wanted){"schwarz.cu", texts};
    wanted[count++] = (basin_cuda_wanted){"collapse.cu", texts};
  }
  if (count > 0) BASIN_TRY(basin__cuda_prepare(minimizer->device->cuda, wanted, count));
  solver->prepared |= bit;
  return BASIN_OK;
}

/* PCG or MINRES. */
static basin_status solve_iterative(basin_minimizer *minimizer,
                                    basin_cuda_solver *solver,
                                    basin_address b,
                                    const basin_solve_options *options,
                                    basin_solve_report *report)
{
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  basin_linear_result result;
  bool finite;
  basin_address held = 0;
  BASIN_TRY(prepare_texts(minimizer, solver, options, report->kind));
  BASIN_TRY(make_preconditioner(minimizer, solver, options->preconditioner));
  BASIN_TRY(update_preconditioner(minimizer, solver, &matrix, &finite));
  if (minimizer->matrix_held) BASIN_TRY(basin__cuda_held(minimizer, &held));
  basin__cuda_preconditioner_hold(solver->preconditioner, held);
  report->status = BASIN_LINEAR_NOT_FINITE;
  if (!finite) return BASIN_OK;
  BASIN_TRY(run_iterative(minimizer, solver, &matrix, b, options, report->kind, &result));
  report->status = result.status;
  report->iterations = (unsigned)result.iterations;
  return BASIN_OK;
}

/* ---- the whole ---- */

/* A constant matrix is factorized only where a library does it on the device. */
static basin_status
choose(basin_minimizer *minimizer, basin_cuda_solver *solver, basin_solver_kind *kind)
{
  bool direct = solver->size <= BASIN_DIRECT_LIMIT_SMALL;
  if (!direct && minimizer->values_key != 0 && solver->size <= BASIN_DIRECT_LIMIT_CONSTANT) {
    BASIN_TRY(need_factor(minimizer, solver));
    direct = solver->factor != NULL;
  }
  *kind = direct ? BASIN_SOLVER_DIRECT : BASIN_SOLVER_PCG;
  return BASIN_OK;
}

/* |b - A d| / |b|. */
static basin_status true_residual(basin_minimizer *minimizer,
                                  basin_cuda_solver *solver,
                                  basin_address b,
                                  double *result)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_scratch *scratch = &minimizer->device->scratch;
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  basin_address product = solver->product.address, at = solver->results.address;
  double squares[2];
  BASIN_TRY(basin__cuda_multiply(cuda, &matrix, solver->direction.address, product));
  BASIN_TRY(basin__cuda_combine(cuda, solver->size, b, -1, product, product));
  BASIN_TRY(basin__cuda_dot(cuda, scratch, product, product, solver->size, at));
  BASIN_TRY(basin__cuda_dot(cuda, scratch, b, b, solver->size, at + sizeof(double)));
  BASIN_TRY(basin__cuda_download(cuda, squares, at, sizeof squares));
  *result = squares[1] > 0 ? sqrt(squares[0] / squares[1]) : sqrt(squares[0]);
  return BASIN_OK;
}

static basin_status reserve(basin_minimizer *minimizer, basin_cuda_solver *solver)
{
  basin_cuda *cuda = minimizer->device->cuda;
  size_t size = minimizer->gradient_count, bytes = (size + 1) * sizeof(double);
  basin_address before = solver->direction.address;
  BASIN_TRY(basin__buffer_reserve(cuda, &solver->direction, bytes));
  BASIN_TRY(basin__buffer_reserve(cuda, &solver->product, bytes));
  solver->solved = solver->solved && solver->size == size && solver->direction.address == before;
  solver->size = size;
  return BASIN_OK;
}

/* As right_hand_side_of on the CPU; the copy is `given`. */
static basin_status
right_hand_side_of(basin_minimizer *minimizer, basin_cuda_solver *solver, basin_address *b)
{
  basin_cuda *cuda = minimizer->device->cuda;
  size_t bytes = solver->size * sizeof(double);
  bool own = *b == 0;
  if (own) *b = minimizer->device->gradient.address;
  if (!minimizer->matrix_held || solver->size == 0 || (own && minimizer->gradient_held))
    return BASIN_OK;
  if (*b != solver->given.address) {
    BASIN_TRY(basin__buffer_reserve(cuda, &solver->given, bytes));
    BASIN_TRY(basin__cuda_copy(cuda, solver->given.address, *b, bytes));
    *b = solver->given.address;
  }
  return basin__cuda_hold_vector(minimizer, *b);
}

static basin_status hold_direction(basin_minimizer *minimizer, const basin_cuda_solver *solver)
{
  if (!minimizer->matrix_held || solver->size == 0) return BASIN_OK;
  return basin__cuda_hold_vector(minimizer, solver->direction.address);
}

basin_status basin__cuda_solve(basin_minimizer *minimizer,
                               const basin_solve_options *options,
                               const double *right_hand_side,
                               const double **direction,
                               basin_solve_report *report)
{
  basin_cuda_solver *solver;
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  BASIN_TRY(reserve(minimizer, solver));
  basin_address b = right_hand_side ? basin__address_of(right_hand_side) : 0;
  BASIN_TRY(right_hand_side_of(minimizer, solver, &b));
  if (solver->solved) BASIN_TRY(hold_direction(minimizer, solver));
  report->kind = options->kind;
  if (options->kind == BASIN_SOLVER_AUTO) BASIN_TRY(choose(minimizer, solver, &report->kind));
  if (solver->size == 0)
    report->status = BASIN_LINEAR_ALREADY_CONVERGED;
  else if (report->kind == BASIN_SOLVER_DIRECT)
    BASIN_TRY(solve_direct(minimizer, solver, b, report));
  else
    BASIN_TRY(solve_iterative(minimizer, solver, b, options, report));
  solver->solved = basin_linear_status_good(report->status);
  BASIN_TRY(hold_direction(minimizer, solver));
  if (solver->size > 0) BASIN_TRY(true_residual(minimizer, solver, b, &report->residual));
  *direction = basin__vector_at(solver->direction.address);
  return BASIN_OK;
}
