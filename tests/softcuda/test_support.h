/* For the tests of the software CUDA: a device, kernels from text, memory that must be right.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_TEST_SUPPORT_H
#define BASIN_SOFTCUDA_TEST_SUPPORT_H

#include "exports.h"
#include "nvrtc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#define OK(call) assert_int_equal((call), BASIN_CU_SUCCESS)

typedef struct device {
  basin_cu_context context;
  basin_cu_stream stream;
} device;

static inline device open_device(void)
{
  device d;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&d.context, 0));
  OK(cuCtxPushCurrent_v2(d.context));
  OK(cuStreamCreate(&d.stream, BASIN_CU_STREAM_NON_BLOCKING));
  return d;
}

/* The context goes with all that is in it. */
static inline void close_device(void)
{
  basin_cu_context context;
  OK(cuCtxPopCurrent_v2(&context));
  OK(cuDevicePrimaryCtxRelease_v2(0));
}

/* The log of a compilation; the caller frees it. `image` is NULL if it fails. */
static inline char *compile(const char *text, const char *architecture, char **image)
{
  basin_nvrtc_program program;
  char option[64];
  size_t size;
  snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
  const char *options[] = {option, "--std=c++17", "--fmad=false"};
  OK(nvrtcCreateProgram(&program, text, "test.cu", 0, NULL, NULL));
  int result = nvrtcCompileProgram(program, 3, options);
  OK(nvrtcGetProgramLogSize(program, &size));
  char *log = malloc(size);
  assert_non_null(log);
  OK(nvrtcGetProgramLog(program, log));
  *image = NULL;
  if (!result) {
    bool ptx = strncmp(architecture, "compute", 7) == 0;
    OK(ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size));
    *image = malloc(size);
    assert_non_null(*image);
    OK(ptx ? nvrtcGetPTX(program, *image) : nvrtcGetCUBIN(program, *image));
  }
  OK(nvrtcDestroyProgram(&program));
  return log;
}

static inline basin_cu_function load_kernel(const char *text, const char *name)
{
  char *image;
  char *log = compile(text, "sm_90", &image);
  if (!image) print_error("%s", log);
  assert_non_null(image);
  basin_cu_module module;
  basin_cu_function function;
  int result = cuModuleLoadDataEx(&module, image, 0, NULL, NULL);
  if (result) print_error("%s\n", softcuda_last_message());
  OK(result);
  OK(cuModuleGetFunction(&function, module, name));
  free(image);
  free(log);
  return function;
}

static inline basin_address upload(device d, const void *data, size_t bytes)
{
  basin_address address;
  OK(cuMemAlloc_v2(&address, bytes));
  if (data) OK(cuMemcpyHtoDAsync_v2(address, data, bytes, d.stream));
  return address;
}

static inline int
launch(device d, basin_cu_function f, unsigned blocks, unsigned threads, unsigned shared, void **p)
{
  return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, d.stream, p, NULL);
}

#endif
