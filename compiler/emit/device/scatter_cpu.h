/* Adds the gradients and Hessians of a tile to the global ones, element after element, or stores them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_SCATTER_CPU_H
#define BASIN_DEVICE_SCATTER_CPU_H

#define BASIN_NODES   (BASIN_LOCAL_SIZE / BASIN_BLOCK)
#define BASIN_PAIRS   (BASIN_NODES * (BASIN_NODES + 1) / 2)
#define BASIN_ENTRIES (BASIN_BLOCK * BASIN_BLOCK)

/* What `outer` writes, the local gradient and the packed upper triangle of the local Hessian, and the same in blocks:
 * number k of the latter is output basin_places[k]. */
#define BASIN_PACKED (BASIN_LOCAL_SIZE * (BASIN_LOCAL_SIZE + 1) / 2)
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
#define BASIN_OUTPUTS (BASIN_LOCAL_SIZE + BASIN_PACKED)
#define BASIN_BLOCKED (BASIN_LOCAL_SIZE + BASIN_PAIRS * BASIN_ENTRIES)
#else
#define BASIN_OUTPUTS BASIN_LOCAL_SIZE
#define BASIN_BLOCKED BASIN_LOCAL_SIZE
#endif

/* Blocks of one tile, element by element, rounded up so that whole vectors can be written. */
#define BASIN_ROW ((BASIN_BLOCKED + 7) / 8 * 8)
typedef struct basin_rows {
  double at[BASIN_WIDTH][BASIN_ROW] __attribute__((aligned(64)));
} basin_rows;

/* to[k] += from[k] for a small constant count. */
BASIN_INLINE void basin_add(double *to, const double *from, int count)
{
  int k = 0;
  for (; k + BASIN_PART <= count; k += BASIN_PART)
    *(basin_part_unaligned *)(to + k) += *(const basin_part_unaligned *)(from + k);
  for (; k + 2 <= count; k += 2) *(basin_pair *)(to + k) += *(const basin_pair *)(from + k);
  for (; k < count; k++) to[k] += from[k];
}

/* The block at `from`, transposed if `flags` say so, plus its transpose if they say that. */
BASIN_INLINE void basin_add_block(double *to, const double *from, basin_word flags)
{
  if (__builtin_expect((flags & BASIN_SLOT_TWICE) != 0, 0)) {
    for (int i = 0; i < BASIN_BLOCK; i++)
      for (int j = 0; j < BASIN_BLOCK; j++)
        to[i * BASIN_BLOCK + j] += from[i * BASIN_BLOCK + j] + from[j * BASIN_BLOCK + i];
    return;
  }
#if BASIN_BLOCK == 3 && BASIN_PART == 8
  basin_part row = *(const basin_part_unaligned *)from;
  const basin_part turned = __builtin_shufflevector(row, row, 0, 3, 6, 1, 4, 7, 2, 5);
  row = flags & BASIN_SLOT_TRANSPOSED ? turned : row;
  *(basin_part_unaligned *)to += row;
  to[8] += from[8];
#else
  if (flags & BASIN_SLOT_TRANSPOSED) {
    for (int i = 0; i < BASIN_BLOCK; i++)
      for (int j = 0; j < BASIN_BLOCK; j++) to[i * BASIN_BLOCK + j] += from[j * BASIN_BLOCK + i];
  } else {
    basin_add(to, from, BASIN_ENTRIES);
  }
#endif
}

BASIN_INLINE void basin_scatter(const basin_args *args, const basin_tile *tile, const basin_rows *rows)
{
  for (basin_size l = 0; l < tile->count; l++) {
    const double *row = rows->at[l];
    const basin_word *nodes = args->nodes + (tile->at + l) * BASIN_NODES;
    if (args->gradient) {
      for (int a = 0; a < BASIN_NODES; a++)
        if (nodes[a] != BASIN_NONE)
          basin_add(args->gradient + (basin_size)nodes[a] * BASIN_BLOCK, row + a * BASIN_BLOCK, BASIN_BLOCK);
    }
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
    if (args->values) {
      const basin_word *slots = args->slots + (tile->at + l) * BASIN_PAIRS;
      for (int p = 0; p < BASIN_PAIRS; p++)
        if (slots[p] != BASIN_NONE)
          basin_add_block(args->values + (basin_size)(slots[p] & BASIN_SLOT_MASK) * BASIN_ENTRIES,
                          row + BASIN_LOCAL_SIZE + p * BASIN_ENTRIES, slots[p]);
    }
#endif
  }
}

BASIN_INLINE void basin_make_rows(basin_rows *rows, const real *out)
{
  for (int p = 0; p < BASIN_PARTS; p++)
    for (int k = 0; k < BASIN_ROW; k += BASIN_PART) {
      basin_part v[BASIN_PART];
      for (int i = 0; i < BASIN_PART; i++)
        v[i] = basin_part_of(out[basin_places[k + i < BASIN_BLOCKED ? k + i : BASIN_BLOCKED - 1]], p);
      basin_put_rows(&rows->at[p * BASIN_PART][k], BASIN_ROW, v, BASIN_PART);
    }
}

/* Results of one tile, `out` as `outer` wrote them, to where `args` wants them. */
BASIN_INLINE void basin_put(const basin_args *args, const basin_tile *tile, const real *out)
{
  const basin_size first = tile->at - args->begin;
  if (args->nodes) {
    basin_rows rows;
    basin_make_rows(&rows, out);
    basin_scatter(args, tile, &rows);
    return;
  }
  if (args->local_gradient)
    basin_store_rows(args->local_gradient + first * BASIN_LOCAL_SIZE, BASIN_LOCAL_SIZE, out, tile->count);
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  if (args->local_hessian)
    basin_store_rows(args->local_hessian + first * BASIN_PACKED, BASIN_PACKED, out + BASIN_LOCAL_SIZE, tile->count);
#endif
}

#endif
