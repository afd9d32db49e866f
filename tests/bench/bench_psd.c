/* Rate of the batched projection, JSON lines: random matrices of which a share is indefinite, and
 * the element Hessians of stable neo-Hookean tetrahedra of a perturbed grid, in the entries of F.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "psd_reference.h"
#include "psd_sizes.h"

enum {
  chunks = 48,
  stride = PSD_TEST_STRIDE,
  chunk_count = 256,
  packed_max = 12 * 13 / 2,
  rounds = 11
};

static _Alignas(64) basin_scalar source[chunks][packed_max][stride];
static _Alignas(64) basin_scalar work[packed_max][stride];

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median over the rounds of the time to project all chunks, the copy into place not counted. */
static void measure(int n, const char *name, double share)
{
  double times[rounds];
  for (int round = 0; round < rounds; round++) {
    times[round] = 0;
    for (int c = 0; c < chunks; c++) {
      memcpy(work, source[c], (size_t)(n * (n + 1) / 2) * sizeof work[0]);
      const double begin = now();
      psd_project(n, work[0], chunk_count, 1);
      times[round] += now() - begin;
    }
  }
  qsort(times, rounds, sizeof times[0], compare);
  const double each = times[rounds / 2] / (chunks * chunk_count);
  printf("{\"bench\": \"psd\", \"matrices\": \"%s\", \"n\": %d, \"indefinite\": %.3f, "
         "\"ns\": %.1f, \"rate\": %.3g}\n",
         name,
         n,
         share,
         1e9 * each,
         1 / each);
}

/* Eigenvalues in [1, 2]; in the given share of the matrices a third of them, rounded up, in [-2,
 * -1]. */
static void fill_random(int n, double share, uint64_t *state)
{
  for (int i = 0; i < chunks * chunk_count; i++) {
    double spectrum[PSD_REFERENCE_MAX], h[PSD_REFERENCE_MAX * (PSD_REFERENCE_MAX + 1) / 2];
    const int needy = 0.5 * (psd_reference_random(state) + 1) < share;
    for (int k = 0; k < n; k++)
      spectrum[k] = (needy && 3 * k < n ? -1 : 1) * (1.5 + 0.5 * psd_reference_random(state));
    psd_reference_matrix(n, spectrum, state, h);
    for (int e = 0; e < n * (n + 1) / 2; e++)
      source[i / chunk_count][e][i % chunk_count] = (basin_scalar)h[e];
  }
}

/* The corner (x, y, z) of a cell of the grid of 27^3 vertices, moved by 0.1 cells. */
static void corner(const double *moves, int cell, const int *offset, double *position)
{
  const int at[3] = {cell % 26 + offset[0], cell / 26 % 26 + offset[1], cell / 676 + offset[2]};
  for (int k = 0; k < 3; k++)
    position[k] = at[k] + 0.1 * moves[3 * ((at[2] * 27 + at[1]) * 27 + at[0]) + k];
}

/* F of Kuhn tetrahedron t of a cell: vertex k + 1 is one step from vertex k along axis order[t][k].
 */
static void gradient(const double *moves, int cell, int t, double f[3][3])
{
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  int offset[3] = {0, 0, 0};
  double here[3], next[3];
  corner(moves, cell, offset, here);
  for (int k = 0; k < 3; k++) {
    offset[order[t][k]]++;
    corner(moves, cell, offset, next);
    for (int i = 0; i < 3; i++) f[i][order[t][k]] = next[i] - here[i];
    memcpy(here, next, sizeof here);
  }
}

/* Second derivative of mu/2 (|F|^2 - 3) + lambda/2 (J - alpha)^2, entry (i, j) of F at 3 i + j
 * (Smith, De Goes, Kim, "Stable neo-Hookean flesh simulation", 2018, section 4). */
static void fill_neo_hookean(uint64_t *state)
{
  const double young = 1e6, poisson = 0.45, mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  static double moves[27 * 27 * 27 * 3];
  for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
    moves[k] = psd_reference_random(state);
  for (int i = 0; i < chunks * chunk_count; i++) {
    double f[3][3], cofactor[9];
    gradient(moves, i / 6, i % 6, f);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        cofactor[3 * r + c] = f[(r + 1) % 3][(c + 1) % 3] * f[(r + 2) % 3][(c + 2) % 3] -
                              f[(r + 1) % 3][(c + 2) % 3] * f[(r + 2) % 3][(c + 1) % 3];
    const double j = f[0][0] * cofactor[0] + f[0][1] * cofactor[1] + f[0][2] * cofactor[2];
    const double pressure = lambda * (j - 1 - mu / lambda);
    for (int p = 0; p < 9; p++) {
      for (int q = 0; q <= p; q++) {
        const int r = 3 - p / 3 - q / 3, c = 3 - p % 3 - q % 3;
        const int crossing = p / 3 != q / 3 && p % 3 != q % 3;
        const int even = ((p / 3 - q / 3 + 3) % 3 == 1) == ((p % 3 - q % 3 + 3) % 3 == 1);
        const double bend = crossing ? (even ? f[r][c] : -f[r][c]) : 0;
        source[i / chunk_count][psd_reference_at(9, p, q)][i % chunk_count] =
            (basin_scalar)((p == q ? mu : 0) + lambda * cofactor[p] * cofactor[q] +
                           pressure * bend);
      }
    }
  }
}

int main(void)
{
  static const double shares[] = {0, 0.3, 0.635, 1};
  static const int sizes[] = {3, 6, 9, 12};
  uint64_t state = 12345;
  fill_neo_hookean(&state);
  measure(9, "stable neo-Hookean", 0.635);
  for (int s = 0; s < 4; s++) {
    for (int k = 0; k < 4; k++) {
      fill_random(sizes[s], shares[k], &state);
      measure(sizes[s], "random", shares[k]);
    }
  }
  return 0;
}
