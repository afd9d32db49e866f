/* The linear system: constant matrices, kept patterns, both solvers, outcomes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/minimizer.h"
#include "problem.h"
#include "solve/solve.h"
#include <math.h>

enum { COUNT = 6 };

/* A chain of random convex quadratic elements is made convex by the goal term; all constant. */
static void constant_problem(problem *p, basin_array_id *goal)
{
  static const uint32_t pairs[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
  problem_init(p, NULL, 3, COUNT);
  problem_add_goal(p, goal);
  basin_term_id id = problem_add_polynomial(p, 3, false, true, 2, pairs, 5);
  polynomial *q = p->terms[id];
  for (size_t i = 0; i < q->size * q->size; ++i)
    q->A[i] *= 0.05; /* small against the goal's identity: positive definite */
}

static void set_goal(problem *p, basin_array_id goal, uint64_t seed)
{
  double data[3 * COUNT];
  for (int k = 0; k < 3 * COUNT; ++k) data[k] = random_number(&seed);
  ok(basin_system_set_array(p->system, goal, data, 3 * COUNT));
}

/* Residual of the gradient after the step: zero for a quadratic energy. */
static double after_step(problem *p, const double *direction)
{
  double *x = basin_system_array_data(p->system, p->x), largest = 0;
  for (int k = 0; k < 3 * COUNT; ++k) x[k] -= direction[k];
  basin_system_touch(p->system, p->x);
  ok(basin_minimizer_assemble(p->minimizer, true, BASIN_PROJECTION_ADAPTIVE));
  size_t n;
  const double *g = basin_minimizer_gradient(p->minimizer, &n);
  for (size_t k = 0; k < n; ++k) largest = fmax(largest, fabs(g[k]));
  return largest;
}

static void test_constant_matrix(void **state)
{
  problem p;
  basin_array_id goal;
  (void)state;
  constant_problem(&p, &goal);
  basin_solve_options options = basin_solve_options_defaults();
  options.kind = BASIN_SOLVER_DIRECT;
  for (uint64_t step = 0; step < 5; ++step) {
    basin_solve_report report;
    const double *direction;
    set_goal(&p, goal, step);
    ok(basin_minimizer_assemble(p.minimizer, true, BASIN_PROJECTION_ADAPTIVE));
    ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
    assert_int_equal(report.status, BASIN_LINEAR_CONVERGED);
    assert_int_equal(report.factorizations, 1);
    assert_int_equal(report.symbolic_factorizations, 1);
    assert_true(report.residual < 1e-12);
    assert_true(after_step(&p, direction) < 1e-12);
  }
  for (size_t k = 0; k < p.term_count; ++k) assert_int_equal(p.terms[k]->hessian_runs, 1);
  problem_fini(&p);
}

/* What a constant matrix depends on: enabled terms, projection, arrays of the Hessian,
 * connectivities. */
static void test_constant_matrix_renewed(void **state)
{
  problem p;
  basin_array_id goal;
  (void)state;
  constant_problem(&p, &goal);
  set_goal(&p, goal, 1);
  basin_minimizer *m = p.minimizer;
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ADAPTIVE));
  uint64_t version = m->matrix_version;
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ADAPTIVE));
  assert_int_equal(m->matrix_version, version);
  ok(basin_minimizer_enable(m, 1, false));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ADAPTIVE));
  assert_int_equal(m->matrix_version, version + 1);
  const double *values = basin_bsr_values_const(basin_minimizer_matrix(m));
  assert_true(values[0] == 1 && values[1] == 0);
  ok(basin_minimizer_enable(m, 1, true));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 2);
  assert_int_equal(p.terms[1]->hessian_runs, 2);
  uint32_t pairs[] = {0, 1, 1, 2, 2, 3, 3, 4, 0, 5};
  basin_connectivity_id corners = p.terms[1]->connectivities[0];
  ok(basin_system_set_connectivity(p.system, corners, pairs, 10));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 3);
  assert_true(basin_bsr_slot(basin_minimizer_matrix(m), 4, 5) == BASIN_SLOT_NONE);
  assert_true(basin_bsr_slot(basin_minimizer_matrix(m), 0, 5) != BASIN_SLOT_NONE);
  problem_fini(&p);
}

static void test_pattern_is_kept(void **state)
{
  static const uint32_t pairs[] = {0, 1, 1, 2, 2, 3};
  problem p;
  (void)state;
  problem_init(&p, NULL, 2, 4);
  problem_add_polynomial(&p, 5, true, false, 2, pairs, 3);
  basin_array_id goal;
  problem_add_goal(&p, &goal);
  const double x[8] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  problem_set(&p, x);
  basin_solve_options options = basin_solve_options_defaults();
  options.kind = BASIN_SOLVER_DIRECT;
  basin_solve_report report = {0};
  for (int k = 0; k < 3; ++k) {
    const double *direction;
    ok(basin_minimizer_assemble(p.minimizer, true, BASIN_PROJECTION_ABS));
    ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
    basin_system_touch(p.system, p.x);
    basin_system_array_data(p.system, p.x)[0] += 0.01;
  }
  assert_int_equal(report.symbolic_factorizations, 1);
  assert_int_equal(report.factorizations, 3);
  problem_fini(&p);
}

static void test_solvers_agree(void **state)
{
  problem p;
  basin_array_id goal;
  double direct[3 * COUNT];
  (void)state;
  constant_problem(&p, &goal);
  set_goal(&p, goal, 4);
  ok(basin_minimizer_assemble(p.minimizer, true, BASIN_PROJECTION_NONE));
  basin_solve_options options = basin_solve_options_defaults();
  basin_solve_report report;
  const double *direction;
  options.kind = BASIN_SOLVER_DIRECT;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  memcpy(direct, direction, sizeof direct);
  options.kind = BASIN_SOLVER_PCG;
  options.tolerance = 1e-24;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  assert_int_equal(report.kind, BASIN_SOLVER_PCG);
  assert_true(report.iterations > 0 && report.residual < 1e-10);
  for (int k = 0; k < 3 * COUNT; ++k) assert_true(fabs(direct[k] - direction[k]) < 1e-10);
  /* A warm start from the solution has nothing to do. */
  options.warm_start = true;
  options.tolerance = 1e-16;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  assert_int_equal(report.iterations, 0);
  /* The other preconditioner: the same solution; back and forth between them. */
  options.warm_start = false;
  options.tolerance = 1e-24;
  for (int pass = 0; pass < 2; ++pass) {
    options.preconditioner =
        pass == 0 ? BASIN_PRECONDITIONER_SCHWARZ : BASIN_PRECONDITIONER_BLOCK_JACOBI;
    ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
    assert_true(report.iterations > 0 && report.residual < 1e-10);
    for (int k = 0; k < 3 * COUNT; ++k) assert_true(fabs(direct[k] - direction[k]) < 1e-10);
  }
  options.preconditioner = (basin_preconditioner_kind)9;
  assert_int_equal(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report),
                   BASIN_ERROR_ARGUMENT);
  options.preconditioner = BASIN_PRECONDITIONER_AUTO;
  /* AUTO takes the direct solver for a system as small as this. */
  options.kind = BASIN_SOLVER_AUTO;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  assert_int_equal(report.kind, BASIN_SOLVER_DIRECT);
  problem_fini(&p);
}

static double concave(const double *u, double *g, double *H)
{
  if (g) g[0] = -2 * u[0];
  if (H) H[0] = -2;
  return -u[0] * u[0];
}

static void test_outcomes(void **state)
{
  static const uint32_t one[] = {0, 1};
  problem p;
  (void)state;
  problem_init(&p, NULL, 1, 2);
  problem_add(&p, "concave", concave, 1, one, 2, BASIN_PROJECTION_NONE);
  problem_set(&p, (const double[]){1, 2});
  basin_solve_options options = basin_solve_options_defaults();
  basin_solve_report report;
  const double *direction;
  assert_int_equal(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report),
                   BASIN_ERROR_STATE);
  ok(basin_minimizer_assemble(p.minimizer, true, BASIN_PROJECTION_NONE));
  options.kind = BASIN_SOLVER_DIRECT;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  assert_int_equal(report.status, BASIN_LINEAR_INDEFINITE);
  assert_true(direction[0] == 0 && direction[1] == 0);
  options.kind = BASIN_SOLVER_PCG;
  ok(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report));
  assert_int_equal(report.status, BASIN_LINEAR_INDEFINITE);
  /* A right-hand side of the caller's own. */
  ok(basin_minimizer_assemble(p.minimizer, true, BASIN_PROJECTION_ABS));
  options.kind = BASIN_SOLVER_DIRECT;
  const double b[] = {6, -8};
  ok(basin_minimizer_solve(p.minimizer, &options, b, &direction, &report));
  assert_true(fabs(direction[0] - 3) < 1e-14 && fabs(direction[1] + 4) < 1e-14);
  options.tolerance = 0;
  assert_int_equal(basin_minimizer_solve(p.minimizer, &options, NULL, &direction, &report),
                   BASIN_ERROR_ARGUMENT);
  problem_fini(&p);
}

/* Two targets on one space: their nodes are neighbours, and block Jacobi inverts whole instances.
 * Bodies that are not coupled are then solved in one iteration. */
static void test_instances(void **state)
{
  enum { BODIES = 5, SIZE = 12 };
  basin_context *context = test_context(NULL);
  basin_system *system;
  basin_space_description space = {
      .name = "bodies", .parent = BASIN_NONE, .dynamic = true, .count = BODIES};
  basin_space_id bodies;
  basin_array_id targets[2] = {BASIN_NONE, BASIN_NONE};
  basin_minimizer *minimizer;
  (void)state;
  ok(basin_system_create(context, polynomial_provider, NULL, &system));
  ok(basin_system_add_space(system, &space, &bodies));
  ok(basin_system_add_array(system, "t", bodies, 3, 1, &targets[0]));
  ok(basin_system_add_array(system, "A", bodies, 3, 3, &targets[1]));
  ok(basin_minimizer_create(system, targets, 2, 3, &minimizer));
  polynomial *p = polynomial_new(system, 3);
  polynomial_access(p, targets[0], true, NULL, 0);
  polynomial_access(p, targets[1], true, NULL, 0);
  polynomial_random_energy(p, 8, false);
  for (size_t i = 0; i < SIZE; ++i) p->A[i * (SIZE + 1)] += 12; /* diagonally dominant */
  polynomial_finish(p);
  basin_term_description description = {.name = "body",
                                        .space = bodies,
                                        .plan = &p->plans[POLYNOMIAL_ENERGY],
                                        .value = &p->value,
                                        .gradient = &p->gradient,
                                        .hessian = &p->hessian,
                                        .unknown_count = 2,
                                        .unknowns = p->accesses};
  basin_term_id id;
  ok(basin_minimizer_add_term(minimizer, &description, &id));
  ok(basin_minimizer_assemble(minimizer, true, BASIN_PROJECTION_NONE));
  size_t first, stride;
  basin_minimizer_target_nodes(minimizer, 1, &first, &stride);
  assert_true(first == 1 && stride == 4);
  basin_solve_options options = basin_solve_options_defaults();
  basin_solve_report report;
  const double *direction;
  options.kind = BASIN_SOLVER_PCG;
  options.tolerance = 1e-20;
  ok(basin_minimizer_solve(minimizer, &options, NULL, &direction, &report));
  assert_true(report.iterations <= 2 && report.residual < 1e-10);
  /* Column 2 of A of body 3 is node 3 of the instance. */
  double vector[BODIES * SIZE], array[(BODIES + 2) * 9], back[BODIES * SIZE] = {0};
  for (int k = 0; k < BODIES * SIZE; ++k) vector[k] = k;
  basin_minimizer_to_array(minimizer, 1, vector, array);
  assert_true(array[3 * 9 + 1 * 3 + 2] == (3 * 4 + 3) * 3 + 1);
  basin_minimizer_from_array(minimizer, 1, array, back);
  for (int k = 0; k < BODIES * SIZE; ++k) assert_true(back[k] == (k % SIZE < 3 ? 0 : k));
  /* A space that was resized since: what is common is copied, the rest is zero. */
  ok(basin_system_resize(system, bodies, BODIES + 2));
  assert_int_equal(basin_minimizer_node_count(minimizer), 4 * BODIES);
  array[BODIES * 9] = 1;
  basin_minimizer_to_array(minimizer, 1, vector, array);
  assert_true(array[BODIES * 9] == 0 && array[0] == 3);
  size_t count;
  double energy;
  assert_non_null(basin_minimizer_gradient(minimizer, &count));
  ok(basin_minimizer_energy(
      minimizer, &energy, NULL)); /* knows the new layout, for which there is no gradient */
  assert_null(basin_minimizer_gradient(minimizer, &count));
  assert_int_equal(count, 12 * (BODIES + 2));
  assert_int_equal(basin_minimizer_solve(minimizer, &options, NULL, &direction, &report),
                   BASIN_ERROR_STATE);
  ok(basin_minimizer_assemble(minimizer, true, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_solve(minimizer, &options, NULL, &direction, &report));
  assert_int_equal(basin_minimizer_node_count(minimizer), 4 * (BODIES + 2));
  basin_minimizer_destroy(minimizer);
  basin_system_destroy(system);
  basin_context_destroy(context);
  free(p);
}

/* Springs between neighbours of a lattice of nx x ny x nz points, and a goal for each. */
static void lattice(problem *p, uint32_t nx, uint32_t ny, uint32_t nz, bool constant)
{
  const uint32_t n = nx * ny * nz, sizes[3] = {nx, ny, nz}, steps[3] = {1, nx, nx * ny};
  uint32_t *pairs = malloc(6 * n * sizeof *pairs);
  size_t count = 0;
  basin_array_id goal;
  assert_non_null(pairs);
  for (uint32_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      if (i / steps[k] % sizes[k] + 1 < sizes[k]) {
        pairs[2 * count] = i;
        pairs[2 * count++ + 1] = i + steps[k];
      }
  problem_init(p, NULL, 3, n);
  problem_add_goal(p, &goal);
  polynomial *q = p->terms[problem_add_polynomial(p, 5, false, constant, 2, pairs, count)];
  for (size_t i = 0; i < q->size * q->size; ++i) q->A[i] *= 0.01; /* positive definite */
  free(pairs);
}

static basin_solver_kind chosen(problem *p, double *operations)
{
  const double *direction;
  basin_solve_report report;
  ok(basin_minimizer_assemble(p->minimizer, true, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_solve(p->minimizer, NULL, NULL, &direction, &report));
  assert_true(basin_linear_status_good(report.status) && report.residual < 1e-2);
  const basin_linear_state *linear = p->minimizer->linear;
  *operations = linear->operations;
  return report.kind;
}

/* AUTO: a chain is factorized whatever its length, a block in space is not, unless its matrix is
 * constant. The columns of a chain's factor have 6, 5 and 4 entries a node, 3, 2 and 1 at the end.
 */
static void test_choice(void **state)
{
  enum { CHAIN = 3000 };
  problem p;
  double operations, predicted;
  (void)state;
  problem_init(&p, NULL, 1, 1);
  bool found = basin_linear_library_available(p.context, "CHOLMOD");
  problem_fini(&p);
  if (!found) skip();
  lattice(&p, CHAIN, 1, 1, false);
  assert_int_equal(chosen(&p, &operations), BASIN_SOLVER_DIRECT);
  assert_true(operations == 77.0 * (CHAIN - 1) + 14);
  problem_fini(&p);
  lattice(&p, 10, 10, 10, false);
  assert_int_equal(chosen(&p, &predicted), BASIN_SOLVER_PCG);
  assert_true(predicted > 3e7);
  problem_fini(&p);
  lattice(&p, 10, 10, 10, true);
  assert_int_equal(chosen(&p, &operations), BASIN_SOLVER_DIRECT);
  assert_true(operations == predicted); /* the analysis foretold the factorization */
  problem_fini(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant_matrix),
      cmocka_unit_test(test_constant_matrix_renewed),
      cmocka_unit_test(test_pattern_is_kept),
      cmocka_unit_test(test_solvers_agree),
      cmocka_unit_test(test_outcomes),
      cmocka_unit_test(test_instances),
      cmocka_unit_test(test_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
