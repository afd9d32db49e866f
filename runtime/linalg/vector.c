/* Vector loops of the iterative solvers, compiled for the machine at hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "vector.h"

#include "lanes.h"

#define BASIN__KERNEL(name) name##_portable
#define BASIN__KERNEL_TARGET
#include "vector.inc"
#undef BASIN__KERNEL
#undef BASIN__KERNEL_TARGET

#if BASIN__HAVE_AVX2
#define BASIN__KERNEL(name)  name##_avx2
#define BASIN__KERNEL_TARGET BASIN__TARGET_AVX2
#include "vector.inc"
#undef BASIN__KERNEL
#undef BASIN__KERNEL_TARGET
#endif

const basin__vector_kernels *basin__vector_kernels_variant(unsigned variant)
{
  if (variant == 0) return &kernels_portable;
#if BASIN__HAVE_AVX2
  if (variant == 1 && __builtin_cpu_supports("avx2")) return &kernels_avx2;
#endif
  return NULL;
}

const basin__vector_kernels *basin__vector_kernels_select(void)
{
  const basin__vector_kernels *wide = basin__vector_kernels_variant(1);
  return wide != NULL ? wide : &kernels_portable;
}
