/* Operations among the lanes of a warp.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_WARP_H
#define BASIN_SOFTCUDA_WARP_H

#include "abi.h"
#include "fiber.h"

#include <string.h>

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
  softcuda_uint3 index;
} softcuda_thread;

/* A warp: its lanes are threads one after another. Masks have a bit a lane. */
typedef struct softcuda_warp_state {
  softcuda_thread *threads;
  unsigned lanes, waiting, ended; /* that there are; that wait for an operation; that are done */
} softcuda_warp_state;

/* If all lanes of `mask` that have not ended wait for one and the same operation: does it. */
void softcuda_warp_complete(softcuda_warp_state *warp, unsigned mask);
/* A lane has ended: others may not need to wait any longer. */
void softcuda_warp_left(softcuda_warp_state *warp, unsigned lane);
/* Whether two threads wait at one place of the source. */
static inline bool softcuda_same_place(const softcuda_thread *a, const softcuda_thread *b)
{
  return a->line == b->line && a->operation == b->operation &&
         (a->file == b->file || strcmp(a->file, b->file) == 0);
}

#endif
