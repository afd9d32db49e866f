/* Compiles the kernels of a request: each once, from the cache where it is known, the others in
 * parallel. SPDX-License-Identifier: Apache-2.0 */
#include "backend/clang.h"
#include "backend/symbols.h"

#include <stdio.h>
#include <string.h>

/* One unit of a request that is not in memory. */
typedef struct task {
  basin_backend *backend;
  const char *name; /* for errors */
  basin_strbuf text;
  basin_clang_unit *unit;
  void *bytes; /* the object, from the cache or the compiler */
  size_t size;
  basin_shim_result compiled;
  bool from_disk;
  basin_status status;
} task;

typedef struct request {
  basin_backend *backend;
  task *tasks;
  size_t count, capacity;
} request;

/* ---- what there is to do ---- */

static basin_clang_unit *find_unit(const request *r, const basin_key *key)
{
  const basin_clang *state = r->backend->state;
  for (basin_clang_unit *unit = state->units; unit; unit = unit->next)
    if (strcmp(unit->key.hex, key->hex) == 0) return unit;
  for (size_t t = 0; t < r->count; t++)
    if (strcmp(r->tasks[t].unit->key.hex, key->hex) == 0) return r->tasks[t].unit;
  return NULL;
}

/* The unit of a text, which is taken over: one that exists, or a new one with a task. */
static basin_status
request_unit(request *r, const char *name, basin_strbuf *text, basin_clang_unit **unit, bool *known)
{
  basin_context *context = r->backend->context;
  const basin_clang *state = r->backend->state;
  basin_key key;
  BASIN_TRY(basin__key_make(context, basin__strbuf_text(text), state->configuration, &key));
  *unit = find_unit(r, &key);
  *known = *unit != NULL;
  if (*known) return BASIN_OK;
  BASIN_TRY(basin__grow(context, &r->tasks, &r->capacity, r->count + 1, sizeof *r->tasks));
  *unit = basin__calloc(context, 1, sizeof **unit);
  if (!*unit) return BASIN_ERROR_MEMORY;
  (*unit)->key = key;
  r->tasks[r->count++] = (task){.backend = r->backend, .name = name, .text = *text, .unit = *unit};
  basin__strbuf_init(text, context);
  return BASIN_OK;
}

/* Projections come before the kernels that call them. */
static basin_status request_projections(request *r, const basin_kernel_program *program)
{
  if (program->info.stage != BASIN_STAGE_HESSIAN) return BASIN_OK;
  for (uint32_t b = 0; b < basin__emit_block_count(program); b++) {
    uint32_t size = basin__emit_block_size(program, b);
    if (size <= BASIN_PROJECTION_INLINE) continue;
    basin_clang_unit *unit;
    basin_strbuf text;
    bool known;
    basin__strbuf_init(&text, r->backend->context);
    basin_status status = basin__emit_projection(size, &text);
    if (status == BASIN_OK) status = request_unit(r, "of a projection", &text, &unit, &known);
    basin__strbuf_fini(&text);
    BASIN_TRY(status);
  }
  return BASIN_OK;
}

static basin_status
request_kernel(request *r, const basin_kernel_program *program, basin_clang_unit **unit)
{
  basin_strbuf text;
  bool known = false;
  BASIN_TRY(request_projections(r, program));
  basin__strbuf_init(&text, r->backend->context);
  basin_status status = basin__emit(r->backend->context, program, &text);
  if (status == BASIN_OK) status = request_unit(r, program->info.name, &text, unit, &known);
  if (known) r->backend->statistics.from_memory++;
  basin__strbuf_fini(&text);
  return status;
}

/* ---- tasks, on any thread ---- */

static void load_task(void *user, size_t index, unsigned worker)
{
  task *t = (task *)user + index;
  const basin_clang *state = t->backend->state;
  (void)worker;
  t->bytes = basin__cache_get(state->cache, &t->unit->key, &t->size);
  t->from_disk = t->bytes != NULL;
}

static void drop_bytes(task *t)
{
  const basin_clang *state = t->backend->state;
  if (t->from_disk)
    basin__cache_release(state->cache, t->bytes, t->size);
  else if (state->shim.library)
    state->shim.basin_shim_release(&t->compiled);
  t->bytes = NULL;
  t->from_disk = false;
}

static void compile_task(void *user, size_t index, unsigned worker)
{
  task *t = (task *)user + index;
  const basin_clang *state = t->backend->state;
  (void)worker;
  if (t->from_disk) return;
  basin__clang_run(t->backend, basin__strbuf_text(&t->text), BASIN_SHIM_OBJECT, &t->compiled);
  t->bytes = t->compiled.data;
  t->size = t->compiled.size;
  if (t->bytes)
    basin__cache_put(state->cache, &t->unit->key, t->bytes, t->size);
  else
    t->status = basin__clang_error(t->backend, t->name, t->compiled.diagnostics);
}

/* ---- linking ---- */

static basin_code resolve(void *user, const char *name)
{
  const basin_clang *state = user;
  if (strncmp(name, "basin_project_", sizeof "basin_project_" - 1) != 0)
    return basin__symbol(NULL, name);
  for (const basin_clang_unit *unit = state->units; unit; unit = unit->next) {
    basin_code function = basin__object_function(unit->object, name);
    if (function) return function;
  }
  return NULL;
}

static basin_status link_task(task *t)
{
  basin_context *context = t->backend->context;
  basin_clang *state = t->backend->state;
  basin_status status =
      basin__object_load(context, t->bytes, t->size, resolve, state, &t->unit->object);
  if (status != BASIN_OK && status != BASIN_ERROR_MEMORY && t->from_disk && !state->cache_only) {
    /* Sound bytes that do not load were made by another version or on another system. */
    drop_bytes(t);
    BASIN_TRY(basin__shim_open(context, &state->shim));
    compile_task(t, 0, 0);
    BASIN_TRY(t->status);
    status = basin__object_load(context, t->bytes, t->size, resolve, state, &t->unit->object);
  }
  BASIN_TRY(status);
  if (t->from_disk)
    t->backend->statistics.from_disk++;
  else
    t->backend->statistics.compiled++;
  t->unit->next = state->units;
  state->units = t->unit;
  return BASIN_OK;
}

static basin_status run_tasks(request *r)
{
  basin_context *context = r->backend->context;
  basin_clang *state = r->backend->state;
  size_t missing = 0;
  basin__parallel(context, r->count, load_task, r->tasks);
  for (size_t t = 0; t < r->count; t++) {
    missing += !r->tasks[t].from_disk;
    if (!r->tasks[t].from_disk && state->cache_only)
      return BASIN_FAIL(context,
                        BASIN_ERROR_MISSING_LIBRARY,
                        "kernel %s (%s) is not in the cache, and back end cached compiles nothing",
                        r->tasks[t].name,
                        r->tasks[t].unit->key.hex);
  }
  if (missing) {
    BASIN_TRY(basin__shim_open(context, &state->shim));
    basin__parallel(context, r->count, compile_task, r->tasks);
  }
  basin_status first = BASIN_OK;
  for (size_t t = 0; t < r->count; t++) {
    basin_status status =
        r->tasks[t].status == BASIN_OK ? link_task(&r->tasks[t]) : r->tasks[t].status;
    if (first == BASIN_OK) first = status;
  }
  return first;
}

/* Units that were made stay, even if another one of the request failed. */
static void request_fini(request *r)
{
  for (size_t i = 0; i < r->count; i++) {
    task *t = &r->tasks[i];
    drop_bytes(t);
    basin__strbuf_fini(&t->text);
    if (!t->unit->object) basin__free(r->backend->context, t->unit, sizeof *t->unit);
  }
  basin__free(r->backend->context, r->tasks, r->capacity * sizeof *r->tasks);
}

static basin_status
finish_job(const basin_backend *backend, basin_backend_job *job, const basin_clang_unit *unit)
{
  basin_code code = basin__object_function(unit->object, "basin_kernel");
  if (!code)
    return BASIN_FAIL(
        backend->context, BASIN_ERROR_FORMAT, "kernel %s has no entry", job->program->info.name);
  size_t scalar = backend->precision == BASIN_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  job->kernel = (basin_kernel){.function = (basin_kernel_function)code,
                               .scratch_size = basin__emit_scratch_size(job->program, scalar),
                               .hash = unit->key.hex};
  return BASIN_OK;
}

basin_status basin__clang_compile(basin_backend *backend, basin_backend_job *jobs, size_t count)
{
  request r = {.backend = backend};
  basin_clang_unit **units = basin__calloc(backend->context, count + 1, sizeof(basin_clang_unit *));
  if (!units) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    status = request_kernel(&r, jobs[i].program, &units[i]);
  if (status == BASIN_OK) status = run_tasks(&r);
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    status = finish_job(backend, &jobs[i], units[i]);
  request_fini(&r);
  basin__free(backend->context, units, (count + 1) * sizeof(basin_clang_unit *));
  return status;
}
