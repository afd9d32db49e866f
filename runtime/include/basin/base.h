/* Status codes, errors, contexts, spans and callbacks shared by every Basin library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_H
#define BASIN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BASIN_VERSION_MAJOR  0
#define BASIN_VERSION_MINOR  1
#define BASIN_VERSION_PATCH  0
#define BASIN_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define BASIN_API                 __attribute__((visibility("default")))
#define BASIN_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define BASIN_API
#define BASIN_PRINTF(text, first)
#endif

/* Every fallible function returns one of these. X(code, text). */
#define BASIN_STATUS_LIST(X)                                      \
  X(OK, "ok")                                                     \
  X(ERROR_ARGUMENT, "invalid argument")                           \
  X(ERROR_MEMORY, "out of memory")                                \
  X(ERROR_SHAPE, "shapes do not match")                           \
  X(ERROR_OWNER, "owners do not match")                           \
  X(ERROR_RANGE, "index out of range")                            \
  X(ERROR_LENGTH, "wrong number of entries")                      \
  X(ERROR_NOT_FINITE, "a value is not finite")                    \
  X(ERROR_NAME, "name clash or unknown name")                     \
  X(ERROR_STATE, "the object is not in a state that allows this") \
  X(ERROR_IO, "cannot read or write a file")                      \
  X(ERROR_FORMAT, "malformed input")                              \
  X(ERROR_UNSUPPORTED, "not supported here")                      \
  X(ERROR_MISSING_LIBRARY, "a library is missing")                \
  X(ERROR_COMPILE, "kernel compilation failed")                   \
  X(ERROR_DEVICE, "device error")                                 \
  X(ERROR_INDEFINITE, "the matrix is not positive definite")      \
  X(ERROR_SINGULAR, "the matrix is singular")                     \
  X(ERROR_NOT_CONVERGED, "the iteration limit was reached")       \
  X(ERROR_LINE_SEARCH, "the line search found no decrease")       \
  X(ERROR_INTERRUPTED, "interrupted")                             \
  X(ERROR_INTERNAL, "internal error")

typedef enum basin_status {
#define X(code, text) BASIN_##code,
  BASIN_STATUS_LIST(X)
#undef X
      BASIN_STATUS_COUNT
} basin_status;

/* A static English text for the code; "unknown status" outside the enum. */
BASIN_API const char *basin_status_text(basin_status status);

/* "major.minor.patch" of the library that is loaded. */
BASIN_API const char *basin_version(void);

typedef enum basin_log_level {
  BASIN_LOG_ERROR,
  BASIN_LOG_WARN,
  BASIN_LOG_INFO,
  BASIN_LOG_DEBUG,
  BASIN_LOG_TRACE
} basin_log_level;

/* realloc-style: new_size 0 frees and returns NULL, old NULL allocates, NULL on failure (old then
 * stays valid). The result is aligned to 16 bytes. May be called from worker threads. */
typedef void *(*basin_allocate_function)(void *user, void *old, size_t old_size, size_t new_size);

typedef void (*basin_log_function)(void *user, basin_log_level level, const char *message);

/* Runs body(body_user, i) for each i in [0, count), in any order and on any threads, and returns
 * when all are done. */
typedef void (*basin_task_function)(void *body_user, size_t index, unsigned worker);
typedef void (*basin_parallel_function)(void *user,
                                        size_t count,
                                        basin_task_function body,
                                        void *body_user);

/* Called between the iterations of a minimization (stage "newton") with the part of the iteration
 * limit that is used up; returning false interrupts that minimization (BASIN_ERROR_INTERRUPTED,
 * state kept). */
typedef bool (*basin_progress_function)(void *user, const char *stage, double fraction);

typedef struct basin_context basin_context;

#define BASIN_THREADS_MAX 1024

/* Options of a context. Set with basin_options_defaults(), then change fields. Strings are copied.
 */
typedef struct basin_options {
  size_t size;        /* sizeof(basin_options) of the caller: ABI growth */
  const char *device; /* "auto", "cpu", "cpu:interp", "cuda", "cuda:N"; NULL = "auto" */
  unsigned threads;   /* 0 = all cores; at most BASIN_THREADS_MAX, more is a warning */
  basin_log_level log_level;
  const char *
      cache_folder; /* NULL = $BASIN_CACHE_DIR, else $XDG_CACHE_HOME/basin; "" = no cache on disk */
  basin_allocate_function allocate;
  void *allocate_user;
  basin_log_function log; /* NULL = stderr */
  void *log_user;
  basin_parallel_function parallel; /* NULL = the library's own threads */
  void *parallel_user;
  unsigned parallel_workers; /* with `parallel`: the largest worker number + 1 it passes */
  basin_progress_function progress;
  void *progress_user;
} basin_options;

BASIN_API basin_options basin_options_defaults(void);

/* NULL only if the first allocation fails or `options->size` is unknown. Different contexts are
 * independent; one context is not re-entrant. */
BASIN_API basin_context *basin_context_create(const basin_options *options);
BASIN_API void basin_context_destroy(basin_context *context);

/* Where the last error of a context came from. Strings belong to the context and live until its
 * next error. */
typedef struct basin_error {
  basin_status code;
  const char *message;    /* one line */
  const char *script;     /* script file, or NULL */
  int script_line;        /* from 1; 0 = unknown */
  const char *expression; /* printed expression, or NULL */
  const char *site;       /* "file.c:123" */
} basin_error;

/* The last error; code BASIN_OK if there was none. */
BASIN_API const basin_error *basin_error_last(const basin_context *context);

/* The last error as text: position, message, expression, each on a line of its own. Never NULL. */
BASIN_API const char *basin_error_text(const basin_context *context);

/* A borrowed, possibly strided view of `count` instances of rows x cols doubles (row-major inside
 * an instance). */
typedef struct basin_span {
  const double *data;
  size_t count;  /* instances */
  size_t size;   /* entries an instance */
  size_t stride; /* entries from one instance to the next */
} basin_span;

/* Entry `component` of instance `index`; NaN when out of range. */
BASIN_API double basin_span_at(const basin_span *span, size_t index, size_t component);

#ifdef __cplusplus
}
#endif
#endif
