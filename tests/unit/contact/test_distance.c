/* Tests of closest features: exact cases, and a search over points of both primitives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

/* Values are exact or to 50 digits; regions at a tie may be any of several. */
static void exact_cases(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64];
    if (strcmp(table_word(&t, word), "distance") != 0) continue;
    table_word(&t, id);
    const basin_contact_kind kind = kind_of(table_word(&t, word));
    const unsigned arity = basin_contact_arity(kind);
    double x[12];
    basin_contact_distance d;
    table_numbers(&t, 3 * arity, x);
    const double squared = table_number(&t), relative = table_number(&t),
                 absolute = table_number(&t);
    assert_ok(basin_contact_distance_get(kind, x, &d));
    if (!(fabs(d.squared_distance - squared) <= relative * squared + absolute))
      fail_msg("%s: %.17g is not %.17g", id, d.squared_distance, squared);
    bool known = false;
    for (int n = (int)table_number(&t); n > 0; --n) known |= d.region == (unsigned)table_number(&t);
    if (!known) fail_msg("%s: region %u", id, d.region);
    const int coefficients = (int)table_number(&t);
    for (int i = 0; i < coefficients; ++i) assert_near(d.coefficients[i], table_number(&t), 1e-7);
    ++seen;
  }
  assert_int_equal(seen, 97);
}

/* Distance of the two points that the coefficients name, in long double. */
static double distance_at(const double *x, unsigned arity, const double *c)
{
  long double sum = 0;
  for (unsigned k = 0; k < 3; ++k) {
    long double w = 0;
    for (unsigned i = 0; i < arity; ++i) w += (long double)c[i] * (long double)x[3 * i + k];
    sum += w * w;
  }
  return (double)sum;
}

/* Coefficients of a random pair of points of the two primitives. */
static void random_pair(uint64_t *seed, basin_contact_kind kind, double *c)
{
  const double s = 0.5 * random_unit(seed) + 0.5, t = 0.5 * random_unit(seed) + 0.5;
  if (kind == BASIN_CONTACT_EDGE_EDGE) {
    c[0] = 1 - s, c[1] = s, c[2] = t - 1, c[3] = -t;
    return;
  }
  c[0] = 1;
  if (kind == BASIN_CONTACT_POINT_EDGE) {
    c[1] = s - 1, c[2] = -s;
    return;
  }
  const double u = s + t > 1 ? 1 - s : s, v = s + t > 1 ? 1 - t : t;
  c[1] = u + v - 1, c[2] = -u, c[3] = -v;
}

/* No pair of points may be closer, and the distance must be that of the points named; also for
 * slivers, almost parallel edges and repeated vertices, at several scales. */
static void no_points_are_closer(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-6, 1e3, 134217728.0};
  static const basin_contact_kind kinds[] = {
      BASIN_CONTACT_POINT_EDGE, BASIN_CONTACT_POINT_TRIANGLE, BASIN_CONTACT_EDGE_EDGE};
  uint64_t seed = 7;
  for (int round = 0; round < 3000; ++round) {
    const basin_contact_kind kind = kinds[round % 3];
    const unsigned arity = basin_contact_arity(kind);
    const double scale = scales[round / 3 % 4], flat = pow(10, -(double)(round % 17));
    double x[12], c[4];
    for (int i = 0; i < 12; ++i)
      x[i] = scale * random_unit(&seed) * (i % 3 == 1 ? flat : 1) *
             (i % 3 == 2 && round % 5 == 0 ? flat : 1);
    if (round % 7 == 0) memcpy(x + 6, x + 3, 3 * sizeof *x);
    basin_contact_distance d;
    assert_ok(basin_contact_distance_get(kind, x, &d));
    const double error = 1e-13 * scale * (sqrt(d.squared_distance) + 1e-3 * scale);
    double sum_a = 0, sum = 0;
    for (unsigned i = 0; i < arity; ++i) sum += d.coefficients[i];
    for (unsigned i = 0; i < (kind == BASIN_CONTACT_EDGE_EDGE ? 2u : 1u); ++i)
      sum_a += d.coefficients[i];
    assert_near(sum, 0, 1e-12);
    assert_near(sum_a, 1, 1e-12);
    if (!(fabs(distance_at(x, arity, d.coefficients) - d.squared_distance) <= 1e3 * error))
      fail_msg("round %d: %g of the points, %g",
               round,
               distance_at(x, arity, d.coefficients),
               d.squared_distance);
    for (int k = 0; k < 40; ++k) {
      random_pair(&seed, kind, c);
      if (distance_at(x, arity, c) < d.squared_distance - error)
        fail_msg("round %d: closer points", round);
    }
  }
}

static void bad_arguments(void **state)
{
  (void)state;
  double x[12] = {0};
  basin_contact_distance d;
  assert_int_equal(basin_contact_distance_get(BASIN_CONTACT_POINT_PLANE, x, &d),
                   BASIN_ERROR_ARGUMENT);
  x[4] = (double)NAN;
  assert_int_equal(basin_contact_distance_get(BASIN_CONTACT_POINT_EDGE, x, &d),
                   BASIN_ERROR_NOT_FINITE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_cases),
      cmocka_unit_test(no_points_are_closer),
      cmocka_unit_test(bad_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
