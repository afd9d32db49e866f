/* Swept boxes of vertices in single precision, rounded outward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact/device/contact_box.h"

enum { CHUNK = 1024 };

static const double operations = 60; /* a vertex */

typedef struct box_task {
  basin_contact *contact;
  const basin__box *outer; /* NULL: not compared */
  atomic_size_t bad;       /* a vertex that is not finite or too far; SIZE_MAX: none */
  atomic_bool outside;     /* of `outer` */
} box_task;

static void box_vertex(box_task *task, size_t v, bool *outside)
{
  basin_contact *contact = task->contact;
  basin__box *box = &contact->boxes[v];
  double check = 0; /* NaN when an end is not finite */
  box->low[3] = box->high[3] = 0;
  for (int k = 0; k < 3; ++k) {
    double low, high;
    basin__exact_interval(contact, (uint32_t)v, k, &low, &high);
    check += 0 * low + 0 * high;
    box->low[k] = basin__float_below(low - contact->center[k]);
    box->high[k] = basin__float_above(high - contact->center[k]);
  }
  if (check != 0) {
    size_t none = SIZE_MAX;
    while (v < none && !atomic_compare_exchange_weak(&task->bad, &none, v)) continue;
  }
  *outside = *outside || (task->outer && !basin__box_holds(&task->outer[v], box));
}

static void box_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  box_task *task = user;
  bool outside = false;
  const size_t count = task->contact->vertex_count;
  for (size_t v = chunk * CHUNK; v < count && v < (chunk + 1) * CHUNK; ++v)
    box_vertex(task, v, &outside);
  if (outside) atomic_store_explicit(&task->outside, true, memory_order_relaxed);
}

/* A common translation costs single precision its digits: it is taken away when it is large. */
static void choose_center(basin_contact *contact, const double *positions)
{
  const size_t count = contact->vertex_count;
  for (size_t k = 0; k < 3; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t v = 0; v < count; ++v) {
      const double value = positions[3 * v + k];
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    contact->center[k] = basin__box_center(low, high);
  }
}

basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach,
                                  const basin__box *outer,
                                  bool *inside)
{
  box_task task = {.contact = contact, .outer = outer};
  const size_t count = contact->vertex_count;
  contact->box_positions = positions;
  contact->box_direction = direction;
  contact->box_limit = limit;
  contact->box_reach = reach;
  atomic_init(&task.bad, SIZE_MAX);
  atomic_init(&task.outside, false);
  if (!outer) choose_center(contact, positions);
  basin__parallel_work(
      contact->context, (count + CHUNK - 1) / CHUNK, (double)count * operations, box_chunk, &task);
  const size_t bad = atomic_load(&task.bad);
  if (bad != SIZE_MAX)
    return basin__contact_fail_position(contact->context, bad, positions + 3 * bad);
  if (inside) *inside = outer && !atomic_load(&task.outside);
  return BASIN_OK;
}

void basin__contact_refit(basin_contact *contact, const basin__box *boxes)
{
  for (int i = 0; i < BASIN__SET_COUNT; ++i)
    basin__tree_update(contact->context, &contact->sets[i].tree, boxes, false);
}
