/* Where the kernels of a scene come from: its device, and the back end that compiles for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code for the system's CUDA device. */
static basin_status device_backend(basin_l_system *self, const char *architecture)
{
  char name[64], device[16];
  basin_device_info info;
  basin_system_device(self->system, device);
  BASIN_TRY(basin_device_get_info(self->context, atoi(device + sizeof "cuda:" - 1), &info));
  /* The compiler is not to be newer than the driver. */
  snprintf(name, sizeof name, "nvrtc:%s:%d", architecture, info.driver_version / 1000);
  return basin_backend_create(self->context, name, self->precision, &self->backend);
}

basin_status basin__system_backend(basin_l_system *self, basin_backend **backend)
{
  const char *architecture = basin_system_architecture(self->system);
  if (!self->backend && architecture) BASIN_TRY(device_backend(self, architecture));
  if (!self->backend) {
    bool interpret = strcmp(self->device, "cpu:interp") == 0;
    const char *name = interpret ? "interp" : "clang";
    basin_status status =
        basin_backend_create(self->context, name, self->precision, &self->backend);
    if (status == BASIN_ERROR_MISSING_LIBRARY && strcmp(self->device, "auto") == 0) {
      basin__log(self->context,
                 BASIN_LOG_WARN,
                 "kernels are interpreted, which is slow: %s",
                 basin_error_last(self->context)->message);
      basin__error_clear(self->context);
      status = basin_backend_create(self->context, "interp", self->precision, &self->backend);
    }
    BASIN_TRY(status);
  }
  *backend = self->backend;
  return BASIN_OK;
}

basin_status basin__provide_kernels(void *user, basin_kernel_request *requests, size_t count)
{
  basin_l_system *self = user;
  basin_backend *backend;
  BASIN_TRY(basin__system_backend(self, &backend));
  basin_compile_request *wanted = basin__calloc(self->context, count, sizeof *wanted);
  if (!wanted) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) {
    wanted[i].plan = requests[i].plan;
    wanted[i].stage = requests[i].stage;
  }
  basin_status status = basin_backend_compile(backend, wanted, count);
  for (size_t i = 0; status == BASIN_OK && i < count; ++i) requests[i].kernel = wanted[i].kernel;
  basin__free(self->context, wanted, count * sizeof *wanted);
  return status;
}

/* ---- the device ---- */

static const char no_device = 0; /* its address: that a context found no CUDA device */

static void keep_nothing(void *object)
{
  (void)object;
}

/* A CUDA device if one can be opened. Without one, a context looks once. */
static void choose_device(basin_l_system *self)
{
  basin_context *context = self->context;
  if (basin__context_kept(context, &no_device, 0)) return;
  if (basin_device_count(context) > 0 && basin_system_set_device(self->system, "cuda") == BASIN_OK)
    return;
  basin__log(
      context, BASIN_LOG_INFO, "device auto is the CPU: %s", basin_error_last(context)->message);
  basin__error_clear(context);
  (void)basin__context_keep(context, &no_device, 0, context, keep_nothing);
}

basin_status basin__system_open_device(basin_l_system *self)
{
  if (strncmp(self->device, "cuda", 4) == 0)
    return basin_system_set_device(self->system, self->device);
  if (strcmp(self->device, "auto") == 0) choose_device(self);
  return BASIN_OK;
}
