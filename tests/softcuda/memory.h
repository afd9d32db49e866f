/* Device memory, as the core sees it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_MEMORY_H
#define BASIN_SOFTCUDA_MEMORY_H

#include "softcuda.h"

#define SOFTCUDA_DEVICES_MAX 8

/* Bytes of each device: SOFTCUDA_MEMORY. */
size_t softcuda_memory_limit(void);
/* The last allocation that starts at or before an address, live or not; NULL if there is none. */
const softcuda_allocation *softcuda_nearest(unsigned long long address);

#endif
