/* Index streams and loads: each distinct path prefix is followed once, neighbouring components are
 * read in pairs. SPDX-License-Identifier: Apache-2.0 */
#include "emit/printer.h"

uint32_t basin__array_number(const basin_kernel_program *kernel, basin_array_id id)
{
  for (uint32_t k = 0; k < kernel->info.array_count; k++)
    if (kernel->info.arrays[k] == id) return k;
  return BASIN_NONE;
}

uint32_t basin__connectivity_number(const basin_kernel_program *kernel, basin_connectivity_id id)
{
  for (uint32_t k = 0; k < kernel->info.connectivity_count; k++)
    if (kernel->info.connectivities[k] == id) return k;
  return BASIN_NONE;
}

static basin_status find_stream(basin_printer *p, basin_stream wanted, uint32_t *number)
{
  for (uint32_t s = 1; s < p->stream_count; s++) {
    const basin_stream *have = &p->streams[s];
    if (have->parent == wanted.parent && have->connectivity == wanted.connectivity &&
        have->slot == wanted.slot) {
      *number = s;
      return BASIN_OK;
    }
  }
  *number = (uint32_t)p->stream_count;
  BASIN_TRY(basin__grow(
      p->context, &p->streams, &p->stream_capacity, p->stream_count + 1, sizeof *p->streams));
  p->streams[p->stream_count++] = wanted;
  return BASIN_OK;
}

static basin_status
check_access(const basin_printer *p, const basin_access *access, const basin_access_layout *layout)
{
  if (basin__array_number(p->kernel, access->array) == BASIN_NONE)
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_INTERNAL,
                      "kernel %s reads array %u that it does not list",
                      p->kernel->info.name,
                      access->array);
  for (uint32_t s = 0; s < access->step_count; s++) {
    if (basin__connectivity_number(p->kernel, access->steps[s].connectivity) == BASIN_NONE)
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_INTERNAL,
                        "kernel %s follows connectivity %u that it does not list",
                        p->kernel->info.name,
                        access->steps[s].connectivity);
    if (layout->arities[s] == 0)
      return BASIN_FAIL(
          p->context,
          BASIN_ERROR_UNSUPPORTED,
          "kernel %s follows a connectivity of variable arity, which only a reduction can do",
          p->kernel->info.name);
  }
  return BASIN_OK;
}

basin_status basin__printer_streams(basin_printer *p)
{
  uint32_t element;
  BASIN_TRY(find_stream(p, (basin_stream){.parent = BASIN_NONE}, &element));
  for (uint32_t a = 0; a < p->program->access_count; a++) {
    const basin_access *access = &p->program->accesses[a];
    const basin_access_layout *layout = &p->program->layouts[a];
    BASIN_TRY(check_access(p, access, layout));
    uint32_t stream = 0;
    for (uint32_t s = 0; s < access->step_count; s++) {
      basin_stream next = {.parent = stream,
                           .connectivity =
                               basin__connectivity_number(p->kernel, access->steps[s].connectivity),
                           .slot = access->steps[s].slot,
                           .arity = layout->arities[s]};
      BASIN_TRY(find_stream(p, next, &stream));
    }
    p->access_stream[a] = stream;
  }
  return BASIN_OK;
}

static void print_stream(basin_printer *p, uint32_t number)
{
  basin_stream *stream = &p->streams[number];
  if (stream->done) return;
  stream->done = true;
  if (number == 0) {
    basin__strbuf_puts(p->text, "  BASIN_ELEMENT;\n");
    return;
  }
  print_stream(p, stream->parent);
  basin__strbuf_printf(p->text,
                       "  const basin_index i%u = BASIN_STEP(%u, i%u, %u, %u);\n",
                       number,
                       stream->connectivity,
                       stream->parent,
                       stream->arity,
                       stream->slot);
}

/* Pairs are cut from runs of components that are read: the second of a pair is read with the first.
 */
static uint32_t pair_start(const uint8_t *loads, uint32_t component)
{
  uint32_t run = component;
  while (run > 0 && loads[run - 1]) run--;
  return component - (component - run) % 2;
}

void basin__print_load(basin_printer *p, uint32_t access, uint32_t component)
{
  const basin_access_layout *layout = &p->program->layouts[access];
  uint8_t *loads = p->loads + p->components[access];
  uint32_t array = basin__array_number(p->kernel, p->program->accesses[access].array);
  if (loads[component] == 2) return;
  if (layout->shared) {
    loads[component] = 2;
    basin__strbuf_printf(p->text,
                         "  const real a%u_%u = BASIN_SHARED(%u, %u);",
                         access,
                         component,
                         array,
                         component);
  } else {
    uint32_t stream = p->access_stream[access], first = pair_start(loads, component);
    print_stream(p, stream);
    loads[first] = 2;
    if (first + 1 < layout->stride && loads[first + 1]) {
      loads[first + 1] = 2;
      basin__strbuf_printf(p->text,
                           "  BASIN_LOAD_2(a%u_%u, a%u_%u, %u, i%u, %u, %u);",
                           access,
                           first,
                           access,
                           first + 1,
                           array,
                           stream,
                           layout->stride,
                           first);
    } else {
      basin__strbuf_printf(p->text,
                           "  BASIN_LOAD_1(a%u_%u, %u, i%u, %u, %u);",
                           access,
                           first,
                           array,
                           stream,
                           layout->stride,
                           first);
    }
  }
  if (layout->name) {
    basin__strbuf_puts(p->text, " /* ");
    basin__print_comment(p->text, layout->name);
    basin__strbuf_puts(p->text, " */");
  }
  basin__strbuf_puts(p->text, "\n");
}
