/* Assembly on the CPU, as the table of functions that a minimizer calls.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"

#include "linalg/bsr.h"
#include <math.h>
#include <string.h>

static basin_status reserve_gradient(basin_minimizer *minimizer)
{
  size_t need = minimizer->gradient_count + 1; /* never NULL, for no unknowns either */
  if (need > minimizer->gradient_capacity) {
    double *fresh = basin__alloc_aligned(minimizer->context, need * sizeof *fresh);
    if (!fresh) return BASIN_ERROR_MEMORY;
    basin__free_aligned(
        minimizer->context, minimizer->gradient, minimizer->gradient_capacity * sizeof *fresh);
    minimizer->gradient = fresh;
    minimizer->gradient_capacity = need;
  }
  return BASIN_OK;
}

static basin_status update_maps(basin_minimizer *minimizer)
{
  return basin__dof_maps_update(&minimizer->maps);
}

static basin_status zero_gradient(basin_minimizer *minimizer)
{
  if (minimizer->gradient_count > 0)
    memset(minimizer->gradient, 0, minimizer->gradient_count * sizeof *minimizer->gradient);
  return BASIN_OK;
}

/* Numbers in the values of a part. */
static size_t value_count(const basin_minimizer *minimizer, const basin_part *part)
{
  return basin_bsr_block_count(part->matrix) * minimizer->layout.block * minimizer->layout.block;
}

static basin_status zero_constant(basin_minimizer *minimizer, basin_part *part)
{
  size_t count = value_count(minimizer, part);
  if (count > part->constant_capacity)
    BASIN_TRY(basin__grow(minimizer->context,
                          &part->constant,
                          &part->constant_capacity,
                          count,
                          sizeof *part->constant));
  if (count > 0) memset(part->constant, 0, count * sizeof *part->constant);
  return BASIN_OK;
}

static basin_status start_values(basin_minimizer *minimizer, basin_part *part, bool constants)
{
  size_t count = value_count(minimizer, part);
  if (!constants)
    basin_bsr_zero(part->matrix);
  else if (count > 0)
    memcpy(basin_bsr_values(part->matrix), part->constant, count * sizeof *part->constant);
  return BASIN_OK;
}

static basin_status finish(basin_minimizer *minimizer)
{
  minimizer->matrix = minimizer->parts[BASIN_PART_STATIC].matrix;
  if (!minimizer->merged) return BASIN_OK;
  double start = basin__seconds();
  minimizer->matrix = minimizer->merged;
  const basin_part *fixed = &minimizer->parts[BASIN_PART_STATIC];
  const basin_part *moving = &minimizer->parts[BASIN_PART_DYNAMIC];
  basin__bsr_merge(minimizer->merged, fixed->matrix, fixed->merge, moving->matrix, moving->merge);
  minimizer->seconds_pairs += basin__seconds() - start;
  return BASIN_OK;
}

static basin_status hold_gradient(basin_minimizer *minimizer)
{
  basin__hold_zero(&minimizer->hold, minimizer->layout.block, minimizer->gradient);
  return BASIN_OK;
}

static basin_status hold_matrix(basin_minimizer *minimizer)
{
  basin__bsr_fix(minimizer->matrix, minimizer->hold.bits, 1);
  return BASIN_OK;
}

static basin_status gradient_finite(basin_minimizer *minimizer, bool *finite)
{
  *finite = true;
  for (size_t k = 0; k < minimizer->gradient_count; ++k)
    *finite = *finite && isfinite(minimizer->gradient[k]);
  return BASIN_OK;
}

static basin_status adjoint_begin(basin_minimizer *minimizer)
{
  return basin__dof_adjoint_begin(&minimizer->maps);
}

static basin_status adjoint_propagate(basin_minimizer *minimizer)
{
  return basin__dof_adjoint_propagate(&minimizer->maps);
}

static basin_status adjoint_store(basin_minimizer *minimizer, size_t map)
{
  return basin__dof_adjoint_store(&minimizer->maps, map);
}

static const double *gradient(const basin_minimizer *minimizer)
{
  return minimizer->gradient;
}

static const basin_bsr *matrix(const basin_minimizer *minimizer)
{
  return minimizer->matrix;
}

static void release_term(basin_minimizer *minimizer, basin_term *term)
{
  (void)minimizer;
  (void)term;
}

static void release(basin_minimizer *minimizer)
{
  (void)minimizer;
}

const basin_engine basin__engine_cpu = {.layout = reserve_gradient,
                                        .maps = update_maps,
                                        .structure = basin__term_structure,
                                        .pattern = basin__pattern_update,
                                        .zero_gradient = zero_gradient,
                                        .zero_constant = zero_constant,
                                        .start_values = start_values,
                                        .run = basin__term_run,
                                        .finish = finish,
                                        .hold_gradient = hold_gradient,
                                        .hold_matrix = hold_matrix,
                                        .gradient_finite = gradient_finite,
                                        .adjoint_begin = adjoint_begin,
                                        .adjoint_propagate = adjoint_propagate,
                                        .adjoint_store = adjoint_store,
                                        .energies = basin__energies,
                                        .element_energies = basin__element_energies,
                                        .find_bad = basin__term_find_bad,
                                        .gradient = gradient,
                                        .matrix = matrix,
                                        .release_term = release_term,
                                        .release = release};
