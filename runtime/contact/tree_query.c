/* Which primitives of a tree have boxes that meet a box: eight boxes at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/tree.h"

#define INLINE static inline __attribute__((always_inline))

enum { WIDTH = BASIN__TREE_WIDTH };

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_AVX2 1
#else
#define HAVE_AVX2 0
#endif

/* ---- any machine ---- */

INLINE unsigned overlapping_plain(const basin__tree_node *node, const basin__box *box)
{
  unsigned mask = 0;
  for (unsigned lane = 0; lane < WIDTH; ++lane) {
    unsigned meets = 1;
    for (int k = 0; k < 3; ++k)
      meets &= (unsigned)(node->low[k][lane] <= box->high[k]) &
               (unsigned)(node->high[k][lane] >= box->low[k]);
    mask |= meets << lane;
  }
  return mask;
}

INLINE unsigned equal_plain(const uint32_t *values, uint32_t value)
{
  unsigned mask = 0;
  for (unsigned lane = 0; lane < WIDTH; ++lane) mask |= (unsigned)(values[lane] == value) << lane;
  return mask;
}

INLINE unsigned emit_plain(uint32_t *to, const uint32_t *from, unsigned mask)
{
  unsigned count = 0;
  for (; mask; mask &= mask - 1) to[count++] = from[__builtin_ctz(mask)];
  return count;
}

#define NAME(x) x##_plain
#define TARGET
#include "contact/tree_query.inc"
#undef NAME
#undef TARGET

/* ---- AVX2 ---- */

#if HAVE_AVX2
#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

TARGET INLINE __m256 at_most(const float *a, float b)
{
  return _mm256_cmp_ps(_mm256_load_ps(a), _mm256_set1_ps(b), _CMP_LE_OQ);
}

TARGET INLINE __m256 at_least(const float *a, float b)
{
  return _mm256_cmp_ps(_mm256_load_ps(a), _mm256_set1_ps(b), _CMP_GE_OQ);
}

TARGET INLINE unsigned overlapping_avx2(const basin__tree_node *node, const basin__box *box)
{
  const __m256 x =
      _mm256_and_ps(at_most(node->low[0], box->high[0]), at_least(node->high[0], box->low[0]));
  const __m256 y =
      _mm256_and_ps(at_most(node->low[1], box->high[1]), at_least(node->high[1], box->low[1]));
  const __m256 z =
      _mm256_and_ps(at_most(node->low[2], box->high[2]), at_least(node->high[2], box->low[2]));
  return (unsigned)_mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(x, y), z));
}

TARGET INLINE unsigned equal_avx2(const uint32_t *values, uint32_t value)
{
  const __m256i lanes = _mm256_load_si256((const __m256i *)(const void *)values);
  const __m256i same = _mm256_cmpeq_epi32(lanes, _mm256_set1_epi32((int)value));
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}

/* Writes all eight numbers, those of the mask first: byte k of `lanes` is the k-th lane set. */
TARGET INLINE unsigned emit_avx2(uint32_t *to, const uint32_t *from, unsigned mask)
{
  const uint64_t bytes = _pdep_u64(mask, UINT64_C(0x0101010101010101)) * 0xff;
  const uint64_t lanes = _pext_u64(UINT64_C(0x0706050403020100), bytes);
  const __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
  const __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)from);
  _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(values, places));
  return (unsigned)__builtin_popcount(mask);
}

#define NAME(x) x##_avx2
#include "contact/tree_query.inc"
#undef NAME
#undef TARGET
#endif

basin__tree_versions basin__tree_plain(unsigned arity, const basin__tree *tree)
{
  return (basin__tree_versions){leaves_plain, choose_plain(arity, tree->arity)};
}

basin__tree_versions basin__tree_fastest(unsigned arity, const basin__tree *tree)
{
#if HAVE_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return (basin__tree_versions){leaves_avx2, choose_avx2(arity, tree->arity)};
#endif
  return basin__tree_plain(arity, tree);
}
