/* Tests of the generators: counts, order, positions, orientation, sizes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

static void grid_order_and_corners(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_grid_options options = basin_mesh_grid_defaults();
  options.nx = 25;
  options.ny = 25;
  options.width = options.height = 2.0;
  options.dim = 2;
  basin_mesh *grid;
  assert_ok(basin_mesh_grid(context, &options, &grid));
  assert_int_equal(basin_mesh_count(grid, BASIN_MESH_POINT), 625);
  assert_int_equal(basin_mesh_count(grid, BASIN_MESH_TRIANGLE), 2 * 24 * 24);
  basin_mesh_indices edges;
  assert_ok(basin_mesh_unique_edges(grid, 0, &edges));
  assert_int_equal(edges.count, 1776); /* the springs of the 25 x 25 mass-spring reference */
  basin_mesh_indices_fini(&edges);
  const double *x = basin_mesh_points(grid);
  assert_near(x[2 * (3 + 25 * 7)], (3.0 / 24 - 0.5) * 2, 1e-15);
  assert_near(x[2 * (3 + 25 * 7) + 1], (7.0 / 24 - 0.5) * 2, 1e-15);
  const uint32_t first[6] = {0, 1, 25, 1, 26, 25};
  assert_memory_equal(basin_mesh_cells(grid, BASIN_MESH_TRIANGLE), first, sizeof first);
  const char *names[] = {"top_right", "top_left"};
  basin_mesh_indices corners;
  assert_ok(basin_mesh_select_points(grid, 2, names, &corners));
  assert_int_equal(corners.count, 2);
  assert_int_equal(corners.data[0], 600);
  assert_int_equal(corners.data[1], 624);
  basin_mesh_indices_fini(&corners);
  const char *side = "left";
  assert_ok(basin_mesh_select_points(grid, 1, &side, &corners));
  assert_int_equal(corners.count, 25);
  assert_int_equal(corners.data[2], 50);
  basin_mesh_indices_fini(&corners);
  assert_near(
      total_measure(grid, BASIN_MESH_TRIANGLE), 4.0, 1e-13); /* signed: all counter-clockwise */
  basin_mesh_destroy(grid);
  options.nx = 1;
  assert_int_equal(basin_mesh_grid(context, &options, &grid), BASIN_ERROR_ARGUMENT);
  options.nx = (size_t)1 << 40;
  assert_int_equal(basin_mesh_grid(context, &options, &grid), BASIN_ERROR_RANGE);
  options = basin_mesh_grid_defaults();
  options.dim = 5;
  assert_int_equal(basin_mesh_grid(context, &options, &grid), BASIN_ERROR_ARGUMENT);
  options = basin_mesh_grid_defaults();
  options.width = (double)NAN;
  assert_int_equal(basin_mesh_grid(context, &options, &grid), BASIN_ERROR_ARGUMENT);
  basin_context_destroy(context);
}

/* All tets positive, and no smaller than `share` of the mean. */
static void check_tets(const basin_mesh *mesh, double share)
{
  const size_t count = basin_mesh_count(mesh, BASIN_MESH_TET);
  double *volumes = malloc(count * sizeof(double));
  assert_ok(basin_mesh_measure(mesh, BASIN_MESH_TET, volumes));
  const double mean = total_measure(mesh, BASIN_MESH_TET) / (double)count;
  for (size_t t = 0; t < count; ++t) assert_true(volumes[t] >= share * mean);
  free(volumes);
}

static void boxes(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_box_options options = basin_mesh_box_defaults();
  options.nx = 2;
  options.ny = 3;
  options.nz = 4;
  options.width = 1.0;
  options.height = 2.0;
  options.depth = 3.0;
  basin_mesh *box;
  assert_ok(basin_mesh_tet_box(context, &options, &box));
  assert_int_equal(basin_mesh_count(box, BASIN_MESH_POINT), 60);
  assert_int_equal(basin_mesh_count(box, BASIN_MESH_TET), 6 * 24);
  check_tets(box, 1.0 - 1e-12); /* Kuhn's tets are equal in volume */
  assert_near(total_measure(box, BASIN_MESH_TET), 6.0, 1e-13);
  double lower[3], upper[3];
  assert_ok(basin_mesh_bounds(box, lower, upper));
  assert_true(lower[0] == -0.5 && lower[1] == -1.0 && lower[2] == -1.5 && upper[0] == 0.5 &&
              upper[1] == 1.0 && upper[2] == 1.5);
  basin_mesh_group top;
  assert_true(basin_mesh_group_find(box, BASIN_MESH_POINT, "top", &top));
  assert_int_equal(top.count, 3 * 5);
  for (size_t i = 0; i < top.count; ++i)
    assert_true(basin_mesh_points(box)[3 * top.indices[i] + 1] == 1.0);
  basin_mesh_destroy(box);

  assert_ok(basin_mesh_triangle_box(context, &options, &box));
  assert_int_equal(basin_mesh_count(box, BASIN_MESH_TRIANGLE), 4 * (2 * 3 + 3 * 4 + 4 * 2));
  assert_int_equal(basin_mesh_count(box, BASIN_MESH_TET), 0);
  assert_int_equal(basin_mesh_count(box, BASIN_MESH_POINT),
                   60 - 1 * 2 * 3); /* without the inner points */
  assert_near(enclosed_volume(box), 6.0, 1e-13);
  assert_near(total_measure(box, BASIN_MESH_TRIANGLE), 2 * (1 * 2 + 2 * 3 + 3 * 1), 1e-13);
  basin_mesh_destroy(box);
  options.ny = 0;
  assert_int_equal(basin_mesh_tet_box(context, &options, &box), BASIN_ERROR_ARGUMENT);
  options.ny = (size_t)1 << 60;
  assert_int_equal(basin_mesh_triangle_box(context, &options, &box), BASIN_ERROR_RANGE);
  assert_null(box);
  basin_context_destroy(context);
}

static void spheres(void **state)
{
  (void)state;
  const double pi = 3.14159265358979323846;
  basin_context *context = test_context(NULL);
  double last_error = 1.0;
  for (unsigned level = 0; level <= 4; ++level) {
    basin_mesh *sphere;
    assert_ok(basin_mesh_icosphere(context, level, 2.0, &sphere));
    const size_t triangles = (size_t)20 << 2 * level;
    assert_int_equal(basin_mesh_count(sphere, BASIN_MESH_TRIANGLE), triangles);
    assert_int_equal(basin_mesh_count(sphere, BASIN_MESH_POINT), triangles / 2 + 2); /* Euler */
    for (size_t p = 0; p < basin_mesh_count(sphere, BASIN_MESH_POINT); ++p) {
      const double *x = basin_mesh_points(sphere) + 3 * p;
      assert_near(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 2.0, 1e-14);
    }
    const double error = 1.0 - enclosed_volume(sphere) / (4.0 / 3.0 * pi * 8.0);
    assert_true(error > 0.0 && error < (level < 2 ? 0.7 : 0.27) *
                                           last_error); /* second order: a quarter each time */
    last_error = error;
    basin_mesh_destroy(sphere);
  }
  basin_mesh *mesh;
  assert_ok(basin_mesh_uv_sphere(context, 64, 32, 2.0, &mesh));
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 2 * 64 * 31);
  assert_near(enclosed_volume(mesh), 4.0 / 3.0 * pi * 8.0, 0.2);
  basin_mesh_destroy(mesh);

  basin_mesh *ball, *sphere, *surface;
  assert_ok(basin_mesh_tet_sphere(context, 2, 3, 0.5, &ball));
  assert_ok(basin_mesh_icosphere(context, 2, 0.5, &sphere));
  check_tets(ball, 0.05);
  assert_ok(basin_mesh_surface(ball, &surface));
  assert_near(total_measure(ball, BASIN_MESH_TET), enclosed_volume(sphere), 1e-13);
  assert_int_equal(basin_mesh_count(surface, BASIN_MESH_TRIANGLE),
                   basin_mesh_count(sphere, BASIN_MESH_TRIANGLE));
  assert_memory_equal(basin_mesh_points(ball), basin_mesh_points(sphere), 3 * 162 * sizeof(double));
  basin_mesh_destroy(surface);
  basin_mesh_destroy(sphere);
  basin_mesh_destroy(ball);
  assert_int_equal(basin_mesh_icosphere(context, 9, 1.0, &mesh), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_icosphere(context, 1, -1.0, &mesh), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_uv_sphere(context, 2, 2, 1.0, &mesh), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_tet_sphere(context, 1, 0, 1.0, &mesh), BASIN_ERROR_ARGUMENT);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grid_order_and_corners),
      cmocka_unit_test(boxes),
      cmocka_unit_test(spheres),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
