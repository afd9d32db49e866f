/* The kernel ABI as emitted text sees it is the one of <basin/kernel.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"
#include <basin/kernel.h>

enum {
  none = (int)BASIN_NONE,
  transposed = (int)BASIN_SLOT_TRANSPOSED,
  twice = (int)BASIN_SLOT_TWICE,
  mask = (int)BASIN_SLOT_MASK,
  compute = BASIN_STAGE_COMPUTE,
  value = BASIN_STAGE_VALUE,
  gradient = BASIN_STAGE_GRADIENT,
  hessian = BASIN_STAGE_HESSIAN,
  no_projection = BASIN_PROJECTION_NONE,
  staged = BASIN_CUDA_STAGED,
  threads_local = BASIN_CUDA_THREADS_LOCAL
};
#undef BASIN_NONE
#undef BASIN_SLOT_TRANSPOSED
#undef BASIN_SLOT_TWICE
#undef BASIN_SLOT_MASK
#undef BASIN_CUDA_STAGED
#undef BASIN_CUDA_THREADS_LOCAL
#include "emit/device/kernel_args.h"

#define SAME(member)                                                                            \
  _Static_assert(offsetof(basin_args, member) == offsetof(basin_kernel_args, member) &&         \
                     sizeof((basin_args *)0)->member == sizeof((basin_kernel_args *)0)->member, \
                 "member " #member " of the kernel arguments")
SAME(begin);
SAME(end);
SAME(arrays);
SAME(indices);
SAME(output);
SAME(energy);
SAME(energy_sum);
SAME(nodes);
SAME(slots);
SAME(gradient);
SAME(values);
SAME(local_gradient);
SAME(local_hessian);
SAME(scratch);
SAME(projection);
_Static_assert(sizeof(basin_args) == sizeof(basin_kernel_args), "size of the kernel arguments");

static void test_constants(void **state)
{
  (void)state;
  assert_int_equal((int)BASIN_NONE, none);
  assert_int_equal((int)BASIN_SLOT_TRANSPOSED, transposed);
  assert_int_equal((int)BASIN_SLOT_TWICE, twice);
  assert_int_equal((int)BASIN_SLOT_MASK, mask);
  assert_int_equal(BASIN_STAGE_COMPUTE, compute);
  assert_int_equal(BASIN_STAGE_VALUE, value);
  assert_int_equal(BASIN_STAGE_GRADIENT, gradient);
  assert_int_equal(BASIN_STAGE_HESSIAN, hessian);
  assert_int_equal(BASIN_PROJECTION_NONE, no_projection);
  assert_int_equal(BASIN_CUDA_STAGED, staged);
  assert_int_equal(BASIN_CUDA_THREADS_LOCAL, threads_local);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_constants)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
