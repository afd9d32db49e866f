/* Small minimization problems for the tests of the solver.
 * SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

void problem_init(problem *p, void *allocator, unsigned block, size_t count)
{
  *p = (problem){.context = test_context(allocator), .block = block};
  assert_non_null(p->context);
  ok(basin_system_create(p->context, polynomial_provider, NULL, &p->system));
  basin_space_description space = {.name = "vertices", .parent = BASIN_NONE, .count = count};
  ok(basin_system_add_space(p->system, &space, &p->vertices));
  p->x = BASIN_NONE;
  ok(basin_system_add_array(p->system, "x", p->vertices, block, 1, &p->x));
  ok(basin_minimizer_create(p->system, &p->x, 1, block, &p->minimizer));
}

void problem_fini(problem *p)
{
  basin_minimizer_destroy(p->minimizer);
  basin_system_destroy(p->system);
  basin_context_destroy(p->context);
  for (size_t k = 0; k < p->term_count; ++k) free(p->terms[k]);
}

void problem_set(problem *p, const double *x)
{
  ok(basin_system_set_array(
      p->system, p->x, x, basin_system_space_count(p->system, p->vertices) * p->block));
}

const double *problem_get(problem *p)
{
  basin_span view;
  ok(basin_system_array(p->system, p->x, &view));
  return view.data;
}

/* A polynomial whose elements read x through a connectivity of their own. */
static polynomial *
elements(problem *p, unsigned arity, const uint32_t *indices, size_t count, basin_space_id *space)
{
  basin_space_description description = {.name = "elements", .parent = BASIN_NONE, .count = count};
  basin_connectivity_id to;
  polynomial *q = p->terms[p->term_count++] = polynomial_new(p->system, p->block);
  ok(basin_system_add_space(p->system, &description, space));
  ok(basin_system_add_connectivity(p->system, "corners", *space, p->vertices, arity, &to));
  ok(basin_system_set_connectivity(p->system, to, indices, count * arity));
  for (uint32_t k = 0; k < arity; ++k) {
    basin_path_step step = {to, k};
    polynomial_access(q, p->x, true, &step, 1);
  }
  return q;
}

static basin_term_id add(problem *p,
                         const char *name,
                         polynomial *q,
                         basin_space_id space,
                         bool constant,
                         basin_projection projection)
{
  basin_term_description description = {.name = name,
                                        .script = "problem.lua",
                                        .line = 7,
                                        .space = space,
                                        .plan = &q->plans[POLYNOMIAL_ENERGY],
                                        .value = &q->value,
                                        .gradient = &q->gradient,
                                        .hessian = &q->hessian,
                                        .unknown_count = q->access_count,
                                        .unknowns = q->accesses,
                                        .constant_hessian = constant,
                                        .projection = projection};
  basin_term_id id;
  ok(basin_minimizer_add_term(p->minimizer, &description, &id));
  return id;
}

basin_term_id problem_add(problem *p,
                          const char *name,
                          problem_function function,
                          unsigned arity,
                          const uint32_t *indices,
                          size_t count,
                          basin_projection projection)
{
  basin_space_id space;
  polynomial *q = elements(p, arity, indices, count, &space);
  q->function = function;
  polynomial_finish(q);
  return add(p, name, q, space, false, projection);
}

basin_term_id problem_add_polynomial(problem *p,
                                     uint64_t seed,
                                     bool quartic,
                                     bool constant,
                                     unsigned arity,
                                     const uint32_t *indices,
                                     size_t count)
{
  basin_space_id space;
  polynomial *q = elements(p, arity, indices, count, &space);
  polynomial_random_energy(q, seed, quartic);
  polynomial_finish(q);
  return add(p, "polynomial", q, space, constant, BASIN_PROJECTION_NONE);
}

/* u = (x, goal): the goal is held data. */
basin_term_id problem_add_goal(problem *p, basin_array_id *goal)
{
  polynomial *q = p->terms[p->term_count++] = polynomial_new(p->system, p->block);
  *goal = BASIN_NONE;
  ok(basin_system_add_array(p->system, "goal", p->vertices, p->block, 1, goal));
  polynomial_access(q, p->x, true, NULL, 0);
  polynomial_access(q, *goal, false, NULL, 0);
  for (unsigned i = 0; i < p->block; ++i) {
    unsigned j = i + p->block;
    q->A[i * q->size + i] = q->A[j * q->size + j] = 1;
    q->A[i * q->size + j] = q->A[j * q->size + i] = -1;
  }
  polynomial_finish(q);
  return add(p, "goal", q, p->vertices, true, BASIN_PROJECTION_NONE);
}
