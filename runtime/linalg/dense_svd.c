/* Singular values and polar decomposition of 2x2 and 3x3 matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 40 };

static double column_dot(size_t n, const double *a, size_t p, size_t q)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k * n + p] * a[k * n + q];
  return sum;
}

/* Without overflow or underflow. */
static double column_length(size_t n, const double *a, size_t j)
{
  return hypot(hypot(a[j], a[n + j]), n > 2 ? a[2 * n + j] : 0);
}

static void rotate_columns(size_t n, double *a, size_t p, size_t q, double c, double s)
{
  for (size_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
}

/* Rotates columns p and q of w = a v until they are orthogonal, to rounding of the two or of the
 * largest column, whose square is given. False if they are already. */
static bool orthogonalize_pair(size_t n, double *w, double *v, size_t p, size_t q, double largest)
{
  double alpha = column_dot(n, w, p, p), beta = column_dot(n, w, q, q);
  double gamma = column_dot(n, w, p, q);
  if (fabs(gamma) <= DBL_EPSILON * sqrt(alpha) * sqrt(beta)) return false;
  if (fabs(gamma) <= DBL_EPSILON * DBL_EPSILON * largest) return false;
  double zeta = (beta - alpha) / (2 * gamma);
  double t =
      fabs(zeta) > 1e150 ? 0.5 / zeta : (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  double c = 1 / sqrt(1 + t * t);
  rotate_columns(n, w, p, q, c, c * t);
  rotate_columns(n, v, p, q, c, c * t);
  return true;
}

/* One-sided Jacobi (Hestenes 1958). */
static void orthogonalize(size_t n, double *w, double *v)
{
  bool rotated = true;
  for (int k = 0; k < SWEEPS && rotated; k++) {
    rotated = false;
    double largest = 0;
    for (size_t p = 0; p < n; p++) largest = fmax(largest, column_dot(n, w, p, p));
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++) rotated |= orthogonalize_pair(n, w, v, p, q, largest);
    }
  }
}

static void swap_columns(size_t n, double *a, size_t p, size_t q)
{
  for (size_t k = 0; k < n; k++) {
    double keep = a[k * n + p];
    a[k * n + p] = a[k * n + q];
    a[k * n + q] = keep;
  }
}

static void sort_columns(size_t n, double *w, double *v)
{
  for (size_t i = 0; i + 1 < n; i++) {
    size_t best = i;
    for (size_t j = i + 1; j < n; j++) {
      if (column_length(n, w, j) > column_length(n, w, best)) best = j;
    }
    if (best == i) continue;
    swap_columns(n, w, i, best);
    swap_columns(n, v, i, best);
  }
}

/* Column j of u becomes a unit vector orthogonal to columns below j, from `direction` or, where
 * that is too short, an axis. */
static void orthonormal_column(size_t n, double *u, size_t j, const double *direction)
{
  double best[3] = {0, 0, 0}, best_size = 0;
  for (size_t candidate = 0; candidate <= n; candidate++) {
    double x[3] = {0, 0, 0};
    if (candidate == 0) {
      memcpy(x, direction, n * sizeof *x);
    } else {
      x[candidate - 1] = 1;
    }
    for (int twice = 0; twice < 2; twice++) {
      for (size_t k = 0; k < j; k++) {
        double dot = 0;
        for (size_t i = 0; i < n; i++) dot += u[i * n + k] * x[i];
        for (size_t i = 0; i < n; i++) x[i] -= dot * u[i * n + k];
      }
    }
    double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (size > best_size) memcpy(best, x, sizeof best), best_size = size;
    if (candidate == 0 && size > 0.5) break;
  }
  for (size_t i = 0; i < n; i++) u[i * n + j] = best[i] / best_size;
}

static double determinant(size_t n, const double *a)
{
  if (n == 2) return a[0] * a[3] - a[1] * a[2];
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static void negate_column(size_t n, double *a, size_t j)
{
  for (size_t k = 0; k < n; k++) a[k * n + j] = -a[k * n + j];
}

/* U and sigma from the orthogonal columns of w. */
static void normalize(size_t n, const double *w, double *u, double *sigma)
{
  for (size_t j = 0; j < n; j++) {
    double direction[3] = {0, 0, 0}, length = column_length(n, w, j);
    for (size_t i = 0; i < n; i++) direction[i] = length > 0 ? w[i * n + j] / length : 0;
    orthonormal_column(n, u, j, direction);
    double along = 0;
    for (size_t i = 0; i < n; i++) along += u[i * n + j] * direction[i];
    if (along < 0) negate_column(n, u, j);
    sigma[j] = length;
  }
}

static bool svd(size_t n, const double *a, double *u, double *sigma, double *v, bool rotations)
{
  double w[9], largest = 0;
  int exponent = 0;
  for (size_t i = 0; i < n * n; i++) {
    double value = fabs(a[i]);
    if (!(value <= DBL_MAX)) return false;
    if (value > largest) largest = value;
  }
  if (largest > 0) frexp(largest, &exponent);
  for (size_t i = 0; i < n * n; i++) {
    w[i] = ldexp(a[i], -exponent);
    v[i] = i % (n + 1) == 0;
  }
  orthogonalize(n, w, v);
  sort_columns(n, w, v);
  normalize(n, w, u, sigma);
  for (size_t j = 0; j < n; j++) sigma[j] = ldexp(sigma[j], exponent);
  if (!rotations) return true;
  if (determinant(n, v) < 0) {
    negate_column(n, v, n - 1);
    sigma[n - 1] = -sigma[n - 1];
  }
  if (determinant(n, u) < 0) {
    negate_column(n, u, n - 1);
    sigma[n - 1] = -sigma[n - 1];
  }
  return true;
}

static bool polar(size_t n, const double *a, double *r, double *s, bool rotation)
{
  double u[9], sigma[3], v[9];
  if (!svd(n, a, u, sigma, v, rotation)) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double rotated = 0, stretched = 0;
      for (size_t k = 0; k < n; k++) {
        rotated += u[i * n + k] * v[j * n + k];
        stretched += sigma[k] * (v[i * n + k] * v[j * n + k]);
      }
      r[i * n + j] = rotated;
      s[i * n + j] = stretched;
    }
  }
  return true;
}

bool basin__svd2(const double a[4], double u[4], double sigma[2], double v[4], bool rotations)
{
  return svd(2, a, u, sigma, v, rotations);
}

bool basin__svd3(const double a[9], double u[9], double sigma[3], double v[9], bool rotations)
{
  return svd(3, a, u, sigma, v, rotations);
}

bool basin__polar2(const double a[4], double r[4], double s[4], bool rotation)
{
  return polar(2, a, r, s, rotation);
}
bool basin__polar3(const double a[9], double r[9], double s[9], bool rotation)
{
  return polar(3, a, r, s, rotation);
}
