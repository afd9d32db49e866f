/* Prints the statements of one straight-line program.
 * SPDX-License-Identifier: Apache-2.0 */
#include "emit/printer.h"
#include "graph/ops.h"

#include <math.h>
#include <string.h>

void basin__print_comment(basin_strbuf *text, const char *comment)
{
  for (const char *c = comment; *c; c++)
    if (*c != '/' || c == comment || (c[-1] != '*' && c[1] != '*'))
      basin__strbuf_append(text, (unsigned char)*c < ' ' ? " " : c, 1);
}

static void print_literal(basin_printer *p, const basin_instruction *code)
{
  uint64_t bits = (uint64_t)code->b << 32 | code->a;
  double value;
  memcpy(&value, &bits, sizeof value);
  basin__strbuf_puts(p->text, "basin_broadcast(");
  if (isnan(value)) {
    basin__strbuf_puts(p->text, "basin_nan");
  } else if (isinf(value)) {
    basin__strbuf_puts(p->text, value < 0 ? "-basin_infinity" : "basin_infinity");
  } else {
    size_t start = p->text->length;
    basin__strbuf_double(p->text, value);
    if (!p->text->failed && !strpbrk(p->text->data + start, ".e"))
      basin__strbuf_puts(p->text, ".0");
  }
  basin__strbuf_puts(p->text, ")");
}

/* The first instruction with the operator and list of number `value`: it makes the call, the others
 * name its results. */
static uint32_t call_of(const basin_printer *p, uint32_t value)
{
  const basin_program *program = p->program;
  const basin_instruction *code = &program->code[value];
  for (uint32_t i = 0; i < value; i++) {
    const basin_instruction *other = &program->code[i];
    if (other->op == code->op && other->b == code->b && p->state[i] & BASIN_PRINT_LIVE &&
        memcmp(program->lists + other->a,
               program->lists + code->a,
               code->b * sizeof *program->lists) == 0)
      return i;
  }
  return value;
}

static void print_raw(basin_printer *p, uint32_t value)
{
  const basin_instruction *code = &p->program->code[value];
  if (!p->in_uniforms && p->slots[value] != BASIN_NONE) {
    basin__strbuf_printf(p->text, "BASIN_UNIFORM(%u)", p->slots[value]);
    return;
  }
  if (code->op == BASIN_OP_CONST)
    print_literal(p, code);
  else if (code->op == BASIN_OP_LOAD)
    basin__strbuf_printf(p->text, "a%u_%u", code->a, code->b);
  else if (code->op == BASIN_OP_INNER && basin__inner_row(p->kernel, 1 + code->a) == BASIN_NONE)
    basin__strbuf_puts(p->text, "basin_broadcast(0.0)");
  else if (basin__op_info(code->op)->flags & BASIN_OP_OUTPUTS)
    basin__strbuf_printf(p->text, "m%u[%u]", call_of(p, value), code->c);
  else
    basin__strbuf_printf(p->text, "v%u", value);
}

/* The value as a number or as a truth value, whichever the reader wants. */
static void print_operand(basin_printer *p, uint32_t value, bool as_mask)
{
  bool is_mask = p->state[value] & BASIN_PRINT_MASK;
  if (is_mask == as_mask) {
    print_raw(p, value);
    return;
  }
  basin__strbuf_puts(p->text, is_mask ? "basin_truth(" : "basin_ne(");
  print_raw(p, value);
  basin__strbuf_puts(p->text, is_mask ? ")" : ", basin_broadcast(0.0))");
}

static void print_line(basin_printer *p, uint32_t value)
{
  const basin_program *program = p->program;
  int line = program->lines ? program->lines[value] : 0;
  const char *script = program->scripts ? program->scripts[value] : NULL;
  if (line && (line != p->line || script != p->script)) {
    basin__strbuf_puts(p->text, " /* ");
    basin__print_comment(p->text, script ? script : "line ");
    basin__strbuf_printf(p->text, script ? ":%d */" : "%d */", line);
    p->line = line;
    p->script = script;
  }
  basin__strbuf_puts(p->text, "\n");
}

static void print_call(basin_printer *p, uint32_t value, const basin_op_info *info)
{
  const basin_instruction *code = &p->program->code[value];
  if (call_of(p, value) != value) return;
  basin__strbuf_printf(p->text,
                       "  real m%u[BASIN_OUTPUTS_OF(%s)]; %s(m%u",
                       value,
                       info->spelling,
                       info->spelling,
                       value);
  for (uint32_t k = 0; k < code->b; k++) {
    basin__strbuf_puts(p->text, ", ");
    print_operand(p, p->program->lists[code->a + k], false);
  }
  basin__strbuf_puts(p->text, ");");
  print_line(p, value);
}

/* The spelling with the operands in place, without the parentheses around all of it. */
static void print_spelling(basin_printer *p, uint32_t value, const basin_op_info *info)
{
  const basin_instruction *code = &p->program->code[value];
  const char *spelling = info->spelling;
  size_t length = strlen(spelling), start = 0;
  if (spelling[0] == '(' && spelling[length - 1] == ')') {
    start = 1;
    length--;
  }
  for (size_t i = start; i < length; i++) {
    if (spelling[i] != '$') {
      basin__strbuf_append(p->text, spelling + i, 1);
      continue;
    }
    uint32_t k = (uint32_t)(spelling[++i] - '0');
    uint32_t operand = k == 0 ? code->a : k == 1 ? code->b : code->c;
    if (info->flags & BASIN_OP_LIST) operand = p->program->lists[code->a + k];
    bool as_mask = info->flags & BASIN_OP_LOGICAL && (code->op != BASIN_OP_SELECT || k == 0);
    print_operand(p, operand, as_mask);
  }
}

static void print_instruction(basin_printer *p, uint32_t value)
{
  const basin_instruction *code = &p->program->code[value];
  const basin_op_info *info = basin__op_info(code->op);
  if (code->op == BASIN_OP_CONST) return;
  if (code->op == BASIN_OP_LOAD) {
    basin__print_load(p, code->a, code->b);
    return;
  }
  if (info->flags & BASIN_OP_OUTPUTS) {
    print_call(p, value, info);
    return;
  }
  if (code->op == BASIN_OP_INNER) {
    uint32_t row = basin__inner_row(p->kernel, 1 + code->a);
    if (row != BASIN_NONE)
      basin__strbuf_printf(p->text, "  const real v%u = BASIN_GET(%u);\n", value, row);
    return;
  }
  basin__strbuf_printf(
      p->text, "  const %s v%u = ", p->state[value] & BASIN_PRINT_MASK ? "mask" : "real", value);
  print_spelling(p, value, info);
  basin__strbuf_puts(p->text, ";");
  print_line(p, value);
}

/* Outputs leave as soon as their value is known, so that few values are alive at a time. */
static void print_outputs(basin_printer *p, uint32_t value)
{
  bool inner = p->part == BASIN_PART_INNER;
  for (uint32_t k = p->first_output[value]; k != BASIN_NONE; k = p->next_output[k]) {
    uint32_t place = inner ? basin__inner_row(p->kernel, k) : k;
    if (place == BASIN_NONE) continue;
    basin__strbuf_printf(p->text, inner ? "  BASIN_SET(%u, " : "  BASIN_OUT(%u, ", place);
    print_operand(p, value, false);
    basin__strbuf_puts(p->text, ");\n");
  }
}

static void restart(basin_printer *p, bool in_uniforms)
{
  p->in_uniforms = in_uniforms;
  p->line = 0;
  p->script = NULL;
  for (size_t s = 0; s < p->stream_count; s++) p->streams[s].done = false;
  for (uint32_t k = 0; k < p->component_count; k++) p->loads[k] = p->loads[k] != 0;
}

void basin__print_uniforms(basin_printer *p)
{
  restart(p, true);
  for (uint32_t i = 0; i < p->program->count; i++) {
    if (!(p->state[i] & BASIN_PRINT_LIVE) || !(p->state[i] & BASIN_PRINT_UNIFORM)) continue;
    print_instruction(p, i);
    if (p->slots[i] == BASIN_NONE) continue;
    basin__strbuf_printf(p->text, "  BASIN_UNIFORM(%u) = ", p->slots[i]);
    print_raw(p, i);
    basin__strbuf_puts(p->text, ";\n");
  }
}

void basin__print_body(basin_printer *p)
{
  restart(p, false);
  for (uint32_t i = 0; i < p->program->count; i++) {
    uint16_t op = p->program->code[i].op;
    bool elsewhere = p->state[i] & BASIN_PRINT_UNIFORM && op != BASIN_OP_LOAD &&
                     !(p->state[i] & BASIN_PRINT_MASK);
    if (!(p->state[i] & BASIN_PRINT_LIVE)) continue;
    if (!elsewhere) print_instruction(p, i);
    print_outputs(p, i);
  }
}

bool basin__printer_has_calls(const basin_printer *p)
{
  for (uint32_t i = 0; p->program && i < p->program->count; i++)
    if (p->state[i] & BASIN_PRINT_LIVE &&
        basin__op_info(p->program->code[i].op)->flags & BASIN_OP_OUTPUTS)
      return true;
  return false;
}

bool basin__printer_has_uniforms(const basin_printer *p)
{
  for (uint32_t i = 0; i < p->program->count; i++)
    if (p->state[i] & BASIN_PRINT_LIVE && p->state[i] & BASIN_PRINT_UNIFORM) return true;
  return false;
}
