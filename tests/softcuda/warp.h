/* Operations among the lanes of a warp.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_WARP_H
#define BASIN_SOFTCUDA_WARP_H

#include "fiber.h"

typedef enum softcuda_waiting {
  SOFTCUDA_READY, /* it can run */
  SOFTCUDA_AT_BARRIER,
  SOFTCUDA_AT_WARP,
  SOFTCUDA_DONE
} softcuda_waiting;

/* A thread, and what it waits for. */
typedef struct softcuda_thread {
  softcuda_fiber *fiber; /* NULL before it starts and after it ended */
  softcuda_waiting waiting;
  int operation, argument, width, line;
  unsigned mask;
  const char *file; /* with line: the source position of the wait */
  unsigned long long value, result;
} softcuda_thread;

/* If all lanes of `mask` that have not ended wait for one and the same operation: does it. `lanes`:
 * threads that the warp has. */
void softcuda_warp_complete(softcuda_thread *warp, unsigned lanes, unsigned mask);
/* A lane has ended: others may not need to wait any longer. */
void softcuda_warp_left(softcuda_thread *warp, unsigned lanes);

#endif
