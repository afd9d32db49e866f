/* Inside of symmetric block matrices: storage, chunks of a multiplication, row kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_BSR_H
#define BASIN_LINALG_BSR_H

#include <basin/linalg.h>

#define BASIN__BSR_LARGEST_BLOCK 12

/* Rows are cut into chunks that depend on the pattern alone. A chunk works on a local copy of the
 * part of x it needs: its own rows first, then its halo, the columns beyond them in ascending
 * order. What it adds to halo rows is kept in halo_values and added to y afterwards, source chunks
 * in ascending order: so sums have one order for any number of threads. */
typedef struct basin__bsr_segment {
  size_t begin, end; /* entries of the halo arrays, all of one source chunk, whose nodes lie in one
                        destination chunk */
} basin__bsr_segment;

typedef struct basin__bsr_plan {
  size_t chunk_count;
  uint32_t *chunk_rows;   /* chunk_count + 1 */
  uint32_t *local;        /* per slot: the column as local node of the row's chunk */
  size_t *halo_starts;    /* chunk_count + 1 */
  uint32_t *halo_nodes;   /* node of each halo entry */
  double *halo_values;    /* `stride` numbers an entry */
  size_t *segment_starts; /* chunk_count + 1, by destination chunk */
  basin__bsr_segment *segments;
  size_t halo_count, halo_capacity, segment_count;
  unsigned stride; /* doubles a local node takes */
  unsigned workers;
  size_t local_nodes; /* room for the largest chunk */
  double *scratch;    /* per worker: local x, local y */
} basin__bsr_plan;

struct basin_bsr {
  basin_context *context;
  uint32_t node_count;
  unsigned block_size;
  size_t block_count, capacity; /* there is room for `capacity` blocks */
  size_t *row_starts;
  uint32_t *columns;
  double *values; /* padded with zeros: kernels read up to 8 numbers past the end */
  uint64_t pattern;
  basin__bsr_plan plan;
};

/* Padding of `values` and of local vectors, in numbers. */
#define BASIN__BSR_PADDING 8

/* Takes over nothing: allocates an empty matrix with room for block_count blocks; the caller fills
 * row_starts and columns and calls basin__bsr_finish. */
basin_status basin__bsr_allocate(basin_context *context,
                                 uint32_t node_count,
                                 unsigned block_size,
                                 size_t block_count,
                                 basin_bsr **matrix);
basin_status basin__bsr_finish(basin_bsr *matrix);
/* Finds `pattern`. */
void basin__bsr_hash(basin_bsr *matrix);
/* A plan for the present pattern; memory of an earlier plan is used again. */
basin_status basin__bsr_plan_init(basin_bsr *matrix);
void basin__bsr_plan_fini(basin_bsr *matrix);

/* Scalar operations of y = A x, for basin__parallel_work: each stored block is used twice, once
 * transposed. */
static inline double basin__bsr_work(const basin_bsr *matrix)
{
  return 4.0 * (double)matrix->block_count * matrix->block_size * matrix->block_size;
}

/* ---- the two phases of y = A x, for solvers that fuse them with their own work ---- */
typedef struct basin__bsr_input {
  const double *x;
  /* If z is not NULL, the vector multiplied is z + beta x, which replaces `direction` for the
   * chunk's own rows. Where `solution` is not NULL, it first receives alpha x + alpha_before
   * direction, also for the own rows. */
  const double *z;
  double alpha, alpha_before, beta;
  double *direction, *solution;
  bool want_dot;
} basin__bsr_input;

/* Phase 1 of one chunk; returns this chunk's part of x^T A x where that is wanted, else 0. */
typedef double (*basin__bsr_kernel)(const basin_bsr *matrix,
                                    size_t chunk,
                                    unsigned worker,
                                    const basin__bsr_input *input,
                                    double *y);
/* The fastest kernel this machine can run. All variants give the same bits: the lanes of a sum are
 * fixed by the block size and no multiplication is fused with an addition. */
basin__bsr_kernel basin__bsr_kernel_select(unsigned block_size);
/* Variant 0 is the portable one; NULL where this machine cannot run `variant`. For tests. */
basin__bsr_kernel basin__bsr_kernel_variant(unsigned block_size, unsigned variant);

/* Phase 2, after phase 1 of all chunks: adds the halo sums of nodes [first, last) to y. */
void basin__bsr_reduce(const basin_bsr *matrix, uint32_t first, uint32_t last, double *y);

/* What a row kernel works on. */
typedef struct basin__bsr_rows {
  const size_t *row_starts;
  const uint32_t *local;
  const double *values;
  uint32_t first, last; /* rows [first, last) */
  const double *x;      /* local, row `first` at 0 */
  double *y;            /* local, zero on entry */
} basin__bsr_rows;

/* basin_bsr_create with the named blocks alone and without a plan: a summand of a union, which is
 * never multiplied and may lack diagonal blocks. */
basin_status basin__bsr_create_summand(basin_context *context,
                                       uint32_t node_count,
                                       unsigned block_size,
                                       size_t pair_count,
                                       const basin_node_pair *pairs,
                                       uint32_t *slots,
                                       basin_bsr **matrix);
/* Makes rows and columns those of `diagonal` times the identity: bit i of bits[node] names
 * component i of the node. */
void basin__bsr_fix(basin_bsr *matrix, const uint32_t *bits, double diagonal);
/* In map_b of basin__bsr_remerge: `a` has no such block. */
#define BASIN__SLOT_ALONE 0x80000000u

/* basin_bsr_create_merged in the memory of *merged, an earlier result or NULL; the values are
 * unspecified. `a` has all diagonal blocks. On failure *merged is destroyed and NULL. */
basin_status basin__bsr_remerge(
    const basin_bsr *a, const basin_bsr *b, uint32_t *map_a, uint32_t *map_b, basin_bsr **merged);

/* The values of a union (basin__bsr_remerge, which made the maps): the sum of both parts. Old
 * values need not be cleared. */
void basin__bsr_merge(basin_bsr *merged,
                      const basin_bsr *first,
                      const uint32_t *map_first,
                      const basin_bsr *second,
                      const uint32_t *map_second);

#endif
