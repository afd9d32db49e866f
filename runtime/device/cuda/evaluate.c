/* Computed arrays, unions and reductions, evaluated on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/system.h"

/* An address as a kernel gets it; never read through here. */
static void *pointer(basin_address address)
{
  return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

basin_status basin__compute_on_device(basin_system *system,
                                      const basin_kernel_slot *slot,
                                      const basin_device_binding *binding,
                                      size_t count,
                                      basin_address output,
                                      const char *subject)
{
  basin_kernel_args args = {.begin = 0,
                            .end = count,
                            .arrays = pointer(binding->arrays),
                            .indices = pointer(binding->indices),
                            .output = pointer(output)};
  basin_cuda_launch launch = {.kernel = slot->loaded,
                              .blocks = basin__cuda_blocks(count, BASIN_CUDA_THREADS),
                              .threads = BASIN_CUDA_THREADS,
                              .subject = subject};
  return basin__cuda_launch(system->cuda, &launch, (void *[]){&args});
}

static basin_status compute(basin_system *system, basin_array *array)
{
  size_t count = system->spaces[array->space].count;
  basin_device_binding *binding = &array->binding.device;
  BASIN_TRY(basin__binding_on_device(system, array->kernel.info, binding));
  return basin__compute_on_device(
      system, &array->kernel, binding, count, array->device.address, array->name);
}

static basin_status join(basin_system *system, basin_array *array)
{
  basin_address to = array->device.address;
  for (size_t k = 0; k < array->member_count; ++k) {
    const basin_array *member = system->arrays[array->members[k]];
    basin_address from;
    size_t size = system->spaces[member->space].count * member->size * sizeof(double);
    BASIN_TRY(basin__array_on_device(system, array->members[k], &from));
    BASIN_TRY(basin__cuda_copy(system->cuda, to, from, size));
    to += size;
  }
  return BASIN_OK;
}

static basin_status reduce(basin_system *system, basin_array *array)
{
  basin_address indices, offsets, from, to = array->device.address;
  BASIN_TRY(basin__connectivity_on_device(system, array->connectivity, &indices, &offsets));
  BASIN_TRY(basin__array_on_device(system, array->source, &from));
  basin_cuda_launch launch = {.threads = BASIN_CUDA_THREADS, .subject = array->name};
  BASIN_TRY(basin__cuda_kernel(system->cuda, "rows.cu", "sum_rows", "", &launch.kernel));
  unsigned arity = system->connectivities[array->connectivity].arity;
  unsigned size = (unsigned)array->size, mean = array->mean;
  unsigned long long count = system->spaces[array->space].count;
  launch.blocks = basin__cuda_blocks((size_t)count * array->size, launch.threads);
  void *parameters[] = {&indices, &offsets, &arity, &from, &to, &count, &size, &mean};
  return basin__cuda_launch(system->cuda, &launch, parameters);
}

basin_status basin__array_evaluate_on_device(basin_system *system, basin_array *array)
{
  switch (array->kind) {
  case BASIN_ARRAY_COMPUTED:
    return compute(system, array);
  case BASIN_ARRAY_UNION:
    return join(system, array);
  case BASIN_ARRAY_REDUCTION:
    return reduce(system, array);
  default:
    return BASIN_OK;
  }
}
