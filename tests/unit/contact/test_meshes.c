/* Tests on meshes: counts of boxes that meet, smallest distances, intersections, first contacts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

#define MESHES BASIN_TEST_DATA_DIR "/meshes/"

/* The surface of a mesh file; its own triangles if it has no tets. */
static basin_mesh *surface_of(basin_context *context, const char *folder, const char *name)
{
  char path[1024];
  basin_mesh *mesh, *surface;
  snprintf(path, sizeof path, "%s%s", folder, name);
  if (basin_mesh_read(context, path, NULL, &mesh) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  if (basin_mesh_count(mesh, BASIN_MESH_TET) == 0) return mesh;
  assert_ok(basin_mesh_surface(mesh, &surface));
  basin_mesh_destroy(mesh);
  return surface;
}

static basin_contact_description describe(const basin_mesh *mesh)
{
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = basin_mesh_count(mesh, BASIN_MESH_POINT);
  d.triangle_count = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE);
  d.triangles = basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE);
  d.exact_boxes = true;
  return d;
}

static void expect_counts(const basin_contact *contact, const char *id, double faces, double edges)
{
  const size_t vf = basin_contact_candidate_count(contact, BASIN_CONTACT_POINT_TRIANGLE);
  const size_t ee = basin_contact_candidate_count(contact, BASIN_CONTACT_EDGE_EDGE);
  if ((double)vf != faces || (double)ee != edges)
    fail_msg(
        "%s: %zu vertex-face and %zu edge-edge boxes, not %g and %g", id, vf, ee, faces, edges);
}

static void single_meshes(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64], name[64];
    if (strcmp(table_word(&t, word), "self") != 0) continue;
    table_word(&t, id);
    basin_context *context = context_with(1 + (unsigned)seen % 2);
    basin_mesh *mesh = surface_of(context, MESHES, table_word(&t, name));
    const basin_contact_description d = describe(mesh);
    basin_contact *contact = contact_of(context, &d);
    const double *x = basin_mesh_points(mesh), distance = table_number(&t),
                 crossings = table_number(&t);
    double *still = calloc(3 * d.vertex_count, sizeof *still);
    basin_contact_closest near;
    size_t count;
    assert_ok(basin_contact_smallest_distance(contact, x, &near));
    if (!(fabs(near.gap - distance) <= 1e-9 * distance))
      fail_msg("%s: distance %.17g", id, near.gap);
    assert_ok(basin_contact_intersections(contact, x, 0, NULL, &count));
    assert_true((double)count == crossings);
    assert_ok(basin_contact_sweep(contact, x, still, 1));
    const double faces = table_number(&t);
    expect_counts(contact, id, faces, table_number(&t));
    assert_ok(basin_contact_check(contact, x));
    free(still);
    basin_contact_destroy(contact);
    basin_mesh_destroy(mesh);
    basin_context_destroy(context);
    ++seen;
  }
  assert_int_equal(seen, 5);
}

/* Reads and places a body as the case says. */
static basin_mesh *read_body(table *t, basin_context *context)
{
  char name[64];
  basin_mesh *mesh = surface_of(context, MESHES, table_word(t, name));
  const bool flip = table_number(t) != 0;
  const double scale = table_number(t);
  double offset[3];
  table_numbers(t, 3, offset);
  const size_t count = basin_mesh_count(mesh, BASIN_MESH_POINT);
  double *x = malloc(3 * count * sizeof *x);
  memcpy(x, basin_mesh_points(mesh), 3 * count * sizeof *x);
  for (size_t i = 0; i < 3 * count; ++i)
    x[i] = (flip && i % 3 > 0 ? -1 : 1) * (scale * x[i]) + offset[i % 3];
  assert_ok(basin_mesh_set_points(mesh, count, x));
  free(x);
  return mesh;
}

/* First contacts are exact; at 0.999 of the time there is no intersection, by the independent test.
 */
static void moving_meshes(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64];
    if (strcmp(table_word(&t, word), "meshes") != 0) continue;
    table_word(&t, id);
    basin_context *context = context_with(2);
    basin_mesh *parts[2] = {read_body(&t, context), NULL}, *mesh;
    parts[1] = read_body(&t, context);
    const size_t first = basin_mesh_count(parts[0], BASIN_MESH_POINT);
    assert_ok(basin_mesh_join(context, 2, (const basin_mesh *const *)parts, &mesh));
    basin_contact_description d = describe(mesh);
    uint32_t *bodies = calloc(d.vertex_count, sizeof *bodies);
    double *p = calloc(3 * d.vertex_count, sizeof *p), move[3], step;
    table_numbers(&t, 3, move);
    for (size_t v = 0; v < d.vertex_count; ++v) {
      bodies[v] = v < first ? 1 : 2;
      for (size_t k = 0; k < 3; ++k) p[3 * v + k] = v < first ? move[k] : 0;
    }
    d.bodies = bodies;
    basin_contact *contact = contact_of(context, &d);
    const double *x = basin_mesh_points(mesh);
    assert_ok(basin_contact_sweep(contact, x, p, 1));
    const double faces = table_number(&t);
    expect_counts(contact, id, faces, table_number(&t));
    const double start = table_number(&t);
    basin_contact_closest near;
    assert_ok(basin_contact_smallest_distance(contact, x, &near));
    if (!(fabs(near.gap - start) <= 1e-9 * start))
      fail_msg("%s: start distance %.17g", id, near.gap);
    const bool hit = table_number(&t) != 0;
    const double time = table_number(&t);
    assert_ok(basin_contact_step(contact, 1 - 1e-6, &step));
    if (hit ? step > time || step < time * (1 - 1e-5) : step != 1)
      fail_msg("%s: step %.17g, not %.17g", id, step, time);
    double *y = malloc(3 * d.vertex_count * sizeof *y);
    for (size_t i = 0; i < 3 * d.vertex_count; ++i) y[i] = x[i] + step * p[i];
    assert_ok(basin_contact_check(contact, y));
    free(y);
    free(p);
    free(bodies);
    basin_contact_destroy(contact);
    basin_mesh_destroy(mesh);
    basin_mesh_destroy(parts[0]);
    basin_mesh_destroy(parts[1]);
    basin_context_destroy(context);
    ++seen;
  }
  assert_int_equal(seen, 13);
}

/* Two frames of the cloth-ball sequence: published counts of boxes, exact values for the rest. */
static void cloth(void **state)
{
  (void)state;
  double steps[2];
  for (unsigned threads = 1; threads <= 2; ++threads) {
    basin_context *context = context_with(threads);
    basin_mesh *mesh = surface_of(context, CONTACT_DATA, "cloth_ball92.ply");
    basin_mesh *end = surface_of(context, CONTACT_DATA, "cloth_ball93.ply");
    basin_contact_description d = describe(mesh);
    d.exact_boxes = threads == 2; /* the frames are in single precision: no difference */
    basin_contact *contact = contact_of(context, &d);
    const double *x = basin_mesh_points(mesh), *y = basin_mesh_points(end);
    double *p = malloc(3 * d.vertex_count * sizeof *p);
    for (size_t i = 0; i < 3 * d.vertex_count; ++i) p[i] = y[i] - x[i];
    assert_ok(basin_contact_sweep(contact, x, p, 1));
    expect_counts(contact, "cloth", 1655541, 5197332);
    basin_contact_impact first;
    assert_ok(basin_contact_largest_step(contact, x, p, 1, 0.999, &steps[threads - 1], &first));
    assert_true(steps[threads - 1] <= 7.492069186824336e-6);
    assert_true(steps[threads - 1] > 7.48e-6);
    assert_int_equal(first.kind, BASIN_CONTACT_EDGE_EDGE);
    const uint32_t pair[4] = {35283, 35284, 39809, 39810};
    for (int i = 0; i < 4; ++i) assert_true(share_vertex(&first.vertices[i], 1, pair, 4));
    memset(p, 0, 3 * d.vertex_count * sizeof *p);
    assert_ok(basin_contact_sweep(contact, x, p, 1));
    expect_counts(contact, "cloth at rest", 117899, 561099);
    size_t count;
    basin_contact_closest near;
    assert_ok(basin_contact_intersections(contact, x, 0, NULL, &count));
    assert_int_equal(count, 62655);
    assert_ok(basin_contact_smallest_distance(contact, x, &near));
    assert_near(near.gap, 5.564622262164865e-07, 1e-15);
    assert_ok(basin_contact_smallest_distance(contact, y, &near));
    assert_near(near.gap, 8.780208982710425e-08, 1e-15);
    assert_ok(basin_contact_intersections(contact, y, 0, NULL, &count));
    assert_int_equal(count, 98728);
    assert_int_equal(basin_contact_check(contact, x), BASIN_ERROR_ARGUMENT);
    assert_non_null(
        strstr(basin_error_last(context)->message, "62655 edges through triangles: edge ("));
    free(p);
    basin_contact_destroy(contact);
    basin_mesh_destroy(mesh);
    basin_mesh_destroy(end);
    basin_context_destroy(context);
  }
  assert_true(steps[0] == steps[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_meshes),
      cmocka_unit_test(moving_meshes),
      cmocka_unit_test(cloth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
