/* Tests of the mesh object: points, cells, groups, selections, and what each refuses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

static void refuses_bad_input(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh;
  assert_int_equal(basin_mesh_create(context, 4, &mesh), BASIN_ERROR_ARGUMENT);
  assert_null(mesh);
  mesh = two_tets(context);

  const double bad[6] = {0, 0, 0, 1, (double)NAN, 0};
  assert_int_equal(basin_mesh_set_points(mesh, 2, bad), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(context)->message, "coordinate 1 of point 1 is nan"));
  const double few[3] = {0, 0, 0};
  assert_int_equal(basin_mesh_set_points(mesh, 1, few), BASIN_ERROR_RANGE);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 7);

  const uint32_t outside[3] = {0, 1, 7};
  assert_int_equal(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 1, outside), BASIN_ERROR_RANGE);
  assert_non_null(strstr(basin_error_last(context)->message,
                         "corner 2 of cell 0 of the triangles is point 7 of 7"));
  assert_int_equal(basin_mesh_set_cells(mesh, BASIN_MESH_POINT, 1, outside), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_set_cells(mesh, (basin_mesh_kind)77, 1, outside),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 1, NULL), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_set_group(mesh, BASIN_MESH_TET, "all", 1, (const uint32_t[]){2}),
                   BASIN_ERROR_RANGE);
  assert_int_equal(basin_mesh_set_group(mesh, BASIN_MESH_TET, "", 0, NULL), BASIN_ERROR_NAME);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 0);
  assert_int_equal(basin_mesh_group_count(mesh), 0);
  basin_mesh_destroy(mesh);
  basin_mesh_destroy(NULL);
  basin_context_destroy(context);
}

static void groups_name_points_and_cells(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = two_tets(context);
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_TET, "second", 1, (const uint32_t[]){1}));
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_POINT, "pinned", 3, (const uint32_t[]){6, 0, 6}));
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_POINT, "pinned", 2, (const uint32_t[]){6, 0}));
  assert_int_equal(basin_mesh_group_count(mesh), 2);
  basin_mesh_group group;
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_POINT, "pinned", &group));
  assert_int_equal(group.count, 2);
  assert_int_equal(group.indices[0], 6);
  assert_false(basin_mesh_group_find(mesh, BASIN_MESH_TET, "pinned", &group));
  assert_false(basin_mesh_group_at(mesh, 2, &group));
  assert_true(basin_mesh_group_at(mesh, 0, &group));
  assert_string_equal(group.name, "second");

  basin_mesh_indices points;
  const char *names[] = {"pinned", "second"};
  assert_ok(basin_mesh_select_points(mesh, 2, names, &points));
  const uint32_t expected[6] = {0, 1, 2, 3, 4, 6};
  assert_int_equal(points.count, 6);
  assert_memory_equal(points.data, expected, sizeof expected);
  basin_mesh_indices_fini(&points);
  double mask[7];
  assert_ok(basin_mesh_mask(mesh, 1, names, mask));
  const double wanted[7] = {1, 0, 0, 0, 0, 0, 1};
  assert_memory_equal(mask, wanted, sizeof wanted);

  const char *unknown = "pined";
  assert_int_equal(basin_mesh_select_points(mesh, 1, &unknown, &points), BASIN_ERROR_NAME);
  assert_string_equal(basin_error_last(context)->message,
                      "the mesh has no group 'pined'; it has boundary, second, pinned");
  /* Replaced cells lose their groups, points keep theirs. */
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 0, NULL));
  assert_int_equal(basin_mesh_group_count(mesh), 1);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void joins_with_shifted_indices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = two_tets(context), *joined, *copies, *flat;
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_TET, "second", 1, (const uint32_t[]){1}));
  const basin_mesh *both[2] = {mesh, mesh};
  assert_ok(basin_mesh_join(context, 2, both, &joined));
  assert_int_equal(basin_mesh_count(joined, BASIN_MESH_POINT), 14);
  const uint32_t tets[16] = {0, 1, 2, 3, 4, 2, 1, 3, 7, 8, 9, 10, 11, 9, 8, 10};
  assert_memory_equal(basin_mesh_cells(joined, BASIN_MESH_TET), tets, sizeof tets);
  basin_mesh_group group;
  assert_true(basin_mesh_group_find(joined, BASIN_MESH_TET, "second", &group));
  assert_int_equal(group.count, 2);
  assert_int_equal(group.indices[1], 3);

  const double offsets[6] = {0, 0, 0, 0.5, -1, 2};
  assert_ok(basin_mesh_copies(mesh, 2, offsets, &copies));
  for (size_t i = 0; i < 21; ++i)
    assert_true(basin_mesh_points(copies)[21 + i] ==
                basin_mesh_points(mesh)[i] + offsets[3 + i % 3]);
  assert_memory_equal(basin_mesh_cells(copies, BASIN_MESH_TET), tets, sizeof tets);

  assert_ok(basin_mesh_create(context, 2, &flat));
  both[1] = flat;
  basin_mesh *none;
  assert_int_equal(basin_mesh_join(context, 2, both, &none), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_mesh_join(context, 0, both, &none), BASIN_ERROR_ARGUMENT);
  const double infinite[3] = {(double)INFINITY, 0, 0};
  assert_int_equal(basin_mesh_copies(mesh, 1, infinite, &none), BASIN_ERROR_NOT_FINITE);
  assert_null(none);
  basin_mesh_destroy(flat);
  basin_mesh_destroy(copies);
  basin_mesh_destroy(joined);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

/* A unit square of two triangles with corners of their own, one of them displaced a little. */
static basin_mesh *loose_square(basin_context *context, double gap)
{
  const double points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, gap, 1, 1, 0, 0, 1, -0.0};
  const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
  basin_mesh *mesh;
  assert_ok(basin_mesh_create(context, 3, &mesh));
  assert_ok(basin_mesh_set_points(mesh, 6, points));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TRIANGLE, 2, triangles));
  return mesh;
}

static void welds_close_points(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = loose_square(context, 1e-7);
  basin_mesh_indices map;
  assert_ok(basin_mesh_weld(mesh, 0.0, &map)); /* 5 equals 2 up to the sign of zero; 3 differs */
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 5);
  const uint32_t exact[6] = {0, 1, 2, 3, 4, 2};
  assert_memory_equal(map.data, exact, sizeof exact);
  basin_mesh_indices_fini(&map);
  assert_ok(basin_mesh_weld(mesh, 1e-6, NULL));
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_POINT), 4);
  const uint32_t triangles[6] = {0, 1, 2, 1, 3, 2};
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  /* A tolerance of the size of an edge makes triangles collapse: they go, and their groups follow.
   */
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_TRIANGLE, "both", 2, (const uint32_t[]){0, 1}));
  assert_ok(basin_mesh_weld(mesh, 1.1, NULL));
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 0);
  basin_mesh_group group;
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TRIANGLE, "both", &group));
  assert_int_equal(group.count, 0);
  assert_int_equal(basin_mesh_weld(mesh, -1.0, NULL), BASIN_ERROR_ARGUMENT);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void compacts_and_triangulates(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh;
  const double points[15] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const uint32_t quad[4] = {0, 2, 3, 4};
  assert_ok(basin_mesh_create(context, 3, &mesh));
  assert_ok(basin_mesh_set_points(mesh, 5, points));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_QUAD, 1, quad));
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_QUAD, "plate", 1, (const uint32_t[]){0}));
  assert_ok(basin_mesh_set_group(mesh, BASIN_MESH_POINT, "some", 2, (const uint32_t[]){1, 4}));
  basin_mesh_indices map;
  assert_ok(basin_mesh_compact(mesh, &map));
  const uint32_t kept[4] = {0, 2, 3, 4}, triangles[6] = {0, 1, 2, 0, 2, 3};
  assert_int_equal(map.count, 4);
  assert_memory_equal(map.data, kept, sizeof kept);
  basin_mesh_indices_fini(&map);
  basin_mesh_group group;
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_POINT, "some", &group));
  assert_int_equal(group.count, 1);
  assert_int_equal(group.indices[0], 3);
  assert_ok(basin_mesh_triangulate(mesh));
  assert_memory_equal(basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE), triangles, sizeof triangles);
  assert_int_equal(basin_mesh_count(mesh, BASIN_MESH_QUAD), 0);
  assert_true(basin_mesh_group_find(mesh, BASIN_MESH_TRIANGLE, "plate", &group));
  assert_int_equal(group.count, 2);
  assert_false(basin_mesh_group_find(mesh, BASIN_MESH_QUAD, "plate", &group));
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_input),
      cmocka_unit_test(groups_name_points_and_cells),
      cmocka_unit_test(joins_with_shifted_indices),
      cmocka_unit_test(welds_close_points),
      cmocka_unit_test(compacts_and_triangulates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
