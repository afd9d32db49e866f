/* QR by Householder's reflections, singular values by one-sided Jacobi rotations: matrices whose
 * smaller side is short. SPDX-License-Identifier: Apache-2.0 */
#include "spectral.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 60 };

void basin__transpose_dense(size_t rows, size_t columns, const double *a, double *b)
{
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) b[j * rows + i] = a[i * columns + j];
  }
}

void basin__orient_columns(size_t n, size_t count, double *vectors)
{
  for (size_t j = 0; j < count; j++) {
    size_t largest = 0;
    for (size_t i = 1; i < n; i++) {
      if (fabs(vectors[i * count + j]) > fabs(vectors[largest * count + j])) largest = i;
    }
    if (n == 0 || !(vectors[largest * count + j] < 0)) continue;
    for (size_t i = 0; i < n; i++) vectors[i * count + j] = -vectors[i * count + j];
  }
}

bool basin__dense_finite(size_t count, const double *a, size_t *bad)
{
  for (size_t i = 0; i < count; i++) {
    if (fabs(a[i]) <= DBL_MAX) continue;
    *bad = i;
    return false;
  }
  return true;
}

/* Of rows from `first` on. */
static double column_norm(size_t m, size_t n, const double *a, size_t first, size_t j)
{
  double largest = 0, sum = 0;
  for (size_t i = first; i < m; i++) largest = fmax(largest, fabs(a[i * n + j]));
  if (largest == 0) return 0;
  for (size_t i = first; i < m; i++) {
    double x = a[i * n + j] / largest;
    sum += x * x;
  }
  return largest * sqrt(sum);
}

static void swap_columns(size_t m, size_t n, double *a, size_t p, size_t q)
{
  for (size_t i = 0; i < m; i++) {
    double x = a[i * n + p];
    a[i * n + p] = a[i * n + q];
    a[i * n + q] = x;
  }
}

/* Applies I - 2 w w^T (w of rows from `first` on) to the columns from `begin` on. */
static void reflect(size_t m, size_t n, double *a, size_t first, size_t begin, const double *w)
{
  for (size_t j = begin; j < n; j++) {
    double dot = 0;
    for (size_t i = first; i < m; i++) dot += w[i] * a[i * n + j];
    for (size_t i = first; i < m; i++) a[i * n + j] -= 2 * dot * w[i];
  }
}

static void take_largest(size_t m, size_t n, double *a, size_t k, size_t *permutation)
{
  size_t best = k;
  double largest = -1;
  for (size_t j = k; j < n; j++) {
    double norm = column_norm(m, n, a, k, j);
    if (norm > largest) {
      largest = norm;
      best = j;
    }
  }
  if (best == k) return;
  swap_columns(m, n, a, k, best);
  size_t which = permutation[k];
  permutation[k] = permutation[best];
  permutation[best] = which;
}

basin_status basin__qr_small(basin_arena *arena,
                             size_t m,
                             size_t n,
                             double *a,
                             size_t *permutation,
                             size_t columns,
                             double *q)
{
  size_t steps = m < n ? m : n;
  double *w = basin__arena_alloc(arena, (steps * m + 1) * sizeof *w);
  if (w == NULL) return BASIN_ERROR_MEMORY;
  for (size_t j = 0; permutation != NULL && j < n; j++) permutation[j] = j;
  for (size_t k = 0; k < steps; k++) {
    double *v = w + k * m;
    if (permutation != NULL) take_largest(m, n, a, k, permutation);
    double norm = column_norm(m, n, a, k, k), head = a[k * n + k];
    memset(v, 0, m * sizeof *v);
    if (norm == 0) continue;
    double image = head > 0 ? -norm : norm;
    /* Components over the norm: nothing overflows. |v|^2 = 2 (1 + |head| / norm). */
    for (size_t i = k; i < m; i++) v[i] = a[i * n + k] / norm;
    v[k] -= image / norm;
    double length = sqrt(2 * (1 + fabs(head) / norm));
    for (size_t i = k; i < m; i++) v[i] /= length;
    reflect(m, n, a, k, k + 1, v);
    a[k * n + k] = image;
    for (size_t i = k + 1; i < m; i++) a[i * n + k] = 0;
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < columns; j++) q[i * columns + j] = i == j;
  }
  for (size_t k = steps; k-- > 0;) reflect(m, columns, q, k, k, w + k * m);
  return BASIN_OK;
}

/* ---- singular values: columns are rows of `w` and `v` here ---- */

static double dot(size_t n, const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void rotate(size_t n, double *a, double *b, double c, double s)
{
  for (size_t i = 0; i < n; i++) {
    double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

/* Makes two columns orthogonal, to rounding of the two or of the largest, whose square is given. */
static bool
rotate_pair(size_t length, size_t n, double *w, double *v, size_t p, size_t q, double largest)
{
  double *a = w + p * length, *b = w + q * length;
  double alpha = dot(length, a, a), beta = dot(length, b, b), gamma = dot(length, a, b);
  if (fabs(gamma) <= DBL_EPSILON * sqrt(alpha) * sqrt(beta)) return false;
  if (fabs(gamma) <= DBL_EPSILON * DBL_EPSILON * largest) return false;
  double zeta = (beta - alpha) / (2 * gamma);
  double t =
      fabs(zeta) > 1e150 ? 0.5 / zeta : (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  double c = 1 / sqrt(1 + t * t);
  rotate(length, a, b, c, c * t);
  rotate(n, v + p * n, v + q * n, c, c * t);
  return true;
}

static void orthogonalize(size_t length, size_t n, double *w, double *v)
{
  bool rotated = true;
  for (int k = 0; k < SWEEPS && rotated; k++) {
    double largest = 0;
    rotated = false;
    for (size_t p = 0; p < n; p++)
      largest = fmax(largest, dot(length, w + p * length, w + p * length));
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++) rotated |= rotate_pair(length, n, w, v, p, q, largest);
    }
  }
}

/* Descending; order[i] is the column of the i-th value. */
static void sort_descending(size_t n, const double *values, size_t *order)
{
  for (size_t i = 0; i < n; i++) {
    size_t k = i;
    for (; k > 0 && values[order[k - 1]] < values[i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
}

/* Columns of `u` (length x count, row-major) from `known` on become orthonormal to those before. */
static basin_status
complete(basin_arena *arena, size_t length, size_t count, size_t known, double *u)
{
  if (known >= count) return BASIN_OK;
  double *a = basin__arena_alloc(arena, (length * known + 1) * sizeof *a);
  double *q = basin__arena_alloc(arena, (length * count + 1) * sizeof *q);
  if (a == NULL || q == NULL) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < length; i++) memcpy(a + i * known, u + i * count, known * sizeof *a);
  BASIN_TRY(basin__qr_small(arena, length, known, a, NULL, count, q));
  for (size_t i = 0; i < length; i++) {
    memcpy(u + i * count + known, q + i * count + known, (count - known) * sizeof *u);
  }
  return BASIN_OK;
}

/* For m >= n: the values, U (m x wide), V (n x n). */
static basin_status tall(
    basin_arena *arena, size_t m, size_t n, double *w, size_t wide, double *u, double *s, double *v)
{
  double *rotation = basin__arena_alloc(arena, (n * n + 1) * sizeof *rotation);
  double *norms = basin__arena_alloc(arena, (n + 1) * sizeof *norms);
  size_t *order = basin__arena_alloc(arena, (n + 1) * sizeof *order);
  if (rotation == NULL || norms == NULL || order == NULL) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < n * n; i++) rotation[i] = i % (n + 1) == 0;
  double largest = 0;
  int exponent = 0;
  for (size_t i = 0; i < m * n; i++) largest = fmax(largest, fabs(w[i]));
  if (largest > 0) frexp(largest, &exponent);
  for (size_t i = 0; i < m * n; i++) w[i] = ldexp(w[i], -exponent);
  orthogonalize(m, n, w, rotation);
  for (size_t j = 0; j < n; j++) norms[j] = sqrt(dot(m, w + j * m, w + j * m));
  sort_descending(n, norms, order);
  size_t known = 0;
  for (size_t j = 0; j < n; j++) {
    double norm = norms[order[j]];
    s[j] = ldexp(norm, exponent);
    if (norm > DBL_EPSILON * norms[order[0]]) known = j + 1;
    for (size_t i = 0; i < m; i++) u[i * wide + j] = norm > 0 ? w[order[j] * m + i] / norm : 0;
    for (size_t i = 0; i < n; i++) v[i * n + j] = rotation[order[j] * n + i];
  }
  return complete(arena, m, wide, known, u);
}

basin_status basin__svd_small(basin_arena *arena,
                              size_t m,
                              size_t n,
                              const double *a,
                              bool full,
                              double *u,
                              double *s,
                              double *v)
{
  double *w = basin__arena_alloc(arena, (m * n + 1) * sizeof *w);
  if (w == NULL) return BASIN_ERROR_MEMORY;
  if (m >= n) {
    basin__transpose_dense(m, n, a, w);
    return tall(arena, m, n, w, full ? m : n, u, s, v);
  }
  memcpy(w, a, m * n * sizeof *w);
  return tall(arena, n, m, w, full ? n : m, v, s, u);
}
