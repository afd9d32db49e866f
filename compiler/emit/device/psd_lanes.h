/* The lanes of the batched projection: vectors wider than one tile, so that latencies overlap. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_PSD_LANES_H
#define BASIN_DEVICE_PSD_LANES_H

/* Everything here works on any vector of the dialect, on `real` (one tile) and on
 * `basin_psd_real` (one batch of the eigen-solver), and on plain scalars under CUDA. */
#if defined(__CUDACC__)

#define BASIN_PSD_WIDTH    1
#define BASIN_PSD_INLINE   static __device__ __forceinline__
#define BASIN_PSD_NOINLINE static __device__ __noinline__
typedef bool basin_psd_lane_mask;
typedef real basin_psd_real;
typedef bool basin_psd_mask;
#define BASIN_PSD_LANES        1
#define basin_psd_any(mask)    (mask)
#define basin_psd_not(mask)    (!(mask))
#define basin_psd_fma(a, b, c) fma(a, b, c)
#define basin_psd_sqrt(a)      sqrt(a)
#define basin_psd_abs(a)       fabs(a)

/* Shared memory of a warp, for the matrices it works on together; enough for all sizes up to
 * BASIN_PSD_LARGEST, which a kernel defines before the first. In numbers: two packed triangles and
 * a square for each of four matrices up to 8 rows, two up to 16, one beyond. */
#ifndef BASIN_PSD_LARGEST
#define BASIN_PSD_LARGEST 24
#endif
#define BASIN_PSD_DESK(n)             ((n) * ((n) + 1 + ((n) | 1)))
#define BASIN_PSD_ROOM_AT_LEAST(a, b) ((a) > (b) ? (a) : (b))
#if BASIN_PSD_LARGEST <= 8
#define BASIN_PSD_ROOM (4 * BASIN_PSD_DESK(BASIN_PSD_LARGEST))
#elif BASIN_PSD_LARGEST <= 16
#define BASIN_PSD_ROOM \
  BASIN_PSD_ROOM_AT_LEAST(4 * BASIN_PSD_DESK(8), 2 * BASIN_PSD_DESK(BASIN_PSD_LARGEST))
#else
#define BASIN_PSD_ROOM \
  BASIN_PSD_ROOM_AT_LEAST(2 * BASIN_PSD_DESK(16), BASIN_PSD_DESK(BASIN_PSD_LARGEST))
#endif
#define BASIN_PSD_WARPS (BASIN_CUDA_THREADS / 32)

#ifndef basin_psd_room /* else the kernel has memory for other uses too */
BASIN_PSD_INLINE void *basin_psd_room()
{
  __shared__ real room[BASIN_PSD_WARPS][BASIN_PSD_ROOM];
  return room[threadIdx.x / 32];
}
#endif

#else

#define BASIN_PSD_WIDTH    BASIN_WIDTH
#define BASIN_PSD_INLINE   static inline __attribute__((always_inline))
#define BASIN_PSD_NOINLINE static __attribute__((noinline))
typedef real basin_psd_tile;
typedef __typeof__(*(real *)0 < *(real *)0) basin_psd_lane_mask;
#ifndef BASIN_PSD_LANES
#define BASIN_PSD_LANES (2 * BASIN_WIDTH)
#endif
typedef basin_scalar basin_psd_real __attribute__((ext_vector_type(BASIN_PSD_LANES)));
typedef __typeof__(*(basin_psd_real *)0 < *(basin_psd_real *)0) basin_psd_mask;
#define basin_psd_any(mask) (__builtin_reduce_or(mask) != 0)
#define basin_psd_not(mask) (~(mask))
#if defined(__FMA__) || defined(__aarch64__)
#define basin_psd_fma(a, b, c) __builtin_elementwise_fma(a, b, c)
#else
#define basin_psd_fma(a, b, c) ((a) * (b) + (c))
#endif
#define basin_psd_sqrt(a) __builtin_elementwise_sqrt(a)
#define basin_psd_abs(a)  __builtin_elementwise_abs(a)

#endif

#define basin_psd_select(mask, a, b) ((mask) ? (a) : (b))
#define basin_psd_max(a, b)          basin_psd_select((a) > (b), a, b)
#define basin_psd_min(a, b)          basin_psd_select((a) < (b), a, b)

/* Rounding unit of the precision in use; squares below TINY count as zero; matrices with entries
 * beyond HUGE are left alone. */
#define BASIN_PSD_DOUBLE  (sizeof(basin_scalar) == 8)
#define BASIN_PSD_EPSILON (BASIN_PSD_DOUBLE ? 2.220446049250313e-16 : 1.1920928955078125e-7)
#define BASIN_PSD_TINY    (BASIN_PSD_DOUBLE ? 1e-280 : 1e-34)
#define BASIN_PSD_HUGE    (BASIN_PSD_DOUBLE ? 1e300 : 1e36)

/* In rounding units times n, relative to the largest entry: how negative an eigenvalue the test by
 * pivots lets pass. */
#define BASIN_PSD_SHIFT (BASIN_PSD_DOUBLE ? 8 : 2)
/* In rounding units: the coupling that a QR sweep may leave, and below what an eigenvalue counts as
 * zero, which must be more. The projection moves no further than the matrix does, in the Frobenius
 * norm, so the error stays below these times sqrt(n). */
#define BASIN_PSD_NEGLIGIBLE (BASIN_PSD_DOUBLE ? 256 : 4)
#define BASIN_PSD_EDGE       (BASIN_PSD_DOUBLE ? 640 : 2 * BASIN_PSD_N)
/* Least square of a coupling, so that no minor of x I - T vanishes for want of it. */
#define BASIN_PSD_FLOOR (BASIN_PSD_DOUBLE ? 1e-60 : 1e-30)
/* Minors are scaled back once in so many steps of their recurrence. */
#define BASIN_PSD_RESCALE (BASIN_PSD_DOUBLE ? 12 : 3)
/* Where the search for negative eigenvalues starts; what lies between that and zero comes last. */
#define BASIN_PSD_START (BASIN_PSD_DOUBLE ? 1e-6 : 1e-2)
/* Laguerre's iteration: steps at most, the error (in rounding units) it may leave, the largest
 * step. */
#define BASIN_PSD_LAGUERRE 16
#define BASIN_PSD_CLOSE    4
#define BASIN_PSD_FAR      1e6f
/* Most QR sweeps for one eigenvalue (tests lower it to get at what follows), most cycles of
 * Jacobi's method. */
#ifndef BASIN_PSD_SWEEPS
#define BASIN_PSD_SWEEPS 8
#endif
#define BASIN_PSD_CYCLES 40

/* Projection modes; the numbers are those of the kernel plan. */
#define BASIN_PSD_NONE  0
#define BASIN_PSD_CLAMP 1
#define BASIN_PSD_ABS   2

/* Elements a chunk holds at most. */
#ifndef BASIN_PSD_CHUNK
#define BASIN_PSD_CHUNK 256
#endif

/* 1 / a and 1 / sqrt(a) to a rounding unit or two: where vectors of eight doubles have estimates to
 * 14 bits, those and two steps of Newton's method, which keep the multipliers busy instead of the
 * one unit that divides. Zero and infinity give NaN then. */
#if defined(__AVX512F__) && !defined(__CUDACC__)
typedef double basin_psd_part __attribute__((vector_size(64)));
#define BASIN_PSD_ESTIMATES (BASIN_PSD_DOUBLE && BASIN_PSD_LANES % 8 == 0)

typedef union basin_psd_parts {
  basin_psd_real all;
  basin_psd_part parts[BASIN_PSD_LANES / 8 + 1];
} basin_psd_parts;

BASIN_PSD_INLINE basin_psd_real basin_psd_inverse(basin_psd_real a)
{
  basin_psd_parts u = {.all = a};
  if (!BASIN_PSD_ESTIMATES) return 1 / a;
  for (int i = 0; i < BASIN_PSD_LANES / 8; i++)
    u.parts[i] = __builtin_ia32_rcp14pd512_mask(u.parts[i], u.parts[i], (unsigned char)255);
  const basin_psd_real one = (basin_psd_real)(basin_scalar)1;
  u.all = basin_psd_fma(u.all, basin_psd_fma(-a, u.all, one), u.all);
  return basin_psd_fma(u.all, basin_psd_fma(-a, u.all, one), u.all);
}

BASIN_PSD_INLINE basin_psd_real basin_psd_inverse_sqrt(basin_psd_real a)
{
  basin_psd_parts u = {.all = a};
  if (!BASIN_PSD_ESTIMATES) return 1 / basin_psd_sqrt(a);
  for (int i = 0; i < BASIN_PSD_LANES / 8; i++)
    u.parts[i] = __builtin_ia32_rsqrt14pd512_mask(u.parts[i], u.parts[i], (unsigned char)255);
  const basin_psd_real half = a * (basin_scalar)-0.5, three = (basin_psd_real)(basin_scalar)1.5;
  u.all *= basin_psd_fma(half * u.all, u.all, three);
  return u.all * basin_psd_fma(half * u.all, u.all, three);
}
#else
#define basin_psd_inverse(a)      (1 / (a))
#define basin_psd_inverse_sqrt(a) (1 / basin_psd_sqrt(a))
#endif

BASIN_PSD_INLINE basin_psd_real basin_psd_splat(double value)
{
  return (basin_psd_real)(basin_scalar)value;
}

#endif
