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

/* ---- one kernel k(double *y, const double *x, unsigned n) ---- */

static void run(const char *text, unsigned blocks, unsigned threads, double *y, size_t count)
{
  double x[N];
  unsigned n = N;
  device d = open_device();
  fill_numbers(x, N);
  basin_cu_function f = load_kernel(text, "k");
  basin_address px = upload(d, x, sizeof x), py = upload(d, y, count * sizeof *y);
  void *p[] = {&py, &px, &n};
  OK(launch(d, f, blocks, threads, 0, p));
  int result = cuMemcpyDtoHAsync_v2(y, py, count * sizeof *y, d.stream);
  if (result) print_error("%s\n", softcuda_last_message());
  OK(result);
  close_device();
}

#define KERNEL(body) \
  "extern \"C\" __global__ void k(double *y, const double *x, unsigned n)\n{\n" body "}\n"

static void strides_over_the_grid(void **state)
{
  (void)state;
  double x[N], y[N];
  fill_numbers(x, N);
  run(KERNEL("for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
             "blockDim.x)\n  y[i] = 2 * x[i];\n"),
      3,
      64,
      y,
      N);
  for (int i = 0; i < N; i++) assert_true(y[i] == 2 * x[i]);
}

static void counts_threads_in_three_dimensions(void **state)
{
  (void)state;
  device d = open_device();
  unsigned y[2 * 3 * 2 * 4 * 3 * 5];
  const unsigned count = sizeof y / sizeof *y;
  basin_cu_function f = load_kernel(
      "extern \"C\" __global__ void k(unsigned *y)\n{\n"
      "  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
      "  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
      "  unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;\n"
      "  y[i] = i;\n}\n",
      "k");
  basin_address py = upload(d, NULL, sizeof y);
  void *p[] = {&py};
  OK(cuLaunchKernel(f, 2, 3, 2, 4, 3, 5, 0, d.stream, p, NULL));
  OK(cuMemcpyDtoHAsync_v2(y, py, sizeof y, d.stream));
  for (unsigned i = 0; i < count; i++) assert_int_equal(y[i], i);
  close_device();
}

/* Parameters larger than a register arrive whole. */
static void takes_structs_by_value(void **state)
{
  (void)state;
  struct {
    double a;
    basin_address y;
    float b;
    unsigned char c[13];
  } s = {1.5, 0, 0.25f, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
  device d = open_device();
  basin_cu_function f =
      load_kernel("struct s { double a; double *y; float b; unsigned char c[13]; };\n"
                  "extern \"C\" __global__ void k(const s v, char z, s w)\n"
                  "{ v.y[0] = v.a + v.b + v.c[12] + z; w.a = 3; v.y[1] = w.a + v.a; }\n",
                  "k");
  s.y = upload(d, NULL, 16);
  char z = 100;
  double y[2];
  void *p[] = {&s, &z, &s};
  OK(launch(d, f, 1, 2, 0, p));
  OK(cuMemcpyDtoHAsync_v2(y, s.y, sizeof y, d.stream));
  assert_true(y[0] == 114.75 && y[1] == 4.5);
  close_device();
}

static void adds_atomically(void **state)
{
  (void)state;
  double y[8] = {0, 0, 0, 1e9, -1e9, 0, 0, 0};
  run(KERNEL("unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "if (i >= n) return;\n"
             "atomicAdd(&y[0], x[i]);\n"
             "atomicAdd((unsigned *)&y[1], 1u);\n"
             "atomicAdd((unsigned long long *)&y[2], 1ull << 33);\n"
             "atomicMax((unsigned *)&y[5], i);\n"
             "atomicCAS((unsigned *)&y[6], 0u, 7u);\n"
             "atomicOr((unsigned *)&y[7], 1u << (i % 32));\n"),
      8,
      128,
      y,
      8);
  double x[N], sum = 0;
  unsigned word;
  unsigned long long words;
  fill_numbers(x, N);
  for (int i = 0; i < N; i++) sum += x[i];
  assert_true(y[0] == sum); /* whole numbers */
  memcpy(&word, &y[1], sizeof word);
  assert_int_equal(word, N);
  memcpy(&words, &y[2], sizeof words);
  assert_true(words == (unsigned long long)N << 33);
  memcpy(&word, &y[5], sizeof word);
  assert_int_equal(word, N - 1);
  memcpy(&word, &y[6], sizeof word);
  assert_int_equal(word, 7);
  memcpy(&word, &y[7], sizeof word);
  assert_int_equal(word, 0xffffffffu);
}

/* Lane operations against their definitions, in a warp of 32 and one of 8 threads. */
static void exchanges_among_lanes(void **state)
{
  (void)state;
  double y[40 * 10];
  run(KERNEL("const unsigned t = threadIdx.x, lane = t % 32, mask = t < 32 ? 0xffffffffu : 0xffu;\n"
             "double *out = y + 10 * t;\nout[0] = __shfl_sync(mask, (double)t, 3);\n"
             "out[1] = __shfl_up_sync(mask, (int)t, 2);\n"
             "out[2] = __shfl_down_sync(mask, (float)t, 1, 8);\n"
             "out[3] = __shfl_xor_sync(mask, (unsigned long long)t << 40, 4) >> 40;\n"
             "out[4] = __ballot_sync(mask, lane % 3 == 0);\n"
             "out[5] = __any_sync(mask, t == 5) + 2 * __all_sync(mask, t < 32);\n"
             "out[6] = __popc(__match_any_sync(mask, lane / 5));\n"
             "out[7] = __reduce_add_sync(mask, t) + __reduce_max_sync(mask, -(int)lane);\n"
             "out[8] = __shfl_sync(mask, lane * 2, lane + 1, 4);\n"
             "out[9] = __reduce_min_sync(mask, lane + 3u);\n"),
      1,
      40,
      y,
      400);
  for (int t = 0; t < 40; t++) {
    const double *out = y + 10 * t;
    int first = t / 32 * 32, lane = t % 32, lanes = t < 32 ? 32 : 8, sum = 0, ballot = 0, equal = 0;
    for (int i = 0; i < lanes; i++) {
      sum += first + i;
      ballot |= (i % 3 == 0) << i;
      equal += i / 5 == lane / 5;
    }
    assert_true(out[0] == first + 3);
    assert_true(out[1] == (lane < 2 ? t : t - 2));
    assert_true(out[2] == (lane % 8 == 7 ? t : t + 1));
    assert_true(out[3] == (t ^ 4));
    assert_true(out[4] == (double)(unsigned)ballot);
    assert_true(out[5] == (t < 32 ? 3 : 0));
    assert_true(out[6] == equal);
    assert_true(out[7] == sum);
    assert_true(out[8] == (lane / 4 * 4 + (lane + 1) % 4) * 2);
    assert_true(out[9] == 3);
  }
}

/* Lanes that have left need not take part; what is read from them is a NaN. */
static void lets_lanes_leave(void **state)
{
  (void)state;
  double y[32] = {0};
  run(KERNEL("if (threadIdx.x >= 20) return;\n"
             "double v = threadIdx.x;\n"
             "y[threadIdx.x] = __shfl_down_sync(0xffffffffu, v, 4);\n"),
      1,
      32,
      y,
      32);
  for (int i = 0; i < 16; i++) assert_true(y[i] == i + 4);
  for (int i = 16; i < 20; i++) assert_true(y[i] != y[i]);
}

static void barriers_count(void **state)
{
  (void)state;
  double y[3] = {0};
  run(KERNEL(
          "int c = __syncthreads_count(threadIdx.x % 3 == 0);\n"
          "int a = __syncthreads_and(threadIdx.x < 99), o = __syncthreads_or(threadIdx.x == 98);\n"
          "if (threadIdx.x == 50) { y[0] = c; y[1] = a; y[2] = o; }\n"),
      1,
      100,
      y,
      3);
  assert_true(y[0] == 34 && y[1] == 0 && y[2] == 1);
}

/* Shared memory holds nothing of what the block before has left. */
static void spoils_shared_memory(void **state)
{
  (void)state;
  double y[6] = {0};
  run(KERNEL("__shared__ double s;\ny[2 * blockIdx.x] = s;\ns = 5;\ny[2 * blockIdx.x + 1] = s;\n"),
      3,
      1,
      y,
      6);
  for (int i = 0; i < 6; i += 2) {
    assert_true(y[i] != y[i]);
    assert_true(y[i + 1] == 5);
  }
}

/* The C library's functions give the same; the others are compared with their definitions. */
static void has_mathematics(void **state)
{
  (void)state;
  double y[24];
  run(KERNEL(
          "const double a = 0.7, b = 1.3;\nint e;\nint i = 0;\n"
          "y[i++] = sqrt(a); y[i++] = exp(a); y[i++] = log1p(a); y[i++] = atan2(a, b);\n"
          "y[i++] = pow(a, b); y[i++] = tanh(a); y[i++] = fma(a, b, -a * b);\n"
          "y[i++] = rsqrt(b); y[i++] = scalbn(a, 5); y[i++] = ilogb(100.0);\n"
          "y[i++] = isnan(a / 0.0 - 1 / 0.0); y[i++] = isfinite(b); y[i++] = min(3, 2) + max(4u, "
          "1u);\n"
          "y[i++] = fmin(a, b) + fmax((float)1, 2.0f); y[i++] = __clz(1) + __clzll(1);\n"
          "y[i++] = __ffs(8) + __popcll(255ull); y[i++] = "
          "__longlong_as_double(0x3ff0000000000000ll);\n"
          "y[i++] = __float_as_uint(1.0f); y[i++] = frexp(b, &e) + e; y[i++] = copysign(a, -b);\n"
          "y[i++] = a * b - 0.91; y[i++] = sqrt(2.0f); y[i++] = abs(-3) + abs(-0.5); y[i++] = "
          "__fma_rn(a, a, b);\n"),
      1,
      1,
      y,
      24);
  const double a = 0.7, b = 1.3;
  const double expected[24] = {
      sqrt(a),          exp(a), log1p(a),    atan2(a, b), pow(a, b), tanh(a), fma(a, b, -(a * b)),
      1 / sqrt(b),      22.4,   6,           1,           1,         6,       2.7,
      31 + 63,          4 + 8,  1,           1065353216,  1.65,      -0.7,    a * b - 0.91,
      (double)sqrtf(2), 3.5,    fma(a, a, b)};
  for (int i = 0; i < 24; i++) {
    bool same = fabs(y[i] - expected[i]) <= 1e-15 * fabs(expected[i]);
    if (!same) print_error("function %d: %.17g, not %.17g\n", i, y[i], expected[i]);
    assert_true(same);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds_vectors),
      cmocka_unit_test(reduces),
      cmocka_unit_test(strides_over_the_grid),
      cmocka_unit_test(counts_threads_in_three_dimensions),
      cmocka_unit_test(takes_structs_by_value),
      cmocka_unit_test(adds_atomically),
      cmocka_unit_test(exchanges_among_lanes),
      cmocka_unit_test(lets_lanes_leave),
      cmocka_unit_test(barriers_count),
      cmocka_unit_test(spoils_shared_memory),
      cmocka_unit_test(has_mathematics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
