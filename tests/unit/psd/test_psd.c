/* The batched projection against a long double eigen-solver, for every size and hard spectra. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "psd_reference.h"
#include "psd_sizes.h"

#if PSD_TEST_FLOAT
static const double tolerance = 1e-5, reach = 1e-7, far = 1e20;
#else
static const double tolerance = 1e-12, reach = 1e-16, far = 1e200;
#endif

enum { packed_max = PSD_REFERENCE_MAX * (PSD_REFERENCE_MAX + 1) / 2, batch_max = 80 };

static _Alignas(64) basin_scalar chunk[packed_max][PSD_TEST_STRIDE];
static double input[batch_max][packed_max];

/* Matrices a test projects: large ones take the reference long, a warp on the CPU any. */
static int batch_size(int n)
{
#if PSD_TEST_WARP
  return n <= 9 ? 12 : 4;
#endif
  return n <= 9 ? batch_max : n <= 12 ? 40 : 8;
}

/* Families of spectra; k is the index of the eigenvalue, n the size. */
typedef double spectrum_function(int k, int n, uint64_t *state);

static double uniform(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  return psd_reference_random(state);
}

static double graded(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  const double sign = psd_reference_random(state) < 0 ? -1 : 1;
  return sign * pow(10, 12 * psd_reference_random(state));
}

static double repeated(int k, int n, uint64_t *state)
{
  (void)n;
  return k == 0 ? psd_reference_random(state) : k % 2 ? -1 : 1;
}

static double clustered(int k, int n, uint64_t *state)
{
  (void)n;
  return (k % 3 - 1) + 1e-9 * psd_reference_random(state);
}

static double near_zero(int k, int n, uint64_t *state)
{
  return k < n / 3 ? psd_reference_random(state) * 5 : 1e-8 * psd_reference_random(state);
}

static double rank_one(int k, int n, uint64_t *state)
{
  (void)n;
  return k == 0 ? psd_reference_random(state) : 0;
}

static double low_rank(int k, int n, uint64_t *state)
{
  const double size = k < n / 4 + 1 ? 1e-3 : 1;
  return k % 2 || k < 2 ? size * psd_reference_random(state) : 0;
}

static double zero(int k, int n, uint64_t *state)
{
  (void)k, (void)n, (void)state;
  return 0;
}

static double tiny(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  return psd_reference_random(state) / far;
}

static double large(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  return psd_reference_random(state) * far;
}

static double positive(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  return 2 + psd_reference_random(state);
}

static double negative(int k, int n, uint64_t *state)
{
  (void)k, (void)n;
  return -2 + psd_reference_random(state);
}

static double one_negative(int k, int n, uint64_t *state)
{
  (void)n;
  return k == 0 ? -2 + psd_reference_random(state) : 2 + psd_reference_random(state);
}

static double one_positive(int k, int n, uint64_t *state)
{
  return -one_negative(k, n, state);
}

static double opposite(int k, int n, uint64_t *state)
{
  (void)n, (void)state;
  return k % 2 ? 1 : -1;
}

static const struct {
  const char *name;
  spectrum_function *at;
} families[] = {
    {"uniform", uniform},
    {"graded", graded},
    {"repeated", repeated},
    {"clustered", clustered},
    {"near zero", near_zero},
    {"rank one", rank_one},
    {"zero", zero},
    {"low rank", low_rank},
    {"tiny", tiny},
    {"large", large},
    {"positive", positive},
    {"negative", negative},
    {"one negative", one_negative},
    {"one positive", one_positive},
    {"opposite", opposite},
};

enum { family_count = sizeof families / sizeof families[0] };

/* Matrix i of the batch in its last position `place`, other rows of the chunk undisturbed. */
static void put(int n, int i, int place)
{
  for (int e = 0; e < n * (n + 1) / 2; e++) chunk[e][place] = (basin_scalar)input[i][e];
}

static void get(int n, int place, basin_scalar *h)
{
  for (int e = 0; e < n * (n + 1) / 2; e++) h[e] = chunk[e][place];
}

static void run(int n, int count, int mode)
{
  psd_project(n, chunk[0], count, mode);
}

/* What is fed in is rounded to the precision under test before the reference sees it. */
static void make(int n, int i, spectrum_function *at, uint64_t *state)
{
  double spectrum[PSD_REFERENCE_MAX];
  for (int k = 0; k < n; k++) spectrum[k] = at(k, n, state);
  psd_reference_matrix(n, spectrum, state, input[i]);
  for (int e = 0; e < n * (n + 1) / 2; e++) input[i][e] = (double)(basin_scalar)input[i][e];
}

/* Matrices whose structure, not spectrum, is special. */
static void make_structured(int n, int i, uint64_t *state)
{
  memset(input[i], 0, sizeof input[i]);
  for (int r = 0; r < n; r++) {
    for (int c = 0; c <= r; c++) {
      double *entry = &input[i][psd_reference_at(n, r, c)];
      const double random = (double)(basin_scalar)psd_reference_random(state);
      switch (i % 8) {
      case 0: /* diagonal */
        *entry = r == c ? random : 0;
        break;
      case 1: /* tridiagonal with equal diagonal */
        *entry = r == c ? 0 : r == c + 1 ? 1 : 0;
        break;
      case 2: /* all entries equal and negative */
        *entry = -1;
        break;
      case 3: /* antidiagonal */
        *entry = r + c == n - 1 ? 1 : 0;
        break;
      case 4: /* Wilkinson's matrix: pairs of nearly equal eigenvalues */
        *entry = r == c ? fabs(r - (n - 1) / 2.0) - 1 : r == c + 1 ? 1 : 0;
        break;
      case 5: /* blocks of two */
        *entry = r / 2 == c / 2 ? random : 0;
        break;
      case 6: /* minus the identity with weak couplings */
        *entry = r == c ? -1 : random * reach;
        break;
      default: /* glued: strong block, weak block, tiny bridge */
        *entry = (r < n / 2) == (c < n / 2) ? random * (r < n / 2 ? 1 : 1e-6) : 1e-13;
        break;
      }
      *entry = (double)(basin_scalar)*entry;
    }
  }
}

/* Largest deviation of the matrices in the chunk from the reference, relative to the Frobenius
 * norm. */
static double worst_error(int n, int count, int mode, int *where)
{
  long double expected[packed_max];
  double worst = 0;
  for (int i = 0; i < count; i++) {
    double norm = 0, error = 0;
    psd_reference_project(n, input[i], mode, expected);
    for (int e = 0; e < n * (n + 1) / 2; e++) {
      norm = hypot(norm, input[i][e]);
      const double difference = (double)fabsl((long double)chunk[e][i] - expected[e]);
      error = difference > error || difference != difference ? difference : error;
    }
    if (norm > 0) error /= norm;
    if (!(error <= worst)) {
      worst = error;
      *where = i;
    }
  }
  return worst;
}

static void check_batch(int n, const char *name)
{
  const int batch = batch_size(n);
  for (int mode = 1; mode <= 2; mode++) {
    for (int i = 0; i < batch; i++) put(n, i, i);
    run(n, batch, mode);
    int where = 0;
    const double error = worst_error(n, batch, mode, &where);
    if (!(error <= tolerance))
      fail_msg("n = %d, %s, matrix %d, mode %d: error %.3g", n, name, where, mode, error);
  }
}

static void test_spectra(void **state)
{
  (void)state;
  uint64_t random = 12345;
  for (int n = 1; n <= PSD_REFERENCE_MAX; n++) {
    const int batch = batch_size(n);
    for (int family = 0; family < family_count; family++) {
      for (int i = 0; i < batch; i++) make(n, i, families[family].at, &random);
      check_batch(n, families[family].name);
    }
  }
}

static void test_structures(void **state)
{
  (void)state;
  uint64_t random = 4321;
  for (int n = 1; n <= PSD_REFERENCE_MAX; n++) {
    const int batch = batch_size(n);
    for (int i = 0; i < batch; i++) make_structured(n, i, &random);
    check_batch(n, "structured");
  }
}

static void test_definite_matrices_keep_their_bits(void **state)
{
  (void)state;
  uint64_t random = 77;
  for (int n = 1; n <= PSD_REFERENCE_MAX; n++) {
    const int batch = batch_size(n);
    for (int i = 0; i < batch; i++) {
      make(n, i, positive, &random);
      put(n, i, i);
    }
    run(n, batch, 1);
    for (int i = 0; i < batch; i++)
      for (int e = 0; e < n * (n + 1) / 2; e++)
        assert_true(chunk[e][i] == (basin_scalar)input[i][e]);
  }
}

/* Every matrix projected alone in its chunk gives the bits it gives among others. */
static void test_lanes_are_independent(void **state)
{
  (void)state;
  uint64_t random = 99;
  basin_scalar together[packed_max], alone[packed_max];
  static basin_scalar results[batch_max][packed_max];
  for (int n = 1; n <= PSD_REFERENCE_MAX; n++) {
    const int batch = batch_size(n);
    for (int i = 0; i < batch; i++) {
      make(n, i, families[i % family_count].at, &random);
      put(n, i, i);
    }
    run(n, batch, 2);
    for (int i = 0; i < batch; i++) get(n, i, results[i]);
    for (int i = 0; i < batch; i++) {
      memcpy(together, results[i], sizeof together);
      put(n, i, i % 7);
      for (int other = 0; other < i % 7; other++) put(n, (i + 31 * other) % batch, other);
      run(n, i % 7 + 1, 2);
      get(n, i % 7, alone);
      assert_memory_equal(alone, together, sizeof(basin_scalar) * (size_t)(n * (n + 1) / 2));
    }
  }
}

static void test_not_finite_lanes_stay_and_harm_nobody(void **state)
{
  (void)state;
  uint64_t random = 5;
  basin_scalar clean[packed_max], beside[packed_max];
  for (int n = 1; n <= PSD_REFERENCE_MAX; n++) {
    const int batch = batch_size(n);
    for (int i = 0; i < batch; i++) {
      make(n, i, uniform, &random);
      put(n, i, i);
    }
    run(n, batch, 1);
    for (int e = 0; e < n * (n + 1) / 2; e++) clean[e] = chunk[e][1];
    for (int i = 0; i < batch; i++) put(n, i, i);
    const int entry = n * (n + 1) / 2 - 1;
    chunk[entry / 2][0] = (basin_scalar)NAN;
    chunk[entry][2] = (basin_scalar)INFINITY;
    chunk[0][3] = -(basin_scalar)INFINITY;
    run(n, batch, 1);
    get(n, 1, beside);
    assert_memory_equal(clean, beside, sizeof(basin_scalar) * (size_t)(entry + 1));
    assert_true(isnan(chunk[entry / 2][0]));
    assert_false(isfinite(chunk[entry][2]));
    if (n > 1) assert_false(isfinite(chunk[0][3]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spectra),
      cmocka_unit_test(test_structures),
      cmocka_unit_test(test_definite_matrices_keep_their_bits),
      cmocka_unit_test(test_lanes_are_independent),
      cmocka_unit_test(test_not_finite_lanes_stay_and_harm_nobody),
  };
  return cmocka_run_group_tests_name("psd", tests, NULL, NULL);
}
