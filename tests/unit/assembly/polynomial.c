/* Kernels written by hand for the tests of the runtime.
 * SPDX-License-Identifier: Apache-2.0 */
#include "polynomial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double random_number(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

uint32_t random_below(uint64_t *state, uint32_t limit)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % limit);
}

polynomial *polynomial_new(basin_system *system, unsigned block)
{
  polynomial *p = calloc(1, sizeof *p);
  if (!p) abort();
  p->system = system;
  for (int k = 0; k < 4; ++k) p->plans[k] = (polynomial_plan){p, (polynomial_kind)k};
  p->block = block;
  p->scale = p->weight = BASIN_NONE;
  return p;
}

void polynomial_access(polynomial *p,
                       basin_array_id array,
                       bool output,
                       const basin_path_step *steps,
                       size_t step_count)
{
  basin_unknown_access *access = &p->accesses[p->access_count++];
  unsigned rows, cols;
  basin_system_array_shape(p->system, array, NULL, &rows, &cols);
  *access = (basin_unknown_access){.access = {.array = array, .step_count = (uint32_t)step_count},
                                   .size = rows * cols,
                                   .first = 0,
                                   .rows = rows,
                                   .cols = cols,
                                   .output = output};
  for (size_t k = 0; k < step_count; ++k) access->access.steps[k] = steps[k];
  p->size += rows * cols;
  if (p->size > POLYNOMIAL_LOCAL || p->access_count > POLYNOMIAL_ACCESSES) abort();
}

void polynomial_random_energy(polynomial *p, uint64_t seed, bool quartic)
{
  size_t n = p->size;
  for (size_t i = 0; i < n; ++i) {
    p->b[i] = random_number(&seed);
    p->w[i] = quartic ? random_number(&seed) : 0;
    for (size_t j = 0; j <= i; ++j) p->A[i * n + j] = p->A[j * n + i] = random_number(&seed);
  }
}

void polynomial_random_map(
    polynomial *p, uint64_t seed, unsigned rows, unsigned cols, bool quadratic)
{
  size_t n = p->size;
  p->rows = rows;
  p->cols = cols;
  p->outputs = rows * cols;
  for (size_t m = 0; m < p->outputs; ++m) {
    p->o[m] = random_number(&seed);
    for (size_t i = 0; i < n; ++i) {
      p->L[m * n + i] = random_number(&seed);
      for (size_t j = 0; j <= i; ++j)
        p->Q[m][i * n + j] = p->Q[m][j * n + i] = quadratic ? random_number(&seed) : 0;
    }
  }
}

static uint32_t place(uint32_t *list, uint32_t *count, uint32_t id)
{
  for (uint32_t k = 0; k < *count; ++k)
    if (list[k] == id) return k;
  list[*count] = id;
  return (*count)++;
}

void polynomial_finish(polynomial *p)
{
  uint32_t arrays = 0, connectivities = 0, local = 0;
  for (size_t k = 0; k < p->access_count; ++k) {
    basin_unknown_access *access = &p->accesses[k];
    p->array_of[k] = place(p->arrays, &arrays, access->access.array);
    for (uint32_t s = 0; s < access->access.step_count; ++s) {
      basin_connectivity_id id = access->access.steps[s].connectivity;
      p->connectivity_of[k][s] = place(p->connectivities, &connectivities, id);
    }
    access->first = local;
    if (access->output) local += access->size;
  }
  if (p->scale != BASIN_NONE) p->scale_place = place(p->arrays, &arrays, p->scale);
  basin_kernel_info info = {.name = "polynomial",
                            .array_count = arrays,
                            .connectivity_count = connectivities,
                            .arrays = p->arrays,
                            .connectivities = p->connectivities,
                            .local_size = local,
                            .block = p->block,
                            .inner_size = local};
  p->value = p->gradient = p->hessian = p->compute = p->jacobian = info;
  p->value.stage = BASIN_STAGE_VALUE;
  p->gradient.stage = BASIN_STAGE_GRADIENT;
  p->hessian.stage = BASIN_STAGE_HESSIAN;
  p->compute.stage = p->jacobian.stage = BASIN_STAGE_COMPUTE;
  p->compute.output_size = p->outputs;
  bool affine = true;
  for (size_t m = 0; m < p->outputs; ++m)
    for (size_t k = 0; k < p->size * p->size; ++k) affine = affine && p->Q[m][k] == 0;
  if (affine) p->jacobian.array_count = p->jacobian.connectivity_count = 0; /* it reads nothing */
  p->jacobian.output_size = p->outputs * local;
  if (p->weight != BASIN_NONE) p->weight_place = place(p->arrays, &arrays, p->weight);
  info.array_count = arrays;
  p->curvature = info;
  p->curvature.stage = BASIN_STAGE_HESSIAN;
}

/* ---- local evaluation ---- */

static size_t stored_at(const polynomial *p, const basin_unknown_access *access, size_t local)
{
  size_t node = local / p->block, i = local % p->block;
  return access->rows == p->block ? i * access->cols + node : local;
}

void polynomial_gather(const polynomial *p,
                       const double *const *arrays,
                       const uint32_t *const *indices,
                       size_t element,
                       double *u)
{
  for (size_t k = 0; k < p->access_count; ++k) {
    const basin_unknown_access *access = &p->accesses[k];
    size_t instance = element;
    for (uint32_t s = 0; s < access->access.step_count; ++s) {
      const basin_path_step *step = &access->access.steps[s];
      instance =
          indices[p->connectivity_of[k][s]]
                 [instance * p->system->connectivities[step->connectivity].arity + step->slot];
    }
    if (p->system->spaces[p->system->arrays[access->access.array]->space].shared) instance = 0;
    const double *data = arrays[p->array_of[k]] + instance * access->size;
    for (size_t i = 0; i < access->size; ++i) *u++ = data[stored_at(p, access, i)];
  }
}

double polynomial_energy(
    const polynomial *p, double scale, const double *u, double *gradient, double *hessian)
{
  size_t n = p->size;
  double quadratic = 0, linear = 0, z = 0;
  if (p->function) return p->function(u, gradient, hessian);
  for (size_t i = 0; i < n; ++i) z += p->w[i] * u[i];
  for (size_t i = 0; i < n; ++i) {
    double row = 0;
    for (size_t j = 0; j < n; ++j) row += p->A[i * n + j] * u[j];
    quadratic += row * u[i];
    linear += p->b[i] * u[i];
    if (gradient) gradient[i] = scale * (row + p->b[i] + z * z * z / 6 * p->w[i]);
    for (size_t j = 0; j < n && hessian; ++j)
      hessian[i * n + j] = scale * (p->A[i * n + j] + z * z / 2 * p->w[i] * p->w[j]);
  }
  return scale * (quadratic / 2 + linear + z * z * z * z / 24);
}

void polynomial_map(const polynomial *p, const double *u, double *values, double *jacobian)
{
  size_t n = p->size;
  for (size_t m = 0; m < p->outputs; ++m) {
    double value = p->o[m];
    for (size_t i = 0; i < n; ++i) {
      double row = 0;
      for (size_t j = 0; j < n; ++j) row += p->Q[m][i * n + j] * u[j];
      value += (p->L[m * n + i] + row / 2) * u[i];
      if (jacobian) jacobian[m * n + i] = p->L[m * n + i] + row;
    }
    if (values) values[m] = value;
  }
}

/* ---- kernels ---- */

/* Local unknowns with output: their places in u. */
static size_t outputs_of(const polynomial *p, size_t *places)
{
  size_t count = 0, place_in_u = 0;
  for (size_t k = 0; k < p->access_count; ++k)
    for (size_t i = 0; i < p->accesses[k].size; ++i, ++place_in_u)
      if (p->accesses[k].output) places[count++] = place_in_u;
  return count;
}

/* Negative eigenvalues of a symmetric matrix become zero or change sign: cyclic Jacobi, values and
 * vectors. */
static void project(double *H, size_t n, bool absolute)
{
  double V[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL] = {0}, D[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL];
  memcpy(D, H, n * n * sizeof *D);
  for (size_t i = 0; i < n; ++i) V[i * n + i] = 1;
  double off = 1;
  for (int sweep = 0; sweep < 60 && off > 0; ++sweep) {
    off = 0;
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q) {
        if (fabs(D[p * n + q]) < 1e-15 * (fabs(D[p * n + p]) + fabs(D[q * n + q]))) continue;
        off = 1;
        double theta = 0.5 * atan2(2 * D[p * n + q], D[q * n + q] - D[p * n + p]), c = cos(theta),
               s = sin(theta);
        for (size_t k = 0; k < n; ++k) {
          double a = D[k * n + p], b = D[k * n + q];
          D[k * n + p] = c * a - s * b;
          D[k * n + q] = s * a + c * b;
        }
        for (size_t k = 0; k < n; ++k) {
          double a = D[p * n + k], b = D[q * n + k];
          D[p * n + k] = c * a - s * b;
          D[q * n + k] = s * a + c * b;
          a = V[k * n + p], b = V[k * n + q];
          V[k * n + p] = c * a - s * b;
          V[k * n + q] = s * a + c * b;
        }
      }
  }
  memset(H, 0, n * n * sizeof *H);
  for (size_t k = 0; k < n; ++k) {
    double value = D[k * n + k];
    if (value < 0) value = absolute ? -value : 0;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) H[i * n + j] += value * V[i * n + k] * V[j * n + k];
  }
}

static void add_direct(const polynomial *p,
                       const basin_kernel_args *args,
                       size_t element,
                       size_t local,
                       const double *g,
                       const double *H)
{
  size_t b = p->block, N = local / b, P = N * (N + 1) / 2;
  const uint32_t *nodes = args->nodes + element * N;
  for (size_t a = 0; a < N && args->gradient; ++a)
    for (size_t i = 0; i < b && nodes[a] != BASIN_NONE; ++i)
      args->gradient[nodes[a] * b + i] += g[a * b + i];
  if (!args->values || !H) return;
  const uint32_t *slots = args->slots + element * P;
  for (size_t a = 0, pair = 0; a < N; ++a)
    for (size_t c = a; c < N; ++c, ++pair) {
      if (slots[pair] == BASIN_NONE) continue;
      double *out = args->values + (size_t)(slots[pair] & BASIN_SLOT_MASK) * b * b;
      for (size_t i = 0; i < b; ++i)
        for (size_t j = 0; j < b; ++j) {
          double value = H[(a * b + i) * local + c * b + j],
                 other = H[(a * b + j) * local + c * b + i];
          if (slots[pair] & BASIN_SLOT_TWICE)
            out[i * b + j] += value + other;
          else
            out[i * b + j] += slots[pair] & BASIN_SLOT_TRANSPOSED ? other : value;
        }
    }
}

static void store_local(
    const basin_kernel_args *args, size_t element, size_t local, const double *g, const double *H)
{
  size_t place_in_batch = element - args->begin, packed = local * (local + 1) / 2;
  if (args->local_gradient)
    memcpy(args->local_gradient + place_in_batch * local, g, local * sizeof *g);
  if (!args->local_hessian || !H) return;
  double *out = args->local_hessian + place_in_batch * packed;
  for (size_t i = 0; i < local; ++i)
    for (size_t j = i; j < local; ++j) *out++ = H[i * local + j];
}

static void deliver(const polynomial *p,
                    const basin_kernel_args *args,
                    size_t element,
                    const double *gradient,
                    double *hessian)
{
  size_t places[POLYNOMIAL_LOCAL], local = outputs_of(p, places), n = p->size;
  double g[POLYNOMIAL_LOCAL], H[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL];
  if (hessian && args->projection != BASIN_PROJECTION_NONE)
    project(hessian, n, args->projection == BASIN_PROJECTION_ABS);
  for (size_t i = 0; i < local; ++i) {
    g[i] = gradient[places[i]];
    for (size_t j = 0; j < local && hessian; ++j)
      H[i * local + j] = i <= j ? hessian[places[i] * n + places[j]]
                                : H[j * local + i]; /* the upper triangle, exactly mirrored */
  }
  if (args->nodes)
    add_direct(p, args, element, local, g, hessian ? H : NULL);
  else
    store_local(args, element, local, g, hessian ? H : NULL);
}

static void
energy_elements(const basin_kernel_args *args, polynomial *p, bool gradient, bool hessian)
{
  double u[POLYNOMIAL_LOCAL], g[POLYNOMIAL_LOCAL], H[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL];
  for (size_t e = args->begin; e < args->end; ++e) {
    double scale =
        p->scale == BASIN_NONE ? 1 : args->arrays[p->scale_place][p->scale_shared ? 0 : e];
    polynomial_gather(p, args->arrays, args->indices, e, u);
    double energy = polynomial_energy(p, scale, u, gradient ? g : NULL, hessian ? H : NULL);
    if (p->poison && e == p->poison_element) energy = (double)NAN;
    if (args->energy) args->energy[e - args->begin] = energy;
    if (args->energy_sum) *args->energy_sum += energy;
    if (gradient) deliver(p, args, e, g, hessian ? H : NULL);
  }
}

static void value_kernel(const basin_kernel_args *args, const void *self)
{
  energy_elements(args, ((const polynomial_plan *)self)->owner, false, false);
}
static void gradient_kernel(const basin_kernel_args *args, const void *self)
{
  energy_elements(args, ((const polynomial_plan *)self)->owner, true, false);
}
static void hessian_kernel(const basin_kernel_args *args, const void *self)
{
  polynomial *p = ((const polynomial_plan *)self)->owner;
  if (args->begin == 0) ++p->hessian_runs;
  energy_elements(args, p, true, true);
}

static void compute_kernel(const basin_kernel_args *args, const void *self)
{
  polynomial *p = ((const polynomial_plan *)self)->owner;
  double u[POLYNOMIAL_LOCAL];
  if (args->begin == 0) ++p->compute_runs;
  for (size_t e = args->begin; e < args->end; ++e) {
    polynomial_gather(p, args->arrays, args->indices, e, u);
    polynomial_map(p, u, args->output + e * p->outputs, NULL);
  }
}

static void jacobian_kernel(const basin_kernel_args *args, const void *self)
{
  polynomial *p = ((const polynomial_plan *)self)->owner;
  size_t places[POLYNOMIAL_LOCAL], local = outputs_of(p, places);
  double u[POLYNOMIAL_LOCAL] = {0}, J[12 * POLYNOMIAL_LOCAL];
  if (args->begin == 0) ++p->jacobian_runs;
  for (size_t e = args->begin; e < args->end; ++e) {
    if (p->jacobian.array_count > 0) polynomial_gather(p, args->arrays, args->indices, e, u);
    polynomial_map(p, u, NULL, J);
    for (size_t m = 0; m < p->outputs; ++m)
      for (size_t i = 0; i < local; ++i)
        args->output[(e * p->outputs + m) * local + i] = J[m * p->size + places[i]];
  }
}

static void curvature_kernel(const basin_kernel_args *args, const void *self)
{
  polynomial *p = ((const polynomial_plan *)self)->owner;
  double g[POLYNOMIAL_LOCAL] = {0}, H[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL];
  size_t n = p->size;
  for (size_t e = args->begin; e < args->end; ++e) {
    const double *weight = args->arrays[p->weight_place] + e * p->outputs;
    memset(H, 0, n * n * sizeof *H);
    for (size_t m = 0; m < p->outputs; ++m)
      for (size_t k = 0; k < n * n; ++k) H[k] += weight[m] * p->Q[m][k];
    deliver(p, args, e, g, H);
  }
}

basin_status polynomial_provider(void *user, basin_kernel_request *requests, size_t count)
{
  if (user) ++*(size_t *)user;
  for (size_t k = 0; k < count; ++k) {
    const polynomial_plan *plan = requests[k].plan;
    basin_kernel_function function = NULL;
    if (plan->kind == POLYNOMIAL_COMPUTE) function = compute_kernel;
    if (plan->kind == POLYNOMIAL_JACOBIAN) function = jacobian_kernel;
    if (plan->kind == POLYNOMIAL_CURVATURE) function = curvature_kernel;
    if (plan->kind == POLYNOMIAL_ENERGY)
      function = requests[k].stage == BASIN_STAGE_VALUE      ? value_kernel
                 : requests[k].stage == BASIN_STAGE_GRADIENT ? gradient_kernel
                                                             : hessian_kernel;
    requests[k].kernel = (basin_kernel){.function = function, .self = plan, .hash = ""};
  }
  return BASIN_OK;
}
