/* Large arrays that are read from end to end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_LARGE_H
#define BASIN_LINALG_LARGE_H

#include "base/base.h"

/* basin__alloc_aligned, cleared; the system is asked for huge pages, which spare address
 * translations in streaming loops. Give back with basin__free_aligned. */
void *basin__alloc_large(basin_context *context, size_t size);

#endif
