/* NVRTC, opened at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _nvrtcProgram *basin_nvrtc_program;

enum { OPTION_MAX = 24, ARCHITECTURE_MAX = 64 };

struct basin_nvrtc {
  basin_context *context;
  basin_dl *library;
  int version;
  int architectures[ARCHITECTURE_MAX]; /* 90 for sm_90 */
  int architecture_count;
#define X(type, name, parameters) type(*name) parameters;
#include "base/nvrtc.def"
#undef X
};

/* ---- opening ---- */

static basin_status resolve(basin_nvrtc *nvrtc)
{
  void *address;
#define X(type, name, parameters)                                                            \
  address = basin__dl_symbol(nvrtc->library, #name);                                         \
  if (!address)                                                                              \
    return BASIN_FAIL(nvrtc->context,                                                        \
                      BASIN_ERROR_MISSING_LIBRARY,                                           \
                      "%s has no function " #name "; NVRTC of CUDA 11.2 or newer is needed", \
                      basin__dl_path(nvrtc->library));                                       \
  memcpy(&nvrtc->name, &address, sizeof address);
#include "base/nvrtc.def"
#undef X
  return BASIN_OK;
}

static void read_properties(basin_nvrtc *nvrtc)
{
  int major = 0, minor = 0, count = 0;
  if (nvrtc->nvrtcVersion(&major, &minor) == 0) nvrtc->version = major * 1000 + minor * 10;
  if (nvrtc->nvrtcGetNumSupportedArchs(&count) != 0 || count <= 0 || count > ARCHITECTURE_MAX)
    return;
  if (nvrtc->nvrtcGetSupportedArchs(nvrtc->architectures) == 0) nvrtc->architecture_count = count;
}

static basin_dl *open_library(basin_context *context, int newest, basin_strbuf *reason)
{
  static const char *const all[] = {"libnvrtc.so.13",
                                    "libnvrtc.so.12",
                                    "libnvrtc.so.11.2",
                                    "libnvrtc.so",
                                    "/usr/local/cuda/lib64/libnvrtc.so",
                                    NULL};
  static const int majors[] = {13, 12, 11};
  size_t first = 0;
  while (newest > 0 && first < BASIN_COUNT(majors) && majors[first] > newest) ++first;
  if (first > 0 && first < BASIN_COUNT(majors)) {
    const char *suitable[BASIN_COUNT(majors) + 1] = {NULL};
    for (size_t i = first; i < BASIN_COUNT(majors); ++i) suitable[i - first] = all[i];
    basin_dl *library = basin__dl_open(context, "NVRTC", suitable, NULL);
    if (library) return library;
  }
  return basin__dl_open(context, "NVRTC", all, reason);
}

static basin_status open_nvrtc(basin_nvrtc *nvrtc, int newest)
{
  basin_strbuf reason;
  basin__strbuf_init(&reason, nvrtc->context);
  nvrtc->library = open_library(nvrtc->context, newest, &reason);
  basin_status status = BASIN_OK;
  if (!nvrtc->library && reason.length == 0)
    status = BASIN_ERROR_MEMORY; /* the loader itself always has a reason */
  else if (!nvrtc->library)
    status =
        BASIN_FAIL(nvrtc->context,
                   BASIN_ERROR_MISSING_LIBRARY,
                   "NVRTC cannot be opened (%s); it is part of the CUDA toolkit (Debian: libnvrtc)",
                   basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  BASIN_TRY(status);
  BASIN_TRY(resolve(nvrtc));
  read_properties(nvrtc);
  return BASIN_OK;
}

basin_status basin__nvrtc_open(basin_context *context, int newest, basin_nvrtc **nvrtc)
{
  *nvrtc = NULL;
  basin_nvrtc *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  basin_status status = open_nvrtc(made, newest);
  if (status == BASIN_OK)
    *nvrtc = made;
  else
    basin__nvrtc_close(made);
  return status;
}

void basin__nvrtc_close(basin_nvrtc *nvrtc)
{
  if (!nvrtc) return;
  basin__dl_close(nvrtc->library);
  basin__free(nvrtc->context, nvrtc, sizeof *nvrtc);
}

const char *basin__nvrtc_path(const basin_nvrtc *nvrtc)
{
  return basin__dl_path(nvrtc->library);
}

int basin__nvrtc_version(const basin_nvrtc *nvrtc)
{
  return nvrtc->version;
}

basin_status basin__nvrtc_architecture(
    const basin_nvrtc *nvrtc, int major, int minor, bool ptx, char architecture[16])
{
  int wanted = 10 * major + minor, best = 0;
  for (int i = 0; i < nvrtc->architecture_count; ++i) {
    int known = nvrtc->architectures[i];
    if (known <= wanted && known > best) best = known;
  }
  if (best == 0)
    return BASIN_FAIL(nvrtc->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "NVRTC %d.%d (%s) makes no code for devices of compute capability %d.%d; an "
                      "older one may (BASIN_LIB_NVRTC)",
                      nvrtc->version / 1000,
                      nvrtc->version % 1000 / 10,
                      basin__nvrtc_path(nvrtc),
                      major,
                      minor);
  snprintf(architecture, 16, "%s_%d", best == wanted && !ptx ? "sm" : "compute", best);
  return BASIN_OK;
}

/* ---- compilation ---- */

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
static void read_log(const char *log, const char *entry, basin_nvrtc_code *code)
{
  char words[256];
  snprintf(words, sizeof words, "Function properties for %s", entry ? entry : "");
  const size_t length = strlen(words);
  const char *kernel = strstr(log, words);
  /* Another name may begin with this one; a name ends with the line. */
  while (entry && kernel && strchr("\r\n ", kernel[length]) == NULL)
    kernel = strstr(kernel + length, words);
  if (!kernel) kernel = log;
  code->registers = number_before(kernel, "registers");
  code->stack = number_before(kernel, "bytes stack frame");
  code->spill_stores = number_before(kernel, "bytes spill stores");
  code->spill_loads = number_before(kernel, "bytes spill loads");
}

static basin_status
fail(const basin_nvrtc *nvrtc, int result, const char *what, const char *name, const char *log)
{
  const char *line = log ? strstr(log, "error") : NULL;
  while (line && line > log && line[-1] != '\n') line--;
  if (log) basin__log(nvrtc->context, BASIN_LOG_DEBUG, "kernel %s: %s", name, log);
  if (!line) line = nvrtc->nvrtcGetErrorString(result);
  return BASIN_FAIL(nvrtc->context,
                    BASIN_ERROR_COMPILE,
                    "kernel %s: %s: %.*s",
                    name,
                    what,
                    (int)strcspn(line, "\n"),
                    line);
}

static basin_status fetch_code(const basin_nvrtc *nvrtc,
                               basin_nvrtc_program program,
                               const basin_nvrtc_request *request,
                               basin_nvrtc_code *code)
{
  bool ptx = strncmp(request->architecture, "compute_", 8) == 0;
  int result = ptx ? nvrtc->nvrtcGetPTXSize(program, &code->size)
                   : nvrtc->nvrtcGetCUBINSize(program, &code->size);
  if (result || code->size == 0) return fail(nvrtc, result, "no device code", request->name, NULL);
  code->image = basin__alloc(nvrtc->context, code->size);
  if (!code->image) return BASIN_ERROR_MEMORY;
  result =
      ptx ? nvrtc->nvrtcGetPTX(program, code->image) : nvrtc->nvrtcGetCUBIN(program, code->image);
  return result ? fail(nvrtc, result, "no device code", request->name, NULL) : BASIN_OK;
}

static basin_status compile_program(const basin_nvrtc *nvrtc,
                                    basin_nvrtc_program program,
                                    const basin_nvrtc_request *request,
                                    basin_nvrtc_code *code)
{
  char architecture[64];
  const char *contract = basin__env("CONTRACT"), *options[OPTION_MAX];
  size_t count = 0, size = 0;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", request->architecture);
  options[count++] = architecture;
  options[count++] = "--std=c++17";
  options[count++] = "--ptxas-options=-v";
  options[count++] = "--device-as-default-execution-space";
  options[count++] = contract && strcmp(contract, "on") == 0 ? "--fmad=true" : "--fmad=false";
  if (count + request->option_count > OPTION_MAX)
    return BASIN_FAIL(
        nvrtc->context, BASIN_ERROR_RANGE, "kernel %s: too many options", request->name);
  for (size_t i = 0; i < request->option_count; ++i) options[count++] = request->options[i];
  int result = nvrtc->nvrtcCompileProgram(program, (int)count, options);
  nvrtc->nvrtcGetProgramLogSize(program, &size);
  char *log = basin__calloc(nvrtc->context, size + 1, 1);
  if (!log) return BASIN_ERROR_MEMORY;
  if (size) nvrtc->nvrtcGetProgramLog(program, log);
  basin_status status;
  if (result) {
    status = fail(nvrtc, result, request->architecture, request->name, log);
  } else {
    read_log(log, request->entry, code);
    status = fetch_code(nvrtc, program, request, code);
  }
  basin__free(nvrtc->context, log, size + 1);
  return status;
}

basin_status basin__nvrtc_compile(const basin_nvrtc *nvrtc,
                                  const basin_nvrtc_request *request,
                                  basin_nvrtc_code *code)
{
  size_t bytes = (request->file_count + 1) * sizeof(const char *);
  *code = (basin_nvrtc_code){0};
  const char **names = basin__alloc(nvrtc->context, 2 * bytes);
  if (!names) return BASIN_ERROR_MEMORY;
  const char **texts = names + request->file_count + 1;
  for (size_t i = 0; i < request->file_count; i++) {
    names[i] = request->files[i].name;
    texts[i] = request->files[i].text;
  }
  basin_nvrtc_program program;
  int result = nvrtc->nvrtcCreateProgram(
      &program, request->text, "kernel.cu", (int)request->file_count, texts, names);
  basin_status status;
  if (result) {
    status = fail(nvrtc, result, "NVRTC", request->name, NULL);
  } else {
    status = compile_program(nvrtc, program, request, code);
    nvrtc->nvrtcDestroyProgram(&program);
  }
  if (status != BASIN_OK) basin__nvrtc_release(nvrtc, code);
  basin__free(nvrtc->context, names, 2 * bytes);
  return status;
}

void basin__nvrtc_release(const basin_nvrtc *nvrtc, basin_nvrtc_code *code)
{
  basin__free(nvrtc->context, code->image, code->size);
  *code = (basin_nvrtc_code){0};
}
