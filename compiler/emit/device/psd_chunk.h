/* Test, compaction and projection of the matrices of a chunk of elements (CPU). */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent. */

#if BASIN_PSD_N > 3

/* Pivots of L D L^T of H + shift I for the tile at h, rows `stride` numbers apart: 0 where all
 * are positive (H needs no projection), else 1 + the smaller of the numbers of negative and
 * positive ones, a guess of the work that lies ahead. */
BASIN_PSD_INLINE
real BASIN_PSD_NAME(class)(const basin_scalar *h, const int *offsets)
{
  const real zero = (real)(basin_scalar)0, one = (real)(basin_scalar)1;
  real a[BASIN_PSD_PACKED];
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_PACKED; i++) a[i] = *(const basin_psd_tile *)(h + offsets[i]);
  real size = basin_psd_abs(a[0]);
  BASIN_PSD_UNROLL
  for (int i = 1; i < BASIN_PSD_N; i++)
    size = basin_psd_max(basin_psd_abs(a[BASIN_PSD_AT(i, i)]), size);
  const real shift = size * (basin_scalar)(BASIN_PSD_SHIFT * BASIN_PSD_N * BASIN_PSD_EPSILON) +
                     (basin_scalar)BASIN_PSD_TINY;
  real positive = zero;
  BASIN_PSD_UNROLL
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const real pivot = a[BASIN_PSD_AT(k, k)] + shift;
    positive = basin_psd_select(pivot > 0, positive + one, positive);
    const real inverse = one / pivot;
    BASIN_PSD_UNROLL
    for (int i = k + 1; i < BASIN_PSD_N; i++) {
      const real factor = -a[BASIN_PSD_AT(i, k)] * inverse;
      BASIN_PSD_UNROLL
      for (int j = k + 1; j <= i; j++)
        a[BASIN_PSD_AT(i, j)] = basin_psd_fma(factor, a[BASIN_PSD_AT(j, k)], a[BASIN_PSD_AT(i, j)]);
    }
  }
  return basin_psd_min(BASIN_PSD_N - positive, positive + 1);
}

/* Projects the elements of order[0 .. filled - 1], wherever they are. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(packed)(
    basin_scalar *h, const int *offsets, const unsigned short *order, int filled, basin_scalar gain)
{
  basin_psd_real batch[BASIN_PSD_PACKED], result[BASIN_PSD_PACKED];
  basin_scalar *lanes = (basin_scalar *)batch;
  for (int lane = 0; lane < BASIN_PSD_LANES; lane++) {
    const basin_scalar *from = h + order[lane < filled ? lane : 0];
    BASIN_PSD_UNROLL
    for (int e = 0; e < BASIN_PSD_PACKED; e++) lanes[e * BASIN_PSD_LANES + lane] = from[offsets[e]];
  }
  BASIN_PSD_NAME(solve)(batch, result, gain);
  lanes = (basin_scalar *)result;
  for (int lane = 0; lane < filled; lane++) {
    basin_scalar *to = h + order[lane];
    BASIN_PSD_UNROLL
    for (int e = 0; e < BASIN_PSD_PACKED; e++) to[offsets[e]] = lanes[e * BASIN_PSD_LANES + lane];
  }
}

/* Projects the elements of `tiles` tiles at h where their class is not 0; at most one batch. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(adjacent)(
    basin_scalar *h, const int *offsets, const real *classes, int tiles, basin_scalar gain)
{
  basin_psd_real batch[BASIN_PSD_PACKED], result[BASIN_PSD_PACKED];
  const int stride = BASIN_PSD_LANES / BASIN_WIDTH;
  basin_psd_tile *from = (basin_psd_tile *)batch, *to = (basin_psd_tile *)result;
  for (int e = 0; e < BASIN_PSD_PACKED; e++)
    for (int tile = 0; tile < stride; tile++)
      from[e * stride + tile] =
          *(const basin_psd_tile *)(h + offsets[e] + (tile < tiles ? tile : 0) * BASIN_WIDTH);
  BASIN_PSD_NAME(solve)(batch, result, gain);
  for (int tile = 0; tile < tiles; tile++)
    for (int e = 0; e < BASIN_PSD_PACKED; e++)
      *(basin_psd_tile *)(h + offsets[e] + tile * BASIN_WIDTH) =
          basin_psd_select(classes[tile] > 0, to[e * stride + tile], from[e * stride + tile]);
}

/* Projects the matrices of elements 0 to count - 1 in place: entry e of the packed triangle of
 * element i is h[rows[e] * stride + i]. h is aligned like `real`, stride a multiple of
 * BASIN_WIDTH, count at most BASIN_PSD_CHUNK; rows are read up to the next multiple of
 * BASIN_WIDTH. The result for an element depends on nothing but its matrix, not even on its
 * place. */
BASIN_PSD_NOINLINE void
BASIN_PSD_NAME(chunk)(basin_scalar *h, const unsigned short *rows, int stride, int count, int mode)
{
  const basin_scalar gain = mode == BASIN_PSD_CLAMP ? 1 : 2;
  const int batch_tiles = BASIN_PSD_LANES / BASIN_WIDTH;
  const int tiles = (count + BASIN_WIDTH - 1) / BASIN_WIDTH;
  unsigned short order[BASIN_PSD_CHUNK + BASIN_PSD_LANES];
  unsigned char class[BASIN_PSD_CHUNK + BASIN_WIDTH];
  real classes[BASIN_PSD_CHUNK / BASIN_WIDTH + 1];
  int offsets[BASIN_PSD_PACKED], start[BASIN_PSD_N + 2] = {0};
  for (int e = 0; e < BASIN_PSD_PACKED; e++) offsets[e] = rows[e] * stride;
  for (int tile = 0; tile < tiles; tile++) {
    classes[tile] = BASIN_PSD_NAME(class)(h + tile * BASIN_WIDTH, offsets);
    for (int lane = 0; lane < BASIN_WIDTH; lane++)
      class[tile * BASIN_WIDTH + lane] = (unsigned char)classes[tile][lane];
  }
  for (int i = count; i < tiles * BASIN_WIDTH; i++) classes[tiles - 1][i % BASIN_WIDTH] = 0;
  for (int i = 0; i < count; i++) start[class[i] + 1]++;
  const int needy = count - start[1];
  if (needy > count - count / 8) {
    for (int tile = 0; tile < tiles; tile += batch_tiles) {
      const int filled = tiles - tile < batch_tiles ? tiles - tile : batch_tiles;
      BASIN_PSD_NAME(adjacent)(h + tile * BASIN_WIDTH, offsets, classes + tile, filled, gain);
    }
    return;
  }
  start[1] = 0;
  for (int i = 1; i <= BASIN_PSD_N; i++) start[i + 1] += start[i];
  for (int i = 0; i < count; i++)
    if (class[i] > 0) order[start[class[i]]++] = (unsigned short)i;
  for (int first = 0; first < needy; first += BASIN_PSD_LANES) {
    const int filled = needy - first < BASIN_PSD_LANES ? needy - first : BASIN_PSD_LANES;
    BASIN_PSD_NAME(packed)(h, offsets, order + first, filled, gain);
  }
}

#else

/* Projects the matrices of elements 0 to count - 1 in place: entry e of the packed triangle of
 * element i is h[rows[e] * stride + i]. h is aligned like `real`, stride a multiple of
 * BASIN_WIDTH, count at most BASIN_PSD_CHUNK; rows are read up to the next multiple of
 * BASIN_WIDTH. The result for an element depends on nothing but its matrix, not even on its
 * place. */
BASIN_PSD_INLINE void
BASIN_PSD_NAME(chunk)(basin_scalar *h, const unsigned short *rows, int stride, int count, int mode)
{
  for (int first = 0; first < count; first += BASIN_WIDTH) {
    real tile[BASIN_PSD_PACKED];
    for (int e = 0; e < BASIN_PSD_PACKED; e++)
      tile[e] = *(const basin_psd_tile *)(h + rows[e] * stride + first);
    BASIN_PSD_NAME(tile)(tile, mode);
    for (int e = 0; e < BASIN_PSD_PACKED; e++)
      *(basin_psd_tile *)(h + rows[e] * stride + first) = tile[e];
  }
}

#endif
