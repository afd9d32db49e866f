/* The driver's part about modules, functions and launches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"
#include "image.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

/* What the assembler would write about an image that does not load. */
static void write_log(unsigned count, const int *options, void **values)
{
  char *log = NULL;
  size_t size = 0;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == BASIN_CU_JIT_ERROR_LOG) log = values[i];
    if (options[i] == BASIN_CU_JIT_ERROR_LOG_SIZE) size = (uintptr_t)values[i];
  }
  if (log && size) snprintf(log, size, "assembler : no image of the software CUDA\nsecond line\n");
}

int cuModuleLoadDataEx(
    basin_cu_module *module, const void *image, unsigned count, int *options, void **values)
{
  SOFTCUDA_CALL("cuModuleLoadDataEx");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  if (!module || !image || (count && (!options || !values))) return BASIN_CU_INVALID_VALUE;
  softcuda_module *m = calloc(1, sizeof *m);
  if (!m) return BASIN_CU_OUT_OF_MEMORY;
  result = softcuda_image_load(image, softcuda_capability(), &m->image);
  if (result) {
    write_log(count, options, values);
    free(m);
    return result;
  }
  m->context = context;
  m->next = context->modules;
  context->modules = m;
  *module = m;
  return BASIN_CU_SUCCESS;
}

static void release(softcuda_module *module)
{
  while (module->functions) {
    softcuda_function *f = module->functions;
    module->functions = f->next;
    free(f);
  }
  softcuda_image_unload(module->image);
  free(module);
}

void softcuda_modules_release(softcuda_context *context)
{
  while (context->modules) {
    softcuda_module *m = context->modules;
    context->modules = m->next;
    release(m);
  }
}

int cuModuleUnload(basin_cu_module module)
{
  SOFTCUDA_CALL("cuModuleUnload");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  softcuda_module **link = &context->modules;
  while (*link && *link != module) link = &(*link)->next;
  if (!*link) return SOFTCUDA_INVALID_HANDLE;
  result = softcuda_drain(context);
  *link = module->next;
  release(module);
  return result;
}

/* ---- functions ---- */

int cuModuleGetFunction(basin_cu_function *function, basin_cu_module module, const char *name)
{
  SOFTCUDA_CALL("cuModuleGetFunction");
  softcuda_context *context;
  int result = softcuda_context_get(&context);
  if (result) return result;
  const softcuda_module *m = context->modules;
  while (m && m != module) m = m->next;
  if (!m) return SOFTCUDA_INVALID_HANDLE;
  if (!function || !name) return BASIN_CU_INVALID_VALUE;
  const softcuda_entry *entry = softcuda_image_entry(module->image, name);
  if (!entry) return BASIN_CU_NOT_FOUND;
  softcuda_function *f = calloc(1, sizeof *f);
  if (!f) return BASIN_CU_OUT_OF_MEMORY;
  f->module = module;
  f->entry = entry;
  f->shared = softcuda_object_shared(module->image->object, module->image->object_size, name);
  f->dynamic_limit =
      f->shared < SOFTCUDA_SHARED_MAX ? SOFTCUDA_SHARED_MAX - (unsigned)f->shared : 0;
  f->next = module->functions;
  module->functions = f;
  *function = f;
  return BASIN_CU_SUCCESS;
}

bool softcuda_function_exists(const softcuda_context *context, const softcuda_function *function)
{
  for (const softcuda_module *m = context->modules; m; m = m->next)
    for (const softcuda_function *f = m->functions; f; f = f->next)
      if (f == function) return true;
  return false;
}

static int find_function(basin_cu_function function, softcuda_context **context)
{
  int result = softcuda_context_get(context);
  if (result) return result;
  return softcuda_function_exists(*context, function) ? BASIN_CU_SUCCESS : SOFTCUDA_INVALID_HANDLE;
}

/* A thread may take 255 registers of the 65536 of a block, unless the compiler was told how many
 * threads there will be. */
static int threads_limit(const softcuda_function *f)
{
  enum { BLIND = 256, MOST = 1024 };
  if (!f->entry->threads) return BLIND;
  return f->entry->threads < MOST ? (int)f->entry->threads : MOST;
}

int cuFuncGetAttribute(int *value, int attribute, basin_cu_function function)
{
  SOFTCUDA_CALL("cuFuncGetAttribute");
  softcuda_context *context;
  int result = find_function(function, &context);
  if (result) return result;
  switch (attribute) {
  case BASIN_CU_FUNCTION_MAX_THREADS_PER_BLOCK:
    *value = threads_limit(function);
    return BASIN_CU_SUCCESS;
  case BASIN_CU_FUNCTION_SHARED_SIZE_BYTES:
    *value = (int)function->shared;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_FUNCTION_LOCAL_SIZE_BYTES:
    *value = 0;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_FUNCTION_NUM_REGS:
    *value = 64;
    return BASIN_CU_SUCCESS;
  case BASIN_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = (int)function->dynamic_limit;
    return BASIN_CU_SUCCESS;
  default:
    return BASIN_CU_INVALID_VALUE;
  }
}

int cuFuncSetAttribute(basin_cu_function function, int attribute, int value)
{
  SOFTCUDA_CALL("cuFuncSetAttribute");
  softcuda_context *context;
  int result = find_function(function, &context);
  if (result) return result;
  if (attribute != BASIN_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      (size_t)value + function->shared > SOFTCUDA_SHARED_MOST)
    return BASIN_CU_INVALID_VALUE;
  function->dynamic_limit = (unsigned)value;
  return BASIN_CU_SUCCESS;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                basin_cu_function function,
                                                int threads,
                                                size_t shared)
{
  SOFTCUDA_CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  softcuda_context *context;
  int result = find_function(function, &context);
  if (result) return result;
  if (!blocks || threads < 1) return BASIN_CU_INVALID_VALUE;
  size_t need = shared + function->shared;
  *blocks = 0;
  if (threads > threads_limit(function) || shared > function->dynamic_limit)
    return BASIN_CU_SUCCESS;
  *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
  if (need && (size_t)*blocks > SOFTCUDA_SHARED_MOST / need)
    *blocks = (int)(SOFTCUDA_SHARED_MOST / need);
  return BASIN_CU_SUCCESS;
}

/* ---- launches ---- */

static int refuse(const softcuda_function *f, int result, const char *why)
{
  softcuda_log("launch of kernel %s: %s", f->entry->name, why);
  return result;
}

static int check_sizes(const softcuda_function *f,
                       const unsigned grid[3],
                       const unsigned block[3],
                       unsigned shared)
{
  static const unsigned grid_limit[3] = {0x7fffffffu, 65535, 65535},
                        block_limit[3] = {1024, 1024, 64};
  for (int i = 0; i < 3; i++) {
    if (!grid[i] || grid[i] > grid_limit[i])
      return refuse(f, BASIN_CU_INVALID_VALUE, "no blocks, or too many");
    if (!block[i] || block[i] > block_limit[i])
      return refuse(f, BASIN_CU_INVALID_VALUE, "no threads in a block, or too many");
  }
  unsigned threads = block[0] * block[1] * block[2];
  if (threads > 1024) return refuse(f, BASIN_CU_INVALID_VALUE, "too many threads in a block");
  if ((int)threads > threads_limit(f))
    return refuse(f,
                  BASIN_CU_LAUNCH_OUT_OF_RESOURCES,
                  f->entry->threads ? "more threads than its __launch_bounds__ states"
                                    : "more than 256 threads without __launch_bounds__");
  if (shared > f->dynamic_limit)
    return refuse(f, BASIN_CU_INVALID_VALUE, "more dynamic shared memory than it may have");
  return BASIN_CU_SUCCESS;
}

/* Parameters are copied when the call is made. */
static softcuda_operation *make_launch(softcuda_function *f, void **parameters)
{
  const softcuda_entry *e = f->entry;
  size_t at = (e->count * sizeof(void *) + 15) / 16 * 16, size = at;
  for (unsigned i = 0; i < e->count; i++) size += (e->sizes[i] + 15u) / 16u * 16u;
  softcuda_operation *o = softcuda_operation_create(SOFTCUDA_LAUNCH, size);
  if (!o) return NULL;
  o->function = f;
  for (unsigned i = 0; i < e->count; i++) {
    memcpy(o->data + at, parameters[i], e->sizes[i]);
    at += (e->sizes[i] + 15u) / 16u * 16u;
  }
  return o;
}

int cuLaunchKernel(basin_cu_function function,
                   unsigned gx,
                   unsigned gy,
                   unsigned gz,
                   unsigned bx,
                   unsigned by,
                   unsigned bz,
                   unsigned shared,
                   basin_cu_stream s,
                   void **parameters,
                   void **extra)
{
  SOFTCUDA_CALL("cuLaunchKernel");
  softcuda_context *context;
  softcuda_stream *stream;
  int result = find_function(function, &context);
  if (!result) result = softcuda_stream_get(s, &context, &stream);
  if (result) return result;
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  result = check_sizes(function, grid, block, shared);
  if (result) return result;
  if (extra) return refuse(function, BASIN_CU_INVALID_VALUE, "`extra` is not supported");
  size_t bytes = 0;
  for (unsigned i = 0; i < function->entry->count; i++) {
    if (!parameters || !parameters[i])
      return refuse(function, BASIN_CU_INVALID_VALUE, "fewer parameters than it has");
    bytes += function->entry->sizes[i];
  }
  if (bytes > SOFTCUDA_PARAMETERS_MOST)
    return refuse(function, BASIN_CU_INVALID_VALUE, "more than 4096 bytes of parameters");
  softcuda_operation *o = make_launch(function, parameters);
  if (!o) return BASIN_CU_OUT_OF_MEMORY;
  memcpy(o->grid, grid, sizeof grid);
  memcpy(o->block, block, sizeof block);
  o->shared = shared;
  return softcuda_submit(stream, o);
}
