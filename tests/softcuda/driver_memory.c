/* The driver's part about memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"

#include <string.h>

int cuMemGetInfo_v2(size_t *available, size_t *total)
{
  SOFTCUDA_CALL("cuMemGetInfo");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  size_t limit = softcuda_memory_limit();
  if (available) *available = limit - softcuda_memory_used(context->device);
  if (total) *total = limit;
  return BASIN_CU_SUCCESS;
}

int cuMemAlloc_v2(basin_address *address, size_t bytes)
{
  SOFTCUDA_CALL("cuMemAlloc");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!address || !bytes) return BASIN_CU_INVALID_VALUE;
  if (softcuda_capture_forbids(context)) return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  return softcuda_allocate(context->device, bytes, address);
}

/* Waits for what may still use the memory. */
int cuMemFree_v2(basin_address address)
{
  SOFTCUDA_CALL("cuMemFree");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!address) return BASIN_CU_SUCCESS;
  if (softcuda_capture_forbids(context)) return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  if ((result = softcuda_drain(context)) != 0) return result;
  return softcuda_free(context->device, address);
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
  SOFTCUDA_CALL("cuMemHostAlloc");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  (void)flags;
  if (result) return result;
  if (!memory || !bytes) return BASIN_CU_INVALID_VALUE;
  if (softcuda_capture_forbids(context)) return BASIN_CU_STREAM_CAPTURE_UNSUPPORTED;
  return softcuda_host_allocate(bytes, memory);
}

int cuMemFreeHost(void *memory)
{
  SOFTCUDA_CALL("cuMemFreeHost");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if ((result = softcuda_drain(context)) != 0) return result;
  return softcuda_host_free(memory);
}

/* ---- copies ---- */

/* Whether the bytes are within one allocation of the device. */
static int
check_device(const softcuda_context *context, const char *call, unsigned long long at, size_t bytes)
{
  if (!bytes || softcuda_find(at, bytes, context->device)) return BASIN_CU_SUCCESS;
  const softcuda_allocation *a = softcuda_is_device_address(at) ? softcuda_nearest(at) : NULL;
  if (a)
    softcuda_log("%s: %zu bytes at byte %llu of %s of %llu bytes%s",
                 call,
                 bytes,
                 at - a->address,
                 a->live ? "an allocation" : "a freed allocation",
                 a->size,
                 a->device == context->device ? "" : " on another device");
  else
    softcuda_log("%s: 0x%llx is not memory of the device", call, at);
  return BASIN_CU_INVALID_VALUE;
}

static int check_host(const char *call, const void *memory, size_t bytes)
{
  if (!bytes || (memory && !softcuda_is_device_address((uintptr_t)memory))) return BASIN_CU_SUCCESS;
  softcuda_log("%s: %p is not memory of the host", call, memory);
  return BASIN_CU_INVALID_VALUE;
}

static int put(softcuda_stream *stream,
               softcuda_kind kind,
               unsigned long long to,
               unsigned long long from,
               size_t bytes,
               const void *data)
{
  softcuda_operation *o = softcuda_operation_create(kind, data ? bytes : 0);
  if (!o) return BASIN_CU_OUT_OF_MEMORY;
  o->to = to;
  o->from = from;
  o->bytes = bytes;
  if (data) memcpy(o->data, data, bytes);
  return softcuda_submit(stream, o);
}

/* Ordinary host memory is read before the call returns, page-locked memory when the stream gets
 * there; a graph reads either when it runs. */
int cuMemcpyHtoDAsync_v2(basin_address to, const void *from, size_t bytes, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuMemcpyHtoDAsync");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(s, &context, &stream);
  if (!result) result = check_device(context, "cuMemcpyHtoDAsync", to, bytes);
  if (!result) result = check_host("cuMemcpyHtoDAsync", from, bytes);
  if (result || !bytes) return result;
  if (stream->capture || softcuda_is_pinned(from, bytes))
    return put(stream, SOFTCUDA_COPY, to, (uintptr_t)from, bytes, NULL);
  return put(stream, SOFTCUDA_UPLOAD, to, 0, bytes, from);
}

/* To ordinary host memory it waits. */
int cuMemcpyDtoHAsync_v2(void *to, basin_address from, size_t bytes, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuMemcpyDtoHAsync");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(s, &context, &stream);
  if (!result) result = check_device(context, "cuMemcpyDtoHAsync", from, bytes);
  if (!result) result = check_host("cuMemcpyDtoHAsync", to, bytes);
  if (result || !bytes) return result;
  bool waits = !stream->capture && !softcuda_is_pinned(to, bytes);
  result = put(stream, SOFTCUDA_COPY, (uintptr_t)to, from, bytes, NULL);
  return result || !waits ? result : softcuda_drain(context);
}

int cuMemcpyDtoDAsync_v2(basin_address to, basin_address from, size_t bytes, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuMemcpyDtoDAsync");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(s, &context, &stream);
  if (!result) result = check_device(context, "cuMemcpyDtoDAsync", to, bytes);
  if (!result) result = check_device(context, "cuMemcpyDtoDAsync", from, bytes);
  if (result || !bytes) return result;
  if (to < from + bytes && from < to + bytes) {
    softcuda_log("cuMemcpyDtoDAsync: the two ranges overlap");
    return BASIN_CU_INVALID_VALUE;
  }
  return put(stream, SOFTCUDA_COPY, to, from, bytes, NULL);
}

static int fill(const char *call,
                basin_address to,
                unsigned value,
                size_t width,
                size_t count,
                basin_cu_stream s)
{
  softcuda_context *context;
  softcuda_stream *stream;
  int result = softcuda_stream_get(s, &context, &stream);
  if (!result && count > SIZE_MAX / width) result = BASIN_CU_INVALID_VALUE;
  if (!result) result = check_device(context, call, to, width * count);
  if (!result && to % width) result = BASIN_CU_INVALID_VALUE;
  if (result || !count) return result;
  softcuda_operation *o = softcuda_operation_create(SOFTCUDA_SET, 0);
  if (!o) return BASIN_CU_OUT_OF_MEMORY;
  o->to = to;
  o->bytes = width * count;
  o->width = width;
  o->value = value;
  return softcuda_submit(stream, o);
}

int cuMemsetD8Async(basin_address to, unsigned char value, size_t count, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuMemsetD8Async");
  return fill("cuMemsetD8Async", to, value, 1, count, s);
}

int cuMemsetD32Async(basin_address to, unsigned value, size_t count, basin_cu_stream s)
{
  SOFTCUDA_CALL("cuMemsetD32Async");
  return fill("cuMemsetD32Async", to, value, 4, count, s);
}
