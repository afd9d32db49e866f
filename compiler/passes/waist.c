/* Second route to the inner derivatives: through the few polynomials that the rest of an energy is
 * a function of. SPDX-License-Identifier: Apache-2.0 */
#include "passes/waist.h"
#include "graph/ops.h"
#include "passes/vertex_cut.h"

/* With E = f(u(c)): dE/dc = Jᵀ f', d²E/dc² = Jᵀ f'' J + sum_k f'_k d²u_k/dc². f sees m numbers
 * where c has n, and the u_k are polynomials, whose second derivatives are short. A barrier on a
 * squared distance p²/q has m = 2, a hinge's angle m = 5. */
typedef struct waist {
  basin_analysis *analysis;
  basin_graph *graph;
  basin_context *context;
  const basin_waist_request *request;
  basin_refs cut;         /* u */
  basin_refs stand_ins;   /* for u, while f is differentiated */
  basin_refs multiplier;  /* stand-ins for f', while sum f'_k u_k is differentiated */
  basin_refs slope, bend; /* f' and packed f'' over c */
  basin_refs jacobian;    /* m x n, row-major */
  basin_refs curvature;   /* packed, of sum f'_k u_k */
} waist;

static bool is_polynomial_op(unsigned op)
{
  return op == BASIN_OP_ADD || op == BASIN_OP_SUB || op == BASIN_OP_MUL || op == BASIN_OP_NEG;
}

/* Vertices: polynomials in the variables (and numbers free of them never enter). Sinks: what
 * another operator reads. */
static basin_status build_network(waist *w, const basin_refs *all, basin_cut *cut)
{
  for (uint32_t i = 0; i < all->count; ++i) {
    basin_ref ref = all->items[i];
    bool depends;
    BASIN_TRY(basin__depends(w->analysis, ref, &depends));
    if (!depends) continue;
    unsigned op = basin__node(w->graph, ref)->op;
    bool polynomial = is_polynomial_op(op);
    uint32_t children = basin__child_count(w->graph, ref);
    for (uint32_t k = 0; k < children && polynomial; ++k) {
      basin_ref child = basin__child(w->graph, ref, k);
      BASIN_TRY(basin__depends(w->analysis, child, &depends));
      polynomial = !depends || basin__cut_has(cut, child);
    }
    if (op != BASIN_OP_LOAD && !polynomial) continue;
    BASIN_TRY(basin__cut_add(cut, ref));
    if (op == BASIN_OP_LOAD) basin__cut_mark(cut, ref, BASIN_CUT_SOURCE);
  }
  for (uint32_t i = 0; i < all->count; ++i) {
    basin_ref parent = all->items[i];
    uint32_t children = basin__child_count(w->graph, parent);
    for (uint32_t k = 0; k < children; ++k) {
      basin_ref child = basin__child(w->graph, parent, k);
      if (!basin__cut_has(cut, child)) continue;
      if (basin__cut_has(cut, parent))
        BASIN_TRY(basin__cut_edge(cut, child, parent));
      else
        basin__cut_mark(cut, child, BASIN_CUT_SINK);
    }
  }
  return BASIN_OK;
}

static basin_status find_cut(waist *w)
{
  basin_refs all = {0};
  basin_cut cut = {.context = w->context};
  basin_status status = basin__reachable(w->graph, &w->request->root, 1, NULL, 0, &all);
  if (status == BASIN_OK) status = basin__cut_init(&cut, w->context, (size_t)w->request->root + 1);
  if (status == BASIN_OK) status = build_network(w, &all, &cut);
  if (status == BASIN_OK) status = basin__cut_solve(&cut, &w->cut);
  basin__cut_fini(&cut);
  basin__refs_fini(w->context, &all);
  return status;
}

static basin_status make_loads(waist *w, uint32_t access, uint32_t first, basin_refs *loads)
{
  for (uint32_t k = 0; k < w->cut.count; ++k) {
    basin_ref load = basin__load(w->graph, access, first + k);
    if (!load) return BASIN_ERROR_MEMORY;
    BASIN_TRY(basin__refs_push(w->context, loads, load));
  }
  return BASIN_OK;
}

/* Gradient and packed Hessian of `root` over `variables`. */
static basin_status differentiate(waist *w,
                                  basin_ref root,
                                  const basin_ref *variables,
                                  uint32_t count,
                                  basin_refs *first,
                                  basin_refs *second)
{
  BASIN_TRY(basin__refs_resize(w->context, first, count));
  BASIN_TRY(basin__refs_resize(w->context, second, (size_t)count * (count + 1) / 2));
  basin_gradient gradient;
  basin_status status = basin__gradient_init(&gradient, w->analysis, variables, count);
  if (status == BASIN_OK) status = basin__gradient(&gradient, root, first->items);
  if (status == BASIN_OK) status = basin__hessian(&gradient, first->items, second->items);
  basin__gradient_fini(&gradient);
  return status;
}

/* f' and f'', over c. */
static basin_status outer_function(waist *w)
{
  basin_ref f;
  const basin_waist_request *request = w->request;
  BASIN_TRY(make_loads(w, request->stand_in, request->count, &w->stand_ins));
  BASIN_TRY(basin__substitute(
      w->graph, &request->root, 1, w->cut.items, w->stand_ins.items, w->cut.count, &f));
  BASIN_TRY(differentiate(w, f, w->stand_ins.items, w->cut.count, &w->slope, &w->bend));
  BASIN_TRY(basin__substitute(w->graph,
                              w->slope.items,
                              w->slope.count,
                              w->stand_ins.items,
                              w->cut.items,
                              w->cut.count,
                              w->slope.items));
  return basin__substitute(w->graph,
                           w->bend.items,
                           w->bend.count,
                           w->stand_ins.items,
                           w->cut.items,
                           w->cut.count,
                           w->bend.items);
}

/* J and the second derivative of sum f'_k u_k with f' held. */
static basin_status inner_functions(waist *w)
{
  const basin_waist_request *request = w->request;
  uint32_t m = w->cut.count, n = request->count;
  BASIN_TRY(basin__refs_resize(w->context, &w->jacobian, (size_t)m * n));
  basin_gradient gradient;
  basin_status status = basin__gradient_init(&gradient, w->analysis, request->variables, n);
  for (uint32_t k = 0; k < m && status == BASIN_OK; ++k)
    status = basin__gradient(&gradient, w->cut.items[k], &w->jacobian.items[k * n]);
  basin__gradient_fini(&gradient);
  BASIN_TRY(status);
  BASIN_TRY(make_loads(w, request->multiplier, 0, &w->multiplier));
  basin_ref sum = basin__const(w->graph, 0.0);
  for (uint32_t k = 0; k < m; ++k)
    sum = basin__add(w->graph, sum, basin__mul(w->graph, w->multiplier.items[k], w->cut.items[k]));
  if (!sum) return BASIN_ERROR_MEMORY;
  basin_refs unused = {0};
  status = differentiate(w, sum, request->variables, n, &unused, &w->curvature);
  basin__refs_fini(w->context, &unused);
  BASIN_TRY(status);
  return basin__substitute(w->graph,
                           w->curvature.items,
                           w->curvature.count,
                           w->multiplier.items,
                           w->slope.items,
                           m,
                           w->curvature.items);
}

static basin_ref bend_at(const waist *w, uint32_t k, uint32_t l)
{
  uint32_t m = w->cut.count;
  return w->bend.items[k < l ? basin__packed(m, k, l) : basin__packed(m, l, k)];
}

/* (f'' J)[k][j] */
static basin_ref bent_jacobian(const waist *w, uint32_t k, uint32_t j)
{
  basin_ref sum = basin__const(w->graph, 0.0);
  for (uint32_t l = 0; l < w->cut.count; ++l)
    sum = basin__add(
        w->graph,
        sum,
        basin__mul(w->graph, bend_at(w, k, l), w->jacobian.items[l * w->request->count + j]));
  return sum;
}

static basin_status combine(waist *w, basin_ref *gradient, basin_ref *hessian)
{
  uint32_t m = w->cut.count, n = w->request->count;
  basin_graph *graph = w->graph;
  for (uint32_t j = 0; j < n; ++j) {
    gradient[j] = basin__const(graph, 0.0);
    for (uint32_t k = 0; k < m; ++k)
      gradient[j] = basin__add(
          graph, gradient[j], basin__mul(graph, w->slope.items[k], w->jacobian.items[k * n + j]));
    for (uint32_t i = 0; i <= j; ++i) {
      basin_ref sum = w->curvature.items[basin__packed(n, i, j)];
      for (uint32_t k = 0; k < m; ++k)
        sum = basin__add(
            graph, sum, basin__mul(graph, w->jacobian.items[k * n + i], bent_jacobian(w, k, j)));
      hessian[basin__packed(n, i, j)] = sum;
    }
  }
  return basin__graph_failed(graph) ? BASIN_ERROR_MEMORY : BASIN_OK;
}

basin_status basin__waist(basin_analysis *analysis,
                          const basin_waist_request *request,
                          basin_ref *gradient,
                          basin_ref *hessian,
                          bool *found)
{
  waist w = {.analysis = analysis,
             .graph = analysis->graph,
             .context = analysis->context,
             .request = request};
  basin_status status = find_cut(&w);
  *found = status == BASIN_OK && w.cut.count && w.cut.count < request->count;
  if (*found) {
    status = outer_function(&w);
    if (status == BASIN_OK) status = inner_functions(&w);
    if (status == BASIN_OK) status = combine(&w, gradient, hessian);
  }
  basin_refs *lists[] = {
      &w.cut, &w.stand_ins, &w.multiplier, &w.slope, &w.bend, &w.jacobian, &w.curvature};
  for (size_t i = 0; i < BASIN_COUNT(lists); ++i) basin__refs_fini(w.context, lists[i]);
  return status;
}

basin_status basin__cost(basin_graph *graph, const basin_ref *roots, uint32_t count, uint64_t *cost)
{
  basin_refs all = {0};
  basin_status status = basin__reachable(graph, roots, count, NULL, 0, &all);
  *cost = 0;
  for (uint32_t i = 0; i < all.count; ++i)
    *cost += (uint64_t)basin__op_info(basin__node(graph, all.items[i])->op)->cost;
  basin__refs_fini(basin__graph_context(graph), &all);
  return status;
}
