/* Step filters: a bound of the step for each simplex or instance; their minimum is a reduction of
 * its own. SPDX-License-Identifier: Apache-2.0 */
#define BASIN_CUDA_TEXT
#include "assembly.cuh"
#include "filter_simplex.h"

typedef struct filter_task {
  size count;                   /* simplices or instances */
  word dimension, block, nodes, pad; /* numbers a position, numbers a node, nodes a position */
  dof_table map;
  const double *positions, *direction;
  const word *corners;
  double normal[3], offset, keep, alpha;
  double *result;
  unsigned long long *behind; /* smallest instance on the wrong side */
} filter_task;

/* Change of one position along the direction: rows of the map times the direction. */
static __device__ void displacement(const filter_task &task, word instance, double *d)
{
  const word b = task.block;
  for (word n = 0; n < task.nodes; ++n) {
    word first;
    const word count = row_of(&task.map, instance * task.nodes + n, &first);
    for (word i = 0; i < b; ++i) d[n * b + i] = 0;
    for (word k = 0; k < count; ++k) {
      const dof_entry entry = task.map.entries[first + k];
      const double *from = task.direction + (size)entry.node * b;
      const double *weight = task.map.starts ? task.map.values + (entry.value & VALUE_MASK) : 0;
      for (word i = 0; i < b; ++i) {
        if (weight && (entry.value & FULL))
          for (word j = 0; j < b; ++j) d[n * b + i] += weight[i * b + j] * from[j];
        else
          d[n * b + i] += (weight ? *weight : 1.0) * from[i];
      }
    }
  }
}

extern "C" __global__ void simplex_steps(const filter_task task)
{
  const size k = thread_number();
  if (k >= task.count) return;
  const word n = task.dimension, *corners = task.corners + k * (n + 1);
  double first[3], other[3], e[3][3] = {{0}}, d[3][3] = {{0}};
  displacement(task, corners[0], first);
  for (word c = 0; c < n; ++c) {
    displacement(task, corners[c + 1], other);
    for (word i = 0; i < n; ++i) {
      e[c][i] = task.positions[(size)corners[c + 1] * n + i] -
                task.positions[(size)corners[0] * n + i];
      d[c][i] = other[i] - first[i];
    }
  }
  task.result[k] = basin__simplex_step(n, e, d, task.keep, task.alpha);
}

extern "C" __global__ void plane_steps(const filter_task task)
{
  const size k = thread_number();
  if (k >= task.count) return;
  double d[3], distance = -task.offset, approach = 0, limit = task.alpha;
  displacement(task, (word)k, d);
  for (word i = 0; i < task.dimension; ++i) {
    distance += task.normal[i] * task.positions[k * task.dimension + i];
    approach += task.normal[i] * d[i];
  }
  if (!(distance > 0)) atomicMin(task.behind, k);
  if (approach * limit > task.keep * distance) limit = task.keep * distance / approach;
  task.result[k] = limit;
}

/* How positions move along a whole step. */
extern "C" __global__ void motions(const filter_task task)
{
  const size k = thread_number();
  if (k >= task.count) return;
  double d[3];
  displacement(task, (word)k, d);
  for (word i = 0; i < task.dimension; ++i) task.result[k * task.dimension + i] = -d[i];
}
