/* What cmocka tests share: its headers, and an allocator that checks sizes and fails on demand.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_SUPPORT_H
#define BASIN_TESTS_SUPPORT_H

#include "base/base.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after the standard headers it needs */

/* Counts calls and live blocks, fails the call number `fail_at` (from 1; 0 = never), and checks
 * that every block is given back with the size it was asked for. Zero-initialise. */
typedef struct failing_allocator {
  atomic_size_t calls, blocks, bytes;
  size_t fail_at;
} failing_allocator;

enum { FAILING_ALLOCATOR_HEADER = 16 };

static inline void *failing_allocate(void *user, void *old, size_t old_size, size_t new_size)
{
  failing_allocator *allocator = user;
  char *block = old ? (char *)old - FAILING_ALLOCATOR_HEADER : NULL;
  if (block) {
    size_t size;
    memcpy(&size, block, sizeof size);
    if (size != old_size)
      abort(); /* a wrong size: not an assertion, tasks of other threads come here too */
  } else if (old_size != 0) {
    abort();
  }
  if (new_size == 0) {
    if (block) {
      atomic_fetch_sub(&allocator->blocks, 1);
      atomic_fetch_sub(&allocator->bytes, old_size);
    }
    free(block);
    return NULL;
  }
  if (atomic_fetch_add(&allocator->calls, 1) + 1 == allocator->fail_at) return NULL;
  char *fresh = realloc(block, FAILING_ALLOCATOR_HEADER + new_size);
  if (!fresh) return NULL;
  memcpy(fresh, &new_size, sizeof new_size);
  if (!block) atomic_fetch_add(&allocator->blocks, 1);
  atomic_fetch_add(&allocator->bytes, new_size - old_size);
  return fresh + FAILING_ALLOCATOR_HEADER;
}

/* A context on `allocator` (NULL: the default one) that logs nothing; NULL if its allocations fail.
 */
static inline basin_context *test_context(failing_allocator *allocator)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  if (allocator) {
    options.allocate = failing_allocate;
    options.allocate_user = allocator;
  }
  return basin_context_create(&options);
}

#endif
