/* Lists of candidates: memory, and visiting them again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

static const double operations = 100; /* a candidate */

basin_status basin__lists_init(basin_contact *contact, basin__lists *lists)
{
  lists->parts = basin__calloc(contact->context, contact->worker_count, sizeof *lists->parts);
  return lists->parts ? BASIN_OK : BASIN_ERROR_MEMORY;
}

void basin__lists_fini(basin_contact *contact, basin__lists *lists)
{
  basin_context *context = contact->context;
  for (int pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    basin__free(
        context, lists->blocks[pass], lists->block_capacity[pass] * sizeof *lists->blocks[pass]);
  for (unsigned w = 0; lists->parts && w < contact->worker_count; ++w)
    basin__free(context, lists->parts[w].data, lists->parts[w].capacity * sizeof(uint32_t));
  if (lists->parts)
    basin__free(context, lists->parts, contact->worker_count * sizeof *lists->parts);
  basin__flat_free(contact, lists->flat);
}

void basin__lists_clear(const basin_contact *contact, basin__lists *lists)
{
  for (unsigned w = 0; w < contact->worker_count; ++w) lists->parts[w].count = 0;
  memset(lists->block_count, 0, sizeof lists->block_count);
  memset(lists->candidates, 0, sizeof lists->candidates);
  lists->full = false;
}

size_t basin__lists_memory(const basin_contact *contact, const basin__lists *lists)
{
  size_t sum = contact->worker_count * sizeof *lists->parts;
  for (int pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    sum += lists->block_capacity[pass] * sizeof(basin__block);
  for (unsigned w = 0; w < contact->worker_count; ++w)
    sum += (lists->parts[w].capacity + (lists->flat ? 3 * lists->flat[w].items.capacity : 0)) *
           sizeof(uint32_t);
  return sum;
}

/* Candidates of a block: without the two numbers before those of each query. */
static size_t candidates_of(const basin__lists *lists, const basin__block *block)
{
  const uint32_t *next = lists->parts[block->part].data + block->first;
  const uint32_t *end = next + block->count;
  size_t total = 0;
  while (next < end) {
    total += next[1];
    next += 2 + next[1];
  }
  return total;
}

void basin__lists_close(basin__lists *lists, unsigned pass, size_t blocks)
{
  size_t kept = 0, total = 0;
  for (size_t i = 0; i < blocks; ++i) {
    basin__block block = lists->blocks[pass][i];
    if (block.count == 0) continue;
    block.candidates = candidates_of(lists, &block);
    total += block.candidates;
    lists->blocks[pass][kept++] = block;
  }
  lists->block_count[pass] = kept;
  lists->candidates[pass] = total;
}

/* ---- visiting ---- */

typedef struct visit_task {
  basin__scan scan;
  const basin__lists *lists;
} visit_task;

static void visit_block(void *user, size_t index, unsigned number)
{
  visit_task *task = user;
  basin__scan *scan = &task->scan;
  const basin__block *block = &task->lists->blocks[scan->pass][index];
  const uint32_t *next = task->lists->parts[block->part].data + block->first;
  const uint32_t *end = next + block->count;
  for (; next < end; next += 2 + next[1]) {
    if (atomic_load_explicit(&scan->failed, memory_order_relaxed)) return;
    if (!scan->visit(scan, number, next[0], next + 2, next[1], NULL)) return;
  }
}

basin_status basin__lists_visit(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                basin__visit visit,
                                void *user)
{
  visit_task task = {.lists = lists};
  basin__scan_prepare(&task.scan, contact, pass, visit, user);
  basin__parallel_work(contact->context,
                       lists->block_count[pass],
                       (double)lists->candidates[pass] * operations,
                       visit_block,
                       &task);
  return (basin_status)atomic_load(&task.scan.failed);
}
