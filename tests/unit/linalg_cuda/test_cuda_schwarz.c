/* Multilevel Schwarz and sums of matrices on a CUDA device against the CPU.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linear_support.h"

#include "linalg/cuda/collapse.h"

/* ---- sums of matrices ---- */

/* The blocks between groups of nodes, added up by hand from the dense matrix. */
static void check_collapse(uint32_t nodes, unsigned b, unsigned parts, uint32_t groups)
{
  basin_bsr *matrix = random_bsr(test_context_of, nodes, b, 3 * nodes, 2, nodes), *sum;
  device_matrix device = matrix_on_device(matrix, parts);
  basin__cuda_collapse work = {0};
  basin_cuda_bsr_memory memory = {0};
  basin_cuda_matrix result = {.part_count = 1};
  uint32_t *map = calloc(nodes + 1, sizeof *map);
  uint64_t seed = 9;
  for (uint32_t i = 0; i < nodes; i++) map[i] = i < groups ? i : random_below(&seed, groups);
  basin_buffer on_device = {0};
  OK(basin__buffer_reserve(cuda, &on_device, (nodes + 1) * sizeof *map));
  OK(basin__cuda_upload(cuda, on_device.address, map, nodes * sizeof *map));
  OK(basin__cuda_collapse_matrix(cuda,
                                 &work,
                                 &device.matrix,
                                 groups == nodes ? 0 : on_device.address,
                                 groups,
                                 &memory,
                                 &result.parts[0]));
  OK(basin__cuda_matrix_download(cuda, &result, &sum));
  size_t n = (size_t)nodes * b, m = (size_t)groups * b;
  double *dense = dense_of_bsr(matrix), *found = dense_of_bsr(sum),
         *expected = calloc(m * m + 1, sizeof *expected);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      size_t row = (groups == nodes ? i / b : map[i / b]) * b + i % b,
             column = (groups == nodes ? j / b : map[j / b]) * b + j % b;
      expected[row * m + column] += dense[i * n + j];
    }
  }
  assert_close(m * m, found, expected, 1e-12);
  free(dense), free(found), free(expected), free(map);
  basin_bsr_destroy(matrix);
  basin_bsr_destroy(sum);
  basin__cuda_collapse_release(cuda, &work);
  basin__cuda_bsr_release(cuda, &memory);
  basin__buffer_release(cuda, &on_device);
  release_matrix(&device);
}

static void test_collapse(void **state)
{
  (void)state;
  check_collapse(30, 3, 1, 7);
  check_collapse(30, 3, 2, 30);
  check_collapse(100, 1, 2, 1);
  check_collapse(20, 12, 2, 20);
  check_collapse(33, 6, 1, 32);
}

static void test_empty_collapse(void **state)
{
  (void)state;
  static const uint32_t none[5] = {0};
  uint32_t starts[5] = {1, 1, 1, 1, 1};
  basin__cuda_collapse work = {0};
  basin_cuda_bsr_memory memory = {0};
  basin_cuda_bsr result;
  basin_buffer rows = {0};
  OK(basin__buffer_reserve(cuda, &rows, sizeof none));
  OK(basin__cuda_upload(cuda, rows.address, none, sizeof none));
  basin_cuda_matrix matrix = {1, {{4, 3, 0, rows.address, 0, 0}}};
  OK(basin__cuda_collapse_matrix(cuda, &work, &matrix, 0, 4, &memory, &result));
  assert_int_equal(result.block_count, 0);
  OK(basin__cuda_download(cuda, starts, result.row_starts, sizeof starts));
  assert_memory_equal(starts, none, sizeof none);
  basin__cuda_collapse_release(cuda, &work);
  basin__cuda_bsr_release(cuda, &memory);
  basin__buffer_release(cuda, &rows);
}

/* ---- the preconditioner ---- */

typedef struct problem {
  basin_bsr *matrix;
  device_matrix device;
  size_t size;
  double *b, *z, *found;
  basin_buffer device_b, device_z;
  basin_preconditioner *m;
  basin_cuda_preconditioner *device_m;
} problem;

static problem make_problem(basin_bsr *matrix, unsigned parts)
{
  problem p = {.matrix = matrix, .size = basin_bsr_size(matrix)};
  uint32_t nodes = basin_bsr_node_count(matrix);
  unsigned b = basin_bsr_block_size(matrix);
  uint64_t seed = 5;
  p.b = calloc(p.size + 1, sizeof *p.b);
  p.z = calloc(p.size + 1, sizeof *p.z);
  p.found = calloc(p.size + 1, sizeof *p.found);
  for (size_t i = 0; i < p.size; i++) p.b[i] = random_number(&seed);
  p.device = matrix_on_device(matrix, parts);
  p.device_b = numbers_on_device(p.b, p.size);
  p.device_z = numbers_on_device(p.z, p.size);
  OK(basin_preconditioner_create_schwarz(test_context_of, nodes, b, &p.m));
  OK(basin__cuda_preconditioner_create_schwarz(cuda, nodes, b, &p.device_m));
  return p;
}

static void free_problem(problem *p)
{
  basin_bsr_destroy(p->matrix);
  release_matrix(&p->device);
  basin_preconditioner_destroy(p->m);
  basin__cuda_preconditioner_destroy(p->device_m);
  basin__buffer_release(cuda, &p->device_b);
  basin__buffer_release(cuda, &p->device_z);
  free(p->b), free(p->z), free(p->found);
}

static void update(problem *p)
{
  size_t cpu = 0, device = 0;
  OK(basin_preconditioner_update(p->m, p->matrix, &cpu));
  OK(basin__cuda_preconditioner_update(p->device_m, &p->device.matrix, &device));
  assert_int_equal(cpu, device);
}

static void check_application(problem *p, double tolerance)
{
  double largest = 0;
  update(p);
  basin_preconditioner_apply(p->m, p->b, p->z);
  OK(basin__cuda_preconditioner_apply(p->device_m, p->device_b.address, p->device_z.address));
  numbers_from_device(&p->device_z, p->found, p->size);
  for (size_t i = 0; i < p->size; i++) largest = fmax(largest, fabs(p->z[i]));
  assert_close(p->size, p->found, p->z, tolerance * largest);
}

/* The hierarchy of one part is the CPU's: the same to rounding. */
static void test_application(void **state)
{
  (void)state;
  static const uint32_t sides[] = {1, 2, 3, 7};
  for (size_t s = 0; s < BASIN_COUNT(sides); s++) {
    for (unsigned b = 1; b <= 12; b += b < 3 ? 1 : 9) {
      if (b == 12 && sides[s] > 3) continue;
      problem p = make_problem(laplacian(test_context_of, sides[s], b, 0.05), 1);
      check_application(&p, 1e-12);
      free_problem(&p);
    }
  }
}

/* Many levels, of which the upper ones are restricted by one thread block. */
static void test_levels(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 24, 1, 0.01), 1);
  check_application(&p, 1e-12);
  free_problem(&p);
}

static void test_iterations(void **state)
{
  (void)state;
  for (unsigned pass = 0; pass < 3; pass++) {
    problem p = make_problem(laplacian(test_context_of, 9, 3, 0), pass == 1 ? 2 : 1);
    basin_pcg *pcg;
    basin_cuda_pcg *device_pcg;
    basin_linear_result cpu, device;
    basin_linear_options options = basin_linear_options_defaults();
    basin_cuda_pcg_options single = {.single = true};
    options.stop = BASIN_STOP_RESIDUAL;
    options.tolerance = 1e-8;
    update(&p);
    OK(basin_pcg_create(test_context_of, &pcg));
    OK(basin__cuda_pcg_create(cuda, &device_pcg));
    OK(basin_pcg_solve(pcg, p.matrix, p.m, p.b, p.z, &options, &cpu));
    OK(basin__cuda_pcg_solve(device_pcg,
                             &p.device.matrix,
                             p.device_m,
                             p.device_b.address,
                             p.device_z.address,
                             &options,
                             pass == 2 ? &single : NULL,
                             &device));
    numbers_from_device(&p.device_z, p.found, p.size);
    assert_int_equal(cpu.status, BASIN_LINEAR_CONVERGED);
    assert_int_equal(device.status, BASIN_LINEAR_CONVERGED);
    long allowed = pass == 0 ? 1 : pass == 1 ? 6 : (long)cpu.iterations;
    assert_true(labs((long)cpu.iterations - (long)device.iterations) <= allowed);
    assert_close(p.size, p.found, p.z, 1e-5);
    basin_pcg_destroy(pcg);
    basin__cuda_pcg_destroy(device_pcg);
    free_problem(&p);
  }
}

static void test_order(void **state)
{
  (void)state;
  static const char *const orders[] = {"reverse", "random:5"};
  problem p = make_problem(laplacian(test_context_of, 8, 2, 0.1), 2);
  double *first = calloc(p.size, sizeof *first);
  for (size_t i = 0; i <= BASIN_COUNT(orders); i++) {
    if (i > 0) setenv("SOFTCUDA_ORDER", orders[i - 1], 1);
    OK(basin__cuda_preconditioner_update(p.device_m, &p.device.matrix, NULL));
    OK(basin__cuda_preconditioner_apply(p.device_m, p.device_b.address, p.device_z.address));
    numbers_from_device(&p.device_z, p.found, p.size);
    if (i == 0) memcpy(first, p.found, p.size * sizeof *first);
    assert_memory_equal(first, p.found, p.size * sizeof *first);
  }
  unsetenv("SOFTCUDA_ORDER");
  free(first);
  free_problem(&p);
}

static void test_bad_blocks(void **state)
{
  (void)state;
  problem p = make_problem(laplacian(test_context_of, 5, 2, 0.1), 1);
  assert_int_equal(
      basin__cuda_preconditioner_apply(p.device_m, p.device_b.address, p.device_z.address),
      BASIN_ERROR_STATE);
  update(&p);
  basin_bsr_add_diagonal(p.matrix, -8, NULL);
  release_matrix(&p.device);
  p.device = matrix_on_device(p.matrix, 1);
  check_application(&p, 1e-8); /* the same stand-ins, and as many */
  basin_bsr_values(p.matrix)[basin_bsr_row_starts(p.matrix)[7] * 4] = (double)NAN;
  release_matrix(&p.device);
  p.device = matrix_on_device(p.matrix, 1);
  assert_int_equal(basin__cuda_preconditioner_update(p.device_m, &p.device.matrix, NULL),
                   BASIN_ERROR_NOT_FINITE);
  free_problem(&p);
  basin_cuda_preconditioner *none;
  assert_int_equal(basin__cuda_preconditioner_create_schwarz(cuda, 4, 13, &none),
                   BASIN_ERROR_UNSUPPORTED);
  assert_null(none);
}

int main(int count, char **words)
{
  skip_without_device();
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_collapse),
                                     cmocka_unit_test(test_empty_collapse),
                                     cmocka_unit_test(test_application),
                                     cmocka_unit_test(test_levels),
                                     cmocka_unit_test(test_iterations),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_bad_blocks)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
