/* The smallest distance of all on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

#include <string.h>

enum { FIND_MINIMA = 3 };

static basin_status search(basin_cuda_contact *contact, basin_address positions, unsigned part)
{
  size_t points = contact->sets[BASIN__POINTS].count;
  void *planes[] = {&contact->rules,
                    &contact->sets[BASIN__POINTS].items,
                    &points,
                    &positions,
                    &part,
                    &contact->device_status};
  BASIN_TRY(basin__contact_launch_few(
      contact, BASIN_CONTACT_KERNEL_nearest_plane, points * contact->host->plane_count, planes));
  for (unsigned pass = 0; pass < BASIN__CUDA_PASSES; ++pass) {
    basin_cuda_pass sides = basin__contact_pass(contact, pass);
    if (sides.a.count == 0 || sides.b.count == 0) continue;
    void *parameters[] = {&contact->rules,
                          &sides,
                          &positions,
                          &contact->boxes,
                          &contact->most_separation,
                          &part,
                          &contact->device_status};
    BASIN_TRY(
        basin__contact_launch(contact, BASIN_CONTACT_KERNEL_nearest, sides.a.count, parameters));
  }
  return BASIN_OK;
}

static double ordered_number(uint64_t ordered)
{
  double value;
  const uint64_t bits = ordered >> 63 ? ordered & UINT64_C(0x7fffffffffffffff) : ~ordered;
  memcpy(&value, &bits, sizeof value);
  return value;
}

basin_status basin__cuda_contact_smallest_distance(basin_cuda_contact *contact,
                                                   basin_address positions,
                                                   basin_contact_closest *closest)
{
  *closest = (basin_contact_closest){
      .kind = BASIN_CONTACT_KIND_COUNT, .squared_distance = HUGE_VAL, .gap = HUGE_VAL};
  basin_cuda_motion still = {.positions = positions, .reach = -1};
  BASIN_TRY(basin__contact_begin(contact, &still, false, 0));
  BASIN_TRY(basin__contact_fill_trees(contact, contact->boxes));
  BASIN_TRY(search(contact, positions, FIND_MINIMA));
  for (unsigned part = 0; part < 3; ++part) BASIN_TRY(search(contact, positions, part));
  BASIN_TRY(basin__contact_fetch(contact, &still));
  memcpy(&closest->squared_distance, &contact->status.nearest, sizeof(double));
  closest->gap = ordered_number(contact->status.gap);
  if (contact->status.keys[0] != UINT64_MAX)
    basin__contact_read_keys(&contact->status, &closest->kind, closest->vertices);
  return BASIN_OK;
}
