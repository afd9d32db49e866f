/* Block matrices on a CUDA device: copies, products, diagonals. SPDX-License-Identifier: Apache-2.0
 */
#include "internal.h"

#include "base/base.h"
#include <stdio.h>
#include <string.h>

/* As in matrix.cuh. */
enum { THREADS = 256, MULTIPLY_BLOCKS = 2048 };

basin_status basin__cuda_matrix_check(basin_cuda *cuda, const basin_cuda_matrix *matrix)
{
  basin_context *context = basin__cuda_context(cuda);
  if (matrix->part_count < 1 || matrix->part_count > BASIN_CUDA_PARTS)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "a matrix on the device has 1 to %d parts, not %u",
                      BASIN_CUDA_PARTS,
                      matrix->part_count);
  const basin_cuda_bsr *first = &matrix->parts[0];
  if (first->block < 1 || first->block > BASIN__CUDA_LARGEST_BLOCK)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "block size %u is not in 1..%d",
                      first->block,
                      BASIN__CUDA_LARGEST_BLOCK);
  for (unsigned p = 0; p < matrix->part_count; p++) {
    const basin_cuda_bsr *part = &matrix->parts[p];
    if (part->node_count != first->node_count || part->block != first->block)
      return BASIN_FAIL(context,
                        BASIN_ERROR_SHAPE,
                        "part %u of a matrix has %u nodes of %u, its first part %u nodes of %u",
                        p,
                        (unsigned)part->node_count,
                        part->block,
                        (unsigned)first->node_count,
                        first->block);
    if (part->block_count >= UINT32_MAX)
      return BASIN_FAIL(context,
                        BASIN_ERROR_UNSUPPORTED,
                        "%zu blocks are more than 32-bit places can number",
                        part->block_count);
  }
  return BASIN_OK;
}

basin__cuda_rows basin__cuda_rows_of(const basin_cuda_matrix *matrix)
{
  basin__cuda_rows rows = {matrix->parts[0].node_count, matrix->part_count, {{0, 0, 0}}};
  for (unsigned p = 0; p < matrix->part_count; p++) {
    const basin_cuda_bsr *part = &matrix->parts[p];
    rows.parts[p] = (basin__cuda_part){part->row_starts, part->columns, part->values};
  }
  return rows;
}

basin__cuda_definitions basin__cuda_define(unsigned block, bool single)
{
  basin__cuda_definitions definitions;
  (void)snprintf(definitions.text,
                 sizeof definitions.text,
                 "-DBLOCK=%u -DNUMBER=%s",
                 block,
                 single ? "float" : "double");
  return definitions;
}

basin_status
basin__cuda_to_single(basin_cuda *cuda, basin_address from, size_t count, basin_address to)
{
  void *parameters[] = {&from, &count, &to};
  return basin__cuda_run(cuda,
                         "multiply.cu",
                         "to_single",
                         "-DBLOCK=1",
                         basin__cuda_blocks(count, THREADS),
                         parameters);
}

/* ---- products ---- */

unsigned basin__cuda_multiply_blocks(const basin_cuda_matrix *matrix)
{
  unsigned lanes = matrix->parts[0].block == 1 ? 8 : matrix->parts[0].block == 2 ? 16 : 32;
  unsigned blocks = basin__cuda_blocks(matrix->parts[0].node_count, THREADS / lanes);
  return blocks < MULTIPLY_BLOCKS ? blocks : MULTIPLY_BLOCKS;
}

basin_status basin__cuda_multiply(basin_cuda *cuda,
                                  const basin_cuda_matrix *matrix,
                                  basin_address x,
                                  basin_address y)
{
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(matrix->parts[0].block, false);
  void *parameters[] = {&rows, &x, &y};
  return basin__cuda_run(cuda,
                         "multiply.cu",
                         "multiply",
                         definitions.text,
                         basin__cuda_multiply_blocks(matrix),
                         parameters);
}

basin_status basin__cuda_multiply_dot(basin_cuda *cuda,
                                      basin_cuda_scratch *scratch,
                                      const basin_cuda_matrix *matrix,
                                      basin_address x,
                                      basin_address y,
                                      basin_address result)
{
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  BASIN_TRY(basin__buffer_reserve(cuda, &scratch->memory, MULTIPLY_BLOCKS * sizeof(double)));
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(matrix->parts[0].block, false);
  basin_address dots = scratch->memory.address, none = 0;
  unsigned blocks = basin__cuda_multiply_blocks(matrix);
  void *parameters[] = {&rows, &x, &y, &dots};
  BASIN_TRY(
      basin__cuda_run(cuda, "multiply.cu", "multiply_dot", definitions.text, blocks, parameters));
  size_t count = blocks;
  void *sum[] = {&dots, &none, &count, &result};
  return basin__cuda_run(cuda, "reduce.cu", "sum_blocks", "", 1, sum);
}

basin_status basin__cuda_bsr_add_diagonal(basin_cuda *cuda,
                                          const basin_cuda_bsr *part,
                                          double shift,
                                          basin_address diagonal)
{
  basin_cuda_matrix matrix = {1, {*part}};
  BASIN_TRY(basin__cuda_matrix_check(cuda, &matrix));
  basin__cuda_rows rows = basin__cuda_rows_of(&matrix);
  basin__cuda_definitions definitions = basin__cuda_define(part->block, false);
  basin_address values = part->values;
  void *parameters[] = {&rows, &shift, &diagonal, &values};
  return basin__cuda_run(cuda,
                         "multiply.cu",
                         "add_diagonal",
                         definitions.text,
                         basin__cuda_blocks((size_t)part->node_count * part->block, THREADS),
                         parameters);
}

basin_status
basin__cuda_matrix_diagonal(basin_cuda *cuda, const basin_cuda_matrix *matrix, basin_address to)
{
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(matrix->parts[0].block, false);
  size_t size = (size_t)rows.node_count * matrix->parts[0].block;
  void *parameters[] = {&rows, &to};
  return basin__cuda_run(cuda,
                         "multiply.cu",
                         "diagonal",
                         definitions.text,
                         basin__cuda_blocks(size, THREADS),
                         parameters);
}

/* ---- copies ---- */

void basin__cuda_bsr_release(basin_cuda *cuda, basin_cuda_bsr_memory *memory)
{
  basin__buffer_release(cuda, &memory->row_starts);
  basin__buffer_release(cuda, &memory->columns);
  basin__buffer_release(cuda, &memory->values);
}

/* A host matrix in full: both triangles, columns ascending. */
typedef struct whole {
  basin_context *context;
  size_t nodes, blocks;
  unsigned block;
  uint32_t *row_starts, *columns;
  double *values;
} whole;

static void whole_release(whole *w)
{
  basin__free(w->context, w->row_starts, (w->nodes + 2) * sizeof *w->row_starts);
  basin__free(w->context, w->columns, (w->blocks + 1) * sizeof *w->columns);
  basin__free(w->context, w->values, (w->blocks + 1) * w->block * w->block * sizeof *w->values);
}

static basin_status whole_reserve(whole *w)
{
  w->row_starts = basin__calloc(w->context, w->nodes + 2, sizeof *w->row_starts);
  w->columns = basin__alloc(w->context, (w->blocks + 1) * sizeof *w->columns);
  w->values = basin__alloc(w->context, (w->blocks + 1) * w->block * w->block * sizeof *w->values);
  if (w->row_starts != NULL && w->columns != NULL && w->values != NULL) return BASIN_OK;
  whole_release(w);
  return BASIN_ERROR_MEMORY;
}

static void put_block(whole *w, uint32_t row, uint32_t column, const double *block, bool transposed)
{
  unsigned b = w->block;
  uint32_t slot = w->row_starts[row + 1]++; /* starts are one row late while rows fill */
  double *to = w->values + (size_t)slot * b * b;
  w->columns[slot] = column;
  for (unsigned k = 0; k < b; k++) {
    for (unsigned l = 0; l < b; l++)
      to[k * b + l] = transposed ? block[l * b + k] : block[k * b + l];
  }
}

/* Row by row, the blocks below the diagonal of later rows come in order before their own. */
static void whole_fill(whole *w, const basin_bsr *matrix)
{
  const size_t *starts = basin_bsr_row_starts(matrix);
  const uint32_t *columns = basin_bsr_columns(matrix);
  const double *values = basin_bsr_values_const(matrix);
  size_t entries = (size_t)w->block * w->block;
  for (uint32_t row = 0; row < w->nodes; row++) {
    for (size_t s = starts[row]; s < starts[row + 1]; s++) {
      if (row + 2 <= w->nodes) w->row_starts[row + 2]++;
      if (columns[s] != row && columns[s] + 2 <= w->nodes) w->row_starts[columns[s] + 2]++;
    }
  }
  for (size_t row = 2; row <= w->nodes; row++) w->row_starts[row] += w->row_starts[row - 1];
  for (uint32_t row = 0; row < w->nodes; row++) {
    for (size_t s = starts[row]; s < starts[row + 1]; s++) {
      put_block(w, row, columns[s], values + s * entries, false);
      if (columns[s] != row) put_block(w, columns[s], row, values + s * entries, true);
    }
  }
}

basin_status basin__cuda_bsr_upload(basin_cuda *cuda,
                                    const basin_bsr *matrix,
                                    basin_cuda_bsr_memory *memory,
                                    basin_cuda_bsr *copy)
{
  size_t stored = basin_bsr_block_count(matrix);
  whole w = {.context = basin__cuda_context(cuda),
             .nodes = basin_bsr_node_count(matrix),
             .block = basin_bsr_block_size(matrix)};
  w.blocks = 2 * stored - w.nodes;
  if (w.blocks >= UINT32_MAX)
    return BASIN_FAIL(w.context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%zu blocks are more than 32-bit places can number",
                      w.blocks);
  size_t value_bytes = w.blocks * w.block * w.block * sizeof(double);
  BASIN_TRY(whole_reserve(&w));
  whole_fill(&w, matrix);
  basin_status status =
      basin__buffer_reserve(cuda, &memory->row_starts, (w.nodes + 1) * sizeof(uint32_t));
  if (status == BASIN_OK)
    status = basin__buffer_reserve(cuda, &memory->columns, (w.blocks + 1) * sizeof(uint32_t));
  if (status == BASIN_OK)
    status = basin__buffer_reserve(cuda, &memory->values, value_bytes + sizeof(double));
  if (status == BASIN_OK)
    status = basin__cuda_upload(
        cuda, memory->row_starts.address, w.row_starts, (w.nodes + 1) * sizeof(uint32_t));
  if (status == BASIN_OK)
    status =
        basin__cuda_upload(cuda, memory->columns.address, w.columns, w.blocks * sizeof(uint32_t));
  if (status == BASIN_OK)
    status = basin__cuda_upload(cuda, memory->values.address, w.values, value_bytes);
  *copy = (basin_cuda_bsr){(uint32_t)w.nodes,
                           w.block,
                           w.blocks,
                           memory->row_starts.address,
                           memory->columns.address,
                           memory->values.address};
  whole_release(&w);
  return status;
}

/* ---- download ---- */

static basin_status download_part(basin_cuda *cuda, const basin_cuda_bsr *part, whole *w)
{
  *w = (whole){.context = basin__cuda_context(cuda),
               .nodes = part->node_count,
               .blocks = part->block_count,
               .block = part->block};
  BASIN_TRY(whole_reserve(w));
  basin_status status = basin__cuda_download(
      cuda, w->row_starts, part->row_starts, (w->nodes + 1) * sizeof *w->row_starts);
  if (status == BASIN_OK && w->blocks > 0)
    status = basin__cuda_download(cuda, w->columns, part->columns, w->blocks * sizeof *w->columns);
  if (status == BASIN_OK && w->blocks > 0)
    status = basin__cuda_download(
        cuda, w->values, part->values, w->blocks * w->block * w->block * sizeof *w->values);
  if (status != BASIN_OK) {
    whole_release(w);
    *w = (whole){.context = w->context};
  }
  return status;
}

/* The pairs of the upper triangle, with `slots` also the values added to `to`. */
static size_t walk_upper(const whole *w, basin_node_pair *pairs, const uint32_t *slots, double *to)
{
  size_t count = 0, entries = (size_t)w->block * w->block;
  for (uint32_t row = 0; row < w->nodes; row++) {
    for (uint32_t s = w->row_starts[row]; s < w->row_starts[row + 1]; s++) {
      if (w->columns[s] < row) continue;
      if (pairs != NULL) pairs[count] = (basin_node_pair){row, w->columns[s]};
      for (size_t k = 0; to != NULL && k < entries; k++)
        to[slots[count] * entries + k] += w->values[s * entries + k];
      count++;
    }
  }
  return count;
}

static basin_status
merge_parts(basin_cuda *cuda, unsigned part_count, const whole *parts, basin_bsr **copy)
{
  basin_context *context = basin__cuda_context(cuda);
  size_t room = 1, count = 0;
  for (unsigned p = 0; p < part_count; p++) room += parts[p].blocks;
  basin_node_pair *pairs = basin__alloc(context, room * sizeof *pairs);
  uint32_t *slots = basin__alloc(context, room * sizeof *slots);
  basin_status status = pairs != NULL && slots != NULL ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    for (unsigned p = 0; p < part_count; p++)
      count += walk_upper(&parts[p], pairs + count, NULL, NULL);
    status = basin_bsr_create(
        context, (uint32_t)parts[0].nodes, parts[0].block, count, pairs, slots, copy);
  }
  if (status == BASIN_OK) {
    count = 0;
    for (unsigned p = 0; p < part_count; p++)
      count += walk_upper(&parts[p], NULL, slots + count, basin_bsr_values(*copy));
  }
  basin__free(context, pairs, room * sizeof *pairs);
  basin__free(context, slots, room * sizeof *slots);
  return status;
}

basin_status
basin__cuda_matrix_download(basin_cuda *cuda, const basin_cuda_matrix *matrix, basin_bsr **copy)
{
  whole parts[BASIN_CUDA_PARTS] = {{.context = NULL}};
  unsigned done = 0;
  *copy = NULL;
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  basin_status status = BASIN_OK;
  while (done < matrix->part_count && status == BASIN_OK) {
    status = download_part(cuda, &matrix->parts[done], &parts[done]);
    if (status == BASIN_OK) done++;
  }
  if (status == BASIN_OK) status = merge_parts(cuda, done, parts, copy);
  for (unsigned p = 0; p < done; p++) whole_release(&parts[p]);
  return status;
}
