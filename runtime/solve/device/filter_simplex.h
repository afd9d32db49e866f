/* First time at which a simplex loses the given part of its signed volume. Compiled for the CPU and
 * by NVRTC, so that both take the same steps. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_FILTER_SIMPLEX_H
#define BASIN_SOLVE_FILTER_SIMPLEX_H

#ifdef BASIN_CUDA_TEXT
#define BASIN_FILTER static __device__
#else
#include <math.h>
#define BASIN_FILTER static inline
#endif

BASIN_FILTER double basin__polynomial(const double c[4], double t)
{
  return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

/* Roots of c1 + 2 c2 t + 3 c3 t^2 in ascending order, without cancellation; their number. */
BASIN_FILTER int basin__extrema(const double c[4], double roots[2])
{
  double a = 3 * c[3], half = c[2], root;
  if (a == 0) {
    if (half == 0) return 0;
    roots[0] = -c[1] / (2 * half);
    return 1;
  }
  double discriminant = half * half - a * c[1];
  if (!(discriminant > 0)) return 0;
  root = half >= 0 ? -half - sqrt(discriminant) : -half + sqrt(discriminant);
  double first = root / a, second = root != 0 ? c[1] / root : 0;
  roots[0] = fmin(first, second);
  roots[1] = fmax(first, second);
  return 2;
}

/* Largest t <= limit with no root of the polynomial (positive at 0) in [0, t]: between extrema it
 * is monotonic, so signs at the ends decide and bisection finds the crossing, from below. */
BASIN_FILTER double basin__first_root(const double c[4], double limit)
{
  double drop = fmin(c[1], 0.0) * limit + fmin(c[2], 0.0) * limit * limit +
                fmin(c[3], 0.0) * limit * limit * limit;
  double roots[2], ends[3], begin = 0;
  if (c[0] + drop > 0) return limit;
  int count = basin__extrema(c, roots), pieces = 0;
  for (int k = 0; k < count; ++k)
    if (roots[k] > 0 && roots[k] < limit) ends[pieces++] = roots[k];
  ends[pieces++] = limit;
  for (int k = 0; k < pieces; ++k) {
    double low = begin, high = ends[k];
    if (basin__polynomial(c, high) > 0) {
      begin = high;
      continue;
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
      double middle = 0.5 * (low + high);
      if (basin__polynomial(c, middle) > 0)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  return limit;
}

/* ---- volumes ---- */

BASIN_FILTER double basin__det3(const double *a, const double *b, const double *c)
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

BASIN_FILTER double basin__det2(const double *a, const double *b)
{
  return a[0] * b[1] - a[1] * b[0];
}

/* Signed volume (times 6, or area times 2) of the simplex with edges e - t d, as a polynomial in t.
 */
BASIN_FILTER void basin__volume(unsigned size, double e[3][3], double d[3][3], double c[4])
{
  if (size == 2) {
    c[0] = basin__det2(e[0], e[1]);
    c[1] = -(basin__det2(d[0], e[1]) + basin__det2(e[0], d[1]));
    c[2] = basin__det2(d[0], d[1]);
    c[3] = 0;
    return;
  }
  c[0] = basin__det3(e[0], e[1], e[2]);
  c[1] = -(basin__det3(d[0], e[1], e[2]) + basin__det3(e[0], d[1], e[2]) +
           basin__det3(e[0], e[1], d[2]));
  c[2] =
      basin__det3(d[0], d[1], e[2]) + basin__det3(d[0], e[1], d[2]) + basin__det3(e[0], d[1], d[2]);
  c[3] = -basin__det3(d[0], d[1], d[2]);
}

/* Largest step <= limit along which the simplex with edges `e`, whose ends move by -d a unit of
 * step, keeps more than (1 - keep) of its signed volume. */
BASIN_FILTER double
basin__simplex_step(unsigned size, double e[3][3], double d[3][3], double keep, double limit)
{
  double c[4];
  basin__volume(size, e, d, c);
  if (c[0] == 0 || !(fabs(c[0]) <= 1.7976931348623157e308)) return limit; /* flat already */
  for (int k = 3; k >= 0; --k) c[k] /= c[0];
  c[0] = keep; /* V(t) / V(0) - (1 - keep) */
  return basin__first_root(c, limit);
}

#endif
