/* Tests of the detector as an object: bad input, limits, memory that runs out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

static const double cube_points[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                       0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const uint32_t cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static basin_contact_description cube(void)
{
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = 8;
  d.triangle_count = 12;
  d.triangles = cube_triangles;
  return d;
}

static void refused(basin_context *context,
                    const basin_contact_description *d,
                    basin_status code,
                    const char *text)
{
  basin_contact *contact;
  assert_int_equal(basin_contact_create(context, d, &contact), code);
  assert_null(contact);
  if (!strstr(basin_error_last(context)->message, text))
    fail_msg("%s", basin_error_last(context)->message);
}

static void bad_descriptions(void **state)
{
  (void)state;
  basin_context *context = context_with(1);
  const uint32_t far_edge[2] = {0, 8}, bodies[8] = {0, 0, 0, 5, 0, 0, 0, 0};
  const uint8_t lopsided[4] = {1, 0, 1, 1};
  const double negative[6] = {-1, 0, 0, 0, 0, 0};
  const basin_contact_plane plane = {{0, 2, 0}, 0};
  basin_contact_description d = cube();
  d.size = 1;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "size");
  d = cube();
  d.edge_count = 1, d.edges = far_edge;
  refused(context, &d, BASIN_ERROR_RANGE, "entry 0 of edges is vertex 8, but there are 8 vertices");
  d.edges = NULL;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "announced but not given");
  d = cube();
  d.body_pairs = lopsided;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "body_count");
  d.body_count = 2;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "not symmetric at bodies 0 and 1");
  d = cube();
  d.bodies = bodies, d.offsets = negative, d.body_count = 5;
  refused(context, &d, BASIN_ERROR_RANGE, "vertex 3 has body 5");
  d.body_count = 6;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "offset of body 0");
  d = cube();
  d.plane_count = 1, d.planes = &plane;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "plane 0");
  d = cube();
  d.separation = (double)NAN;
  refused(context, &d, BASIN_ERROR_ARGUMENT, "separation");
  basin_context_destroy(context);
}

static void bad_calls(void **state)
{
  (void)state;
  basin_context *context = context_with(1);
  basin_contact_description d = cube();
  basin_contact *contact = contact_of(context, &d);
  double x[24], p[24] = {0}, step;
  memcpy(x, cube_points, sizeof x);
  assert_int_equal(basin_contact_step(contact, 0.9, &step), BASIN_ERROR_STATE);
  assert_int_equal(basin_contact_detect(contact, x, 0), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_contact_largest_step(contact, x, p, 0, 0.9, &step, NULL),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_contact_largest_step(contact, x, p, 1, 1, &step, NULL),
                   BASIN_ERROR_ARGUMENT);
  x[7] = (double)NAN;
  assert_int_equal(basin_contact_detect(contact, x, 0.1), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(context)->message, "position of vertex 2"));
  x[7] = 1;
  p[9] = (double)INFINITY;
  assert_int_equal(basin_contact_sweep(contact, x, p, 1), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_last(context)->message, "motion of vertex 3"));
  p[9] = 0;
  assert_ok(basin_contact_sweep(contact, x, p, 1)); /* still usable */
  assert_ok(basin_contact_step(contact, 0.9, &step));
  assert_true(step == 1);
  assert_int_equal(basin_contact_arity(BASIN_CONTACT_KIND_COUNT), 0);
  assert_string_equal(basin_contact_kind_name((basin_contact_kind)99), "unknown");
  basin_contact_destroy(contact);
  basin_contact_destroy(NULL);
  basin_context_destroy(context);
}

/* No vertices, or vertices that take no part: nothing is found and nothing fails. */
static void nothing_there(void **state)
{
  (void)state;
  basin_context *context = context_with(2);
  for (size_t count = 0; count < 3; ++count) {
    basin_contact_description d = basin_contact_description_defaults();
    d.vertex_count = count;
    basin_contact *contact = contact_of(context, &d);
    double x[9] = {0}, step;
    basin_contact_closest near;
    size_t crossings;
    assert_ok(basin_contact_detect(contact, x, 1));
    assert_ok(basin_contact_sweep(contact, x, x, 1));
    assert_ok(basin_contact_step(contact, 0.9, &step));
    assert_true(step == 1);
    assert_ok(basin_contact_smallest_distance(contact, x, &near));
    assert_int_equal(near.kind, BASIN_CONTACT_KIND_COUNT);
    assert_ok(basin_contact_intersections(contact, x, 0, NULL, &crossings));
    assert_int_equal(crossings, 0);
    basin_contact_destroy(contact);
  }
  basin_context_destroy(context);
}

/* More pairs than the limit: an error that names the limit, and the next call works. */
static void too_many_pairs(void **state)
{
  (void)state;
  basin_context *context = context_with(2);
  basin_contact_description d = cube();
  d.pair_limit = 40;
  basin_contact *contact = contact_of(context, &d);
  assert_int_equal(basin_contact_detect(contact, cube_points, 10), BASIN_ERROR_LENGTH);
  assert_non_null(strstr(basin_error_last(context)->message, "pair_limit"));
  assert_int_equal(basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT).count, 0);
  assert_ok(basin_contact_detect(contact, cube_points, 1e-3));
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* An activation far beyond the body: every candidate is a pair. */
static void large_activation(void **state)
{
  (void)state;
  basin_context *context = context_with(1);
  basin_contact_description d = cube();
  basin_contact *contact = contact_of(context, &d);
  assert_ok(basin_contact_detect(contact, cube_points, 100));
  double count = 0;
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin_contact_pairs pairs = basin_contact_pairs_get(contact, (basin_contact_kind)kind);
    for (size_t i = 0; i < pairs.count; ++i) count += pairs.multiplicity[i];
  }
  /* 8 x 12 point-triangle less 36 corners; 18 edges, 153 pairs less those that share a vertex: the
   * sum over vertices of the pairs of its edges. */
  const uint32_t *edges;
  const size_t edge_count = basin_contact_edges(contact, &edges);
  size_t sharing = 0, degree[8] = {0};
  for (size_t i = 0; i < 2 * edge_count; ++i) ++degree[edges[i]];
  for (int v = 0; v < 8; ++v) sharing += degree[v] * (degree[v] - 1) / 2;
  assert_int_equal(edge_count, 18);
  assert_true(count == (double)(8 * 12 - 36 + 153 - sharing));
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* Every allocation fails once: an error each time, and nothing is lost. */
static basin_status whole_run(basin_context *context)
{
  basin_contact_description d = cube();
  const uint32_t bodies[8] = {0}, edge[2] = {0, 7};
  const uint8_t allowed[1] = {1};
  const double offsets[1] = {0.01};
  const basin_contact_plane plane = {{0, 1, 0}, -1};
  d.bodies = bodies, d.body_count = 1, d.body_pairs = allowed, d.offsets = offsets;
  d.plane_count = 1, d.planes = &plane;
  d.edge_count = 1, d.edges = edge;
  d.rest_positions = cube_points;
  basin_contact *contact;
  const double down[24] = {0, -0.1};
  double step;
  size_t count;
  uint32_t rows[5];
  basin_contact_closest near;
  basin_status status = basin_contact_create(context, &d, &contact);
  if (status != BASIN_OK) return status;
  status = basin_contact_detect(contact, cube_points, 2);
  if (status == BASIN_OK) status = basin_contact_sweep(contact, cube_points, down, 1);
  if (status == BASIN_OK) status = basin_contact_step(contact, 0.9, &step);
  if (status == BASIN_OK) status = basin_contact_smallest_distance(contact, cube_points, &near);
  if (status == BASIN_OK)
    status = basin_contact_intersections(contact, cube_points, 1, rows, &count);
  basin_contact_destroy(contact);
  return status;
}

static void memory_runs_out(void **state)
{
  (void)state;
  for (size_t fail_at = 1; fail_at < 1000; ++fail_at) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    assert_non_null(context);
    atomic_store(&allocator.calls, 0);
    allocator.fail_at = fail_at;
    const basin_status status = whole_run(context);
    allocator.fail_at = 0;
    basin_context_destroy(context);
    assert_int_equal(atomic_load(&allocator.blocks), 0);
    if (status == BASIN_OK) {
      assert_true(fail_at > 40);
      return;
    }
    if (status != BASIN_ERROR_MEMORY) fail_msg("call %zu: status %d", fail_at, (int)status);
  }
  fail_msg("never succeeds");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_descriptions),
      cmocka_unit_test(bad_calls),
      cmocka_unit_test(nothing_there),
      cmocka_unit_test(too_many_pairs),
      cmocka_unit_test(large_activation),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
