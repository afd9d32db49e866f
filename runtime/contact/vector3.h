/* Arithmetic of three doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_VECTOR3_H
#define BASIN_CONTACT_VECTOR3_H

#include <math.h>

typedef struct basin__vector3 {
  double x, y, z;
} basin__vector3;

static inline basin__vector3 basin__v3(const double *p)
{
  return (basin__vector3){p[0], p[1], p[2]};
}

static inline basin__vector3 basin__v3_sub(basin__vector3 a, basin__vector3 b)
{
  return (basin__vector3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a + s b */
static inline basin__vector3 basin__v3_step(basin__vector3 a, double s, basin__vector3 b)
{
  return (basin__vector3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline basin__vector3 basin__v3_scale(double s, basin__vector3 a)
{
  return (basin__vector3){s * a.x, s * a.y, s * a.z};
}

static inline double basin__v3_dot(basin__vector3 a, basin__vector3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline basin__vector3 basin__v3_cross(basin__vector3 a, basin__vector3 b)
{
  return (basin__vector3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double basin__v3_norm2(basin__vector3 a)
{
  return basin__v3_dot(a, a);
}

#endif
