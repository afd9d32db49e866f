/* Tests of expression.c, shape.c, expression_text.c and the walk of lower.c: owners, joins, texts,
 * and the errors of each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_support.h"

enum { SCENE, MESH, VERTICES, TETS, OTHER_MESH, OTHER_VERTICES }; /* spaces */
enum { POSITION, REST, MU, STIFFNESS, FAR, FRAME };               /* arrays */
enum { T2V, V2T, ONE, NEIGHBOURS };                               /* connectivities */

typedef struct scene {
  test_graph t;
  basin_graph *g;
  basin_expression position, rest, mu, stiffness, far_position, frame;
} scene;

static void ok(scene *s, basin_status status)
{
  if (!status) return;
  print_error("%s\n", basin_error_text(s->t.context));
  fail();
}

static void open_scene(scene *s)
{
  test_open(&s->t);
  basin_graph *g = s->g = s->t.graph;
  ok(s, basin_graph_declare_space(g, SCENE, BASIN_NONE, true, "scene"));
  ok(s, basin_graph_declare_space(g, OTHER_MESH, SCENE, true, "other"));
  ok(s, basin_graph_declare_space(g, MESH, SCENE, true, "bunny"));
  ok(s, basin_graph_declare_space(g, TETS, MESH, false, "tets"));
  ok(s, basin_graph_declare_space(g, VERTICES, MESH, false, "vertices"));
  ok(s, basin_graph_declare_space(g, OTHER_VERTICES, OTHER_MESH, false, "far vertices"));
  ok(s, basin_graph_declare_array(g, FRAME, VERTICES, 3, 3, BASIN_ARRAY_DATA, "frame"));
  ok(s, basin_graph_declare_array(g, POSITION, VERTICES, 3, 1, BASIN_ARRAY_DATA, "position"));
  ok(s, basin_graph_declare_array(g, REST, TETS, 3, 3, BASIN_ARRAY_CONSTANT, "rest"));
  ok(s, basin_graph_declare_array(g, MU, MESH, 1, 1, BASIN_ARRAY_CONSTANT, "mu"));
  ok(s, basin_graph_declare_array(g, STIFFNESS, SCENE, 1, 1, BASIN_ARRAY_CONSTANT, "stiffness"));
  ok(s, basin_graph_declare_array(g, FAR, OTHER_VERTICES, 3, 1, BASIN_ARRAY_DATA, "far"));
  ok(s, basin_graph_declare_connectivity(g, V2T, VERTICES, TETS, 1, "v2t"));
  ok(s, basin_graph_declare_connectivity(g, T2V, TETS, VERTICES, 4, "t2v"));
  ok(s, basin_graph_declare_connectivity(g, ONE, TETS, VERTICES, 1, "first"));
  ok(s, basin_graph_declare_connectivity(g, NEIGHBOURS, VERTICES, VERTICES, 0, "neighbours"));
  ok(s, basin_expression_array(g, POSITION, &s->position));
  ok(s, basin_expression_array(g, REST, &s->rest));
  ok(s, basin_expression_array(g, MU, &s->mu));
  ok(s, basin_expression_array(g, STIFFNESS, &s->stiffness));
  ok(s, basin_expression_array(g, FAR, &s->far_position));
  ok(s, basin_expression_array(g, FRAME, &s->frame));
}

static basin_expression apply(scene *s, const char *op, basin_expression a, basin_expression b)
{
  const basin_expression arguments[2] = {a, b};
  basin_expression result;
  ok(s, basin_expression_apply(s->g, op, arguments, b ? 2 : 1, NULL, 0, &result));
  return result;
}

static basin_expression pick(scene *s, const char *op, basin_expression a, int i)
{
  basin_expression result;
  ok(s, basin_expression_apply(s->g, op, &a, 1, &i, 1, &result));
  return result;
}

static basin_expression join(scene *s, basin_connectivity_id c, basin_expression a)
{
  basin_expression result;
  ok(s, basin_expression_join(s->g, c, a, &result));
  return result;
}

static basin_expression number(scene *s, double value)
{
  basin_expression result;
  ok(s, basin_expression_constant(s->g, value, &result));
  return result;
}

static void
check_shape(scene *s, basin_expression e, unsigned rows, unsigned cols, basin_space_id owner)
{
  unsigned r, c;
  basin_expression_shape(s->g, e, &r, &c);
  assert_int_equal(r, rows);
  assert_int_equal(c, cols);
  assert_int_equal(basin_expression_owner(s->g, e), owner);
}

static void owners_combine(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  check_shape(&s, apply(&s, "add", s.position, s.position), 3, 1, VERTICES);
  check_shape(&s, apply(&s, "mul", s.mu, s.position), 3, 1, VERTICES);
  check_shape(&s, apply(&s, "mul", s.rest, s.stiffness), 3, 3, TETS);
  check_shape(&s, apply(&s, "mul", s.mu, s.stiffness), 1, 1, MESH);
  check_shape(&s, apply(&s, "mul", number(&s, 2), s.stiffness), 1, 1, SCENE);
  check_shape(&s, apply(&s, "mul", number(&s, 2), number(&s, 3)), 1, 1, BASIN_SPACE_LITERAL);
  check_shape(&s, join(&s, T2V, s.position), 4, 3, TETS);
  check_shape(&s, join(&s, ONE, s.position), 3, 1, TETS);
  check_shape(&s, join(&s, T2V, s.frame), 4, 9, TETS);
  check_shape(&s, join(&s, T2V, s.mu), 4, 1, TETS);
  check_shape(&s, join(&s, T2V, number(&s, 5)), 4, 1, TETS);
  test_close_graph(&s.t);
}

typedef struct failure {
  const char *op;
  basin_expression arguments[3];
  size_t count;
  int integers[2];
  size_t integer_count;
  basin_status status;
  const char *message; /* a part of it */
  const char *text;    /* of the expression */
} failure;

static void mistakes_are_explained(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_expression row = apply(&s, "transpose", s.position, 0), two = number(&s, 2);
  const failure failures[] = {
      {"ad",
       {s.mu, two},
       2,
       {0},
       0,
       BASIN_ERROR_NAME,
       "unknown operator \"ad\"; did you mean \"add\"?",
       NULL},
      {"join", {s.mu}, 1, {0}, 0, BASIN_ERROR_NAME, "unknown operator \"join\"", NULL},
      {".array", {0}, 0, {0}, 1, BASIN_ERROR_NAME, "unknown operator", NULL},
      {"add",
       {s.position, row},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "add: 3 x 1 and 1 x 3 do not match; transpose one of them",
       "position + position.T"},
      {"sub",
       {s.rest, s.rest},
       1,
       {0},
       0,
       BASIN_ERROR_LENGTH,
       "sub: needs 2 operands, got 1",
       "sub(rest)"},
      {"row", {s.rest}, 1, {0}, 0, BASIN_ERROR_LENGTH, "row: needs 1 whole numbers, got 0", NULL},
      {"row", {s.rest}, 1, {3}, 1, BASIN_ERROR_RANGE, "row 4 of a 3 x 3 matrix", "rest.row(4)"},
      {"col", {s.position}, 1, {-1}, 1, BASIN_ERROR_RANGE, "column 0 of a 3 x 1 matrix", NULL},
      {"at",
       {s.position},
       1,
       {3},
       1,
       BASIN_ERROR_RANGE,
       "entry 4 of a 3 x 1 matrix, which has 3",
       "position.at(4)"},
      {"at",
       {s.rest},
       1,
       {0, 3},
       2,
       BASIN_ERROR_RANGE,
       "entry (1, 4) of a 3 x 3 matrix",
       "rest.at(1, 4)"},
      {"mul",
       {s.position, s.position},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "1 columns meet 3 rows (dot, hadamard or outer?)",
       "position * position"},
      {"mul", {s.position, s.rest}, 2, {0}, 0, BASIN_ERROR_SHAPE, "1 columns meet 3 rows", NULL},
      {"div",
       {s.position, s.position},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "only scalars divide",
       "position / position"},
      {"det",
       {s.position},
       1,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "det: needs a square matrix, got 3 x 1",
       "det(position)"},
      {"polar",
       {s.mu},
       1,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "polar: works for 2 x 2 to 3 x 3, got 1 x 1",
       NULL},
      {"cross",
       {s.position, s.mu},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "cross: needs two vectors of 3",
       NULL},
      {"dot",
       {s.position, s.mu},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "dot: 3 x 1 and 1 x 1 do not match",
       "dot(position, mu)"},
      {"outer",
       {s.rest, s.rest},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "outer: operand 1 is 3 x 3, not a vector",
       NULL},
      {"reshape",
       {s.rest},
       1,
       {2, 4},
       2,
       BASIN_ERROR_SHAPE,
       "reshape: 3 x 3 has 9 entries, 2 x 4 has 8",
       "reshape(rest, 2, 4)"},
      {"matrix",
       {s.mu, s.mu},
       2,
       {2, 2},
       2,
       BASIN_ERROR_LENGTH,
       "matrix: 2 x 2 needs 4 entries, got 2",
       NULL},
      {"matrix",
       {s.mu, s.position},
       2,
       {2, 1},
       2,
       BASIN_ERROR_SHAPE,
       "matrix: entry 2 is 3 x 1, not a scalar",
       NULL},
      {"identity",
       {0},
       0,
       {0},
       1,
       BASIN_ERROR_SHAPE,
       "identity: 0 x 0: rows and columns must be 1 to 255",
       NULL},
      {"zeros",
       {0},
       0,
       {3, 1000},
       2,
       BASIN_ERROR_SHAPE,
       "zeros: 3 x 1000: rows and columns must be 1 to 255",
       NULL},
      {"columns",
       {s.position, s.mu},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "columns: part 1 has 3 entries, part 2 has 1",
       NULL},
      {"concat_rows",
       {s.position, s.rest},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "concat_rows: part 1 has 1 columns, part 2 has 3",
       NULL},
      {"concat_cols",
       {0},
       0,
       {0},
       0,
       BASIN_ERROR_LENGTH,
       "concat_cols: needs at least one operand",
       NULL},
      {"where",
       {s.rest, s.position, s.position},
       3,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "where: the condition is 3 x 3, the branches are 3 x 1",
       NULL},
      {"where",
       {s.mu, s.position, row},
       3,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "where: 3 x 1 and 1 x 3 do not match",
       NULL},
      {"clamp",
       {s.mu, s.position, s.mu},
       3,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "clamp: 1 x 1 and 3 x 1 do not match",
       NULL},
      {"pow",
       {two, s.position},
       2,
       {0},
       0,
       BASIN_ERROR_SHAPE,
       "pow: 1 x 1 and 3 x 1 do not match",
       "2^position"},
      {"add",
       {s.rest, 999999},
       2,
       {0},
       0,
       BASIN_ERROR_ARGUMENT,
       "operand 2 is no expression",
       NULL},
      {"add", {0, s.rest}, 2, {0}, 0, BASIN_ERROR_ARGUMENT, "operand 1 is no expression", NULL},
      {"mul",
       {s.rest, s.position},
       2,
       {0},
       0,
       BASIN_ERROR_OWNER,
       "mul: one operand belongs to \"tets\", another to \"vertices\"; they can be joined through "
       "\"t2v\" (tets to vertices), \"v2t\" (vertices to tets), "
       "\"first\" (tets to vertices)",
       "rest * position"},
      {"add",
       {s.position, s.far_position},
       2,
       {0},
       0,
       BASIN_ERROR_OWNER,
       "another to \"far vertices\"; no connectivity joins them",
       "position + far"},
      {"mul",
       {s.mu, s.far_position},
       2,
       {0},
       0,
       BASIN_ERROR_OWNER,
       "one operand belongs to \"bunny\", another to \"far vertices\"",
       NULL},
  };
  ok(&s, basin_graph_set_origin(s.g, "scene.lua", 42));
  for (size_t i = 0; i < BASIN_COUNT(failures); i++) {
    const failure *f = &failures[i];
    basin_expression result = 7;
    basin_status status = basin_expression_apply(
        s.g, f->op, f->arguments, f->count, f->integers, f->integer_count, &result);
    const basin_error *error = basin_error_last(s.t.context);
    if (status != f->status || !strstr(error->message, f->message))
      print_error("case %zu (%s): %s\n", i, f->op, error->message);
    assert_int_equal(status, f->status);
    assert_non_null(strstr(error->message, f->message));
    assert_int_equal(result, 0);
    if (f->text) assert_string_equal(error->expression, f->text);
    if (status != BASIN_ERROR_ARGUMENT) {
      assert_string_equal(error->script, "scene.lua");
      assert_int_equal(error->script_line, 42);
    }
  }
  basin_expression result;
  assert_int_equal(basin_expression_join(s.g, T2V, s.rest, &result), BASIN_ERROR_OWNER);
  assert_string_equal(
      basin_error_last(s.t.context)->message,
      "\"t2v\" leads from \"tets\" to \"vertices\", but the expression belongs to \"tets\"");
  assert_int_equal(basin_expression_join(s.g, NEIGHBOURS, s.position, &result),
                   BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin_expression_join(s.g, 99, s.position, &result), BASIN_ERROR_STATE);
  assert_int_equal(basin_expression_array(s.g, 99, &result), BASIN_ERROR_STATE);
  assert_int_equal(basin_expression_custom(s.g, s.mu, &s.mu, &s.position, 1, &result),
                   BASIN_ERROR_SHAPE);
  check_shape(&s, apply(&s, "add", s.mu, s.mu), 1, 1, MESH); /* still usable */
  test_close_graph(&s.t);
}

static void declarations_are_checked(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  assert_int_equal(basin_graph_declare_space(s.g, SCENE, BASIN_NONE, true, "again"),
                   BASIN_ERROR_STATE);
  assert_int_equal(basin_graph_declare_space(s.g, 50, 51, true, "orphan"), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_graph_declare_space(s.g, 50, 50, true, "own parent"),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_graph_declare_space(s.g, BASIN_NONE, BASIN_NONE, true, "literal"),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_graph_declare_array(s.g, MU, MESH, 1, 1, BASIN_ARRAY_DATA, "mu"),
                   BASIN_ERROR_STATE);
  assert_int_equal(basin_graph_declare_array(s.g, 50, 51, 1, 1, BASIN_ARRAY_DATA, "a"),
                   BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_graph_declare_array(s.g, 50, MESH, 0, 1, BASIN_ARRAY_DATA, "a"),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(basin_graph_declare_array(s.g, 50, MESH, 1, 256, BASIN_ARRAY_DATA, "a"),
                   BASIN_ERROR_SHAPE);
  assert_int_equal(basin_graph_declare_connectivity(s.g, T2V, TETS, VERTICES, 4, "t2v"),
                   BASIN_ERROR_STATE);
  assert_int_equal(basin_graph_declare_connectivity(s.g, 50, TETS, 51, 4, "c"),
                   BASIN_ERROR_ARGUMENT);
  for (uint32_t i = 0; i < 17; i++)
    assert_int_equal(basin_graph_declare_space(s.g, 100 + i, i ? 99 + i : BASIN_NONE, true, "deep"),
                     BASIN_OK);
  assert_int_equal(basin_graph_declare_space(s.g, 200, 116, true, "too deep"),
                   BASIN_ERROR_ARGUMENT);
  test_close_graph(&s.t);
}

static void joins_extend_the_paths_of_loads(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_ref out[36];
  basin_expression tx = join(&s, T2V, s.position);
  ok(&s, basin__lower(s.g, tx, out));
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t i = 0; i < 3; i++) {
      const basin_node *node = basin__node(s.g, out[k * 3 + i]);
      const basin_access *access = basin__access(s.g, node->a);
      assert_int_equal(node->op, BASIN_OP_LOAD);
      assert_int_equal(node->b, i);
      assert_int_equal(access->array, POSITION);
      assert_int_equal(access->step_count, 1);
      assert_int_equal(access->steps[0].connectivity, T2V);
      assert_int_equal(access->steps[0].slot, k);
    }
  /* vertex -> its tet -> that tet's vertices: outermost step first; mu is the mesh's and has no
   * steps */
  basin_expression deep = join(&s, V2T, apply(&s, "mul", s.mu, tx));
  check_shape(&s, deep, 4, 3, VERTICES);
  ok(&s, basin__lower(s.g, deep, out));
  const basin_node *product = basin__node(s.g, out[7]);
  assert_int_equal(product->op, BASIN_OP_MUL);
  unsigned loads[2] = {product->a, product->b}, found = 0;
  for (int i = 0; i < 2; i++) {
    const basin_access *access = basin__access(s.g, basin__node(s.g, loads[i])->a);
    if (access->array == MU) {
      assert_int_equal(access->step_count, 0);
      found |= 1;
    } else {
      assert_int_equal(access->step_count, 2);
      assert_int_equal(access->steps[0].connectivity, V2T);
      assert_int_equal(access->steps[0].slot, 0);
      assert_int_equal(access->steps[1].connectivity, T2V);
      assert_int_equal(access->steps[1].slot, 2);
      found |= 2;
    }
  }
  assert_int_equal(found, 3);
  /* too many connectivities in a row */
  basin_expression e = s.position, result;
  for (int i = 0; i < BASIN_PATH_MAX; i++) e = join(&s, i % 2 ? V2T : ONE, e);
  ok(&s, basin__lower(s.g, e, out));
  assert_int_equal(basin_expression_join(s.g, ONE, e, &result), BASIN_ERROR_UNSUPPORTED);
  test_close_graph(&s.t);
}

static void arrays_and_connectivities_are_listed(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  size_t count;
  basin_expression e = apply(
      &s, "mul", s.mu, apply(&s, "add", join(&s, ONE, s.position), join(&s, ONE, s.position)));
  const basin_array_id *arrays = basin_expression_arrays(s.g, e, &count);
  assert_int_equal(count, 2);
  assert_int_equal(arrays[0], POSITION);
  assert_int_equal(arrays[1], MU);
  const basin_connectivity_id *connectivities = basin_expression_connectivities(s.g, e, &count);
  assert_int_equal(count, 1);
  assert_int_equal(connectivities[0], ONE);
  basin_expression_arrays(s.g, number(&s, 1), &count);
  assert_int_equal(count, 0);
  double value;
  assert_true(basin_expression_is_literal(s.g, number(&s, 2.5), &value) && value == 2.5);
  assert_false(basin_expression_is_literal(s.g, s.mu, &value));
  assert_false(basin_expression_is_literal(s.g, 0, &value));
  test_close_graph(&s.t);
}

static void texts_are_readable(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_expression tx = join(&s, T2V, s.position),
                   d = apply(&s, "sub", pick(&s, "row", tx, 1), pick(&s, "row", tx, 0));
  assert_string_equal(basin_expression_text(s.g, d, 80),
                      "position[t2v].row(2) - position[t2v].row(1)");
  assert_string_equal(basin_expression_text(s.g, apply(&s, "dot", d, pick(&s, "row", tx, 3)), 80),
                      "dot(position[t2v].row(2) - position[t2v].row(1), position[t2v].row(4))");
  basin_expression sum = apply(&s, "add", s.mu, number(&s, 1));
  assert_string_equal(basin_expression_text(s.g, apply(&s, "mul", sum, sum), 80),
                      "(mu + 1) * (mu + 1)");
  assert_string_equal(
      basin_expression_text(s.g, apply(&s, "sub", s.mu, apply(&s, "sub", s.mu, s.stiffness)), 80),
      "mu - (mu - stiffness)");
  assert_string_equal(
      basin_expression_text(s.g, apply(&s, "div", s.mu, apply(&s, "mul", s.mu, s.mu)), 80),
      "mu / (mu * mu)");
  assert_string_equal(
      basin_expression_text(s.g, apply(&s, "pow", apply(&s, "neg", s.mu, 0), number(&s, -2)), 80),
      "(-mu)^(-2)");
  assert_string_equal(
      basin_expression_text(s.g, apply(&s, "transpose", apply(&s, "mul", s.mu, s.position), 0), 80),
      "(mu * position).T");
  assert_string_equal(
      basin_expression_text(s.g, join(&s, ONE, apply(&s, "norm", s.position, 0)), 80),
      "norm(position)[first]");
  assert_string_equal(basin_expression_text(s.g, d, 20), "position[t2v].row...");
  assert_string_equal(basin_expression_text(s.g, 0, 20), "");
  basin_expression deep = s.mu;
  for (int i = 0; i < 50000; i++) deep = apply(&s, "sin", deep, 0);
  assert_true(strlen(basin_expression_text(s.g, deep, 100)) <= 100);
  basin_ref scalar;
  ok(&s, basin__lower(s.g, deep, &scalar)); /* as deep as it may be */
  test_close_graph(&s.t);
}

/* An expression's text of the scalars that explain shows. */
static void scalars_print_with_slots(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_ref out[12];
  basin_strbuf text;
  basin__strbuf_init(&text, s.t.context);
  ok(&s, basin__lower(s.g, join(&s, T2V, s.position), out));
  basin__print_scalar(s.g, basin__sub(s.g, out[5], out[0]), 100, &text);
  assert_string_equal(basin__strbuf_text(&text), "position[t2v 2](3) - position[t2v 1](1)");
  basin__strbuf_fini(&text);
  test_close_graph(&s.t);
}

static void origins_reach_the_scalars(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_ref out[1];
  ok(&s, basin_graph_set_origin(s.g, "term.lua", 11));
  basin_expression e = apply(&s, "sin", s.mu, 0);
  ok(&s, basin_graph_set_origin(s.g, "main.lua", 99));
  ok(&s, basin__lower(s.g, e, out));
  assert_string_equal(basin__origin_script(s.g, out[0]), "term.lua");
  assert_int_equal(basin__origin_line(s.g, out[0]), 11);
  test_close_graph(&s.t);
}

/* A user operator: the value of exp, the derivative declared to be 3. */
static void custom_operators_use_their_derivatives(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  basin_expression value = apply(&s, "exp", s.position, 0), identity, result;
  ok(&s, basin_expression_apply(s.g, "identity", NULL, 0, &(int){3}, 1, &identity));
  basin_expression derivative =
      apply(&s, "mul", number(&s, 3), apply(&s, "mul", pick(&s, "entry", s.position, 1), identity));
  ok(&s, basin_expression_custom(s.g, value, &s.position, &derivative, 1, &result));
  basin_ref out[3], leaf[3];
  ok(&s, basin__lower(s.g, result, out));
  ok(&s, basin__lower(s.g, s.position, leaf));
  test_values values = {{{0.5, 2.0, 0.25}}};
  test_close("custom value", test_value(s.g, out[2], &values), exp(0.25), 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      basin_ref slope = test_derivative(s.g, out[i], leaf[j]);
      test_close("custom slope", test_value(s.g, slope, &values), i == j ? 6 : 0, 0);
      test_close("custom bend",
                 test_value(s.g, test_derivative(s.g, slope, leaf[1]), &values),
                 i == j ? 3 : 0,
                 0);
    }
  test_close_graph(&s.t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(owners_combine),
      cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(declarations_are_checked),
      cmocka_unit_test(joins_extend_the_paths_of_loads),
      cmocka_unit_test(arrays_and_connectivities_are_listed),
      cmocka_unit_test(texts_are_readable),
      cmocka_unit_test(scalars_print_with_slots),
      cmocka_unit_test(origins_reach_the_scalars),
      cmocka_unit_test(custom_operators_use_their_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
