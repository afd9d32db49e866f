/* Finds the processor's instruction sets, name and the width of a tile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/target.h"
#include "backend/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

static void read_names(basin_target *target)
{
  unsigned a, b, c, d, words[12], vendor[3];
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    vendor[0] = b;
    vendor[1] = d;
    vendor[2] = c;
    int length = snprintf(target->model, sizeof target->model, "%.12s", (const char *)vendor);
    if (length > 0 && __get_cpuid(1, &a, &b, &c, &d))
      snprintf(target->model + length, sizeof target->model - (size_t)length, " %08x", a);
  }
  for (unsigned i = 0; i < 3; i++)
    if (!__get_cpuid(0x80000002u + i,
                     &words[4 * i],
                     &words[4 * i + 1],
                     &words[4 * i + 2],
                     &words[4 * i + 3]))
      return;
  char text[sizeof words + 1] = {0};
  memcpy(text, words, sizeof words);
  size_t start = strspn(text, " "), length = strlen(text + start);
  while (length && text[start + length - 1] == ' ') length--;
  snprintf(target->brand, sizeof target->brand, "%.*s", (int)length, text + start);
}

static unsigned register_bytes(basin_target *target)
{
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    target->level = "x86-64-v4";
    target->features = "AVX-512";
    return 64;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    target->level = "x86-64-v3";
    target->features = "AVX2";
    return 32;
  }
  target->level = "x86-64-v2";
  target->features = "SSE4";
  return __builtin_cpu_supports("sse4.2") ? 16 : 0;
}
#else
static void read_names(basin_target *target)
{
  (void)target;
}

static unsigned register_bytes(basin_target *target)
{
  target->level = target->features = "unknown";
  return 0;
}
#endif

static basin_status
override_width(basin_context *context, basin_precision precision, basin_target *target)
{
  const char *text = basin__env("WIDTH");
  if (!text || !*text) return BASIN_OK;
  char *end;
  unsigned long width = strtoul(text, &end, 10);
  if (*end || !(width == 2 || width == 4 || width == 8 ||
                (width == 16 && precision == BASIN_PRECISION_FLOAT)))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "BASIN_WIDTH is '%s'; it can be 2, 4 or 8, and 16 for float",
                      text);
  target->width = (unsigned)width;
  return BASIN_OK;
}

basin_status
basin__target_detect(basin_context *context, basin_precision precision, basin_target *target)
{
  *target = (basin_target){.brand = "unknown processor"};
  read_names(target);
  unsigned bytes = register_bytes(target);
  if (!bytes)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_UNSUPPORTED,
        "the clang back end needs an x86-64 processor with SSE4.2; use device \"cpu:interp\"");
  /* Half a 512-bit register of floats: assembly is as wide as doubles are
   * (docs/decisions/vector-math.md). */
  target->width = bytes / (precision == BASIN_PRECISION_FLOAT ? 4 : 8);
  if (target->width > 8) target->width = 8;
  target->vector_math = basin__symbols_have_vector_math();
  return override_width(context, precision, target);
}
