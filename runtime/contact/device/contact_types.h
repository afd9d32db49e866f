/* Words of the texts that the CPU and CUDA share: C11 and CUDA C++17 at once. Vectors of three
 * doubles, closest features, motions. On CUDA the including text defines BASIN_CUDA_TEXT.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_TYPES_H
#define BASIN_CONTACT_TYPES_H

#ifdef BASIN_CUDA_TEXT
#define BASIN_SHARED          static __device__ inline
#define BASIN_SHARED_INFINITY __longlong_as_double(0x7ff0000000000000ll)
/* Before loops over the few vertices of a stencil, whose number is known only in the run: NVRTC
 * would unroll them for every number, which costs code, registers and seconds. */
#define BASIN_SHARED_LOOP _Pragma("unroll 1")
/* The kinds of <basin/contact.h>; contact.c compares them. */
typedef enum basin_contact_kind {
  BASIN_CONTACT_POINT_POINT,
  BASIN_CONTACT_POINT_EDGE,
  BASIN_CONTACT_POINT_TRIANGLE,
  BASIN_CONTACT_EDGE_EDGE,
  BASIN_CONTACT_MOLLIFIED_EDGE_EDGE,
  BASIN_CONTACT_MOLLIFIED_POINT_EDGE,
  BASIN_CONTACT_MOLLIFIED_POINT_POINT,
  BASIN_CONTACT_POINT_PLANE,
  BASIN_CONTACT_KIND_COUNT
} basin_contact_kind;
#else
#include <basin/contact.h>
#include <math.h>
#define BASIN_SHARED          static inline
#define BASIN_SHARED_INFINITY HUGE_VAL
#define BASIN_SHARED_LOOP
#endif
/* Large, and called at several places: a text may want one copy. */
#ifndef BASIN_SHARED_LARGE
#define BASIN_SHARED_LARGE BASIN_SHARED
#endif

typedef struct basin__vector3 {
  double x, y, z;
} basin__vector3;

/* The closest vector w = sum c_i x_i, from the second side to the first; its square; the smallest
 * features that hold the closest points, one bit a vertex of the stencil. */
typedef struct basin__closest {
  double squared;
  basin__vector3 vector;
  double coefficients[4];
  unsigned region;
} basin__closest;

/* One question: vertices x + t q, t in [0, 1]. Both are relative to one vertex, so that they are as
 * small as the stencil; `rounding` bounds what was lost before that, in length. */
typedef struct basin__motion {
  basin_contact_kind kind; /* POINT_POINT to EDGE_EDGE */
  basin__vector3 x[4], q[4];
  double separation, rounding;
} basin__motion;

BASIN_SHARED basin__vector3 basin__v3_of(double x, double y, double z)
{
  basin__vector3 v;
  v.x = x;
  v.y = y;
  v.z = z;
  return v;
}

BASIN_SHARED basin__vector3 basin__v3(const double *p)
{
  return basin__v3_of(p[0], p[1], p[2]);
}

BASIN_SHARED basin__vector3 basin__v3_sub(basin__vector3 a, basin__vector3 b)
{
  return basin__v3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* a + s b */
BASIN_SHARED basin__vector3 basin__v3_step(basin__vector3 a, double s, basin__vector3 b)
{
  return basin__v3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

BASIN_SHARED basin__vector3 basin__v3_scale(double s, basin__vector3 a)
{
  return basin__v3_of(s * a.x, s * a.y, s * a.z);
}

BASIN_SHARED double basin__v3_dot(basin__vector3 a, basin__vector3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

BASIN_SHARED basin__vector3 basin__v3_cross(basin__vector3 a, basin__vector3 b)
{
  return basin__v3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

BASIN_SHARED double basin__v3_norm2(basin__vector3 a)
{
  return basin__v3_dot(a, a);
}

#endif
