/* Kernels give what they should: blocks, barriers, shared memory, warps, atomics, orders.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

#include <math.h>

enum { N = 1000 };

static void fill_numbers(double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) values[i] = (double)((i * 7919u) % 1013u) - 500.0;
}

static void adds_vectors(void **state)
{
  (void)state;
  device d = open_device();
  double a[N], b[N], c[N];
  fill_numbers(a, N);
  for (int i = 0; i < N; i++) b[i] = 0.25 * i;
  basin_cu_function f = load_kernel(
      "extern \"C\" __global__ void __launch_bounds__(256) add(const double *a, const double *b, "
      "double *c, unsigned n)\n{\n"
      "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}",
      "add");
  basin_address pa = upload(d, a, sizeof a), pb = upload(d, b, sizeof b),
                pc = upload(d, 0, sizeof c);
  unsigned n = N;
  void *p[] = {&pa, &pb, &pc, &n};
  OK(launch(d, f, (N + 127) / 128, 128, 0, p));
  OK(cuMemcpyDtoHAsync_v2(c, pc, sizeof c, d.stream));
  for (int i = 0; i < N; i++) assert_true(c[i] == a[i] + b[i]);
  close_device();
}

static const char reductions[] =
    "extern \"C\" __global__ void tree(const double *x, double *sums)\n{\n"
    "  __shared__ double s[256];\n  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];\n"
    "  for (unsigned h = 128; h; h /= 2) {\n    __syncthreads();\n"
    "    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n  }\n"
    "  if (!threadIdx.x) sums[blockIdx.x] = s[0];\n}\n"
    "extern \"C\" __global__ void dynamic(const double *x, double *sums)\n{\n"
    "  extern __shared__ double s[];\n"
    "  s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "  for (unsigned h = blockDim.x / 2; h; h /= 2) {\n    __syncthreads();\n"
    "    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n  }\n"
    "  if (!threadIdx.x) sums[blockIdx.x] = s[0];\n}\n"
    "extern \"C\" __global__ void shuffles(const double *x, double *sums)\n{\n"
    "  __shared__ double s[8];\n"
    "  double v = x[blockIdx.x * 256 + threadIdx.x];\n"
    "  for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);\n"
    "  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;\n  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n    v = 0;\n    for (int w = 0; w < 8; w++) v += s[w];\n"
    "    sums[blockIdx.x] = v;\n  }\n}\n";

/* Whole numbers: every order of additions gives the same sum. */
static void reduces(void **state)
{
  static const char *const orders[] = {"forward", "reverse", "random:5"};
  static const char *const kernels[] = {"tree", "dynamic", "shuffles"};
  (void)state;
  double x[1024], expected[4] = {0}, sums[4];
  fill_numbers(x, 1024);
  for (int i = 0; i < 1024; i++) expected[i / 256] += x[i];
  for (int o = 0; o < 3; o++)
    for (int k = 0; k < 3; k++) {
      setenv("SOFTCUDA_ORDER", orders[o], 1);
      device d = open_device();
      basin_cu_function f = load_kernel(reductions, kernels[k]);
      basin_address px = upload(d, x, sizeof x), ps = upload(d, NULL, sizeof sums);
      void *p[] = {&px, &ps};
      OK(launch(d, f, 4, 256, k == 1 ? 2048 : 0, p));
      OK(cuMemcpyDtoHAsync_v2(sums, ps, sizeof sums, d.stream));
      for (int i = 0; i < 4; i++) assert_true(sums[i] == expected[i]);
      close_device();
    }
  unsetenv("SOFTCUDA_ORDER");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds_vectors),
      cmocka_unit_test(reduces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
