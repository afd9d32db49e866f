/* Adds the gradients and Hessians of a tile to the global ones, element after element, or stores
 * them. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_SCATTER_CPU_H
#define BASIN_DEVICE_SCATTER_CPU_H

#define BASIN_NODES   (BASIN_LOCAL_SIZE / BASIN_BLOCK)
#define BASIN_PAIRS   (BASIN_NODES * (BASIN_NODES + 1) / 2)
#define BASIN_ENTRIES (BASIN_BLOCK * BASIN_BLOCK)

/* What `outer` writes, the local gradient and the packed upper triangle of the local Hessian, and
 * the same in blocks: number k of the latter is output basin_places[k]. */
#define BASIN_PACKED (BASIN_LOCAL_SIZE * (BASIN_LOCAL_SIZE + 1) / 2)
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
#define BASIN_OUTPUTS (BASIN_LOCAL_SIZE + BASIN_PACKED)
#else
#define BASIN_OUTPUTS BASIN_LOCAL_SIZE
#endif

/* A block is added as whole vectors and a rest. The row of an element holds the gradient, the
 * vectors of all blocks, then the rests of all blocks: a vector is read as it was written, and
 * forwarded from the store. */
#define BASIN_MAIN    (BASIN_ENTRIES / BASIN_PART * BASIN_PART)
#define BASIN_REST    (BASIN_ENTRIES - BASIN_MAIN)
#define BASIN_MAIN_AT ((BASIN_LOCAL_SIZE + 7) / 8 * 8)
#define BASIN_REST_AT (BASIN_MAIN_AT + BASIN_PAIRS * BASIN_MAIN)
#define BASIN_HESSIAN (BASIN_STAGE == BASIN_STAGE_HESSIAN)
#define BASIN_ROW \
  ((BASIN_HESSIAN ? BASIN_REST_AT + BASIN_PAIRS * BASIN_REST + 7 : BASIN_MAIN_AT) / 8 * 8)
typedef struct basin_rows {
  double at[BASIN_WIDTH][BASIN_ROW] __attribute__((aligned(64)));
} basin_rows;

/* The output that stands at place k of a row; anything where the row is only filled up. */
BASIN_INLINE int basin_place(int k)
{
  if (k < BASIN_MAIN_AT) return k < BASIN_LOCAL_SIZE ? k : 0;
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  if (k < BASIN_REST_AT) {
    const int m = k - BASIN_MAIN_AT;
    return basin_places[BASIN_LOCAL_SIZE + m / (BASIN_MAIN + !BASIN_MAIN) * BASIN_ENTRIES +
                        m % (BASIN_MAIN + !BASIN_MAIN)];
  }
  const int r = k - BASIN_REST_AT;
  if (r >= BASIN_PAIRS * BASIN_REST) return 0;
  return basin_places[BASIN_LOCAL_SIZE + r / (BASIN_REST + !BASIN_REST) * BASIN_ENTRIES +
                      BASIN_MAIN + r % (BASIN_REST + !BASIN_REST)];
#else
  return 0;
#endif
}

BASIN_INLINE void basin_make_rows(basin_rows *rows, const real *out)
{
  for (int p = 0; p < BASIN_PARTS; p++) BASIN_UNROLL for (int k = 0; k < BASIN_ROW; k += BASIN_PART)
    {
      basin_part v[BASIN_PART];
      BASIN_UNROLL for (int i = 0; i < BASIN_PART; i++) v[i] =
          basin_part_of(out[basin_place(k + i)], p);
      basin_put_rows(&rows->at[p * BASIN_PART][k], BASIN_ROW, v, BASIN_PART);
    }
}

/* to[k] += from[k] for a small constant count. */
BASIN_INLINE void basin_add(double *to, const double *from, int count)
{
  int k = 0;
  for (; k + BASIN_PART <= count; k += BASIN_PART)
    *(basin_part_unaligned *)(to + k) += *(const basin_part_unaligned *)(from + k);
  for (; k + 2 <= count; k += 2) *(basin_pair *)(to + k) += *(const basin_pair *)(from + k);
  for (; k < count; k++) to[k] += from[k];
}

#if BASIN_STAGE == BASIN_STAGE_HESSIAN
/* Entry (i, j) of a block whose vectors start at `main` and whose rest is at `rest`. */
#define BASIN_ENTRY(i, j)                                           \
  ((i)*BASIN_BLOCK + (j) < BASIN_MAIN ? main[(i)*BASIN_BLOCK + (j)] \
                                      : rest[(i)*BASIN_BLOCK + (j)-BASIN_MAIN])

BASIN_INLINE void basin_add_transpose(double *to, const double *main, const double *rest)
{
  for (int i = 0; i < BASIN_BLOCK; i++)
    for (int j = 0; j < BASIN_BLOCK; j++) to[i * BASIN_BLOCK + j] += BASIN_ENTRY(j, i);
}

BASIN_INLINE void basin_add_twice(double *to, const double *main, const double *rest)
{
  for (int i = 0; i < BASIN_BLOCK; i++)
    for (int j = 0; j < BASIN_BLOCK; j++)
      to[i * BASIN_BLOCK + j] += BASIN_ENTRY(i, j) + BASIN_ENTRY(j, i);
}

BASIN_INLINE void
basin_add_block(double *to, const double *main, const double *rest, basin_word transposed)
{
#if BASIN_BLOCK == 3 && BASIN_PART == 8
  /* One permutation for either order of the nodes: which it is cannot be predicted. */
  typedef long long basin_permutation __attribute__((vector_size(64)));
  static const basin_permutation order[2] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 3, 6, 1, 4, 7, 2, 5}};
  typedef double basin_eight __attribute__((vector_size(64)));
  *(basin_part_unaligned *)to += (basin_part)__builtin_ia32_permvardf512(
      (basin_eight) * (const basin_part *)main, order[transposed]);
  to[8] += *rest;
#else
  if (transposed) {
    basin_add_transpose(to, main, rest);
  } else {
    basin_add(to, main, BASIN_MAIN);
    basin_add(to + BASIN_MAIN, rest, BASIN_REST);
  }
#endif
}

/* Blocks are spread over memory: those of the element one tile ahead are asked for while this one's
 * are added. */
BASIN_INLINE void
basin_scatter_blocks(const basin_args *args, basin_size element, const double *row)
{
  const basin_word *slots = args->slots + element * BASIN_PAIRS;
  const basin_word *ahead =
      element + BASIN_WIDTH < args->end ? slots + BASIN_WIDTH * BASIN_PAIRS : slots;
  for (int p = 0; p < BASIN_PAIRS; p++) {
    const basin_word slot = slots[p];
    const double *soon = args->values + (basin_size)(ahead[p] & BASIN_SLOT_MASK) * BASIN_ENTRIES;
    __builtin_prefetch(soon, 1);
    __builtin_prefetch(soon + BASIN_ENTRIES - 1, 1);
    const double *main = row + BASIN_MAIN_AT + p * BASIN_MAIN,
                 *rest = row + BASIN_REST_AT + p * BASIN_REST;
    double *to = args->values + (basin_size)(slot & BASIN_SLOT_MASK) * BASIN_ENTRIES;
    /* BASIN_NONE has this bit too. */
    if (__builtin_expect((slot & BASIN_SLOT_TWICE) == 0, 1))
      basin_add_block(to, main, rest, slot >> 31);
    else if (slot != BASIN_NONE)
      basin_add_twice(to, main, rest);
  }
}
#endif

BASIN_INLINE void
basin_scatter(const basin_args *args, const basin_tile *tile, const basin_rows *rows)
{
  for (basin_size l = 0; l < tile->count; l++) {
    const double *row = rows->at[l];
    const basin_word *nodes = args->nodes + (tile->at + l) * BASIN_NODES;
    if (args->gradient) {
      for (int a = 0; a < BASIN_NODES; a++)
        if (nodes[a] != BASIN_NONE)
          basin_add(args->gradient + (basin_size)nodes[a] * BASIN_BLOCK,
                    row + a * BASIN_BLOCK,
                    BASIN_BLOCK);
    }
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
    if (args->values) basin_scatter_blocks(args, tile->at + l, row);
#endif
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
    basin_store_rows(
        args->local_gradient + first * BASIN_LOCAL_SIZE, BASIN_LOCAL_SIZE, out, tile->count);
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
  if (args->local_hessian)
    basin_store_rows(args->local_hessian + first * BASIN_PACKED,
                     BASIN_PACKED,
                     out + BASIN_LOCAL_SIZE,
                     tile->count);
#endif
}

#endif
