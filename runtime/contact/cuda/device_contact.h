/* The detector of a system on a device, inside.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CUDA_DEVICE_CONTACT_H
#define BASIN_CONTACT_CUDA_DEVICE_CONTACT_H

#include "contact/cuda/work.h"
#include "device/system.h"
#include <basin/contact_device.h>

/* A table of bodies as it was last sent. */
typedef struct basin_contact_table {
  double *sent;
  basin_buffer memory;
} basin_contact_table;

enum {
  BASIN_CONTACT_TABLE_PAIRS,
  BASIN_CONTACT_TABLE_WEIGHT,
  BASIN_CONTACT_TABLE_FIXED,
  BASIN_CONTACT_TABLE_MOVING,
  BASIN_CONTACT_TABLE_COUNT
};

struct basin_device_contact {
  basin_context *context;
  basin_system *system;
  basin_cuda_contact *detector;
  basin_buffer uploaded, motion, start; /* vertex_count x 3 each */
  bool has_motion, has_start;
  basin_contact_table tables[BASIN_CONTACT_TABLE_COUNT];
};

/* Positions as an array: checked, up to date, on the device. */
basin_status basin__contact_positions(basin_device_contact *contact,
                                      basin_array_id positions,
                                      basin_address *address);

#endif
