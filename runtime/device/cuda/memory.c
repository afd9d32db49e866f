/* Memory of a CUDA device, and transfers to and from it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/state.h"

#include <string.h>

/* ---- buffers ---- */

static basin_status fail_memory(basin_cuda *cuda, size_t size)
{
  char asked[32], available[32], total[32];
  size_t free_bytes = 0, all = cuda->info.memory;
  if (cuda->driver.cuMemGetInfo(&free_bytes, &all) != BASIN_CU_SUCCESS) free_bytes = 0;
  basin__cuda_size_text(size, asked, sizeof asked);
  basin__cuda_size_text(free_bytes, available, sizeof available);
  basin__cuda_size_text(all, total, sizeof total);
  return BASIN_FAIL(cuda->context,
                    BASIN_ERROR_MEMORY,
                    "cuda:%d is out of memory: %s asked, %s of %s are free",
                    cuda->ordinal,
                    asked,
                    available,
                    total);
}

/* Tries a size with room to grow, then the bare one. The device is current. */
static basin_status allocate(basin_cuda *cuda, size_t old, size_t size, basin_buffer *made)
{
  size_t roomy = old + old / 2 > size ? old + old / 2 : size;
  roomy = roomy > SIZE_MAX - 255 ? roomy : (roomy + 255) & ~(size_t)255;
  int result = cuda->driver.cuMemAlloc(&made->address, roomy);
  made->size = roomy;
  if (result == BASIN_CU_OUT_OF_MEMORY && roomy > size) {
    result = cuda->driver.cuMemAlloc(&made->address, size);
    made->size = size;
  }
  if (result == BASIN_CU_OUT_OF_MEMORY) return fail_memory(cuda, size);
  BASIN_TRY(basin__cuda_result(cuda, result, "cuMemAlloc", NULL));
  cuda->statistics.allocated += made->size;
  return BASIN_OK;
}

static void release(basin_cuda *cuda, basin_buffer *buffer)
{
  if (buffer->address) {
    (void)cuda->driver.cuMemFree(buffer->address);
    cuda->statistics.allocated -= buffer->size;
  }
  *buffer = (basin_buffer){0};
}

basin_status basin__buffer_extend(basin_cuda *cuda, basin_buffer *buffer, size_t used, size_t size)
{
  if (size <= buffer->size) return BASIN_OK;
  BASIN_TRY(basin__cuda_not_recording(cuda, "growing memory"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_buffer made = {0};
  basin_status status = allocate(cuda, buffer->size, size, &made);
  if (status == BASIN_OK && used > 0) {
    status =
        BASIN_CU(cuda, NULL, cuMemcpyDtoDAsync, made.address, buffer->address, used, cuda->stream);
    if (status != BASIN_OK) release(cuda, &made);
  }
  if (status == BASIN_OK) {
    release(cuda, buffer);
    *buffer = made;
  }
  basin__cuda_leave(cuda);
  return status;
}

basin_status basin__buffer_reserve(basin_cuda *cuda, basin_buffer *buffer, size_t size)
{
  return basin__buffer_extend(cuda, buffer, 0, size);
}

void basin__buffer_release(basin_cuda *cuda, basin_buffer *buffer)
{
  if (!cuda || !buffer->address) {
    *buffer = (basin_buffer){0};
    return;
  }
  /* On a lost device the driver refuses: its memory goes with the context. */
  bool current = cuda->driver.cuCtxPushCurrent(cuda->primary) == BASIN_CU_SUCCESS;
  release(cuda, buffer);
  if (current) basin__cuda_leave(cuda);
}

/* ---- waiting ---- */

basin_status basin__cuda_synchronize(basin_cuda *cuda)
{
  BASIN_TRY(BASIN_CU(cuda, NULL, cuStreamSynchronize, cuda->stream));
  cuda->staged = 0;
  cuda->pending = 0;
  cuda->last_kernel = NULL;
  return BASIN_OK;
}

basin_status basin__cuda_wait(basin_cuda *cuda)
{
  BASIN_TRY(basin__cuda_not_recording(cuda, "waiting"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = basin__cuda_synchronize(cuda);
  cuda->statistics.waits++;
  basin__cuda_leave(cuda);
  return status;
}

/* ---- transfers ---- */

/* Room in pinned memory; what was staged before is out once the stream was waited for. */
static basin_status stage(basin_cuda *cuda, size_t size, unsigned char **memory)
{
  if (!cuda->staging) {
    void *made = NULL;
    BASIN_TRY(BASIN_CU(cuda, "transfers", cuMemHostAlloc, &made, BASIN_STAGING_SIZE, 0));
    cuda->staging = made;
    cuda->staged = 0;
  }
  if (cuda->staged + size > BASIN_STAGING_SIZE) BASIN_TRY(basin__cuda_synchronize(cuda));
  *memory = cuda->staging + cuda->staged;
  cuda->staged += (size + 63) & ~(size_t)63;
  return BASIN_OK;
}

static basin_status upload(basin_cuda *cuda, basin_address to, const void *from, size_t size)
{
  if (size <= BASIN_STAGING_PIECE) {
    unsigned char *memory;
    BASIN_TRY(stage(cuda, size, &memory));
    memcpy(memory, from, size);
    return BASIN_CU(cuda, NULL, cuMemcpyHtoDAsync, to, memory, size, cuda->stream);
  }
  BASIN_TRY(BASIN_CU(cuda, NULL, cuMemcpyHtoDAsync, to, from, size, cuda->stream));
  return basin__cuda_synchronize(cuda);
}

basin_status basin__cuda_upload(basin_cuda *cuda, basin_address to, const void *from, size_t size)
{
  if (size == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_not_recording(cuda, "an upload"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = upload(cuda, to, from, size);
  basin__cuda_leave(cuda);
  cuda->statistics.uploads++;
  cuda->statistics.uploaded_bytes += size;
  return status;
}

static basin_status download(basin_cuda *cuda, void *to, basin_address from, size_t size)
{
  if (size <= BASIN_STAGING_PIECE) {
    unsigned char *memory;
    BASIN_TRY(stage(cuda, size, &memory));
    BASIN_TRY(BASIN_CU(cuda, NULL, cuMemcpyDtoHAsync, memory, from, size, cuda->stream));
    BASIN_TRY(basin__cuda_synchronize(cuda));
    memcpy(to, memory, size);
    return BASIN_OK;
  }
  BASIN_TRY(BASIN_CU(cuda, NULL, cuMemcpyDtoHAsync, to, from, size, cuda->stream));
  return basin__cuda_synchronize(cuda);
}

basin_status basin__cuda_download(basin_cuda *cuda, void *to, basin_address from, size_t size)
{
  if (size == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_not_recording(cuda, "a download"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = download(cuda, to, from, size);
  basin__cuda_leave(cuda);
  cuda->statistics.downloads++;
  cuda->statistics.downloaded_bytes += size;
  return status;
}

basin_status basin__cuda_copy(basin_cuda *cuda, basin_address to, basin_address from, size_t size)
{
  if (size == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = BASIN_CU(cuda, NULL, cuMemcpyDtoDAsync, to, from, size, cuda->stream);
  basin__cuda_leave(cuda);
  return status;
}

basin_status basin__cuda_zero(basin_cuda *cuda, basin_address to, size_t size)
{
  if (size == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = BASIN_CU(cuda, NULL, cuMemsetD8Async, to, 0, size, cuda->stream);
  basin__cuda_leave(cuda);
  return status;
}

basin_status basin__cuda_fill(basin_cuda *cuda, basin_address to, uint32_t word, size_t count)
{
  if (count == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = BASIN_CU(cuda, NULL, cuMemsetD32Async, to, word, count, cuda->stream);
  basin__cuda_leave(cuda);
  return status;
}
