/* Boxes in single precision: hulls, and how far apart two are.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_BOX_H
#define BASIN_CONTACT_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Swept and grown box of a vertex or primitive, rounded outward. Aligned to 16 bytes. */
typedef struct basin__box {
  _Alignas(16) float low[4];
  float high[4]; /* the last entries are 0: padding */
} basin__box;

/* Makes a box hold another one, too. */
static inline void basin__box_join(basin__box *box, const basin__box *other)
{
#if defined(__SSE2__)
  _mm_store_ps(box->low, _mm_min_ps(_mm_load_ps(box->low), _mm_load_ps(other->low)));
  _mm_store_ps(box->high, _mm_max_ps(_mm_load_ps(box->high), _mm_load_ps(other->high)));
#else
  for (int k = 0; k < 4; ++k) {
    box->low[k] = box->low[k] < other->low[k] ? box->low[k] : other->low[k];
    box->high[k] = box->high[k] > other->high[k] ? box->high[k] : other->high[k];
  }
#endif
}

/* The box of the vertices of a primitive. */
static inline basin__box
basin__box_of(const basin__box *boxes, const uint32_t *vertices, unsigned count)
{
  basin__box box = boxes[vertices[0]];
  for (unsigned c = 1; c < count; ++c) basin__box_join(&box, &boxes[vertices[c]]);
  return box;
}

/* How far apart two boxes are along the axis where it is most if that is above `meet`, else
 * something not above it. */
static inline float basin__boxes_apart(const basin__box *a, const basin__box *b, float meet)
{
#if defined(__SSE2__)
  const __m128 first = _mm_sub_ps(_mm_load_ps(a->low), _mm_load_ps(b->high));
  const __m128 second = _mm_sub_ps(_mm_load_ps(b->low), _mm_load_ps(a->high));
  const __m128 apart = _mm_max_ps(first, second);
  if (!(_mm_movemask_ps(_mm_cmpgt_ps(apart, _mm_set1_ps(meet))) & 7)) return meet;
  const __m128 most = _mm_max_ss(apart, _mm_shuffle_ps(apart, apart, 1));
  return _mm_cvtss_f32(_mm_max_ss(most, _mm_shuffle_ps(apart, apart, 2)));
#else
  float most = meet;
  for (int k = 0; k < 3; ++k) {
    const float first = a->low[k] - b->high[k], second = b->low[k] - a->high[k];
    most = first > most ? first : most;
    most = second > most ? second : most;
  }
  return most;
#endif
}

/* Whether `outer` holds all of `inner`. */
static inline bool basin__box_holds(const basin__box *outer, const basin__box *inner)
{
  bool holds = true;
  for (int k = 0; k < 3; ++k)
    holds &= outer->low[k] <= inner->low[k] && inner->high[k] <= outer->high[k];
  return holds;
}

#endif
