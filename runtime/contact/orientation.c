/* Exact signs of orientation determinants: a rounded value when it is certain, else sums of doubles
 * that do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
 * Geometric Predicates", 1997, sections 2 and 4).
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/orientation.h"

#include <math.h>

/* Sizes of expansions: a difference has 2 terms, each product doubles the product of the sizes. */
enum { DIFFERENCE = 2, PRODUCT = 8, MINOR = 16, TERM = 64, DETERMINANT = 192 };

/* a + b = *sum + *error exactly. */
static void two_sum(double a, double b, double *sum, double *error)
{
  const double s = a + b, b_part = s - a, a_part = s - b_part;
  *error = (a - a_part) + (b - b_part);
  *sum = s;
}

/* a b = *product + *error exactly, by splitting the factors in halves of 26 bits (Dekker). */
static void two_product(double a, double b, double *product, double *error)
{
  const double p = a * b, splitter = 134217729.0; /* 2^27 + 1 */
  const double ca = splitter * a, a_high = ca - (ca - a), a_low = a - a_high;
  const double cb = splitter * b, b_high = cb - (cb - b), b_low = b - b_high;
  *error = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
  *product = p;
}

/* Adds one number to an expansion of `count` terms, smallest first; returns the new count. Zero
 * terms are dropped. */
static int grow(int count, double *terms, double number)
{
  double sum = number, error;
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    two_sum(sum, terms[i], &sum, &error);
    if (error != 0) terms[kept++] = error;
  }
  if (sum != 0) terms[kept++] = sum;
  return kept;
}

static int add(int count, double *terms, int more, const double *others, double sign)
{
  for (int i = 0; i < more; ++i) count = grow(count, terms, sign * others[i]);
  return count;
}

static int multiply(int count_a, const double *a, int count_b, const double *b, double *product)
{
  int count = 0;
  for (int i = 0; i < count_a; ++i)
    for (int k = 0; k < count_b; ++k) {
      double high, low;
      two_product(a[i], b[k], &high, &low);
      count = grow(count, product, low);
      count = grow(count, product, high);
    }
  return count;
}

static int difference(double a, double b, double terms[DIFFERENCE])
{
  double sum, error;
  two_sum(a, -b, &sum, &error);
  int count = 0;
  if (error != 0) terms[count++] = error;
  if (sum != 0) terms[count++] = sum;
  return count;
}

/* The largest term decides. */
static int sign_of(int count, const double *terms)
{
  if (count == 0) return 0;
  return terms[count - 1] > 0 ? 1 : -1;
}

/* x y' - x' y of expansions of two terms. */
static int minor_of(int count[4], double x[4][DIFFERENCE], double *result)
{
  double product[PRODUCT];
  const int n = multiply(count[0], x[0], count[1], x[1], result);
  const int m = multiply(count[2], x[2], count[3], x[3], product);
  return add(n, result, m, product, -1);
}

static int exact_3d(const double *rows[3], const double *d)
{
  double x[3][3][DIFFERENCE], total[DETERMINANT];
  int size[3][3], count = 0;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) size[r][k] = difference(rows[r][k], d[k], x[r][k]);
  for (int r = 0; r < 3; ++r) {
    const int s = (r + 1) % 3, t = (r + 2) % 3;
    int sizes[4] = {size[s][0], size[t][1], size[s][1], size[t][0]};
    double factors[4][DIFFERENCE], minor[MINOR], term[TERM];
    for (int k = 0; k < DIFFERENCE; ++k) {
      factors[0][k] = x[s][0][k];
      factors[1][k] = x[t][1][k];
      factors[2][k] = x[s][1][k];
      factors[3][k] = x[t][0][k];
    }
    const int minor_size = minor_of(sizes, factors, minor);
    const int term_size = multiply(minor_size, minor, size[r][2], x[r][2], term);
    count = add(count, total, term_size, term, 1);
  }
  return sign_of(count, total);
}

int basin__orientation_3d(const double *a, const double *b, const double *c, const double *d)
{
  const double *rows[3] = {a, b, c};
  double det = 0, size = 0;
  for (int r = 0; r < 3; ++r) {
    const double *s = rows[(r + 1) % 3], *t = rows[(r + 2) % 3];
    const double p = (s[0] - d[0]) * (t[1] - d[1]), q = (s[1] - d[1]) * (t[0] - d[0]);
    const double z = rows[r][2] - d[2];
    det += (p - q) * z;
    size += (fabs(p) + fabs(q)) * fabs(z);
  }
  const double bound = 0x1p-49 * size; /* 16 units: each term has at most 8 roundings */
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return exact_3d(rows, d);
}

int basin__orientation_2d(const double *a, const double *b, const double *c, int i, int j)
{
  const double p = (a[i] - c[i]) * (b[j] - c[j]), q = (a[j] - c[j]) * (b[i] - c[i]);
  const double bound = 0x1p-50 * (fabs(p) + fabs(q));
  if (p - q > bound) return 1;
  if (q - p > bound) return -1;
  double factors[4][DIFFERENCE], result[MINOR];
  int sizes[4] = {difference(a[i], c[i], factors[0]),
                  difference(b[j], c[j], factors[1]),
                  difference(a[j], c[j], factors[2]),
                  difference(b[i], c[i], factors[3])};
  return sign_of(minor_of(sizes, factors, result), result);
}
