/* The NVRTC back end: compiles kernel text for checks, and later for the CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/nvrtc.h"
#include "emit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _nvrtcProgram *basin_nvrtc_program;

typedef struct nvrtc_state {
  basin_dl *library;
#define X(type, name, parameters) type(*name) parameters;
#include "backend/nvrtc.def"
#undef X
} nvrtc_state;

static basin_status resolve(basin_context *context, nvrtc_state *state)
{
  void *address;
#define X(type, name, parameters)                                                            \
  address = basin__dl_symbol(state->library, #name);                                         \
  if (!address)                                                                              \
    return BASIN_FAIL(context,                                                               \
                      BASIN_ERROR_MISSING_LIBRARY,                                           \
                      "%s has no function " #name "; NVRTC of CUDA 11.2 or newer is needed", \
                      basin__dl_path(state->library));                                       \
  memcpy(&state->name, &address, sizeof address);
#include "backend/nvrtc.def"
#undef X
  return BASIN_OK;
}

static basin_status nvrtc_open(basin_backend *backend)
{
  static const char *const names[] = {"libnvrtc.so.13",
                                      "libnvrtc.so.12",
                                      "libnvrtc.so.11.2",
                                      "libnvrtc.so",
                                      "/usr/local/cuda/lib64/libnvrtc.so",
                                      NULL};
  nvrtc_state *state = basin__calloc(backend->context, 1, sizeof *state);
  basin_strbuf reason;
  if (!state) return BASIN_ERROR_MEMORY;
  backend->state = state;
  basin__strbuf_init(&reason, backend->context);
  state->library = basin__dl_open(backend->context, "NVRTC", names, &reason);
  basin_status status = BASIN_OK;
  if (!state->library)
    status =
        BASIN_FAIL(backend->context,
                   BASIN_ERROR_MISSING_LIBRARY,
                   "NVRTC cannot be opened (%s); it is part of the CUDA toolkit (Debian: libnvrtc)",
                   basin__strbuf_text(&reason));
  else
    status = resolve(backend->context, state);
  basin__strbuf_fini(&reason);
  return status;
}

static void nvrtc_close(basin_backend *backend)
{
  nvrtc_state *state = backend->state;
  if (!state) return;
  if (state->library) basin__dl_close(state->library);
  basin__free(backend->context, state, sizeof *state);
}

/* The number before `words` in the log of the assembler, 0 if the words are not there. */
static unsigned number_before(const char *log, const char *words)
{
  const char *at = strstr(log, words);
  if (!at) return 0;
  while (at > log && at[-1] == ' ') at--;
  while (at > log && at[-1] >= '0' && at[-1] <= '9') at--;
  return (unsigned)strtoul(at, NULL, 10);
}

/* The figures of the kernel itself; device functions that were not inlined have paragraphs of their
 * own. */
static void read_log(const char *log, basin_nvrtc_code *code)
{
  const char *kernel = strstr(log, "Function properties for basin_kernel");
  if (!kernel) kernel = log;
  code->registers = number_before(kernel, "registers");
  code->stack = number_before(kernel, "bytes stack frame");
  code->spill_stores = number_before(kernel, "bytes spill stores");
  code->spill_loads = number_before(kernel, "bytes spill loads");
}

static basin_status
fail(basin_backend *backend, int result, const char *what, const char *name, const char *log)
{
  const nvrtc_state *state = backend->state;
  const char *line = log ? strstr(log, "error") : NULL;
  while (line && line > log && line[-1] != '\n') line--;
  if (log) basin__log(backend->context, BASIN_LOG_DEBUG, "kernel %s: %s", name, log);
  if (!line) line = state->nvrtcGetErrorString(result);
  return BASIN_FAIL(backend->context,
                    BASIN_ERROR_COMPILE,
                    "kernel %s: %s: %.*s",
                    name,
                    what,
                    (int)strcspn(line, "\n"),
                    line);
}

static basin_status fetch_code(basin_backend *backend,
                               basin_nvrtc_program program,
                               const char *name,
                               basin_nvrtc_code *code)
{
  const nvrtc_state *state = backend->state;
  int result = state->nvrtcGetCUBINSize(program, &code->size);
  if (result) return fail(backend, result, "no device code", name, NULL);
  code->cubin = basin__alloc(backend->context, code->size);
  if (!code->cubin) return BASIN_ERROR_MEMORY;
  result = state->nvrtcGetCUBIN(program, code->cubin);
  return result ? fail(backend, result, "no device code", name, NULL) : BASIN_OK;
}

static basin_status compile_program(basin_backend *backend,
                                    basin_nvrtc_program program,
                                    const char *name,
                                    const char *architecture,
                                    basin_nvrtc_code *code)
{
  const nvrtc_state *state = backend->state;
  char option[64];
  const char *contract = basin__env("CONTRACT");
  snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
  const char *options[] = {option,
                           "--std=c++17",
                           "--ptxas-options=-v",
                           contract && strcmp(contract, "on") == 0 ? "--fmad=true" : "--fmad=false",
                           "--device-as-default-execution-space",
                           backend->precision == BASIN_PRECISION_FLOAT ? "-DBASIN_FLOAT=1"
                                                                       : "-DBASIN_DOUBLE=1",
                           "-DBASIN_CUDA_ATOMICS=1"};
  int result = state->nvrtcCompileProgram(program, (int)BASIN_COUNT(options), options);
  size_t size = 0;
  state->nvrtcGetProgramLogSize(program, &size);
  char *log = basin__calloc(backend->context, size + 1, 1);
  if (!log) return BASIN_ERROR_MEMORY;
  if (size) state->nvrtcGetProgramLog(program, log);
  basin_status status;
  if (result) {
    status = fail(backend, result, architecture, name, log);
  } else {
    read_log(log, code);
    status = fetch_code(backend, program, name, code);
  }
  basin__free(backend->context, log, size + 1);
  return status;
}

basin_status basin__nvrtc_compile(basin_backend *backend,
                                  const char *name,
                                  const char *text,
                                  const char *architecture,
                                  basin_nvrtc_code *code)
{
  const nvrtc_state *state = backend->state;
  basin_dialect_file files[BASIN_DIALECT_FILES];
  const char *names[BASIN_DIALECT_FILES], *texts[BASIN_DIALECT_FILES];
  size_t count = basin__dialect_files(BASIN_DIALECT_CUDA, files);
  *code = (basin_nvrtc_code){0};
  for (size_t i = 0; i < count; i++) {
    names[i] = files[i].name;
    texts[i] = files[i].text;
  }
  basin_nvrtc_program program;
  int result = state->nvrtcCreateProgram(&program, text, "kernel.cu", (int)count, texts, names);
  if (result) return fail(backend, result, "NVRTC", name, NULL);
  basin_status status = compile_program(backend, program, name, architecture, code);
  state->nvrtcDestroyProgram(&program);
  if (status != BASIN_OK) basin__nvrtc_release(backend, code);
  return status;
}

void basin__nvrtc_release(basin_backend *backend, basin_nvrtc_code *code)
{
  basin__free(backend->context, code->cubin, code->size);
  *code = (basin_nvrtc_code){0};
}

/* Forms are architectures: what the kernel takes there. */
static basin_status nvrtc_text(basin_backend *backend,
                               const basin_kernel_program *program,
                               const char *form,
                               basin_strbuf *text)
{
  if (strncmp(form, "sm_", 3) != 0)
    return BASIN_FAIL(backend->context,
                      BASIN_ERROR_NAME,
                      "unknown text '%s'; there are kernel, cuda and architectures like sm_90",
                      form);
  basin_strbuf source;
  basin_nvrtc_code code;
  basin__strbuf_init(&source, backend->context);
  basin_status status = basin__emit(backend->context, program, &source);
  if (status == BASIN_OK)
    status =
        basin__nvrtc_compile(backend, program->info.name, basin__strbuf_text(&source), form, &code);
  if (status == BASIN_OK) {
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
    basin__nvrtc_release(backend, &code);
  }
  basin__strbuf_fini(&source);
  return status;
}

static void nvrtc_describe(basin_backend *backend, basin_strbuf *text)
{
  const nvrtc_state *state = backend->state;
  int major = 0, minor = 0;
  state->nvrtcVersion(&major, &minor);
  basin__strbuf_printf(text,
                       "NVRTC %d.%d, %s",
                       major,
                       minor,
                       backend->precision == BASIN_PRECISION_FLOAT ? "float" : "double");
}

const basin_backend_kind basin__backend_nvrtc = {
    .name = "nvrtc",
    .open = nvrtc_open,
    .close = nvrtc_close,
    .text = nvrtc_text,
    .describe = nvrtc_describe,
};
