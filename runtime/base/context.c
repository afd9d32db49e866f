/* Contexts: options made definite, and the interrupt flag.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

basin_options basin_options_defaults(void)
{
  return (basin_options){.size = sizeof(basin_options), .log_level = BASIN_LOG_WARN};
}

/* $BASIN_LOG, if it names a level. */
static basin_log_level level_from_environment(basin_log_level level)
{
  if (level != basin_options_defaults().log_level) return level; /* options come first */
  static const char *const names[] = {"error", "warn", "info", "debug", "trace"};
  static_assert(BASIN_COUNT(names) == BASIN_LOG_TRACE + 1, "one name a level");
  const char *wanted = basin__env("LOG");
  for (size_t i = 0; wanted && i < BASIN_COUNT(names); ++i)
    if (strcmp(wanted, names[i]) == 0) return (basin_log_level)i;
  return level;
}

/* $BASIN_THREADS, else every processor this process may use. */
static unsigned default_threads(basin_context *context)
{
  const char *wanted = basin__env("THREADS");
  char *end = NULL;
  long threads = wanted ? strtol(wanted, &end, 10) : 0;
  if (wanted && wanted[0] && !*end && threads > 0 && threads <= BASIN_THREADS_MAX)
    return (unsigned)threads;
  unsigned all = basin__processor_count();
  if (wanted && wanted[0])
    basin__log(context,
               BASIN_LOG_WARN,
               "BASIN_THREADS=%s is no whole number from 1 to %d: %u threads are used",
               wanted,
               BASIN_THREADS_MAX,
               all);
  return all;
}

static char *default_cache_folder(basin_context *context)
{
  const char *own = basin__env("CACHE_DIR");
  if (own) return basin__strdup(context, own);
  const char *folder = getenv("XDG_CACHE_HOME"), *rest = "/basin";
  if (!folder || folder[0] != '/') {
    folder = getenv("HOME");
    rest = "/.cache/basin";
  }
  if (!folder || folder[0] != '/') return basin__strdup(context, "");
  basin_strbuf path;
  basin__strbuf_init(&path, context);
  basin__strbuf_puts(&path, folder);
  basin__strbuf_puts(&path, rest);
  char *copy = path.failed ? NULL : basin__strdup(context, path.data);
  basin__strbuf_fini(&path);
  return copy;
}

/* Replaces every "default" in the options by its value. False without memory. */
static bool resolve(basin_context *context)
{
  basin_options *options = &context->options;
  const char *device = options->device ? options->device : basin__env("DEVICE");
  const char *cache = options->cache_folder;
  options->device = basin__strdup(context, device && device[0] ? device : "auto");
  options->cache_folder = cache ? basin__strdup(context, cache) : default_cache_folder(context);
  options->log_level = level_from_environment(options->log_level);
  basin__env_check(context);
  if (options->threads == 0) options->threads = default_threads(context);
  if (options->threads > BASIN_THREADS_MAX) {
    basin__log(context,
               BASIN_LOG_WARN,
               "%u threads are too many: %d are used",
               options->threads,
               BASIN_THREADS_MAX);
    options->threads = BASIN_THREADS_MAX;
  }
  if (options->parallel && options->parallel_workers == 0) options->parallel_workers = 1;
  return options->device && options->cache_folder;
}

basin_context *basin_context_create(const basin_options *options)
{
  basin_options wanted = basin_options_defaults();
  if (options) {
    if (options->size != sizeof wanted) return NULL;
    wanted = *options;
  }
  if (!wanted.allocate) wanted.allocate = basin__allocate_default;
  basin_context *context = wanted.allocate(wanted.allocate_user, NULL, 0, sizeof *context);
  if (!context) return NULL;
  memset(context, 0, sizeof *context);
  context->options = wanted;
  basin__error_init(context);
  if (!resolve(context)) {
    basin_context_destroy(context);
    return NULL;
  }
  return context;
}

/* The options' strings are copies of ours behind pointers to const. */
static void free_text(basin_context *context, const char *text)
{
  char *copy;
  memcpy(&copy, &text, sizeof copy);
  basin__strfree(context, copy);
}

void *basin__context_kept(const basin_context *context, const void *key, int number)
{
  for (const basin_kept *kept = context->kept; kept; kept = kept->next)
    if (kept->key == key && kept->number == number) return kept->object;
  return NULL;
}

basin_status basin__context_keep(basin_context *context,
                                 const void *key,
                                 int number,
                                 void *object,
                                 void (*release)(void *object))
{
  basin_kept *kept = basin__alloc(context, sizeof *kept);
  if (!kept) return BASIN_ERROR_MEMORY;
  *kept = (basin_kept){context->kept, key, number, object, release};
  context->kept = kept;
  return BASIN_OK;
}

void basin_context_destroy(basin_context *context)
{
  if (!context) return;
  while (context->kept) {
    basin_kept *kept = context->kept;
    context->kept = kept->next;
    kept->release(kept->object);
    basin__free(context, kept, sizeof *kept);
  }
  basin__pool_destroy(context, context->pool);
  free_text(context, context->options.device);
  free_text(context, context->options.cache_folder);
  basin__error_fini(context);
  context->options.allocate(context->options.allocate_user, context, sizeof *context, 0);
}

const basin_options *basin__context_options(const basin_context *context)
{
  return &context->options;
}

void basin__interrupt(basin_context *context)
{
  atomic_store(&context->interrupted, true);
}

bool basin__interrupted(basin_context *context)
{
  return atomic_load(&context->interrupted);
}

void basin__interrupt_clear(basin_context *context)
{
  atomic_store(&context->interrupted, false);
}

bool basin__progress(basin_context *context, const char *stage, double fraction)
{
  const basin_options *options = &context->options;
  if (options->progress && !options->progress(options->progress_user, stage, fraction))
    basin__interrupt(context);
  return !basin__interrupted(context);
}
