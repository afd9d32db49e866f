/* Dumps of graphs as text that basin__graph_parse reads back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/print.h"
#include "graph/expression.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What is printed: marked nodes and declarations, and the number of each node in the text. */
typedef struct selection {
  const basin_graph *graph;
  basin_strbuf *out;
  basin_ref last;
  uint32_t *numbers;                         /* by reference: 0 = not printed */
  uint8_t *spaces, *arrays, *connectivities; /* by position in the graph's tables */
} selection;

static void print_name(basin_strbuf *out, const char *name)
{
  basin__strbuf_puts(out, "\"");
  for (; *name; name++) {
    unsigned char c = (unsigned char)*name;
    if (c == '"' || c == '\\' || c < 32 || c == 127)
      basin__strbuf_printf(out, "\\x%02x", c);
    else
      basin__strbuf_append(out, name, 1);
  }
  basin__strbuf_puts(out, "\"");
}

/* ---- selection ---- */

static void mark_space(selection *s, uint32_t id)
{
  while (id != BASIN_NONE) {
    const basin_graph_space *space = basin__graph_space(s->graph, id);
    if (!space) return;
    s->spaces[space - s->graph->spaces] = 1;
    id = space->parent;
  }
}

static void mark_array(selection *s, uint32_t id)
{
  const basin_graph_array *array = basin__graph_array(s->graph, id);
  if (!array) return;
  s->arrays[array - s->graph->arrays] = 1;
  mark_space(s, array->space);
}

static void mark_connectivity(selection *s, uint32_t id)
{
  const basin_graph_connectivity *c = basin__graph_connectivity(s->graph, id);
  if (!c) return;
  s->connectivities[c - s->graph->connectivities] = 1;
  mark_space(s, c->from);
  mark_space(s, c->to);
}

static void mark_declarations(selection *s, basin_ref ref)
{
  const basin_node *node = &s->graph->nodes[ref];
  if (node->op == BASIN_OP_M_ARRAY) mark_array(s, node->a);
  if (node->op == BASIN_OP_M_JOIN) mark_connectivity(s, node->b);
  if (node->op != BASIN_OP_LOAD) return;
  const basin_access *access = basin__access(s->graph, node->a);
  mark_array(s, access->array);
  for (uint32_t i = 0; i < access->step_count; i++)
    mark_connectivity(s, access->steps[i].connectivity);
}

static void mark(selection *s, const basin_ref *roots, uint32_t count)
{
  uint32_t number = 0;
  for (uint32_t i = 0; i < count; i++) s->numbers[roots[i]] = 1;
  for (basin_ref ref = s->last; ref > 0; ref--) {
    if (!s->numbers[ref]) continue;
    mark_declarations(s, ref);
    for (uint32_t i = 0, n = basin__child_count(s->graph, ref); i < n; i++)
      s->numbers[basin__child(s->graph, ref, i)] = 1;
  }
  for (basin_ref ref = 1; ref <= s->last; ref++)
    if (s->numbers[ref]) s->numbers[ref] = ++number;
}

/* ---- declarations ---- */

/* Parents before children, else by id; printed spaces get mark 2. */
static void print_space(selection *s, uint32_t id)
{
  const basin_graph_space *space = basin__graph_space(s->graph, id);
  size_t at = (size_t)(space - s->graph->spaces);
  if (s->spaces[at] != 1) return;
  s->spaces[at] = 2;
  if (space->parent != BASIN_NONE)
    print_space(s, space->parent); /* parents are declared first: no cycles, few levels */
  basin__strbuf_printf(s->out, "space %u", space->id);
  if (space->parent != BASIN_NONE) basin__strbuf_printf(s->out, " in %u", space->parent);
  basin__strbuf_puts(s->out, space->shared ? " shared " : " ");
  print_name(s->out, space->name);
  basin__strbuf_puts(s->out, "\n");
}

static void print_declarations(selection *s)
{
  const basin_graph *graph = s->graph;
  for (size_t i = 0; i < graph->space_count; i++)
    if (s->spaces[i]) print_space(s, graph->spaces[i].id);
  for (size_t i = 0; i < graph->array_count; i++) {
    const basin_graph_array *a = &graph->arrays[i];
    if (!s->arrays[i]) continue;
    basin__strbuf_printf(s->out,
                         "array %u in %u %u x %u %s ",
                         a->id,
                         a->space,
                         a->rows,
                         a->cols,
                         a->role == BASIN_ARRAY_DATA ? "data" : "constant");
    print_name(s->out, a->name);
    basin__strbuf_puts(s->out, "\n");
  }
  for (size_t i = 0; i < graph->connectivity_count; i++) {
    const basin_graph_connectivity *c = &graph->connectivities[i];
    if (!s->connectivities[i]) continue;
    basin__strbuf_printf(
        s->out, "connectivity %u from %u to %u arity %u ", c->id, c->from, c->to, c->arity);
    print_name(s->out, c->name);
    basin__strbuf_puts(s->out, "\n");
  }
}

/* ---- nodes ---- */

static void print_const(selection *s, basin_ref ref)
{
  double value;
  basin__is_const(s->graph, ref, &value);
  const basin_node *node = &s->graph->nodes[ref];
  basin__strbuf_puts(s->out, " ");
  if (isnan(value))
    basin__strbuf_printf(s->out, "0x%016" PRIx64, node->a | ((uint64_t)node->b << 32));
  else
    basin__strbuf_double(s->out, value);
}

static void print_load(selection *s, const basin_node *node)
{
  const basin_access *access = basin__access(s->graph, node->a);
  basin__strbuf_printf(s->out, " %u", access->array);
  for (uint32_t i = 0; i < access->step_count; i++)
    basin__strbuf_printf(s->out, " %u.%u", access->steps[i].connectivity, access->steps[i].slot);
  basin__strbuf_printf(s->out, " [%u]", node->b);
}

static void print_operands(selection *s, basin_ref ref)
{
  const basin_graph *graph = s->graph;
  const basin_node *node = &graph->nodes[ref];
  const basin_op_info *info = basin__op_info(node->op);
  uint32_t count = basin__child_count(graph, ref);
  for (uint32_t i = 0; i < count; i++)
    basin__strbuf_printf(s->out, " %%%u", s->numbers[basin__child(graph, ref, i)]);
  if (info->flags & BASIN_OP_OUTPUTS) basin__strbuf_printf(s->out, " [%u]", node->c);
  if (!(info->flags & BASIN_OP_MATRIX)) return;
  for (uint32_t i = 0; i < basin__stored_integers(node->op); i++)
    basin__strbuf_printf(s->out, " [%u]", (unsigned)basin__stored_integer(node, i));
}

static void print_node(selection *s, basin_ref ref)
{
  const basin_node *node = &s->graph->nodes[ref];
  const basin_op_info *info = basin__op_info(node->op);
  basin__strbuf_printf(s->out, "%%%u", s->numbers[ref]);
  if (info->flags & BASIN_OP_MATRIX)
    basin__strbuf_printf(s->out, " : %u x %u", node->rows, node->cols);
  basin__strbuf_printf(s->out, " = %s", *info->name == '.' ? info->name + 1 : info->name);
  switch (node->op) {
  case BASIN_OP_CONST:
    print_const(s, ref);
    break;
  case BASIN_OP_LOAD:
    print_load(s, node);
    break;
  case BASIN_OP_INNER:
    basin__strbuf_printf(s->out, " [%u]", node->a);
    break;
  default:
    print_operands(s, ref);
    break;
  }
  const char *script = basin__origin_script(s->graph, ref);
  if (script) {
    basin__strbuf_puts(s->out, "  # ");
    print_name(s->out, script);
    basin__strbuf_printf(s->out, " %d", basin__origin_line(s->graph, ref));
  }
  basin__strbuf_puts(s->out, "\n");
}

basin_status basin__graph_print(const basin_graph *graph,
                                const basin_ref *roots,
                                uint32_t count,
                                basin_strbuf *text)
{
  basin_context *context = graph->context;
  selection s = {graph, text, 0, NULL, NULL, NULL, NULL};
  for (uint32_t i = 0; i < count; i++)
    if (roots[i] > s.last) s.last = roots[i];
  size_t bytes = ((size_t)s.last + 1) * sizeof *s.numbers,
         marks = graph->space_count + graph->array_count + graph->connectivity_count;
  s.numbers = basin__calloc(context, 1, bytes);
  s.spaces = s.numbers ? basin__calloc(context, marks + 1, 1) : NULL;
  if (s.spaces) {
    s.arrays = s.spaces + graph->space_count;
    s.connectivities = s.arrays + graph->array_count;
    mark(&s, roots, count);
    print_declarations(&s);
    for (basin_ref ref = 1; ref <= s.last; ref++)
      if (s.numbers[ref]) print_node(&s, ref);
    basin__strbuf_puts(text, "result");
    for (uint32_t i = 0; i < count; i++) basin__strbuf_printf(text, " %%%u", s.numbers[roots[i]]);
    basin__strbuf_puts(text, "\n");
  }
  bool failed = !s.spaces || text->failed;
  basin__free(context, s.spaces, marks + 1);
  basin__free(context, s.numbers, bytes);
  return failed ? BASIN_ERROR_MEMORY : BASIN_OK;
}
