/* Cyclic Jacobi eigenvalue iteration (Golub and Van Loan, Matrix Computations, section 8.5).
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/interp_project.h"

#include <float.h>
#include <math.h>

enum { SWEEP_LIMIT = 60 };

static bool unpack(const double *packed, uint32_t n, double *a, double *z)
{
  bool finite = true;
  for (uint32_t i = 0, k = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++, k++) {
      a[i * n + j] = a[j * n + i] = packed[k];
      z[i * n + j] = z[j * n + i] = i == j ? 1.0 : 0.0;
      finite = finite && isfinite(packed[k]);
    }
  return finite;
}

/* Zeroes a[p][q] by a rotation in the plane (p, q); z collects the rotations. */
static void rotate(double *a, double *z, uint32_t n, uint32_t p, uint32_t q)
{
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
  double c = 1 / hypot(t, 1.0), s = t * c;
  for (uint32_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (uint32_t k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
    x = z[k * n + p];
    y = z[k * n + q];
    z[k * n + p] = c * x - s * y;
    z[k * n + q] = s * x + c * y;
  }
  a[p * n + q] = a[q * n + p] = 0;
}

static void diagonalize(double *a, double *z, uint32_t n)
{
  for (int sweep = 0; sweep < SWEEP_LIMIT; sweep++) {
    bool done = true;
    for (uint32_t p = 0; p + 1 < n; p++)
      for (uint32_t q = p + 1; q < n; q++) {
        /* Small against the geometric mean of the diagonal: relative accuracy for each eigenvalue.
         */
        double scale = sqrt(fabs(a[p * n + p])) * sqrt(fabs(a[q * n + q]));
        if (fabs(a[p * n + q]) <= 0.25 * DBL_EPSILON * scale || fabs(a[p * n + q]) < DBL_MIN)
          continue;
        rotate(a, z, n, p, q);
        done = false;
      }
    if (done) return;
  }
}

void basin__project_packed(double *packed, uint32_t n, basin_projection mode, double *work)
{
  double *a = work, *z = work + (size_t)n * n;
  if (mode == BASIN_PROJECTION_NONE || !unpack(packed, n, a, z)) return;
  diagonalize(a, z, n);
  for (uint32_t e = 0; e < n; e++) {
    double value = a[e * n + e];
    if (!(value < 0)) continue;
    double change = mode == BASIN_PROJECTION_CLAMP ? -value : -2 * value;
    for (uint32_t i = 0, k = 0; i < n; i++)
      for (uint32_t j = i; j < n; j++, k++) packed[k] += change * z[i * n + e] * z[j * n + e];
  }
}
