/* The NVRTC back end: kernel text to code for CUDA devices; needs no device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_NVRTC_H
#define BASIN_BACKEND_NVRTC_H

#include "backend/backend.h"
#include "base/cache.h"
#include "base/nvrtc.h"
#include "emit/emit.h"

/* Device code in memory. */
typedef struct basin_nvrtc_unit {
  basin_key key;
  void *image;
  size_t size;
  bool from_disk;
  struct basin_nvrtc_unit *next;
} basin_nvrtc_unit;

/* The back end's state, shared by its files. */
typedef struct basin_nvrtc_state {
  basin_nvrtc *nvrtc;
  basin_cache *cache;
  char architecture[16]; /* "" : kernels are only looked at */
  basin_nvrtc_file files[BASIN_DIALECT_FILES];
  size_t file_count;
  char configuration[33]; /* hash of all that code depends on besides its text */
  basin_nvrtc_unit *units;
} basin_nvrtc_state;

/* Compiles kernel text for an architecture like "sm_90" (machine code) or "compute_90" (PTX).
 * `backend` is of kind "nvrtc". Errors: COMPILE with the first error of the log. May be called from
 * several threads. */
basin_status basin__backend_nvrtc(const basin_backend *backend,
                                  const char *name,
                                  const char *text,
                                  const char *architecture,
                                  basin_nvrtc_code *code);
void basin__backend_nvrtc_release(const basin_backend *backend, basin_nvrtc_code *code);

/* nvrtc_compile.c: the back end's `compile`. */
basin_status
basin__backend_nvrtc_compile(basin_backend *backend, basin_backend_job *jobs, size_t count);

#endif
