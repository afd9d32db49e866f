/* Cyclic Jacobi on a batch of symmetric matrices: the slow path that cannot fail. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent. */

/* The rotation of plane (p, q), p < q, applied to the matrix a and the columns of z
 * (Golub and Van Loan, section 8.5.2); exactly none in the lanes where entry (p, q) is negligible,
 * so that a lane which has converged does not depend on the others. Returns the other lanes. */
BASIN_PSD_INLINE basin_psd_mask
BASIN_PSD_NAME(jacobi_rotate)(basin_psd_real a[BASIN_PSD_N][BASIN_PSD_N],
                              basin_psd_real z[BASIN_PSD_N][BASIN_PSD_N],
                              int p,
                              int q)
{
  const basin_psd_real one = basin_psd_splat(1), off = a[p][q];
  const basin_psd_mask flat = basin_psd_abs(off) < (basin_scalar)(BASIN_PSD_EPSILON / 16);
  const basin_psd_real ratio = (a[q][q] - a[p][p]) / (2 * basin_psd_select(flat, one, off));
  const basin_psd_real length =
      basin_psd_abs(ratio) + basin_psd_sqrt(basin_psd_fma(ratio, ratio, one));
  basin_psd_real tangent = basin_psd_select(ratio < 0, -1 / length, 1 / length);
  tangent = basin_psd_select(flat, basin_psd_splat(0), tangent);
  const basin_psd_real cosine = 1 / basin_psd_sqrt(basin_psd_fma(tangent, tangent, one));
  const basin_psd_real sine = tangent * cosine;
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const basin_psd_real x = a[k][p], y = a[k][q];
    a[k][p] = basin_psd_fma(cosine, x, -sine * y);
    a[k][q] = basin_psd_fma(sine, x, cosine * y);
  }
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const basin_psd_real x = a[p][k], y = a[q][k], zx = z[k][p], zy = z[k][q];
    a[p][k] = basin_psd_fma(cosine, x, -sine * y);
    a[q][k] = basin_psd_fma(sine, x, cosine * y);
    z[k][p] = basin_psd_fma(cosine, zx, -sine * zy);
    z[k][q] = basin_psd_fma(sine, zx, cosine * zy);
  }
  return basin_psd_not(flat);
}

/* Projects the lanes `wanted` from h to out; norm is the largest entry of each. */
BASIN_PSD_NOINLINE void BASIN_PSD_NAME(jacobi)(const basin_psd_real *h,
                                               basin_psd_real norm,
                                               basin_psd_mask wanted,
                                               basin_scalar gain,
                                               basin_psd_real *out)
{
  basin_psd_real a[BASIN_PSD_N][BASIN_PSD_N], z[BASIN_PSD_N][BASIN_PSD_N];
  for (int i = 0; i < BASIN_PSD_N; i++) {
    for (int j = 0; j < BASIN_PSD_N; j++) {
      const basin_psd_real entry = h[i > j ? BASIN_PSD_AT(i, j) : BASIN_PSD_AT(j, i)] / norm;
      a[i][j] = basin_psd_select(wanted, entry, basin_psd_splat(0));
      z[i][j] = basin_psd_splat(i == j);
    }
  }
  for (int cycle = 0; cycle < BASIN_PSD_CYCLES; cycle++) {
    basin_psd_mask turned = norm < 0;
    for (int p = 0; p < BASIN_PSD_N - 1; p++)
      for (int q = p + 1; q < BASIN_PSD_N; q++)
        turned = turned | BASIN_PSD_NAME(jacobi_rotate)(a, z, p, q);
    if (!basin_psd_any(turned)) break;
  }
  for (int i = 0; i < BASIN_PSD_N; i++) {
    for (int j = 0; j <= i; j++) {
      basin_psd_real sum = basin_psd_splat(0);
      for (int k = 0; k < BASIN_PSD_N; k++)
        sum = basin_psd_fma(basin_psd_min(a[k][k], basin_psd_splat(0)) * z[i][k], z[j][k], sum);
      const int e = BASIN_PSD_AT(i, j);
      out[e] = basin_psd_select(wanted, basin_psd_fma(-gain * norm, sum, h[e]), out[e]);
    }
  }
}
