/* Swept boxes of vertices in single precision, rounded outward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum { CHUNK = 1024 };

typedef struct box_task {
  basin_contact *contact;
  const double *positions, *direction;
  double limit, reach, center[3];
  atomic_size_t bad; /* a vertex that is not finite; SIZE_MAX: none */
} box_task;

static float below(double value)
{
  const float rounded = (float)value;
  return (double)rounded > value ? nextafterf(rounded, -HUGE_VALF) : rounded;
}

static float above(double value)
{
  const float rounded = (float)value;
  return (double)rounded < value ? nextafterf(rounded, HUGE_VALF) : rounded;
}

/* Rounding is monotonic, so that boxes without reach meet whenever the exact ones do. A reach is
 * enlarged by what its two additions can lose. */
static void box_vertex(box_task *task, size_t v)
{
  basin_contact *contact = task->contact;
  const uint32_t vertex = (uint32_t)v;
  double reach = 0;
  if (task->reach >= 0)
    reach = task->reach + 0.5 * contact->separation + basin__offset(contact, 1, &vertex);
  basin__box *box = &contact->boxes[v];
  box->low[3] = box->high[3] = 0;
  for (int k = 0; k < 3; ++k) {
    const double start = task->positions[3 * v + (size_t)k];
    const double end =
        task->direction ? start + task->limit * task->direction[3 * v + (size_t)k] : start;
    if (!isfinite(start) || !isfinite(end)) {
      size_t none = SIZE_MAX;
      while (v < none && !atomic_compare_exchange_weak(&task->bad, &none, v)) continue;
      return;
    }
    double low = fmin(start, end), high = fmax(start, end);
    if (reach > 0) {
      const double grown = reach + 0x1p-50 * (fmax(fabs(low), fabs(high)) + reach);
      low -= grown;
      high += grown;
    }
    box->low[k] = below(low - task->center[k]);
    box->high[k] = above(high - task->center[k]);
  }
}

static void box_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  box_task *task = user;
  const size_t count = task->contact->vertex_count;
  for (size_t v = chunk * CHUNK; v < count && v < (chunk + 1) * CHUNK; ++v) box_vertex(task, v);
}

/* A common translation costs single precision its digits: it is taken away when it is large. */
static void choose_center(box_task *task)
{
  const size_t count = task->contact->vertex_count;
  for (size_t k = 0; k < 3; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t v = 0; v < count; ++v) {
      const double value = task->positions[3 * v + k];
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    const double middle = 0.5 * low + 0.5 * high;
    const bool far = fabs(middle) > 4 * (high - low) && isfinite(middle);
    task->center[k] = far ? middle : 0;
  }
}

basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach)
{
  box_task task = {.contact = contact,
                   .positions = positions,
                   .direction = direction,
                   .limit = limit,
                   .reach = reach};
  atomic_init(&task.bad, SIZE_MAX);
  choose_center(&task);
  basin__parallel(contact->context, (contact->vertex_count + CHUNK - 1) / CHUNK, box_chunk, &task);
  const size_t bad = atomic_load(&task.bad);
  if (bad != SIZE_MAX)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_NOT_FINITE,
                      "contact: the %s of vertex %zu is not finite",
                      isfinite(positions[3 * bad]) && isfinite(positions[3 * bad + 1]) &&
                              isfinite(positions[3 * bad + 2])
                          ? "motion"
                          : "position",
                      bad);
  for (int i = 0; i < BASIN__SET_COUNT; ++i)
    basin__tree_update(contact->context, &contact->sets[i].tree, contact->boxes, false);
  return BASIN_OK;
}
