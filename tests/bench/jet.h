/* Numbers that carry first and second derivatives in nine variables, for matrices of benchmarks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BENCH_JET_H
#define BASIN_BENCH_JET_H

enum { jet_size = 9 };

typedef struct jet {
  double value, slope[jet_size], bend[jet_size][jet_size];
} jet;

static inline jet jet_variable(double value, int index)
{
  jet a = {.value = value};
  a.slope[index] = 1;
  return a;
}

/* f(a), given f, f' and f'' at the value of a. */
static inline jet jet_apply(const jet *a, double f, double f1, double f2)
{
  jet b = {.value = f};
  for (int i = 0; i < jet_size; i++) {
    b.slope[i] = f1 * a->slope[i];
    for (int j = 0; j < jet_size; j++)
      b.bend[i][j] = f1 * a->bend[i][j] + f2 * a->slope[i] * a->slope[j];
  }
  return b;
}

static inline jet jet_sum(const jet *a, double factor, const jet *b)
{
  jet c = {.value = a->value + factor * b->value};
  for (int i = 0; i < jet_size; i++) {
    c.slope[i] = a->slope[i] + factor * b->slope[i];
    for (int j = 0; j < jet_size; j++) c.bend[i][j] = a->bend[i][j] + factor * b->bend[i][j];
  }
  return c;
}

static inline jet jet_product(const jet *a, const jet *b)
{
  jet c = {.value = a->value * b->value};
  for (int i = 0; i < jet_size; i++) {
    c.slope[i] = a->slope[i] * b->value + a->value * b->slope[i];
    for (int j = 0; j < jet_size; j++)
      c.bend[i][j] = a->bend[i][j] * b->value + a->value * b->bend[i][j] +
                     a->slope[i] * b->slope[j] + a->slope[j] * b->slope[i];
  }
  return c;
}

static inline jet jet_inverse(const jet *a)
{
  const double x = 1 / a->value;
  return jet_apply(a, x, -x * x, 2 * x * x * x);
}

static inline jet jet_dot(const jet *a, const jet *b)
{
  jet sum = jet_product(&a[0], &b[0]);
  for (int k = 1; k < 3; k++) {
    const jet term = jet_product(&a[k], &b[k]);
    sum = jet_sum(&sum, 1, &term);
  }
  return sum;
}

static inline void jet_cross(const jet *a, const jet *b, jet *c)
{
  for (int k = 0; k < 3; k++) {
    const jet plus = jet_product(&a[(k + 1) % 3], &b[(k + 2) % 3]);
    const jet minus = jet_product(&a[(k + 2) % 3], &b[(k + 1) % 3]);
    c[k] = jet_sum(&plus, -1, &minus);
  }
}

#endif
