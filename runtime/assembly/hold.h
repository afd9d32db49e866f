/* Held unknowns: entries of targets that a minimizer leaves as they are.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_HOLD_H
#define BASIN_ASSEMBLY_HOLD_H

#include "assembly/layout.h"

/* What is held of one target: places in its array, ascending. */
typedef struct basin_held_list {
  size_t *entries;
  size_t count, capacity;
} basin_held_list;

/* Zero-initialised: nothing is held. */
typedef struct basin_hold {
  basin_held_list *lists; /* one a target; NULL before anything was held */
  size_t list_count;
  uint64_t changes;  /* of the lists */
  uint32_t *bits;    /* bit i of bits[node]: component i of the node is held; of a layout ... */
  size_t capacity;   /* ... with up to so many nodes */
  size_t node_count; /* those that `bits` has */
  size_t count;      /* held unknowns of the present layout */
  uint64_t version;  /* grows whenever `bits` change; 0: nothing was ever held */
  uint64_t made_changes, made_layout; /* what `bits` stand for */
} basin_hold;

/* Brings `bits` up to the layout, which is up to date. */
basin_status basin__hold_update(basin_hold *hold, const basin_layout *layout);
void basin__hold_fini(basin_hold *hold, basin_context *context);
/* Zeroes the held entries of a node-major vector of the host. */
void basin__hold_zero(const basin_hold *hold, unsigned block, double *vector);

#endif
