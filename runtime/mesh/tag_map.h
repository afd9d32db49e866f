/* A hash map from 64-bit tags to indices, for readers of files with sparse numbering.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_TAG_MAP_H
#define BASIN_MESH_TAG_MAP_H

#include "mesh/mesh.h"

/* Zero-initialised = empty. */
typedef struct basin_tag_map {
  struct basin_tag_entry *entries;
  size_t count, room;
} basin_tag_map;

void basin__tag_map_fini(basin_context *context, basin_tag_map *map);
/* Adds a new tag; *known is true, and nothing changes, if it is there already. `value` may not be
 * BASIN_MESH_NONE. */
basin_status basin__tag_map_add(
    basin_context *context, basin_tag_map *map, uint64_t tag, uint32_t value, bool *known);
/* BASIN_MESH_NONE if the tag is not there. */
uint32_t basin__tag_map_get(const basin_tag_map *map, uint64_t tag);

#endif
