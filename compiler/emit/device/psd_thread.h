/* Projection of one matrix by one CUDA thread. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent. */

#if BASIN_PSD_N > 3

/* Whether L D L^T of H + shift I has only positive pivots: then H needs no projection. */
BASIN_PSD_INLINE bool BASIN_PSD_NAME(definite)(const real *h)
{
  real a[BASIN_PSD_PACKED], size = 0;
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_PACKED; i++) a[i] = h[i];
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_N; i++)
    size = basin_psd_max(basin_psd_abs(a[BASIN_PSD_AT(i, i)]), size);
  const real shift =
      size * (real)(BASIN_PSD_SHIFT * BASIN_PSD_N * BASIN_PSD_EPSILON) + (real)BASIN_PSD_TINY;
  bool definite = true;
  BASIN_PSD_UNROLL
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const real pivot = a[BASIN_PSD_AT(k, k)] + shift;
    definite = definite && pivot > 0;
    BASIN_PSD_UNROLL
    for (int i = k + 1; i < BASIN_PSD_N; i++) {
      const real factor = -a[BASIN_PSD_AT(i, k)] / pivot;
      BASIN_PSD_UNROLL
      for (int j = k + 1; j <= i; j++)
        a[BASIN_PSD_AT(i, j)] = basin_psd_fma(factor, a[BASIN_PSD_AT(j, k)], a[BASIN_PSD_AT(i, j)]);
    }
  }
  return definite;
}

/* Projects the packed triangle h in place. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(tile)(real *h, int mode)
{
  real result[BASIN_PSD_PACKED];
  if (BASIN_PSD_NAME(definite)(h)) return;
  BASIN_PSD_NAME(solve)(h, result, (real)(mode == BASIN_PSD_CLAMP ? 1 : 2));
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_PACKED; i++) h[i] = result[i];
}

#endif
