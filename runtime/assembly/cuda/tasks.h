/* The structs that the device texts of the assembly get, field by field as in their .cu files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_CUDA_TASKS_H
#define BASIN_ASSEMBLY_CUDA_TASKS_H

#include "device/cuda/cuda.h"

typedef struct basin_dof_table {
  basin_address entries, starts, values; /* starts 0: one entry a row, of weight 1 */
} basin_dof_table;

enum { BASIN_VIRTUAL_NODE_BYTES = 16 }; /* element, local, node, value */

typedef struct basin_walk_task {
  uint64_t elements;
  uint32_t shared, step_count, nodes, column;
  basin_address entries, rows, indices[6];
  uint32_t arity[6], slot[6];
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
  uint32_t local_nodes, local_pairs, bits, batch;
  basin_address rows, local, nodes, pairs, keys, words;
} basin_emit_task;

typedef struct basin_runs_task {
  basin_address keys, heads;
  uint64_t count;
  uint32_t bits, batches, length, pad;
  basin_address places, starts, longs;
} basin_runs_task;

typedef struct basin_gather_task {
  uint64_t first_run, run_count, begin, count;
  uint32_t local_nodes, local_pairs, limit, length;
  basin_address words, heads, longs, places, slots, local_pair, nodes, pairs, tables, local, to;
} basin_gather_task;

static_assert(sizeof(basin_walk_task) == 8 + 4 * 4 + 8 * 8 + 12 * 4, "as in term_rows.cu");
static_assert(sizeof(basin_expand_task) == 8 + 2 * 4 + 6 * 8, "as in term_rows.cu");
static_assert(sizeof(basin_emit_task) == 2 * 8 + 4 * 4 + 6 * 8, "as in contributions.cu");
static_assert(sizeof(basin_runs_task) == 3 * 8 + 4 * 4 + 3 * 8, "as in contributions.cu");
static_assert(sizeof(basin_gather_task) == 4 * 8 + 4 * 4 + 11 * 8, "as in gather.cu");

#endif
