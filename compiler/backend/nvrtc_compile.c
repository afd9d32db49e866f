/* Compiles the kernels of a request for a CUDA device: each once, from the cache where it is known,
 * the others in parallel. SPDX-License-Identifier: Apache-2.0 */
#include "backend/nvrtc.h"

#include <string.h>

/* One unit of a request that is not in memory. */
typedef struct task {
  const basin_backend *backend;
  const char *name; /* for errors */
  basin_strbuf text;
  basin_nvrtc_unit *unit;
  basin_status status;
} task;

typedef struct request {
  basin_backend *backend;
  task *tasks;
  size_t count, capacity;
} request;

static basin_nvrtc_unit *find_unit(const request *r, const basin_key *key)
{
  const basin_nvrtc_state *state = r->backend->state;
  for (basin_nvrtc_unit *unit = state->units; unit; unit = unit->next)
    if (strcmp(unit->key.hex, key->hex) == 0) return unit;
  for (size_t t = 0; t < r->count; t++)
    if (strcmp(r->tasks[t].unit->key.hex, key->hex) == 0) return r->tasks[t].unit;
  return NULL;
}

/* The unit of a text, which is taken over: one that exists, or a new one with a task. */
static basin_status
request_unit(request *r, const char *name, basin_strbuf *text, basin_nvrtc_unit **unit)
{
  basin_context *context = r->backend->context;
  const basin_nvrtc_state *state = r->backend->state;
  basin_key key;
  BASIN_TRY(basin__key_make(context, basin__strbuf_text(text), state->configuration, &key));
  *unit = find_unit(r, &key);
  if (*unit) {
    r->backend->statistics.from_memory++;
    return BASIN_OK;
  }
  BASIN_TRY(basin__grow(context, &r->tasks, &r->capacity, r->count + 1, sizeof *r->tasks));
  *unit = basin__calloc(context, 1, sizeof **unit);
  if (!*unit) return BASIN_ERROR_MEMORY;
  (*unit)->key = key;
  r->tasks[r->count++] = (task){.backend = r->backend, .name = name, .text = *text, .unit = *unit};
  basin__strbuf_init(text, context);
  return BASIN_OK;
}

static basin_status
request_kernel(request *r, const basin_kernel_program *program, basin_nvrtc_unit **unit)
{
  basin_strbuf text;
  basin__strbuf_init(&text, r->backend->context);
  basin_status status = basin__emit(r->backend->context, program, &text);
  if (status == BASIN_OK) status = request_unit(r, program->info.name, &text, unit);
  basin__strbuf_fini(&text);
  return status;
}

/* On any thread. */
static void run_task(void *user, size_t index, unsigned worker)
{
  task *t = (task *)user + index;
  const basin_nvrtc_state *state = t->backend->state;
  basin_nvrtc_unit *unit = t->unit;
  (void)worker;
  unit->image = basin__cache_get(state->cache, &unit->key, &unit->size);
  unit->from_disk = unit->image != NULL;
  if (unit->from_disk) return;
  basin_nvrtc_code code;
  t->status = basin__backend_nvrtc(
      t->backend, t->name, basin__strbuf_text(&t->text), state->architecture, &code);
  if (t->status != BASIN_OK) return;
  unit->image = code.image;
  unit->size = code.size;
  basin__cache_put(state->cache, &unit->key, unit->image, unit->size);
}

static basin_status run_tasks(request *r)
{
  basin_nvrtc_state *state = r->backend->state;
  basin_status first = BASIN_OK;
  basin__parallel(r->backend->context, r->count, run_task, r->tasks);
  for (size_t t = 0; t < r->count; t++) {
    basin_nvrtc_unit *unit = r->tasks[t].unit;
    if (first == BASIN_OK) first = r->tasks[t].status;
    if (!unit->image) continue;
    if (unit->from_disk)
      r->backend->statistics.from_disk++;
    else
      r->backend->statistics.compiled++;
    unit->next = state->units;
    state->units = unit;
  }
  return first;
}

/* Units that were made stay, even if another one of the request failed. */
static void request_fini(request *r)
{
  for (size_t i = 0; i < r->count; i++) {
    task *t = &r->tasks[i];
    basin__strbuf_fini(&t->text);
    if (!t->unit->image) basin__free(r->backend->context, t->unit, sizeof *t->unit);
  }
  basin__free(r->backend->context, r->tasks, r->capacity * sizeof *r->tasks);
}

basin_status
basin__backend_nvrtc_compile(basin_backend *backend, basin_backend_job *jobs, size_t count)
{
  const basin_nvrtc_state *state = backend->state;
  if (!*state->architecture)
    return BASIN_FAIL(backend->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "back end nvrtc names no architecture to compile for, like nvrtc:sm_90");
  request r = {.backend = backend};
  basin_nvrtc_unit **units = basin__calloc(backend->context, count + 1, sizeof(basin_nvrtc_unit *));
  if (!units) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    status = request_kernel(&r, jobs[i].program, &units[i]);
  if (status == BASIN_OK) status = run_tasks(&r);
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    jobs[i].kernel = (basin_kernel){
        .image = units[i]->image, .image_size = units[i]->size, .hash = units[i]->key.hex};
  request_fini(&r);
  basin__free(backend->context, units, (count + 1) * sizeof(basin_nvrtc_unit *));
  return status;
}
