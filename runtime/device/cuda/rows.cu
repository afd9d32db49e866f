/* Sums and means over connectivities: one thread a number of the result, in the order of the rows.
 * SPDX-License-Identifier: Apache-2.0 */

/* to[i * size + c] = sum over the indices k of row i of from[k * size + c]; divided by the length
 * of the row if `mean`. arity 0: row i is indices[offsets[i]] .. indices[offsets[i + 1] - 1]. */
extern "C" __global__ void __launch_bounds__(128) sum_rows(const unsigned *indices,
                                                           const unsigned *offsets,
                                                           unsigned arity,
                                                           const double *from,
                                                           double *to,
                                                           unsigned long long count,
                                                           unsigned size,
                                                           unsigned mean)
{
  unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count * size) return;
  unsigned long long row = k / size, c = k % size;
  unsigned long long first = arity ? row * arity : offsets[row];
  unsigned long long last = arity ? first + arity : offsets[row + 1];
  double sum = 0;
  for (unsigned long long i = first; i < last; ++i)
    sum += from[(unsigned long long)indices[i] * size + c];
  to[k] = mean && last > first ? sum / (double)(last - first) : sum;
}
