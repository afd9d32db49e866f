/* Environment variables, all of which are listed in environment.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Names with and without the prefix. */
static const char *const known[][2] = {
#define X(name, doc) {"BASIN_" #name, #name},
#include "base/environment.def"
#undef X
};

/* The variable's whole name, or NULL if it is not in the list. */
static const char *full_name(const char *name)
{
  for (size_t i = 0; i < BASIN_COUNT(known); ++i)
    if (strcmp(known[i][1], name) == 0) return known[i][0];
  return NULL;
}

const char *basin__env(const char *name)
{
  const char *variable = full_name(name);
  BASIN_ASSERT(variable);
  return variable ? getenv(variable) : NULL;
}
