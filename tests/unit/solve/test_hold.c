/* Held unknowns: what assembly drops, what solvers find, what changes with the held set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../assembly/scene.h"
#include "../support.h"
#include "assembly/minimizer.h"
#include "linalg/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

enum { FEATURES = SCENE_PLAIN | SCENE_UNION | SCENE_REDUCTION | SCENE_CURVED | SCENE_DYNAMIC };

/* Every third entry of every target, and all entries of its second instance. */
static void hold_some(scene *s, bool *held)
{
  for (size_t k = 0; k < s->target_count; ++k) {
    basin_space_id space;
    unsigned rows, cols;
    basin_system_array_shape(s->system, s->targets[k], &space, &rows, &cols);
    size_t size = (size_t)rows * cols, total = basin_system_space_count(s->system, space) * size;
    size_t *entries = calloc(total + 1, sizeof *entries), count = 0;
    double *mask = calloc(total + 1, sizeof *mask), *vector = calloc(s->unknowns, sizeof *vector);
    for (size_t i = total; i-- > 0;)
      if (i % 3 == k % 3 || i / size == 1) mask[entries[count++] = i] = 1;
    ok(basin_minimizer_hold(s->minimizer, k, entries, count));
    basin_minimizer_from_array(s->minimizer, k, mask, vector);
    for (size_t i = 0; i < s->unknowns; ++i) held[i] = held[i] || vector[i] == 1;
    free(entries), free(mask), free(vector);
  }
}

typedef struct dense {
  size_t n;
  double *g, *H, *expected;
  bool *held;
} dense;

/* The whole system, and the direction of the reduced one by LU. */
static dense reference(scene *s, basin_projection mode)
{
  size_t n = s->unknowns, m = 0;
  dense d = {.n = n,
             .g = calloc(n, sizeof(double)),
             .H = calloc(n * n, sizeof(double)),
             .expected = calloc(n, sizeof(double)),
             .held = calloc(n, sizeof(bool))};
  double *a = calloc(n * n, sizeof *a), *x = calloc(n, sizeof *x), *work = calloc(n, sizeof *work);
  size_t *free_entries = calloc(n, sizeof *free_entries), *order = calloc(n, sizeof *order), bad;
  hold_some(s, d.held);
  ok(basin_minimizer_assemble_whole(s->minimizer, true, mode));
  memcpy(d.g, basin_minimizer_gradient(s->minimizer, NULL), n * sizeof *d.g);
  scene_matrix(s, d.H);
  for (size_t i = 0; i < n; ++i)
    if (!d.held[i]) free_entries[m++] = i;
  assert_true(m > 0 && m < n);
  for (size_t i = 0; i < m; ++i) {
    x[i] = d.g[free_entries[i]];
    for (size_t j = 0; j < m; ++j) a[i * m + j] = d.H[free_entries[i] * n + free_entries[j]];
  }
  assert_true(basin__dense_lu(m, a, order, work, &bad));
  basin__dense_lu_solve(m, a, order, x, work);
  for (size_t i = 0; i < m; ++i) d.expected[free_entries[i]] = x[i];
  free(a), free(x), free(work), free(free_entries), free(order);
  return d;
}

static void release(dense *d)
{
  free(d->g), free(d->H), free(d->expected), free(d->held);
}

/* Zeros in the gradient, rows and columns of the identity in the matrix; all else bit for bit. */
static void dropped(scene *s, const dense *d)
{
  double *H = calloc(d->n * d->n, sizeof *H);
  const double *g = basin_minimizer_gradient(s->minimizer, NULL);
  scene_matrix(s, H);
  for (size_t i = 0; i < d->n; ++i) {
    assert_true(g[i] == (d->held[i] ? 0 : d->g[i]));
    for (size_t j = 0; j < d->n; ++j) {
      double expected = d->held[i] || d->held[j] ? i == j : d->H[i * d->n + j];
      assert_true(H[i * d->n + j] == expected);
    }
  }
  free(H);
}

static void same_direction(const dense *d, const double *direction, double tolerance)
{
  double scale = 0;
  for (size_t i = 0; i < d->n; ++i) scale = fmax(scale, fabs(d->expected[i]));
  for (size_t i = 0; i < d->n; ++i) {
    if (d->held[i]) assert_true(direction[i] == 0);
    assert_true(fabs(direction[i] - d->expected[i]) <= tolerance * scale);
  }
}

static void solve_all(scene *s, const dense *d, bool definite)
{
  for (int kind = BASIN_SOLVER_DIRECT; kind <= BASIN_SOLVER_MINRES; ++kind) {
    for (int m = BASIN_PRECONDITIONER_BLOCK_JACOBI; m <= BASIN_PRECONDITIONER_SCHWARZ; ++m) {
      basin_solve_options options = basin_solve_options_defaults();
      const double *direction;
      basin_solve_report report;
      options.kind = (basin_solver_kind)kind;
      options.preconditioner = (basin_preconditioner_kind)m;
      options.tolerance = 1e-24;
      options.warm_start = m == BASIN_PRECONDITIONER_SCHWARZ;
      if (!definite && kind != BASIN_SOLVER_MINRES) continue;
      ok(basin_minimizer_solve(s->minimizer, &options, NULL, &direction, &report));
      same_direction(d, direction, 1e-7);
      /* The whole gradient as a right-hand side: its held entries count as zero. */
      ok(basin_minimizer_solve(s->minimizer, &options, d->g, &direction, &report));
      same_direction(d, direction, 1e-7);
    }
  }
}

static void test_reduced_system(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) {
    for (int mode = BASIN_PROJECTION_NONE; mode <= BASIN_PROJECTION_ABS;
         mode += BASIN_PROJECTION_ABS - BASIN_PROJECTION_NONE) {
      scene s;
      scene_init(&s, NULL, 2, block, FEATURES, 5);
      dense d = reference(&s, (basin_projection)mode);
      ok(basin_minimizer_assemble(s.minimizer, true, (basin_projection)mode));
      dropped(&s, &d);
      solve_all(&s, &d, mode == BASIN_PROJECTION_ABS);
      release(&d);
      scene_fini(&s);
    }
  }
}

/* The held entries keep their bits; the others find the minimum of what is left. */
static void test_newton(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) {
    scene s;
    scene_init(&s, NULL, 1, block, FEATURES, 9);
    dense d = reference(&s, BASIN_PROJECTION_ABS);
    double *before = calloc(d.n, sizeof *before), *after = calloc(d.n, sizeof *after);
    basin_newton_options options = basin_newton_options_defaults();
    basin_newton_report report;
    options.rule = BASIN_STOP_RULE_GRADIENT;
    options.max_iterations = 10;
    scene_read(&s, before);
    ok(basin_newton(s.minimizer, &options, &report));
    scene_read(&s, after);
    size_t moved = 0;
    for (size_t i = 0; i < d.n; ++i) {
      if (d.held[i]) assert_true(before[i] == after[i]);
      moved += before[i] != after[i];
    }
    assert_true(report.iterations > 0 && moved > 0);
    free(before), free(after);
    release(&d);
    scene_fini(&s);
  }
}

static void test_all_and_nothing(void **state)
{
  scene s;
  double whole[64], held[64];
  (void)state;
  scene_init(&s, NULL, 1, 2, SCENE_PLAIN, 3);
  basin_minimizer *m = s.minimizer;
  size_t n = s.unknowns;
  assert_true(n <= BASIN_COUNT(whole));
  ok(basin_minimizer_hold(m, 0, NULL, 0)); /* nothing was held and nothing is */
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  memcpy(whole, basin_minimizer_gradient(m, NULL), n * sizeof *whole);
  bool mask[64] = {false};
  hold_some(&s, mask);
  for (size_t k = 0; k < s.target_count; ++k) ok(basin_minimizer_hold(m, k, NULL, 0));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_memory_equal(whole, basin_minimizer_gradient(m, NULL), n * sizeof *whole);
  for (size_t k = 0; k < s.target_count; ++k) {
    size_t all[64], far = SIZE_MAX / 2;
    for (size_t i = 0; i < 64; ++i) all[i] = i; /* more than there are: those hold nothing */
    ok(basin_minimizer_hold(m, k, &far, 1));
    ok(basin_minimizer_hold(m, k, all, 64));
  }
  scene_read(&s, whole);
  basin_newton_report report;
  ok(basin_newton(m, NULL, &report));
  assert_int_equal(report.reason, BASIN_STOP_CONVERGED);
  assert_int_equal(report.iterations, 0);
  assert_true(report.gradient_norm == 0);
  scene_read(&s, held);
  assert_memory_equal(whole, held, n * sizeof *whole);
  assert_int_equal(basin_minimizer_hold(m, s.target_count, NULL, 0), BASIN_ERROR_ARGUMENT);
  scene_fini(&s);
}

/* A constant matrix is factorized again whenever other entries are held, and else not. */
static void test_constant_matrix(void **state)
{
  scene s;
  (void)state;
  scene_init(&s, NULL, 1, 2, SCENE_PLAIN | SCENE_DYNAMIC, 4);
  basin_minimizer *m = s.minimizer;
  for (basin_term_id k = 0; k < basin_minimizer_term_count(m); ++k)
    ok(basin_minimizer_enable(m, k, m->terms[k]->constant));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_true(m->values_key != 0);
  uint64_t version = m->matrix_version;
  const size_t first[] = {0, 1}, second[] = {2};
  ok(basin_minimizer_hold(m, 0, first, 2));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 1);
  ok(basin_minimizer_hold(m, 0, second, 1));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 2);
  ok(basin_minimizer_assemble_whole(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 3);
  ok(basin_minimizer_hold(m, 0, NULL, 0));
  ok(basin_minimizer_assemble(m, true, BASIN_PROJECTION_ABS));
  assert_int_equal(m->matrix_version, version + 3); /* nothing held is the whole */
  scene_fini(&s);
}

/* Every allocation fails once. */
static void test_memory(void **state)
{
  bool done = false;
  (void)state;
  for (size_t n = 1; !done; ++n) {
    failing_allocator allocator = {0};
    scene s;
    bool held[128] = {false};
    scene_init(&s, &allocator, 1, 2, SCENE_PLAIN, 2);
    assert_true(s.unknowns <= BASIN_COUNT(held));
    ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_ABS));
    allocator.fail_at = allocator.calls + n;
    const size_t entries[] = {1, 3, 0};
    basin_solve_options options = basin_solve_options_defaults();
    const double *direction, right[128] = {1, 2, 3};
    basin_status status = basin_minimizer_hold(s.minimizer, 0, entries, 3);
    if (status == BASIN_OK)
      status = basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_ABS);
    if (status == BASIN_OK)
      status = basin_minimizer_solve(s.minimizer, &options, right, &direction, NULL);
    done = allocator.calls < allocator.fail_at;
    allocator.fail_at = 0;
    if (!done) {
      assert_int_equal(status, BASIN_ERROR_MEMORY);
      ok(basin_minimizer_hold(s.minimizer, 0, entries, 3));
      ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_ABS));
      ok(basin_minimizer_solve(s.minimizer, &options, right, &direction, NULL));
    }
    hold_some(&s, held);
    ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_ABS));
    scene_fini(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reduced_system),
                                     cmocka_unit_test(test_newton),
                                     cmocka_unit_test(test_all_and_nothing),
                                     cmocka_unit_test(test_constant_matrix),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
