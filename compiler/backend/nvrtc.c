/* The NVRTC back end: set-up, one compilation, texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

static basin_status hash_configuration(basin_backend *backend, basin_nvrtc_state *state)
{
  const char *contract = basin__env("CONTRACT");
  basin_strbuf text;
  basin__strbuf_init(&text, backend->context);
  basin__strbuf_printf(&text,
                       "nvrtc %d %s abi %d %s precision %d contract %s\n",
                       basin__nvrtc_version(state->nvrtc),
                       basin__nvrtc_path(state->nvrtc),
                       BASIN_KERNEL_ABI,
                       state->architecture,
                       (int)backend->precision,
                       contract ? contract : "off");
  for (size_t i = 0; i < state->file_count; i++) {
    basin__strbuf_puts(&text, state->files[i].name);
    basin__strbuf_puts(&text, "\n");
    basin__strbuf_puts(&text, state->files[i].text);
  }
  basin_status status = text.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  if (status == BASIN_OK) basin__hash_hex(text.data, text.length, state->configuration);
  basin__strbuf_fini(&text);
  return status;
}

/* "nvrtc:sm_90": `variant` is the architecture; "" without one. "nvrtc:sm_90:12": by an NVRTC of
 * CUDA 12 at most, if there is one: what a driver for CUDA 12 takes. */
static basin_status nvrtc_open(basin_backend *backend, const char *variant)
{
  if (*variant && strncmp(variant, "sm_", 3) != 0 && strncmp(variant, "compute_", 8) != 0)
    return BASIN_FAIL(backend->context,
                      BASIN_ERROR_NAME,
                      "back end nvrtc: '%s' is no architecture; they are like sm_90 or compute_90",
                      variant);
  basin_nvrtc_state *state = basin__calloc(backend->context, 1, sizeof *state);
  if (!state) return BASIN_ERROR_MEMORY;
  backend->state = state;
  size_t length = strcspn(variant, ":");
  snprintf(state->architecture, sizeof state->architecture, "%.*s", (int)length, variant);
  int newest = variant[length] ? atoi(variant + length + 1) : 0;
  BASIN_TRY(basin__nvrtc_open(backend->context, newest, &state->nvrtc));
  BASIN_TRY(basin__cache_create(backend->context, &state->cache));
  basin_dialect_file files[BASIN_DIALECT_FILES];
  state->file_count = basin__dialect_files(BASIN_DIALECT_CUDA, files);
  for (size_t i = 0; i < state->file_count; i++)
    state->files[i] = (basin_nvrtc_file){files[i].name, files[i].text};
  return hash_configuration(backend, state);
}

static void nvrtc_close(basin_backend *backend)
{
  basin_nvrtc_state *state = backend->state;
  if (!state) return;
  while (state->units) {
    basin_nvrtc_unit *unit = state->units;
    state->units = unit->next;
    if (unit->from_disk)
      basin__cache_release(state->cache, unit->image, unit->size);
    else
      basin__free(backend->context, unit->image, unit->size);
    basin__free(backend->context, unit, sizeof *unit);
  }
  basin__cache_destroy(state->cache);
  basin__nvrtc_close(state->nvrtc);
  basin__free(backend->context, state, sizeof *state);
}

/* ---- one kernel ---- */

basin_status basin__backend_nvrtc(const basin_backend *backend,
                                  const char *name,
                                  const char *text,
                                  const char *architecture,
                                  basin_nvrtc_code *code)
{
  const basin_nvrtc_state *state = backend->state;
  const char *options[] = {backend->precision == BASIN_PRECISION_FLOAT ? "-DBASIN_FLOAT=1"
                                                                       : "-DBASIN_DOUBLE=1"};
  basin_nvrtc_request request = {.name = name,
                                 .entry = "basin_kernel",
                                 .text = text,
                                 .files = state->files,
                                 .file_count = state->file_count,
                                 .architecture = architecture,
                                 .options = options,
                                 .option_count = BASIN_COUNT(options)};
  return basin__nvrtc_compile(state->nvrtc, &request, code);
}

void basin__backend_nvrtc_release(const basin_backend *backend, basin_nvrtc_code *code)
{
  const basin_nvrtc_state *state = backend->state;
  basin__nvrtc_release(state->nvrtc, code);
}

/* ---- texts ---- */

/* Forms are architectures: what the kernel takes there. */
static basin_status nvrtc_text(basin_backend *backend,
                               const basin_kernel_program *program,
                               const char *form,
                               basin_strbuf *text)
{
  bool ptx = strncmp(form, "compute_", 8) == 0;
  if (!ptx && strncmp(form, "sm_", 3) != 0)
    return BASIN_FAIL(
        backend->context,
        BASIN_ERROR_NAME,
        "unknown text '%s'; there are kernel, cuda and architectures like sm_90 or compute_90",
        form);
  basin_strbuf source;
  basin_nvrtc_code code;
  basin__strbuf_init(&source, backend->context);
  basin_status status = basin__emit(backend->context, program, &source);
  if (status == BASIN_OK)
    status =
        basin__backend_nvrtc(backend, program->info.name, basin__strbuf_text(&source), form, &code);
  if (status == BASIN_OK && ptx) {
    basin__strbuf_puts(text, code.image);
  } else if (status == BASIN_OK) {
    basin__strbuf_printf(
        text,
        "%s on %s: %u registers, %u bytes of stack, spills %u + %u bytes, %zu bytes of code\n",
        program->info.name,
        form,
        code.registers,
        code.stack,
        code.spill_stores,
        code.spill_loads,
        code.size);
  }
  if (status == BASIN_OK) basin__backend_nvrtc_release(backend, &code);
  basin__strbuf_fini(&source);
  return status;
}

static void nvrtc_describe(basin_backend *backend, basin_strbuf *text)
{
  const basin_nvrtc_state *state = backend->state;
  int version = basin__nvrtc_version(state->nvrtc);
  basin__strbuf_printf(text, "NVRTC %d.%d, ", version / 1000, version % 1000 / 10);
  if (*state->architecture) basin__strbuf_printf(text, "%s, ", state->architecture);
  basin__strbuf_puts(text, backend->precision == BASIN_PRECISION_FLOAT ? "float" : "double");
}

static const char *nvrtc_library(basin_backend *backend)
{
  const basin_nvrtc_state *state = backend->state;
  return basin__nvrtc_path(state->nvrtc);
}

const basin_backend_kind basin__backend_nvrtc_kind = {
    .name = "nvrtc",
    .has_variants = true,
    .open = nvrtc_open,
    .close = nvrtc_close,
    .compile = basin__backend_nvrtc_compile,
    .text = nvrtc_text,
    .describe = nvrtc_describe,
    .library = nvrtc_library,
};
