/* The triangle surface of a mesh: outer faces of tets, by sorting faces by their corners.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <string.h>

const unsigned char basin__tet_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/* A row: three corners ascending, then whose face it is. Loose triangles have OWNER = NONE and
 * their number as FACE. */
enum { OWNER = 3, FACE, WIDTH };

typedef struct faces {
  uint32_t *rows;
  size_t count, room;
  unsigned char *keep_tet; /* bit k: face k of the tet lies on the surface */
  unsigned char *keep_triangle;
} faces;

static void add_row(faces *list, uint32_t a, uint32_t b, uint32_t c, uint32_t owner, uint32_t face)
{
  uint32_t *row = list->rows + list->count++ * WIDTH;
  const uint32_t low = a < b ? (a < c ? a : c) : (b < c ? b : c);
  const uint32_t high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  row[0] = low;
  row[1] = a ^ b ^ c ^ low ^ high;
  row[2] = high;
  row[OWNER] = owner;
  row[FACE] = face;
}

static void add_rows(faces *list, const basin_mesh *mesh)
{
  const basin_index_buffer *tets = &mesh->cells[BASIN_MESH_TET],
                           *triangles = &mesh->cells[BASIN_MESH_TRIANGLE];
  for (size_t t = 0; t < tets->count / 4; ++t)
    for (uint32_t f = 0; f < 4; ++f) {
      const uint32_t *corner = tets->data + t * 4;
      const unsigned char *local = basin__tet_faces[f];
      add_row(list, corner[local[0]], corner[local[1]], corner[local[2]], (uint32_t)t, f);
    }
  for (size_t t = 0; t < triangles->count / 3; ++t) {
    const uint32_t *corner = triangles->data + t * 3;
    add_row(list, corner[0], corner[1], corner[2], BASIN_MESH_NONE, (uint32_t)t);
  }
}

static basin_status
classify_run(basin_context *context, const faces *list, size_t first, size_t end)
{
  size_t owners = 0;
  for (size_t i = first; i < end; ++i) owners += list->rows[i * WIDTH + OWNER] != BASIN_MESH_NONE;
  const uint32_t *row = list->rows + first * WIDTH;
  if (owners > 2)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "surface: %zu tets share the face (%u, %u, %u); one of them is tet %u",
                      owners,
                      row[0],
                      row[1],
                      row[2],
                      row[OWNER]);
  for (size_t i = first; i < end; ++i, row += WIDTH) {
    if (row[OWNER] == BASIN_MESH_NONE)
      list->keep_triangle[row[FACE]] = owners == 0;
    else if (owners == 1)
      list->keep_tet[row[OWNER]] |= (unsigned char)(1u << row[FACE]);
  }
  return BASIN_OK;
}

static basin_status classify(const basin_mesh *mesh, faces *list)
{
  basin_context *context = mesh->context;
  const size_t tets = basin_mesh_count(mesh, BASIN_MESH_TET),
               triangles = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE);
  list->room = tets * 4 + triangles;
  BASIN_TRY(basin__array_alloc(context, list->room * WIDTH, sizeof(uint32_t), &list->rows));
  BASIN_TRY(basin__array_alloc(context, tets, 1, &list->keep_tet));
  BASIN_TRY(basin__array_alloc(context, triangles, 1, &list->keep_triangle));
  if (tets) memset(list->keep_tet, 0, tets);
  add_rows(list, mesh);
  BASIN_TRY(basin__sort_rows(context, list->rows, list->count, WIDTH, 3));
  for (size_t i = 0, end; i < list->count; i = end) {
    const uint32_t *row = list->rows + i * WIDTH;
    for (end = i + 1; end < list->count; ++end)
      if (memcmp(list->rows + end * WIDTH, row, 3 * sizeof(uint32_t)) != 0) break;
    BASIN_TRY(classify_run(context, list, i, end));
  }
  return BASIN_OK;
}

static basin_status add_tet_faces(const basin_mesh *mesh, const faces *list, basin_mesh *surface)
{
  for (size_t t = 0; t < basin_mesh_count(mesh, BASIN_MESH_TET); ++t) {
    if (!list->keep_tet[t]) continue;
    const uint32_t *corner = mesh->cells[BASIN_MESH_TET].data + t * 4;
    double p[4][3];
    for (int k = 0; k < 4; ++k) basin__mesh_point(mesh, corner[k], p[k]);
    const bool negative = basin__tet_volume(p[0], p[1], p[2], p[3]) < 0.0;
    for (unsigned f = 0; f < 4; ++f) {
      if (!(list->keep_tet[t] & (1u << f))) continue;
      const unsigned char *local = basin__tet_faces[f];
      const uint32_t out[3] = {
          corner[local[0]], corner[local[negative ? 2 : 1]], corner[local[negative ? 1 : 2]]};
      BASIN_TRY(basin__mesh_add_cell(surface, BASIN_MESH_TRIANGLE, out));
    }
  }
  return BASIN_OK;
}

/* `whole` has triangles only where the mesh had triangles and quads; `surface` gets points, point
 * groups, faces, edges, vertices. */
static basin_status build(const basin_mesh *whole, const faces *list, basin_mesh *surface)
{
  BASIN_TRY(basin_mesh_set_points(surface, whole->point_count, whole->points));
  BASIN_TRY(add_tet_faces(whole, list, surface));
  for (size_t t = 0; t < basin_mesh_count(whole, BASIN_MESH_TRIANGLE); ++t)
    if (list->keep_triangle[t])
      BASIN_TRY(basin__mesh_add_cell(
          surface, BASIN_MESH_TRIANGLE, whole->cells[BASIN_MESH_TRIANGLE].data + t * 3));
  for (int kind = BASIN_MESH_VERTEX; kind <= BASIN_MESH_EDGE; ++kind)
    BASIN_TRY(basin_mesh_set_cells(surface,
                                   (basin_mesh_kind)kind,
                                   basin_mesh_count(whole, (basin_mesh_kind)kind),
                                   whole->cells[kind].data));
  const size_t shift[BASIN_MESH_KIND_COUNT] = {0};
  BASIN_TRY(basin__mesh_copy_groups(whole, surface, shift));
  basin__mesh_drop_groups(surface, BASIN_MESH_TRIANGLE);
  basin__mesh_drop_groups(surface, BASIN_MESH_TET);
  return BASIN_OK;
}

basin_status basin_mesh_surface(const basin_mesh *mesh, basin_mesh **surface)
{
  basin_context *context = mesh->context;
  *surface = NULL;
  basin_mesh *whole = NULL, *made = NULL;
  faces list = {0};
  BASIN_TRY(basin_mesh_copy(mesh, &whole));
  basin_status status = basin_mesh_triangulate(whole);
  if (status == BASIN_OK) status = basin_mesh_create(context, mesh->dim, &made);
  if (status == BASIN_OK) status = classify(whole, &list);
  if (status == BASIN_OK) status = build(whole, &list, made);
  basin__array_free(context, list.rows, list.room * WIDTH, sizeof(uint32_t));
  basin__array_free(context, list.keep_tet, basin_mesh_count(whole, BASIN_MESH_TET), 1);
  basin__array_free(context, list.keep_triangle, basin_mesh_count(whole, BASIN_MESH_TRIANGLE), 1);
  basin_mesh_destroy(whole);
  if (status == BASIN_OK)
    *surface = made;
  else
    basin_mesh_destroy(made);
  return status;
}
