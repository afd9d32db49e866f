/* Random scenes for the tests of assembly, and their dense reference by the chain rule.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_SCENE_H
#define BASIN_TESTS_SCENE_H

#include "polynomial.h"

enum {
  SCENE_PLAIN = 1,     /* elements over targets, held data and a shared unknown */
  SCENE_UNION = 2,     /* elements over a nested union of free, held and affinely mapped vertices */
  SCENE_REDUCTION = 4, /* sums and means over connectivities of fixed and variable arity */
  SCENE_CURVED = 8, /* the union has a member that depends on the bodies quadratically, and one that
                       depends on the union's reduction */
  SCENE_DYNAMIC = 16 /* a dynamic term */
};

typedef struct scene {
  basin_context *context;
  basin_system *system;
  basin_minimizer *minimizer;
  unsigned block;
  size_t unknowns;
  basin_array_id targets[4];
  size_t target_count;
  polynomial *polynomials[24];
  size_t polynomial_count;
  /* energies: polynomials with the space of their elements */
  polynomial *terms[12];
  basin_space_id term_spaces[12];
  size_t term_count;
  size_t provider_calls;
  basin_space_id contacts;
  basin_connectivity_id contact_vertices;
  basin_array_id scale;
} scene;

/* `allocator` NULL: the default one. All statuses are asserted. */
void scene_init(
    scene *s, void *allocator, unsigned threads, unsigned block, unsigned features, uint64_t seed);
void scene_fini(scene *s);
/* Gives the targets new random values. */
void scene_move(scene *s, uint64_t seed);
/* The targets as one vector in the minimizer's order. */
void scene_read(scene *s, double *x);
/* The assembled matrix, dense. */
void scene_matrix(const scene *s, double *dense);

/* Energy, gradient and (if not NULL) J^T H J of all terms at x, dense; the targets are written.
 * Only stored data and topology are read from the system, all else is computed here. */
double scene_reference(scene *s, const double *x, double *gradient, double *hessian);
/* Hessian by central differences of the reference gradient. */
void scene_differences(scene *s, const double *x, double *hessian);

#endif
