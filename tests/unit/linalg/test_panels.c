/* Solutions with a kept factor: hand-made factors of both layouts against plain substitution, the
 * same bits for all targets, and whole systems against the matrix.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/panels.h"
#include "linalg_support.h"

enum { SIZE = 41, SIDES = 4 };

/* A factor with the same numbers in either layout: columns of one supernode have the same rows. */
typedef struct made {
  double dense[SIZE * SIZE]; /* L, with D on the diagonal of L D L^T */
  int64_t permutation[SIZE], starts[SIZE + 1], counts[SIZE], rows[SIZE * SIZE];
  int64_t super[SIZE + 1], row_starts[SIZE + 1], value_starts[SIZE + 1];
  double values[SIZE * SIZE];
  basin__cholmod_factor factor;
} made;

/* Widths of the supernodes; the rows below are every third one. */
static const int widths[] = {1, 2, 3, 5, 8, 11, 7, 4};

/* Whether supernode k of the columns [first, last) has row i. */
static bool has_row(size_t k, size_t last, size_t i)
{
  return i < last || (i + k) % 3 == 0;
}

static void make_numbers(made *m, size_t k, size_t first, size_t last, uint64_t *seed)
{
  for (size_t c = first; c < last; c++) {
    for (size_t i = c; i < SIZE; i++) {
      if (!has_row(k, last, i)) continue;
      m->dense[i * SIZE + c] = i == c ? 2 + random_number(seed) : 0.3 * random_number(seed);
    }
  }
}

static void add_supernode(made *m, size_t k, size_t first, size_t last, size_t *row, size_t *value)
{
  size_t begin = *row;
  for (size_t i = first; i < SIZE; i++)
    if (has_row(k, last, i)) m->rows[(*row)++] = (int64_t)i;
  for (size_t c = first; c < last; c++)
    for (size_t r = begin; r < *row; r++)
      m->values[(*value)++] = m->dense[(size_t)m->rows[r] * SIZE + c];
}

static void add_columns(made *m, size_t k, size_t first, size_t last, size_t *row)
{
  for (size_t c = first; c < last; c++) {
    m->starts[c] = (int64_t)*row;
    for (size_t i = c; i < SIZE; i++) {
      if (!has_row(k, last, i)) continue;
      m->values[*row] = m->dense[i * SIZE + c];
      m->rows[(*row)++] = (int64_t)i;
    }
    m->counts[c] = (int64_t)*row - m->starts[c];
  }
}

static void make(made *m, bool supernodal, bool ll)
{
  uint64_t seed = 12;
  size_t row = 0, value = 0, first = 0;
  memset(m, 0, sizeof *m);
  for (size_t k = 0; k < BASIN_COUNT(widths); k++) {
    size_t last = first + (size_t)widths[k];
    make_numbers(m, k, first, last, &seed);
    m->super[k] = (int64_t)first;
    m->row_starts[k] = (int64_t)row;
    m->value_starts[k] = (int64_t)value;
    if (supernodal) {
      add_supernode(m, k, first, last, &row, &value);
    } else {
      add_columns(m, k, first, last, &row);
    }
    first = last;
  }
  assert_int_equal(first, SIZE);
  m->super[BASIN_COUNT(widths)] = SIZE;
  m->row_starts[BASIN_COUNT(widths)] = (int64_t)row;
  for (size_t i = 0; i < SIZE; i++) m->permutation[i] = (int64_t)(i * 7 % SIZE);
  m->factor = (basin__cholmod_factor){.n = SIZE,
                                      .permutation = m->permutation,
                                      .p = m->starts,
                                      .i = m->rows,
                                      .nz = m->counts,
                                      .x = m->values,
                                      .supernodes = BASIN_COUNT(widths),
                                      .super = m->super,
                                      .pi = m->row_starts,
                                      .px = m->value_starts,
                                      .s = m->rows,
                                      .is_ll = ll,
                                      .is_super = supernodal};
}

/* One right-hand side, entry by entry. */
static void plain(const made *m, const double *b, double *x, size_t stride)
{
  double y[SIZE];
  for (size_t i = 0; i < SIZE; i++) {
    y[i] = b[(size_t)m->permutation[i] * stride];
    for (size_t j = 0; j < i; j++) y[i] -= m->dense[i * SIZE + j] * y[j];
    if (m->factor.is_ll) y[i] /= m->dense[i * SIZE + i];
  }
  for (size_t i = SIZE; i-- > 0;) {
    if (!m->factor.is_ll) y[i] /= m->dense[i * SIZE + i];
    for (size_t j = i + 1; j < SIZE; j++) y[i] -= m->dense[j * SIZE + i] * y[j];
    if (m->factor.is_ll) y[i] /= m->dense[i * SIZE + i];
    x[(size_t)m->permutation[i] * stride] = y[i];
  }
}

static void check_solutions(const made *m, const basin__panels *panels)
{
  uint64_t seed = 5;
  for (size_t copies = 1; copies <= 4; copies++) {
    for (size_t columns = 1; columns <= 3; columns++) {
      size_t total = SIZE * copies * columns;
      double b[SIZE * 12], x[SIZE * 12], expected[SIZE * 12];
      for (size_t i = 0; i < total; i++) b[i] = x[i] = random_number(&seed);
      for (size_t side = 0; side < copies * columns; side++) {
        size_t at = side / copies * SIZE * copies + side % copies;
        plain(m, b + at, expected + at, copies);
      }
      basin__panels_solve(panels, copies, columns, x, x);
      assert_close(total, x, expected, 1e-13);
    }
  }
}

static void check_bits(const basin__panels *panels)
{
  for (size_t sides = 1; sides <= SIDES; sides *= 2) {
    double results[2][SIZE * SIDES];
    for (unsigned variant = 0; variant < 2; variant++) {
      basin__substitute_function substitute = basin__substitute_variant(sides, variant);
      uint64_t seed = 9;
      if (substitute == NULL) return;
      for (size_t i = 0; i < SIZE * sides; i++) panels->work[i] = random_number(&seed);
      substitute(panels);
      memcpy(results[variant], panels->work, SIZE * sides * sizeof(double));
    }
    assert_memory_equal(results[0], results[1], SIZE * sides * sizeof(double));
  }
}

static void test_made_factors(void **state)
{
  (void)state;
  static made m;
  basin_context *context = test_context(NULL);
  basin__panels panels = {.context = context};
  for (int kind = 0; kind < 3; kind++) { /* a supernodal factor is L L^T */
    make(&m, kind == 2, kind != 1);
    check_status(context, basin__panels_take(&panels, &m.factor));
    assert_true(panels.count < SIZE); /* panels were found */
    check_solutions(&m, &panels);
    check_bits(&panels);
  }
  basin__panels_fini(&panels);
  basin_context_destroy(context);
}

/* Nothing is read beyond the last number of a factor. */
static void test_values_end_with_the_factor(void **state)
{
  (void)state;
  static made m;
  basin_context *context = test_context(NULL);
  basin__panels panels = {.context = context};
  make(&m, true, true);
  size_t used = (size_t)m.value_starts[BASIN_COUNT(widths) - 1] + 16; /* the last one is 4 x 4 */
  double *exact = malloc(used * sizeof *exact);
  memcpy(exact, m.values, used * sizeof *exact);
  m.factor.x = exact; /* under AddressSanitizer a read beyond it is a fault */
  check_status(context, basin__panels_take(&panels, &m.factor));
  check_solutions(&m, &panels);
  free(exact);
  basin__panels_fini(&panels);
  basin_context_destroy(context);
}

/* || b - A x || of systems that CHOLMOD factorizes in either way, with coupled components and with
 * some that do not couple. */
static void test_systems(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  if (!basin_linear_library_available(context, "CHOLMOD")) {
    basin_context_destroy(context);
    skip();
  }
  for (unsigned b = 1; b <= 4; b++) {
    for (int coupled = 0; coupled < 2; coupled++) {
      basin_bsr *m = laplacian(context, 9, b, 0.3);
      if (coupled && b > 1) basin_bsr_values(m)[1] = basin_bsr_values(m)[b] = 0.5;
      size_t n = basin_bsr_size(m), columns = 3;
      double *right = calloc(n * columns, sizeof *right), *x = calloc(n * columns, sizeof *x),
             *product = calloc(n, sizeof *product);
      uint64_t seed = b;
      for (size_t i = 0; i < n * columns; i++) right[i] = random_number(&seed);
      basin_factor *factor;
      check_status(context, basin_factor_create(context, BASIN_FACTOR_CHOLESKY, NULL, &factor));
      check_status(context, basin_factor_update_bsr(factor, m));
      check_status(context, basin_factor_solve(factor, columns, right, x));
      for (size_t j = 0; j < columns; j++) {
        basin_bsr_multiply(m, x + j * n, product);
        assert_close(n, product, right + j * n, 1e-11);
      }
      basin_bsr_scale(m, 4); /* a second factor in the memory of the first */
      check_status(context, basin_factor_update_bsr(factor, m));
      check_status(context, basin_factor_solve(factor, 1, right, x));
      basin_bsr_multiply(m, x, product);
      assert_close(n, product, right, 1e-11);
      basin_factor_destroy(factor);
      basin_bsr_destroy(m);
      free(right), free(x), free(product);
    }
  }
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_made_factors),
      cmocka_unit_test(test_values_end_with_the_factor),
      cmocka_unit_test(test_systems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
