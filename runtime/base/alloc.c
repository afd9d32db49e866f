/* Memory through the context's allocator.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void *basin__allocate_default(void *user, void *old, size_t old_size, size_t new_size)
{
  (void)user;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  return realloc(old, new_size);
}

/* Zero bytes would mean "free" to the allocator, so that an empty array takes one byte. */
static size_t real_size(size_t size)
{
  return size ? size : 1;
}

static void *call(basin_context *context, void *old, size_t old_size, size_t new_size)
{
  if (!context) return basin__allocate_default(NULL, old, old_size, new_size);
  return context->options.allocate(context->options.allocate_user, old, old_size, new_size);
}

static void *out_of_memory(basin_context *context, size_t size)
{
  BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory: cannot get %zu bytes", size);
  return NULL;
}

void *basin__alloc(basin_context *context, size_t size)
{
  return basin__realloc(context, NULL, 0, size);
}

void *basin__calloc(basin_context *context, size_t count, size_t size)
{
  if (size && count > SIZE_MAX / size) return out_of_memory(context, SIZE_MAX);
  void *result = basin__alloc(context, count * size);
  if (result) memset(result, 0, count * size);
  return result;
}

void *basin__realloc(basin_context *context, void *old, size_t old_size, size_t new_size)
{
  if (new_size > PTRDIFF_MAX) return out_of_memory(context, new_size);
  void *result = call(context, old, old ? real_size(old_size) : 0, real_size(new_size));
  return result ? result : out_of_memory(context, new_size);
}

void basin__free(basin_context *context, void *pointer, size_t size)
{
  if (pointer) call(context, pointer, real_size(size), 0);
}

/* Whole cache lines, and one more that holds the pointer to the start of the block. */
static size_t aligned_total(size_t size)
{
  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
}

void *basin__alloc_aligned(basin_context *context, size_t size)
{
  if (size > PTRDIFF_MAX - 2 * ALIGNMENT) return out_of_memory(context, size);
  char *block = basin__alloc(context, aligned_total(size));
  if (!block) return NULL;
  /* Blocks are aligned to 16 bytes, so the gap before the result holds a pointer at least. */
  char *result = block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT);
  memcpy(result - sizeof block, &block, sizeof block);
  return result;
}

void basin__free_aligned(basin_context *context, void *pointer, size_t size)
{
  if (!pointer) return;
  char *block;
  memcpy(&block, (char *)pointer - sizeof block, sizeof block);
  basin__free(context, block, aligned_total(size));
}

char *basin__strdup(basin_context *context, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = basin__alloc(context, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void basin__strfree(basin_context *context, char *text)
{
  if (text) basin__free(context, text, strlen(text) + 1);
}

basin_status
basin__grow(basin_context *context, void *array_pointer, size_t *capacity, size_t need, size_t item)
{
  if (need <= *capacity) return BASIN_OK;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  while (wanted < need) {
    if (wanted > SIZE_MAX / 2) {
      wanted = need;
      break;
    }
    wanted *= 2;
  }
  if (item && wanted > PTRDIFF_MAX / item)
    return BASIN_FAIL(context,
                      BASIN_ERROR_MEMORY,
                      "out of memory: cannot hold %zu entries of %zu bytes",
                      need,
                      item);
  void *old; /* through memcpy: the caller's pointer has a type of its own */
  memcpy(&old, array_pointer, sizeof old);
  void *grown = basin__realloc(context, old, *capacity * item, wanted * item);
  if (!grown) return BASIN_ERROR_MEMORY;
  memcpy(array_pointer, &grown, sizeof grown);
  *capacity = wanted;
  return BASIN_OK;
}
