/* Preconditioners and conjugate gradients on a CUDA device against those of the CPU.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linear_problem.h"

#include <float.h>

static outcome solve(problem *p,
                     bool preconditioned,
                     const basin_linear_options *options,
                     const basin_cuda_pcg_options *device)
{
  outcome o;
  OK(basin_pcg_solve(p->pcg, p->matrix, preconditioned ? p->m : NULL, p->b, p->x, options, &o.cpu));
  OK(basin__cuda_pcg_solve(p->device_pcg,
                           &p->device.matrix,
                           preconditioned ? p->device_m : NULL,
                           p->device_b.address,
                           p->device_x.address,
                           options,
                           device,
                           &o.device));
  numbers_from_device(&p->device_x, p->found, p->size);
  return o;
}

static double largest_entry(size_t count, const double *x)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/* ---- preconditioners ---- */

static void check_application(problem *p, double tolerance)
{
  double *z = calloc(p->size + 1, sizeof *z);
  update(p);
  basin_preconditioner_apply(p->m, p->b, z);
  OK(basin__cuda_preconditioner_apply(p->device_m, p->device_b.address, p->device_x.address));
  numbers_from_device(&p->device_x, p->found, p->size);
  assert_close(p->size, p->found, z, tolerance * largest_entry(p->size, z));
  free(z);
}

static void test_block_jacobi(void **state)
{
  (void)state;
  for (unsigned b = 1; b <= 12; b++) {
    problem p = make_problem(random_bsr(test_context_of, 60, b, 100, 12, b), b % 2 + 1, 0, NULL);
    check_application(&p, 1e-11);
    free_problem(&p);
  }
}

/* Definite matrices with large instances: one beyond shared memory, one of 4 nodes, single nodes.
 */
static void test_instances(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{2, 4}, {10, 30}, {45, 2}};
  problem p = make_problem(laplacian(test_context_of, 4, 3, 0.5), 1, 3, ranges);
  check_application(&p, 1e-11);
  free_problem(&p);
  static const basin_node_range wide[] = {{3, 21}};
  problem q = make_problem(laplacian(test_context_of, 3, 12, 0.5), 2, 1, wide);
  check_application(&q, 1e-11);
  free_problem(&q);
}

static void test_too_large_instance(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{0, 90}};
  basin_cuda_preconditioner *m;
  assert_int_equal(basin__cuda_preconditioner_create(cuda, 100, 3, 1, ranges, &m),
                   BASIN_ERROR_UNSUPPORTED);
  assert_null(m);
}

/* Blocks that are indefinite, zero, or singular get the same stand-ins as on the CPU. */
static void test_stand_ins(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{8, 5}, {20, 20}};
  for (unsigned b = 1; b <= 4; b++) {
    problem p =
        make_problem(random_bsr(test_context_of, 40, b, 60, 0.3, b), 1, b == 3 ? 2 : 0, ranges);
    double *values = basin_bsr_values(p.matrix);
    size_t slot = basin_bsr_row_starts(p.matrix)[3];
    for (unsigned k = 0; k < b * b; k++) values[slot * b * b + k] = 0;
    release_matrix(&p.device);
    p.device = matrix_on_device(p.matrix, 1);
    size_t fallbacks;
    OK(basin_preconditioner_update(p.m, p.matrix, &fallbacks));
    assert_true(fallbacks > 1);
    check_application(&p, 1e-9);
    free_problem(&p);
  }
}

static void test_not_finite(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{2, 3}};
  for (unsigned b = 2; b <= 3; b++) {
    for (int pass = 0; pass < 2; pass++) {
      problem p = make_problem(laplacian(test_context_of, 3, b, 1), 1, (size_t)pass, ranges);
      basin_bsr_values(p.matrix)[basin_bsr_row_starts(p.matrix)[6] * b * b] =
          pass ? (double)NAN : (double)INFINITY;
      release_matrix(&p.device);
      p.device = matrix_on_device(p.matrix, 1);
      assert_int_equal(basin__cuda_preconditioner_update(p.device_m, &p.device.matrix, NULL),
                       BASIN_ERROR_NOT_FINITE);
      assert_non_null(strstr(basin_error_last(test_context_of)->message, "node 6"));
      free_problem(&p);
    }
  }
}

/* ---- conjugate gradients ---- */

static void test_same_iterations(void **state)
{
  (void)state;
  static const unsigned blocks[] = {1, 2, 3, 4, 6, 12};
  for (size_t i = 0; i < BASIN_COUNT(blocks); i++) {
    for (int rule = 0; rule < 2; rule++) {
      problem p = make_problem(laplacian(test_context_of, blocks[i] > 4 ? 4 : 6, blocks[i], 0.01),
                               1 + (unsigned)rule,
                               0,
                               NULL);
      basin_linear_options options = basin_linear_options_defaults();
      options.stop = rule ? BASIN_STOP_RESIDUAL : BASIN_STOP_PRECONDITIONED;
      options.tolerance = rule ? 1e-6 : 1e-10;
      update(&p);
      for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        outcome o = solve(&p, preconditioned, &options, NULL);
        assert_same(&p, &o, 1e-4);
        assert_int_equal(o.cpu.status, BASIN_LINEAR_CONVERGED);
        assert_true(o.device.measure <= options.tolerance);
        assert_close(1, &o.device.residual, &o.cpu.residual, 0.5 * o.cpu.residual);
      }
      free_problem(&p);
    }
  }
}

/* Beyond 32 iterations and beyond half the digits, the true residual confirms. */
static void test_verified(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 10, 1, 0), 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  options.stop = BASIN_STOP_RESIDUAL;
  options.tolerance = 1e-12;
  update(&p);
  outcome o = solve(&p, true, &options, NULL);
  assert_int_equal(o.device.status, BASIN_LINEAR_CONVERGED);
  assert_close(p.size, p.found, p.x, 1e-10);
  double *r = calloc(p.size, sizeof *r), rr = 0, bb = 0;
  basin_bsr_multiply(p.matrix, p.found, r);
  for (size_t i = 0; i < p.size; i++) {
    rr += (p.b[i] - r[i]) * (p.b[i] - r[i]);
    bb += p.b[i] * p.b[i];
  }
  assert_true(sqrt(rr / bb) <= 1.01e-12);
  free(r);
  free_problem(&p);
}

static void test_instances_and_guess(void **state)
{
  (void)state;
  static const basin_node_range ranges[] = {{0, 4}, {4, 4}, {100, 20}};
  problem p = make_problem(laplacian(test_context_of, 6, 3, 0.01), 2, 3, ranges);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-8;
  update(&p);
  outcome o = solve(&p, true, &options, NULL);
  assert_same(&p, &o, 1e-3);
  /* The solution found as a guess: nothing is left to do; then half of it. */
  options.use_initial_guess = true;
  options.tolerance = 1e-7;
  o = solve(&p, true, &options, NULL);
  assert_int_equal(o.device.status, BASIN_LINEAR_ALREADY_CONVERGED);
  assert_int_equal(o.device.iterations, 0);
  for (size_t i = 0; i < p.size; i++) p.x[i] *= 0.5;
  OK(basin__cuda_upload(cuda, p.device_x.address, p.x, p.size * sizeof *p.x));
  options.tolerance = 1e-9;
  o = solve(&p, true, &options, NULL);
  assert_same(&p, &o, 1e-3);
  assert_true(o.device.iterations > 0);
  free_problem(&p);
}

static void test_scales(void **state)
{
  (void)state;
  static const double scales[] = {1e-200, 1e-20, 1e150};
  for (size_t s = 0; s < BASIN_COUNT(scales); s++) {
    problem p = make_problem(laplacian(test_context_of, 4, 3, 0.1), 1, 0, NULL);
    for (size_t i = 0; i < p.size; i++) p.b[i] *= scales[s];
    OK(basin__cuda_upload(cuda, p.device_b.address, p.b, p.size * sizeof *p.b));
    update(&p);
    outcome o = solve(&p, true, NULL, NULL);
    assert_same(&p, &o, 1e-3 * scales[s]);
    free_problem(&p);
  }
}

static void test_zero_right_side(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 3, 3, 0.1), 1, 0, NULL);
  OK(basin__cuda_zero(cuda, p.device_b.address, p.size * sizeof *p.b));
  memset(p.b, 0, p.size * sizeof *p.b);
  update(&p);
  p.x[0] = 7;
  OK(basin__cuda_upload(cuda, p.device_x.address, p.x, p.size * sizeof *p.x));
  basin_linear_options options = basin_linear_options_defaults();
  options.use_initial_guess = true;
  outcome o = solve(&p, true, &options, NULL);
  assert_same(&p, &o, 0);
  assert_int_equal(o.device.status, BASIN_LINEAR_ALREADY_CONVERGED);
  assert_true(p.found[0] == 0);
  free_problem(&p);
}

static void test_no_unknowns(void **state)
{
  (void)state;
  basin_cuda_pcg *pcg;
  basin_linear_result result;
  basin_cuda_matrix empty = {1, {{0, 3, 0, 0, 0, 0}}};
  OK(basin__cuda_pcg_create(cuda, &pcg));
  OK(basin__cuda_pcg_solve(pcg, &empty, NULL, 0, 0, NULL, NULL, &result));
  assert_int_equal(result.status, BASIN_LINEAR_ALREADY_CONVERGED);
  basin__cuda_pcg_destroy(pcg);
}

/* A definite matrix minus a multiple of the identity: not definite. */
static void test_indefinite(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 5, 3, -2), 1, 0, NULL);
  outcome o = solve(&p, false, NULL, NULL);
  assert_int_equal(o.cpu.status, BASIN_LINEAR_INDEFINITE);
  assert_int_equal(o.device.status, BASIN_LINEAR_INDEFINITE);
  assert_true(labs((long)o.cpu.iterations - (long)o.device.iterations) <= 1);
  assert_true(o.device.curvature <= 0);
  /* The direction has the curvature reported: p^T A p / p^T p. */
  basin_address direction = basin__cuda_pcg_direction(p.device_pcg);
  double *d = calloc(p.size, sizeof *d), *product = calloc(p.size, sizeof *d), dd = 0, dad = 0;
  assert_true(direction != 0);
  OK(basin__cuda_download(cuda, d, direction, p.size * sizeof *d));
  basin_bsr_multiply(p.matrix, d, product);
  for (size_t i = 0; i < p.size; i++) {
    dd += d[i] * d[i];
    dad += d[i] * product[i];
  }
  double curvature = dad / dd;
  assert_close(1, &curvature, &o.device.curvature, 1e-9 * fabs(curvature));
  free(d), free(product);
  free_problem(&p);
}

static void test_bad_numbers(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 3, 3, 0.1), 1, 0, NULL);
  p.b[5] = (double)NAN;
  OK(basin__cuda_upload(cuda, p.device_b.address, p.b, p.size * sizeof *p.b));
  update(&p);
  outcome o = solve(&p, true, NULL, NULL);
  assert_int_equal(o.cpu.status, BASIN_LINEAR_NOT_FINITE);
  assert_int_equal(o.device.status, BASIN_LINEAR_NOT_FINITE);
  p.b[5] = 1;
  OK(basin__cuda_upload(cuda, p.device_b.address, p.b, p.size * sizeof *p.b));
  basin_bsr_values(p.matrix)[20] = (double)NAN;
  release_matrix(&p.device);
  p.device = matrix_on_device(p.matrix, 1);
  o = solve(&p, true, NULL, NULL); /* with the preconditioner of the good matrix */
  assert_int_equal(o.cpu.status, BASIN_LINEAR_NOT_FINITE);
  assert_int_equal(o.device.status, BASIN_LINEAR_NOT_FINITE);
  free_problem(&p);
}

static void test_limits(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 4, 1, 0), 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  update(&p);
  options.tolerance = 1e-20;
  options.maximum_iterations = 5;
  outcome o = solve(&p, true, &options, NULL);
  assert_same(&p, &o, 1e-10);
  assert_int_equal(o.device.status, BASIN_LINEAR_ITERATION_LIMIT);
  assert_int_equal(o.device.iterations, 5);
  options.maximum_iterations = 0;
  o = solve(&p, true, &options, NULL);
  assert_int_equal(o.device.status, BASIN_LINEAR_ITERATION_LIMIT);
  /* More than the digits allow: no endless loop, and the same verdict. */
  options.maximum_iterations = 5000;
  options.tolerance = 0;
  options.stagnation_window = 50;
  o = solve(&p, true, &options, NULL);
  assert_true(o.device.status == BASIN_LINEAR_STAGNATED ||
              o.device.status == BASIN_LINEAR_INDEFINITE);
  assert_close(p.size, p.found, p.x, 1e-9);
  /* Bad arguments. */
  basin_linear_result result;
  options.tolerance = -1;
  assert_int_equal(basin__cuda_pcg_solve(p.device_pcg,
                                         &p.device.matrix,
                                         NULL,
                                         p.device_b.address,
                                         p.device_x.address,
                                         &options,
                                         NULL,
                                         &result),
                   BASIN_ERROR_ARGUMENT);
  free_problem(&p);
}

static void test_interrupted(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 6, 3, 0), 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-25;
  update(&p);
  basin__interrupt(test_context_of);
  outcome o = solve(&p, true, &options, NULL);
  basin__interrupt_clear(test_context_of);
  assert_int_equal(o.device.status, BASIN_LINEAR_INTERRUPTED);
  free_problem(&p);
}

/* Graphs: few launches, few downloads, reused by the next solve of the same size. */
static void test_graphs(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 6, 3, 0), 1, 0, NULL);
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-8;
  basin_cuda_pcg_options device = {.iterations = 4};
  update(&p);
  outcome o = solve(&p, true, &options, &device);
  assert_int_equal(o.device.status, BASIN_LINEAR_CONVERGED);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  o = solve(&p, true, &options, &device);
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  size_t graphs = after.graph_launches - before.graph_launches;
  assert_int_equal(graphs, (o.device.iterations + 3) / 4);
  assert_true(after.downloads - before.downloads <= graphs + 2); /* and the solution, for us */
  assert_true(after.downloaded_bytes - before.downloaded_bytes <=
              (graphs + 1) * 512 + p.size * sizeof(double));
  assert_true(after.launches - before.launches < 20); /* those outside of graphs */
  assert_int_equal(after.allocated, before.allocated);
  assert_int_equal(after.compiled, before.compiled);
  /* Another number a graph, another size, no preconditioner, float: the same solution. */
  double *first = calloc(p.size, sizeof *first);
  memcpy(first, p.found, p.size * sizeof *first);
  device.iterations = 7;
  solve(&p, true, &options, &device);
  assert_memory_equal(first, p.found, p.size * sizeof *first);
  solve(&p, true, &options, NULL);
  assert_memory_equal(first, p.found, p.size * sizeof *first);
  free(first);
  free_problem(&p);
}

/* Float inside, confirmed in double: as good as asked for, a few more iterations. */
static void test_single(void **state)
{
  (void)state;
  basin_cuda_pcg_options device = {.single = true};
  static const basin_node_range ranges[] = {{0, 4}, {50, 8}};
  for (unsigned b = 1; b <= 6; b += b < 3 ? 1 : 3) {
    for (size_t count = 0; count <= 2; count += 2) {
      problem p = make_problem(laplacian(test_context_of, 4, b, 0.01), 2, count, ranges);
      basin_linear_options options = basin_linear_options_defaults();
      options.stop = BASIN_STOP_RESIDUAL;
      options.tolerance = 1e-9; /* beyond float alone */
      update(&p);
      for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        outcome o = solve(&p, preconditioned, &options, &device);
        assert_int_equal(o.device.status, BASIN_LINEAR_CONVERGED);
        assert_true(o.device.iterations < 3 * o.cpu.iterations + 10);
        assert_close(p.size, p.found, p.x, 1e-6);
        o = solve(&p, preconditioned, &options, NULL); /* and back */
        assert_same(&p, &o, 1e-6);
      }
      free_problem(&p);
    }
  }
}

static void test_order(void **state)
{
  (void)state;
  static const char *const orders[] = {"reverse", "random:3"};
  problem p = make_problem(laplacian(test_context_of, 9, 3, 0.01), 2, 0, NULL);
  update(&p);
  double *first = calloc(p.size, sizeof *first);
  for (size_t i = 0; i <= BASIN_COUNT(orders); i++) {
    if (i > 0) setenv("SOFTCUDA_ORDER", orders[i - 1], 1);
    update(&p);
    solve(&p, true, NULL, NULL);
    if (i == 0) memcpy(first, p.found, p.size * sizeof *first);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_block_jacobi),
                                     cmocka_unit_test(test_instances),
                                     cmocka_unit_test(test_too_large_instance),
                                     cmocka_unit_test(test_stand_ins),
                                     cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_same_iterations),
                                     cmocka_unit_test(test_verified),
                                     cmocka_unit_test(test_instances_and_guess),
                                     cmocka_unit_test(test_scales),
                                     cmocka_unit_test(test_zero_right_side),
                                     cmocka_unit_test(test_no_unknowns),
                                     cmocka_unit_test(test_indefinite),
                                     cmocka_unit_test(test_bad_numbers),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_interrupted),
                                     cmocka_unit_test(test_graphs),
                                     cmocka_unit_test(test_single),
                                     cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
