/* Tests of the segment-triangle test: exact cases, symmetric placements, signs at every scale.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/orientation.h"
#include "contact_support.h"

static bool meets(const double *s, const double *t)
{
  return basin_contact_segment_meets_triangle(s, t);
}

/* Every order of the vertices must give the same answer. */
static bool meets_in_every_order(const double *s, const double *t)
{
  static const int orders[6][3] = {
      {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  const bool first = meets(s, t);
  for (int k = 0; k < 12; ++k) {
    double segment[6], triangle[9];
    for (int i = 0; i < 6; ++i) segment[i] = s[k < 6 ? i : (i + 3) % 6];
    for (int v = 0; v < 3; ++v) memcpy(triangle + 3 * v, t + 3 * orders[k % 6][v], 3 * sizeof *t);
    assert_int_equal(meets(segment, triangle), first);
  }
  return first;
}

static void exact_cases(void **state)
{
  (void)state;
  table t = table_open("cases.txt");
  size_t seen = 0;
  while (table_next(&t)) {
    char word[64], id[64];
    double x[15];
    if (strcmp(table_word(&t, word), "segment") != 0) continue;
    table_word(&t, id);
    table_numbers(&t, 15, x);
    if (meets_in_every_order(x, x + 6) != (table_number(&t) != 0)) fail_msg("%s", id);
    ++seen;
  }
  assert_int_equal(seen, 15);
}

/* Small whole coordinates are full of coincidences: signs against those of whole numbers. */
static int sign_of(long long v)
{
  return (v > 0) - (v < 0);
}

static long long volume(const int *a, const int *b, const int *c, const int *d)
{
  long long m[3][3];
  const int *rows[3] = {a, b, c};
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) m[r][k] = rows[r][k] - d[k];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void signs_of_whole_numbers(void **state)
{
  (void)state;
  static const double scales[] = {1, 0x1p-60, 0x1p60};
  uint64_t seed = 5;
  size_t zeros = 0;
  for (int round = 0; round < 20000; ++round) {
    int x[4][3];
    double y[4][3];
    const int range = round % 2 ? 2 : 100000;
    const double scale = scales[round % 3];
    for (int v = 0; v < 4; ++v)
      for (int k = 0; k < 3; ++k) {
        x[v][k] = (int)floor(range * random_unit(&seed));
        if (v == 3 && round % 4 == 0) x[v][k] = 2 * x[0][k] - x[1][k] + (x[2][k] - x[1][k]);
        y[v][k] = scale * x[v][k];
      }
    const int sign = sign_of(volume(x[0], x[1], x[2], x[3]));
    zeros += sign == 0;
    assert_int_equal(basin__orientation_3d(y[0], y[1], y[2], y[3]), sign);
    for (int v = 0; v < 4; ++v)
      for (int k = 0; k < 3; ++k) y[v][k] += scale * 0x1p30; /* still whole: the same signs */
    assert_int_equal(basin__orientation_3d(y[0], y[1], y[2], y[3]), sign);
  }
  assert_true(zeros > 3000);
}

/* A point next to the plane of a triangle with long sides: the last bit decides. */
static void last_bits(void **state)
{
  (void)state;
  const double third = 1.0 / 3.0;
  double t[9] = {0, 0, 0, 3, 0, third, 0, 3, 2 * third};
  /* In exact arithmetic the plane is z = a x + b y with a = third / 3, b = 2 third / 3; at (1, 1)
   * the height is third, a double. */
  double p[3] = {1, 1, third};
  assert_int_equal(basin__orientation_3d(t, t + 3, t + 6, p), 0);
  p[2] = nextafter(third, 1);
  const int above = basin__orientation_3d(t, t + 3, t + 6, p);
  p[2] = nextafter(third, 0);
  const int below = basin__orientation_3d(t, t + 3, t + 6, p);
  assert_int_equal(above, -below);
  assert_int_not_equal(above, 0);
  const double touching[6] = {1, 1, third, 1, 1, 2};
  const double missing[6] = {1, 1, nextafter(third, 1), 1, 1, 2};
  assert_true(meets_in_every_order(touching, t));
  assert_false(meets_in_every_order(missing, t));
}

/* Degenerate sets: a triangle that is a segment or a point, a segment that is a point. */
static void degenerate(void **state)
{
  (void)state;
  const double line[9] = {0, 0, 0, 2, 2, 2, 1, 1, 1}, dot[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const double across[6] = {1, 1, 0, 1, 1, 2}, beside[6] = {1, 0, 0, 1, 0, 2};
  const double along[6] = {2, 2, 2, 3, 3, 3}, after[6] = {2.5, 2.5, 2.5, 3, 3, 3};
  const double here[6] = {1, 1, 1, 1, 1, 1}, there[6] = {1, 1, 2, 1, 1, 2};
  assert_true(meets_in_every_order(across, line));
  assert_false(meets_in_every_order(beside, line));
  assert_true(meets_in_every_order(along, line));
  assert_false(meets_in_every_order(after, line));
  assert_true(meets_in_every_order(across, dot));
  assert_false(meets_in_every_order(beside, dot));
  assert_true(meets_in_every_order(here, dot));
  assert_true(meets_in_every_order(here, line));
  assert_false(meets_in_every_order(there, line));
  const double flat[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
  const double inside[6] = {1, 1, 0, 1.5, 1, 0}, outside[6] = {3, 3, 0, 4, 3, 0},
               through[6] = {-1, 1, 0, 9, 1, 0};
  assert_true(meets_in_every_order(inside, flat));
  assert_false(meets_in_every_order(outside, flat));
  assert_true(meets_in_every_order(through, flat));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_cases),
      cmocka_unit_test(signs_of_whole_numbers),
      cmocka_unit_test(last_bits),
      cmocka_unit_test(degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
