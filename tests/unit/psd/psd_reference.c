/* Reference projection by cyclic Jacobi in long double, and test matrices of given spectra. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "psd_reference.h"

#include <math.h>
#include <stddef.h>

int psd_reference_at(int n, int i, int j)
{
  return j * (2 * n - 1 - j) / 2 + i;
}

typedef long double square_matrix[PSD_REFERENCE_MAX][PSD_REFERENCE_MAX];

/* Golub and Van Loan, Matrix Computations, section 8.5.2. */
static void rotate(int n, square_matrix a, square_matrix z, int p, int q)
{
  if (a[p][q] == 0) return;
  const long double ratio = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const long double length = fabsl(ratio) + sqrtl(ratio * ratio + 1);
  const long double tangent = (ratio < 0 ? -1 : 1) / length;
  const long double cosine = 1 / sqrtl(tangent * tangent + 1), sine = tangent * cosine;
  for (int k = 0; k < n; k++) {
    const long double x = a[k][p], y = a[k][q];
    a[k][p] = cosine * x - sine * y;
    a[k][q] = sine * x + cosine * y;
  }
  for (int k = 0; k < n; k++) {
    const long double x = a[p][k], y = a[q][k], zx = z[k][p], zy = z[k][q];
    a[p][k] = cosine * x - sine * y;
    a[q][k] = sine * x + cosine * y;
    z[k][p] = cosine * zx - sine * zy;
    z[k][q] = sine * zx + cosine * zy;
  }
}

void psd_reference_project(int n, const double *h, int mode, long double *out)
{
  square_matrix a, z;
  long double norm = 0, off = INFINITY;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      a[i][j] = h[i > j ? psd_reference_at(n, i, j) : psd_reference_at(n, j, i)];
      z[i][j] = i == j;
      norm = fmaxl(norm, fabsl(a[i][j]));
    }
  }
  for (int cycle = 0; cycle < 40 && off > 1e-19L * norm; cycle++) {
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) rotate(n, a, z, p, q);
    off = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) off = fmaxl(off, fabsl(a[p][q]));
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int k = 0; k < n; k++)
        sum += (a[k][k] > 0 ? a[k][k] : mode == 1 ? 0 : -a[k][k]) * z[i][k] * z[j][k];
      out[psd_reference_at(n, i, j)] = sum;
    }
  }
}

double psd_reference_random(uint64_t *state)
{
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1.0;
}

void psd_reference_matrix(int n, const double *spectrum, uint64_t *state, double *h)
{
  square_matrix a = {{0}};
  for (int i = 0; i < n; i++) a[i][i] = spectrum[i];
  for (int reflection = 0; reflection < n; reflection++) {
    long double v[PSD_REFERENCE_MAX], square = 0;
    for (int i = 0; i < n; i++) {
      v[i] = psd_reference_random(state);
      square += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < n; i++) {
        long double dot = 0;
        for (int k = 0; k < n; k++) dot += v[k] * (side ? a[i][k] : a[k][i]);
        dot *= 2 / square;
        for (int k = 0; k < n; k++) *(side ? &a[i][k] : &a[k][i]) -= dot * v[k];
      }
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      h[psd_reference_at(n, i, j)] = (double)(0.5L * (a[i][j] + a[j][i]));
}
