/* Time of kernels, if SOFTCUDA_PROFILE names a file for it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_PROFILE_H
#define BASIN_SOFTCUDA_PROFILE_H

#include <stddef.h>

/* Seconds of this thread's processor; negative if nobody wants to know. */
double softcuda_profile_clock(void);
/* A launch of a kernel that began at `start`. */
void softcuda_profile_add(const char *name, size_t threads, double start);

#endif
