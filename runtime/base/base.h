/* Internal services of the base library: memory, errors, log, strings, arenas, threads, dynamic
 * libraries. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_INTERNAL_H
#define BASIN_BASE_INTERNAL_H

#include <assert.h> /* static_assert */
#include <basin/base.h>
#include <stdarg.h>

/* ---- errors: fill in the context's error and return its code ---- */
#define BASIN_STRINGIFY_(x) #x
#define BASIN_STRINGIFY(x)  BASIN_STRINGIFY_(x)
#define BASIN_SITE          __FILE__ ":" BASIN_STRINGIFY(__LINE__)

/* Records an error (printf-style message) and returns `status`. `context` may be NULL (nothing is
 * recorded); `status` is evaluated twice. */
#define BASIN_FAIL(context, status, ...) \
  basin__failed((status), basin__fail((context), (status), BASIN_SITE, __VA_ARGS__))
basin_status
basin__fail(basin_context *context, basin_status status, const char *site, const char *format, ...)
    BASIN_PRINTF(4, 5);

/* Returns `status` itself, so that a compiler which sees a constant knows that the caller returns
 * early. */
static inline basin_status basin__failed(basin_status status, basin_status recorded)
{
  (void)recorded;
  return status;
}

/* Adds the script position and expression to the error just recorded (strings are copied, NULL
 * leaves the field alone). */
void basin__error_where(basin_context *context,
                        const char *script,
                        int script_line,
                        const char *expression);
void basin__error_clear(basin_context *context);
/* From hold to release the record stays as it is: what tidies up after an error may fail for the
 * same reason, and the first error is the one to report. They nest. */
void basin__error_hold(basin_context *context);
void basin__error_release(basin_context *context);

#define BASIN_TRY(call)                                          \
  do {                                                           \
    basin_status basin_try_status_ = (call);                     \
    if (basin_try_status_ != BASIN_OK) return basin_try_status_; \
  } while (0)

/* Broken invariants, never user input. Active unless BASIN_NO_ASSERT is defined (release builds).
 */
#ifdef BASIN_NO_ASSERT
#define BASIN_ASSERT(condition) ((void)0)
#else
#define BASIN_ASSERT(condition) \
  ((condition) ? (void)0 : basin__assert_failed(#condition, BASIN_SITE))
#endif
_Noreturn void basin__assert_failed(const char *condition, const char *site);

#define BASIN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- memory: everything goes through the context's allocator; NULL on failure, error recorded
 * ---- */
void *basin__alloc(basin_context *context, size_t size); /* not cleared */
void *
basin__calloc(basin_context *context, size_t count, size_t size); /* cleared; overflow-checked */
void *basin__realloc(basin_context *context, void *old, size_t old_size, size_t new_size);
void basin__free(basin_context *context, void *pointer, size_t size);
/* 64-byte aligned arrays for SIMD data; free with the same size. */
void *basin__alloc_aligned(basin_context *context, size_t size);
void basin__free_aligned(basin_context *context, void *pointer, size_t size);
char *basin__strdup(basin_context *context, const char *text); /* free with basin__strfree */
void basin__strfree(basin_context *context, char *text);
/* Grows *array (element `item` bytes) to hold at least `need` elements, capacity doubling;
 * *capacity in elements. */
basin_status basin__grow(
    basin_context *context, void *array_pointer, size_t *capacity, size_t need, size_t item);

/* ---- log ---- */
void basin__log(basin_context *context, basin_log_level level, const char *format, ...)
    BASIN_PRINTF(3, 4);
bool basin__log_enabled(const basin_context *context, basin_log_level level);

/* ---- growing strings ---- */
typedef struct basin_strbuf {
  basin_context *context;
  char *data; /* always terminated once anything was appended; NULL when empty */
  size_t length, capacity;
  bool failed; /* an allocation failed; later appends do nothing */
} basin_strbuf;
void basin__strbuf_init(basin_strbuf *buffer, basin_context *context);
void basin__strbuf_fini(basin_strbuf *buffer);
void basin__strbuf_append(basin_strbuf *buffer, const char *text, size_t length);
void basin__strbuf_puts(basin_strbuf *buffer, const char *text);
void basin__strbuf_printf(basin_strbuf *buffer, const char *format, ...) BASIN_PRINTF(2, 3);
/* Shortest decimal text that reads back as the same double (at a few powers of two one digit more),
 * in any locale; "nan", "inf", "-inf". */
void basin__strbuf_double(basin_strbuf *buffer, double value);
const char *basin__strbuf_text(const basin_strbuf *buffer); /* "" when empty */

/* Locale-independent: parses a double at *cursor (advanced on success). */
bool basin__parse_double(const char **cursor, const char *end, double *value);

/* ---- arenas ---- */
typedef struct basin_arena {
  basin_context *context;
  void *chunks;
  size_t used, capacity;
} basin_arena;
void basin__arena_init(basin_arena *arena, basin_context *context);
void basin__arena_fini(basin_arena *arena);
void *basin__arena_alloc(basin_arena *arena,
                         size_t size); /* 16-byte aligned, not cleared; NULL on failure */
char *basin__arena_strdup(basin_arena *arena, const char *text);

/* ---- threads ---- */
unsigned basin__worker_count(
    const basin_context *context); /* worker numbers passed to tasks are below this; at least 1 */
/* Runs body for each index in [0, count); returns when all are done. Nested calls run serially on
 * the caller. Each thread begins with a share of the indices that depends on their number alone:
 * loops over the same things find them in the same thread's cache. */
void basin__parallel(basin_context *context, size_t count, basin_task_function body, void *user);
/* The same, where the whole loop is known to take about `operations` scalar operations: a loop that
 * ends before another thread has woken up runs on the caller alone. The order in which bodies run
 * differs, so they must not depend on it, as in every parallel loop. */
void basin__parallel_work(
    basin_context *context, size_t count, double operations, basin_task_function body, void *user);
bool basin__parallel_worthwhile(double operations); /* what basin__parallel_work decides by */
/* May be called from a signal handler or any thread: makes running solves stop after the current
 * iteration. */
void basin__interrupt(basin_context *context);
bool basin__interrupted(
    basin_context *context); /* also true after a veto of the progress callback */
void basin__interrupt_clear(basin_context *context);
/* Calls the progress callback, if any, and records its veto as an interrupt. False once
 * interrupted. */
bool basin__progress(basin_context *context, const char *stage, double fraction);

/* ---- options the context was created with, made definite: no NULL strings, no zero thread count
 * ---- */
const basin_options *basin__context_options(const basin_context *context);
/* $BASIN_<name>, or NULL. All variables Basin reads are listed in environment.def. */
const char *basin__env(const char *name);
/* The whole number from 1 that the variable holds, else `otherwise`. */
uint64_t basin__env_count(const char *name, uint64_t otherwise);

/* ---- objects that live as long as the context ---- */
/* What was kept under a key (the address of something static) and a number; NULL: nothing. */
void *basin__context_kept(const basin_context *context, const void *key, int number);
/* Keeps an object, which is released when the context is destroyed, the newest first. On failure
 * (MEMORY) it stays the caller's. */
basin_status basin__context_keep(basin_context *context,
                                 const void *key,
                                 int number,
                                 void *object,
                                 void (*release)(void *object));

/* ---- clock and trace ---- */
double basin__seconds(void); /* monotonic */

/* ---- hashing: XXH3-128 as 32 hex digits ---- */
void basin__hash_hex(const void *data, size_t size, char hex[33]);
uint64_t basin__hash64(const void *data, size_t size, uint64_t seed);

/* ---- dynamic libraries ---- */
typedef struct basin_dl basin_dl;
/* Tries each name (NULL-terminated list), newest first; if $BASIN_LIB_<variable> is set, that file
 * alone. NULL if none opens; `reason` (may be NULL) receives the loader's message. Handles are
 * closed by basin__dl_close. */
basin_dl *basin__dl_open(basin_context *context,
                         const char *variable,
                         const char *const *names,
                         basin_strbuf *reason);
void *basin__dl_symbol(basin_dl *library, const char *symbol); /* NULL if absent */
const char *basin__dl_path(const basin_dl *library);
void basin__dl_close(basin_dl *library);

/* ---- files ---- */
/* Whole file into a fresh buffer (terminated with a NUL that is not counted); release with
 * basin__free(context, *data, *size + 1). */
basin_status basin__read_file(basin_context *context, const char *path, char **data, size_t *size);
/* Writes to a temporary name in the same folder and renames: readers see the old or the new file,
 * never half of one. */
basin_status
basin__write_file(basin_context *context, const char *path, const void *data, size_t size);
basin_status basin__make_folders(basin_context *context, const char *path); /* like mkdir -p */

#endif
