/* The public functions that build matrix expressions: checks, owners, nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/expression.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t basin__stored_integers(unsigned op)
{
  switch (op) {
  case BASIN_OP_M_MATRIX:
  case BASIN_OP_M_IDENTITY:
  case BASIN_OP_M_ZEROS:
  case BASIN_OP_M_RESHAPE:
    return 0;
  default:
    return (uint32_t)basin__op_info(op)->integer_count;
  }
}

int basin__stored_integer(const basin_node *node, uint32_t i)
{
  const basin_op_info *info = basin__op_info(node->op);
  uint32_t place = (uint32_t)info->arity + i;
  if (info->flags & BASIN_OP_LIST) return (int)node->c;
  return (int)(place == 0 ? node->a : place == 1 ? node->b : node->c);
}

basin_status basin__call_fail(
    const basin_call *call, basin_status status, const char *site, const char *format, ...)
{
  basin_graph *graph = call->graph;
  basin_strbuf expression;
  basin__strbuf_init(&expression, graph->context);
  char line[512];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  basin__call_text(&expression, call, 160);
  basin__fail(graph->context, status, site, "%s", line);
  const basin_origin *origin = &graph->origins[graph->origin];
  basin__error_where(graph->context, origin->script, origin->line, basin__strbuf_text(&expression));
  basin__strbuf_fini(&expression);
  return status;
}

static basin_status out_of_memory(basin_graph *graph)
{
  return BASIN_FAIL(graph->context, BASIN_ERROR_MEMORY, "out of memory in the expression graph");
}

/* ---- owners ---- */

/* `above` is a shared space over `space`. */
static bool is_shared_above(const basin_graph *graph, uint32_t above, uint32_t space)
{
  const basin_graph_space *top = basin__graph_space(graph, above);
  if (!top || !top->shared) return false;
  for (const basin_graph_space *s = basin__graph_space(graph, space); s;
       s = s->parent == BASIN_NONE ? NULL : basin__graph_space(graph, s->parent))
    if (s->id == above) return true;
  return false;
}

static const char *space_name(const basin_graph *graph, uint32_t id)
{
  const basin_graph_space *space = basin__graph_space(graph, id);
  return id == BASIN_SPACE_LITERAL ? "literal" : space ? space->name : "?";
}

/* " (gather it through \"t2v\": tetrahedra -> vertices)" for each connectivity between the two
 * spaces. */
static void append_joins(basin_strbuf *text, const basin_graph *graph, uint32_t a, uint32_t b)
{
  bool any = false;
  for (size_t i = 0; i < graph->connectivity_count; i++) {
    const basin_graph_connectivity *c = &graph->connectivities[i];
    if (!((c->from == a && c->to == b) || (c->from == b && c->to == a))) continue;
    basin__strbuf_printf(text,
                         "%s\"%s\" (%s to %s)",
                         any ? ", " : "; they can be joined through ",
                         c->name,
                         space_name(graph, c->from),
                         space_name(graph, c->to));
    any = true;
  }
  if (!any) basin__strbuf_puts(text, "; no connectivity joins them");
}

static basin_status owner_mismatch(const basin_call *call, uint32_t a, uint32_t b)
{
  basin_strbuf text;
  basin__strbuf_init(&text, call->graph->context);
  append_joins(&text, call->graph, a, b);
  basin_status status = BASIN_CALL_FAIL(call,
                                        BASIN_ERROR_OWNER,
                                        "%s: one operand belongs to \"%s\", another to \"%s\"%s",
                                        basin__op_info(call->op)->name,
                                        space_name(call->graph, a),
                                        space_name(call->graph, b),
                                        basin__strbuf_text(&text));
  basin__strbuf_fini(&text);
  return status;
}

basin_status basin__call_owner(const basin_call *call, uint32_t *result)
{
  const basin_graph *graph = call->graph;
  uint32_t owner = BASIN_SPACE_LITERAL;
  for (uint32_t i = 0; i < call->count; i++) {
    uint32_t other = graph->side[call->arguments[i]].owner;
    if (other == owner || other == BASIN_SPACE_LITERAL) continue;
    if (owner == BASIN_SPACE_LITERAL || is_shared_above(graph, owner, other))
      owner = other;
    else if (!is_shared_above(graph, other, owner))
      return owner_mismatch(call, owner, other);
  }
  *result = owner;
  return BASIN_OK;
}

/* ---- nodes ---- */

basin_ref basin__call_node(const basin_call *call, uint32_t owner)
{
  static const uint32_t none = 0;
  basin_node node = {(uint16_t)call->op, (uint8_t)call->rows, (uint8_t)call->cols, 0, 0, 0};
  uint32_t stored = basin__stored_integers(call->op);
  if (basin__op_info(call->op)->flags & BASIN_OP_LIST) {
    node.b = call->count;
    node.c = stored ? (uint32_t)call->integers[0] : 0;
    return basin__intern(call->graph, &node, call->count ? call->arguments : &none, owner);
  }
  uint32_t payload[3] = {0, 0, 0};
  for (uint32_t i = 0; i < call->count; i++) payload[i] = call->arguments[i];
  for (uint32_t i = 0; i < stored; i++) payload[call->count + i] = (uint32_t)call->integers[i];
  node.a = payload[0];
  node.b = payload[1];
  node.c = payload[2];
  return basin__intern(call->graph, &node, NULL, owner);
}

/* A matrix node or a literal. */
static bool is_expression(const basin_graph *graph, basin_ref ref)
{
  if (!ref || ref > basin__graph_count(graph)) return false;
  unsigned op = graph->nodes[ref].op;
  return op == BASIN_OP_CONST || (basin__op_info(op)->flags & BASIN_OP_MATRIX);
}

static basin_status
check_arguments(basin_graph *graph, const basin_expression *arguments, size_t count)
{
  if (graph->failed) return out_of_memory(graph);
  if (count > UINT16_MAX)
    return BASIN_FAIL(graph->context,
                      BASIN_ERROR_LENGTH,
                      "an operator with %zu operands; at most 65535 are possible",
                      count);
  for (size_t i = 0; i < count; i++)
    if (!is_expression(graph, arguments[i]))
      return BASIN_FAIL(graph->context,
                        BASIN_ERROR_ARGUMENT,
                        "operand %zu is no expression of this graph",
                        i + 1);
  return BASIN_OK;
}

static basin_status finish(basin_call *call, basin_expression *result)
{
  uint32_t owner;
  BASIN_TRY(basin__call_shape(call));
  BASIN_TRY(basin__call_owner(call, &owner));
  *result = basin__call_node(call, owner);
  return *result ? BASIN_OK : out_of_memory(call->graph);
}

basin_status basin_expression_constant(basin_graph *graph, double value, basin_expression *result)
{
  *result = basin__const(graph, value);
  return *result ? BASIN_OK : out_of_memory(graph);
}

basin_status basin_expression_array(basin_graph *graph, basin_array_id id, basin_expression *result)
{
  *result = 0;
  const basin_graph_array *array = basin__graph_array(graph, id);
  if (!array) return BASIN_FAIL(graph->context, BASIN_ERROR_STATE, "array %u is not declared", id);
  basin_node node = {BASIN_OP_M_ARRAY, array->rows, array->cols, id, 0, 0};
  *result = basin__intern(graph, &node, NULL, array->space);
  return *result ? BASIN_OK : out_of_memory(graph);
}

basin_status basin_expression_join(basin_graph *graph,
                                   basin_connectivity_id id,
                                   basin_expression source,
                                   basin_expression *result)
{
  *result = 0;
  BASIN_TRY(check_arguments(graph, &source, 1));
  const basin_graph_connectivity *c = basin__graph_connectivity(graph, id);
  if (!c)
    return BASIN_FAIL(graph->context, BASIN_ERROR_STATE, "connectivity %u is not declared", id);
  basin_call call = {graph, BASIN_OP_M_JOIN, &source, 1, {(int)id, 0}, 0, 0};
  if (c->arity == 0)
    return BASIN_CALL_FAIL(&call,
                           BASIN_ERROR_UNSUPPORTED,
                           "\"%s\" has a different number of entries for each instance: only sum "
                           "and mean go through it",
                           c->name);
  uint32_t owner = graph->side[source].owner;
  if (owner != c->to && owner != BASIN_SPACE_LITERAL && !is_shared_above(graph, owner, c->to))
    return BASIN_CALL_FAIL(
        &call,
        BASIN_ERROR_OWNER,
        "\"%s\" leads from \"%s\" to \"%s\", but the expression belongs to \"%s\"",
        c->name,
        space_name(graph, c->from),
        space_name(graph, c->to),
        space_name(graph, owner));
  if (graph->joins[source] >= BASIN_PATH_MAX)
    return BASIN_CALL_FAIL(
        &call, BASIN_ERROR_UNSUPPORTED, "more than %d connectivities in a row", BASIN_PATH_MAX);
  call.rows = c->arity == 1 ? basin__rows(graph, source) : c->arity;
  call.cols = c->arity == 1 ? basin__cols(graph, source) : basin__size(graph, source);
  if (call.rows > 255 || call.cols > 255)
    return BASIN_CALL_FAIL(&call,
                           BASIN_ERROR_SHAPE,
                           "the result would be %u x %u; at most 255 rows and columns are possible",
                           call.rows,
                           call.cols);
  *result = basin__call_node(&call, c->from);
  return *result ? BASIN_OK : out_of_memory(graph);
}

/* ---- operators by name ---- */

static basin_status unknown_operator(basin_graph *graph, const char *name)
{
  const char *near = basin__op_nearest(name);
  basin_status status =
      near ? BASIN_FAIL(graph->context,
                        BASIN_ERROR_NAME,
                        "unknown operator \"%s\"; did you mean \"%s\"?",
                        name,
                        near)
           : BASIN_FAIL(graph->context, BASIN_ERROR_NAME, "unknown operator \"%s\"", name);
  basin__error_where(graph->context,
                     graph->origins[graph->origin].script,
                     graph->origins[graph->origin].line,
                     NULL);
  return status;
}

basin_status basin_expression_apply(basin_graph *graph,
                                    const char *name,
                                    const basin_expression *arguments,
                                    size_t count,
                                    const int *integers,
                                    size_t integer_count,
                                    basin_expression *result)
{
  *result = 0;
  basin_op op = basin__op_find(name, strlen(name), true);
  if (op == BASIN_OP_COUNT || *basin__op_info(op)->name == '.')
    return unknown_operator(graph, name);
  if (op == BASIN_OP_M_AT && integer_count == 1) op = BASIN_OP_M_ENTRY;
  const basin_op_info *info = basin__op_info(op);
  BASIN_TRY(check_arguments(graph, arguments, count));
  basin_call call = {graph, op, arguments, (uint32_t)count, {0, 0}, 0, 0};
  if (info->arity < 0 ? count == 0 : count != (size_t)info->arity)
    return info->arity < 0
               ? BASIN_CALL_FAIL(&call, BASIN_ERROR_LENGTH, "%s: needs at least one operand", name)
               : BASIN_CALL_FAIL(&call,
                                 BASIN_ERROR_LENGTH,
                                 "%s: needs %d operands, got %zu",
                                 name,
                                 info->arity,
                                 count);
  if (integer_count != (size_t)info->integer_count)
    return BASIN_CALL_FAIL(&call,
                           BASIN_ERROR_LENGTH,
                           "%s: needs %d whole numbers, got %zu",
                           name,
                           info->integer_count,
                           integer_count);
  for (size_t i = 0; i < integer_count; i++) call.integers[i] = integers[i];
  return finish(&call, result);
}

basin_status basin_expression_custom(basin_graph *graph,
                                     basin_expression value,
                                     const basin_expression *arguments,
                                     const basin_expression *derivatives,
                                     size_t count,
                                     basin_expression *result)
{
  *result = 0;
  BASIN_TRY(check_arguments(graph, &value, 1));
  BASIN_TRY(check_arguments(graph, arguments, count));
  BASIN_TRY(check_arguments(graph, derivatives, count));
  size_t length = 1 + 2 * count;
  basin_ref *list = basin__alloc(graph->context, length * sizeof *list);
  if (!list) return BASIN_ERROR_MEMORY;
  list[0] = value;
  for (size_t i = 0; i < count; i++) {
    list[1 + i] = arguments[i];
    list[1 + count + i] = derivatives[i];
  }
  basin_call call = {graph,
                     BASIN_OP_M_CUSTOM,
                     list,
                     (uint32_t)length,
                     {(int)count, 0},
                     basin__rows(graph, value),
                     basin__cols(graph, value)};
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < count && !status; i++) {
    unsigned rows = basin__size(graph, value), cols = basin__size(graph, arguments[i]);
    if (basin__rows(graph, derivatives[i]) != rows || basin__cols(graph, derivatives[i]) != cols)
      status = BASIN_CALL_FAIL(&call,
                               BASIN_ERROR_SHAPE,
                               "custom: derivative %zu is %u x %u; value and argument have %u and "
                               "%u entries, so it must be %u x %u",
                               i + 1,
                               basin__rows(graph, derivatives[i]),
                               basin__cols(graph, derivatives[i]),
                               rows,
                               cols,
                               rows,
                               cols);
  }
  if (!status) status = finish(&call, result);
  basin__free(graph->context, list, length * sizeof *list);
  return status;
}

/* ---- questions ---- */

void basin_expression_shape(const basin_graph *graph,
                            basin_expression expression,
                            unsigned *rows,
                            unsigned *cols)
{
  bool valid = expression && expression <= basin__graph_count(graph);
  *rows = valid ? basin__rows(graph, expression) : 0;
  *cols = valid ? basin__cols(graph, expression) : 0;
}

basin_space_id basin_expression_owner(const basin_graph *graph, basin_expression expression)
{
  bool valid = expression && expression <= basin__graph_count(graph);
  return valid ? graph->side[expression].owner : BASIN_SPACE_LITERAL;
}

bool basin_expression_is_literal(const basin_graph *graph,
                                 basin_expression expression,
                                 double *value)
{
  if (!expression || expression > basin__graph_count(graph)) return false;
  return basin__is_const(graph, expression, value);
}

static int compare_ids(const void *a, const void *b)
{
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* Payload of every node with operator `op` that the expression reaches, ascending, each once. */
static const uint32_t *collect(basin_graph *graph, basin_ref root, basin_op op, size_t *count)
{
  *count = 0;
  if (!root || root > basin__graph_count(graph)) return NULL;
  uint8_t *reached = basin__calloc(graph->context, (size_t)root + 1, 1);
  if (!reached) return NULL;
  reached[root] = 1;
  for (basin_ref ref = root; ref > 0; ref--) {
    if (!reached[ref]) continue;
    const basin_node *node = &graph->nodes[ref];
    if (!(basin__op_info(node->op)->flags & BASIN_OP_MATRIX)) continue;
    for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++)
      reached[basin__child(graph, ref, i)] = 1;
    if (node->op != op) continue;
    if (basin__grow(
            graph->context, &graph->ids, &graph->id_capacity, *count + 1, sizeof *graph->ids))
      break;
    graph->ids[(*count)++] = op == BASIN_OP_M_ARRAY ? node->a : node->b;
  }
  basin__free(graph->context, reached, (size_t)root + 1);
  if (*count) qsort(graph->ids, *count, sizeof *graph->ids, compare_ids);
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (!kept || graph->ids[kept - 1] != graph->ids[i]) graph->ids[kept++] = graph->ids[i];
  *count = kept;
  return graph->ids;
}

const basin_array_id *
basin_expression_arrays(basin_graph *graph, basin_expression expression, size_t *count)
{
  return collect(graph, expression, BASIN_OP_M_ARRAY, count);
}

const basin_connectivity_id *
basin_expression_connectivities(basin_graph *graph, basin_expression expression, size_t *count)
{
  return collect(graph, expression, BASIN_OP_M_JOIN, count);
}
