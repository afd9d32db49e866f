/* Quasi-Newton updates, the two-loop recursion, coefficients of conjugate gradients.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/update.h"

#include <string.h>

basin_status
basin__vectors_dot(const basin_vectors *vectors, const double *a, const double *b, double *result)
{
  basin_vector_pair pair = {a, b};
  return vectors->engine->dots(vectors->minimizer, vectors->size, &pair, 1, result);
}

basin_status basin__vectors_copy(const basin_vectors *vectors, const double *from, double *to)
{
  return vectors->engine->blend(vectors->minimizer, vectors->size, 1, from, 0, from, to);
}

/* ---- limited memory ---- */

static basin_status add(const basin_vectors *vectors, double factor, const double *x, double *to)
{
  return vectors->engine->blend(vectors->minimizer, vectors->size, 1, to, factor, x, to);
}

basin_status basin__two_loop(const basin_vectors *vectors,
                             const basin_history *history,
                             const double *x,
                             double *to)
{
  BASIN_TRY(basin__vectors_copy(vectors, x, to));
  for (size_t k = history->count; k-- > 0;) {
    size_t row = (history->first + k) % history->memory;
    double product;
    BASIN_TRY(basin__vectors_dot(vectors, history->S + row * vectors->size, to, &product));
    history->factors[row] = product / history->products[row];
    BASIN_TRY(add(vectors, -history->factors[row], history->Y + row * vectors->size, to));
  }
  if (history->scale != 1)
    BASIN_TRY(
        vectors->engine->blend(vectors->minimizer, vectors->size, history->scale, to, 0, to, to));
  for (size_t k = 0; k < history->count; ++k) {
    size_t row = (history->first + k) % history->memory;
    double product;
    BASIN_TRY(basin__vectors_dot(vectors, history->Y + row * vectors->size, to, &product));
    double factor = history->factors[row] - product / history->products[row];
    BASIN_TRY(add(vectors, factor, history->S + row * vectors->size, to));
  }
  return BASIN_OK;
}

/* ---- dense ---- */

/* product = H y, and the products of y with s and with H y. */
static basin_status multiply(const basin_vectors *vectors,
                             const double *s,
                             const double *y,
                             const double *H,
                             double *product,
                             double numbers[2])
{
  basin_vector_pair pairs[2] = {{y, s}, {y, product}};
  BASIN_TRY(vectors->engine->dense_multiply(vectors->minimizer, vectors->size, H, y, product));
  return vectors->engine->dots(vectors->minimizer, vectors->size, pairs, 2, numbers);
}

basin_status basin__inverse_bfgs(
    const basin_vectors *vectors, const double *s, const double *y, double *product, double *H)
{
  double n[2];
  BASIN_TRY(multiply(vectors, s, y, H, product, n));
  basin_dense_change change = {.u = s, .v = product, .a = (1 + n[1] / n[0]) / n[0], .b = -1 / n[0]};
  return vectors->engine->dense_change(vectors->minimizer, vectors->size, &change, H);
}

basin_status basin__inverse_dfp(
    const basin_vectors *vectors, const double *s, const double *y, double *product, double *H)
{
  double n[2];
  BASIN_TRY(multiply(vectors, s, y, H, product, n));
  basin_dense_change change = {.u = s, .v = product, .a = 1 / n[0], .c = -1 / n[1]};
  return vectors->engine->dense_change(vectors->minimizer, vectors->size, &change, H);
}

/* ---- conjugate gradients ---- */

double basin__conjugacy(basin_first_order_method method, const basin_conjugacy_products *p)
{
  switch (method) {
  case BASIN_METHOD_FLETCHER_REEVES:
    return p->g_g / p->old_old;
  case BASIN_METHOD_POLAK_RIBIERE:
    return p->g_y / p->old_old;
  case BASIN_METHOD_HESTENES_STIEFEL:
    return p->g_y / p->d_y;
  case BASIN_METHOD_DAI_YUAN:
    return p->g_g / p->d_y;
  default:
    return 0;
  }
}

/* ---- for the host ---- */

static basin_status check(basin_context *context, size_t n, const double *s, const double *y)
{
  double product = basin__vector_dot(context, n, s, y);
  if (product > 0) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_ARGUMENT,
                    "an update needs a step s and a change of gradient y with s·y > 0, got %g",
                    product);
}

typedef basin_status (*dense_update)(
    const basin_vectors *vectors, const double *s, const double *y, double *product, double *H);

static basin_status update(basin_context *context,
                           dense_update function,
                           size_t n,
                           const double *s,
                           const double *y,
                           double *H)
{
  basin_vectors vectors = {&basin__solve_engine_cpu, NULL, n};
  BASIN_TRY(check(context, n, s, y));
  double *product = basin__alloc(context, n * sizeof *product);
  if (!product) return BASIN_ERROR_MEMORY;
  basin_status status = function(&vectors, s, y, product, H);
  basin__free(context, product, n * sizeof *product);
  return status;
}

basin_status basin_update_inverse_bfgs(
    basin_context *context, size_t n, const double *s, const double *y, double *H)
{
  return update(context, basin__inverse_bfgs, n, s, y, H);
}

basin_status basin_update_inverse_dfp(
    basin_context *context, size_t n, const double *s, const double *y, double *H)
{
  return update(context, basin__inverse_dfp, n, s, y, H);
}

/* The DFP formula with s and y in each other's place. */
basin_status
basin_update_bfgs(basin_context *context, size_t n, const double *s, const double *y, double *B)
{
  return update(context, basin__inverse_dfp, n, y, s, B);
}

basin_status basin_two_loop(basin_context *context,
                            size_t n,
                            size_t count,
                            const double *S,
                            const double *Y,
                            double scale,
                            const double *g,
                            double *result)
{
  basin_vectors vectors = {&basin__solve_engine_cpu, NULL, n};
  for (size_t k = 0; k < count; ++k) BASIN_TRY(check(context, n, S + k * n, Y + k * n));
  size_t bytes = 2 * (count + 1) * sizeof(double);
  double *numbers = basin__alloc(context, bytes), *pairs[2];
  if (!numbers) return BASIN_ERROR_MEMORY;
  const double *given[2] = {S, Y};
  memcpy(pairs, given, sizeof pairs); /* only read */
  basin_history history = {.S = pairs[0],
                           .Y = pairs[1],
                           .memory = count,
                           .count = count,
                           .products = numbers,
                           .factors = numbers + count,
                           .scale = scale};
  for (size_t k = 0; k < count; ++k)
    numbers[k] = basin__vector_dot(context, n, S + k * n, Y + k * n);
  basin_status status = basin__two_loop(&vectors, &history, g, result);
  basin__free(context, numbers, bytes);
  return status;
}

double basin_conjugacy(basin_first_order_method method,
                       size_t n,
                       const double *g,
                       const double *g_old,
                       const double *d)
{
  basin_conjugacy_products p = {0};
  for (size_t k = 0; k < n; ++k) {
    double y = g[k] - g_old[k];
    p.g_g += g[k] * g[k];
    p.old_old += g_old[k] * g_old[k];
    p.g_y += g[k] * y;
    p.d_y += d[k] * y;
  }
  return basin__conjugacy(method, &p);
}
