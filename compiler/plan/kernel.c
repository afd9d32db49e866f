/* Kernel programs and their descriptions from scalar roots.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/ops.h"
#include "plan/plan.h"

#include <ctype.h>

/* Appends ids that are not yet in the list. */
static basin_status push_new(basin_context *context, basin_refs *list, uint32_t id)
{
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->items[i] == id) return BASIN_OK;
  return basin__refs_push(context, list, id);
}

static basin_status collect_ids(basin_context *context,
                                const basin_program *program,
                                basin_refs *arrays,
                                basin_refs *connectivities)
{
  for (uint32_t i = 0; i < program->access_count; ++i) {
    const basin_access *access = &program->accesses[i];
    BASIN_TRY(push_new(context, arrays, access->array));
    for (uint32_t k = 0; k < access->step_count; ++k)
      BASIN_TRY(push_new(context, connectivities, access->steps[k].connectivity));
  }
  return BASIN_OK;
}

static uint32_t operation_count(const basin_program *program)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < program->count; ++i)
    count += !(basin__op_info(program->code[i].op)->flags & BASIN_OP_LEAF);
  return count;
}

/* A C identifier from the plan's name and the stage. */
static const char *kernel_name(basin_plan *plan, const char *suffix)
{
  basin_strbuf name;
  basin__strbuf_init(&name, plan->context);
  for (const char *c = plan->name; *c; ++c) {
    char letter = isalnum((unsigned char)*c) ? *c : '_';
    if (c == plan->name && isdigit((unsigned char)*c)) basin__strbuf_puts(&name, "_");
    basin__strbuf_append(&name, &letter, 1);
  }
  basin__strbuf_printf(&name, "_%s", suffix);
  const char *copy =
      name.failed ? NULL : basin__arena_strdup(&plan->arena, basin__strbuf_text(&name));
  basin__strbuf_fini(&name);
  return copy;
}

static const char *kernel_comment(basin_plan *plan)
{
  basin_strbuf text;
  basin__strbuf_init(&text, plan->context);
  basin__strbuf_puts(&text, plan->name);
  if (plan->script) basin__strbuf_printf(&text, " (%s:%d)", plan->script, plan->line);
  const char *copy =
      text.failed ? NULL : basin__arena_strdup(&plan->arena, basin__strbuf_text(&text));
  basin__strbuf_fini(&text);
  return copy;
}

static basin_status
describe(basin_plan *plan, const basin_kernel_roots *roots, basin_kernel_program *kernel)
{
  basin_refs arrays = {0}, connectivities = {0};
  basin_kernel_info *info = &kernel->info;
  basin_status status = collect_ids(plan->context, &kernel->inner, &arrays, &connectivities);
  if (status == BASIN_OK)
    status = collect_ids(plan->context, &kernel->outer, &arrays, &connectivities);
  if (status == BASIN_OK)
    status =
        basin__plan_copy(plan, arrays.items, arrays.count * sizeof arrays.items[0], &info->arrays);
  if (status == BASIN_OK)
    status = basin__plan_copy(plan,
                              connectivities.items,
                              connectivities.count * sizeof connectivities.items[0],
                              &info->connectivities);
  info->array_count = arrays.count;
  info->connectivity_count = connectivities.count;
  basin__refs_fini(plan->context, &arrays);
  basin__refs_fini(plan->context, &connectivities);
  info->name = kernel_name(plan, roots->suffix);
  kernel->comment = kernel_comment(plan);
  info->stage = roots->stage;
  info->output_size = roots->stage == BASIN_STAGE_COMPUTE ? roots->inner_count : 0;
  info->local_size = roots->local_size;
  info->block = roots->block;
  info->inner_size = roots->inner_size;
  info->operations = operation_count(&kernel->inner) + operation_count(&kernel->outer);
  return status != BASIN_OK              ? status
         : info->name && kernel->comment ? BASIN_OK
                                         : BASIN_ERROR_MEMORY;
}

/* Numbers the components of equal name in the order of their first members. */
static uint32_t renumber(const uint32_t *names, uint32_t n, uint32_t *numbers)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t k = 0;
    while (names[k] != names[i]) ++k;
    numbers[i] = k < i ? numbers[k] : count++;
  }
  return count;
}

/* Connected components of the pattern of the packed inner Hessian (inner outputs 1 + n ...). */
static basin_status
find_blocks(basin_plan *plan, const basin_kernel_roots *roots, basin_kernel_program *kernel)
{
  uint32_t n = roots->inner_size;
  uint32_t *names = basin__arena_alloc(&plan->arena, (n + 1u) * sizeof names[0]);
  uint32_t *numbers = basin__arena_alloc(&plan->arena, (n + 1u) * sizeof numbers[0]);
  if (!names || !numbers) return BASIN_ERROR_MEMORY;
  basin__hessian_components(plan->graph, roots->inner + 1 + n, n, names);
  kernel->block_count = renumber(names, n, numbers);
  kernel->block_of = numbers;
  return BASIN_OK;
}

basin_status basin__plan_add_kernel(basin_plan *plan, const basin_kernel_roots *roots)
{
  basin_kernel_program *kernel = basin__arena_alloc(&plan->arena, sizeof *kernel);
  if (!kernel) return BASIN_ERROR_MEMORY;
  *kernel = (basin_kernel_program){0};
  BASIN_TRY(
      basin__schedule(plan->graph, &plan->arena, roots->inner, roots->inner_count, &kernel->inner));
  BASIN_TRY(
      basin__schedule(plan->graph, &plan->arena, roots->outer, roots->outer_count, &kernel->outer));
  BASIN_TRY(describe(plan, roots, kernel));
  if (roots->stage == BASIN_STAGE_HESSIAN) BASIN_TRY(find_blocks(plan, roots, kernel));
  plan->kernels[roots->stage] = kernel;
  return BASIN_OK;
}

basin_status basin__plan_arrays(basin_plan *plan,
                                const basin_ref *roots,
                                uint32_t count,
                                const basin_array_id **arrays,
                                size_t *array_count)
{
  basin_refs nodes = {0}, ids = {0};
  basin_status status = basin__reachable(plan->graph, roots, count, NULL, 0, &nodes);
  for (uint32_t i = 0; i < nodes.count && status == BASIN_OK; ++i) {
    const basin_node *node = basin__node(plan->graph, nodes.items[i]);
    if (node->op == BASIN_OP_LOAD)
      status = push_new(plan->context, &ids, basin__access(plan->graph, node->a)->array);
  }
  if (status == BASIN_OK)
    status = basin__plan_copy(plan, ids.items, ids.count * sizeof ids.items[0], arrays);
  *array_count = ids.count;
  basin__refs_fini(plan->context, &nodes);
  basin__refs_fini(plan->context, &ids);
  return status;
}
