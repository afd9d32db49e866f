/* One pass of a stable radix sort by a digit of at most 8 bits. -DKEY_BITS=32 or 64.
 * Passes are: count the digits of each tile; scan the counts, digit by digit and tile by tile in a
 * digit; move each key to the place that its digit's count leads to. A warp owns a stretch of the
 * tile and takes 32 keys at a time, in order, so that equal digits keep theirs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

#if KEY_BITS == 64
typedef unsigned long long key;
#else
typedef unsigned key;
#endif

#define THREADS 256
#define WARPS   (THREADS / 32)
#define ITEMS   16 /* a thread; also in primitives.c */
#define OF_WARP (32 * ITEMS)
#define TILE    (THREADS * ITEMS)
#define DIGITS  256
#define FEW     THREADS /* also in primitives.c */

static __device__ __forceinline__ word digit_of(key value, word shift, word mask)
{
  return (word)(value >> shift) & mask;
}

/* counts[digit * tiles + tile] */
extern "C" __global__ void __launch_bounds__(THREADS)
    count_digits(const key *keys, size count, word shift, word mask, word *counts)
{
  __shared__ word found[DIGITS];
  found[threadIdx.x] = 0;
  __syncthreads();
  size start = (size)blockIdx.x * TILE;
  for (int k = 0; k < ITEMS; k++) {
    size i = start + k * THREADS + threadIdx.x;
    if (i < count) atomicAdd(&found[digit_of(keys[i], shift, mask)], 1u);
  }
  __syncthreads();
  if (threadIdx.x <= mask) counts[(size)threadIdx.x * gridDim.x + blockIdx.x] = found[threadIdx.x];
}

/* Up to FEW keys, by one block and for all bits at once: the place of a key is the number of those
 * before it. */
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_few(key *keys, word *values, word count, key mask)
{
  __shared__ key all[FEW];
  word own = threadIdx.x, place = 0;
  key value = own < count ? keys[own] : 0, compared = value & mask;
  word moved = own < count && values ? values[own] : 0;
  if (own < count) all[own] = compared;
  __syncthreads();
  if (own >= count) return;
  for (word i = 0; i < count; i++) place += all[i] < compared || (all[i] == compared && i < own);
  keys[place] = value;
  if (values) values[place] = moved;
}

/* Lanes of the warp that hold the same digit; only lanes of `active` are asked for. */
static __device__ __forceinline__ word same_digit(word digit, word mask, word active)
{
  word same = active;
  for (word bit = 1; bit <= mask; bit *= 2) {
    word have = __ballot_sync(ALL_LANES, (digit & bit) != 0);
    same &= digit & bit ? have : ~have;
  }
  return same;
}

/* Ranks the keys of a warp's stretch: places[k] is the number of keys with the same digit before
 * key k in the stretch; `found` (one word a digit) ends as the count of each digit. */
static __device__ __forceinline__ void
rank_stretch(const key *own, word in_stretch, word shift, word mask, word *found, word *places)
{
  word lane = threadIdx.x % 32, below = (1u << lane) - 1;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if ((word)k * 32 >= in_stretch) break; /* the same in the whole warp */
    bool here = (word)k * 32 + lane < in_stretch;
    word active = __ballot_sync(ALL_LANES, here);
    word digit = digit_of(own[k], shift, mask);
    word same = same_digit(digit, mask, active);
    word before = here ? found[digit] : 0;
    __syncwarp();
    if (here) {
      places[k] = before + __popc(same & below);
      if ((same & below) == 0) found[digit] = before + __popc(same);
    }
    __syncwarp();
  }
}

/* `starts`: the scan of the counts; 0 for a single tile. With `values`, words move along; the order
 * is found from the keys, staged in shared memory and written run by run. */
extern "C" __global__ void __launch_bounds__(THREADS) move_keys(const key *keys,
                                                                const word *values,
                                                                size count,
                                                                word shift,
                                                                word mask,
                                                                const word *starts,
                                                                key *keys_to,
                                                                word *values_to)
{
  __shared__ key stage[TILE];
  __shared__ word found[WARPS * DIGITS];
  __shared__ word offsets[DIGITS]; /* from a place in the tile to its place in the result */
  __shared__ word room[32];
  word warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  size start = (size)blockIdx.x * TILE;
  word in_tile = count - start < TILE ? (word)(count - start) : TILE;
  word first = warp * OF_WARP;
  word in_stretch = in_tile <= first ? 0 : in_tile - first < OF_WARP ? in_tile - first : OF_WARP;
  for (word i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) found[i] = 0;
  __syncthreads();
  key own[ITEMS];
  word places[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    word i = k * 32 + lane;
    own[k] = i < in_stretch ? keys[start + first + i] : 0;
    places[k] = 0;
  }
  rank_stretch(own, in_stretch, shift, mask, found + warp * DIGITS, places);
  __syncthreads();
  word digit = threadIdx.x, sum = 0, total;
  for (word w = 0; w < WARPS; w++) {
    word of_warp = found[w * DIGITS + digit];
    found[w * DIGITS + digit] = sum;
    sum += of_warp;
  }
  word in_order = block_scan(sum, room, &total);
  for (word w = 0; w < WARPS; w++) found[w * DIGITS + digit] += in_order;
  offsets[digit] =
      digit <= mask && starts ? starts[(size)digit * gridDim.x + blockIdx.x] - in_order : 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if ((word)k * 32 + lane >= in_stretch) break;
    places[k] += found[warp * DIGITS + digit_of(own[k], shift, mask)];
    stage[places[k]] = own[k];
  }
  __syncthreads();
  word to[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    word i = k * THREADS + threadIdx.x;
    if (i >= in_tile) break;
    key value = stage[i];
    to[k] = offsets[digit_of(value, shift, mask)] + i;
    keys_to[to[k]] = value;
  }
  if (!values) return;
  __syncthreads();
  word *value_stage = (word *)stage;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if ((word)k * 32 + lane >= in_stretch) break;
    value_stage[places[k]] = values[start + first + k * 32 + lane];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    word i = k * THREADS + threadIdx.x;
    if (i >= in_tile) break;
    values_to[to[k]] = value_stage[i];
  }
}
