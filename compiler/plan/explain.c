/* The human-readable account of a plan, and the dumps of its stages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/print.h"
#include "plan/plan.h"

#include <string.h>

static void explain_access(basin_plan *plan, const basin_unknown_access *unknown)
{
  basin_strbuf *text = &plan->text;
  basin__strbuf_printf(text, "    %s", basin__array_name(plan->graph, unknown->access.array));
  for (uint32_t i = 0; i < unknown->access.step_count; ++i)
    basin__strbuf_printf(
        text,
        "%s%s[%u]",
        i ? "." : " through ",
        basin__connectivity_name(plan->graph, unknown->access.steps[i].connectivity),
        unknown->access.steps[i].slot + 1);
  basin__strbuf_printf(text,
                       ", %u x %u%s\n",
                       unknown->rows,
                       unknown->cols,
                       unknown->output ? "" : ", held: takes part in the projection only");
}

static void explain_unknowns(basin_plan *plan)
{
  uint32_t local = 0;
  for (size_t i = 0; i < plan->info.unknown_count; ++i)
    if (plan->info.unknowns[i].output) local += plan->info.unknowns[i].size;
  basin__strbuf_printf(&plan->text, "  unknowns: %u numbers an instance\n", local);
  for (size_t i = 0; i < plan->info.unknown_count; ++i)
    explain_access(plan, &plan->info.unknowns[i]);
}

static const basin_refs *stage_roots(const basin_plan *plan, const char *name)
{
  uint32_t count;
  const basin_pass *passes = basin__pipeline_passes(&count);
  for (uint32_t i = 0; i < count; ++i)
    if (!strcmp(passes[i].name, name)) return &plan->stages[i];
  return NULL;
}

static void explain_inner(basin_plan *plan)
{
  basin_strbuf *text = &plan->text;
  const basin_refs *frontier = stage_roots(plan, "frontier");
  basin__strbuf_printf(text,
                       "  inner variables: %u%s\n",
                       plan->info.inner_size,
                       plan->project_unknowns ? " (the unknowns themselves, as asked)" : "");
  for (uint32_t i = 0; frontier && i < frontier->count; ++i) {
    basin__strbuf_printf(text, "    c%u = ", i + 1);
    basin__print_scalar(plan->graph, frontier->items[i], 100, text);
    basin__strbuf_puts(text, "\n");
  }
}

/* Nonzeros and blocks of the inner Hessian. */
static void explain_hessian(basin_plan *plan)
{
  basin_strbuf *text = &plan->text;
  const basin_kernel_program *kernel = plan->kernels[BASIN_STAGE_HESSIAN];
  const basin_refs *hessian = stage_roots(plan, "hessian");
  uint32_t nonzero = 0, total = hessian ? hessian->count : 0;
  for (uint32_t i = 0; i < total; ++i) nonzero += !basin__is_zero(plan->graph, hessian->items[i]);
  basin__strbuf_printf(text,
                       "  inner Hessian: %u of %u entries of a triangle, %u diagonal block%s\n",
                       nonzero,
                       total,
                       kernel->block_count,
                       kernel->block_count == 1 ? "" : "s");
  basin__strbuf_printf(
      text, "  constant Hessian: %s\n", plan->info.constant_hessian ? "yes" : "no");
  if (plan->info.convex_proven)
    basin__strbuf_puts(text, "  convex whatever the data: projection changes nothing\n");
  basin__strbuf_puts(text, "  the Hessian reads:");
  for (size_t i = 0; i < plan->info.hessian_array_count; ++i)
    basin__strbuf_printf(
        text, "%s %s", i ? "," : "", basin__array_name(plan->graph, plan->info.hessian_arrays[i]));
  basin__strbuf_puts(text, plan->info.hessian_array_count ? "\n" : " literals only\n");
}

static void explain_kernels(basin_plan *plan)
{
  basin_strbuf *text = &plan->text;
  for (int stage = 0; stage < BASIN_STAGE_COUNT; ++stage) {
    const basin_kernel_program *kernel = plan->kernels[stage];
    if (!kernel) continue;
    basin__strbuf_printf(text,
                         "  kernel %s: %u operations, %u array%s, %u connectivit%s\n",
                         kernel->info.name,
                         kernel->info.operations,
                         kernel->info.array_count,
                         kernel->info.array_count == 1 ? "" : "s",
                         kernel->info.connectivity_count,
                         kernel->info.connectivity_count == 1 ? "y" : "ies");
  }
  if (plan->info.hoisted_size)
    basin__strbuf_printf(
        text, "  computed once from constants: %u numbers an instance\n", plan->info.hoisted_size);
}

const char *basin_plan_explain(basin_plan *plan)
{
  basin_strbuf *text = &plan->text;
  basin__strbuf_fini(text);
  basin__strbuf_init(text, plan->context);
  basin__strbuf_printf(text, "%s", plan->name);
  if (plan->script) basin__strbuf_printf(text, " (%s:%d)", plan->script, plan->line);
  basin__strbuf_printf(text, ", on %s\n", basin__space_name(plan->graph, plan->info.space));
  if (plan->info.unknown_count) explain_unknowns(plan);
  if (plan->kernels[BASIN_STAGE_HESSIAN]) {
    explain_inner(plan);
    explain_hessian(plan);
  }
  explain_kernels(plan);
  return basin__strbuf_text(text);
}

static void append_name(basin_strbuf *text, const char *name)
{
  basin__strbuf_printf(text, "%s%s", text->length ? ", " : "", name);
}

/* The error of an unknown stage lists the known ones. */
static const char *unknown_stage(basin_plan *plan, const char *stage)
{
  uint32_t count;
  const basin_pass *passes = basin__pipeline_passes(&count);
  append_name(&plan->text, "ir");
  append_name(&plan->text, "scalar");
  for (uint32_t i = 0; i < count && plan->kernels[BASIN_STAGE_HESSIAN]; ++i)
    append_name(&plan->text, passes[i].name);
  BASIN_FAIL(plan->context,
             BASIN_ERROR_NAME,
             "no stage \"%s\" to dump, there are: %s",
             stage,
             basin__strbuf_text(&plan->text));
  return NULL;
}

static basin_status dump_scalars(basin_plan *plan)
{
  unsigned rows, cols;
  basin_expression_shape(plan->graph, plan->expression, &rows, &cols);
  size_t size = (size_t)rows * cols * sizeof(basin_ref);
  basin_ref *roots = basin__alloc(plan->context, size);
  if (!roots) return BASIN_ERROR_MEMORY;
  basin_status status = basin__lower(plan->graph, plan->expression, roots);
  if (status == BASIN_OK) status = basin__graph_print(plan->graph, roots, rows * cols, &plan->text);
  basin__free(plan->context, roots, size);
  return status;
}

const char *basin_plan_dump(basin_plan *plan, const char *stage)
{
  basin_strbuf *text = &plan->text;
  basin__strbuf_fini(text);
  basin__strbuf_init(text, plan->context);
  const basin_refs *roots = stage_roots(plan, stage);
  basin_status status;
  if (!strcmp(stage, "ir"))
    status = basin__graph_print(plan->graph, &plan->expression, 1, text);
  else if (!strcmp(stage, "scalar"))
    status = dump_scalars(plan);
  else if (roots && plan->kernels[BASIN_STAGE_HESSIAN])
    status = basin__graph_print(plan->graph, roots->items, roots->count, text);
  else
    return unknown_stage(plan, stage);
  return status == BASIN_OK ? basin__strbuf_text(text) : NULL;
}
