/* What the machine can do at most: fused multiply-adds and bandwidth of all workers together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/solve.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CHAINS = 12, ROUNDS = 400000, TRIAD = 1 << 22, ATTEMPTS = 7 };

typedef struct measurement {
  double *a, *b, *c;
  size_t share;    /* entries a worker */
  double *results; /* keeps the compiler from leaving out the arithmetic */
} measurement;

/* ---- arithmetic: independent chains, long enough to hide the latency; returns flops ---- */

#define CHAIN_BODY(vector, width, set, fma, store)                      \
  vector sums[CHAINS], factor = set(0.999), term = set(0.001);          \
  for (int k = 0; k < CHAINS; ++k) sums[k] = set(k);                    \
  for (int i = 0; i < ROUNDS; ++i)                                      \
    _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; ++k) sums[k] = \
        fma(sums[k], factor, term);                                     \
  double total = 0, lanes[width];                                       \
  for (int k = 0; k < CHAINS; ++k) {                                    \
    store(lanes, sums[k]);                                              \
    for (int j = 0; j < width; ++j) total += lanes[j];                  \
  }                                                                     \
  *result = total;                                                      \
  return 2.0 * (double)(CHAINS * width) * (double)ROUNDS

static double chain_portable(double *result)
{
#define SET(x)       ((double)(x))
#define FMA(a, b, c) ((a) * (b) + (c))
#define STORE(p, x)  (*(p) = (x))
  CHAIN_BODY(double, 1, SET, FMA, STORE);
#undef SET
#undef FMA
#undef STORE
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static double chain_avx2(double *result)
{
  CHAIN_BODY(__m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_storeu_pd);
}
__attribute__((target("avx512f"))) static double chain_avx512(double *result)
{
  CHAIN_BODY(__m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_storeu_pd);
}
#endif

static double chain(double *result)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return chain_avx512(result);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return chain_avx2(result);
#endif
  return chain_portable(result);
}

static void run_chain(void *user, size_t index, unsigned worker)
{
  const measurement *m = user;
  (void)worker;
  (void)chain(&m->results[index * 8]);
}

/* ---- bandwidth: a = b + s c, counted as three streams ---- */

static void run_triad(void *user, size_t index, unsigned worker)
{
  const measurement *m = user;
  (void)worker;
  double *restrict a = m->a + index * m->share;
  const double *restrict b = m->b + index * m->share, *restrict c = m->c + index * m->share;
  for (size_t i = 0; i < m->share; ++i) a[i] = b[i] + 0.5 * c[i];
}

basin_status basin_machine_measure(basin_context *context, basin_machine *machine)
{
  size_t workers = basin__worker_count(context), count = 3 * (size_t)TRIAD + 8 * workers;
  double *memory = basin__alloc_aligned(context, count * sizeof *memory);
  if (!memory) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) memory[i] = 1.0;
  measurement m = {.a = memory,
                   .b = memory + TRIAD,
                   .c = memory + 2 * (size_t)TRIAD,
                   .share = TRIAD / workers,
                   .results = memory + 3 * (size_t)TRIAD};
  double flops = (double)workers * chain(m.results);
  *machine = (basin_machine){.size = sizeof *machine, .workers = (unsigned)workers};
  for (int k = 0; k < ATTEMPTS; ++k) {
    double start = basin__seconds();
    basin__parallel(context, workers, run_chain, &m);
    double middle = basin__seconds();
    basin__parallel(context, workers, run_triad, &m);
    double end = basin__seconds(), bytes = 24.0 * (double)(m.share * workers);
    if (flops / (middle - start) > machine->flops) machine->flops = flops / (middle - start);
    if (bytes / (end - middle) > machine->bandwidth) machine->bandwidth = bytes / (end - middle);
  }
  basin__free_aligned(context, memory, count * sizeof *memory);
  return BASIN_OK;
}
