/* Arenas: many small objects that are released together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, GRAIN = 16 };

typedef struct chunk {
  struct chunk *next;
  size_t size; /* with this header */
} chunk;

static_assert(sizeof(chunk) % GRAIN == 0, "objects follow the header");

void basin__arena_init(basin_arena *arena, basin_context *context)
{
  *arena = (basin_arena){.context = context};
}

void basin__arena_fini(basin_arena *arena)
{
  for (chunk *c = arena->chunks; c;) {
    chunk *next = c->next;
    basin__free(arena->context, c, c->size);
    c = next;
  }
  *arena = (basin_arena){.context = arena->context};
}

void *basin__arena_alloc(basin_arena *arena, size_t size)
{
  if (size > PTRDIFF_MAX - sizeof(chunk) - GRAIN) {
    BASIN_FAIL(arena->context, BASIN_ERROR_MEMORY, "out of memory: cannot get %zu bytes", size);
    return NULL;
  }
  size = size ? (size + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
  if (size > arena->capacity - arena->used) {
    size_t total = arena->capacity ? 2 * arena->capacity : FIRST_CHUNK;
    if (total > LARGEST_CHUNK) total = LARGEST_CHUNK;
    if (total < size + sizeof(chunk)) total = size + sizeof(chunk);
    chunk *fresh = basin__alloc(arena->context, total);
    if (!fresh) return NULL;
    *fresh = (chunk){.next = arena->chunks, .size = total};
    arena->chunks = fresh;
    arena->capacity = total;
    arena->used = sizeof(chunk);
  }
  void *result = (char *)arena->chunks + arena->used;
  arena->used += size;
  return result;
}

char *basin__arena_strdup(basin_arena *arena, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = basin__arena_alloc(arena, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}
