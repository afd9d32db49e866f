/* Values of the union of two matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include <string.h>

enum { CHUNK = 2048 /* blocks */ };

typedef enum action { CLEAR, PUT, ADD } action;

typedef struct merge_task {
  basin_bsr *merged;
  const basin_bsr *part;
  const uint32_t *map;
  action action;
} merge_task;

/* Slots whose targets follow one another are copied at once. */
static void put_slots(const merge_task *task, size_t begin, size_t end, size_t size)
{
  const uint32_t *map = task->map;
  for (size_t slot = begin, stop; slot < end; slot = stop) {
    stop = slot + 1;
    while (stop < end && map[stop] - map[slot] == stop - slot) stop++;
    memcpy(task->merged->values + map[slot] * size,
           task->part->values + slot * size,
           (stop - slot) * size * sizeof(double));
  }
}

/* No two slots of a part share a target: chunks are independent. `size` is a constant for the usual
 * blocks. */
static inline void
merge_slots(const merge_task *task, size_t begin, size_t end, size_t size, action what)
{
  for (size_t slot = begin; slot < end; slot++) {
    const double *from = task->part->values + slot * size;
    double *to = task->merged->values + task->map[slot] * size;
    for (size_t i = 0; i < size; i++) to[i] = what == CLEAR ? 0 : to[i] + from[i];
  }
}

static void merge_sized(const merge_task *task, size_t begin, size_t end, size_t size)
{
  if (task->action == CLEAR)
    merge_slots(task, begin, end, size, CLEAR);
  else if (task->action == PUT)
    put_slots(task, begin, end, size);
  else
    merge_slots(task, begin, end, size, ADD);
}

static void merge_chunk(void *user, size_t chunk, unsigned worker)
{
  const merge_task *task = user;
  const size_t count = task->part->block_count, begin = chunk * CHUNK;
  const size_t end = begin + CHUNK < count ? begin + CHUNK : count;
  const size_t size = (size_t)task->merged->block_size * task->merged->block_size;
  (void)worker;
  if (size == 9)
    merge_sized(task, begin, end, 9);
  else
    merge_sized(task, begin, end, size);
}

static void merge_part(basin_bsr *merged, const basin_bsr *part, const uint32_t *map, action what)
{
  merge_task task = {.merged = merged, .part = part, .map = map, .action = what};
  const size_t entries = part->block_count * merged->block_size * merged->block_size;
  basin__parallel_work(merged->context,
                       (part->block_count + CHUNK - 1) / CHUNK,
                       2 * (double)entries,
                       merge_chunk,
                       &task);
}

void basin__bsr_merge(basin_bsr *merged,
                      const basin_bsr *first,
                      const uint32_t *map_first,
                      const basin_bsr *second,
                      const uint32_t *map_second)
{
  merge_part(merged, second, map_second, CLEAR);
  merge_part(merged, first, map_first, PUT);
  merge_part(merged, second, map_second, ADD);
}
