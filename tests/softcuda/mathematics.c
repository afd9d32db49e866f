/* The mathematics of compiled text: the C library's. With SOFTCUDA_MATH=1 what a device does not
 * round correctly is off by a unit in the last place here and there, as it is on a device: who
 * compares bits with the CPU's then finds that they differ. SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "softcuda.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define EXACT(X)                                                                                  \
  X(sqrt) X(fabs) X(logb) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(fmod) X(fmin) \
  X(fmax) X(copysign) X(fdim) X(remainder) X(nextafter) X(fma) X(scalbn) X(ldexp) X(frexp) X(ilogb)
#define ROUGH1(X)                                                                                 \
  X(cbrt) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan)  \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)       \
  X(tgamma) X(lgamma)
#define ROUGH2(X) X(atan2) X(pow) X(hypot)
/* clang-format on */

/* -1, 0, 1, or 2 for 0, from the digits alone: the same each time. */
static int digits_hash(uint64_t bits)
{
  return (int)(bits * 0x9e3779b97f4a7c15u >> 62) - 1;
}

/* Special values and those of few digits, which devices get right, stay as they are. */
static double off(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (!isfinite(value) || value == 0 || (bits & 0x3ffffff) == 0) return value;
  int by = digits_hash(bits);
  return by > 1 || by == 0 ? value : nextafter(value, by > 0 ? HUGE_VAL : -HUGE_VAL);
}

static float off_f(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (!isfinite(value) || value == 0 || (bits & 0xfff) == 0) return value;
  int by = digits_hash(bits);
  return by > 1 || by == 0 ? value : nextafterf(value, by > 0 ? HUGE_VALF : -HUGE_VALF);
}

#define X(F)                         \
  static double rough_##F(double x)  \
  {                                  \
    return off(F(x));                \
  }                                  \
  static float rough_##F##f(float x) \
  {                                  \
    return off_f(F##f(x));           \
  }
ROUGH1(X)
#undef X
#define X(F)                                  \
  static double rough_##F(double x, double y) \
  {                                           \
    return off(F(x, y));                      \
  }                                           \
  static float rough_##F##f(float x, float y) \
  {                                           \
    return off_f(F##f(x, y));                 \
  }
ROUGH2(X)
#undef X

static void rough_sincos(double x, double *s, double *c)
{
  *s = rough_sin(x);
  *c = rough_cos(x);
}

static void rough_sincosf(float x, float *s, float *c)
{
  *s = rough_sinf(x);
  *c = rough_cosf(x);
}

typedef struct entry {
  const char *name;
  softcuda_function function, rough;
} entry;

static const entry functions[] = {
#define X(F)                                        \
  {#F, (softcuda_function)F, (softcuda_function)F}, \
      {#F "f", (softcuda_function)F##f, (softcuda_function)F##f},
    EXACT(X)
#undef X
#define X(F)                                                \
  {#F, (softcuda_function)F, (softcuda_function)rough_##F}, \
      {#F "f", (softcuda_function)F##f, (softcuda_function)rough_##F##f},
        ROUGH1(X) ROUGH2(X) X(sincos)
#undef X
            {"llrint", (softcuda_function)llrint, (softcuda_function)llrint},
    {"lrint", (softcuda_function)lrint, (softcuda_function)lrint},
    {"llround", (softcuda_function)llround, (softcuda_function)llround},
};

softcuda_function softcuda_mathematics(const char *name)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return softcuda_setting("SOFTCUDA_MATH", 0) ? functions[i].rough : functions[i].function;
  return NULL;
}
