/* The Clang back end: set-up, the compiler's arguments, texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/clang.h"

#include <stdio.h>
#include <string.h>

/* ---- set-up ---- */

static basin_status hash_configuration(basin_backend *backend, basin_clang *state)
{
  basin_strbuf text;
  basin__strbuf_init(&text, backend->context);
  basin__strbuf_printf(
      &text,
      "clang 19 abi %d level %s tune %s width %u precision %d contract %d vector math %d\n",
      BASIN_KERNEL_ABI,
      state->target.level,
      state->target.model,
      state->target.width,
      (int)backend->precision,
      (int)state->contract,
      (int)state->target.vector_math);
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

static basin_status open_state(basin_backend *backend, bool cache_only)
{
  basin_clang *state = basin__calloc(backend->context, 1, sizeof *state);
  if (!state) return BASIN_ERROR_MEMORY;
  backend->state = state;
  state->cache_only = cache_only;
  if (!cache_only) BASIN_TRY(basin__shim_find(backend->context));
  BASIN_TRY(basin__target_detect(backend->context, backend->precision, &state->target));
  BASIN_TRY(basin__cache_create(backend->context, &state->cache));
  const char *contract = basin__env("CONTRACT");
  state->contract = contract && strcmp(contract, "on") == 0;
  state->file_count = basin__dialect_files(BASIN_DIALECT_CPU, state->files);
  return hash_configuration(backend, state);
}

static basin_status clang_open(basin_backend *backend, const char *variant)
{
  (void)variant;
  return open_state(backend, false);
}

static basin_status cached_open(basin_backend *backend, const char *variant)
{
  (void)variant;
  return open_state(backend, true);
}

static void clang_close(basin_backend *backend)
{
  basin_clang *state = backend->state;
  if (!state) return;
  while (state->units) {
    basin_clang_unit *unit = state->units;
    state->units = unit->next;
    basin__object_unload(unit->object);
    basin__free(backend->context, unit, sizeof *unit);
  }
  basin__shim_close(&state->shim);
  basin__cache_destroy(state->cache);
  basin__free(backend->context, state, sizeof *state);
}

/* ---- the compiler ---- */

enum { ARGUMENT_MAX = 48 };

typedef struct arguments {
  const char *list[ARGUMENT_MAX];
  size_t count;
  char width[32];
} arguments;

static void make_arguments(const basin_backend *backend, arguments *a)
{
  static const char *const fixed[] = {"-x",
                                      "c",
                                      "-std=gnu11",
                                      "-O2",
                                      "-w",
                                      "-nostdsysteminc",
                                      "-nobuiltininc",
                                      "-mrelocation-model",
                                      "pic",
                                      "-pic-level",
                                      "2",
                                      "-fvisibility=hidden",
                                      "-mprefer-vector-width=512"};
  const basin_clang *state = backend->state;
  const char *variable[] = {
      "-target-cpu",
      state->target.level,
      "-tune-cpu",
      state->shim.basin_shim_host_cpu(),
      a->width,
      state->contract ? "-ffp-contract=fast" : "-ffp-contract=off",
      backend->precision == BASIN_PRECISION_FLOAT ? "-DBASIN_FLOAT=1" : "-DBASIN_DOUBLE=1",
      state->target.vector_math ? "-DBASIN_VECTOR_MATH=1" : "-DBASIN_SCALAR_MATH=1"};
  _Static_assert(BASIN_COUNT(fixed) + BASIN_COUNT(variable) <= ARGUMENT_MAX,
                 "the list of arguments is long enough");
  snprintf(a->width, sizeof a->width, "-DBASIN_WIDTH=%u", state->target.width);
  a->count = 0;
  for (size_t i = 0; i < BASIN_COUNT(fixed); i++) a->list[a->count++] = fixed[i];
  for (size_t i = 0; i < BASIN_COUNT(variable); i++) a->list[a->count++] = variable[i];
}

void basin__clang_run(const basin_backend *backend,
                      const char *text,
                      basin_shim_form form,
                      basin_shim_result *result)
{
  const basin_clang *state = backend->state;
  basin_shim_file files[BASIN_DIALECT_FILES + 1];
  arguments a;
  make_arguments(backend, &a);
  files[0] = (basin_shim_file){"kernel.c", text};
  for (size_t i = 0; i < state->file_count; i++)
    files[i + 1] = (basin_shim_file){state->files[i].name, state->files[i].text};
  basin_shim_request request = {files, state->file_count + 1, a.list, a.count, form};
  state->shim.basin_shim_compile(&request, result);
}

/* The first line that states an error makes the message; all of them go to the log. */
basin_status
basin__clang_error(const basin_backend *backend, const char *name, const char *diagnostics)
{
  if (!diagnostics) diagnostics = "out of memory";
  basin__log(backend->context, BASIN_LOG_DEBUG, "kernel %s: %s", name, diagnostics);
  const char *line = strstr(diagnostics, "error:");
  while (line && line > diagnostics && line[-1] != '\n') line--;
  if (line) diagnostics = line;
  return BASIN_FAIL(backend->context,
                    BASIN_ERROR_COMPILE,
                    "kernel %s does not compile: %.*s",
                    name,
                    (int)strcspn(diagnostics, "\n"),
                    diagnostics);
}

/* ---- texts ---- */

static basin_status clang_text(basin_backend *backend,
                               const basin_kernel_program *program,
                               const char *form,
                               basin_strbuf *text)
{
  basin_clang *state = backend->state;
  bool llvm = strcmp(form, "llvm") == 0;
  if (!llvm && strcmp(form, "asm") != 0)
    return BASIN_FAIL(backend->context,
                      BASIN_ERROR_NAME,
                      "unknown text '%s'; there are kernel, llvm, asm and cuda",
                      form);
  basin_strbuf source;
  basin_shim_result result = {0};
  basin__strbuf_init(&source, backend->context);
  basin_status status = basin__emit(backend->context, program, &source);
  if (status == BASIN_OK) status = basin__shim_open(backend->context, &state->shim);
  if (status == BASIN_OK) {
    basin__clang_run(backend,
                     basin__strbuf_text(&source),
                     llvm ? BASIN_SHIM_LLVM : BASIN_SHIM_ASSEMBLY,
                     &result);
    if (result.data)
      basin__strbuf_append(text, result.data, result.size);
    else
      status = basin__clang_error(backend, program->info.name, result.diagnostics);
    state->shim.basin_shim_release(&result);
  }
  basin__strbuf_fini(&source);
  return status;
}

static void clang_describe(basin_backend *backend, basin_strbuf *text)
{
  basin_clang *state = backend->state;
  basin__strbuf_printf(text,
                       "%s, %s, %u lanes of %s",
                       state->target.brand,
                       state->target.features,
                       state->target.width,
                       backend->precision == BASIN_PRECISION_FLOAT ? "float" : "double");
  if (!state->target.vector_math) basin__strbuf_puts(text, ", no vector mathematics");
  if (state->cache_only)
    basin__strbuf_puts(text, ", cached kernels only");
  else if (basin__shim_open(backend->context, &state->shim) == BASIN_OK)
    basin__strbuf_printf(text, ", LLVM %s", state->shim.basin_shim_version());
  else
    basin__strbuf_printf(text, ", no LLVM: %s", basin_error_last(backend->context)->message);
}

static const char *clang_library(basin_backend *backend)
{
  basin_clang *state = backend->state;
  if (basin__shim_open(backend->context, &state->shim) != BASIN_OK) return NULL;
  return basin__dl_path(state->shim.library);
}

const basin_backend_kind basin__backend_clang = {
    .name = "clang",
    .open = clang_open,
    .close = clang_close,
    .compile = basin__clang_compile,
    .text = clang_text,
    .describe = clang_describe,
    .library = clang_library,
};

/* The same kernels without a compiler: a host may ship a folder of them. */
const basin_backend_kind basin__backend_cached = {
    .name = "cached",
    .open = cached_open,
    .close = clang_close,
    .compile = basin__clang_compile,
    .describe = clang_describe,
};
