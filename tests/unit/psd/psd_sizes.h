/* The projection compiled for every size, behind one table. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TEST_PSD_SIZES_H
#define BASIN_TEST_PSD_SIZES_H

#if PSD_TEST_FLOAT
typedef float basin_scalar;
#else
typedef double basin_scalar;
#endif

/* Numbers a row of the chunk holds. */
#define PSD_TEST_STRIDE (256 + 64 / (int)sizeof(basin_scalar))

/* Projects `count` n x n matrices: entry e of matrix i at h[e * PSD_TEST_STRIDE + i], 64-byte
 * aligned. */
void psd_project(int n, basin_scalar *h, int count, int mode);

#endif
