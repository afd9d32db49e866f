/* Arrays and connectivities of a system on a CUDA device: a copy there and one on the host, each
 * brought up to date when it is asked for. SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"

#include <string.h>

basin_status basin__system_set_cuda(basin_system *system, basin_cuda *cuda)
{
  if (system->array_count > 0)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "the device of a system is chosen before arrays are added");
  system->cuda = cuda;
  return BASIN_OK;
}

/* ---- arrays ---- */

static size_t bytes_of(const basin_array *array, size_t instances)
{
  return instances * array->size * sizeof(double);
}

/* New instances of a copy that is up to date but too short are zero. */
static basin_status lengthen(basin_system *system, basin_array *array, size_t count)
{
  size_t old = bytes_of(array, array->device_count), all = bytes_of(array, count);
  BASIN_TRY(basin__buffer_extend(system->cuda, &array->device, old, all));
  BASIN_TRY(basin__cuda_zero(system->cuda, array->device.address + old, all - old));
  array->device_count = count;
  return BASIN_OK;
}

static basin_status store(basin_system *system, basin_array *array)
{
  size_t count = system->spaces[array->space].count;
  BASIN_TRY(basin__array_fit(system, array));
  if (array->device_valid)
    return array->device_count < count ? lengthen(system, array, count) : BASIN_OK;
  BASIN_TRY(basin__buffer_reserve(system->cuda, &array->device, bytes_of(array, count)));
  BASIN_TRY(
      basin__cuda_upload(system->cuda, array->device.address, array->data, bytes_of(array, count)));
  array->device_count = count;
  array->device_valid = true;
  return BASIN_OK;
}

basin_status basin__array_on_device(basin_system *system, basin_array_id id, basin_address *address)
{
  uint64_t latest;
  *address = 0;
  BASIN_TRY(basin__array_refresh(system, id, &latest));
  basin_array *array = system->arrays[id];
  if (array->kind == BASIN_ARRAY_STORED) {
    BASIN_TRY(store(system, array));
  } else if (array->device_filled != latest) {
    BASIN_TRY(basin__array_request(system, array));
    size_t count = system->spaces[array->space].count;
    array->device_filled = 0;
    BASIN_TRY(basin__buffer_reserve(system->cuda, &array->device, bytes_of(array, count)));
    BASIN_TRY(basin__array_evaluate_on_device(system, array));
    array->device_count = count;
    array->device_filled = latest;
  }
  *address = array->device.address;
  return BASIN_OK;
}

basin_status
basin__array_write_on_device(basin_system *system, basin_array_id id, basin_address *address)
{
  basin_array *array;
  *address = 0;
  BASIN_TRY(basin__system_array(system, id, &array));
  if (array->kind != BASIN_ARRAY_STORED)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_STATE,
                      "%s is computed from other arrays and cannot be set",
                      array->name);
  size_t count = system->spaces[array->space].count;
  /* The caller may fail before all of it is written: then the host's copy is the one that counts,
   * or, without one, what is not yet written keeps its content. */
  size_t used = array->host_stale ? bytes_of(array, array->device_count) : 0;
  array->device_valid = array->host_stale;
  BASIN_TRY(basin__buffer_extend(system->cuda, &array->device, used, bytes_of(array, count)));
  *address = array->device.address;
  return BASIN_OK;
}

void basin__array_written_on_device(basin_system *system, basin_array_id id)
{
  basin_array *array = system->arrays[id];
  array->latest = ++system->clock;
  array->device_count = system->spaces[array->space].count;
  array->device_valid = array->host_stale = true;
}

basin_status basin__array_to_host(basin_system *system, basin_array *array)
{
  basin_address address = array->device.address;
  if (array->kind != BASIN_ARRAY_STORED) {
    basin_array_id id = 0;
    while (system->arrays[id] != array) ++id;
    BASIN_TRY(basin__array_on_device(system, id, &address));
  }
  size_t count = array->device_count < array->count ? array->device_count : array->count;
  BASIN_TRY(basin__cuda_download(system->cuda, array->data, address, bytes_of(array, count)));
  if (array->count > count)
    memset(array->data + count * array->size, 0, bytes_of(array, array->count - count));
  array->host_stale = false;
  array->host_version = array->latest;
  return BASIN_OK;
}

/* ---- connectivities ---- */

static basin_status
send_words(basin_system *system, basin_buffer *buffer, const uint32_t *words, size_t count)
{
  BASIN_TRY(basin__buffer_reserve(system->cuda, buffer, count * sizeof *words));
  return basin__cuda_upload(system->cuda, buffer->address, words, count * sizeof *words);
}

basin_status basin__connectivity_on_device(basin_system *system,
                                           basin_connectivity_id id,
                                           basin_address *indices,
                                           basin_address *offsets)
{
  basin_connectivity *rows;
  *indices = 0;
  if (offsets) *offsets = 0;
  BASIN_TRY(basin__system_connectivity(system, id, &rows));
  BASIN_TRY(basin__connectivity_range(system, rows));
  if (!rows->device_valid) {
    BASIN_TRY(send_words(system, &rows->device_indices, rows->indices, rows->count));
    BASIN_TRY(send_words(system, &rows->device_offsets, rows->offsets, rows->offset_count));
    rows->device_valid = true;
  }
  *indices = rows->device_indices.address;
  if (offsets && rows->arity == 0) *offsets = rows->device_offsets.address;
  return BASIN_OK;
}

basin_status basin__connectivity_write_on_device(basin_system *system,
                                                 basin_connectivity_id id,
                                                 size_t count,
                                                 basin_address *indices)
{
  basin_connectivity *rows;
  *indices = 0;
  BASIN_TRY(basin__system_connectivity(system, id, &rows));
  size_t need = system->spaces[rows->from].count * rows->arity;
  if (rows->arity == 0 || count != need)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_LENGTH,
                      "connectivity %s: %zu indices written, but %zu are needed",
                      rows->name,
                      count,
                      need);
  /* Should the caller fail: as many indices as before are all trusted, old and new ones; others are
   * kept on the host. */
  bool stay = rows->host_stale && rows->count == count;
  if (!stay) BASIN_TRY(basin__connectivity_to_host(system, rows));
  rows->device_valid = stay;
  BASIN_TRY(basin__buffer_reserve(system->cuda, &rows->device_indices, count * sizeof(uint32_t)));
  rows->device_count = count;
  *indices = rows->device_indices.address;
  return BASIN_OK;
}

void basin__connectivity_written_on_device(basin_system *system,
                                           basin_connectivity_id id,
                                           uint32_t largest)
{
  basin_connectivity *rows = &system->connectivities[id];
  rows->count = rows->device_count;
  rows->largest = largest;
  rows->set = rows->device_valid = rows->host_stale = true;
  rows->version = ++system->clock;
}

basin_status basin__connectivity_to_host(const basin_system *system, basin_connectivity *rows)
{
  if (!rows->host_stale) return BASIN_OK;
  basin_context *context = system->context;
  if (rows->held < rows->count) {
    uint32_t *made = basin__alloc(context, rows->count * sizeof *made);
    if (!made) return BASIN_ERROR_MEMORY;
    basin__free(context, rows->indices, rows->held * sizeof *made);
    rows->indices = made;
    rows->held = rows->count;
  }
  BASIN_TRY(basin__cuda_download(system->cuda,
                                 rows->indices,
                                 rows->device_indices.address,
                                 rows->count * sizeof *rows->indices));
  rows->host_stale = false;
  return BASIN_OK;
}

/* ---- tables of addresses ---- */

static basin_status
gather(basin_system *system, const basin_kernel_info *info, basin_address *addresses)
{
  for (uint32_t k = 0; k < info->array_count; ++k)
    BASIN_TRY(basin__array_on_device(system, info->arrays[k], &addresses[k]));
  for (uint32_t k = 0; k < info->connectivity_count; ++k)
    BASIN_TRY(basin__connectivity_on_device(
        system, info->connectivities[k], &addresses[info->array_count + k], NULL));
  return BASIN_OK;
}

/* The tables are sent when they are not what the device has. `fresh` follows what was sent. */
static basin_status send_tables(basin_system *system, size_t count, basin_device_binding *binding)
{
  const basin_address *fresh = binding->sent + binding->sent_capacity / 2;
  size_t size = count * sizeof *fresh;
  if (count == binding->sent_count && (count == 0 || memcmp(fresh, binding->sent, size) == 0))
    return BASIN_OK;
  binding->sent_count = 0;
  BASIN_TRY(basin__buffer_reserve(system->cuda, &binding->tables, size));
  BASIN_TRY(basin__cuda_upload(system->cuda, binding->tables.address, fresh, size));
  memcpy(binding->sent, fresh, size);
  binding->sent_count = count;
  return BASIN_OK;
}

basin_status basin__binding_on_device(basin_system *system,
                                      const basin_kernel_info *info,
                                      basin_device_binding *binding)
{
  size_t count = (size_t)info->array_count + info->connectivity_count;
  if (2 * count > binding->sent_capacity) {
    basin_address *made = basin__alloc(system->context, 2 * count * sizeof *made);
    if (!made) return BASIN_ERROR_MEMORY;
    basin__free(system->context, binding->sent, binding->sent_capacity * sizeof *made);
    binding->sent = made;
    binding->sent_capacity = 2 * count;
    binding->sent_count = 0;
  }
  if (count > 0) BASIN_TRY(gather(system, info, binding->sent + binding->sent_capacity / 2));
  BASIN_TRY(send_tables(system, count, binding));
  binding->arrays = binding->tables.address;
  binding->indices = binding->tables.address + info->array_count * sizeof(basin_address);
  return BASIN_OK;
}

void basin__device_binding_release(basin_system *system, basin_device_binding *binding)
{
  basin__buffer_release(system->cuda, &binding->tables);
  basin__free(system->context, binding->sent, binding->sent_capacity * sizeof *binding->sent);
  memset(binding, 0, sizeof *binding);
}

basin_transfers basin_system_transfers(const basin_system *system)
{
  basin_transfers transfers = {.size = sizeof transfers};
  if (!system->cuda) return transfers;
  basin_cuda_statistics counts = basin__cuda_get_statistics(system->cuda);
  transfers.launches = counts.launches;
  transfers.graph_launches = counts.graph_launches;
  transfers.uploads = counts.uploads;
  transfers.uploaded_bytes = counts.uploaded_bytes;
  transfers.downloads = counts.downloads;
  transfers.downloaded_bytes = counts.downloaded_bytes;
  return transfers;
}
