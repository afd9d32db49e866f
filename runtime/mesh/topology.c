/* Edges, boundary edges, hinges and used points, by sorting rows of corners.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <string.h>

/* Local corners of the edges of each kind. */
static const struct {
  unsigned count;
  unsigned char corners[6][2];
} edges_of[BASIN_MESH_KIND_COUNT] = {
    [BASIN_MESH_EDGE] = {1, {{0, 1}}},
    [BASIN_MESH_TRIANGLE] = {3, {{0, 1}, {1, 2}, {2, 0}}},
    [BASIN_MESH_QUAD] = {4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [BASIN_MESH_TET] = {6, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
};

/* Rows of an incidence: an edge of a cell. Sorted by the first two columns. */
enum { LOW, HIGH, RUNS_UP, OPPOSITE, INCIDENCE_WIDTH };

typedef struct incidence {
  uint32_t *rows;
  size_t count, room, width;
} incidence;

static void incidence_fini(basin_context *context, incidence *list)
{
  basin__array_free(context, list->rows, list->room * list->width, sizeof(uint32_t));
}

/* Adds the edges of all cells of a kind. */
static void add_edges(const basin_mesh *mesh, int kind, incidence *list)
{
  const unsigned arity = basin_mesh_arity((basin_mesh_kind)kind);
  const basin_index_buffer *cells = &mesh->cells[kind];
  for (size_t c = 0; c < cells->count; c += arity)
    for (unsigned e = 0; e < edges_of[kind].count; ++e) {
      const uint32_t a = cells->data[c + edges_of[kind].corners[e][0]];
      const uint32_t b = cells->data[c + edges_of[kind].corners[e][1]];
      if (a == b) continue;
      uint32_t *row = list->rows + list->count++ * list->width;
      row[LOW] = a < b ? a : b;
      row[HIGH] = a < b ? b : a;
      if (list->width == 2) continue;
      row[RUNS_UP] = a < b;
      row[OPPOSITE] = cells->data[c + (e + 2) % 3]; /* of a triangle */
    }
}

/* All edges of the cells of the kinds, `width` columns wide (2: only the ends), sorted. */
static basin_status collect(const basin_mesh *mesh, unsigned kinds, size_t width, incidence *list)
{
  *list = (incidence){.width = width};
  for (int kind = BASIN_MESH_EDGE; kind < BASIN_MESH_KIND_COUNT; ++kind)
    if (kinds & BASIN_MESH_KIND_BIT(kind))
      list->room += basin_mesh_count(mesh, (basin_mesh_kind)kind) * edges_of[kind].count;
  BASIN_TRY(basin__array_alloc(mesh->context, list->room * width, sizeof(uint32_t), &list->rows));
  for (int kind = BASIN_MESH_EDGE; kind < BASIN_MESH_KIND_COUNT; ++kind)
    if (kinds & BASIN_MESH_KIND_BIT(kind)) add_edges(mesh, kind, list);
  const basin_status status = basin__sort_rows(mesh->context, list->rows, list->count, width, 2);
  if (status != BASIN_OK) incidence_fini(mesh->context, list);
  return status;
}

/* The end of the run of equal edges that begins at row `first`. */
static size_t run_end(const incidence *list, size_t first)
{
  const uint32_t *row = list->rows + first * list->width;
  size_t end = first + 1;
  while (end < list->count &&
         memcmp(list->rows + end * list->width, row, 2 * sizeof(uint32_t)) == 0)
    ++end;
  return end;
}

static basin_status
push_row(basin_context *context, basin_index_buffer *buffer, const uint32_t *row, size_t width)
{
  for (size_t k = 0; k < width; ++k) BASIN_TRY(basin__index_push(context, buffer, row[k]));
  return BASIN_OK;
}

/* Ends a query: frees the list, and turns the buffer into the result unless something failed. */
static basin_status finish(basin_context *context,
                           incidence *list,
                           basin_index_buffer *found,
                           size_t arity,
                           basin_status status,
                           basin_mesh_indices *result)
{
  incidence_fini(context, list);
  if (status == BASIN_OK) return basin__index_release(context, found, arity, result);
  basin__index_fini(context, found);
  return status;
}

basin_status
basin_mesh_unique_edges(const basin_mesh *mesh, unsigned kinds, basin_mesh_indices *edges)
{
  *edges = (basin_mesh_indices){0};
  incidence list;
  BASIN_TRY(collect(mesh, kinds ? kinds : BASIN_MESH_ALL_CELLS, 2, &list));
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < list.count && status == BASIN_OK; i = run_end(&list, i))
    status = push_row(mesh->context, &found, list.rows + i * 2, 2);
  return finish(mesh->context, &list, &found, 2, status, edges);
}

static const unsigned face_kinds =
    BASIN_MESH_KIND_BIT(BASIN_MESH_TRIANGLE) | BASIN_MESH_KIND_BIT(BASIN_MESH_QUAD);

basin_status basin_mesh_boundary_edges(const basin_mesh *mesh, basin_mesh_indices *edges)
{
  *edges = (basin_mesh_indices){0};
  incidence list;
  BASIN_TRY(collect(mesh, face_kinds, INCIDENCE_WIDTH, &list));
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  for (size_t i = 0, end; i < list.count && status == BASIN_OK; i = end) {
    end = run_end(&list, i);
    if (end - i != 1) continue;
    const uint32_t *row = list.rows + i * list.width;
    const uint32_t ends[2] = {row[RUNS_UP] ? row[LOW] : row[HIGH],
                              row[RUNS_UP] ? row[HIGH] : row[LOW]};
    status = push_row(mesh->context, &found, ends, 2);
  }
  return finish(mesh->context, &list, &found, 2, status, edges);
}

basin_status basin_mesh_hinges(const basin_mesh *mesh, basin_mesh_indices *hinges, size_t *skipped)
{
  *hinges = (basin_mesh_indices){0};
  if (skipped) *skipped = 0;
  incidence list;
  BASIN_TRY(collect(mesh, BASIN_MESH_KIND_BIT(BASIN_MESH_TRIANGLE), INCIDENCE_WIDTH, &list));
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  size_t crowded = 0;
  for (size_t i = 0, end; i < list.count && status == BASIN_OK; i = end) {
    end = run_end(&list, i);
    crowded += end - i > 2;
    if (end - i != 2) continue;
    const uint32_t *first = list.rows + i * list.width, *second = first + list.width;
    const bool swap = !first[RUNS_UP] && second[RUNS_UP];
    const uint32_t row[4] = {first[LOW],
                             first[HIGH],
                             (swap ? second : first)[OPPOSITE],
                             (swap ? first : second)[OPPOSITE]};
    status = push_row(mesh->context, &found, row, 4);
  }
  if (skipped && status == BASIN_OK) *skipped = crowded;
  return finish(mesh->context, &list, &found, 4, status, hinges);
}

/* ---- points ---- */

basin_status
basin_mesh_used_points(const basin_mesh *mesh, unsigned kinds, basin_mesh_indices *points)
{
  basin_context *context = mesh->context;
  *points = (basin_mesh_indices){0};
  if (kinds == 0) kinds = BASIN_MESH_ALL_CELLS;
  unsigned char *used;
  BASIN_TRY(basin__array_alloc(context, mesh->point_count + 1, 1, &used));
  memset(used, 0, mesh->point_count + 1);
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind)
    for (size_t i = 0; (kinds & BASIN_MESH_KIND_BIT(kind)) && i < mesh->cells[kind].count; ++i)
      used[mesh->cells[kind].data[i]] = 1;
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  for (size_t p = 0; p < mesh->point_count && status == BASIN_OK; ++p)
    if (used[p]) status = basin__index_push(context, &found, (uint32_t)p);
  basin__array_free(context, used, mesh->point_count + 1, 1);
  if (status == BASIN_OK) return basin__index_release(context, &found, 1, points);
  basin__index_fini(context, &found);
  return status;
}

basin_status basin_mesh_surface_points(const basin_mesh *mesh, basin_mesh_indices *points)
{
  *points = (basin_mesh_indices){0};
  basin_mesh *surface;
  BASIN_TRY(basin_mesh_surface(mesh, &surface));
  const basin_status status = basin_mesh_used_points(surface, 0, points);
  basin_mesh_destroy(surface);
  return status;
}

/* Entries of `list` that occur `times` times (0: any number), ascending and once each. */
static basin_status points_in(const basin_mesh *mesh,
                              const uint32_t *list,
                              size_t count,
                              uint32_t times,
                              basin_mesh_indices *points)
{
  basin_context *context = mesh->context;
  uint32_t *seen;
  BASIN_TRY(basin__array_alloc(context, mesh->point_count + 1, sizeof(uint32_t), &seen));
  memset(seen, 0, (mesh->point_count + 1) * sizeof(uint32_t));
  for (size_t i = 0; i < count; ++i) ++seen[list[i]];
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  for (size_t p = 0; p < mesh->point_count && status == BASIN_OK; ++p)
    if (seen[p] > 0 && (times == 0 || seen[p] == times))
      status = basin__index_push(context, &found, (uint32_t)p);
  basin__array_free(context, seen, mesh->point_count + 1, sizeof(uint32_t));
  if (status == BASIN_OK) return basin__index_release(context, &found, 1, points);
  basin__index_fini(context, &found);
  return status;
}

basin_status basin_mesh_boundary_points(const basin_mesh *mesh, basin_mesh_indices *points)
{
  *points = (basin_mesh_indices){0};
  if (mesh->cells[BASIN_MESH_TET].count > 0) return basin_mesh_surface_points(mesh, points);
  if (mesh->cells[BASIN_MESH_TRIANGLE].count == 0 && mesh->cells[BASIN_MESH_QUAD].count == 0)
    return points_in(
        mesh, mesh->cells[BASIN_MESH_EDGE].data, mesh->cells[BASIN_MESH_EDGE].count, 1, points);
  basin_mesh_indices edges;
  BASIN_TRY(basin_mesh_boundary_edges(mesh, &edges));
  const basin_status status = points_in(mesh, edges.data, edges.count * 2, 0, points);
  basin_mesh_indices_fini(&edges);
  return status;
}
