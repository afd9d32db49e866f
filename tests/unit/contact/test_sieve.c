/* Tests of what spares looks at candidates: bounds of distances that serve several calls, cut
 * motions, and boxes made three coordinates at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact_heap.h"

/* Distance of a candidate at positions x. */
static double
distance_of(const basin_contact *contact, unsigned pass, uint32_t a, uint32_t b, const double *x)
{
  static const basin__set_name sets[BASIN__PASS_COUNT][2] = {
      {BASIN__LONE_POINTS, BASIN__LONE_POINTS},
      {BASIN__LONE_POINTS, BASIN__LONE_EDGES},
      {BASIN__POINTS, BASIN__TRIANGLES},
      {BASIN__EDGES, BASIN__EDGES}};
  const uint32_t items[2] = {a, b};
  double stencil[12];
  unsigned n = 0;
  for (int side = 0; side < 2; ++side) {
    const basin__set *set = &contact->sets[sets[pass][side]];
    for (unsigned c = 0; c < set->arity; ++c, ++n)
      memcpy(stencil + 3 * n,
             x + 3 * (size_t)set->items[(size_t)items[side] * set->arity + c],
             3 * sizeof *x);
  }
  basin_contact_distance d;
  assert_ok(basin_contact_distance_get((basin_contact_kind)pass, stencil, &d));
  return sqrt(d.squared_distance);
}

/* No candidate is nearer than its horizon says. Returns how many are known to be farther apart than
 * `reach`. */
static size_t check_horizons(const basin_contact *contact, const double *x, double reach)
{
  const basin__lists *lists = &contact->reuse.lists;
  size_t far = 0;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    for (size_t i = 0; i < lists->block_count[pass]; ++i) {
      const basin__block *block = &lists->blocks[pass][i];
      const basin__flat *flat = &lists->flat[block->part];
      basin__scan scan;
      basin__scan_prepare(&scan, (basin_contact *)(uintptr_t)contact, pass, NULL, NULL);
      for (size_t k = block->start; k < block->start + block->candidates; ++k) {
        const uint32_t a = flat->items.data[k], b = flat->partners.data[k];
        const double known = (double)flat->horizons.data[k] - ((double)scan.query_set->travel[a] +
                                                               (double)scan.partner_set->travel[b]);
        assert_true(known <= distance_of(contact, pass, a, b, x));
        far += known > reach;
      }
    }
  return far;
}

static size_t candidates_of(const basin_contact *contact)
{
  size_t sum = 0;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    sum += contact->reuse.lists.candidates[pass];
  return sum;
}

/* Small motions, then one within what the lists allow for: most candidates are known to be far. */
static void horizons(void **state)
{
  (void)state;
  for (unsigned round = 0; round < 4; ++round) {
    heap h = make_heap(round + 21, 60, 1, round % 2 ? 4096 : 0);
    uint64_t seed = round;
    basin_context *context = context_with(1 + round % 2);
    basin_contact *contact = contact_of(context, &h.d);
    size_t far = 0, all = 0;
    for (int i = 0; i < 20; ++i) {
      const double size = pow(10, -5 + i % 4);
      double step;
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.p[k] = size * random_unit(&seed);
      assert_ok(basin_contact_largest_step(contact, h.x, h.p, 1, 0.8, &step, NULL));
      check_horizons(contact, h.x, 0);
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.x[k] += 0.5 * h.p[k];
      assert_ok(basin_contact_detect(contact, h.x, 1e-3));
      far += check_horizons(contact, h.x, 1e-3);
      all += candidates_of(contact);
    }
    assert_true(all > 1000);
    assert_true((double)far > 0.8 * (double)all);
    basin_contact_destroy(contact);
    basin_context_destroy(context);
    free_heap(&h);
  }
}

/* The same candidates laid out again know what they knew, less the travel. */
static void taken_over(void **state)
{
  (void)state;
  heap h = make_heap(3, 200, 1, 0);
  uint64_t seed = 1;
  basin_context *context = context_with(2);
  basin_contact *contact = contact_of(context, &h.d);
  basin__reuse *reuse = &contact->reuse;
  assert_ok(basin_contact_detect(contact, h.x, 1e-3));
  for (size_t k = 0; k < 3 * h.vertices; ++k) h.x[k] += 1e-4 * random_unit(&seed);
  assert_ok(basin_contact_detect(contact, h.x, 1e-3));
  assert_int_equal(basin_contact_statistics_get(contact).collections, 1);
  basin__flat *fresh = reuse->older, *older = reuse->lists.flat;
  reuse->older = older;
  reuse->lists.flat = fresh;
  assert_ok(basin__lists_flatten(contact, &reuse->lists));
  basin__horizons_take(contact);
  size_t known = 0;
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass)
    for (size_t i = 0; i < reuse->lists.block_count[pass]; ++i) {
      const basin__block *block = &reuse->lists.blocks[pass][i];
      basin__scan scan;
      basin__scan_prepare(&scan, contact, pass, NULL, NULL);
      for (size_t k = block->start; k < block->start + block->candidates; ++k) {
        const uint32_t a = fresh[block->part].items.data[k];
        const uint32_t b = fresh[block->part].partners.data[k];
        const float before = older[block->part].horizons.data[k];
        const float now = before - (scan.query_set->travel[a] + scan.partner_set->travel[b]);
        const float taken = fresh[block->part].horizons.data[k];
        assert_true(taken <= (now > 0 ? now : 0));
        assert_true(taken >= now * (1 - 1e-5F));
        known += taken > 0;
      }
    }
  assert_true(candidates_of(contact) > 500);
  assert_true((double)known > 0.9 * (double)candidates_of(contact));
  reuse->valid = false; /* travel goes on from here */
  basin_contact_destroy(contact);
  basin_context_destroy(context);
  free_heap(&h);
}

/* A detector that has seen many motions finds the steps that a look at every candidate finds: for
 * any slackness, with bodies that keep distances, with a motion that all have in common. */
static void steps(void **state)
{
  (void)state;
  static const double slackness[] = {0.8, 0.95, 0.5, 0.05, 0.3};
  const double offsets[4] = {0, 0.004, 0, 0.01};
  size_t limited = 0;
  for (unsigned round = 0; round < 6; ++round) {
    heap h = make_heap(round + 5, 50, 1, 0);
    uint64_t seed = round;
    h.d.separation = round % 3 ? 0 : 1e-3;
    if (round % 2) h.d.offsets = offsets, h.d.body_count = 4;
    basin_context *context = context_with(1 + round % 2);
    basin_contact *kept = contact_of(context, &h.d), *swept = contact_of(context, &h.d);
    for (int i = 0; i < 60; ++i) {
      const double size = pow(10, -1 - i % 5), drift = i % 3 ? 0 : 10 * size;
      basin_contact_impact first;
      double step, expected;
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.p[k] = size * random_unit(&seed) + drift;
      const double s = slackness[i % 5];
      assert_ok(basin_contact_detect(kept, h.x, 0.02));
      assert_ok(basin_contact_largest_step(kept, h.x, h.p, 1, s, &step, &first));
      assert_ok(basin_contact_sweep(swept, h.x, h.p, 1));
      assert_ok(basin_contact_step(swept, s, &expected));
      assert_true(step == expected);
      limited += step > 0 && step < 1;
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.x[k] += 0.3 * h.p[k];
    }
    basin_contact_destroy(kept);
    basin_contact_destroy(swept);
    basin_context_destroy(context);
    free_heap(&h);
  }
  assert_true(limited > 20);
}

/* A near pair ends the step at about 0.5; a far one, whose boxes do not meet until then, has lost
 * most of its gap before. */
static void far_but_fast(void **state)
{
  (void)state;
  const double x[12] = {0, 0, 0, 0.002, 0, 0, 0, 5, 0, 1, 5, 0};
  const double p[12] = {0, 0, 0, -0.00315, 0, 0, 0, 0, 0, -1.9, 0, 0};
  const uint32_t points[4] = {0, 1, 2, 3};
  basin_context *context = context_with(1);
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = d.point_count = 4;
  d.points = points;
  basin_contact *contact = contact_of(context, &d);
  basin_contact_impact first;
  double step, expected;
  assert_ok(basin_contact_detect(contact, x, 0.01));
  assert_ok(basin_contact_largest_step(contact, x, p, 1, 0.8, &step, &first));
  assert_int_equal(first.kind, BASIN_CONTACT_POINT_POINT);
  assert_int_equal(first.vertices[0], 2);
  assert_near(step, 0.8 / 1.9, 0.01); /* a gap of 0.2 is left there, and at most 0.2125 */
  assert_ok(basin_contact_sweep(contact, x, p, 1));
  assert_ok(basin_contact_step(contact, 0.8, &expected));
  assert_true(step == expected);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* Boxes with and without AVX2, of positions and of motions, with numbers on both sides of what a
 * float holds. */
static void boxes(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-3, 1e-44, 1e30, 1e40};
  for (unsigned round = 0; round < 10; ++round) {
    heap h = make_heap(round, 30, scales[round % 5], round < 5 ? 0 : 1000);
    basin_context *context = context_with(1);
    basin_contact *plain = contact_of(context, &h.d), *wide = contact_of(context, &h.d);
    plain->wide = false;
    h.x[0] = 0, h.x[1] = -0.0, h.p[3] = 0;
    for (int moving = 0; moving < 2; ++moving) {
      basin_contact *both[2] = {plain, wide};
      for (int k = 0; k < 2; ++k)
        assert_ok(basin__contact_boxes(
            both[k], h.x, moving ? h.p : NULL, 0.7, moving ? 0 : 1e-3, NULL, NULL, NULL));
      assert_memory_equal(plain->boxes, wide->boxes, h.vertices * sizeof *plain->boxes);
    }
    h.x[40] = round % 2 ? HUGE_VAL : 1e60;
    assert_int_not_equal(basin_contact_detect(wide, h.x, 1e-3), BASIN_OK);
    basin_contact_destroy(plain);
    basin_contact_destroy(wide);
    basin_context_destroy(context);
    free_heap(&h);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(horizons),
      cmocka_unit_test(taken_over),
      cmocka_unit_test(steps),
      cmocka_unit_test(far_but_fast),
      cmocka_unit_test(boxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
