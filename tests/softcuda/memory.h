/* Device memory, as the core sees it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_MEMORY_H
#define BASIN_SOFTCUDA_MEMORY_H

#include "softcuda.h"

#define SOFTCUDA_DEVICES_MAX 8

/* What memory is filled with before anybody writes it: a NaN as float and, twice, a signalling one
 * as double. */
#define SOFTCUDA_POISON 0x7ff4deadu

#define SOFTCUDA_PAGE     4096ull
#define SOFTCUDA_RESERVED (512ull << 30)

/* Where device memory is, page by page. */
typedef struct softcuda_pages {
  uintptr_t base;         /* 0: nothing is reserved yet */
  const uint32_t *owners; /* of each page: 1 + index of the allocation, 0: none */
  softcuda_allocation *allocations;
} softcuda_pages;
extern softcuda_pages softcuda_memory_pages;

/* softcuda_find, for every access of a kernel. */
static inline const softcuda_allocation *softcuda_owner(uintptr_t address, size_t bytes, int device)
{
  const softcuda_pages *pages = &softcuda_memory_pages;
  size_t at = address - pages->base;
  if (at >= SOFTCUDA_RESERVED || !pages->base) return NULL;
  uint32_t number = pages->owners[at / SOFTCUDA_PAGE];
  if (!number) return NULL;
  const softcuda_allocation *a = &pages->allocations[number - 1];
  size_t offset = address - a->address;
  bool inside = a->live && a->device == device && offset <= a->size && bytes <= a->size - offset;
  return inside ? a : NULL;
}

/* Bytes of each device: SOFTCUDA_MEMORY. */
size_t softcuda_memory_limit(void);
/* The last allocation that starts at or before an address, live or not; NULL if there is none. */
const softcuda_allocation *softcuda_nearest(unsigned long long address);

#endif
