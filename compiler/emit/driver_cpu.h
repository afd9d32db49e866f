/* The loop around an emitted kernel on the CPU: tiles of elements, projection between the halves,
 * where results go. SPDX-License-Identifier: Apache-2.0 */
#include "tile_cpu.h"

#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
#include "scatter_cpu.h"
#endif

#define BASIN_KERNEL                                                                \
  __attribute__((visibility("default"))) void basin_kernel(const basin_args *given, \
                                                           const void *self)

#if BASIN_STAGE == BASIN_STAGE_COMPUTE
BASIN_KERNEL
{
  const basin_args args = *given;
  const basin_data data = basin_data_of(given);
  basin_uniform u;
  (void)self;
  basin_uniforms(&data, &u);
  for (basin_size at = args.begin; at < args.end; at += BASIN_WIDTH) {
    const basin_tile tile = basin_tile_at(at, args.end);
    real out[BASIN_OUTPUT_SIZE];
    basin_inner(&data, &u, &tile.index, (basin_scalar *)out);
    basin_store_rows(args.output + at * BASIN_OUTPUT_SIZE, BASIN_OUTPUT_SIZE, out, tile.count);
  }
}

#elif BASIN_STAGE == BASIN_STAGE_VALUE
BASIN_KERNEL
{
  const basin_args args = *given;
  const basin_data data = basin_data_of(given);
  basin_uniform u;
  basin_energy energy = basin_energy_begin();
  (void)self;
  basin_uniforms(&data, &u);
  for (basin_size at = args.begin; at < args.end; at += BASIN_WIDTH) {
    const basin_tile tile = basin_tile_at(at, args.end);
    real value;
    basin_inner(&data, &u, &tile.index, (basin_scalar *)&value);
    basin_energy_add(&energy, &args, &tile, value);
  }
  basin_energy_end(&energy, &args);
}

#elif BASIN_STAGE == BASIN_STAGE_GRADIENT
BASIN_KERNEL
{
  const basin_args args = *given;
  const basin_data data = basin_data_of(given);
  basin_uniform u;
  basin_energy energy = basin_energy_begin();
  (void)self;
  basin_uniforms(&data, &u);
  for (basin_size at = args.begin; at < args.end; at += BASIN_WIDTH) {
    const basin_tile tile = basin_tile_at(at, args.end);
    real inner[BASIN_INNER_ROWS], out[BASIN_OUTPUTS];
    basin_inner(&data, &u, &tile.index, (basin_scalar *)inner);
    basin_energy_add(&energy, &args, &tile, inner[0]);
    basin_outer(&data, &u, &tile.index, (const basin_scalar *)inner, out);
    basin_put(&args, &tile, out);
  }
  basin_energy_end(&energy, &args);
}

#else
/* Elements pass in chunks: first the inner derivatives of all, then the projection, which packs
 * together the elements that need it, then the outer derivatives. */
BASIN_KERNEL
{
  const basin_args args = *given;
  const basin_data data = basin_data_of(given);
  const basin_size chunk = args.projection == BASIN_PROJECTION_NONE ? BASIN_WIDTH : BASIN_CHUNK;
  basin_scalar *scratch = args.scratch;
  basin_uniform u;
  basin_energy energy = basin_energy_begin();
  (void)self;
  basin_uniforms(&data, &u);
  for (basin_size begin = args.begin; begin < args.end; begin += chunk) {
    const basin_size end = args.end - begin > chunk ? begin + chunk : args.end;
    for (basin_size at = begin; at < end; at += BASIN_WIDTH) {
      const basin_tile tile = basin_tile_at(at, end);
      basin_inner(&data, &u, &tile.index, scratch + (at - begin));
      basin_energy_add(&energy, &args, &tile, *(const real *)(scratch + (at - begin)));
    }
    if (args.projection != BASIN_PROJECTION_NONE)
      basin_project(scratch, (int)(end - begin), (int)args.projection);
    for (basin_size at = begin; at < end; at += BASIN_WIDTH) {
      const basin_tile tile = basin_tile_at(at, end);
      real out[BASIN_OUTPUTS];
      basin_outer(&data, &u, &tile.index, scratch + (at - begin), out);
      basin_put(&args, &tile, out);
    }
  }
  basin_energy_end(&energy, &args);
}
#endif
