/* The context's inside, shared by the files of the base library only.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_CONTEXT_H
#define BASIN_BASE_CONTEXT_H

#include "base/base.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct basin_pool basin_pool;

/* An object that a module keeps with the context. */
typedef struct basin_kept {
  struct basin_kept *next;
  const void *key;
  int number;
  void *object;
  void (*release)(void *object);
} basin_kept;

/* The last error. Buffers are fixed, so that running out of memory can be reported; longer text is
 * cut. */
typedef struct basin_error_record {
  pthread_mutex_t lock; /* tasks on several threads may fail at once */
  unsigned held;        /* errors leave the record alone */
  basin_error error;    /* its strings point into the buffers below */
  char message[2048];
  char script[1024];
  char expression[2048];
  char text[6144];
} basin_error_record;

struct basin_context {
  basin_options options; /* resolved: no NULL strings, no zero thread count, always an allocator */
  basin_error_record record;
  atomic_bool interrupted;
  atomic_uint file_counter; /* numbers temporary files */
  basin_pool *pool;         /* NULL until the first parallel call */
  basin_kept *kept;         /* objects that live as long as the context, the newest first */
};

void basin__error_init(basin_context *context);
void basin__error_fini(basin_context *context);

/* Warns of variables whose values are none of those that environment.def allows. */
void basin__env_check(basin_context *context);

/* The allocator of contexts without one of their own: malloc, realloc, free. */
void *basin__allocate_default(void *user, void *old, size_t old_size, size_t new_size);

/* Number of processors this process may run on, at least 1. */
unsigned basin__processor_count(void);

/* Stops and joins the pool's threads; `pool` may be NULL. */
void basin__pool_destroy(basin_context *context, basin_pool *pool);

#endif
