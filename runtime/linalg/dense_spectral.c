/* Dense eigenvalues, singular values and QR: Basin's own methods for small matrices, LAPACK for
 * others. SPDX-License-Identifier: Apache-2.0 */
#include "dense.h"
#include "lapack.h"
#include "spectral.h"

#include <string.h>

static basin_status check_finite(
    basin_context *context, size_t columns, size_t count, const double *a, const char *what)
{
  size_t bad = 0;
  if (basin__dense_finite(count, a, &bad)) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_NOT_FINITE,
                    "entry (%zu, %zu) of %s is not finite",
                    bad / columns + 1,
                    bad % columns + 1,
                    what);
}

static double *room_for(basin_arena *arena, size_t count)
{
  return basin__arena_alloc(arena, (count + 1) * sizeof(double));
}

static bool is_small(size_t m, size_t n)
{
  return (m < n ? m : n) <= BASIN__SPECTRAL_SMALL;
}

static basin_status indefinite_mass(basin_context *context, size_t row)
{
  return BASIN_FAIL(
      context, BASIN_ERROR_INDEFINITE, "the mass is not positive definite (row %zu)", row);
}

/* ---- eigenvalues ---- */

/* x = L^-1 x for `count` columns, x row-major. */
static void forward_columns(size_t n, const double *l, size_t count, double *x)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      for (size_t j = 0; j < count; j++) x[i * count + j] -= l[i * n + k] * x[k * count + j];
    }
    for (size_t j = 0; j < count; j++) x[i * count + j] /= l[i * n + i];
  }
}

static void backward_columns(size_t n, const double *l, size_t count, double *x)
{
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) {
      for (size_t j = 0; j < count; j++) x[i * count + j] -= l[k * n + i] * x[k * count + j];
    }
    for (size_t j = 0; j < count; j++) x[i * count + j] /= l[i * n + i];
  }
}

/* The lower triangle of `a` in full. */
static void fill_symmetric(size_t n, const double *a, double *full)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) full[i * n + j] = full[j * n + i] = a[i * n + j];
  }
}

static basin_status eigen_small(basin_context *context,
                                basin_arena *arena,
                                size_t n,
                                const double *a,
                                const double *mass,
                                double *values,
                                double *vectors)
{
  double *work = room_for(arena, n * n), *turned = room_for(arena, n * n);
  double *l = room_for(arena, n * n);
  if (work == NULL || turned == NULL || l == NULL) return BASIN_ERROR_MEMORY;
  fill_symmetric(n, a, work);
  if (mass != NULL) {
    size_t bad = 0;
    memcpy(l, mass, n * n * sizeof *l);
    if (!basin__dense_cholesky(n, l, &bad)) return indefinite_mass(context, bad + 1);
    forward_columns(n, l, n, work);
    basin__transpose_dense(n, n, work, turned);
    forward_columns(n, l, n, turned);
    memcpy(work, turned, n * n * sizeof *work);
  }
  if (!basin__eigen_symmetric(n, work, values, vectors))
    return BASIN_FAIL(context, BASIN_ERROR_NOT_FINITE, "the eigenvalues overflow");
  if (mass != NULL) backward_columns(n, l, n, vectors);
  return BASIN_OK;
}

static basin_status eigen_large(basin_context *context,
                                basin_arena *arena,
                                size_t n,
                                const double *a,
                                const double *mass,
                                double *values,
                                double *vectors)
{
  BASIN_TRY(basin__lapack_check_size(context, n, n));
  double *work = room_for(arena, n * n), *copy = mass != NULL ? room_for(arena, n * n) : NULL;
  if (work == NULL || (mass != NULL && copy == NULL)) return BASIN_ERROR_MEMORY;
  memcpy(work, a, n * n * sizeof *work);
  if (mass != NULL) memcpy(copy, mass, n * n * sizeof *copy);
  basin__lapack lapack;
  size_t indefinite = 0;
  basin_status status = basin__lapack_open(context, &lapack);
  /* Lower triangles of rows are upper ones of columns. */
  if (status == BASIN_OK)
    status = basin__lapack_eigen(&lapack, arena, n, work, copy, values, &indefinite);
  basin__lapack_close(&lapack);
  BASIN_TRY(status);
  if (indefinite != 0) return indefinite_mass(context, indefinite);
  basin__transpose_dense(n, n, work, vectors);
  return BASIN_OK;
}

basin_status basin_dense_eigen(basin_context *context,
                               size_t n,
                               const double *a,
                               const double *mass,
                               double *values,
                               double *vectors)
{
  BASIN_TRY(check_finite(context, n, n * n, a, "the matrix"));
  if (mass != NULL) BASIN_TRY(check_finite(context, n, n * n, mass, "the mass"));
  basin_arena arena;
  basin__arena_init(&arena, context);
  basin_status status =
      (is_small(n, n) ? eigen_small : eigen_large)(context, &arena, n, a, mass, values, vectors);
  basin__arena_fini(&arena);
  BASIN_TRY(status);
  basin__orient_columns(n, n, vectors);
  return BASIN_OK;
}

/* ---- singular values ---- */

/* Rows of A are columns of A^T = V diag(s) U^T: what LAPACK gives as U^T by columns is U by rows.
 */
static basin_status svd_large(basin_context *context,
                              basin_arena *arena,
                              size_t m,
                              size_t n,
                              const double *a,
                              bool full,
                              double *u,
                              double *s,
                              double *v)
{
  size_t k = m < n ? m : n, wide = full ? n : k;
  double *work = room_for(arena, m * n), *columns = room_for(arena, n * wide);
  if (work == NULL || columns == NULL) return BASIN_ERROR_MEMORY;
  memcpy(work, a, m * n * sizeof *work);
  basin__lapack lapack;
  basin_status status = basin__lapack_open(context, &lapack);
  if (status == BASIN_OK)
    status = basin__lapack_svd(&lapack, arena, n, m, work, full, columns, s, u);
  basin__lapack_close(&lapack);
  BASIN_TRY(status);
  basin__transpose_dense(wide, n, columns, v);
  return BASIN_OK;
}

basin_status basin_dense_svd(basin_context *context,
                             size_t m,
                             size_t n,
                             const double *a,
                             bool full,
                             double *u,
                             double *s,
                             double *v)
{
  BASIN_TRY(check_finite(context, n, m * n, a, "the matrix"));
  if (full || !is_small(m, n)) BASIN_TRY(basin__lapack_check_size(context, m, n));
  basin_arena arena;
  basin__arena_init(&arena, context);
  basin_status status = is_small(m, n) ? basin__svd_small(&arena, m, n, a, full, u, s, v)
                                       : svd_large(context, &arena, m, n, a, full, u, s, v);
  basin__arena_fini(&arena);
  return status;
}

/* ---- QR ---- */

static basin_status qr_large(basin_context *context,
                             basin_arena *arena,
                             size_t m,
                             size_t n,
                             const double *a,
                             size_t *permutation,
                             size_t wide,
                             double *q,
                             double *r)
{
  double *work = room_for(arena, m * n), *columns = room_for(arena, m * wide);
  if (work == NULL || columns == NULL) return BASIN_ERROR_MEMORY;
  basin__transpose_dense(m, n, a, work);
  basin__lapack lapack;
  basin_status status = basin__lapack_open(context, &lapack);
  if (status == BASIN_OK)
    status = basin__lapack_qr(&lapack, arena, m, n, work, permutation, wide, columns);
  basin__lapack_close(&lapack);
  BASIN_TRY(status);
  basin__transpose_dense(wide, m, columns, q);
  for (size_t i = 0; i < wide; i++) {
    for (size_t j = 0; j < n; j++) r[i * n + j] = i <= j ? work[j * m + i] : 0;
  }
  return BASIN_OK;
}

static basin_status qr_small(basin_arena *arena,
                             size_t m,
                             size_t n,
                             const double *a,
                             size_t *permutation,
                             size_t wide,
                             double *q,
                             double *r)
{
  double *work = room_for(arena, m * n);
  if (work == NULL) return BASIN_ERROR_MEMORY;
  memcpy(work, a, m * n * sizeof *work);
  BASIN_TRY(basin__qr_small(arena, m, n, work, permutation, wide, q));
  memcpy(r, work, wide * n * sizeof *r);
  return BASIN_OK;
}

basin_status basin_dense_qr(basin_context *context,
                            size_t m,
                            size_t n,
                            const double *a,
                            bool full,
                            size_t *permutation,
                            double *q,
                            double *r)
{
  BASIN_TRY(check_finite(context, n, m * n, a, "the matrix"));
  if (full || !is_small(m, n)) BASIN_TRY(basin__lapack_check_size(context, m, n));
  size_t wide = full || m < n ? m : n;
  basin_arena arena;
  basin__arena_init(&arena, context);
  basin_status status = is_small(m, n)
                            ? qr_small(&arena, m, n, a, permutation, wide, q, r)
                            : qr_large(context, &arena, m, n, a, permutation, wide, q, r);
  basin__arena_fini(&arena);
  return status;
}
