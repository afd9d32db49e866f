/* Sums of block matrices with rows and columns put together, on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collapse.h"

#include "internal.h"

enum { THREADS = 256 };

/* Argument of collapse.cu. */
typedef struct part_places {
  uint32_t firsts[BASIN_CUDA_PARTS + 1];
} part_places;

void basin__cuda_collapse_release(basin_cuda *cuda, basin__cuda_collapse *work)
{
  basin__buffer_release(cuda, &work->keys);
  basin__buffer_release(cuda, &work->order);
  basin__buffer_release(cuda, &work->heads);
  basin__buffer_release(cuda, &work->runs);
  basin__buffer_release(cuda, &work->scratch.memory);
}

static basin_status
place_parts(basin_cuda *cuda, const basin_cuda_matrix *matrix, part_places *places)
{
  size_t total = 0;
  for (unsigned p = 0; p < matrix->part_count; p++) {
    places->firsts[p] = (uint32_t)total;
    total += matrix->parts[p].block_count;
    if (total >= UINT32_MAX)
      return BASIN_FAIL(basin__cuda_context(cuda),
                        BASIN_ERROR_UNSUPPORTED,
                        "%zu blocks are more than 32-bit places can number",
                        total);
  }
  for (unsigned p = matrix->part_count; p <= BASIN_CUDA_PARTS; p++)
    places->firsts[p] = (uint32_t)total;
  return BASIN_OK;
}

/* Keys of all blocks, sorted, with the places of the blocks. */
static basin_status sort_blocks(basin_cuda *cuda,
                                basin__cuda_collapse *work,
                                const basin_cuda_matrix *matrix,
                                const part_places *places,
                                basin_address map,
                                uint32_t column_bits)
{
  size_t total = places->firsts[BASIN_CUDA_PARTS];
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(matrix->parts[0].block, false);
  BASIN_TRY(basin__buffer_reserve(cuda, &work->keys, (total + 1) * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &work->order, (total + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &work->heads, (total + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &work->runs, sizeof(uint32_t)));
  for (uint32_t p = 0; p < matrix->part_count; p++) {
    uint32_t first = places->firsts[p];
    void *parameters[] = {
        &rows, &p, &first, &map, &column_bits, &work->keys.address, &work->order.address};
    BASIN_TRY(basin__cuda_run(cuda,
                              "collapse.cu",
                              "collapse_keys",
                              definitions.text,
                              basin__cuda_blocks(rows.node_count, THREADS),
                              parameters));
  }
  BASIN_TRY(basin__cuda_sort_64(
      cuda, &work->scratch, work->keys.address, work->order.address, total, 2 * column_bits));
  return basin__cuda_runs_64(
      cuda, &work->scratch, work->keys.address, total, work->heads.address, 0, work->runs.address);
}

static basin_status
reserve_result(basin_cuda *cuda, basin_cuda_bsr_memory *memory, basin_cuda_bsr *result)
{
  size_t entries = (size_t)result->block * result->block;
  BASIN_TRY(basin__buffer_reserve(
      cuda, &memory->row_starts, ((size_t)result->node_count + 1) * sizeof(uint32_t)));
  BASIN_TRY(
      basin__buffer_reserve(cuda, &memory->columns, (result->block_count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(
      cuda, &memory->values, (result->block_count * entries + 1) * sizeof(double)));
  result->row_starts = memory->row_starts.address;
  result->columns = memory->columns.address;
  result->values = memory->values.address;
  return BASIN_OK;
}

basin_status basin__cuda_collapse_matrix(basin_cuda *cuda,
                                         basin__cuda_collapse *work,
                                         const basin_cuda_matrix *matrix,
                                         basin_address map,
                                         uint32_t count,
                                         basin_cuda_bsr_memory *memory,
                                         basin_cuda_bsr *result)
{
  part_places places;
  uint32_t runs = 0, column_bits = basin__bits_of(count);
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  BASIN_TRY(place_parts(cuda, matrix, &places));
  BASIN_TRY(sort_blocks(cuda, work, matrix, &places, map, column_bits));
  BASIN_TRY(basin__cuda_download(cuda, &runs, work->runs.address, sizeof runs));
  *result =
      (basin_cuda_bsr){.node_count = count, .block = matrix->parts[0].block, .block_count = runs};
  BASIN_TRY(reserve_result(cuda, memory, result));
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(result->block, false);
  void *pattern[] = {&work->keys.address,
                     &work->heads.address,
                     &runs,
                     &count,
                     &column_bits,
                     &result->row_starts,
                     &result->columns};
  BASIN_TRY(basin__cuda_run(cuda,
                            "collapse.cu",
                            "collapse_pattern",
                            definitions.text,
                            basin__cuda_blocks((size_t)runs + 1, THREADS),
                            pattern));
  void *values[] = {
      &rows, &places, &work->heads.address, &work->order.address, &runs, &result->values};
  return basin__cuda_run(cuda,
                         "collapse.cu",
                         "collapse_values",
                         definitions.text,
                         basin__cuda_blocks((size_t)runs * result->block * result->block, THREADS),
                         values);
}
