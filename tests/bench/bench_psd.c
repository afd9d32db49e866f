/* Rate of the batched projection, JSON lines: random matrices of which a share is indefinite, and
 * the element Hessians of stable neo-Hookean tetrahedra of a perturbed grid, in the entries of F.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jet.h"
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

/* Least time of the rounds to project all chunks, the copies into place not counted. */
static void measure(int n, const char *name, double indefinite)
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
  const double each = times[0] / (chunks * chunk_count);
  printf("{\"bench\": \"psd\", \"matrices\": \"%s\", \"n\": %d, \"indefinite\": %.3f, "
         "\"ns\": %.1f, \"rate\": %.3g}\n",
         name,
         n,
         indefinite,
         1e9 * each,
         1 / each);
}

/* The share of matrices that the projection changes. */
static double share(int n)
{
  int changed = 0;
  for (int c = 0; c < chunks; c++) {
    memcpy(work, source[c], (size_t)(n * (n + 1) / 2) * sizeof work[0]);
    psd_project(n, work[0], chunk_count, 1);
    for (int i = 0; i < chunk_count; i++) {
      int differs = 0;
      for (int e = 0; e < n * (n + 1) / 2; e++) differs |= work[e][i] != source[c][e][i];
      changed += differs;
    }
  }
  return (double)changed / (chunks * chunk_count);
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

static void put_jet(const jet *energy, int i)
{
  for (int p = 0; p < 9; p++)
    for (int q = 0; q <= p; q++)
      source[i / chunk_count][psd_reference_at(9, p, q)][i % chunk_count] =
          (basin_scalar)energy->bend[p][q];
}

/* Three vectors of variables: the given ones, each entry moved by up to `amount`. */
static void vectors(const double *rest, double amount, uint64_t *state, jet *x)
{
  for (int k = 0; k < 9; k++)
    x[k] = jet_variable(rest[k] + amount * psd_reference_random(state), k);
}

/* theta = -2 atan(s / (L + c)) of a hinge with edge e and edges a, b from its first vertex. */
static jet hinge_angle(const jet *x)
{
  const jet *e = x, *a = x + 3, *b = x + 6;
  jet n1[3], n2[3];
  jet_cross(e, a, n1);
  jet_cross(b, e, n2);
  const jet square = jet_dot(e, e), first = jet_dot(n1, n1), second = jet_dot(n2, n2);
  const jet both = jet_product(&first, &second), cosine = jet_dot(n1, n2), side = jet_dot(n1, b);
  const double edge = sqrt(square.value), area = sqrt(both.value);
  const jet length = jet_apply(&square, edge, 0.5 / edge, -0.25 / (edge * square.value));
  const jet lengths = jet_apply(&both, area, 0.5 / area, -0.25 / (area * both.value));
  const jet sine = jet_product(&length, &side), sum = jet_sum(&lengths, 1, &cosine);
  const jet inverse = jet_inverse(&sum), ratio = jet_product(&sine, &inverse);
  const double r = ratio.value, d = 1 / (1 + r * r);
  return jet_apply(&ratio, -2 * atan(r), -2 * d, 4 * r * d * d);
}

/* k w (theta - theta_0)^2 over the edges of a nearly flat sheet, moved by a tenth of its spacing.
 */
static void fill_hinges(uint64_t *state)
{
  static const double rest[9] = {1, 1, 0, 1, 0, 0, 0, 1, 0};
  for (int i = 0; i < chunks * chunk_count; i++) {
    double bent[9];
    jet x[9];
    for (int k = 0; k < 9; k++) bent[k] = rest[k];
    for (int k = 2; k < 9; k += 3) bent[k] = 0.05 * psd_reference_random(state);
    vectors(bent, 0, state, x);
    const double rest_angle = hinge_angle(x).value;
    vectors(bent, 0.14, state, x);
    const jet angle = hinge_angle(x);
    const double t = angle.value - rest_angle;
    const jet energy = jet_apply(&angle, t * t, 2 * t, 2);
    put_jet(&energy, i);
  }
}

/* -kappa (D - D_hat)^2 ln(D / D_hat), D = ((p - a).n)^2 / |n|^2, n = (b - a) x (c - a). */
static void fill_barrier(uint64_t *state)
{
  const double hat = 0.01;
  for (int i = 0; i < chunks * chunk_count; i++) {
    const double height = 0.1 * (0.1 + 0.4 * (psd_reference_random(state) + 1));
    double rest[9] = {1, 0, 0, 0, 1, 0, 1.0 / 3, 1.0 / 3, height};
    jet x[9], n[3];
    for (int k = 0; k < 6; k++) rest[k] += 0.1 * psd_reference_random(state);
    vectors(rest, 0, state, x);
    jet_cross(x, x + 3, n);
    const jet along = jet_dot(n, x + 6), above = jet_product(&along, &along), below = jet_dot(n, n);
    const jet inverse = jet_inverse(&below), distance = jet_product(&above, &inverse);
    const double d = distance.value, gap = d - hat, l = log(d / hat);
    const jet energy = jet_apply(&distance,
                                 -gap * gap * l,
                                 -2 * gap * l - gap * gap / d,
                                 -2 * l - 4 * gap / d + gap * gap / (d * d));
    put_jet(&energy, i);
  }
}

int main(void)
{
  static const double shares[] = {0, 0.3, 0.635, 1};
  static const int sizes[] = {3, 6, 9, 12};
  uint64_t state = 12345;
  fill_neo_hookean(&state);
  measure(9, "stable neo-Hookean", share(9));
  fill_hinges(&state);
  measure(9, "hinge", share(9));
  fill_barrier(&state);
  measure(9, "point-triangle barrier", share(9));
  for (int s = 0; s < 4; s++) {
    for (int k = 0; k < 4; k++) {
      fill_random(sizes[s], shares[k], &state);
      measure(sizes[s], "random", share(sizes[s]));
    }
  }
  return 0;
}
