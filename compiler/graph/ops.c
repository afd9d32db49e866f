/* The operator table as data: rows by number, search by name, values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/ops.h"
#include <basin/compiler.h>
#include <math.h>
#include <string.h>

static const basin_op_info rows[] = {
#define COMMUTES BASIN_OP_COMMUTES
#define BOOLEAN  BASIN_OP_BOOLEAN
#define LOGICAL  BASIN_OP_LOGICAL
#define LEAF     BASIN_OP_LEAF
#define LIST     BASIN_OP_LIST
#define EXACT    BASIN_OP_EXACT
#define OUTPUTS  BASIN_OP_OUTPUTS
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes) \
  {name, spelling, "", arity, 0, cost, (uint32_t)(flags), BASIN_OP_CONST},
#define BASIN_MATRIX(id, name, arguments, integers, shape, lower, scalar, doc) \
  {name,                                                                       \
   "",                                                                         \
   doc,                                                                        \
   arguments,                                                                  \
   integers,                                                                   \
   0,                                                                          \
   BASIN_OP_MATRIX | ((arguments) < 0 ? (uint32_t)BASIN_OP_LIST : 0u),         \
   BASIN_OP_##scalar},
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
#undef COMMUTES
#undef BOOLEAN
#undef LOGICAL
#undef LEAF
#undef LIST
#undef EXACT
#undef OUTPUTS
};
_Static_assert(sizeof rows / sizeof *rows == BASIN_OP_COUNT, "one row an operator");

const basin_op_info *basin__op_info(unsigned op)
{
  BASIN_ASSERT(op < BASIN_OP_COUNT);
  return &rows[op];
}

basin_op basin__op_find(const char *name, size_t length, bool matrix)
{
  for (unsigned op = 0; op < BASIN_OP_COUNT; op++) {
    if (((rows[op].flags & BASIN_OP_MATRIX) != 0) != matrix) continue;
    const char *row = rows[op].name;
    if (*row == '.') row++;
    if (!length || row[0] != name[0]) continue; /* most rows differ here already */
    if (strlen(row) == length && memcmp(row, name, length) == 0) return (basin_op)op;
  }
  return BASIN_OP_COUNT;
}

/* Levenshtein distance, capped: words of more than 31 letters are far from everything. */
static unsigned edit_distance(const char *a, const char *b)
{
  unsigned line[32];
  size_t n = strlen(a), m = strlen(b);
  if (n > 31 || m > 31) return 99;
  for (size_t j = 0; j <= m; j++) line[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = line[0];
    line[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned best = diagonal + (a[i - 1] != b[j - 1]);
      if (line[j] + 1 < best) best = line[j] + 1;
      if (line[j - 1] + 1 < best) best = line[j - 1] + 1;
      diagonal = line[j];
      line[j] = best;
    }
  }
  return line[m];
}

const char *basin__op_nearest(const char *name)
{
  const char *best = NULL;
  unsigned least = (unsigned)strlen(name) / 3 + 2; /* farther than this is no help */
  for (unsigned op = 0; op < BASIN_OP_COUNT; op++) {
    if (!(rows[op].flags & BASIN_OP_MATRIX) || *rows[op].name == '.') continue;
    unsigned distance = edit_distance(name, rows[op].name);
    if (distance < least) {
      least = distance;
      best = rows[op].name;
    }
  }
  return best;
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one line a row */
double basin__op_value(basin_op op, double x, double y, double w)
{
  switch (op) {
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes) \
  case BASIN_OP_##id:                                                                 \
    return (value);
#define BASIN_MATRIX(id, ...)
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
  default:
    BASIN_ASSERT(op < BASIN_OP_M_ARRAY); /* matrix operators have no scalar value */
    return (double)NAN;
  }
}

/* ---- the registry that bindings read: applicable matrix rows ---- */

static const basin_operator_info registry[] = {
#define BASIN_SCALAR(id, ...)
#define BASIN_MATRIX(id, name, arguments, integers, shape, lower, scalar, doc) \
  {name, arguments, integers, doc},
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
};

/* The rows made by functions of their own (names starting with '.') stand first. */
static size_t hidden_count(void)
{
  size_t count = 0;
  while (*registry[count].name == '.') count++;
  return count;
}

size_t basin_operator_count(void)
{
  return BASIN_COUNT(registry) - hidden_count();
}

const basin_operator_info *basin_operator(size_t number)
{
  return number < basin_operator_count() ? &registry[number + hidden_count()] : NULL;
}
