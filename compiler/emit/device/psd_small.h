/* Projection of 1x1, 2x2 and 3x3 symmetric matrices in closed form, one tile at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_PSD_SMALL_H
#define BASIN_DEVICE_PSD_SMALL_H

#include "psd_lanes.h"

/* The projected eigenvalue: `gain` is 0 for clamp, -1 for abs. */
BASIN_PSD_INLINE real basin_psd_mirror(real value, real gain)
{
  return basin_psd_select(value < 0, gain * value, value);
}

BASIN_PSD_INLINE void basin_psd_1_tile(real *h, int mode)
{
  const real gain = (real)(basin_scalar)(mode == BASIN_PSD_CLAMP ? 0 : -1);
  h[0] = basin_psd_mirror(h[0], gain);
}

/* With mean m and half difference r of the eigenvalues, H - m I has the eigenvalues +r and -r;
 * hence f(H) = (f(m+r) + f(m-r))/2 I + (f(m+r) - f(m-r))/(2r) (H - m I). */
BASIN_PSD_INLINE void basin_psd_2_tile(real *h, int mode)
{
  const real zero = (real)(basin_scalar)0;
  const real gain = (real)(basin_scalar)(mode == BASIN_PSD_CLAMP ? 0 : -1);
  const real norm = basin_psd_abs(h[0]) + basin_psd_abs(h[1]) + basin_psd_abs(h[2]);
  const basin_psd_lane_mask usable =
      (norm > (basin_scalar)BASIN_PSD_TINY) & (norm < (basin_scalar)BASIN_PSD_HUGE);
  const real scale = basin_psd_select(usable, norm, zero + 1);
  const real inverse = 1 / scale;
  const real mean = (h[0] + h[2]) * inverse * (basin_scalar)0.5;
  const real half = (h[0] - h[2]) * inverse * (basin_scalar)0.5;
  const real cross = h[1] * inverse;
  const real radius = basin_psd_sqrt(basin_psd_fma(half, half, cross * cross));
  const basin_psd_lane_mask needy = usable & (mean - radius < 0);
  const real upper = basin_psd_mirror(mean + radius, gain);
  const real lower = basin_psd_mirror(mean - radius, gain);
  const real slope = scale * (upper - lower) / (2 * radius + (basin_scalar)BASIN_PSD_TINY);
  const real average = scale * (upper + lower) * (basin_scalar)0.5;
  h[0] = basin_psd_select(needy, basin_psd_fma(slope, half, average), h[0]);
  h[1] = basin_psd_select(needy, slope * cross, h[1]);
  h[2] = basin_psd_select(needy, basin_psd_fma(-slope, half, average), h[2]);
}

/* Largest root of t^3 - 3 t = 2 r for r in [0, 1]: interpolation in the Chebyshev points starts it
 * within 2e-6, one step of Halley's cubic method makes that 1e-17. */
BASIN_PSD_INLINE real basin_psd_cubic_root(real r)
{
  real t = (real)(basin_scalar)0.003894603220833871;
  t = basin_psd_fma(t, r, (real)(basin_scalar)-0.01793290240031717);
  t = basin_psd_fma(t, r, (real)(basin_scalar)0.04379925469029125);
  t = basin_psd_fma(t, r, (real)(basin_scalar)-0.09505002786487052);
  t = basin_psd_fma(t, r, (real)(basin_scalar)0.3332377130300708);
  t = basin_psd_fma(t, r, (real)(basin_scalar)1.7320521221176661);
  const real square = t * t;
  const real value = basin_psd_fma(t, square - 3, -2 * r);
  const real slope = 3 * square - 3;
  return t - value * slope / basin_psd_fma(slope, slope, -3 * t * value);
}

/* H = m I + p B with tr B = 0 and |B|^2 = 6: the root of larger magnitude t of B's characteristic
 * polynomial is at least sqrt(3) from the other two, so its projector V = adj(B - t I)/tr adj(B - t
 * I) is accurate whatever the spectrum; the other two eigenvalues -t/2 +- r are treated together as
 * in the 2x2 case, with D = B + t/2 I - 3/2 t V carrying +r and -r: repeated eigenvalues are
 * harmless. */
BASIN_PSD_INLINE void basin_psd_3_eigen(real *h, basin_psd_lane_mask usable, real norm, int mode)
{
  const real zero = (real)(basin_scalar)0;
  const real gain = (real)(basin_scalar)(mode == BASIN_PSD_CLAMP ? 0 : -1);
  const real scale = basin_psd_select(usable, norm, zero + 1);
  const real inverse = 1 / scale;
  const real mean = (h[0] + h[3] + h[5]) * (inverse * (basin_scalar)(1.0 / 3.0));
  real b0 = basin_psd_fma(h[0], inverse, -mean), b1 = h[1] * inverse;
  real b2 = basin_psd_fma(h[3], inverse, -mean), b3 = h[2] * inverse, b4 = h[4] * inverse;
  real b5 = basin_psd_fma(h[5], inverse, -mean);
  const real off = basin_psd_fma(b1, b1, basin_psd_fma(b3, b3, b4 * b4));
  const real diagonal = basin_psd_fma(b0, b0, basin_psd_fma(b2, b2, b5 * b5));
  real spread = basin_psd_sqrt(basin_psd_fma(off, 2 + zero, diagonal) * (basin_scalar)(1.0 / 6.0));
  real inverse_spread = 1 / (spread + (basin_scalar)1e-30);
  const real minor0 = basin_psd_fma(b2, b5, -b4 * b4);
  const real minor1 = basin_psd_fma(b1, b5, -b3 * b4);
  const real minor2 = basin_psd_fma(b1, b4, -b3 * b2);
  const real determinant = basin_psd_fma(b0, minor0, basin_psd_fma(-b1, minor1, b3 * minor2));
  const real cube = inverse_spread * inverse_spread * inverse_spread;
  real r = determinant * cube * (basin_scalar)0.5;
  spread = basin_psd_select(r < 0, -spread, spread);
  inverse_spread = basin_psd_select(r < 0, -inverse_spread, inverse_spread);
  r = basin_psd_min(basin_psd_abs(r), zero + 1);
  const real t = basin_psd_cubic_root(r);
  b0 *= inverse_spread, b1 *= inverse_spread, b2 *= inverse_spread;
  b3 *= inverse_spread, b4 *= inverse_spread, b5 *= inverse_spread;

  const real a0 = b0 - t, a2 = b2 - t, a5 = b5 - t;
  real v0 = basin_psd_fma(a2, a5, -b4 * b4);
  real v2 = basin_psd_fma(a0, a5, -b3 * b3);
  real v5 = basin_psd_fma(a0, a2, -b1 * b1);
  const real weight = 1 / (v0 + v2 + v5);
  v0 *= weight, v2 *= weight, v5 *= weight;
  const real v1 = basin_psd_fma(b3, b4, -b1 * a5) * weight;
  const real v3 = basin_psd_fma(b1, b4, -b3 * a2) * weight;
  const real v4 = basin_psd_fma(b1, b3, -a0 * b4) * weight;

  const real half = t * (basin_scalar)0.5, shear = t * (basin_scalar)-1.5;
  const real d0 = basin_psd_fma(shear, v0, b0 + half), d2 = basin_psd_fma(shear, v2, b2 + half);
  const real d5 = basin_psd_fma(shear, v5, b5 + half), d1 = basin_psd_fma(shear, v1, b1);
  const real d3 = basin_psd_fma(shear, v3, b3), d4 = basin_psd_fma(shear, v4, b4);
  const real d_off = basin_psd_fma(d1, d1, basin_psd_fma(d3, d3, d4 * d4));
  const real d_diagonal = basin_psd_fma(d0, d0, basin_psd_fma(d2, d2, d5 * d5));
  const real radius = basin_psd_sqrt(basin_psd_fma(d_diagonal, zero + (basin_scalar)0.5, d_off));

  const real single = basin_psd_fma(spread, t, mean);
  const real center = basin_psd_fma(spread, -half, mean);
  const real step = spread * radius;
  const basin_psd_lane_mask needy = usable & ((single < 0) | (center - basin_psd_abs(step) < 0));
  const real image = basin_psd_mirror(single, gain);
  const real upper = basin_psd_mirror(center + step, gain);
  const real lower = basin_psd_mirror(center - step, gain);
  const real average = (upper + lower) * (basin_scalar)0.5;
  const real slope = (upper - lower) / (2 * radius + (basin_scalar)1e-30);
  const real on_v = scale * basin_psd_fma(slope, shear, image - average);
  const real on_identity = scale * basin_psd_fma(slope, half, average);
  const real on_b = scale * slope;
  h[0] =
      basin_psd_select(needy, basin_psd_fma(on_v, v0, basin_psd_fma(on_b, b0, on_identity)), h[0]);
  h[1] = basin_psd_select(needy, basin_psd_fma(on_v, v1, on_b * b1), h[1]);
  h[3] =
      basin_psd_select(needy, basin_psd_fma(on_v, v2, basin_psd_fma(on_b, b2, on_identity)), h[3]);
  h[2] = basin_psd_select(needy, basin_psd_fma(on_v, v3, on_b * b3), h[2]);
  h[4] = basin_psd_select(needy, basin_psd_fma(on_v, v4, on_b * b4), h[4]);
  h[5] =
      basin_psd_select(needy, basin_psd_fma(on_v, v5, basin_psd_fma(on_b, b5, on_identity)), h[5]);
}

BASIN_PSD_INLINE void basin_psd_3_tile(real *h, int mode)
{
  const real norm = basin_psd_abs(h[0]) + basin_psd_abs(h[1]) + basin_psd_abs(h[3]) +
                    basin_psd_abs(h[2]) + basin_psd_abs(h[4]) + basin_psd_abs(h[5]);
  const basin_psd_lane_mask usable =
      (norm > (basin_scalar)BASIN_PSD_TINY) & (norm < (basin_scalar)BASIN_PSD_HUGE);
  const real shift = norm * (basin_scalar)BASIN_PSD_EPSILON;
  const real p0 = h[0] + shift;
  const real l1 = h[1] / p0, l3 = h[2] / p0;
  const real p2 = basin_psd_fma(-l1, h[1], h[3] + shift);
  const real row = basin_psd_fma(-l3, h[1], h[4]);
  const real p5 = basin_psd_fma(-row, row / p2, basin_psd_fma(-l3, h[2], h[5] + shift));
  const basin_psd_lane_mask definite = (p0 > 0) & (p2 > 0) & (p5 > 0);
  const basin_psd_lane_mask needy = usable & basin_psd_not(definite);
  if (basin_psd_any(needy)) basin_psd_3_eigen(h, needy, norm, mode);
}

#endif
