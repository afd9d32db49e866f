/* Spaces, connectivities and stored arrays: what they accept and refuse; resizing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include <basin/runtime.h>
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

/* The call fails with the code, and the message contains every part. */
#define fails(context, code, call, ...)                                         \
  do {                                                                          \
    const char *const parts[] = {__VA_ARGS__};                                  \
    assert_int_equal((call), (code));                                           \
    for (size_t part = 0; part < sizeof parts / sizeof *parts; ++part)          \
      assert_non_null(strstr(basin_error_last(context)->message, parts[part])); \
  } while (0)

static basin_status no_kernels(void *user, basin_kernel_request *requests, size_t count)
{
  (void)user, (void)requests, (void)count;
  return BASIN_ERROR_COMPILE;
}

typedef struct fixture {
  basin_context *context;
  basin_system *system;
  basin_space_id vertices, pairs, both;
} fixture;

static basin_space_id space(fixture *f, const char *name, size_t count, bool dynamic)
{
  basin_space_description description = {
      .name = name, .parent = BASIN_NONE, .dynamic = dynamic, .count = count};
  basin_space_id id;
  ok(basin_system_add_space(f->system, &description, &id));
  return id;
}

static void setup(fixture *f)
{
  f->context = test_context(NULL);
  ok(basin_system_create(f->context, no_kernels, NULL, &f->system));
  f->vertices = space(f, "vertices", 4, false);
  f->pairs = space(f, "pairs", 2, true);
  basin_space_id members[] = {f->pairs, f->vertices, f->pairs};
  ok(basin_system_add_union(f->system, "both", BASIN_NONE, members, 3, &f->both));
}

static void teardown(fixture *f)
{
  basin_system_destroy(f->system);
  basin_context_destroy(f->context);
}

static void test_spaces(void **state)
{
  fixture f;
  (void)state;
  setup(&f);
  assert_int_equal(basin_system_space_count(f.system, f.both), 8);
  ok(basin_system_resize(f.system, f.pairs, 5));
  assert_int_equal(basin_system_space_count(f.system, f.both), 14);
  fails(f.context,
        BASIN_ERROR_STATE,
        basin_system_resize(f.system, f.vertices, 3),
        "vertices",
        "dynamic");
  fails(f.context, BASIN_ERROR_STATE, basin_system_resize(f.system, f.both, 3), "both", "members");
  fails(f.context, BASIN_ERROR_ARGUMENT, basin_system_resize(f.system, 99, 3), "99");
  fails(f.context, BASIN_ERROR_RANGE, basin_system_resize(f.system, f.pairs, 3000000000u), "both");
  assert_int_equal(basin_system_space_count(f.system, f.pairs), 5);
  assert_int_equal(basin_system_space_count(f.system, f.both), 14);
  assert_int_equal(basin_system_space_count(f.system, 99), 0);
  teardown(&f);
}

static void test_connectivity(void **state)
{
  fixture f;
  basin_connectivity_id to;
  (void)state;
  setup(&f);
  ok(basin_system_add_connectivity(f.system, "ends", f.pairs, f.vertices, 2, &to));
  const uint32_t good[] = {0, 1, 2, 3}, bad[] = {0, 1, 2, 4};
  ok(basin_system_set_connectivity(f.system, to, good, 4));
  fails(f.context,
        BASIN_ERROR_LENGTH,
        basin_system_set_connectivity(f.system, to, good, 3),
        "ends",
        "3 indices",
        "need 4");
  fails(f.context,
        BASIN_ERROR_RANGE,
        basin_system_set_connectivity(f.system, to, bad, 4),
        "index 1 of pairs 1 is 4",
        "4 instances");
  size_t count;
  const uint32_t *indices = basin_system_connectivity(f.system, to, &count, NULL);
  assert_int_equal(count, 4); /* unchanged by the failures */
  assert_memory_equal(indices, good, sizeof good);
  fails(f.context,
        BASIN_ERROR_ARGUMENT,
        basin_system_set_connectivity_rows(f.system, to, good, 3, good, 4),
        "ends");
  assert_null(basin_system_connectivity(f.system, 77, &count, NULL));
  teardown(&f);
}

static void test_connectivity_rows(void **state)
{
  fixture f;
  basin_connectivity_id to;
  (void)state;
  setup(&f);
  ok(basin_system_add_connectivity(f.system, "rows", f.pairs, f.vertices, 0, &to));
  const uint32_t indices[] = {0, 1, 2, 3, 3}, offsets[] = {0, 2, 5}, down[] = {0, 6, 5},
                 late[] = {1, 2, 5}, wrong[] = {0, 1, 2, 3, 9};
  ok(basin_system_set_connectivity_rows(f.system, to, offsets, 3, indices, 5));
  fails(f.context,
        BASIN_ERROR_LENGTH,
        basin_system_set_connectivity_rows(f.system, to, offsets, 2, indices, 5),
        "2 offsets");
  fails(f.context,
        BASIN_ERROR_RANGE,
        basin_system_set_connectivity_rows(f.system, to, down, 3, indices, 5),
        "offset 2");
  fails(f.context,
        BASIN_ERROR_LENGTH,
        basin_system_set_connectivity_rows(f.system, to, late, 3, indices, 5),
        "from 0");
  fails(f.context,
        BASIN_ERROR_RANGE,
        basin_system_set_connectivity_rows(f.system, to, offsets, 3, wrong, 5),
        "entry 4 is 9");
  fails(f.context,
        BASIN_ERROR_ARGUMENT,
        basin_system_set_connectivity(f.system, to, indices, 5),
        "offsets");
  teardown(&f);
}

static void test_arrays(void **state)
{
  fixture f;
  basin_array_id x = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_add_array(f.system, "x", f.vertices, 2, 1, &x));
  double data[] = {1, 2, 3, 4, 5, 6, 7, 8};
  ok(basin_system_set_array(f.system, x, data, 8));
  data[5] = (double)NAN;
  fails(f.context,
        BASIN_ERROR_NOT_FINITE,
        basin_system_set_array(f.system, x, data, 8),
        "array x",
        "(1, 0) of instance 2",
        "not a number");
  data[5] = HUGE_VAL;
  fails(
      f.context, BASIN_ERROR_NOT_FINITE, basin_system_set_array(f.system, x, data, 8), "infinite");
  fails(f.context,
        BASIN_ERROR_LENGTH,
        basin_system_set_array(f.system, x, data, 7),
        "7 numbers",
        "need 8");
  ok(basin_system_array(f.system, x, &view));
  assert_true(view.count == 4 && view.size == 2 && view.data[5] == 6);
  fails(f.context, BASIN_ERROR_LENGTH, basin_system_fill_array(f.system, x, data, 1), "2 x 1");
  ok(basin_system_fill_array(f.system, x, data, 2));
  ok(basin_system_array(f.system, x, &view));
  assert_true(view.data[6] == 1 && view.data[7] == 2);
  fails(f.context,
        BASIN_ERROR_STATE,
        basin_system_add_array(f.system, "y", f.vertices, 1, 1, &x),
        "not a reserved one");
  basin_array_id y = BASIN_NONE;
  fails(f.context,
        BASIN_ERROR_SHAPE,
        basin_system_add_array(f.system, "y", f.vertices, 0, 1, &y),
        "0 x 1");
  fails(f.context,
        BASIN_ERROR_ARGUMENT,
        basin_system_add_array(f.system, "y", 40, 1, 1, &y),
        "no space 40");
  assert_string_equal(basin_system_array_name(f.system, x), "x");
  assert_string_equal(basin_system_array_name(f.system, 500), "");
  teardown(&f);
}

static void test_reserved(void **state)
{
  fixture f;
  basin_array_id id;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_reserve_array(f.system, &id));
  fails(f.context, BASIN_ERROR_STATE, basin_system_array(f.system, id, &view), "never defined");
  ok(basin_system_add_array(f.system, "late", f.vertices, 1, 1, &id));
  ok(basin_system_array(f.system, id, &view));
  assert_int_equal(view.count, 4);
  teardown(&f);
}

static void test_resize(void **state)
{
  fixture f;
  basin_array_id p = BASIN_NONE;
  basin_connectivity_id to;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_add_array(f.system, "p", f.pairs, 1, 1, &p));
  ok(basin_system_add_connectivity(f.system, "of", f.pairs, f.pairs, 1, &to));
  const double data[] = {5, 6};
  const uint32_t own[] = {0, 1};
  ok(basin_system_set_array(f.system, p, data, 2));
  ok(basin_system_set_connectivity(f.system, to, own, 2));
  uint64_t version = basin_system_array_version(f.system, p);
  ok(basin_system_resize(f.system, f.pairs, 1));
  ok(basin_system_resize(f.system, f.pairs, 4));
  assert_true(basin_system_array_version(f.system, p) > version);
  ok(basin_system_array(f.system, p, &view));
  assert_true(view.count == 4 && view.data[0] == 5 && view.data[1] == 0 && view.data[3] == 0);
  size_t count;
  (void)basin_system_connectivity(f.system, to, &count, NULL);
  assert_int_equal(count, 0);
  ok(basin_system_resize(f.system, f.pairs, 0));
  ok(basin_system_array(f.system, p, &view));
  assert_int_equal(view.count, 0);
  ok(basin_system_set_array(f.system, p, NULL, 0));
  ok(basin_system_set_connectivity(f.system, to, NULL, 0));
  teardown(&f);
}

/* A target space that shrinks below an index is found at the next use. */
static void test_shrunken_target(void **state)
{
  fixture f;
  basin_array_id p = BASIN_NONE, sum = BASIN_NONE;
  basin_connectivity_id to;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_add_array(f.system, "p", f.pairs, 1, 1, &p));
  ok(basin_system_add_connectivity(f.system, "near", f.vertices, f.pairs, 1, &to));
  ok(basin_system_add_reduction(f.system, "sum", to, p, false, &sum));
  const double data[] = {5, 6};
  const uint32_t near[] = {0, 1, 1, 0};
  ok(basin_system_set_array(f.system, p, data, 2));
  fails(f.context,
        BASIN_ERROR_STATE,
        basin_system_array(f.system, sum, &view),
        "near has no indices yet");
  ok(basin_system_set_connectivity(f.system, to, near, 4));
  ok(basin_system_array(f.system, sum, &view));
  assert_true(view.data[0] == 5 && view.data[2] == 6);
  ok(basin_system_resize(f.system, f.pairs, 1));
  fails(f.context,
        BASIN_ERROR_RANGE,
        basin_system_array(f.system, sum, &view),
        "index 0 of vertices 1 is 1",
        "1 instances");
  ok(basin_system_resize(f.system, f.pairs, 2));
  ok(basin_system_array(f.system, sum, &view));
  assert_true(view.data[0] == 5 && view.data[2] == 0);
  teardown(&f);
}

static void test_union_arrays(void **state)
{
  fixture f;
  basin_array_id p = BASIN_NONE, x = BASIN_NONE, wide = BASIN_NONE, u = BASIN_NONE;
  basin_span view;
  (void)state;
  setup(&f);
  ok(basin_system_add_array(f.system, "p", f.pairs, 1, 1, &p));
  ok(basin_system_add_array(f.system, "x", f.vertices, 1, 1, &x));
  ok(basin_system_add_array(f.system, "wide", f.vertices, 2, 1, &wide));
  basin_array_id members[] = {p, x, p}, wrong[] = {p, wide, p}, strange[] = {p, p, p};
  fails(f.context,
        BASIN_ERROR_LENGTH,
        basin_system_add_union_array(f.system, "u", f.both, members, 2, &u),
        "2 members",
        "has 3");
  fails(f.context,
        BASIN_ERROR_SHAPE,
        basin_system_add_union_array(f.system, "u", f.both, wrong, 3, &u),
        "wide is 2 x 1");
  basin_array_id v = BASIN_NONE, w = BASIN_NONE;
  fails(f.context,
        BASIN_ERROR_OWNER,
        basin_system_add_union_array(f.system, "u", f.both, strange, 3, &v),
        "belongs to pairs, not to vertices");
  ok(basin_system_add_union_array(f.system, "u", f.both, members, 3, &w));
  const double one[] = {1, 2}, two[] = {3, 4, 5, 6}, all[] = {1, 2, 3, 4, 5, 6, 1, 2};
  ok(basin_system_set_array(f.system, p, one, 2));
  ok(basin_system_set_array(f.system, x, two, 4));
  ok(basin_system_array(f.system, w, &view));
  assert_int_equal(view.count, 8);
  assert_memory_equal(view.data, all, sizeof all);
  fails(f.context, BASIN_ERROR_STATE, basin_system_set_array(f.system, w, all, 8), "computed");
  assert_null(basin_system_array_data(f.system, w));
  ok(basin_system_resize(f.system, f.pairs, 3));
  ok(basin_system_array(f.system, w, &view));
  assert_true(view.count == 10 && view.data[2] == 0 && view.data[3] == 3);
  teardown(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spaces),
      cmocka_unit_test(test_connectivity),
      cmocka_unit_test(test_connectivity_rows),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_reserved),
      cmocka_unit_test(test_resize),
      cmocka_unit_test(test_shrunken_target),
      cmocka_unit_test(test_union_arrays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
