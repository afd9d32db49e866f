/* Kernels for tests: polynomials in the unknowns with exact derivatives.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_POLYNOMIAL_H
#define BASIN_TESTS_POLYNOMIAL_H

#include "device/system.h"

enum { POLYNOMIAL_LOCAL = 64, POLYNOMIAL_ACCESSES = 12, POLYNOMIAL_ARRAYS = 16 };

/* Energies: E(u) = s (u . A u / 2 + b . u + (w . u)^4 / 24), u the unknowns of all accesses (held
 * ones too) in local order, s a scale read from an array. Maps: c_m(u) = o_m + L_m . u + u . Q_m u
 * / 2; their Jacobian L + Q u; and the energy sum of weight_m c_m(u). */
typedef enum polynomial_kind {
  POLYNOMIAL_ENERGY,
  POLYNOMIAL_COMPUTE,
  POLYNOMIAL_JACOBIAN,
  POLYNOMIAL_CURVATURE
} polynomial_kind;

/* What a plan pointer points to. */
typedef struct polynomial_plan {
  struct polynomial *owner;
  polynomial_kind kind;
} polynomial_plan;

typedef struct polynomial {
  basin_system *system;
  unsigned block;
  size_t access_count, size; /* size: of u */
  basin_unknown_access accesses[POLYNOMIAL_ACCESSES];
  double A[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL], b[POLYNOMIAL_LOCAL], w[POLYNOMIAL_LOCAL];
  basin_array_id scale; /* 1 x 1 on the elements' space or a shared one; BASIN_NONE: 1 */
  bool scale_shared;
  basin_array_id weight;        /* curvature energies */
  unsigned rows, cols, outputs; /* of a map's expression; outputs = rows * cols */
  double L[12 * POLYNOMIAL_LOCAL], o[12], Q[12][POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL];
  /* what the runtime is told */
  basin_array_id arrays[POLYNOMIAL_ARRAYS];
  basin_connectivity_id connectivities[POLYNOMIAL_ARRAYS];
  uint32_t array_of[POLYNOMIAL_ACCESSES]; /* place in `arrays` of each access */
  uint32_t connectivity_of[POLYNOMIAL_ACCESSES][BASIN_PATH_MAX]; /* likewise of each step */
  uint32_t scale_place, weight_place;
  basin_kernel_info value, gradient, hessian, compute, jacobian, curvature;
  polynomial_plan plans[4]; /* by kind */
  size_t hessian_runs, compute_runs,
      jacobian_runs; /* how often the kernel was run from element 0 */
  double (*function)(
      const double *u,
      double *gradient,
      double *hessian); /* instead of the polynomial; arguments may be NULL, H row-major */
  bool poison;          /* energies of element `poison_element` are not a number */
  size_t poison_element;
} polynomial;

/* A polynomial over `block`-number nodes without accesses; heap memory, release with free. */
polynomial *polynomial_new(basin_system *system, unsigned block);
/* Reads `array` through any number of steps; sizes follow from the array. */
void polynomial_access(polynomial *p,
                       basin_array_id array,
                       bool output,
                       const basin_path_step *steps,
                       size_t step_count);
/* Fills coefficients from a generator; `quartic` and `quadratic_map` switch the parts that are not
 * quadratic (energies) or not affine (maps). */
void polynomial_random_energy(polynomial *p, uint64_t seed, bool quartic);
void polynomial_random_map(
    polynomial *p, uint64_t seed, unsigned rows, unsigned cols, bool quadratic);
/* After accesses and coefficients: fills the infos. */
void polynomial_finish(polynomial *p);

/* Provider for basin_system_create; plans are polynomial_plan pointers. Counts its calls in
 * *(size_t *)user if not NULL. */
basin_status polynomial_provider(void *user, basin_kernel_request *requests, size_t count);

/* Local evaluation, for references. `gradient` and `hessian` (full, size x size) may be NULL. */
void polynomial_gather(const polynomial *p,
                       const double *const *arrays,
                       const uint32_t *const *indices,
                       size_t element,
                       double *u);
double polynomial_energy(
    const polynomial *p, double scale, const double *u, double *gradient, double *hessian);
void polynomial_map(const polynomial *p, const double *u, double *values, double *jacobian);

/* Deterministic numbers in [-1, 1). */
double random_number(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t limit);

#endif
