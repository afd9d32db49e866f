/* The CUDA driver's library: opening, its functions, its words for errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/state.h"

#include <stdio.h>
#include <string.h>

enum { OLDEST_DRIVER = 11040 };

static basin_status resolve(basin_context *context, basin_cu_library *driver)
{
  void *address;
#define X(type, name, parameters, exported)                                          \
  address = basin__dl_symbol(driver->library, #exported);                            \
  if (!address)                                                                      \
    return BASIN_FAIL(context,                                                       \
                      BASIN_ERROR_MISSING_LIBRARY,                                   \
                      "%s has no function " #exported                                \
                      "; a driver for CUDA 11.4 or newer is needed (BASIN_LIB_CUDA " \
                      "names another file)",                                         \
                      basin__dl_path(driver->library));                              \
  memcpy(&driver->name, &address, sizeof address);
#include "device/cuda/driver.def"
#undef X
  return BASIN_OK;
}

static basin_status initialize(basin_context *context, basin_cu_library *driver)
{
  char text[256];
  int result = driver->cuInit(0);
  if (result == BASIN_CU_NO_DEVICE)
    return BASIN_FAIL(context,
                      BASIN_ERROR_DEVICE,
                      "there is no CUDA device: the driver (%s) finds none",
                      basin__dl_path(driver->library));
  if (result) {
    basin__cu_describe(driver, result, text, sizeof text);
    return BASIN_FAIL(context,
                      BASIN_ERROR_DEVICE,
                      "the CUDA driver (%s) does not start: cuInit says %s",
                      basin__dl_path(driver->library),
                      text);
  }
  result = driver->cuDriverGetVersion(&driver->version);
  if (result || driver->version < OLDEST_DRIVER)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "the CUDA driver (%s) is for CUDA %d.%d; CUDA 11.4 or newer is needed",
                      basin__dl_path(driver->library),
                      driver->version / 1000,
                      driver->version % 1000 / 10);
  return BASIN_OK;
}

basin_status basin__cu_open(basin_context *context, basin_cu_library *driver)
{
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  basin_strbuf reason;
  memset(driver, 0, sizeof *driver);
  basin__strbuf_init(&reason, context);
  driver->library = basin__dl_open(context, "CUDA", names, &reason);
  basin_status status = BASIN_OK;
  if (!driver->library && reason.length == 0)
    status = BASIN_ERROR_MEMORY; /* the loader itself always has a reason */
  else if (!driver->library)
    status = BASIN_FAIL(context,
                        BASIN_ERROR_MISSING_LIBRARY,
                        "the CUDA driver cannot be opened (%s); it comes with NVIDIA's driver",
                        basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  if (status == BASIN_OK) status = resolve(context, driver);
  if (status == BASIN_OK) status = initialize(context, driver);
  if (status != BASIN_OK) basin__cu_close(driver);
  return status;
}

void basin__cu_close(basin_cu_library *driver)
{
  basin__dl_close(driver->library);
  memset(driver, 0, sizeof *driver);
}

void basin__cu_describe(const basin_cu_library *driver, int result, char *text, size_t size)
{
  const char *name = NULL, *words = NULL;
  if (driver->cuGetErrorName(result, &name) != 0) name = NULL;
  if (driver->cuGetErrorString(result, &words) != 0) words = NULL;
  if (name)
    snprintf(text, size, "%s%s%s%s", name, words ? " (" : "", words ? words : "", words ? ")" : "");
  else
    snprintf(text, size, "error %d", result);
}
