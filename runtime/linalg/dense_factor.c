/* Dense Cholesky, LDL^T and LU factorizations for small systems.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dense.h"

#include "lanes.h"
#include <float.h>
#include <math.h>

/* ---- Cholesky, row by row: entry (i, j) needs the dot product of rows i and j of L ---- */

bool basin__dense_cholesky(size_t n, double *a, size_t *bad)
{
  for (size_t i = 0; i < n; i++) {
    double *row = a + i * n;
    for (size_t j = 0; j < i; j++)
      row[j] = (row[j] - basin__lanes_dot(j, row, a + j * n)) / a[j * n + j];
    double pivot = row[i] - basin__lanes_dot(i, row, row);
    if (!(pivot > row[i] * (double)n * DBL_EPSILON) || pivot > DBL_MAX) {
      if (bad != NULL) *bad = i;
      return false;
    }
    row[i] = sqrt(pivot);
  }
  return true;
}

void basin__dense_cholesky_solve(size_t n, const double *l, double *x)
{
  for (size_t i = 0; i < n; i++) x[i] = (x[i] - basin__lanes_dot(i, l + i * n, x)) / l[i * n + i];
  for (size_t i = n; i-- > 0;) {
    double value = x[i] /= l[i * n + i];
    for (size_t j = 0; j < i; j++) x[j] -= l[i * n + j] * value;
  }
}

void basin__dense_cholesky_inverse(size_t n, const double *l, double *inverse)
{
  for (size_t i = 0; i < n; i++) {
    double *row = inverse + i * n;
    for (size_t j = 0; j < n; j++) row[j] = i == j;
    basin__dense_cholesky_solve(n, l, row);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++)
      inverse[i * n + j] = inverse[j * n + i] = 0.5 * (inverse[i * n + j] + inverse[j * n + i]);
  }
}

/* ---- LDL^T ---- */

static void swap_numbers(double *a, double *b)
{
  double keep = *a;
  *a = *b;
  *b = keep;
}

/* Swaps rows and columns p and q of the part that begins at `k`, and the finished columns of L with
 * them. */
static void swap_symmetric(size_t n, double *a, size_t k, size_t p, size_t q, size_t *permutation)
{
  if (p == q) return;
  for (size_t j = 0; j < n; j++) swap_numbers(&a[p * n + j], &a[q * n + j]);
  for (size_t i = k; i < n; i++) swap_numbers(&a[i * n + p], &a[i * n + q]);
  size_t keep = permutation[p];
  permutation[p] = permutation[q];
  permutation[q] = keep;
}

/* Largest |a[i][column]| over i >= k, i != column. */
static double column_largest(size_t n, const double *a, size_t k, size_t column, size_t *where)
{
  double largest = 0;
  *where = column;
  for (size_t i = k; i < n; i++) {
    double value = fabs(a[i * n + column]);
    if (i != column && value > largest) largest = value, *where = i;
  }
  return largest;
}

/* Moves a pivot to k (and k + 1); returns its size, 1 or 2. */
static size_t choose_pivot(size_t n, double *a, size_t k, size_t *permutation)
{
  const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8 bounds the growth of entries */
  size_t r, other;
  double diagonal = fabs(a[k * n + k]), lambda = column_largest(n, a, k, k, &r);
  if (k + 1 == n || lambda == 0 || diagonal >= alpha * lambda) return 1;
  double sigma = column_largest(n, a, k, r, &other);
  if (diagonal >= alpha * lambda * (lambda / sigma)) return 1;
  if (fabs(a[r * n + r]) >= alpha * sigma) {
    swap_symmetric(n, a, k, k, r, permutation);
    return 1;
  }
  swap_symmetric(n, a, k, k + 1, r, permutation);
  return 2;
}

static void eliminate_one(size_t n, double *a, size_t k)
{
  const double *pivot_row = a + k * n;
  for (size_t i = k + 1; i < n; i++) {
    double factor = a[i * n + k] / pivot_row[k];
    for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * pivot_row[j];
    a[i * n + k] = factor;
  }
}

static void eliminate_two(size_t n, double *a, size_t k)
{
  const double *first = a + k * n, *second = first + n;
  double off = second[k], p = first[k] / off, q = second[k + 1] / off,
         scale = 1 / (off * (p * q - 1));
  for (size_t i = k + 2; i < n; i++) {
    double *row = a + i * n, x = row[k], y = row[k + 1];
    double f = scale * (q * x - y), g = scale * (p * y - x);
    for (size_t j = k + 2; j < n; j++) row[j] -= f * first[j] + g * second[j];
    row[k] = f;
    row[k + 1] = g;
  }
}

/* Largest entry of each column: what its pivot is measured by. */
static void column_sizes(size_t n, const double *a, double *sizes)
{
  for (size_t j = 0; j < n; j++) sizes[j] = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      if (fabs(a[i * n + j]) > sizes[j]) sizes[j] = fabs(a[i * n + j]);
    }
  }
}

static bool pivot_usable(double pivot, double size)
{
  return fabs(pivot) > size * DBL_EPSILON && fabs(pivot) <= DBL_MAX;
}

bool basin__dense_ldlt(size_t n,
                       double *a,
                       size_t *permutation,
                       double *off_diagonal,
                       double *work,
                       size_t *negative,
                       size_t *bad)
{
  *negative = 0;
  column_sizes(n, a, work);
  for (size_t i = 0; i < n; i++) permutation[i] = i, off_diagonal[i] = 0;
  for (size_t k = 0, size; k < n; k += size) {
    size = choose_pivot(n, a, k, permutation);
    if (size == 1) {
      double pivot = a[k * n + k];
      if (!pivot_usable(pivot, work[permutation[k]])) {
        if (bad != NULL) *bad = permutation[k];
        return false;
      }
      *negative += pivot < 0;
      eliminate_one(n, a, k);
    } else {
      off_diagonal[k] = a[(k + 1) * n + k];
      *negative += 1; /* the pivot rule makes 2x2 pivots indefinite */
      eliminate_two(n, a, k);
    }
  }
  return true;
}

void basin__dense_ldlt_solve(size_t n,
                             const double *a,
                             const size_t *permutation,
                             const double *off_diagonal,
                             double *x,
                             double *work)
{
  for (size_t i = 0; i < n; i++) work[i] = x[permutation[i]];
  for (size_t k = 0; k < n;) {
    size_t size = off_diagonal[k] != 0 ? 2 : 1;
    for (size_t i = k + size; i < n; i++) {
      work[i] -= a[i * n + k] * work[k];
      if (size == 2) work[i] -= a[i * n + k + 1] * work[k + 1];
    }
    k += size;
  }
  for (size_t k = 0; k < n;) {
    if (off_diagonal[k] == 0) {
      work[k] /= a[k * n + k];
      k++;
      continue;
    }
    double off = off_diagonal[k], p = a[k * n + k] / off, q = a[(k + 1) * n + k + 1] / off,
           scale = 1 / (off * (p * q - 1));
    double first = work[k], second = work[k + 1];
    work[k] = scale * (q * first - second);
    work[k + 1] = scale * (p * second - first);
    k += 2;
  }
  for (size_t i = n; i-- > 0;) {
    bool second = i > 0 && off_diagonal[i - 1] != 0;
    for (size_t j = 0; j < (second ? i - 1 : i); j++) work[j] -= a[i * n + j] * work[i];
  }
  for (size_t i = 0; i < n; i++) x[permutation[i]] = work[i];
}

/* ---- LU ---- */

static void swap_rows(size_t n, double *a, size_t p, size_t q, size_t *permutation)
{
  if (p == q) return;
  for (size_t j = 0; j < n; j++) swap_numbers(&a[p * n + j], &a[q * n + j]);
  size_t keep = permutation[p];
  permutation[p] = permutation[q];
  permutation[q] = keep;
}

bool basin__dense_lu(size_t n, double *a, size_t *permutation, double *work, size_t *bad)
{
  column_sizes(n, a, work);
  for (size_t i = 0; i < n; i++) permutation[i] = i;
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++) {
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    }
    double pivot = a[best * n + k];
    if (!pivot_usable(pivot, work[k])) {
      if (bad != NULL) *bad = k;
      return false;
    }
    swap_rows(n, a, k, best, permutation);
    const double *pivot_row = a + k * n;
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i * n + k] /= pivot_row[k];
      for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * pivot_row[j];
    }
  }
  return true;
}

void basin__dense_lu_solve(
    size_t n, const double *a, const size_t *permutation, double *x, double *work)
{
  for (size_t i = 0; i < n; i++) work[i] = x[permutation[i]] - basin__lanes_dot(i, a + i * n, work);
  for (size_t i = n; i-- > 0;) {
    x[i] = (work[i] - basin__lanes_dot(n - 1 - i, a + i * n + i + 1, x + i + 1)) / a[i * n + i];
  }
}
