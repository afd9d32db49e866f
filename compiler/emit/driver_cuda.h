/* The kernel around emitted text on a CUDA device: a grid-stride loop over elements. A block takes
 * its elements together, since the lanes of a warp project together; lanes beyond the end lend a
 * hand there and have no element of their own. Energies go to `energy`; their sum is a reduction of
 * its own. Stored results are component-major: component k of element e at [k * (end - begin) + e -
 * begin]. There is no direct form: the runtime adds stored results in a fixed order.
 * SPDX-License-Identifier: Apache-2.0 */
#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
BASIN_INLINE void
basin_finish(const basin_args &args, const basin_uniform &u, basin_size e, const real *inner)
{
  const basin_size at = e - args.begin;
  const basin_results to = {args.local_gradient ? args.local_gradient + at : nullptr,
                            args.local_hessian ? args.local_hessian + at : nullptr,
                            args.end - args.begin};
  basin_outer(&args, &u, (basin_index)e, inner, &to);
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
  if (active) basin_finish(args, u, e, inner);
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
