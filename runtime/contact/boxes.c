/* Swept boxes of vertices in single precision, rounded outward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include <float.h>

enum { CHUNK = 1024 };

typedef struct box_task {
  basin_contact *contact;
  const double *positions;
  double center[3];
  atomic_size_t bad; /* a vertex that is not finite; SIZE_MAX: none */
} box_task;

/* Beyond the largest float is the largest one: infinite bounds belong to empty lanes of nodes. */
static float below(double value)
{
  const float rounded = (float)value;
  return fmaxf((double)rounded > value ? nextafterf(rounded, -HUGE_VALF) : rounded, -FLT_MAX);
}

static float above(double value)
{
  const float rounded = (float)value;
  return fminf((double)rounded < value ? nextafterf(rounded, HUGE_VALF) : rounded, FLT_MAX);
}

/* Rounding is monotonic, so that boxes without reach meet whenever the exact ones do. A reach is
 * enlarged by what its two additions can lose. */
void basin__exact_interval(
    const basin_contact *contact, uint32_t vertex, int k, double *low, double *high)
{
  const size_t at = 3 * (size_t)vertex + (size_t)k;
  const double start = contact->box_positions[at];
  double end = start, reach = 0;
  if (contact->box_direction) end += contact->box_limit * contact->box_direction[at];
  if (contact->box_reach >= 0)
    reach = contact->box_reach + 0.5 * contact->separation + basin__offset(contact, 1, &vertex);
  *low = fmin(start, end);
  *high = fmax(start, end);
  if (!(isfinite(start) && isfinite(end))) *high = HUGE_VAL; /* fmin and fmax hide one NaN */
  if (reach > 0) {
    const double grown = reach + 0x1p-50 * (fmax(fabs(*low), fabs(*high)) + reach);
    *low -= grown;
    *high += grown;
  }
}

static void box_vertex(box_task *task, size_t v)
{
  basin_contact *contact = task->contact;
  basin__box *box = &contact->boxes[v];
  box->low[3] = box->high[3] = 0;
  for (int k = 0; k < 3; ++k) {
    double low, high;
    basin__exact_interval(contact, (uint32_t)v, k, &low, &high);
    if (!isfinite(low) || !isfinite(high)) {
      size_t none = SIZE_MAX;
      while (v < none && !atomic_compare_exchange_weak(&task->bad, &none, v)) continue;
      return;
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
  box_task task = {.contact = contact, .positions = positions};
  contact->box_positions = positions;
  contact->box_direction = direction;
  contact->box_limit = limit;
  contact->box_reach = reach;
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
