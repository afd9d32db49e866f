/* Checkpoints in memory: named arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/checkpoint.h"
#include <string.h>

size_t basin__checkpoint_item(basin_checkpoint_type type)
{
  return type == BASIN_CHECKPOINT_UINT8 ? 1 : 8;
}

bool basin__shape_count(unsigned dims, const size_t *shape, size_t *count)
{
  *count = 1;
  for (unsigned d = 0; d < dims; ++d) {
    if (shape[d] != 0 && *count > SIZE_MAX / 16 / shape[d]) return false;
    *count *= shape[d];
  }
  return true;
}

basin_status basin_checkpoint_create(basin_context *context, basin_checkpoint **checkpoint)
{
  *checkpoint = basin__calloc(context, 1, sizeof **checkpoint);
  if (!*checkpoint) return BASIN_ERROR_MEMORY;
  (*checkpoint)->context = context;
  return BASIN_OK;
}

void basin_checkpoint_destroy(basin_checkpoint *checkpoint)
{
  if (!checkpoint) return;
  basin_context *context = checkpoint->context;
  for (size_t e = 0; e < checkpoint->count; ++e) {
    basin_checkpoint_entry *entry = &checkpoint->entries[e];
    basin__strfree(context, entry->name);
    if (entry->data)
      basin__free(context, entry->data, entry->count * basin__checkpoint_item(entry->type));
  }
  if (checkpoint->entries)
    basin__free(context, checkpoint->entries, checkpoint->capacity * sizeof *checkpoint->entries);
  basin__free(context, checkpoint, sizeof *checkpoint);
}

static basin_status check_name(const basin_checkpoint *checkpoint, const char *name)
{
  basin_context *context = checkpoint->context;
  if (!name || !*name || strlen(name) > BASIN_CHECKPOINT_MAX_NAME)
    return BASIN_FAIL(context,
                      BASIN_ERROR_NAME,
                      "checkpoint: a name has 1 to %d bytes",
                      BASIN_CHECKPOINT_MAX_NAME);
  for (size_t e = 0; e < checkpoint->count; ++e)
    if (strcmp(checkpoint->entries[e].name, name) == 0)
      return BASIN_FAIL(
          context, BASIN_ERROR_NAME, "checkpoint: there are two arrays named '%s'", name);
  return BASIN_OK;
}

basin_status basin__checkpoint_reserve(basin_checkpoint *checkpoint,
                                       const char *name,
                                       basin_checkpoint_type type,
                                       unsigned dims,
                                       const size_t *shape,
                                       void **data)
{
  basin_context *context = checkpoint->context;
  *data = NULL;
  BASIN_TRY(check_name(checkpoint, name));
  if ((unsigned)type >= BASIN_CHECKPOINT_TYPE_COUNT)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "checkpoint: unknown type %d of '%s'", (int)type, name);
  basin_checkpoint_entry entry = {.type = type, .dims = dims};
  if (dims > BASIN_CHECKPOINT_MAX_DIMS || !basin__shape_count(dims, shape, &entry.count))
    return BASIN_FAIL(
        context, BASIN_ERROR_SHAPE, "checkpoint: the shape of '%s' is too large", name);
  if (dims) memcpy(entry.shape, shape, dims * sizeof *shape);
  BASIN_TRY(basin__grow(context,
                        &checkpoint->entries,
                        &checkpoint->capacity,
                        checkpoint->count + 1,
                        sizeof *checkpoint->entries));
  const size_t bytes = entry.count * basin__checkpoint_item(type);
  if (bytes && !(entry.data = basin__alloc(context, bytes))) return BASIN_ERROR_MEMORY;
  entry.name = basin__strdup(context, name);
  if (!entry.name) {
    if (bytes) basin__free(context, entry.data, bytes);
    return BASIN_ERROR_MEMORY;
  }
  *data = entry.data;
  checkpoint->entries[checkpoint->count++] = entry;
  return BASIN_OK;
}

basin_status basin_checkpoint_add(basin_checkpoint *checkpoint,
                                  const char *name,
                                  basin_checkpoint_type type,
                                  unsigned dims,
                                  const size_t *shape,
                                  const void *data)
{
  void *place;
  size_t count;
  if (dims <= BASIN_CHECKPOINT_MAX_DIMS && basin__shape_count(dims, shape, &count) && count > 0 &&
      !data)
    return BASIN_FAIL(checkpoint->context,
                      BASIN_ERROR_ARGUMENT,
                      "checkpoint: no data for '%s'",
                      name ? name : "");
  BASIN_TRY(basin__checkpoint_reserve(checkpoint, name, type, dims, shape, &place));
  const basin_checkpoint_entry *entry = &checkpoint->entries[checkpoint->count - 1];
  if (place) memcpy(place, data, entry->count * basin__checkpoint_item(type));
  return BASIN_OK;
}

/* ---- looking ---- */

size_t basin_checkpoint_count(const basin_checkpoint *checkpoint)
{
  return checkpoint->count;
}

bool basin_checkpoint_at(const basin_checkpoint *checkpoint,
                         size_t index,
                         basin_checkpoint_array *array)
{
  if (index >= checkpoint->count) return false;
  const basin_checkpoint_entry *entry = &checkpoint->entries[index];
  *array = (basin_checkpoint_array){.name = entry->name,
                                    .type = entry->type,
                                    .dims = entry->dims,
                                    .data = entry->data,
                                    .count = entry->count};
  memcpy(array->shape, entry->shape, sizeof array->shape);
  return true;
}

bool basin_checkpoint_find(const basin_checkpoint *checkpoint,
                           const char *name,
                           basin_checkpoint_array *array)
{
  for (size_t e = 0; e < checkpoint->count; ++e)
    if (name && strcmp(checkpoint->entries[e].name, name) == 0)
      return basin_checkpoint_at(checkpoint, e, array);
  return false;
}
