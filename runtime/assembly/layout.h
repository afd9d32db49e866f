/* How the entries of target arrays are numbered as nodes, and how a JOIN path is walked.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_LAYOUT_H
#define BASIN_ASSEMBLY_LAYOUT_H

#include "device/system.h"

typedef struct basin_target {
  basin_array_id array;
  basin_space_id space;
  unsigned rows, cols, nodes; /* nodes an instance */
  size_t size, count;         /* entries an instance, instances */
  size_t first, stride;       /* node `j` of instance `i` is first + i * stride + j */
} basin_target;

/* The unknown vector is made of nodes of `block` numbers: for each target in order, instance after
 * instance. Targets of one space are interleaved where the first of them stands, so that all nodes
 * of an instance (an affine body's matrix and translation) are neighbours. */
typedef struct basin_layout {
  basin_system *system;
  unsigned block;
  size_t target_count;
  basin_target *targets;
  size_t node_count;
  uint64_t version; /* newest change of a target's instance count */
} basin_layout;

/* Targets must be stored arrays, all different, whose sizes are multiples of `block`. */
basin_status basin__layout_init(basin_layout *layout,
                                basin_system *system,
                                const basin_array_id *targets,
                                size_t count,
                                unsigned block);
void basin__layout_fini(basin_layout *layout);
/* Follows the instance counts. */
basin_status basin__layout_update(basin_layout *layout);
/* The number of the target, or SIZE_MAX. */
size_t basin__layout_find(const basin_layout *layout, basin_array_id array);

/* The instances as ranges of nodes, for a preconditioner: one range an instance of a space, where
 * it has several nodes and at most `limit` unknowns. `ranges` NULL: only counts. */
size_t basin__layout_instances(const basin_layout *layout, size_t limit, basin_node_range *ranges);

/* Where component `i` of node `node` of a rows x cols matrix is stored. */
static inline size_t
basin__node_entry(unsigned rows, unsigned cols, unsigned block, size_t node, size_t i)
{
  return rows == block ? i * cols + node : node * block + i;
}

/* Node-major vector to the target's own order and back. */
void basin__layout_to_array(const basin_layout *layout,
                            size_t number,
                            const double *vector,
                            double *array);
void basin__layout_from_array(const basin_layout *layout,
                              size_t number,
                              const double *array,
                              double *vector);

/* ---- paths ---- */
typedef struct basin_walk {
  bool shared; /* always instance 0 */
  uint32_t step_count;
  const uint32_t *indices[BASIN_PATH_MAX];
  uint32_t arity[BASIN_PATH_MAX], slot[BASIN_PATH_MAX];
} basin_walk;

/* Checks that the path leads from instances of `space` to those of the access's array and that its
 * connectivities are sound; `indices` stays empty. */
basin_status basin__walk_check(basin_walk *walk,
                               const basin_system *system,
                               basin_space_id space,
                               const basin_access *access);
/* The same, and `indices` on the host. */
basin_status basin__walk_init(basin_walk *walk,
                              const basin_system *system,
                              basin_space_id space,
                              const basin_access *access);
/* The newest change along the path. */
uint64_t basin__walk_version(const basin_system *system, const basin_access *access);

static inline uint32_t basin__walk(const basin_walk *walk, size_t element)
{
  if (walk->shared) return 0;
  for (uint32_t k = 0; k < walk->step_count; ++k)
    element = walk->indices[k][element * walk->arity[k] + walk->slot[k]];
  return (uint32_t)element;
}

#endif
