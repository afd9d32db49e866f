/* What the names of emitted text mean on the CPU: a `real` is one number of each of BASIN_WIDTH
 * elements. Compiled by Clang; the command line defines BASIN_WIDTH, and BASIN_FLOAT for single
 * precision. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DIALECT_H
#define BASIN_DIALECT_H

#include "kernel_args.h"

#define BASIN_INLINE   static inline __attribute__((always_inline))
#define BASIN_NOINLINE static __attribute__((noinline))
#define BASIN_UNROLL   _Pragma("clang loop unroll(full)")
#define bool _Bool
#define true 1
#define false 0

#ifdef BASIN_FLOAT
typedef float basin_scalar;
typedef int basin_mask_scalar;
#else
typedef double basin_scalar;
typedef long basin_mask_scalar;
#endif
typedef basin_scalar real __attribute__((ext_vector_type(BASIN_WIDTH)));
typedef basin_mask_scalar mask __attribute__((ext_vector_type(BASIN_WIDTH)));
typedef double basin_wide __attribute__((ext_vector_type(BASIN_WIDTH)));

/* Doubles a hardware register: tiles are loaded, transposed and added part by part. */
#if defined(__AVX512F__) && BASIN_WIDTH >= 8
#define BASIN_PART 8
#elif defined(__AVX__) && BASIN_WIDTH >= 4
#define BASIN_PART 4
#else
#define BASIN_PART 2
#endif
#define BASIN_PARTS (BASIN_WIDTH / BASIN_PART)
typedef double basin_part __attribute__((ext_vector_type(BASIN_PART)));
typedef double basin_pair __attribute__((ext_vector_type(2), aligned(8)));
typedef basin_part basin_part_unaligned __attribute__((aligned(8)));

/* The instances that the lanes of a tile read. */
typedef basin_word basin_words __attribute__((ext_vector_type(BASIN_WIDTH)));
typedef union basin_index {
  basin_words vector;
  basin_word at[BASIN_WIDTH];
} basin_index;

/* ---- arithmetic ---- */
#define basin_broadcast(c)    ((real)(basin_scalar)(c))
#define basin_infinity        __builtin_inf()
#define basin_nan             __builtin_nan("")
#define basin_select(m, a, b) ((m) ? (a) : (b))
#define basin_lt(a, b)        ((a) < (b))
#define basin_le(a, b)        ((a) <= (b))
#define basin_eq(a, b)        ((a) == (b))
#define basin_ne(a, b)        ((a) != (b))
#define basin_and(a, b)       ((a) & (b))
#define basin_or(a, b)        ((a) | (b))
#define basin_not(a)          (~(a))
#define basin_any(m)          (__builtin_reduce_or(m) != 0)
#define basin_all(m)          (__builtin_reduce_and(m) != 0)
#define basin_sqrt(a)         __builtin_elementwise_sqrt(a)
#define basin_abs(a)          __builtin_elementwise_abs(a)
#define basin_truth(m)        basin_select(m, basin_broadcast(1), basin_broadcast(0))
#define basin_min(a, b)       basin_select((a) <= (b), a, b)
#define basin_max(a, b)       basin_select((b) <= (a), a, b)
#define basin_sign(a)         (basin_truth((a) > 0) - basin_truth((a) < 0))

/* The power of two at or below the positive normal number a. */
BASIN_INLINE real basin_power_of_two(real a)
{
  union {
    real number;
    mask bits;
  } u = {.number = a};
#ifdef BASIN_FLOAT
  u.bits &= (mask)0x7f800000;
#else
  u.bits &= (mask)0x7ff0000000000000;
#endif
  return u.number;
}

#include "math_cpu.h"

/* ---- reading arrays ---- */
BASIN_INLINE real basin_join(const basin_part *parts)
{
  union {
    basin_part parts[BASIN_PARTS];
    basin_wide wide;
  } u;
  for (int p = 0; p < BASIN_PARTS; p++) u.parts[p] = parts[p];
  return __builtin_convertvector(u.wide, real);
}

#if BASIN_PART == 8
#define BASIN_EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define BASIN_ODD(a, b)  __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#elif BASIN_PART == 4
#define BASIN_EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define BASIN_ODD(a, b)  __builtin_shufflevector(a, b, 1, 5, 3, 7)
#else
#define BASIN_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2)
#define BASIN_ODD(a, b)  __builtin_shufflevector(a, b, 1, 3)
#endif

/* Two neighbouring numbers of each lane's row, read as pairs: no byte outside the two is touched.
 */
BASIN_INLINE void basin_load_2(const double *array,
                               const basin_index *i,
                               basin_size stride,
                               basin_size first,
                               real *a,
                               real *b)
{
  basin_part even[BASIN_PARTS], odd[BASIN_PARTS];
  for (int p = 0; p < BASIN_PARTS; p++) {
    basin_part rows[2]; /* of the even lanes, of the odd lanes */
    for (int l = 0; l < BASIN_PART; l++) {
      const basin_pair row =
          *(const basin_pair *)(array + i->at[p * BASIN_PART + l] * stride + first);
      rows[l % 2][l / 2 * 2] = row[0];
      rows[l % 2][l / 2 * 2 + 1] = row[1];
    }
    even[p] = BASIN_EVEN(rows[0], rows[1]);
    odd[p] = BASIN_ODD(rows[0], rows[1]);
  }
  *a = basin_join(even);
  *b = basin_join(odd);
}

BASIN_INLINE real basin_load_1(const double *array,
                               const basin_index *i,
                               basin_size stride,
                               basin_size first)
{
  basin_part parts[BASIN_PARTS];
  for (int p = 0; p < BASIN_PARTS; p++)
    for (int l = 0; l < BASIN_PART; l++)
      parts[p][l] = array[i->at[p * BASIN_PART + l] * stride + first];
  return basin_join(parts);
}

BASIN_INLINE basin_index basin_step(const basin_word *indices,
                                    const basin_index *i,
                                    basin_size arity,
                                    basin_size slot)
{
  basin_index result;
  for (int l = 0; l < BASIN_WIDTH; l++) result.at[l] = indices[i->at[l] * arity + slot];
  return result;
}

/* ---- inner results: BASIN_STRIDE numbers from one value to the next, a chunk of elements side by
 * side ---- */
#if BASIN_STAGE == BASIN_STAGE_HESSIAN
#include "chunk.h"
#define BASIN_STRIDE \
  (BASIN_CHUNK + 64 / (int)sizeof(basin_scalar)) /* an odd number of cache lines */
#define BASIN_PSD_CHUNK BASIN_CHUNK
#else
#define BASIN_STRIDE BASIN_WIDTH
#endif

/* Where the data is: a copy that no store can change, so that it stays in registers. */
typedef struct basin_data {
  const double *arrays[BASIN_ARRAY_COUNT + 1];
  const basin_word *indices[BASIN_CONNECTIVITY_COUNT + 1];
} basin_data;

BASIN_INLINE basin_data basin_data_of(const basin_args *args)
{
  basin_data data;
  for (int k = 0; k < BASIN_ARRAY_COUNT; k++) data.arrays[k] = args->arrays[k];
  for (int k = 0; k < BASIN_CONNECTIVITY_COUNT; k++) data.indices[k] = args->indices[k];
  return data;
}

/* Values that are the same for all elements. */
typedef struct basin_uniform {
  real v[BASIN_UNIFORM_COUNT + 1];
} basin_uniform;

/* ---- the functions that emitted text consists of ---- */
#define BASIN_UNIFORMS BASIN_INLINE void basin_uniforms(const basin_data *data, basin_uniform *u)
#define BASIN_INNER              \
  BASIN_INLINE void basin_inner( \
      const basin_data *data, const basin_uniform *u, const basin_index *e, basin_scalar *inner)
#define BASIN_OUTER                                        \
  BASIN_INLINE void basin_outer(const basin_data *data,    \
                                const basin_uniform *u,    \
                                const basin_index *e,      \
                                const basin_scalar *inner, \
                                real *out)
#define BASIN_PROJECTION BASIN_INLINE void basin_project(basin_scalar *inner, int count, int mode)
#define BASIN_TABLE      static const unsigned short

#define BASIN_ELEMENT const basin_index i0 = *e
#define BASIN_STEP(connectivity, i, arity, slot) \
  basin_step(data->indices[connectivity], &i, arity, slot)
#define BASIN_LOAD_1(a, array, i, stride, first) \
  const real a = basin_load_1(data->arrays[array], &i, stride, first)
#define BASIN_LOAD_2(a, b, array, i, stride, first) \
  real a, b;                                        \
  basin_load_2(data->arrays[array], &i, stride, first, &a, &b)
#define BASIN_SHARED(array, component) basin_broadcast(data->arrays[array][component])
#define BASIN_UNIFORM(k)               (u->v[k])
#define BASIN_SET(k, value)            (*(real *)(inner + (k)*BASIN_STRIDE) = (value))
#define BASIN_GET(k)                   (*(const real *)(inner + (k)*BASIN_STRIDE))
#define BASIN_OUT(k, value)            (out[k] = (value))
#define BASIN_PROJECT(n, rows)         basin_project_##n(inner, rows, BASIN_STRIDE, count, mode)
#define basin_project_1                basin_psd_1_chunk
#define basin_project_2                basin_psd_2_chunk
#define basin_project_3                basin_psd_3_chunk

/* The one function of a projection unit. */
#define BASIN_PROJECTION_FUNCTION(n)                                                \
  __attribute__((visibility("default"))) void basin_project_##n(                    \
      basin_scalar *h, const unsigned short *rows, int stride, int count, int mode) \
  {                                                                                 \
    basin_psd_##n##_chunk(h, rows, stride, count, mode);                            \
  }

#endif
