/* What compiled images and the executor agree on. Read by C and, as part of the prelude, by Clang
 * as C++. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_ABI_H
#define BASIN_SOFTCUDA_ABI_H

typedef struct softcuda_uint3 {
  unsigned x, y, z;
} softcuda_uint3;

/* One __global__ function; an image has a table of them, ended by a name of NULL. */
typedef struct softcuda_entry {
  const char *name;
  void (*call)(void **parameters); /* runs one thread */
  const unsigned *sizes;           /* bytes of each parameter */
  unsigned count;                  /* of parameters */
  unsigned threads;                /* of __launch_bounds__; 0 = none stated */
} softcuda_entry;

/* Operations of the lanes of a warp. */
enum {
  SOFTCUDA_SHUFFLE,
  SOFTCUDA_SHUFFLE_UP,
  SOFTCUDA_SHUFFLE_DOWN,
  SOFTCUDA_SHUFFLE_XOR,
  SOFTCUDA_SYNC,
  SOFTCUDA_BALLOT,
  SOFTCUDA_MATCH_ANY,
  SOFTCUDA_REDUCE_ADD,
  SOFTCUDA_REDUCE_AND,
  SOFTCUDA_REDUCE_OR,
  SOFTCUDA_REDUCE_XOR,
  SOFTCUDA_REDUCE_MIN,
  SOFTCUDA_REDUCE_MAX
};

/* What a block's barrier counts besides arrivals. */
enum { SOFTCUDA_BARRIER, SOFTCUDA_BARRIER_COUNT, SOFTCUDA_BARRIER_AND, SOFTCUDA_BARRIER_OR };

#endif
