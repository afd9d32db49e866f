/* Tests of friction frames: reference stencils, mollified kinds, parallel edges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

/* A detector of one stencil whose pair is found at `x`. */
static basin_contact *single(basin_context *context,
                             basin_contact_kind kind,
                             const double *x,
                             const double *rest,
                             double activation)
{
  static const uint32_t v[4] = {0, 1, 2, 3};
  basin_contact_description d = basin_contact_description_defaults();
  d.vertex_count = basin_contact_arity(kind);
  d.rest_positions = rest;
  if (kind == BASIN_CONTACT_POINT_POINT) d.point_count = 2, d.points = v;
  if (kind == BASIN_CONTACT_POINT_EDGE)
    d.point_count = 1, d.points = v, d.edge_count = 1, d.edges = v + 1;
  if (kind == BASIN_CONTACT_POINT_TRIANGLE)
    d.point_count = 1, d.points = v, d.triangle_count = 1, d.triangles = v + 1;
  if (kind == BASIN_CONTACT_EDGE_EDGE) d.edge_count = 2, d.edges = v;
  basin_contact *contact = contact_of(context, &d);
  assert_ok(basin_contact_detect(contact, x, activation));
  return contact;
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void check_tangents(const double *t)
{
  assert_near(dot(t, t), 1, 1e-14);
  assert_near(dot(t + 3, t + 3), 1, 1e-14);
  assert_near(dot(t, t + 3), 0, 1e-14);
}

/* Energy and gradient of the lagged friction from coefficients and tangents, against values that do
 * not depend on the choice of tangents. Formulas: Li et al., "Incremental Potential Contact", 2020.
 */
static void reference_stencils(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  basin_context *context = context_with(1);
  while (table_next(&t)) {
    char word[64], id[64];
    if (strcmp(table_word(&t, word), "friction") != 0) continue;
    table_word(&t, id);
    const basin_contact_kind kind = kind_of(table_word(&t, word));
    const unsigned arity = basin_contact_arity(kind);
    double x[12], u[12], c[4], tangents[6], slip[2] = {0, 0};
    table_numbers(&t, 3 * arity, x);
    table_numbers(&t, 3 * arity, u);
    const double activation = table_number(&t), kappa = table_number(&t), mu = table_number(&t);
    const double eps = table_number(&t), lambda = table_number(&t), energy = table_number(&t);
    basin_contact *contact = single(context, kind, x, NULL, activation);
    const basin_contact_pairs pairs = basin_contact_pairs_get(contact, kind);
    assert_int_equal(pairs.count, 1);
    assert_ok(basin_contact_friction_frames(contact, kind, x, c, tangents));
    check_tangents(tangents);
    const double s = pairs.squared_distance[0], h = activation * activation;
    const double slope = (h - s) * (2 * log(s / h) - h / s + 1);
    assert_near(-kappa * slope * 2 * sqrt(s), lambda, 1e-9 * lambda);
    for (int k = 0; k < 2; ++k)
      for (unsigned i = 0; i < arity; ++i)
        slip[k] += c[i] * dot(tangents + 3 * k, u + 3 * pairs.vertices[i]);
    const double y = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    const double f0 = y < eps ? y * y / eps - y * y * y / (3 * eps * eps) + eps / 3 : y;
    const double f1 = y < eps ? (2 - y / eps) / eps : 1 / y;
    assert_near(mu * lambda * f0, energy, 1e-9 * energy);
    for (unsigned n = 0; n < arity; ++n) {
      unsigned i = 0;
      while (pairs.vertices[i] != n) ++i;
      for (unsigned k = 0; k < 3; ++k) {
        const double force =
            c[i] * mu * lambda * f1 * (tangents[k] * slip[0] + tangents[3 + k] * slip[1]);
        assert_near(force, table_number(&t), 1e-8 * mu * lambda * f1 * y);
      }
    }
    basin_contact_destroy(contact);
    ++seen;
  }
  assert_int_equal(seen, 9);
  basin_context_destroy(context);
}

/* Parallel edges: the middle of the overlap on both; coefficients sum to 0; tangents across the
 * gap. */
static void parallel_edges(void **state)
{
  (void)state;
  basin_context *context = context_with(1);
  const double x[12] = {0, 0, 0, 4, 0, 0, 1, 0.1, 0, 9, 0.1, 0};
  basin_contact *contact = single(context, BASIN_CONTACT_EDGE_EDGE, x, x, 0.2);
  size_t pairs = 0;
  for (int kind = BASIN_CONTACT_MOLLIFIED_EDGE_EDGE; kind <= BASIN_CONTACT_MOLLIFIED_POINT_POINT;
       ++kind) {
    const basin_contact_pairs found = basin_contact_pairs_get(contact, (basin_contact_kind)kind);
    double c[4], tangents[6];
    if (found.count == 0) continue;
    ++pairs;
    assert_ok(basin_contact_friction_frames(contact, (basin_contact_kind)kind, x, c, tangents));
    assert_near(c[0] + c[1] + c[2] + c[3], 0, 1e-15);
    check_tangents(tangents);
    assert_near(tangents[1], 0, 1e-14);
    assert_near(tangents[4], 0, 1e-14);
    assert_near(found.squared_distance[0], 0.01, 1e-15);
  }
  assert_int_equal(pairs, 1);
  basin_contact_destroy(contact);
  /* Almost parallel and inside both: found as edge-edge; frames where they have become parallel. */
  const double crossing[12] = {0, 0, 0, 4, 0, 0, 1, 0.1, -0.01, 9, 0.1, 0.04};
  contact = single(context, BASIN_CONTACT_EDGE_EDGE, crossing, crossing, 0.2);
  double c[4];
  const basin_contact_pairs found =
      basin_contact_pairs_get(contact, BASIN_CONTACT_MOLLIFIED_EDGE_EDGE);
  assert_int_equal(found.count, 1);
  assert_ok(basin_contact_friction_frames(contact, BASIN_CONTACT_MOLLIFIED_EDGE_EDGE, x, c, NULL));
  assert_near(c[1], 2.5 / 4, 1e-15);
  assert_near(-c[3], 1.5 / 8, 1e-15);
  basin_contact_destroy(contact);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_stencils),
      cmocka_unit_test(parallel_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
