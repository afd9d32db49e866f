/* NVRTC, opened at run time: text to code for CUDA devices; needs no device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_NVRTC_H
#define BASIN_BASE_NVRTC_H

#include "base/base.h"

typedef struct basin_nvrtc basin_nvrtc;

typedef struct basin_nvrtc_file {
  const char *name, *text; /* the name it is included by */
} basin_nvrtc_file;

typedef struct basin_nvrtc_request {
  const char *name;  /* for errors */
  const char *entry; /* the kernel whose figures are wanted; NULL: the first of the text */
  const char *text;
  const basin_nvrtc_file *files;
  size_t file_count;
  const char *architecture;   /* "sm_90": machine code; "compute_90": PTX */
  const char *const *options; /* besides the architecture, the language and --fmad */
  size_t option_count;
} basin_nvrtc_request;

typedef struct basin_nvrtc_code {
  char *image; /* machine code or PTX with its final NUL; release with basin__nvrtc_release */
  size_t size;
  unsigned registers;                        /* a thread; of machine code */
  unsigned stack, spill_stores, spill_loads; /* bytes a thread */
} basin_nvrtc_code;

/* The newest library whose major version is at most `newest` (0: any); if there is no such one, the
 * newest of all. Error: MISSING_LIBRARY. */
basin_status basin__nvrtc_open(basin_context *context, int newest, basin_nvrtc **nvrtc);
void basin__nvrtc_close(basin_nvrtc *nvrtc); /* NULL is fine */
const char *basin__nvrtc_path(const basin_nvrtc *nvrtc);
int basin__nvrtc_version(const basin_nvrtc *nvrtc); /* 13000 for 13.0 */

/* The architecture to compile for on a device of that compute capability: its own ("sm_90"), or, if
 * the library does not know it or `ptx` is set, PTX for the newest one before it ("compute_90").
 * Error: UNSUPPORTED, if the library knows none of those. */
basin_status basin__nvrtc_architecture(
    const basin_nvrtc *nvrtc, int major, int minor, bool ptx, char architecture[16]);

/* May be called from several threads. Errors: COMPILE with the first error of the log. */
basin_status basin__nvrtc_compile(const basin_nvrtc *nvrtc,
                                  const basin_nvrtc_request *request,
                                  basin_nvrtc_code *code);
void basin__nvrtc_release(const basin_nvrtc *nvrtc, basin_nvrtc_code *code);

#endif
