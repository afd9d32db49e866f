/* The matrix of a factorization in the form that the sparse libraries want, and whether it changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "base/base.h"
#include "bsr.h"
#include "csr.h"
#include "norm.h"
#include <math.h>
#include <string.h>

/* Differences between a matrix and its transpose that are rounding, of the largest entry. */
#define SYMMETRY_ROUNDING 1e-12

void basin__system_clear(basin__system *s)
{
  basin_context *context = s->context;
  basin__free(context, s->starts, (s->size + 1) * sizeof *s->starts);
  basin__free(context, s->indices, (s->count + 1) * sizeof *s->indices);
  basin__free(context, s->values, (s->count + 1) * sizeof *s->values);
  basin__free(context, s->node_starts, (s->node_count + 1) * sizeof *s->node_starts);
  basin__free(context, s->node_indices, (s->node_entries + 1) * sizeof *s->node_indices);
  *s = (basin__system){.context = context};
}

static basin_status
reserve(basin__system *s, size_t size, size_t count, size_t node_count, size_t node_entries)
{
  basin_context *context = s->context;
  basin__system_clear(s);
  *s = (basin__system){.context = context,
                       .size = size,
                       .count = count,
                       .node_count = node_count,
                       .node_entries = node_entries};
  s->starts = basin__calloc(context, size + 1, sizeof *s->starts);
  s->indices = basin__alloc(context, (count + 1) * sizeof *s->indices);
  s->values = basin__calloc(context, count + 1, sizeof *s->values);
  if (node_entries > 0) {
    s->node_starts = basin__calloc(context, node_count + 1, sizeof *s->node_starts);
    s->node_indices = basin__alloc(context, (node_entries + 1) * sizeof *s->node_indices);
  }
  bool nodes_missing = node_entries > 0 && (s->node_starts == NULL || s->node_indices == NULL);
  if (s->starts == NULL || s->indices == NULL || s->values == NULL || nodes_missing) {
    basin__system_clear(s);
    return BASIN_ERROR_MEMORY;
  }
  return BASIN_OK;
}

/* Stores a value; true if it differs from what was there. */
static bool put(double *place, double value)
{
  bool changed = *place != value;
  *place = value;
  return changed;
}

/* ---- symmetric blocks ---- */

/* True if each block is a multiple of the identity: springs with constant directions and other
 * energies of differences |x_i - x_j - d|^2 couple no components. */
static bool uncoupled(const basin_bsr *m)
{
  size_t b = m->block_size;
  if (b == 1) return false;
  for (size_t slot = 0; slot < m->block_count; slot++) {
    const double *block = m->values + slot * b * b;
    for (size_t k = 0; k < b * b; k++) {
      if (block[k] != (k % (b + 1) == 0 ? block[0] : 0)) return false;
    }
  }
  return true;
}

/* `b` unknowns of each node: all, or the first alone. */
static void fill_block_pattern(basin__system *s, const basin_bsr *m, unsigned b)
{
  size_t count = 0;
  for (uint32_t node = 0; node < m->node_count; node++) {
    for (unsigned k = 0; k < b; k++) {
      for (size_t slot = m->row_starts[node]; slot < m->row_starts[node + 1]; slot++) {
        for (unsigned l = slot == m->row_starts[node] ? k : 0; l < b; l++) {
          s->indices[count++] = (int64_t)m->columns[slot] * b + l;
        }
      }
      s->starts[(size_t)node * b + k + 1] = (int64_t)count;
    }
  }
  for (size_t slot = 0; s->node_entries > 0 && slot < m->block_count; slot++)
    s->node_indices[slot] = m->columns[slot];
  for (size_t node = 0; s->node_entries > 0 && node <= m->node_count; node++)
    s->node_starts[node] = (int64_t)m->row_starts[node];
}

static bool fill_block_values(basin__system *s, const basin_bsr *m, size_t b)
{
  size_t stride = m->block_size, count = 0;
  bool changed = false;
  for (uint32_t node = 0; node < m->node_count; node++) {
    for (size_t k = 0; k < b; k++) {
      for (size_t slot = m->row_starts[node]; slot < m->row_starts[node + 1]; slot++) {
        const double *row = m->values + slot * stride * stride + k * stride;
        for (size_t l = slot == m->row_starts[node] ? k : 0; l < b; l++)
          changed |= put(&s->values[count++], row[l]);
      }
    }
  }
  return changed;
}

static size_t block_entry_count(const basin_bsr *m, size_t b)
{
  size_t diagonal = m->node_count;
  return (m->block_count - diagonal) * b * b + diagonal * (b * (b + 1) / 2);
}

basin_status basin__system_load_bsr(basin__system *s,
                                    const basin_bsr *m,
                                    bool split,
                                    basin__system_change *change)
{
  unsigned copies = split && uncoupled(m) ? m->block_size : 1, b = m->block_size / copies;
  uint32_t row, column;
  if (!basin_bsr_finite(m, &row, &column)) {
    basin__system_clear(s);
    return BASIN_FAIL(s->context,
                      BASIN_ERROR_NOT_FINITE,
                      "block (%u, %u) of the matrix to factorize is not finite",
                      (unsigned)row,
                      (unsigned)column);
  }
  change->pattern = !s->loaded || !s->symmetric || s->pattern != m->pattern ||
                    s->copies != copies || s->size != (size_t)m->node_count * b ||
                    s->count != block_entry_count(m, b);
  if (change->pattern) {
    size_t size = (size_t)m->node_count * b, node_entries = b > 1 ? m->block_count : 0;
    BASIN_TRY(reserve(s, size, block_entry_count(m, b), m->node_count, node_entries));
    fill_block_pattern(s, m, b);
    s->block_size = b;
    s->copies = copies;
    s->pattern = m->pattern;
    s->symmetric = s->loaded = true;
  }
  change->values = fill_block_values(s, m, b) || change->pattern;
  return BASIN_OK;
}

/* ---- general matrices ---- */

static uint64_t csr_pattern(const basin_csr *m, bool symmetric)
{
  uint64_t seed =
      basin__hash64(m->starts, (m->rows + 1) * sizeof *m->starts, m->rows * 2 + symmetric);
  return basin__hash64(m->indices, m->count * sizeof *m->indices, seed);
}

/* Counts, with `fill` also writes, the entries that belong to the system; true if a value changed.
 */
static bool walk_csr(basin__system *s, const basin_csr *m, bool symmetric, bool fill, size_t *count)
{
  bool changed = false;
  *count = 0;
  for (size_t row = 0; row < m->rows; row++) {
    for (size_t k = m->starts[row]; k < m->starts[row + 1]; k++) {
      if (symmetric && m->indices[k] < row) continue;
      if (fill) {
        s->indices[*count] = m->indices[k];
        changed |= put(&s->values[*count], m->values[k]);
      }
      (*count)++;
    }
    if (fill) s->starts[row + 1] = (int64_t)*count;
  }
  return changed;
}

static basin_status check_symmetry(const basin__system *s, const basin_csr *m)
{
  double bound = SYMMETRY_ROUNDING * basin__norm_max(m->count, m->values);
  for (size_t row = 0; row < m->rows; row++) {
    for (size_t k = m->starts[row]; k < m->starts[row + 1]; k++) {
      size_t column = m->indices[k];
      double across = column == row ? m->values[k] : basin_csr_at(m, column, row);
      if (fabs(m->values[k] - across) <= bound) continue;
      return BASIN_FAIL(s->context,
                        BASIN_ERROR_ARGUMENT,
                        "the matrix to factorize is not symmetric: entry (%zu, %zu) is %g, entry "
                        "(%zu, %zu) is %g; the kind \"lu\" takes it",
                        row,
                        column,
                        m->values[k],
                        column,
                        row,
                        across);
    }
  }
  return BASIN_OK;
}

basin_status basin__system_load_csr(basin__system *s,
                                    const basin_csr *m,
                                    bool symmetric,
                                    basin__system_change *change)
{
  size_t row, column, count;
  if (m->rows != m->columns) {
    return BASIN_FAIL(s->context,
                      BASIN_ERROR_SHAPE,
                      "a matrix to factorize is square, this one is %zu x %zu",
                      m->rows,
                      m->columns);
  }
  if (!basin_csr_finite(m, &row, &column)) {
    basin__system_clear(s);
    return BASIN_FAIL(s->context,
                      BASIN_ERROR_NOT_FINITE,
                      "entry (%zu, %zu) of the matrix to factorize is not finite",
                      row,
                      column);
  }
  basin_status status = symmetric ? check_symmetry(s, m) : BASIN_OK;
  if (status != BASIN_OK) {
    basin__system_clear(s);
    return status;
  }
  uint64_t pattern = csr_pattern(m, symmetric);
  walk_csr(s, m, symmetric, false, &count);
  change->pattern = !s->loaded || s->symmetric != symmetric || s->pattern != pattern ||
                    s->size != m->rows || s->count != count;
  if (change->pattern) {
    BASIN_TRY(reserve(s, m->rows, count, 0, 0));
    s->block_size = s->copies = 1;
    s->pattern = pattern;
    s->symmetric = symmetric;
    s->loaded = true;
  }
  change->values = walk_csr(s, m, symmetric, true, &count) || change->pattern;
  return BASIN_OK;
}

/* ---- use ---- */

void basin__system_to_dense(const basin__system *s, double *dense)
{
  memset(dense, 0, s->size * s->size * sizeof *dense);
  for (size_t row = 0; row < s->size; row++) {
    for (size_t k = (size_t)s->starts[row]; k < (size_t)s->starts[row + 1]; k++) {
      size_t column = (size_t)s->indices[k];
      dense[row * s->size + column] = s->values[k];
      if (s->symmetric) dense[column * s->size + row] = s->values[k];
    }
  }
}

void basin__system_residual(const basin__system *s, const double *b, const double *x, double *r)
{
  memcpy(r, b, s->size * sizeof *r);
  for (size_t row = 0; row < s->size; row++) {
    double sum = 0;
    for (size_t k = (size_t)s->starts[row]; k < (size_t)s->starts[row + 1]; k++) {
      size_t column = (size_t)s->indices[k];
      sum += s->values[k] * x[column];
      if (s->symmetric && column != row) r[column] -= s->values[k] * x[row];
    }
    r[row] -= sum;
  }
}
