/* What the files of the first-order driver share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_FIRST_ORDER_H
#define BASIN_SOLVE_FIRST_ORDER_H

#include "solve/update.h"
#include "solve/wolfe.h"

typedef struct basin_first_order_state {
  basin_minimizer *minimizer;
  const basin_solve_engine *engine;
  const basin_first_order_options *options;
  basin_newton_report *report;
  basin_vectors vectors;
  /* Vectors of the engine: accepted and tried values, gradient and direction at x (a step is -alpha
   * d), the last step and the change of gradient along it, and room for a product. */
  double *x, *trial, *gradient, *direction, *s, *y, *product;
  double *memory; /* pairs of L-BFGS, or the dense inverse Hessian; NULL for other methods */
  size_t memory_size;
  basin_history history;
  double *numbers; /* of the history */
  size_t number_count;
  bool has_matrix;      /* dense methods: the inverse Hessian stands for something */
  bool along_gradient;  /* the direction is the gradient: nothing that was learnt is in it */
  unsigned since_start; /* steps since the direction last was the gradient */

  double *per_term;
  double energy, noise, first_noise;           /* as in Newton's state */
  double gradient_norm, direction_norm, slope; /* at x; slope = d . g > 0 */
  double squared_gradient, squared_before;     /* g . g at x and where the last step began */
  double last_alpha, last_slope;               /* of the last step, 0 before */
  double first, bound; /* first trial of the line search, and how far it may go */
  double alpha, gain;  /* of the step just taken, and alpha d . g / 2 */
  double first_gain, first_gradient;
  double scale;             /* largest value at the start, and how far the first step went */
  double least_gradient;    /* smallest norm so far */
  unsigned trials;          /* of this iteration */
  unsigned noise_steps;     /* in a row that neither energy nor gradient told apart */
  bool filtered, restarted; /* in this iteration */
  bool bounded;             /* the step just taken went as far as the filter let it */
  basin_stop_reason reason;
} basin_first_order_state;

/* ---- direction.c ---- */
/* Room for the vectors of the method; errors say which limit is passed. */
basin_status basin__descent_reserve(basin_first_order_state *state);
void basin__descent_release(basin_first_order_state *state);
/* The direction at x with its norm and slope: the gradient if what was learnt leads nowhere. */
basin_status basin__descent_direction(basin_first_order_state *state);
/* Forgets what was learnt: the next direction is the gradient. */
void basin__descent_forget(basin_first_order_state *state);
/* Learns from a step: s and y are set, the gradient is that at the new x. */
basin_status basin__descent_learn(basin_first_order_state *state);

#endif
