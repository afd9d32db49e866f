/* Tests of frame series: names, the .pvd, resuming, pictures beside the files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output_support.h"

static void a_series(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh;
  assert_ok(basin_mesh_icosphere(context, 1, 1.0, &mesh));
  basin_frames_options options = basin_frames_defaults();
  const basin_picture_plane floor = {{0, 1, 0}, -1.0};
  options.folder = OUT "series/deep";
  options.name = "drop";
  options.formats = BASIN_OUTPUT_VTU | BASIN_OUTPUT_OBJ;
  options.pictures = true;
  options.picture.width = 64;
  options.picture.height = 48;
  options.picture.planes = &floor;
  options.picture.plane_count = 1;
  basin_frames *frames;
  assert_ok(basin_frames_create(context, &options, &frames));
  for (int f = 0; f < 3; ++f) {
    assert_int_equal(basin_frames_next(frames), f);
    assert_ok(basin_frames_write(frames, 0.1 * f, mesh, NULL, NULL, 0, NULL));
  }
  assert_int_equal(access(OUT "series/deep/drop_00002.vtu", R_OK), 0);
  assert_int_equal(access(OUT "series/deep/drop_00002.obj", R_OK), 0);
  assert_int_equal(access(OUT "series/deep/drop_00002.png", R_OK), 0);
  assert_int_equal(access(OUT "series/deep/drop_00002.ply", R_OK), -1);
  size_t size;
  char *list = file_text(context, OUT "series/deep/drop.pvd", &size);
  assert_string_equal(
      list,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n"
      "    <DataSet timestep=\"0\" file=\"drop_00000.vtu\"/>\n    <DataSet timestep=\"0.1\" "
      "file=\"drop_00001.vtu\"/>\n"
      "    <DataSet timestep=\"0.2\" file=\"drop_00002.vtu\"/>\n  </Collection>\n</VTKFile>\n");
  basin__free(context, list, size + 1);
  assert_int_equal(basin_frames_write(frames, (double)INFINITY, mesh, NULL, NULL, 0, NULL),
                   BASIN_ERROR_NOT_FINITE);
  assert_int_equal(basin_frames_next(frames), 3);
  basin_frames_destroy(frames);

  /* A restart at frame 2 keeps frames 0 and 1. */
  options.pictures = false;
  assert_ok(basin_frames_create(context, &options, &frames));
  assert_ok(basin_frames_resume(frames, 2));
  assert_ok(basin_frames_write(frames, 0.25, mesh, NULL, NULL, 0, NULL));
  list = file_text(context, OUT "series/deep/drop.pvd", &size);
  assert_non_null(strstr(list, "timestep=\"0.1\" file=\"drop_00001.vtu\""));
  assert_non_null(strstr(list, "timestep=\"0.25\" file=\"drop_00002.vtu\""));
  assert_null(strstr(list, "\"0.2\""));
  basin__free(context, list, size + 1);
  basin_frames_destroy(frames);
  options.name = "fresh"; /* nothing to resume from: starts at the number all the same */
  assert_ok(basin_frames_create(context, &options, &frames));
  assert_ok(basin_frames_resume(frames, 7));
  assert_int_equal(basin_frames_next(frames), 7);
  basin_frames_destroy(frames);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

/* Two boxes, one inside the other: the inner one shows once the outer one is see-through. */
static void see_through_labels(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *inner, *outer, *both;
  assert_ok(basin_mesh_triangle_box(context, NULL, &inner));
  assert_ok(basin_mesh_copy(inner, &outer));
  assert_ok(basin_mesh_scale(outer, (const double[]){2, 2, 2}));
  const basin_mesh *parts[2] = {inner, outer};
  assert_ok(basin_mesh_join(context, 2, parts, &both));
  const uint32_t labels[16] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7}, through = 7;
  size_t sizes[2];
  for (size_t k = 0; k < 2; ++k) {
    basin_frames_options options = basin_frames_defaults();
    options.folder = OUT "through";
    options.name = k ? "through" : "solid";
    options.formats = 0;
    options.pictures = true;
    options.picture.width = options.picture.height = 80;
    options.see_through = &through;
    options.see_through_count = k;
    basin_frames *frames;
    assert_ok(basin_frames_create(context, &options, &frames));
    assert_ok(basin_frames_write(frames, 0.0, both, NULL, labels, 0, NULL));
    basin_frames_destroy(frames);
    basin__free(context,
                file_text(context,
                          k ? OUT "through/through_00000.png" : OUT "through/solid_00000.png",
                          &sizes[k]),
                sizes[k] + 1);
  }
  assert_true(sizes[1] > sizes[0] * 5 / 4); /* more to see */
  basin_mesh_destroy(both);
  basin_mesh_destroy(outer);
  basin_mesh_destroy(inner);
  basin_context_destroy(context);
}

static void refusals(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_frames_options options = basin_frames_defaults();
  basin_frames *frames;
  options.folder = "/proc/no/folder";
  assert_int_equal(basin_frames_create(context, &options, &frames), BASIN_ERROR_IO);
  assert_non_null(strstr(basin_error_last(context)->message, "/proc/no"));
  options = basin_frames_defaults();
  options.name = "a/b";
  assert_int_equal(basin_frames_create(context, &options, &frames), BASIN_ERROR_NAME);
  options = basin_frames_defaults();
  options.formats = 64;
  assert_int_equal(basin_frames_create(context, &options, &frames), BASIN_ERROR_ARGUMENT);
  assert_null(frames);
  basin_context_destroy(context);
}

static basin_status write_one(basin_context *context, const basin_mesh *mesh)
{
  basin_frames_options options = basin_frames_defaults();
  options.folder = OUT "memory";
  options.formats = BASIN_OUTPUT_VTU | BASIN_OUTPUT_PLY | BASIN_OUTPUT_OBJ;
  options.pictures = true;
  options.picture.width = options.picture.height = 16;
  basin_frames *frames;
  BASIN_TRY(basin_frames_create(context, &options, &frames));
  const basin_status status = basin_frames_write(frames, 0.0, mesh, NULL, NULL, 0, NULL);
  basin_frames_destroy(frames);
  return status;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  basin_mesh *mesh;
  assert_ok(basin_mesh_tet_box(context, NULL, &mesh));
  const size_t blocks = allocator.blocks;
  size_t failures = 0;
  for (size_t n = 1;; ++n, ++failures) {
    allocator.fail_at = allocator.calls + n;
    const basin_status status = write_one(context, mesh);
    const bool failed = allocator.calls >= allocator.fail_at;
    allocator.fail_at = 0;
    if (!failed) assert_ok(status);
    if (!failed) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    assert_true(allocator.blocks <= blocks + 2); /* the context keeps the message */
  }
  assert_true(failures > 50);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_series),
                                     cmocka_unit_test(see_through_labels),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
