/* Environment variables, all of which are listed in environment.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_MAX (UINT64_C(1) << 40) /* in MiB no overflow of bytes */

/* Names with and without the prefix, and the values that are allowed. */
static const char *const known[][3] = {
#define X(name, values, doc) {"BASIN_" #name, #name, values},
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

/* A whole number from 1 to COUNT_MAX, else 0. */
static uint64_t count_of(const char *text)
{
  char *end = NULL;
  if (text[0] < '0' || text[0] > '9') return 0;
  unsigned long long count = strtoull(text, &end, 10);
  return *end || count > COUNT_MAX ? 0 : (uint64_t)count;
}

uint64_t basin__env_count(const char *name, uint64_t otherwise)
{
  const char *text = basin__env(name);
  uint64_t count = text ? count_of(text) : 0;
  return count > 0 ? count : otherwise;
}

/* True if the text is one of the words, which commas separate. */
static bool among(const char *text, const char *words)
{
  size_t length = strlen(text);
  for (const char *word = words; *word; word += strspn(word, ", ")) {
    size_t size = strcspn(word, ",");
    if (size == length && memcmp(word, text, size) == 0) return true;
    word += size;
  }
  return false;
}

void basin__env_check(basin_context *context)
{
  for (size_t i = 0; i < BASIN_COUNT(known); ++i) {
    const char *text = getenv(known[i][0]), *values = known[i][2];
    bool number = strcmp(values, "1..") == 0;
    if (!text || !text[0] || !values[0]) continue;
    if (number ? count_of(text) > 0 : among(text, values)) continue;
    basin__log(context,
               BASIN_LOG_WARN,
               "%s=%s is %s%s: the default is used",
               known[i][0],
               text,
               number ? "no whole number from 1" : "none of ",
               number ? "" : values);
  }
}
