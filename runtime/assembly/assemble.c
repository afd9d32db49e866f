/* Assembly: constant terms once, the others every time, curvature of maps last.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"

static uint64_t mix(uint64_t key, uint64_t value)
{
  return basin__hash64(&value, sizeof value, key);
}

basin_projection basin__term_projection(const basin_minimizer *minimizer,
                                        const basin_term *term,
                                        basin_projection override)
{
  basin_projection mode = override == BASIN_PROJECTION_ADAPTIVE ? term->projection : override;
  if (mode != BASIN_PROJECTION_ADAPTIVE) return mode;
  /* A constant matrix is not assembled anew whenever the quadratic model fits better or worse. */
  return minimizer->clamp_adaptive && !term->constant ? BASIN_PROJECTION_CLAMP
                                                      : BASIN_PROJECTION_ABS;
}

/* ---- constant terms ---- */

/* Of everything that the constant values of a part depend on; *count of its constant terms. */
static basin_status constant_key(basin_minimizer *minimizer,
                                 const basin_part *part,
                                 basin_projection override,
                                 uint64_t *key,
                                 size_t *count)
{
  *key = mix(2, part->key);
  *count = 0;
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    if (!term->constant || !basin__term_takes_part(term) ||
        basin__term_part(minimizer, term) != part)
      continue;
    ++*count;
    *key = mix(mix(*key, k), (uint64_t)basin__term_projection(minimizer, term, override));
    for (size_t i = 0; i < term->hessian_array_count; ++i) {
      uint64_t latest;
      BASIN_TRY(basin__array_refresh(minimizer->system, term->hessian_arrays[i], &latest));
      *key = mix(*key, latest);
    }
    for (size_t a = 0; a < term->local_nodes && !term->direct; ++a)
      *key = mix(*key, minimizer->maps.maps[term->node_maps[a]]->version);
    for (uint32_t i = 0; i < term->hessian.info->connectivity_count; ++i)
      *key = mix(*key,
                 minimizer->system->connectivities[term->hessian.info->connectivities[i]].version);
  }
  return BASIN_OK;
}

static basin_status
assemble_constant(basin_minimizer *minimizer, basin_part *part, basin_projection override)
{
  BASIN_TRY(minimizer->engine->zero_constant(minimizer, part));
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    if (!term->constant || !basin__term_takes_part(term) ||
        basin__term_part(minimizer, term) != part)
      continue;
    basin_run run = {.hessian = true,
                     .projection = basin__term_projection(minimizer, term, override),
                     .values = BASIN_RUN_CONSTANT};
    BASIN_TRY(minimizer->engine->run(minimizer, term, &run));
  }
  return BASIN_OK;
}

/* Brings the constant values of a part up to date; *key stands for them, *count is the number of
 * constant terms. */
static basin_status update_constant(basin_minimizer *minimizer,
                                    basin_part *part,
                                    basin_projection override,
                                    uint64_t *key,
                                    size_t *count)
{
  BASIN_TRY(constant_key(minimizer, part, override, key, count));
  if (*count == 0 || part->constant_key == *key) return BASIN_OK;
  part->constant_key = 0;
  BASIN_TRY(assemble_constant(minimizer, part, override));
  part->constant_key = *key;
  return BASIN_OK;
}

/* ---- curvature of maps ---- */

/* Projected as strongly as the strongest of the terms that the maps serve. */
static basin_projection curvature_projection(const basin_minimizer *minimizer,
                                             basin_projection override)
{
  basin_projection strongest = BASIN_PROJECTION_NONE;
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    const basin_term *term = minimizer->terms[k];
    if (!term->enabled || !term->curved) continue;
    basin_projection mode = basin__term_projection(minimizer, term, override);
    strongest = mode > strongest ? mode : strongest;
  }
  return strongest;
}

static bool any_curved(const basin_minimizer *minimizer)
{
  for (size_t k = 0; k < minimizer->term_count; ++k)
    if (minimizer->terms[k]->curved && basin__term_takes_part(minimizer->terms[k])) return true;
  return false;
}

static basin_status assemble_curvature(basin_minimizer *minimizer, basin_projection override)
{
  const basin_engine *engine = minimizer->engine;
  BASIN_TRY(engine->adjoint_propagate(minimizer));
  basin_run run = {.hessian = true,
                   .projection = curvature_projection(minimizer, override),
                   .values = BASIN_RUN_VALUES};
  for (size_t k = 0; k < minimizer->curvature_count; ++k) {
    basin_term *term = minimizer->curvatures[k];
    if (!basin__term_takes_part(term)) continue;
    BASIN_TRY(engine->adjoint_store(minimizer, term->curvature_map));
    BASIN_TRY(engine->run(minimizer, term, &run));
  }
  return BASIN_OK;
}

/* ---- the whole ---- */

static basin_status
run_terms(basin_minimizer *minimizer, bool hessian, bool curved, basin_projection override)
{
  for (size_t k = 0; k < minimizer->term_count; ++k) {
    basin_term *term = minimizer->terms[k];
    if (!basin__term_takes_part(term)) continue;
    basin_run run = {.hessian = hessian && !term->constant,
                     .projection = basin__term_projection(minimizer, term, override),
                     .gradient = true,
                     .values = hessian && !term->constant ? BASIN_RUN_VALUES : BASIN_RUN_NO_VALUES,
                     .adjoint = curved && term->curved};
    BASIN_TRY(minimizer->engine->run(minimizer, term, &run));
  }
  return BASIN_OK;
}

/* True if some enabled term must be assembled anew each time. */
static bool any_varying(const basin_minimizer *minimizer)
{
  for (size_t k = 0; k < minimizer->term_count; ++k)
    if (!minimizer->terms[k]->constant && basin__term_takes_part(minimizer->terms[k])) return true;
  return false;
}

/* Gradient and values of all terms; the parts' values start from their constants, unless they are
 * up to date as they are. */
static basin_status assemble_terms(basin_minimizer *minimizer,
                                   basin_projection override,
                                   bool reuse,
                                   const size_t constants[BASIN_PART_COUNT])
{
  bool curved = any_curved(minimizer);
  if (curved) BASIN_TRY(minimizer->engine->adjoint_begin(minimizer));
  for (int k = 0; k < BASIN_PART_COUNT && !reuse; ++k)
    BASIN_TRY(minimizer->engine->start_values(minimizer, &minimizer->parts[k], constants[k] > 0));
  BASIN_TRY(run_terms(minimizer, true, curved, override));
  return curved ? assemble_curvature(minimizer, override) : BASIN_OK;
}

/* Matrices of constant terms alone are told apart by what is held, too. */
static basin_status
assemble_matrix(basin_minimizer *minimizer, basin_projection override, uint64_t held)
{
  uint64_t keys[BASIN_PART_COUNT];
  size_t constants[BASIN_PART_COUNT];
  for (int k = 0; k < BASIN_PART_COUNT; ++k)
    BASIN_TRY(update_constant(minimizer, &minimizer->parts[k], override, &keys[k], &constants[k]));
  uint64_t values_key = any_varying(minimizer) ? 0 : mix(mix(keys[0], keys[1]), held);
  bool reuse = minimizer->has_matrix && !minimizer->matrix_altered && values_key != 0 &&
               values_key == minimizer->values_key;
  minimizer->values_key = 0;
  BASIN_TRY(assemble_terms(minimizer, override, reuse, constants));
  if (!reuse) {
    BASIN_TRY(minimizer->engine->finish(minimizer));
    if (held != 0) BASIN_TRY(minimizer->engine->hold_matrix(minimizer));
    ++minimizer->matrix_version;
  }
  minimizer->has_matrix = true;
  minimizer->matrix_altered = false;
  minimizer->matrix_held = held != 0;
  minimizer->values_key = values_key;
  return BASIN_OK;
}

/* The terms' results are looked at once, as a whole; only then is the culprit searched. */
static basin_status check_gradient(basin_minimizer *minimizer, bool hessian)
{
  bool finite;
  BASIN_TRY(minimizer->engine->gradient_finite(minimizer, &finite));
  if (finite) return BASIN_OK;
  BASIN_TRY(
      basin__minimizer_find_bad(minimizer, hessian ? BASIN_STAGE_HESSIAN : BASIN_STAGE_GRADIENT));
  return BASIN_FAIL(minimizer->context,
                    BASIN_ERROR_NOT_FINITE,
                    "the gradient overflows: a sum of finite entries is not finite");
}

/* `whole`: also of what is held. */
static basin_status
assemble(basin_minimizer *minimizer, bool hessian, basin_projection override, bool whole)
{
  if ((unsigned) override > BASIN_PROJECTION_ADAPTIVE)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_ARGUMENT, "unknown projection mode %d", (int) override);
  minimizer->assembled = false;
  BASIN_TRY(
      basin__minimizer_prepare(minimizer, hessian ? BASIN_NEED_HESSIAN : BASIN_NEED_GRADIENT));
  uint64_t held = whole || minimizer->hold.count == 0 ? 0 : minimizer->hold.version;
  BASIN_TRY(minimizer->engine->zero_gradient(minimizer));
  if (hessian)
    BASIN_TRY(assemble_matrix(minimizer, override, held));
  else
    BASIN_TRY(run_terms(minimizer, false, false, override));
  if (held != 0) BASIN_TRY(minimizer->engine->hold_gradient(minimizer));
  BASIN_TRY(check_gradient(minimizer, hessian));
  minimizer->gradient_held = held != 0;
  minimizer->assembled = true;
  return BASIN_OK;
}

basin_status
basin_minimizer_assemble(basin_minimizer *minimizer, bool hessian, basin_projection override)
{
  return assemble(minimizer, hessian, override, false);
}

basin_status
basin_minimizer_assemble_whole(basin_minimizer *minimizer, bool hessian, basin_projection override)
{
  return assemble(minimizer, hessian, override, true);
}
