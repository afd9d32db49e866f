/* Projection on a CUDA device: each thread tests its own matrix, the lanes of a warp together solve
 * those that need it. SPDX-License-Identifier: Apache-2.0 */

/* Included by psd.h once a size with BASIN_PSD_N defined; no include guard by intent. */

#if BASIN_PSD_N > 3

/* Lanes that work on one matrix, matrices at once; players of the tournament below. */
#define BASIN_PSD_GROUP   (BASIN_PSD_N <= 8 ? 8 : BASIN_PSD_N <= 16 ? 16 : 32)
#define BASIN_PSD_AT_ONCE (32 / BASIN_PSD_GROUP)
#define BASIN_PSD_PLAYERS (BASIN_PSD_N + BASIN_PSD_N % 2)
#define BASIN_PSD_PAIRS   (BASIN_PSD_PLAYERS / 2)

/* A matrix in shared memory: packed entries, the rotations so far, packed results; while there are
 * none, cosine and sine of each pair of a round stand in their place. */
typedef struct BASIN_PSD_NAME(desk) {
  real a[BASIN_PSD_PACKED], z[BASIN_PSD_N * (BASIN_PSD_N | 1)], out[BASIN_PSD_PACKED];
} BASIN_PSD_NAME(desk);
static_assert(sizeof(BASIN_PSD_NAME(desk)) * BASIN_PSD_AT_ONCE <= BASIN_PSD_ROOM * sizeof(real),
              "the largest size of a kernel must be known before the first");

/* Whether L D L^T of H + shift I has only positive pivots: then H needs no projection. */
BASIN_PSD_INLINE bool BASIN_PSD_NAME(definite)(const real *h)
{
  real a[BASIN_PSD_PACKED], size = 0;
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_PACKED; i++) a[i] = h[i];
  BASIN_PSD_UNROLL
  for (int i = 0; i < BASIN_PSD_N; i++)
    size = basin_psd_max(basin_psd_abs(a[BASIN_PSD_AT(i, i)]), size);
  const real shift =
      size * (real)(BASIN_PSD_SHIFT * BASIN_PSD_N * BASIN_PSD_EPSILON) + (real)BASIN_PSD_TINY;
  bool definite = true;
  BASIN_PSD_UNROLL
  for (int k = 0; k < BASIN_PSD_N; k++) {
    const real pivot = a[BASIN_PSD_AT(k, k)] + shift;
    definite = definite && pivot > 0;
    BASIN_PSD_UNROLL
    for (int i = k + 1; i < BASIN_PSD_N; i++) {
      const real factor = -a[BASIN_PSD_AT(i, k)] / pivot;
      BASIN_PSD_UNROLL
      for (int j = k + 1; j <= i; j++)
        a[BASIN_PSD_AT(i, j)] = basin_psd_fma(factor, a[BASIN_PSD_AT(j, k)], a[BASIN_PSD_AT(i, j)]);
    }
  }
  return definite;
}

/* The largest entry; 0 for a matrix that is left alone: not finite, or of a size whose squares
 * overflow or vanish. */
BASIN_PSD_INLINE real BASIN_PSD_NAME(norm)(const real *h)
{
  real norm = 0;
  bool fine = true;
  BASIN_PSD_UNROLL
  for (int k = 0; k < BASIN_PSD_PACKED; k++) {
    norm = basin_psd_max(basin_psd_abs(h[k]), norm);
    fine = fine && basin_psd_abs(h[k]) <= (real)BASIN_PSD_HUGE;
  }
  return fine && norm >= (real)BASIN_PSD_TINY ? norm : 0;
}

/* The pairs of round `round` of a tournament in which each player meets each other once; false
 * where the partner is the one that only makes their number even. p < q. */
BASIN_PSD_INLINE bool BASIN_PSD_NAME(pair)(int round, int pair, int *p, int *q)
{
  const int others = BASIN_PSD_PLAYERS - 1;
  const int x = pair == 0 ? others : (round + pair) % others,
            y = pair == 0 ? round : (round - pair + others) % others;
  *p = x < y ? x : y;
  *q = x < y ? y : x;
  return *q < BASIN_PSD_N;
}

/* Entry of the packed triangle; what belongs to the extra player is 0. */
BASIN_PSD_INLINE real BASIN_PSD_NAME(entry)(const BASIN_PSD_NAME(desk) * desk, int i, int j)
{
  if (i >= BASIN_PSD_N || j >= BASIN_PSD_N) return 0;
  return desk->a[i > j ? BASIN_PSD_AT(i, j) : BASIN_PSD_AT(j, i)];
}
BASIN_PSD_INLINE void BASIN_PSD_NAME(set)(BASIN_PSD_NAME(desk) * desk, int i, int j, real value)
{
  if (i < BASIN_PSD_N && j < BASIN_PSD_N)
    desk->a[i > j ? BASIN_PSD_AT(i, j) : BASIN_PSD_AT(j, i)] = value;
}

/* The 2 x 2 blocks of two pairs i < j: rotated from both sides. */
BASIN_PSD_INLINE void
BASIN_PSD_NAME(rotate_blocks)(BASIN_PSD_NAME(desk) * desk, int round, int lane)
{
  const int tasks = BASIN_PSD_PAIRS * (BASIN_PSD_PAIRS - 1) / 2;
  for (int task = lane; task < tasks; task += BASIN_PSD_GROUP) {
    int i = 0, j, rest = task, p, q, r, s;
    while (rest >= BASIN_PSD_PAIRS - 1 - i) rest -= BASIN_PSD_PAIRS - 1 - i++;
    j = i + 1 + rest;
    const real c1 = desk->out[2 * i], s1 = desk->out[2 * i + 1], c2 = desk->out[2 * j],
               s2 = desk->out[2 * j + 1];
    BASIN_PSD_NAME(pair)(round, i, &p, &q);
    BASIN_PSD_NAME(pair)(round, j, &r, &s);
    const real pr = BASIN_PSD_NAME(entry)(desk, p, r), ps = BASIN_PSD_NAME(entry)(desk, p, s),
               qr = BASIN_PSD_NAME(entry)(desk, q, r), qs = BASIN_PSD_NAME(entry)(desk, q, s);
    const real x = basin_psd_fma(c1, pr, -s1 * qr), y = basin_psd_fma(c1, ps, -s1 * qs),
               u = basin_psd_fma(s1, pr, c1 * qr), v = basin_psd_fma(s1, ps, c1 * qs);
    BASIN_PSD_NAME(set)(desk, p, r, basin_psd_fma(c2, x, -s2 * y));
    BASIN_PSD_NAME(set)(desk, p, s, basin_psd_fma(s2, x, c2 * y));
    BASIN_PSD_NAME(set)(desk, q, r, basin_psd_fma(c2, u, -s2 * v));
    BASIN_PSD_NAME(set)(desk, q, s, basin_psd_fma(s2, u, c2 * v));
  }
}

/* The columns of the pairs in the product of the rotations. */
BASIN_PSD_INLINE void
BASIN_PSD_NAME(rotate_columns)(BASIN_PSD_NAME(desk) * desk, int round, int lane)
{
  const int tasks = BASIN_PSD_PAIRS * BASIN_PSD_N;
  for (int task = lane; task < tasks; task += BASIN_PSD_GROUP) {
    const int pair = task / BASIN_PSD_N, row = task % BASIN_PSD_N;
    const real c = desk->out[2 * pair], s = desk->out[2 * pair + 1];
    int p, q;
    if (!BASIN_PSD_NAME(pair)(round, pair, &p, &q)) continue;
    real *z = desk->z + row * (BASIN_PSD_N | 1);
    const real x = z[p], y = z[q];
    z[p] = basin_psd_fma(c, x, -s * y);
    z[q] = basin_psd_fma(s, x, c * y);
  }
}

/* One round: rotations of disjoint planes (Golub and Van Loan, sections 8.5.2 and 8.5.5), exactly
 * none where an entry is negligible, so that a matrix which is finished waits for the others
 * unchanged. True if something turned. */
BASIN_PSD_INLINE bool BASIN_PSD_NAME(round)(BASIN_PSD_NAME(desk) * desk, int round, int lane)
{
  int p = 0, q = 0;
  real cosine = 1, sine = 0;
  bool turns = lane < BASIN_PSD_PAIRS && BASIN_PSD_NAME(pair)(round, lane, &p, &q);
  real off = 0;
  if (turns) off = desk->a[BASIN_PSD_AT(q, p)];
  turns = turns && !(basin_psd_abs(off) < (real)(BASIN_PSD_EPSILON / 16));
  if (turns) {
    const real ratio = (desk->a[BASIN_PSD_AT(q, q)] - desk->a[BASIN_PSD_AT(p, p)]) / (2 * off);
    const real length = basin_psd_abs(ratio) + basin_psd_sqrt(basin_psd_fma(ratio, ratio, (real)1));
    const real tangent = ratio < 0 ? -1 / length : 1 / length;
    cosine = 1 / basin_psd_sqrt(basin_psd_fma(tangent, tangent, (real)1));
    sine = tangent * cosine;
    desk->a[BASIN_PSD_AT(p, p)] -= tangent * off;
    desk->a[BASIN_PSD_AT(q, q)] += tangent * off;
    desk->a[BASIN_PSD_AT(q, p)] = 0;
  }
  if (lane < BASIN_PSD_PAIRS) {
    desk->out[2 * lane] = cosine;
    desk->out[2 * lane + 1] = sine;
  }
  __syncwarp();
  BASIN_PSD_NAME(rotate_blocks)(desk, round, lane);
  BASIN_PSD_NAME(rotate_columns)(desk, round, lane);
  __syncwarp();
  return turns;
}

/* Negative part of the matrices on all desks of the warp, in units of their norms. */
BASIN_PSD_NOINLINE void BASIN_PSD_NAME(solve)(BASIN_PSD_NAME(desk) * desk, int lane)
{
  for (int k = lane; k < BASIN_PSD_N * (BASIN_PSD_N | 1); k += BASIN_PSD_GROUP)
    desk->z[k] = k % (BASIN_PSD_N | 1) == k / (BASIN_PSD_N | 1);
  __syncwarp();
  for (int cycle = 0; cycle < BASIN_PSD_CYCLES; cycle++) {
    bool turned = false;
    for (int round = 0; round < BASIN_PSD_PLAYERS - 1; round++)
      turned = BASIN_PSD_NAME(round)(desk, round, lane) || turned;
    if (!__any_sync(0xffffffffu, turned)) break;
  }
  for (int j = 0; j < BASIN_PSD_N; j++) {
    for (int i = j + lane; i < BASIN_PSD_N; i += BASIN_PSD_GROUP) {
      const real *x = desk->z + i * (BASIN_PSD_N | 1), *y = desk->z + j * (BASIN_PSD_N | 1);
      real sum = 0;
      for (int k = 0; k < BASIN_PSD_N; k++)
        sum = basin_psd_fma(basin_psd_min(desk->a[BASIN_PSD_AT(k, k)], (real)0) * x[k], y[k], sum);
      desk->out[BASIN_PSD_AT(i, j)] = sum;
    }
  }
  __syncwarp();
}

/* Projects the packed triangle h of each lane in place. All lanes of the warp call it; those that
 * are not `active` have no matrix. */
BASIN_PSD_INLINE void BASIN_PSD_NAME(warp)(real *h, bool active, int mode)
{
  const real norm = active && !BASIN_PSD_NAME(definite)(h) ? BASIN_PSD_NAME(norm)(h) : 0;
  const int lane = threadIdx.x % 32;
  const unsigned before = (1u << lane) - 1;
  BASIN_PSD_NAME(desk) *desks = (BASIN_PSD_NAME(desk) *)basin_psd_room();
  BASIN_PSD_NAME(desk) *desk = desks + lane / BASIN_PSD_GROUP;
  for (unsigned pending = __ballot_sync(0xffffffffu, norm > 0); pending;) {
    const int place = __popc(pending & before);
    const bool served = pending >> lane & 1 && place < BASIN_PSD_AT_ONCE;
    if (lane >= __popc(pending) * BASIN_PSD_GROUP) /* an empty desk */
      for (int k = lane % BASIN_PSD_GROUP; k < BASIN_PSD_PACKED; k += BASIN_PSD_GROUP)
        desk->a[k] = 0;
    if (served) {
      BASIN_PSD_UNROLL
      for (int k = 0; k < BASIN_PSD_PACKED; k++) desks[place].a[k] = h[k] / norm;
    }
    __syncwarp();
    BASIN_PSD_NAME(solve)(desk, lane % BASIN_PSD_GROUP);
    if (served) {
      const real gain = (real)(mode == BASIN_PSD_CLAMP ? -1 : -2) * norm;
      BASIN_PSD_UNROLL
      for (int k = 0; k < BASIN_PSD_PACKED; k++)
        h[k] = basin_psd_fma(gain, desks[place].out[k], h[k]);
    }
    pending &= ~__ballot_sync(0xffffffffu, served);
    __syncwarp(); /* votes order no memory, and the next size has other desks */
  }
}

#undef BASIN_PSD_GROUP
#undef BASIN_PSD_AT_ONCE
#undef BASIN_PSD_PLAYERS
#undef BASIN_PSD_PAIRS

#else

BASIN_PSD_INLINE void BASIN_PSD_NAME(warp)(real *h, bool active, int mode)
{
  if (active) BASIN_PSD_NAME(tile)(h, mode);
}

#endif
