/* Large arrays that are read from end to end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "large.h"

#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { PAGE = 4096, WORTH_IT = 4 << 20 };

void *basin__alloc_large(basin_context *context, size_t size)
{
  char *block = basin__alloc_aligned(context, size);
  if (block == NULL) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (size >= WORTH_IT) {
    size_t skip = (PAGE - (uintptr_t)block % PAGE) % PAGE;
    (void)madvise(block + skip,
                  (size - skip) / PAGE * PAGE,
                  MADV_HUGEPAGE); /* a hint: failure does no harm */
  }
#endif
  memset(block, 0, size);
  return block;
}
