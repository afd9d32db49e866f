/* The Clang back end: text to native code, in parallel, each kernel once, from the cache where it is known.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "backend/cache.h"
#include "backend/object.h"
#include "backend/shim.h"
#include "backend/symbols.h"
#include "emit/emit.h"

#include <stdio.h>
#include <string.h>

/* A kernel in memory. */
typedef struct clang_kernel {
  basin_key key;
  basin_object *object;
  struct clang_kernel *next;
} clang_kernel;

typedef struct clang_state {
  basin_target target;
  basin_shim shim;
  basin_cache *cache;
  bool cache_only;
  bool contract;
  basin_dialect_file files[BASIN_DIALECT_FILES];
  size_t file_count;
  basin_strbuf configuration; /* what the key holds besides the text */
  clang_kernel *kernels;
} clang_state;

/* One distinct kernel of a request that is not in memory. */
typedef struct clang_task {
  basin_backend *backend;
  const basin_kernel_program *program;
  basin_strbuf text;
  clang_kernel *kernel;
  bool from_disk;
  basin_status status;
} clang_task;

/* ---- set-up ---- */

static void describe_configuration(clang_state *state, basin_precision precision)
{
  basin_strbuf *c = &state->configuration;
  basin__strbuf_printf(c, "clang 19 abi %d level %s tune %s width %u precision %d contract %d vector math %d\n",
                       BASIN_KERNEL_ABI, state->target.level, state->target.model, state->target.width, (int)precision,
                       (int)state->contract, (int)state->target.vector_math);
  for (size_t i = 0; i < state->file_count; i++) {
    basin__strbuf_puts(c, state->files[i].name);
    basin__strbuf_puts(c, "\n");
    basin__strbuf_puts(c, state->files[i].text);
  }
}

static basin_status open_state(basin_backend *backend, bool cache_only)
{
  clang_state *state = basin__calloc(backend->context, 1, sizeof *state);
  if (!state) return BASIN_ERROR_MEMORY;
  backend->state = state;
  state->cache_only = cache_only;
  basin__strbuf_init(&state->configuration, backend->context);
  if (!cache_only) BASIN_TRY(basin__shim_find(backend->context));
  BASIN_TRY(basin__target_detect(backend->context, backend->precision, &state->target));
  BASIN_TRY(basin__cache_create(backend->context, &state->cache));
  const char *contract = basin__env("CONTRACT");
  state->contract = !contract || strcmp(contract, "off") != 0;
  state->file_count = basin__dialect_files(BASIN_DIALECT_CPU, state->files);
  describe_configuration(state, backend->precision);
  return state->configuration.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
}

static basin_status clang_open(basin_backend *backend)
{
  return open_state(backend, false);
}

static basin_status cached_open(basin_backend *backend)
{
  return open_state(backend, true);
}

static void clang_close(basin_backend *backend)
{
  clang_state *state = backend->state;
  if (!state) return;
  while (state->kernels) {
    clang_kernel *kernel = state->kernels;
    state->kernels = kernel->next;
    basin__object_unload(kernel->object);
    basin__free(backend->context, kernel, sizeof *kernel);
  }
  basin__shim_close(&state->shim);
  basin__cache_destroy(state->cache);
  basin__strbuf_fini(&state->configuration);
  basin__free(backend->context, state, sizeof *state);
}

/* ---- one compilation ---- */

enum { ARGUMENT_MAX = 48 };

typedef struct arguments {
  const char *list[ARGUMENT_MAX];
  size_t count;
  char width[32], tune[64];
} arguments;

static void make_arguments(const basin_backend *backend, arguments *a)
{
  static const char *const fixed[] = {"-x",   "c",    "-std=gnu11", "-O2", "-w",          "-nostdsysteminc",
                                      "-nobuiltininc", "-mrelocation-model", "pic", "-pic-level", "2",
                                      "-fvisibility=hidden", "-mprefer-vector-width=512"};
  const clang_state *state = backend->state;
  a->count = 0;
  for (size_t i = 0; i < BASIN_COUNT(fixed); i++) a->list[a->count++] = fixed[i];
  snprintf(a->width, sizeof a->width, "-DBASIN_WIDTH=%u", state->target.width);
  snprintf(a->tune, sizeof a->tune, "%s", state->shim.basin_shim_host_cpu());
  a->list[a->count++] = "-target-cpu";
  a->list[a->count++] = state->target.level;
  a->list[a->count++] = "-tune-cpu";
  a->list[a->count++] = a->tune;
  a->list[a->count++] = a->width;
  if (backend->precision == BASIN_PRECISION_FLOAT) a->list[a->count++] = "-DBASIN_FLOAT=1";
  if (state->target.vector_math) a->list[a->count++] = "-DBASIN_VECTOR_MATH=1";
  a->list[a->count++] = state->contract ? "-ffp-contract=fast" : "-ffp-contract=off";
  BASIN_ASSERT(a->count <= ARGUMENT_MAX);
}

static void run_compiler(const basin_backend *backend, const char *text, basin_shim_form form, basin_shim_result *result)
{
  const clang_state *state = backend->state;
  basin_shim_file files[BASIN_DIALECT_FILES + 1];
  arguments a;
  make_arguments(backend, &a);
  files[0] = (basin_shim_file){"kernel.c", text};
  for (size_t i = 0; i < state->file_count; i++)
    files[i + 1] = (basin_shim_file){state->files[i].name, state->files[i].text};
  basin_shim_request request = {files, state->file_count + 1, a.list, a.count, form};
  state->shim.basin_shim_compile(&request, result);
}

/* The first line that states an error makes the message; all of them go to the log. */
static basin_status compile_error(const basin_backend *backend, const char *name, const char *diagnostics)
{
  if (!diagnostics) diagnostics = "out of memory";
  basin__log(backend->context, BASIN_LOG_DEBUG, "kernel %s: %s", name, diagnostics);
  const char *line = strstr(diagnostics, "error:");
  while (line && line > diagnostics && line[-1] != '\n') line--;
  if (line) diagnostics = line;
  size_t length = strcspn(diagnostics, "\n");
  return BASIN_FAIL(backend->context, BASIN_ERROR_COMPILE, "kernel %s does not compile: %.*s", name, (int)length,
                    diagnostics);
}

static basin_status compile_object(clang_task *task)
{
  clang_state *state = task->backend->state;
  basin_context *context = task->backend->context;
  basin_shim_result result = {0};
  run_compiler(task->backend, basin__strbuf_text(&task->text), BASIN_SHIM_OBJECT, &result);
  basin_status status = BASIN_OK;
  if (!result.data)
    status = compile_error(task->backend, task->program->info.name, result.diagnostics);
  else
    status = basin__object_load(context, result.data, result.size, basin__symbol, NULL, &task->kernel->object);
  if (status == BASIN_OK) basin__cache_put(state->cache, &task->kernel->key, result.data, result.size);
  state->shim.basin_shim_release(&result);
  return status;
}

static void load_task(void *user, size_t index, unsigned worker)
{
  clang_task *task = (clang_task *)user + index;
  clang_state *state = task->backend->state;
  size_t size;
  (void)worker;
  void *data = basin__cache_get(state->cache, &task->kernel->key, &size);
  if (!data) return;
  /* An object that passes its checksum but does not load was made by another system: compile it again. */
  task->from_disk = basin__object_load(task->backend->context, data, size, basin__symbol, NULL,
                                       &task->kernel->object) == BASIN_OK;
  basin__cache_release(state->cache, data, size);
}

static void compile_task(void *user, size_t index, unsigned worker)
{
  clang_task *task = (clang_task *)user + index;
  (void)worker;
  if (!task->from_disk) task->status = compile_object(task);
}

/* ---- a request of several kernels ---- */

static clang_kernel *find_kernel(clang_kernel *list, const basin_key *key)
{
  while (list && strcmp(list->key.hex, key->hex) != 0) list = list->next;
  return list;
}

/* The kernel of a job: in memory, in an earlier job of this request, or a new task. */
static basin_status plan_job(basin_backend *backend, basin_backend_job *job, clang_task *tasks, size_t *task_count,
                             clang_kernel **kernel)
{
  clang_state *state = backend->state;
  clang_task *task = &tasks[*task_count];
  *task = (clang_task){.backend = backend, .program = job->program};
  basin__strbuf_init(&task->text, backend->context);
  basin_key key;
  basin_status status = basin__emit(backend->context, job->program, &task->text);
  if (status == BASIN_OK)
    status = basin__key_make(backend->context, basin__strbuf_text(&task->text),
                             basin__strbuf_text(&state->configuration), &key);
  *kernel = status == BASIN_OK ? find_kernel(state->kernels, &key) : NULL;
  for (size_t t = 0; t < *task_count && status == BASIN_OK && !*kernel; t++)
    if (strcmp(tasks[t].kernel->key.hex, key.hex) == 0) *kernel = tasks[t].kernel;
  if (*kernel) backend->statistics.from_memory++;
  if (status == BASIN_OK && !*kernel) {
    *kernel = task->kernel = basin__calloc(backend->context, 1, sizeof **kernel);
    if (*kernel) {
      (*kernel)->key = key;
      (*task_count)++;
      return BASIN_OK;
    }
    status = BASIN_ERROR_MEMORY;
  }
  basin__strbuf_fini(&task->text);
  return status;
}

static basin_status run_tasks(basin_backend *backend, clang_task *tasks, size_t count)
{
  clang_state *state = backend->state;
  size_t missing = 0;
  basin__parallel(backend->context, count, load_task, tasks);
  for (size_t t = 0; t < count; t++) missing += !tasks[t].from_disk;
  backend->statistics.from_disk += count - missing;
  if (!missing) return BASIN_OK;
  if (state->cache_only) {
    for (size_t t = 0; t < count; t++)
      if (!tasks[t].from_disk)
        return BASIN_FAIL(backend->context, BASIN_ERROR_MISSING_LIBRARY,
                          "kernel %s (%s) is not in the cache, and back end cached compiles nothing",
                          tasks[t].program->info.name, tasks[t].kernel->key.hex);
  }
  BASIN_TRY(basin__shim_open(backend->context, &state->shim));
  basin__parallel(backend->context, count, compile_task, tasks);
  for (size_t t = 0; t < count; t++) BASIN_TRY(tasks[t].status);
  backend->statistics.compiled += missing;
  return BASIN_OK;
}

/* Kernels that were made stay, even if another one of the request failed. */
static void keep_kernels(basin_backend *backend, clang_task *tasks, size_t count)
{
  clang_state *state = backend->state;
  for (size_t t = 0; t < count; t++) {
    clang_kernel *kernel = tasks[t].kernel;
    if (kernel->object) {
      kernel->next = state->kernels;
      state->kernels = kernel;
    } else {
      basin__free(backend->context, kernel, sizeof *kernel);
    }
    basin__strbuf_fini(&tasks[t].text);
  }
}

static basin_status finish_job(const basin_backend *backend, basin_backend_job *job, const clang_kernel *kernel)
{
  basin_code code = basin__object_function(kernel->object, "basin_kernel");
  if (!code)
    return BASIN_FAIL(backend->context, BASIN_ERROR_FORMAT, "kernel %s has no entry", job->program->info.name);
  size_t scalar = backend->precision == BASIN_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  job->kernel = (basin_kernel){.function = (basin_kernel_function)code,
                               .scratch_size = basin__emit_scratch_size(job->program, scalar),
                               .hash = kernel->key.hex};
  return BASIN_OK;
}

static basin_status clang_compile(basin_backend *backend, basin_backend_job *jobs, size_t count)
{
  basin_context *context = backend->context;
  clang_task *tasks = basin__calloc(context, count + 1, sizeof *tasks);
  clang_kernel **kernels = basin__calloc(context, count + 1, sizeof(clang_kernel *));
  size_t task_count = 0;
  basin_status status = tasks && kernels ? BASIN_OK : BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    status = plan_job(backend, &jobs[i], tasks, &task_count, &kernels[i]);
  if (status == BASIN_OK) status = run_tasks(backend, tasks, task_count);
  for (size_t i = 0; i < count && status == BASIN_OK; i++) status = finish_job(backend, &jobs[i], kernels[i]);
  if (tasks) keep_kernels(backend, tasks, task_count);
  basin__free(context, tasks, (count + 1) * sizeof *tasks);
  basin__free(context, kernels, (count + 1) * sizeof(clang_kernel *));
  return status;
}

/* ---- texts ---- */

static basin_status clang_text(basin_backend *backend, const basin_kernel_program *program, const char *form,
                               basin_strbuf *text)
{
  clang_state *state = backend->state;
  bool llvm = strcmp(form, "llvm") == 0;
  if (!llvm && strcmp(form, "asm") != 0)
    return BASIN_FAIL(backend->context, BASIN_ERROR_NAME, "unknown text '%s'; there are kernel, llvm and asm", form);
  basin_strbuf source;
  basin_shim_result result = {0};
  basin__strbuf_init(&source, backend->context);
  basin_status status = basin__emit(backend->context, program, &source);
  if (status == BASIN_OK) status = basin__shim_open(backend->context, &state->shim);
  if (status == BASIN_OK) {
    run_compiler(backend, basin__strbuf_text(&source), llvm ? BASIN_SHIM_LLVM : BASIN_SHIM_ASSEMBLY, &result);
    if (result.data)
      basin__strbuf_append(text, result.data, result.size);
    else
      status = compile_error(backend, program->info.name, result.diagnostics);
    state->shim.basin_shim_release(&result);
  }
  basin__strbuf_fini(&source);
  return status;
}

static void clang_describe(basin_backend *backend, basin_strbuf *text)
{
  clang_state *state = backend->state;
  basin__strbuf_printf(text, "%s, %s, %u lanes of %s", state->target.brand, state->target.features,
                       state->target.width, backend->precision == BASIN_PRECISION_FLOAT ? "float" : "double");
  if (!state->target.vector_math) basin__strbuf_puts(text, ", no vector mathematics");
  if (state->cache_only)
    basin__strbuf_puts(text, ", cached kernels only");
  else if (basin__shim_open(backend->context, &state->shim) == BASIN_OK)
    basin__strbuf_printf(text, ", LLVM %s", state->shim.basin_shim_version());
  else
    basin__strbuf_printf(text, ", no LLVM: %s", basin_error_last(backend->context)->message);
}

const basin_backend_kind basin__backend_clang = {
    .name = "clang",
    .has_kernels = true,
    .open = clang_open,
    .close = clang_close,
    .compile = clang_compile,
    .text = clang_text,
    .describe = clang_describe,
};

/* The same kernels without a compiler: a host may ship a folder of them. */
const basin_backend_kind basin__backend_cached = {
    .name = "cached",
    .has_kernels = true,
    .open = cached_open,
    .close = clang_close,
    .compile = clang_compile,
    .describe = clang_describe,
};
