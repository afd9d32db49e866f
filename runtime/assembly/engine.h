/* What assembly does differently on each device. The order of the work, what is up to date and what
 * is constant are the same for all: minimizer.c and assemble.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_ENGINE_H
#define BASIN_ASSEMBLY_ENGINE_H

#include "assembly/minimizer.h"

/* All functions but `release` may fail; what they say of the minimizer's data is for the device's
 * copy of them. */
typedef struct basin_engine {
  /* ---- structure ---- */
  basin_status (*layout)(
      basin_minimizer *minimizer);                  /* room for a gradient of the present layout */
  basin_status (*maps)(basin_minimizer *minimizer); /* brings all DOF maps up to date */
  basin_status (*structure)(basin_minimizer *minimizer, basin_term *term); /* and the term's rows */
  basin_status (*pattern)(basin_minimizer *minimizer); /* and the blocks of the matrix */
  /* ---- values ---- */
  basin_status (*zero_gradient)(basin_minimizer *minimizer);
  basin_status (*zero_constant)(basin_minimizer *minimizer, basin_part *part);
  basin_status (*start_values)(basin_minimizer *minimizer, basin_part *part, bool constants);
  /* Runs one kernel over all elements of a term and adds what it gives. */
  basin_status (*run)(basin_minimizer *minimizer, basin_term *term, const basin_run *run);
  basin_status (*finish)(basin_minimizer *minimizer); /* the sum of both parts */
  /* Some entries are held: zeroes them in the gradient; makes their rows and columns in the
   * finished matrix those of the identity. */
  basin_status (*hold_gradient)(basin_minimizer *minimizer);
  basin_status (*hold_matrix)(basin_minimizer *minimizer);
  basin_status (*gradient_finite)(basin_minimizer *minimizer, bool *finite);
  /* ---- adjoints of curved maps ---- */
  basin_status (*adjoint_begin)(basin_minimizer *minimizer);
  basin_status (*adjoint_propagate)(basin_minimizer *minimizer);
  basin_status (*adjoint_store)(basin_minimizer *minimizer, size_t map);
  /* ---- energies ---- */
  /* Of each enabled term, 0 for the others. */
  basin_status (*energies)(basin_minimizer *minimizer, double *per_term);
  /* Of all elements of one term, for the host; the term's kernel is there. */
  basin_status (*element_energies)(basin_minimizer *minimizer, basin_term *term, double *energies);
  /* Names the first element of a term whose energy or local derivative is not finite. */
  basin_status (*find_bad)(basin_minimizer *minimizer, basin_term *term, basin_stage stage);
  /* ---- results for the host; NULL: an error was recorded ---- */
  const double *(*gradient)(const basin_minimizer *minimizer);
  const basin_bsr *(*matrix)(const basin_minimizer *minimizer);
  void (*release_term)(basin_minimizer *minimizer, basin_term *term);
  void (*release)(basin_minimizer *minimizer);
} basin_engine;

extern const basin_engine basin__engine_cpu;

/* Runs one kernel over all elements of a term and adds what it gives (run.c). */
basin_status basin__term_run(basin_minimizer *minimizer, basin_term *term, const basin_run *run);
/* Energies on the CPU (energy.c). */
basin_status basin__energies(basin_minimizer *minimizer, double *per_term);
basin_status
basin__element_energies(basin_minimizer *minimizer, basin_term *term, double *energies);
basin_status basin__term_find_bad(basin_minimizer *minimizer, basin_term *term, basin_stage stage);
/* The error of a result that is not finite, of one element (energy.c): `local` has the gradient,
 * then the packed Hessian, as far as the stage has them. BASIN_OK if all are finite. */
basin_status basin__judge_element(const basin_minimizer *minimizer,
                                  const basin_term *term,
                                  size_t element,
                                  double energy,
                                  const double *gradient,
                                  size_t gradient_size,
                                  const double *hessian,
                                  size_t hessian_size,
                                  size_t stride);

/* True if the term is enabled and has elements that depend on unknowns. */
static inline bool basin__term_takes_part(const basin_term *term)
{
  return term->enabled && term->local_nodes > 0 && term->elements > 0;
}

#endif
