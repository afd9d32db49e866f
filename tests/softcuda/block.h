/* One block of a grid: its threads, barriers and warps.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_BLOCK_H
#define BASIN_SOFTCUDA_BLOCK_H

#include "abi.h"
#include "fiber.h"

#define SOFTCUDA_THREADS_MAX 1024u
#define SOFTCUDA_WARP        32u

/* Built-in variables of the thread that runs; images refer to them. */
extern softcuda_uint3 softcuda_thread_index, softcuda_block_index;
extern softcuda_uint3 softcuda_block_size, softcuda_grid_size;

/* Runs all threads of the block whose index and sizes are set; `order` lists their numbers. `call`
 * runs one thread. 0, or what softcuda_stop was given. */
int softcuda_block_run(void (*call)(void **), void **parameters, const unsigned *order);
/* Ends the launch from inside a thread: a driver's result, and why. */
_Noreturn void softcuda_stop(int result, const char *format, ...) SOFTCUDA_PRINTF(2, 3);
/* Why the last launch ended early. */
const char *softcuda_stop_reason(void);
/* Number of the running thread in its block; of its warp's lanes. */
unsigned softcuda_thread_number(void);

/* What images call (prelude.h). */
int softcuda_barrier(int kind, int value, const char *file, int line);
unsigned long long softcuda_warp(int operation,
                                 unsigned mask,
                                 unsigned long long value,
                                 int argument,
                                 int width,
                                 const char *file,
                                 int line);
unsigned softcuda_lane(void);
typedef void (*softcuda_function)(void);
/* A function of mathematics; NULL: there is none of this name. */
softcuda_function softcuda_mathematics(const char *name);

#endif
