/* Assembly on a CUDA device, as the table of functions that a minimizer calls; creation and
 * release. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Local results kept at once, in KiB, unless BASIN_CUDA_BATCH says otherwise. */
#define BATCH_KIB (UINT64_C(256) << 10)

/* Places in a batch have 29 bits (contributions.cu). */
static size_t batch_bytes(void)
{
  uint64_t kib = basin__env_count("CUDA_BATCH", BATCH_KIB), most = UINT64_C(4) << 20;
  return (size_t)(kib < most ? kib : most) << 10;
}

/* The texts that every minimization comes to, compiled side by side. */
static basin_status prepare(basin_cuda *cuda, unsigned block, bool atomic)
{
  char sums[32], solver[48];
  snprintf(sums, sizeof sums, "-DBLOCK=%u", block);
  snprintf(solver, sizeof solver, "-DBLOCK=%u -DNUMBER=double", block);
  const basin_cuda_wanted wanted[] = {{"contributions.cu", ""},
                                      {atomic ? "scatter.cu" : "gather.cu", sums},
                                      {"jacobi.cu", solver},
                                      {"jacobi_apply.cu", solver},
                                      {"map_entries.cu", ""},
                                      {"multiply.cu", solver},
                                      {"pattern.cu", ""},
                                      {"pcg.cu", solver},
                                      {"radix.cu", "-DKEY_BITS=64"},
                                      {"reduce.cu", ""},
                                      {"runs.cu", ""},
                                      {"scan.cu", ""},
                                      {"targets.cu", ""},
                                      {"term_rows.cu", ""},
                                      {"vector.cu", ""}};
  return basin__cuda_prepare(cuda, wanted, BASIN_COUNT(wanted));
}

basin_status basin__cuda_minimizer_create(basin_minimizer *minimizer)
{
  BASIN_TRY(
      prepare(minimizer->system->cuda, minimizer->layout.block, minimizer->system->atomic_sums));
  basin_cuda_minimizer *device = basin__calloc(minimizer->context, 1, sizeof *device);
  if (!device) return BASIN_ERROR_MEMORY;
  device->cuda = minimizer->system->cuda;
  device->batch_bytes = batch_bytes();
  device->atomic = minimizer->system->atomic_sums;
  minimizer->device = device;
  minimizer->engine = &basin__engine_cuda;
  return BASIN_OK;
}

basin_status basin__cuda_simple(basin_minimizer *minimizer,
                                const char *file,
                                const char *entry,
                                const char *definitions,
                                size_t items,
                                void **parameters)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_launch launch = {.blocks = basin__cuda_blocks(items, BASIN_CUDA_THREADS),
                              .threads = BASIN_CUDA_THREADS};
  if (items == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_kernel(cuda, file, entry, definitions, &launch.kernel));
  return basin__cuda_launch(cuda, &launch, parameters);
}

basin_status
basin__cuda_send(basin_minimizer *minimizer, basin_buffer *buffer, const void *from, size_t size)
{
  basin_cuda *cuda = minimizer->device->cuda;
  BASIN_TRY(basin__buffer_reserve(cuda, buffer, size));
  return size > 0 ? basin__cuda_upload(cuda, buffer->address, from, size) : BASIN_OK;
}

/* ---- values ---- */

static basin_status layout(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  return basin__buffer_reserve(
      device->cuda, &device->gradient, (minimizer->gradient_count + 1) * sizeof(double));
}

static basin_status zero_gradient(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  device->host_gradient_valid = false;
  return basin__cuda_zero(
      device->cuda, device->gradient.address, minimizer->gradient_count * sizeof(double));
}

static basin_cuda_part *part_of(basin_minimizer *minimizer, const basin_part *part)
{
  return &minimizer->device->parts[part - minimizer->parts];
}

static size_t block_bytes(const basin_minimizer *minimizer, size_t count)
{
  return count * minimizer->layout.block * minimizer->layout.block * sizeof(double);
}

static basin_status zero_constant(basin_minimizer *minimizer, basin_part *part)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_part *own = part_of(minimizer, part);
  size_t size = block_bytes(minimizer, own->upper_count);
  BASIN_TRY(basin__buffer_reserve(cuda, &own->constant, size));
  return basin__cuda_zero(cuda, own->constant.address, size);
}

static basin_status start_values(basin_minimizer *minimizer, basin_part *part, bool constants)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_part *own = part_of(minimizer, part);
  size_t size = block_bytes(minimizer, own->upper_count);
  if (!own->used) return BASIN_OK;
  return constants ? basin__cuda_copy(cuda, own->upper.address, own->constant.address, size)
                   : basin__cuda_zero(cuda, own->upper.address, size);
}

/* Both triangles of each part; the solvers add the parts. */
static basin_status finish(basin_minimizer *minimizer)
{
  uint32_t block = minimizer->layout.block;
  for (int k = 0; k < BASIN_PART_COUNT; ++k) {
    basin_cuda_part *part = &minimizer->device->parts[k];
    uint64_t count = part->full_count;
    if (!part->used) continue;
    void *parameters[] = {
        &part->sources.address, &count, &block, &part->upper.address, &part->full.address};
    BASIN_TRY(basin__cuda_simple(minimizer,
                                 "pattern.cu",
                                 "mirror_values",
                                 "",
                                 part->full_count * block * block,
                                 parameters));
  }
  return BASIN_OK;
}

static basin_status gradient_finite(basin_minimizer *minimizer, bool *finite)
{
  basin_cuda_minimizer *device = minimizer->device;
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->results, 256 * sizeof(double)));
  BASIN_TRY(basin__cuda_largest(device->cuda,
                                &device->scratch,
                                device->gradient.address,
                                minimizer->gradient_count,
                                device->results.address));
  BASIN_TRY(basin__cuda_download(
      device->cuda, &device->gradient_largest, device->results.address, sizeof(double)));
  *finite = isfinite(device->gradient_largest);
  return BASIN_OK;
}

/* ---- release ---- */

static void release_buffers(basin_cuda *cuda, basin_buffer *const *buffers, size_t count)
{
  for (size_t k = 0; k < count; ++k) basin__buffer_release(cuda, buffers[k]);
}

static void release_term(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_term *own = term->device;
  basin_context *context = minimizer->context;
  if (!own) return;
  basin_buffer *const buffers[] = {&own->rows,
                                   &own->local,
                                   &own->tables,
                                   &own->node_starts,
                                   &own->pair_starts,
                                   &own->nodes,
                                   &own->pairs,
                                   &own->bases,
                                   &own->energies};
  release_buffers(minimizer->device->cuda, buffers, BASIN_COUNT(buffers));
  basin__cuda_list_release(minimizer, &own->gradient);
  basin__cuda_list_release(minimizer, &own->hessian);
  basin__cuda_list_release(minimizer, &own->adjoint);
  for (int k = 0; k < BASIN_STAGE_COUNT; ++k)
    basin__device_binding_release(minimizer->system, &own->bindings[k]);
  basin__free(context, own->sent, own->sent ? term->local_nodes * sizeof *own->sent : 0);
  basin__free(context, own, sizeof *own);
  term->device = NULL;
}

static void release(basin_minimizer *minimizer)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_context *context = minimizer->context;
  if (!device) return;
  basin_buffer *const buffers[] = {&device->energies,
                                   &device->partial,
                                   &device->places,
                                   &device->gradient,
                                   &device->held,
                                   &device->adjoints,
                                   &device->local,
                                   &device->keys,
                                   &device->words,
                                   &device->sources,
                                   &device->heads,
                                   &device->numbers,
                                   &device->results,
                                   &device->tables,
                                   &device->scratch.memory};
  release_buffers(device->cuda, buffers, BASIN_COUNT(buffers));
  for (int k = 0; k < BASIN_PART_COUNT; ++k) {
    basin_cuda_part *part = &device->parts[k];
    basin_buffer *const values[] = {&part->unique,
                                    &part->columns,
                                    &part->row_starts,
                                    &part->sources,
                                    &part->upper,
                                    &part->constant,
                                    &part->full};
    release_buffers(device->cuda, values, BASIN_COUNT(values));
  }
  for (size_t k = 0; k < device->map_capacity; ++k)
    basin__cuda_map_release(minimizer, &device->maps[k]);
  basin__free(context, device->maps, device->map_capacity * sizeof *device->maps);
  basin__free(context, device->sent_places, device->sent_capacity * sizeof *device->sent_places);
  basin__free_aligned(
      context, device->host_gradient, device->host_gradient_capacity * sizeof(double));
  basin_bsr_destroy(device->host_matrix);
  basin__free(context, device, sizeof *device);
  minimizer->device = NULL;
}

const basin_engine basin__engine_cuda = {.layout = layout,
                                         .maps = basin__cuda_maps_update,
                                         .structure = basin__cuda_term_structure,
                                         .pattern = basin__cuda_pattern_update,
                                         .zero_gradient = zero_gradient,
                                         .zero_constant = zero_constant,
                                         .start_values = start_values,
                                         .run = basin__cuda_term_run,
                                         .finish = finish,
                                         .hold_gradient = basin__cuda_hold_gradient,
                                         .hold_matrix = basin__cuda_hold_matrix,
                                         .gradient_finite = gradient_finite,
                                         .adjoint_begin = basin__cuda_adjoint_begin,
                                         .adjoint_propagate = basin__cuda_adjoint_propagate,
                                         .adjoint_store = basin__cuda_adjoint_store,
                                         .energies = basin__cuda_energies,
                                         .element_energies = basin__cuda_element_energies,
                                         .find_bad = basin__cuda_find_bad,
                                         .gradient = basin__cuda_host_gradient,
                                         .matrix = basin__cuda_host_matrix,
                                         .release_term = release_term,
                                         .release = release};
