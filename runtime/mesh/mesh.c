/* The mesh object: memory, points, cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

static const struct {
  unsigned arity;
  const char *name;
} kinds[BASIN_MESH_KIND_COUNT] = {
    [BASIN_MESH_POINT] = {1, "points"},
    [BASIN_MESH_VERTEX] = {1, "vertices"},
    [BASIN_MESH_EDGE] = {2, "edges"},
    [BASIN_MESH_TRIANGLE] = {3, "triangles"},
    [BASIN_MESH_QUAD] = {4, "quads"},
    [BASIN_MESH_TET] = {4, "tets"},
};

unsigned basin_mesh_arity(basin_mesh_kind kind)
{
  return (unsigned)kind < BASIN_MESH_KIND_COUNT ? kinds[kind].arity : 0;
}

const char *basin_mesh_kind_name(basin_mesh_kind kind)
{
  return (unsigned)kind < BASIN_MESH_KIND_COUNT ? kinds[kind].name : "unknown";
}

/* ---- memory ---- */

basin_status basin__array_alloc(basin_context *context, size_t count, size_t item, void *array)
{
  void *data = NULL;
  if (count > SIZE_MAX / item)
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "an array of %zu entries is too large", count);
  if (count > 0) {
    data = basin__alloc(context, count * item);
    if (!data) return BASIN_ERROR_MEMORY;
  }
  memcpy(array, &data, sizeof data);
  return BASIN_OK;
}

void basin__array_free(basin_context *context, void *array, size_t count, size_t item)
{
  if (array) basin__free(context, array, count * item);
}

basin_status basin__index_push(basin_context *context, basin_index_buffer *buffer, uint32_t value)
{
  if (buffer->count == buffer->capacity)
    BASIN_TRY(basin__grow(
        context, &buffer->data, &buffer->capacity, buffer->count + 1, sizeof(uint32_t)));
  buffer->data[buffer->count++] = value;
  return BASIN_OK;
}

void basin__index_fini(basin_context *context, basin_index_buffer *buffer)
{
  basin__array_free(context, buffer->data, buffer->capacity, sizeof(uint32_t));
  *buffer = (basin_index_buffer){0};
}

basin_status basin__index_release(basin_context *context,
                                  basin_index_buffer *buffer,
                                  size_t arity,
                                  basin_mesh_indices *result)
{
  uint32_t *data = NULL;
  const basin_status status = basin__array_alloc(context, buffer->count, sizeof(uint32_t), &data);
  if (status == BASIN_OK) {
    if (data) memcpy(data, buffer->data, buffer->count * sizeof(uint32_t));
    *result = (basin_mesh_indices){data, buffer->count / arity, arity, context};
  }
  basin__index_fini(context, buffer);
  return status;
}

void basin_mesh_indices_fini(basin_mesh_indices *indices)
{
  if (!indices) return;
  basin__array_free(
      indices->context, indices->data, indices->count * indices->arity, sizeof(uint32_t));
  *indices = (basin_mesh_indices){0};
}

/* ---- life ---- */

basin_status basin_mesh_create(basin_context *context, unsigned dim, basin_mesh **mesh)
{
  *mesh = NULL;
  if (dim != 2 && dim != 3)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "a mesh has dim 2 or 3, not %u", dim);
  basin_mesh *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  made->dim = dim;
  *mesh = made;
  return BASIN_OK;
}

static void free_contents(basin_mesh *mesh)
{
  basin_context *context = mesh->context;
  basin__array_free(context, mesh->points, mesh->point_capacity, sizeof(double));
  for (int kind = 0; kind < BASIN_MESH_KIND_COUNT; ++kind)
    basin__index_fini(context, &mesh->cells[kind]);
  for (size_t g = 0; g < mesh->group_count; ++g) {
    basin__strfree(context, mesh->groups[g].name);
    basin__index_fini(context, &mesh->groups[g].indices);
  }
  basin__array_free(context, mesh->groups, mesh->group_capacity, sizeof *mesh->groups);
}

void basin_mesh_destroy(basin_mesh *mesh)
{
  if (!mesh) return;
  free_contents(mesh);
  basin__free(mesh->context, mesh, sizeof *mesh);
}

void basin__mesh_replace(basin_mesh *mesh, basin_mesh *from)
{
  const basin_mesh old = *mesh;
  *mesh = *from;
  *from = old;
  basin_mesh_destroy(from);
}

basin_status basin_mesh_copy(const basin_mesh *mesh, basin_mesh **copy)
{
  return basin_mesh_join(mesh->context, 1, &mesh, copy);
}

/* ---- points and cells ---- */

basin_status basin__mesh_reserve_points(basin_mesh *mesh, size_t count)
{
  if (count > BASIN_MESH_MAX_COUNT)
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_RANGE, "%zu points are too many (32-bit indices)", count);
  return basin__grow(
      mesh->context, &mesh->points, &mesh->point_capacity, count * mesh->dim, sizeof(double));
}

basin_status basin__mesh_add_point(basin_mesh *mesh, const double *point)
{
  const size_t need = (mesh->point_count + 1) * mesh->dim;
  if (need > mesh->point_capacity)
    BASIN_TRY(basin__mesh_reserve_points(mesh, mesh->point_count + 1));
  memcpy(mesh->points + mesh->point_count * mesh->dim, point, mesh->dim * sizeof(double));
  ++mesh->point_count;
  return BASIN_OK;
}

basin_status basin__mesh_add_cell(basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *corners)
{
  basin_index_buffer *cells = &mesh->cells[kind];
  const unsigned arity = kinds[kind].arity;
  if (cells->count / arity >= BASIN_MESH_MAX_COUNT)
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_RANGE, "too many %s (32-bit indices)", kinds[kind].name);
  if (cells->count + arity > cells->capacity)
    BASIN_TRY(basin__grow(
        mesh->context, &cells->data, &cells->capacity, cells->count + arity, sizeof(uint32_t)));
  memcpy(cells->data + cells->count, corners, arity * sizeof(uint32_t));
  cells->count += arity;
  return BASIN_OK;
}

static basin_status check_points(
    basin_context *context, const double *points, size_t count, unsigned dim, const char *where)
{
  for (size_t i = 0; i < count * dim; ++i)
    if (!isfinite(points[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "%scoordinate %zu of point %zu is %g",
                        where,
                        i % dim,
                        i / dim,
                        points[i]);
  return BASIN_OK;
}

static basin_status check_corners(basin_context *context,
                                  const uint32_t *cells,
                                  size_t count,
                                  basin_mesh_kind kind,
                                  size_t points,
                                  const char *where)
{
  const unsigned arity = kinds[kind].arity;
  for (size_t i = 0; i < count * arity; ++i)
    if (cells[i] >= points)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "%scorner %zu of cell %zu of the %s is point %u of %zu",
                        where,
                        i % arity,
                        i / arity,
                        kinds[kind].name,
                        cells[i],
                        points);
  return BASIN_OK;
}

basin_status basin__mesh_validate(const basin_mesh *mesh, const char *where)
{
  BASIN_TRY(check_points(mesh->context, mesh->points, mesh->point_count, mesh->dim, where));
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind) {
    const basin_index_buffer *cells = &mesh->cells[kind];
    BASIN_TRY(check_corners(mesh->context,
                            cells->data,
                            cells->count / kinds[kind].arity,
                            (basin_mesh_kind)kind,
                            mesh->point_count,
                            where));
  }
  return BASIN_OK;
}

/* Would `count` points still cover all cells and point groups? */
static basin_status check_point_count(const basin_mesh *mesh, size_t count)
{
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind) {
    const basin_index_buffer *cells = &mesh->cells[kind];
    BASIN_TRY(check_corners(mesh->context,
                            cells->data,
                            cells->count / kinds[kind].arity,
                            (basin_mesh_kind)kind,
                            count,
                            "set_points: "));
  }
  for (size_t g = 0; g < mesh->group_count; ++g) {
    const basin_named_set *group = &mesh->groups[g];
    if (group->kind != BASIN_MESH_POINT) continue;
    for (size_t i = 0; i < group->indices.count; ++i)
      if (group->indices.data[i] >= count)
        return BASIN_FAIL(mesh->context,
                          BASIN_ERROR_RANGE,
                          "set_points: group '%s' has point %u, but there are %zu",
                          group->name,
                          group->indices.data[i],
                          count);
  }
  return BASIN_OK;
}

basin_status basin_mesh_set_points(basin_mesh *mesh, size_t count, const double *points)
{
  if (count > 0 && !points)
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_ARGUMENT, "set_points: %zu points, but no data", count);
  BASIN_TRY(check_points(mesh->context, points, count, mesh->dim, "set_points: "));
  if (count < mesh->point_count) BASIN_TRY(check_point_count(mesh, count));
  BASIN_TRY(basin__mesh_reserve_points(mesh, count));
  if (count > 0) memmove(mesh->points, points, count * mesh->dim * sizeof(double));
  mesh->point_count = count;
  return BASIN_OK;
}

basin_status
basin_mesh_set_cells(basin_mesh *mesh, basin_mesh_kind kind, size_t count, const uint32_t *cells)
{
  basin_context *context = mesh->context;
  if ((unsigned)kind >= BASIN_MESH_KIND_COUNT || kind == BASIN_MESH_POINT)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "set_cells: %s are no cells", basin_mesh_kind_name(kind));
  if (count > BASIN_MESH_MAX_COUNT)
    return BASIN_FAIL(context, BASIN_ERROR_RANGE, "set_cells: %zu cells are too many", count);
  if (count > 0 && !cells)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "set_cells: %zu cells, but no data", count);
  BASIN_TRY(check_corners(context, cells, count, kind, mesh->point_count, "set_cells: "));
  basin_index_buffer *buffer = &mesh->cells[kind];
  const size_t entries = count * kinds[kind].arity;
  BASIN_TRY(basin__grow(context, &buffer->data, &buffer->capacity, entries, sizeof(uint32_t)));
  if (count > 0) memmove(buffer->data, cells, entries * sizeof(uint32_t));
  buffer->count = entries;
  basin__mesh_drop_groups(mesh, kind);
  return BASIN_OK;
}

/* ---- looking ---- */

basin_context *basin_mesh_context(const basin_mesh *mesh)
{
  return mesh->context;
}

unsigned basin_mesh_dim(const basin_mesh *mesh)
{
  return mesh->dim;
}

size_t basin_mesh_count(const basin_mesh *mesh, basin_mesh_kind kind)
{
  if (kind == BASIN_MESH_POINT) return mesh->point_count;
  if ((unsigned)kind >= BASIN_MESH_KIND_COUNT) return 0;
  return mesh->cells[kind].count / kinds[kind].arity;
}

const double *basin_mesh_points(const basin_mesh *mesh)
{
  return mesh->point_count ? mesh->points : NULL;
}

const uint32_t *basin_mesh_cells(const basin_mesh *mesh, basin_mesh_kind kind)
{
  if ((unsigned)kind >= BASIN_MESH_KIND_COUNT || mesh->cells[kind].count == 0) return NULL;
  return mesh->cells[kind].data;
}

void basin__mesh_point(const basin_mesh *mesh, uint32_t index, double point[3])
{
  const double *x = mesh->points + (size_t)index * mesh->dim;
  point[0] = x[0];
  point[1] = x[1];
  point[2] = mesh->dim == 3 ? x[2] : 0.0;
}
