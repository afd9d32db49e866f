/* What is known of candidates goes over to lists that are made anew.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

static const double operations = 15; /* a candidate */

/* As in sieve.c. */
#define SAFE (1 - 0x1p-18F)

typedef struct take_task {
  basin_contact *contact;
  basin__scan scan; /* names the two sets */
} take_task;

/* Where the older candidates of each item of a pass begin: the part above, the place below. */
static void find_rows(basin__reuse *reuse, unsigned worker_count, unsigned pass)
{
  for (unsigned w = 0; w < worker_count; ++w) {
    const basin__flat *flat = &reuse->older[w];
    const uint32_t *items = flat->items.data;
    for (size_t k = flat->starts[pass]; k < flat->starts[pass + 1]; ++k)
      if (k == flat->starts[pass] || items[k] != items[k - 1])
        reuse->rows[items[k]] = (uint64_t)w << 32 | k;
  }
}

/* The row of an item if rows really has it: the entries of other items are left from before. */
static const basin__flat *row_of(const take_task *task, uint32_t item, size_t *first, size_t *end)
{
  const basin__reuse *reuse = &task->contact->reuse;
  const uint64_t row = reuse->rows[item];
  const basin__flat *flat = &reuse->older[row >> 32];
  *first = row & UINT32_MAX;
  *end = flat->starts[task->scan.pass + 1];
  if (*first < flat->starts[task->scan.pass] || *first >= *end || flat->items.data[*first] != item)
    return NULL;
  return flat;
}

/* The new candidates of one item, `count` from `to` on. */
static void
take_row(const take_task *task, const basin__flat *flat, size_t to, size_t count, uint32_t *slots)
{
  const float *travels = task->scan.partner_set->travel;
  const uint32_t item = flat->items.data[to];
  size_t first, end;
  const basin__flat *old = row_of(task, item, &first, &end);
  if (!old) return;
  const float travel = task->scan.query_set->travel[item];
  size_t last = first;
  for (; last < end && old->items.data[last] == item; ++last)
    slots[old->partners.data[last]] = (uint32_t)last;
  for (size_t i = to; i < to + count; ++i) {
    const uint32_t partner = flat->partners.data[i];
    const size_t slot = slots[partner];
    if (slot < first || slot >= last || old->partners.data[slot] != partner) continue;
    const float known = SAFE * (old->horizons.data[slot] - (travel + travels[partner]));
    if (known > 0) flat->horizons.data[i] = known;
  }
}

static void take_block(void *user, size_t index, unsigned worker)
{
  const take_task *task = user;
  const basin__lists *lists = &task->contact->reuse.lists;
  const basin__block *block = &lists->blocks[task->scan.pass][index];
  const basin__flat *flat = &lists->flat[block->part];
  const uint32_t *items = flat->items.data;
  const size_t end = block->start + block->candidates;
  for (size_t i = block->start, next; i < end; i = next) {
    for (next = i + 1; next < end && items[next] == items[i];) ++next;
    take_row(task, flat, i, next - i, task->contact->workers[worker].slots);
  }
}

void basin__horizons_take(basin_contact *contact)
{
  basin__reuse *reuse = &contact->reuse;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) {
    take_task task = {.contact = contact};
    basin__scan_prepare(&task.scan, contact, pass, NULL, NULL);
    find_rows(reuse, contact->worker_count, pass);
    basin__parallel_work(contact->context,
                         reuse->lists.block_count[pass],
                         (double)reuse->lists.candidates[pass] * operations,
                         take_block,
                         &task);
  }
}
