/* Addresses of mathematical functions for the object loader.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/symbols.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The functions of device/math_cpu.h and their number of arguments. */
/* clang-format off */
#define FUNCTIONS(X)                                                                              \
  X(exp, 1) X(expm1, 1) X(log, 1) X(log1p, 1) X(sin, 1) X(cos, 1) X(tan, 1) X(asin, 1) X(acos, 1) \
  X(atan, 1) X(sinh, 1) X(cosh, 1) X(tanh, 1) X(atan2, 2) X(pow, 2)
/* clang-format on */

static basin_code plain_symbol(const char *name)
{
  static const struct {
    const char *name;
    basin_code function;
  } table[] = {
#define X(F, arguments) {#F, (basin_code)F}, {#F "f", (basin_code)F##f},
      FUNCTIONS(X)
#undef X
          {"fmod", (basin_code)fmod},
      {"fma", (basin_code)fma},
      {"fmaf", (basin_code)fmaf},
      {"memcpy", (basin_code)memcpy},
      {"memset", (basin_code)memset},
      {"memmove", (basin_code)memmove},
  };
  for (size_t i = 0; i < BASIN_COUNT(table); i++)
    if (strcmp(table[i].name, name) == 0) return table[i].function;
  return NULL;
}

static void *vector_library;

static void open_vector_library(void)
{
  vector_library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
}

static basin_code vector_symbol(const char *name)
{
  /* Opened once for the process and never closed: its code must outlive every kernel. */
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_vector_library);
  void *address = vector_library ? dlsym(vector_library, name) : NULL;
  basin_code function = NULL;
  memcpy(&function, &address, sizeof function);
  return function;
}

basin_code basin__symbol(void *user, const char *name)
{
  (void)user;
  return strncmp(name, "_ZGV", 4) == 0 ? vector_symbol(name) : plain_symbol(name);
}

bool basin__symbols_have_vector_math(void)
{
  static const char *const prefixes[] = {"bN2", "dN4", "eN8"}, *const float_prefixes[] = {
                                                                   "bN4", "dN8", "eN16"};
#if defined(__x86_64__)
  char name[64];
  for (size_t i = 0; i < BASIN_COUNT(prefixes); i++) {
#define X(f, arguments)                                                                       \
  snprintf(name, sizeof name, "_ZGV%s%s_" #f, prefixes[i], &"vv"[2 - (arguments)]);           \
  if (!vector_symbol(name)) return false;                                                     \
  snprintf(name, sizeof name, "_ZGV%s%s_" #f "f", float_prefixes[i], &"vv"[2 - (arguments)]); \
  if (!vector_symbol(name)) return false;
    FUNCTIONS(X)
#undef X
  }
  return true;
#else
  (void)prefixes;
  (void)float_prefixes;
  return false;
#endif
}
