/* Terms: creation, and the rows of the system that every element of a term touches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"
#include "assembly/permute.h"
#include <string.h>

/* ---- creation ---- */

static basin_status
copy_lists(basin_context *context, basin_term *term, const basin_term_description *description)
{
  size_t unknowns = description->unknown_count, arrays = description->hessian_array_count;
  if ((unknowns > 0 && !description->unknowns) || (arrays > 0 && !description->hessian_arrays))
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "term %s: a list is missing", term->name);
  if (unknowns > 0) {
    term->unknowns = basin__alloc(context, unknowns * sizeof *term->unknowns);
    if (!term->unknowns) return BASIN_ERROR_MEMORY;
    memcpy(term->unknowns, description->unknowns, unknowns * sizeof *term->unknowns);
    term->unknown_count = unknowns;
  }
  if (arrays > 0) {
    term->hessian_arrays = basin__alloc(context, arrays * sizeof *term->hessian_arrays);
    if (!term->hessian_arrays) return BASIN_ERROR_MEMORY;
    memcpy(term->hessian_arrays, description->hessian_arrays, arrays * sizeof(basin_array_id));
    term->hessian_array_count = arrays;
  }
  return BASIN_OK;
}

static basin_status copy_description(basin_minimizer *minimizer,
                                     basin_term *term,
                                     const basin_term_description *description)
{
  basin_context *context = minimizer->context;
  term->name = basin__strdup(context, description->name ? description->name : "term");
  if (!term->name) return BASIN_ERROR_MEMORY;
  if (description->script && !(term->script = basin__strdup(context, description->script)))
    return BASIN_ERROR_MEMORY;
  term->line = description->line;
  term->space = description->space;
  term->value = (basin_kernel_slot){.plan = description->plan, .info = description->value};
  term->gradient = (basin_kernel_slot){.plan = description->plan, .info = description->gradient};
  term->hessian = (basin_kernel_slot){.plan = description->plan, .info = description->hessian};
  term->constant_wanted = description->constant_hessian;
  term->dynamic_wanted = description->dynamic;
  term->projection = description->projection;
  term->enabled = true;
  return copy_lists(context, term, description);
}

/* Local order is access after access; kernels agree with the minimizer on sizes. */
static basin_status
check_shape(const basin_minimizer *minimizer, const basin_term *term, size_t *local)
{
  basin_context *context = minimizer->context;
  unsigned block = minimizer->layout.block;
  size_t size = 0;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_unknown_access *unknown = &term->unknowns[k];
    basin_array *array;
    if (!unknown->output) continue;
    BASIN_TRY(basin__system_array(minimizer->system, unknown->access.array, &array));
    if (unknown->first != size || unknown->size != array->size || unknown->size % block != 0)
      return BASIN_FAIL(context,
                        BASIN_ERROR_SHAPE,
                        "term %s: %s has %zu entries, its plan reads %u from place %u",
                        term->name,
                        array->name,
                        array->size,
                        (unsigned)unknown->size,
                        (unsigned)unknown->first);
    size += unknown->size;
  }
  const basin_kernel_info *infos[2] = {term->gradient.info, term->hessian.info};
  for (size_t k = 0; k < 2; ++k) {
    if (!infos[k] || size == 0) continue;
    if (infos[k]->local_size != size || infos[k]->block != block)
      return BASIN_FAIL(context,
                        BASIN_ERROR_SHAPE,
                        "term %s: its plan has %u local unknowns in nodes of %u, the minimizer "
                        "expects %zu in nodes of %u",
                        term->name,
                        (unsigned)infos[k]->local_size,
                        (unsigned)infos[k]->block,
                        size,
                        block);
  }
  *local = size / block;
  return BASIN_OK;
}

/* Does anything that the term is laid out by belong to a dynamic space? */
static bool touches_dynamic(const basin_minimizer *minimizer, const basin_term *term)
{
  const basin_system *system = minimizer->system;
  if (system->spaces[term->space].dynamic) return true;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_access *access = &term->unknowns[k].access;
    for (uint32_t s = 0; s < access->step_count && s < BASIN_PATH_MAX && term->unknowns[k].output;
         ++s) {
      basin_connectivity_id id = access->steps[s].connectivity;
      if (id < system->connectivity_count &&
          system->spaces[system->connectivities[id].from].dynamic)
        return true;
    }
  }
  return false;
}

static basin_status find_maps(basin_minimizer *minimizer, basin_term *term)
{
  size_t local, node = 0;
  BASIN_TRY(check_shape(minimizer, term, &local));
  if (local > 4096)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "term %s couples %zu nodes an element",
                      term->name,
                      local);
  term->local_nodes = (unsigned)local;
  term->local_pairs = (unsigned)(local * (local + 1) / 2);
  term->direct = true;
  term->constant = term->constant_wanted;
  if (local > 0 &&
      !(term->node_maps = basin__calloc(minimizer->context, local, sizeof *term->node_maps)))
    return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_unknown_access *unknown = &term->unknowns[k];
    basin_walk walk;
    size_t number;
    if (!unknown->output) continue;
    /* Paths with steps are checked when their connectivities are set. */
    if (unknown->access.step_count == 0)
      BASIN_TRY(basin__walk_init(&walk, minimizer->system, term->space, &unknown->access));
    BASIN_TRY(basin__dof_maps_get(&minimizer->maps, unknown->access.array, &number));
    const basin_dof_map *map = minimizer->maps.maps[number];
    term->direct = term->direct && map->plain;
    term->curved = term->curved || map->curved;
    term->constant = term->constant && map->affine;
    for (size_t n = 0; n < map->nodes; ++n) term->node_maps[node++] = number;
  }
  term->dynamic = term->dynamic_wanted || touches_dynamic(minimizer, term);
  return BASIN_OK;
}

basin_status basin__term_create(basin_minimizer *minimizer,
                                const basin_term_description *description,
                                size_t curvature_map,
                                basin_term **result)
{
  basin_space *space;
  BASIN_TRY(basin__system_space(minimizer->system, description->space, &space));
  basin_term *term = basin__calloc(minimizer->context, 1, sizeof *term);
  if (!term) return BASIN_ERROR_MEMORY;
  term->curvature_map = curvature_map;
  basin_status status = copy_description(minimizer, term, description);
  if (status == BASIN_OK) status = find_maps(minimizer, term);
  if (status != BASIN_OK) {
    if (term->name) basin__term_blame(minimizer, term, status);
    basin__term_destroy(minimizer, term);
    return status;
  }
  *result = term;
  return BASIN_OK;
}

void basin__term_destroy(basin_minimizer *minimizer, basin_term *term)
{
  basin_context *context = minimizer->context;
  minimizer->engine->release_term(minimizer, term);
  basin__strfree(context, term->name);
  basin__strfree(context, term->script);
  basin__binding_release(minimizer->system, &term->binding);
  basin__free(context, term->unknowns, term->unknown_count * sizeof *term->unknowns);
  basin__free(
      context, term->hessian_arrays, term->hessian_array_count * sizeof *term->hessian_arrays);
  basin__free(context, term->node_maps, term->local_nodes * sizeof *term->node_maps);
  basin__free(context, term->rows, term->row_capacity * sizeof *term->rows);
  basin__free(context, term->slots, term->slot_capacity * sizeof *term->slots);
  basin__free(context, term->starts, term->start_capacity * sizeof *term->starts);
  basin__free(context, term->nodes, term->node_capacity * sizeof *term->nodes);
  basin__free(context, term->places, term->place_capacity * sizeof *term->places);
  basin__free(context, term->energies, term->energy_capacity * sizeof *term->energies);
  basin__schedule_fini(minimizer, &term->schedule);
  basin__permutation_fini(minimizer, &term->permutation);
  basin__free(context, term, sizeof *term);
}

basin_status
basin__term_blame(const basin_minimizer *minimizer, const basin_term *term, basin_status status)
{
  if (term->script) basin__error_where(minimizer->context, term->script, term->line, NULL);
  return status;
}

/* ---- structure ---- */

static uint64_t newer(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

uint64_t basin__term_structure_version(const basin_minimizer *minimizer, const basin_term *term)
{
  uint64_t version =
      newer(minimizer->layout.version, minimizer->system->spaces[term->space].version);
  size_t node = 0;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_unknown_access *unknown = &term->unknowns[k];
    if (!unknown->output) continue;
    version = newer(version, basin__walk_version(minimizer->system, &unknown->access));
    version = newer(version, minimizer->maps.maps[term->node_maps[node]]->structure);
    node += unknown->size / minimizer->layout.block;
  }
  return version;
}

/* A disabled term may wait for its connectivities. */
bool basin__term_waiting(const basin_minimizer *minimizer, const basin_term *term)
{
  const basin_system *system = minimizer->system;
  if (term->enabled) return false;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_access *access = &term->unknowns[k].access;
    for (uint32_t s = 0; s < access->step_count && s < BASIN_PATH_MAX; ++s) {
      basin_connectivity_id id = access->steps[s].connectivity;
      if (id >= system->connectivity_count) continue;
      const basin_connectivity *connectivity = &system->connectivities[id];
      if (!connectivity->set && system->spaces[connectivity->from].count > 0) return true;
      if (connectivity->count > 0 &&
          connectivity->largest >= system->spaces[connectivity->to].count)
        return true;
    }
  }
  return false;
}

static basin_status fill_rows(basin_minimizer *minimizer, basin_term *term)
{
  size_t column = 0, stride = term->local_nodes;
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_unknown_access *unknown = &term->unknowns[k];
    basin_walk walk;
    if (!unknown->output) continue;
    BASIN_TRY(basin__walk_init(&walk, minimizer->system, term->space, &unknown->access));
    const basin_dof_map *map = minimizer->maps.maps[term->node_maps[column]];
    if (map->row_count >= BASIN_NONE)
      return BASIN_FAIL(
          minimizer->context, BASIN_ERROR_RANGE, "term %s: too many rows", term->name);
    for (size_t e = 0; e < term->elements; ++e) {
      size_t first = (size_t)basin__walk(&walk, e) * map->nodes;
      uint32_t *rows = term->rows + e * stride + column;
      for (size_t n = 0; n < map->nodes; ++n)
        rows[n] = term->direct ? map->entries[first + n].node : (uint32_t)(first + n);
    }
    column += map->nodes;
  }
  return BASIN_OK;
}

static basin_status restructure(basin_minimizer *minimizer, basin_term *term)
{
  basin_context *context = minimizer->context;
  size_t need;
  term->permutation.active = false;
  term->elements =
      basin__term_waiting(minimizer, term) ? 0 : minimizer->system->spaces[term->space].count;
  if (__builtin_mul_overflow(term->elements, term->local_nodes, &need))
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "term %s is too large", term->name);
  if (need > term->row_capacity)
    BASIN_TRY(basin__grow(context, &term->rows, &term->row_capacity, need, sizeof *term->rows));
  if (term->elements > 0) BASIN_TRY(fill_rows(minimizer, term));
  if (term->direct)
    term->slot_count = term->elements * term->local_pairs;
  else
    BASIN_TRY(basin__term_list_nodes(minimizer, term));
  return basin__schedule_build(minimizer, term);
}

basin_status basin__term_structure(basin_minimizer *minimizer, basin_term *term)
{
  if (term->local_nodes == 0) return BASIN_OK;
  uint64_t version = basin__term_structure_version(minimizer, term);
  if (term->structure == version) return BASIN_OK;
  term->structure = 0;
  BASIN_TRY(restructure(minimizer, term));
  term->structure = basin__term_waiting(minimizer, term) ? 0 : version;
  return BASIN_OK;
}
