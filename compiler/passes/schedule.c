/* Scalar graphs to straight-line programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/ops.h"
#include "passes/pass.h"

#include <string.h>

/* State of one scheduling: nodes in the order they will run, and where each went. */
typedef struct schedule {
  basin_graph *graph;
  basin_context *context;
  basin_refs order;
  uint32_t *value_of; /* by reference: 1 + value number */
  size_t value_count;
  basin_refs stack;
  basin_refs accesses; /* graph access numbers in program order */
  basin_refs lists;
} schedule;

/* Depth first, children before parents: a value is made directly before its first use. */
static basin_status place(schedule *s, basin_ref root)
{
  BASIN_TRY(basin__refs_push(s->context, &s->stack, root));
  while (s->stack.count) {
    basin_ref ref = s->stack.items[s->stack.count - 1];
    bool ready = true;
    if (!s->value_of[ref]) {
      uint32_t children = basin__child_count(s->graph, ref);
      for (uint32_t i = children; i-- > 0;) {
        basin_ref child = basin__child(s->graph, ref, i);
        if (s->value_of[child]) continue;
        BASIN_TRY(basin__refs_push(s->context, &s->stack, child));
        ready = false;
      }
    }
    if (!ready) continue;
    s->stack.count--;
    if (s->value_of[ref]) continue;
    BASIN_TRY(basin__refs_push(s->context, &s->order, ref));
    s->value_of[ref] = s->order.count;
  }
  return BASIN_OK;
}

static basin_status access_number(schedule *s, uint32_t access, uint32_t *number)
{
  for (*number = 0; *number < s->accesses.count; ++*number)
    if (s->accesses.items[*number] == access) return BASIN_OK;
  return basin__refs_push(s->context, &s->accesses, access);
}

static basin_status encode(schedule *s, basin_ref ref, basin_instruction *instruction)
{
  const basin_node *node = basin__node(s->graph, ref);
  const basin_op_info *info = basin__op_info(node->op);
  *instruction = (basin_instruction){.op = node->op, .a = node->a, .b = node->b, .c = node->c};
  if (node->op == BASIN_OP_LOAD) return access_number(s, node->a, &instruction->a);
  if (info->flags & BASIN_OP_LEAF) return BASIN_OK;
  uint32_t children = basin__child_count(s->graph, ref);
  if (info->flags & BASIN_OP_LIST) {
    instruction->a = s->lists.count;
    instruction->b = children;
    for (uint32_t i = 0; i < children; ++i)
      BASIN_TRY(
          basin__refs_push(s->context, &s->lists, s->value_of[basin__child(s->graph, ref, i)] - 1));
    return BASIN_OK;
  }
  uint32_t *fields[3] = {&instruction->a, &instruction->b, &instruction->c};
  for (uint32_t i = 0; i < 3; ++i)
    *fields[i] = i < children ? s->value_of[basin__child(s->graph, ref, i)] - 1 : 0;
  return BASIN_OK;
}

static void *copy_into(basin_arena *arena, const void *data, size_t size)
{
  void *copy = basin__arena_alloc(arena, size ? size : 1);
  if (copy && size) memcpy(copy, data, size);
  return copy;
}

static basin_status emit_code(schedule *s, basin_arena *arena, basin_program *program)
{
  uint32_t count = s->order.count;
  basin_instruction *code = basin__arena_alloc(arena, (count + 1u) * sizeof code[0]);
  int *lines = basin__arena_alloc(arena, (count + 1u) * sizeof lines[0]);
  const char **scripts = basin__arena_alloc(arena, (count + 1u) * sizeof scripts[0]);
  if (!code || !lines || !scripts) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < count; ++i) {
    BASIN_TRY(encode(s, s->order.items[i], &code[i]));
    lines[i] = basin__origin_line(s->graph, s->order.items[i]);
    const char *script = basin__origin_script(s->graph, s->order.items[i]);
    scripts[i] = i && script && scripts[i - 1] && !strcmp(script, scripts[i - 1]) ? scripts[i - 1]
                 : script ? basin__arena_strdup(arena, script)
                          : NULL;
  }
  program->code = code;
  program->count = count;
  program->lines = lines;
  program->scripts = scripts;
  program->lists = copy_into(arena, s->lists.items, s->lists.count * sizeof s->lists.items[0]);
  program->list_length = s->lists.count;
  return program->lists ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static basin_status emit_accesses(schedule *s, basin_arena *arena, basin_program *program)
{
  uint32_t count = s->accesses.count;
  basin_access *accesses = basin__arena_alloc(arena, (count + 1u) * sizeof accesses[0]);
  basin_access_layout *layouts = basin__arena_alloc(arena, (count + 1u) * sizeof layouts[0]);
  if (!accesses || !layouts) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < count; ++i) {
    accesses[i] = *basin__access(s->graph, s->accesses.items[i]);
    BASIN_TRY(basin__access_layout(s->graph, arena, &accesses[i], &layouts[i]));
  }
  program->accesses = accesses;
  program->layouts = layouts;
  program->access_count = count;
  return BASIN_OK;
}

static basin_status run(schedule *s,
                        basin_arena *arena,
                        const basin_ref *roots,
                        uint32_t root_count,
                        basin_program *program)
{
  s->value_count = basin__graph_count(s->graph) + 1u;
  s->value_of = basin__calloc(s->context, s->value_count, sizeof s->value_of[0]);
  if (!s->value_of) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < root_count; ++i) BASIN_TRY(place(s, roots[i]));
  BASIN_TRY(emit_code(s, arena, program));
  BASIN_TRY(emit_accesses(s, arena, program));
  uint32_t *outputs = basin__arena_alloc(arena, (root_count + 1u) * sizeof outputs[0]);
  if (!outputs) return BASIN_ERROR_MEMORY;
  for (uint32_t i = 0; i < root_count; ++i) outputs[i] = s->value_of[roots[i]] - 1;
  program->outputs = outputs;
  program->output_count = root_count;
  return BASIN_OK;
}

basin_status basin__schedule(basin_graph *graph,
                             basin_arena *arena,
                             const basin_ref *roots,
                             uint32_t root_count,
                             basin_program *program)
{
  schedule s = {.graph = graph, .context = basin__graph_context(graph)};
  *program = (basin_program){0};
  basin_status status = run(&s, arena, roots, root_count, program);
  basin__free(s.context, s.value_of, s.value_of ? s.value_count * sizeof s.value_of[0] : 0);
  basin__refs_fini(s.context, &s.order);
  basin__refs_fini(s.context, &s.stack);
  basin__refs_fini(s.context, &s.accesses);
  basin__refs_fini(s.context, &s.lists);
  return status;
}
