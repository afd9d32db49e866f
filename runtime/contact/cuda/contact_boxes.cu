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
  status->present = status->larger = 0;
  status->outside = status->unused = 0;
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

#define SAMPLES 4u /* edges a thread of contact_frame looks at */

/* The center, and the mean of the largest components of some edges (`otherwise` without edges): one
 * block. */
extern "C" __global__ void contact_frame(basin_cuda_set edges,
                                         const double *positions,
                                         double otherwise,
                                         const basin_cuda_status *status,
                                         basin_cuda_frame *frame)
{
  __shared__ double sums[128];
  __shared__ word counts[128];
  const word stride = edges.count / (SAMPLES * blockDim.x) + 1;
  double sum = 0;
  word count = 0;
  for (size i = (size)threadIdx.x * stride; i < edges.count; i += (size)blockDim.x * stride) {
    const double *a = positions + 3 * (size)edges.items[2 * i];
    const double *b = positions + 3 * (size)edges.items[2 * i + 1];
    sum += fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
    ++count;
  }
  sums[threadIdx.x] = sum;
  counts[threadIdx.x] = count;
  for (word half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      counts[threadIdx.x] += counts[threadIdx.x + half];
    }
  }
  if (threadIdx.x > 0) return;
  frame->edge = counts[0] > 0 ? sums[0] / counts[0] : otherwise;
  for (int k = 0; k < 3; ++k)
    frame->center[k] = basin__box_center(double_of(status->low[k]), double_of(status->high[k]));
}

/* Adds up sizes of boxes in units of 2^-10 of the mean edge: integers, in any order. */
static __device__ __forceinline__ void
add_sizes(basin_cuda_status *status, const float *box, const float *outer, double edge, bool used)
{
  __shared__ size present, larger;
  if (threadIdx.x == 0) present = larger = 0;
  __syncthreads();
  if (used && edge > 0) {
    double inside = 3 * edge, outside = 3 * edge;
    for (int k = 0; k < 3; ++k) {
      inside += (double)box[3 + k] - (double)box[k];
      outside += (double)outer[3 + k] - (double)outer[k];
    }
    inside *= 0x1p10 / edge, outside *= 0x1p10 / edge;
    atomicAdd(&present, inside < 0x1p32 ? (size)inside : (size)1 << 32);
    atomicAdd(&larger, outside < 0x1p32 ? (size)outside : (size)1 << 32);
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  atomicAdd(&status->present, present);
  atomicAdd(&status->larger, larger);
}

/* boxes: low and high, 6 floats a vertex. With `outer`, tells whether one is not inside of it. */
extern "C" __global__ void contact_boxes(basin_cuda_rules rules,
                                         basin_cuda_motion motion,
                                         size count,
                                         const basin_cuda_frame *frame,
                                         const float *outer,
                                         float *boxes,
                                         basin_cuda_status *status)
{
  const size v = thread_number();
  float box[6] = {0, 0, 0, 0, 0, 0};
  bool good = v < count, held = true;
  for (int k = 0; k < 3 && v < count; ++k) {
    double low, high;
    exact_interval(rules, motion, (word)v, k, &low, &high);
    good = good && fabs(low) < BASIN_SHARED_INFINITY && fabs(high) < BASIN_SHARED_INFINITY;
    box[k] = basin__float_below(low - frame->center[k]);
    box[3 + k] = basin__float_above(high - frame->center[k]);
  }
  for (int k = 0; k < 6 && v < count; ++k) {
    const float none = (float)BASIN_SHARED_INFINITY;
    boxes[6 * v + k] = good ? box[k] : k < 3 ? none : -none;
    if (outer) held = held && (k < 3 ? outer[6 * v + k] <= box[k] : box[k] <= outer[6 * v + k]);
  }
  if (v < count && !good) atomicMin(&status->bad, (word)v);
  if (!held) atomicOr(&status->outside, 1u);
  if (outer) add_sizes(status, box, outer + (v < count ? 6 * v : 0), frame->edge, good);
}

/* Parts of the mean edge by which boxes grow on each side: always, and at most in addition for
 * GROWTH of the vertex's own motion. */
#define MARGIN 0.04
#define MOST   0.08
#define GROWTH 0.5

/* Boxes that hold those of calls to come. `room`: for detections along a motion. */
extern "C" __global__ void contact_outer(basin_cuda_motion motion,
                                         size count,
                                         const basin_cuda_frame *frame,
                                         double room,
                                         const float *boxes,
                                         float *outer)
{
  const size v = thread_number();
  if (v >= count) return;
  double moved = 0;
  for (int k = 0; k < 3 && motion.direction; ++k)
    moved = fmax(moved, fabs(motion.direction[3 * v + k]));
  const double more =
      MARGIN * frame->edge + room + fmin(GROWTH * motion.limit * moved, MOST * frame->edge);
  for (int k = 0; k < 3; ++k) {
    outer[6 * v + k] = boxes[6 * v + k] - (float)more;
    outer[6 * v + 3 + k] = boxes[6 * v + 3 + k] + (float)more;
  }
}
