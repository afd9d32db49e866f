/* The matrix that benchmarks of linear algebra share: the pattern of a Kuhn mesh of cells^3 cells,
 * six tetrahedra each, with 3 x 3 blocks, small random numbers and a diagonal near 1.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BENCH_KUHN_MATRIX_H
#define BASIN_BENCH_KUHN_MATRIX_H

#include <basin/linalg.h>

#include <stdio.h>
#include <stdlib.h>

static uint64_t random_state = 12345;

/* splitmix64, in [-1, 1). */
static double random_unit(void)
{
  uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

static void check(basin_context *context, basin_status status)
{
  if (status == BASIN_OK) return;
  fprintf(stderr, "%s\n", basin_error_text(context));
  exit(1);
}

/* The edges of the six tetrahedra of a cell are its sides and diagonals with non-negative steps. */
static size_t kuhn_pairs(int cells, basin_node_pair *pairs)
{
  const int side = cells + 1;
  size_t count = 0;
  for (int x = 0; x < side; x++) {
    for (int y = 0; y < side; y++) {
      for (int z = 0; z < side; z++) {
        for (int step = 0; step < 8; step++) {
          int i = x + (step >> 2), j = y + (step >> 1 & 1), k = z + (step & 1);
          if (i < side && j < side && k < side)
            pairs[count++] = (basin_node_pair){(uint32_t)((x * side + y) * side + z),
                                               (uint32_t)((i * side + j) * side + k)};
        }
      }
    }
  }
  return count;
}

/* The caller destroys it. `pairs` (may be NULL) receives the number of node pairs. */
static basin_bsr *kuhn_matrix(basin_context *context, int cells, size_t *pairs)
{
  size_t nodes = (size_t)(cells + 1) * (size_t)(cells + 1) * (size_t)(cells + 1);
  basin_node_pair *list = malloc(nodes * 8 * sizeof *list);
  if (list == NULL) exit(1);
  size_t count = kuhn_pairs(cells, list);
  basin_bsr *matrix;
  check(context, basin_bsr_create(context, (uint32_t)nodes, 3, count, list, NULL, &matrix));
  free(list);
  if (pairs) *pairs = count;
  double *values = basin_bsr_values(matrix);
  for (size_t i = 0; i < basin_bsr_block_count(matrix) * 9; i++) values[i] = 0.02 * random_unit();
  for (uint32_t node = 0; node < basin_bsr_node_count(matrix); node++) {
    double *block = values + basin_bsr_row_starts(matrix)[node] * 9;
    block[1] = block[3], block[2] = block[6], block[5] = block[7];
    block[0] += 1, block[4] += 1, block[8] += 1;
  }
  return matrix;
}

#endif
