/* What the files of the Newton driver share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_NEWTON_H
#define BASIN_SOLVE_NEWTON_H

#include "solve/engine.h"

/* How far the matrix is from the exact Hessian: the terms' own projection, absolute values
 * everywhere, then a growing multiple of the identity. */
enum {
  BASIN_STRENGTH_OWN,
  BASIN_STRENGTH_ABS,
  BASIN_STRENGTH_SHIFT,
  BASIN_STRENGTH_LAST = BASIN_STRENGTH_SHIFT + 5
};

typedef struct basin_newton_state {
  basin_minimizer *minimizer;
  const basin_solve_engine *engine;
  const basin_newton_options *options;
  basin_newton_report *report;
  size_t size;          /* unknowns */
  double *x, *trial;    /* accepted and tried values: vectors of the engine, as direction */
  double *per_term;     /* energies of the terms, for the size of rounding errors */
  double energy, noise; /* at x; differences of energies below `noise` mean nothing */
  double gradient_norm, direction_norm, slope; /* slope = d . g > 0 */
  const double *direction;
  double first_slope, first_gradient, first_direction; /* of the first direction, 0 before */
  double first_noise;                                  /* at the start */
  double scale; /* largest value at the start, and how far it first wanted */
  int strength;
  bool empty;   /* entries that no energy sees were found: the matrix gets a diagonal there */
  double shift; /* added to the diagonal of the matrix */
  bool solved;  /* the linear solve converged */
  bool bounded; /* the shift, more than the energy, bounds the direction */
  double alpha;
  unsigned trials, linear_iterations; /* of this iteration */
  unsigned noise_steps;               /* accepted in a row although the energy could not tell */
  bool strengthened, filtered, retried, cut;
  basin_stop_reason reason;
} basin_newton_state;

/* Energy at the present values; not finite is no error. */
basin_status basin__newton_energy(basin_newton_state *state, double *energy);
/* Rounding error of a difference of energies near state->per_term. */
double basin__newton_noise(const basin_newton_state *state);
/* Why a minimization ends that rounding does not let go on. */
basin_stop_reason basin__newton_end_of_rounding(const basin_newton_state *state);
/* Writes values to the targets and calls the refresh callback. */
basin_status basin__newton_move(basin_newton_state *state, const double *x);

/* Assembles at x and finds a descent direction, with stronger and stronger matrices from
 * state->strength on. *found false: none (the reason is set). */
basin_status basin__newton_direction(basin_newton_state *state, bool *found);
/* Moves from x along the direction to a point of smaller energy. *found false: there is none; the
 * targets are at x again. */
basin_status basin__newton_line_search(basin_newton_state *state, bool *found);

#endif
