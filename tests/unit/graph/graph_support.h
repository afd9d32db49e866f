/* What the graph tests share: a graph with loads fed from an array, forward derivatives built from
 * basin__partial, differences.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_GRAPH_SUPPORT_H
#define BASIN_TESTS_GRAPH_SUPPORT_H

#include "graph/eval.h"
#include "graph/expression.h"
#include "graph/print.h"
#include "graph/small_matrix.h"
#include "graph/verify.h"
#include "support.h"
#include <math.h>
#include <stdio.h>

enum { TEST_ARRAY_SIZE = 64 };

/* Values of array a at component i: data[a][i], whatever the path; INNER k: inner[k]. */
typedef struct test_values {
  double data[4][TEST_ARRAY_SIZE];
} test_values;

static inline double test_load(void *user, const basin_access *access, uint32_t component)
{
  const test_values *values = user;
  return values->data[access->array % 4][component % TEST_ARRAY_SIZE];
}

static inline double test_value(const basin_graph *graph, basin_ref ref, const test_values *values)
{
  test_values copy = *values;
  basin_eval_source source = {test_load, NULL, &copy};
  double value;
  assert_int_equal(basin__evaluate(graph, &ref, 1, &source, &value), BASIN_OK);
  return value;
}

static inline basin_ref test_leaf(basin_graph *graph, unsigned array, unsigned component)
{
  basin_access access = {.array = array};
  return basin__load(graph, basin__access_intern(graph, &access), component);
}

/* d root / d leaf by the chain rule over basin__partial, forward, with every rule of the builder at
 * work. */
static inline basin_ref test_derivative(basin_graph *graph, basin_ref root, basin_ref leaf)
{
  basin_ref *rates = calloc((size_t)root + 1, sizeof *rates);
  unsigned char *wanted = calloc((size_t)root + 1, 1);
  wanted[root] = 1;
  for (basin_ref ref = root; ref > 0; ref--)
    for (uint32_t i = 0; wanted[ref] && i < basin__child_count(graph, ref); i++)
      wanted[basin__child(graph, ref, i)] = 1;
  basin_ref zero = basin__const(graph, 0.0);
  for (basin_ref ref = 1; ref <= root; ref++) {
    if (!wanted[ref]) continue;
    rates[ref] = ref == leaf ? basin__const(graph, 1.0) : zero;
    for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++) {
      basin_ref rate = rates[basin__child(graph, ref, i)];
      if (basin__is_zero(graph, rate)) continue;
      rates[ref] =
          basin__add(graph, rates[ref], basin__mul(graph, rate, basin__partial(graph, ref, i)));
    }
  }
  basin_ref result = rates[root];
  free(wanted);
  free(rates);
  return result;
}

/* Central difference of fourth order of a node with respect to data[array][component]. */
static inline double test_difference(const basin_graph *graph,
                                     basin_ref ref,
                                     const test_values *values,
                                     unsigned array,
                                     unsigned component)
{
  test_values moved = *values;
  double *x = &moved.data[array][component], at = *x, h = at != 0 ? 1e-3 * fabs(at) : 1e-3, f[4];
  const double steps[4] = {-2, -1, 1, 2};
  for (int i = 0; i < 4; i++) {
    *x = at + steps[i] * h;
    f[i] = test_value(graph, ref, &moved);
  }
  return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
}

static inline void test_close(const char *what, double got, double wanted, double tolerance)
{
  if (got == wanted || (isnan(got) && isnan(wanted))) return;
  if (!(fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
    print_error("%s: got %.17g, wanted %.17g\n", what, got, wanted);
    fail();
  }
}

typedef struct test_graph {
  failing_allocator allocator;
  basin_context *context;
  basin_graph *graph;
} test_graph;

static inline void test_open(test_graph *t)
{
  memset(t, 0, sizeof *t);
  t->context = test_context(&t->allocator);
  assert_non_null(t->context);
  assert_int_equal(basin_graph_create(t->context, &t->graph), BASIN_OK);
}

static inline void test_close_graph(test_graph *t)
{
  if (basin__graph_verify(t->graph)) {
    print_error("%s\n", basin_error_text(t->context));
    fail();
  }
  basin_graph_destroy(t->graph);
  basin_context_destroy(t->context);
  assert_int_equal(t->allocator.blocks, 0);
}

#endif
