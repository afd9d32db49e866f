/* One CUDA device: memory, transfers, kernels, graphs. The driver and NVRTC are opened at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_CUDA_H
#define BASIN_DEVICE_CUDA_CUDA_H

#include "base/base.h"
#include "device/cuda/driver.h"
#include <basin/kernel.h>

/* A device, one stream on it, and the kernels loaded so far. All work is put on that stream, so it
 * runs in the order of the calls; only downloads and basin__cuda_wait wait. Calls are made by one
 * thread at a time. After the device was lost every call returns BASIN_ERROR_DEVICE. */
typedef struct basin_cuda basin_cuda;

typedef struct basin_cuda_info {
  char name[128];
  char architecture[16]; /* "sm_90" */
  size_t memory;         /* bytes */
  unsigned multiprocessors, warp, threads_per_block;
  size_t shared_per_block; /* bytes, with the kernel's consent */
  int driver_version;      /* 13000 for 13.0 */
} basin_cuda_info;

/* Devices of this machine; 0 and why in `reason` (may be NULL) if there is none or a library is
 * missing. */
int basin__cuda_count(basin_context *context, basin_strbuf *reason);
/* MISSING_LIBRARY (driver, NVRTC), UNSUPPORTED (too old a driver), DEVICE (no such device). */
basin_status basin__cuda_open(basin_context *context, int ordinal, basin_cuda **cuda);
/* The same, opened once and kept by the context: what is closed with it. */
basin_status basin__cuda_share(basin_context *context, int ordinal, basin_cuda **cuda);
void basin__cuda_close(basin_cuda *cuda); /* NULL is fine; buffers and graphs are released before */
const basin_cuda_info *basin__cuda_information(const basin_cuda *cuda);
basin_context *basin__cuda_context(const basin_cuda *cuda);
int basin__cuda_ordinal(const basin_cuda *cuda); /* N of "cuda:N" */
/* What kernels are compiled for: the device's own architecture, "sm_90", or PTX for an older one,
 * "compute_89", where the compiler does not know it or the driver refuses machine code. */
const char *basin__cuda_architecture(const basin_cuda *cuda);

/* ---- memory ---- */
typedef struct basin_buffer {
  basin_address address;
  size_t size;  /* bytes */
} basin_buffer; /* zero-initialise */
/* At least `size` bytes; where it grows, by half at least, the content is lost (poisoned in the
 * software CUDA). MEMORY says how much was asked and how much is free; the buffer is unchanged. */
basin_status basin__buffer_reserve(basin_cuda *cuda, basin_buffer *buffer, size_t size);
/* The same, but the first `used` bytes are kept. */
basin_status basin__buffer_extend(basin_cuda *cuda, basin_buffer *buffer, size_t used, size_t size);
void basin__buffer_release(basin_cuda *cuda, basin_buffer *buffer);
/* `from` may be changed as soon as the call returns. */
basin_status basin__cuda_upload(basin_cuda *cuda, basin_address to, const void *from, size_t size);
/* Waits for all work before it. */
basin_status basin__cuda_download(basin_cuda *cuda, void *to, basin_address from, size_t size);
basin_status basin__cuda_copy(basin_cuda *cuda, basin_address to, basin_address from, size_t size);
basin_status basin__cuda_zero(basin_cuda *cuda, basin_address to, size_t size);
basin_status basin__cuda_fill(basin_cuda *cuda,
                              basin_address to,
                              uint32_t word,
                              size_t count); /* 32-bit words */
/* Waits for all work; the first error of what ran since the last wait names call and kernel. */
basin_status basin__cuda_wait(basin_cuda *cuda);

/* ---- kernels ---- */
typedef struct basin_cuda_kernel basin_cuda_kernel; /* loaded; lives as long as the device */
/* Function `entry` of one of the runtime's own texts (basin__cuda_texts, named by file: "scan.cu").
 * `definitions`: compiler options, e.g. "-DBLOCK=3"; "" for none. Compiled when first asked for,
 * kept by the device and on disk by content. Texts include each other by file name. */
basin_status basin__cuda_kernel(basin_cuda *cuda,
                                const char *file,
                                const char *entry,
                                const char *definitions,
                                const basin_cuda_kernel **kernel);
/* Compiles the texts that are neither loaded nor on disk, in parallel: their kernels, asked for
 * later, are only loaded. What does not compile is an error of basin__cuda_kernel alone. */
typedef struct basin_cuda_wanted {
  const char *file, *definitions;
} basin_cuda_wanted;
basin_status basin__cuda_prepare(basin_cuda *cuda, const basin_cuda_wanted *wanted, size_t count);
/* A plan's kernel, from its image. */
basin_status basin__cuda_kernel_of(basin_cuda *cuda,
                                   const basin_kernel *kernel,
                                   const char *name,
                                   const basin_cuda_kernel **loaded);
typedef struct basin_cuda_kernel_info {
  unsigned registers, threads_limit; /* a thread; most threads a block */
  size_t local, shared;              /* bytes a thread, bytes a block */
} basin_cuda_kernel_info;
basin_cuda_kernel_info basin__cuda_kernel_information(const basin_cuda_kernel *kernel);

/* `shared`: bytes of dynamic shared memory. `subject` names the term or array the work is for in
 * errors; may be NULL. `parameters`: pointers to the arguments, as the driver wants them. A launch
 * of 0 blocks does nothing. */
typedef struct basin_cuda_launch {
  const basin_cuda_kernel *kernel;
  unsigned blocks, threads;
  size_t shared;
  const char *subject;
} basin_cuda_launch;
basin_status
basin__cuda_launch(basin_cuda *cuda, const basin_cuda_launch *launch, void **parameters);
/* Blocks of `threads` threads for `count` items: one thread an item. */
static inline unsigned basin__cuda_blocks(size_t count, unsigned threads)
{
  return (unsigned)((count + threads - 1) / threads);
}
#define BASIN_CUDA_THREADS 128u /* a block, where nothing speaks for another number */

/* ---- graphs: what is launched between begin and end is recorded, not run ---- */
typedef struct basin_cuda_graph basin_cuda_graph;
basin_status basin__cuda_graph_begin(basin_cuda *cuda);
basin_status basin__cuda_graph_end(basin_cuda *cuda, basin_cuda_graph **graph);
/* Instead of the end, after a launch that failed: its error stays the last one. */
void basin__cuda_graph_abandon(basin_cuda *cuda);
basin_status basin__cuda_graph_launch(basin_cuda *cuda, const basin_cuda_graph *graph);
void basin__cuda_graph_destroy(basin_cuda *cuda, basin_cuda_graph *graph); /* NULL is fine */

/* ---- counts, for reports and for tests that say what must not happen ---- */
typedef struct basin_cuda_statistics {
  size_t launches, graph_launches, uploads, downloads, uploaded_bytes, downloaded_bytes, waits;
  size_t compiled, loaded; /* kernels */
  size_t allocated;        /* bytes at present */
} basin_cuda_statistics;
basin_cuda_statistics basin__cuda_get_statistics(const basin_cuda *cuda);

/* ---- time between two points of the stream, in seconds; waits ---- */
basin_status basin__cuda_timer_start(basin_cuda *cuda);
basin_status basin__cuda_timer_stop(basin_cuda *cuda, double *seconds);

/* ---- for the vendor's libraries, which work on the thread's current device ---- */
/* Makes the device current on this thread, DEVICE if it was lost; each success is followed by
 * basin__cuda_leave. They nest. */
basin_status basin__cuda_enter(basin_cuda *cuda);
void basin__cuda_leave(basin_cuda *cuda);
/* The native stream. */
basin_cu_stream basin__cuda_stream(const basin_cuda *cuda);

#endif
