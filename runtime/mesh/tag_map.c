/* Open addressing with linear probing, at most half full.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/tag_map.h"

struct basin_tag_entry {
  uint64_t tag;
  uint32_t value; /* BASIN_MESH_NONE = free */
};

void basin__tag_map_fini(basin_context *context, basin_tag_map *map)
{
  basin__array_free(context, map->entries, map->room, sizeof *map->entries);
  *map = (basin_tag_map){0};
}

/* The entry of the tag, or the free one where it belongs. */
static struct basin_tag_entry *find(const basin_tag_map *map, uint64_t tag)
{
  uint64_t hash = tag * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  size_t slot = (size_t)hash & (map->room - 1);
  while (map->entries[slot].value != BASIN_MESH_NONE && map->entries[slot].tag != tag)
    slot = (slot + 1) & (map->room - 1);
  return &map->entries[slot];
}

static basin_status enlarge(basin_context *context, basin_tag_map *map)
{
  basin_tag_map larger = {.count = map->count, .room = map->room ? map->room * 2 : 64};
  BASIN_TRY(basin__array_alloc(context, larger.room, sizeof *larger.entries, &larger.entries));
  for (size_t i = 0; i < larger.room; ++i) larger.entries[i].value = BASIN_MESH_NONE;
  for (size_t i = 0; i < map->room; ++i)
    if (map->entries[i].value != BASIN_MESH_NONE)
      *find(&larger, map->entries[i].tag) = map->entries[i];
  basin__tag_map_fini(context, map);
  *map = larger;
  return BASIN_OK;
}

basin_status basin__tag_map_add(
    basin_context *context, basin_tag_map *map, uint64_t tag, uint32_t value, bool *known)
{
  *known = false;
  if (map->count * 2 >= map->room) BASIN_TRY(enlarge(context, map));
  struct basin_tag_entry *entry = find(map, tag);
  *known = entry->value != BASIN_MESH_NONE;
  if (*known) return BASIN_OK;
  *entry = (struct basin_tag_entry){tag, value};
  ++map->count;
  return BASIN_OK;
}

uint32_t basin__tag_map_get(const basin_tag_map *map, uint64_t tag)
{
  return map->room ? find(map, tag)->value : BASIN_MESH_NONE;
}
