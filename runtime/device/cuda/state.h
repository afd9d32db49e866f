/* The inside of a CUDA device, shared by the files of this folder only.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_STATE_H
#define BASIN_DEVICE_CUDA_STATE_H

#include "base/cache.h"
#include "base/nvrtc.h"
#include "device/cuda/cuda.h"

/* The driver, opened: its functions by their plain names. */
typedef struct basin_cu_library {
  basin_dl *library;
  int version; /* 13000 for 13.0 */
#define X(type, name, parameters, exported) type(*name) parameters;
#include "device/cuda/driver.def"
#undef X
} basin_cu_library;

/* Opens the driver and initializes it. Errors: MISSING_LIBRARY, UNSUPPORTED (too old), DEVICE. */
basin_status basin__cu_open(basin_context *context, basin_cu_library *driver);
void basin__cu_close(basin_cu_library *driver);
/* "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)" into `text`. */
void basin__cu_describe(const basin_cu_library *driver, int result, char *text, size_t size);

typedef struct basin_cuda_module {
  basin_cu_module module;
  struct basin_cuda_module *next;
  char key[33]; /* of its text and options, or of its plan's kernel */
} basin_cuda_module;

/* Code that was compiled before it was needed. */
typedef struct basin_cuda_prepared {
  struct basin_cuda_prepared *next;
  basin_nvrtc_code code;
  char key[33];
} basin_cuda_prepared;

struct basin_cuda_kernel {
  basin_cuda_kernel *next;
  char *name; /* file:entry with options, or the plan's name: for errors and for look-up */
  uint64_t hash;
  basin_cu_function function;
  basin_cuda_kernel_info info;
  size_t dynamic_limit; /* dynamic shared memory that the function has consent for */
};

struct basin_cuda {
  basin_context *context;
  basin_cu_library driver;
  basin_cuda_info info;
  int ordinal, device, major, minor;
  basin_cu_context primary; /* NULL: not retained */
  basin_cu_stream stream;
  basin_cu_event start, stop;
  basin_nvrtc *nvrtc;
  basin_cache *cache;
  char architecture[16]; /* that kernels are compiled for: sm_90, or compute_90 for PTX */
  basin_cuda_module *modules;
  basin_cuda_prepared *prepared;
  basin_cuda_kernel *kernels;
  unsigned char *staging; /* pinned; NULL until the first transfer */
  size_t staged;          /* bytes in use by uploads under way */
  bool recording;         /* launches go into a graph */
  size_t pending;         /* launches since the last wait */
  const char *last_kernel;
  char last_subject[96];
  char lost[512]; /* why every call fails; "" while the device lives */
  basin_cuda_statistics statistics;
};

enum { BASIN_STAGING_SIZE = 1 << 20, BASIN_STAGING_PIECE = 1 << 17 };

/* The error that a failed call of the driver makes: OK for success. `call` is the function's name;
 * `about` (may be NULL) says what it was for. An error that ends a context marks the device lost.
 */
basin_status basin__cuda_result(basin_cuda *cuda, int result, const char *call, const char *about);

/* One call of the driver with the device current. */
#define BASIN_CU(cuda, about, name, ...) \
  basin__cuda_result((cuda), (cuda)->driver.name(__VA_ARGS__), #name, (about))

/* STATE while launches are recorded into a graph: `what` cannot be. */
basin_status basin__cuda_not_recording(basin_cuda *cuda, const char *what);

/* Waits for the stream; the device is current. */
basin_status basin__cuda_synchronize(basin_cuda *cuda);

/* kernel.c: unloads everything; the device is current or lost. */
void basin__cuda_unload(basin_cuda *cuda);

/* "1.50 GiB" */
void basin__cuda_size_text(size_t bytes, char *text, size_t size);

#endif
