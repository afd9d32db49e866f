/* Environment variables, all of which are listed in environment.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const char *const known[][2] = {
/* Name with and without the prefix. */
#define X(name, doc) {"BASIN_" #name, #name},
#include "base/environment.def"
#undef X
};

const char *basin__env(const char *name)
{
  for (size_t i = 0; i < BASIN_COUNT(known); ++i)
    if (strcmp(known[i][1], name) == 0) return getenv(known[i][0]);
  BASIN_ASSERT(!"the variable is not listed in environment.def");
  return NULL;
}
