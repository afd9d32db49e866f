/* Inner derivatives to the unknowns: the affine nodes are eliminated one by one, parents first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/pass.h"

/* The live quadratic form: gradient and symmetric Hessian over the affine nodes below the frontier.
 * For a node n = sum a_k y_k + const, H[y_k][m] += a_k H[n][m] and H[y_k][y_l] += a_k a_l H[n][n]
 * (edge pushing, Gower and Mello 2012, for linear nodes). */
typedef struct form {
  basin_analysis *analysis;
  basin_refs nodes; /* ascending */
  uint32_t *local;  /* by reference: 1 + position in nodes */
  size_t local_size;
  basin_ref *gradient; /* by position, 0 = zero */
  basin_ref *hessian;  /* packed lower triangle by position, 0 = zero; NULL: gradient only */
  size_t hessian_count;
} form;

static basin_ref *entry(form *f, uint32_t i, uint32_t j)
{
  uint32_t high = i > j ? i : j, low = i > j ? j : i;
  return &f->hessian[(size_t)high * (high + 1) / 2 + low];
}

static basin_status add_to(form *f, basin_ref *target, basin_ref term)
{
  basin_graph *graph = f->analysis->graph;
  if (!term) return BASIN_ERROR_MEMORY;
  if (basin__is_zero(graph, term)) return BASIN_OK;
  *target = *target ? basin__add(graph, *target, term) : term;
  return *target ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* The children a node depends on, with coefficients; equal children are listed once. */
typedef struct child_list {
  uint32_t positions[8];
  basin_ref coefficients[8];
  uint32_t count;
} child_list;

static basin_status list_children(form *f, basin_ref ref, child_list *list)
{
  basin_graph *graph = f->analysis->graph;
  list->count = 0;
  uint32_t children = basin__child_count(graph, ref);
  for (uint32_t i = 0; i < children; ++i) {
    uint32_t position = f->local[basin__child(graph, ref, i)];
    if (!position) continue;
    basin_ref partial = basin__partial(graph, ref, i);
    if (!partial) return BASIN_ERROR_MEMORY;
    uint32_t at = 0;
    while (at < list->count && list->positions[at] != position - 1) ++at;
    if (at == BASIN_COUNT(list->positions))
      return BASIN_FAIL(f->analysis->context, BASIN_ERROR_INTERNAL, "affine node of many children");
    if (at == list->count) {
      list->positions[list->count] = position - 1;
      list->coefficients[list->count++] = partial;
    } else {
      list->coefficients[at] = basin__add(graph, list->coefficients[at], partial);
    }
  }
  return BASIN_OK;
}

/* Rows H[n][m] of all other nodes m go to the children. */
static basin_status push_row(form *f, uint32_t n, uint32_t child, basin_ref coefficient)
{
  basin_graph *graph = f->analysis->graph;
  for (uint32_t m = 0; m < f->nodes.count; ++m) {
    basin_ref value = m == n ? 0 : *entry(f, n, m);
    if (!value) continue;
    basin_ref term = basin__mul(graph, coefficient, value);
    if (m == child) term = basin__mul(graph, basin__const(graph, 2.0), term);
    BASIN_TRY(add_to(f, entry(f, child, m), term));
  }
  return BASIN_OK;
}

static basin_status push_square(form *f, uint32_t n, const child_list *list)
{
  basin_graph *graph = f->analysis->graph;
  basin_ref square = *entry(f, n, n);
  if (!square) return BASIN_OK;
  for (uint32_t k = 0; k < list->count; ++k) {
    basin_ref scaled = basin__mul(graph, list->coefficients[k], square);
    for (uint32_t l = 0; l <= k; ++l)
      BASIN_TRY(add_to(f,
                       entry(f, list->positions[k], list->positions[l]),
                       basin__mul(graph, list->coefficients[l], scaled)));
  }
  return BASIN_OK;
}

static basin_status eliminate(form *f, uint32_t n)
{
  basin_graph *graph = f->analysis->graph;
  child_list list;
  BASIN_TRY(list_children(f, f->nodes.items[n], &list));
  for (uint32_t k = 0; k < list.count; ++k) {
    if (f->gradient[n])
      BASIN_TRY(add_to(f,
                       &f->gradient[list.positions[k]],
                       basin__mul(graph, list.coefficients[k], f->gradient[n])));
    if (f->hessian) BASIN_TRY(push_row(f, n, list.positions[k], list.coefficients[k]));
  }
  if (f->hessian) BASIN_TRY(push_square(f, n, &list));
  f->gradient[n] = 0;
  for (uint32_t m = 0; f->hessian && m < f->nodes.count; ++m) *entry(f, n, m) = 0;
  return BASIN_OK;
}

/* The affine nodes at and below the frontier. */
static basin_status form_init(form *f, basin_analysis *analysis, const basin_map_out *map)
{
  *f = (form){.analysis = analysis};
  basin_context *context = analysis->context;
  basin_refs all = {0};
  basin_status status =
      basin__reachable(analysis->graph, map->frontier, map->inner_count, NULL, 0, &all);
  f->local_size = (basin__graph_count(analysis->graph) + 1u) * sizeof f->local[0];
  f->local = basin__calloc(context, f->local_size, 1);
  if (!f->local) status = BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < all.count && status == BASIN_OK; ++i) {
    basin_kind kind;
    status = basin__kind(analysis, all.items[i], &kind);
    if (status != BASIN_OK || kind != BASIN_KIND_AFFINE) continue;
    status = basin__refs_push(context, &f->nodes, all.items[i]);
    f->local[all.items[i]] = f->nodes.count;
  }
  basin__refs_fini(context, &all);
  size_t count = f->nodes.count;
  f->hessian_count = map->inner_hessian ? count * (count + 1) / 2 : 0;
  if (status == BASIN_OK) {
    f->gradient = basin__calloc(context, count + 1, sizeof f->gradient[0]);
    if (f->hessian_count) f->hessian = basin__calloc(context, f->hessian_count, sizeof(basin_ref));
    if (!f->gradient || (f->hessian_count && !f->hessian)) status = BASIN_ERROR_MEMORY;
  }
  return status;
}

static void form_fini(form *f)
{
  basin_context *context = f->analysis->context;
  basin__free(context, f->local, f->local ? f->local_size : 0);
  basin__free(context, f->gradient, f->gradient ? (f->nodes.count + 1) * sizeof(basin_ref) : 0);
  basin__free(context, f->hessian, f->hessian ? f->hessian_count * sizeof f->hessian[0] : 0);
  basin__refs_fini(context, &f->nodes);
}

/* The entry of the inner Hessian that a projection may leave at i, j: 0 if it stays zero. */
static basin_ref
inner_entry(form *f, const basin_map_out *map, const uint32_t *names, uint32_t i, uint32_t j)
{
  basin_graph *graph = f->analysis->graph;
  uint32_t n = map->inner_count, packed = basin__packed(n, i, j);
  bool alone = i == j;
  for (uint32_t k = 0; alone && k < n; ++k) alone = k == i || names[k] != names[i];
  bool zero = alone ? basin__is_zero(graph, map->inner_hessian[packed]) : names[i] != names[j];
  return zero ? 0 : basin__inner(graph, n + packed);
}

static basin_status seed_with(form *f, const basin_map_out *map, const uint32_t *names)
{
  basin_graph *graph = f->analysis->graph;
  uint32_t n = map->inner_count;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t row = f->local[map->frontier[i]];
    if (!row) return BASIN_FAIL(f->analysis->context, BASIN_ERROR_INTERNAL, "frontier not affine");
    BASIN_TRY(add_to(f, &f->gradient[row - 1], basin__inner(graph, i)));
    for (uint32_t j = i; f->hessian && j < n; ++j) {
      basin_ref value = inner_entry(f, map, names, i, j);
      if (value) BASIN_TRY(add_to(f, entry(f, row - 1, f->local[map->frontier[j]] - 1), value));
    }
  }
  return BASIN_OK;
}

static basin_status seed(form *f, const basin_map_out *map)
{
  size_t size = (map->inner_count + 1u) * sizeof(uint32_t);
  uint32_t *names = basin__alloc(f->analysis->context, size);
  if (!names) return BASIN_ERROR_MEMORY;
  if (f->hessian)
    basin__hessian_components(f->analysis->graph, map->inner_hessian, map->inner_count, names);
  basin_status status = seed_with(f, map, names);
  basin__free(f->analysis->context, names, size);
  return status;
}

static basin_status
read_out(form *f, const basin_map_out *map, basin_ref *gradient, basin_ref *hessian)
{
  basin_ref zero = basin__const(f->analysis->graph, 0.0);
  if (!zero) return BASIN_ERROR_MEMORY;
  uint32_t n = map->unknown_count;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t row = map->unknowns[i] ? f->local[map->unknowns[i]] : 0;
    gradient[i] = row && f->gradient[row - 1] ? f->gradient[row - 1] : zero;
    for (uint32_t j = i; hessian && j < n; ++j) {
      uint32_t column = map->unknowns[j] ? f->local[map->unknowns[j]] : 0;
      basin_ref value = f->hessian && row && column ? *entry(f, row - 1, column - 1) : 0;
      hessian[basin__packed(n, i, j)] = value ? value : zero;
    }
  }
  return BASIN_OK;
}

basin_status basin__map_out(basin_analysis *analysis,
                            const basin_map_out *map,
                            basin_ref *gradient,
                            basin_ref *hessian)
{
  form f;
  basin_status status = form_init(&f, analysis, map);
  if (status == BASIN_OK) status = seed(&f, map);
  for (uint32_t i = f.nodes.count; i-- > 0 && status == BASIN_OK;)
    if (basin__node(analysis->graph, f.nodes.items[i])->op != BASIN_OP_LOAD)
      status = eliminate(&f, i);
  if (status == BASIN_OK) status = read_out(&f, map, gradient, hessian);
  form_fini(&f);
  return status;
}
