/* Exclusive sums of 32-bit words: sums of tiles, their scan, then each tile from its start.
 * SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

#define THREADS 256 /* at most; fewer for a single tile that is short */
#define ITEMS   8
#define TILE    (THREADS * ITEMS)

extern "C" __global__ void __launch_bounds__(THREADS)
    tile_sums(const word *from, size count, word *sums)
{
  __shared__ word room[32];
  size start = (size)blockIdx.x * TILE;
  word sum = 0, total;
  for (int k = 0; k < ITEMS; k++) {
    size i = start + k * THREADS + threadIdx.x;
    if (i < count) sum += from[i];
  }
  block_scan(sum, room, &total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/* A word every 32 is left free, so that neighbouring threads meet in different banks. */
static __device__ __forceinline__ word spread(word i)
{
  return i + i / 32;
}

/* `starts`: the sum of all tiles before each; NULL where there is one tile. from == to is allowed:
 * a tile is read before it is written. */
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_tiles(const word *from, size count, const word *starts, word *to)
{
  __shared__ word tile[TILE + TILE / 32];
  __shared__ word room[32];
  size start = (size)blockIdx.x * TILE;
  for (int k = 0; k < ITEMS; k++) {
    word i = k * blockDim.x + threadIdx.x;
    tile[spread(i)] = start + i < count ? from[start + i] : 0;
  }
  __syncthreads();
  word items[ITEMS], sum = 0, total;
  for (int k = 0; k < ITEMS; k++) {
    items[k] = tile[spread(threadIdx.x * ITEMS + k)];
    sum += items[k];
  }
  word before = block_scan(sum, room, &total);
  word of_tile = starts ? starts[blockIdx.x] : 0;
  before += of_tile;
  for (int k = 0; k < ITEMS; k++) {
    tile[spread(threadIdx.x * ITEMS + k)] = before;
    before += items[k];
  }
  __syncthreads();
  for (int k = 0; k < ITEMS; k++) {
    word i = k * blockDim.x + threadIdx.x;
    if (start + i < count) to[start + i] = tile[spread(i)];
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) to[count] = of_tile + total;
}
