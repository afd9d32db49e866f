/* The driver's part about devices, contexts and errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_MAX = 64 };

static bool initialized;
static softcuda_context *contexts[SOFTCUDA_DEVICES_MAX];

/* The contexts that a thread has made current. In a list, not thread-local: LeakSanitizer of GCC 12
 * can take storage of libraries opened at run time for something else. */
typedef struct context_stack {
  pthread_t thread;
  softcuda_context *list[STACK_MAX];
  unsigned count;
  struct context_stack *next;
} context_stack;
static context_stack *stacks;

static context_stack *stack_of_thread(void)
{
  pthread_t self = pthread_self();
  context_stack *spare = NULL;
  for (context_stack *s = stacks; s; s = s->next) {
    if (pthread_equal(s->thread, self)) return s;
    if (!s->count) spare = s; /* of a thread that may have ended */
  }
  if (!spare) {
    spare = calloc(1, sizeof *spare);
    if (!spare) return NULL;
    spare->next = stacks;
    stacks = spare;
  }
  spare->thread = self;
  return spare;
}

static int device_count(void)
{
  long long count = softcuda_setting("SOFTCUDA_DEVICES", 1);
  return count < 0 ? 0 : count > SOFTCUDA_DEVICES_MAX ? SOFTCUDA_DEVICES_MAX : (int)count;
}

int cuInit(unsigned flags)
{
  SOFTCUDA_CALL("cuInit");
  if (flags) return BASIN_CU_INVALID_VALUE;
  if (!device_count()) return BASIN_CU_NO_DEVICE;
  softcuda_configure();
  initialized = true;
  return BASIN_CU_SUCCESS;
}

int cuDriverGetVersion(int *version)
{
  SOFTCUDA_CALL("cuDriverGetVersion");
  if (!version) return BASIN_CU_INVALID_VALUE;
  *version = (int)softcuda_setting("SOFTCUDA_DRIVER_VERSION", 13000);
  return BASIN_CU_SUCCESS;
}

/* Real NVRTCs ask the driver for tables of functions that are not documented: there are none here.
 * Not in the list of functions, as Basin does not use it. */
SOFTCUDA_API int cuGetExportTable(const void **table, const void *number);

int cuGetExportTable(const void **table, const void *number)
{
  SOFTCUDA_CALL("cuGetExportTable");
  if (!table || !number) return BASIN_CU_INVALID_VALUE;
  *table = NULL;
  return BASIN_CU_NOT_FOUND;
}

/* ---- errors ---- */

static const struct {
  int result;
  const char *name, *text;
} errors[] = {
    {BASIN_CU_SUCCESS, "CUDA_SUCCESS", "no error"},
    {BASIN_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {BASIN_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {BASIN_CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {BASIN_CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {BASIN_CU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {BASIN_CU_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {BASIN_CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {BASIN_CU_NO_BINARY_FOR_GPU,
     "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {BASIN_CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {BASIN_CU_UNSUPPORTED_PTX_VERSION,
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain"},
    {SOFTCUDA_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {SOFTCUDA_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed now"},
    {BASIN_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {SOFTCUDA_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {BASIN_CU_ILLEGAL_ADDRESS,
     "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {BASIN_CU_LAUNCH_OUT_OF_RESOURCES,
     "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {BASIN_CU_LAUNCH_TIMEOUT,
     "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {BASIN_CU_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {BASIN_CU_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {BASIN_CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {BASIN_CU_STREAM_CAPTURE_UNSUPPORTED,
     "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {BASIN_CU_STREAM_CAPTURE_INVALIDATED,
     "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {SOFTCUDA_CAPTURE_UNMATCHED,
     "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "the capture was not initiated in this stream"},
    {SOFTCUDA_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {SOFTCUDA_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int describe(int result, const char **name, const char **text)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == result) {
      if (name) *name = errors[i].name;
      if (text) *text = errors[i].text;
      return BASIN_CU_SUCCESS;
    }
  if (name) *name = NULL;
  if (text) *text = NULL;
  return BASIN_CU_INVALID_VALUE;
}

int cuGetErrorName(int result, const char **name)
{
  return describe(result, name, NULL);
}

int cuGetErrorString(int result, const char **text)
{
  return describe(result, NULL, text);
}

/* ---- devices ---- */

static int check_device(int device)
{
  if (!initialized) return BASIN_CU_NOT_INITIALIZED;
  return device >= 0 && device < device_count() ? BASIN_CU_SUCCESS : BASIN_CU_INVALID_DEVICE;
}

int cuDeviceGetCount(int *count)
{
  SOFTCUDA_CALL("cuDeviceGetCount");
  if (!initialized) return BASIN_CU_NOT_INITIALIZED;
  if (!count) return BASIN_CU_INVALID_VALUE;
  *count = device_count();
  return BASIN_CU_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
  SOFTCUDA_CALL("cuDeviceGet");
  int result = check_device(ordinal);
  if (!result) *device = ordinal;
  return result;
}

int cuDeviceGetName(char *name, int length, int device)
{
  SOFTCUDA_CALL("cuDeviceGetName");
  int result = check_device(device);
  if (result) return result;
  if (!name || length < 1) return BASIN_CU_INVALID_VALUE;
  snprintf(name, (size_t)length, "Software CUDA");
  return BASIN_CU_SUCCESS;
}

/* Those of a large device of 2023, as far as kernels depend on them. */
int softcuda_capability(void)
{
  return (int)softcuda_setting("SOFTCUDA_CAPABILITY", 90);
}

static int attribute_of(int attribute, int *value)
{
  switch (attribute) {
  case BASIN_CU_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = 48 << 10;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 227 << 10;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_WARP_SIZE:
    *value = 32;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_MULTIPROCESSOR_COUNT:
    *value = (int)softcuda_setting("SOFTCUDA_MULTIPROCESSORS", 8);
    return BASIN_CU_SUCCESS;
  case BASIN_CU_CLOCK_RATE:
    *value = 1000000; /* kHz */
    return BASIN_CU_SUCCESS;
  case BASIN_CU_MEMORY_CLOCK_RATE:
    *value = 1000000;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_MEMORY_BUS_WIDTH:
    *value = 64;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_L2_CACHE_SIZE:
    *value = 4 << 20;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_COMPUTE_CAPABILITY_MAJOR:
    *value = softcuda_capability() / 10;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_COMPUTE_CAPABILITY_MINOR:
    *value = softcuda_capability() % 10;
    return BASIN_CU_SUCCESS;
  default:
    return BASIN_CU_INVALID_VALUE;
  }
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
  SOFTCUDA_CALL("cuDeviceGetAttribute");
  int result = check_device(device);
  if (!result) result = value ? attribute_of(attribute, value) : BASIN_CU_INVALID_VALUE;
  return result;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
  SOFTCUDA_CALL("cuDeviceTotalMem");
  int result = check_device(device);
  if (!result) *bytes = softcuda_memory_limit();
  return result;
}

/* ---- contexts ---- */

static void release_streams(softcuda_context *context)
{
  softcuda_list_clear(&context->queue);
  while (context->streams) {
    softcuda_stream *s = context->streams;
    context->streams = s->next;
    if (s->capture) softcuda_list_clear(&s->capture->operations);
    free(s->capture);
    free(s);
  }
  while (context->graphs) {
    struct CUgraph_st *g = context->graphs;
    context->graphs = g->next;
    softcuda_list_clear(&g->operations);
    free(g);
  }
  while (context->events) {
    softcuda_event *e = context->events;
    context->events = e->next;
    free(e);
  }
}

int cuDevicePrimaryCtxRetain(basin_cu_context *context, int device)
{
  SOFTCUDA_CALL("cuDevicePrimaryCtxRetain");
  int result = check_device(device);
  if (result) return result;
  if (!contexts[device]) {
    contexts[device] = calloc(1, sizeof *contexts[device]);
    if (!contexts[device]) return BASIN_CU_OUT_OF_MEMORY;
    contexts[device]->device = device;
    contexts[device]->none.context = contexts[device];
  }
  contexts[device]->retained++;
  *context = contexts[device];
  return BASIN_CU_SUCCESS;
}

/* The last release ends the context with all that is in it. */
int cuDevicePrimaryCtxRelease_v2(int device)
{
  SOFTCUDA_CALL("cuDevicePrimaryCtxRelease");
  int result = check_device(device);
  if (result) return result;
  softcuda_context *context = contexts[device];
  if (!context) return BASIN_CU_INVALID_CONTEXT;
  if (--context->retained) return BASIN_CU_SUCCESS;
  release_streams(context);
  softcuda_modules_release(context);
  softcuda_free_all(device);
  contexts[device] = NULL;
  free(context);
  return BASIN_CU_SUCCESS;
}

static bool exists(const softcuda_context *context)
{
  for (size_t i = 0; context && i < SOFTCUDA_DEVICES_MAX; i++)
    if (contexts[i] == context) return true;
  return false;
}

int cuCtxPushCurrent_v2(basin_cu_context context)
{
  SOFTCUDA_CALL("cuCtxPushCurrent");
  if (!initialized) return BASIN_CU_NOT_INITIALIZED;
  if (!exists(context)) return BASIN_CU_INVALID_CONTEXT;
  context_stack *stack = stack_of_thread();
  if (!stack) return BASIN_CU_OUT_OF_MEMORY;
  if (stack->count == STACK_MAX) return BASIN_CU_INVALID_VALUE;
  stack->list[stack->count++] = context;
  return BASIN_CU_SUCCESS;
}

int cuCtxPopCurrent_v2(basin_cu_context *context)
{
  SOFTCUDA_CALL("cuCtxPopCurrent");
  if (!initialized) return BASIN_CU_NOT_INITIALIZED;
  context_stack *stack = stack_of_thread();
  if (!stack || !stack->count) return BASIN_CU_INVALID_CONTEXT;
  stack->count--;
  if (context) *context = stack->list[stack->count];
  return BASIN_CU_SUCCESS;
}

int softcuda_context_get(softcuda_context **context)
{
  if (!initialized) return BASIN_CU_NOT_INITIALIZED;
  const context_stack *stack = stack_of_thread();
  *context = stack && stack->count ? stack->list[stack->count - 1] : NULL;
  if (!exists(*context)) return BASIN_CU_INVALID_CONTEXT;
  return (*context)->lost;
}

int softcuda_context_lose(softcuda_context *context, int result)
{
  if (!context->lost) context->lost = result;
  return context->lost;
}
