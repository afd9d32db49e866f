/* Operations on vectors, one thread an entry. SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

extern "C" __global__ void
combine(size count, const double *x, double factor, const double *y, double *to)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = x[i] + factor * y[i];
}
