/* A line search for the strong Wolfe conditions: it knows values and slopes along a line, no
 * vectors. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_WOLFE_H
#define BASIN_SOLVE_WOLFE_H

#include "base/base.h"

/* A point of the line: value and derivative of f at t. Where f or its gradient is not finite, the
 * value is infinite and the slope NaN. */
typedef struct basin_line_point {
  double t, value, slope;
} basin_line_point;

typedef enum basin_line_outcome {
  BASIN_LINE_WOLFE,     /* sufficient decrease, and a slope as small as asked for */
  BASIN_LINE_DECREASE,  /* only sufficient decrease: at the bound, or out of trials */
  BASIN_LINE_NONE,      /* no point found that decreases enough */
  BASIN_LINE_UNBOUNDED, /* a value of minus infinity */
  BASIN_LINE_STOPPED    /* by the evaluation */
} basin_line_outcome;

/* f at a t that is not negative. *stop ends the search. */
typedef basin_status (*basin_line_function)(void *user,
                                            double t,
                                            basin_line_point *point,
                                            bool *stop);

typedef struct basin_line {
  double value, slope; /* at 0; the slope is negative */
  double noise;        /* differences of values below it mean nothing */
  double armijo, curvature;
  double first, most; /* the first trial and the bound, which may be infinite */
  double far;         /* a point beyond it that decreases enough is taken as it is */
  unsigned limit;     /* of trials */
  basin_line_function function;
  void *user;
} basin_line;

typedef struct basin_line_result {
  basin_line_outcome outcome;
  basin_line_point point; /* WOLFE and DECREASE */
  bool last;              /* which was tried last */
  unsigned trials;
} basin_line_result;

/* Brackets an acceptable point by growing steps, then closes in on it with cubic steps that keep a
 * tenth of the interval away from its ends (Nocedal and Wright, Numerical Optimization, 2nd ed.,
 * algorithms 3.5 and 3.6). Where values differ by no more than the noise, slopes judge in their
 * place (Hager and Zhang, SIAM J. Optim. 16, 2005, approximate Wolfe conditions). */
basin_status basin__line_search(const basin_line *line, basin_line_result *result);

/* Where the cubic with the values and slopes of both points has its minimum, kept a tenth of the
 * interval away from both ends; somewhere inside if there is none. */
double basin__line_cubic(const basin_line_point *a, const basin_line_point *b);

#endif
