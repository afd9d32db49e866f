/* How kernels touch memory, if SOFTCUDA_SECTORS names a file for it: what the accesses of a warp
 * ask of the caches. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_SECTORS_H
#define BASIN_SOFTCUDA_SECTORS_H

#include "races.h"

/* A request is one instruction of a warp: the n-th execution of the same place by each of its
 * lanes. It asks for the sectors of 32 bytes that its lanes touch, each once; of shared memory it
 * takes as many wavefronts as the busiest bank has words of 4 bytes. */
typedef enum softcuda_traffic {
  SOFTCUDA_READS,
  SOFTCUDA_WRITES,
  SOFTCUDA_ATOMICS,
  SOFTCUDA_SHARED_ACCESSES,
  SOFTCUDA_TRAFFIC_COUNT
} softcuda_traffic;

typedef struct softcuda_kernel_sectors {
  char name[64];
  const void *image; /* NULL: unloaded; another may lie at its address */
  size_t launches, threads;
  size_t requests[SOFTCUDA_TRAFFIC_COUNT];
  size_t bytes[SOFTCUDA_TRAFFIC_COUNT];   /* asked for by all lanes */
  size_t sectors[SOFTCUDA_TRAFFIC_COUNT]; /* of shared memory: wavefronts */
  /* reads, writes: different sectors within a block, and within a launch */
  size_t of_block[2], of_launch[2];
} softcuda_kernel_sectors;

extern bool softcuda_sectors_on; /* in this launch */
void softcuda_sectors_launch(const char *name, const void *image);
void softcuda_sectors_access(
    uintptr_t address, size_t size, softcuda_access access, bool shared, const void *place);
void softcuda_sectors_unload(const void *image);
/* A block, and then the launch, has ended. */
void softcuda_sectors_block(void);
void softcuda_sectors_end(size_t threads);
/* What is known about the kernels of a name that were seen last, for tests; NULL: none. */
SOFTCUDA_API const softcuda_kernel_sectors *softcuda_sectors_find(const char *name);

#endif
