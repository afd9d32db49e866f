/* Kernels of a system: the provider, pointer tables, scratch memory, COMPUTE kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"
#include "device/work.h"
#include <string.h>

/* Elements a task of a COMPUTE kernel; results do not depend on it. */
#define COMPUTE_CHUNK 1024u

basin_status
basin__kernel_list_add(basin_system *system, basin_kernel_list *list, basin_kernel_slot *slot)
{
  if (!slot->info || basin__kernel_ready(slot)) return BASIN_OK;
  for (size_t k = 0; k < list->count; ++k)
    if (list->slots[k] == slot) return BASIN_OK;
  BASIN_TRY(basin__grow(
      system->context, &list->slots, &list->capacity, list->count + 1, sizeof *list->slots));
  list->slots[list->count++] = slot;
  return BASIN_OK;
}

static basin_status
add_array(basin_system *system, basin_kernel_list *list, basin_array_id id, bool *seen)
{
  if (seen[id]) return BASIN_OK;
  seen[id] = true;
  basin_array *array = system->arrays[id];
  if (array->kind == BASIN_ARRAY_COMPUTED) {
    BASIN_TRY(basin__kernel_list_add(system, list, &array->kernel));
    for (uint32_t k = 0; k < array->kernel.info->array_count; ++k)
      BASIN_TRY(add_array(system, list, array->kernel.info->arrays[k], seen));
  }
  for (size_t k = 0; k < array->member_count; ++k)
    BASIN_TRY(add_array(system, list, array->members[k], seen));
  if (array->kind == BASIN_ARRAY_REDUCTION) BASIN_TRY(add_array(system, list, array->source, seen));
  return BASIN_OK;
}

basin_status basin__kernel_list_add_inputs(basin_system *system,
                                           basin_kernel_list *list,
                                           const basin_kernel_info *info)
{
  uint64_t latest;
  BASIN_TRY(
      basin__info_latest(system, info, &latest)); /* all ids are good and no chain is too long */
  bool *seen = basin__calloc(system->context, system->array_count + 1, sizeof *seen);
  if (!seen) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (uint32_t k = 0; k < info->array_count && status == BASIN_OK; ++k)
    status = add_array(system, list, info->arrays[k], seen);
  basin__free(system->context, seen, (system->array_count + 1) * sizeof *seen);
  return status;
}

/* Scratch memory for every worker. */
static basin_status reserve_scratch(basin_system *system, size_t size)
{
  size_t stride = (size + 63) & ~(size_t)63, workers = basin__worker_count(system->context);
  if (stride <= system->scratch_stride && workers <= system->scratch_workers) return BASIN_OK;
  if (stride < system->scratch_stride) stride = system->scratch_stride;
  unsigned char *scratch = basin__alloc_aligned(system->context, stride * workers);
  if (!scratch) return BASIN_ERROR_MEMORY;
  basin__free_aligned(
      system->context, system->scratch, system->scratch_stride * system->scratch_workers);
  system->scratch = scratch;
  system->scratch_stride = stride;
  system->scratch_workers = workers;
  return BASIN_OK;
}

/* What the provider gave for a slot fits the system: something to call, or code for its device,
 * which is loaded. */
static basin_status accept_kernel(basin_system *system,
                                  const basin_kernel_slot *slot,
                                  const basin_kernel *kernel,
                                  const basin_cuda_kernel **loaded)
{
  *loaded = NULL;
  if (system->cuda ? !kernel->image : !kernel->function)
    return BASIN_FAIL(system->context,
                      BASIN_ERROR_INTERNAL,
                      "the provider gave no kernel %s%s",
                      slot->info->name,
                      system->cuda ? " for the device" : "");
  return system->cuda ? basin__cuda_kernel_of(system->cuda, kernel, slot->info->name, loaded)
                      : BASIN_OK;
}

basin_status basin__kernel_list_request(basin_system *system, basin_kernel_list *list)
{
  basin_context *context = system->context;
  if (list->count == 0) return BASIN_OK;
  basin_kernel_request *requests = basin__calloc(context, list->count, sizeof *requests);
  if (!requests) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < list->count; ++k) {
    requests[k].plan = list->slots[k]->plan;
    requests[k].stage = list->slots[k]->info->stage;
  }
  basin_status status = system->provider(system->provider_user, requests, list->count);
  size_t scratch = 0;
  for (size_t k = 0; k < list->count && status == BASIN_OK; ++k)
    scratch = requests[k].kernel.scratch_size > scratch ? requests[k].kernel.scratch_size : scratch;
  if (status == BASIN_OK && scratch > 0) status = reserve_scratch(system, scratch);
  for (size_t k = 0; k < list->count && status == BASIN_OK; ++k) {
    basin_kernel_slot *slot = list->slots[k];
    status = accept_kernel(system, slot, &requests[k].kernel, &slot->loaded);
    if (status == BASIN_OK) slot->kernel = requests[k].kernel;
  }
  basin__free(context, requests, list->count * sizeof *requests);
  return status;
}

void basin__kernel_list_release(basin_system *system, basin_kernel_list *list)
{
  basin__free(system->context, list->slots, list->capacity * sizeof *list->slots);
  memset(list, 0, sizeof *list);
}

static basin_status
reserve_tables(basin_system *system, const basin_kernel_info *info, basin_binding *binding)
{
  basin_context *context = system->context;
  if (info->array_count > binding->array_count) {
    const double **arrays = basin__alloc(context, info->array_count * sizeof *arrays);
    if (!arrays) return BASIN_ERROR_MEMORY;
    basin__free(context, binding->arrays, binding->array_count * sizeof *arrays);
    binding->arrays = arrays;
    binding->array_count = info->array_count;
  }
  if (info->connectivity_count > binding->index_count) {
    const uint32_t **indices = basin__alloc(context, info->connectivity_count * sizeof *indices);
    if (!indices) return BASIN_ERROR_MEMORY;
    basin__free(context, binding->indices, binding->index_count * sizeof *indices);
    binding->indices = indices;
    binding->index_count = info->connectivity_count;
  }
  return BASIN_OK;
}

basin_status
basin__binding_fill(basin_system *system, const basin_kernel_info *info, basin_binding *binding)
{
  if (system->cuda) return basin__binding_on_device(system, info, &binding->device);
  BASIN_TRY(reserve_tables(system, info, binding));
  for (uint32_t k = 0; k < info->array_count; ++k)
    BASIN_TRY(basin__array_update(system, info->arrays[k]));
  for (uint32_t k = 0; k < info->array_count; ++k)
    binding->arrays[k] = system->arrays[info->arrays[k]]->data;
  for (uint32_t k = 0; k < info->connectivity_count; ++k) {
    basin_connectivity *connectivity;
    BASIN_TRY(basin__system_connectivity(system, info->connectivities[k], &connectivity));
    BASIN_TRY(basin__connectivity_check(system, connectivity));
    binding->indices[k] = connectivity->indices;
  }
  return BASIN_OK;
}

void basin__binding_release(basin_system *system, basin_binding *binding)
{
  basin__free(system->context, binding->arrays, binding->array_count * sizeof *binding->arrays);
  basin__free(system->context, binding->indices, binding->index_count * sizeof *binding->indices);
  basin__device_binding_release(system, &binding->device);
  memset(binding, 0, sizeof *binding);
}

basin_status basin_system_compute(basin_system *system,
                                  const void *plan,
                                  const basin_kernel_info *info,
                                  size_t count,
                                  double *output)
{
  basin_kernel_slot slot = {.plan = plan, .info = info};
  basin_kernel_list list = {0};
  basin_binding binding = {0};
  basin_status status = basin__kernel_list_add(system, &list, &slot);
  if (status == BASIN_OK) status = basin__kernel_list_add_inputs(system, &list, info);
  if (status == BASIN_OK) status = basin__kernel_list_request(system, &list);
  basin__kernel_list_release(system, &list);
  if (status == BASIN_OK) status = basin__binding_fill(system, info, &binding);
  if (status == BASIN_OK && count > 0)
    status = basin__kernel_compute(system, &slot, &binding, count, output);
  basin__binding_release(system, &binding);
  return status;
}

void *basin__system_scratch(const basin_system *system, unsigned worker)
{
  return system->scratch ? system->scratch + worker * system->scratch_stride : NULL;
}

typedef struct compute_task {
  const basin_system *system;
  const basin_kernel *kernel;
  const basin_binding *binding;
  size_t count;
  double *output;
} compute_task;

static void compute_chunk(void *user, size_t index, unsigned worker)
{
  const compute_task *task = user;
  size_t begin = index * COMPUTE_CHUNK;
  basin_kernel_args args = {.begin = begin,
                            .end = begin + COMPUTE_CHUNK < task->count ? begin + COMPUTE_CHUNK
                                                                       : task->count,
                            .arrays = task->binding->arrays,
                            .indices = task->binding->indices,
                            .output = task->output,
                            .scratch = basin__system_scratch(task->system, worker)};
  task->kernel->function(&args, task->kernel->self);
}

/* Runs on the device, and the results come back. */
static basin_status compute_for_host(basin_system *system,
                                     const basin_kernel_slot *slot,
                                     const basin_binding *binding,
                                     size_t count,
                                     double *output)
{
  size_t size = count * slot->info->output_size * sizeof *output;
  BASIN_TRY(basin__buffer_reserve(system->cuda, &system->output, size));
  BASIN_TRY(basin__compute_on_device(
      system, slot, &binding->device, count, system->output.address, slot->info->name));
  return basin__cuda_download(system->cuda, output, system->output.address, size);
}

basin_status basin__kernel_compute(basin_system *system,
                                   const basin_kernel_slot *slot,
                                   const basin_binding *binding,
                                   size_t count,
                                   double *output)
{
  if (system->cuda) return compute_for_host(system, slot, binding, count, output);
  compute_task task = {system, &slot->kernel, binding, count, output};
  basin__parallel_work(system->context,
                       (count + COMPUTE_CHUNK - 1) / COMPUTE_CHUNK,
                       basin__kernel_work(slot->info, count),
                       compute_chunk,
                       &task);
  return BASIN_OK;
}
