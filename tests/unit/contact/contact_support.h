/* What the contact tests share: tables of words, and a search over all pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_CONTACT_SUPPORT_H
#define BASIN_TESTS_CONTACT_SUPPORT_H

#include "support.h"
#include <basin/contact.h>
#include <basin/mesh.h>
#include <math.h>
#include <stdio.h>

#define assert_ok(call) assert_int_equal((call), BASIN_OK)
#define CONTACT_DATA    BASIN_TEST_DATA_DIR "/contact/"

static inline void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%.17g and %.17g differ by %g, more than %g", a, b, fabs(a - b), tolerance);
}

/* splitmix64, in [-1, 1). */
static inline double random_unit(uint64_t *state)
{
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

/* ---- tables: lines of words ---- */

typedef struct table {
  FILE *file;
  char line[4096];
  char *at; /* the rest of the line */
} table;

static inline table table_open(const char *name)
{
  table result = {.at = NULL};
  char path[1024];
  snprintf(path, sizeof path, "%s%s", CONTACT_DATA, name);
  result.file = fopen(path, "r");
  if (!result.file) fail_msg("cannot open %s", path);
  return result;
}

/* The next line that is not a comment; false, and the file closed, at the end. */
static inline bool table_next(table *t)
{
  while (fgets(t->line, sizeof t->line, t->file)) {
    t->at = t->line;
    if (t->line[0] != '#') return true;
  }
  fclose(t->file);
  return false;
}

/* Words are copied: they end at a blank. */
static inline const char *table_word(table *t, char word[64])
{
  int used = 0;
  if (sscanf(t->at, "%63s%n", word, &used) != 1) fail_msg("a word is missing: %s", t->line);
  t->at += used;
  return word;
}

static inline double table_number(table *t)
{
  char *end;
  const double value = strtod(t->at, &end);
  if (end == t->at) fail_msg("a number is missing: %s", t->line);
  t->at = end;
  return value;
}

static inline void table_numbers(table *t, size_t count, double *values)
{
  for (size_t i = 0; i < count; ++i) values[i] = table_number(t);
}

/* "point_triangle", "pt", ... */
static inline basin_contact_kind kind_of(const char *word)
{
  static const struct {
    const char *name;
    basin_contact_kind kind;
  } names[] = {{"point_point", BASIN_CONTACT_POINT_POINT},
               {"point_edge", BASIN_CONTACT_POINT_EDGE},
               {"point_triangle", BASIN_CONTACT_POINT_TRIANGLE},
               {"edge_edge", BASIN_CONTACT_EDGE_EDGE},
               {"pt", BASIN_CONTACT_POINT_TRIANGLE},
               {"ee", BASIN_CONTACT_EDGE_EDGE}};
  for (size_t i = 0; i < BASIN_COUNT(names); ++i)
    if (strcmp(word, names[i].name) == 0) return names[i].kind;
  fail_msg("unknown kind %s", word);
  return BASIN_CONTACT_KIND_COUNT;
}

/* ---- contexts and scenes ---- */

static inline basin_context *context_with(unsigned threads)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  options.threads = threads;
  basin_context *context = basin_context_create(&options);
  assert_non_null(context);
  return context;
}

static inline basin_contact *contact_of(basin_context *context,
                                        const basin_contact_description *description)
{
  basin_contact *contact;
  if (basin_contact_create(context, description, &contact) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  return contact;
}

/* ---- all pairs ---- */

/* Calls visit for every candidate that the description makes, found by four double loops: an oracle
 * for everything that goes through the trees. */
typedef void (*pair_visit)(void *user,
                           basin_contact_kind kind,
                           const uint32_t *vertices,
                           const double *x);

static inline bool share_vertex(const uint32_t *a, size_t na, const uint32_t *b, size_t nb)
{
  for (size_t i = 0; i < na; ++i)
    for (size_t k = 0; k < nb; ++k)
      if (a[i] == b[k]) return true;
  return false;
}

static inline void visit_sets(const basin_contact *contact,
                              basin_contact_kind kind,
                              const uint32_t *a,
                              size_t count_a,
                              size_t arity_a,
                              const uint32_t *b,
                              size_t count_b,
                              size_t arity_b,
                              const double *positions,
                              pair_visit visit,
                              void *user)
{
  for (size_t i = 0; i < count_a; ++i)
    for (size_t k = a == b ? i + 1 : 0; k < count_b; ++k) {
      const uint32_t *va = a + i * arity_a, *vb = b + k * arity_b;
      uint32_t v[4] = {0};
      double x[12] = {0};
      if (share_vertex(va, arity_a, vb, arity_b)) continue;
      if (!basin_contact_allows(contact, arity_a, va, arity_b, vb)) continue;
      memcpy(v, va, arity_a * sizeof *v);
      memcpy(v + arity_a, vb, arity_b * sizeof *v);
      for (size_t n = 0; n < arity_a + arity_b; ++n)
        memcpy(x + 3 * n, positions + 3 * (size_t)v[n], 3 * sizeof *x);
      visit(user, kind, v, x);
    }
}

static inline void visit_all(const basin_contact *contact,
                             const basin_contact_description *d,
                             const double *positions,
                             pair_visit visit,
                             void *user)
{
  const uint32_t *points, *edges;
  const size_t point_count = basin_contact_points(contact, &points);
  const size_t edge_count = basin_contact_edges(contact, &edges);
  uint32_t *lone_points = calloc(point_count + 1, sizeof *lone_points);
  uint32_t *lone_edges = calloc(2 * edge_count + 1, sizeof *lone_edges);
  size_t lone_point_count = 0, lone_edge_count = 0;
  for (size_t i = 0; i < point_count; ++i)
    if (!share_vertex(points + i, 1, edges, 2 * edge_count))
      lone_points[lone_point_count++] = points[i];
  for (size_t e = 0; e < edge_count; ++e) {
    bool of_triangle = false;
    for (size_t t = 0; t < d->triangle_count; ++t)
      of_triangle |= share_vertex(edges + 2 * e, 1, d->triangles + 3 * t, 3) &&
                     share_vertex(edges + 2 * e + 1, 1, d->triangles + 3 * t, 3);
    if (!of_triangle) memcpy(lone_edges + 2 * lone_edge_count++, edges + 2 * e, 2 * sizeof *edges);
  }
  visit_sets(contact,
             BASIN_CONTACT_POINT_POINT,
             lone_points,
             lone_point_count,
             1,
             lone_points,
             lone_point_count,
             1,
             positions,
             visit,
             user);
  visit_sets(contact,
             BASIN_CONTACT_POINT_EDGE,
             lone_points,
             lone_point_count,
             1,
             lone_edges,
             lone_edge_count,
             2,
             positions,
             visit,
             user);
  visit_sets(contact,
             BASIN_CONTACT_POINT_TRIANGLE,
             points,
             point_count,
             1,
             d->triangles,
             d->triangle_count,
             3,
             positions,
             visit,
             user);
  visit_sets(contact,
             BASIN_CONTACT_EDGE_EDGE,
             edges,
             edge_count,
             2,
             edges,
             edge_count,
             2,
             positions,
             visit,
             user);
  free(lone_points);
  free(lone_edges);
}

#endif
