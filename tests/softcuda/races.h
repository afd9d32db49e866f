/* Races between threads of a launch: two accesses to the same bytes, one of them a write, with
 * nothing that puts them in order. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_RACES_H
#define BASIN_SOFTCUDA_RACES_H

#include "softcuda.h"

typedef enum softcuda_access {
  SOFTCUDA_READ,
  SOFTCUDA_WRITE,
  SOFTCUDA_ATOMIC,
  SOFTCUDA_RELAXED /* a read that may meet atomic operations: __ldcg */
} softcuda_access;

/* Looked for if SOFTCUDA_RACES is 1; if it is 2 they are logged, each once, and end no launch. What
 * orders accesses: the end of a launch; a barrier of the block; for lanes of a warp, __syncwarp,
 * but no shuffle and no vote; for another block, a fence and an atomic operation behind the first
 * access, by its thread or by one that has synchronized with it since, then an atomic operation
 * and, if the second access is a plain one, a fence, by the second thread or one that it has
 * synchronized with.
 */
void softcuda_races_launch(void);
void softcuda_races_block(void);
extern bool softcuda_races_on; /* in this launch */
/* Ends the launch if there is a race. `shared`: memory of the block. `place`: the instruction. */
void softcuda_races_access(
    uintptr_t address, size_t size, softcuda_access access, bool shared, const void *place);
void softcuda_races_barrier(void);
void softcuda_races_warp(unsigned warp);
void softcuda_races_fence(void);
/* The earlier access of the race that ended the launch; NULL if it was not a race. */
const void *softcuda_races_place(void);

#endif
