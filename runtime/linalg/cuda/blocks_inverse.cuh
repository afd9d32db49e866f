/* Inverses of small dense symmetric matrices by one thread block: sweeps (Gauss-Jordan without
 * pivoting, whose pivots are those of L D L^T), else the inverse of the absolute value through a
 * Jacobi eigenvalue method, else the diagonal's. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BLOCKS_INVERSE_CUH
#define BASIN_BLOCKS_INVERSE_CUH

#include "blocks.cuh"

#define EPSILON       2.2204460492503131e-16
#define LEAST         2.2250738585072014e-308
#define LARGEST       1.7976931348623157e+308
#define LARGEST_EIGEN 48 /* unknowns; as BASIN__EIGEN_LARGEST */
#define EIGEN_SWEEPS  40

/* True in all threads if the sum of 0 * value over them is not 0: a value was not finite. */
static __device__ bool any_not_finite(size count, const double *values, word *flag)
{
  bool bad = false;
  for (size i = threadIdx.x; i < count; i += blockDim.x) bad |= values[i] * 0.0 != 0;
  __syncthreads();
  if (threadIdx.x == 0) *flag = 0;
  __syncthreads();
  if (bad) atomicOr(flag, 1u);
  __syncthreads();
  return *flag != 0;
}

/* a becomes its inverse; false if a pivot is not positive beyond rounding (`a` is then spoiled).
 * `column`: n numbers of shared memory. */
static __device__ bool invert_definite(word n, double *a, double *column)
{
  double scale = (double)n * EPSILON;
  for (word k = 0; k < n; k++) {
    /* Row k of the part not swept yet still has its first diagonal in column[k]. */
    __syncthreads();
    double pivot = a[k * n + k], first = column[n + k];
    if (!(pivot > first * scale) || pivot > LARGEST) return false;
    double inverse = 1 / pivot;
    for (word i = threadIdx.x; i < n; i += blockDim.x) column[i] = a[i * n + k];
    __syncthreads();
    for (word at = threadIdx.x; at < n * n; at += blockDim.x) {
      word i = at / n, j = at % n;
      double value;
      if (i == k) {
        value = j == k ? -inverse : column[j] * inverse;
      } else if (j == k) {
        value = column[i] * inverse;
      } else {
        value = a[at] - column[i] * column[j] * inverse;
      }
      a[at] = value;
    }
  }
  __syncthreads();
  for (word at = threadIdx.x; at < n * n; at += blockDim.x) a[at] = -a[at];
  __syncthreads();
  return true;
}

/* One rotation that annihilates a[p][q]; v gathers them. All threads. */
static __device__ void rotate(word n, double *a, double *v, word p, word q)
{
  double pp = a[p * n + p], qq = a[q * n + q], pq = a[p * n + q];
  if (fabs(pq) <= 0.25 * EPSILON * sqrt(fabs(pp)) * sqrt(fabs(qq)) || fabs(pq) < LEAST) return;
  double theta = (qq - pp) / (2 * pq);
  double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
  if (theta < 0) t = -t;
  double c = 1 / sqrt(t * t + 1), s = t * c;
  __syncthreads(); /* all have read the three entries */
  for (word i = threadIdx.x; i < n; i += blockDim.x) {
    if (i != p && i != q) {
      double ip = a[i * n + p], iq = a[i * n + q];
      a[i * n + p] = a[p * n + i] = c * ip - s * iq;
      a[i * n + q] = a[q * n + i] = s * ip + c * iq;
    }
    double vp = v[i * n + p], vq = v[i * n + q];
    v[i * n + p] = c * vp - s * vq;
    v[i * n + q] = s * vp + c * vq;
  }
  if (threadIdx.x == 0) {
    a[p * n + p] = pp - t * pq;
    a[q * n + q] = qq + t * pq;
    a[p * n + q] = a[q * n + p] = 0;
  }
  __syncthreads();
}

/* inverse = |A|^-1, eigenvalues that are rounding errors raised to that level. `a` (full, n * n)
 * and `v` are spoiled. */
static __device__ void invert_absolute(word n, double *a, double *v, double *inverse)
{
  for (word at = threadIdx.x; at < n * n; at += blockDim.x) v[at] = at / n == at % n;
  __syncthreads();
  for (int sweep = 0; sweep < EIGEN_SWEEPS; sweep++) {
    double off = 0, all = 0;
    for (word at = 0; at < n * n; at++) {
      double square = a[at] * a[at];
      all += square;
      if (at / n != at % n) off += square;
    }
    if (!(off > EPSILON * EPSILON * all)) break; /* the same in all threads */
    __syncthreads();
    for (word p = 0; p < n; p++) {
      for (word q = p + 1; q < n; q++) rotate(n, a, v, p, q);
    }
  }
  double largest = 0;
  for (word k = 0; k < n; k++) largest = fmax(largest, fabs(a[k * n + k]));
  double least = 8 * (double)n * EPSILON * largest;
  for (word at = threadIdx.x; at < n * n; at += blockDim.x) {
    word i = at / n, j = at % n;
    double sum = 0;
    for (word k = 0; k < n; k++)
      sum += v[i * n + k] * v[j * n + k] / fmax(fabs(a[k * n + k]), least);
    inverse[at] = sum;
  }
  __syncthreads();
}

/* The matrix in `work` to `inverse`, by the first way that serves; true if it was definite.
 * `work`: n * n + 2 n numbers, and n * n more for up to LARGEST_EIGEN unknowns. `again`(i, j) is
 * the matrix, for a second look. All threads of the block. */
template <typename Entry>
static __device__ bool
invert_block(word n, double *work, double *inverse, word *flag, const Entry &again)
{
  double *column = work + n * n, *vectors = column + 2 * n;
  for (word i = threadIdx.x; i < n; i += blockDim.x) column[n + i] = work[i * n + i];
  __syncthreads();
  bool definite = invert_definite(n, work, column);
  if (definite && !any_not_finite(n * n, work, flag)) {
    for (word at = threadIdx.x; at < n * n; at += blockDim.x) inverse[at] = work[at];
    return true;
  }
  __syncthreads();
  if (!definite && n <= LARGEST_EIGEN) {
    for (word at = threadIdx.x; at < n * n; at += blockDim.x) work[at] = again(at / n, at % n);
    __syncthreads();
    invert_absolute(n, work, vectors, inverse);
    if (!any_not_finite(n * n, inverse, flag)) return false;
  }
  for (word at = threadIdx.x; at < n * n; at += blockDim.x) {
    double diagonal = fabs(column[n + at / n]);
    inverse[at] = at / n != at % n ? 0.0 : diagonal > LEAST ? 1 / diagonal : 1.0;
  }
  __syncthreads();
  return false;
}

#endif
