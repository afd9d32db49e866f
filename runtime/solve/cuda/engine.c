/* Vectors and targets on a CUDA device, as the table of functions that the Newton driver calls.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/cuda/cuda_solve.h"

/* The structs that targets.cu gets. */
typedef struct target_task {
  uint64_t count, present, first, stride;
  uint32_t rows, cols, nodes, block;
  basin_address data, vector;
} target_task;

/* ---- state ---- */

static void destroy(basin_minimizer *minimizer)
{
  basin_cuda_solver *solver = minimizer->linear;
  basin_cuda *cuda = minimizer->device->cuda;
  basin__cuda_pcg_destroy(solver->pcg);
  basin__cuda_minres_destroy(solver->minres);
  basin__cuda_preconditioner_destroy(solver->preconditioner);
  basin__cuda_factor_destroy(solver->factor);
  basin_factor_destroy(solver->host_factor);
  for (int k = 0; k < BASIN_CUDA_VECTORS; ++k) basin__buffer_release(cuda, &solver->vectors[k]);
  basin__buffer_release(cuda, &solver->direction);
  basin__buffer_release(cuda, &solver->product);
  basin__buffer_release(cuda, &solver->given);
  basin__buffer_release(cuda, &solver->results);
  basin__buffer_release(cuda, &solver->items);
  basin__free_aligned(minimizer->context, solver->host, solver->host_capacity * sizeof(double));
  basin__free(minimizer->context, solver, sizeof *solver);
  minimizer->linear = NULL;
}

basin_status basin__cuda_solver(basin_minimizer *minimizer, basin_cuda_solver **result)
{
  if (!minimizer->linear) {
    basin_cuda_solver *solver = basin__calloc(minimizer->context, 1, sizeof *solver);
    if (!solver) return BASIN_ERROR_MEMORY;
    minimizer->linear = solver;
    minimizer->linear_destroy = destroy;
  }
  *result = minimizer->linear;
  return basin__buffer_reserve(minimizer->device->cuda, &(*result)->results, 16 * sizeof(double));
}

/* ---- vectors ---- */

static size_t unknowns(const basin_minimizer *minimizer)
{
  return minimizer->layout.node_count * minimizer->layout.block;
}

static bool
is_ours(const basin_minimizer *minimizer, const basin_cuda_solver *solver, basin_address a)
{
  bool ours = a == solver->direction.address || a == minimizer->device->gradient.address;
  for (int k = 0; k < BASIN_CUDA_VECTORS; ++k) ours = ours || a == solver->vectors[k].address;
  return ours && a != 0;
}

static basin_status accept(basin_minimizer *minimizer, const double *given, const double **vector)
{
  basin_cuda_solver *solver;
  size_t bytes = unknowns(minimizer) * sizeof(double);
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  *vector = given;
  if (bytes == 0 || is_ours(minimizer, solver, basin__address_of(given))) return BASIN_OK;
  BASIN_TRY(basin__buffer_reserve(minimizer->device->cuda, &solver->given, bytes));
  *vector = basin__vector_at(solver->given.address);
  return basin__cuda_upload(minimizer->device->cuda, solver->given.address, given, bytes);
}

static basin_status to_host(basin_minimizer *minimizer, const double *vector, const double **host)
{
  basin_cuda_solver *solver;
  size_t count = unknowns(minimizer);
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  *host = vector;
  if (count > 0 && !is_ours(minimizer, solver, basin__address_of(vector))) return BASIN_OK;
  if (count + 1 > solver->host_capacity) {
    double *fresh = basin__alloc_aligned(minimizer->context, (count + 1) * sizeof *fresh);
    if (!fresh) return BASIN_ERROR_MEMORY;
    basin__free_aligned(minimizer->context, solver->host, solver->host_capacity * sizeof *fresh);
    solver->host = fresh;
    solver->host_capacity = count + 1;
  }
  *host = solver->host;
  if (count == 0) return BASIN_OK;
  return basin__cuda_download(
      minimizer->device->cuda, solver->host, basin__address_of(vector), count * sizeof(double));
}

static basin_status vector_create(basin_minimizer *minimizer, size_t size, double **vector)
{
  basin_cuda_solver *solver;
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  for (int k = 0; k < BASIN_CUDA_VECTORS; ++k) {
    basin_buffer *buffer = &solver->vectors[k];
    if (solver->lent[k]) continue;
    BASIN_TRY(basin__buffer_reserve(minimizer->device->cuda, buffer, (size + 1) * sizeof **vector));
    solver->lent[k] = true;
    *vector = basin__vector_at(buffer->address);
    return BASIN_OK;
  }
  return BASIN_FAIL(
      minimizer->context, BASIN_ERROR_STATE, "too many minimizations of one minimizer at once");
}

static void vector_destroy(basin_minimizer *minimizer, size_t size, double *vector)
{
  basin_cuda_solver *solver = minimizer->linear;
  (void)size;
  for (int k = 0; solver && vector && k < BASIN_CUDA_VECTORS; ++k)
    if (solver->vectors[k].address == basin__address_of(vector)) solver->lent[k] = false;
}

static basin_status step(basin_minimizer *minimizer,
                         size_t size,
                         const double *x,
                         double alpha,
                         const double *direction,
                         double *to)
{
  return basin__cuda_combine(minimizer->device->cuda,
                             size,
                             basin__address_of(x),
                             -alpha,
                             basin__address_of(direction),
                             basin__address_of(to));
}

static basin_status
largest(basin_minimizer *minimizer, size_t size, const double *x, double *result)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_solver *solver;
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  basin_address at = solver->results.address;
  BASIN_TRY(basin__cuda_largest(device->cuda, &device->scratch, basin__address_of(x), size, at));
  return basin__cuda_download(device->cuda, result, at, sizeof *result);
}

/* The check of the assembly has brought it. */
static basin_status gradient_largest(basin_minimizer *minimizer, double *result)
{
  *result = minimizer->device->gradient_largest;
  return BASIN_OK;
}

static basin_status
judge(basin_minimizer *minimizer, size_t size, const double *direction, double *most, double *slope)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_address d = basin__address_of(direction);
  basin_cuda_solver *solver;
  double both[2];
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  basin_address at = solver->results.address;
  BASIN_TRY(basin__cuda_largest(device->cuda, &device->scratch, d, size, at));
  BASIN_TRY(basin__cuda_dot(
      device->cuda, &device->scratch, d, device->gradient.address, size, at + sizeof(double)));
  BASIN_TRY(basin__cuda_download(device->cuda, both, at, sizeof both));
  *most = both[0];
  *slope = both[1];
  return BASIN_OK;
}

static const double *gradient(const basin_minimizer *minimizer)
{
  return basin__vector_at(minimizer->device->gradient.address);
}

static basin_status blend(basin_minimizer *minimizer,
                          size_t size,
                          double a,
                          const double *x,
                          double b,
                          const double *y,
                          double *to)
{
  return basin__cuda_blend(minimizer->device->cuda,
                           size,
                           a,
                           basin__address_of(x),
                           b,
                           basin__address_of(y),
                           basin__address_of(to));
}

static basin_status dots(basin_minimizer *minimizer,
                         size_t size,
                         const basin_vector_pair *pairs,
                         size_t count,
                         double *results)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda_solver *solver;
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  basin_address at = solver->results.address;
  for (size_t k = 0; k < count; ++k)
    BASIN_TRY(basin__cuda_dot(device->cuda,
                              &device->scratch,
                              basin__address_of(pairs[k].a),
                              basin__address_of(pairs[k].b),
                              size,
                              at + k * sizeof *results));
  return basin__cuda_download(device->cuda, results, at, count * sizeof *results);
}

/* ---- dense matrices: one thread an entry, or a row of a product ---- */

static basin_status dense_identity(basin_minimizer *minimizer, size_t size, double scale, double *H)
{
  return basin__cuda_simple(
      minimizer, "dense.cu", "dense_identity", "", size * size, (void *[]){&size, &scale, &H});
}

static basin_status dense_multiply(
    basin_minimizer *minimizer, size_t size, const double *H, const double *x, double *to)
{
  return basin__cuda_simple(
      minimizer, "dense.cu", "dense_multiply", "", size, (void *[]){&size, &H, &x, &to});
}

static basin_status
dense_change(basin_minimizer *minimizer, size_t size, const basin_dense_change *change, double *H)
{
  basin_dense_change copy = *change;
  return basin__cuda_simple(
      minimizer, "dense.cu", "dense_change", "", size * size, (void *[]){&size, &copy, &H});
}

/* ---- targets ---- */

static basin_status move_target(basin_minimizer *minimizer,
                                size_t number,
                                const char *entry,
                                size_t items,
                                basin_address data,
                                basin_address vector)
{
  const basin_target *target = &minimizer->layout.targets[number];
  size_t present = minimizer->system->spaces[target->space].count;
  target_task task = {.count = target->count < present ? target->count : present,
                      .present = present,
                      .first = target->first,
                      .stride = target->stride,
                      .rows = target->rows,
                      .cols = target->cols,
                      .nodes = target->nodes,
                      .block = minimizer->layout.block,
                      .data = data,
                      .vector = vector};
  return basin__cuda_simple(minimizer, "targets.cu", entry, "", items, (void *[]){&task});
}

static basin_status targets_read(basin_minimizer *minimizer, double *x)
{
  for (size_t k = 0; k < minimizer->layout.target_count; ++k) {
    const basin_target *target = &minimizer->layout.targets[k];
    basin_address data;
    BASIN_TRY(basin__array_on_device(minimizer->system, target->array, &data));
    BASIN_TRY(move_target(
        minimizer, k, "read_target", target->count * target->size, data, basin__address_of(x)));
  }
  return BASIN_OK;
}

static basin_status targets_write(basin_minimizer *minimizer, const double *x)
{
  for (size_t k = 0; k < minimizer->layout.target_count; ++k) {
    const basin_target *target = &minimizer->layout.targets[k];
    size_t present = minimizer->system->spaces[target->space].count;
    basin_address data;
    BASIN_TRY(basin__array_write_on_device(minimizer->system, target->array, &data));
    BASIN_TRY(move_target(
        minimizer, k, "write_target", present * target->size, data, basin__address_of(x)));
    basin__array_written_on_device(minimizer->system, target->array);
  }
  return BASIN_OK;
}

/* ---- the matrix ---- */

static basin_status shift(basin_minimizer *minimizer, double amount)
{
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  return basin__cuda_bsr_add_diagonal(minimizer->device->cuda, &matrix.parts[0], amount, 0);
}

static basin_status read_diagonal(basin_minimizer *minimizer, basin_address *address)
{
  basin_cuda_solver *solver;
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  BASIN_TRY(basin__buffer_reserve(
      minimizer->device->cuda, &solver->product, (unknowns(minimizer) + 1) * sizeof(double)));
  *address = solver->product.address;
  return basin__cuda_matrix_diagonal(minimizer->device->cuda, &matrix, *address);
}

static basin_status diagonal(basin_minimizer *minimizer, double *result)
{
  basin_address address;
  BASIN_TRY(read_diagonal(minimizer, &address));
  if (minimizer->matrix_held) BASIN_TRY(basin__cuda_hold_vector(minimizer, address));
  return largest(minimizer, unknowns(minimizer), basin__vector_at(address), result);
}

/* Marks are ones and zeros: their product with themselves counts them. */
static basin_status fill(basin_minimizer *minimizer, double number, size_t *count)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_matrix matrix = basin__cuda_minimizer_matrix(minimizer);
  basin_address marks, gradient = minimizer->device->gradient.address;
  uint64_t size = unknowns(minimizer);
  double found = 0;
  *count = 0;
  if (size == 0) return BASIN_OK;
  BASIN_TRY(read_diagonal(minimizer, &marks));
  void *parameters[] = {&size, &gradient, &marks};
  BASIN_TRY(basin__cuda_simple(minimizer, "targets.cu", "mark_empty", "", size, parameters));
  basin_vector_pair pair = {basin__vector_at(marks), basin__vector_at(marks)};
  BASIN_TRY(dots(minimizer, size, &pair, 1, &found));
  *count = (size_t)found;
  if (*count == 0) return BASIN_OK;
  return basin__cuda_bsr_add_diagonal(cuda, &matrix.parts[0], number, marks);
}

static basin_status hold(basin_minimizer *minimizer, double *vector)
{
  return basin__cuda_hold_vector(minimizer, basin__address_of(vector));
}

const basin_solve_engine basin__solve_engine_cuda = {.accept = accept,
                                                     .to_host = to_host,
                                                     .vector_create = vector_create,
                                                     .vector_destroy = vector_destroy,
                                                     .targets_read = targets_read,
                                                     .targets_write = targets_write,
                                                     .step = step,
                                                     .blend = blend,
                                                     .dots = dots,
                                                     .gradient = gradient,
                                                     .dense_identity = dense_identity,
                                                     .dense_multiply = dense_multiply,
                                                     .dense_change = dense_change,
                                                     .largest = largest,
                                                     .gradient_largest = gradient_largest,
                                                     .judge = judge,
                                                     .shift = shift,
                                                     .diagonal = diagonal,
                                                     .fill = fill,
                                                     .hold = hold,
                                                     .solve = basin__cuda_solve,
                                                     .inversion = basin__cuda_inversion,
                                                     .plane = basin__cuda_plane,
                                                     .motion = basin__cuda_motion,
                                                     .device_motion = basin__cuda_device_motion};
