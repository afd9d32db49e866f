/* Every call of the driver and of NVRTC fails once, at every place: a clear error, nothing leaks,
 * and the CPU goes on. SPDX-License-Identifier: Apache-2.0 */
#include "two_systems.h"

#define DRIVER_NAME(type, name, parameters, exported) #name,
static const char *const driver_names[] = {
#define X DRIVER_NAME
#include "device/cuda/driver.def"
#undef X
};
static const char *const compiler_names[] = {
#define X(type, name, parameters) #name,
#include "base/nvrtc.def"
#undef X
};

enum {
  OUT_OF_MEMORY = 2,
  CONTEXT_KILLED = 709,
  LAUNCH_FAILED = 719,
  OTHER = 801,
  NVRTC_FAILURE = 11
};

/* ---- what fails ---- */

/* Launches recorded as a graph, timed. */
static basin_status run_graph(basin_cuda *cuda, basin_address to)
{
  basin_cuda_graph *graph = NULL;
  double seconds;
  BASIN_TRY(basin__cuda_graph_begin(cuda));
  basin_status status = basin__cuda_zero(cuda, to, 64);
  if (status == BASIN_OK)
    status = basin__cuda_graph_end(cuda, &graph);
  else
    basin__cuda_graph_abandon(cuda);
  if (status == BASIN_OK) status = basin__cuda_timer_start(cuda);
  if (status == BASIN_OK) status = basin__cuda_graph_launch(cuda, graph);
  if (status == BASIN_OK) status = basin__cuda_timer_stop(cuda, &seconds);
  basin__cuda_graph_destroy(cuda, graph);
  return status;
}

static basin_status run_memory(basin_cuda *cuda)
{
  static unsigned char bytes[1 << 18];
  basin_buffer buffer = {0};
  basin_status status = basin__buffer_reserve(cuda, &buffer, 1000);
  if (status == BASIN_OK) status = basin__cuda_upload(cuda, buffer.address, bytes, 1000);
  if (status == BASIN_OK) status = basin__buffer_extend(cuda, &buffer, 1000, sizeof bytes);
  if (status == BASIN_OK) status = basin__cuda_fill(cuda, buffer.address, 7, 250);
  if (status == BASIN_OK) status = basin__cuda_upload(cuda, buffer.address, bytes, sizeof bytes);
  if (status == BASIN_OK)
    status = basin__cuda_copy(cuda, buffer.address, buffer.address + 512, 256);
  if (status == BASIN_OK) status = run_graph(cuda, buffer.address);
  if (status == BASIN_OK) status = basin__cuda_download(cuda, bytes, buffer.address, sizeof bytes);
  if (status == BASIN_OK) status = basin__cuda_wait(cuda);
  basin__buffer_release(cuda, &buffer);
  return status;
}

static basin_status read_all(const scene *s)
{
  basin_array_id arrays[SCENE_ARRAYS];
  basin_span view;
  scene_arrays(s, arrays);
  for (size_t i = 0; i < SCENE_ARRAYS; ++i)
    BASIN_TRY(basin_system_array(s->system, arrays[i], &view));
  return BASIN_OK;
}

/* A device's whole life, at the end with a scene on it. */
static basin_status live(basin_context *context)
{
  scene s;
  basin_status status = scene_init(&s, context, "cuda");
  if (status == BASIN_OK) status = run_memory(s.system->cuda);
  if (status == BASIN_OK) status = read_all(&s);
  if (status == BASIN_OK) status = basin_system_resize(s.system, s.points, TWO_POINTS + 9);
  basin_span view;
  if (status == BASIN_OK) status = basin_system_array(s.system, s.scaled, &view);
  scene_fini(&s);
  return status;
}

static void expect_cpu_works(basin_context *context)
{
  scene s;
  basin_status status = scene_init(&s, context, "cpu");
  if (status == BASIN_OK) status = read_all(&s);
  if (status != BASIN_OK) fail_msg("on the CPU: %s", basin_error_text(context));
  scene_fini(&s);
}

/* ---- failing it ---- */

/* One life in which call number `call` of `name` gives `result`; true if it ended well. */
static bool fails_well(const char *name, int call, int result)
{
  char wanted[128];
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  snprintf(wanted, sizeof wanted, "%s:%d=%d", name, call, result);
  setenv("SOFTCUDA_FAIL", wanted, 1);
  basin_status status = live(context);
  unsetenv("SOFTCUDA_FAIL");
  const char *message = basin_error_last(context)->message;
  if (status != BASIN_OK) {
    if (status == BASIN_ERROR_INTERNAL || !*message) fail_msg("%s: %s", wanted, message);
    if (result == OUT_OF_MEMORY && strcmp(name, "cuMemAlloc") == 0 && !strstr(message, "asked"))
      fail_msg("%s: %s", wanted, message);
    expect_cpu_works(context);
  }
  basin_context_destroy(context);
  if (allocator.blocks != 0 || allocator.bytes != 0)
    fail_msg("%s: %zu blocks leak", wanted, (size_t)allocator.blocks);
  return status == BASIN_OK;
}

/* Calls whose failure is seen by nobody: they release, describe, or only help an error message. */
static bool is_harmless(const char *name)
{
  static const char *const names[] = {"cuGetErrorName",
                                      "cuGetErrorString",
                                      "cuDevicePrimaryCtxRelease",
                                      "cuCtxPopCurrent",
                                      "cuMemGetInfo",
                                      "cuMemFree",
                                      "cuMemFreeHost",
                                      "cuStreamDestroy",
                                      "cuGraphExecDestroy",
                                      "cuGraphDestroy",
                                      "cuModuleUnload",
                                      "cuEventDestroy",
                                      "cuFuncSetAttribute",
                                      "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                      "nvrtcGetErrorString",
                                      "nvrtcDestroyProgram",
                                      "nvrtcGetPTXSize",
                                      "nvrtcGetPTX",
                                      "nvrtcVersion",
                                      "nvrtcGetProgramLogSize",
                                      "nvrtcGetProgramLog"};
  for (size_t i = 0; i < BASIN_COUNT(names); ++i)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* Fails each call of a life in turn: every first, second, fourth ... one. */
static void fail_each(const char *name, int result)
{
  int failed = 0;
  for (int call = 1; call < 2000; call = call < 8 ? call + 1 : call + call / 3)
    failed += !fails_well(name, call, result);
  if (!is_harmless(name) && failed == 0) fail_msg("%s never failed", name);
}

static void test_driver(void **state)
{
  (void)state;
  for (size_t i = 0; i < BASIN_COUNT(driver_names); ++i) fail_each(driver_names[i], OTHER);
}

static void test_compiler(void **state)
{
  (void)state;
  setenv("BASIN_CACHE", "off", 1);
  for (size_t i = 0; i < BASIN_COUNT(compiler_names); ++i)
    for (int call = 1; call < 12; ++call) fails_well(compiler_names[i], call, NVRTC_FAILURE);
  unsetenv("BASIN_CACHE");
}

static void test_out_of_memory(void **state)
{
  (void)state;
  fail_each("cuMemAlloc", OUT_OF_MEMORY);
  fail_each("cuMemHostAlloc", OUT_OF_MEMORY);
  fail_each("cuModuleLoadDataEx", OUT_OF_MEMORY);
}

/* The context is killed under the device's hands. */
static void test_killed(void **state)
{
  (void)state;
  fail_each("cuCtxPushCurrent", CONTEXT_KILLED);
  fail_each("cuMemcpyHtoDAsync", CONTEXT_KILLED);
  fail_each("cuLaunchKernel", LAUNCH_FAILED);
  fail_each("cuStreamSynchronize", LAUNCH_FAILED);
}

/* The host's memory runs out, at every place of a life. */
static void test_host_memory(void **state)
{
  (void)state;
  basin_status status = BASIN_ERROR_MEMORY;
  for (size_t call = 1; status != BASIN_OK && call < 100000; call += 1 + call / 50) {
    failing_allocator allocator = {.fail_at = call};
    basin_context *context = test_context(&allocator);
    if (!context) continue;
    status = live(context);
    if (status != BASIN_OK && status != BASIN_ERROR_MEMORY)
      fail_msg("call %zu: %s", call, basin_error_text(context));
    basin_context_destroy(context);
    if (allocator.blocks != 0 || allocator.bytes != 0)
      fail_msg("call %zu: %zu blocks leak", call, (size_t)allocator.blocks);
  }
  assert_int_equal(status, BASIN_OK);
}

/* ---- a lost device ---- */

static void expect_lost(basin_context *context, basin_status status, const char *words)
{
  assert_int_equal(status, BASIN_ERROR_DEVICE);
  if (!strstr(basin_error_last(context)->message, words))
    fail_msg("'%s' lacks '%s'", basin_error_last(context)->message, words);
}

static void test_lost(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  scene s;
  basin_span view;
  double number = 0;
  setenv("SOFTCUDA_FAIL", "cuStreamSynchronize:3=700", 1);
  assert_int_equal(scene_init(&s, context, "cuda"), BASIN_OK);
  basin_status status = read_all(&s);
  unsetenv("SOFTCUDA_FAIL");
  expect_lost(context, status, "CUDA_ERROR_ILLEGAL_ADDRESS");
  if (!strstr(basin_error_last(context)->message, "kernel"))
    fail_msg("'%s' names no kernel", basin_error_last(context)->message);
  basin_cuda *cuda = s.system->cuda;
  expect_lost(context, basin__cuda_wait(cuda), "was lost");
  expect_lost(context, basin__cuda_download(cuda, &number, 1, 8), "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect_lost(context, basin_system_array(s.system, s.averaged, &view), "was lost");
  basin_buffer buffer = {0};
  expect_lost(context, basin__buffer_reserve(cuda, &buffer, 8), "was lost");
  expect_cpu_works(context);
  scene_fini(&s);
  basin_context_destroy(context);
}

/* Out of memory in mid-run: the state is what it was, and once there is room all goes on. */
static void test_memory_in_mid_run(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  scene s;
  basin_span view;
  assert_int_equal(scene_init(&s, context, "cuda"), BASIN_OK);
  assert_int_equal(read_all(&s), BASIN_OK);
  assert_int_equal(basin_system_array(s.system, s.x, &view), BASIN_OK);
  double kept = view.data[30];
  basin_address address;
  setenv("SOFTCUDA_FAIL_EVERY", "cuMemAlloc:1=2", 1);
  assert_int_equal(basin_device_count(context), 1); /* cuInit reads the environment */
  assert_int_equal(basin_system_resize(s.system, s.points, 4000), BASIN_OK);
  assert_int_equal(basin__array_on_device(s.system, s.x, &address), BASIN_ERROR_MEMORY);
  if (!strstr(basin_error_last(context)->message, "93.8 KiB asked"))
    fail_msg("%s", basin_error_last(context)->message);
  unsetenv("SOFTCUDA_FAIL_EVERY");
  assert_int_equal(basin_device_count(context), 1);
  assert_int_equal(basin__array_on_device(s.system, s.x, &address), BASIN_OK);
  assert_int_equal(basin_system_array(s.system, s.x, &view), BASIN_OK);
  assert_int_equal(view.count, 4000);
  assert_true(view.data[30] == kept && view.data[view.count * 3 - 1] == 0);
  scene_fini(&s);
  basin_context_destroy(context);
}

/* ---- what is missing or too old ---- */

static void
expect_unopened(const char *variable, const char *value, basin_status expected, const char *words)
{
  const char *before = getenv(variable);
  char *kept = before ? strdup(before) : NULL;
  basin_context *context = test_context(NULL);
  basin_cuda *cuda;
  setenv(variable, value, 1);
  basin_status status = basin__cuda_open(context, 0, &cuda);
  if (kept)
    setenv(variable, kept, 1);
  else
    unsetenv(variable);
  free(kept);
  assert_null(cuda);
  if (status != expected || !strstr(basin_error_last(context)->message, words))
    fail_msg("status %d: '%s' lacks '%s'", status, basin_error_last(context)->message, words);
  expect_cpu_works(context);
  basin_context_destroy(context);
}

static void test_missing(void **state)
{
  (void)state;
  expect_unopened("BASIN_LIB_CUDA",
                  "/nonexistent/libcuda.so.1",
                  BASIN_ERROR_MISSING_LIBRARY,
                  "comes with NVIDIA's driver");
  expect_unopened("BASIN_LIB_CUDA",
                  "libm.so.6",
                  BASIN_ERROR_MISSING_LIBRARY,
                  "has no function cuInit; a driver for CUDA 11.4 or newer");
  expect_unopened(
      "BASIN_LIB_NVRTC", "/nonexistent/libnvrtc.so", BASIN_ERROR_MISSING_LIBRARY, "CUDA toolkit");
  expect_unopened(
      "BASIN_LIB_NVRTC", "libm.so.6", BASIN_ERROR_MISSING_LIBRARY, "no function nvrtcVersion");
  expect_unopened(
      "SOFTCUDA_DRIVER_VERSION", "10020", BASIN_ERROR_UNSUPPORTED, "for CUDA 10.2; CUDA 11.4");
  expect_unopened("SOFTCUDA_DEVICES", "0", BASIN_ERROR_DEVICE, "no CUDA device");
}

/* The driver takes no machine code: PTX instead. It takes that neither: what to install. */
static void test_refused_code(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_cuda *cuda;
  setenv("SOFTCUDA_FAIL", "cuModuleLoadDataEx:1=209", 1);
  setenv("BASIN_CACHE", "off", 1);
  assert_int_equal(basin__cuda_open(context, 0, &cuda), BASIN_OK);
  assert_int_equal(strncmp(basin__cuda_architecture(cuda), "compute_", 8), 0);
  assert_int_equal(strncmp(basin__cuda_information(cuda)->architecture, "sm_", 3), 0);
  assert_int_equal(run_memory(cuda), BASIN_OK);
  basin__cuda_close(cuda);
  setenv("SOFTCUDA_FAIL", "cuModuleLoadDataEx:1=209,cuModuleLoadDataEx:2=222", 1);
  assert_int_equal(basin__cuda_open(context, 0, &cuda), BASIN_ERROR_UNSUPPORTED);
  if (!strstr(basin_error_last(context)->message, "a newer driver or an older NVRTC"))
    fail_msg("%s", basin_error_last(context)->message);
  unsetenv("SOFTCUDA_FAIL");
  unsetenv("BASIN_CACHE");
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_refused_code),
      cmocka_unit_test(test_lost),
      cmocka_unit_test(test_memory_in_mid_run),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_host_memory),
      cmocka_unit_test(test_driver),
      cmocka_unit_test(test_compiler),
  };
  if (!is_software()) return 77;
  unsetenv("SOFTCUDA_LOG"); /* failures on demand would fill the log */
  skip_without_device();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
