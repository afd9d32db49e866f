/* How much a kernel does, for the decision whether more threads are worth waking.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_WORK_H
#define BASIN_DEVICE_WORK_H

#include <basin/kernel.h>

/* Scalar operations of `count` elements, roughly: those of the text, and for a Hessian an
 * eigenvalue decomposition (about 4 n^3). Counts of a text do not know SIMD lanes; neither does the
 * interpreter have any. */
static inline double basin__kernel_work(const basin_kernel_info *info, size_t count)
{
  double n = info->stage == BASIN_STAGE_HESSIAN ? (double)info->inner_size : 0;
  return (double)count * ((double)info->operations + 4 * n * n * n);
}

#endif
