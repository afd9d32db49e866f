/* Makes interpreter kernels: copies of programs with ids resolved to the kernel's numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/interp.h"
#include "backend/interp_project.h"
#include "graph/ops.h"
#include "graph/small_matrix.h"

#include <string.h>

static void *copy(basin_arena *arena, const void *data, size_t size)
{
  void *result = basin__arena_alloc(arena, size ? size : 1);
  if (result && size) memcpy(result, data, size);
  return result;
}

static uint32_t find(const uint32_t *ids, uint32_t count, uint32_t id)
{
  uint32_t k = 0;
  while (k < count && ids[k] != id) k++;
  return k;
}

static basin_status
resolve(basin_context *context, const basin_kernel_info *info, basin_interp_program *p)
{
  for (uint32_t a = 0; a < p->program.access_count; a++) {
    const basin_access *access = &p->program.accesses[a];
    p->arrays[a] = find(info->arrays, info->array_count, access->array);
    bool found = p->arrays[a] < info->array_count;
    for (uint32_t s = 0; s < access->step_count; s++) {
      uint32_t k =
          find(info->connectivities, info->connectivity_count, access->steps[s].connectivity);
      p->connectivities[a * BASIN_PATH_MAX + s] = k;
      found = found && k < info->connectivity_count;
      if (p->program.layouts[a].arities[s] == 0)
        return BASIN_FAIL(
            context,
            BASIN_ERROR_UNSUPPORTED,
            "kernel %s follows a connectivity of variable arity, which only a reduction can do",
            info->name);
    }
    if (!found)
      return BASIN_FAIL(
          context, BASIN_ERROR_INTERNAL, "kernel %s reads data that it does not list", info->name);
  }
  return BASIN_OK;
}

static bool
same_call(const basin_program *program, const basin_instruction *x, const basin_instruction *y)
{
  return x->op == y->op && x->b == y->b &&
         memcmp(program->lists + x->a, program->lists + y->a, x->b * sizeof *program->lists) == 0;
}

static void number_calls(basin_interp_program *p)
{
  const basin_program *program = &p->program;
  for (uint32_t i = 0; i < program->count; i++) {
    const basin_instruction *code = &program->code[i];
    if (!(basin__op_info(code->op)->flags & BASIN_OP_OUTPUTS)) continue;
    uint32_t first = 0;
    while (first < i && !same_call(program, &program->code[first], code)) first++;
    if (first < i) {
      p->calls[i] = p->calls[first] | BASIN_CALL_AGAIN;
    } else {
      p->calls[i] = p->call_size;
      p->call_size += basin__small_matrix_outputs((basin_op)code->op);
    }
  }
}

static basin_status
check_code(basin_context *context, const char *name, const basin_program *program)
{
  for (uint32_t i = 0; i < program->count; i++) {
    const basin_instruction *code = &program->code[i];
    bool ok = code->op < BASIN_OP_COUNT && !(basin__op_info(code->op)->flags & BASIN_OP_MATRIX);
    if (ok && code->op == BASIN_OP_LOAD)
      ok = code->a < program->access_count && code->b < program->layouts[code->a].stride;
    if (ok && basin__op_info(code->op)->flags & BASIN_OP_LIST)
      ok = code->a <= program->list_length && code->b <= program->list_length - code->a;
    if (!ok)
      return BASIN_FAIL(
          context, BASIN_ERROR_INTERNAL, "kernel %s: instruction %u is malformed", name, i);
  }
  return BASIN_OK;
}

static basin_status
copy_program(basin_interp_kernel *kernel, const basin_program *from, basin_interp_program *to)
{
  basin_arena *arena = &kernel->arena;
  BASIN_TRY(check_code(kernel->context, kernel->info.name, from));
  to->program = *from;
  to->program.code = copy(arena, from->code, from->count * sizeof *from->code);
  to->program.lists = copy(arena, from->lists, from->list_length * sizeof *from->lists);
  to->program.accesses = copy(arena, from->accesses, from->access_count * sizeof *from->accesses);
  to->program.layouts = copy(arena, from->layouts, from->access_count * sizeof *from->layouts);
  to->program.outputs = copy(arena, from->outputs, from->output_count * sizeof *from->outputs);
  to->program.lines = NULL;
  to->program.scripts = NULL;
  to->arrays = basin__arena_alloc(arena, (from->access_count + 1) * sizeof *to->arrays);
  to->connectivities = basin__arena_alloc(
      arena, (from->access_count + 1) * BASIN_PATH_MAX * sizeof *to->connectivities);
  to->calls = basin__arena_alloc(arena, (from->count + 1) * sizeof *to->calls);
  if (!to->program.code || !to->program.lists || !to->program.accesses || !to->program.layouts ||
      !to->program.outputs || !to->arrays || !to->connectivities || !to->calls)
    return BASIN_ERROR_MEMORY;
  number_calls(to);
  return resolve(kernel->context, &kernel->info, to);
}

static basin_status copy_kernel(basin_interp_kernel *kernel, const basin_kernel_program *program)
{
  basin_kernel_info *info = &kernel->info;
  *info = program->info;
  info->name = basin__arena_strdup(&kernel->arena, info->name ? info->name : "kernel");
  info->arrays = copy(&kernel->arena, info->arrays, info->array_count * sizeof *info->arrays);
  info->connectivities = copy(&kernel->arena,
                              info->connectivities,
                              info->connectivity_count * sizeof *info->connectivities);
  kernel->block_count = program->block_count;
  kernel->block_of = copy(&kernel->arena,
                          program->block_of,
                          program->block_of ? info->inner_size * sizeof(uint32_t) : 0);
  if (!info->name || !info->arrays || !info->connectivities || !kernel->block_of)
    return BASIN_ERROR_MEMORY;
  BASIN_TRY(copy_program(kernel, &program->inner, &kernel->inner));
  return copy_program(kernel, &program->outer, &kernel->outer);
}

static size_t program_scratch(const basin_interp_program *p)
{
  return p->program.count + p->call_size + p->program.output_count +
         (p->program.access_count + 1) / 2;
}

basin_status basin__interp_create(basin_context *context,
                                  const basin_kernel_program *program,
                                  basin_interp_kernel **kernel)
{
  basin_interp_kernel *result = basin__calloc(context, 1, sizeof *result);
  *kernel = NULL;
  if (!result) return BASIN_ERROR_MEMORY;
  result->context = context;
  basin__arena_init(&result->arena, context);
  basin_status status = copy_kernel(result, program);
  if (status != BASIN_OK) {
    basin__interp_destroy(result);
    return status;
  }
  size_t n = program->info.inner_size;
  result->scratch_size =
      sizeof(double) * (program_scratch(&result->inner) + program_scratch(&result->outer) +
                        BASIN_PROJECT_WORK(n) + n * (n + 1) / 2);
  *kernel = result;
  return BASIN_OK;
}

void basin__interp_destroy(basin_interp_kernel *kernel)
{
  if (!kernel) return;
  basin__arena_fini(&kernel->arena);
  basin__free(kernel->context, kernel, sizeof *kernel);
}
