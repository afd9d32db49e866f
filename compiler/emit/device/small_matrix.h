/* Polar, singular value and symmetric eigen-decomposition of 2 x 2 and 3 x 3 matrices, tile by
 * tile: the Jacobi iterations of compiler/graph/small_matrix.c with masks, so that no lane depends
 * on another. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_SMALL_MATRIX_H
#define BASIN_DEVICE_SMALL_MATRIX_H

#define BASIN_SMALL_SWEEPS 24

#ifdef BASIN_FLOAT
#define BASIN_SMALL_EPSILON 1.1920928955078125e-7
#define BASIN_SMALL_LEAST   1.1754943508222875e-38
#define BASIN_SMALL_RANGE   1.2676506002282294e30 /* 2^100 */
#else
#define BASIN_SMALL_EPSILON 2.220446049250313e-16
#define BASIN_SMALL_LEAST   2.2250738585072014e-308
#define BASIN_SMALL_RANGE   1.0715086071862673e301 /* 2^1000 */
#endif

/* Numbers of outputs, the sizes of the arrays in emitted text. */
enum {
  basin_polar2_outputs = 4,
  basin_polar3_outputs = 9,
  basin_svd2_outputs = 10,
  basin_svd3_outputs = 21,
  basin_eig2_outputs = 6,
  basin_eig3_outputs = 12
};
#define BASIN_OUTPUTS_OF(name) name##_outputs

/* A power of two near the largest entry, 1 if that is zero or not finite. */
BASIN_INLINE real basin_small_scale(const real *m, int count)
{
  real largest = basin_abs(m[0]);
  for (int i = 1; i < count; i++)
    largest = basin_select(basin_abs(m[i]) > largest, basin_abs(m[i]), largest);
  const mask usable = basin_and(largest > 0, largest < basin_broadcast(basin_infinity));
  largest = basin_min(basin_max(largest, basin_broadcast(1 / BASIN_SMALL_RANGE)),
                      basin_broadcast(BASIN_SMALL_RANGE));
  return basin_select(usable, basin_power_of_two(largest), basin_broadcast(1));
}

/* Cosine and sine of the smaller rotation that makes [app apq; apq aqq] diagonal; none where `turn`
 * is false. */
BASIN_INLINE void basin_small_angle(mask turn, real app, real apq, real aqq, real *c, real *s)
{
  const real one = basin_broadcast(1), zero = basin_broadcast(0);
  const real tau = (aqq - app) / (basin_broadcast(2) * apq);
  const real t = basin_select(tau < 0, -one, one) / (basin_abs(tau) + basin_sqrt(one + tau * tau));
  const real cosine = one / basin_sqrt(one + t * t);
  *c = basin_select(turn, cosine, one);
  *s = basin_select(turn, t * cosine, zero);
}

#define BASIN_SMALL_N 2
#include "small_matrix_size.h"
#undef BASIN_SMALL_N
#define BASIN_SMALL_N 3
#include "small_matrix_size.h"
#undef BASIN_SMALL_N

/* ---- as emitted text calls them: results first, then the entries ---- */
BASIN_INLINE void basin_polar2(real *out, real f0, real f1, real f2, real f3)
{
  const real f[4] = {f0, f1, f2, f3};
  const real scale = basin_small_scale(f, 4);
  const real a = f0 / scale + f3 / scale, b = f2 / scale - f1 / scale,
             length = basin_sqrt(a * a + b * b);
  const mask turned = length > 0;
  const real c = basin_select(turned, a / length, basin_broadcast(1));
  const real s = basin_select(turned, b / length, basin_broadcast(0));
  out[0] = out[3] = c;
  out[1] = -s;
  out[2] = s;
}

BASIN_INLINE void basin_polar3(
    real *out, real f0, real f1, real f2, real f3, real f4, real f5, real f6, real f7, real f8)
{
  const real f[9] = {f0, f1, f2, f3, f4, f5, f6, f7, f8};
  real u[9], s[3], v[9];
  basin_small_svd_3(f, u, s, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] =
          u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + u[3 * i + 2] * v[3 * j + 2];
}

BASIN_INLINE void basin_svd2(real *out, real f0, real f1, real f2, real f3)
{
  const real f[4] = {f0, f1, f2, f3};
  basin_small_svd_2(f, out, out + 4, out + 6);
}

BASIN_INLINE void basin_svd3(
    real *out, real f0, real f1, real f2, real f3, real f4, real f5, real f6, real f7, real f8)
{
  const real f[9] = {f0, f1, f2, f3, f4, f5, f6, f7, f8};
  basin_small_svd_3(f, out, out + 9, out + 12);
}

BASIN_INLINE void basin_eig2(real *out, real a0, real a1, real a2)
{
  const real a[3] = {a0, a1, a2};
  basin_small_eig_2(a, out, out + 2);
}

BASIN_INLINE void basin_eig3(real *out, real a0, real a1, real a2, real a3, real a4, real a5)
{
  const real a[6] = {a0, a1, a2, a3, a4, a5};
  basin_small_eig_3(a, out, out + 3);
}

#endif
