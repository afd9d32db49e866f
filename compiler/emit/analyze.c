/* What the printer must know before it prints: which values are needed, truth values, or the same
 * for all elements. SPDX-License-Identifier: Apache-2.0 */
#include "emit/printer.h"
#include "graph/ops.h"

#include <string.h>

/* Children of an instruction; list operators have theirs in the list pool. */
static uint32_t child_count(const basin_program *program, const basin_instruction *code)
{
  (void)program;
  const basin_op_info *info = basin__op_info(code->op);
  if (code->op == BASIN_OP_CUSTOM)
    return code->b ? 1 : 0; /* only the value; the derivatives were used before */
  if (info->flags & BASIN_OP_LIST) return code->b;
  return (uint32_t)info->arity;
}

static uint32_t child(const basin_program *program, const basin_instruction *code, uint32_t k)
{
  if (basin__op_info(code->op)->flags & BASIN_OP_LIST) return program->lists[code->a + k];
  return k == 0 ? code->a : k == 1 ? code->b : code->c;
}

static void mark_outputs(basin_printer *p)
{
  const basin_program *program = p->program;
  for (uint32_t i = 0; i < program->count; i++) p->first_output[i] = BASIN_NONE;
  for (uint32_t k = program->output_count; k-- > 0;) {
    uint32_t value = program->outputs[k];
    p->next_output[k] = p->first_output[value];
    p->first_output[value] = k;
    p->state[value] |= BASIN_PRINT_LIVE;
  }
}

static void mark_live(basin_printer *p)
{
  const basin_program *program = p->program;
  for (uint32_t i = program->count; i-- > 0;) {
    const basin_instruction *code = &program->code[i];
    if (!(p->state[i] & BASIN_PRINT_LIVE)) continue;
    for (uint32_t k = 0; k < child_count(program, code); k++)
      p->state[child(program, code, k)] |= BASIN_PRINT_LIVE;
    if (code->op == BASIN_OP_LOAD) p->loads[p->components[code->a] + code->b] = 1;
  }
}

static void mark_kinds(basin_printer *p)
{
  const basin_program *program = p->program;
  for (uint32_t i = 0; i < program->count; i++) {
    const basin_instruction *code = &program->code[i];
    const basin_op_info *info = basin__op_info(code->op);
    if (info->flags & BASIN_OP_BOOLEAN) p->state[i] |= BASIN_PRINT_MASK;
    if (code->op == BASIN_OP_LOAD && program->layouts[code->a].shared)
      p->state[i] |= BASIN_PRINT_UNIFORM;
    if (info->flags & BASIN_OP_LEAF) continue;
    bool uniform = true, constant = true;
    for (uint32_t k = 0; k < child_count(program, code); k++) {
      uint32_t c = child(program, code, k);
      bool is_constant = program->code[c].op == BASIN_OP_CONST;
      uniform = uniform && (is_constant || p->state[c] & BASIN_PRINT_UNIFORM);
      constant = constant && is_constant;
    }
    if (uniform && !constant) p->state[i] |= BASIN_PRINT_UNIFORM;
  }
}

/* Uniform numbers that something else reads are kept; truth values and single loads are cheap to
 * have again. */
static void keep(basin_printer *p, uint32_t value, uint32_t *uniform_count)
{
  uint16_t op = p->program->code[value].op;
  if (!(p->state[value] & BASIN_PRINT_UNIFORM) || op == BASIN_OP_LOAD ||
      p->state[value] & BASIN_PRINT_MASK)
    return;
  if (p->slots[value] == BASIN_NONE) p->slots[value] = (*uniform_count)++;
}

static void number_uniforms(basin_printer *p, uint32_t *uniform_count)
{
  const basin_program *program = p->program;
  for (uint32_t i = 0; i < program->count; i++) {
    const basin_instruction *code = &program->code[i];
    if (!(p->state[i] & BASIN_PRINT_LIVE)) continue;
    if (p->first_output[i] != BASIN_NONE) keep(p, i, uniform_count);
    bool here = !(p->state[i] & BASIN_PRINT_UNIFORM) || p->state[i] & BASIN_PRINT_MASK;
    for (uint32_t k = 0; here && k < child_count(program, code); k++)
      keep(p, child(program, code, k), uniform_count);
  }
}

static basin_status check_program(const basin_printer *p)
{
  const basin_program *program = p->program;
  for (uint32_t i = 0; i < program->count; i++) {
    const basin_instruction *code = &program->code[i];
    bool ok = code->op < BASIN_OP_COUNT && !(basin__op_info(code->op)->flags & BASIN_OP_MATRIX);
    if (ok && code->op == BASIN_OP_LOAD)
      ok = code->a < program->access_count && code->b < program->layouts[code->a].stride;
    else if (ok && basin__op_info(code->op)->flags & BASIN_OP_LIST)
      ok = code->a <= program->list_length && code->b <= program->list_length - code->a;
    for (uint32_t k = 0; ok && k < child_count(program, code); k++)
      ok = child(program, code, k) < i;
    if (!ok)
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_INTERNAL,
                        "kernel %s: instruction %u is malformed",
                        p->kernel->info.name,
                        i);
  }
  for (uint32_t k = 0; k < program->output_count; k++)
    if (program->outputs[k] >= program->count)
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_INTERNAL,
                        "kernel %s: output %u is malformed",
                        p->kernel->info.name,
                        k);
  return BASIN_OK;
}

static basin_status allocate(basin_printer *p)
{
  const basin_program *program = p->program;
  p->component_count = 0;
  for (uint32_t a = 0; a < program->access_count; a++)
    p->component_count += program->layouts[a].stride;
  p->state = basin__calloc(p->context, program->count + 1, sizeof *p->state);
  p->slots = basin__calloc(p->context, program->count + 1, sizeof *p->slots);
  p->first_output = basin__calloc(p->context, program->count + 1, sizeof *p->first_output);
  p->next_output = basin__calloc(p->context, program->output_count + 1, sizeof *p->next_output);
  p->components = basin__calloc(p->context, program->access_count + 1, sizeof *p->components);
  p->access_stream = basin__calloc(p->context, program->access_count + 1, sizeof *p->access_stream);
  p->loads = basin__calloc(p->context, p->component_count + 1, sizeof *p->loads);
  if (!p->state || !p->slots || !p->first_output || !p->next_output || !p->components ||
      !p->access_stream || !p->loads)
    return BASIN_ERROR_MEMORY;
  memset(p->slots, 0xff, (program->count + 1) * sizeof *p->slots);
  for (uint32_t a = 0, at = 0; a < program->access_count; at += program->layouts[a].stride, a++)
    p->components[a] = at;
  return BASIN_OK;
}

basin_status basin__printer_init(basin_printer *p,
                                 basin_context *context,
                                 const basin_kernel_program *kernel,
                                 basin_program_part part,
                                 uint32_t *uniform_count,
                                 basin_strbuf *text)
{
  *p = (basin_printer){.context = context, .text = text, .kernel = kernel, .part = part};
  p->program = part == BASIN_PART_INNER ? &kernel->inner : &kernel->outer;
  BASIN_TRY(check_program(p));
  BASIN_TRY(allocate(p));
  BASIN_TRY(basin__printer_streams(p));
  mark_outputs(p);
  mark_live(p);
  mark_kinds(p);
  number_uniforms(p, uniform_count);
  return BASIN_OK;
}

void basin__printer_fini(basin_printer *p)
{
  const basin_program *program = p->program;
  if (!program) return;
  basin__free(p->context, p->state, (program->count + 1) * sizeof *p->state);
  basin__free(p->context, p->slots, (program->count + 1) * sizeof *p->slots);
  basin__free(p->context, p->first_output, (program->count + 1) * sizeof *p->first_output);
  basin__free(p->context, p->next_output, (program->output_count + 1) * sizeof *p->next_output);
  basin__free(p->context, p->components, (program->access_count + 1) * sizeof *p->components);
  basin__free(p->context, p->access_stream, (program->access_count + 1) * sizeof *p->access_stream);
  basin__free(p->context, p->loads, (p->component_count + 1) * sizeof *p->loads);
  basin__free(p->context, p->streams, p->stream_capacity * sizeof *p->streams);
}
