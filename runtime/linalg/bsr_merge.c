/* Values of the union of two matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"
#include <string.h>

enum { CHUNK = 2048 /* blocks */ };

typedef struct merge_task {
  basin_bsr *merged;
  const basin_bsr *part;
  const uint32_t *map;
  void (*slots)(const struct merge_task *task, size_t begin, size_t end, size_t size);
} merge_task;

/* No two slots of a part share a target: chunks are independent. Slots whose targets follow one
 * another are copied at once. */
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

static inline void add_sized(const merge_task *task, size_t begin, size_t end, size_t size)
{
  for (size_t slot = begin; slot < end; slot++) {
    const double *from = task->part->values + slot * size;
    double *to = task->merged->values + (task->map[slot] & BASIN_SLOT_INDEX) * size;
    if (task->map[slot] & BASIN__SLOT_ALONE)
      memcpy(to, from, size * sizeof *to);
    else
      for (size_t i = 0; i < size; i++) to[i] += from[i];
  }
}

/* `size` is a constant for the usual blocks. */
static void add_slots(const merge_task *task, size_t begin, size_t end, size_t size)
{
  if (size == 9)
    add_sized(task, begin, end, 9);
  else
    add_sized(task, begin, end, size);
}

static void merge_chunk(void *user, size_t chunk, unsigned worker)
{
  const merge_task *task = user;
  const size_t count = task->part->block_count, begin = chunk * CHUNK;
  const size_t end = begin + CHUNK < count ? begin + CHUNK : count;
  (void)worker;
  task->slots(task, begin, end, (size_t)task->merged->block_size * task->merged->block_size);
}

static void merge_part(merge_task task)
{
  const size_t blocks = task.part->block_count, b = task.merged->block_size;
  basin__parallel_work(task.merged->context,
                       (blocks + CHUNK - 1) / CHUNK,
                       2 * (double)(blocks * b * b),
                       merge_chunk,
                       &task);
}

void basin__bsr_merge(basin_bsr *merged,
                      const basin_bsr *first,
                      const uint32_t *map_first,
                      const basin_bsr *second,
                      const uint32_t *map_second)
{
  merge_part((merge_task){merged, first, map_first, put_slots});
  merge_part((merge_task){merged, second, map_second, add_slots});
}
