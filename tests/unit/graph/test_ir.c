/* Tests of compiler/graph/ir.c and build.c: hash-consing, constants, types, origins, size, memory
 * that runs out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"
#include <time.h>

static uint64_t bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void constants_are_their_bits(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  const uint64_t bits[] = {0,
                           0x8000000000000000u,
                           bits_of(1.0),
                           bits_of(1.0) + 1,
                           0x7ff8000000000000u,
                           0x7ff8000000000001u,
                           0xfff8000000000000u,
                           0x7ff0000000000000u,
                           1};
  basin_ref refs[BASIN_COUNT(bits)];
  for (size_t i = 0; i < BASIN_COUNT(bits); i++) {
    double value;
    refs[i] = basin__const(t.graph, from_bits(bits[i]));
    assert_int_equal(refs[i], basin__const(t.graph, from_bits(bits[i])));
    assert_true(basin__is_const(t.graph, refs[i], &value));
    assert_true(bits_of(value) == bits[i]);
    for (size_t j = 0; j < i; j++) assert_int_not_equal(refs[i], refs[j]);
  }
  assert_true(basin__is_zero(t.graph, refs[0]) && basin__is_zero(t.graph, refs[1]) &&
              !basin__is_zero(t.graph, refs[8]));
  test_close_graph(&t);
}

static void structure_decides_identity(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_graph *g = t.graph;
  basin_ref a = test_leaf(g, 0, 0), b = test_leaf(g, 0, 1);
  assert_int_not_equal(a, b);
  assert_int_equal(basin__add(g, a, b), basin__add(g, b, a));
  assert_int_equal(basin__mul(g, a, b), basin__mul(g, b, a));
  assert_int_not_equal(basin__sub(g, a, b), basin__sub(g, b, a));
  assert_int_not_equal(basin__div(g, a, b), basin__div(g, b, a));
  assert_int_not_equal(basin__binary(g, BASIN_OP_ATAN2, a, b),
                       basin__binary(g, BASIN_OP_ATAN2, b, a));
  assert_int_equal(basin__binary(g, BASIN_OP_GT, a, b), basin__binary(g, BASIN_OP_LT, b, a));
  const basin_ref ab[3] = {a, b, a}, ba[3] = {b, a, b};
  basin_ref one = basin__list_node(g, BASIN_OP_CUSTOM, ab, 3, 0, 1, 1);
  assert_int_equal(one, basin__list_node(g, BASIN_OP_CUSTOM, ab, 3, 0, 1, 1));
  assert_int_not_equal(one, basin__list_node(g, BASIN_OP_CUSTOM, ba, 3, 0, 1, 1));
  assert_int_not_equal(one, basin__list_node(g, BASIN_OP_CUSTOM, ab, 1, 0, 1, 1));
  /* a list that lies in the pool itself may be given back */
  uint32_t length;
  const uint32_t *list = basin__node_list(g, one, &length);
  assert_int_equal(one, basin__list_node(g, BASIN_OP_CUSTOM, list, length, 0, 1, 1));
  test_close_graph(&t);
}

/* Matrix products do not commute: AB and BA are different nodes. */
static void matrix_products_keep_their_order(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_expression x[2], ab, ba;
  assert_int_equal(basin_graph_declare_space(t.graph, 7, BASIN_NONE, false, "s"), 0);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(basin_graph_declare_array(t.graph, i, 7, 2, 2, BASIN_ARRAY_DATA, "x"), 0);
    assert_int_equal(basin_expression_array(t.graph, i, &x[i]), 0);
  }
  const basin_expression swapped[2] = {x[1], x[0]};
  assert_int_equal(basin_expression_apply(t.graph, "mul", x, 2, NULL, 0, &ab), 0);
  assert_int_equal(basin_expression_apply(t.graph, "mul", swapped, 2, NULL, 0, &ba), 0);
  assert_int_not_equal(ab, ba);
  test_close_graph(&t);
}

static void truth_values_and_numbers_convert(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_graph *g = t.graph;
  basin_ref a = test_leaf(g, 0, 0), b = test_leaf(g, 0, 1),
            less = basin__binary(g, BASIN_OP_LT, a, b);
  basin_ref number = basin__to_number(g, less);
  assert_int_equal(basin__node(g, number)->op, BASIN_OP_SELECT);
  assert_int_equal(basin__to_boolean(g, number), less);
  assert_int_equal(basin__node(g, basin__to_boolean(g, a))->op, BASIN_OP_NE);
  assert_int_equal(basin__add(g, less, a), basin__add(g, number, a)); /* conversion is implied */
  assert_int_equal(basin__select(g, number, a, b), basin__select(g, less, a, b));
  assert_int_equal(basin__binary(g, BASIN_OP_AND, less, basin__const(g, 3.0)), less);
  assert_true(
      basin__is_zero(g, basin__binary(g, BASIN_OP_AND, less, basin__unary(g, BASIN_OP_NOT, less))));
  test_values values = {{{1, 2}}};
  assert_true(test_value(g, basin__add(g, less, less), &values) == 2);
  test_close_graph(&t);
}

static void accesses_are_interned(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  uint32_t numbers[200];
  for (uint32_t i = 0; i < 200; i++) {
    basin_access access = {
        .array = i % 10, .step_count = i / 100 + 1, .steps = {{i % 7, i}, {i, 3}}};
    numbers[i] = basin__access_intern(t.graph, &access);
    access.steps[5].slot = 77; /* beyond the count: must not matter */
    assert_int_equal(basin__access_intern(t.graph, &access), numbers[i]);
    assert_int_equal(basin__access(t.graph, numbers[i])->steps[0].slot, i);
    for (uint32_t j = 0; j < i; j++) assert_int_not_equal(numbers[i], numbers[j]);
  }
  test_close_graph(&t);
}

static void origins_stay_with_the_first_maker(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_ref a = test_leaf(t.graph, 0, 0);
  assert_null(basin__origin_script(t.graph, a));
  assert_int_equal(basin_graph_set_origin(t.graph, "one.lua", 5), 0);
  basin_ref b = test_leaf(t.graph, 0, 1);
  assert_int_equal(basin_graph_set_origin(t.graph, "two.lua", 9), 0);
  assert_int_equal(test_leaf(t.graph, 0, 1), b);
  basin_ref c = test_leaf(t.graph, 0, 2);
  assert_string_equal(basin__origin_script(t.graph, b), "one.lua");
  assert_int_equal(basin__origin_line(t.graph, b), 5);
  assert_string_equal(basin__origin_script(t.graph, c), "two.lua");
  test_close_graph(&t);
}

/* 10^6 nodes; time per node must not grow with their number. */
static void large_graphs_cost_linear_time(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_graph *g = t.graph;
  basin_ref x = test_leaf(g, 0, 0), y = test_leaf(g, 0, 1), sum = x;
  clock_t start = clock();
  double first = 0;
  for (uint32_t i = 0; basin__graph_count(g) < 1000000; i++) {
    sum = basin__add(g, basin__mul(g, sum, i % 2 ? x : y), basin__const(g, i + 0.5));
    if (first == 0 && basin__graph_count(g) >= 100000)
      first = (double)(clock() - start) / CLOCKS_PER_SEC;
  }
  double all = (double)(clock() - start) / CLOCKS_PER_SEC;
  print_message("10^5 nodes %.3f s, 10^6 nodes %.3f s\n", first, all);
  assert_true(all < 40 * first + 0.5);
  assert_int_equal(basin__graph_verify(g), BASIN_OK);
  assert_true(isfinite(test_value(g, sum, &(test_values){{{0.5, 0.25}}})));
  assert_int_equal(basin_graph_set_origin(g, NULL, 0), 0);
  test_close_graph(&t);
}

/* Builds through every layer; 0 = some allocation failed and said so. */
static basin_status build_all(basin_context *context)
{
  basin_graph *g = NULL;
  basin_expression x, joined, row, norm, log, list[2], matrix;
  basin_ref entries[12], *roots = NULL;
  uint32_t count = 0;
  basin_strbuf text;
  basin_status status = basin_graph_create(context, &g);
  if (status) return status;
  basin__strbuf_init(&text, context);
#define STEP(call) \
  if (!status) status = (call)
  STEP(basin_graph_declare_space(g, 0, BASIN_NONE, false, "vertices"));
  STEP(basin_graph_declare_space(g, 1, BASIN_NONE, false, "edges"));
  STEP(basin_graph_declare_array(g, 0, 0, 3, 1, BASIN_ARRAY_DATA, "position"));
  STEP(basin_graph_declare_connectivity(g, 0, 1, 0, 2, "ends"));
  STEP(basin_graph_set_origin(g, "scene.lua", 3));
  STEP(basin_expression_array(g, 0, &x));
  STEP(basin_expression_join(g, 0, x, &joined));
  STEP(basin_expression_apply(g, "row", &joined, 1, &(int){0}, 1, &row));
  STEP(basin_expression_apply(g, "norm", &row, 1, NULL, 0, &norm));
  STEP(basin_expression_apply(g, "log", &norm, 1, NULL, 0, &log));
  if (!status) list[0] = norm, list[1] = log;
  STEP(basin_expression_apply(g, "matrix", list, 2, (const int[]){1, 2}, 2, &matrix));
  STEP(basin_expression_custom(g, norm, &row, &row, 1, &matrix));
  STEP(basin__lower(g, matrix, entries));
  if (!status) entries[1] = test_derivative(g, entries[0], entries[0]);
  if (!status && basin__graph_failed(g)) status = BASIN_ERROR_MEMORY;
  STEP(basin__graph_verify(g));
  STEP(basin__graph_print(g, &matrix, 1, &text));
  STEP(basin__graph_parse(g, text.data, text.length, &roots, &count));
#undef STEP
  basin__free(context, roots, count * sizeof *roots);
  basin__strbuf_fini(&text);
  basin_graph_destroy(g);
  return status;
}

static void memory_may_run_out_anywhere(void **state)
{
  (void)state;
  size_t failures = 0;
  for (size_t n = 1; n < 2000; n++) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    assert_non_null(context);
    allocator.fail_at = allocator.calls + n;
    basin_status status = build_all(context);
    bool reached = allocator.calls >= allocator.fail_at;
    if (reached) assert_int_equal(status, BASIN_ERROR_MEMORY);
    if (!reached) assert_int_equal(status, BASIN_OK);
    if (reached) assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_MEMORY);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    failures += reached;
    if (!reached) break;
  }
  assert_true(failures > 30 && failures < 1500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_are_their_bits),
      cmocka_unit_test(structure_decides_identity),
      cmocka_unit_test(matrix_products_keep_their_order),
      cmocka_unit_test(truth_values_and_numbers_convert),
      cmocka_unit_test(accesses_are_interned),
      cmocka_unit_test(origins_stay_with_the_first_maker),
      cmocka_unit_test(large_graphs_cost_linear_time),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
