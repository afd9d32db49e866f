/* Operations on vectors, one thread an entry. SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

extern "C" __global__ void
combine(size count, const double *x, double factor, const double *y, double *to)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = x[i] + factor * y[i];
}

extern "C" __global__ void
blend(size count, double a, const double *x, double b, const double *y, double *to)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = a * x[i] + b * y[i];
}
