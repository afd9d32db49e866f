/* Small matrix functions of compiled kernels: the defining equations, and the interpreter's values
 * where they are unique. SPDX-License-Identifier: Apache-2.0 */
#include "graph/small_matrix.h"
#include "random_kernel.h"

#include <math.h>

enum { MATRICES = 61, ENTRIES = 9, OUTPUTS = BASIN_SMALL_MATRIX_MAX_OUTPUTS };

static double matrices[MATRICES * ENTRIES];

/* Random matrices of several sizes, then singular, reflecting, diagonal, equal and zero ones. */
static void make_matrices(random_stream *random)
{
  for (int m = 0; m < MATRICES; m++) {
    double *a = matrices + m * ENTRIES, scale = m % 3 == 0 ? 1 : m % 3 == 1 ? 1e-5 : 1e4;
    for (int i = 0; i < ENTRIES; i++) a[i] = scale * random_real(random);
    if (m % 10 == 1) memset(a, 0, ENTRIES * sizeof *a);
    if (m % 10 == 3)
      for (int i = 0; i < ENTRIES; i++) a[i] = i % 4 == 0 ? 2.0 : 0.0;
    if (m % 10 == 5)
      for (int i = 3; i < ENTRIES; i++) a[i] = a[i % 3] * (i / 3 + 1); /* rank one as 3 x 3 */
    if (m % 10 == 7)
      for (int i = 0; i < ENTRIES; i++) a[i] = i % 4 == 0 ? 1.0 - i * 0.25 : 0.0;
  }
}

static void run_function(basin_backend *backend, basin_op op, double *results)
{
  static program_builder b;
  static const basin_array_id arrays[] = {0};
  uint32_t inputs = basin__small_matrix_inputs(op), outputs = basin__small_matrix_outputs(op);
  memset(&b, 0, sizeof b);
  b.accesses[0] = (basin_access){.array = 0};
  b.layouts[0] = (basin_access_layout){.stride = ENTRIES};
  b.access_count = 1;
  for (uint32_t i = 0; i < inputs; i++)
    b.lists[b.list_length++] = add_code(&b, BASIN_OP_LOAD, 0, i, 0);
  for (uint32_t c = outputs; c-- > 0;) add_code(&b, op, 0, inputs, c); /* in any order */
  for (uint32_t c = 0; c < outputs; c++) add_output(&b, b.count - 1 - c);
  basin_kernel_program program = {.info = {.name = "small",
                                           .stage = BASIN_STAGE_COMPUTE,
                                           .array_count = 1,
                                           .arrays = arrays,
                                           .output_size = outputs},
                                  .inner = finish_program(&b)};
  basin_kernel kernel = compile_one(backend, &program);
  const double *data[] = {matrices};
  size_t size = (kernel.scratch_size + 63) / 64 * 64;
  basin_kernel_args args = {.end = MATRICES,
                            .arrays = data,
                            .output = results,
                            .scratch = size ? aligned_alloc(64, size) : NULL};
  kernel.function(&args, kernel.self);
  free(args.scratch);
}

static double largest(const double *a, int count)
{
  double result = 1e-300;
  for (int i = 0; i < count; i++) result = fmax(result, fabs(a[i]));
  return result;
}

/* a[r * n + c] = sum over k of u[r][k] s[k] v[c][k] to `tolerance` of the largest entry. */
static void expect_product(
    const double *a, int n, const double *u, const double *s, const double *v, double tolerance)
{
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += u[r * n + k] * s[k] * v[c * n + k];
      if (fabs(sum - a[r * n + c]) > tolerance * largest(a, n * n))
        fail_msg("entry %d %d: %.17g, not %.17g", r, c, sum, a[r * n + c]);
    }
}

static void expect_rotation(const double *r, int n, double tolerance)
{
  const double one[] = {1, 1, 1}, identity2[] = {1, 0, 0, 1},
               identity3[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  expect_product(n == 2 ? identity2 : identity3, n, r, one, r, tolerance);
  double det = n == 2 ? r[0] * r[3] - r[1] * r[2]
                      : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                            r[2] * (r[3] * r[7] - r[4] * r[6]);
  assert_true(is_close(det, 1, tolerance));
}

static void check_matrix(basin_op op, const double *a, const double *out, double tolerance)
{
  int n = op == BASIN_OP_POLAR2 || op == BASIN_OP_SVD2 || op == BASIN_OP_EIG2 ? 2 : 3;
  double want[OUTPUTS], full[9];
  basin__small_matrix(op, a, want);
  switch (op) {
  case BASIN_OP_POLAR2:
  case BASIN_OP_POLAR3:
    expect_rotation(out, n, tolerance);
    break;
  case BASIN_OP_SVD2:
  case BASIN_OP_SVD3:
    expect_rotation(out, n, tolerance);
    expect_rotation(out + n * n + n, n, tolerance);
    expect_product(a, n, out, out + n * n, out + n * n + n, tolerance);
    for (int k = 0; k < n; k++)
      assert_true(fabs(out[n * n + k] - want[n * n + k]) <= tolerance * largest(a, n * n));
    break;
  default:
    for (int i = 0, at = 0; i < n; i++)
      for (int j = i; j < n; j++) full[i * n + j] = full[j * n + i] = a[at++];
    expect_rotation(out + n, n, tolerance);
    expect_product(full, n, out + n, out, out + n, tolerance);
    for (int k = 0; k < n; k++)
      assert_true(fabs(out[k] - want[k]) <= tolerance * largest(full, n * n));
  }
}

static void check_all(const char *kind, const char *precision, const char *width, double tolerance)
{
  random_stream random = {99};
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, kind, precision, width);
  double results[MATRICES * OUTPUTS];
  make_matrices(&random);
  for (int op = BASIN_OP_POLAR2; op <= BASIN_OP_EIG3; op++) {
    uint32_t outputs = basin__small_matrix_outputs((basin_op)op);
    run_function(backend, (basin_op)op, results);
    for (int m = 0; m < MATRICES; m++)
      check_matrix((basin_op)op, matrices + m * ENTRIES, results + (size_t)m * outputs, tolerance);
  }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_interp(void **state)
{
  (void)state;
  check_all("interp", "double", "", 1e-14);
}
static void test_double(void **state)
{
  (void)state;
  check_all("clang", "double", "", 1e-14);
}
static void test_double_2(void **state)
{
  (void)state;
  check_all("clang", "double", "2", 1e-14);
}
static void test_float(void **state)
{
  (void)state;
  check_all("clang", "float", "", 3e-6);
}

/* A regular matrix has one polar rotation: compiled and interpreted must agree on it. */
static void test_polar_agrees(void **state)
{
  (void)state;
  random_stream random = {99};
  basin_context *context = test_context(NULL);
  basin_backend *compiled = open_backend(context, "clang", "double", ""),
                *interp = open_backend(context, "interp", "double", "");
  static double x[MATRICES * 9], y[MATRICES * 9];
  make_matrices(&random);
  for (int op = BASIN_OP_POLAR2; op <= BASIN_OP_POLAR3; op++) {
    uint32_t outputs = basin__small_matrix_outputs((basin_op)op);
    run_function(compiled, (basin_op)op, x);
    run_function(interp, (basin_op)op, y);
    for (uint32_t m = 0; m < MATRICES; m += 2)
      for (uint32_t k = 0; k < outputs; k++)
        assert_true(is_close(x[m * outputs + k], y[m * outputs + k], 1e-11));
  }
  basin_backend_destroy(compiled);
  basin_backend_destroy(interp);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interp),
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_double_2),
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_polar_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
