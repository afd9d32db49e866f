/* Devices by name: opened once a context, shared by its systems.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key = 0; /* its address names what the context keeps */

static void close_device(void *cuda)
{
  basin__cuda_close(cuda);
}

basin_status basin__cuda_share(basin_context *context, int ordinal, basin_cuda **cuda)
{
  *cuda = basin__context_kept(context, &key, ordinal);
  if (*cuda) return BASIN_OK;
  BASIN_TRY(basin__cuda_open(context, ordinal, cuda));
  basin_status status = basin__context_keep(context, &key, ordinal, *cuda, close_device);
  if (status != BASIN_OK) {
    basin__cuda_close(*cuda);
    *cuda = NULL;
  }
  return status;
}

int basin_device_count(basin_context *context)
{
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  int count = basin__cuda_count(context, &reason);
  if (count == 0) (void)BASIN_FAIL(context, BASIN_ERROR_DEVICE, "%s", basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  return count;
}

basin_status basin_device_get_info(basin_context *context, int ordinal, basin_device_info *info)
{
  basin_cuda *cuda;
  memset(info, 0, sizeof *info);
  BASIN_TRY(basin__cuda_share(context, ordinal, &cuda));
  const basin_cuda_info *all = basin__cuda_information(cuda);
  memcpy(info->name, all->name, sizeof info->name);
  memcpy(info->architecture, all->architecture, sizeof info->architecture);
  info->memory = all->memory;
  info->multiprocessors = all->multiprocessors;
  info->driver_version = all->driver_version;
  return BASIN_OK;
}

/* N of "cuda" or "cuda:N"; -1 for anything else. */
static int read_ordinal(const char *device)
{
  if (strncmp(device, "cuda", 4) != 0) return -1;
  if (!device[4]) return 0;
  if (device[4] != ':' || device[5] < '0' || device[5] > '9') return -1;
  char *end;
  long ordinal = strtol(device + 5, &end, 10);
  return *end || ordinal > 9999 ? -1 : (int)ordinal;
}

basin_status basin_system_set_device(basin_system *system, const char *device)
{
  if (strcmp(device, "cpu") == 0) return basin__system_set_cuda(system, NULL);
  int ordinal = read_ordinal(device);
  basin_cuda *cuda;
  if (ordinal < 0)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_NAME,
                      "there is no device '%s'; devices of a system are cpu, cuda and cuda:N",
                      device);
  BASIN_TRY(basin__cuda_share(system->context, ordinal, &cuda));
  return basin__system_set_cuda(system, cuda);
}

const char *basin_system_architecture(const basin_system *system)
{
  return system->cuda ? basin__cuda_architecture(system->cuda) : NULL;
}

void basin_system_device(const basin_system *system, char device[16])
{
  if (system->cuda)
    snprintf(device, 16, "cuda:%d", basin__cuda_ordinal(system->cuda));
  else
    snprintf(device, 16, "cpu");
}
