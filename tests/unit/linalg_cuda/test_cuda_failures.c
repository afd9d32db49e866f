/* Calls that a linear solve on a device makes fail in turn: a clear error, nothing leaks, and the
 * next solve is right. Over the software CUDA, which reads SOFTCUDA_FAIL when a device is opened.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linear_support.h"

/* CHOLESKY is by cuSOLVER, DIRECT (L D L^T) by cuDSS. */
typedef enum kind { JACOBI, INSTANCES, SCHWARZ, SINGLE, MINRES, CHOLESKY, DIRECT, KINDS } kind;

enum { SIDE = 3, BLOCK = 2, NODES = SIDE * SIDE * SIDE, SIZE = NODES * BLOCK };
enum { OUT_OF_MEMORY = 2, NOT_SUPPORTED = 801 };

/* What a solve takes. */
typedef struct solver {
  basin_cuda_pcg *pcg;
  basin_cuda_minres *minres;
  basin_cuda_preconditioner *m;
  basin_cuda_factor *factor;
  basin_cuda_bsr_memory memory;
  basin_cuda_matrix matrix;
  basin_buffer b, x;
} solver;

static double right_side[SIZE], expected[SIZE];

static basin_status make(solver *s, kind which, const basin_bsr *matrix)
{
  static const basin_node_range ranges[] = {{0, 4}};
  BASIN_TRY(basin__cuda_bsr_upload(cuda, matrix, &s->memory, &s->matrix.parts[0]));
  s->matrix.part_count = 1;
  BASIN_TRY(basin__buffer_reserve(cuda, &s->b, sizeof right_side));
  BASIN_TRY(basin__buffer_reserve(cuda, &s->x, sizeof right_side));
  BASIN_TRY(basin__cuda_upload(cuda, s->b.address, right_side, sizeof right_side));
  setenv("BASIN_LIB_CUDSS", which == CHOLESKY ? "/nowhere" : TEST_SOFTCUDA "/libcudss-0.7.so", 1);
  if (which >= CHOLESKY)
    return basin__cuda_factor_create(
        cuda, which == CHOLESKY ? BASIN_FACTOR_CHOLESKY : BASIN_FACTOR_LDLT, &s->factor);
  if (which == SCHWARZ) {
    BASIN_TRY(basin__cuda_preconditioner_create_schwarz(cuda, NODES, BLOCK, &s->m));
  } else {
    BASIN_TRY(
        basin__cuda_preconditioner_create(cuda, NODES, BLOCK, which == INSTANCES, ranges, &s->m));
  }
  if (which == MINRES) return basin__cuda_minres_create(cuda, &s->minres);
  return basin__cuda_pcg_create(cuda, &s->pcg);
}

static basin_status run(solver *s, kind which, double *x)
{
  basin_linear_options options = basin_linear_options_defaults();
  basin_cuda_pcg_options device = {.single = which == SINGLE};
  basin_linear_result result;
  options.tolerance = 1e-14;
  if (which >= CHOLESKY) {
    BASIN_TRY(basin__cuda_factor_update(s->factor, &s->matrix));
    BASIN_TRY(basin__cuda_factor_solve(s->factor, 1, s->b.address, s->x.address));
  } else {
    BASIN_TRY(basin__cuda_preconditioner_update(s->m, &s->matrix, NULL));
    if (which == MINRES)
      BASIN_TRY(basin__cuda_minres_solve(
          s->minres, &s->matrix, s->m, s->b.address, s->x.address, &options, &result));
    else
      BASIN_TRY(basin__cuda_pcg_solve(
          s->pcg, &s->matrix, s->m, s->b.address, s->x.address, &options, &device, &result));
    assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
  }
  return basin__cuda_download(cuda, x, s->x.address, sizeof right_side);
}

static void destroy(solver *s)
{
  basin__cuda_pcg_destroy(s->pcg);
  basin__cuda_minres_destroy(s->minres);
  basin__cuda_preconditioner_destroy(s->m);
  basin__cuda_factor_destroy(s->factor);
  basin__cuda_bsr_release(cuda, &s->memory);
  basin__buffer_release(cuda, &s->b);
  basin__buffer_release(cuda, &s->x);
}

static basin_status attempt(kind which, const basin_bsr *matrix)
{
  solver s = {.pcg = NULL};
  double x[SIZE];
  basin_status status = make(&s, which, matrix);
  if (status == BASIN_OK) status = run(&s, which, x);
  if (status == BASIN_OK) assert_close(SIZE, x, expected, 1e-5);
  destroy(&s);
  return status;
}

static basin_bsr *make_matrix(void)
{
  return laplacian(test_context_of, SIDE, BLOCK, 0.2);
}

/* Call number `number` of `name` fails, and so does the next, as memory is asked for twice. False
 * if there was no such call. */
static bool fails(kind which, const char *name, int number, int result)
{
  char text[128];
  failing_allocator allocator = {0};
  (void)snprintf(
      text, sizeof text, "%s:%d=%d,%s:%d=%d", name, number, result, name, number + 1, result);
  test_context_of = test_context(&allocator);
  setenv("SOFTCUDA_FAIL", text, 1);
  basin_status status = basin__cuda_open(test_context_of, 0, &cuda);
  unsetenv("SOFTCUDA_FAIL");
  bool opened = status == BASIN_OK;
  if (opened) {
    basin_bsr *matrix = make_matrix();
    status = attempt(which, matrix);
    if (status != BASIN_OK) {
      if (strlen(basin_error_last(test_context_of)->message) < 8)
        fail_msg("%s: kind %d has no message", text, (int)which);
      if (result == OUT_OF_MEMORY && attempt(which, matrix) != BASIN_OK &&
          attempt(which, matrix) != BASIN_OK)
        fail_msg("%s: kind %d: %s", text, (int)which, basin_error_text(test_context_of));
    }
    basin_bsr_destroy(matrix);
    basin__cuda_close(cuda);
  }
  basin_context_destroy(test_context_of);
  if (allocator.blocks != 0) fail_msg("%s: kind %d leaks", text, (int)which);
  return status != BASIN_OK;
}

static void fail_in_turn(kind which, const char *name, int result, int least)
{
  int number = 1, seen = 0;
  for (; number < 10000 && fails(which, name, number, result); number += 1 + number / 3) seen++;
  if (number >= 10000) fail_msg("%s never succeeds in kind %d", name, (int)which);
  if (seen < least) fail_msg("%s failed %d times in kind %d", name, seen, (int)which);
}

static void test_memory(void **state)
{
  (void)state;
  for (int which = 0; which < KINDS; which++)
    fail_in_turn((kind)which, "cuMemAlloc", OUT_OF_MEMORY, 4);
}

static void test_driver(void **state)
{
  (void)state;
  for (int which = 0; which < KINDS; which++) {
    fail_in_turn((kind)which, "cuLaunchKernel", NOT_SUPPORTED, 3);
    fail_in_turn((kind)which, "cuMemcpyDtoHAsync", NOT_SUPPORTED, 1);
  }
  fail_in_turn(JACOBI, "cuGraphInstantiate", NOT_SUPPORTED, 1);
  fail_in_turn(MINRES, "cuGraphInstantiate", NOT_SUPPORTED, 1);
  fail_in_turn(SCHWARZ, "cuStreamEndCapture", NOT_SUPPORTED, 1);
  fail_in_turn(JACOBI, "cuGraphLaunch", NOT_SUPPORTED, 1);
}

static void test_libraries(void **state)
{
  (void)state;
  static const char *const of_cusolver[] = {"cusolverSpCreate",
                                            "cusparseCreateMatDescr",
                                            "cusolverSpXcsrsymamdHost",
                                            "cusolverSpXcsrcholAnalysis",
                                            "cusolverSpDcsrcholBufferInfo",
                                            "cusolverSpDcsrcholFactor",
                                            "cusolverSpDcsrcholZeroPivot",
                                            "cusolverSpDcsrcholSolve"};
  static const char *const of_cudss[] = {"cudssCreate",
                                         "cudssConfigCreate",
                                         "cudssDataCreate",
                                         "cudssMatrixCreateCsr",
                                         "cudssMatrixCreateDn",
                                         "cudssExecute",
                                         "cudssDataGet"};
  for (size_t i = 0; i < BASIN_COUNT(of_cusolver); i++)
    fail_in_turn(CHOLESKY, of_cusolver[i], OUT_OF_MEMORY, 1);
  for (size_t i = 0; i < BASIN_COUNT(of_cudss); i++)
    fail_in_turn(DIRECT, of_cudss[i], OUT_OF_MEMORY, 1);
}

static int prepare(void **state)
{
  uint64_t seed = 6;
  (void)state;
  test_context_of = test_context(NULL);
  basin_bsr *matrix = make_matrix();
  for (size_t i = 0; i < SIZE; i++) expected[i] = random_number(&seed);
  basin_bsr_multiply(matrix, expected, right_side);
  basin_bsr_destroy(matrix);
  basin_context_destroy(test_context_of);
  return 0;
}

int main(int count, char **words)
{
  if (!is_software()) return 77;
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_driver),
                                     cmocka_unit_test(test_libraries)};
  return cmocka_run_group_tests(tests, prepare, NULL);
}
