/* Symmetric dense matrices of quasi-Newton methods. SPDX-License-Identifier: Apache-2.0 */
typedef unsigned long long size;

typedef struct change_task {
  const double *u, *v;
  double a, b, c;
} change_task;

extern "C" __global__ void dense_identity(size n, double scale, double *H)
{
  const size at = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n * n) H[at] = at % (n + 1) == 0 ? scale : 0;
}

/* A row a thread. The matrix is symmetric, so neighbours read neighbours. */
extern "C" __global__ void dense_multiply(size n, const double *H, const double *x, double *to)
{
  const size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (size k = 0; k < n; ++k) sum += H[k * n + i] * x[k];
  to[i] = sum;
}

extern "C" __global__ void dense_change(size n, const change_task change, double *H)
{
  const size at = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n * n) return;
  const double ui = change.u[at / n], uk = change.u[at % n];
  const double vi = change.v[at / n], vk = change.v[at % n];
  H[at] += change.a * (ui * uk) + change.b * (ui * vk + vi * uk) + change.c * (vi * vk);
}
