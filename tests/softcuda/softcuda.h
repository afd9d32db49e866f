/* The core of the software CUDA, shared by its driver, NVRTC, cuSPARSE and cuSOLVER: calls, device
 * memory, work in stream order, execution of kernels. Results are the driver's numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_H
#define BASIN_SOFTCUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOFTCUDA_API                 __attribute__((visibility("default")))
#define SOFTCUDA_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct softcuda_range {
  uintptr_t start;
  size_t size;
} softcuda_range;
static inline bool softcuda_inside(const softcuda_range *range, uintptr_t address, size_t size)
{
  size_t offset = address - range->start;
  return offset < range->size && size <= range->size - offset;
}

/* ---- calls (call.c) ---- */

/* First line of an exported function: counts the call, fails it if SOFTCUDA_FAIL says so, takes the
 * lock until the function returns. `name` as the program knows it: "cuMemAlloc". */
#define SOFTCUDA_CALL(name)                                       \
  int softcuda_injected = softcuda_enter(name);                   \
  if (softcuda_injected) return softcuda_injected;                \
  __attribute__((cleanup(softcuda_leave))) int softcuda_held = 1; \
  (void)softcuda_held
SOFTCUDA_API int softcuda_enter(const char *name);
SOFTCUDA_API void softcuda_leave(int *held);
/* Reads the environment anew and starts counting from zero; cuInit does it. */
SOFTCUDA_API void softcuda_configure(void);
/* A line for a person, to SOFTCUDA_LOG (a file, "-" = standard error) and kept as the last one. */
SOFTCUDA_API void softcuda_log(const char *format, ...) SOFTCUDA_PRINTF(1, 2);
/* The last line logged, for tests; "" if there is none. */
SOFTCUDA_API const char *softcuda_last_message(void);
/* A number from the environment. */
SOFTCUDA_API long long softcuda_setting(const char *name, long long otherwise);

/* ---- device memory (memory.c) ---- */

typedef struct softcuda_allocation {
  unsigned long long address, size;
  int device;
  bool live;
} softcuda_allocation;

/* The live allocation that contains these bytes; NULL if they are not inside of one. `device` -1:
 * any. */
SOFTCUDA_API const softcuda_allocation *
softcuda_find(unsigned long long address, size_t bytes, int device);
/* Whether an address lies where device memory is, allocated or not. */
SOFTCUDA_API bool softcuda_is_device_address(unsigned long long address);
int softcuda_allocate(int device, size_t bytes, unsigned long long *address);
int softcuda_free(int device, unsigned long long address);
void softcuda_free_all(int device);
size_t softcuda_memory_used(int device);
/* Device memory can be touched between the two calls; they nest. */
SOFTCUDA_API void softcuda_memory_open(void);
SOFTCUDA_API void softcuda_memory_close(void);
/* Looks for writes beside allocations: ILLEGAL_ADDRESS and a line in the log. */
int softcuda_check_guards(int device);
/* Host memory that a device may touch. */
int softcuda_host_allocate(size_t bytes, void **memory);
int softcuda_host_free(void *memory);
SOFTCUDA_API bool softcuda_is_pinned(const void *memory, size_t bytes);

/* ---- linked images (image.c, link.c) ---- */

typedef struct softcuda_image softcuda_image;
struct softcuda_entry;
/* INVALID_IMAGE, NO_BINARY_FOR_GPU: what a driver says about other images. */
int softcuda_image_load(const void *data, int device_capability, softcuda_image **image);
void softcuda_image_unload(softcuda_image *image);
const struct softcuda_entry *softcuda_image_entry(const softcuda_image *image, const char *name);

/* ---- execution (execute.c) ---- */

typedef struct softcuda_launch {
  const softcuda_image *image;
  const struct softcuda_entry *entry;
  unsigned grid[3], block[3];
  unsigned shared;
  int device;
  void **parameters;
} softcuda_launch;
/* Runs the grid; memory must be open. The first fault ends it and is logged. */
int softcuda_execute(const softcuda_launch *launch);
/* Logs something about the thread that runs, with the lines of two instructions (NULL: none). */
void softcuda_note(const char *what, const void *place, const void *earlier);

/* ---- work in stream order, for libraries beside the driver (queue.c) ---- */

/* Puts a host function into the stream (NULL: the default one) of the current context: it is called
 * with a copy of `data` when the stream gets there, device memory open; a graph being captured
 * records it. What it returns other than 0 is the device's error from then on. */
SOFTCUDA_API int
softcuda_enqueue(void *stream, int (*function)(void *data), const void *data, size_t bytes);
/* Runs all that was put into streams so far; the device's error. INVALID_CONTEXT without one;
 * STREAM_CAPTURE_UNSUPPORTED while something is being captured. */
SOFTCUDA_API int softcuda_synchronize(void);
/* Ordinal of the current context's device, -1 if there is none. */
SOFTCUDA_API int softcuda_current_device(void);

#endif
