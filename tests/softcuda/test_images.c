/* Texts become images, errors have file and line, foreign images are refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

#define ADD "extern \"C\" __global__ void k(double *x)\n{ x[threadIdx.x] += 1; }\n"

static void states_file_and_line_of_errors(void **state)
{
  (void)state;
  char *image;
  char *log = compile(
      "/* one */\nextern \"C\" __global__ void k(double *x)\n{\n  x[0] = y;\n}\n", "sm_90", &image);
  assert_null(image);
  assert_non_null(strstr(log, "test.cu(4): error: use of undeclared identifier 'y'"));
  assert_non_null(strstr(log, "1 error detected in the compilation of \"test.cu\""));
  free(log);
  /* a template and text that is left out are no kernels, and no errors either */
  log = compile("template <class T> __global__ void no(T *x) { *x = 1; }\n#if 0\n"
                "extern \"C\" __global__ void none(int a) {}\n#endif\n" ADD "int bad = missing;\n",
                "sm_90",
                &image);
  assert_null(image);
  assert_non_null(strstr(log, "test.cu(7): error: use of undeclared identifier 'missing'"));
  assert_non_null(strstr(log, "1 error detected"));
  free(log);
}

static void reads_headers_and_definitions(void **state)
{
  (void)state;
  const char *const texts[] = {"#include \"inner.h\"\n#define STEP (INNER + EXTRA)\n",
                               "#define INNER 2.0\n"};
  const char *const names[] = {"folder/outer.h", "folder/inner.h"};
  const char *options[] = {"--gpu-architecture=sm_90", "-DEXTRA=0.5", "--ptxas-options=-v"};
  basin_nvrtc_program program;
  size_t size;
  device d = open_device();
  OK(nvrtcCreateProgram(&program,
                        "#include \"folder/outer.h\"\nextern \"C\" __global__ void k(double *x)\n"
                        "{ *x = STEP; }\n",
                        "main.cu",
                        2,
                        texts,
                        names));
  assert_int_equal(nvrtcGetCUBINSize(program, &size), SOFTCUDA_NVRTC_INVALID_PROGRAM);
  OK(nvrtcCompileProgram(program, 3, options));
  OK(nvrtcGetCUBINSize(program, &size));
  char *image = malloc(size), log[4096];
  assert_non_null(image);
  OK(nvrtcGetCUBIN(program, image));
  OK(nvrtcGetProgramLogSize(program, &size));
  assert_true(size <= sizeof log);
  OK(nvrtcGetProgramLog(program, log));
  assert_non_null(strstr(log, "Function properties for k"));
  OK(nvrtcDestroyProgram(&program));
  basin_cu_module module;
  basin_cu_function f;
  OK(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
  free(image);
  OK(cuModuleGetFunction(&f, module, "k"));
  basin_address x = upload(d, NULL, 8);
  void *p[] = {&x};
  double value;
  OK(launch(d, f, 1, 1, 0, p));
  OK(cuMemcpyDtoHAsync_v2(&value, x, 8, d.stream));
  assert_true(value == 2.5);
  assert_int_equal(cuModuleGetFunction(&f, module, "other"), BASIN_CU_NOT_FOUND);
  OK(cuModuleUnload(module));
  assert_int_equal(cuModuleUnload(module), SOFTCUDA_INVALID_HANDLE);
  close_device();
}

static void refuses_options_it_does_not_know(void **state)
{
  (void)state;
  basin_nvrtc_program program;
  const char *unknown = "--no-such-option", *wrong = "--gpu-architecture=sm_999";
  OK(nvrtcCreateProgram(&program, ADD, "a.cu", 0, NULL, NULL));
  assert_int_equal(nvrtcCompileProgram(program, 1, &unknown), SOFTCUDA_NVRTC_INVALID_OPTION);
  assert_int_equal(nvrtcCompileProgram(program, 1, &wrong), SOFTCUDA_NVRTC_INVALID_OPTION);
  OK(nvrtcDestroyProgram(&program));
}

static int load(const char *image)
{
  basin_cu_module module;
  return cuModuleLoadDataEx(&module, image, 0, NULL, NULL);
}

static void refuses_foreign_images(void **state)
{
  (void)state;
  char *image;
  device d = open_device();
  (void)d;
  static const char elf[64] = "\177ELF\2\1\1";
  assert_int_equal(load(elf), BASIN_CU_NO_BINARY_FOR_GPU);
  assert_int_equal(load("something else entirely"), BASIN_CU_INVALID_IMAGE);
  assert_int_equal(load("//\n.version 9.0\n.target sm_90\n"), BASIN_CU_UNSUPPORTED_PTX_VERSION);
  assert_int_equal(load(NULL), BASIN_CU_INVALID_VALUE);
  basin_cu_module module;
  char log[20] = "";
  int options[] = {BASIN_CU_JIT_ERROR_LOG, BASIN_CU_JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)sizeof log};
  assert_int_equal(cuModuleLoadDataEx(&module, "//\n.version 9.0\n", 2, options, values),
                   BASIN_CU_UNSUPPORTED_PTX_VERSION);
  assert_string_equal(log, "assembler : no imag");
  free(compile(ADD, "sm_80", &image));
  assert_int_equal(load(image), BASIN_CU_NO_BINARY_FOR_GPU);
  free(image);
  free(compile(ADD, "sm_90", &image));
  OK(load(image));
  image[17] ^= 1; /* in the name of the build */
  assert_int_equal(load(image), BASIN_CU_INVALID_IMAGE);
  free(image);
  close_device();
}

static void loads_ptx_of_older_devices(void **state)
{
  (void)state;
  char *ptx;
  device d = open_device();
  free(compile(ADD, "compute_70", &ptx));
  assert_non_null(ptx);
  basin_cu_module module;
  basin_cu_function f;
  OK(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
  OK(cuModuleGetFunction(&f, module, "k"));
  double value = 3;
  basin_address x = upload(d, &value, 8);
  void *p[] = {&x};
  OK(launch(d, f, 1, 1, 0, p));
  OK(cuMemcpyDtoHAsync_v2(&value, x, 8, d.stream));
  assert_true(value == 4);
  free(ptx);
  close_device();
}

static void limits_shared_memory(void **state)
{
  (void)state;
  char *image;
  char *log = compile("extern \"C\" __global__ void k(double *x)\n{ __shared__ double s[6145];\n"
                      "s[threadIdx.x] = 1; __syncthreads(); x[0] = s[0]; }\n",
                      "sm_90",
                      &image);
  assert_null(image);
  assert_non_null(strstr(log, "Entry function 'k' uses too much shared data (0xc008 bytes"));
  free(log);
  /* each kernel has its own */
  device d = open_device();
  (void)d;
  basin_cu_function f = load_kernel(
      "__device__ __noinline__ double sum(const double *x)\n{ __shared__ double s[1000];\n"
      "  s[threadIdx.x] = x[0]; __syncthreads(); return s[0]; }\n"
      "extern \"C\" __global__ void a(double *x)\n{ __shared__ double s[4000];\n"
      "  s[threadIdx.x] = 1; __syncthreads(); x[0] = s[0] + sum(x); }\n"
      "extern \"C\" __global__ void b(double *x)\n{ x[0] = sum(x); }\n",
      "b");
  int value;
  OK(cuFuncGetAttribute(&value, BASIN_CU_FUNCTION_SHARED_SIZE_BYTES, f));
  assert_int_equal(value, 8000);
  close_device();
}

static void names_a_version_of_its_own(void **state)
{
  (void)state;
  int major, minor, count, list[64];
  OK(nvrtcVersion(&major, &minor));
  assert_int_equal(major, 900);
  OK(nvrtcGetNumSupportedArchs(&count));
  assert_in_range(count, 1, 64);
  OK(nvrtcGetSupportedArchs(list));
  bool found = false;
  for (int i = 0; i < count; i++) found = found || list[i] == 90;
  assert_true(found);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_file_and_line_of_errors),
      cmocka_unit_test(reads_headers_and_definitions),
      cmocka_unit_test(refuses_options_it_does_not_know),
      cmocka_unit_test(refuses_foreign_images),
      cmocka_unit_test(loads_ptx_of_older_devices),
      cmocka_unit_test(limits_shared_memory),
      cmocka_unit_test(names_a_version_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
