/* Negative eigenpairs of symmetric matrices of one size, a batch of matrices side by side. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent.
 *
 * Householder reduction to a tridiagonal T, then the eigenvalues of T below zero in ascending
 * order: Laguerre's iteration on the characteristic polynomial (monotone from below, cubic at the
 * end), an implicit QR sweep with that shift to split the eigenvalue off, the vector from the
 * rotations and reflectors. If fewer eigenvalues are positive than negative, -H is treated instead.
 */

/* Rotations kept at most: one for each sweep over each leading part of T and each of its
 * couplings. */
#define BASIN_PSD_ROTATIONS (BASIN_PSD_SWEEPS * BASIN_PSD_N * (BASIN_PSD_N - 1) / 2)

typedef struct BASIN_PSD_NAME(tridiagonal) {
  basin_psd_real diagonal[BASIN_PSD_N];
  basin_psd_real below[BASIN_PSD_N];
  basin_psd_real coupling[BASIN_PSD_N];       /* -below^2, never zero */
  basin_psd_real reflector[BASIN_PSD_PACKED]; /* column k below its diagonal */
  basin_psd_real weight[BASIN_PSD_N];         /* 2 / |reflector|^2 */
} BASIN_PSD_NAME(tridiagonal);

typedef struct BASIN_PSD_NAME(polynomial) {
  basin_psd_real value, slope, bend;
} BASIN_PSD_NAME(polynomial);

typedef struct BASIN_PSD_NAME(rotations) {
  int sweeps, count;
  int length[BASIN_PSD_SWEEPS * BASIN_PSD_N];
  basin_psd_real cosine[BASIN_PSD_ROTATIONS];
  basin_psd_real sine[BASIN_PSD_ROTATIONS];
} BASIN_PSD_NAME(rotations);

/* One Householder step on column k of the packed matrix a (Golub and Van Loan, section 8.3.1); A
 * v is taken as A x - alpha A e so that it need not wait for the square root. */
BASIN_PSD_INLINE void
BASIN_PSD_NAME(reflect)(basin_psd_real *a, int k, BASIN_PSD_NAME(tridiagonal) * t)
{
  basin_psd_real product[BASIN_PSD_N];
  basin_psd_real square = basin_psd_splat(0);
  BASIN_PSD_UNROLL_DEEP
  for (int i = k + 2; i < BASIN_PSD_N; i++)
    square = basin_psd_fma(a[BASIN_PSD_AT(i, k)], a[BASIN_PSD_AT(i, k)], square);
  const basin_psd_real head = a[BASIN_PSD_AT(k + 1, k)];
  square = basin_psd_fma(head, head, square);
  const basin_psd_mask flat = square < (basin_scalar)BASIN_PSD_TINY;
  const basin_psd_real length = basin_psd_sqrt(square);
  const basin_psd_real alpha = basin_psd_select(head > 0, -length, length);
  const basin_psd_real weight = basin_psd_select(
      flat, basin_psd_splat(0), 1 / basin_psd_fma(basin_psd_abs(head), length, square));
  BASIN_PSD_UNROLL_DEEP
  for (int i = k + 1; i < BASIN_PSD_N; i++) {
    basin_psd_real sum = basin_psd_splat(0);
    BASIN_PSD_UNROLL_DEEP
    for (int j = k + 1; j < BASIN_PSD_N; j++)
      sum = basin_psd_fma(
          a[i > j ? BASIN_PSD_AT(i, j) : BASIN_PSD_AT(j, i)], a[BASIN_PSD_AT(j, k)], sum);
    product[i] = basin_psd_fma(-alpha, a[BASIN_PSD_AT(i, k + 1)], sum) * weight;
  }
  a[BASIN_PSD_AT(k + 1, k)] = head - alpha;
  basin_psd_real along = basin_psd_splat(0);
  BASIN_PSD_UNROLL_DEEP
  for (int i = k + 1; i < BASIN_PSD_N; i++)
    along = basin_psd_fma(product[i], a[BASIN_PSD_AT(i, k)], along);
  along = along * weight * (basin_scalar)-0.5;
  BASIN_PSD_UNROLL_DEEP
  for (int i = k + 1; i < BASIN_PSD_N; i++)
    product[i] = basin_psd_fma(along, a[BASIN_PSD_AT(i, k)], product[i]);
  BASIN_PSD_UNROLL_DEEP
  for (int i = k + 1; i < BASIN_PSD_N; i++) {
    BASIN_PSD_UNROLL_DEEP
    for (int j = k + 1; j <= i; j++) {
      const basin_psd_real once =
          basin_psd_fma(-a[BASIN_PSD_AT(i, k)], product[j], a[BASIN_PSD_AT(i, j)]);
      a[BASIN_PSD_AT(i, j)] = basin_psd_fma(-product[i], a[BASIN_PSD_AT(j, k)], once);
    }
  }
  t->weight[k] = weight;
  t->below[BASIN_PSD_N - 2 - k] = basin_psd_select(flat, head, alpha);
}

BASIN_PSD_INLINE void BASIN_PSD_NAME(reduce)(const basin_psd_real *h,
                                             basin_psd_real inverse,
                                             BASIN_PSD_NAME(tridiagonal) * t)
{
  basin_psd_real a[BASIN_PSD_PACKED];
  BASIN_PSD_UNROLL_DEEP
  for (int i = 0; i < BASIN_PSD_PACKED; i++) a[i] = h[i] * inverse;
  BASIN_PSD_UNROLL_DEEP
  for (int k = 0; k < BASIN_PSD_N - 2; k++) BASIN_PSD_NAME(reflect)(a, k, t);
  t->below[0] = a[BASIN_PSD_AT(BASIN_PSD_N - 1, BASIN_PSD_N - 2)];
  t->below[BASIN_PSD_N - 1] = basin_psd_splat(0);
  BASIN_PSD_UNROLL_DEEP
  for (int k = 0; k < BASIN_PSD_N; k++) t->diagonal[BASIN_PSD_N - 1 - k] = a[BASIN_PSD_AT(k, k)];
  BASIN_PSD_UNROLL_DEEP
  for (int i = 0; i < BASIN_PSD_PACKED; i++) t->reflector[i] = a[i];
}

/* Numbers of eigenvalues of T below -edge and above edge, by the signs of the leading minors of
 * x I - T. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(count)(const BASIN_PSD_NAME(tridiagonal) * t,
                                            basin_scalar edge,
                                            basin_psd_real *below,
                                            basin_psd_real *above)
{
  const basin_psd_real zero = basin_psd_splat(0), one = basin_psd_splat(1);
  basin_psd_real a0 = one, a1 = -edge - t->diagonal[0], b0 = one, b1 = edge - t->diagonal[0];
  *below = basin_psd_select(a1 > 0, one, zero);
  *above = basin_psd_select(b1 < 0, one, zero);
  for (int k = 1; k < BASIN_PSD_N; k++) {
    const basin_psd_real coupling = t->coupling[k - 1];
    const basin_psd_real a2 = basin_psd_fma(-edge - t->diagonal[k], a1, coupling * a0);
    const basin_psd_real b2 = basin_psd_fma(edge - t->diagonal[k], b1, coupling * b0);
    *below = basin_psd_select((a2 < 0) == (a1 < 0), *below + 1, *below);
    *above = basin_psd_select((b2 < 0) == (b1 < 0), *above, *above + 1);
    a0 = a1, a1 = a2, b0 = b1, b1 = b2;
    if (BASIN_PSD_N > BASIN_PSD_RESCALE && k % BASIN_PSD_RESCALE == BASIN_PSD_RESCALE - 1) {
      const basin_psd_real a = 1 / (basin_psd_abs(a0) + basin_psd_abs(a1));
      const basin_psd_real b = 1 / (basin_psd_abs(b0) + basin_psd_abs(b1));
      a0 *= a, a1 *= a, b0 *= b, b1 *= b;
    }
  }
}

/* The characteristic polynomial of the leading part of T at x, its derivative and half its
 * second one, by the recurrence of the leading minors, up to a common factor. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(minors)(const BASIN_PSD_NAME(tridiagonal) * t,
                                             int size,
                                             basin_psd_real x,
                                             BASIN_PSD_NAME(polynomial) * at)
{
  basin_psd_real p0 = basin_psd_splat(1), p1 = x - t->diagonal[0];
  basin_psd_real q0 = basin_psd_splat(0), q1 = basin_psd_splat(1);
  basin_psd_real r0 = basin_psd_splat(0), r1 = basin_psd_splat(0);
  for (int k = 1; k < size; k++) {
    const basin_psd_real gap = x - t->diagonal[k], coupling = t->coupling[k - 1];
    const basin_psd_real r2 = basin_psd_fma(gap, r1, basin_psd_fma(coupling, r0, q1));
    const basin_psd_real q2 = basin_psd_fma(gap, q1, basin_psd_fma(coupling, q0, p1));
    const basin_psd_real p2 = basin_psd_fma(gap, p1, coupling * p0);
    p0 = p1, p1 = p2, q0 = q1, q1 = q2, r0 = r1, r1 = r2;
    if (BASIN_PSD_N > BASIN_PSD_RESCALE && k % BASIN_PSD_RESCALE == BASIN_PSD_RESCALE - 1) {
      const basin_psd_real factor = 1 / (basin_psd_abs(p0) + basin_psd_abs(p1));
      p0 *= factor, p1 *= factor, q0 *= factor, q1 *= factor, r0 *= factor, r1 *= factor;
    }
  }
  at->value = p1, at->slope = q1, at->bend = r1;
}

/* A lower bound of the `order` eigenvalues that are not zero, from their sum and the sum of their
 * squares; Laguerre's step from minus infinity leads there. */
BASIN_PSD_INLINE basin_psd_real BASIN_PSD_NAME(bound)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                      basin_psd_real order)
{
  basin_psd_real sum = basin_psd_splat(0), squares = sum;
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const basin_psd_real twice = 2 * t->below[k];
    sum += t->diagonal[k];
    squares =
        basin_psd_fma(t->diagonal[k], t->diagonal[k], basin_psd_fma(t->below[k], twice, squares));
  }
  const basin_psd_real spread = (order - 1) * basin_psd_fma(order, squares, -sum * sum);
  return (sum - basin_psd_sqrt(basin_psd_max(spread, basin_psd_splat(0)))) / order;
}

/* Laguerre's iteration from x (Parlett, "Laguerre's method applied to the matrix eigenvalue
 * problem", 1964): in the lanes `down` to the next eigenvalue below, in the others to the nearest
 * one. `zeros` eigenvalues, which are zero to rounding, are divided out of the polynomial: else a
 * matrix of low rank would be approached at the pace of bisection. A lane stops by itself when its
 * next step would be below the tolerance; what is missing after the last step, the QR sweeps make
 * up for. */
BASIN_PSD_INLINE basin_psd_real BASIN_PSD_NAME(nearest)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                        int size,
                                                        basin_psd_real zeros,
                                                        basin_psd_real x,
                                                        basin_psd_mask down,
                                                        basin_psd_mask pending)
{
  const basin_psd_real order = (basin_scalar)size - zeros;
  for (int step = 0; step < BASIN_PSD_LAGUERRE && basin_psd_any(pending); step++) {
    BASIN_PSD_NAME(polynomial) at;
    BASIN_PSD_NAME(minors)(t, size, x, &at);
    const basin_psd_real ratio = at.value * basin_psd_inverse(x);
    const basin_psd_real slope = basin_psd_fma(-zeros, ratio, at.slope);
    const basin_psd_real poles = basin_psd_fma(
        -zeros * ratio, ratio, basin_psd_fma(at.slope, at.slope, -2 * at.value * at.bend));
    const basin_psd_real spread = basin_psd_max(
        (order - 1) * basin_psd_fma(order, poles, -slope * slope), basin_psd_splat(BASIN_PSD_TINY));
    const basin_psd_real root = spread * basin_psd_inverse_sqrt(spread);
    const basin_psd_real sign = basin_psd_select(down, at.value, slope);
    const basin_psd_real denominator = slope + basin_psd_select(sign < 0, -root, root);
    const basin_psd_real move = order * at.value * basin_psd_inverse(denominator);
    const basin_psd_real reach = basin_psd_abs(move), weight = at.value * at.value;
    const basin_psd_mask usable = pending & (reach < BASIN_PSD_FAR);
    x = basin_psd_select(usable, x - move, x);
    const basin_psd_real next = reach * basin_psd_abs(basin_psd_fma(move * poles, move, -weight));
    pending = usable & (next > weight * (basin_scalar)(BASIN_PSD_CLOSE * BASIN_PSD_EPSILON)) &
              (reach > (basin_scalar)BASIN_PSD_EPSILON);
  }
  return x;
}

/* One implicit QR sweep with a shift over the leading part of T (Golub and Van Loan, 8.3.3, in
 * the form of EISPACK's imtql2); lanes outside `pending` keep T and get identity rotations. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(sweep)(BASIN_PSD_NAME(tridiagonal) * t,
                                            int size,
                                            basin_psd_real shift,
                                            basin_psd_mask pending,
                                            BASIN_PSD_NAME(rotations) * rotations)
{
  basin_psd_real *cosines = rotations->cosine + rotations->count;
  basin_psd_real *sines = rotations->sine + rotations->count;
  rotations->length[rotations->sweeps++] = size - 1;
  rotations->count += size - 1;
  basin_psd_real sine = basin_psd_splat(1), cosine = sine, carry = basin_psd_splat(0);
  basin_psd_real along = t->diagonal[0] - shift;
  for (int k = 0; k < size - 1; k++) {
    const basin_psd_real across = sine * t->below[k], coupling = cosine * t->below[k];
    const basin_psd_real square = basin_psd_fma(across, across, along * along);
    const basin_psd_mask flat = square < (basin_scalar)BASIN_PSD_TINY;
    const basin_psd_real inverse =
        basin_psd_select(flat, basin_psd_splat(0), basin_psd_inverse_sqrt(square));
    sine = across * inverse;
    cosine = basin_psd_select(flat, basin_psd_splat(1), along * inverse);
    if (k > 0) t->below[k - 1] = basin_psd_select(pending, square * inverse, t->below[k - 1]);
    const basin_psd_real base = t->diagonal[k] - carry;
    const basin_psd_real turn =
        basin_psd_fma(t->diagonal[k + 1] - base, sine, 2 * cosine * coupling);
    carry = sine * turn;
    t->diagonal[k] = basin_psd_select(pending, base + carry, t->diagonal[k]);
    along = basin_psd_fma(cosine, turn, -coupling);
    cosines[k] = basin_psd_select(pending, cosine, basin_psd_splat(1));
    sines[k] = basin_psd_select(pending, sine, basin_psd_splat(0));
  }
  t->diagonal[size - 1] =
      basin_psd_select(pending, t->diagonal[size - 1] - carry, t->diagonal[size - 1]);
  t->below[size - 2] = basin_psd_select(pending, along, t->below[size - 2]);
}

/* The eigenvalue of the trailing 2x2 block nearer to the last diagonal entry (Wilkinson's
 * shift). */
BASIN_PSD_INLINE basin_psd_real BASIN_PSD_NAME(shift)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                      int size)
{
  const basin_psd_real last = t->diagonal[size - 1], below = t->below[size - 2];
  const basin_psd_real half = (t->diagonal[size - 2] - last) * (basin_scalar)0.5;
  const basin_psd_real root = basin_psd_sqrt(basin_psd_fma(half, half, below * below));
  const basin_psd_real denominator = half + basin_psd_select(half < 0, -root, root);
  return basin_psd_select(denominator == 0, last, last - below * below / denominator);
}

/* The eigenvector of T, as Householder left it, for the eigenvalue split off last. */
BASIN_PSD_INLINE void
BASIN_PSD_NAME(unrotate)(const BASIN_PSD_NAME(rotations) * rotations, int size, basin_psd_real *v)
{
  for (int i = 0; i < BASIN_PSD_N; i++) v[i] = basin_psd_splat(i == size - 1);
  int rotation = rotations->count;
  for (int sweep = rotations->sweeps - 1; sweep >= 0; sweep--) {
    basin_psd_real lower = v[rotations->length[sweep]];
    for (int k = rotations->length[sweep] - 1; k >= 0; k--) {
      const basin_psd_real cosine = rotations->cosine[--rotation];
      const basin_psd_real sine = rotations->sine[rotation], upper = v[k];
      v[k + 1] = basin_psd_fma(sine, upper, cosine * lower);
      lower = basin_psd_fma(cosine, upper, -sine * lower);
    }
    v[0] = lower;
  }
}

/* out += weight u u^T, u being v after the reflectors; v is stored last entry first, like T. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(add)(const BASIN_PSD_NAME(tridiagonal) * t,
                                          const basin_psd_real *v,
                                          basin_psd_real weight,
                                          basin_psd_real *out)
{
  basin_psd_real u[BASIN_PSD_N];
  BASIN_PSD_UNROLL_DEEP
  for (int i = 0; i < BASIN_PSD_N; i++) u[i] = v[BASIN_PSD_N - 1 - i];
  BASIN_PSD_UNROLL_DEEP
  for (int k = BASIN_PSD_N - 3; k >= 0; k--) {
    basin_psd_real sum[2] = {basin_psd_splat(0), basin_psd_splat(0)};
    BASIN_PSD_UNROLL_DEEP
    for (int i = k + 1; i < BASIN_PSD_N; i++)
      sum[i % 2] = basin_psd_fma(t->reflector[BASIN_PSD_AT(i, k)], u[i], sum[i % 2]);
    sum[0] = (sum[0] + sum[1]) * -t->weight[k];
    BASIN_PSD_UNROLL_DEEP
    for (int i = k + 1; i < BASIN_PSD_N; i++)
      u[i] = basin_psd_fma(sum[0], t->reflector[BASIN_PSD_AT(i, k)], u[i]);
  }
  BASIN_PSD_UNROLL_DEEP
  for (int i = 0; i < BASIN_PSD_N; i++) {
    const basin_psd_real scaled = weight * u[i];
    BASIN_PSD_UNROLL_DEEP
    for (int j = 0; j <= i; j++)
      out[BASIN_PSD_AT(i, j)] = basin_psd_fma(scaled, u[j], out[BASIN_PSD_AT(i, j)]);
  }
}

/* Splits one eigenvalue near x off the leading part of T; returns the lanes where that failed. */
BASIN_PSD_INLINE basin_psd_mask BASIN_PSD_NAME(split)(BASIN_PSD_NAME(tridiagonal) * t,
                                                      int size,
                                                      basin_psd_real x,
                                                      basin_psd_mask active,
                                                      BASIN_PSD_NAME(rotations) * rotations)
{
  const basin_scalar limit = (basin_scalar)(BASIN_PSD_NEGLIGIBLE * BASIN_PSD_EPSILON);
  basin_psd_mask pending = active & (basin_psd_abs(t->below[size - 2]) > limit);
  for (int sweep = 0; sweep < BASIN_PSD_SWEEPS && basin_psd_any(pending); sweep++) {
    const basin_psd_real shift = sweep == 0 ? x : BASIN_PSD_NAME(shift)(t, size);
    BASIN_PSD_NAME(sweep)(t, size, shift, pending, rotations);
    pending = pending & (basin_psd_abs(t->below[size - 2]) > limit);
  }
  return pending;
}

BASIN_PSD_INLINE void BASIN_PSD_NAME(couple)(BASIN_PSD_NAME(tridiagonal) * t, int size)
{
  for (int k = 0; k < size - 1; k++)
    t->coupling[k] = -basin_psd_fma(t->below[k], t->below[k], basin_psd_splat(BASIN_PSD_FLOOR));
}

/* Which lanes of a batch can be projected, and their largest entries. */
BASIN_PSD_INLINE basin_psd_mask BASIN_PSD_NAME(measure)(const basin_psd_real *h,
                                                        basin_psd_real *norm)
{
  basin_psd_real most = basin_psd_splat(0), sum = most;
  for (int i = 0; i < BASIN_PSD_PACKED; i++) {
    const basin_psd_real size = basin_psd_abs(h[i]);
    most = basin_psd_max(size, most);
    sum += size;
  }
  *norm = most;
  return (sum > (basin_scalar)BASIN_PSD_TINY) & (sum < (basin_scalar)BASIN_PSD_HUGE);
}

/* Projects one batch: from h to out, both packed; gain 1 for clamp, 2 for abs. Lanes that hold a
 * number which is not finite are copied. */
BASIN_PSD_NOINLINE void
BASIN_PSD_NAME(solve)(const basin_psd_real *h, basin_psd_real *out, basin_scalar gain)
{
  BASIN_PSD_NAME(tridiagonal) t;
  BASIN_PSD_NAME(rotations) rotations;
  basin_psd_real vectors[BASIN_PSD_N][BASIN_PSD_N], weights[BASIN_PSD_N], norm;
  basin_psd_mask active = BASIN_PSD_NAME(measure)(h, &norm);
  basin_psd_mask failed = active & basin_psd_not(active);
  BASIN_PSD_NAME(reduce)(h, 1 / norm, &t);
  BASIN_PSD_NAME(couple)(&t, BASIN_PSD_N);

  const basin_scalar edge = (basin_scalar)(BASIN_PSD_EDGE * BASIN_PSD_EPSILON);
  basin_psd_real left, right;
  BASIN_PSD_NAME(count)(&t, edge, &left, &right);
  basin_psd_real zeros = BASIN_PSD_N - left - right;
  const basin_psd_mask flip = active & (left > right);
  left = basin_psd_select(flip, right, left);
  const basin_psd_real side = basin_psd_select(flip, basin_psd_splat(-1), basin_psd_splat(1));
  for (int k = 0; k < BASIN_PSD_N; k++) {
    t.diagonal[k] *= side;
    t.below[k] *= side;
  }
  const basin_psd_real base = basin_psd_splat(gain == 1 ? 0 : -1);
  for (int i = 0; i < BASIN_PSD_PACKED; i++) out[i] = basin_psd_select(flip, base * h[i], h[i]);

  const basin_psd_real bound = BASIN_PSD_NAME(bound)(&t, BASIN_PSD_N - zeros);
  basin_psd_mask down = active & (zeros > 1);
  basin_psd_real x = basin_psd_select(down, basin_psd_splat(-BASIN_PSD_START), bound);
  int found = 0;
  rotations.sweeps = rotations.count = 0;
  for (int size = BASIN_PSD_N; size > 0; size--) {
    active = active & (left > 0);
    if (!basin_psd_any(active)) break;
    if (size > 1) {
      x = BASIN_PSD_NAME(nearest)(&t, size, zeros, x, down, active);
      failed = failed | BASIN_PSD_NAME(split)(&t, size, x, active, &rotations);
      BASIN_PSD_NAME(couple)(&t, size - 1);
    }
    const basin_psd_real value = t.diagonal[size - 1];
    const basin_psd_mask counts = active & (value < 0);
    weights[found] = basin_psd_select(counts, value * (-gain * norm), basin_psd_splat(0));
    BASIN_PSD_NAME(unrotate)(&rotations, size, vectors[found]);
    for (int i = 0; i < BASIN_PSD_N; i++)
      vectors[found][i] = basin_psd_select(counts, vectors[found][i], basin_psd_splat(0));
    found++;
    const basin_psd_mask wanted = counts & (value < -edge);
    left = basin_psd_select(wanted, left - 1, left);
    zeros = basin_psd_select(basin_psd_abs(value) <= edge, zeros - 1, zeros);
    const basin_psd_mask leaves = down & (value >= -(basin_scalar)BASIN_PSD_START);
    x = basin_psd_select(wanted & basin_psd_not(leaves), basin_psd_min(x, value), bound);
    down = down & wanted & basin_psd_not(leaves);
  }
  for (int i = 0; i < found; i++) BASIN_PSD_NAME(add)(&t, vectors[i], weights[i], out);
  if (basin_psd_any(failed)) BASIN_PSD_NAME(jacobi)(h, norm, failed, gain, out);
}

#undef BASIN_PSD_ROTATIONS
