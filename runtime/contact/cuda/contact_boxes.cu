/* Boxes of vertices on the device. SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"

/* Everything that minima and counts begin with. */
extern "C" __global__ void contact_start(basin_cuda_status *status)
{
  const word i = threadIdx.x;
  if (i < 3) {
    status->low[i] = ~0ull;
    status->high[i] = 0;
    status->keys[i] = ~0ull;
  }
  if (i < BASIN__CUDA_PASSES) status->candidates[i] = 0;
  if (i < BASIN__CUDA_KINDS) status->kinds[i] = status->copies[i] = 0;
  if (i < BASIN__CUDA_SETS) {
    status->sizes[i][0] = status->sizes[i][1] = 0;
    for (int k = 0; k < 3; ++k) {
      status->set_low[i][k] = ~0u;
      status->set_high[i][k] = 0;
    }
  }
  if (i > 0) return;
  status->found = status->stalled = status->friction = 0;
  status->least_squared = (size)__double_as_longlong(BASIN_SHARED_INFINITY);
  status->nearest = status->least_squared;
  status->gap = ordered_of(BASIN_SHARED_INFINITY);
  status->time = (size)__double_as_longlong(1.0);
  status->bad = ~0u;
  status->changed = status->runs = status->rows = 0;
}

/* Ends of all coordinates; a number that is not finite does not matter here. */
extern "C" __global__ void
contact_extent(const double *positions, size count, basin_cuda_status *status)
{
  __shared__ size low[3], high[3];
  if (threadIdx.x < 3) {
    low[threadIdx.x] = ~0ull;
    high[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    size least = ~0ull, most = 0;
    for (size v = thread_number(); v < count; v += thread_count()) {
      const double value = positions[3 * v + k];
      if (value != value) continue;
      const size ordered = ordered_of(value);
      least = ordered < least ? ordered : least;
      most = ordered > most ? ordered : most;
    }
    if (least <= most) {
      atomicMin(&low[k], least);
      atomicMax(&high[k], most);
    }
  }
  __syncthreads();
  if (threadIdx.x < 3 && low[threadIdx.x] <= high[threadIdx.x]) {
    atomicMin(&status->low[threadIdx.x], low[threadIdx.x]);
    atomicMax(&status->high[threadIdx.x], high[threadIdx.x]);
  }
}

/* boxes: low and high, 6 floats a vertex. */
extern "C" __global__ void contact_boxes(basin_cuda_rules rules,
                                         basin_cuda_motion motion,
                                         size count,
                                         float *boxes,
                                         basin_cuda_status *status)
{
  const size v = thread_number();
  if (v >= count) return;
  const word vertex = (word)v;
  float box[6];
  bool good = true;
  for (int k = 0; k < 3; ++k) {
    double low, high;
    exact_interval(rules, motion, vertex, k, &low, &high);
    good = good && fabs(low) < BASIN_SHARED_INFINITY && fabs(high) < BASIN_SHARED_INFINITY;
    const double center = basin__box_center(double_of(status->low[k]), double_of(status->high[k]));
    box[k] = basin__float_below(low - center);
    box[3 + k] = basin__float_above(high - center);
  }
  if (!good) atomicMin(&status->bad, vertex);
  for (int k = 0; k < 6; ++k)
    boxes[6 * v + k] =
        good ? box[k] : (float)(k < 3 ? BASIN_SHARED_INFINITY : -BASIN_SHARED_INFINITY);
}
