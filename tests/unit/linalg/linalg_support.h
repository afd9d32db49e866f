/* What the tests of runtime/linalg share: random numbers, comparisons, dense copies of matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_LINALG_SUPPORT_H
#define BASIN_TESTS_LINALG_SUPPORT_H

#include "support.h"
#include <basin/linalg.h>
#include <math.h>
#include <stdio.h>

/* splitmix64, in [-1, 1). */
static inline double random_number(uint64_t *state)
{
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
  uint32_t value = (uint32_t)((random_number(state) + 1) * 0.5 * bound);
  return value < bound ? value : bound - 1;
}

static inline basin_context *context_with_threads(unsigned threads)
{
  basin_options options = basin_options_defaults();
  options.threads = threads;
  options.log_level = BASIN_LOG_ERROR;
  basin_context *context = basin_context_create(&options);
  assert_non_null(context);
  return context;
}

static inline void check_status(basin_context *context, basin_status status)
{
  if (status != BASIN_OK) fail_msg("%s", basin_error_text(context));
}

static inline double largest_difference(size_t count, const double *a, const double *b)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double difference = fabs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference; /* NaN comes through */
  }
  return largest;
}

#define assert_close(count, a, b, tolerance)                                     \
  do {                                                                           \
    double difference_ = largest_difference((count), (a), (b));                  \
    if (!(difference_ <= (tolerance)))                                           \
      fail_msg("differs by %g, more than %g", difference_, (double)(tolerance)); \
  } while (0)

/* A random symmetric block matrix: `pairs` random pairs, entries in [-1, 1), `shift` on the
 * diagonal.
 */
static inline basin_bsr *random_bsr(
    basin_context *context, uint32_t nodes, unsigned b, size_t pairs, double shift, uint64_t seed)
{
  basin_node_pair *list = calloc(pairs + 1, sizeof *list);
  for (size_t i = 0; i < pairs; i++)
    list[i] = (basin_node_pair){random_below(&seed, nodes), random_below(&seed, nodes)};
  basin_bsr *matrix;
  check_status(context, basin_bsr_create(context, nodes, b, pairs, list, NULL, &matrix));
  free(list);
  double *values = basin_bsr_values(matrix);
  for (size_t i = 0; i < basin_bsr_block_count(matrix) * b * b; i++)
    values[i] = random_number(&seed);
  for (uint32_t node = 0; node < nodes; node++) {
    double *block = values + basin_bsr_row_starts(matrix)[node] * b * b;
    for (unsigned k = 0; k < b; k++)
      for (unsigned l = 0; l < k; l++) block[k * b + l] = block[l * b + k];
  }
  basin_bsr_add_diagonal(matrix, shift, NULL);
  return matrix;
}

/* In full, from the blocks themselves. The caller frees it. */
static inline double *dense_of_bsr(const basin_bsr *matrix)
{
  size_t n = basin_bsr_size(matrix), b = basin_bsr_block_size(matrix);
  double *dense = calloc(n * n + 1, sizeof *dense);
  for (size_t row = 0; row < basin_bsr_node_count(matrix); row++) {
    for (size_t s = basin_bsr_row_starts(matrix)[row]; s < basin_bsr_row_starts(matrix)[row + 1];
         s++) {
      size_t column = basin_bsr_columns(matrix)[s];
      for (size_t k = 0; k < b; k++) {
        for (size_t l = 0; l < b; l++) {
          double value = basin_bsr_values_const(matrix)[s * b * b + k * b + l];
          dense[(row * b + k) * n + column * b + l] = value;
          if (row != column) dense[(column * b + l) * n + row * b + k] = value;
        }
      }
    }
  }
  return dense;
}

/* y = A x for a dense rows x columns matrix. */
static inline void
dense_apply(size_t rows, size_t columns, const double *a, const double *x, double *y)
{
  for (size_t i = 0; i < rows; i++) {
    y[i] = 0;
    for (size_t j = 0; j < columns; j++) y[i] += a[i * columns + j] * x[j];
  }
}

/* The 3-D Laplacian of a grid of side^3 nodes with Dirichlet boundary, times the b x b identity
 * plus `shift`. */
static inline basin_bsr *laplacian(basin_context *context, uint32_t side, unsigned b, double shift)
{
  uint32_t nodes = side * side * side;
  size_t count = 0;
  basin_node_pair *pairs = calloc((size_t)nodes * 3 + 1, sizeof *pairs);
  for (uint32_t i = 0; i < nodes; i++) {
    if (i % side + 1 < side) pairs[count++] = (basin_node_pair){i, i + 1};
    if (i / side % side + 1 < side) pairs[count++] = (basin_node_pair){i, i + side};
    if (i / side / side + 1 < side) pairs[count++] = (basin_node_pair){i + side * side, i};
  }
  basin_bsr *matrix;
  check_status(context, basin_bsr_create(context, nodes, b, count, pairs, NULL, &matrix));
  free(pairs);
  double *values = basin_bsr_values(matrix);
  for (uint32_t row = 0; row < nodes; row++) {
    for (size_t s = basin_bsr_row_starts(matrix)[row]; s < basin_bsr_row_starts(matrix)[row + 1];
         s++) {
      double value = basin_bsr_columns(matrix)[s] == row ? 6 + shift : -1;
      for (unsigned k = 0; k < b; k++) values[s * b * b + k * b + k] = value;
    }
  }
  return matrix;
}

#endif
