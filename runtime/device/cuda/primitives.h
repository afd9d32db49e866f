/* Scans, sorts and reductions on a CUDA device. Every result is the same in each run: sums have a
 * fixed order that depends on the length alone. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_PRIMITIVES_H
#define BASIN_DEVICE_CUDA_PRIMITIVES_H

#include "device/cuda/cuda.h"

/* Scratch memory of these functions; grows and is kept by its owner. */
typedef struct basin_cuda_scratch {
  basin_buffer memory;
} basin_cuda_scratch;

/* Looks up an entry of the runtime's own texts, compiles if need be, and launches with 256 threads
 * a block. */
basin_status basin__cuda_run(basin_cuda *cuda,
                             const char *file,
                             const char *entry,
                             const char *definitions,
                             unsigned blocks,
                             void **parameters);

/* to[i] = sum of from[0 .. i-1], to[count] = the total: `to` has count + 1 words. 32-bit words; the
 * caller makes sure that the total fits. from == to is allowed. */
basin_status basin__cuda_scan(basin_cuda *cuda,
                              basin_cuda_scratch *scratch,
                              basin_address from,
                              size_t count,
                              basin_address to);
/* Bits of a key that holds numbers up to `count`. */
static inline unsigned basin__bits_of(size_t count)
{
  unsigned bits = 1;
  while (bits < 63 && count >> bits) ++bits;
  return bits;
}
/* Stable, ascending sort by the low `bits` bits of 64-bit keys, with 32-bit values moved along
 * (values 0: keys alone). In place. */
basin_status basin__cuda_sort_64(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 basin_address values,
                                 size_t count,
                                 unsigned bits);
/* The same for 32-bit keys. */
basin_status basin__cuda_sort_32(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 basin_address values,
                                 size_t count,
                                 unsigned bits);
/* Runs of equal neighbours in sorted 64-bit keys: heads[r] is the place of the first key of run r,
 * heads[run count] = count; `numbers` (may be 0) gets the run of every key. heads has room for
 * count
 * + 1 words. The number of runs is written as a word to `runs`. */
basin_status basin__cuda_runs_64(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 size_t count,
                                 basin_address heads,
                                 basin_address numbers,
                                 basin_address runs);

/* ---- reductions of doubles to one double at `result` (device) ---- */
basin_status basin__cuda_sum(basin_cuda *cuda,
                             basin_cuda_scratch *scratch,
                             basin_address values,
                             size_t count,
                             basin_address result);
basin_status basin__cuda_dot(basin_cuda *cuda,
                             basin_cuda_scratch *scratch,
                             basin_address a,
                             basin_address b,
                             size_t count,
                             basin_address result);
/* max |a|; NaN if one is NaN; 0 for none. */
basin_status basin__cuda_largest(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address values,
                                 size_t count,
                                 basin_address result);
/* The smallest; infinity for none; NaN if one is NaN. */
basin_status basin__cuda_smallest(basin_cuda *cuda,
                                  basin_cuda_scratch *scratch,
                                  basin_address values,
                                  size_t count,
                                  basin_address result);

/* ---- vectors of doubles ---- */
/* to = x + factor * y. */
basin_status basin__cuda_combine(basin_cuda *cuda,
                                 size_t count,
                                 basin_address x,
                                 double factor,
                                 basin_address y,
                                 basin_address to);
/* to = a * x + b * y; `to` may be x or y. */
basin_status basin__cuda_blend(basin_cuda *cuda,
                               size_t count,
                               double a,
                               basin_address x,
                               double b,
                               basin_address y,
                               basin_address to);

#endif
