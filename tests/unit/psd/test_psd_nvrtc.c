/* The projection as a CUDA thread runs it, through NVRTC: it compiles for every architecture, and
 * its registers and spills are reported. No device is needed; skipped where NVRTC is missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _nvrtcProgram *program;

static struct {
  int (*create)(
      program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(program, int, const char *const *);
  int (*log_size)(program, size_t *);
  int (*log)(program, char *);
  int (*destroy)(program *);
} nvrtc;

static const char *const names[] = {"psd.h", "psd_lanes.h", "psd_small.h", "psd_warp.h"};
enum { file_count = sizeof names / sizeof names[0] };

static int load(void)
{
  static const char *const libraries[] = {
      "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"};
  void *library = NULL;
  for (size_t k = 0; !library && k < sizeof libraries / sizeof libraries[0]; k++)
    library = dlopen(libraries[k], RTLD_NOW);
  if (!library) return 0;
  *(void **)&nvrtc.create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&nvrtc.compile = dlsym(library, "nvrtcCompileProgram");
  *(void **)&nvrtc.log_size = dlsym(library, "nvrtcGetProgramLogSize");
  *(void **)&nvrtc.log = dlsym(library, "nvrtcGetProgramLog");
  *(void **)&nvrtc.destroy = dlsym(library, "nvrtcDestroyProgram");
  return nvrtc.create && nvrtc.compile && nvrtc.log_size && nvrtc.log && nvrtc.destroy;
}

static char *read_file(const char *name)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", PSD_DEVICE_FOLDER, name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(file);
  return text;
}

/* The number in front of `word` in the assembler's report, or -1. */
static long number_before(const char *text, const char *word)
{
  const char *at = strstr(text, word);
  if (!at || at == text) return -1;
  do at--;
  while (at > text && (*at < '0' || *at > '9'));
  while (at > text && at[-1] >= '0' && at[-1] <= '9') at--;
  return strtol(at, NULL, 10);
}

static int compile(int size, const char *type, const char *architecture, const char *const *texts)
{
  char source[1024], option[64], *report;
  snprintf(source,
           sizeof source,
           "typedef %s real;\n"
           "typedef real basin_scalar;\n"
           "#define BASIN_CUDA_THREADS 128\n"
           "#define BASIN_PSD_N %d\n"
           "#include \"psd.h\"\n"
           "extern \"C\" __global__ void __launch_bounds__(128)\n"
           "project(real *h, int count, int mode) {\n"
           "  const int at = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  real one[%d];\n"
           "  const int from = at < count ? at : count - 1;\n"
           "  for (int e = 0; e < %d; e++) one[e] = h[e * count + from];\n"
           "  basin_psd_%d_warp(one, at < count, mode);\n"
           "  for (int e = 0; e < %d && at < count; e++) h[e * count + at] = one[e];\n"
           "}\n",
           type,
           size,
           size * (size + 1) / 2,
           size * (size + 1) / 2,
           size,
           size * (size + 1) / 2);
  snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
  const char *const options[] = {option, "--fmad=false", "--ptxas-options=-v"};
  program one;
  size_t length = 0;
  if (nvrtc.create(&one, source, "project.cu", file_count, texts, names) != 0) return 1;
  const int status = nvrtc.compile(one, 3, options);
  nvrtc.log_size(one, &length);
  report = calloc(1, length + 1);
  if (!report) return 1;
  nvrtc.log(one, report);
  nvrtc.destroy(&one);
  if (status != 0)
    fprintf(
        stderr, "n = %d, %s, %s: NVRTC status %d\n%s\n", size, type, architecture, status, report);
  else
    printf("{\"test\": \"psd_nvrtc\", \"n\": %d, \"type\": \"%s\", \"architecture\": \"%s\", "
           "\"registers\": %ld, \"spill_stores\": %ld, \"spill_loads\": %ld}\n",
           size,
           type,
           architecture,
           number_before(report, " registers"),
           number_before(report, " bytes spill stores"),
           number_before(report, " bytes spill loads"));
  free(report);
  return status != 0;
}

int main(void)
{
  static const struct {
    const char *architecture, *type;
    int size;
  } cases[] = {
      {"sm_80", "double", 3},
      {"sm_80", "double", 9},
      {"sm_90", "double", 1},
      {"sm_90", "double", 2},
      {"sm_90", "double", 3},
      {"sm_90", "double", 6},
      {"sm_90", "double", 12},
      {"sm_90", "float", 9},
      {"sm_120", "double", 3},
      {"sm_120", "double", 9},
  };
  char *texts[file_count];
  int faults = 0;
  if (!load()) {
    printf("NVRTC is missing\n");
    return 77;
  }
  for (int k = 0; k < file_count; k++) texts[k] = read_file(names[k]);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    faults +=
        compile(cases[k].size, cases[k].type, cases[k].architecture, (const char *const *)texts);
  for (int k = 0; k < file_count; k++) free(texts[k]);
  return faults != 0;
}
