/* The projection of one size on a CUDA device: always in the kernel.
 * SPDX-License-Identifier: Apache-2.0 */

/* Included once a size with BASIN_PSD_N defined; no include guard by intent. */
#include "psd.h"
