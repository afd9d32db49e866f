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
  if (!lists->parts) return;
  for (unsigned w = 0; w < contact->worker_count; ++w)
    basin__free(context, lists->parts[w].data, lists->parts[w].capacity * sizeof(uint32_t));
  basin__free(context, lists->parts, contact->worker_count * sizeof *lists->parts);
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
    sum += lists->parts[w].capacity * sizeof(uint32_t);
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
    const basin__block block = lists->blocks[pass][i];
    if (block.count == 0) continue;
    total += candidates_of(lists, &block);
    lists->blocks[pass][kept++] = block;
  }
  lists->block_count[pass] = kept;
  lists->candidates[pass] = total;
}

/* ---- visiting ---- */

typedef struct visit_task {
  basin__scan scan;
  const basin__lists *lists;
  bool filter;
  atomic_size_t met;
} visit_task;

/* The partners whose boxes meet that of the item, in the worker's scratch. */
static bool
filter(visit_task *task, basin__worker *worker, uint32_t item, const uint32_t *from, size_t count)
{
  basin__scan *scan = &task->scan;
  basin_contact *contact = scan->contact;
  const basin__set *a = scan->query_set, *b = scan->partner_set;
  const basin__box box =
      basin__box_of(contact->boxes, a->items + (size_t)item * a->arity, a->arity);
  basin__items *found = &worker->scratch;
  if (count > found->capacity &&
      !basin__contact_grow(scan, &found->data, &found->capacity, count, sizeof *found->data))
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const basin__box other =
        basin__box_of(contact->boxes, b->items + (size_t)from[i] * b->arity, b->arity);
    found->data[kept] = from[i];
    kept += basin__boxes_meet(&box, &other);
  }
  found->count = kept;
  return true;
}

static void visit_block(void *user, size_t index, unsigned number)
{
  visit_task *task = user;
  basin__scan *scan = &task->scan;
  basin__worker *worker = &scan->contact->workers[number];
  const basin__block *block = &task->lists->blocks[scan->pass][index];
  const uint32_t *next = task->lists->parts[block->part].data + block->first;
  const uint32_t *end = next + block->count;
  size_t met = 0;
  for (; next < end; next += 2 + next[1]) {
    const uint32_t *partners = next + 2;
    size_t count = next[1];
    if (atomic_load_explicit(&scan->failed, memory_order_relaxed)) return;
    if (task->filter) {
      if (!filter(task, worker, next[0], partners, count)) return;
      partners = worker->scratch.data;
      count = worker->scratch.count;
    }
    met += count;
    if (count > 0 && !scan->visit(scan, number, next[0], partners, count)) return;
  }
  atomic_fetch_add_explicit(&task->met, met, memory_order_relaxed);
}

basin_status basin__lists_visit(basin_contact *contact,
                                const basin__lists *lists,
                                unsigned pass,
                                basin__visit visit,
                                void *user,
                                bool filter_boxes,
                                size_t *met)
{
  visit_task task = {.lists = lists, .filter = filter_boxes};
  basin__scan_prepare(&task.scan, contact, pass, visit, user);
  atomic_init(&task.met, 0);
  basin__parallel_work(contact->context,
                       lists->block_count[pass],
                       (double)lists->candidates[pass] * operations,
                       visit_block,
                       &task);
  if (met) *met += atomic_load(&task.met);
  return (basin_status)atomic_load(&task.scan.failed);
}
