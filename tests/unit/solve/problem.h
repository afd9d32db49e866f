/* Small minimization problems: one target and energies given as C functions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_PROBLEM_H
#define BASIN_TESTS_PROBLEM_H

#include "../assembly/polynomial.h"
#include "../support.h"

#define ok(call) assert_int_equal((call), BASIN_OK)

typedef double (*problem_function)(const double *u, double *gradient, double *hessian);

typedef struct problem {
  basin_context *context;
  basin_system *system;
  basin_minimizer *minimizer;
  unsigned block;
  basin_space_id vertices;
  basin_array_id x;
  polynomial *terms[8];
  size_t term_count;
} problem;

/* `count` vertices with one target x of `block` rows. */
void problem_init(problem *p, void *allocator, unsigned block, size_t count);
void problem_fini(problem *p);
void problem_set(problem *p, const double *x);
const double *problem_get(problem *p);

/* A term with one element for each `arity` indices; the function gets the vertices' values one
 * after the other. */
basin_term_id problem_add(problem *p,
                          const char *name,
                          problem_function function,
                          unsigned arity,
                          const uint32_t *indices,
                          size_t count,
                          basin_projection projection);
/* The same for random polynomial energies, s u . A u / 2 + ... */
basin_term_id problem_add_polynomial(problem *p,
                                     uint64_t seed,
                                     bool quartic,
                                     bool constant,
                                     unsigned arity,
                                     const uint32_t *indices,
                                     size_t count);
/* 1/2 |x - goal|² weight for every vertex, as a term with a constant Hessian; the goals are the
 * array *goal. */
basin_term_id problem_add_goal(problem *p, basin_array_id *goal);

#endif
