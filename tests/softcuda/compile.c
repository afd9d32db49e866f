/* Compiles CUDA texts with the in-process Clang: prelude, text, table of kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/clang_shim.h"
#include "nvrtc.h"
#include "object.h"
#include "texts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All accesses of memory are looked at (services.c), and what UBSan knows about indices. */
#define CHECKS "-fsanitize=thread,array-bounds,integer-divide-by-zero,shift-exponent"

enum { ARGUMENTS_MAX = 128, ROUNDS_MAX = 8 };

/* ---- the Clang module ---- */

static struct {
#define X(type, name, parameters) type(*name) parameters;
  BASIN_SHIM_FUNCTIONS(X)
#undef X
  char error[512];
} shim;

/* Options of LLVM's pass for ThreadSanitizer, which only these compilations run: volatile accesses
 * are told apart, calls of functions are of no interest. */
static void set_pass_options(void *library)
{
  static const char *const words[] = {
      "softcuda", "-tsan-distinguish-volatile", "-tsan-instrument-func-entry-exit=0"};
  void (*parse)(int, const char *const *, const char *);
  void *address = dlsym(library, "LLVMParseCommandLineOptions");
  memcpy(&parse, &address, sizeof parse);
  if (parse) parse(3, words, "");
}

static void open_shim(void)
{
  const char *path = getenv("BASIN_LIB_CLANG");
  if (!path || !*path) path = SOFTCUDA_CLANG;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(shim.error, sizeof shim.error, "%s", dlerror());
    return;
  }
  void *address;
#define X(type, name, parameters)  \
  address = dlsym(library, #name); \
  memcpy(&shim.name, &address, sizeof address);
  BASIN_SHIM_FUNCTIONS(X)
#undef X
  set_pass_options(library);
  if (!shim.basin_shim_abi || shim.basin_shim_abi() != BASIN_SHIM_ABI || !shim.basin_shim_compile)
    snprintf(shim.error, sizeof shim.error, "%s belongs to another build", path);
}

/* ---- options ---- */

typedef struct options {
  const char *list[ARGUMENTS_MAX];
  size_t count;
  char architecture[48];
  bool verbose;
  const char *unknown;
} options;

static void push(options *o, const char *argument)
{
  if (o->count < ARGUMENTS_MAX) o->list[o->count++] = argument;
}

static bool starts(const char *text, const char *with, const char **rest)
{
  size_t length = strlen(with);
  if (strncmp(text, with, length) != 0) return false;
  *rest = text + length;
  return true;
}

static bool read_architecture(basin_nvrtc_program program, options *o, const char *architecture)
{
  const char *number;
  program->real = starts(architecture, "sm_", &number);
  if (!program->real && !starts(architecture, "compute_", &number)) return false;
  program->capability = atoi(number);
  snprintf(o->architecture, sizeof o->architecture, "-D__CUDA_ARCH__=%d", program->capability * 10);
  return program->capability >= 50 && program->capability <= 90;
}

/* What NVRTC's options mean here; those about the code of a real device mean nothing. */
static bool read_option(basin_nvrtc_program program, options *o, const char *option)
{
  static const char *const ignored[] = {"--std=c++17",
                                        "-std=c++17",
                                        "--device-as-default-execution-space",
                                        "-default-device",
                                        "--device-debug",
                                        "-G",
                                        "--generate-line-info",
                                        "-lineinfo",
                                        "--extra-device-vectorization",
                                        "--restrict"};
  static const char *const ignored_starts[] = {"--maxrregcount",
                                               "-maxrregcount",
                                               "--diag-",
                                               "--split-compile",
                                               "--disable-warnings",
                                               "-w",
                                               "--Ofast-compile",
                                               "--relocatable-device-code",
                                               "--ftz=",
                                               "--prec-sqrt=",
                                               "--prec-div=",
                                               "--use_fast_math=false"};
  const char *rest;
  if (starts(option, "--gpu-architecture=", &rest) || starts(option, "-arch=", &rest))
    return read_architecture(program, o, rest);
  if (starts(option, "--fmad=", &rest) || starts(option, "-fmad=", &rest)) {
    if (strcmp(rest, "true") == 0) push(o, "-ffp-contract=fast");
    return true;
  }
  if (starts(option, "--ptxas-options", &rest) || starts(option, "-Xptxas", &rest)) {
    o->verbose = o->verbose || strstr(rest, "-v");
    return true;
  }
  if (starts(option, "-D", &rest) || starts(option, "-U", &rest) || starts(option, "-I", &rest)) {
    if (!*rest) return false;
    push(o, option);
    return true;
  }
  if (starts(option, "--define-macro=", &rest)) {
    push(o, "-D");
    push(o, rest);
    return true;
  }
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    if (strcmp(option, ignored[i]) == 0) return true;
  for (size_t i = 0; i < sizeof ignored_starts / sizeof *ignored_starts; i++)
    if (starts(option, ignored_starts[i], &rest)) return true;
  return false;
}

static bool
read_options(basin_nvrtc_program program, options *o, int count, const char *const *given)
{
  static const char *const fixed[] = {"-x",
                                      "c++",
                                      "-std=c++17",
                                      "-O1",
                                      "-w",
                                      "-nostdsysteminc",
                                      "-nobuiltininc",
                                      "-mrelocation-model",
                                      "pic",
                                      "-pic-level",
                                      "2",
                                      "-fvisibility=hidden",
                                      "-ffunction-sections",
                                      "-ferror-limit",
                                      "0",
                                      "-fno-threadsafe-statics",
                                      "-debug-info-kind=line-tables-only",
                                      "-dwarf-version=4",
                                      "-ffp-contract=off",
                                      CHECKS,
                                      "-include",
                                      "softcuda_prelude.h",
                                      "-I.",
                                      "-I/"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) push(o, fixed[i]);
  if (__builtin_cpu_supports("fma")) {
    push(o, "-target-feature");
    push(o, "+fma");
  }
  program->capability = 75;
  program->real = false;
  snprintf(o->architecture, sizeof o->architecture, "-D__CUDA_ARCH__=750");
  for (int i = 0; i < count; i++)
    if (!given[i] || !read_option(program, o, given[i])) {
      o->unknown = given[i];
      return false;
    }
  push(o, o->architecture);
  return true;
}

/* ---- the table of kernels, behind the text ---- */

/* The line of candidate 0: one is opened behind the text. */
static int first_line(const char *text)
{
  int line = 3;
  for (; *text; text++) line += *text == '\n';
  return line;
}

static char *add_table(const char *text, const softcuda_candidates *candidates)
{
  char *whole = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&whole, &size);
  if (!out) return NULL;
  fprintf(out, "%s\nextern \"C\" const softcuda_entry softcuda_entries[] = {\n", text);
  for (size_t i = 0; i < candidates->count; i++) {
    const softcuda_candidate *c = &candidates->list[i];
    if (!c->dropped)
      fprintf(out,
              "{\"%s\", softcuda_signature<decltype(%s)>::call<%s>, "
              "softcuda_signature<decltype(%s)>::sizes, softcuda_signature<decltype(%s)>::count, "
              "(unsigned)(%s)},",
              c->name,
              c->name,
              c->name,
              c->name,
              c->name,
              c->bounds ? c->bounds : "0");
    fprintf(out, "\n");
  }
  fprintf(out, "{nullptr, nullptr, nullptr, 0, 0}};\n");
  return fclose(out) == 0 ? whole : NULL;
}

/* Candidates that are no kernels (in text that is not compiled, templates) show as errors in the
 * table: they are dropped; all of them if there are errors in the text too, so that only those are
 * reported. False if the table has no errors. */
static bool drop_candidates(basin_nvrtc_program program,
                            softcuda_candidates *candidates,
                            const char *diagnostics)
{
  int first = first_line(program->text);
  size_t length = strlen(program->name);
  bool in_table = false, in_text = false;
  for (const char *line = diagnostics; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *error = strstr(line, " error: ");
    if (!error || error > line + strcspn(line, "\n")) continue;
    bool here = strncmp(line, program->name, length) == 0 && line[length] == ':';
    int number = here ? atoi(line + length + 1) - first : -1;
    if (number >= 0 && number < (int)candidates->count)
      in_table = candidates->list[number].dropped = true;
    else
      in_text = true;
  }
  for (size_t i = 0; in_table && in_text && i < candidates->count; i++)
    candidates->list[i].dropped = true;
  return in_table;
}

/* Kernels whose names come out of macros: functions with C names that no candidate speaks of. */
static bool add_candidates(softcuda_candidates *candidates, const basin_shim_result *compiled)
{
  softcuda_object object;
  size_t before = candidates->count;
  const unsigned char *data = (const unsigned char *)compiled->data;
  if (softcuda_object_read(&object, data, compiled->size)) return false;
  for (size_t i = 0; i < object.symbol_count; i++) {
    const Elf64_Sym *s = &object.symbols[i];
    const char *name = softcuda_object_name(&object, s);
    if (s->st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_GLOBAL &&
        ELF64_ST_TYPE(s->st_info) == STT_FUNC && strncmp(name, "_Z", 2) != 0)
      softcuda_candidates_add(candidates, name);
  }
  return candidates->count > before;
}

/* ---- compilation ---- */

static void run_clang(basin_nvrtc_program program,
                      const options *o,
                      const char *text,
                      basin_shim_result *result)
{
  basin_shim_file *files = calloc(program->header_count + 3, sizeof *files);
  *result = (basin_shim_result){0};
  if (!files) return;
  size_t count = 0;
  files[count++] = (basin_shim_file){program->name, text};
  files[count++] = (basin_shim_file){"softcuda_prelude.h", softcuda_text_prelude};
  files[count++] = (basin_shim_file){"softcuda_abi.h", softcuda_text_abi};
  files = realloc(files, (count + program->header_count) * sizeof *files);
  for (size_t i = 0; files && i < program->header_count; i++)
    files[count++] = (basin_shim_file){program->header_names[i], program->header_texts[i]};
  basin_shim_request request = {files, count, o->list, o->count, BASIN_SHIM_OBJECT};
  if (files) shim.basin_shim_compile(&request, result);
  free(files);
}

static bool find_candidates(basin_nvrtc_program program, softcuda_candidates *candidates)
{
  bool found = softcuda_candidates_find(candidates, program->text);
  for (size_t i = 0; i < program->header_count; i++)
    found = found && softcuda_candidates_find(candidates, program->header_texts[i]);
  return found;
}

static int fail(basin_nvrtc_program program, int result, const char *what, const char *about)
{
  char *log = NULL;
  size_t size = strlen(what) + strlen(about) + 32;
  log = malloc(size);
  if (!log) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  snprintf(log, size, "nvrtc: error: %s%s\n", what, about);
  free(program->log);
  program->log = log;
  return result;
}

static int keep(basin_nvrtc_program program, const basin_shim_result *compiled)
{
  program->object = malloc(compiled->size);
  if (!program->object) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  memcpy(program->object, compiled->data, compiled->size);
  program->object_size = compiled->size;
  return SOFTCUDA_NVRTC_SUCCESS;
}

/* Compiles until the table holds kernels only. */
static int
compile_rounds(basin_nvrtc_program program, const options *o, softcuda_candidates *candidates)
{
  for (int round = 0; round < ROUNDS_MAX; round++) {
    basin_shim_result compiled;
    char *text = add_table(program->text, candidates);
    if (!text) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
    run_clang(program, o, text, &compiled);
    free(text);
    if (!compiled.diagnostics) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
    bool again = compiled.data ? add_candidates(candidates, &compiled)
                               : drop_candidates(program, candidates, compiled.diagnostics);
    if (!again) {
      free(program->log);
      program->log = softcuda_diagnostics(compiled.diagnostics, program->name);
      int result = !program->log    ? SOFTCUDA_NVRTC_OUT_OF_MEMORY
                   : !compiled.data ? SOFTCUDA_NVRTC_COMPILATION
                                    : keep(program, &compiled);
      shim.basin_shim_release(&compiled);
      return result;
    }
    shim.basin_shim_release(&compiled);
  }
  return fail(program, SOFTCUDA_NVRTC_INTERNAL_ERROR, "the table of kernels does not compile", "");
}

/* What the assembler of a real device says about a kernel: its shared memory, and its limit. */
static int
report_kernels(basin_nvrtc_program program, const options *o, const softcuda_candidates *candidates)
{
  char *log = NULL;
  size_t size = 0;
  int result = SOFTCUDA_NVRTC_SUCCESS;
  FILE *out = open_memstream(&log, &size);
  if (!out) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  fputs(program->log, out);
  for (size_t i = 0; i < candidates->count; i++) {
    const softcuda_candidate *c = &candidates->list[i];
    if (c->dropped || !softcuda_object_function(program->object, program->object_size, c->name))
      continue;
    size_t shared = softcuda_object_shared(program->object, program->object_size, c->name);
    if (shared > SOFTCUDA_SHARED_MAX) {
      fprintf(out,
              "ptxas error   : Entry function '%s' uses too much shared data (0x%zx bytes, 0x%x "
              "max)\n",
              c->name,
              shared,
              SOFTCUDA_SHARED_MAX);
      result = SOFTCUDA_NVRTC_COMPILATION;
    }
    if (o->verbose)
      fprintf(out,
              "ptxas info    : Function properties for %s\n    0 bytes stack frame, 0 bytes spill "
              "stores, 0 bytes spill loads\nptxas info    : Used 64 registers, %zu bytes smem\n",
              c->name,
              shared);
  }
  if (fclose(out) != 0) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  free(program->log);
  program->log = log;
  return result;
}

int softcuda_compile(basin_nvrtc_program program, int count, const char *const *given)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_shim);
  if (shim.error[0])
    return fail(program, SOFTCUDA_NVRTC_INTERNAL_ERROR, "no Clang module: ", shim.error);
  options o = {.count = 0};
  if (!read_options(program, &o, count, given))
    return fail(program,
                SOFTCUDA_NVRTC_INVALID_OPTION,
                "invalid value for an option: ",
                o.unknown ? o.unknown : "");
  softcuda_candidates candidates = {0};
  int result = find_candidates(program, &candidates) ? compile_rounds(program, &o, &candidates)
                                                     : SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  if (!result) result = report_kernels(program, &o, &candidates);
  softcuda_candidates_free(&candidates);
  return result;
}
