/* Nodes and elements of Gmsh files, version 2.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/read_msh.h"

/* In binary files the counts are text, and the data begins on the next line. */
static basin_status read_count(basin_msh *msh, const char *what, size_t bytes, size_t *count)
{
  BASIN_TRY(basin__reader_count(msh->reader, what, bytes, count));
  basin_word rest;
  if (msh->reader->binary) basin__reader_line(msh->reader, &rest);
  return BASIN_OK;
}

basin_status basin__msh2_nodes(basin_msh *msh)
{
  size_t count;
  BASIN_TRY(read_count(msh, "nodes", msh->reader->binary ? 28 : 8, &count));
  for (size_t n = 0; n < count; ++n) {
    int64_t tag;
    double point[3];
    BASIN_TRY(basin__msh_int(msh, "the number of a node", &tag));
    for (int i = 0; i < 3; ++i)
      BASIN_TRY(basin__msh_real(msh, "a coordinate of a node", &point[i]));
    BASIN_TRY(basin__msh_add_node(msh, (uint64_t)tag, point));
  }
  return BASIN_OK;
}

/* Tags, then corners; the first tag is the physical group. */
static basin_status read_element(basin_msh *msh, basin_msh_type type, int64_t tag_count)
{
  if (tag_count < 0 || tag_count > 1000)
    return BASIN_READER_FAIL(
        msh->reader, "expected a number of tags from 0 to 1000, found %lld", (long long)tag_count);
  int64_t tag, physical = 0;
  for (int64_t t = 0; t < tag_count; ++t) {
    BASIN_TRY(basin__msh_int(msh, "a tag of an element", &tag));
    if (t == 0) physical = tag;
  }
  uint32_t corners[4];
  for (unsigned k = 0; k < type.corners; ++k) {
    BASIN_TRY(basin__msh_int(msh, "a node of an element", &tag));
    BASIN_TRY(basin__msh_find_node(msh, (uint64_t)tag, &corners[k]));
  }
  size_t before[BASIN_MESH_KIND_COUNT];
  basin__msh_counts(msh, before);
  BASIN_TRY(basin__msh_add_element(msh, type, corners));
  return basin__msh_tag_cells(msh, type, physical, before);
}

static basin_status read_ascii_elements(basin_msh *msh, size_t count)
{
  for (size_t e = 0; e < count; ++e) {
    int64_t number, kind, tag_count;
    basin_msh_type type;
    BASIN_TRY(basin__msh_int(msh, "the number of an element", &number));
    BASIN_TRY(basin__msh_int(msh, "the type of an element", &kind));
    BASIN_TRY(basin__msh_int(msh, "the number of tags of an element", &tag_count));
    BASIN_TRY(basin__msh_type_of(msh, kind, &type));
    BASIN_TRY(read_element(msh, type, tag_count));
  }
  return BASIN_OK;
}

/* Blocks: type, number of elements, number of tags; then the elements. */
static basin_status read_binary_elements(basin_msh *msh, size_t count)
{
  for (size_t done = 0; done < count;) {
    int64_t kind, block, tag_count, number;
    basin_msh_type type;
    BASIN_TRY(basin__msh_int(msh, "the type of a block of elements", &kind));
    BASIN_TRY(basin__msh_int(msh, "the size of a block of elements", &block));
    BASIN_TRY(basin__msh_int(msh, "the number of tags of a block", &tag_count));
    BASIN_TRY(basin__msh_type_of(msh, kind, &type));
    if (block < 1 || (uint64_t)block > count - done)
      return BASIN_READER_FAIL(msh->reader,
                               "expected a block of 1 to %zu elements, found %lld",
                               count - done,
                               (long long)block);
    for (int64_t e = 0; e < block; ++e) {
      BASIN_TRY(basin__msh_int(msh, "the number of an element", &number));
      BASIN_TRY(read_element(msh, type, tag_count));
    }
    done += (size_t)block;
  }
  return BASIN_OK;
}

basin_status basin__msh2_elements(basin_msh *msh)
{
  size_t count;
  BASIN_TRY(read_count(msh, "elements", msh->reader->binary ? 8 : 6, &count));
  return msh->reader->binary ? read_binary_elements(msh, count) : read_ascii_elements(msh, count);
}
