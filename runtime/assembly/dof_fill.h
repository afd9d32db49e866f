/* Filling one DOF map: rows of nodes and weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_DOF_FILL_H
#define BASIN_ASSEMBLY_DOF_FILL_H

#include "assembly/dof_map.h"

/* Its children are filled; map->row_count and the version stamps are up to date. */
basin_status basin__dof_fill(basin_dof_maps *maps, basin_dof_map *map);

#endif
