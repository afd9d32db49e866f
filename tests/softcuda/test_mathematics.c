/* Mathematics of devices: what is exact is that of the host bit by bit, the rest to a unit in the
 * last place. SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

#include <math.h>

enum { N = 64 };

static const char text[] =
    "extern \"C\" __global__ void k(const double *x, double *y)\n{\n"
    "  const unsigned n = 64, i = threadIdx.x;\n  const double a = x[i];\n"
    "  y[i] = sqrt(a);\n  y[n + i] = exp(a);\n  y[2 * n + i] = sin(a);\n"
    "  y[3 * n + i] = pow(a, 1.7);\n  y[4 * n + i] = (double)logf((float)a);\n"
    "  y[5 * n + i] = exp(0 * a);\n  y[6 * n + i] = pow(2.0, (double)i);\n}\n";

static double expected(int row, double a, int i)
{
  switch (row) {
  case 0:
    return sqrt(a);
  case 1:
    return exp(a);
  case 2:
    return sin(a);
  case 3:
    return pow(a, 1.7);
  case 4:
    return (double)logf((float)a);
  case 5:
    return 1;
  default:
    return pow(2, i);
  }
}

static double unit(int row, double value)
{
  if (row == 4) return fabs((double)nextafterf((float)value, HUGE_VALF) - value);
  return fabs(nextafter(value, HUGE_VAL) - value);
}

/* How many numbers of each row differ from the host's. */
static void count_differences(int differ[7])
{
  double x[N], y[7 * N];
  for (int i = 0; i < N; i++) x[i] = 0.37 * i + 0.011;
  device d = open_device();
  basin_cu_function f = load_kernel(text, "k");
  basin_address px = upload(d, x, sizeof x), py = upload(d, NULL, sizeof y);
  void *p[] = {&px, &py};
  OK(launch(d, f, 1, N, 0, p));
  OK(cuMemcpyDtoHAsync_v2(y, py, sizeof y, d.stream));
  close_device();
  for (int row = 0; row < 7; row++) {
    differ[row] = 0;
    for (int i = 0; i < N; i++) {
      const double value = expected(row, x[i], i), error = fabs(y[row * N + i] - value);
      assert_true(error <= 2 * unit(row, value));
      differ[row] += error != 0;
    }
  }
}

static void as_on_the_host(void **state)
{
  int differ[7];
  (void)state;
  unsetenv("SOFTCUDA_MATH");
  count_differences(differ);
  for (int row = 0; row < 7; row++) assert_int_equal(differ[row], 0);
}

static void rough_on_demand(void **state)
{
  int differ[7];
  (void)state;
  setenv("SOFTCUDA_MATH", "1", 1);
  count_differences(differ);
  for (int row = 1; row < 5; row++) assert_in_range(differ[row], N / 4, 3 * N / 4);
  assert_int_equal(differ[0], 0);
  assert_int_equal(differ[5], 0);
  assert_int_equal(differ[6], 0);
  unsetenv("SOFTCUDA_MATH");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_on_the_host),
      cmocka_unit_test(rough_on_demand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
