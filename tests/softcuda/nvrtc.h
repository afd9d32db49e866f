/* NVRTC's interface, as far as Basin uses it, and what its parts share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_NVRTC_H
#define BASIN_SOFTCUDA_NVRTC_H

#include "image.h"

typedef struct _nvrtcProgram *basin_nvrtc_program;
#define X(type, name, parameters) SOFTCUDA_API type name parameters;
#include "base/nvrtc.def"
#undef X

enum {
  SOFTCUDA_NVRTC_SUCCESS = 0,
  SOFTCUDA_NVRTC_OUT_OF_MEMORY = 1,
  SOFTCUDA_NVRTC_INVALID_INPUT = 3,
  SOFTCUDA_NVRTC_INVALID_PROGRAM = 4,
  SOFTCUDA_NVRTC_INVALID_OPTION = 5,
  SOFTCUDA_NVRTC_COMPILATION = 6,
  SOFTCUDA_NVRTC_INTERNAL_ERROR = 11
};

struct _nvrtcProgram {
  char *name, *text;
  size_t header_count;
  char **header_names, **header_texts;
  int compiled; /* 0 not yet, 1 done, -1 failed */
  int capability;
  bool real; /* architecture sm_, not compute_ */
  unsigned char *object;
  size_t object_size;
  char *log; /* terminated */
};

/* ---- entries.c ---- */
/* A name before "(" behind __global__ in a text, and its __launch_bounds__. */
typedef struct softcuda_candidate {
  char *name, *bounds; /* bounds: the first argument, NULL if there is none */
  bool dropped;
} softcuda_candidate;
typedef struct softcuda_candidates {
  softcuda_candidate *list;
  size_t count;
} softcuda_candidates;
bool softcuda_candidates_find(softcuda_candidates *candidates, const char *text);
bool softcuda_candidates_add(softcuda_candidates *candidates, const char *name);
void softcuda_candidates_free(softcuda_candidates *candidates);

/* ---- compile.c ---- */
/* Compiles the program's text; the options are those of nvrtcCompileProgram. */
int softcuda_compile(basin_nvrtc_program program, int count, const char *const *options);

/* ---- diagnostics.c ---- */
/* What Clang said, in NVRTC's form: "file(line): error: text". NULL: out of memory. */
char *softcuda_diagnostics(const char *clang, const char *name);

#endif
