/* Line search for the strong Wolfe conditions: bracketing, then zoom with cubic steps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/wolfe.h"
#include <math.h>

#define MARGIN 0.1 /* of an interval: how near to its ends a trial may come */
/* How steps grow while nothing bounds the minimum: first carefully, then to cross many orders of
 * magnitude in few trials. */
#define GROWTH      2.0
#define FAST_GROWTH 16.0
#define SLOW_TRIALS 10u
#define SHORTEST    1e-15 /* of its end: an interval that cannot be divided any more */

typedef struct search {
  const basin_line *line;
  basin_line_result *result;
  basin_line_point previous;  /* the last point that bracketing left behind */
  basin_line_point low, high; /* low decreases enough and is the lowest so far; between them lies an
                                 acceptable point */
  bool done;
} search;

double basin__line_cubic(const basin_line_point *a, const basin_line_point *b)
{
  double span = b->t - a->t, edge = MARGIN * fabs(span);
  double least = fmin(a->t, b->t) + edge, most = fmax(a->t, b->t) - edge;
  if (!isfinite(b->value)) return a->t + MARGIN * span; /* the end lies nearer to a than to b */
  double d1 = a->slope + b->slope - 3 * (a->value - b->value) / (a->t - b->t);
  double root = d1 * d1 - a->slope * b->slope;
  double d2 = copysign(sqrt(fmax(root, 0)), span);
  double t = b->t - span * (b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2);
  if (root < 0 || !isfinite(t)) t = a->t + span / 2;
  return fmin(fmax(t, least), most);
}

static bool same_value(const search *s, double a, double b)
{
  return fabs(a - b) <= s->line->noise;
}

/* Sufficient decrease; by the slope where the values cannot tell. */
static bool decreases(const search *s, const basin_line_point *p)
{
  const basin_line *line = s->line;
  if (!isfinite(p->value) || !isfinite(p->slope)) return false;
  if (p->value <= line->value + line->armijo * p->t * line->slope) return true;
  return same_value(s, p->value, line->value) && p->slope <= (2 * line->armijo - 1) * line->slope;
}

/* No better than a point with a smaller value that was found before. */
static bool rises(const search *s, const basin_line_point *p, const basin_line_point *before)
{
  return p->value >= before->value && !same_value(s, p->value, before->value);
}

static bool flat(const search *s, const basin_line_point *p)
{
  return fabs(p->slope) <= -s->line->curvature * s->line->slope;
}

static void finish(search *s, basin_line_outcome outcome, const basin_line_point *point, bool last)
{
  s->result->outcome = outcome;
  if (point) s->result->point = *point;
  s->result->last = last;
  s->done = true;
}

static basin_status evaluate(search *s, double t, basin_line_point *p)
{
  bool stop = false;
  BASIN_TRY(s->line->function(s->line->user, t, p, &stop));
  ++s->result->trials;
  p->t = t;
  if (p->value == -HUGE_VAL)
    finish(s, BASIN_LINE_UNBOUNDED, NULL, false);
  else if (stop)
    finish(s, BASIN_LINE_STOPPED, NULL, false);
  return BASIN_OK;
}

/* Looks at a point of growing t: either it ends the search, or the acceptable point lies between it
 * and the last one (*bracketed), or farther out. */
static void judge_outward(search *s, const basin_line_point *p, bool *bracketed)
{
  const basin_line *line = s->line;
  if (!decreases(s, p) || (s->previous.t > 0 && rises(s, p, &s->previous))) {
    s->low = s->previous;
    s->high = *p;
    *bracketed = true;
  } else if (flat(s, p)) {
    finish(s, BASIN_LINE_WOLFE, p, true);
  } else if (p->slope >= 0) {
    s->low = *p;
    s->high = s->previous;
    *bracketed = true;
  } else if (p->t >= line->most || p->t >= line->far || s->result->trials >= line->limit) {
    finish(s, BASIN_LINE_DECREASE, p, true);
  }
}

static basin_status bracket(search *s)
{
  const basin_line *line = s->line;
  bool bracketed = false;
  s->previous = s->low = s->high = (basin_line_point){0, line->value, line->slope};
  double t = fmin(line->first, line->most);
  while (!s->done && !bracketed && s->result->trials < line->limit) {
    basin_line_point p;
    BASIN_TRY(evaluate(s, t, &p));
    if (s->done) return BASIN_OK;
    judge_outward(s, &p, &bracketed);
    s->previous = p;
    t = fmin(t * (s->result->trials < SLOW_TRIALS ? GROWTH : FAST_GROWTH), line->most);
  }
  return BASIN_OK;
}

/* Puts a point of the interval in the place of one of its ends. */
static void judge_inward(search *s, const basin_line_point *p)
{
  if (!decreases(s, p) || rises(s, p, &s->low)) {
    s->high = *p;
  } else if (flat(s, p)) {
    finish(s, BASIN_LINE_WOLFE, p, true);
  } else {
    if (p->slope * (s->high.t - s->low.t) >= 0) s->high = s->low;
    s->low = *p;
  }
}

static basin_status zoom(search *s)
{
  const basin_line *line = s->line;
  bool last = false;
  while (s->result->trials < line->limit &&
         fabs(s->high.t - s->low.t) > SHORTEST * fmax(s->high.t, s->low.t)) {
    basin_line_point p;
    BASIN_TRY(evaluate(s, basin__line_cubic(&s->low, &s->high), &p));
    if (s->done) return BASIN_OK;
    judge_inward(s, &p);
    if (s->done) return BASIN_OK;
    last = s->low.t == p.t;
  }
  if (s->low.value < line->value && !same_value(s, s->low.value, line->value))
    finish(s, BASIN_LINE_DECREASE, &s->low, last);
  else
    finish(s, BASIN_LINE_NONE, NULL, false);
  return BASIN_OK;
}

basin_status basin__line_search(const basin_line *line, basin_line_result *result)
{
  search s = {.line = line, .result = result};
  *result = (basin_line_result){.outcome = BASIN_LINE_NONE};
  BASIN_TRY(bracket(&s));
  return s.done ? BASIN_OK : zoom(&s);
}
