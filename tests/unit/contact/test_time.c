/* Tests of times of contact: exact cases, published queries, exact random and degenerate sweeps,
 * invariances. SPDX-License-Identifier: Apache-2.0 */
#include "contact_support.h"

/* What a search may miss: it may report a contact only if the gap falls to this at some time. */
static double tolerance_of(double gap, double slackness, const double *x0, const double *x1)
{
  double size = 0;
  for (int i = 0; i < 12; ++i)
    size = fmax(size, fmax(fabs(x0[i] - x0[i % 3]), fabs(x1[i] - x1[i % 3])));
  return 1.0625 * (1 - slackness) * gap + 1e-13 * size;
}

static double start_distance(basin_contact_kind kind, const double *x)
{
  basin_contact_distance d;
  assert_ok(basin_contact_distance_get(kind, x, &d));
  return sqrt(d.squared_distance);
}

static double distance_after(basin_contact_kind kind, const double *x0, const double *x1, double t)
{
  double x[12];
  for (unsigned i = 0; i < 3 * basin_contact_arity(kind); ++i) { /* relative to the first vertex */
    const double start = x0[i] - x0[i % 3], end = x1[i] - x1[i % 3];
    x[i] = start + t * (end - start);
  }
  return start_distance(kind, x);
}

/* One query with known truth. `end` is the first time, or the smallest distance. */
static void check_query(const char *id,
                        basin_contact_kind kind,
                        const double *x0,
                        const double *x1,
                        double separation,
                        double limit,
                        double slackness,
                        bool truth,
                        double end)
{
  double time;
  bool hit;
  assert_ok(basin_contact_time(kind, x0, x1, separation, limit, slackness, &time, &hit));
  const double gap = start_distance(kind, x0) - separation;
  const double tolerance = tolerance_of(gap, slackness, x0, x1);
  if (truth && !hit) fail_msg("%s: missed at slackness %g", id, slackness);
  if (truth && time > end) fail_msg("%s: %.17g is later than %.17g", id, time, end);
  if (!truth && hit && end > separation + tolerance)
    fail_msg("%s: a contact at %g though the distance stays above %g", id, time, end);
  if (!hit && time != limit) fail_msg("%s: no contact but time %g", id, time);
  if (truth && time == 0 && gap > tolerance && end > 0) fail_msg("%s: stopped at the start", id);
  /* The gap that is left is the one promised, up to rounding. */
  if (gap > 0 && time > 0 &&
      distance_after(kind, x0, x1, time) - separation <
          (1 - slackness) * gap - tolerance * 1e-3 - 1e-15)
    fail_msg("%s: too little is left at %g", id, time);
}

static const double slacknesses[] = {0.1, 0.5, 0.8, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12};

static void exact_cases(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64];
    if (strcmp(table_word(&t, word), "time") != 0) continue;
    table_word(&t, id);
    const basin_contact_kind kind = kind_of(table_word(&t, word));
    const unsigned size = 3 * basin_contact_arity(kind);
    double x0[12] = {0}, x1[12] = {0};
    table_numbers(&t, size, x0);
    table_numbers(&t, size, x1);
    for (unsigned i = size; i < 12; ++i) x0[i] = x0[i % 3], x1[i] = x1[i % 3];
    const double separation = table_number(&t), limit = table_number(&t);
    const bool truth = table_number(&t) != 0;
    const double end = table_number(&t);
    for (size_t s = 0; s < BASIN_COUNT(slacknesses); ++s)
      check_query(id,
                  kind,
                  x0,
                  x1,
                  separation,
                  limit,
                  slacknesses[s],
                  truth,
                  end * (truth ? 1 + 1e-15 : 1));
    ++seen;
  }
  assert_int_equal(seen, 171);
}

/* Head on, the step is that of additive advancement; elsewhere it may end at 17/16 of the gap. */
static void not_earlier_than_additive(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64];
    if (strcmp(table_word(&t, word), "additive") != 0) continue;
    table_word(&t, id);
    const basin_contact_kind kind = kind_of(table_word(&t, word));
    const unsigned size = 3 * basin_contact_arity(kind);
    double x0[12] = {0}, x1[12] = {0}, time;
    bool hit;
    table_numbers(&t, size, x0);
    table_numbers(&t, size, x1);
    const double separation = table_number(&t), limit = table_number(&t),
                 slackness = table_number(&t);
    const double additive = table_number(&t);
    assert_ok(basin_contact_time(kind, x0, x1, separation, limit, slackness, &time, &hit));
    assert_true(hit);
    if (time < additive * 0.99) fail_msg("%s: %.17g, additive %.17g", id, time, additive);
    ++seen;
  }
  assert_int_equal(seen, 5);
}

typedef struct tally {
  size_t count, hits, false_alarms;
  double early, most_early;
} tally;

/* All queries of a file at one slackness. */
static tally run_file(const char *name, double slackness, bool truth_is_distance)
{
  table t = table_open(name);
  tally sum = {0};
  while (table_next(&t)) {
    char word[64], id[64];
    const basin_contact_kind kind = kind_of(table_word(&t, word));
    table_word(&t, id);
    const bool truth = table_number(&t) != 0;
    double end = table_number(&t), x0[12], x1[12], time;
    bool hit;
    table_numbers(&t, 12, x0);
    table_numbers(&t, 12, x1);
    if (!truth && !truth_is_distance) {
      end = HUGE_VAL; /* no distance is given: it is sampled */
      for (int k = 0; k <= 2048; ++k) end = fmin(end, distance_after(kind, x0, x1, k / 2048.0));
    }
    check_query(id, kind, x0, x1, 0, 1, slackness, truth, end);
    assert_ok(basin_contact_time(kind, x0, x1, 0, 1, slackness, &time, &hit));
    ++sum.count;
    sum.false_alarms += hit && !truth;
    if (!truth || !(end > 0)) continue;
    ++sum.hits;
    sum.early += (end - time) / end;
    sum.most_early = fmax(sum.most_early, (end - time) / end);
  }
  return sum;
}

static void published_queries(void **state)
{
  (void)state;
  for (size_t s = 0; s < BASIN_COUNT(slacknesses); ++s) {
    const tally sum = run_file("queries.txt", slacknesses[s], true);
    assert_int_equal(sum.count, 1000);
    print_message("queries, slackness %.12g: %zu false alarms within the tolerance, %.3g early on "
                  "average, %.3g at most\n",
                  slacknesses[s],
                  sum.false_alarms,
                  sum.early / (double)sum.hits,
                  sum.most_early);
  }
}

static void exact_sweeps(void **state)
{
  (void)state;
  for (size_t s = 0; s < BASIN_COUNT(slacknesses); ++s) {
    const tally sum = run_file("sweeps.txt", slacknesses[s], false);
    assert_int_equal(sum.count, 480);
    print_message("sweeps, slackness %.12g: %zu false alarms within the tolerance, %.3g early on "
                  "average, %.3g at most\n",
                  slacknesses[s],
                  sum.false_alarms,
                  sum.early / (double)sum.hits,
                  sum.most_early);
    /* Not needlessly early: the time is within the tolerance of the contact. */
    if (slacknesses[s] == 1 - 1e-6) assert_true(sum.most_early < 1e-3);
    if (slacknesses[s] == 1 - 1e-6) assert_true(sum.early / (double)sum.hits < 1e-5);
  }
}

/* Common translation and motion, exchange of sides, powers of two: the same time up to rounding. */
static void invariance(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 2000; ++round) {
    const basin_contact_kind kind =
        round % 2 ? BASIN_CONTACT_EDGE_EDGE : BASIN_CONTACT_POINT_TRIANGLE;
    double x0[12], x1[12], y0[12], y1[12], time, other;
    bool hit, other_hit;
    for (int i = 0; i < 12; ++i) {
      x0[i] = ldexp(floor(ldexp(random_unit(&seed), 12)), -12);
      x1[i] = x0[i] + ldexp(floor(ldexp(random_unit(&seed), 12)), -12);
    }
    assert_ok(basin_contact_time(kind, x0, x1, 0, 1, 0.9, &time, &hit));
    for (int i = 0; i < 12; ++i) {
      y0[i] = ldexp(x0[i] + 1024, -7);
      y1[i] = ldexp(x1[i] + 1024 + 16384, -7);
    }
    assert_ok(basin_contact_time(kind, y0, y1, 0, 1, 0.9, &other, &other_hit));
    assert_int_equal(hit, other_hit);
    assert_near(time, other, 1e-12);
    memcpy(y0, x0, sizeof x0);
    memcpy(y1, x1, sizeof x1);
    const size_t side = 6 * sizeof *x0;
    if (kind == BASIN_CONTACT_EDGE_EDGE) {
      memcpy(y0, x0 + 6, side), memcpy(y0 + 6, x0, side);
      memcpy(y1, x1 + 6, side), memcpy(y1 + 6, x1, side);
    } else {
      memcpy(y0 + 3, x0 + 6, side), memcpy(y0 + 9, x0 + 3, side / 2);
      memcpy(y1 + 3, x1 + 6, side), memcpy(y1 + 9, x1 + 3, side / 2);
    }
    assert_ok(basin_contact_time(kind, y0, y1, 0, 1, 0.9, &other, &other_hit));
    if (time > 1e-9) assert_near(time, other, 1e-3); /* other roundings, other pieces */
  }
}

/* The time does not grow with the separation, and a second question about the shortened motion is
 * answered by "free" or by nearly all of it. */
static void monotonic(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 1000; ++round) {
    const basin_contact_kind kind =
        round % 2 ? BASIN_CONTACT_EDGE_EDGE : BASIN_CONTACT_POINT_TRIANGLE;
    double x0[12], x1[12], time;
    bool hit;
    for (int i = 0; i < 12; ++i) x0[i] = random_unit(&seed), x1[i] = x0[i] + random_unit(&seed);
    assert_ok(basin_contact_time(kind, x0, x1, 0, 1, 0.999999, &time, &hit));
    const double first = time;
    assert_ok(basin_contact_time(kind, x0, x1, 0.05, 1, 0.999999, &time, &hit));
    assert_true(time <= first + 1e-4);
    /* A window that ends before the contact is free. */
    if (first > 0.1) {
      assert_ok(basin_contact_time(kind, x0, x1, 0, 0.9 * first, 0.999999, &time, &hit));
      assert_false(hit);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_cases),
      cmocka_unit_test(not_earlier_than_additive),
      cmocka_unit_test(published_queries),
      cmocka_unit_test(exact_sweeps),
      cmocka_unit_test(invariance),
      cmocka_unit_test(monotonic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
