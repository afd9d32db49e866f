/* Tests of the mesh writers: what was written reads back bit by bit; refusals leave no file behind.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output_support.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void assert_same_points(const basin_mesh *a, const basin_mesh *b)
{
  assert_int_equal(basin_mesh_count(a, BASIN_MESH_POINT), basin_mesh_count(b, BASIN_MESH_POINT));
  for (size_t p = 0; p < basin_mesh_count(a, BASIN_MESH_POINT); ++p)
    for (unsigned i = 0; i < 3; ++i) {
      const double x =
          i < basin_mesh_dim(a) ? basin_mesh_points(a)[p * basin_mesh_dim(a) + i] : 0.0;
      assert_true(x == basin_mesh_points(b)[3 * p + i]);
    }
}

static void assert_same_cells(const basin_mesh *a, const basin_mesh *b, basin_mesh_kind kind)
{
  const size_t count = basin_mesh_count(a, kind);
  assert_int_equal(count, basin_mesh_count(b, kind));
  if (count)
    assert_memory_equal(basin_mesh_cells(a, kind),
                        basin_mesh_cells(b, kind),
                        count * basin_mesh_arity(kind) * sizeof(uint32_t));
}

static void round_trips(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  static const char *const files[] = {OUT "mixed.vtu", OUT "mixed.ply", OUT "mixed.obj"};
  for (unsigned dim = 2; dim <= 3; ++dim) {
    basin_mesh *mesh = mixed_mesh(context, dim);
    if (dim == 3) assert_ok(basin_mesh_orient(mesh, NULL));
    const double heat[7] = {1, 2, 3, 4, 5, 6, (double)NAN}, flow[21] = {0, 1, 2},
                 colour[7] = {9, 8, 7, 6, 5, 4, 3};
    const basin_output_array arrays[3] = {
        {"heat & <light>", heat, 1, false}, {"flow", flow, 3, false}, {"colour", colour, 1, true}};
    basin_mesh_read_options keep = basin_mesh_read_defaults();
    keep.keep_quads = true;
    for (int f = 0; f < 3; ++f) {
      basin_mesh *back, *shown = mesh;
      assert_ok(basin_output_write_mesh(mesh, files[f], NULL, 3, arrays));
      if (basin_mesh_read(context, files[f], &keep, &back) != BASIN_OK)
        fail_msg("%s", basin_error_text(context));
      if (f > 0 && dim == 3)
        assert_ok(basin_mesh_surface(mesh, &shown)); /* PLY and OBJ have no tets */
      assert_same_points(shown, back);
      for (int kind = f == 1 ? BASIN_MESH_EDGE : BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT;
           ++kind)
        assert_same_cells(shown, back, (basin_mesh_kind)kind);
      basin_mesh_destroy(back);
      if (shown != mesh) basin_mesh_destroy(shown);
    }
    basin_mesh_destroy(mesh);
  }
  basin_context_destroy(context);
}

static void positions_replace_the_points(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh, *back;
  assert_ok(basin_mesh_icosphere(context, 1, 1.0, &mesh));
  const size_t n = basin_mesh_count(mesh, BASIN_MESH_POINT);
  double *moved = malloc(3 * n * sizeof(double));
  for (size_t i = 0; i < 3 * n; ++i) moved[i] = 2.0 * basin_mesh_points(mesh)[i] + 0.1;
  assert_ok(basin_output_write_mesh(mesh, OUT "moved.vtu", moved, 0, NULL));
  assert_ok(basin_mesh_read(context, OUT "moved.vtu", NULL, &back));
  assert_memory_equal(basin_mesh_points(back), moved, 3 * n * sizeof(double));
  basin_mesh_destroy(back);
  basin_mesh_destroy(mesh);
  assert_ok(basin_mesh_create(context, 3, &mesh)); /* nothing at all is a mesh too */
  assert_ok(basin_output_write_mesh(mesh, OUT "empty.vtu", NULL, 0, NULL));
  assert_ok(basin_mesh_read(context, OUT "empty.vtu", NULL, &back));
  assert_int_equal(basin_mesh_count(back, BASIN_MESH_POINT), 0);
  basin_mesh_destroy(back);
  basin_mesh_destroy(mesh);
  free(moved);
  basin_context_destroy(context);
}

static void refusals(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = mixed_mesh(context, 3);
  double positions[21] = {0};
  positions[4] = (double)NAN;
  const basin_output_array unnamed = {"", positions, 1, false},
                           wide = {"wide", positions, 10, false},
                           twice[2] = {{"a", positions, 1, false}, {"a", positions, 3, false}};
  remove(OUT "none.vtu");
  assert_int_equal(basin_output_write_mesh(mesh, OUT "none.vtu", positions, 0, NULL),
                   BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(context)->message, "coordinate 1 of point 1 is nan"));
  assert_int_equal(basin_output_write_mesh(mesh, OUT "none.xyz", NULL, 0, NULL),
                   BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin_output_write_mesh(mesh, OUT "none.vtu", NULL, 1, &unnamed),
                   BASIN_ERROR_NAME);
  assert_int_equal(basin_output_write_mesh(mesh, OUT "none.vtu", NULL, 1, &wide),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(basin_output_write_mesh(mesh, OUT "none.vtu", NULL, 2, twice), BASIN_ERROR_NAME);
  assert_int_equal(access(OUT "none.vtu", F_OK), -1);
  assert_int_equal(basin_output_write_mesh(mesh, OUT "no/such/folder/a.vtu", NULL, 0, NULL),
                   BASIN_ERROR_IO);
  assert_non_null(strstr(basin_error_last(context)->message, "no/such/folder/a.vtu"));
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

/* A limit on the size of files stands in for a full disk: the old file stays, no temporary file is
 * left. */
static void full_disk(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = mixed_mesh(context, 3), *sphere, *back;
  assert_ok(basin_mesh_icosphere(context, 3, 1.0, &sphere));
  assert_ok(basin_output_write_mesh(mesh, OUT "limit.vtu", NULL, 0, NULL));
  struct rlimit old, small = {4096, 4096};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small.rlim_max = old.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const basin_status status = basin_output_write_mesh(sphere, OUT "limit.vtu", NULL, 0, NULL);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(status, BASIN_ERROR_IO);
  assert_non_null(strstr(basin_error_last(context)->message, "limit.vtu"));
  assert_non_null(strstr(basin_error_last(context)->message, "too large"));
  assert_ok(basin_mesh_read(context, OUT "limit.vtu", NULL, &back));
  assert_int_equal(basin_mesh_count(back, BASIN_MESH_POINT), 7);
  basin_mesh_destroy(back);
  if (access("/dev/full", W_OK) == 0) {
    basin_checkpoint *checkpoint;
    assert_ok(basin_checkpoint_create(context, &checkpoint));
    assert_int_equal(basin_checkpoint_write(checkpoint, "/dev/full"), BASIN_ERROR_IO);
    assert_non_null(strstr(basin_error_last(context)->message, "No space left"));
    basin_checkpoint_destroy(checkpoint);
  }
  basin_mesh_destroy(sphere);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trips),
                                     cmocka_unit_test(positions_replace_the_points),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(full_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
