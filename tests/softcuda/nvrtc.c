/* NVRTC's functions on the compiler of the software CUDA.
 * SPDX-License-Identifier: Apache-2.0 */
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One that no real NVRTC has, and another one for each build: compiled code is kept by it. */
int nvrtcVersion(int *major, int *minor)
{
  SOFTCUDA_CALL("nvrtcVersion");
  if (!major || !minor) return SOFTCUDA_NVRTC_INVALID_INPUT;
  *major = 900;
  *minor = (int)(strtoul(softcuda_build(), NULL, 16) & 0xffffff);
  return SOFTCUDA_NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(int result)
{
  switch (result) {
  case SOFTCUDA_NVRTC_SUCCESS:
    return "NVRTC_SUCCESS";
  case SOFTCUDA_NVRTC_OUT_OF_MEMORY:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case SOFTCUDA_NVRTC_INVALID_INPUT:
    return "NVRTC_ERROR_INVALID_INPUT";
  case SOFTCUDA_NVRTC_INVALID_PROGRAM:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case SOFTCUDA_NVRTC_INVALID_OPTION:
    return "NVRTC_ERROR_INVALID_OPTION";
  case SOFTCUDA_NVRTC_COMPILATION:
    return "NVRTC_ERROR_COMPILATION";
  case SOFTCUDA_NVRTC_INTERNAL_ERROR:
    return "NVRTC_ERROR_INTERNAL_ERROR";
  default:
    return "NVRTC_ERROR unknown";
  }
}

static const int architectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

int nvrtcGetNumSupportedArchs(int *count)
{
  SOFTCUDA_CALL("nvrtcGetNumSupportedArchs");
  if (!count) return SOFTCUDA_NVRTC_INVALID_INPUT;
  *count = ARCHITECTURES;
  return SOFTCUDA_NVRTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *list)
{
  SOFTCUDA_CALL("nvrtcGetSupportedArchs");
  if (!list) return SOFTCUDA_NVRTC_INVALID_INPUT;
  memcpy(list, architectures, sizeof architectures);
  return SOFTCUDA_NVRTC_SUCCESS;
}

/* ---- programs ---- */

static void release(basin_nvrtc_program p)
{
  if (!p) return;
  for (size_t i = 0; i < p->header_count; i++) {
    if (p->header_names) free(p->header_names[i]);
    if (p->header_texts) free(p->header_texts[i]);
  }
  free(p->header_names);
  free(p->header_texts);
  free(p->name);
  free(p->text);
  free(p->object);
  free(p->log);
  free(p);
}

static bool keep_headers(basin_nvrtc_program p,
                         size_t count,
                         const char *const *texts,
                         const char *const *names)
{
  p->header_names = calloc(count + 1, sizeof *p->header_names);
  p->header_texts = calloc(count + 1, sizeof *p->header_texts);
  if (!p->header_names || !p->header_texts) return false;
  p->header_count = count;
  for (size_t i = 0; i < count; i++) {
    p->header_names[i] = strdup(names[i]);
    p->header_texts[i] = strdup(texts[i]);
    if (!p->header_names[i] || !p->header_texts[i]) return false;
  }
  return true;
}

int nvrtcCreateProgram(basin_nvrtc_program *program,
                       const char *text,
                       const char *name,
                       int count,
                       const char *const *texts,
                       const char *const *names)
{
  SOFTCUDA_CALL("nvrtcCreateProgram");
  if (!program || !text || count < 0 || (count && (!texts || !names)))
    return SOFTCUDA_NVRTC_INVALID_INPUT;
  basin_nvrtc_program p = calloc(1, sizeof *p);
  if (!p) return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  p->name = strdup(name && *name ? name : "default_program");
  p->text = strdup(text);
  p->log = strdup("");
  if (!p->name || !p->text || !p->log || !keep_headers(p, (size_t)count, texts, names)) {
    release(p);
    return SOFTCUDA_NVRTC_OUT_OF_MEMORY;
  }
  *program = p;
  return SOFTCUDA_NVRTC_SUCCESS;
}

/* A call that is told to fail releases the program all the same: its owner has no other way. */
int nvrtcDestroyProgram(basin_nvrtc_program *program)
{
  int injected = softcuda_enter("nvrtcDestroyProgram");
  if (!injected) softcuda_leave(NULL);
  if (!program || !*program) return injected ? injected : SOFTCUDA_NVRTC_INVALID_PROGRAM;
  release(*program);
  *program = NULL;
  return injected;
}

int nvrtcCompileProgram(basin_nvrtc_program program, int count, const char *const *options)
{
  /* Not under the lock: kernels are compiled in parallel. */
  int injected = softcuda_enter("nvrtcCompileProgram");
  if (injected) return injected;
  softcuda_leave(NULL);
  if (!program) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  if (count < 0 || (count && !options)) return SOFTCUDA_NVRTC_INVALID_INPUT;
  free(program->object);
  program->object = NULL;
  int result = softcuda_compile(program, count, options);
  program->compiled = result ? -1 : 1;
  return result;
}

int nvrtcGetProgramLogSize(basin_nvrtc_program program, size_t *size)
{
  SOFTCUDA_CALL("nvrtcGetProgramLogSize");
  if (!program) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  *size = strlen(program->log) + 1;
  return SOFTCUDA_NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(basin_nvrtc_program program, char *log)
{
  SOFTCUDA_CALL("nvrtcGetProgramLog");
  if (!program) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  memcpy(log, program->log, strlen(program->log) + 1);
  return SOFTCUDA_NVRTC_SUCCESS;
}

/* ---- results ---- */

static void fill_head(const struct _nvrtcProgram *p, softcuda_head *head)
{
  memset(head, 0, sizeof *head);
  memcpy(head->magic, SOFTCUDA_MAGIC, sizeof head->magic);
  snprintf(head->build, sizeof head->build, "%s", softcuda_build());
  head->capability = (unsigned)p->capability;
  head->size = p->object_size;
}

int nvrtcGetCUBINSize(basin_nvrtc_program program, size_t *size)
{
  SOFTCUDA_CALL("nvrtcGetCUBINSize");
  if (!program || program->compiled != 1) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  *size = program->real ? sizeof(softcuda_head) + program->object_size : 0;
  return SOFTCUDA_NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(basin_nvrtc_program program, char *image)
{
  SOFTCUDA_CALL("nvrtcGetCUBIN");
  if (!program || program->compiled != 1 || !program->real) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  softcuda_head head;
  fill_head(program, &head);
  memcpy(image, &head, sizeof head);
  memcpy(image + sizeof head, program->object, program->object_size);
  return SOFTCUDA_NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(basin_nvrtc_program program, size_t *size)
{
  SOFTCUDA_CALL("nvrtcGetPTXSize");
  if (!program || program->compiled != 1) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  *size = strlen(SOFTCUDA_PTX_START) + 2 * (sizeof(softcuda_head) + program->object_size) + 2;
  return SOFTCUDA_NVRTC_SUCCESS;
}

static char *write_hex(char *to, const unsigned char *from, size_t size)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    *to++ = digits[from[i] >> 4];
    *to++ = digits[from[i] & 15];
  }
  return to;
}

int nvrtcGetPTX(basin_nvrtc_program program, char *ptx)
{
  SOFTCUDA_CALL("nvrtcGetPTX");
  if (!program || program->compiled != 1) return SOFTCUDA_NVRTC_INVALID_PROGRAM;
  softcuda_head head;
  fill_head(program, &head);
  ptx = stpcpy(ptx, SOFTCUDA_PTX_START);
  ptx = write_hex(ptx, (const unsigned char *)&head, sizeof head);
  ptx = write_hex(ptx, program->object, program->object_size);
  memcpy(ptx, "\n", 2);
  return SOFTCUDA_NVRTC_SUCCESS;
}
