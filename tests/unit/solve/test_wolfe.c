/* The line search on functions of one number with known minima, and every way it can end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "solve/wolfe.h"
#include <math.h>

typedef void (*curve)(double t, double scale, basin_line_point *p);

typedef struct probe {
  curve function;
  double scale;
  double tried[64];
  unsigned count, stop_at;
} probe;

static basin_status evaluate(void *user, double t, basin_line_point *p, bool *stop)
{
  probe *q = user;
  assert_true(t >= 0 && q->count < 64);
  q->tried[q->count++] = t;
  q->function(t, q->scale, p);
  if (q->stop_at > 0 && q->count >= q->stop_at) *stop = true;
  return BASIN_OK;
}

static basin_line_result search(probe *q, basin_line line)
{
  basin_line_point start;
  basin_line_result result;
  q->function(0, q->scale, &start);
  line.value = start.value;
  line.slope = start.slope;
  line.armijo = 1e-4;
  if (line.most == 0) line.most = HUGE_VAL;
  if (line.far == 0) line.far = HUGE_VAL;
  if (line.limit == 0) line.limit = 40;
  line.function = evaluate;
  line.user = q;
  assert_int_equal(basin__line_search(&line, &result), BASIN_OK);
  assert_int_equal(result.trials, q->count);
  return result;
}

/* The strong Wolfe conditions of a point that was found. */
static void assert_wolfe(const probe *q, const basin_line_result *result, double curvature)
{
  basin_line_point start, p;
  q->function(0, q->scale, &start);
  q->function(result->point.t, q->scale, &p);
  assert_int_equal(result->outcome, BASIN_LINE_WOLFE);
  assert_true(p.value <= start.value + 1e-4 * result->point.t * start.slope);
  assert_true(fabs(p.slope) <= curvature * fabs(start.slope));
  assert_true(result->last && q->tried[q->count - 1] == result->point.t);
}

/* ---- functions: t in units of `scale` ---- */

static void bowl(double t, double scale, basin_line_point *p)
{
  double u = t / scale;
  *p = (basin_line_point){t, (u - 1) * (u - 1), 2 * (u - 1) / scale};
}
/* Nearly flat, then a sharp kink around 1 (More and Thuente, ACM TOMS 20, 1994, function 1). */
static void more(double t, double scale, basin_line_point *p)
{
  double u = t / scale, d = u * u + 2;
  *p = (basin_line_point){t, -u / d, (u * u - 2) / (d * d) / scale};
}
/* Minimum at u = 1, a wall at 2. */
static void wall(double t, double scale, basin_line_point *p)
{
  double u = t / scale;
  *p = (basin_line_point){t, -log(2 - u) - u, (1 / (2 - u) - 1) / scale};
  if (!(u < 2)) *p = (basin_line_point){t, HUGE_VAL, (double)NAN};
}
static void slide(double t, double scale, basin_line_point *p)
{
  *p = (basin_line_point){t, -t / scale, -1 / scale};
}
static void cliff(double t, double scale, basin_line_point *p)
{
  *p = (basin_line_point){t, t > 3 * scale ? -HUGE_VAL : -t / scale, -1 / scale};
}
/* It says that it falls. */
static void liar(double t, double scale, basin_line_point *p)
{
  *p = (basin_line_point){t, t / scale, -1 / scale};
}
/* Never a number but at the start. */
static void nowhere(double t, double scale, basin_line_point *p)
{
  *p = (basin_line_point){t, t > 0 ? HUGE_VAL : 0, t > 0 ? (double)NAN : -1 / scale};
}
/* A bowl on a hill of 1e6: near the minimum values tell nothing. */
static void high(double t, double scale, basin_line_point *p)
{
  double u = t / scale;
  *p = (basin_line_point){t, 1e6 + 1e-12 * (u - 1) * (u - 1), 2e-12 * (u - 1) / scale};
}

/* ---- tests ---- */

/* From first trials twelve orders of magnitude too short and too long, at all scales. */
static void test_conditions(void **state)
{
  static const curve curves[] = {bowl, more, wall};
  static const double curvatures[] = {0.9, 0.1, 1e-3};
  (void)state;
  for (size_t c = 0; c < BASIN_COUNT(curves); ++c)
    for (int scale = -12; scale <= 12; scale += 3)
      for (int first = -12; first <= 12; ++first)
        for (size_t k = 0; k < BASIN_COUNT(curvatures); ++k) {
          probe q = {.function = curves[c], .scale = pow(10, scale)};
          basin_line line = {.first = q.scale * pow(10, first), .curvature = curvatures[k]};
          basin_line_result result = search(&q, line);
          assert_wolfe(&q, &result, curvatures[k]);
        }
}

/* The cubic through two points of a parabola is the parabola; a tenth stays to the ends. */
static void test_cubic(void **state)
{
  basin_line_point a, b, c = {0, 0, -1}, d = {1, HUGE_VAL, (double)NAN};
  (void)state;
  bowl(0, 1, &a);
  bowl(4, 1, &b);
  assert_true(fabs(basin__line_cubic(&a, &b) - 1) < 1e-14);
  assert_true(fabs(basin__line_cubic(&b, &a) - 1) < 1e-14);
  bowl(20, 1, &b);
  assert_true(basin__line_cubic(&a, &b) == 2);
  assert_true(fabs(basin__line_cubic(&c, &d) - 0.1) < 1e-15);
  b = (basin_line_point){1, -1, -1}; /* a straight line */
  assert_true(basin__line_cubic(&c, &b) == 0.5);
}

static void test_bound(void **state)
{
  probe q = {.function = bowl, .scale = 1};
  (void)state;
  basin_line_result result =
      search(&q, (basin_line){.first = 0.125, .most = 0.25, .curvature = 0.1});
  assert_int_equal(result.outcome, BASIN_LINE_DECREASE);
  assert_true(result.point.t == 0.25 && result.last);
  for (unsigned k = 0; k < q.count; ++k) assert_true(q.tried[k] <= 0.25);
  /* A bound behind the minimum changes nothing. */
  q.count = 0;
  result = search(&q, (basin_line){.first = 4, .most = 1.5, .curvature = 0.1});
  assert_wolfe(&q, &result, 0.1);
  assert_true(q.tried[0] == 1.5);
}

static void test_unbounded(void **state)
{
  probe q = {.function = slide, .scale = 1};
  (void)state;
  basin_line_result result = search(&q, (basin_line){.first = 1, .curvature = 0.9, .far = 1e9});
  assert_int_equal(result.outcome, BASIN_LINE_DECREASE);
  assert_true(result.point.t >= 1e9 && result.point.t < 1.6e10);
  q = (probe){.function = slide, .scale = 1};
  result = search(&q, (basin_line){.first = 1, .curvature = 0.9, .limit = 5});
  assert_int_equal(result.outcome, BASIN_LINE_DECREASE);
  assert_true(result.point.t == 16);
  q = (probe){.function = cliff, .scale = 1};
  result = search(&q, (basin_line){.first = 1, .curvature = 0.9});
  assert_int_equal(result.outcome, BASIN_LINE_UNBOUNDED);
}

static void test_nothing_found(void **state)
{
  static const curve curves[] = {liar, nowhere};
  (void)state;
  for (size_t c = 0; c < BASIN_COUNT(curves); ++c) {
    probe q = {.function = curves[c], .scale = 1};
    basin_line_result result = search(&q, (basin_line){.first = 1, .curvature = 0.9});
    assert_int_equal(result.outcome, BASIN_LINE_NONE);
    assert_int_equal(q.count, 40);
    for (unsigned k = 1; k < q.count; ++k) assert_true(q.tried[k] < q.tried[k - 1]);
  }
}

/* Slopes judge where values cannot. */
static void test_noise(void **state)
{
  probe q = {.function = high, .scale = 1};
  (void)state;
  basin_line_result result =
      search(&q, (basin_line){.first = 0.01, .curvature = 0.1, .noise = 1e-8});
  assert_int_equal(result.outcome, BASIN_LINE_WOLFE);
  assert_true(fabs(result.point.t - 1) <= 0.1);
}

static void test_stopped(void **state)
{
  probe q = {.function = liar, .scale = 1, .stop_at = 3};
  (void)state;
  basin_line_result result = search(&q, (basin_line){.first = 1, .curvature = 0.9});
  assert_int_equal(result.outcome, BASIN_LINE_STOPPED);
  assert_int_equal(result.trials, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_cubic),
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_unbounded),
      cmocka_unit_test(test_nothing_found),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
