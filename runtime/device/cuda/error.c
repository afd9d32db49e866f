/* What failed calls of the CUDA driver become: errors that say call, kernel and subject; a device
 * that was lost stays lost. SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/state.h"

#include <stdio.h>
#include <string.h>

/* Results after which the driver refuses everything in this context. */
static bool ends_context(int result)
{
  switch (result) {
  case BASIN_CU_DEINITIALIZED:
  case BASIN_CU_INVALID_CONTEXT:
  case BASIN_CU_ECC_UNCORRECTABLE:
  case BASIN_CU_NVLINK_UNCORRECTABLE:
  case BASIN_CU_CONTAINED:
  case BASIN_CU_ILLEGAL_ADDRESS:
  case BASIN_CU_LAUNCH_TIMEOUT:
  case BASIN_CU_CONTEXT_IS_DESTROYED:
  case BASIN_CU_ASSERT:
  case BASIN_CU_HARDWARE_STACK_ERROR:
  case BASIN_CU_ILLEGAL_INSTRUCTION:
  case BASIN_CU_MISALIGNED_ADDRESS:
  case BASIN_CU_INVALID_ADDRESS_SPACE:
  case BASIN_CU_INVALID_PC:
  case BASIN_CU_LAUNCH_FAILED:
  case BASIN_CU_TENSOR_MEMORY_LEAK:
  case BASIN_CU_MPS_CLIENT_TERMINATED:
  case BASIN_CU_EXTERNAL_DEVICE:
  case BASIN_CU_UNKNOWN:
    return true;
  default:
    return false;
  }
}

static basin_status status_of(int result)
{
  switch (result) {
  case BASIN_CU_OUT_OF_MEMORY:
    return BASIN_ERROR_MEMORY;
  case BASIN_CU_NO_BINARY_FOR_GPU:
  case BASIN_CU_INVALID_PTX:
  case BASIN_CU_JIT_COMPILER_NOT_FOUND:
  case BASIN_CU_JIT_COMPILATION_DISABLED:
  case BASIN_CU_UNSUPPORTED_PTX_VERSION:
  case BASIN_CU_INVALID_IMAGE:
    return BASIN_ERROR_UNSUPPORTED;
  default:
    return BASIN_ERROR_DEVICE;
  }
}

/* Work runs behind the calls, so a failure shows at a later one: the kernels since the last wait
 * are under suspicion. */
static void describe_work(const basin_cuda *cuda, char *text, size_t size)
{
  *text = 0;
  if (cuda->pending == 0 || !cuda->last_kernel) return;
  snprintf(text,
           size,
           "; %s kernel %s%s%s%s",
           cuda->pending == 1 ? "after" : "the last of the kernels before it was",
           cuda->last_kernel,
           *cuda->last_subject ? " for " : "",
           cuda->last_subject,
           cuda->pending == 1 ? "" : " (CUDA_LAUNCH_BLOCKING=1 tells which one failed)");
}

basin_status basin__cuda_result(basin_cuda *cuda, int result, const char *call, const char *about)
{
  char words[256], work[384];
  if (result == BASIN_CU_SUCCESS) return BASIN_OK;
  basin__cu_describe(&cuda->driver, result, words, sizeof words);
  bool fatal = ends_context(result);
  describe_work(cuda, work, sizeof work);
  if (!fatal) *work = 0;
  basin_status status = BASIN_FAIL(cuda->context,
                                   status_of(result),
                                   "cuda:%d: %s%s%s: %s%s",
                                   cuda->ordinal,
                                   call,
                                   about ? " for " : "",
                                   about ? about : "",
                                   words,
                                   work);
  if (fatal && !*cuda->lost)
    snprintf(cuda->lost, sizeof cuda->lost, "%s", basin_error_last(cuda->context)->message);
  return status;
}

basin_status basin__cuda_enter(basin_cuda *cuda)
{
  if (*cuda->lost)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_DEVICE,
                      "the device was lost and takes no more work in this process (%s)",
                      cuda->lost);
  return BASIN_CU(cuda, NULL, cuCtxPushCurrent, cuda->primary);
}

void basin__cuda_leave(basin_cuda *cuda)
{
  basin_cu_context previous;
  (void)cuda->driver.cuCtxPopCurrent(&previous);
}

basin_status basin__cuda_not_recording(basin_cuda *cuda, const char *what)
{
  if (!cuda->recording) return BASIN_OK;
  return BASIN_FAIL(cuda->context,
                    BASIN_ERROR_STATE,
                    "cuda:%d: %s cannot be part of a graph",
                    cuda->ordinal,
                    what);
}

void basin__cuda_size_text(size_t bytes, char *text, size_t size)
{
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < BASIN_COUNT(units)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0)
    snprintf(text, size, "%zu bytes", bytes);
  else
    snprintf(text, size, "%.3g %s", value, units[unit]);
}
