/* Devices, memory, failures on demand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void has_every_function_of_the_list(void **state)
{
  (void)state;
  void *driver = dlopen(SOFTCUDA_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *nvrtc = dlopen(SOFTCUDA_FOLDER "/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(driver);
  assert_non_null(nvrtc);
#define X(type, name, parameters, exported) assert_non_null(dlsym(driver, #exported));
#include "device/cuda/driver.def"
#undef X
#define X(type, name, parameters) assert_non_null(dlsym(nvrtc, #name));
#include "base/nvrtc.def"
#undef X
  /* the old ones lack one function each */
  void *old = dlopen(SOFTCUDA_FOLDER "/libcuda-old.so.1", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(old);
  assert_non_null(dlsym(old, "cuInit"));
  assert_null(dlsym(old, "cuGraphInstantiateWithFlags"));
  old = dlopen(SOFTCUDA_FOLDER "/libnvrtc-old.so.13", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(old);
  assert_null(dlsym(old, "nvrtcGetCUBIN"));
}

static void describes_devices(void **state)
{
  (void)state;
  int count, ordinal, value;
  char name[64];
  setenv("SOFTCUDA_DEVICES", "2", 1);
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  assert_int_equal(count, 2);
  OK(cuDeviceGet(&ordinal, 1));
  assert_int_equal(cuDeviceGet(&ordinal, 2), BASIN_CU_INVALID_DEVICE);
  OK(cuDeviceGetName(name, sizeof name, ordinal));
  assert_string_equal(name, "Software CUDA");
  OK(cuDeviceGetAttribute(&value, BASIN_CU_COMPUTE_CAPABILITY_MAJOR, ordinal));
  assert_int_equal(value, 9);
  assert_int_equal(cuDeviceGetAttribute(&value, -1, ordinal), BASIN_CU_INVALID_VALUE);
  setenv("SOFTCUDA_DEVICES", "0", 1);
  assert_int_equal(cuInit(0), BASIN_CU_NO_DEVICE);
  unsetenv("SOFTCUDA_DEVICES");
  setenv("SOFTCUDA_DRIVER_VERSION", "11020", 1);
  OK(cuDriverGetVersion(&value));
  assert_int_equal(value, 11020);
  unsetenv("SOFTCUDA_DRIVER_VERSION");
  const char *text;
  OK(cuGetErrorName(BASIN_CU_ILLEGAL_ADDRESS, &text));
  assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  assert_int_equal(cuGetErrorName(12345, &text), BASIN_CU_INVALID_VALUE);
}

static void needs_a_context(void **state)
{
  (void)state;
  basin_address address;
  OK(cuInit(0));
  assert_int_equal(cuMemAlloc_v2(&address, 8), BASIN_CU_INVALID_CONTEXT);
  assert_int_equal(cuCtxPopCurrent_v2(NULL), BASIN_CU_INVALID_CONTEXT);
  device d = open_device();
  OK(cuMemAlloc_v2(&address, 8));
  close_device();
  assert_int_equal(cuCtxPushCurrent_v2(d.context), BASIN_CU_INVALID_CONTEXT);
}

static void runs_out_of_memory(void **state)
{
  (void)state;
  size_t available, total;
  basin_address a, b;
  setenv("SOFTCUDA_MEMORY", "1M", 1);
  device d = open_device();
  (void)d;
  OK(cuMemAlloc_v2(&a, 600 << 10));
  assert_int_equal(cuMemAlloc_v2(&b, 600 << 10), BASIN_CU_OUT_OF_MEMORY);
  OK(cuMemGetInfo_v2(&available, &total));
  assert_int_equal(available, 424 << 10);
  assert_int_equal(total, 1 << 20);
  OK(cuMemFree_v2(a)); /* not lasting */
  OK(cuMemAlloc_v2(&b, 600 << 10));
  assert_int_equal(cuMemAlloc_v2(&b, 0), BASIN_CU_INVALID_VALUE);
  close_device();
  unsetenv("SOFTCUDA_MEMORY");
}

/* What nobody wrote is a NaN, as one double or two floats. */
static void poisons_memory(void **state)
{
  (void)state;
  device d = open_device();
  double x[3];
  float y[6];
  basin_address a = upload(d, NULL, sizeof x);
  OK(cuMemcpyDtoHAsync_v2(x, a, sizeof x, d.stream));
  memcpy(y, x, sizeof y);
  for (int i = 0; i < 3; i++) assert_true(x[i] != x[i]);
  for (int i = 0; i < 6; i++) assert_true(y[i] != y[i]);
  close_device();
}

/* In a child, which must die of it. */
static void keeps_the_host_out(void **state)
{
  (void)state;
  device d = open_device();
  basin_address a = upload(d, NULL, 8);
  OK(cuStreamSynchronize(d.stream));
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    _exit(*(volatile int *)(uintptr_t)a == 1 ? 1 : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  close_device();
}

static void fails_on_demand(void **state)
{
  (void)state;
  basin_address a;
  setenv("SOFTCUDA_FAIL", "cuMemAlloc:2=2,cuMemFree:1=1,nonsense", 1);
  setenv("SOFTCUDA_FAIL_EVERY", "cuMemGetInfo:3=100", 1);
  device d = open_device();
  size_t available;
  OK(cuMemAlloc_v2(&a, 8));
  assert_int_equal(cuMemAlloc_v2(&a, 8), BASIN_CU_OUT_OF_MEMORY);
  OK(cuMemAlloc_v2(&a, 8));
  assert_int_equal(cuMemFree_v2(a), BASIN_CU_INVALID_VALUE);
  OK(cuMemFree_v2(a));
  for (int i = 1; i < 10; i++)
    assert_int_equal(cuMemGetInfo_v2(&available, NULL), i % 3 ? 0 : BASIN_CU_NO_DEVICE);
  close_device();
  /* errors of a device last */
  setenv("SOFTCUDA_FAIL", "cuStreamSynchronize:2=719", 1);
  unsetenv("SOFTCUDA_FAIL_EVERY");
  d = open_device();
  OK(cuStreamSynchronize(d.stream));
  assert_int_equal(cuStreamSynchronize(d.stream), BASIN_CU_LAUNCH_FAILED);
  assert_int_equal(cuMemAlloc_v2(&a, 8), BASIN_CU_LAUNCH_FAILED);
  close_device();
  unsetenv("SOFTCUDA_FAIL");
  device again = open_device();
  OK(cuStreamSynchronize(again.stream));
  close_device();
}

/* In a child: counts are written at its end. */
static void counts_calls(void **state)
{
  (void)state;
  char path[] = "/tmp/softcuda-count-XXXXXX", line[128];
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  pid_t child = fork();
  if (child == 0) {
    basin_address a;
    setenv("SOFTCUDA_COUNT", path, 1);
    if (cuInit(0) || cuMemAlloc_v2(&a, 8) == 0 || cuMemAlloc_v2(&a, 8) == 0) _exit(1);
    exit(0);
  }
  int status, calls = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    int found = sscanf(line, "cuMemAlloc %d", &calls);
    if (found == 1) break;
  }
  fclose(file);
  unlink(path);
  assert_true(calls >= 2);
}

static void keeps_devices_apart(void **state)
{
  (void)state;
  setenv("SOFTCUDA_DEVICES", "2", 1);
  device d = open_device();
  basin_address first = upload(d, NULL, 8);
  basin_cu_context second;
  double value = 0;
  OK(cuDevicePrimaryCtxRetain(&second, 1));
  OK(cuCtxPushCurrent_v2(second));
  assert_int_equal(softcuda_current_device(), 1);
  assert_int_equal(cuMemcpyDtoHAsync_v2(&value, first, 8, NULL), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(first), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuStreamSynchronize(d.stream), SOFTCUDA_INVALID_HANDLE);
  OK(cuCtxPopCurrent_v2(NULL));
  OK(cuDevicePrimaryCtxRelease_v2(1));
  assert_int_equal(softcuda_current_device(), 0);
  close_device();
  unsetenv("SOFTCUDA_DEVICES");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_every_function_of_the_list),
      cmocka_unit_test(describes_devices),
      cmocka_unit_test(needs_a_context),
      cmocka_unit_test(runs_out_of_memory),
      cmocka_unit_test(poisons_memory),
      cmocka_unit_test(keeps_the_host_out),
      cmocka_unit_test(fails_on_demand),
      cmocka_unit_test(counts_calls),
      cmocka_unit_test(keeps_devices_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
