/* Prints a kernel: sizes, uniform values, the inner and outer programs, the blocks to project.
 * SPDX-License-Identifier: Apache-2.0 */
#include "emit/emit.h"
#include "emit/printer.h"

static const char *const stage_names[BASIN_STAGE_COUNT] = {
    [BASIN_STAGE_COMPUTE] = "values",
    [BASIN_STAGE_VALUE] = "energy",
    [BASIN_STAGE_GRADIENT] = "energy and gradient",
    [BASIN_STAGE_HESSIAN] = "energy, gradient and Hessian",
};

static bool has_outer(const basin_kernel_program *kernel)
{
  return kernel->info.stage == BASIN_STAGE_GRADIENT || kernel->info.stage == BASIN_STAGE_HESSIAN;
}

static void
print_head(const basin_kernel_program *kernel, uint32_t uniform_count, basin_strbuf *text)
{
  const basin_kernel_info *info = &kernel->info;
  basin__strbuf_printf(text, "/* Basin %s: %s of ", BASIN_VERSION_STRING, stage_names[info->stage]);
  basin__print_comment(text,
                       kernel->comment ? kernel->comment
                       : info->name    ? info->name
                                       : "a kernel");
  basin__strbuf_printf(text, ". %u operations an element. */\n", info->operations);
  basin__strbuf_printf(text, "#define BASIN_STAGE %d\n", (int)info->stage);
  if (info->stage == BASIN_STAGE_COMPUTE)
    basin__strbuf_printf(text, "#define BASIN_OUTPUT_SIZE %u\n", info->output_size);
  if (has_outer(kernel)) {
    basin__strbuf_printf(text,
                         "#define BASIN_LOCAL_SIZE %u\n#define BASIN_BLOCK %u\n",
                         info->local_size,
                         info->block);
    basin__strbuf_printf(text, "#define BASIN_INNER_ROWS %u\n", basin__inner_rows(kernel));
  }
  basin__strbuf_printf(text,
                       "#define BASIN_ARRAY_COUNT %u\n#define BASIN_CONNECTIVITY_COUNT %u\n",
                       info->array_count,
                       info->connectivity_count);
  basin__strbuf_printf(
      text, "#define BASIN_UNIFORM_COUNT %u\n#include \"dialect.h\"\n", uniform_count);
}

static void
print_block_table(const basin_kernel_program *kernel, uint32_t block, basin_strbuf *text)
{
  uint32_t n = kernel->info.inner_size, k = 1 + n, printed = 0;
  basin__strbuf_printf(text, "BASIN_TABLE basin_block_%u[] = {", block);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++, k++) {
      if (kernel->block_count > 1 && (kernel->block_of[i] != block || kernel->block_of[j] != block))
        continue;
      basin__strbuf_printf(text, printed++ ? ", %u" : "%u", basin__inner_row(kernel, k));
    }
  basin__strbuf_puts(text, "};\n");
}

/* Which output each number of the blocks of a Hessian is. */
static void print_places(const basin_kernel_program *kernel, basin_strbuf *text)
{
  uint32_t count = basin__outer_count(kernel);
  basin__strbuf_puts(text, "\nBASIN_TABLE basin_places[] = {");
  for (uint32_t k = 0; k < count; k++)
    basin__strbuf_printf(text, k ? ", %u" : "%u", basin__outer_place(kernel, k));
  basin__strbuf_puts(text, "};\n");
}

/* One table and one projection a block; the header is included once a size. */
static void print_projection(const basin_kernel_program *kernel, basin_strbuf *text)
{
  uint32_t blocks = basin__emit_block_count(kernel), largest = 0;
  for (uint32_t b = 0; b < blocks; b++)
    if (basin__emit_block_size(kernel, b) > largest) largest = basin__emit_block_size(kernel, b);
  basin__strbuf_printf(text, "\n#define BASIN_PSD_LARGEST %u\n", largest);
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t size = basin__emit_block_size(kernel, b), before = 0;
    while (before < b && basin__emit_block_size(kernel, before) != size) before++;
    if (before == b && size)
      basin__strbuf_printf(text, "#define BASIN_PSD_N %u\n#include \"project.h\"\n", size);
    if (size) print_block_table(kernel, b, text);
  }
  basin__strbuf_puts(text, "\nBASIN_PROJECTION\n{\n");
  for (uint32_t b = 0; b < blocks; b++)
    if (basin__emit_block_size(kernel, b))
      basin__strbuf_printf(
          text, "  BASIN_PROJECT(%u, basin_block_%u);\n", basin__emit_block_size(kernel, b), b);
  basin__strbuf_puts(text, "}\n");
}

static void print_function(basin_strbuf *text,
                           const char *head,
                           basin_printer *printer,
                           void (*body)(basin_printer *))
{
  basin__strbuf_printf(text, "\n%s\n{\n", head);
  if (printer) body(printer);
  basin__strbuf_puts(text, "}\n");
}

static basin_status print_kernel(const basin_kernel_program *kernel,
                                 basin_printer *inner,
                                 basin_printer *outer,
                                 basin_strbuf *text)
{
  basin__strbuf_puts(text, "\nBASIN_UNIFORMS\n{\n");
  basin__print_uniforms(inner);
  if (has_outer(kernel) && basin__printer_has_uniforms(outer)) {
    basin__strbuf_puts(text, "  {\n");
    basin__print_uniforms(outer);
    basin__strbuf_puts(text, "  }\n");
  }
  basin__strbuf_puts(text, "}\n");
  print_function(text, "BASIN_INNER", inner, basin__print_body);
  if (has_outer(kernel)) print_function(text, "BASIN_OUTER", outer, basin__print_body);
  if (kernel->info.stage == BASIN_STAGE_HESSIAN) print_places(kernel, text);
  if (kernel->info.stage == BASIN_STAGE_HESSIAN) print_projection(kernel, text);
  basin__strbuf_puts(text, "\n#include \"driver.h\"\n");
  return text->failed ? BASIN_ERROR_MEMORY : BASIN_OK;
}

static basin_status check_sizes(basin_context *context, const basin_kernel_program *kernel)
{
  const basin_kernel_info *info = &kernel->info;
  if (!has_outer(kernel)) return BASIN_OK;
  if (!info->block || info->local_size % info->block)
    return BASIN_FAIL(context,
                      BASIN_ERROR_INTERNAL,
                      "kernel %s: %u unknowns are no whole number of nodes of %u",
                      info->name,
                      info->local_size,
                      info->block);
  return BASIN_OK;
}

basin_status
basin__emit(basin_context *context, const basin_kernel_program *kernel, basin_strbuf *text)
{
  basin_printer inner = {0},
                outer = {0}; /* fini does nothing to a printer that was never started */
  uint32_t uniform_count = 0;
  basin_status status = check_sizes(context, kernel);
  if (status == BASIN_OK)
    status = basin__printer_init(&inner, context, kernel, BASIN_PART_INNER, &uniform_count, text);
  if (status == BASIN_OK && has_outer(kernel))
    status = basin__printer_init(&outer, context, kernel, BASIN_PART_OUTER, &uniform_count, text);
  if (status == BASIN_OK) {
    print_head(kernel, uniform_count, text);
    if (basin__printer_has_calls(&inner) || basin__printer_has_calls(&outer))
      basin__strbuf_puts(text, "#include \"small_matrix.h\"\n");
    status = print_kernel(kernel, &inner, &outer, text);
  }
  basin__printer_fini(&inner);
  basin__printer_fini(&outer);
  return status;
}

basin_status basin__emit_projection(uint32_t size, basin_strbuf *text)
{
  static const char *const counts[] = {
      "LOCAL_SIZE", "ARRAY_COUNT", "CONNECTIVITY_COUNT", "UNIFORM_COUNT"};
  basin__strbuf_printf(text,
                       "/* Basin %s: projection of symmetric matrices of %u rows. */\n",
                       BASIN_VERSION_STRING,
                       size);
  basin__strbuf_printf(
      text, "#define BASIN_PROJECTION_UNIT 1\n#define BASIN_STAGE %d\n", (int)BASIN_STAGE_HESSIAN);
  for (size_t i = 0; i < BASIN_COUNT(counts); i++)
    basin__strbuf_printf(text, "#define BASIN_%s 0\n", counts[i]);
  basin__strbuf_printf(
      text, "#include \"dialect.h\"\n#define BASIN_PSD_N %u\n#include \"project.h\"\n", size);
  basin__strbuf_printf(text, "BASIN_PROJECTION_FUNCTION(%u)\n", size);
  return text->failed ? BASIN_ERROR_MEMORY : BASIN_OK;
}
