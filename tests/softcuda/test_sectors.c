/* Sectors and wavefronts that kernels ask for are those that their accesses make by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sectors.h"
#include "test_support.h"

/* Runs `text` with a buffer of doubles; what was counted. */
static softcuda_kernel_sectors count(const char *text, unsigned blocks, unsigned threads)
{
  char source[1000];
  snprintf(source,
           sizeof source,
           "extern \"C\" __global__ void k(double *x, double *y)\n{\n"
           "  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x %% 32;\n"
           "  (void)t, (void)lane;\n%s}\n",
           text);
  device d = open_device();
  basin_cu_function f = load_kernel(source, "k");
  basin_address x = upload(d, NULL, 1 << 16), y = upload(d, NULL, 1 << 16);
  OK(cuMemsetD8Async(x, 0, 1 << 16, d.stream));
  OK(cuStreamSynchronize(d.stream));
  const softcuda_kernel_sectors *found = softcuda_sectors_find("k");
  softcuda_kernel_sectors before = {0};
  if (found) before = *found;
  void *p[] = {&x, &y};
  OK(launch(d, f, blocks, threads, 0, p));
  OK(cuStreamSynchronize(d.stream));
  found = softcuda_sectors_find("k");
  assert_non_null(found);
  softcuda_kernel_sectors now = *found;
  close_device();
  if (now.image != before.image) return now;
  for (int n = 0; n < SOFTCUDA_TRAFFIC_COUNT; n++) {
    now.requests[n] -= before.requests[n];
    now.bytes[n] -= before.bytes[n];
    now.sectors[n] -= before.sectors[n];
  }
  for (int n = 0; n < 2; n++) {
    now.of_block[n] -= before.of_block[n];
    now.of_launch[n] -= before.of_launch[n];
  }
  return now;
}

static void neighbouring_lanes(void **state)
{
  (void)state;
  softcuda_kernel_sectors s = count("  y[t] = x[t];\n", 1, 32);
  assert_int_equal(s.requests[SOFTCUDA_READS], 1);
  assert_int_equal(s.bytes[SOFTCUDA_READS], 32 * 8);
  assert_int_equal(s.sectors[SOFTCUDA_READS], 8);
  assert_int_equal(s.requests[SOFTCUDA_WRITES], 1);
  assert_int_equal(s.sectors[SOFTCUDA_WRITES], 8);
  s = count("  y[t] = x[t + 1];\n", 1, 32); /* begins within a sector */
  assert_int_equal(s.sectors[SOFTCUDA_READS], 9);
}

static void strides(void **state)
{
  (void)state;
  softcuda_kernel_sectors s = count("  y[t] = x[9 * t];\n", 1, 32);
  assert_int_equal(s.sectors[SOFTCUDA_READS], 32);
  s = count("  y[t] = x[2 * t];\n", 1, 32);
  assert_int_equal(s.sectors[SOFTCUDA_READS], 16);
  s = count("  y[t] = x[0];\n", 1, 32);
  assert_int_equal(s.sectors[SOFTCUDA_READS], 1);
}

/* Lane i goes round i + 1 times: 32 requests, the n-th by the lanes from n on. */
static void divergent_loops(void **state)
{
  (void)state;
  softcuda_kernel_sectors s = count(
      "  for (unsigned k = 0; k <= lane; k++) ((volatile double *)y)[lane * 4] = k;\n", 1, 32);
  assert_int_equal(s.requests[SOFTCUDA_ATOMICS], 32);
  assert_int_equal(s.sectors[SOFTCUDA_ATOMICS], 32 * 33 / 2);
}

static void different_sectors(void **state)
{
  (void)state;
  softcuda_kernel_sectors s = count("  y[t] = x[lane];\n", 3, 64);
  assert_int_equal(s.requests[SOFTCUDA_READS], 6);
  assert_int_equal(s.sectors[SOFTCUDA_READS], 6 * 8);
  assert_int_equal(s.of_block[SOFTCUDA_READS], 3 * 8);
  assert_int_equal(s.of_launch[SOFTCUDA_READS], 8);
  assert_int_equal(s.of_launch[SOFTCUDA_WRITES], 6 * 8);
}

static void banks(void **state)
{
  (void)state;
  softcuda_kernel_sectors s = count("  __shared__ double s[32 * 91];\n  s[lane * 91] = t;\n  "
                                    "__syncwarp();\n  y[t] = s[(lane ^ 1) * 91];\n",
                                    1,
                                    32);
  assert_int_equal(s.requests[SOFTCUDA_SHARED_ACCESSES], 2);
  assert_int_equal(s.sectors[SOFTCUDA_SHARED_ACCESSES], 2 * 2);
  s = count("  __shared__ double s[32 * 92];\n  s[lane * 92] = t;\n  __syncwarp();\n  y[t] = "
            "s[(lane ^ 1) * 92];\n",
            1,
            32);
  assert_int_equal(s.sectors[SOFTCUDA_SHARED_ACCESSES], 2 * 8);
}

int main(void)
{
  setenv("SOFTCUDA_SECTORS", "/dev/null", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbouring_lanes),
                                     cmocka_unit_test(strides),
                                     cmocka_unit_test(divergent_loops),
                                     cmocka_unit_test(different_sectors),
                                     cmocka_unit_test(banks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
