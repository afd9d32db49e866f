/* DOF maps: how every node of an array depends on the nodes of the unknowns.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_DOF_MAP_H
#define BASIN_ASSEMBLY_DOF_MAP_H

#include "assembly/layout.h"

#define BASIN_DOF_BLOCK \
  0x80000000u /* in `value`: a block x block matrix, row-major, instead of one weight */
#define BASIN_DOF_VALUE 0x7fffffffu

/* One node that a row depends on: d row / d node = weight * identity or a full block at
 * values[value & BASIN_DOF_VALUE]. */
typedef struct basin_dof_entry {
  uint32_t node, value;
} basin_dof_entry;

typedef enum basin_dof_kind {
  BASIN_DOF_TARGET,
  BASIN_DOF_HELD, /* depends on no unknown */
  BASIN_DOF_UNION,
  BASIN_DOF_REDUCTION,
  BASIN_DOF_COMPUTED
} basin_dof_kind;

typedef struct basin_dof_map {
  basin_array_id array;
  basin_dof_kind kind;
  basin_map *source; /* computed arrays: the description for nodes of the layout's size */
  bool building;     /* meeting it again is a cycle */
  bool plain; /* every row is one node of weight 1 or nothing: no `starts`, entries[row].node may be
                 BASIN_NONE */
  bool empty; /* no row depends on an unknown */
  bool affine;      /* no weight depends on an unknown */
  bool curved;      /* itself or something below it is a computed array that is not affine */
  unsigned nodes;   /* an instance */
  size_t row_count; /* instances * nodes */
  size_t *children; /* numbers of other maps: union members, the reduction's source, one for each
                       output access of a computed array */
  size_t child_count;
  size_t *starts; /* row_count + 1 */
  basin_dof_entry *entries;
  double *values;
  size_t start_capacity, entry_count, entry_capacity, value_count, value_capacity;
  uint64_t structure; /* newest change of what the lists of nodes depend on */
  uint64_t version;   /* newest change of what the weights depend on, `structure` included */
  uint64_t filled;    /* the version that entries and values stand for */
  double *jacobian;   /* computed arrays: dense local matrices, (rows * cols) x local unknowns an
                         instance */
  size_t jacobian_capacity;
  basin_binding binding;
  double *adjoint; /* curved maps: gradient with respect to the rows, `block` numbers each */
  size_t adjoint_capacity;
} basin_dof_map;

/* All maps that one layout needs, children before parents. */
typedef struct basin_dof_maps {
  basin_layout *layout;
  basin_dof_map **maps;
  size_t count, capacity;
  uint32_t *marker; /* one entry a node: where the row being built mentions it */
  size_t marker_capacity;
} basin_dof_maps;

void basin__dof_maps_init(basin_dof_maps *maps, basin_layout *layout);
void basin__dof_maps_fini(basin_dof_maps *maps);
/* Finds or makes the map of an array and of all it depends on. Only the kind is decided here. */
basin_status basin__dof_maps_get(basin_dof_maps *maps, basin_array_id array, size_t *number);
/* Brings `structure` and `version` of every map up to date. */
basin_status basin__dof_maps_refresh(basin_dof_maps *maps);
/* Fills what is out of date. */
basin_status basin__dof_maps_update(basin_dof_maps *maps);
/* Adds the Jacobian kernels of all maps, and their inputs, to the list. */
basin_status basin__dof_maps_kernels(basin_dof_maps *maps, basin_kernel_list *list);

static inline size_t
basin__dof_row(const basin_dof_map *map, size_t row, const basin_dof_entry **entries)
{
  if (map->plain) {
    *entries = map->entries + row;
    return map->entries[row].node != BASIN_NONE;
  }
  *entries = map->entries + map->starts[row];
  return map->starts[row + 1] - map->starts[row];
}

/* ---- gradients of maps that are not affine (dof_adjoint.c) ---- */
/* Zero adjoints of all curved maps, with room for them. */
basin_status basin__dof_adjoint_begin(basin_dof_maps *maps);
/* Hands the adjoints down from parents to children, so that each computed array has the gradient
 * with respect to its values. */
basin_status basin__dof_adjoint_propagate(basin_dof_maps *maps);
/* Writes the adjoint of a computed map into its curvature weight array. */
basin_status basin__dof_adjoint_store(basin_dof_maps *maps, size_t number);

#endif
