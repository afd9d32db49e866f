/* Elementary functions of a tile: glibc's vector library where the command line says
 * BASIN_VECTOR_MATH, else lane by lane. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_MATH_CPU_H
#define BASIN_DEVICE_MATH_CPU_H

#define BASIN_PASTE_(a, b) a##b
#define BASIN_PASTE(a, b)  BASIN_PASTE_(a, b)

#ifdef BASIN_FLOAT
#define BASIN_SCALAR_NAME(name) name##f
#else
#define BASIN_SCALAR_NAME(name) name
#endif

/* Names by the x86-64 vector function ABI: class of registers, lanes, one v an argument. */
#ifdef BASIN_FLOAT
#define BASIN_BYTES    (BASIN_WIDTH * 4)
#define BASIN_LANES_32 8
#define BASIN_LANES_64 16
#else
#define BASIN_BYTES    (BASIN_WIDTH * 8)
#define BASIN_LANES_32 4
#define BASIN_LANES_64 8
#endif

#if !defined(BASIN_VECTOR_MATH) || BASIN_BYTES < 16
#define BASIN_MATH_LANES 0
#elif BASIN_BYTES == 16
#define BASIN_MATH_LANES BASIN_WIDTH
#define BASIN_MATH_CLASS b
#elif BASIN_BYTES == 64 && defined(__AVX512F__)
#define BASIN_MATH_LANES BASIN_LANES_64
#define BASIN_MATH_CLASS e
#elif defined(__AVX2__)
#define BASIN_MATH_LANES BASIN_LANES_32
#define BASIN_MATH_CLASS d
#elif defined(BASIN_FLOAT)
#define BASIN_MATH_LANES 4
#define BASIN_MATH_CLASS b
#else
#define BASIN_MATH_LANES 2
#define BASIN_MATH_CLASS b
#endif

#if BASIN_MATH_LANES
typedef basin_scalar basin_math_vector __attribute__((ext_vector_type(BASIN_MATH_LANES)));
#define BASIN_MATH_CALLS (BASIN_WIDTH / BASIN_MATH_LANES)

typedef union basin_math_tile {
  real tile;
  basin_math_vector parts[BASIN_MATH_CALLS];
} basin_math_tile;

#define BASIN_VECTOR_SYMBOL(arguments)             \
  BASIN_PASTE(BASIN_PASTE(_ZGV, BASIN_MATH_CLASS), \
              BASIN_PASTE(BASIN_PASTE(N, BASIN_MATH_LANES), arguments))

#define BASIN_FUNCTION_1(name)                                                                \
  extern basin_math_vector BASIN_PASTE(BASIN_VECTOR_SYMBOL(v_),                               \
                                       BASIN_SCALAR_NAME(name))(basin_math_vector);           \
  BASIN_INLINE real basin_##name(real a)                                                      \
  {                                                                                           \
    basin_math_tile t = {.tile = a};                                                          \
    for (int p = 0; p < BASIN_MATH_CALLS; p++)                                                \
      t.parts[p] = BASIN_PASTE(BASIN_VECTOR_SYMBOL(v_), BASIN_SCALAR_NAME(name))(t.parts[p]); \
    return t.tile;                                                                            \
  }
#define BASIN_FUNCTION_2(name)                                                                    \
  extern basin_math_vector BASIN_PASTE(BASIN_VECTOR_SYMBOL(vv_), BASIN_SCALAR_NAME(name))(        \
      basin_math_vector, basin_math_vector);                                                      \
  BASIN_INLINE real basin_##name(real a, real b)                                                  \
  {                                                                                               \
    basin_math_tile t = {.tile = a}, s = {.tile = b};                                             \
    for (int p = 0; p < BASIN_MATH_CALLS; p++)                                                    \
      t.parts[p] =                                                                                \
          BASIN_PASTE(BASIN_VECTOR_SYMBOL(vv_), BASIN_SCALAR_NAME(name))(t.parts[p], s.parts[p]); \
    return t.tile;                                                                                \
  }
#else
#define BASIN_FUNCTION_1(name)                                                  \
  extern basin_scalar BASIN_SCALAR_NAME(name)(basin_scalar);                    \
  BASIN_INLINE real basin_##name(real a)                                        \
  {                                                                             \
    for (int l = 0; l < BASIN_WIDTH; l++) a[l] = BASIN_SCALAR_NAME(name)(a[l]); \
    return a;                                                                   \
  }
#define BASIN_FUNCTION_2(name)                                                        \
  extern basin_scalar BASIN_SCALAR_NAME(name)(basin_scalar, basin_scalar);            \
  BASIN_INLINE real basin_##name(real a, real b)                                      \
  {                                                                                   \
    for (int l = 0; l < BASIN_WIDTH; l++) a[l] = BASIN_SCALAR_NAME(name)(a[l], b[l]); \
    return a;                                                                         \
  }
#endif

BASIN_FUNCTION_1(exp)
BASIN_FUNCTION_1(expm1)
BASIN_FUNCTION_1(log)
BASIN_FUNCTION_1(log1p)
BASIN_FUNCTION_1(sin)
BASIN_FUNCTION_1(cos)
BASIN_FUNCTION_1(tan)
BASIN_FUNCTION_1(asin)
BASIN_FUNCTION_1(acos)
BASIN_FUNCTION_1(atan)
BASIN_FUNCTION_1(sinh)
BASIN_FUNCTION_1(cosh)
BASIN_FUNCTION_1(tanh)
BASIN_FUNCTION_2(atan2)
BASIN_FUNCTION_2(pow)

BASIN_INLINE real basin_xlogy(real a, real b)
{
  return basin_select(a == 0, basin_broadcast(0), a * basin_log(b));
}

#endif
