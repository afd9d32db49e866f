/* Negative eigenpairs of symmetric matrices of one size, a batch of matrices side by side. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent.
 *
 * Householder reduction to a tridiagonal T, then for the eigenvalues of T below zero, nearest
 * first: Laguerre's iteration on the characteristic polynomial (monotone from the right, cubic at
 * the end), an implicit QR sweep with that shift to split the eigenvalue off, the vector from the
 * rotations and reflectors. If more than half of the eigenvalues are negative, -H is treated
 * instead. */

/* Rotations kept at most: one for each sweep over each leading part of T and each of its couplings.
 */
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

/* One Householder step on column k of the packed matrix a (Golub and Van Loan, section 8.3.1);
 * A v is taken as A x - alpha A e so that it need not wait for the square root. */
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

/* Number of eigenvalues of T below x, by the signs of the leading minors of x I - T. */
BASIN_PSD_INLINE basin_psd_real BASIN_PSD_NAME(count)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                      basin_scalar x)
{
  basin_psd_real before = basin_psd_splat(1), here = x - t->diagonal[0];
  basin_psd_real count = basin_psd_select(here < 0, basin_psd_splat(0), basin_psd_splat(1));
  for (int k = 1; k < BASIN_PSD_N; k++) {
    const basin_psd_real next =
        basin_psd_fma(x - t->diagonal[k], here, t->coupling[k - 1] * before);
    const basin_psd_mask agree = (next < 0) == (here < 0);
    count = basin_psd_select(agree, count + 1, count);
    before = here;
    here = next;
    if (BASIN_PSD_N > BASIN_PSD_RESCALE && k % BASIN_PSD_RESCALE == BASIN_PSD_RESCALE - 1) {
      const basin_psd_real factor = 1 / (basin_psd_abs(here) + basin_psd_abs(before));
      here *= factor;
      before *= factor;
    }
  }
  return count;
}

/* The characteristic polynomial of the leading part of T at x, its derivative and half its second
 * one, by the recurrence of the leading minors, up to a common factor; returns the lanes that have
 * an eigenvalue below x, by the signs of the minors. */
BASIN_PSD_INLINE basin_psd_mask BASIN_PSD_NAME(minors)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                       int size,
                                                       basin_psd_real x,
                                                       BASIN_PSD_NAME(polynomial) * at)
{
  basin_psd_real p0 = basin_psd_splat(1), p1 = x - t->diagonal[0];
  basin_psd_real q0 = basin_psd_splat(0), q1 = basin_psd_splat(1);
  basin_psd_real r0 = basin_psd_splat(0), r1 = basin_psd_splat(0);
  basin_psd_mask found = p1 > 0;
  for (int k = 1; k < size; k++) {
    const basin_psd_real gap = x - t->diagonal[k], coupling = t->coupling[k - 1];
    const basin_psd_real r2 = basin_psd_fma(gap, r1, basin_psd_fma(coupling, r0, q1));
    const basin_psd_real q2 = basin_psd_fma(gap, q1, basin_psd_fma(coupling, q0, p1));
    const basin_psd_real p2 = basin_psd_fma(gap, p1, coupling * p0);
    found = found | ((p2 < 0) == (p1 < 0));
    p0 = p1, p1 = p2, q0 = q1, q1 = q2, r0 = r1, r1 = r2;
    if (BASIN_PSD_N > BASIN_PSD_RESCALE && k % BASIN_PSD_RESCALE == BASIN_PSD_RESCALE - 1) {
      const basin_psd_real factor = 1 / (basin_psd_abs(p0) + basin_psd_abs(p1));
      p0 *= factor, p1 *= factor, q0 *= factor, q1 *= factor, r0 *= factor, r1 *= factor;
    }
  }
  at->value = p1, at->slope = q1, at->bend = r1;
  return found;
}

/* Where to look for the next eigenvalue from: below the last one, x, or where none is left there,
 * from the edge of the negative numbers. Returns the lanes that have an eigenvalue below that. */
BASIN_PSD_INLINE basin_psd_mask BASIN_PSD_NAME(start)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                      int size,
                                                      basin_scalar edge,
                                                      basin_psd_mask active,
                                                      basin_psd_real *x,
                                                      BASIN_PSD_NAME(polynomial) * at)
{
  const basin_psd_mask below = BASIN_PSD_NAME(minors)(t, size, *x, at);
  const basin_psd_mask done = active & basin_psd_not(below);
  BASIN_PSD_NAME(polynomial) again;
  if (size == BASIN_PSD_N || !basin_psd_any(done)) return below;
  *x = basin_psd_select(done, basin_psd_splat(edge), *x);
  const basin_psd_mask left = BASIN_PSD_NAME(minors)(t, size, *x, &again);
  at->value = basin_psd_select(done, again.value, at->value);
  at->slope = basin_psd_select(done, again.slope, at->slope);
  at->bend = basin_psd_select(done, again.bend, at->bend);
  return below | (done & left);
}

/* Laguerre's iteration from x to the nearest eigenvalue below (Parlett, "Laguerre's method applied
 * to the matrix eigenvalue problem", 1964). A lane stops by itself when its next step would be
 * below the tolerance; what is missing after the last step, the QR sweeps make up for. */
BASIN_PSD_INLINE basin_psd_real BASIN_PSD_NAME(nearest)(const BASIN_PSD_NAME(tridiagonal) * t,
                                                        int size,
                                                        basin_psd_real x,
                                                        BASIN_PSD_NAME(polynomial) at,
                                                        basin_psd_mask pending)
{
  const basin_scalar order = (basin_scalar)size;
  for (int step = 0; step < BASIN_PSD_LAGUERRE; step++) {
    const basin_psd_real square = at.slope * at.slope, product = 2 * at.value * at.bend;
    const basin_psd_real poles = square - product;
    basin_psd_real spread = (order - 1) * ((order - 1) * square - order * product);
    spread = basin_psd_sqrt(basin_psd_max(spread, basin_psd_splat(0)));
    const basin_psd_real move =
        order * at.value / (at.slope + basin_psd_select(at.value < 0, -spread, spread));
    const basin_psd_mask usable = pending & (move > 0) & (move < BASIN_PSD_FAR);
    x = basin_psd_select(usable, x - move, x);
    const basin_psd_real weight = at.value * at.value;
    const basin_psd_real next = move * basin_psd_abs(basin_psd_fma(move * poles, move, -weight));
    pending = usable & (next > weight * (basin_scalar)(BASIN_PSD_CLOSE * BASIN_PSD_EPSILON)) &
              (move > (basin_scalar)BASIN_PSD_EPSILON);
    if (!basin_psd_any(pending)) break;
    (void)BASIN_PSD_NAME(minors)(t, size, x, &at);
  }
  return x;
}

/* One implicit QR sweep with a shift over the leading part of T (Golub and Van Loan, 8.3.3, in the
 * form of EISPACK's imtql2); lanes outside `pending` keep T and get identity rotations. */
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

/* The eigenvalue of the trailing 2x2 block nearer to the last diagonal entry (Wilkinson's shift).
 */
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

  const basin_scalar edge = (basin_scalar)(-BASIN_PSD_N * BASIN_PSD_EPSILON);
  const basin_psd_mask flip = active & (BASIN_PSD_NAME(count)(&t, edge) > BASIN_PSD_N / 2);
  const basin_psd_real side = basin_psd_select(flip, basin_psd_splat(-1), basin_psd_splat(1));
  for (int k = 0; k < BASIN_PSD_N; k++) {
    t.diagonal[k] *= side;
    t.below[k] *= side;
  }
  const basin_psd_real base = basin_psd_splat(gain == 1 ? 0 : -1);
  for (int i = 0; i < BASIN_PSD_PACKED; i++) out[i] = basin_psd_select(flip, base * h[i], h[i]);

  int found = 0;
  basin_psd_real x = basin_psd_splat(edge);
  rotations.sweeps = rotations.count = 0;
  for (int size = BASIN_PSD_N; size > 0; size--) {
    BASIN_PSD_NAME(polynomial) at;
    active = active & BASIN_PSD_NAME(start)(&t, size, edge, active, &x, &at);
    if (!basin_psd_any(active)) break;
    if (size > 1) {
      x = BASIN_PSD_NAME(nearest)(&t, size, x, at, active);
      failed = failed | BASIN_PSD_NAME(split)(&t, size, x, active, &rotations);
      BASIN_PSD_NAME(couple)(&t, size - 1);
    }
    const basin_psd_real value = t.diagonal[size - 1] * (-gain * norm);
    const basin_psd_mask counts = active & (value > 0);
    weights[found] = basin_psd_select(counts, value, basin_psd_splat(0));
    BASIN_PSD_NAME(unrotate)(&rotations, size, vectors[found]);
    for (int i = 0; i < BASIN_PSD_N; i++)
      vectors[found][i] = basin_psd_select(counts, vectors[found][i], basin_psd_splat(0));
    found++;
  }
  for (int i = 0; i < found; i++) BASIN_PSD_NAME(add)(&t, vectors[i], weights[i], out);
  if (basin_psd_any(failed)) BASIN_PSD_NAME(jacobi)(h, norm, failed, gain, out);
}

#undef BASIN_PSD_ROTATIONS
