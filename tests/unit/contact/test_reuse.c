/* Tests of candidates that serve several calls, and of the tests that spare work: the same bits as
 * detectors that see each question first, and as all pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/distance.h"
#include "contact_heap.h"

/* ---- one detector against fresh ones ---- */

static void expect_same_pairs(const basin_contact *a, const basin_contact *b)
{
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin_contact_pairs p = basin_contact_pairs_get(a, (basin_contact_kind)kind);
    const basin_contact_pairs q = basin_contact_pairs_get(b, (basin_contact_kind)kind);
    assert_int_equal(p.count, q.count);
    if (p.count == 0) continue;
    assert_memory_equal(p.vertices, q.vertices, p.count * p.arity * sizeof *p.vertices);
    assert_memory_equal(p.multiplicity, q.multiplicity, p.count * sizeof(double));
    assert_memory_equal(p.squared_distance, q.squared_distance, p.count * sizeof(double));
  }
}

static void expect_same_impact(const basin_contact_impact *a, const basin_contact_impact *b)
{
  assert_int_equal(a->kind, b->kind);
  assert_true(a->time == b->time);
  for (unsigned i = 0; i < 4 && a->kind != BASIN_CONTACT_KIND_COUNT; ++i)
    assert_int_equal(a->vertices[i], b->vertices[i]);
}

typedef struct close_pairs {
  double reach;
  size_t count;
} close_pairs;

static void count_close(void *user, basin_contact_kind kind, const uint32_t *v, const double *x)
{
  close_pairs *close = user;
  basin_contact_distance d;
  (void)v;
  assert_ok(basin_contact_distance_get(kind, x, &d));
  close->count += d.squared_distance < close->reach * close->reach;
}

static void expect_all_pairs(const basin_contact *contact, const heap *h, const double *x, double d)
{
  close_pairs close = {.reach = d};
  double count = 0;
  visit_all(contact, &h->d, x, count_close, &close);
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin_contact_pairs pairs = basin_contact_pairs_get(contact, (basin_contact_kind)kind);
    for (size_t i = 0; i < pairs.count; ++i) count += pairs.multiplicity[i];
  }
  assert_true(count == (double)close.count);
}

/* What a Newton iteration asks: the largest step, then trials along it (whatever the step). */
static void
iterate(basin_contact *kept, const heap *h, const double *x, double *trial, double activation)
{
  basin_contact_impact first, fresh_first;
  double step, fresh_step;
  basin_context *context = context_with(1);
  basin_contact *fresh = contact_of(context, &h->d);
  assert_ok(basin_contact_largest_step(kept, x, h->p, 1, 0.8, &step, &first));
  assert_ok(basin_contact_largest_step(fresh, x, h->p, 1, 0.8, &fresh_step, &fresh_first));
  assert_true(step == fresh_step);
  expect_same_impact(&first, &fresh_first);
  if (h->d.pair_limit == 0) { /* every candidate of the whole motion, without any sieve */
    assert_ok(basin_contact_sweep(fresh, x, h->p, 1));
    assert_ok(basin_contact_step(fresh, 0.8, &fresh_step));
    assert_true(step == fresh_step);
  }
  basin_contact_destroy(fresh);
  for (double part = 1; part > 0.2; part /= 2) {
    for (size_t i = 0; i < 3 * h->vertices; ++i) trial[i] = x[i] + part * h->p[i];
    fresh = contact_of(context, &h->d);
    assert_ok(basin_contact_detect(kept, trial, activation));
    assert_ok(basin_contact_detect(fresh, trial, activation));
    expect_same_pairs(kept, fresh);
    expect_all_pairs(kept, h, trial, activation);
    basin_contact_destroy(fresh);
  }
  basin_context_destroy(context);
}

/* Motions from far beyond to far below what the lists allow for, near the origin and far away. */
static void along_a_path(void **state)
{
  (void)state;
  static const double shifts[] = {0, 4096};
  for (unsigned round = 0; round < 4; ++round) {
    heap h = make_heap(round + 7, 40, 1, shifts[round % 2]);
    uint64_t seed = round;
    double *trial = malloc(3 * h.vertices * sizeof *trial);
    basin_context *context = context_with(1 + round % 2);
    basin_contact *kept = contact_of(context, &h.d);
    for (int i = 0; i < 24; ++i) {
      const double size = pow(10, -(i % 6)) * (i < 12 ? 1 : 0.05);
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.p[k] = size * random_unit(&seed);
      iterate(kept, &h, h.x, trial, i % 5 ? 0.02 : 0.05);
      for (size_t k = 0; k < 3 * h.vertices; ++k) h.x[k] += 0.5 * h.p[k];
    }
    const basin_contact_statistics s = basin_contact_statistics_get(kept);
    assert_int_equal(s.steps, 24);
    assert_int_equal(s.detections, 3 * 24);
    assert_true(s.collections <= s.detections / 2); /* lists were used again */
    assert_true(s.collections >= 4);                /* and made anew */
    basin_contact_destroy(kept);
    basin_context_destroy(context);
    free(trial);
    free_heap(&h);
  }
}

/* More candidates than lists may hold: every call collects its own, and finds the same. */
static void too_many_to_keep(void **state)
{
  (void)state;
  heap h = make_heap(3, 60, 1, 0);
  double *trial = malloc(3 * h.vertices * sizeof *trial);
  basin_context *context = context_with(2);
  for (size_t k = 0; k < 3 * h.vertices; ++k) h.p[k] *= 40; /* boxes as large as the heap */
  h.d.pair_limit = 2000;
  basin_contact *kept = contact_of(context, &h.d);
  for (int i = 0; i < 3; ++i) iterate(kept, &h, h.x, trial, 0.02);
  const basin_contact_statistics s = basin_contact_statistics_get(kept);
  assert_int_equal(s.collections, s.detections + s.steps);
  basin_contact_destroy(kept);
  basin_context_destroy(context);
  free(trial);
  free_heap(&h);
}

/* The offset of a primitive is the largest of its vertices: it also counts at the other ones. */
static void offset_of_another_vertex(void **state)
{
  (void)state;
  const double x[9] = {0, 0, 0, 10, 0, 0, -0.3, 0, 0};
  const uint32_t edge[2] = {0, 1}, point[1] = {2}, bodies[3] = {1, 2, 3};
  const double offsets[4] = {0, 0, 0.5, 0};
  basin_context *context = context_with(1);
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = 3;
  d.edge_count = 1, d.edges = edge;
  d.point_count = 1, d.points = point;
  d.bodies = bodies, d.body_count = 4, d.offsets = offsets;
  basin_contact *contact = contact_of(context, &d);
  assert_ok(basin_contact_detect(contact, x, 0.01));
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT);
  assert_int_equal(pairs.count, 1);
  assert_true(pairs.separation[0] == 0.5);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* ---- what is surely far apart ---- */

/* Random stencils, some nearly flat, parallel, or without length. */
static void make_stencil(uint64_t *seed, int round, basin__vector3 x[4])
{
  const double flat = pow(10, -(round % 12)), size = pow(10, round % 7 - 3);
  for (int i = 0; i < 4; ++i)
    x[i] = basin__v3_of(
        size * random_unit(seed), size * random_unit(seed), size * flat * random_unit(seed));
  if (round % 11 == 0) x[2] = x[3];
  if (round % 13 == 0)
    x[3] = basin__v3_step(x[2], 1 + flat * random_unit(seed), basin__v3_sub(x[1], x[0]));
}

static void far_apart(void **state)
{
  (void)state;
  static const basin_contact_kind kinds[] = {BASIN_CONTACT_POINT_TRIANGLE, BASIN_CONTACT_EDGE_EDGE};
  uint64_t seed = 11;
  size_t far = 0, spared = 0;
  for (int round = 0; round < 200000; ++round) {
    basin__vector3 x[4];
    basin__closest near;
    const basin_contact_kind kind = kinds[round % 2];
    make_stencil(&seed, round / 2, x);
    basin__closest_of(kind, x, &near);
    const double distance = sqrt(near.squared);
    double least = 0;
    assert_false(basin__far_apart(kind, x, distance * (1 + 1e-12), &least));
    assert_false(basin__far_apart(kind, x, 2 * distance + 1e-300, &least));
    far += near.region == 15;
    if (!basin__far_apart(kind, x, 0.9 * distance, &least)) continue;
    spared += near.region == 15;
    assert_true(sqrt(least) <= distance * (1 + 1e-12));
    assert_true(sqrt(least) >= 0.9 * distance * (1 - 1e-12));
  }
  assert_true(far > 20000);
  assert_true((double)spared > 0.8 * (double)far); /* the rest is too flat to tell */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_a_path),
      cmocka_unit_test(too_many_to_keep),
      cmocka_unit_test(offset_of_another_vertex),
      cmocka_unit_test(far_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
