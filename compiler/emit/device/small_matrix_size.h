/* Jacobi iterations for matrices of one size.
 * SPDX-License-Identifier: Apache-2.0 */

/* Included once a size with BASIN_SMALL_N defined; no include guard by intent. */
#define N                  BASIN_SMALL_N
#define SMALL_PASTE_(a, b) basin_small_##a##_##b
#define SMALL_PASTE(a, b)  SMALL_PASTE_(a, b)
#define SMALL(name)        SMALL_PASTE(name, BASIN_SMALL_N)

BASIN_INLINE void SMALL(rotate)(real *m, int p, int q, real c, real s)
{
  for (int i = 0; i < N; i++) {
    const real x = m[i * N + p], y = m[i * N + q];
    m[i * N + p] = c * x - s * y;
    m[i * N + q] = s * x + c * y;
  }
}

BASIN_INLINE real SMALL(dot)(const real *a, int p, int q)
{
  real sum = a[p] * a[q];
  for (int i = 1; i < N; i++) sum += a[i * N + p] * a[i * N + q];
  return sum;
}

/* Swaps two columns and negates one where `swap` is true. */
BASIN_INLINE void SMALL(swap)(mask swap, real *m, int p, int q)
{
  for (int i = 0; i < N; i++) {
    const real x = m[i * N + p], y = m[i * N + q];
    m[i * N + p] = basin_select(swap, y, x);
    m[i * N + q] = basin_select(swap, -x, y);
  }
}

/* Turns the columns of b (and v with them) until they are orthogonal and descend in length. */
BASIN_NOINLINE void SMALL(orthogonalize)(real *b, real *v)
{
  for (int sweep = 0; sweep < BASIN_SMALL_SWEEPS; sweep++) {
    bool moved = false;
    for (int p = 0; p + 1 < N; p++)
      for (int q = p + 1; q < N; q++) {
        const real pp = SMALL(dot)(b, p, p), qq = SMALL(dot)(b, q, q), pq = SMALL(dot)(b, p, q);
        const real least = basin_broadcast(BASIN_SMALL_EPSILON) * basin_sqrt(pp) * basin_sqrt(qq);
        const mask turn = basin_and(basin_not(basin_abs(pq) <= least), basin_not(pq == 0));
        if (!basin_any(turn)) continue;
        real c, s;
        basin_small_angle(turn, pp, pq, qq, &c, &s);
        SMALL(rotate)(b, p, q, c, s);
        SMALL(rotate)(v, p, q, c, s);
        moved = true;
      }
    if (!moved) break;
  }
  for (int p = 0; p + 1 < N; p++)
    for (int q = p + 1; q < N; q++) {
      const mask swap = SMALL(dot)(b, p, p) < SMALL(dot)(b, q, q);
      SMALL(swap)(swap, b, p, q);
      SMALL(swap)(swap, v, p, q);
    }
}

/* Unit vector along column p of b, or one orthogonal to `first` (NULL: the first axis) if the
 * column is zero. */
BASIN_INLINE void SMALL(direction)(const real *b, int p, const real *first, real *unit)
{
  const mask good = SMALL(dot)(b, p, p) > basin_broadcast(BASIN_SMALL_LEAST);
  real axis[N], least = basin_broadcast(2), along = basin_broadcast(1), length = basin_broadcast(0);
  for (int i = 0; i < N; i++) axis[i] = basin_broadcast(i == 0);
  for (int i = 0; first && i < N; i++) {
    /* The first axis that is least aligned with `first`. */
    const mask less = basin_abs(first[i]) < least;
    least = basin_select(less, basin_abs(first[i]), least);
    along = basin_select(less, first[i], along);
    for (int k = 0; k < N; k++) axis[k] = basin_select(less, basin_broadcast(k == i), axis[k]);
  }
  for (int i = 0; i < N; i++) {
    const real other = first ? axis[i] - along * first[i] : axis[i];
    unit[i] = basin_select(good, b[i * N + p], other);
    length += unit[i] * unit[i];
  }
  length = basin_sqrt(length);
  for (int i = 0; i < N; i++) unit[i] = unit[i] / length;
}

BASIN_INLINE void SMALL(svd)(const real *f, real *u, real *s, real *v)
{
  const real scale = basin_small_scale(f, N * N);
  real b[N * N], axes[N][N];
  for (int i = 0; i < N * N; i++) {
    b[i] = f[i] / scale;
    v[i] = basin_broadcast(i % (N + 1) == 0);
  }
  SMALL(orthogonalize)(b, v);
  SMALL(direction)(b, 0, 0, axes[0]);
#if BASIN_SMALL_N == 2
  axes[1][0] = -axes[0][1];
  axes[1][1] = axes[0][0];
#else
  SMALL(direction)(b, 1, axes[0], axes[1]);
  for (int i = 0; i < 3; i++)
    axes[2][i] =
        axes[0][(i + 1) % 3] * axes[1][(i + 2) % 3] - axes[0][(i + 2) % 3] * axes[1][(i + 1) % 3];
#endif
  for (int j = 0; j < N; j++) {
    s[j] = basin_broadcast(0);
    for (int i = 0; i < N; i++) {
      u[i * N + j] = axes[j][i];
      s[j] += axes[j][i] * b[i * N + j];
    }
    s[j] *= scale;
  }
}

/* Diagonalizes the symmetric a, turning v with it. */
BASIN_NOINLINE void SMALL(diagonalize)(real *a, real *v)
{
  for (int sweep = 0; sweep < BASIN_SMALL_SWEEPS; sweep++) {
    bool moved = false;
    for (int p = 0; p + 1 < N; p++)
      for (int q = p + 1; q < N; q++) {
        const real app = a[p * N + p], apq = a[p * N + q], aqq = a[q * N + q];
        const real least =
            basin_broadcast(BASIN_SMALL_EPSILON / 1024) * (basin_abs(app) + basin_abs(aqq));
        const mask turn = basin_and(basin_not(basin_abs(apq) <= least), basin_not(apq == 0));
        if (!basin_any(turn)) continue;
        real c, s;
        basin_small_angle(turn, app, apq, aqq, &c, &s);
        SMALL(rotate)(a, p, q, c, s);
        for (int i = 0; i < N; i++) { /* the rows likewise */
          const real x = a[p * N + i], y = a[q * N + i];
          a[p * N + i] = c * x - s * y;
          a[q * N + i] = s * x + c * y;
        }
        a[p * N + q] = a[q * N + p] = basin_select(turn, basin_broadcast(0), a[p * N + q]);
        SMALL(rotate)(v, p, q, c, s);
        moved = true;
      }
    if (!moved) return;
  }
}

BASIN_INLINE void SMALL(eig)(const real *upper, real *values, real *vectors)
{
  const real scale = basin_small_scale(upper, N * (N + 1) / 2);
  real a[N * N];
  for (int i = 0, at = 0; i < N; i++)
    for (int j = i; j < N; j++) a[i * N + j] = a[j * N + i] = upper[at++] / scale;
  for (int i = 0; i < N * N; i++) vectors[i] = basin_broadcast(i % (N + 1) == 0);
  SMALL(diagonalize)(a, vectors);
  for (int i = 0; i < N; i++) values[i] = a[i * N + i] * scale;
  for (int p = 0; p + 1 < N; p++)
    for (int q = p + 1; q < N; q++) {
      const mask swap = values[q] < values[p];
      const real x = values[p], y = values[q];
      values[p] = basin_select(swap, y, x);
      values[q] = basin_select(swap, x, y);
      SMALL(swap)(swap, vectors, p, q);
    }
}

#undef N
#undef SMALL_PASTE_
#undef SMALL_PASTE
#undef SMALL
