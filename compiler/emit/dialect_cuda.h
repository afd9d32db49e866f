/* What the names of emitted text mean on a CUDA device: a `real` is one number, a thread is one
 * element. Compiled by NVRTC; the command line defines BASIN_FLOAT for single precision.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DIALECT_H
#define BASIN_DIALECT_H

#include "kernel_args.h"

#define BASIN_INLINE   static __device__ __forceinline__
#define BASIN_NOINLINE static __device__ __noinline__
#define BASIN_WIDTH    1

/* Threads of a block, for every launch of these kernels. */
#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
#define BASIN_CUDA_THREADS BASIN_CUDA_THREADS_LOCAL
#else
#define BASIN_CUDA_THREADS 128
#endif

#ifdef BASIN_FLOAT
typedef float real;
#else
typedef double real;
#endif
typedef real basin_scalar;
typedef bool mask;
typedef basin_word basin_index;

/* ---- arithmetic ---- */
#define basin_broadcast(c)    ((real)(c))
#define basin_infinity        __longlong_as_double(0x7ff0000000000000ll)
#define basin_nan             __longlong_as_double(0x7ff8000000000000ll)
#define basin_select(m, a, b) ((m) ? (a) : (b))
#define basin_lt(a, b)        ((a) < (b))
#define basin_le(a, b)        ((a) <= (b))
#define basin_eq(a, b)        ((a) == (b))
#define basin_ne(a, b)        ((a) != (b))
#define basin_and(a, b)       ((a) && (b))
#define basin_or(a, b)        ((a) || (b))
#define basin_not(a)          (!(a))
#define basin_any(m)          (m)
#define basin_all(m)          (m)
#define basin_truth(m)        basin_select(m, basin_broadcast(1), basin_broadcast(0))
#define basin_min(a, b)       basin_select((a) <= (b), a, b)
#define basin_max(a, b)       basin_select((b) <= (a), a, b)
#define basin_sign(a)         (basin_truth((a) > 0) - basin_truth((a) < 0))
#define basin_sqrt(a)         sqrt(a)
#define basin_abs(a)          fabs(a)
#define basin_exp(a)          exp(a)
#define basin_expm1(a)        expm1(a)
#define basin_log(a)          log(a)
#define basin_log1p(a)        log1p(a)
#define basin_sin(a)          sin(a)
#define basin_cos(a)          cos(a)
#define basin_tan(a)          tan(a)
#define basin_asin(a)         asin(a)
#define basin_acos(a)         acos(a)
#define basin_atan(a)         atan(a)
#define basin_sinh(a)         sinh(a)
#define basin_cosh(a)         cosh(a)
#define basin_tanh(a)         tanh(a)
#define basin_atan2(a, b)     atan2(a, b)
#define basin_pow(a, b)       pow(a, b)
#define basin_xlogy(a, b)     basin_select((a) == 0, basin_broadcast(0), (a)*log(b))

/* The power of two at or below the positive normal number a. */
BASIN_INLINE real basin_power_of_two(real a)
{
  return scalbn((real)1, ilogb(a));
}

/* ---- data, uniform values, inner results: all of one thread ---- */
typedef basin_args basin_data;

typedef struct basin_uniform {
  real v[BASIN_UNIFORM_COUNT + 1];
} basin_uniform;

#if BASIN_STAGE >= BASIN_STAGE_GRADIENT
/* Place of output k: the gradient, then the blocks of pairs of nodes one after the other, b x b
 * numbers each, row-major, diagonal ones the upper triangle alone. */
template <int k> static __device__ constexpr int basin_place()
{
  const int n = BASIN_LOCAL_SIZE, b = BASIN_BLOCK, nodes = n / b;
  if (k < n) return k;
  int row = 0, column = k - n;
  for (; column >= n - row; row++) column -= n - row;
  column += row;
  const int a = row / b, c = column / b, i = row % b, j = column % b;
  const int pair = a * nodes - a * (a - 1) / 2 + c - a;
  const int first = n + pair * b * b - (a + (c > a)) * b * (b - 1) / 2;
  return first + (a == c ? i * b - i * (i - 1) / 2 + j - i : i * b + j);
}

/* Numbers of an element; those of a gradient alone in a gradient kernel. */
#define BASIN_NUMBERS \
  (BASIN_LOCAL_SIZE + \
   (BASIN_STAGE == BASIN_STAGE_HESSIAN ? BASIN_LOCAL_SIZE * (BASIN_LOCAL_SIZE + 1) / 2 : 0))

/* Where the results of an element go. If there are few: to shared memory, and then to memory
 * by the whole warp, element after element. Else component-major, so that neighbouring
 * threads write neighbouring numbers. */
#define BASIN_STAGED (BASIN_LOCAL_SIZE <= BASIN_CUDA_STAGED)
typedef struct basin_results {
#if BASIN_STAGED
  real *numbers;
#define BASIN_OUT(k, value) (to->numbers[basin_place<(k)>()] = (value))
#else
  double *gradient, *hessian; /* of this element; NULL: not wanted */
  basin_size stride;
#define BASIN_OUT(k, value)                                                            \
  do {                                                                                 \
    constexpr int place = basin_place<(k)>();                                          \
    if (place < BASIN_LOCAL_SIZE) {                                                    \
      if (to->gradient) to->gradient[place * to->stride] = (value);                    \
    } else {                                                                           \
      if (to->hessian) to->hessian[(place - BASIN_LOCAL_SIZE) * to->stride] = (value); \
    }                                                                                  \
  } while (0)
#endif
} basin_results;

/* Shared memory of a warp: the projection's, and for staged results; made by the driver, when all
 * sizes are known. */
static __device__ real *basin_warp_room();
#define basin_psd_room() ((void *)basin_warp_room())
#endif

/* ---- the functions that emitted text consists of ---- */
#define BASIN_UNIFORMS BASIN_INLINE void basin_uniforms(const basin_data *data, basin_uniform *u)
#define BASIN_INNER              \
  BASIN_INLINE void basin_inner( \
      const basin_data *data, const basin_uniform *u, basin_index e, real *inner)
#define BASIN_OUTER                                     \
  BASIN_INLINE void basin_outer(const basin_data *data, \
                                const basin_uniform *u, \
                                basin_index e,          \
                                const real *inner,      \
                                const basin_results *to)
#define BASIN_PROJECTION BASIN_INLINE void basin_project(real *inner, bool active, int mode)
#define BASIN_TABLE      static __device__ const unsigned short

#define BASIN_ELEMENT const basin_index i0 = e
#define BASIN_STEP(connectivity, i, arity, slot) \
  data->indices[connectivity][(basin_size)(i) * (arity) + (slot)]
#define BASIN_READ(array, i, stride, first) \
  data->arrays[array][(basin_size)(i) * (stride) + (first)]
#define BASIN_LOAD_1(a, array, i, stride, first) \
  const real a = (real)BASIN_READ(array, i, stride, first)
#define BASIN_LOAD_2(a, b, array, i, stride, first)         \
  const real a = (real)BASIN_READ(array, i, stride, first), \
             b = (real)BASIN_READ(array, i, stride, (first) + 1)
#define BASIN_SHARED(array, component) ((real)data->arrays[array][component])
#define BASIN_UNIFORM(k)               (u->v[k])
#define BASIN_SET(k, value)            (inner[k] = (value))
#define BASIN_GET(k)                   (inner[k])
#define BASIN_PROJECT(n, rows)                                                                 \
  do {                                                                                         \
    real block[(n) * ((n) + 1) / 2];                                                           \
    _Pragma("unroll") for (int k = 0; k < (n) * ((n) + 1) / 2; k++) block[k] = inner[rows[k]]; \
    basin_psd_##n##_warp(block, active, mode);                                                 \
    _Pragma("unroll") for (int k = 0; k < (n) * ((n) + 1) / 2; k++) inner[rows[k]] = block[k]; \
  } while (0)

#endif
