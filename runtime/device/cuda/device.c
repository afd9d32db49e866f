/* CUDA devices: how many there are, opening and closing one, what it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/state.h"

#include <stdio.h>
#include <string.h>

int basin__cuda_count(basin_context *context, basin_strbuf *reason)
{
  basin_cu_library driver;
  int count = 0;
  if (basin__cu_open(context, &driver) != BASIN_OK) {
    if (reason) basin__strbuf_puts(reason, basin_error_last(context)->message);
    basin__error_clear(context);
    return 0;
  }
  int result = driver.cuDeviceGetCount(&count);
  if (result || count < 0) count = 0;
  if (result && reason) {
    char words[256];
    basin__cu_describe(&driver, result, words, sizeof words);
    basin__strbuf_printf(reason, "cuDeviceGetCount: %s", words);
  } else if (count == 0 && reason) {
    basin__strbuf_puts(reason, "the CUDA driver finds no device");
  }
  basin__cu_close(&driver);
  return count;
}

/* ---- opening ---- */

static basin_status read_attribute(basin_cuda *cuda, int attribute, int *value)
{
  *value = 0;
  return BASIN_CU(cuda, NULL, cuDeviceGetAttribute, value, attribute, cuda->device);
}

static basin_status read_info(basin_cuda *cuda)
{
  basin_cuda_info *info = &cuda->info;
  int multiprocessors, warp, threads, shared;
  BASIN_TRY(
      BASIN_CU(cuda, NULL, cuDeviceGetName, info->name, (int)sizeof info->name, cuda->device));
  info->name[sizeof info->name - 1] = 0;
  BASIN_TRY(BASIN_CU(cuda, NULL, cuDeviceTotalMem, &info->memory, cuda->device));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_COMPUTE_CAPABILITY_MAJOR, &cuda->major));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_COMPUTE_CAPABILITY_MINOR, &cuda->minor));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_MULTIPROCESSOR_COUNT, &multiprocessors));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_WARP_SIZE, &warp));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_MAX_THREADS_PER_BLOCK, &threads));
  BASIN_TRY(read_attribute(cuda, BASIN_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared));
  info->multiprocessors = (unsigned)multiprocessors;
  info->warp = (unsigned)warp;
  info->threads_per_block = (unsigned)threads;
  info->shared_per_block = (size_t)shared;
  info->driver_version = cuda->driver.version;
  snprintf(info->architecture, sizeof info->architecture, "sm_%d", 10 * cuda->major + cuda->minor);
  if (info->warp != 32)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "cuda:%d has warps of %u threads, not 32",
                      cuda->ordinal,
                      info->warp);
  return BASIN_OK;
}

static basin_status find_device(basin_cuda *cuda)
{
  int count = 0;
  BASIN_TRY(basin__cu_open(cuda->context, &cuda->driver));
  BASIN_TRY(BASIN_CU(cuda, NULL, cuDeviceGetCount, &count));
  if (count == 0)
    return BASIN_FAIL(
        cuda->context, BASIN_ERROR_DEVICE, "there is no CUDA device: the driver finds none");
  if (cuda->ordinal < 0 || cuda->ordinal >= count)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_DEVICE,
                      "there is no device cuda:%d; there %s cuda:0%s",
                      cuda->ordinal,
                      count == 1 ? "is" : "are",
                      count == 1 ? " alone" : " and others up to the number of devices less one");
  BASIN_TRY(BASIN_CU(cuda, NULL, cuDeviceGet, &cuda->device, cuda->ordinal));
  return read_info(cuda);
}

static basin_status open_compiler(basin_cuda *cuda)
{
  BASIN_TRY(basin__nvrtc_open(cuda->context, cuda->driver.version / 1000, &cuda->nvrtc));
  BASIN_TRY(basin__cache_create(cuda->context, &cuda->cache));
  return basin__nvrtc_architecture(
      cuda->nvrtc, cuda->major, cuda->minor, false, cuda->architecture);
}

/* The stream keeps in step with the default stream, in case a library of the vendor puts work there
 * against what it was told. */
static basin_status open_stream(basin_cuda *cuda)
{
  BASIN_TRY(BASIN_CU(cuda, NULL, cuDevicePrimaryCtxRetain, &cuda->primary, cuda->device));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status =
      BASIN_CU(cuda, NULL, cuStreamCreate, &cuda->stream, BASIN_CU_STREAM_DEFAULT);
  if (status == BASIN_OK)
    status = BASIN_CU(cuda, NULL, cuEventCreate, &cuda->start, BASIN_CU_EVENT_DEFAULT);
  if (status == BASIN_OK)
    status = BASIN_CU(cuda, NULL, cuEventCreate, &cuda->stop, BASIN_CU_EVENT_DEFAULT);
  basin__cuda_leave(cuda);
  return status;
}

/* A driver older than the compiler may refuse machine code: asked once, with a kernel of nothing.
 */
static basin_status probe(basin_cuda *cuda)
{
  const basin_cuda_kernel *kernel;
  if (basin__nvrtc_version(cuda->nvrtc) <= cuda->driver.version) return BASIN_OK;
  return basin__cuda_kernel(cuda, "probe.cu", "probe", "", &kernel);
}

basin_status basin__cuda_open(basin_context *context, int ordinal, basin_cuda **cuda)
{
  *cuda = NULL;
  basin_cuda *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  made->ordinal = ordinal;
  basin_status status = find_device(made);
  if (status == BASIN_OK) status = open_compiler(made);
  if (status == BASIN_OK) status = open_stream(made);
  if (status == BASIN_OK) status = probe(made);
  if (status != BASIN_OK) {
    basin__cuda_close(made);
    return status;
  }
  basin__log(context,
             BASIN_LOG_INFO,
             "opened cuda:%d, %s, %s",
             ordinal,
             made->info.name,
             made->architecture);
  *cuda = made;
  return BASIN_OK;
}

void basin__cuda_close(basin_cuda *cuda)
{
  if (!cuda) return;
  const basin_cu_library *driver = &cuda->driver;
  bool current = cuda->primary && driver->cuCtxPushCurrent(cuda->primary) == BASIN_CU_SUCCESS;
  if (current && cuda->stream) (void)driver->cuStreamSynchronize(cuda->stream);
  basin__cuda_unload(cuda);
  if (current) {
    if (cuda->staging) (void)driver->cuMemFreeHost(cuda->staging);
    if (cuda->start) (void)driver->cuEventDestroy(cuda->start);
    if (cuda->stop) (void)driver->cuEventDestroy(cuda->stop);
    if (cuda->stream) (void)driver->cuStreamDestroy(cuda->stream);
    basin__cuda_leave(cuda);
  }
  if (cuda->primary) (void)driver->cuDevicePrimaryCtxRelease(cuda->device);
  basin__cache_destroy(cuda->cache);
  basin__nvrtc_close(cuda->nvrtc);
  basin__cu_close(&cuda->driver);
  basin__free(cuda->context, cuda, sizeof *cuda);
}

const basin_cuda_info *basin__cuda_information(const basin_cuda *cuda)
{
  return &cuda->info;
}

const char *basin__cuda_architecture(const basin_cuda *cuda)
{
  return cuda->architecture;
}

int basin__cuda_ordinal(const basin_cuda *cuda)
{
  return cuda->ordinal;
}

basin_context *basin__cuda_context(const basin_cuda *cuda)
{
  return cuda->context;
}

basin_cuda_statistics basin__cuda_get_statistics(const basin_cuda *cuda)
{
  return cuda->statistics;
}

basin_cu_stream basin__cuda_stream(const basin_cuda *cuda)
{
  return cuda->stream;
}
