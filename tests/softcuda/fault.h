/* Signals that a kernel raises become errors of its launch; the services that compiled text calls.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_FAULT_H
#define BASIN_SOFTCUDA_FAULT_H

#include "softcuda.h"

/* Around the execution of a grid. */
void softcuda_faults_catch(void);
void softcuda_faults_release(void);

/* What a launch may touch besides device memory and its own stacks. */
typedef struct softcuda_permissions {
  int device;
  softcuda_range data, shared, dynamic; /* of the image; of the block */
} softcuda_permissions;
void softcuda_permit(const softcuda_permissions *permissions);

/* The instruction of the image that ended a launch; NULL if it is not known. */
const void *softcuda_stop_place(void);
void softcuda_set_stop_place(const void *code);

/* Address of a function or variable that images name; NULL if there is none. */
void *softcuda_symbol(const char *name);

#endif
