/* Tests of the sparse libraries: layouts, orderings, and what happens without them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/cholmod.h"
#include "linalg_support.h"

#ifdef TEST_CHOLMOD_HEADER
#include <suitesparse/cholmod.h>

#define SAME(ours, our_member, theirs, their_member) \
  _Static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member), #their_member)
SAME(basin__cholmod_sparse, rows, cholmod_sparse, nrow);
SAME(basin__cholmod_sparse, room, cholmod_sparse, nzmax);
SAME(basin__cholmod_sparse, p, cholmod_sparse, p);
SAME(basin__cholmod_sparse, i, cholmod_sparse, i);
SAME(basin__cholmod_sparse, x, cholmod_sparse, x);
SAME(basin__cholmod_sparse, stype, cholmod_sparse, stype);
SAME(basin__cholmod_sparse, itype, cholmod_sparse, itype);
SAME(basin__cholmod_sparse, xtype, cholmod_sparse, xtype);
SAME(basin__cholmod_sparse, dtype, cholmod_sparse, dtype);
SAME(basin__cholmod_sparse, sorted, cholmod_sparse, sorted);
SAME(basin__cholmod_sparse, packed, cholmod_sparse, packed);
_Static_assert(sizeof(basin__cholmod_sparse) == sizeof(cholmod_sparse), "sparse");
SAME(basin__cholmod_factor, minor, cholmod_factor, minor);
SAME(basin__cholmod_factor, permutation, cholmod_factor, Perm);
SAME(basin__cholmod_factor, room, cholmod_factor, nzmax);
SAME(basin__cholmod_factor, p, cholmod_factor, p);
SAME(basin__cholmod_factor, i, cholmod_factor, i);
SAME(basin__cholmod_factor, x, cholmod_factor, x);
SAME(basin__cholmod_factor, nz, cholmod_factor, nz);
SAME(basin__cholmod_factor, supernodes, cholmod_factor, nsuper);
SAME(basin__cholmod_factor, x_size, cholmod_factor, xsize);
SAME(basin__cholmod_factor, super, cholmod_factor, super);
SAME(basin__cholmod_factor, pi, cholmod_factor, pi);
SAME(basin__cholmod_factor, px, cholmod_factor, px);
SAME(basin__cholmod_factor, s, cholmod_factor, s);
SAME(basin__cholmod_factor, ordering, cholmod_factor, ordering);
SAME(basin__cholmod_factor, is_ll, cholmod_factor, is_ll);
SAME(basin__cholmod_factor, is_super, cholmod_factor, is_super);
_Static_assert(sizeof(basin__cholmod_factor) == sizeof(cholmod_factor), "factor");

#define AT(place, member) _Static_assert((place) == offsetof(cholmod_common, member), #member)
AT(BASIN__CHOLMOD_SUPERNODAL, supernodal);
AT(BASIN__CHOLMOD_FINAL_ASIS, final_asis);
AT(BASIN__CHOLMOD_FINAL_LL, final_ll);
AT(BASIN__CHOLMOD_QUICK_RETURN, quick_return_if_not_posdef);
AT(BASIN__CHOLMOD_PRINT, print);
AT(BASIN__CHOLMOD_METHOD_COUNT, nmethods);
AT(BASIN__CHOLMOD_METHOD, method);
AT(BASIN__CHOLMOD_POSTORDER, postorder);
AT(BASIN__CHOLMOD_ITYPE, itype);
AT(BASIN__CHOLMOD_STATUS, status);
AT(BASIN__CHOLMOD_METHOD + BASIN__CHOLMOD_METHOD_SIZE, method[1]);
AT(BASIN__CHOLMOD_METHOD + BASIN__CHOLMOD_METHOD_ORDERING, method[0].ordering);
_Static_assert(sizeof(cholmod_common) < BASIN__CHOLMOD_COMMON_ROOM, "common");
_Static_assert(sizeof(SuiteSparse_long) == 8, "indices");
_Static_assert(CHOLMOD_LONG == 2 && CHOLMOD_REAL == 1 && CHOLMOD_AMD == 2 && CHOLMOD_METIS == 3,
               "constants");
_Static_assert(CHOLMOD_GIVEN == 1 && CHOLMOD_NATURAL == 0 && CHOLMOD_AUTO == 1, "constants");
_Static_assert(CHOLMOD_NOT_POSDEF == 1 && CHOLMOD_OUT_OF_MEMORY == -2 && CHOLMOD_TOO_LARGE == -3,
               "constants");
#endif

static void layouts_agree(void **state)
{
  (void)state;
#ifndef TEST_CHOLMOD_HEADER
  skip(); /* the comparison above was not compiled */
#endif
}

static void need_cholmod(basin_context *context)
{
  if (basin_linear_library_available(context, "CHOLMOD")) return;
  basin_context_destroy(context);
  skip();
}

static void orderings_solve(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  need_cholmod(context);
  static const char *const names[] = {NULL, "AMD", "METIS", "natural"};
  basin_bsr *m = laplacian(context, 9, 3, 1);
  size_t n = basin_bsr_size(m);
  double *known = calloc(n, sizeof *known), *x = calloc(n, sizeof *x), entries[4];
  uint64_t seed = 2;
  for (size_t i = 0; i < n; i++) known[i] = random_number(&seed);
  for (int ordering = BASIN_ORDERING_BEST; ordering <= BASIN_ORDERING_NATURAL; ordering++) {
    basin_factor_options options = basin_factor_options_defaults();
    basin_factor *factor;
    options.ordering = (basin_ordering)ordering;
    check_status(context, basin_factor_create(context, BASIN_FACTOR_CHOLESKY, &options, &factor));
    check_status(context, basin_factor_update_bsr(factor, m));
    basin_bsr_multiply(m, known, x);
    check_status(context, basin_factor_solve(factor, 1, x, x));
    assert_close(n, x, known, 1e-12);
    basin_factor_info info = basin_factor_information(factor);
    assert_string_equal(info.library, "CHOLMOD");
    if (names[ordering] != NULL) assert_string_equal(info.ordering, names[ordering]);
    entries[ordering] = info.entries;
    basin_factor_destroy(factor);
  }
  assert_true(entries[BASIN_ORDERING_AMD] < entries[BASIN_ORDERING_NATURAL]);
  free(known), free(x);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void agrees_with_conjugate_gradients(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  need_cholmod(context);
  basin_bsr *m = random_bsr(context, 800, 3, 2400, 30, 9);
  size_t n = basin_bsr_size(m);
  double *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  uint64_t seed = 2;
  for (size_t i = 0; i < n; i++) b[i] = random_number(&seed);
  basin_factor *factor;
  basin_pcg *pcg;
  basin_linear_result result;
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-24;
  check_status(context, basin_factor_create(context, BASIN_FACTOR_CHOLESKY, NULL, &factor));
  check_status(context, basin_factor_update_bsr(factor, m));
  check_status(context, basin_factor_solve(factor, 1, b, x));
  check_status(context, basin_pcg_create(context, &pcg));
  check_status(context, basin_pcg_solve(pcg, m, NULL, b, y, &options, &result));
  assert_true(basin_linear_status_good(result.status));
  assert_close(n, x, y, 1e-11);
  free(b), free(x), free(y);
  basin_factor_destroy(factor);
  basin_pcg_destroy(pcg);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void missing_libraries(void **state)
{
  (void)state;
  setenv("BASIN_LIB_CHOLMOD", "/nowhere/libcholmod.so", 1);
  setenv("BASIN_LIB_UMFPACK", "/nowhere/libumfpack.so", 1);
  basin_context *context = test_context(NULL);
  assert_false(basin_linear_library_available(context, "CHOLMOD"));
  assert_false(basin_linear_library_available(context, "UMFPACK"));
  assert_false(basin_linear_library_available(context, "ABACUS"));
  assert_int_equal(basin_error_last(context)->code, BASIN_OK);
  static const char *const packages[] = {"libcholmod3", "libcholmod3", "libumfpack5"};
  for (int kind = BASIN_FACTOR_CHOLESKY; kind <= BASIN_FACTOR_LU; kind++) {
    basin_factor *factor;
    basin_bsr *small = laplacian(context, 5, 3, 1), *large = laplacian(context, 9, 3, 1);
    double *x = calloc(basin_bsr_size(large), sizeof *x);
    check_status(context, basin_factor_create(context, (basin_factor_kind)kind, NULL, &factor));
    check_status(context, basin_factor_update_bsr(factor, small)); /* 375 unknowns: built in */
    assert_string_equal(basin_factor_information(factor).library, "built-in");
    assert_int_equal(basin_factor_update_bsr(factor, large), BASIN_ERROR_MISSING_LIBRARY);
    assert_non_null(strstr(basin_error_last(context)->message, packages[kind]));
    assert_int_equal(basin_factor_solve(factor, 1, x, x), BASIN_ERROR_STATE);
    check_status(context, basin_factor_update_bsr(factor, small)); /* usable again */
    check_status(context, basin_factor_solve(factor, 1, x, x));
    free(x);
    basin_bsr_destroy(small);
    basin_bsr_destroy(large);
    basin_factor_destroy(factor);
  }
  basin_context_destroy(context);
  /* A library that opens but is not the one. */
  setenv("BASIN_LIB_CHOLMOD", "libm.so.6", 1);
  context = test_context(NULL);
  basin_bsr *large = laplacian(context, 9, 3, 1);
  basin_factor *factor;
  check_status(context, basin_factor_create(context, BASIN_FACTOR_CHOLESKY, NULL, &factor));
  assert_int_equal(basin_factor_update_bsr(factor, large), BASIN_ERROR_UNSUPPORTED);
  basin_factor_destroy(factor);
  basin_bsr_destroy(large);
  basin_context_destroy(context);
  unsetenv("BASIN_LIB_CHOLMOD");
  unsetenv("BASIN_LIB_UMFPACK");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_agree),
      cmocka_unit_test(orderings_solve),
      cmocka_unit_test(agrees_with_conjugate_gradients),
      cmocka_unit_test(missing_libraries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
