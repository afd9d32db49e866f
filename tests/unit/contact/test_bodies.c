/* Tests of the rule for bodies: which pairs meet, in every function.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

/* Two triangles a tenth apart, of six vertices. */
static const double stacked[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1, 1, 0, 0.1, 0, 1, 0.1};
static const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};

static basin_contact *
make(basin_context *context, const uint32_t *bodies, size_t count, const uint8_t *allowed)
{
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = 6;
  d.triangle_count = 2;
  d.triangles = triangles;
  d.bodies = bodies;
  d.body_count = count;
  d.body_pairs = allowed;
  return contact_of(context, &d);
}

/* The same answer from detect, the step, the smallest distance and the intersections. */
static void expect(basin_contact *contact, bool touches)
{
  basin_contact_closest near;
  double direction[18] = {0}, pierced[18], step;
  size_t pairs = 0, crossings;
  for (int i = 9; i < 18; i += 3) direction[i + 2] = -0.2;
  assert_ok(basin_contact_detect(contact, stacked, 0.2));
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind)
    pairs += basin_contact_pairs_get(contact, (basin_contact_kind)kind).count;
  assert_int_equal(pairs > 0, touches);
  assert_ok(basin_contact_largest_step(contact, stacked, direction, 1, 0.9, &step, NULL));
  assert_int_equal(step < 0.5, touches);
  assert_ok(basin_contact_sweep(contact, stacked, direction, 1));
  assert_int_equal(basin_contact_candidate_count(contact, BASIN_CONTACT_POINT_TRIANGLE) > 0,
                   touches);
  assert_ok(basin_contact_smallest_distance(contact, stacked, &near));
  assert_int_equal(near.kind != BASIN_CONTACT_KIND_COUNT, touches);
  memcpy(pierced, stacked, sizeof pierced);
  pierced[9] = pierced[10] = 0.2;
  pierced[11] = -0.1;
  assert_ok(basin_contact_intersections(contact, pierced, 0, NULL, &crossings));
  assert_int_equal(crossings > 0, touches);
  basin_contact_destroy(contact);
}

static void without_a_table(void **state)
{
  (void)state;
  basin_context *context = context_with(2);
  const uint32_t same[6] = {7, 7, 7, 7, 7, 7}, two[6] = {1, 1, 1, 2, 2, 2},
                 zero[6] = {0, 0, 0, 0, 0, 0};
  const uint32_t half[6] = {0, 0, 0, 3, 3, 3}, mixed[6] = {3, 3, 0, 3, 3, 3};
  expect(make(context, same, 0, NULL), false);
  expect(make(context, two, 0, NULL), true);
  expect(make(context, zero, 0, NULL), true);
  expect(make(context, half, 0, NULL), true);
  expect(make(context, mixed, 0, NULL), true); /* the pairs that have vertex 2 */
  expect(make(context, NULL, 0, NULL), true);
  basin_context_destroy(context);
}

static void with_a_table(void **state)
{
  (void)state;
  basin_context *context = context_with(2);
  const uint8_t self_off[4] = {1, 1, 1, 0}, cross_off[4] = {1, 0, 0, 1}, self_on[4] = {1, 1, 1, 1};
  const uint32_t one[6] = {1, 1, 1, 1, 1, 1}, two[6] = {0, 0, 0, 1, 1, 1},
                 mixed[6] = {1, 1, 0, 1, 1, 1};
  expect(make(context, one, 2, self_off), false);
  expect(make(context, one, 2, self_on), true); /* the diagonal rules, not the id */
  expect(make(context, two, 2, cross_off), false);
  expect(make(context, two, 2, self_off), true);
  basin_contact *contact = make(context, mixed, 2, self_off);
  assert_false(
      basin_contact_allows(contact, 1, triangles + 3, 3, triangles)); /* one pair is enough */
  assert_true(basin_contact_allows(contact, 1, triangles + 2, 3, triangles + 3));
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* The seven stencils of the reference table (d = 0, a = 1, b = 2; a-a is off). */
static void reference_stencils(void **state)
{
  (void)state;
  const uint8_t allowed[9] = {1, 1, 1, 1, 0, 1, 1, 1, 1};
  static const struct {
    size_t split, count;
    uint32_t bodies[4];
    bool enabled;
  } cases[] = {{1, 2, {0, 1}, true},
               {1, 4, {1, 1, 1, 0}, false},
               {1, 4, {0, 1, 2, 2}, true},
               {2, 4, {0, 1, 2, 2}, true},
               {1, 4, {1, 1, 1, 1}, false},
               {1, 3, {0, 1, 2}, true},
               {2, 4, {2, 2, 2, 2}, true}};
  basin_context *context = context_with(1);
  const uint32_t v[4] = {0, 1, 2, 3};
  for (size_t i = 0; i < BASIN_COUNT(cases); ++i) {
    basin_contact_description d = basin_contact_description_defaults();
    d.vertex_count = 4;
    d.bodies = cases[i].bodies;
    d.body_count = 3;
    d.body_pairs = allowed;
    basin_contact *contact = contact_of(context, &d);
    const size_t split = cases[i].split;
    assert_int_equal(basin_contact_allows(contact, split, v, cases[i].count - split, v + split),
                     cases[i].enabled);
    basin_contact_destroy(contact);
  }
  basin_context_destroy(context);
}

/* xi = separation + offset + offset shifts what counts as close and where a step ends. */
static void offsets(void **state)
{
  (void)state;
  basin_context *context = context_with(1);
  const uint32_t points[2] = {0, 1}, bodies[2] = {0, 1};
  const double by_body[2] = {0.1, 0.2}, x[6] = {0, 0, 0, 1, 0, 0}, p[6] = {1, 0, 0, 0, 0, 0};
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = d.point_count = 2;
  d.points = points;
  d.bodies = bodies;
  d.body_count = 2;
  d.offsets = by_body;
  d.separation = 0.05;
  basin_contact *contact = contact_of(context, &d);
  double step;
  assert_ok(basin_contact_largest_step(contact, x, p, 2, 0.9, &step, NULL));
  assert_near(step, 0.9 * 0.65, 1e-12);
  assert_ok(basin_contact_detect(contact, x, 0.64));
  assert_int_equal(basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT).count, 0);
  assert_ok(basin_contact_detect(contact, x, 0.66));
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT);
  assert_int_equal(pairs.count, 1);
  assert_near(pairs.separation[0], 0.35, 1e-15);
  basin_contact_closest near;
  assert_ok(basin_contact_smallest_distance(contact, x, &near));
  assert_near(near.gap, 0.65, 1e-15);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_table),
      cmocka_unit_test(with_a_table),
      cmocka_unit_test(reference_stencils),
      cmocka_unit_test(offsets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
