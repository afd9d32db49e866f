/* Minimizers: creation, terms, preparation, access to results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <string.h>

basin_status basin_minimizer_create(basin_system *system,
                                    const basin_array_id *targets,
                                    size_t count,
                                    unsigned block,
                                    basin_minimizer **minimizer)
{
  *minimizer = NULL;
  basin_minimizer *made = basin__calloc(system->context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = system->context;
  made->system = system;
  made->engine = &basin__engine_cpu;
  basin_status status = basin__layout_init(&made->layout, system, targets, count, block);
  if (status != BASIN_OK) {
    basin__free(system->context, made, sizeof *made);
    return status;
  }
  basin__dof_maps_init(&made->maps, &made->layout);
  if (system->cuda && (status = basin__cuda_minimizer_create(made)) != BASIN_OK) {
    basin_minimizer_destroy(made);
    return status;
  }
  *minimizer = made;
  return BASIN_OK;
}

void basin_minimizer_destroy(basin_minimizer *minimizer)
{
  if (!minimizer) return;
  basin_context *context = minimizer->context;
  if (minimizer->linear_destroy) minimizer->linear_destroy(minimizer);
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k)
    basin__term_destroy(minimizer, basin__minimizer_term(minimizer, k));
  minimizer->engine->release(minimizer);
  basin__free(context, minimizer->terms, minimizer->term_capacity * sizeof *minimizer->terms);
  basin__free(context,
              minimizer->curvatures,
              minimizer->curvature_capacity * sizeof *minimizer->curvatures);
  basin__pattern_fini(minimizer);
  basin__free_aligned(
      context, minimizer->gradient, minimizer->gradient_capacity * sizeof *minimizer->gradient);
  basin__free_aligned(
      context, minimizer->local, minimizer->local_capacity * sizeof *minimizer->local);
  basin__free(context,
              minimizer->expansions,
              minimizer->expansion_stride * minimizer->expansion_workers *
                  sizeof *minimizer->expansions);
  basin__dof_maps_fini(&minimizer->maps);
  basin__hold_fini(&minimizer->hold, context);
  basin__layout_fini(&minimizer->layout);
  basin__free(context, minimizer, sizeof *minimizer);
}

/* ---- terms ---- */

/* The internal term that adds the curvature of one mapped expression. */
static basin_status add_curvature(basin_minimizer *minimizer, size_t number)
{
  basin_system *system = minimizer->system;
  const basin_dof_map *map = minimizer->maps.maps[number];
  const basin_array *array = system->arrays[map->array];
  for (size_t k = 0; k < minimizer->curvature_count; ++k)
    if (minimizer->curvatures[k]->curvature_map == number) return BASIN_OK;
  basin_term_description description = {.name = array->name,
                                        .space = array->space,
                                        .plan = map->source->curvature.plan,
                                        .hessian = map->source->curvature.info,
                                        .unknown_count = map->source->unknown_count,
                                        .unknowns = map->source->unknowns};
  BASIN_TRY(basin__grow(minimizer->context,
                        &minimizer->curvatures,
                        &minimizer->curvature_capacity,
                        minimizer->curvature_count + 1,
                        sizeof *minimizer->curvatures));
  basin_term *term;
  BASIN_TRY(basin__term_create(minimizer, &description, number, &term));
  minimizer->curvatures[minimizer->curvature_count++] = term;
  return BASIN_OK;
}

static basin_status add_curvatures(basin_minimizer *minimizer)
{
  for (size_t k = 0; k < minimizer->maps.count; ++k) {
    const basin_dof_map *map = minimizer->maps.maps[k];
    if (map->kind != BASIN_DOF_COMPUTED || map->empty || map->source->affine) continue;
    BASIN_TRY(add_curvature(minimizer, k));
  }
  return BASIN_OK;
}

basin_status basin_minimizer_add_term(basin_minimizer *minimizer,
                                      const basin_term_description *description,
                                      basin_term_id *id)
{
  basin_term *term;
  if (!description->value || !description->gradient || !description->hessian)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_ARGUMENT,
                      "term %s: kernels of all three stages are needed",
                      description->name);
  BASIN_TRY(basin__grow(minimizer->context,
                        &minimizer->terms,
                        &minimizer->term_capacity,
                        minimizer->term_count + 1,
                        sizeof *minimizer->terms));
  BASIN_TRY(basin__term_create(minimizer, description, SIZE_MAX, &term));
  basin_status status = add_curvatures(minimizer);
  if (status != BASIN_OK) {
    basin__term_destroy(minimizer, term);
    return status;
  }
  *id = (basin_term_id)minimizer->term_count;
  minimizer->terms[minimizer->term_count++] = term;
  return BASIN_OK;
}

static basin_status find_term(const basin_minimizer *minimizer, basin_term_id id, basin_term **term)
{
  if (id >= minimizer->term_count)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_ARGUMENT, "there is no term %u", (unsigned)id);
  *term = minimizer->terms[id];
  return BASIN_OK;
}

basin_status basin_minimizer_enable(basin_minimizer *minimizer, basin_term_id id, bool enabled)
{
  basin_term *term;
  BASIN_TRY(find_term(minimizer, id, &term));
  term->enabled = enabled;
  return BASIN_OK;
}

size_t basin_minimizer_term_count(const basin_minimizer *minimizer)
{
  return minimizer->term_count;
}

void basin__term_ran(basin_minimizer *minimizer,
                     basin_term *term,
                     basin_stage stage,
                     double seconds)
{
  basin_term_statistics *s = &term->statistics;
  bool value = stage == BASIN_STAGE_VALUE, hessian = stage == BASIN_STAGE_HESSIAN;
  ++*(value ? &s->value_calls : hessian ? &s->hessian_calls : &s->gradient_calls);
  *(value ? &s->value_seconds : hessian ? &s->hessian_seconds : &s->gradient_seconds) += seconds;
  if (term->dynamic)
    *(value ? &minimizer->seconds_pair_energy : &minimizer->seconds_pairs) += seconds;
}

basin_status basin_minimizer_term_statistics(const basin_minimizer *minimizer,
                                             basin_term_id id,
                                             basin_term_statistics *statistics)
{
  basin_term *term;
  BASIN_TRY(find_term(minimizer, id, &term));
  *statistics = term->statistics;
  statistics->name = term->name;
  statistics->elements = minimizer->system->spaces[term->space].count;
  return BASIN_OK;
}

/* ---- preparation ---- */

static basin_status
add_kernel(basin_minimizer *minimizer, basin_kernel_list *list, basin_kernel_slot *slot)
{
  BASIN_TRY(basin__kernel_list_add(minimizer->system, list, slot));
  return basin__kernel_ready(slot)
             ? BASIN_OK
             : basin__kernel_list_add_inputs(minimizer->system, list, slot->info);
}

static basin_status
term_kernels(basin_minimizer *minimizer, basin_term *term, unsigned need, basin_kernel_list *list)
{
  bool user = term->curvature_map == SIZE_MAX, hessian = need & BASIN_NEED_HESSIAN;
  bool gradient = (need & BASIN_NEED_GRADIENT) || (hessian && term->constant);
  if ((need & BASIN_NEED_VALUE) && user) BASIN_TRY(add_kernel(minimizer, list, &term->value));
  if (term->local_nodes == 0) return BASIN_OK;
  if (gradient && user) BASIN_TRY(add_kernel(minimizer, list, &term->gradient));
  return hessian ? add_kernel(minimizer, list, &term->hessian) : BASIN_OK;
}

static basin_status
collect_kernels(basin_minimizer *minimizer, unsigned need, basin_kernel_list *list)
{
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    basin_term *term = basin__minimizer_term(minimizer, k);
    if (term->enabled) BASIN_TRY(term_kernels(minimizer, term, need, list));
  }
  if (need & (BASIN_NEED_GRADIENT | BASIN_NEED_HESSIAN))
    BASIN_TRY(basin__dof_maps_kernels(&minimizer->maps, list));
  return BASIN_OK;
}

basin_status basin__minimizer_kernels(basin_minimizer *minimizer, unsigned need)
{
  basin_kernel_list list = {0};
  basin_status status = collect_kernels(minimizer, need, &list);
  if (status == BASIN_OK) status = basin__kernel_list_request(minimizer->system, &list);
  basin__kernel_list_release(minimizer->system, &list);
  return status;
}

basin_status basin__minimizer_layout(basin_minimizer *minimizer)
{
  uint64_t version = minimizer->layout.version;
  BASIN_TRY(basin__layout_update(&minimizer->layout));
  if (minimizer->layout.version != version) minimizer->assembled = false;
  return BASIN_OK;
}

basin_status basin__minimizer_prepare(basin_minimizer *minimizer, unsigned need)
{
  BASIN_TRY(basin__minimizer_layout(minimizer));
  BASIN_TRY(basin__minimizer_kernels(minimizer, need));
  if (!(need & (BASIN_NEED_GRADIENT | BASIN_NEED_HESSIAN))) return BASIN_OK;
  minimizer->gradient_count = minimizer->layout.node_count * minimizer->layout.block;
  BASIN_TRY(basin__hold_update(&minimizer->hold, &minimizer->layout));
  BASIN_TRY(minimizer->engine->layout(minimizer));
  BASIN_TRY(minimizer->engine->maps(minimizer));
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    basin_term *term = basin__minimizer_term(minimizer, k);
    double start = basin__seconds();
    basin_status status = minimizer->engine->structure(minimizer, term);
    if (status != BASIN_OK) return basin__term_blame(minimizer, term, status);
    if (term->dynamic) minimizer->seconds_pairs += basin__seconds() - start;
  }
  return need & BASIN_NEED_HESSIAN ? minimizer->engine->pattern(minimizer) : BASIN_OK;
}

/* ---- results ---- */

size_t basin_minimizer_node_count(const basin_minimizer *minimizer)
{
  return minimizer->layout.node_count;
}

const double *basin_minimizer_gradient(const basin_minimizer *minimizer, size_t *count)
{
  if (count) *count = minimizer->layout.node_count * minimizer->layout.block;
  return minimizer->assembled ? minimizer->engine->gradient(minimizer) : NULL;
}

const basin_bsr *basin_minimizer_matrix(const basin_minimizer *minimizer)
{
  return minimizer->has_matrix ? minimizer->engine->matrix(minimizer) : NULL;
}

void basin_minimizer_to_array(const basin_minimizer *minimizer,
                              size_t number,
                              const double *vector,
                              double *array)
{
  if (number < minimizer->layout.target_count)
    basin__layout_to_array(&minimizer->layout, number, vector, array);
}

void basin_minimizer_from_array(const basin_minimizer *minimizer,
                                size_t number,
                                const double *array,
                                double *vector)
{
  if (number < minimizer->layout.target_count)
    basin__layout_from_array(&minimizer->layout, number, array, vector);
}

void basin_minimizer_target_nodes(const basin_minimizer *minimizer,
                                  size_t number,
                                  size_t *first,
                                  size_t *stride)
{
  bool known = number < minimizer->layout.target_count;
  if (first) *first = known ? minimizer->layout.targets[number].first : 0;
  if (stride) *stride = known ? minimizer->layout.targets[number].stride : 0;
}
