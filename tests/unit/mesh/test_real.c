/* Tests on real meshes: sizes, closedness, volume and area as published with the files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

typedef struct real_case {
  const char *file;
  size_t points, tets, surface_triangles, surface_edges, surface_points;
  double volume, area;
} real_case;

/* Counted from the files; volumes exact by two routes. */
static const real_case real_cases[] = {
    {MESHES "bunny0.msh", 1869, 7356, 2152, 3228, 1078, 0.8322204057910466, 6.903276667136598},
    {MESHES "cube.msh", 8, 6, 12, 18, 8, 1.0, 6.0},
    {MESHES "erleben_spike.msh",
     5,
     2,
     6,
     9,
     5,
     1.0,
     1.0 + 2.0 * 3.0413812651491097}, /* slant height sqrt(9.25) */
    {MESHES "erleben_wedge.msh", 6, 3, 8, 12, 6, 3.0, 17.165525060596437},
    {MESHES "erleben_cliff.obj", 8, 0, 12, 18, 8, 1.5833333333333333, 8.403882032022075},
    {MESHES "erleben_crack.obj", 20, 0, 36, 54, 20, 7.0, 29.15685424949238},
    {MESHES "erleben_internal_edges.obj", 14, 0, 24, 36, 14, 4.0, 16.0},
    {MESHES "link.msh", 491, 1499, 796, 1194, 398, 0.1020199941613172, 2.15510642447933},
    {MESHES "mat20x20.msh", 800, 2166, 1596, 2394, 800, 0.013, 2.052},
    {MESHES "sphere1K.msh", 1760, 6851, 2474, 3711, 1239, 0.5184769746175648, 3.1235668520570137},
    /* Of this project: outer box minus inner box. */
    {BASIN_TEST_DATA_DIR "/../../examples/data/container.obj",
     16,
     0,
     28,
     42,
     16,
     0.9 * 0.65 * 0.9 - 0.8 * 0.6 * 0.8,
     0.9 * 0.9 * 2 + 4 * 0.9 * 0.65 + 4 * 0.8 * 0.6},
};

static void check_case(basin_context *context, const real_case *c)
{
  basin_mesh *mesh = read_mesh(context, c->file), *surface;
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), c->points);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TET), c->tets);
  size_t flipped;
  assert_ok(basin_mesh_orient(mesh, &flipped));
  assert_int_equal(flipped, 0);
  assert_ok(basin_mesh_surface(mesh, &surface));
  assert_int_equal(basin_mesh_count(surface, BASIN_MESH_TRIANGLE), c->surface_triangles);
  basin_mesh_indices edges, points, open, hinges;
  assert_ok(basin_mesh_unique_edges(surface, 0, &edges));
  assert_ok(basin_mesh_surface_points(mesh, &points));
  assert_ok(basin_mesh_boundary_edges(surface, &open));
  assert_ok(basin_mesh_hinges(surface, &hinges, NULL));
  assert_int_equal(edges.count, c->surface_edges);
  assert_int_equal(points.count, c->surface_points);
  assert_int_equal(open.count, 0);
  assert_int_equal(hinges.count, c->surface_edges);
  assert_near(enclosed_volume(surface), c->volume, 1e-10 * c->volume);
  if (c->tets) assert_near(total_measure(mesh, BASIN_MESH_TET), c->volume, 1e-10 * c->volume);
  assert_near(total_measure(surface, BASIN_MESH_TRIANGLE), c->area, 1e-9 * c->area);

  basin_mesh_indices map;
  assert_ok(basin_mesh_compact(surface, &map));
  assert_int_equal(map.count, c->surface_points);
  assert_memory_equal(map.data, points.data, points.count * sizeof(uint32_t));
  assert_near(enclosed_volume(surface), c->volume, 1e-10 * c->volume);
  basin_mesh_indices_fini(&map);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_indices_fini(&open);
  basin_mesh_indices_fini(&points);
  basin_mesh_indices_fini(&edges);
  basin_mesh_destroy(surface);
  basin_mesh_destroy(mesh);
}

static void published_sizes(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (size_t k = 0; k < BASIN_COUNT(real_cases); ++k) check_case(context, &real_cases[k]);
  basin_context_destroy(context);
}

/* Reading and the operations on a real mesh, with the n-th allocation failing: an error, nothing
 * lost, and the same calls work afterwards. */
static basin_status work(basin_context *context)
{
  basin_mesh *mesh = NULL, *surface = NULL, *copies = NULL;
  basin_mesh_indices edges = {0}, hinges = {0}, map = {0};
  basin_mesh_moments moments;
  basin_status status = basin_mesh_read(context, MESHES "erleben_wedge.msh", NULL, &mesh);
  if (status == BASIN_OK)
    status = basin_mesh_copies(mesh, 2, (const double[]){0, 0, 0, 9, 9, 9}, &copies);
  if (status == BASIN_OK) status = basin_mesh_surface(copies, &surface);
  if (status == BASIN_OK) status = basin_mesh_unique_edges(surface, 0, &edges);
  if (status == BASIN_OK) status = basin_mesh_hinges(surface, &hinges, NULL);
  if (status == BASIN_OK) status = basin_mesh_weld(surface, 1e-9, NULL);
  if (status == BASIN_OK) status = basin_mesh_compact(surface, &map);
  if (status == BASIN_OK) status = basin_mesh_affine_moments(surface, NULL, &moments);
  basin_mesh_indices_fini(&map);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_indices_fini(&edges);
  basin_mesh_destroy(copies);
  basin_mesh_destroy(surface);
  basin_mesh_destroy(mesh);
  return status;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  assert_non_null(context);
  const size_t blocks = allocator.blocks;
  size_t failures = 0;
  for (size_t n = 1;; ++n) {
    allocator.fail_at = allocator.calls + n;
    const basin_status status = work(context);
    const bool failed = allocator.calls >= allocator.fail_at;
    allocator.fail_at = 0;
    if (!failed) assert_ok(status);
    if (!failed) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    ++failures;
    assert_true(allocator.blocks <= blocks + 2); /* the context keeps the message */
  }
  assert_true(failures > 30);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(published_sizes),
                                     cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
