/* MINRES on a CUDA device against that of the CPU. SPDX-License-Identifier: Apache-2.0 */
#include "linear_problem.h"

static outcome solve(problem *p, bool preconditioned, const basin_linear_options *options)
{
  outcome o;
  basin_preconditioner *m = preconditioned ? p->m : NULL;
  OK(basin_minres_solve(test_context_of, p->matrix, m, p->b, p->x, options, &o.cpu));
  OK(basin__cuda_minres_solve(p->device_minres,
                              &p->device.matrix,
                              preconditioned ? p->device_m : NULL,
                              p->device_b.address,
                              p->device_x.address,
                              options,
                              &o.device));
  numbers_from_device(&p->device_x, p->found, p->size);
  return o;
}

static void upload(problem *p)
{
  OK(basin__cuda_upload(cuda, p->device_b.address, p->b, p->size * sizeof *p->b));
  OK(basin__cuda_upload(cuda, p->device_x.address, p->x, p->size * sizeof *p->x));
}

/* || b - A found || / scale by the CPU's product. */
static double residual_of(const problem *p, double scale)
{
  double *product = calloc(p->size, sizeof *product), square = 0;
  basin_bsr_multiply(p->matrix, p->found, product);
  for (size_t i = 0; i < p->size; i++) {
    double r = (p->b[i] - product[i]) / scale;
    square += r * r;
  }
  free(product);
  return sqrt(square);
}

static void assert_relative(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance * expected + 1e-13))
    fail_msg("%.17g instead of %.17g", found, expected);
}

/* Laplacians minus a multiple of the identity, in one part and in two, by both stopping rules. */
static void test_indefinite(void **state)
{
  (void)state;
  static const unsigned blocks[] = {1, 3, 12};
  for (size_t i = 0; i < BASIN_COUNT(blocks); i++) {
    for (int rule = 0; rule < 2; rule++) {
      problem p = make_problem(laplacian(test_context_of, blocks[i] > 4 ? 3 : 5, blocks[i], -3.7),
                               1 + (unsigned)rule,
                               0,
                               NULL);
      basin_linear_options options = basin_linear_options_defaults();
      options.stop = rule ? BASIN_STOP_RESIDUAL : BASIN_STOP_PRECONDITIONED;
      options.tolerance = rule ? 1e-6 : 1e-12;
      update(&p);
      for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        outcome o = solve(&p, preconditioned, &options);
        assert_same(&p, &o, 1e-4);
        assert_int_equal(o.cpu.status, BASIN_LINEAR_CONVERGED);
        assert_true(o.device.iterations > 2 && o.device.measure <= options.tolerance);
        assert_relative(o.device.residual, residual_of(&p, 1), 1e-3);
      }
      free_problem(&p);
    }
  }
}

/* Instances of several nodes, and clusters: preconditioners with kernels of their own. */
static void test_preconditioners(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{0, 4}, {4, 4}, {60, 20}};
  problem p = make_problem(laplacian(test_context_of, 5, 3, -0.4), 2, 3, ranges);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-16;
  update(&p);
  outcome o = solve(&p, true, &options);
  assert_same(&p, &o, 1e-5);
  basin_preconditioner *m;
  basin_cuda_preconditioner *device_m;
  OK(basin_preconditioner_create_schwarz(test_context_of, 125, 3, &m));
  OK(basin__cuda_preconditioner_create_schwarz(cuda, 125, 3, &device_m));
  OK(basin_preconditioner_update(m, p.matrix, NULL));
  OK(basin__cuda_preconditioner_update(device_m, &p.device.matrix, NULL));
  basin_preconditioner *keep = p.m;
  basin_cuda_preconditioner *device_keep = p.device_m;
  p.m = m;
  p.device_m = device_m;
  o = solve(&p, true, &options);
  assert_same(&p, &o, 1e-5);
  assert_int_equal(o.device.status, BASIN_LINEAR_CONVERGED);
  p.m = keep;
  p.device_m = device_keep;
  o = solve(&p, true, &options); /* the graphs are those of the other one again */
  assert_same(&p, &o, 1e-5);
  basin_preconditioner_destroy(m);
  basin__cuda_preconditioner_destroy(device_m);
  free_problem(&p);
}

static void test_guess(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 5, 3, -2), 2, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-20;
  update(&p);
  outcome o = solve(&p, true, &options);
  assert_same(&p, &o, 1e-6);
  options.use_initial_guess = true;
  options.tolerance = 1e-18;
  o = solve(&p, true, &options);
  assert_int_equal(o.device.status, BASIN_LINEAR_ALREADY_CONVERGED);
  assert_int_equal(o.device.iterations, 0);
  for (size_t i = 0; i < p.size; i++) p.x[i] *= 0.5;
  upload(&p);
  o = solve(&p, true, &options);
  assert_same(&p, &o, 1e-6);
  assert_true(o.device.iterations > 0);
  free_problem(&p);
}

static void test_scales(void **state)
{
  (void)state;
  static const double scales[] = {1e-200, 1e150};
  for (size_t s = 0; s < BASIN_COUNT(scales); s++) {
    problem p = make_problem(laplacian(test_context_of, 4, 3, -2), 1, 0, NULL);
    for (size_t i = 0; i < p.size; i++) p.b[i] *= scales[s];
    upload(&p);
    update(&p);
    outcome o = solve(&p, true, NULL);
    assert_same(&p, &o, 1e-3 * scales[s]);
    assert_relative(o.device.residual / scales[s], residual_of(&p, scales[s]), 1e-6);
    free_problem(&p);
  }
}

/* diag(1, 2, 0): the least-squares solution of what is inconsistent, the solution of what is not.
 */
static void test_singular(void **state)
{
  (void)state;
  basin_bsr *matrix;
  OK(basin_bsr_create(test_context_of, 3, 1, 0, NULL, NULL, &matrix));
  basin_bsr_values(matrix)[0] = 1;
  basin_bsr_values(matrix)[1] = 2;
  problem p = make_problem(matrix, 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-20;
  p.b[0] = p.b[2] = 1;
  p.b[1] = 2;
  upload(&p);
  outcome o = solve(&p, false, &options);
  assert_same(&p, &o, 1e-10);
  assert_int_equal(o.device.status, BASIN_LINEAR_SINGULAR);
  assert_relative(o.device.residual, 1, 1e-10);
  p.b[2] = 0;
  upload(&p);
  o = solve(&p, false, &options);
  assert_int_equal(o.device.status, BASIN_LINEAR_CONVERGED);
  assert_same(&p, &o, 1e-12);
  /* No solution at all: the first step finds it. */
  p.b[0] = p.b[1] = 0;
  p.b[2] = 1;
  upload(&p);
  o = solve(&p, false, &options);
  assert_same(&p, &o, 0);
  assert_int_equal(o.device.status, BASIN_LINEAR_SINGULAR);
  free_problem(&p);
}

static void test_zero_right_side(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 3, 3, -2), 1, 0, NULL);
  memset(p.b, 0, p.size * sizeof *p.b);
  p.x[0] = 7;
  upload(&p);
  update(&p);
  basin_linear_options options = basin_linear_options_defaults();
  options.use_initial_guess = true;
  outcome o = solve(&p, true, &options);
  assert_same(&p, &o, 0);
  assert_int_equal(o.device.status, BASIN_LINEAR_ALREADY_CONVERGED);
  assert_true(p.found[0] == 0 && o.device.residual == 0 && o.device.measure == 0);
  basin_cuda_matrix empty = {1, {{0, 3, 0, 0, 0, 0}}};
  basin_linear_result result;
  OK(basin__cuda_minres_solve(p.device_minres, &empty, NULL, 0, 0, NULL, &result));
  assert_int_equal(result.status, BASIN_LINEAR_ALREADY_CONVERGED);
  free_problem(&p);
}

static void test_bad_numbers(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 3, 3, -2), 1, 0, NULL);
  update(&p);
  p.b[5] = (double)NAN;
  upload(&p);
  outcome o = solve(&p, true, NULL);
  assert_int_equal(o.cpu.status, BASIN_LINEAR_NOT_FINITE);
  assert_int_equal(o.device.status, BASIN_LINEAR_NOT_FINITE);
  p.b[5] = 1;
  upload(&p);
  basin_bsr_values(p.matrix)[20] = (double)NAN;
  release_matrix(&p.device);
  p.device = matrix_on_device(p.matrix, 1);
  o = solve(&p, true, NULL); /* with the preconditioner of the good matrix */
  assert_int_equal(o.cpu.status, BASIN_LINEAR_NOT_FINITE);
  assert_int_equal(o.device.status, BASIN_LINEAR_NOT_FINITE);
  free_problem(&p);
}

static void test_limits(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 4, 1, -3.7), 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  update(&p);
  options.tolerance = 1e-20;
  for (size_t k = 0; k < 12; k += 3) {
    options.maximum_iterations = k;
    outcome o = solve(&p, true, &options);
    assert_same(&p, &o, 1e-9);
    assert_int_equal(o.device.status, BASIN_LINEAR_ITERATION_LIMIT);
    assert_int_equal(o.device.iterations, k);
  }
  /* More than the digits allow: no endless loop. */
  options.maximum_iterations = 5000;
  options.tolerance = 0;
  options.stagnation_window = 50;
  outcome o = solve(&p, true, &options);
  assert_int_equal(o.device.status, o.cpu.status);
  assert_close(p.size, p.found, p.x, 1e-8);
  basin__interrupt(test_context_of);
  options.stagnation_window = 5000;
  o = solve(&p, true, &options);
  basin__interrupt_clear(test_context_of);
  assert_int_equal(o.device.status, BASIN_LINEAR_INTERRUPTED);
  basin_linear_result result;
  options.tolerance = -1;
  assert_int_equal(basin__cuda_minres_solve(p.device_minres,
                                            &p.device.matrix,
                                            NULL,
                                            p.device_b.address,
                                            p.device_x.address,
                                            &options,
                                            &result),
                   BASIN_ERROR_ARGUMENT);
  free_problem(&p);
}

/* Graphs: few launches, few downloads, the same bits again, whatever the order of thread blocks. */
static void test_order(void **state)
{
  (void)state;
  static const char *const orders[] = {"reverse", "random:3"};
  problem p = make_problem(laplacian(test_context_of, 6, 3, -2), 2, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  double *first = calloc(p.size, sizeof *first);
  options.tolerance = 1e-10;
  update(&p);
  outcome o = solve(&p, true, &options);
  assert_same(&p, &o, 1e-3);
  memcpy(first, p.found, p.size * sizeof *first);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  o = solve(&p, true, &options);
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  size_t graphs = after.graph_launches - before.graph_launches;
  assert_true(graphs >= 1 && graphs <= (o.device.iterations + 7) / 8);
  assert_true(after.downloads - before.downloads <= graphs + 2); /* and the solution, for us */
  assert_true(after.launches - before.launches < 20);            /* those outside of graphs */
  assert_int_equal(after.allocated, before.allocated);
  assert_int_equal(after.compiled, before.compiled);
  assert_memory_equal(first, p.found, p.size * sizeof *first);
  for (size_t i = 0; i < BASIN_COUNT(orders); i++) {
    setenv("SOFTCUDA_ORDER", orders[i], 1);
    solve(&p, true, &options);
    assert_memory_equal(first, p.found, p.size * sizeof *first);
  }
  unsetenv("SOFTCUDA_ORDER");
  free(first);
  free_problem(&p);
}

int main(int count, char **words)
{
  skip_without_device();
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_indefinite),
                                     cmocka_unit_test(test_preconditioners),
                                     cmocka_unit_test(test_guess),
                                     cmocka_unit_test(test_scales),
                                     cmocka_unit_test(test_singular),
                                     cmocka_unit_test(test_zero_right_side),
                                     cmocka_unit_test(test_bad_numbers),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
