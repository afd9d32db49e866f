/* Tests of close pairs: against all pairs, multiplicities, mollified kinds, order, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_heap.h"

/* ---- the oracle ---- */

typedef struct oracle {
  double reach, squared_sum, step;
  size_t candidates, close;
  double least;
  const heap *h;
} oracle;

static void count_pair(void *user, basin_contact_kind kind, const uint32_t *v, const double *x)
{
  oracle *o = user;
  basin_contact_distance d;
  double end[12], time;
  bool hit;
  assert_ok(basin_contact_distance_get(kind, x, &d));
  o->least = fmin(o->least, d.squared_distance);
  if (d.squared_distance < o->reach * o->reach) {
    ++o->close;
    o->squared_sum += d.squared_distance;
  }
  for (unsigned i = 0; i < 3 * basin_contact_arity(kind); ++i)
    end[i] = x[i] + o->h->p[3 * (size_t)v[i / 3] + i % 3];
  assert_ok(basin_contact_time(kind, x, end, 0, 1, 0.9, &time, &hit));
  if (hit) o->step = fmin(o->step, time);
}

static double total(const basin_contact *contact, double *squared)
{
  double count = 0;
  *squared = 0;
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin_contact_pairs pairs = basin_contact_pairs_get(contact, (basin_contact_kind)kind);
    for (size_t i = 0; i < pairs.count; ++i) {
      count += pairs.multiplicity[i];
      *squared += pairs.multiplicity[i] * pairs.squared_distance[i];
    }
  }
  return count;
}

/* Everything that goes through the trees, against four double loops; at several scales and with a
 * common translation; rebuilt and refitted. */
static void against_all_pairs(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-6, 1e3}, shifts[] = {0, 0, 0, 1048576};
  for (int round = 0; round < 12; ++round) {
    const double scale = scales[round % 3], shift = shifts[round % 4];
    heap h = make_heap((uint64_t)round, round == 0 ? 1 : 60, scale, shift);
    basin_context *context = context_with(1 + (unsigned)round % 2);
    basin_contact *contact = contact_of(context, &h.d);
    for (int again = 0; again < 2; ++again) {
      oracle o = {.reach = 0.1 * scale, .least = HUGE_VAL, .step = 1, .h = &h};
      double squared, step;
      basin_contact_closest near;
      visit_all(contact, &h.d, h.x, count_pair, &o);
      assert_ok(basin_contact_detect(contact, h.x, o.reach));
      assert_true(total(contact, &squared) == (double)o.close);
      assert_near(squared, o.squared_sum, 1e-10 * o.squared_sum);
      assert_ok(basin_contact_smallest_distance(contact, h.x, &near));
      if (o.least < HUGE_VAL) assert_true(near.squared_distance == o.least);
      assert_ok(basin_contact_largest_step(contact, h.x, h.p, 1, 0.9, &step, NULL));
      if (shift == 0) assert_near(step, o.step, 1e-6 * o.step);
      const double fused = step;
      assert_ok(basin_contact_sweep(contact, h.x, h.p, 1));
      assert_ok(basin_contact_step(contact, 0.9, &step));
      assert_true(step == fused);
      for (size_t i = 0; i < 3 * h.vertices; ++i) h.x[i] += 0.3 * h.p[i];
    }
    basin_contact_destroy(contact);
    basin_context_destroy(context);
    free_heap(&h);
  }
}

/* The lists are the same bits for 1 and 2 threads, and after another history of the trees. */
static void deterministic(void **state)
{
  (void)state;
  heap h = make_heap(99, 400, 1, 0);
  double *moved = malloc(3 * h.vertices * sizeof *moved), steps[2];
  for (size_t i = 0; i < 3 * h.vertices; ++i) moved[i] = h.x[i] + h.p[i];
  basin_context *contexts[2];
  basin_contact *contacts[2];
  for (unsigned i = 0; i < 2; ++i) {
    contexts[i] = context_with(i + 1);
    contacts[i] = contact_of(contexts[i], &h.d);
    if (i == 1) assert_ok(basin_contact_detect(contacts[i], moved, 0.2));
    assert_ok(basin_contact_detect(contacts[i], h.x, 0.1));
    assert_ok(basin_contact_largest_step(contacts[i], h.x, h.p, 1, 0.9, &steps[i], NULL));
  }
  assert_true(steps[0] == steps[1]);
  size_t pairs = 0;
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind) {
    const basin_contact_pairs a = basin_contact_pairs_get(contacts[0], (basin_contact_kind)kind);
    const basin_contact_pairs b = basin_contact_pairs_get(contacts[1], (basin_contact_kind)kind);
    pairs += a.count;
    assert_int_equal(a.count, b.count);
    if (a.count == 0) continue;
    assert_memory_equal(a.vertices, b.vertices, a.count * a.arity * sizeof(uint32_t));
    assert_memory_equal(a.multiplicity, b.multiplicity, a.count * sizeof(double));
    assert_memory_equal(a.squared_distance, b.squared_distance, a.count * sizeof(double));
    for (size_t i = 1; i < a.count; ++i) { /* ascending, no stencil twice */
      const uint32_t *u = a.vertices + (i - 1) * a.arity, *v = u + a.arity;
      size_t k = 0;
      while (k < a.arity && u[k] == v[k]) ++k;
      assert_true(k < a.arity && u[k] < v[k]);
    }
  }
  assert_true(pairs > 1000);
  for (int i = 0; i < 2; ++i) {
    basin_contact_destroy(contacts[i]);
    basin_context_destroy(contexts[i]);
  }
  free(moved);
  free_heap(&h);
}

/* ---- multiplicity by hand ---- */

/* A point above the corner that six triangles share: one point-point pair seen six times. */
static void point_over_a_fan(void **state)
{
  (void)state;
  double x[24] = {0};
  uint32_t triangles[18], point = 7;
  for (uint32_t i = 0; i < 6; ++i) {
    x[3 * (i + 1)] = cos(i * M_PI / 3), x[3 * (i + 1) + 1] = sin(i * M_PI / 3),
               x[3 * (i + 1) + 2] = -1;
    triangles[3 * i] = 0, triangles[3 * i + 1] = i + 1, triangles[3 * i + 2] = (i + 1) % 6 + 1;
  }
  x[23] = 0.01;
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = 8;
  d.triangle_count = 6, d.triangles = triangles;
  d.point_count = 1, d.points = &point;
  basin_context *context = context_with(1);
  basin_contact *contact = contact_of(context, &d);
  assert_ok(basin_contact_detect(contact, x, 0.02));
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT);
  assert_int_equal(pairs.count, 1);
  assert_int_equal(pairs.vertices[0], 0);
  assert_int_equal(pairs.vertices[1], 7);
  assert_true(pairs.multiplicity[0] == 6);
  assert_near(pairs.squared_distance[0], 1e-4, 1e-18);
  const uint64_t version = basin_contact_version(contact);
  x[23] = 0.011;
  assert_ok(basin_contact_detect(contact, x, 0.02));
  assert_true(basin_contact_version(contact) == version);
  x[23] = 0.021;
  assert_ok(basin_contact_detect(contact, x, 0.02));
  assert_true(basin_contact_version(contact) == version + 1);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

/* Two edges at an angle: mollified exactly while |u x v|^2 < 1e-3 |u|^2 |v|^2, with the same total
 * energy m b on both sides of the switch (m = 1 there). */
static void nearly_parallel_edges(void **state)
{
  (void)state;
  const uint32_t edges[4] = {0, 1, 2, 3};
  basin_context *context = context_with(1);
  for (int i = 0; i <= 40; ++i) {
    const double angle = 0.001 * i, s = sin(angle), c = cos(angle);
    const double x[12] = {-1, 0, 0, 1, 0, 0, -c, -s, 0.1, c, s, 0.1};
    const double aside[12] = {-1, 0, 0, 1, 0, 0, 1.05, 0, 0.01, 1.05 + 2 * c, 2 * s, 0.01};
    basin_contact_description d = basin_contact_description_defaults();
    d.vertex_count = 4;
    d.edge_count = 2, d.edges = edges;
    d.rest_positions = x;
    basin_contact *contact = contact_of(context, &d);
    assert_ok(basin_contact_detect(contact, x, 0.2));
    const bool mollified = s * s < 1e-3;
    const basin_contact_kind crossing =
        mollified ? BASIN_CONTACT_MOLLIFIED_EDGE_EDGE : BASIN_CONTACT_EDGE_EDGE;
    if (i > 0) {
      const basin_contact_pairs pairs = basin_contact_pairs_get(contact, crossing);
      assert_int_equal(pairs.count, 1);
      assert_near(pairs.squared_distance[0], 0.01, 1e-12);
      if (mollified) assert_near(pairs.threshold[0], 0.016, 1e-12);
    }
    assert_ok(basin_contact_detect(contact, aside, 0.2));
    const basin_contact_pairs ends = basin_contact_pairs_get(
        contact, mollified ? BASIN_CONTACT_MOLLIFIED_POINT_POINT : BASIN_CONTACT_POINT_POINT);
    assert_int_equal(ends.count, 1);
    assert_int_equal(ends.vertices[0], 1); /* the closest ends stand first on their sides */
    assert_int_equal(ends.vertices[mollified ? 2 : 1], 2);
    basin_contact_destroy(contact);
  }
  basin_context_destroy(context);
}

/* Two needles and a lone point: pairs of codimensional primitives in space. */
static void points_and_edges_alone(void **state)
{
  (void)state;
  const double x[18] = {0, 0, 0, 1, 0, 0, 0.5, 0.1, 0, 0.5, 0.1, 0.05, 5, 5, 5, 5, 5, 5.05};
  const uint32_t edge[2] = {0, 1}, points[4] = {2, 3, 4, 5};
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = 6;
  d.edge_count = 1, d.edges = edge;
  d.point_count = 4, d.points = points;
  basin_context *context = context_with(1);
  basin_contact *contact = contact_of(context, &d);
  assert_ok(basin_contact_detect(contact, x, 0.2));
  const basin_contact_pairs pp = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_POINT);
  const basin_contact_pairs pe = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_EDGE);
  assert_int_equal(pp.count, 2);
  assert_int_equal(pe.count, 2);
  assert_near(pe.squared_distance[0], 0.01, 1e-15);
  assert_near(pe.squared_distance[1], 0.0125, 1e-15);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

static void planes(void **state)
{
  (void)state;
  const double x[6] = {0, 0.5, 0, 3, 2, 0}, p[6] = {0, -1, 0, 0, -1, 0};
  const uint32_t points[2] = {0, 1};
  const basin_contact_plane floor_plane = {{0, 1, 0}, 0.25};
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = d.point_count = 2, d.points = points;
  d.plane_count = 1, d.planes = &floor_plane;
  basin_context *context = context_with(1);
  basin_contact *contact = contact_of(context, &d);
  double step;
  basin_contact_impact first;
  assert_ok(basin_contact_largest_step(contact, x, p, 1, 0.9, &step, &first));
  assert_near(step, 0.9 * 0.25, 1e-12);
  assert_int_equal(first.kind, BASIN_CONTACT_POINT_PLANE);
  assert_ok(basin_contact_detect(contact, x, 0.3));
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, BASIN_CONTACT_POINT_PLANE);
  assert_int_equal(pairs.count, 1);
  assert_int_equal(pairs.vertices[0], 0);
  assert_int_equal(pairs.planes[0], 0);
  assert_near(pairs.squared_distance[0], 0.0625, 1e-15);
  const double below[6] = {0, 0.2, 0, 3, 2, 0};
  assert_int_equal(basin_contact_check(contact, below), BASIN_ERROR_ARGUMENT);
  assert_non_null(strstr(basin_error_last(context)->message, "point (0) and plane 0"));
  basin_contact_destroy(contact);
  /* Reference cases: the time is (n . (p0 - o) - xi) / (n . (p0 - p1)). */
  table t = table_open("cases.txt");
  while (table_next(&t)) {
    char word[64];
    double v[12], move[3];
    if (strcmp(table_word(&t, word), "plane") != 0) continue;
    table_word(&t, word);
    table_numbers(&t, 12, v);
    d.vertex_count = d.point_count = 1;
    const basin_contact_plane plane = {{v[9], v[10], v[11]},
                                       v[6] * v[9] + v[7] * v[10] + v[8] * v[11]};
    d.planes = &plane;
    d.separation = table_number(&t);
    for (int k = 0; k < 3; ++k) move[k] = v[3 + k] - v[k];
    contact = contact_of(context, &d);
    assert_ok(
        basin_contact_largest_step(contact, v, move, table_number(&t), 1 - 1e-12, &step, &first));
    if (table_number(&t) != 0)
      assert_near(step, table_number(&t), 1e-10);
    else
      assert_near(step, 1, 1e-10);
    basin_contact_destroy(contact);
  }
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_all_pairs),
      cmocka_unit_test(deterministic),
      cmocka_unit_test(point_over_a_fan),
      cmocka_unit_test(nearly_parallel_edges),
      cmocka_unit_test(points_and_edges_alone),
      cmocka_unit_test(planes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
