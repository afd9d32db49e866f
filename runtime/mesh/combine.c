/* Meshes from meshes: joining, copies, welding, dropping unused points, splitting quads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

static basin_status append(basin_mesh *to, const basin_mesh *from, const double *offset)
{
  basin_context *context = to->context;
  size_t shift[BASIN_MESH_KIND_COUNT];
  for (int kind = 0; kind < BASIN_MESH_KIND_COUNT; ++kind) {
    shift[kind] = basin_mesh_count(to, (basin_mesh_kind)kind);
    if (shift[kind] + basin_mesh_count(from, (basin_mesh_kind)kind) > BASIN_MESH_MAX_COUNT)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "the joined mesh has too many %s (32-bit indices)",
                        basin_mesh_kind_name((basin_mesh_kind)kind));
  }
  BASIN_TRY(basin__mesh_reserve_points(to, to->point_count + from->point_count));
  const size_t first = to->point_count * to->dim;
  for (size_t i = 0; i < from->point_count * from->dim; ++i) {
    const double x = from->points[i] + (offset ? offset[i % from->dim] : 0.0);
    if (!isfinite(x))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "copies: point %zu moved by its offset is not finite",
                        i / from->dim);
    to->points[first + i] = x;
  }
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind) {
    basin_index_buffer *cells = &to->cells[kind];
    const basin_index_buffer *source = &from->cells[kind];
    BASIN_TRY(basin__grow(
        context, &cells->data, &cells->capacity, cells->count + source->count, sizeof(uint32_t)));
    for (size_t i = 0; i < source->count; ++i)
      cells->data[cells->count++] = source->data[i] + (uint32_t)shift[BASIN_MESH_POINT];
  }
  to->point_count += from->point_count;
  return basin__mesh_copy_groups(from, to, shift);
}

basin_status basin_mesh_join(basin_context *context,
                             size_t count,
                             const basin_mesh *const *meshes,
                             basin_mesh **joined)
{
  *joined = NULL;
  if (count == 0)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "join: there is no mesh to join");
  for (size_t m = 0; m < count; ++m)
    if (meshes[m]->dim != meshes[0]->dim)
      return BASIN_FAIL(context,
                        BASIN_ERROR_SHAPE,
                        "join: mesh %zu has dim %u, the first has dim %u",
                        m,
                        meshes[m]->dim,
                        meshes[0]->dim);
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, meshes[0]->dim, &made));
  for (size_t m = 0; m < count; ++m) {
    const basin_status status = append(made, meshes[m], NULL);
    if (status != BASIN_OK) {
      basin_mesh_destroy(made);
      return status;
    }
  }
  *joined = made;
  return BASIN_OK;
}

basin_status
basin_mesh_copies(const basin_mesh *mesh, size_t count, const double *offsets, basin_mesh **copies)
{
  basin_context *context = mesh->context;
  *copies = NULL;
  if (count == 0 || !offsets)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "copies: there is no offset");
  for (size_t i = 0; i < count * mesh->dim; ++i)
    if (!isfinite(offsets[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "copies: coordinate %zu of offset %zu is %g",
                        i % mesh->dim,
                        i / mesh->dim,
                        offsets[i]);
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, mesh->dim, &made));
  for (size_t k = 0; k < count; ++k) {
    const basin_status status = append(made, mesh, offsets + k * mesh->dim);
    if (status != BASIN_OK) {
      basin_mesh_destroy(made);
      return status;
    }
  }
  *copies = made;
  return BASIN_OK;
}

/* ---- triangles from quads ---- */

static basin_status split_quads(basin_mesh *mesh)
{
  const basin_index_buffer *quads = &mesh->cells[BASIN_MESH_QUAD];
  const size_t first = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE);
  for (size_t q = 0; q < quads->count; q += 4) {
    const uint32_t *c = quads->data + q;
    BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, c));
    BASIN_TRY(
        basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){c[0], c[2], c[3]}));
  }
  for (size_t g = 0, count = mesh->group_count; g < count; ++g) {
    if (mesh->groups[g].kind != BASIN_MESH_QUAD) continue;
    basin_named_set *halves;
    BASIN_TRY(basin__mesh_group(mesh, BASIN_MESH_TRIANGLE, mesh->groups[g].name, &halves));
    const basin_index_buffer members = mesh->groups[g].indices;
    for (size_t i = 0; i < members.count * 2; ++i)
      BASIN_TRY(basin__index_push(mesh->context,
                                  &halves->indices,
                                  (uint32_t)(first + (size_t)members.data[i / 2] * 2 + i % 2)));
  }
  mesh->cells[BASIN_MESH_QUAD].count = 0;
  basin__mesh_drop_groups(mesh, BASIN_MESH_QUAD);
  return BASIN_OK;
}

basin_status basin_mesh_triangulate(basin_mesh *mesh)
{
  if (mesh->cells[BASIN_MESH_QUAD].count == 0) return BASIN_OK;
  basin_mesh *split;
  BASIN_TRY(basin_mesh_copy(mesh, &split));
  const basin_status status = split_quads(split);
  if (status == BASIN_OK)
    basin__mesh_replace(mesh, split);
  else
    basin_mesh_destroy(split);
  return status;
}

/* ---- renumbering ---- */

static bool has_repeated_corner(const uint32_t *corners, unsigned arity)
{
  for (unsigned a = 0; a < arity; ++a)
    for (unsigned b = a + 1; b < arity; ++b)
      if (corners[a] == corners[b]) return true;
  return false;
}

/* Renumbers the corners of one kind and drops the cells that collapsed; *scratch has room for one
 * entry a cell. */
static void
renumber_cells(basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *map, uint32_t *scratch)
{
  basin_index_buffer *cells = &mesh->cells[kind];
  const unsigned arity = basin_mesh_arity(kind);
  uint32_t kept = 0;
  for (size_t c = 0; c < cells->count / arity; ++c) {
    uint32_t corners[4];
    const uint32_t *old = cells->data + c * arity;
    for (unsigned k = 0; k < arity; ++k) corners[k] = map[old[k]];
    const bool drop = has_repeated_corner(corners, arity) && !has_repeated_corner(old, arity);
    scratch[c] = drop ? BASIN_MESH_NONE : kept;
    if (drop) continue;
    memcpy(cells->data + (size_t)kept * arity, corners, arity * sizeof(uint32_t));
    ++kept;
  }
  cells->count = (size_t)kept * arity;
  basin__mesh_remap_groups(mesh, kind, scratch);
}

/* Keeps the points with map[p] != NONE that come first at their new number; map is onto 0 .. kept
 * - 1. */
static basin_status renumber(basin_mesh *mesh, const uint32_t *map, size_t kept)
{
  size_t most = 0;
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind)
    if (basin_mesh_count(mesh, (basin_mesh_kind)kind) > most)
      most = basin_mesh_count(mesh, (basin_mesh_kind)kind);
  uint32_t *scratch;
  BASIN_TRY(basin__array_alloc(mesh->context, most, sizeof(uint32_t), &scratch));
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind)
    renumber_cells(mesh, (basin_mesh_kind)kind, map, scratch);
  basin__array_free(mesh->context, scratch, most, sizeof(uint32_t));
  size_t next = 0;
  for (size_t p = 0; p < mesh->point_count; ++p)
    if (map[p] == next) { /* the first point with this number: numbers appear in ascending order */
      memmove(mesh->points + next * mesh->dim,
              mesh->points + p * mesh->dim,
              mesh->dim * sizeof(double));
      ++next;
    }
  BASIN_ASSERT(next == kept);
  mesh->point_count = kept;
  basin__mesh_remap_groups(mesh, BASIN_MESH_POINT, map);
  return BASIN_OK;
}

basin_status basin_mesh_compact(basin_mesh *mesh, basin_mesh_indices *map)
{
  basin_context *context = mesh->context;
  if (map) *map = (basin_mesh_indices){0};
  basin_mesh_indices used = {0};
  BASIN_TRY(basin_mesh_used_points(mesh, 0, &used));
  const size_t before = mesh->point_count;
  uint32_t *renumbering = NULL;
  basin_status status = basin__array_alloc(context, before, sizeof(uint32_t), &renumbering);
  if (status == BASIN_OK) {
    for (size_t p = 0; p < before; ++p) renumbering[p] = BASIN_MESH_NONE;
    for (size_t i = 0; i < used.count; ++i) renumbering[used.data[i]] = (uint32_t)i;
    status = renumber(mesh, renumbering, used.count);
    basin__array_free(context, renumbering, before, sizeof(uint32_t));
  }
  if (status == BASIN_OK && map)
    *map = used;
  else
    basin_mesh_indices_fini(&used);
  return status;
}

/* ---- welding ---- */

/* A hash grid of the points kept so far: chains of points by cell. Cells are a tolerance wide
 * (equal coordinates for 0). */
typedef struct weld_grid {
  const basin_mesh *mesh;
  double tolerance;
  uint32_t *heads, *next;
  size_t head_count;
} weld_grid;

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash ^= value;
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

/* The cell number along an axis, as a double so that nothing overflows; for tolerance 0 the
 * coordinate (-0 as 0). */
static double cell_of(const weld_grid *grid, double x)
{
  return grid->tolerance > 0.0 ? floor(x / grid->tolerance) : x;
}

static size_t slot_of(const weld_grid *grid, const double cell[3])
{
  uint64_t hash = 0;
  for (int i = 0; i < 3; ++i) {
    const double value = cell[i] + 0.0; /* -0 + 0 = 0 */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = mix(hash, bits);
  }
  return (size_t)(hash >> 17) & (grid->head_count - 1);
}

static bool close_enough(const weld_grid *grid, const double a[3], uint32_t other)
{
  double b[3];
  basin__mesh_point(grid->mesh, other, b);
  if (grid->tolerance > 0.0)
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) <= grid->tolerance;
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The earliest kept point within the tolerance, or NONE. */
static uint32_t find_close(const weld_grid *grid, const double x[3])
{
  const int reach = grid->tolerance > 0.0 ? 1 : 0;
  uint32_t best = BASIN_MESH_NONE;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) {
        const double cell[3] = {
            cell_of(grid, x[0]) + i, cell_of(grid, x[1]) + j, cell_of(grid, x[2]) + k};
        for (uint32_t p = grid->heads[slot_of(grid, cell)]; p != BASIN_MESH_NONE; p = grid->next[p])
          if (p < best && close_enough(grid, x, p)) best = p;
      }
  return best;
}

/* map[p] = new number of point p; *kept = how many there are. */
static void weld_points(weld_grid *grid, uint32_t *map, size_t *kept)
{
  *kept = 0;
  for (size_t h = 0; h < grid->head_count; ++h) grid->heads[h] = BASIN_MESH_NONE;
  for (size_t p = 0; p < grid->mesh->point_count; ++p) {
    double x[3];
    basin__mesh_point(grid->mesh, (uint32_t)p, x);
    const uint32_t other = find_close(grid, x);
    if (other != BASIN_MESH_NONE) {
      map[p] = map[other];
      continue;
    }
    const double cell[3] = {cell_of(grid, x[0]), cell_of(grid, x[1]), cell_of(grid, x[2])};
    const size_t slot = slot_of(grid, cell);
    grid->next[p] = grid->heads[slot];
    grid->heads[slot] = (uint32_t)p;
    map[p] = (uint32_t)(*kept)++;
  }
}

basin_status basin_mesh_weld(basin_mesh *mesh, double tolerance, basin_mesh_indices *map)
{
  basin_context *context = mesh->context;
  if (map) *map = (basin_mesh_indices){0};
  if (!(tolerance >= 0.0) || !isfinite(tolerance))
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "weld: the tolerance must be at least 0, not %g", tolerance);
  const size_t count = mesh->point_count;
  weld_grid grid = {.mesh = mesh, .tolerance = tolerance, .head_count = 16};
  while (grid.head_count < count) grid.head_count *= 2;
  uint32_t *numbers = NULL;
  size_t kept = 0;
  basin_status status = basin__array_alloc(context, grid.head_count, sizeof(uint32_t), &grid.heads);
  if (status == BASIN_OK) status = basin__array_alloc(context, count, sizeof(uint32_t), &grid.next);
  if (status == BASIN_OK) status = basin__array_alloc(context, count, sizeof(uint32_t), &numbers);
  if (status == BASIN_OK) {
    weld_points(&grid, numbers, &kept);
    status = renumber(mesh, numbers, kept);
  }
  basin__array_free(context, grid.heads, grid.head_count, sizeof(uint32_t));
  basin__array_free(context, grid.next, count, sizeof(uint32_t));
  if (status == BASIN_OK && map)
    *map = (basin_mesh_indices){numbers, count, 1, context};
  else
    basin__array_free(context, numbers, count, sizeof(uint32_t));
  return status;
}
