/* Reads the text that basin__graph_print writes. Any bytes are safe input.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/expression.h"
#include "graph/print.h"
#include "graph/small_matrix.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
  basin_graph *graph;
  const char *p, *end; /* the rest of the current line */
  unsigned line;
  basin_ref *refs; /* by number in the text - 1 */
  size_t count, capacity;
  basin_ref *operands; /* of the node being read */
  size_t operand_count, operand_capacity;
  basin_ref *roots;
  size_t root_count, root_capacity;
} reader;

#define PARSE_FAIL(r, ...) \
  basin__failed(BASIN_ERROR_FORMAT, parse_fail((r), BASIN_SITE, __VA_ARGS__))

static basin_status BASIN_PRINTF(3, 4)
    parse_fail(const reader *r, const char *site, const char *format, ...)
{
  char what[200];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  return basin__fail(r->graph->context, BASIN_ERROR_FORMAT, site, "line %u: %s", r->line, what);
}

/* ---- words ---- */

static void skip_spaces(reader *r)
{
  while (r->p < r->end && *r->p == ' ') r->p++;
}

static bool take(reader *r, const char *word)
{
  size_t length = strlen(word);
  skip_spaces(r);
  if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0) return false;
  r->p += length;
  return true;
}

static bool take_number(reader *r, uint32_t *value)
{
  uint64_t number = 0;
  const char *start;
  skip_spaces(r);
  for (start = r->p; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
    number = number * 10 + (uint64_t)(*r->p - '0');
    if (number > UINT32_MAX) return false;
  }
  *value = (uint32_t)number;
  return r->p > start;
}

static basin_status need(reader *r, const char *word)
{
  return take(r, word) ? BASIN_OK : PARSE_FAIL(r, "expected \"%s\"", word);
}

static basin_status need_number(reader *r, uint32_t *value)
{
  return take_number(r, value) ? BASIN_OK : PARSE_FAIL(r, "expected a whole number");
}

static basin_status need_end(reader *r)
{
  skip_spaces(r);
  return r->p == r->end ? BASIN_OK : PARSE_FAIL(r, "unexpected text at the end of the line");
}

/* Reads the words of the pattern, separated by spaces; '#' is a whole number, which goes to
 * *values++. */
static basin_status need_fields(reader *r, const char *pattern, uint32_t *values)
{
  while (*pattern) {
    size_t length = strcspn(pattern, " ");
    char word[16] = {0};
    BASIN_ASSERT(length < sizeof word);
    memcpy(word, pattern, length);
    BASIN_TRY(*word == '#' ? need_number(r, values++) : need(r, word));
    pattern += length + (pattern[length] == ' ');
  }
  return BASIN_OK;
}

static int hex_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A quoted name of at most 250 characters. */
static basin_status need_name(reader *r, char name[256])
{
  size_t length = 0;
  BASIN_TRY(need(r, "\""));
  while (r->p < r->end && *r->p != '"' && length < 250) {
    if (*r->p != '\\') {
      name[length++] = *r->p++;
      continue;
    }
    int high = r->end - r->p >= 4 && r->p[1] == 'x' ? hex_digit(r->p[2]) : -1,
        low = high < 0 ? -1 : hex_digit(r->p[3]);
    if (low < 0 || (high == 0 && low == 0)) return PARSE_FAIL(r, "bad escape in a name");
    name[length++] = (char)(high * 16 + low);
    r->p += 4;
  }
  name[length] = 0;
  if (memchr(name, 0, length)) return PARSE_FAIL(r, "a zero byte in a name");
  return need(r, "\"");
}

static basin_status need_last_name(reader *r, char name[256])
{
  BASIN_TRY(need_name(r, name));
  return need_end(r);
}

/* ---- declarations: those already known must agree ---- */

static basin_status read_space(reader *r)
{
  uint32_t id = 0, parent = BASIN_NONE;
  char name[256];
  BASIN_TRY(need_number(r, &id));
  if (take(r, "in")) BASIN_TRY(need_number(r, &parent));
  bool shared = take(r, "shared");
  BASIN_TRY(need_last_name(r, name));
  const basin_graph_space *old = basin__graph_space(r->graph, id);
  if (!old) return basin_graph_declare_space(r->graph, id, parent, shared, name);
  return old->parent == parent && old->shared == shared
             ? BASIN_OK
             : PARSE_FAIL(r, "space %u is declared otherwise", id);
}

static basin_status read_array(reader *r)
{
  uint32_t f[4] = {0}; /* id, space, rows, columns */
  char name[256];
  BASIN_TRY(need_fields(r, "# in # # x #", f));
  bool data = take(r, "data");
  if (!data) BASIN_TRY(need(r, "constant"));
  basin_array_role role = data ? BASIN_ARRAY_DATA : BASIN_ARRAY_CONSTANT;
  BASIN_TRY(need_last_name(r, name));
  const basin_graph_array *old = basin__graph_array(r->graph, f[0]);
  if (!old) return basin_graph_declare_array(r->graph, f[0], f[1], f[2], f[3], role, name);
  bool same = old->space == f[1] && old->rows == f[2] && old->cols == f[3] && old->role == role;
  return same ? BASIN_OK : PARSE_FAIL(r, "array %u is declared otherwise", f[0]);
}

static basin_status read_connectivity(reader *r)
{
  uint32_t f[4] = {0}; /* id, from, to, arity */
  char name[256];
  BASIN_TRY(need_fields(r, "# from # to # arity #", f));
  BASIN_TRY(need_last_name(r, name));
  const basin_graph_connectivity *old = basin__graph_connectivity(r->graph, f[0]);
  if (!old) return basin_graph_declare_connectivity(r->graph, f[0], f[1], f[2], f[3], name);
  bool same = old->from == f[1] && old->to == f[2] && old->arity == f[3];
  return same ? BASIN_OK : PARSE_FAIL(r, "connectivity %u is declared otherwise", f[0]);
}

/* ---- nodes ---- */

static basin_status read_operands(reader *r)
{
  r->operand_count = 0;
  while (take(r, "%")) {
    uint32_t number;
    BASIN_TRY(need_number(r, &number));
    if (!number || number > r->count) return PARSE_FAIL(r, "%%%u is not defined above", number);
    BASIN_TRY(basin__grow(r->graph->context,
                          &r->operands,
                          &r->operand_capacity,
                          r->operand_count + 1,
                          sizeof *r->operands));
    r->operands[r->operand_count++] = r->refs[number - 1];
  }
  return BASIN_OK;
}

static basin_status need_bracket(reader *r, uint32_t *value)
{
  return need_fields(r, "[ # ]", value);
}

static basin_status read_const(reader *r, basin_ref *result)
{
  double value;
  if (take(r, "0x")) {
    uint64_t bits = 0;
    for (int i = 0; i < 16; i++) {
      int digit = r->p < r->end ? hex_digit(*r->p++) : -1;
      if (digit < 0) return PARSE_FAIL(r, "expected 16 hexadecimal digits");
      bits = bits << 4 | (uint64_t)digit;
    }
    memcpy(&value, &bits, sizeof value);
  } else {
    skip_spaces(r);
    if (!basin__parse_double(&r->p, r->end, &value)) return PARSE_FAIL(r, "expected a number");
  }
  *result = basin__const(r->graph, value);
  return BASIN_OK;
}

static basin_status read_load(reader *r, basin_ref *result)
{
  basin_access access = {0, 0, {{0, 0}}};
  uint32_t f[2] = {0};
  BASIN_TRY(need_number(r, &access.array));
  while (!take(r, "[")) {
    if (access.step_count == BASIN_PATH_MAX)
      return PARSE_FAIL(r, "more than %d steps", BASIN_PATH_MAX);
    BASIN_TRY(need_fields(r, "# . #", f));
    access.steps[access.step_count++] = (basin_path_step){f[0], f[1]};
  }
  BASIN_TRY(need_fields(r, "# ]", f));
  uint32_t number = basin__access_intern(r->graph, &access);
  *result = basin__load(r->graph, number, f[0]);
  return BASIN_OK;
}

static bool is_scalar(const reader *r, basin_ref ref)
{
  return !(basin__op_info(r->graph->nodes[ref].op)->flags & BASIN_OP_MATRIX);
}

static basin_status read_scalar_list(reader *r, basin_op op, basin_ref *result)
{
  uint32_t extra = 0, count = (uint32_t)r->operand_count;
  if (op == BASIN_OP_CUSTOM) {
    if (count % 2 == 0)
      return PARSE_FAIL(r, "custom needs a value, arguments and as many partials");
  } else {
    BASIN_TRY(need_bracket(r, &extra));
    if (count != basin__small_matrix_inputs(op) || extra >= basin__small_matrix_outputs(op))
      return PARSE_FAIL(r, "wrong inputs or output");
  }
  *result = basin__list_node(r->graph, op, r->operands, count, extra, 1, 1);
  return BASIN_OK;
}

static basin_status read_scalar(reader *r, basin_op op, basin_ref *result)
{
  const basin_op_info *info = basin__op_info(op);
  if (op == BASIN_OP_CONST) return read_const(r, result);
  if (op == BASIN_OP_LOAD) return read_load(r, result);
  if (op == BASIN_OP_INNER) {
    uint32_t number;
    BASIN_TRY(need_bracket(r, &number));
    basin_node node = {BASIN_OP_INNER, 1, 1, number, 0, 0};
    *result = basin__intern(r->graph, &node, NULL, BASIN_SPACE_LITERAL);
    return BASIN_OK;
  }
  BASIN_TRY(read_operands(r));
  if (info->arity >= 0 && r->operand_count != (size_t)info->arity)
    return PARSE_FAIL(r, "%s needs %d operands", info->name, info->arity);
  for (size_t i = 0; i < r->operand_count; i++) {
    bool truth = (info->flags & BASIN_OP_LOGICAL) && (op != BASIN_OP_SELECT || i == 0);
    if (!is_scalar(r, r->operands[i]))
      return PARSE_FAIL(r, "%s is a scalar operator, operand %zu a matrix", info->name, i + 1);
    if (basin__is_boolean(r->graph, r->operands[i]) != truth)
      return PARSE_FAIL(
          r, "%s: operand %zu must be a %s", info->name, i + 1, truth ? "truth value" : "number");
  }
  if (info->arity < 0) return read_scalar_list(r, op, result);
  basin_ref child[3] = {0, 0, 0};
  for (size_t i = 0; i < r->operand_count; i++) child[i] = r->operands[i];
  *result = basin__raw(r->graph, op, child[0], child[1], child[2]);
  return BASIN_OK;
}

static basin_status check_matrix_operands(reader *r, const basin_op_info *info)
{
  if (info->arity >= 0 && r->operand_count != (size_t)info->arity)
    return PARSE_FAIL(r, "%s needs %d operands", info->name, info->arity);
  if (info->arity < 0 && r->operand_count == 0)
    return PARSE_FAIL(r, "%s needs operands", info->name);
  for (size_t i = 0; i < r->operand_count; i++)
    if (is_scalar(r, r->operands[i]) && !basin__is_const(r->graph, r->operands[i], NULL))
      return PARSE_FAIL(r, "operand %zu is a scalar node that is no literal", i + 1);
  return BASIN_OK;
}

static basin_status make_custom(reader *r, uint32_t arguments, basin_ref *result)
{
  const basin_ref *list = r->operands;
  size_t count = (r->operand_count - 1) / 2;
  if (r->operand_count % 2 == 0 || count != arguments)
    return PARSE_FAIL(r, "custom needs a value, arguments and as many derivatives");
  return basin_expression_custom(r->graph, list[0], list + 1, list + 1 + count, count, result);
}

/* Through the checks of the public functions. */
static basin_status make_matrix(reader *r, basin_op op, const uint32_t *integers, basin_ref *result)
{
  uint32_t owner = BASIN_SPACE_LITERAL;
  if (op == BASIN_OP_M_ARRAY) return basin_expression_array(r->graph, integers[0], result);
  if (op == BASIN_OP_M_JOIN)
    return basin_expression_join(r->graph, integers[0], r->operands[0], result);
  if (op == BASIN_OP_M_CUSTOM) return make_custom(r, integers[0], result);
  basin_call call = {.graph = r->graph,
                     .op = op,
                     .arguments = r->operands,
                     .count = (uint32_t)r->operand_count,
                     .integers = {(int)integers[0], (int)integers[1]}};
  BASIN_TRY(basin__call_shape(&call));
  BASIN_TRY(basin__call_owner(&call, &owner));
  *result = basin__call_node(&call, owner);
  return BASIN_OK;
}

/* The shape of the text must be the shape found. */
static basin_status read_matrix(reader *r, basin_op op, const uint32_t *shape, basin_ref *result)
{
  uint32_t integers[2] = {shape[0], shape[1]}, stored = basin__stored_integers(op);
  if (shape[0] < 1 || shape[1] < 1 || shape[0] > 255 || shape[1] > 255)
    return PARSE_FAIL(r, "rows and columns must be 1 to 255");
  BASIN_TRY(read_operands(r));
  for (uint32_t i = 0; i < stored; i++) BASIN_TRY(need_fields(r, "[ # ]", &integers[i]));
  BASIN_TRY(check_matrix_operands(r, basin__op_info(op)));
  if (integers[0] > INT32_MAX || integers[1] > INT32_MAX)
    return PARSE_FAIL(r, "a number is too large");
  BASIN_TRY(make_matrix(r, op, integers, result));
  if (!*result) return BASIN_ERROR_MEMORY;
  unsigned rows = basin__rows(r->graph, *result), cols = basin__cols(r->graph, *result);
  bool same = rows == shape[0] && cols == shape[1];
  return same ? BASIN_OK : PARSE_FAIL(r, "the shape is %u x %u", rows, cols);
}

/* "# "script" line" at the end of the line; the text before it stays. */
static basin_status read_origin(reader *r)
{
  const char *start = r->p, *end = r->end, *mark = memchr(start, '#', (size_t)(end - start));
  char script[256];
  uint32_t line;
  if (!mark) return basin_graph_set_origin(r->graph, NULL, 0);
  r->p = mark + 1;
  BASIN_TRY(need_name(r, script));
  BASIN_TRY(need_number(r, &line));
  BASIN_TRY(need_end(r));
  if (line > INT32_MAX) return PARSE_FAIL(r, "a line number is too large");
  r->p = start;
  r->end = mark;
  return basin_graph_set_origin(r->graph, script, (int)line);
}

/* The word after "=", an operator's name. */
static basin_status need_operator(reader *r, bool matrix, basin_op *op)
{
  BASIN_TRY(need(r, "="));
  skip_spaces(r);
  const char *word = r->p;
  while (r->p < r->end && *r->p != ' ') r->p++;
  *op = basin__op_find(word, (size_t)(r->p - word), matrix);
  int shown = r->p - word < 40 ? (int)(r->p - word) : 40;
  if (*op != BASIN_OP_COUNT) return BASIN_OK;
  return PARSE_FAIL(r, "unknown %s operator \"%.*s\"", matrix ? "matrix" : "scalar", shown, word);
}

static basin_status read_node(reader *r)
{
  uint32_t number = 0, shape[2] = {1, 1};
  basin_op op = BASIN_OP_COUNT;
  basin_ref ref = 0;
  BASIN_TRY(need_number(r, &number));
  if (number != r->count + 1) return PARSE_FAIL(r, "expected %%%zu", r->count + 1);
  BASIN_TRY(read_origin(r));
  bool matrix = take(r, ":");
  if (matrix) BASIN_TRY(need_fields(r, "# x #", shape));
  BASIN_TRY(need_operator(r, matrix, &op));
  BASIN_TRY(matrix ? read_matrix(r, op, shape, &ref) : read_scalar(r, op, &ref));
  if (!ref) return BASIN_ERROR_MEMORY;
  BASIN_TRY(need_end(r));
  BASIN_TRY(basin__grow(r->graph->context, &r->refs, &r->capacity, r->count + 1, sizeof *r->refs));
  r->refs[r->count++] = ref;
  return BASIN_OK;
}

static basin_status read_result(reader *r)
{
  BASIN_TRY(read_operands(r));
  BASIN_TRY(need_end(r));
  for (size_t i = 0; i < r->operand_count; i++) {
    BASIN_TRY(basin__grow(
        r->graph->context, &r->roots, &r->root_capacity, r->root_count + 1, sizeof *r->roots));
    r->roots[r->root_count++] = r->operands[i];
  }
  return BASIN_OK;
}

static basin_status read_line(reader *r)
{
  if (take(r, "%")) return read_node(r);
  if (take(r, "space ")) return read_space(r);
  if (take(r, "array ")) return read_array(r);
  if (take(r, "connectivity ")) return read_connectivity(r);
  if (take(r, "result")) return read_result(r);
  return need_end(r); /* empty */
}

basin_status basin__graph_parse(
    basin_graph *graph, const char *text, size_t length, basin_ref **roots, uint32_t *count)
{
  reader r = {graph, text, text, 0, NULL, 0, 0, NULL, 0, 0, NULL, 0, 0};
  const char *end = text + length;
  basin_context *context = graph->context;
  uint32_t origin = graph->origin;
  basin_status status = graph->failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  *roots = NULL;
  *count = 0;
  while (!status && text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    r.line++;
    r.p = text;
    r.end = stop ? stop : end;
    text = stop ? stop + 1 : end;
    status = read_line(&r);
  }
  graph->origin = origin;
  if (!status && r.root_count) {
    *roots = basin__alloc(context, r.root_count * sizeof **roots);
    if (*roots)
      memcpy(*roots, r.roots, r.root_count * sizeof **roots);
    else
      status = BASIN_ERROR_MEMORY;
    if (*roots) *count = (uint32_t)r.root_count;
  }
  basin__free(context, r.refs, r.capacity * sizeof *r.refs);
  basin__free(context, r.operands, r.operand_capacity * sizeof *r.operands);
  basin__free(context, r.roots, r.root_capacity * sizeof *r.roots);
  return status;
}
