/* Expressions as short infix text for messages and comments; indices count from 1 as in scripts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/expression.h"
#include "graph/print.h"

/* How tightly the outermost operator of a text binds. */
enum { SUM = 1, PRODUCT, SIGN, POWER, POSTFIX };

typedef struct writer {
  basin_strbuf *out;
  const basin_graph *graph;
  size_t limit;
  int depth; /* deeper levels print as ... */
} writer;

static void write_node(writer *w, basin_ref ref, int least);

static bool is_full(const writer *w)
{
  return w->out->length > w->limit;
}

static void write_list(writer *w, const basin_ref *list, uint32_t count)
{
  for (uint32_t i = 0; i < count && !is_full(w); i++) {
    if (i) basin__strbuf_puts(w->out, ", ");
    /* rows without a list have three operands at most: NOLINTNEXTLINE(clang-analyzer-core.*) */
    write_node(w, list[i], 0);
  }
}

static void write_infix(writer *w, const char *op, const basin_ref *args, int level, int least)
{
  if (level < least) basin__strbuf_puts(w->out, "(");
  write_node(w, args[0], level == POWER ? POSTFIX : level);
  basin__strbuf_puts(w->out, op);
  write_node(w, args[1], level + 1);
  if (level < least) basin__strbuf_puts(w->out, ")");
}

static void write_minus(writer *w, basin_ref ref, int least)
{
  if (SIGN < least) basin__strbuf_puts(w->out, "(");
  basin__strbuf_puts(w->out, "-");
  write_node(w, ref, SIGN);
  if (SIGN < least) basin__strbuf_puts(w->out, ")");
}

static void write_call(writer *w, const basin_call *call, int least)
{
  const basin_ref *args = call->arguments;
  bool two = call->count == 2;
  switch (two ? call->op : BASIN_OP_COUNT) {
  case BASIN_OP_M_ADD:
    write_infix(w, " + ", args, SUM, least);
    return;
  case BASIN_OP_M_SUB:
    write_infix(w, " - ", args, SUM, least);
    return;
  case BASIN_OP_M_MUL:
    write_infix(w, " * ", args, PRODUCT, least);
    return;
  case BASIN_OP_M_DIV:
    write_infix(w, " / ", args, PRODUCT, least);
    return;
  case BASIN_OP_M_POW:
    write_infix(w, "^", args, POWER, least);
    return;
  default:
    break;
  }
  const int *k = call->integers;
  switch (call->count == 1 ? call->op : BASIN_OP_COUNT) {
  case BASIN_OP_M_NEG:
    write_minus(w, args[0], least);
    return;
  case BASIN_OP_M_TRANSPOSE:
    write_node(w, args[0], POSTFIX);
    basin__strbuf_puts(w->out, ".T");
    return;
  case BASIN_OP_M_ROW:
    write_node(w, args[0], POSTFIX);
    basin__strbuf_printf(w->out, ".row(%lld)", k[0] + 1LL);
    return;
  case BASIN_OP_M_COL:
    write_node(w, args[0], POSTFIX);
    basin__strbuf_printf(w->out, ".col(%lld)", k[0] + 1LL);
    return;
  case BASIN_OP_M_ENTRY:
    write_node(w, args[0], POSTFIX);
    basin__strbuf_printf(w->out, ".at(%lld)", k[0] + 1LL);
    return;
  case BASIN_OP_M_AT:
    write_node(w, args[0], POSTFIX);
    basin__strbuf_printf(w->out, ".at(%lld, %lld)", k[0] + 1LL, k[1] + 1LL);
    return;
  case BASIN_OP_M_JOIN: {
    const basin_graph_connectivity *c = basin__graph_connectivity(w->graph, (uint32_t)k[0]);
    write_node(w, args[0], POSTFIX);
    basin__strbuf_printf(w->out, "[%s]", c ? c->name : "?");
    return;
  }
  default:
    break;
  }
  const char *name = basin__op_info(call->op)->name;
  basin__strbuf_printf(w->out, "%s(", *name == '.' ? name + 1 : name);
  write_list(w, args, call->op == BASIN_OP_M_CUSTOM ? (call->count + 1) / 2 : call->count);
  if (call->op == BASIN_OP_M_RESHAPE || call->op == BASIN_OP_M_ZEROS ||
      call->op == BASIN_OP_M_IDENTITY) {
    if (call->count) basin__strbuf_puts(w->out, ", ");
    if (call->op == BASIN_OP_M_IDENTITY)
      basin__strbuf_printf(w->out, "%d", call->integers[0]);
    else
      basin__strbuf_printf(w->out, "%d, %d", call->integers[0], call->integers[1]);
  }
  basin__strbuf_puts(w->out, ")");
}

static void write_array(writer *w, uint32_t id)
{
  const basin_graph_array *array = basin__graph_array(w->graph, id);
  if (array && *array->name)
    basin__strbuf_puts(w->out, array->name);
  else
    basin__strbuf_printf(w->out, "array %u", id);
}

static void write_number(writer *w, double value, int least)
{
  bool minus = value < 0 && least > SUM;
  if (minus) basin__strbuf_puts(w->out, "(");
  basin__strbuf_double(w->out, value);
  if (minus) basin__strbuf_puts(w->out, ")");
}

static void write_load(writer *w, const basin_node *node)
{
  const basin_access *access = basin__access(w->graph, node->a);
  const basin_graph_array *array = basin__graph_array(w->graph, access->array);
  write_array(w, access->array);
  for (uint32_t i = 0; i < access->step_count; i++) {
    const basin_graph_connectivity *c =
        basin__graph_connectivity(w->graph, access->steps[i].connectivity);
    basin__strbuf_printf(w->out, "[%s %u]", c ? c->name : "?", access->steps[i].slot + 1);
  }
  if (!array || array->rows * array->cols > 1) basin__strbuf_printf(w->out, "(%u)", node->b + 1);
}

static void write_scalar(writer *w, basin_ref ref, int least)
{
  const basin_node *node = &w->graph->nodes[ref];
  const basin_ref args[3] = {node->a, node->b, node->c};
  switch (node->op) {
  case BASIN_OP_LOAD:
    write_load(w, node);
    return;
  case BASIN_OP_INNER:
    basin__strbuf_printf(w->out, "c%u", node->a + 1);
    return;
  case BASIN_OP_ADD:
    write_infix(w, " + ", args, SUM, least);
    return;
  case BASIN_OP_SUB:
    write_infix(w, " - ", args, SUM, least);
    return;
  case BASIN_OP_MUL:
    write_infix(w, " * ", args, PRODUCT, least);
    return;
  case BASIN_OP_DIV:
    write_infix(w, " / ", args, PRODUCT, least);
    return;
  case BASIN_OP_NEG:
    write_minus(w, args[0], least);
    return;
  default:
    break;
  }
  const basin_op_info *info = basin__op_info(node->op);
  basin__strbuf_puts(w->out, info->name);
  if (info->flags & BASIN_OP_OUTPUTS) basin__strbuf_printf(w->out, ".%u", node->c + 1);
  basin__strbuf_puts(w->out, "(");
  uint32_t count = basin__child_count(w->graph, ref);
  if (node->op == BASIN_OP_CUSTOM) count = (count + 1) / 2;
  for (uint32_t i = 0; i < count && !is_full(w); i++) {
    if (i) basin__strbuf_puts(w->out, ", ");
    write_node(w, basin__child(w->graph, ref, i), 0);
  }
  basin__strbuf_puts(w->out, ")");
}

static void write_node(writer *w, basin_ref ref, int least)
{
  const basin_graph *graph = w->graph;
  const basin_node *node = &graph->nodes[ref];
  double value;
  if (is_full(w) || w->depth == 0) {
    if (!is_full(w)) basin__strbuf_puts(w->out, "...");
    return;
  }
  w->depth--;
  if (basin__is_const(graph, ref, &value))
    write_number(w, value, least);
  else if (node->op == BASIN_OP_M_ARRAY)
    write_array(w, node->a);
  else if (!(basin__op_info(node->op)->flags & BASIN_OP_MATRIX))
    write_scalar(w, ref, least);
  else {
    basin_ref args[3] = {node->a, node->b, node->c};
    uint32_t count = basin__child_count(graph, ref), stored = basin__stored_integers(node->op);
    bool list = (basin__op_info(node->op)->flags & BASIN_OP_LIST) != 0;
    BASIN_ASSERT(list || count <= BASIN_COUNT(args));
    basin_call call = {NULL,
                       (basin_op)node->op,
                       list ? graph->lists + node->a : args,
                       count,
                       {node->rows, node->cols},
                       0,
                       0};
    for (uint32_t i = 0; i < stored; i++) call.integers[i] = basin__stored_integer(node, i);
    write_call(w, &call, least);
  }
  w->depth++;
}

/* Cuts the text to `limit` characters, the last three being dots. */
static void cut(basin_strbuf *text, size_t start, size_t limit)
{
  if (text->length - start <= limit || !text->data) return;
  size_t keep = limit > 3 ? limit - 3 : 0;
  while (keep && ((unsigned char)text->data[start + keep] & 0xc0) == 0x80)
    keep--; /* not inside a UTF-8 character */
  text->length = start + keep;
  text->data[text->length] = 0;
  if (limit >= 3) basin__strbuf_puts(text, "...");
}

void basin__text(basin_strbuf *text, const basin_graph *graph, basin_ref ref, size_t limit)
{
  size_t start = text->length;
  writer w = {text, graph, start + limit, 48};
  write_node(&w, ref, 0);
  cut(text, start, limit);
}

void basin__call_text(basin_strbuf *text, const basin_call *call, size_t limit)
{
  size_t start = text->length;
  writer w = {text, call->graph, start + limit, 48};
  write_call(&w, call, 0);
  cut(text, start, limit);
}

void basin__print_scalar(const basin_graph *graph, basin_ref ref, size_t limit, basin_strbuf *text)
{
  if (ref && ref <= basin__graph_count(graph)) basin__text(text, graph, ref, limit);
}

const char *basin_expression_text(basin_graph *graph, basin_expression expression, size_t limit)
{
  basin__strbuf_fini(&graph->text);
  basin__strbuf_init(&graph->text, graph->context);
  if (!expression || expression > basin__graph_count(graph)) return "";
  basin__text(&graph->text, graph, expression, limit);
  return basin__strbuf_text(&graph->text);
}
