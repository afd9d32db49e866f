/* General sparse matrices: block matrices and submatrices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "csr.h"

#include "base/base.h"
#include <stdlib.h>

/* ---- block matrices ---- */

typedef struct block_layout {
  size_t block_rows, block_columns;
  const basin_csr *const *blocks;
  size_t *heights, *widths; /* SIZE_MAX until known */
} block_layout;

static basin_status
fit(basin_context *context, size_t *size, size_t found, const char *what, size_t index)
{
  if (*size == SIZE_MAX) *size = found;
  if (*size == found) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_SHAPE,
                    "the matrices of block %s %zu have %zu and %zu %ss",
                    what,
                    index,
                    *size,
                    found,
                    what);
}

static basin_status measure_blocks(basin_context *context, const block_layout *l)
{
  for (size_t i = 0; i < l->block_rows; i++) l->heights[i] = SIZE_MAX;
  for (size_t j = 0; j < l->block_columns; j++) l->widths[j] = SIZE_MAX;
  for (size_t i = 0; i < l->block_rows; i++) {
    for (size_t j = 0; j < l->block_columns; j++) {
      const basin_csr *block = l->blocks[i * l->block_columns + j];
      if (block == NULL) continue;
      BASIN_TRY(fit(context, &l->heights[i], block->rows, "row", i));
      BASIN_TRY(fit(context, &l->widths[j], block->columns, "column", j));
    }
  }
  for (size_t i = 0; i < l->block_rows; i++) {
    if (l->heights[i] == SIZE_MAX)
      return BASIN_FAIL(context, BASIN_ERROR_SHAPE, "block row %zu holds no matrix", i);
  }
  for (size_t j = 0; j < l->block_columns; j++) {
    if (l->widths[j] == SIZE_MAX)
      return BASIN_FAIL(context, BASIN_ERROR_SHAPE, "block column %zu holds no matrix", j);
  }
  return BASIN_OK;
}

static size_t
copy_row(const basin_csr *from, size_t row, size_t offset, basin_csr *out, size_t count)
{
  for (size_t k = from->starts[row]; k < from->starts[row + 1]; k++) {
    out->indices[count] = (uint32_t)(from->indices[k] + offset);
    out->values[count++] = from->values[k];
  }
  return count;
}

static void copy_blocks(const block_layout *l, basin_csr *out)
{
  size_t count = 0, row = 0;
  for (size_t i = 0; i < l->block_rows; i++) {
    for (size_t k = 0; k < l->heights[i]; k++) {
      size_t offset = 0;
      for (size_t j = 0; j < l->block_columns; j++) {
        const basin_csr *block = l->blocks[i * l->block_columns + j];
        if (block != NULL) count = copy_row(block, k, offset, out, count);
        offset += l->widths[j];
      }
      out->starts[++row] = count;
    }
  }
}

static basin_status create_blocks(basin_context *context, const block_layout *l, basin_csr **matrix)
{
  size_t rows = 0, columns = 0, count = 0;
  BASIN_TRY(measure_blocks(context, l));
  for (size_t i = 0; i < l->block_rows; i++) rows += l->heights[i];
  for (size_t j = 0; j < l->block_columns; j++) columns += l->widths[j];
  for (size_t i = 0; i < l->block_rows * l->block_columns; i++)
    count += l->blocks[i] != NULL ? l->blocks[i]->count : 0;
  BASIN_TRY(basin__csr_allocate(context, rows, columns, count, matrix));
  copy_blocks(l, *matrix);
  return BASIN_OK;
}

basin_status basin_csr_create_blocks(basin_context *context,
                                     size_t block_rows,
                                     size_t block_columns,
                                     const basin_csr *const *blocks,
                                     basin_csr **matrix)
{
  *matrix = NULL;
  block_layout l = {block_rows,
                    block_columns,
                    blocks,
                    basin__calloc(context, block_rows + 1, sizeof(size_t)),
                    basin__calloc(context, block_columns + 1, sizeof(size_t))};
  basin_status status = BASIN_ERROR_MEMORY;
  if (l.heights != NULL && l.widths != NULL) status = create_blocks(context, &l, matrix);
  basin__free(context, l.heights, (block_rows + 1) * sizeof(size_t));
  basin__free(context, l.widths, (block_columns + 1) * sizeof(size_t));
  return status;
}

/* ---- submatrices ---- */

/* For each column of the source, the list of columns of the result that show it, ascending. */
typedef struct column_lists {
  size_t *starts; /* columns + 1 */
  uint32_t *targets;
} column_lists;

typedef struct selected_entry {
  uint32_t column;
  double value;
} selected_entry;

static int compare_entries(const void *a, const void *b)
{
  const selected_entry *x = a, *y = b;
  return (x->column > y->column) - (x->column < y->column);
}

static void list_columns(size_t columns,
                         size_t column_count,
                         const size_t *column_indices,
                         const column_lists *lists)
{
  for (size_t j = 0; j < column_count; j++)
    lists->starts[(column_indices != NULL ? column_indices[j] : j) + 1]++;
  for (size_t j = 0; j < columns; j++) lists->starts[j + 1] += lists->starts[j];
  for (size_t j = 0; j < column_count; j++) {
    lists->targets[lists->starts[column_indices != NULL ? column_indices[j] : j]++] = (uint32_t)j;
  }
  for (size_t j = columns; j > 0; j--) lists->starts[j] = lists->starts[j - 1];
  lists->starts[0] = 0;
}

static size_t count_row(const basin_csr *a, size_t row, const column_lists *lists)
{
  size_t count = 0;
  for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
    count += lists->starts[a->indices[k] + 1] - lists->starts[a->indices[k]];
  }
  return count;
}

/* One row of the result: entries to `work`, sorted, and on to `out`. */
static void select_row(const basin_csr *a,
                       size_t row,
                       const column_lists *lists,
                       selected_entry *work,
                       basin_csr *out,
                       size_t place)
{
  size_t count = 0;
  for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++) {
    for (size_t t = lists->starts[a->indices[k]]; t < lists->starts[a->indices[k] + 1]; t++) {
      work[count++] = (selected_entry){lists->targets[t], a->values[k]};
    }
  }
  qsort(work, count, sizeof *work, compare_entries);
  for (size_t k = 0; k < count; k++) {
    out->indices[place + k] = work[k].column;
    out->values[place + k] = work[k].value;
  }
}

static basin_status select_entries(const basin_csr *a,
                                   size_t row_count,
                                   const size_t *row_indices,
                                   size_t column_count,
                                   const column_lists *lists,
                                   basin_csr **result)
{
  basin_context *context = a->context;
  size_t count = 0, longest = 0;
  for (size_t i = 0; i < row_count; i++) {
    size_t row_entries = count_row(a, row_indices != NULL ? row_indices[i] : i, lists);
    if (row_entries > longest) longest = row_entries;
    count += row_entries;
  }
  selected_entry *work = basin__calloc(context, longest + 1, sizeof *work);
  if (work == NULL) return BASIN_ERROR_MEMORY;
  basin_status status = basin__csr_allocate(context, row_count, column_count, count, result);
  for (size_t i = 0; status == BASIN_OK && i < row_count; i++) {
    size_t row = row_indices != NULL ? row_indices[i] : i;
    (*result)->starts[i + 1] = (*result)->starts[i] + count_row(a, row, lists);
    select_row(a, row, lists, work, *result, (*result)->starts[i]);
  }
  basin__free(context, work, (longest + 1) * sizeof *work);
  return status;
}

static basin_status check_indices(
    basin_context *context, const char *what, size_t size, size_t count, const size_t *indices)
{
  for (size_t i = 0; indices != NULL && i < count; i++) {
    if (indices[i] >= size) {
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "%s %zu of a matrix with %zu %ss was selected",
                        what,
                        indices[i],
                        size,
                        what);
    }
  }
  return BASIN_OK;
}

basin_status basin_csr_select(const basin_csr *a,
                              size_t row_count,
                              const size_t *row_indices,
                              size_t column_count,
                              const size_t *column_indices,
                              basin_csr **result)
{
  basin_context *context = a->context;
  *result = NULL;
  if (row_indices == NULL) row_count = a->rows;
  if (column_indices == NULL) column_count = a->columns;
  BASIN_TRY(check_indices(context, "row", a->rows, row_count, row_indices));
  BASIN_TRY(check_indices(context, "column", a->columns, column_count, column_indices));
  column_lists lists = {basin__calloc(context, a->columns + 1, sizeof(size_t)),
                        basin__calloc(context, column_count + 1, sizeof(uint32_t))};
  basin_status status = BASIN_ERROR_MEMORY;
  if (lists.starts != NULL && lists.targets != NULL) {
    list_columns(a->columns, column_count, column_indices, &lists);
    status = select_entries(a, row_count, row_indices, column_count, &lists, result);
  }
  basin__free(context, lists.starts, (a->columns + 1) * sizeof(size_t));
  basin__free(context, lists.targets, (column_count + 1) * sizeof(uint32_t));
  return status;
}
