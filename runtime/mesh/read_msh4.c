/* Entities, nodes and elements of Gmsh files, version 4.1: text and binary have the same order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/read_msh.h"

/* Of one entity. A bound, because every block of elements of the entity joins all its groups. */
enum { MAX_PHYSICALS = 256 };

/* Numbers are at least this long: in text a digit and a space. */
static size_t int_bytes(const basin_msh *msh)
{
  return msh->reader->binary ? 4 : 2;
}

static size_t wide_bytes(const basin_msh *msh)
{
  return msh->reader->binary ? 8 : 2;
}

static basin_status read_bounded(basin_msh *msh, const char *what, size_t bytes, uint64_t *count)
{
  BASIN_TRY(basin__msh_size(msh, what, count));
  return basin__reader_check_count(msh->reader, what, *count, bytes);
}

/* ---- entities: which physical groups an entity belongs to ---- */

static basin_status read_physicals(basin_msh *msh, unsigned dimension, int64_t entity)
{
  basin_context *context = msh->reader->context;
  uint64_t count;
  BASIN_TRY(read_bounded(msh, "physical tags", int_bytes(msh), &count));
  if (count > MAX_PHYSICALS)
    return BASIN_READER_FAIL(msh->reader,
                             "expected at most %d physical tags of an entity, found %llu",
                             MAX_PHYSICALS,
                             (unsigned long long)count);
  const size_t start = msh->physicals.count;
  BASIN_TRY(basin__index_push(context, &msh->physicals, (uint32_t)count));
  for (uint64_t i = 0; i < count; ++i) {
    int64_t tag;
    BASIN_TRY(basin__msh_int(msh, "a physical tag", &tag));
    BASIN_TRY(basin__index_push(context, &msh->physicals, (uint32_t)(tag < 0 ? -tag : tag)));
  }
  bool known;
  return basin__tag_map_add(
      context, &msh->entities, basin__msh_key(dimension, entity), (uint32_t)start, &known);
}

static basin_status read_entity(basin_msh *msh, unsigned dimension)
{
  int64_t tag;
  double unused;
  BASIN_TRY(basin__msh_int(msh, "the tag of an entity", &tag));
  for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i)
    BASIN_TRY(basin__msh_real(msh, "a bound of an entity", &unused));
  BASIN_TRY(read_physicals(msh, dimension, tag));
  if (dimension == 0) return BASIN_OK;
  uint64_t count;
  BASIN_TRY(read_bounded(msh, "bounding entities", int_bytes(msh), &count));
  for (uint64_t i = 0; i < count; ++i)
    BASIN_TRY(basin__msh_int(msh, "the tag of a bounding entity", &tag));
  return BASIN_OK;
}

basin_status basin__msh4_entities(basin_msh *msh)
{
  static const char *const names[4] = {"points", "curves", "surfaces", "volumes"};
  uint64_t counts[4];
  for (int d = 0; d < 4; ++d) BASIN_TRY(read_bounded(msh, names[d], int_bytes(msh), &counts[d]));
  for (unsigned d = 0; d < 4; ++d)
    for (uint64_t i = 0; i < counts[d]; ++i) BASIN_TRY(read_entity(msh, d));
  return BASIN_OK;
}

/* ---- nodes ---- */

/* A block: all tags, then all coordinates. The coordinates are read into the mesh as they come, so
 * the tags are read again from a second cursor. */
static basin_status read_node_block(basin_msh *msh, uint64_t count, unsigned extra)
{
  basin_reader *reader = msh->reader;
  basin_reader tags_cursor = *reader;
  basin_msh tags = *msh;
  tags.reader = &tags_cursor;
  uint64_t tag;
  for (uint64_t n = 0; n < count; ++n) BASIN_TRY(basin__msh_size(msh, "the tag of a node", &tag));
  for (uint64_t n = 0; n < count; ++n) {
    double point[3], unused;
    BASIN_TRY(basin__msh_size(&tags, "the tag of a node", &tag));
    for (int i = 0; i < 3; ++i)
      BASIN_TRY(basin__msh_real(msh, "a coordinate of a node", &point[i]));
    for (unsigned i = 0; i < extra; ++i)
      BASIN_TRY(basin__msh_real(msh, "a parametric coordinate", &unused));
    BASIN_TRY(basin__msh_add_node(msh, tag, point));
  }
  return BASIN_OK;
}

basin_status basin__msh4_nodes(basin_msh *msh)
{
  uint64_t blocks, total, unused;
  BASIN_TRY(read_bounded(msh, "blocks of nodes", 3 * int_bytes(msh) + wide_bytes(msh), &blocks));
  BASIN_TRY(read_bounded(msh, "nodes", 4 * wide_bytes(msh), &total));
  BASIN_TRY(basin__msh_size(msh, "the smallest node tag", &unused));
  BASIN_TRY(basin__msh_size(msh, "the largest node tag", &unused));
  for (uint64_t b = 0; b < blocks; ++b) {
    int64_t dimension, entity, parametric;
    uint64_t count;
    BASIN_TRY(basin__msh_int(msh, "the dimension of a block of nodes", &dimension));
    BASIN_TRY(basin__msh_int(msh, "the entity of a block of nodes", &entity));
    BASIN_TRY(basin__msh_int(msh, "whether a block is parametric", &parametric));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
      return BASIN_READER_FAIL(msh->reader,
                               "expected a dimension from 0 to 3 and 0 or 1, found %lld and %lld",
                               (long long)dimension,
                               (long long)parametric);
    BASIN_TRY(read_bounded(msh, "nodes of a block", 4 * wide_bytes(msh), &count));
    BASIN_TRY(read_node_block(msh, count, parametric ? (unsigned)dimension : 0));
  }
  if (msh->reader->mesh->point_count != total)
    return BASIN_READER_FAIL(msh->reader,
                             "%llu nodes announced, %zu found",
                             (unsigned long long)total,
                             msh->reader->mesh->point_count);
  return BASIN_OK;
}

/* ---- elements ---- */

static basin_status read_element_block(basin_msh *msh, basin_msh_type type, uint64_t count)
{
  for (uint64_t e = 0; e < count; ++e) {
    uint64_t tag;
    uint32_t corners[4];
    BASIN_TRY(basin__msh_size(msh, "the tag of an element", &tag));
    for (unsigned k = 0; k < type.corners; ++k) {
      BASIN_TRY(basin__msh_size(msh, "a node of an element", &tag));
      BASIN_TRY(basin__msh_find_node(msh, tag, &corners[k]));
    }
    BASIN_TRY(basin__msh_add_element(msh, type, corners));
  }
  return BASIN_OK;
}

basin_status basin__msh4_elements(basin_msh *msh)
{
  uint64_t blocks, total, found = 0, unused;
  BASIN_TRY(read_bounded(msh, "blocks of elements", 3 * int_bytes(msh) + wide_bytes(msh), &blocks));
  BASIN_TRY(read_bounded(msh, "elements", 2 * wide_bytes(msh), &total));
  BASIN_TRY(basin__msh_size(msh, "the smallest element tag", &unused));
  BASIN_TRY(basin__msh_size(msh, "the largest element tag", &unused));
  for (uint64_t b = 0; b < blocks; ++b) {
    int64_t dimension, entity, number;
    uint64_t count;
    basin_msh_type type;
    BASIN_TRY(basin__msh_int(msh, "the dimension of a block of elements", &dimension));
    BASIN_TRY(basin__msh_int(msh, "the entity of a block of elements", &entity));
    BASIN_TRY(basin__msh_int(msh, "the type of a block of elements", &number));
    BASIN_TRY(basin__msh_type_of(msh, number, &type));
    BASIN_TRY(
        read_bounded(msh, "elements of a block", (1 + type.corners) * wide_bytes(msh), &count));
    size_t before[BASIN_MESH_KIND_COUNT];
    basin__msh_counts(msh, before);
    BASIN_TRY(read_element_block(msh, type, count));
    const uint32_t run = basin__tag_map_get(&msh->entities, basin__msh_key(type.dimension, entity));
    for (uint32_t i = 0; run != BASIN_MESH_NONE && i < msh->physicals.data[run]; ++i)
      BASIN_TRY(basin__msh_tag_cells(msh, type, (int64_t)msh->physicals.data[run + 1 + i], before));
    found += count;
  }
  if (found != total)
    return BASIN_READER_FAIL(msh->reader,
                             "%llu elements announced, %llu found",
                             (unsigned long long)total,
                             (unsigned long long)found);
  return BASIN_OK;
}
