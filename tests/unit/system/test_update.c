/* Computed arrays: evaluated when read, once a change; cycles are errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../assembly/polynomial.h"
#include "../support.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

typedef struct fixture {
  basin_context *context;
  basin_system *system;
  basin_space_id vertices;
  basin_array_id x;
  size_t requests;
} fixture;

static void setup(fixture *f)
{
  memset(f, 0, sizeof *f);
  f->context = test_context(NULL);
  ok(basin_system_create(f->context, polynomial_provider, &f->requests, &f->system));
  basin_space_description description = {
      .name = "vertices", .parent = BASIN_NONE, .dynamic = true, .count = 3};
  ok(basin_system_add_space(f->system, &description, &f->vertices));
  f->x = BASIN_NONE;
  ok(basin_system_add_array(f->system, "x", f->vertices, 1, 1, &f->x));
}

static void teardown(fixture *f)
{
  basin_system_destroy(f->system);
  basin_context_destroy(f->context);
}

/* value = 1 + 2 source + source² */
static polynomial *square(fixture *f, const char *name, basin_array_id source, basin_array_id *id)
{
  polynomial *p = polynomial_new(f->system, 1);
  p->accesses[0] = (basin_unknown_access){
      .access = {.array = source}, .size = 1, .rows = 1, .cols = 1, .output = true};
  p->access_count = p->size = p->rows = p->cols = p->outputs = 1;
  p->o[0] = 1, p->L[0] = 2, p->Q[0][0] = 2;
  polynomial_finish(p);
  basin_computed_description computed = {
      name, f->vertices, 1, 1, &p->plans[POLYNOMIAL_COMPUTE], &p->compute};
  ok(basin_system_add_computed(f->system, &computed, id));
  return p;
}

static void test_once_a_change(void **state)
{
  fixture f;
  basin_array_id a = BASIN_NONE, b = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  polynomial *p = square(&f, "a", f.x, &a), *q = square(&f, "b", a, &b);
  const double data[] = {0, 1, 2};
  ok(basin_system_set_array(f.system, f.x, data, 3));
  assert_int_equal(p->compute_runs, 0); /* nothing is computed before it is read */
  for (int k = 0; k < 3; ++k) ok(basin_system_array(f.system, b, &view));
  assert_true(view.data[0] == 4 && view.data[1] == 25 && view.data[2] == 100); /* (1 + (1 + x)²)² */
  assert_int_equal(p->compute_runs, 1);
  assert_int_equal(q->compute_runs, 1);
  assert_int_equal(f.requests, 1); /* both kernels were asked for at once */
  uint64_t version = basin_system_array_version(f.system, b);
  double *x = basin_system_array_data(f.system, f.x);
  x[1] = 3;
  basin_system_touch(f.system, f.x);
  assert_true(basin_system_array_version(f.system, b) > version);
  ok(basin_system_array(f.system, b, &view));
  assert_true(view.data[1] == 289);
  assert_int_equal(q->compute_runs, 2);
  teardown(&f);
  free(p), free(q);
}

static void test_other_changes_do_not_count(void **state)
{
  fixture f;
  basin_array_id a = BASIN_NONE, other = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  polynomial *p = square(&f, "a", f.x, &a);
  ok(basin_system_add_array(f.system, "other", f.vertices, 1, 1, &other));
  ok(basin_system_array(f.system, a, &view));
  basin_system_touch(f.system, other);
  ok(basin_system_array(f.system, a, &view));
  assert_int_equal(p->compute_runs, 1);
  teardown(&f);
  free(p);
}

static void test_resized(void **state)
{
  fixture f;
  basin_array_id a = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  polynomial *p = square(&f, "a", f.x, &a);
  ok(basin_system_array(f.system, a, &view));
  ok(basin_system_resize(f.system, f.vertices, 5));
  ok(basin_system_array(f.system, a, &view));
  assert_true(view.count == 5 && view.data[4] == 1);
  ok(basin_system_resize(f.system, f.vertices, 0));
  ok(basin_system_array(f.system, a, &view));
  assert_int_equal(view.count, 0);
  teardown(&f);
  free(p);
}

static void test_cycle(void **state)
{
  fixture f;
  basin_array_id a, b = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_reserve_array(f.system, &a));
  polynomial *q = square(&f, "b", a, &b), *p = square(&f, "a", b, &a);
  assert_int_equal(basin_system_array(f.system, a, &view), BASIN_ERROR_STATE);
  assert_non_null(strstr(basin_error_last(f.context)->message, "array a is computed from itself"));
  ok(basin_system_array(f.system, f.x, &view)); /* the system stays usable */
  teardown(&f);
  free(p), free(q);
}

static void test_endless_chain(void **state)
{
  enum { LENGTH = 1200 };
  fixture f;
  basin_array_id last;
  basin_span view;
  polynomial **all = calloc(LENGTH, sizeof *all);
  (void)state;
  setup(&f);
  last = f.x;
  for (int k = 0; k < LENGTH; ++k) {
    basin_array_id next = BASIN_NONE;
    all[k] = square(&f, "link", last, &next);
    last = next;
  }
  assert_int_equal(basin_system_array(f.system, last, &view), BASIN_ERROR_UNSUPPORTED);
  teardown(&f);
  for (int k = 0; k < LENGTH; ++k) free(all[k]);
  free(all);
}

/* A mean over rows of any length, one of them empty, and its source's source. */
static void test_mean(void **state)
{
  fixture f;
  basin_array_id a = BASIN_NONE, mean = BASIN_NONE;
  basin_connectivity_id to;
  basin_span view;
  (void)state;
  setup(&f);
  polynomial *p = square(&f, "a", f.x, &a);
  ok(basin_system_add_connectivity(f.system, "to", f.vertices, f.vertices, 0, &to));
  const uint32_t offsets[] = {0, 0, 1, 4}, indices[] = {2, 0, 1, 1};
  ok(basin_system_set_connectivity_rows(f.system, to, offsets, 4, indices, 4));
  ok(basin_system_add_reduction(f.system, "mean", to, a, true, &mean));
  const double data[] = {0, 1, 2};
  ok(basin_system_set_array(f.system, f.x, data, 3));
  ok(basin_system_array(f.system, mean, &view));
  assert_true(view.data[0] == 0 && view.data[1] == 9 && fabs(view.data[2] - 3) < 1e-15);
  const uint32_t others[] = {0, 1, 1, 1};
  ok(basin_system_set_connectivity_rows(f.system, to, offsets, 4, others, 4));
  ok(basin_system_array(f.system, mean, &view));
  assert_true(view.data[1] == 1);
  assert_int_equal(p->compute_runs, 1);
  teardown(&f);
  free(p);
}

static basin_status refuse(void *user, basin_kernel_request *requests, size_t count)
{
  (void)user, (void)requests, (void)count;
  return BASIN_ERROR_COMPILE;
}

static void test_provider_fails(void **state)
{
  fixture f;
  basin_array_id a = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  f.system->provider = refuse;
  polynomial *p = square(&f, "a", f.x, &a);
  assert_int_equal(basin_system_array(f.system, a, &view), BASIN_ERROR_COMPILE);
  f.system->provider = polynomial_provider;
  ok(basin_system_array(f.system, a, &view));
  teardown(&f);
  free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_once_a_change),
      cmocka_unit_test(test_other_changes_do_not_count),
      cmocka_unit_test(test_resized),
      cmocka_unit_test(test_cycle),
      cmocka_unit_test(test_endless_chain),
      cmocka_unit_test(test_mean),
      cmocka_unit_test(test_provider_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
