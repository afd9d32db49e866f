/* The mesh structure and the helpers its files share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_INTERNAL_H
#define BASIN_MESH_INTERNAL_H

#include "base/base.h"
#include <basin/mesh.h>

/* Largest number of points, or of cells of a kind: indices are uint32_t and UINT32_MAX marks
 * "none". */
#define BASIN_MESH_MAX_COUNT ((size_t)UINT32_MAX - 1)
#define BASIN_MESH_NONE      UINT32_MAX

/* Growing array of indices; capacity in entries. */
typedef struct basin_index_buffer {
  uint32_t *data;
  size_t count, capacity;
} basin_index_buffer;

typedef struct basin_named_set {
  char *name;
  uint64_t hash; /* of the name */
  basin_mesh_kind kind;
  basin_index_buffer indices;
} basin_named_set;

struct basin_mesh {
  basin_context *context;
  unsigned dim;
  double *points;
  size_t point_count, point_capacity; /* capacity in numbers */
  basin_index_buffer
      cells[BASIN_MESH_KIND_COUNT]; /* counts in entries, not in cells; [POINT] unused */
  basin_named_set *groups;
  size_t group_count, group_capacity;
};

/* ---- memory ---- */

/* *array (of `item` bytes each) of count entries, or NULL for none; released with basin__array_free
 * and the same count. */
basin_status basin__array_alloc(basin_context *context, size_t count, size_t item, void *array);
void basin__array_free(basin_context *context, void *array, size_t count, size_t item);
basin_status basin__index_push(basin_context *context, basin_index_buffer *buffer, uint32_t value);
void basin__index_fini(basin_context *context, basin_index_buffer *buffer);
/* Hands the rows of a buffer over as a result and empties it (shrinks it to size); on failure the
 * buffer is freed too. */
basin_status basin__index_release(basin_context *context,
                                  basin_index_buffer *buffer,
                                  size_t arity,
                                  basin_mesh_indices *result);

/* ---- building without checks of the values: callers run basin__mesh_validate at the end ---- */

basin_status basin__mesh_reserve_points(basin_mesh *mesh, size_t count);
basin_status basin__mesh_add_point(basin_mesh *mesh, const double *point);
/* Appends one cell of basin_mesh_arity(kind) corners. */
basin_status basin__mesh_add_cell(basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *corners);
/* The group of that kind and name, made when missing. The pointer lives until the next group is
 * made. */
basin_status basin__mesh_group(basin_mesh *mesh,
                               basin_mesh_kind kind,
                               const char *name,
                               basin_named_set **group);
basin_status
basin__mesh_group_push(basin_mesh *mesh, basin_mesh_kind kind, const char *name, uint32_t index);
/* Takes the contents of `from` and destroys it. */
void basin__mesh_replace(basin_mesh *mesh, basin_mesh *from);
void basin__mesh_drop_groups(basin_mesh *mesh, basin_mesh_kind kind);
/* Renumbers the groups of a kind: member i becomes map[i], or leaves when that is BASIN_MESH_NONE;
 * order and duplicates stay. */
void basin__mesh_remap_groups(basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *map);
/* Copies all groups of a mesh to another, indices of each kind shifted by shift[kind]. */
basin_status basin__mesh_copy_groups(const basin_mesh *from,
                                     basin_mesh *to,
                                     const size_t shift[BASIN_MESH_KIND_COUNT]);
/* All coordinates finite, all corners in range; messages begin with `where`. */
basin_status basin__mesh_validate(const basin_mesh *mesh, const char *where);

/* ---- geometry and sorting ---- */

/* The three coordinates of a point; z = 0 in the plane. */
void basin__mesh_point(const basin_mesh *mesh, uint32_t index, double point[3]);
double
basin__tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]);
/* Twice the area, times the unit normal. */
void basin__triangle_cross(const double a[3],
                           const double b[3],
                           const double c[3],
                           double cross[3]);

/* Stable sort of `count` rows of `width` indices by their first `keys` columns. */
basin_status
basin__sort_rows(basin_context *context, uint32_t *rows, size_t count, size_t width, size_t keys);

/* Local corners of the faces of a positive tet, pointing outward; face k does not touch corner 3 -
 * k. */
extern const unsigned char basin__tet_faces[4][3];

#endif
