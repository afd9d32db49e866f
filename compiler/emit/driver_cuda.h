/* The kernel around emitted text on a CUDA device: a grid-stride loop over elements. Energies go to
 * `energy`; their sum is a reduction of its own. The direct form needs BASIN_CUDA_ATOMICS and adds
 * in no fixed order. SPDX-License-Identifier: Apache-2.0 */
#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
#define BASIN_NODES   (BASIN_LOCAL_SIZE / BASIN_BLOCK)
#define BASIN_PAIRS   (BASIN_NODES * (BASIN_NODES + 1) / 2)
#define BASIN_ENTRIES (BASIN_BLOCK * BASIN_BLOCK)
#define BASIN_PACKED  (BASIN_LOCAL_SIZE * (BASIN_LOCAL_SIZE + 1) / 2)
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
#define BASIN_OUTPUTS (BASIN_LOCAL_SIZE + BASIN_PACKED)
#else
#define BASIN_OUTPUTS BASIN_LOCAL_SIZE
#endif

#ifdef BASIN_CUDA_ATOMICS
BASIN_INLINE void basin_add_direct(const basin_args &args, basin_size e, const real *out)
{
  for (int k = 0; args.gradient && k < BASIN_LOCAL_SIZE; k++) {
    const basin_word node = args.nodes[e * BASIN_NODES + k / BASIN_BLOCK];
    if (node != BASIN_NONE)
      atomicAdd(args.gradient + (basin_size)node * BASIN_BLOCK + k % BASIN_BLOCK, (double)out[k]);
  }
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
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
#endif
}
#endif

BASIN_INLINE void basin_put(const basin_args &args, basin_size e, const real *out)
{
  const basin_size at = e - args.begin;
#ifdef BASIN_CUDA_ATOMICS
  if (args.nodes) {
    basin_add_direct(args, e, out);
    return;
  }
#endif
  for (int k = 0; args.local_gradient && k < BASIN_LOCAL_SIZE; k++)
    args.local_gradient[at * BASIN_LOCAL_SIZE + k] = out[k];
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  for (int k = 0; args.local_hessian && k < BASIN_PACKED; k++)
    args.local_hessian[at * BASIN_PACKED + k] = out[BASIN_LOCAL_SIZE + k];
#endif
}
#endif

BASIN_INLINE void basin_element(const basin_args &args, const basin_uniform &u, basin_size e)
{
#if BASIN_STAGE == BASIN_STAGE_COMPUTE
  real out[BASIN_OUTPUT_SIZE];
  basin_inner(&args, &u, (basin_index)e, out);
  for (int k = 0; k < BASIN_OUTPUT_SIZE; k++) args.output[e * BASIN_OUTPUT_SIZE + k] = out[k];
#elif BASIN_STAGE == BASIN_STAGE_VALUE
  real value;
  basin_inner(&args, &u, (basin_index)e, &value);
  if (args.energy) args.energy[e - args.begin] = value;
#else
  real inner[BASIN_INNER_ROWS], out[BASIN_OUTPUTS];
  basin_inner(&args, &u, (basin_index)e, inner);
  if (args.energy) args.energy[e - args.begin] = inner[0];
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  if (args.projection != BASIN_PROJECTION_NONE) basin_project(inner, (int)args.projection);
#endif
  basin_outer(&args, &u, (basin_index)e, inner, out);
  basin_put(args, e, out);
#endif
}

extern "C" __global__ void basin_kernel(const basin_args args)
{
  basin_uniform u;
  basin_uniforms(&args, &u);
  const basin_size step = (basin_size)gridDim.x * blockDim.x;
  for (basin_size e = args.begin + (basin_size)blockIdx.x * blockDim.x + threadIdx.x; e < args.end;
       e += step)
    basin_element(args, u, e);
}
