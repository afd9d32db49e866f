/* Device texts to code, one at a time or several at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/source.h"

#include <string.h>

enum { DEFINITION_MAX = 16 };

basin_status basin__cuda_source_key(basin_cuda *cuda, basin_cuda_source *source)
{
  const char *contract = basin__env("CONTRACT");
  basin_strbuf text, configuration;
  basin__strbuf_init(&text, cuda->context);
  basin__strbuf_init(&configuration, cuda->context);
  for (size_t i = 0; i < source->file_count; ++i) basin__strbuf_puts(&text, source->files[i].text);
  basin__strbuf_printf(&configuration,
                       "runtime %s nvrtc %d %s %s contract %s",
                       source->definitions,
                       basin__nvrtc_version(cuda->nvrtc),
                       basin__nvrtc_path(cuda->nvrtc),
                       cuda->architecture,
                       contract ? contract : "off");
  basin_status status = text.failed || configuration.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  if (status == BASIN_OK)
    status = basin__key_make(
        cuda->context, basin__strbuf_text(&text), basin__strbuf_text(&configuration), &source->key);
  basin__strbuf_fini(&text);
  basin__strbuf_fini(&configuration);
  return status;
}

basin_status basin__cuda_source_init(basin_cuda *cuda,
                                     const char *file,
                                     const char *name,
                                     const char *definitions,
                                     basin_cuda_source *source)
{
  source->name = name;
  source->definitions = definitions;
  BASIN_TRY(basin__cuda_text_files(cuda->context, file, source->files, &source->file_count));
  return basin__cuda_source_key(cuda, source);
}

/* Cuts `words`, a copy of the definitions, at its blanks. */
static basin_status
cut_options(const basin_cuda *cuda, char *words, const char *options[DEFINITION_MAX], size_t *count)
{
  *count = 0;
  for (char *word = words; *word;) {
    word += strspn(word, " ");
    if (!*word) break;
    if (*count == DEFINITION_MAX)
      return BASIN_FAIL(cuda->context, BASIN_ERROR_INTERNAL, "too many definitions: %s", words);
    options[(*count)++] = word;
    word += strcspn(word, " ");
    if (*word) *word++ = 0;
  }
  return BASIN_OK;
}

basin_status basin__cuda_source_compile(const basin_cuda *cuda,
                                        const basin_cuda_source *source,
                                        basin_nvrtc_code *code)
{
  const char *options[DEFINITION_MAX];
  size_t count, bytes = strlen(source->definitions) + 1;
  double start = basin__seconds();
  char *words = basin__alloc(cuda->context, bytes);
  if (!words) return BASIN_ERROR_MEMORY;
  memcpy(words, source->definitions, bytes);
  basin_status status = cut_options(cuda, words, options, &count);
  if (status == BASIN_OK) {
    basin_nvrtc_request request = {.name = source->name,
                                   .text = source->files[0].text,
                                   .files = source->files + 1,
                                   .file_count = source->file_count - 1,
                                   .architecture = cuda->architecture,
                                   .options = options,
                                   .option_count = count};
    status = basin__nvrtc_compile(cuda->nvrtc, &request, code);
  }
  basin__free(cuda->context, words, bytes); /* it has ends inside by now */
  if (status == BASIN_OK)
    basin__log(cuda->context,
               BASIN_LOG_DEBUG,
               "compiled %s %s in %.3f s",
               source->name,
               source->definitions,
               basin__seconds() - start);
  return status;
}

/* ---- several at once ---- */

void basin__cuda_prepared_release(basin_cuda *cuda, basin_cuda_prepared *prepared)
{
  basin__nvrtc_release(cuda->nvrtc, &prepared->code);
  basin__free(cuda->context, prepared, sizeof *prepared);
}

basin_cuda_prepared *basin__cuda_take_prepared(basin_cuda *cuda, const basin_key *key)
{
  basin_cuda_prepared **at = &cuda->prepared;
  while (*at && strcmp((*at)->key, key->hex) != 0) at = &(*at)->next;
  basin_cuda_prepared *found = *at;
  if (found) *at = found->next;
  return found;
}

typedef struct prepare_task {
  const basin_cuda *cuda;
  basin_cuda_source source;
  basin_cuda_prepared *made; /* NULL: nothing to do */
} prepare_task;

static bool is_there(const basin_cuda *cuda, const basin_key *key)
{
  for (const basin_cuda_module *module = cuda->modules; module; module = module->next)
    if (strcmp(module->key, key->hex) == 0) return true;
  for (const basin_cuda_prepared *made = cuda->prepared; made; made = made->next)
    if (strcmp(made->key, key->hex) == 0) return true;
  size_t size;
  void *kept = basin__cache_get(cuda->cache, key, &size);
  basin__cache_release(cuda->cache, kept, kept ? size : 0);
  return kept != NULL;
}

static void compile_task(void *user, size_t index, unsigned worker)
{
  prepare_task *task = (prepare_task *)user + index;
  const basin_cuda *cuda = task->cuda;
  (void)worker;
  if (!task->made) return;
  basin_nvrtc_code *code = &task->made->code;
  if (basin__cuda_source_compile(cuda, &task->source, code) == BASIN_OK)
    basin__cache_put(cuda->cache, &task->source.key, code->image, code->size);
}

/* Keeps what was compiled; a text that failed is compiled again by who wants it, for the error. */
static void keep(basin_cuda *cuda, prepare_task *task)
{
  if (!task->made) return;
  if (!task->made->code.image) {
    basin__cuda_prepared_release(cuda, task->made);
    return;
  }
  cuda->statistics.compiled++;
  task->made->next = cuda->prepared;
  cuda->prepared = task->made;
}

basin_status basin__cuda_prepare(basin_cuda *cuda, const basin_cuda_wanted *wanted, size_t count)
{
  basin_status status = BASIN_OK;
  size_t missing = 0;
  prepare_task *tasks = basin__calloc(cuda->context, count + 1, sizeof *tasks);
  if (!tasks) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < count && status == BASIN_OK; ++i) {
    prepare_task *task = &tasks[i];
    task->cuda = cuda;
    status = basin__cuda_source_init(
        cuda, wanted[i].file, wanted[i].file, wanted[i].definitions, &task->source);
    if (status != BASIN_OK || is_there(cuda, &task->source.key)) continue;
    bool twice = false;
    for (size_t k = 0; k < i; ++k)
      twice = twice || strcmp(tasks[k].source.key.hex, task->source.key.hex) == 0;
    if (twice) continue;
    task->made = basin__calloc(cuda->context, 1, sizeof *task->made);
    if (!task->made) status = BASIN_ERROR_MEMORY;
    if (task->made) memcpy(task->made->key, task->source.key.hex, sizeof task->made->key);
    missing++;
  }
  if (status == BASIN_OK && missing > 0) basin__parallel(cuda->context, count, compile_task, tasks);
  for (size_t i = 0; i < count; ++i) keep(cuda, &tasks[i]);
  basin__free(cuda->context, tasks, (count + 1) * sizeof *tasks);
  return status;
}
