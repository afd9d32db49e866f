/* Any bytes given to each mesh reader: refused with a message, or a mesh whose indices are in
 * range, whose coordinates are finite, and on which the queries work. SPDX-License-Identifier:
 * Apache-2.0 */
#include <basin/mesh.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mesh(const basin_mesh *mesh)
{
  const size_t points = basin_mesh_count(mesh, BASIN_MESH_POINT);
  for (size_t i = 0; i < points * 3; ++i)
    if (!isfinite(basin_mesh_points(mesh)[i])) abort();
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind)
    for (size_t i = 0; i < basin_mesh_count(mesh, (basin_mesh_kind)kind) *
                               basin_mesh_arity((basin_mesh_kind)kind);
         ++i)
      if (basin_mesh_cells(mesh, (basin_mesh_kind)kind)[i] >= points) abort();
  basin_mesh_group group;
  for (size_t g = 0; basin_mesh_group_at(mesh, g, &group); ++g)
    for (size_t i = 0; i < group.count; ++i)
      if (group.indices[i] >= basin_mesh_count(mesh, group.kind)) abort();
}

/* Failures are fine here: a mesh may be wrong in ways that only a query finds. */
static void use_mesh(basin_mesh *mesh)
{
  basin_mesh_indices edges = {0}, hinges = {0};
  basin_mesh_moments moments;
  basin_mesh *surface = NULL;
  if (basin_mesh_surface(mesh, &surface) == BASIN_OK) check_mesh(surface);
  basin_mesh_unique_edges(mesh, 0, &edges);
  basin_mesh_hinges(mesh, &hinges, NULL);
  basin_mesh_affine_moments(mesh, NULL, &moments);
  if (basin_mesh_weld(mesh, 1e-3, NULL) == BASIN_OK) check_mesh(mesh);
  if (basin_mesh_compact(mesh, NULL) == BASIN_OK) check_mesh(mesh);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_indices_fini(&edges);
  basin_mesh_destroy(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  basin_context *context = basin_context_create(&options);
  if (!context) return 0;
  for (int format = BASIN_MESH_FORMAT_OBJ; format < BASIN_MESH_FORMAT_COUNT; ++format) {
    basin_mesh_read_options read = basin_mesh_read_defaults();
    read.format = (basin_mesh_format)format;
    read.keep_quads = size % 2 == 1;
    basin_mesh *mesh;
    if (basin_mesh_read_memory(context, "input", data, size, &read, &mesh) != BASIN_OK) {
      if (mesh || basin_error_last(context)->code == BASIN_OK) abort();
      continue;
    }
    check_mesh(mesh);
    use_mesh(mesh);
    basin_mesh_destroy(mesh);
  }
  basin_context_destroy(context);
  return 0;
}
