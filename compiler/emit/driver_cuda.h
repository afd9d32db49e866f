/* The kernel around emitted text on a CUDA device: a grid-stride loop over elements. A block takes
 * its elements together, since the lanes of a warp project together; lanes beyond the end lend a
 * hand there and have no element of their own. Energies go to `energy`; their sum is a reduction of
 * its own. Stored results: number k of element e (basin_place) at [(e - begin) * size + k] if they
 * are staged, else at [k * (end - begin) + e - begin]. There is no direct form: the runtime adds
 * stored results in a fixed order. SPDX-License-Identifier: Apache-2.0 */
#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
#if BASIN_STAGED

/* Numbers between the rows of two lanes: odd, so that lanes meet no banks of others. */
#define BASIN_STAGE_PITCH (BASIN_NUMBERS | 1)
#define BASIN_STAGE_ROOM  (32 * BASIN_STAGE_PITCH)

/* Numbers [first, first + size) of the first `count` lanes go to memory, back to back, by all lanes
 * of the warp. */
template <int first, int size>
BASIN_INLINE void basin_unload(const real *room, double *to, int count)
{
  const int lane = threadIdx.x % 32, numbers = size > 0 ? size : 1;
  _Pragma("unroll 6") for (int step = 0; step < size; step++)
  {
    const int t = 32 * step + lane;
    if (t < size * count) to[t] = room[t / numbers * BASIN_STAGE_PITCH + first + t % numbers];
  }
}

/* All lanes of a warp; those that are not active have no element. */
BASIN_INLINE void basin_finish(
    const basin_args &args, const basin_uniform &u, basin_size e, bool active, const real *inner)
{
  real *room = basin_warp_room();
  const int lane = threadIdx.x % 32;
  const basin_size at = e - lane, left = args.end - at;
  const int count = left < 32 ? (int)left : 32;
  const basin_results to = {room + lane * BASIN_STAGE_PITCH};
  if (active) basin_outer(&args, &u, (basin_index)e, inner, &to);
  __syncwarp();
  if (args.local_gradient)
    basin_unload<0, BASIN_LOCAL_SIZE>(
        room, args.local_gradient + (at - args.begin) * BASIN_LOCAL_SIZE, count);
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  const int size = BASIN_NUMBERS - BASIN_LOCAL_SIZE;
  if (args.local_hessian)
    basin_unload<BASIN_LOCAL_SIZE, size>(
        room, args.local_hessian + (at - args.begin) * size, count);
#endif
  __syncwarp();
}

#else

#define BASIN_STAGE_ROOM 1

BASIN_INLINE void basin_finish(
    const basin_args &args, const basin_uniform &u, basin_size e, bool active, const real *inner)
{
  const basin_size at = e - args.begin;
  const basin_results to = {args.local_gradient ? args.local_gradient + at : nullptr,
                            args.local_hessian ? args.local_hessian + at : nullptr,
                            args.end - args.begin};
  if (active) basin_outer(&args, &u, (basin_index)e, inner, &to);
}

#endif

static __device__ __forceinline__ real *basin_warp_room()
{
#ifdef BASIN_PSD_ROOM
  __shared__ real room[BASIN_PSD_WARPS][BASIN_PSD_ROOM_AT_LEAST(BASIN_PSD_ROOM, BASIN_STAGE_ROOM)];
#else
  __shared__ real room[BASIN_CUDA_THREADS / 32][BASIN_STAGE_ROOM];
#endif
  return room[threadIdx.x / 32];
}
#endif

/* One element of each thread of a block. */
BASIN_INLINE void
basin_element(const basin_args &args, const basin_uniform &u, basin_size e, bool active)
{
#if BASIN_STAGE == BASIN_STAGE_COMPUTE
  real out[BASIN_OUTPUT_SIZE];
  if (!active) return;
  basin_inner(&args, &u, (basin_index)e, out);
  for (int k = 0; k < BASIN_OUTPUT_SIZE; k++) args.output[e * BASIN_OUTPUT_SIZE + k] = out[k];
#elif BASIN_STAGE == BASIN_STAGE_VALUE
  real value;
  if (!active) return;
  basin_inner(&args, &u, (basin_index)e, &value);
  if (args.energy) args.energy[e - args.begin] = value;
#else
  real inner[BASIN_INNER_ROWS];
  if (active) basin_inner(&args, &u, (basin_index)e, inner);
  if (active && args.energy) args.energy[e - args.begin] = inner[0];
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  if (args.projection != BASIN_PROJECTION_NONE) basin_project(inner, active, (int)args.projection);
#endif
  basin_finish(args, u, e, active, inner);
#endif
}

extern "C" __global__ void __launch_bounds__(BASIN_CUDA_THREADS) basin_kernel(const basin_args args)
{
  basin_uniform u;
  basin_uniforms(&args, &u);
  const basin_size step = (basin_size)gridDim.x * blockDim.x;
  for (basin_size first = args.begin + (basin_size)blockIdx.x * blockDim.x; first < args.end;
       first += step) {
    const basin_size e = first + threadIdx.x;
    if (e - threadIdx.x % 32 >= args.end) break; /* a warp without elements */
    basin_element(args, u, e, e < args.end);
  }
}
