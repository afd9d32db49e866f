/* Tests of print.c and parse.c: golden dumps of an energy before and after lowering, round trips,
 * malformed text. BASIN_UPDATE_GOLDEN=1 rewrites tests/golden/ir.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"

#define GOLDEN(name) BASIN_TEST_DATA_DIR "/../golden/ir/" name

static char *print(const test_graph *t, const basin_ref *roots, uint32_t count)
{
  basin_strbuf text;
  basin__strbuf_init(&text, t->context);
  assert_int_equal(basin__graph_print(t->graph, roots, count, &text), BASIN_OK);
  char *copy = strdup(basin__strbuf_text(&text));
  basin__strbuf_fini(&text);
  return copy;
}

static basin_status parse(test_graph *t, const char *text, basin_ref **roots, uint32_t *count)
{
  return basin__graph_parse(t->graph, text, strlen(text), roots, count);
}

/* print(parse(text)) is the text again, and parsing it into the same graph finds the same nodes. */
static void check_round_trip(const char *text)
{
  test_graph t;
  basin_ref *roots, *again;
  uint32_t count, count_again;
  test_open(&t);
  if (parse(&t, text, &roots, &count)) {
    print_error("%s\n%s", basin_error_text(t.context), text);
    fail();
  }
  char *printed = print(&t, roots, count);
  assert_string_equal(printed, text);
  uint32_t nodes = basin__graph_count(t.graph);
  assert_int_equal(parse(&t, printed, &again, &count_again), BASIN_OK);
  assert_int_equal(basin__graph_count(t.graph), nodes);
  assert_int_equal(count, count_again);
  for (uint32_t i = 0; i < count; i++) assert_int_equal(roots[i], again[i]);
  free(printed);
  basin__free(t.context, roots, count * sizeof *roots);
  basin__free(t.context, again, count * sizeof *again);
  test_close_graph(&t);
}

/* mu/2 (|F|² - 3) - mu log det F of a tetrahedron, F = (x2-x1 | x3-x1 | x4-x1) B. */
static basin_expression neo_hookean(test_graph *t)
{
  basin_graph *g = t->graph;
  basin_expression x, rest, mu, tx, rows[4], columns[3], ds, f, norm, det, log, three, half, e;
  basin_status status = basin_graph_declare_space(g, 0, BASIN_NONE, true, "scene");
#define STEP(call) \
  if (!status) status = (call)
#define APPLY(op, result, ...)                                                  \
  STEP(basin_expression_apply(g,                                                \
                              op,                                               \
                              (const basin_expression[]){__VA_ARGS__},          \
                              sizeof((const basin_expression[]){__VA_ARGS__}) / \
                                  sizeof(basin_expression),                     \
                              NULL,                                             \
                              0,                                                \
                              result))
  STEP(basin_graph_declare_space(g, 1, 0, false, "tets \"quoted\""));
  STEP(basin_graph_declare_space(g, 2, 0, false, "vertices"));
  STEP(basin_graph_declare_array(g, 5, 2, 3, 1, BASIN_ARRAY_DATA, "position"));
  STEP(basin_graph_declare_array(g, 3, 1, 3, 3, BASIN_ARRAY_CONSTANT, "inverse_rest"));
  STEP(basin_graph_declare_array(g, 4, 0, 1, 1, BASIN_ARRAY_CONSTANT, "mu"));
  STEP(basin_graph_declare_connectivity(g, 0, 1, 2, 4, "t2v"));
  STEP(basin_graph_set_origin(g, "neo_hookean.lua", 12));
  STEP(basin_expression_array(g, 5, &x));
  STEP(basin_expression_array(g, 3, &rest));
  STEP(basin_expression_array(g, 4, &mu));
  STEP(basin_expression_join(g, 0, x, &tx));
  for (int i = 0; i < 4; i++) STEP(basin_expression_apply(g, "row", &tx, 1, &i, 1, &rows[i]));
  for (int i = 0; i < 3; i++) APPLY("sub", &columns[i], rows[i + 1], rows[0]);
  STEP(basin_graph_set_origin(g, "neo_hookean.lua", 13));
  STEP(basin_expression_apply(g, "columns", columns, 3, NULL, 0, &ds));
  APPLY("mul", &f, ds, rest);
  APPLY("squared_norm", &norm, f);
  APPLY("det", &det, f);
  APPLY("log", &log, det);
  STEP(basin_expression_constant(g, 3, &three));
  STEP(basin_expression_constant(g, 0.5, &half));
  APPLY("sub", &norm, norm, three);
  APPLY("mul", &norm, half, norm);
  APPLY("sub", &e, norm, log);
  APPLY("mul", &e, mu, e);
  STEP(basin_graph_set_origin(g, NULL, 0));
#undef STEP
#undef APPLY
  assert_int_equal(status, BASIN_OK);
  return e;
}

static void check_golden(test_graph *t, const char *path, const char *text)
{
  char *wanted;
  size_t size;
  const char *update = getenv("BASIN_UPDATE_GOLDEN");
  if (update && *update == '1')
    assert_int_equal(basin__write_file(t->context, path, text, strlen(text)), BASIN_OK);
  assert_int_equal(basin__read_file(t->context, path, &wanted, &size), BASIN_OK);
  assert_string_equal(text, wanted);
  basin__free(t->context, wanted, size + 1);
}

static void an_energy_prints_as_the_golden_text(void **state)
{
  (void)state;
  test_graph t;
  test_open(&t);
  basin_expression energy = neo_hookean(&t);
  char *text = print(&t, &energy, 1);
  check_golden(&t, GOLDEN("neo_hookean.ir"), text);
  check_round_trip(text);
  free(text);
  basin_ref roots[2];
  assert_int_equal(basin__lower(t.graph, energy, roots), BASIN_OK);
  basin_access access = {5, 1, {{0, 2}}};
  roots[1] = test_derivative(
      t.graph, roots[0], basin__load(t.graph, basin__access_intern(t.graph, &access), 1));
  text = print(&t, roots, 2);
  check_golden(&t, GOLDEN("neo_hookean.scalar.ir"), text);
  check_round_trip(text);
  free(text);
  test_close_graph(&t);
}

static void every_kind_of_line_round_trips(void **state)
{
  (void)state;
  check_round_trip("result\n");
  check_round_trip("%1 = const 0\n%2 = const -0\n%3 = const inf\n%4 = const -inf\n%5 = const "
                   "0x7ff8000000000000\n%6 = const 0xfff8000000000123\n"
                   "%7 = const 5e-324\n%8 = const 0.1\n%9 = const 1e+300\nresult %9 %8 %7 %6 %5 %4 "
                   "%3 %2 %1 %1\n");
  check_round_trip("%1 = load 4294967295 0.1 2.3 4.5 6.7 8.9 10.11 [12]\n%2 = inner [3]\n%3 = lt "
                   "%1 %2\n%4 = not %3\n%5 = and %3 %4\n"
                   "%6 = select %5 %1 %2\n%7 = custom %6 %1 %2\n%8 = custom %7\n%9 = polar2 %1 %2 "
                   "%6 %7 [3]\n%10 = eig2 %1 %2 %6 [5]\n"
                   "result %8 %9 %10\n");
  check_round_trip("space 3 shared \"a\\x0ab\\x5c\"\nspace 1 in 3 \"below a later number\"\narray "
                   "0 in 1 2 x 2 constant \"m\"\n"
                   "connectivity 2 from 1 to 1 arity 2 \"c\"\n%1 : 2 x 2 = array [0]\n%2 : 2 x 4 = "
                   "join %1 [2]\n%3 : 3 x 3 = identity\n"
                   "%4 : 4 x 2 = reshape %2\n%5 : 1 x 1 = at %4 [3] [1]\n%6 = const 2\n%7 : 1 x 2 "
                   "= matrix %5 %6\n%8 : 1 x 2 = stop %7  # \"x.lua\" 7\n"
                   "%9 : 2 x 1 = transpose %8\n%10 : 2 x 2 = outer %8 %9\n%11 : 1 x 2 = custom %7 "
                   "%5 %9 [1]\nresult %11 %10 %3\n");
}

static void malformed_text_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"%1 = const\n", "line 1: expected a number"},
      {"%2 = const 1\n", "line 1: expected %1"},
      {"%1 = const 1\n%2 = add %1 %3\n", "line 2: %3 is not defined above"},
      {"%1 = const 1\n%2 = add %1\n", "line 2: add needs 2 operands"},
      {"%1 = const 1\n%2 = add %1 %1 %1\n", "line 2: add needs 2 operands"},
      {"%1 = const 1\n%2 = plus %1 %1\n", "line 2: unknown scalar operator \"plus\""},
      {"%1 = const 1\n%2 = select %1 %1 %1\n", "line 2: select: operand 1 must be a truth value"},
      {"%1 = const 1\n%2 = lt %1 %1\n%3 = neg %2\n", "line 3: neg: operand 1 must be a number"},
      {"%1 = const 1\n%2 = custom %1 %1\n", "line 2: custom needs a value"},
      {"%1 = const 1\n%2 = polar2 %1 %1 %1 [0]\n", "line 2: wrong inputs or output"},
      {"%1 = const 1\n%2 = polar2 %1 %1 %1 %1 [4]\n", "line 2: wrong inputs or output"},
      {"%1 : 2 x 2 = identity\n%2 = neg %1\n",
       "line 2: neg is a scalar operator, operand 1 a matrix"},
      {"%1 = load 0 [0]\n%2 : 1 x 1 = neg %1\n",
       "line 2: operand 1 is a scalar node that is no literal"},
      {"%1 : 2 x 3 = identity\n", "the shape is 2 x 2"},
      {"%1 : 0 x 3 = zeros\n", "line 1: rows and columns must be 1 to 255"},
      {"%1 : 1 x 1 = array [7]\n", "array 7 is not declared"},
      {"array 0 in 9 1 x 1 data \"a\"\n", "space 9 is not declared"},
      {"space 0 \"a\"\nspace 0 shared \"a\"\n", "line 2: space 0 is declared otherwise"},
      {"space 0 \"a\\x00\"\n", "line 1: bad escape in a name"},
      {"space 0 \"a\n", "line 1: expected \"\"\""},
      {"%1 = load 0 1.1 1.1 1.1 1.1 1.1 1.1 1.1 [0]\n", "line 1: more than 6 steps"},
      {"%1 = load 99999999999 [0]\n", "line 1: expected a whole number"},
      {"%1 = const 1 2\n", "line 1: unexpected text at the end of the line"},
      {"nonsense\n", "line 1: unexpected text"},
      {"%1 = const 1 # x\n", "line 1: expected \"\"\""},
      {"%1 = const 0x12\n", "line 1: expected 16 hexadecimal digits"},
      {"%1 : 1 x 1 = matrix\n", "line 1: matrix needs operands"},
      {"%1 = const 1\n%2 : 1 x 1 = at %1 [3] [0]\n", "entry (4, 1) of a 1 x 1 matrix"},
  };
  for (size_t i = 0; i < BASIN_COUNT(cases); i++) {
    test_graph t;
    basin_ref *roots;
    uint32_t count;
    test_open(&t);
    basin_status status = parse(&t, cases[i].text, &roots, &count);
    const char *message = basin_error_last(t.context)->message;
    if (!status || !strstr(message, cases[i].message))
      print_error("case %zu: %s\n", i, status ? message : "accepted");
    assert_int_not_equal(status, BASIN_OK);
    assert_non_null(strstr(message, cases[i].message));
    assert_null(roots);
    assert_false(basin__graph_failed(t.graph));
    test_close_graph(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_energy_prints_as_the_golden_text),
      cmocka_unit_test(every_kind_of_line_round_trips),
      cmocka_unit_test(malformed_text_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
