/* Kernels of a CUDA device: from the runtime's own texts, compiled on demand, and from images of
 * plans. SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/source.h"

#include <stdio.h>
#include <string.h>

enum { STATIC_SHARED_LIMIT = 48 * 1024 };

/* ---- modules ---- */

/* One call of the driver, whose assembler may say why it refuses PTX. */
static basin_status
load_data(basin_cuda *cuda, const void *image, const char *name, basin_cu_module *module)
{
  char log[1024] = "", about[512];
  int options[] = {BASIN_CU_JIT_ERROR_LOG, BASIN_CU_JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)sizeof log}; /* NOLINT(performance-no-int-to-ptr) */
  int result = cuda->driver.cuModuleLoadDataEx(module, image, 2, options, values);
  log[sizeof log - 1] = 0;
  snprintf(about,
           sizeof about,
           "%s%s%.*s%s",
           name,
           *log ? " (" : "",
           (int)strcspn(log, "\n"),
           log,
           *log ? ")" : "");
  return basin__cuda_result(cuda, result, "cuModuleLoadDataEx", about);
}

static basin_status load_module(basin_cuda *cuda,
                                const char *key,
                                const void *image,
                                const char *name,
                                basin_cuda_module **module)
{
  basin_cuda_module *made = basin__calloc(cuda->context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  memcpy(made->key, key, strlen(key) < sizeof made->key ? strlen(key) : sizeof made->key - 1);
  basin_status status = load_data(cuda, image, name, &made->module);
  if (status != BASIN_OK) {
    basin__free(cuda->context, made, sizeof *made);
    return status;
  }
  made->next = cuda->modules;
  cuda->modules = made;
  *module = made;
  return BASIN_OK;
}

static basin_cuda_module *find_module(const basin_cuda *cuda, const char *key)
{
  for (basin_cuda_module *module = cuda->modules; module; module = module->next)
    if (strcmp(module->key, key) == 0) return module;
  return NULL;
}

void basin__cuda_unload(basin_cuda *cuda)
{
  while (cuda->kernels) {
    basin_cuda_kernel *kernel = cuda->kernels;
    cuda->kernels = kernel->next;
    basin__strfree(cuda->context, kernel->name);
    basin__free(cuda->context, kernel, sizeof *kernel);
  }
  while (cuda->prepared) {
    basin_cuda_prepared *prepared = cuda->prepared;
    cuda->prepared = prepared->next;
    basin__cuda_prepared_release(cuda, prepared);
  }
  while (cuda->modules) {
    basin_cuda_module *module = cuda->modules;
    cuda->modules = module->next;
    (void)cuda->driver.cuModuleUnload(module->module);
    basin__free(cuda->context, module, sizeof *module);
  }
}

/* ---- functions ---- */

static basin_status
read_figure(basin_cuda *cuda, const basin_cuda_kernel *kernel, int attribute, size_t *figure)
{
  int value = 0;
  BASIN_TRY(BASIN_CU(cuda, kernel->name, cuFuncGetAttribute, &value, attribute, kernel->function));
  *figure = value > 0 ? (size_t)value : 0;
  return BASIN_OK;
}

static basin_status read_info(basin_cuda *cuda, basin_cuda_kernel *kernel)
{
  size_t registers, threads;
  basin_cuda_kernel_info *info = &kernel->info;
  BASIN_TRY(read_figure(cuda, kernel, BASIN_CU_FUNCTION_NUM_REGS, &registers));
  BASIN_TRY(read_figure(cuda, kernel, BASIN_CU_FUNCTION_MAX_THREADS_PER_BLOCK, &threads));
  BASIN_TRY(read_figure(cuda, kernel, BASIN_CU_FUNCTION_LOCAL_SIZE_BYTES, &info->local));
  BASIN_TRY(read_figure(cuda, kernel, BASIN_CU_FUNCTION_SHARED_SIZE_BYTES, &info->shared));
  info->registers = (unsigned)registers;
  info->threads_limit = (unsigned)threads;
  kernel->dynamic_limit =
      info->shared < STATIC_SHARED_LIMIT ? STATIC_SHARED_LIMIT - info->shared : 0;
  return BASIN_OK;
}

/* Keeps function `entry` of a module under `hash`. The device is current. */
static basin_status add_kernel(basin_cuda *cuda,
                               const basin_cuda_module *module,
                               const char *entry,
                               const char *name,
                               uint64_t hash,
                               const basin_cuda_kernel **kernel)
{
  basin_cuda_kernel *made = basin__calloc(cuda->context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->hash = hash;
  made->name = basin__strdup(cuda->context, name);
  basin_status status = made->name ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK)
    status = BASIN_CU(cuda, name, cuModuleGetFunction, &made->function, module->module, entry);
  if (status == BASIN_OK) status = read_info(cuda, made);
  if (status != BASIN_OK) {
    basin__strfree(cuda->context, made->name);
    basin__free(cuda->context, made, sizeof *made);
    return status;
  }
  made->next = cuda->kernels;
  cuda->kernels = made;
  cuda->statistics.loaded++;
  *kernel = made;
  return BASIN_OK;
}

static const basin_cuda_kernel *find_kernel(const basin_cuda *cuda, uint64_t hash)
{
  const basin_cuda_kernel *kernel = cuda->kernels;
  while (kernel && kernel->hash != hash) kernel = kernel->next;
  return kernel;
}

basin_cuda_kernel_info basin__cuda_kernel_information(const basin_cuda_kernel *kernel)
{
  return kernel->info;
}

/* ---- own texts ---- */

/* Loads what is on disk or what was compiled before it was needed; *module stays NULL if there is
 * no such code, or if the driver does not take it. */
static basin_status
load_known(basin_cuda *cuda, const basin_cuda_source *source, basin_cuda_module **module)
{
  size_t size;
  basin_status status = BASIN_ERROR_UNSUPPORTED;
  basin_cuda_prepared *prepared = basin__cuda_take_prepared(cuda, &source->key);
  if (prepared) {
    status = load_module(cuda, source->key.hex, prepared->code.image, source->name, module);
    basin__cuda_prepared_release(cuda, prepared);
  } else {
    void *kept = basin__cache_get(cuda->cache, &source->key, &size);
    if (!kept) return BASIN_OK;
    status = load_module(cuda, source->key.hex, kept, source->name, module);
    basin__cache_release(cuda->cache, kept, size);
  }
  return status == BASIN_ERROR_UNSUPPORTED ? BASIN_OK : status;
}

/* The module of a text: loaded before, known, or compiled. *refused: the driver does not take the
 * code. */
static basin_status find_or_make(basin_cuda *cuda,
                                 const basin_cuda_source *source,
                                 basin_cuda_module **module,
                                 bool *refused)
{
  *refused = false;
  *module = find_module(cuda, source->key.hex);
  if (!*module) BASIN_TRY(load_known(cuda, source, module));
  if (*module) return BASIN_OK;
  basin_nvrtc_code code;
  BASIN_TRY(basin__cuda_source_compile(cuda, source, &code));
  cuda->statistics.compiled++;
  basin_status status = load_module(cuda, source->key.hex, code.image, source->name, module);
  *refused = status == BASIN_ERROR_UNSUPPORTED;
  if (status == BASIN_OK) basin__cache_put(cuda->cache, &source->key, code.image, code.size);
  basin__nvrtc_release(cuda->nvrtc, &code);
  return status;
}

/* Adds to the error of a load what code the driver for which device refuses, and what to do if the
 * compiler is the newer of the two. */
static basin_status fail_refused(basin_cuda *cuda)
{
  char refusal[256];
  int version = basin__nvrtc_version(cuda->nvrtc);
  snprintf(refusal, sizeof refusal, "%s", basin_error_last(cuda->context)->message);
  return BASIN_FAIL(
      cuda->context,
      BASIN_ERROR_UNSUPPORTED,
      "%s; the driver, for CUDA %d.%d, refuses code that NVRTC %d.%d (%s) made for %s%s",
      refusal,
      cuda->driver.version / 1000,
      cuda->driver.version % 1000 / 10,
      version / 1000,
      version % 1000 / 10,
      basin__nvrtc_path(cuda->nvrtc),
      cuda->info.architecture,
      version > cuda->driver.version
          ? ": a newer driver or an older NVRTC (BASIN_LIB_NVRTC) is needed"
          : "");
}

static basin_status
module_of(basin_cuda *cuda, basin_cuda_source *source, basin_cuda_module **module)
{
  bool refused;
  basin_status status = find_or_make(cuda, source, module, &refused);
  if (refused && strncmp(cuda->architecture, "sm_", 3) == 0) {
    basin__log(cuda->context,
               BASIN_LOG_WARN,
               "cuda:%d: the driver refuses code for %s; going on with PTX",
               cuda->ordinal,
               cuda->architecture);
    BASIN_TRY(
        basin__nvrtc_architecture(cuda->nvrtc, cuda->major, cuda->minor, true, cuda->architecture));
    BASIN_TRY(basin__cuda_source_key(cuda, source));
    status = find_or_make(cuda, source, module, &refused);
  }
  return refused ? fail_refused(cuda) : status;
}

static basin_status load_own(basin_cuda *cuda,
                             const char *file,
                             const char *entry,
                             const char *definitions,
                             uint64_t hash,
                             const basin_cuda_kernel **kernel)
{
  basin_strbuf name;
  basin_cuda_source source;
  basin_cuda_module *module;
  basin__strbuf_init(&name, cuda->context);
  basin__strbuf_printf(&name, "%s:%s", file, entry);
  basin_status status = name.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  if (status == BASIN_OK)
    status = basin__cuda_source_init(cuda, file, basin__strbuf_text(&name), definitions, &source);
  if (status == BASIN_OK) status = module_of(cuda, &source, &module);
  if (status == BASIN_OK) status = add_kernel(cuda, module, entry, source.name, hash, kernel);
  basin__strbuf_fini(&name);
  return status;
}

basin_status basin__cuda_kernel(basin_cuda *cuda,
                                const char *file,
                                const char *entry,
                                const char *definitions,
                                const basin_cuda_kernel **kernel)
{
  uint64_t hash = basin__hash64(definitions, strlen(definitions), 0);
  hash = basin__hash64(entry, strlen(entry) + 1, hash);
  hash = basin__hash64(file, strlen(file) + 1, hash);
  *kernel = find_kernel(cuda, hash);
  if (*kernel) return BASIN_OK;
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = load_own(cuda, file, entry, definitions, hash, kernel);
  basin__cuda_leave(cuda);
  return status;
}

/* ---- kernels of plans ---- */

static basin_status load_image(basin_cuda *cuda,
                               const basin_kernel *plan,
                               const char *name,
                               uint64_t hash,
                               const basin_cuda_kernel **kernel)
{
  basin_cuda_module *module = find_module(cuda, plan->hash);
  if (!module) {
    basin_status status = load_module(cuda, plan->hash, plan->image, name, &module);
    if (status == BASIN_ERROR_UNSUPPORTED) return fail_refused(cuda);
    BASIN_TRY(status);
  }
  return add_kernel(cuda, module, "basin_kernel", name, hash, kernel);
}

basin_status basin__cuda_kernel_of(basin_cuda *cuda,
                                   const basin_kernel *kernel,
                                   const char *name,
                                   const basin_cuda_kernel **loaded)
{
  if (!kernel->image || !kernel->hash || !*kernel->hash)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_INTERNAL,
                      "kernel %s has no code for cuda:%d",
                      name,
                      cuda->ordinal);
  uint64_t hash = basin__hash64(kernel->hash, strlen(kernel->hash), 1);
  *loaded = find_kernel(cuda, hash);
  if (*loaded) return BASIN_OK;
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = load_image(cuda, kernel, name, hash, loaded);
  basin__cuda_leave(cuda);
  return status;
}
