/* What the readers of the two Gmsh file versions share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_READ_MSH_H
#define BASIN_MESH_READ_MSH_H

#include "mesh/reader.h"
#include "mesh/tag_map.h"

/* A physical name of the file; text is a piece of the file. */
typedef struct basin_msh_name {
  basin_word text;
} basin_msh_name;

typedef struct basin_msh {
  basin_reader *reader;
  bool has_nodes;
  basin_tag_map nodes; /* node tag -> point */
  basin_tag_map names; /* dimension and physical tag -> names_list */
  basin_msh_name *name_list;
  size_t name_count, name_capacity;
  basin_tag_map groups;   /* kind and physical tag -> group of the mesh */
  basin_tag_map entities; /* dimension and entity tag -> start of its run in physicals: count,
                             tags... (version 4) */
  basin_index_buffer physicals;
} basin_msh;

/* A key of a pair for the maps; tags are made positive. */
uint64_t basin__msh_key(unsigned first, int64_t tag);

/* Numbers as text or binary, by the mode of the file: int is 4 bytes, size is 8. */
basin_status basin__msh_int(basin_msh *msh, const char *what, int64_t *value);
basin_status basin__msh_size(basin_msh *msh, const char *what, uint64_t *value);
basin_status basin__msh_real(basin_msh *msh, const char *what, double *value);

basin_status basin__msh_add_node(basin_msh *msh, uint64_t tag, const double point[3]);
basin_status basin__msh_find_node(basin_msh *msh, uint64_t tag, uint32_t *point);

/* The shape of an element type; ERROR_UNSUPPORTED with its name for types that a mesh cannot hold.
 */
typedef struct basin_msh_type {
  basin_mesh_kind kind;
  unsigned dimension, corners;
} basin_msh_type;
basin_status basin__msh_type_of(basin_msh *msh, int64_t number, basin_msh_type *type);
/* Adds an element; quads may become triangles. */
basin_status basin__msh_add_element(basin_msh *msh, basin_msh_type type, const uint32_t *corners);
/* Puts the cells added since `before` (counts of each kind) into the group of a physical tag. */
basin_status basin__msh_tag_cells(basin_msh *msh,
                                  basin_msh_type type,
                                  int64_t physical,
                                  const size_t before[BASIN_MESH_KIND_COUNT]);
void basin__msh_counts(const basin_msh *msh, size_t counts[BASIN_MESH_KIND_COUNT]);

/* The sections of each version; the cursor stands behind the name of the section. */
basin_status basin__msh2_nodes(basin_msh *msh);
basin_status basin__msh2_elements(basin_msh *msh);
basin_status basin__msh4_entities(basin_msh *msh);
basin_status basin__msh4_nodes(basin_msh *msh);
basin_status basin__msh4_elements(basin_msh *msh);

#endif
