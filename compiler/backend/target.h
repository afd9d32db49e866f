/* The processor that kernels are compiled for, found without LLVM.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_TARGET_H
#define BASIN_BACKEND_TARGET_H

#include "base/base.h"

typedef enum basin_precision { BASIN_PRECISION_DOUBLE, BASIN_PRECISION_FLOAT } basin_precision;

typedef struct basin_target {
  char brand[64];       /* as the processor names itself */
  char model[64];       /* vendor, family, model, stepping: what tuning depends on */
  const char *level;    /* "x86-64-v4", "x86-64-v3", "x86-64-v2" */
  const char *features; /* for people: "AVX-512", "AVX2", "SSE4" */
  unsigned width;       /* numbers a tile: one register, at most 8, or $BASIN_WIDTH */
  bool vector_math;     /* glibc's vector functions are there */
} basin_target;

/* Error: UNSUPPORTED on other processors than x86-64 with SSE4.2, ARGUMENT for a width that is not
 * 2, 4, 8 or (float) 16. */
basin_status
basin__target_detect(basin_context *context, basin_precision precision, basin_target *target);

#endif
