/* Projection of batches of small symmetric matrices to positive semidefinite ones. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included once for each size a kernel needs, with BASIN_PSD_N (1 to 24) defined, after the
 * dialect; it defines, say for 9 (mode: BASIN_PSD_CLAMP or BASIN_PSD_ABS, the numbers of
 * basin_projection):
 *
 *   CPU, a chunk of elements:
 *     void basin_psd_9_chunk(basin_scalar *h, const unsigned short *rows, int stride, int count,
 *                            int mode);
 *   CUDA, the matrices of the lanes of a warp, called by all of them:
 *     void basin_psd_9_warp(real *h, bool active, int mode);
 *
 * and for sizes 1 to 3 basin_psd_3_tile, which works on a tile in registers.
 * A matrix is its packed upper triangle, row after row: 45 numbers for 9. A chunk is up to
 * BASIN_PSD_CHUNK elements side by side: entry e of element i is h[rows[e] * stride + i]. For the
 * fewest cache conflicts stride is an odd multiple of 8.
 *
 * Accuracy: within 1e-12 |H| (float: 1e-5 |H|) of the exact projection, whatever the spectrum. A
 * matrix which is positive semidefinite to rounding keeps its bits; so does one with an entry that
 * is not finite or with a norm outside 1e-280 .. 1e300 (float: 1e-34 .. 1e36). The result depends
 * on the matrix alone, bit by bit, not on its place or its neighbours. Every loop is bounded. */
#ifndef BASIN_PSD_N
#error "define BASIN_PSD_N (1 to 24) before each inclusion of psd.h"
#endif

#include "psd_lanes.h"
#include "psd_small.h"

#define BASIN_PSD_PASTE(size, verb)  basin_psd_##size##_##verb
#define BASIN_PSD_EXPAND(size, verb) BASIN_PSD_PASTE(size, verb)
#define BASIN_PSD_NAME(verb)         BASIN_PSD_EXPAND(BASIN_PSD_N, verb)

/* Straight-line code for the sizes where the gain is worth the time to compile it. */
#if BASIN_PSD_N <= 12
#define BASIN_PSD_UNROLL _Pragma("unroll")
#else
#define BASIN_PSD_UNROLL
#endif
#if BASIN_PSD_N <= 9
#define BASIN_PSD_UNROLL_DEEP _Pragma("unroll")
#else
#define BASIN_PSD_UNROLL_DEEP
#endif

/* Position of entry (i, j), i >= j, in the packed triangle: rows of the upper one after each other.
 */
#define BASIN_PSD_AT(i, j) ((j) * (2 * BASIN_PSD_N - 1 - (j)) / 2 + (i))
#define BASIN_PSD_PACKED   (BASIN_PSD_N * (BASIN_PSD_N + 1) / 2)

#if defined(__CUDACC__)
#include "psd_warp.h"
#else
#if BASIN_PSD_N > 3
#include "psd_jacobi.h"
#include "psd_tridiagonal.h"
#endif
#include "psd_chunk.h"
#endif

#undef BASIN_PSD_N
#undef BASIN_PSD_NAME
#undef BASIN_PSD_EXPAND
#undef BASIN_PSD_PASTE
#undef BASIN_PSD_AT
#undef BASIN_PSD_PACKED
#undef BASIN_PSD_UNROLL
#undef BASIN_PSD_UNROLL_DEEP
