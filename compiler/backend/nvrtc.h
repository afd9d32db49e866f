/* Kernel text to code for CUDA devices, by NVRTC; needs no device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_NVRTC_H
#define BASIN_BACKEND_NVRTC_H

#include "backend/backend.h"

typedef struct basin_nvrtc_code {
  char *cubin; /* allocated; release with basin__nvrtc_release */
  size_t size;
  unsigned registers;                        /* a thread */
  unsigned stack, spill_stores, spill_loads; /* bytes a thread */
} basin_nvrtc_code;

/* Compiles kernel text for an architecture like "sm_90". `backend` is of kind "nvrtc". Errors:
 * COMPILE with the first error of the log, ARGUMENT for an architecture that NVRTC does not know.
 */
basin_status basin__nvrtc_compile(basin_backend *backend,
                                  const char *name,
                                  const char *text,
                                  const char *architecture,
                                  basin_nvrtc_code *code);
void basin__nvrtc_release(basin_backend *backend, basin_nvrtc_code *code);

#endif
