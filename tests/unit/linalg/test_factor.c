/* Tests of the factorization object, with the built-in dense methods and with the sparse libraries.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"
#include <math.h>

static basin_factor *
create(basin_context *context, basin_factor_kind kind, basin_factor_method method)
{
  basin_factor_options options = basin_factor_options_defaults();
  basin_factor *factor;
  options.method = method;
  check_status(context, basin_factor_create(context, kind, &options, &factor));
  return factor;
}

/* Solves for three right-hand sides and compares with the known solutions, in place and not. */
static void
check_solves(basin_context *context, basin_factor *factor, const basin_csr *m, double tolerance)
{
  size_t n = basin_csr_rows(m);
  double *known = calloc(3 * n, sizeof *known), *b = calloc(3 * n, sizeof *b),
         *x = calloc(3 * n, sizeof *x);
  uint64_t seed = 6;
  for (size_t i = 0; i < 3 * n; i++) known[i] = random_number(&seed);
  for (size_t j = 0; j < 3; j++) basin_csr_apply(m, 1, known + j * n, b + j * n);
  check_status(context, basin_factor_solve(factor, 3, b, x));
  assert_close(3 * n, x, known, tolerance);
  check_status(context, basin_factor_solve(factor, 3, b, b));
  assert_memory_equal(x, b, 3 * n * sizeof *x);
  free(known), free(b), free(x);
}

static bool
method_available(basin_context *context, basin_factor_kind kind, basin_factor_method method)
{
  if (method != BASIN_FACTOR_METHOD_SPARSE) return true;
  return basin_linear_library_available(context, kind == BASIN_FACTOR_LU ? "UMFPACK" : "CHOLMOD");
}

static void every_kind_and_method_solves(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    for (int method = BASIN_FACTOR_METHOD_AUTO; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
      if (!method_available(context, (basin_factor_kind)kind, (basin_factor_method)method))
        continue;
      basin_factor *factor = create(context, (basin_factor_kind)kind, (basin_factor_method)method);
      for (unsigned b = 1; b <= (method == BASIN_FACTOR_METHOD_DENSE ? 3 : 8); b += b < 4 ? 1 : 4) {
        double shift = kind == BASIN_FACTOR_CHOLESKY ? 1 : -2.35; /* indefinite for the others */
        basin_bsr *m = laplacian(context, 5, b, shift);
        basin_csr *csr;
        check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &csr));
        check_status(context, basin_factor_update_bsr(factor, m));
        check_solves(context, factor, csr, 1e-8);
        check_status(context, basin_factor_update_csr(factor, csr));
        check_solves(context, factor, csr, 1e-8);
        assert_int_equal(basin_factor_information(factor).unknowns, 125 * b);
        basin_csr_destroy(csr);
        basin_bsr_destroy(m);
      }
      basin_factor_destroy(factor);
    }
  }
  basin_context_destroy(context);
}

/* Uncoupled components are factorized once for all; a coupling, and none again, must be noticed. */
static void couplings_come_and_go(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  if (!basin_linear_library_available(context, "CHOLMOD")) skip();
  basin_factor *factor = create(context, BASIN_FACTOR_CHOLESKY, BASIN_FACTOR_METHOD_SPARSE);
  basin_bsr *m = laplacian(context, 5, 3, 1);
  double entries[3];
  for (int k = 0; k < 3; k++) {
    basin_csr *csr;
    basin_bsr_values(m)[1] = basin_bsr_values(m)[3] = k == 1 ? 0.5 : 0;
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &csr));
    check_status(context, basin_factor_update_bsr(factor, m));
    check_solves(context, factor, csr, 1e-10);
    basin_csr_destroy(csr);
    entries[k] = basin_factor_information(factor).entries;
  }
  assert_true(entries[1] > 4 * entries[0]); /* nine times the blocks, less the lower triangles */
  assert_true(entries[2] == entries[0]);
  basin_bsr_values(m)[0] = basin_bsr_values(m)[4] = basin_bsr_values(m)[8] = -1;
  assert_int_equal(basin_factor_update_bsr(factor, m), BASIN_ERROR_INDEFINITE);
  assert_int_equal(basin_factor_information(factor).bad_unknown % 3, 0);
  basin_bsr_destroy(m);
  basin_factor_destroy(factor);
  basin_context_destroy(context);
}

static void unsymmetric_systems(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int method = BASIN_FACTOR_METHOD_AUTO; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
    if (!method_available(context, BASIN_FACTOR_LU, (basin_factor_method)method)) continue;
    enum { N = 120 };
    double dense[N * N] = {0};
    uint64_t seed = 8;
    for (size_t i = 0; i < N; i++) { /* a permuted upwind chain with random couplings */
      dense[i * N + (i + 1) % N] = 2;
      dense[i * N + random_below(&seed, N)] += random_number(&seed);
      dense[i * N + random_below(&seed, N)] += 0.3 * random_number(&seed);
    }
    basin_csr *m, *rectangle;
    basin_factor *factor = create(context, BASIN_FACTOR_LU, (basin_factor_method)method);
    check_status(context, basin_csr_create_dense(context, N, N, dense, &m));
    check_status(context, basin_factor_update_csr(factor, m));
    check_solves(context, factor, m, 1e-9);
    check_status(context, basin_csr_create_zero(context, 2, 3, &rectangle));
    assert_int_equal(basin_factor_update_csr(factor, rectangle), BASIN_ERROR_SHAPE);
    assert_int_equal(basin_factor_solve(factor, 1, dense, dense), BASIN_ERROR_STATE);
    basin_csr_destroy(m);
    basin_csr_destroy(rectangle);
    basin_factor_destroy(factor);
  }
  basin_context_destroy(context);
}

static void work_is_reused(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
    if (!method_available(context, BASIN_FACTOR_CHOLESKY, (basin_factor_method)method)) continue;
    basin_factor *factor = create(context, BASIN_FACTOR_CHOLESKY, (basin_factor_method)method);
    basin_bsr *m = laplacian(context, 5, 3, 1), *larger = laplacian(context, 6, 3, 1);
    basin_bsr_values(m)[1] = basin_bsr_values(m)[3] = 0.1; /* its components are coupled */
    for (int repeat = 0; repeat < 3; repeat++)
      check_status(context, basin_factor_update_bsr(factor, m));
    basin_factor_info info = basin_factor_information(factor);
    assert_true(info.analyses == 1 && info.factorizations == 1);
    basin_bsr_values(m)[0] += 1e-9; /* one number is enough */
    check_status(context, basin_factor_update_bsr(factor, m));
    info = basin_factor_information(factor);
    assert_true(info.analyses == 1 && info.factorizations == 2);
    basin_csr *csr;
    check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &csr));
    check_solves(context, factor, csr, 1e-11);
    check_status(context, basin_factor_update_bsr(factor, larger));
    info = basin_factor_information(factor);
    assert_true(info.analyses == 2 && info.factorizations == 3 && info.solves == 2);
    basin_csr_destroy(csr);
    basin_bsr_destroy(m);
    basin_bsr_destroy(larger);
    basin_factor_destroy(factor);
  }
  basin_context_destroy(context);
}

/* A prediction does the analysis of the update that follows; a limit below the entries of the
 * matrix itself spares it. */
static void operations_are_foretold(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  if (!basin_linear_library_available(context, "CHOLMOD")) skip();
  basin_factor *factor = create(context, BASIN_FACTOR_CHOLESKY, BASIN_FACTOR_METHOD_AUTO);
  basin_bsr *m = laplacian(context, 5, 3, 1);
  basin_bsr_values(m)[1] = basin_bsr_values(m)[3] = 0.5; /* couples the components */
  double bound, foretold;
  check_status(context, basin_factor_predict_bsr(factor, m, 1, &bound));
  assert_int_equal(basin_factor_information(factor).analyses, 0);
  check_status(context, basin_factor_predict_bsr(factor, m, HUGE_VAL, &foretold));
  assert_true(bound > 1 && foretold > bound && foretold < 375.0 * 375 * 375);
  basin_csr *csr;
  check_status(context, basin_csr_create_bsr(m, BASIN_TRIANGLE_FULL, &csr));
  check_status(context, basin_factor_update_bsr(factor, m));
  basin_factor_info info = basin_factor_information(factor);
  assert_true(info.analyses == 1 && info.factorizations == 1 && info.operations == foretold);
  check_solves(context, factor, csr, 1e-10);
  basin_csr_destroy(csr);
  basin_factor_destroy(factor);
  factor = create(context, BASIN_FACTOR_LU, BASIN_FACTOR_METHOD_AUTO);
  assert_int_equal(basin_factor_predict_bsr(factor, m, 1, &bound), BASIN_ERROR_UNSUPPORTED);
  basin_factor_destroy(factor);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void indefinite_names_the_node(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
    if (!method_available(context, BASIN_FACTOR_CHOLESKY, (basin_factor_method)method)) continue;
    basin_factor *factor = create(context, BASIN_FACTOR_CHOLESKY, (basin_factor_method)method);
    for (uint32_t side = 4; side <= 9; side += 5) { /* simplicial and supernodal */
      if (side > 4 && method == BASIN_FACTOR_METHOD_DENSE) continue;
      basin_bsr *m = laplacian(context, side, 3, 1);
      uint32_t node = side * side + 3;
      /* The unknown (node, 1) alone is negative: its row is emptied, so that no other pivot can
       * show it. */
      for (size_t s = 0; s < basin_bsr_block_count(m); s++) basin_bsr_values(m)[s * 9 + 4] = 0;
      for (uint32_t i = 0; i < basin_bsr_node_count(m); i++)
        basin_bsr_values(m)[basin_bsr_row_starts(m)[i] * 9 + 4] = i == node ? -2 : 5;
      assert_int_equal(basin_factor_update_bsr(factor, m), BASIN_ERROR_INDEFINITE);
      assert_int_equal(basin_factor_information(factor).bad_unknown, node * 3 + 1);
      char expected[64];
      snprintf(expected, sizeof expected, "(node %u, component 1)", (unsigned)node);
      assert_non_null(strstr(basin_error_last(context)->message, expected));
      double *x = calloc(basin_bsr_size(m), sizeof *x);
      assert_int_equal(basin_factor_solve(factor, 1, x, x), BASIN_ERROR_STATE);
      free(x);
      /* Usable again. */
      basin_bsr_values(m)[basin_bsr_row_starts(m)[node] * 9 + 4] = 2;
      check_status(context, basin_factor_update_bsr(factor, m));
      assert_int_equal(basin_factor_information(factor).bad_unknown, SIZE_MAX);
      basin_bsr_destroy(m);
    }
    basin_factor_destroy(factor);
  }
  basin_context_destroy(context);
}

static void inertia(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
    if (!method_available(context, BASIN_FACTOR_LDLT, (basin_factor_method)method)) continue;
    basin_factor *factor = create(context, BASIN_FACTOR_LDLT, (basin_factor_method)method);
    /* Eigenvalues of the grid are sums of 2 - 2 cos(i pi / 6), each twice for blocks of two. */
    size_t negative = 0;
    for (size_t i = 0; i < 125; i++) {
      double value = -2.35;
      for (size_t k = i, d = 0; d < 3; d++, k /= 5)
        value += 2 - 2 * cos((double)(k % 5 + 1) * acos(-1) / 6);
      if (value < 0) negative += 2;
    }
    basin_bsr *m = laplacian(context, 5, 2, -2.35);
    check_status(context, basin_factor_update_bsr(factor, m));
    assert_int_equal(basin_factor_information(factor).negative_pivots, negative);
    assert_true(negative > 10);
    basin_bsr_destroy(m);
    basin_factor_destroy(factor);
  }
  basin_context_destroy(context);
}

/* (A B^T; B 0): its lower right corner has zero pivots, and with A = 0 every pivot is. */
static void saddle_points(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (size_t n = 20; n <= 400; n += 380) {
    if (n > 256 && !basin_linear_library_available(context, "UMFPACK")) continue;
    for (int singular_top = 0; singular_top < 2; singular_top++) {
      basin_csr *top, *coupling, *transposed, *m;
      check_status(context, basin_csr_create_identity(context, n, singular_top ? 0 : 2, &top));
      check_status(context, basin_csr_create_identity(context, n, 3, &coupling));
      basin_csr_values(coupling)[1] = -1;
      check_status(context, basin_csr_transpose(coupling, &transposed));
      const basin_csr *blocks[] = {top, transposed, coupling, NULL};
      check_status(context, basin_csr_create_blocks(context, 2, 2, blocks, &m));
      basin_factor *factor = create(context, BASIN_FACTOR_LDLT, BASIN_FACTOR_METHOD_AUTO);
      check_status(context, basin_factor_update_csr(factor, m));
      check_solves(context, factor, m, 1e-12);
      /* The next matrix of the same pattern. */
      basin_csr_scale(m, 2);
      check_status(context, basin_factor_update_csr(factor, m));
      check_solves(context, factor, m, 1e-12);
      basin_factor_destroy(factor);
      basin_csr_destroy(top);
      basin_csr_destroy(coupling);
      basin_csr_destroy(transposed);
      basin_csr_destroy(m);
    }
  }
  basin_context_destroy(context);
}

static void singular_and_bad_matrices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
      if (!method_available(context, (basin_factor_kind)kind, (basin_factor_method)method))
        continue;
      basin_factor *factor = create(context, (basin_factor_kind)kind, (basin_factor_method)method);
      const double singular[] = {4, 2, 0, 2, 1, 0, 0, 0, 1}, b[] = {1, 1, 1};
      double x[3];
      basin_csr *m;
      check_status(context, basin_csr_create_dense(context, 3, 3, singular, &m));
      basin_status expected =
          kind == BASIN_FACTOR_CHOLESKY ? BASIN_ERROR_INDEFINITE : BASIN_ERROR_SINGULAR;
      assert_int_equal(basin_factor_solve(factor, 1, b, x), BASIN_ERROR_STATE);
      assert_int_equal(basin_factor_update_csr(factor, m), expected);
      assert_int_equal(basin_factor_update_csr(factor, m), expected); /* not taken for up to date */
      basin_csr_values(m)[0] = (double)NAN;
      assert_int_equal(basin_factor_update_csr(factor, m), BASIN_ERROR_NOT_FINITE);
      assert_non_null(strstr(basin_error_last(context)->message, "(0, 0)"));
      basin_csr_values(m)[0] = 8;
      check_status(context, basin_factor_update_csr(factor, m));
      check_status(context, basin_factor_solve(factor, 1, b, x));
      assert_true(fabs(x[0] + 0.25) < 1e-14 && fabs(x[1] - 1.5) < 1e-14 && fabs(x[2] - 1) < 1e-14);
      basin_csr_destroy(m);
      basin_factor_destroy(factor);
    }
  }
  basin_context_destroy(context);
}

/* Symmetric kinds take symmetric matrices: pattern and values, on both sides of the diagonal. */
static void unsymmetric_matrices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
      if (!method_available(context, (basin_factor_kind)kind, (basin_factor_method)method))
        continue;
      basin_factor *factor = create(context, (basin_factor_kind)kind, (basin_factor_method)method);
      const double upper[] = {4, 1, 0, 3}, lower[] = {4, 0, 1, 3}, both[] = {4, 1, 1, 3};
      const double *values[] = {upper, lower};
      basin_csr *m;
      for (int i = 0; i < 2; i++) {
        check_status(context, basin_csr_create_dense(context, 2, 2, values[i], &m));
        basin_status status = basin_factor_update_csr(factor, m);
        assert_int_equal(status, kind == BASIN_FACTOR_LU ? BASIN_OK : BASIN_ERROR_ARGUMENT);
        if (kind != BASIN_FACTOR_LU) {
          const char *message = basin_error_last(context)->message;
          assert_non_null(strstr(message, i == 0 ? "entry (0, 1) is 1" : "entry (1, 0) is 1"));
          assert_non_null(strstr(message, "\"lu\""));
        } else {
          check_solves(context, factor, m, 1e-14);
        }
        basin_csr_destroy(m);
      }
      check_status(context, basin_csr_create_dense(context, 2, 2, both, &m));
      basin_csr_values(m)[2] += 1e-13; /* rounding */
      check_status(context, basin_factor_update_csr(factor, m));
      check_solves(context, factor, m, 1e-12);
      basin_csr_values(m)[2] += 1e-9; /* below the diagonal alone */
      assert_int_equal(basin_factor_update_csr(factor, m),
                       kind == BASIN_FACTOR_LU ? BASIN_OK : BASIN_ERROR_ARGUMENT);
      basin_csr_destroy(m);
      basin_factor_destroy(factor);
    }
  }
  basin_context_destroy(context);
}

static void empty_and_refused(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    basin_factor *factor = create(context, (basin_factor_kind)kind, BASIN_FACTOR_METHOD_AUTO);
    basin_csr *empty, *large;
    check_status(context, basin_csr_create_zero(context, 0, 0, &empty));
    check_status(context, basin_factor_update_csr(factor, empty));
    check_status(context, basin_factor_solve(factor, 2, NULL, NULL));
    basin_factor_destroy(factor);
    factor = create(context, (basin_factor_kind)kind, BASIN_FACTOR_METHOD_DENSE);
    check_status(context, basin_csr_create_identity(context, 5000, 1, &large));
    assert_int_equal(basin_factor_update_csr(factor, large), BASIN_ERROR_UNSUPPORTED);
    basin_factor_destroy(factor);
    basin_csr_destroy(empty);
    basin_csr_destroy(large);
  }
  basin_factor *factor;
  assert_int_equal(basin_factor_create(context, (basin_factor_kind)7, NULL, &factor),
                   BASIN_ERROR_ARGUMENT);
  basin_factor_destroy(NULL);
  basin_context_destroy(context);
}

static void allocation_failures(void **state)
{
  (void)state;
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    for (int method = BASIN_FACTOR_METHOD_DENSE; method <= BASIN_FACTOR_METHOD_SPARSE; method++) {
      for (size_t fail_at = 1;; fail_at++) {
        failing_allocator allocator = {0};
        basin_context *context = test_context(&allocator);
        if (!method_available(context, (basin_factor_kind)kind, (basin_factor_method)method)) {
          basin_context_destroy(context);
          break;
        }
        basin_bsr *m = laplacian(context, 2, 2, 1);
        basin_factor *factor = NULL;
        basin_factor_options options = basin_factor_options_defaults();
        options.method = (basin_factor_method)method;
        double x[16] = {1}, operations;
        allocator.fail_at = allocator.calls + fail_at;
        basin_status status =
            basin_factor_create(context, (basin_factor_kind)kind, &options, &factor);
        if (status == BASIN_OK && kind == BASIN_FACTOR_CHOLESKY)
          status = basin_factor_predict_bsr(factor, m, HUGE_VAL, &operations);
        if (status == BASIN_OK) status = basin_factor_update_bsr(factor, m);
        if (status == BASIN_OK) status = basin_factor_solve(factor, 1, x, x);
        basin_factor_destroy(factor);
        basin_bsr_destroy(m);
        basin_context_destroy(context);
        assert_int_equal(allocator.blocks, 0);
        if (status == BASIN_OK) break;
        assert_true(status == BASIN_ERROR_MEMORY || status == BASIN_ERROR_MISSING_LIBRARY);
        assert_true(fail_at < 300);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_and_method_solves),
      cmocka_unit_test(couplings_come_and_go),
      cmocka_unit_test(unsymmetric_systems),
      cmocka_unit_test(work_is_reused),
      cmocka_unit_test(operations_are_foretold),
      cmocka_unit_test(indefinite_names_the_node),
      cmocka_unit_test(inertia),
      cmocka_unit_test(saddle_points),
      cmocka_unit_test(singular_and_bad_matrices),
      cmocka_unit_test(unsymmetric_matrices),
      cmocka_unit_test(empty_and_refused),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
