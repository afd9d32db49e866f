/* The structs that the device texts of the assembly get, field by field as in their .cu files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_CUDA_TASKS_H
#define BASIN_ASSEMBLY_CUDA_TASKS_H

#include "device/cuda/cuda.h"

typedef struct basin_dof_table {
  basin_address entries, starts, values; /* starts 0: one entry a row, of weight 1 */
} basin_dof_table;

enum { BASIN_VIRTUAL_NODE_BYTES = 16 }; /* element, local, node, value */

/* A path of connectivities. */
typedef struct basin_cuda_path {
  basin_address indices[BASIN_PATH_MAX];
  uint32_t arity[BASIN_PATH_MAX], slot[BASIN_PATH_MAX], shared, step_count;
} basin_cuda_path;

typedef struct basin_walk_task {
  uint64_t elements;
  uint32_t nodes, column;
  basin_address entries, rows;
  basin_cuda_path way;
} basin_walk_task;

typedef struct basin_expand_task {
  uint64_t elements;
  uint32_t local_nodes, pad;
  basin_address rows, tables, node_starts, pair_starts, totals, nodes;
} basin_expand_task;

typedef struct basin_pair_task {
  uint64_t elements, count;
  basin_address node_starts, pair_starts, pairs;
} basin_pair_task;

typedef struct basin_emit_task {
  uint64_t elements, count;
  uint32_t local_nodes, local_pairs, bits, batch, block, staged;
  basin_address rows, local, nodes, pairs, bases, keys, words, unique;
  uint64_t unique_count;
} basin_emit_task;

typedef struct basin_runs_task {
  basin_address keys, heads;
  uint64_t count;
  uint32_t bits, batches, length, pad;
  basin_address places, starts, longs;
} basin_runs_task;

typedef struct basin_local_results {
  uint32_t begin, count, element_step, number_step, local_nodes, local_pairs, factor, shift;
  basin_address local_pair, nodes, pairs, tables, local;
} basin_local_results;

typedef struct basin_gather_task {
  basin_local_results from;
  uint64_t first_run, run_count;
  uint32_t limit, length;
  basin_address words, heads, longs, places, slots, to;
} basin_gather_task;

typedef struct basin_scatter_task {
  basin_local_results from;
  uint64_t elements;
  basin_address rows, bases, starts, words, to;
} basin_scatter_task;

/* ---- DOF maps ---- */

enum { BASIN_LINK_BYTES = 16 }; /* row, child, source, column */

typedef struct basin_plain_task {
  uint64_t rows, first, stride;
  uint32_t nodes, none;
  basin_address entries;
} basin_plain_task;

typedef struct basin_link_task {
  uint64_t count, first;
  uint32_t nodes, child, block, inner, position, per_row, column, arity;
  uint64_t instances;
  basin_address indices, offsets, links;
  basin_cuda_path way;
} basin_link_task;

typedef struct basin_entry_task {
  uint64_t rows, links, mentions, entries;
  uint32_t block, bits, full, pad;
  basin_address link, children, link_starts, totals, keys, words, heads, places, sorted, to, spans,
      starts, sizes;
} basin_entry_task;

/* How the weight of a link is found. */
typedef enum basin_map_mode {
  BASIN_MAP_SUM,
  BASIN_MAP_MEAN,
  BASIN_MAP_UNIFORM,
  BASIN_MAP_BLOCKS
} basin_map_mode;

typedef struct basin_value_task {
  uint64_t entries;
  uint32_t block, mode, nodes, rows, cols, local;
  basin_address entry, spans, sorted, link, children, jacobian, values;
} basin_value_task;

typedef struct basin_adjoint_task {
  uint64_t count, rows, links, limit;
  uint32_t block, mean, nodes, matrix_rows, matrix_cols, local, per_row, bits, length, pad;
  basin_address link, bases, keys, words, heads, places, longs, jacobian, from, to;
} basin_adjoint_task;

static_assert(sizeof(basin_plain_task) == 3 * 8 + 2 * 4 + 8, "as in map_entries.cu");
static_assert(sizeof(basin_link_task) == 2 * 8 + 8 * 4 + 4 * 8 + 104, "as in map_entries.cu");
static_assert(sizeof(basin_entry_task) == 4 * 8 + 4 * 4 + 13 * 8, "as in map_entries.cu");
static_assert(sizeof(basin_value_task) == 8 + 6 * 4 + 7 * 8, "as in map_entries.cu");
static_assert(sizeof(basin_adjoint_task) == 4 * 8 + 10 * 4 + 10 * 8, "as in adjoints.cu");
static_assert(BASIN_PATH_MAX == 6, "as in assembly.cuh");
static_assert(sizeof(basin_cuda_path) == 6 * 8 + 14 * 4, "as in assembly.cuh");
static_assert(sizeof(basin_walk_task) == 8 + 2 * 4 + 2 * 8 + 104, "as in term_rows.cu");
static_assert(sizeof(basin_expand_task) == 8 + 2 * 4 + 6 * 8, "as in term_rows.cu");
static_assert(sizeof(basin_emit_task) == 3 * 8 + 6 * 4 + 8 * 8, "as in contributions.cu");
static_assert(sizeof(basin_runs_task) == 3 * 8 + 4 * 4 + 3 * 8, "as in contributions.cu");
static_assert(sizeof(basin_local_results) == 8 * 4 + 5 * 8, "as in local.cuh");
static_assert(sizeof(basin_gather_task) == 72 + 2 * 8 + 2 * 4 + 6 * 8, "as in gather.cu");
static_assert(sizeof(basin_scatter_task) == 72 + 8 + 5 * 8, "as in scatter.cu");

#endif
