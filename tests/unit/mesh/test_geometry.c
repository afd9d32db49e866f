/* Tests of transforms, measures, normals, masses and moments against closed forms and the published
 * affine-body cases. SPDX-License-Identifier: Apache-2.0 */
#include "mesh_support.h"

static const double pi = 3.14159265358979323846;

static void transforms(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = two_tets(context);
  assert_ok(basin_mesh_rotate(mesh, (const double[]){0, 0, 2}, pi / 2));
  const double *x = basin_mesh_points(mesh);
  assert_near(x[3], 0.0, 1e-15); /* (1 0 0) -> (0 1 0), (0 1 0) -> (-1 0 0) */
  assert_near(x[4], 1.0, 1e-15);
  assert_near(x[6], -1.0, 1e-15);
  /* 120 degrees about the diagonal permutes the axes. */
  assert_ok(basin_mesh_rotate(mesh, (const double[]){1, 1, 1}, 2 * pi / 3));
  x = basin_mesh_points(mesh);
  assert_near(x[3 + 2], 1.0, 1e-15); /* y -> z */
  assert_ok(basin_mesh_translate(mesh, (const double[]){1, 2, 3}));
  assert_near(basin_mesh_points(mesh)[0], 1.0, 0.0);
  assert_near(total_measure(mesh, BASIN_MESH_TET), 0.5, 1e-14);
  /* A reflection keeps tets positive. */
  assert_ok(basin_mesh_scale(mesh, (const double[]){-2, 1, 1}));
  double volumes[2];
  assert_ok(basin_mesh_measure(mesh, BASIN_MESH_TET, volumes));
  assert_near(volumes[0], 1.0 / 3, 1e-15);
  assert_true(volumes[1] > 0.0);

  assert_int_equal(basin_mesh_scale(mesh, (const double[]){1, 0, 1}), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_rotate(mesh, (const double[]){0, 0, 0}, 1.0), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_translate(mesh, (const double[]){0, (double)INFINITY, 0}),
                   BASIN_ERROR_NOT_FINITE);
  assert_int_equal(basin_mesh_scale(mesh, (const double[]){1e308, 1e308, 1e308}),
                   BASIN_ERROR_NOT_FINITE);
  assert_ok(basin_mesh_measure(mesh, BASIN_MESH_TET, volumes));
  assert_near(volumes[0], 1.0 / 3, 1e-15); /* unchanged */
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void scaling_to_a_height(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *bunny = read_mesh(context, MESHES "bunny0.msh");
  double lower[3], upper[3], before[3];
  assert_ok(basin_mesh_bounds(bunny, lower, before));
  assert_ok(basin_mesh_scale_to_height(bunny, 0.3));
  const double factor = 0.3 / (before[1] - lower[1]);
  const double bottom = lower[1] * factor;
  assert_ok(basin_mesh_bounds(bunny, lower, upper));
  assert_near(upper[1] - lower[1], 0.3, 1e-15);
  assert_near(lower[1], bottom, 1e-15);
  assert_near(
      total_measure(bunny, BASIN_MESH_TET), 0.8322204057910466 * factor * factor * factor, 1e-12);
  assert_int_equal(basin_mesh_scale_to_height(bunny, 0.0), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_mesh_scale_to_height(bunny, (double)NAN), BASIN_ERROR_ARGUMENT);
  basin_mesh_destroy(bunny);
  basin_mesh *line, *empty;
  const double from[3] = {0, 1, 0}, to[3] = {1, 1, 0};
  assert_ok(basin_mesh_line(context, 3, from, to, 3, &line));
  assert_int_equal(basin_mesh_scale_to_height(line, 1.0), BASIN_ERROR_ARGUMENT);
  basin_mesh_destroy(line);
  assert_ok(basin_mesh_create(context, 3, &empty));
  assert_int_equal(basin_mesh_scale_to_height(empty, 1.0), BASIN_ERROR_STATE);
  basin_mesh_destroy(empty);
  basin_context_destroy(context);
}

static void plane_meshes(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_grid_options options = basin_mesh_grid_defaults();
  options.dim = 2;
  options.width = 3.0;
  basin_mesh *grid;
  assert_ok(basin_mesh_grid(context, &options, &grid));
  assert_ok(basin_mesh_rotate(grid, (const double[]){0, 0, 1}, pi / 2));
  assert_near(basin_mesh_points(grid)[0], 0.5, 1e-15);
  assert_near(basin_mesh_points(grid)[1], -1.5, 1e-15);
  assert_int_equal(basin_mesh_rotate(grid, (const double[]){1, 0, 0}, 1.0), BASIN_ERROR_ARGUMENT);
  const uint32_t clockwise[6] = {0, 2, 1, 1, 3, 2};
  assert_ok(basin_mesh_set_cells(grid, BASIN_MESH_TRIANGLE, 2, clockwise));
  size_t flipped;
  assert_near(total_measure(grid, BASIN_MESH_TRIANGLE), 0.0, 1e-15); /* signed */
  assert_ok(basin_mesh_orient(grid, &flipped));
  assert_int_equal(flipped, 1);
  assert_near(total_measure(grid, BASIN_MESH_TRIANGLE), 3.0, 1e-15);
  double masses[4];
  basin_mesh_mass_options mass = basin_mesh_mass_defaults();
  mass.density = 2.0;
  assert_ok(basin_mesh_lumped_mass(grid, &mass, masses));
  assert_near(masses[0], 1.0, 1e-15); /* one triangle of area 1.5 */
  assert_near(masses[1], 2.0, 1e-15);
  basin_mesh_moments moments;
  assert_int_equal(basin_mesh_affine_moments(grid, &mass, &moments), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_mesh_triangle_normals(grid, masses), BASIN_ERROR_SHAPE);
  basin_mesh_destroy(grid);
  basin_context_destroy(context);
}

static void normals_of_a_sphere(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *sphere;
  assert_ok(basin_mesh_icosphere(context, 3, 2.0, &sphere));
  const size_t points = basin_mesh_count(sphere, BASIN_MESH_POINT),
               triangles = basin_mesh_count(sphere, BASIN_MESH_TRIANGLE);
  double *at_points = malloc(points * 3 * sizeof(double)),
         *at_triangles = malloc(triangles * 3 * sizeof(double));
  assert_ok(basin_mesh_point_normals(sphere, at_points));
  assert_ok(basin_mesh_triangle_normals(sphere, at_triangles));
  for (size_t p = 0; p < points; ++p) {
    const double *n = at_points + 3 * p, *x = basin_mesh_points(sphere) + 3 * p;
    assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
    assert_true((n[0] * x[0] + n[1] * x[1] + n[2] * x[2]) / 2.0 > 0.999);
  }
  for (size_t t = 0; t < triangles; ++t) {
    const double *n = at_triangles + 3 * t,
                 *x = basin_mesh_points(sphere) +
                      3 * (size_t)basin_mesh_cells(sphere, BASIN_MESH_TRIANGLE)[3 * t];
    assert_true((n[0] * x[0] + n[1] * x[1] + n[2] * x[2]) / 2.0 > 0.99);
  }
  free(at_triangles);
  free(at_points);
  basin_mesh_destroy(sphere);
  basin_context_destroy(context);
}

static double sum_of(const double *values, size_t count)
{
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

static void lumped_masses(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *mesh = two_tets(context);
  double masses[7];
  basin_mesh_mass_options options = basin_mesh_mass_defaults();
  options.density = 12.0;
  assert_ok(basin_mesh_lumped_mass(mesh, &options, masses));
  const double expected[7] = {
      0.5, 1.5, 1.5, 1.5, 1.0, 0, 0}; /* volumes 1/6 and 1/3; the edge takes no part */
  for (int p = 0; p < 7; ++p) assert_near(masses[p], expected[p], 1e-15);
  options.matter = BASIN_MESH_MATTER_ROD;
  options.radius = 0.5;
  assert_ok(basin_mesh_lumped_mass(mesh, &options, masses));
  assert_near(masses[5], 0.5 * 12.0 * pi * 0.25, 1e-14);
  assert_near(sum_of(masses, 7), 12.0 * pi * 0.25, 1e-14);
  options.density = -1.0;
  assert_int_equal(basin_mesh_lumped_mass(mesh, &options, masses), BASIN_ERROR_ARGUMENT);
  options.density = (double)NAN;
  assert_int_equal(basin_mesh_lumped_mass(mesh, &options, masses), BASIN_ERROR_ARGUMENT);
  const uint32_t negative[4] = {0, 1, 3, 2};
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 1, negative));
  assert_int_equal(basin_mesh_lumped_mass(mesh, NULL, masses), BASIN_ERROR_ARGUMENT);
  assert_non_null(strstr(basin_error_last(context)->message, "cell 0 of the tets"));
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_TET, 0, NULL));
  options = basin_mesh_mass_defaults();
  options.matter = BASIN_MESH_MATTER_SOLID;
  assert_int_equal(basin_mesh_lumped_mass(mesh, &options, masses), BASIN_ERROR_STATE);
  /* A quad weighs what its two triangles weigh. */
  const uint32_t quad[4] = {0, 1, 4, 2};
  options = basin_mesh_mass_defaults();
  options.thickness = 0.01;
  assert_ok(basin_mesh_set_cells(mesh, BASIN_MESH_QUAD, 1, quad));
  assert_ok(basin_mesh_lumped_mass(mesh, &options, masses));
  basin_mesh *split;
  assert_ok(basin_mesh_copy(mesh, &split));
  assert_ok(basin_mesh_triangulate(split));
  assert_near(sum_of(masses, 7), 0.01 * total_measure(split, BASIN_MESH_TRIANGLE), 1e-16);
  basin_mesh_destroy(split);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

/* Published affine-body cases: mass, first and second moments (xx, yy, zz, xy, xz, yz). `tolerance`
 * is relative to the largest second moment (or the mass for the first). */
typedef struct moment_case {
  const char *file; /* NULL: points and cells below */
  basin_mesh_kind kind;
  basin_mesh_matter matter;
  double density, thickness, radius;
  size_t points, cells;
  double x[12];
  uint32_t corners[6];
  double mass, first[3], second[6], tolerance;
} moment_case;

static const moment_case moment_cases[] = {
    {NULL,
     BASIN_MESH_TET,
     BASIN_MESH_MATTER_AUTO,
     1000,
     0,
     0,
     4,
     1,
     {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
     {0, 1, 2, 3},
     166.66666666666666,
     {41.666666666666664, 41.666666666666664, 41.666666666666664},
     {16.666666666666668,
      16.666666666666668,
      16.666666666666668,
      8.333333333333334,
      8.333333333333334,
      8.333333333333334},
     1e-12},
    {NULL,
     BASIN_MESH_TET,
     BASIN_MESH_MATTER_SOLID,
     500,
     0,
     0,
     4,
     1,
     {1, 2, 3, 2, 2, 3, 1, 4, 3, 1, 2, 3.5},
     {0, 1, 2, 3},
     83.33333333333333,
     {104.16666666666667, 208.33333333333334, 260.4166666666667},
     {133.33333333333334, 533.3333333333334, 814.5833333333334, 258.3333333333333, 325.0, 650.0},
     1e-12},
    {NULL,
     BASIN_MESH_TRIANGLE,
     BASIN_MESH_MATTER_SHELL,
     500,
     0.4,
     0,
     4,
     2,
     {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
     {0, 1, 2, 0, 2, 3},
     200,
     {100, 100, 0},
     {66.66666666666667, 66.66666666666667, 2.6666666666666665, 50, 0, 0},
     1e-12},
    {NULL,
     BASIN_MESH_TRIANGLE,
     BASIN_MESH_MATTER_SHELL,
     1000,
     0.2,
     0,
     3,
     1,
     {0, 0, 0, 1, 0, 0, 0, 1, 0},
     {0, 1, 2},
     100,
     {33.333333333333336, 33.333333333333336, 0},
     {16.666666666666668, 16.666666666666668, 0.3333333333333333, 8.333333333333334, 0, 0},
     1e-12},
    {NULL,
     BASIN_MESH_TRIANGLE,
     BASIN_MESH_MATTER_SHELL,
     100,
     0.1,
     0,
     3,
     1,
     {2, 1, 3, 5, 1, 3, 2, 5, 3},
     {0, 1, 2},
     60,
     {180, 140, 180},
     {570, 380, 540.05, 400, 540, 420},
     1e-12},
    {NULL,
     BASIN_MESH_TRIANGLE,
     BASIN_MESH_MATTER_SHELL,
     10,
     0.02,
     0,
     3,
     1,
     {0, 0, 0, 0, 3, 0, 0, 3, 4},
     {0, 1, 2},
     1.2,
     {0, 2.4, 1.6},
     {4e-05, 5.4, 3.2, 0, 0, 3.6},
     1e-12},
    {NULL,
     BASIN_MESH_EDGE,
     BASIN_MESH_MATTER_AUTO,
     1000,
     0,
     0.1,
     3,
     2,
     {0, 0, 0, 1, 0, 0, 1, 2, 0},
     {0, 1, 1, 2},
     94.2477796076938,
     {78.53981633974483, 62.83185307179586, 0},
     {73.46090821644133, 83.85434391206756, 0.23561944901923448, 62.83185307179586, 0, 0},
     1e-12},
    {NULL,
     BASIN_MESH_EDGE,
     BASIN_MESH_MATTER_ROD,
     1000,
     0,
     0.1,
     2,
     1,
     {0, 0, 0, 1, 0, 0},
     {0, 1},
     31.41592653589793,
     {15.707963267948966, 0, 0},
     {10.471975511965978, 0.07853981633974483, 0.07853981633974483, 0, 0, 0},
     1e-12},
    {MESHES "cube.msh",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     1000,
     {500, 500, 500},
     {333.3333333333333, 333.3333333333333, 333.3333333333333, 250, 250, 250},
     1e-12},
    {MESHES "erleben_spike.msh",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     1000,
     {0, 750, 0},
     {50, 900, 50, 0, 0, 0},
     1e-12},
    {MESHES "link.msh",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     102.0199941613172,
     {0.00431959437557956, 1.1908886566534301e-05, -0.0008438719873230349},
     {10.735595339913699,
      20.425540496222453,
      0.23878470079362976,
      -0.0005498626312064691,
      9.05268649251249e-05,
      -5.136490222675011e-05},
     1e-12},
    {MESHES "mat20x20.msh",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     13,
     {0, 0, 0},
     {1.0833333333333333, 0.0001830833333333333, 1.0833333333333333, 0, 0, 0},
     1e-12},
    {MESHES "sphere1K.msh",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     518.4769746175648,
     {0.002826582478309125, -0.012546485228164825, 0.004647900064715597},
     {25.75639759924842,
      25.759603111649103,
      25.74785463835703,
      -0.0007728763180623578,
      0.002179305824596507,
      -0.0034597029816762948},
     1e-12},
    {MESHES "erleben_cliff.obj",
     0,
     0,
     1000,
     0,
     0,
     0,
     0,
     {0},
     {0},
     1583.3333333333333,
     {0, -104.16666666666667, 0},
     {219.79166666666666, 133.33333333333334, 219.79166666666666, 0, 0, 0},
     1e-10},
};

static basin_mesh *case_mesh(basin_context *context, const moment_case *c)
{
  if (c->file) return read_mesh(context, c->file);
  basin_mesh *mesh;
  assert_ok(basin_mesh_create(context, 3, &mesh));
  assert_ok(basin_mesh_set_points(mesh, c->points, c->x));
  assert_ok(basin_mesh_set_cells(mesh, c->kind, c->cells, c->corners));
  return mesh;
}

static void check_moments(const basin_mesh_moments *m,
                          double mass,
                          const double first[3],
                          const double second[6],
                          double tolerance)
{
  static const int at[6] = {0, 4, 8, 1, 2, 5};
  double largest = 0.0;
  for (int i = 0; i < 6; ++i) largest = fmax(largest, fabs(second[i]));
  assert_near(m->mass, mass, tolerance * mass);
  for (int i = 0; i < 3; ++i) assert_near(m->first[i], first[i], tolerance * mass);
  for (int i = 0; i < 6; ++i) assert_near(m->second[at[i]], second[i], tolerance * largest);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      assert_near(m->second[3 * i + j], m->second[3 * j + i], tolerance * largest);
}

static void affine_moments(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (size_t k = 0; k < BASIN_COUNT(moment_cases); ++k) {
    const moment_case *c = &moment_cases[k];
    basin_mesh *mesh = case_mesh(context, c);
    basin_mesh_mass_options options = basin_mesh_mass_defaults();
    options.matter = c->matter;
    options.density = c->density;
    options.thickness = c->thickness;
    options.radius = c->radius;
    basin_mesh_moments moments;
    if (basin_mesh_affine_moments(mesh, &options, &moments) != BASIN_OK)
      fail_msg("case %zu: %s", k, basin_error_text(context));
    check_moments(&moments, c->mass, c->first, c->second, c->tolerance);
    /* A solid and its surface have the same moments: sums over tets and the divergence theorem. */
    if (basin_mesh_count(mesh, BASIN_MESH_TET) > 0) {
      basin_mesh *surface;
      assert_ok(basin_mesh_surface(mesh, &surface));
      assert_ok(basin_mesh_affine_moments(surface, &options, &moments));
      check_moments(&moments, c->mass, c->first, c->second, 1e-12);
      basin_mesh_destroy(surface);
    }
    basin_mesh_destroy(mesh);
  }
  basin_context_destroy(context);
}

/* Box [0,2] x [0,3] x [0,4] of density 7: S_ii = m a^2 / 3, S_ij = m a b / 4. */
static void moments_of_a_box(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh_box_options box = basin_mesh_box_defaults();
  box.nx = 3;
  box.nz = 2;
  box.width = 2;
  box.height = 3;
  box.depth = 4;
  basin_mesh *mesh;
  assert_ok(basin_mesh_tet_box(context, &box, &mesh));
  assert_ok(basin_mesh_translate(mesh, (const double[]){1, 1.5, 2}));
  basin_mesh_mass_options options = basin_mesh_mass_defaults();
  options.density = 7;
  basin_mesh_moments moments;
  assert_ok(basin_mesh_affine_moments(mesh, &options, &moments));
  check_moments(&moments,
                168,
                (const double[]){168, 252, 336},
                (const double[]){224, 504, 896, 252, 336, 504},
                1e-13);
  assert_near(moments.volume, 24, 1e-12);
  basin_mesh_destroy(mesh);
  basin_context_destroy(context);
}

static void refuses_open_and_inward_surfaces(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *sphere;
  basin_mesh_moments moments;
  assert_ok(basin_mesh_icosphere(context, 1, 1.0, &sphere));
  uint32_t triangles[240];
  memcpy(triangles, basin_mesh_cells(sphere, BASIN_MESH_TRIANGLE), sizeof triangles);
  assert_ok(basin_mesh_set_cells(sphere, BASIN_MESH_TRIANGLE, 79, triangles));
  assert_int_equal(basin_mesh_affine_moments(sphere, NULL, &moments), BASIN_ERROR_ARGUMENT);
  assert_non_null(strstr(basin_error_last(context)->message, "not closed"));
  for (size_t t = 0; t < 240; t += 3) {
    const uint32_t corner = triangles[t];
    triangles[t] = triangles[t + 1];
    triangles[t + 1] = corner;
  }
  assert_ok(basin_mesh_set_cells(sphere, BASIN_MESH_TRIANGLE, 80, triangles));
  assert_int_equal(basin_mesh_affine_moments(sphere, NULL, &moments), BASIN_ERROR_ARGUMENT);
  assert_non_null(strstr(basin_error_last(context)->message, "inward"));
  basin_mesh_destroy(sphere);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms),
      cmocka_unit_test(scaling_to_a_height),
      cmocka_unit_test(plane_meshes),
      cmocka_unit_test(normals_of_a_sphere),
      cmocka_unit_test(lumped_masses),
      cmocka_unit_test(affine_moments),
      cmocka_unit_test(moments_of_a_box),
      cmocka_unit_test(refuses_open_and_inward_surfaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
