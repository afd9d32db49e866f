/* Detectors on the CPU and on a CUDA device, side by side.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_CONTACT_DETECTORS_H
#define BASIN_TESTS_CONTACT_DETECTORS_H

#include "contact/cuda/detector.h"
#include "contact_heap.h"

/* A device with a detector of each kind, and the positions on the device. */
typedef struct pair_of_detectors {
  basin_context *context;
  basin_cuda *cuda;
  basin_contact *cpu;
  basin_cuda_contact *gpu;
  basin_buffer x, p;
  size_t vertices;
} pair_of_detectors;

static inline void send(pair_of_detectors *d, basin_buffer *to, const double *from)
{
  const size_t bytes = 3 * d->vertices * sizeof *from;
  assert_ok(basin__buffer_reserve(d->cuda, to, bytes));
  if (bytes > 0) assert_ok(basin__cuda_upload(d->cuda, to->address, from, bytes));
}

static inline pair_of_detectors detectors_of(const basin_contact_description *description)
{
  pair_of_detectors d = {.context = context_with(2), .vertices = description->vertex_count};
  if (basin__cuda_open(d.context, 0, &d.cuda) != BASIN_OK) {
    print_message("no CUDA device: %s\n", basin_error_text(d.context));
    exit(77);
  }
  d.cpu = contact_of(d.context, description);
  if (basin__cuda_contact_create(d.cuda, d.cpu, &d.gpu) != BASIN_OK)
    fail_msg("%s", basin_error_text(d.context));
  return d;
}

static inline void free_detectors(pair_of_detectors *d)
{
  basin__buffer_release(d->cuda, &d->x);
  basin__buffer_release(d->cuda, &d->p);
  basin__cuda_contact_destroy(d->gpu);
  basin_contact_destroy(d->cpu);
  assert_int_equal(basin__cuda_get_statistics(d->cuda).allocated, 0);
  basin__cuda_close(d->cuda);
  basin_context_destroy(d->context);
}

static inline void expect_numbers(const char *what, size_t count, const double *a, const double *b)
{
  for (size_t i = 0; i < count; ++i)
    if (!(a[i] == b[i])) fail_msg("%s of pair %zu: %.17g and %.17g", what, i, a[i], b[i]);
}

static inline void expect_kind(const pair_of_detectors *d, basin_contact_kind kind)
{
  const basin_contact_pairs a = basin_contact_pairs_get(d->cpu, kind);
  basin_contact_pairs b;
  assert_ok(basin__cuda_contact_pairs(d->gpu, kind, &b));
  if (a.count != b.count)
    fail_msg("%s: %zu and %zu pairs", basin_contact_kind_name(kind), a.count, b.count);
  assert_int_equal(basin__cuda_contact_count(d->gpu, kind), a.count);
  if (a.count == 0) return;
  assert_memory_equal(a.vertices, b.vertices, a.count * a.arity * sizeof *a.vertices);
  expect_numbers("multiplicity", a.count, a.multiplicity, b.multiplicity);
  expect_numbers("squared distance", a.count, a.squared_distance, b.squared_distance);
  expect_numbers("separation", a.count, a.separation, b.separation);
  assert_int_equal(a.threshold != NULL, b.threshold != NULL);
  if (a.threshold) expect_numbers("threshold", a.count, a.threshold, b.threshold);
  assert_int_equal(a.planes != NULL, b.planes != NULL);
  if (a.planes) assert_memory_equal(a.planes, b.planes, a.count * sizeof *a.planes);
}

static inline size_t expect_lists(pair_of_detectors *d, const double *x, double activation)
{
  size_t total = 0;
  double least = HUGE_VAL;
  send(d, &d->x, x);
  assert_ok(basin_contact_detect(d->cpu, x, activation));
  if (basin__cuda_contact_detect(d->gpu, d->x.address, activation) != BASIN_OK)
    fail_msg("%s", basin_error_text(d->context));
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) {
    const basin_contact_pairs pairs = basin_contact_pairs_get(d->cpu, (basin_contact_kind)k);
    expect_kind(d, (basin_contact_kind)k);
    total += pairs.count;
    for (size_t i = 0; i < pairs.count; ++i) least = fmin(least, pairs.squared_distance[i]);
  }
  assert_true(basin__cuda_contact_least_squared(d->gpu) == least);
  assert_int_equal(basin__cuda_contact_version(d->gpu), basin_contact_version(d->cpu));
  return total;
}

/* The smaller edge first, as the device names it; only edges and points meet their own kind. */
static inline void in_order(const basin_contact *contact, basin_contact_kind kind, uint32_t v[4])
{
  const uint32_t *edges;
  if (kind == BASIN_CONTACT_POINT_POINT && v[1] < v[0]) {
    const uint32_t other = v[0];
    v[0] = v[1], v[1] = other;
  }
  if (kind != BASIN_CONTACT_EDGE_EDGE) return;
  const size_t count = basin_contact_edges(contact, &edges);
  for (size_t e = 0; e < count; ++e) {
    if (memcmp(edges + 2 * e, v, 2 * sizeof *v) == 0) return;
    if (memcmp(edges + 2 * e, v + 2, 2 * sizeof *v) == 0) break;
  }
  const uint32_t other[2] = {v[0], v[1]};
  v[0] = v[2], v[1] = v[3], v[2] = other[0], v[3] = other[1];
}

static inline void
expect_steps(pair_of_detectors *d, const double *x, const double *p, double limit)
{
  double a, b;
  basin_contact_impact first_a, first_b;
  send(d, &d->x, x);
  send(d, &d->p, p);
  assert_ok(basin_contact_largest_step(d->cpu, x, p, limit, 0.8, &a, &first_a));
  if (basin__cuda_contact_largest_step(
          d->gpu, d->x.address, d->p.address, limit, 0.8, &b, &first_b) != BASIN_OK)
    fail_msg("%s", basin_error_text(d->context));
  if (!(a == b)) fail_msg("steps %.17g and %.17g", a, b);
  assert_int_equal(first_a.kind, first_b.kind);
  if (first_a.kind == BASIN_CONTACT_KIND_COUNT) return;
  in_order(d->cpu, first_a.kind, first_a.vertices);
  assert_memory_equal(first_a.vertices, first_b.vertices, sizeof first_a.vertices);
  assert_true(first_b.time == b);
}

static inline void
expect_sweep(pair_of_detectors *d, const double *x, const double *p, double limit)
{
  double a, b;
  send(d, &d->x, x);
  send(d, &d->p, p);
  assert_ok(basin_contact_sweep(d->cpu, x, p, limit));
  assert_ok(basin__cuda_contact_sweep(d->gpu, d->x.address, d->p.address, limit));
  for (int k = 0; k <= BASIN_CONTACT_EDGE_EDGE; ++k)
    assert_int_equal(basin_contact_candidate_count(d->cpu, (basin_contact_kind)k),
                     basin__cuda_contact_candidate_count(d->gpu, (basin_contact_kind)k));
  for (int i = 1; i < 4; ++i) {
    assert_ok(basin_contact_step(d->cpu, 0.25 * i, &a));
    assert_ok(basin__cuda_contact_step(d->gpu, 0.25 * i, &b));
    if (!(a == b)) fail_msg("steps %.17g and %.17g of a sweep", a, b);
  }
}

static inline void expect_closest(pair_of_detectors *d, const double *x)
{
  basin_contact_closest a, b;
  send(d, &d->x, x);
  assert_ok(basin_contact_smallest_distance(d->cpu, x, &a));
  assert_ok(basin__cuda_contact_smallest_distance(d->gpu, d->x.address, &b));
  if (!(a.squared_distance == b.squared_distance && a.gap == b.gap))
    fail_msg("distance %.17g, gap %.17g and %.17g, %.17g",
             a.squared_distance,
             a.gap,
             b.squared_distance,
             b.gap);
  assert_int_equal(a.kind, b.kind);
  if (a.kind == BASIN_CONTACT_KIND_COUNT) return;
  in_order(d->cpu, a.kind, a.vertices);
  assert_memory_equal(a.vertices, b.vertices, sizeof a.vertices);
}

#endif
