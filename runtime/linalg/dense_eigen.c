/* Symmetric eigenvalues by cyclic Jacobi rotations, and projection to positive semidefinite
 * matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dense.h"

#include "norm.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { LARGEST = BASIN__EIGEN_LARGEST, SWEEPS = 60 };

/* One rotation in the plane (p, q) that makes a[p][q] zero (Golub and Van Loan, Matrix
 * Computations, section 8.5). `a` is full. */
static void rotate(size_t n, double *a, double *v, size_t p, size_t q)
{
  double apq = a[p * n + q], app = a[p * n + p], aqq = a[q * n + q];
  double tau = (aqq - app) / (2 * apq);
  double t =
      fabs(tau) > 1e150 ? 0.5 / tau : (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = t * c, half = s / (1 + c);
  a[p * n + p] = app - t * apq;
  a[q * n + q] = aqq + t * apq;
  a[p * n + q] = a[q * n + p] = 0;
  for (size_t k = 0; k < n; k++) {
    if (k != p && k != q) {
      double x = a[k * n + p], y = a[k * n + q];
      a[k * n + p] = a[p * n + k] = x - s * (y + half * x);
      a[k * n + q] = a[q * n + k] = y + s * (x - half * y);
    }
    double x = v[k * n + p], y = v[k * n + q];
    v[k * n + p] = x - s * (y + half * x);
    v[k * n + q] = y + s * (x - half * y);
  }
}

/* Entries are at most 1 in size. True if a rotation was needed. */
static bool sweep(size_t n, double *a, double *v)
{
  bool rotated = false;
  for (size_t p = 0; p < n; p++) {
    for (size_t q = p + 1; q < n; q++) {
      double size = fabs(a[p * n + q]);
      /* Demmel and Veselic 1992: small against both diagonal entries. */
      if (size <= 0.5 * DBL_EPSILON * sqrt(fabs(a[p * n + p]) * fabs(a[q * n + q])) ||
          size < 1e-150)
        continue;
      rotate(n, a, v, p, q);
      rotated = true;
    }
  }
  return rotated;
}

static void sort_ascending(size_t n, double *values, double *v)
{
  for (size_t i = 0; i < n; i++) {
    size_t least = i;
    for (size_t j = i + 1; j < n; j++) {
      if (values[j] < values[least]) least = j;
    }
    if (least == i) continue;
    double keep = values[i];
    values[i] = values[least];
    values[least] = keep;
    for (size_t k = 0; k < n; k++) {
      keep = v[k * n + i];
      v[k * n + i] = v[k * n + least];
      v[k * n + least] = keep;
    }
  }
}

bool basin__eigen_symmetric(size_t n, const double *a, double *values, double *vectors)
{
  double work[LARGEST * LARGEST], largest = 0;
  int exponent = 0;
  if (n > LARGEST) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double value = fabs(a[i * n + j]);
      if (!(value <= DBL_MAX)) return false;
      if (value > largest) largest = value;
    }
  }
  if (largest > 0) frexp(largest, &exponent);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++)
      work[i * n + j] = work[j * n + i] = ldexp(a[i * n + j], -exponent);
  }
  for (size_t i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0;
  for (int k = 0; k < SWEEPS && sweep(n, work, vectors); k++) continue;
  for (size_t i = 0; i < n; i++) values[i] = ldexp(work[i * n + i], exponent);
  sort_ascending(n, values, vectors);
  return true;
}

size_t basin__psd_project(size_t n, double *a, basin__projection mode)
{
  double values[LARGEST], vectors[LARGEST * LARGEST];
  if (!basin__eigen_symmetric(n, a, values, vectors)) return n + 1;
  size_t negative = 0;
  while (negative < n && values[negative] < 0) negative++;
  if (negative == 0 || mode == BASIN__PROJECTION_NONE) return negative;
  /* Adds what is missing: -lambda v v^T makes an eigenvalue zero, twice that mirrors it. */
  double factor = mode == BASIN__PROJECTION_ABS ? 2 : 1;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < negative; k++)
        sum -= factor * values[k] * vectors[i * n + k] * vectors[j * n + k];
      a[i * n + j] = a[j * n + i] = sum;
    }
  }
  return negative;
}
