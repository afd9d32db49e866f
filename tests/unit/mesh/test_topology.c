/* Tests of surfaces, edges and hinges: small cases by hand, generated meshes by Euler's formula and
 * the divergence theorem. SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

static void surface_of_two_tets(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = two_tets(context), *surface;
  /* A triangle inside (the shared face), one on the boundary, one of a shell. */
  const uint32_t triangles[9] = {1, 2, 3, 0, 1, 2, 0, 1, 5};
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 3, triangles));
  assert_ok(basin_mesh_surface(mesh, &surface));
  const uint32_t expected[21] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 4, 1, 2, 4, 2, 3, 4, 3, 1, 0, 1, 5};
  assert_int_equal(basin_mesh_count(surface, BASIN_MESH_TRIANGLE), 7);
  assert_memory_equal(basin_mesh_cells(surface, BASIN_MESH_TRIANGLE), expected, sizeof expected);
  assert_int_equal(basin_mesh_count(surface, BASIN_MESH_POINT), 7);
  assert_int_equal(basin_mesh_count(surface, BASIN_MESH_EDGE), 1);
  basin_mesh_destroy(surface);

  /* The same with negative tets: still outward. */
  const uint32_t negative[8] = {0, 1, 3, 2, 4, 2, 3, 1};
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 0, NULL));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 2, negative));
  assert_ok(basin_mesh_surface(mesh, &surface));
  assert_near(enclosed_volume(surface), 0.5, 1e-15); /* 1/6 + 1/3 */
  basin_mesh_destroy(surface);

  const uint32_t three[12] = {0, 1, 2, 3, 4, 2, 1, 3, 5, 2, 1, 3};
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 3, three));
  assert_int_equal(basin_mesh_surface(mesh, &surface), BASIN_ERROR_ARGUMENT);
  assert_non_null(strstr(basin_error_last(context)->message, "3 tets share the face (1, 2, 3)"));
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void edges_of_a_grid(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_grid_options options = basin_mesh_grid_defaults();
  options.nx = 3;
  basin_mesh *grid;
  assert_ok(basin_mesh_grid(context, &options, &grid));
  basin_mesh_indices edges, hinges, boundary;
  assert_ok(basin_mesh_unique_edges(grid, 0, &edges));
  const uint32_t expected[18] = {0, 1, 0, 3, 1, 2, 1, 3, 1, 4, 2, 4, 2, 5, 3, 4, 4, 5};
  assert_int_equal(edges.count, 9);
  assert_memory_equal(edges.data, expected, sizeof expected);
  /* Triangles (0 1 3) (1 4 3) (1 2 4) (2 5 4): the edge 1-3 runs up in the first and down in the
   * second. */
  size_t skipped;
  assert_ok(basin_mesh_hinges(grid, &hinges, &skipped));
  const uint32_t pairs[12] = {1, 3, 0, 4, 1, 4, 3, 2, 2, 4, 1, 5};
  assert_int_equal(hinges.count, 3);
  assert_int_equal(skipped, 0);
  assert_memory_equal(hinges.data, pairs, sizeof pairs);
  assert_ok(basin_mesh_boundary_edges(grid, &boundary));
  const uint32_t sides[12] = {0, 1, 3, 0, 1, 2, 2, 5, 4, 3, 5, 4};
  assert_int_equal(boundary.count, 6);
  assert_memory_equal(boundary.data, sides, sizeof sides);
  basin_mesh_indices_fini(&boundary);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_indices_fini(&edges);
  basin_mesh_destroy(grid);
  basin_context_destroy(context);
}

static void crowded_edges_make_no_hinges(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *fan;
  const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0};
  const uint32_t triangles[9] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
  assert_ok(basin_mesh_create(context, 3, &fan));
  assert_ok(basin_mesh_set_points(fan, 5, points));
  assert_ok(basin_mesh_set_cells(fan, BASIN_MESH_TRIANGLE, 3, triangles));
  basin_mesh_indices hinges;
  size_t skipped;
  assert_ok(basin_mesh_hinges(fan, &hinges, &skipped));
  assert_int_equal(hinges.count, 0);
  assert_int_equal(skipped, 1);
  basin_mesh_indices_fini(&hinges);
  /* Two triangles that run alike: the earlier one first. */
  assert_ok(basin_mesh_set_cells(fan, BASIN_MESH_TRIANGLE, 2, triangles));
  assert_ok(basin_mesh_hinges(fan, &hinges, NULL));
  const uint32_t row[4] = {0, 1, 2, 3};
  assert_int_equal(hinges.count, 1);
  assert_memory_equal(hinges.data, row, sizeof row);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_destroy(fan);
  basin_context_destroy(context);
}

/* Closed, of the Euler characteristic, and enclosing the volume of the tets. */
static void check_solid(const basin_mesh *solid, long euler, double tolerance)
{
  basin_mesh *surface;
  basin_mesh_indices edges, open, points, hinges;
  assert_ok(basin_mesh_surface(solid, &surface));
  assert_ok(basin_mesh_unique_edges(surface, 0, &edges));
  assert_ok(basin_mesh_boundary_edges(surface, &open));
  assert_ok(basin_mesh_surface_points(solid, &points));
  assert_ok(basin_mesh_hinges(surface, &hinges, NULL));
  assert_int_equal(open.count, 0);
  assert_int_equal(hinges.count, edges.count);
  assert_int_equal((long)points.count - (long)edges.count +
                       (long)basin_mesh_count(surface, BASIN_MESH_TRIANGLE),
                   euler);
  const double volume = total_measure(solid, BASIN_MESH_TET);
  assert_near(enclosed_volume(surface), volume, tolerance * volume);
  basin_mesh_indices_fini(&hinges);
  basin_mesh_indices_fini(&points);
  basin_mesh_indices_fini(&open);
  basin_mesh_indices_fini(&edges);
  basin_mesh_destroy(surface);
}

static void surfaces_of_solids(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_box_options options = basin_mesh_box_defaults();
  options.nx = 4;
  options.ny = 3;
  options.nz = 5;
  basin_mesh *solid, *pair;
  assert_ok(basin_mesh_tet_box(context, &options, &solid));
  check_solid(solid, 2, 1e-13);
  assert_ok(basin_mesh_copies(solid, 2, (const double[]){0, 0, 0, 3, 0, 0}, &pair));
  check_solid(pair, 4, 1e-13); /* two spheres */
  basin_mesh_destroy(pair);
  basin_mesh_destroy(solid);
  assert_ok(basin_mesh_tet_sphere(context, 2, 4, 1.0, &solid));
  check_solid(solid, 2, 1e-13);
  basin_mesh_destroy(solid);
  basin_context_destroy(context);
}

static void surface_of_a_ring(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_box_options options = basin_mesh_box_defaults();
  options.nx = options.ny = 3;
  basin_mesh *box;
  assert_ok(basin_mesh_tet_box(context, &options, &box));
  /* Without the middle cell (cell 4 of 9) the box is a torus. */
  uint32_t tets[54 * 4];
  const uint32_t *all = basin_mesh_cells(box, BASIN_MESH_TET);
  memcpy(tets, all, 24 * 4 * sizeof *tets);
  memcpy(tets + 24 * 4, all + 30 * 4, 24 * 4 * sizeof *tets);
  assert_ok(basin_mesh_set_cells(box, BASIN_MESH_TET, 48, tets));
  check_solid(box, 0, 1e-13);
  basin_mesh_destroy(box);
  basin_context_destroy(context);
}

static void boundary_points(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_grid_options options = basin_mesh_grid_defaults();
  options.nx = 4;
  options.ny = 3;
  options.dim = 2;
  basin_mesh *mesh;
  basin_mesh_indices points;
  const char *name = "boundary";
  assert_ok(basin_mesh_grid(context, &options, &mesh));
  assert_ok(basin_mesh_select_points(mesh, 1, &name, &points));
  const uint32_t around[10] = {0, 1, 2, 3, 4, 7, 8, 9, 10, 11};
  assert_int_equal(points.count, 10);
  assert_memory_equal(points.data, around, sizeof around);
  basin_mesh_indices_fini(&points);
  basin_mesh_destroy(mesh);
  const double from[2] = {0, 0}, to[2] = {1, 2};
  assert_ok(basin_mesh_line(context, 2, from, to, 5, &mesh));
  assert_ok(basin_mesh_boundary_points(mesh, &points));
  assert_int_equal(points.count, 2);
  assert_int_equal(points.data[1], 4);
  basin_mesh_indices_fini(&points);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surface_of_two_tets),
      cmocka_unit_test(edges_of_a_grid),
      cmocka_unit_test(crowded_edges_make_no_hinges),
      cmocka_unit_test(surfaces_of_solids),
      cmocka_unit_test(surface_of_a_ring),
      cmocka_unit_test(boundary_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
