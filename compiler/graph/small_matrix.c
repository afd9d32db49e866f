/* Values of the small matrix functions: one-sided Jacobi for singular values, two-sided Jacobi for
 * eigenvalues. Golub, Van Loan: Matrix Computations, 4th ed., sections 8.5 (Jacobi) and 8.6.3
 * (one-sided Jacobi).
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/small_matrix.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 24 }; /* 5 are usual; the rest is for safety, and ends the loop on NaN */

uint32_t basin__small_matrix_inputs(basin_op op)
{
  switch (op) {
  case BASIN_OP_EIG2:
    return 3;
  case BASIN_OP_EIG3:
    return 6;
  case BASIN_OP_POLAR2:
  case BASIN_OP_SVD2:
    return 4;
  default:
    return 9;
  }
}

uint32_t basin__small_matrix_outputs(basin_op op)
{
  switch (op) {
  case BASIN_OP_POLAR2:
    return 4;
  case BASIN_OP_POLAR3:
    return 9;
  case BASIN_OP_SVD2:
    return 10;
  case BASIN_OP_SVD3:
    return 21;
  case BASIN_OP_EIG2:
    return 6;
  default:
    return 12;
  }
}

static void identity(unsigned n, double *m)
{
  for (unsigned i = 0; i < n * n; i++) m[i] = i % (n + 1) == 0;
}

/* A power of two near the largest entry, 1 if that is zero or not finite: scaling by it changes no
 * bit. */
static double scale_of(const double *m, unsigned count)
{
  double largest = 0;
  for (unsigned i = 0; i < count; i++) largest = fmax(largest, fabs(m[i]));
  if (!(largest > 0) || !isfinite(largest)) return 1;
  int exponent;
  frexp(largest, &exponent);
  if (exponent < -1000) exponent = -1000;
  if (exponent > 1000) exponent = 1000;
  return ldexp(1, exponent);
}

/* Columns p and q of the n-row matrix m turned: (m_p, m_q) <- (c m_p - s m_q, s m_p + c m_q). */
static void rotate_columns(double *m, unsigned n, unsigned p, unsigned q, double c, double s)
{
  for (unsigned i = 0; i < n; i++) {
    double x = m[i * n + p], y = m[i * n + q];
    m[i * n + p] = c * x - s * y;
    m[i * n + q] = s * x + c * y;
  }
}

static double column_dot(const double *a, const double *b, unsigned n, unsigned p, unsigned q)
{
  double sum = 0;
  for (unsigned i = 0; i < n; i++) sum += a[i * n + p] * b[i * n + q];
  return sum;
}

/* Cosine and sine of the rotation that makes [app apq; apq aqq] diagonal, the smaller angle. */
static void jacobi_angle(double app, double apq, double aqq, double *c, double *s)
{
  double tau = (aqq - app) / (2 * apq);
  double t = copysign(1.0, tau) / (fabs(tau) + hypot(1, tau));
  *c = 1 / sqrt(1 + t * t);
  *s = t * *c;
}

/* Swaps two columns and negates one: a rotation. */
static void swap_columns(double *m, unsigned n, unsigned p, unsigned q)
{
  for (unsigned i = 0; i < n; i++) {
    double x = m[i * n + p];
    m[i * n + p] = m[i * n + q];
    m[i * n + q] = -x;
  }
}

/* Turns the columns of b (and v with them) until they are orthogonal and descend in length. */
static void orthogonalize(double *b, double *v, unsigned n)
{
  for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
    bool moved = false;
    for (unsigned p = 0; p + 1 < n; p++)
      for (unsigned q = p + 1; q < n; q++) {
        double pp = column_dot(b, b, n, p, p), qq = column_dot(b, b, n, q, q),
               pq = column_dot(b, b, n, p, q);
        if (fabs(pq) <= DBL_EPSILON * sqrt(pp) * sqrt(qq) || pq == 0) continue;
        double c, s;
        jacobi_angle(pp, pq, qq, &c, &s);
        rotate_columns(b, n, p, q, c, s);
        rotate_columns(v, n, p, q, c, s);
        moved = true;
      }
    if (!moved) break;
  }
  for (unsigned p = 0; p + 1 < n; p++)
    for (unsigned q = p + 1; q < n; q++)
      if (column_dot(b, b, n, p, p) < column_dot(b, b, n, q, q)) {
        swap_columns(b, n, p, q);
        swap_columns(v, n, p, q);
      }
}

static void normalize(double *x, unsigned n)
{
  double length = 0;
  for (unsigned i = 0; i < n; i++) length += x[i] * x[i];
  length = sqrt(length);
  for (unsigned i = 0; i < n; i++) x[i] /= length;
}

/* Unit vector along column p of b, or one orthogonal to `first` (NULL: the first axis) if the
 * column is zero. */
static void direction(const double *b, unsigned n, unsigned p, const double *first, double *unit)
{
  if (column_dot(b, b, n, p, p) > DBL_MIN) {
    for (unsigned i = 0; i < n; i++) unit[i] = b[i * n + p];
    normalize(unit, n);
    return;
  }
  unsigned axis = 0;
  for (unsigned i = 1; first && i < n; i++)
    if (fabs(first[i]) < fabs(first[axis])) axis = i;
  for (unsigned i = 0; i < n; i++) unit[i] = (i == axis) - (first ? first[axis] * first[i] : 0);
  normalize(unit, n);
}

void basin__svd(unsigned n, const double *f, double *u, double *s, double *v)
{
  double b[9], axes[3][3] = {{0}}, scale = scale_of(f, n * n);
  for (unsigned i = 0; i < n * n; i++) b[i] = f[i] / scale;
  identity(n, v);
  orthogonalize(b, v, n);
  direction(b, n, 0, NULL, axes[0]);
  if (n == 2) {
    axes[1][0] = -axes[0][1];
    axes[1][1] = axes[0][0];
  } else {
    direction(b, n, 1, axes[0], axes[1]);
    for (unsigned i = 0; i < 3; i++)
      axes[2][i] =
          axes[0][(i + 1) % 3] * axes[1][(i + 2) % 3] - axes[0][(i + 2) % 3] * axes[1][(i + 1) % 3];
  }
  for (unsigned j = 0; j < n; j++) {
    s[j] = 0;
    for (unsigned i = 0; i < n; i++) {
      u[i * n + j] = axes[j][i];
      s[j] += axes[j][i] * b[i * n + j];
    }
    s[j] *= scale;
  }
}

void basin__polar(unsigned n, const double *f, double *rotation)
{
  double u[9], s[3], v[9];
  if (n == 2) {
    double scale = scale_of(f, 4), a = f[0] / scale + f[3] / scale, b = f[2] / scale - f[1] / scale,
           length = sqrt(a * a + b * b);
    double c = length > 0 ? a / length : 1, sine = length > 0 ? b / length : 0;
    rotation[0] = rotation[3] = c;
    rotation[1] = -sine;
    rotation[2] = sine;
    return;
  }
  basin__svd(n, f, u, s, v);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) {
      rotation[i * n + j] = 0;
      for (unsigned k = 0; k < n; k++) rotation[i * n + j] += u[i * n + k] * v[j * n + k];
    }
}

/* Diagonalizes the symmetric a, turning v with it. */
static void diagonalize(double *a, double *v, unsigned n)
{
  for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
    bool moved = false;
    for (unsigned p = 0; p + 1 < n; p++)
      for (unsigned q = p + 1; q < n; q++) {
        double app = a[p * n + p], apq = a[p * n + q], aqq = a[q * n + q], c, s;
        if (fabs(apq) <= DBL_EPSILON * 0x1p-10 * (fabs(app) + fabs(aqq)) || apq == 0) continue;
        jacobi_angle(app, apq, aqq, &c, &s);
        rotate_columns(a, n, p, q, c, s);
        for (unsigned i = 0; i < n; i++) { /* the rows likewise */
          double x = a[p * n + i], y = a[q * n + i];
          a[p * n + i] = c * x - s * y;
          a[q * n + i] = s * x + c * y;
        }
        a[p * n + q] = a[q * n + p] = 0;
        rotate_columns(v, n, p, q, c, s);
        moved = true;
      }
    if (!moved) return;
  }
}

void basin__eig(unsigned n, const double *upper, double *values, double *vectors)
{
  double a[9], scale = scale_of(upper, n * (n + 1) / 2);
  for (unsigned i = 0, at = 0; i < n; i++)
    for (unsigned j = i; j < n; j++) a[i * n + j] = a[j * n + i] = upper[at++] / scale;
  identity(n, vectors);
  diagonalize(a, vectors, n);
  for (unsigned i = 0; i < n; i++) values[i] = a[i * n + i] * scale;
  for (unsigned p = 0; p + 1 < n; p++)
    for (unsigned q = p + 1; q < n; q++)
      if (values[q] < values[p]) {
        double x = values[p];
        values[p] = values[q];
        values[q] = x;
        swap_columns(vectors, n, p, q);
      }
}

void basin__small_matrix(basin_op op, const double *input, double *output)
{
  unsigned n = op == BASIN_OP_POLAR2 || op == BASIN_OP_SVD2 || op == BASIN_OP_EIG2 ? 2 : 3;
  switch (op) {
  case BASIN_OP_POLAR2:
  case BASIN_OP_POLAR3:
    basin__polar(n, input, output);
    break;
  case BASIN_OP_SVD2:
  case BASIN_OP_SVD3:
    basin__svd(n, input, output, output + n * n, output + n * n + n);
    break;
  default:
    basin__eig(n, input, output, output + n);
    break;
  }
}
