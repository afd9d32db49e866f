/* CUDA's language for Clang on the CPU: what NVRTC offers without headers, as far as Basin's texts
 * use it. Read as C++ before every text. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_PRELUDE_H
#define BASIN_SOFTCUDA_PRELUDE_H

#include "softcuda_abi.h"

#define __CUDACC__     1
#define __CUDACC_RTC__ 1
#define __SOFTCUDA__   1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __restrict__ __restrict
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __align__(n)    __attribute__((aligned(n)))
#define __launch_bounds__(...)
/* Thread-local storage stands for a block's: the linker gives it one place, as blocks run one after
 * another. `used` keeps the optimizer from seeing all accesses. */
#define __shared__ __attribute__((require_constant_initialization, used)) thread_local

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

/* ---- built-in variables: of the thread that runs ---- */
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};
/* As constants of their own, which Clang knows not to change while a thread runs. */
extern "C" const unsigned softcuda_thread_x, softcuda_thread_y, softcuda_thread_z;
extern "C" const unsigned softcuda_block_x, softcuda_block_y, softcuda_block_z;
extern "C" const unsigned softcuda_size_x, softcuda_size_y, softcuda_size_z;
extern "C" const unsigned softcuda_grid_x, softcuda_grid_y, softcuda_grid_z;
#define threadIdx (uint3{softcuda_thread_x, softcuda_thread_y, softcuda_thread_z})
#define blockIdx  (uint3{softcuda_block_x, softcuda_block_y, softcuda_block_z})
#define blockDim  (dim3{softcuda_size_x, softcuda_size_y, softcuda_size_z})
#define gridDim   (dim3{softcuda_grid_x, softcuda_grid_y, softcuda_grid_z})
static constexpr int warpSize = 32;

/* ---- vector types ---- */
#define SOFTCUDA_VECTORS(T, name, a2, a4)                  \
  struct __align__(a2) name##2                             \
  {                                                        \
    T x, y;                                                \
  };                                                       \
  struct __align__(a4) name##4                             \
  {                                                        \
    T x, y, z, w;                                          \
  };                                                       \
  static inline name##2 make_##name##2(T x, T y)           \
  {                                                        \
    return name##2 {x, y};                                 \
  }                                                        \
  static inline name##4 make_##name##4(T x, T y, T z, T w) \
  {                                                        \
    return name##4 {x, y, z, w};                           \
  }
SOFTCUDA_VECTORS(int, int, 8, 16)
SOFTCUDA_VECTORS(unsigned, uint, 8, 16)
SOFTCUDA_VECTORS(float, float, 8, 16)
SOFTCUDA_VECTORS(double, double, 16, 16)
SOFTCUDA_VECTORS(long long, longlong, 16, 16)
SOFTCUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
#undef SOFTCUDA_VECTORS
struct int3 {
  int x, y, z;
};
struct float3 {
  float x, y, z;
};
struct double3 {
  double x, y, z;
};
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
  return uint3{x, y, z};
}
static inline int3 make_int3(int x, int y, int z)
{
  return int3{x, y, z};
}
static inline float3 make_float3(float x, float y, float z)
{
  return float3{x, y, z};
}
static inline double3 make_double3(double x, double y, double z)
{
  return double3{x, y, z};
}

/* ---- the executor's services ---- */
#define SOFTCUDA_WHERE  const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SOFTCUDA_INLINE static inline __attribute__((always_inline, convergent))
extern "C" {
__attribute__((convergent)) int softcuda_barrier(int kind, int value, const char *file, int line);
__attribute__((convergent)) unsigned long long softcuda_warp(int operation,
                                                             unsigned mask,
                                                             unsigned long long value,
                                                             int argument,
                                                             int width,
                                                             const char *file,
                                                             int line);
void softcuda_atomic(const volatile void *address, unsigned size);
void softcuda_relaxed(const volatile void *address, unsigned size);
void softcuda_fence(void);
unsigned softcuda_lane(void);
unsigned long long softcuda_clock(void);
[[noreturn]] void softcuda_trap(const char *file, int line);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t);
}

/* ---- barriers and warps ---- */
SOFTCUDA_INLINE void __syncthreads(SOFTCUDA_WHERE)
{
  softcuda_barrier(SOFTCUDA_BARRIER, 0, file, line);
}
SOFTCUDA_INLINE int __syncthreads_count(int p, SOFTCUDA_WHERE)
{
  return softcuda_barrier(SOFTCUDA_BARRIER_COUNT, p != 0, file, line);
}
SOFTCUDA_INLINE int __syncthreads_and(int p, SOFTCUDA_WHERE)
{
  return softcuda_barrier(SOFTCUDA_BARRIER_AND, p != 0, file, line);
}
SOFTCUDA_INLINE int __syncthreads_or(int p, SOFTCUDA_WHERE)
{
  return softcuda_barrier(SOFTCUDA_BARRIER_OR, p != 0, file, line);
}
SOFTCUDA_INLINE void __syncwarp(unsigned mask = 0xffffffffu, SOFTCUDA_WHERE)
{
  softcuda_warp(SOFTCUDA_SYNC, mask, 0, 0, 32, file, line);
}
SOFTCUDA_INLINE unsigned __ballot_sync(unsigned mask, int p, SOFTCUDA_WHERE)
{
  return (unsigned)softcuda_warp(SOFTCUDA_BALLOT, mask, p != 0, 0, 32, file, line);
}
SOFTCUDA_INLINE int __any_sync(unsigned mask, int p, SOFTCUDA_WHERE)
{
  return __ballot_sync(mask, p, file, line) != 0;
}
SOFTCUDA_INLINE int __all_sync(unsigned mask, int p, SOFTCUDA_WHERE)
{
  return __ballot_sync(mask, !p, file, line) == 0;
}
/* The lanes that happen to run together: only this one is promised. */
SOFTCUDA_INLINE unsigned __activemask()
{
  return 1u << softcuda_lane();
}

template <class T>
SOFTCUDA_INLINE T softcuda_exchange(
    int operation, unsigned mask, T value, int argument, int width, const char *file, int line)
{
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 32 or 64 bits");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = softcuda_warp(operation, mask, bits, argument, width, file, line);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
#define SOFTCUDA_SHUFFLES(T)                                                                       \
  SOFTCUDA_INLINE T __shfl_sync(unsigned mask, T v, int lane, int width = 32, SOFTCUDA_WHERE)      \
  {                                                                                                \
    return softcuda_exchange(SOFTCUDA_SHUFFLE, mask, v, lane, width, file, line);                  \
  }                                                                                                \
  SOFTCUDA_INLINE T __shfl_up_sync(                                                                \
      unsigned mask, T v, unsigned delta, int width = 32, SOFTCUDA_WHERE)                          \
  {                                                                                                \
    return softcuda_exchange(SOFTCUDA_SHUFFLE_UP, mask, v, (int)delta, width, file, line);         \
  }                                                                                                \
  SOFTCUDA_INLINE T __shfl_down_sync(                                                              \
      unsigned mask, T v, unsigned delta, int width = 32, SOFTCUDA_WHERE)                          \
  {                                                                                                \
    return softcuda_exchange(SOFTCUDA_SHUFFLE_DOWN, mask, v, (int)delta, width, file, line);       \
  }                                                                                                \
  SOFTCUDA_INLINE T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32, SOFTCUDA_WHERE) \
  {                                                                                                \
    return softcuda_exchange(SOFTCUDA_SHUFFLE_XOR, mask, v, lanes, width, file, line);             \
  }
SOFTCUDA_SHUFFLES(int)
SOFTCUDA_SHUFFLES(unsigned)
SOFTCUDA_SHUFFLES(long)
SOFTCUDA_SHUFFLES(unsigned long)
SOFTCUDA_SHUFFLES(long long)
SOFTCUDA_SHUFFLES(unsigned long long)
SOFTCUDA_SHUFFLES(float)
SOFTCUDA_SHUFFLES(double)
#undef SOFTCUDA_SHUFFLES
#define SOFTCUDA_MATCHES(T)                                                            \
  SOFTCUDA_INLINE unsigned __match_any_sync(unsigned mask, T v, SOFTCUDA_WHERE)        \
  {                                                                                    \
    unsigned long long bits = 0;                                                       \
    __builtin_memcpy(&bits, &v, sizeof v);                                             \
    return (unsigned)softcuda_warp(SOFTCUDA_MATCH_ANY, mask, bits, 0, 32, file, line); \
  }
SOFTCUDA_MATCHES(int)
SOFTCUDA_MATCHES(unsigned)
SOFTCUDA_MATCHES(long)
SOFTCUDA_MATCHES(unsigned long)
SOFTCUDA_MATCHES(long long)
SOFTCUDA_MATCHES(unsigned long long)
SOFTCUDA_MATCHES(float)
SOFTCUDA_MATCHES(double)
#undef SOFTCUDA_MATCHES
/* Words of both signs; the sign is extended so that the order is kept. */
#define SOFTCUDA_REDUCTION(name, operation, T)                                                     \
  SOFTCUDA_INLINE T name(unsigned mask, T v, SOFTCUDA_WHERE)                                       \
  {                                                                                                \
    return (T)softcuda_warp(operation, mask, (unsigned long long)(long long)v, 0, 32, file, line); \
  }
SOFTCUDA_REDUCTION(__reduce_add_sync, SOFTCUDA_REDUCE_ADD, unsigned)
SOFTCUDA_REDUCTION(__reduce_add_sync, SOFTCUDA_REDUCE_ADD, int)
SOFTCUDA_REDUCTION(__reduce_min_sync, SOFTCUDA_REDUCE_MIN, unsigned)
SOFTCUDA_REDUCTION(__reduce_min_sync, SOFTCUDA_REDUCE_MIN, int)
SOFTCUDA_REDUCTION(__reduce_max_sync, SOFTCUDA_REDUCE_MAX, unsigned)
SOFTCUDA_REDUCTION(__reduce_max_sync, SOFTCUDA_REDUCE_MAX, int)
SOFTCUDA_REDUCTION(__reduce_and_sync, SOFTCUDA_REDUCE_AND, unsigned)
SOFTCUDA_REDUCTION(__reduce_or_sync, SOFTCUDA_REDUCE_OR, unsigned)
SOFTCUDA_REDUCTION(__reduce_xor_sync, SOFTCUDA_REDUCE_XOR, unsigned)
#undef SOFTCUDA_REDUCTION

SOFTCUDA_INLINE void __threadfence()
{
  softcuda_fence();
}
SOFTCUDA_INLINE void __threadfence_block()
{
  softcuda_fence();
}
SOFTCUDA_INLINE void __threadfence_system()
{
  softcuda_fence();
}
SOFTCUDA_INLINE void __nanosleep(unsigned)
{
  softcuda_fence();
}
SOFTCUDA_INLINE long long clock64()
{
  return (long long)softcuda_clock();
}
SOFTCUDA_INLINE void __trap(SOFTCUDA_WHERE)
{
  softcuda_trap(file, line);
}
#define assert(condition) ((condition) ? (void)0 : softcuda_trap(__FILE__, __LINE__))

/* ---- atomics: threads run one at a time, so plain arithmetic is atomic. In assembly, as these
 * accesses are looked at once, by softcuda_atomic ---- */
template <unsigned> struct softcuda_bits;
template <> struct softcuda_bits<4> {
  typedef unsigned type;
};
template <> struct softcuda_bits<8> {
  typedef unsigned long long type;
};
template <class T> SOFTCUDA_INLINE T softcuda_peek(T *p)
{
  typename softcuda_bits<sizeof(T)>::type bits;
  __asm__ volatile("mov %1, %0" : "=r"(bits) : "m"(*p));
  return __builtin_bit_cast(T, bits);
}
template <class T> SOFTCUDA_INLINE void softcuda_poke(T *p, T v)
{
  auto bits = __builtin_bit_cast(typename softcuda_bits<sizeof(T)>::type, v);
  __asm__ volatile("mov %1, %0" : "=m"(*p) : "r"(bits));
}
#define SOFTCUDA_ATOMIC(name, T, result) \
  SOFTCUDA_INLINE T name(T *p, T v)      \
  {                                      \
    softcuda_atomic(p, sizeof *p);       \
    T old = softcuda_peek(p);            \
    softcuda_poke(p, (T)(result));       \
    return old;                          \
  }
#define SOFTCUDA_ATOMICS(T)                         \
  SOFTCUDA_ATOMIC(atomicMin, T, old < v ? old : v)  \
  SOFTCUDA_ATOMIC(atomicMax, T, old > v ? old : v)  \
  SOFTCUDA_ATOMIC(atomicExch, T, v)                 \
  SOFTCUDA_ATOMIC(atomicAnd, T, old &v)             \
  SOFTCUDA_ATOMIC(atomicOr, T, old | v)             \
  SOFTCUDA_ATOMIC(atomicXor, T, old ^ v)            \
  SOFTCUDA_INLINE T atomicCAS(T *p, T compare, T v) \
  {                                                 \
    softcuda_atomic(p, sizeof *p);                  \
    T old = softcuda_peek(p);                       \
    if (old == compare) softcuda_poke(p, v);        \
    return old;                                     \
  }
SOFTCUDA_ATOMICS(int)
SOFTCUDA_ATOMICS(unsigned)
SOFTCUDA_ATOMICS(long long)
SOFTCUDA_ATOMICS(unsigned long long)
SOFTCUDA_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)v)
SOFTCUDA_ATOMIC(atomicAdd, unsigned, old + v)
SOFTCUDA_ATOMIC(atomicAdd, unsigned long long, old + v)
SOFTCUDA_ATOMIC(atomicAdd, float, old + v)
SOFTCUDA_ATOMIC(atomicAdd, double, old + v)
SOFTCUDA_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)v)
SOFTCUDA_ATOMIC(atomicSub, unsigned, old - v)
SOFTCUDA_ATOMIC(atomicExch, float, v)
SOFTCUDA_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
SOFTCUDA_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#undef SOFTCUDA_ATOMICS
#undef SOFTCUDA_ATOMIC

/* ---- bits ---- */
#define SOFTCUDA_PURE static inline __attribute__((always_inline))
template <class To, class From> SOFTCUDA_PURE To softcuda_cast(From from)
{
  static_assert(sizeof(To) == sizeof(From), "casts of one size");
  return __builtin_bit_cast(To, from);
}
SOFTCUDA_PURE double __longlong_as_double(long long v)
{
  return softcuda_cast<double>(v);
}
SOFTCUDA_PURE long long __double_as_longlong(double v)
{
  return softcuda_cast<long long>(v);
}
SOFTCUDA_PURE float __int_as_float(int v)
{
  return softcuda_cast<float>(v);
}
SOFTCUDA_PURE int __float_as_int(float v)
{
  return softcuda_cast<int>(v);
}
SOFTCUDA_PURE float __uint_as_float(unsigned v)
{
  return softcuda_cast<float>(v);
}
SOFTCUDA_PURE unsigned __float_as_uint(float v)
{
  return softcuda_cast<unsigned>(v);
}
SOFTCUDA_PURE int __double2hiint(double v)
{
  return (int)((unsigned long long)__double_as_longlong(v) >> 32);
}
SOFTCUDA_PURE int __double2loint(double v)
{
  return (int)__double_as_longlong(v);
}
SOFTCUDA_PURE double __hiloint2double(int high, int low)
{
  return __longlong_as_double(
      (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
SOFTCUDA_PURE int __popc(unsigned v)
{
  return __builtin_popcount(v);
}
SOFTCUDA_PURE int __popcll(unsigned long long v)
{
  return __builtin_popcountll(v);
}
SOFTCUDA_PURE int __clz(int v)
{
  return v ? __builtin_clz((unsigned)v) : 32;
}
SOFTCUDA_PURE int __clzll(long long v)
{
  return v ? __builtin_clzll((unsigned long long)v) : 64;
}
SOFTCUDA_PURE int __ffs(int v)
{
  return __builtin_ffs(v);
}
SOFTCUDA_PURE int __ffsll(long long v)
{
  return __builtin_ffsll(v);
}
SOFTCUDA_PURE unsigned __brev(unsigned v)
{
  return __builtin_bitreverse32(v);
}
SOFTCUDA_PURE unsigned long long __brevll(unsigned long long v)
{
  return __builtin_bitreverse64(v);
}
SOFTCUDA_PURE unsigned __umulhi(unsigned a, unsigned b)
{
  return (unsigned)((unsigned long long)a * b >> 32);
}
SOFTCUDA_PURE int __mulhi(int a, int b)
{
  return (int)((long long)a * b >> 32);
}
SOFTCUDA_PURE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
template <class T> SOFTCUDA_PURE T __ldg(const T *p)
{
  return *p;
}
/* For values that atomic operations of other blocks may change meanwhile. */
template <class T> SOFTCUDA_INLINE T __ldcg(const T *p)
{
  softcuda_relaxed(p, sizeof *p);
  return softcuda_peek(p);
}
template <class T> SOFTCUDA_PURE T __ldcs(const T *p)
{
  return *p;
}
template <class T> SOFTCUDA_PURE void __stcs(T *p, T v)
{
  *p = v;
}

/* ---- mathematics ---- */
template <bool, class T> struct softcuda_if {
};
template <class T> struct softcuda_if<true, T> {
  typedef T type;
};
template <class T> using softcuda_integer = typename softcuda_if<__is_integral(T), double>::type;
#define SOFTCUDA_MATH1(F)                                     \
  SOFTCUDA_PURE double F(double x)                            \
  {                                                           \
    return __builtin_##F(x);                                  \
  }                                                           \
  SOFTCUDA_PURE float F(float x)                              \
  {                                                           \
    return __builtin_##F##f(x);                               \
  }                                                           \
  SOFTCUDA_PURE float F##f(float x)                           \
  {                                                           \
    return __builtin_##F##f(x);                               \
  }                                                           \
  template <class T> SOFTCUDA_PURE softcuda_integer<T> F(T x) \
  {                                                           \
    return __builtin_##F((double)x);                          \
  }
/* clang-format off */
SOFTCUDA_MATH1(sqrt) SOFTCUDA_MATH1(cbrt) SOFTCUDA_MATH1(fabs) SOFTCUDA_MATH1(exp) SOFTCUDA_MATH1(exp2)
SOFTCUDA_MATH1(exp10) SOFTCUDA_MATH1(expm1) SOFTCUDA_MATH1(log) SOFTCUDA_MATH1(log2) SOFTCUDA_MATH1(log10)
SOFTCUDA_MATH1(log1p) SOFTCUDA_MATH1(logb) SOFTCUDA_MATH1(sin) SOFTCUDA_MATH1(cos) SOFTCUDA_MATH1(tan)
SOFTCUDA_MATH1(asin) SOFTCUDA_MATH1(acos) SOFTCUDA_MATH1(atan) SOFTCUDA_MATH1(sinh) SOFTCUDA_MATH1(cosh)
SOFTCUDA_MATH1(tanh) SOFTCUDA_MATH1(asinh) SOFTCUDA_MATH1(acosh) SOFTCUDA_MATH1(atanh) SOFTCUDA_MATH1(floor)
SOFTCUDA_MATH1(ceil) SOFTCUDA_MATH1(trunc) SOFTCUDA_MATH1(round) SOFTCUDA_MATH1(rint) SOFTCUDA_MATH1(nearbyint)
SOFTCUDA_MATH1(erf) SOFTCUDA_MATH1(erfc) SOFTCUDA_MATH1(tgamma) SOFTCUDA_MATH1(lgamma)
/* clang-format on */
#undef SOFTCUDA_MATH1
#define SOFTCUDA_MATH2(F)                    \
  SOFTCUDA_PURE double F(double x, double y) \
  {                                          \
    return __builtin_##F(x, y);              \
  }                                          \
  SOFTCUDA_PURE double F(double x, float y)  \
  {                                          \
    return __builtin_##F(x, (double)y);      \
  }                                          \
  SOFTCUDA_PURE double F(float x, double y)  \
  {                                          \
    return __builtin_##F((double)x, y);      \
  }                                          \
  SOFTCUDA_PURE float F(float x, float y)    \
  {                                          \
    return __builtin_##F##f(x, y);           \
  }                                          \
  SOFTCUDA_PURE float F##f(float x, float y) \
  {                                          \
    return __builtin_##F##f(x, y);           \
  }                                          \
  SOFTCUDA_PURE double F(double x, int y)    \
  {                                          \
    return __builtin_##F(x, (double)y);      \
  }
    /* clang-format off */
SOFTCUDA_MATH2(atan2) SOFTCUDA_MATH2(pow) SOFTCUDA_MATH2(fmod) SOFTCUDA_MATH2(hypot) SOFTCUDA_MATH2(fmin)
SOFTCUDA_MATH2(fmax) SOFTCUDA_MATH2(copysign) SOFTCUDA_MATH2(fdim) SOFTCUDA_MATH2(remainder) SOFTCUDA_MATH2(nextafter)
/* clang-format on */
#undef SOFTCUDA_MATH2
                SOFTCUDA_PURE double fma(double a, double b, double c)
{
  return __builtin_fma(a, b, c);
}
SOFTCUDA_PURE float fma(float a, float b, float c)
{
  return __builtin_fmaf(a, b, c);
}
SOFTCUDA_PURE float fmaf(float a, float b, float c)
{
  return __builtin_fmaf(a, b, c);
}
SOFTCUDA_PURE double __fma_rn(double a, double b, double c)
{
  return __builtin_fma(a, b, c);
}
SOFTCUDA_PURE float __fmaf_rn(float a, float b, float c)
{
  return __builtin_fmaf(a, b, c);
}
SOFTCUDA_PURE double __dadd_rn(double a, double b)
{
  return a + b;
}
SOFTCUDA_PURE double __dsub_rn(double a, double b)
{
  return a - b;
}
SOFTCUDA_PURE double __dmul_rn(double a, double b)
{
  return a * b;
}
SOFTCUDA_PURE double __ddiv_rn(double a, double b)
{
  return a / b;
}
SOFTCUDA_PURE double __dsqrt_rn(double a)
{
  return __builtin_sqrt(a);
}
SOFTCUDA_PURE double __drcp_rn(double a)
{
  return 1.0 / a;
}
SOFTCUDA_PURE float __fadd_rn(float a, float b)
{
  return a + b;
}
SOFTCUDA_PURE float __fsub_rn(float a, float b)
{
  return a - b;
}
SOFTCUDA_PURE float __fmul_rn(float a, float b)
{
  return a * b;
}
SOFTCUDA_PURE float __fdiv_rn(float a, float b)
{
  return a / b;
}
SOFTCUDA_PURE float __fsqrt_rn(float a)
{
  return __builtin_sqrtf(a);
}
SOFTCUDA_PURE double rsqrt(double x)
{
  return 1.0 / __builtin_sqrt(x);
}
SOFTCUDA_PURE float rsqrt(float x)
{
  return 1.0f / __builtin_sqrtf(x);
}
SOFTCUDA_PURE float rsqrtf(float x)
{
  return 1.0f / __builtin_sqrtf(x);
}
SOFTCUDA_PURE double rcbrt(double x)
{
  return 1.0 / __builtin_cbrt(x);
}
SOFTCUDA_PURE double scalbn(double x, int n)
{
  return __builtin_scalbn(x, n);
}
SOFTCUDA_PURE float scalbn(float x, int n)
{
  return __builtin_scalbnf(x, n);
}
SOFTCUDA_PURE float scalbnf(float x, int n)
{
  return __builtin_scalbnf(x, n);
}
SOFTCUDA_PURE double ldexp(double x, int n)
{
  return __builtin_ldexp(x, n);
}
SOFTCUDA_PURE float ldexp(float x, int n)
{
  return __builtin_ldexpf(x, n);
}
SOFTCUDA_PURE double frexp(double x, int *n)
{
  return __builtin_frexp(x, n);
}
SOFTCUDA_PURE float frexp(float x, int *n)
{
  return __builtin_frexpf(x, n);
}
SOFTCUDA_PURE int ilogb(double x)
{
  return __builtin_ilogb(x);
}
SOFTCUDA_PURE int ilogb(float x)
{
  return __builtin_ilogbf(x);
}
SOFTCUDA_PURE int ilogbf(float x)
{
  return __builtin_ilogbf(x);
}
SOFTCUDA_PURE void sincos(double x, double *s, double *c)
{
  *s = __builtin_sin(x);
  *c = __builtin_cos(x);
}
SOFTCUDA_PURE void sincos(float x, float *s, float *c)
{
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
SOFTCUDA_PURE double norm3d(double x, double y, double z)
{
  return __builtin_sqrt(x * x + y * y + z * z);
}
SOFTCUDA_PURE long long llrint(double x)
{
  return __builtin_llrint(x);
}
SOFTCUDA_PURE long lrint(double x)
{
  return __builtin_lrint(x);
}
SOFTCUDA_PURE long long llround(double x)
{
  return __builtin_llround(x);
}
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
SOFTCUDA_PURE bool isnan(double x)
{
  return __builtin_isnan(x);
}
SOFTCUDA_PURE bool isnan(float x)
{
  return __builtin_isnan(x);
}
SOFTCUDA_PURE bool isinf(double x)
{
  return __builtin_isinf(x);
}
SOFTCUDA_PURE bool isinf(float x)
{
  return __builtin_isinf(x);
}
SOFTCUDA_PURE bool isfinite(double x)
{
  return __builtin_isfinite(x);
}
SOFTCUDA_PURE bool isfinite(float x)
{
  return __builtin_isfinite(x);
}
SOFTCUDA_PURE bool signbit(double x)
{
  return __builtin_signbit(x);
}
SOFTCUDA_PURE bool signbit(float x)
{
  return __builtin_signbitf(x);
}
SOFTCUDA_PURE int abs(int x)
{
  return x < 0 ? -x : x;
}
SOFTCUDA_PURE long abs(long x)
{
  return x < 0 ? -x : x;
}
SOFTCUDA_PURE long long abs(long long x)
{
  return x < 0 ? -x : x;
}
SOFTCUDA_PURE double abs(double x)
{
  return __builtin_fabs(x);
}
SOFTCUDA_PURE float abs(float x)
{
  return __builtin_fabsf(x);
}
SOFTCUDA_PURE long long llabs(long long x)
{
  return x < 0 ? -x : x;
}
#define SOFTCUDA_EXTREMES(T)    \
  SOFTCUDA_PURE T min(T a, T b) \
  {                             \
    return b < a ? b : a;       \
  }                             \
  SOFTCUDA_PURE T max(T a, T b) \
  {                             \
    return a < b ? b : a;       \
  }
SOFTCUDA_EXTREMES(int)
SOFTCUDA_EXTREMES(unsigned)
SOFTCUDA_EXTREMES(long)
SOFTCUDA_EXTREMES(unsigned long)
SOFTCUDA_EXTREMES(long long)
SOFTCUDA_EXTREMES(unsigned long long)
#undef SOFTCUDA_EXTREMES
SOFTCUDA_PURE unsigned min(int a, unsigned b)
{
  return min((unsigned)a, b);
}
SOFTCUDA_PURE unsigned min(unsigned a, int b)
{
  return min(a, (unsigned)b);
}
SOFTCUDA_PURE unsigned max(int a, unsigned b)
{
  return max((unsigned)a, b);
}
SOFTCUDA_PURE unsigned max(unsigned a, int b)
{
  return max(a, (unsigned)b);
}
SOFTCUDA_PURE double min(double a, double b)
{
  return __builtin_fmin(a, b);
}
SOFTCUDA_PURE double max(double a, double b)
{
  return __builtin_fmax(a, b);
}
SOFTCUDA_PURE float min(float a, float b)
{
  return __builtin_fminf(a, b);
}
SOFTCUDA_PURE float max(float a, float b)
{
  return __builtin_fmaxf(a, b);
}
SOFTCUDA_PURE double min(float a, double b)
{
  return __builtin_fmin((double)a, b);
}
SOFTCUDA_PURE double min(double a, float b)
{
  return __builtin_fmin(a, (double)b);
}
SOFTCUDA_PURE double max(float a, double b)
{
  return __builtin_fmax((double)a, b);
}
SOFTCUDA_PURE double max(double a, float b)
{
  return __builtin_fmax(a, (double)b);
}

/* ---- the table of entries, filled after the text ---- */
template <class F> struct softcuda_signature;
template <class... A> struct softcuda_signature<void(A...)> {
  static constexpr unsigned sizes[] = {(unsigned)sizeof(A)..., 0};
  static constexpr unsigned count = sizeof...(A);
  template <class T, T... I> struct list {
  };
  template <void (*function)(A...), unsigned... I>
  static inline __attribute__((no_sanitize("thread"))) void expand(void **parameters,
                                                                   list<unsigned, I...>)
  {
    function(*(A *)parameters[I]...);
  }
  template <void (*function)(A...)> static void call(void **parameters)
  {
    expand<function>(parameters, __make_integer_seq<list, unsigned, sizeof...(A)>());
  }
};

#endif
