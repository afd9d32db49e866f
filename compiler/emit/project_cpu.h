/* The projection of one size on the CPU: small ones in the kernel itself, others from an object
 * that kernels share. SPDX-License-Identifier: Apache-2.0 */

/* Included once a size with BASIN_PSD_N defined; no include guard by intent. */
#if BASIN_PSD_N <= 3 || defined(BASIN_PROJECTION_UNIT)
#include "psd.h"
#else
extern void BASIN_PASTE(basin_project_, BASIN_PSD_N)(
    basin_scalar *h, const unsigned short *rows, int stride, int count, int mode);
#undef BASIN_PSD_N
#endif
