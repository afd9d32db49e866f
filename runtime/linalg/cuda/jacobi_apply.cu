/* Block Jacobi: its application. -DBLOCK=1..12, -DNUMBER=double or float.
 * SPDX-License-Identifier: Apache-2.0 */
#include "matrix.cuh"

/* z = M^-1 r, a thread an unknown; neighbouring threads read neighbouring numbers of an inverse,
 * which is symmetric. `of_node` NULL: every node is an instance. `stop` (may be NULL): nothing is
 * done where it is not 0. */
extern "C" __global__ void apply_instances(word node_count,
                                           const word *of_node,
                                           const word *starts,
                                           const size *places,
                                           const NUMBER *inverses,
                                           const NUMBER *r,
                                           NUMBER *z,
                                           const word *stop)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)node_count * BLOCK || (stop && *stop)) return;
  word node = (word)(i / BLOCK), first = node, n = BLOCK;
  size place = (size)node * ENTRIES;
  if (of_node) {
    word instance = of_node[node];
    first = starts[instance];
    n = (starts[instance + 1] - first) * BLOCK;
    place = places[instance];
  }
  size base = (size)first * BLOCK;
  const NUMBER *column = inverses + place + (i - base);
  double sum = 0;
  for (word l = 0; l < n; l++) sum += (double)column[(size)l * n] * (double)r[base + l];
  z[i] = (NUMBER)sum;
}
