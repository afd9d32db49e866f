/* Trees of boxes on the device: keys along a Hilbert curve, order, and boxes level by level.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"
#include "contact_curve.h"

/* Box of a primitive given by its vertices. */
static __device__ __forceinline__ void
join_boxes(const float *boxes, const word *vertices, size stride, word arity, float box[6])
{
  for (int k = 0; k < 6; ++k) box[k] = boxes[6 * (size)vertices[0] + k];
  for (word c = 1; c < arity; ++c) {
    const float *other = boxes + 6 * (size)vertices[c * stride];
    for (int k = 0; k < 3; ++k) {
      box[k] = box[k] < other[k] ? box[k] : other[k];
      box[3 + k] = box[3 + k] > other[3 + k] ? box[3 + k] : other[3 + k];
    }
  }
}

/* The ends of all boxes of a set. */
extern "C" __global__ void
contact_set_extent(basin_cuda_set set, const float *boxes, basin_cuda_status *status)
{
  __shared__ word low[3], high[3];
  if (threadIdx.x < 3) {
    low[threadIdx.x] = ~0u;
    high[threadIdx.x] = 0;
  }
  __syncthreads();
  for (size i = thread_number(); i < set.count; i += thread_count()) {
    float box[6];
    join_boxes(boxes, set.items + i * set.arity, 1, set.arity, box);
    for (int k = 0; k < 3; ++k) {
      if (!(box[k] <= box[3 + k])) continue;
      atomicMin(&low[k], ordered_float(box[k]));
      atomicMax(&high[k], ordered_float(box[3 + k]));
    }
  }
  __syncthreads();
  if (threadIdx.x < 3 && low[threadIdx.x] <= high[threadIdx.x]) {
    atomicMin(&status->set_low[set.number][threadIdx.x], low[threadIdx.x]);
    atomicMax(&status->set_high[set.number][threadIdx.x], high[threadIdx.x]);
  }
}

/* Places on the curve, and the numbers 0, 1, ... that are sorted along with them. */
extern "C" __global__ void contact_keys(basin_cuda_set set,
                                        const float *boxes,
                                        const basin_cuda_status *status,
                                        word *keys,
                                        word *order)
{
  const size i = thread_number();
  if (i >= set.count) return;
  float low[3], box[6], extent = 0;
  for (int k = 0; k < 3; ++k) {
    low[k] = float_of(status->set_low[set.number][k]);
    const float size_k = float_of(status->set_high[set.number][k]) - low[k];
    extent = size_k > extent ? size_k : extent;
  }
  const float scale = extent > 0 && extent < (float)BASIN_SHARED_INFINITY ? 1024.0F / extent : 0.0F;
  word at[3];
  join_boxes(boxes, set.items + i * set.arity, 1, set.arity, box);
  for (int k = 0; k < 3; ++k)
    at[k] = basin__curve_cell(0.5F * box[k] + 0.5F * box[3 + k], low[k], scale);
  keys[i] = basin__curve_place(at[0], at[1], at[2]);
  order[i] = (word)i;
}

/* Vertices of the primitives by place; places beyond the last repeat it. */
extern "C" __global__ void contact_corners(basin_cuda_set set)
{
  const size place = thread_number();
  if (place >= set.padded) return;
  const word item = set.order[place < set.count ? place : set.count - 1];
  if (place >= set.count) set.order[place] = item;
  for (word c = 0; c < set.arity; ++c)
    set.corners[(size)c * set.padded + place] = set.items[(size)item * set.arity + c];
}

static __device__ __forceinline__ void
put_child(basin_cuda_node *node, word lane, const float box[6], word tag)
{
  for (int k = 0; k < 3; ++k) {
    node->low[k][lane] = box[k];
    node->high[k][lane] = box[3 + k];
  }
  node->tags[lane] = tag;
}

static __device__ __forceinline__ void empty_box(float box[6])
{
  for (int k = 0; k < 3; ++k) {
    box[k] = (float)BASIN_SHARED_INFINITY;
    box[3 + k] = -(float)BASIN_SHARED_INFINITY;
  }
}

/* The box and the common tag of all that node `child` of a level holds. */
static __device__ __forceinline__ word join_node(const basin_cuda_node *from, float box[6])
{
  word tag = from->tags[0];
  empty_box(box);
  for (word i = 0; i < WIDTH; ++i) {
    if (from->low[0][i] > from->high[0][i]) continue;
    if (from->tags[i] != tag) tag = TAG_MIXED;
    for (int k = 0; k < 3; ++k) {
      box[k] = from->low[k][i] < box[k] ? from->low[k][i] : box[k];
      box[3 + k] = from->high[k][i] > box[3 + k] ? from->high[k][i] : box[3 + k];
    }
  }
  return tag;
}

/* Sum of half perimeters in units of 2^-20 of the positions' extent: an integer, so that the order
 * of the additions does not matter. */
static __device__ __forceinline__ void
add_size(basin_cuda_status *status, word number, word level, const float box[6], bool used)
{
  __shared__ size sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (used && box[0] <= box[3]) {
    double extent = 0, perimeter = 0;
    for (int k = 0; k < 3; ++k) {
      extent += double_of(status->high[k]) - double_of(status->low[k]);
      perimeter += (double)box[3 + k] - (double)box[k];
    }
    if (extent > 0) {
      const double units = perimeter / extent * 0x1p20;
      atomicAdd(&sum, units < 0x1p32 ? (size)units : (size)1 << 32);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && sum > 0) atomicAdd(&status->sizes[number][level], sum);
}

/* Level 0: a thread a place. */
extern "C" __global__ void
contact_fill_leaves(basin_cuda_set set, const float *boxes, basin_cuda_status *status)
{
  const size place = thread_number();
  float box[6];
  word tag = TAG_MIXED;
  empty_box(box);
  if (place < set.count) {
    join_boxes(boxes, set.corners + place, set.padded, set.arity, box);
    tag = set.tags[set.order[place]];
  }
  if (place < set.padded) put_child(&set.nodes[place / WIDTH], (word)(place % WIDTH), box, tag);
  add_size(status, set.number, 0, box, place < set.count);
}

/* Any level above: a thread a child. */
extern "C" __global__ void
contact_fill_level(basin_cuda_set set, word level, basin_cuda_status *status)
{
  const size child = thread_number();
  const bool used = child < set.level_count[level - 1];
  float box[6];
  word tag = TAG_MIXED;
  empty_box(box);
  if (used) tag = join_node(&set.nodes[set.level_start[level - 1] + child], box);
  if (child < (size)set.level_count[level] * WIDTH)
    put_child(&set.nodes[set.level_start[level] + child / WIDTH], (word)(child % WIDTH), box, tag);
  if (level == 1) add_size(status, set.number, 1, box, used);
}

/* All levels from one on that a single block has room for. */
extern "C" __global__ void contact_fill_top(basin_cuda_set set, word level)
{
  for (; level < set.levels; ++level) {
    for (word child = threadIdx.x; child < set.level_count[level] * WIDTH; child += blockDim.x) {
      float box[6];
      word tag = TAG_MIXED;
      empty_box(box);
      if (child < set.level_count[level - 1])
        tag = join_node(&set.nodes[set.level_start[level - 1] + child], box);
      put_child(&set.nodes[set.level_start[level] + child / WIDTH], child % WIDTH, box, tag);
    }
    __syncthreads();
  }
}
