/* Row kernels of the symmetric block multiplication, y += A x on one chunk's local vectors, for
 * every block size. A stored block B at (i, j) adds B x_j to y_i and B^T x_i to y_j. Products run
 * along block rows: lane c of the sums for y_i collects B[k][c] x_j[c], and is added up once a row;
 * B^T x_i needs no such sum. Lanes beyond a block row hold numbers of the next one; nobody reads
 * what they become.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "lanes.h"
#include <string.h>

#define BASIN__KERNEL(b) kernel_##b##_portable
#define BASIN__KERNEL_TARGET
#define BASIN__KEEP(vector) ((void)0)
#include "bsr_kernel.inc"
#undef BASIN__KERNEL
#undef BASIN__KERNEL_TARGET
#undef BASIN__KEEP

#define KERNELS(suffix)                                                                            \
  {                                                                                                \
    kernel_1_##suffix, kernel_2_##suffix, kernel_3_##suffix, kernel_4_##suffix, kernel_5_##suffix, \
        kernel_6_##suffix, kernel_7_##suffix, kernel_8_##suffix, kernel_9_##suffix,                \
        kernel_10_##suffix, kernel_11_##suffix, kernel_12_##suffix                                 \
  }

static const basin__bsr_kernel portable_kernels[BASIN__BSR_LARGEST_BLOCK] = KERNELS(portable);

#if BASIN__HAVE_AVX2
#define BASIN__KERNEL(b)     kernel_##b##_avx2
#define BASIN__KERNEL_TARGET BASIN__TARGET_AVX2
#define BASIN__KEEP(vector)  __asm__("" : "+x"(vector))
#include "bsr_kernel.inc"
#undef BASIN__KERNEL
#undef BASIN__KERNEL_TARGET
#undef BASIN__KEEP
static const basin__bsr_kernel avx2_kernels[BASIN__BSR_LARGEST_BLOCK] = KERNELS(avx2);
#endif

basin__bsr_kernel basin__bsr_kernel_variant(unsigned block_size, unsigned variant)
{
  if (variant == 0) return portable_kernels[block_size - 1];
#if BASIN__HAVE_AVX2
  if (variant == 1 && __builtin_cpu_supports("avx2")) return avx2_kernels[block_size - 1];
#endif
  return NULL;
}

basin__bsr_kernel basin__bsr_kernel_select(unsigned block_size)
{
  basin__bsr_kernel wide = basin__bsr_kernel_variant(block_size, 1);
  return wide != NULL ? wide : portable_kernels[block_size - 1];
}
