/* The kernel around emitted text on a CUDA device: a grid-stride loop over elements. A block takes
 * its elements together, since the lanes of a warp project together; lanes beyond the end repeat
 * the last element and write nothing. Energies go to `energy`; their sum is a reduction of its own.
 * Stored results are component-major: component k of element e at [k * (end - begin) + e - begin].
 * The direct form needs BASIN_CUDA_ATOMICS and adds in no fixed order.
 * SPDX-License-Identifier: Apache-2.0 */
#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
#define BASIN_NODES   (BASIN_LOCAL_SIZE / BASIN_BLOCK)
#define BASIN_PAIRS   (BASIN_NODES * (BASIN_NODES + 1) / 2)
#define BASIN_ENTRIES (BASIN_BLOCK * BASIN_BLOCK)
#define BASIN_PACKED  (BASIN_LOCAL_SIZE * (BASIN_LOCAL_SIZE + 1) / 2)

#ifdef BASIN_CUDA_ATOMICS
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
#define BASIN_OUTPUTS (BASIN_LOCAL_SIZE + BASIN_PACKED)

BASIN_INLINE void basin_add_blocks(const basin_args &args, basin_size e, const real *out)
{
  for (int p = 0; args.values && p < BASIN_PAIRS; p++) {
    const basin_word slot = args.slots[e * BASIN_PAIRS + p];
    if (slot == BASIN_NONE) continue;
    double *to = args.values + (basin_size)(slot & BASIN_SLOT_MASK) * BASIN_ENTRIES;
    for (int i = 0; i < BASIN_BLOCK; i++)
      for (int j = 0; j < BASIN_BLOCK; j++) {
        const unsigned short *places = basin_places + BASIN_LOCAL_SIZE + p * BASIN_ENTRIES;
        const double plain = out[places[i * BASIN_BLOCK + j]],
                     turned = out[places[j * BASIN_BLOCK + i]];
        atomicAdd(to + i * BASIN_BLOCK + j,
                  slot & BASIN_SLOT_TWICE        ? plain + turned
                  : slot & BASIN_SLOT_TRANSPOSED ? turned
                                                 : plain);
      }
  }
}
#else
#define BASIN_OUTPUTS BASIN_LOCAL_SIZE

BASIN_INLINE void basin_add_blocks(const basin_args &, basin_size, const real *) {}
#endif

BASIN_INLINE void
basin_finish(const basin_args &args, const basin_uniform &u, basin_size e, const real *inner)
{
  real out[BASIN_OUTPUTS];
  const basin_results to = {out};
  basin_outer(&args, &u, (basin_index)e, inner, &to);
  for (int k = 0; args.gradient && k < BASIN_LOCAL_SIZE; k++) {
    const basin_word node = args.nodes[e * BASIN_NODES + k / BASIN_BLOCK];
    if (node != BASIN_NONE)
      atomicAdd(args.gradient + (basin_size)node * BASIN_BLOCK + k % BASIN_BLOCK, (double)out[k]);
  }
  basin_add_blocks(args, e, out);
}
#else
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
  basin_inner(&args, &u, (basin_index)e, inner);
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
    basin_element(args, u, e < args.end ? e : args.end - 1, e < args.end);
  }
}
