/* What is wrong in kernels and launches is found, and is reported as a driver would.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

/* Runs a kernel `k(double *x, unsigned n)` on 10 numbers; what the next wait says. */
static int run_kernel(const char *text, unsigned blocks, unsigned threads, unsigned shared)
{
  device d = open_device();
  basin_cu_function f = load_kernel(text, "k");
  double x[10] = {0};
  basin_address px = upload(d, x, sizeof x);
  unsigned n = 10;
  void *p[] = {&px, &n};
  OK(launch(d, f, blocks, threads, shared, p));
  int result = cuStreamSynchronize(d.stream);
  close_device();
  return result;
}

#define KERNEL(body) "extern \"C\" __global__ void k(double *x, unsigned n)\n{\n" body "}\n"

static void assert_reason(const char *words)
{
  if (!strstr(softcuda_last_message(), words)) print_error("%s\n", softcuda_last_message());
  assert_non_null(strstr(softcuda_last_message(), words));
}

static void finds_access_behind_the_end(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("unsigned i = threadIdx.x;\nx[i] = 1;\n"), 1, 11, 0),
                   BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("write of 8 bytes at byte 80 of an allocation of 80 bytes");
  assert_reason("thread (10, 0, 0)");
  assert_reason("kernel k");
  assert_reason("(test.cu:4)");
}

static void finds_access_before_the_start(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("x[0] = x[(long)threadIdx.x - 1];\n"), 1, 1, 0),
                   BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("read of 8 bytes");
}

static void finds_null_and_host_pointers(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("*(volatile int *)nullptr = 1;\n"), 1, 1, 0),
                   BASIN_CU_ILLEGAL_ADDRESS);
  device d = open_device();
  basin_cu_function f = load_kernel(KERNEL("x[0] = 1;\n"), "k");
  double on_host = 0, *pointer = &on_host;
  unsigned n = 1;
  void *p[] = {&pointer, &n};
  OK(launch(d, f, 1, 1, 0, p));
  assert_int_equal(cuStreamSynchronize(d.stream), BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("not memory of the device");
  assert_true(on_host == 0);
  close_device();
}

static void finds_misaligned_access(void **state)
{
  (void)state;
  assert_int_equal(
      run_kernel(KERNEL("double *y = (double *)((char *)x + 4); y[threadIdx.x] = 1;\n"), 1, 1, 0),
      BASIN_CU_MISALIGNED_ADDRESS);
}

static void finds_use_of_freed_memory(void **state)
{
  (void)state;
  device d = open_device();
  basin_cu_function f = load_kernel(KERNEL("x[0] = n;\n"), "k");
  basin_address px = upload(d, NULL, 80);
  unsigned n = 1;
  void *p[] = {&px, &n};
  OK(cuMemFree_v2(px));
  OK(launch(d, f, 1, 1, 0, p));
  assert_int_equal(cuStreamSynchronize(d.stream), BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("freed");
  close_device();
}

static void finds_wrong_indices_of_arrays(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("__shared__ double s[8];\ns[threadIdx.x] = 1;\n"
                                     "__syncthreads();\nx[0] = s[0];\n"),
                              1,
                              9,
                              0),
                   BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("test.cu:4: index 8");
  assert_int_equal(
      run_kernel(KERNEL("extern __shared__ double s[];\ns[threadIdx.x] = 1;\n"), 1, 9, 64),
      BASIN_CU_ILLEGAL_ADDRESS);
  assert_int_equal(run_kernel(KERNEL("x[0] = 7 / (int)(n - 10);\n"), 1, 1, 0),
                   BASIN_CU_LAUNCH_FAILED);
  assert_reason("test.cu:3: a division by zero");
  assert_int_equal(run_kernel(KERNEL("x[0] = 1u << (n + 22);\n"), 1, 1, 0), BASIN_CU_LAUNCH_FAILED);
}

static void finds_barriers_in_divergent_flow(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("if (threadIdx.x < 5) __syncthreads();\n"), 1, 8, 0),
                   BASIN_CU_LAUNCH_FAILED);
  assert_reason("thread 0 waits at test.cu:3, thread 5 has ended");
  assert_int_equal(run_kernel(KERNEL("if (threadIdx.x < 5)\n__syncthreads();\nelse\n"
                                     "__syncthreads();\n"),
                              1,
                              8,
                              0),
                   BASIN_CU_LAUNCH_FAILED);
  assert_reason("thread 0 waits at test.cu:4, thread 5 at test.cu:6");
}

static void finds_missing_lanes(void **state)
{
  (void)state;
  assert_int_equal(
      run_kernel(KERNEL("if (threadIdx.x != 3) __syncwarp();\nelse __syncthreads();\n"), 1, 32, 0),
      BASIN_CU_LAUNCH_FAILED);
  assert_reason("for lanes of its mask 0xffffffff that do not come");
  assert_int_equal(run_kernel(KERNEL("x[0] = __ballot_sync(1u, 1);\n"), 1, 2, 0),
                   BASIN_CU_LAUNCH_FAILED);
  assert_reason("lacks the lane itself, 1");
}

/* Of shared memory, of an allocation, of half a number; what is written is read. */
static void finds_reads_of_what_nobody_wrote(void **state)
{
  static const char *const wrong[] = {
      KERNEL("__shared__ float s[2];\ns[0] = 1;\nx[0] = s[threadIdx.x + 1];\n"),
      KERNEL("x[0] = x[10 + threadIdx.x];\n"),
      KERNEL("((volatile unsigned *)x)[20] = 1;\nx[0] = x[10 + threadIdx.x];\n"),
      KERNEL("atomicAdd(&x[10], 1.0);\n")};
  (void)state;
  setenv("SOFTCUDA_UNWRITTEN", "1", 1);
  OK(run_kernel(
      KERNEL("__shared__ float s[2];\ns[1] = 1;\nx[0] += s[threadIdx.x + 1];\n"), 1, 1, 0));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    device d = open_device();
    basin_cu_function f = load_kernel(wrong[i], "k");
    basin_address x = upload(d, NULL, 12 * sizeof(double));
    unsigned n = 10;
    void *p[] = {&x, &n};
    OK(launch(d, f, 1, 1, 0, p));
    assert_int_equal(cuStreamSynchronize(d.stream), BASIN_CU_LAUNCH_FAILED);
    assert_reason("that nobody has written");
    close_device();
  }
  unsetenv("SOFTCUDA_UNWRITTEN");
}

static void finds_endless_stacks_and_loops(void **state)
{
  (void)state;
  assert_int_equal(run_kernel("__device__ __noinline__ double deep(double a, volatile double *x)\n"
                              "{ volatile double v[64]; v[0] = a;\n"
                              "  return a > 1e9 ? a : deep(a + v[0] * 0 + 1, x) + *x; }\n" KERNEL(
                                  "x[0] = deep(0, x);\n"),
                              1,
                              1,
                              0),
                   BASIN_CU_LAUNCH_FAILED);
  assert_reason("stack");
  setenv("SOFTCUDA_TIMEOUT", "1", 1);
  assert_int_equal(run_kernel(KERNEL("while (*(volatile double *)x == 0) {}\n"), 1, 1, 0),
                   BASIN_CU_LAUNCH_TIMEOUT);
  unsetenv("SOFTCUDA_TIMEOUT");
}

static void finds_traps(void **state)
{
  (void)state;
  assert_int_equal(run_kernel(KERNEL("assert(n != 10);\n"), 1, 1, 0), BASIN_CU_LAUNCH_FAILED);
  assert_reason("test.cu:3");
}

static void refuses_wrong_launches(void **state)
{
  (void)state;
  device d = open_device();
  basin_cu_function f = load_kernel(
      "extern \"C\" __global__ void __launch_bounds__(64, 2) k(double *x, unsigned n) {}", "k");
  basin_address px = upload(d, NULL, 80);
  unsigned n = 1;
  void *p[] = {&px, &n}, *few[] = {&px, NULL};
  int value;
  OK(launch(d, f, 1, 64, 48 << 10, p));
  assert_int_equal(launch(d, f, 1, 65, 0, p), BASIN_CU_LAUNCH_OUT_OF_RESOURCES);
  assert_int_equal(launch(d, f, 1, 1025, 0, p), BASIN_CU_INVALID_VALUE);
  assert_int_equal(launch(d, f, 0, 1, 0, p), BASIN_CU_INVALID_VALUE);
  assert_int_equal(launch(d, f, 1, 0, 0, p), BASIN_CU_INVALID_VALUE);
  assert_int_equal(launch(d, f, 1, 1, (48 << 10) + 1, p), BASIN_CU_INVALID_VALUE);
  assert_int_equal(launch(d, f, 1, 1, 0, few), BASIN_CU_INVALID_VALUE);
  assert_int_equal(launch(d, f, 1, 1, 0, NULL), BASIN_CU_INVALID_VALUE);
  const int optin = BASIN_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  assert_int_equal(cuFuncSetAttribute(f, optin, 300 << 10), BASIN_CU_INVALID_VALUE);
  OK(cuFuncSetAttribute(f, optin, 100 << 10));
  OK(launch(d, f, 1, 1, 100 << 10, p));
  OK(cuFuncGetAttribute(&value, BASIN_CU_FUNCTION_MAX_THREADS_PER_BLOCK, f));
  assert_int_equal(value, 64);
  /* Without bounds a thread may need all the registers it can have. */
  f = load_kernel("extern \"C\" __global__ void k(double *x, unsigned n) {}", "k");
  OK(launch(d, f, 1, 256, 0, p));
  assert_int_equal(launch(d, f, 1, 257, 0, p), BASIN_CU_LAUNCH_OUT_OF_RESOURCES);
  f = load_kernel("struct much { char bytes[4096]; };\n"
                  "extern \"C\" __global__ void k(much m, double *x) {}",
                  "k");
  static const char much[4096];
  void *large[] = {(void *)(uintptr_t)much, &px};
  assert_int_equal(launch(d, f, 1, 1, 0, large), BASIN_CU_INVALID_VALUE);
  /* none of this was lasting */
  OK(cuStreamSynchronize(d.stream));
  close_device();
}

static void keeps_the_error_until_the_context_ends(void **state)
{
  (void)state;
  device d = open_device();
  basin_cu_function f = load_kernel(KERNEL("x[10] = 1;\n"), "k");
  basin_address px = upload(d, NULL, 80), other;
  unsigned n = 1;
  double back[10];
  void *p[] = {&px, &n};
  OK(launch(d, f, 1, 1, 0, p));
  OK(launch(d, f, 1, 1, 0, p)); /* the first has not been waited for */
  assert_int_equal(cuMemcpyDtoHAsync_v2(back, px, sizeof back, d.stream), BASIN_CU_ILLEGAL_ADDRESS);
  assert_int_equal(cuMemAlloc_v2(&other, 8), BASIN_CU_ILLEGAL_ADDRESS);
  assert_int_equal(launch(d, f, 1, 1, 0, p), BASIN_CU_ILLEGAL_ADDRESS);
  assert_int_equal(cuMemFree_v2(px), BASIN_CU_ILLEGAL_ADDRESS);
  close_device();
  d = open_device();
  OK(cuMemAlloc_v2(&other, 8));
  OK(cuStreamSynchronize(d.stream));
  close_device();
}

static int write_beside(void *data)
{
  basin_address address;
  memcpy(&address, data, sizeof address);
  ((double *)(uintptr_t)address)[10] = 1.0;
  return 0;
}

/* Host code of the vendor's libraries is not looked at access by access. */
static void finds_writes_beside_an_allocation(void **state)
{
  (void)state;
  device d = open_device();
  basin_address px = upload(d, NULL, 80);
  OK(softcuda_enqueue(d.stream, write_beside, &px, sizeof px));
  assert_int_equal(cuStreamSynchronize(d.stream), BASIN_CU_ILLEGAL_ADDRESS);
  assert_reason("behind the allocation of 80 bytes");
  close_device();
}

static void refuses_wrong_copies(void **state)
{
  (void)state;
  device d = open_device();
  basin_address px = upload(d, NULL, 80), py = upload(d, NULL, 80);
  double x[20] = {0};
  void *on_device = (void *)(uintptr_t)py;
  assert_int_equal(cuMemcpyHtoDAsync_v2(px, x, 88, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyHtoDAsync_v2(px + 8, x, 80, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyHtoDAsync_v2(px, on_device, 80, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyDtoHAsync_v2(on_device, px, 80, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyDtoHAsync_v2(x, (uintptr_t)x, 80, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyDtoDAsync_v2(px + 8, px, 16, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemsetD32Async(px + 2, 0, 1, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemsetD32Async(px, 0, 21, d.stream), BASIN_CU_INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(px + 8), BASIN_CU_INVALID_VALUE);
  OK(cuMemFree_v2(px));
  assert_int_equal(cuMemFree_v2(px), BASIN_CU_INVALID_VALUE);
  OK(cuMemcpyDtoHAsync_v2(x, py, 80, d.stream));
  close_device();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_access_behind_the_end),
      cmocka_unit_test(finds_access_before_the_start),
      cmocka_unit_test(finds_null_and_host_pointers),
      cmocka_unit_test(finds_misaligned_access),
      cmocka_unit_test(finds_use_of_freed_memory),
      cmocka_unit_test(finds_wrong_indices_of_arrays),
      cmocka_unit_test(finds_barriers_in_divergent_flow),
      cmocka_unit_test(finds_missing_lanes),
      cmocka_unit_test(finds_reads_of_what_nobody_wrote),
      cmocka_unit_test(finds_endless_stacks_and_loops),
      cmocka_unit_test(finds_traps),
      cmocka_unit_test(refuses_wrong_launches),
      cmocka_unit_test(keeps_the_error_until_the_context_ends),
      cmocka_unit_test(finds_writes_beside_an_allocation),
      cmocka_unit_test(refuses_wrong_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
