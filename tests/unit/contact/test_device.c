/* The detector on a CUDA device finds what the CPU's finds: lists, steps, distances, errors.
 * SPDX-License-Identifier: Apache-2.0 */
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
  bool has_offsets;
} pair_of_detectors;

static void send(pair_of_detectors *d, basin_buffer *to, const double *from)
{
  const size_t bytes = 3 * d->vertices * sizeof *from;
  assert_ok(basin__buffer_reserve(d->cuda, to, bytes));
  if (bytes > 0) assert_ok(basin__cuda_upload(d->cuda, to->address, from, bytes));
}

static pair_of_detectors detectors_of(const basin_contact_description *description)
{
  pair_of_detectors d = {.context = context_with(2),
                         .vertices = description->vertex_count,
                         .has_offsets = description->offsets != NULL};
  if (basin__cuda_open(d.context, 0, &d.cuda) != BASIN_OK) {
    print_message("no CUDA device: %s\n", basin_error_text(d.context));
    exit(77);
  }
  d.cpu = contact_of(d.context, description);
  if (basin__cuda_contact_create(d.cuda, d.cpu, &d.gpu) != BASIN_OK)
    fail_msg("%s", basin_error_text(d.context));
  return d;
}

static void free_detectors(pair_of_detectors *d)
{
  basin__buffer_release(d->cuda, &d->x);
  basin__buffer_release(d->cuda, &d->p);
  basin__cuda_contact_destroy(d->gpu);
  basin_contact_destroy(d->cpu);
  assert_int_equal(basin__cuda_get_statistics(d->cuda).allocated, 0);
  basin__cuda_close(d->cuda);
  basin_context_destroy(d->context);
}

static void expect_numbers(const char *what, size_t count, const double *a, const double *b)
{
  for (size_t i = 0; i < count; ++i)
    if (!(a[i] == b[i])) fail_msg("%s of pair %zu: %.17g and %.17g", what, i, a[i], b[i]);
}

static void expect_kind(const pair_of_detectors *d, basin_contact_kind kind)
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

static size_t expect_lists(pair_of_detectors *d, const double *x, double activation)
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
static void in_order(const basin_contact *contact, basin_contact_kind kind, uint32_t v[4])
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

static void expect_steps(pair_of_detectors *d, const double *x, const double *p, double limit)
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

static void expect_sweep(pair_of_detectors *d, const double *x, const double *p, double limit)
{
  double a, b;
  send(d, &d->x, x);
  send(d, &d->p, p);
  assert_ok(basin_contact_sweep(d->cpu, x, p, limit));
  assert_ok(basin__cuda_contact_sweep(d->gpu, d->x.address, d->p.address, limit));
  /* With offsets the boxes of primitives that belong to two bodies may be grown more than needed.
   */
  for (int k = 0; k <= BASIN_CONTACT_EDGE_EDGE; ++k)
    if (!d->has_offsets)
      assert_int_equal(basin_contact_candidate_count(d->cpu, (basin_contact_kind)k),
                       basin__cuda_contact_candidate_count(d->gpu, (basin_contact_kind)k));
  for (int i = 1; i < 4; ++i) {
    assert_ok(basin_contact_step(d->cpu, 0.25 * i, &a));
    assert_ok(basin__cuda_contact_step(d->gpu, 0.25 * i, &b));
    if (!(a == b)) fail_msg("steps %.17g and %.17g of a sweep", a, b);
  }
}

static void expect_closest(pair_of_detectors *d, const double *x)
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

/* Every query at two positions, the second as refitted trees see it. */
static void expect_all(heap *h, double reach)
{
  pair_of_detectors d = detectors_of(&h->d);
  for (int again = 0; again < 2; ++again) {
    assert_true(expect_lists(&d, h->x, reach) > 0 || h->vertices < 50);
    expect_closest(&d, h->x);
    expect_steps(&d, h->x, h->p, 1);
    expect_sweep(&d, h->x, h->p, 0.5);
    for (size_t i = 0; i < 3 * h->vertices; ++i) h->x[i] += 0.7 * h->p[i];
  }
  free_detectors(&d);
}

static void heaps(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-6, 1e3}, shifts[] = {0, 1048576};
  for (int round = 0; round < 6; ++round) {
    const double scale = scales[round % 3];
    heap h = make_heap((uint64_t)round, round == 0 ? 2 : 60, scale, shifts[round % 2]);
    expect_all(&h, 0.1 * scale);
    free_heap(&h);
  }
}

/* Mollified kinds, planes, offsets, a table of bodies, exact boxes; all at once and one by one. */
static void rules(void **state)
{
  (void)state;
  static const double offsets[] = {0.01, 0, 0.02, 0.005};
  static const uint8_t on_planes[] = {1, 0, 1, 1};
  static const uint8_t touching[] = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1};
  static const basin_contact_plane planes[] = {
      {{0, 1, 0}, -1.2}, {{0, 0, 1}, -0.9}, {{0.6, 0.8, 0}, -1.5}};
  for (unsigned mask = 1; mask < 64; mask = mask < 32 ? 2 * mask : mask == 32 ? 63 : 64) {
    heap h = make_heap(100 + mask, 50, 1, 0);
    double *rest = malloc(3 * h.vertices * sizeof *rest);
    for (size_t i = 0; i < 3 * h.vertices; ++i) rest[i] = 3 * h.x[i];
    h.d.body_count = 4;
    if (mask & 1) h.d.rest_positions = rest;
    if (mask & 2) h.d.plane_count = 3, h.d.planes = planes;
    if (mask & 4) h.d.offsets = offsets;
    if (mask & 8) h.d.body_pairs = touching;
    if (mask & 16) h.d.exact_boxes = true;
    if (mask & 32) h.d.separation = 0.003, h.d.plane_bodies = on_planes;
    expect_all(&h, 0.08);
    free(rest);
    free_heap(&h);
  }
}

/* Lists and steps do not depend on the order in which threads append; a flat grid has many equal
 * ones. */
static void equal_pairs(void **state)
{
  (void)state;
  enum { N = 9 };
  double x[2 * N * N * 3], p[2 * N * N * 3];
  uint32_t triangles[2 * 2 * (N - 1) * (N - 1) * 3];
  size_t n = 0;
  for (size_t v = 0; v < 2 * N * N; ++v) {
    const size_t layer = v / (N * N), i = v % N, j = v / N % N;
    x[3 * v] = (double)i, x[3 * v + 1] = 0.5 * (double)layer, x[3 * v + 2] = (double)j;
    p[3 * v] = p[3 * v + 2] = 0, p[3 * v + 1] = layer ? -1 : 0;
    if (i + 1 == N || j + 1 == N) continue;
    const uint32_t corners[6] = {(uint32_t)v,
                                 (uint32_t)v + 1,
                                 (uint32_t)v + N,
                                 (uint32_t)v + 1,
                                 (uint32_t)v + N + 1,
                                 (uint32_t)v + N};
    memcpy(triangles + 3 * n, corners, sizeof corners);
    n += 2;
  }
  basin_contact_description description = basin_contact_description_defaults();
  description.vertex_count = 2 * N * N;
  description.triangle_count = n;
  description.triangles = triangles;
  pair_of_detectors d = detectors_of(&description);
  assert_true(expect_lists(&d, x, 0.75) > 100);
  expect_closest(&d, x);
  expect_steps(&d, x, p, 1);
  free_detectors(&d);
}

/* The version changes with stencils and multiplicities only; buffers grow with the reach. */
static void versions(void **state)
{
  (void)state;
  heap h = make_heap(7, 80, 1, 0);
  pair_of_detectors d = detectors_of(&h.d);
  const double reaches[] = {0.01, 0.02, 0.02, 0.3, 0.3, 0.01, 1e-7, 0.2};
  for (size_t i = 0; i < BASIN_COUNT(reaches); ++i) expect_lists(&d, h.x, reaches[i]);
  const uint64_t version = basin__cuda_contact_version(d.gpu);
  for (size_t i = 0; i < 3 * h.vertices; ++i) h.x[i] *= 1 + 1e-9;
  expect_lists(&d, h.x, 0.2);
  assert_int_equal(basin__cuda_contact_version(d.gpu), version);
  free_detectors(&d);
  free_heap(&h);
}

/* What is fetched does not depend on the number of pairs; nothing is compiled after the first call.
 */
static void only_scalars_come_back(void **state)
{
  (void)state;
  heap h = make_heap(8, 120, 1, 0);
  pair_of_detectors d = detectors_of(&h.d);
  double step;
  expect_lists(&d, h.x, 0.2);
  expect_steps(&d, h.x, h.p, 1);
  send(&d, &d.x, h.x);
  const basin_cuda_statistics before = basin__cuda_get_statistics(d.cuda);
  assert_ok(basin__cuda_contact_detect(d.gpu, d.x.address, 0.1));
  assert_ok(basin__cuda_contact_largest_step(d.gpu, d.x.address, d.p.address, 1, 0.8, &step, NULL));
  const basin_cuda_statistics after = basin__cuda_get_statistics(d.cuda);
  assert_true(after.downloads - before.downloads <= 5);
  assert_true(after.downloaded_bytes - before.downloaded_bytes <= 5 * sizeof(basin_cuda_status));
  assert_int_equal(after.compiled, before.compiled);
  assert_int_equal(after.uploads, before.uploads);
  free_detectors(&d);
  free_heap(&h);
}

static void expect_error(pair_of_detectors *d, basin_status status, basin_status expected)
{
  const size_t length = strlen(basin_error_text(d->context));
  assert_int_equal(status, expected);
  assert_true(length > 0);
}

static void errors(void **state)
{
  (void)state;
  heap h = make_heap(9, 40, 1, 0);
  pair_of_detectors d = detectors_of(&h.d);
  double step;
  send(&d, &d.x, h.x);
  send(&d, &d.p, h.p);
  const basin_address x = d.x.address, p = d.p.address;
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, 0), BASIN_ERROR_ARGUMENT);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, NAN), BASIN_ERROR_ARGUMENT);
  expect_error(&d, basin__cuda_contact_step(d.gpu, 0.5, &step), BASIN_ERROR_STATE);
  expect_error(
      &d, basin__cuda_contact_largest_step(d.gpu, x, p, 1, 1, &step, NULL), BASIN_ERROR_ARGUMENT);
  expect_error(&d,
               basin__cuda_contact_largest_step(d.gpu, x, p, -1, 0.5, &step, NULL),
               BASIN_ERROR_ARGUMENT);
  assert_true(expect_lists(&d, h.x, 0.1) > 0);
  const double kept = h.x[100], moved = h.p[40];
  h.x[100] = NAN;
  send(&d, &d.x, h.x);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, 0.1), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_text(d.context), "position of vertex 33"));
  assert_int_equal(basin__cuda_contact_count(d.gpu, BASIN_CONTACT_POINT_TRIANGLE), 0);
  h.x[100] = kept, h.p[40] = HUGE_VAL;
  send(&d, &d.x, h.x);
  send(&d, &d.p, h.p);
  expect_error(&d,
               basin__cuda_contact_largest_step(d.gpu, x, p, 1, 0.5, &step, NULL),
               BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_text(d.context), "motion of vertex 13"));
  h.p[40] = moved;
  assert_true(expect_lists(&d, h.x, 0.1) > 0);
  expect_steps(&d, h.x, h.p, 1);
  free_detectors(&d);
  h.d.pair_limit = 200;
  d = detectors_of(&h.d);
  send(&d, &d.x, h.x);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, d.x.address, 0.9), BASIN_ERROR_LENGTH);
  assert_int_equal(basin__cuda_contact_count(d.gpu, BASIN_CONTACT_EDGE_EDGE), 0);
  assert_true(expect_lists(&d, h.x, 1e-3) > 0);
  free_detectors(&d);
  free_heap(&h);
}

static void empty_sets(void **state)
{
  (void)state;
  heap h = make_heap(10, 30, 1, 0);
  for (unsigned mask = 0; mask < 8; ++mask) {
    basin_contact_description description = h.d;
    if (!(mask & 1)) description.point_count = 0;
    if (!(mask & 2)) description.edge_count = 0;
    if (!(mask & 4)) description.triangle_count = 0;
    pair_of_detectors d = detectors_of(&description);
    expect_lists(&d, h.x, 0.3);
    expect_closest(&d, h.x);
    expect_steps(&d, h.x, h.p, 1);
    expect_sweep(&d, h.x, h.p, 1);
    free_detectors(&d);
  }
  basin_contact_description none = basin_contact_description_defaults();
  pair_of_detectors d = detectors_of(&none);
  assert_int_equal(expect_lists(&d, h.x, 0.3), 0);
  expect_closest(&d, h.x);
  expect_steps(&d, h.x, h.p, 1);
  free_detectors(&d);
  free_heap(&h);
}

/* Pairs that turn about their closest points must be cut, the same way on both sides. */
static void turning_pairs(void **state)
{
  (void)state;
  enum { PAIRS = 40 };
  uint64_t seed = 11;
  double x[12 * PAIRS], p[12 * PAIRS];
  uint32_t edges[4 * PAIRS], bodies[4 * PAIRS];
  for (uint32_t i = 0; i < PAIRS; ++i) {
    const double angle = 3 * random_unit(&seed), height = 0.02 + 0.01 * random_unit(&seed);
    const double from[12] = {
        -1, height, 0, 1, height, 0, -cos(angle), 0, -sin(angle), cos(angle), 0, sin(angle)};
    for (uint32_t k = 0; k < 12; ++k) {
      x[12 * i + k] = from[k] + (k % 3 == 0 ? 10.0 * i : 0);
      p[12 * i + k] = (k < 6 ? 0 : k % 3 == 1 ? 0.3 : 2) * random_unit(&seed);
    }
    for (uint32_t k = 0; k < 4; ++k) edges[4 * i + k] = bodies[4 * i + k] = 4 * i + k;
    for (uint32_t k = 0; k < 4; ++k) bodies[4 * i + k] = 1 + k / 2;
  }
  basin_contact_description description = basin_contact_description_defaults();
  description.vertex_count = 4 * PAIRS;
  description.edge_count = 2 * PAIRS;
  description.edges = edges;
  description.bodies = bodies;
  pair_of_detectors d = detectors_of(&description);
  expect_steps(&d, x, p, 1);
  expect_sweep(&d, x, p, 0.1);
  free_detectors(&d);
}

/* A mesh against itself and against a turned copy that falls on it. */
static void meshes(void **state)
{
  (void)state;
  static const char *const names[] = {"sphere1K.msh", "link.msh"};
  basin_context *context = context_with(1);
  for (size_t m = 0; m < BASIN_COUNT(names); ++m) {
    char path[1024];
    basin_mesh *solid, *mesh;
    snprintf(path, sizeof path, "%s/meshes/%s", BASIN_TEST_DATA_DIR, names[m]);
    if (basin_mesh_read(context, path, NULL, &solid) != BASIN_OK)
      fail_msg("%s", basin_error_text(context));
    assert_ok(basin_mesh_surface(solid, &mesh));
    basin_mesh_destroy(solid);
    const size_t count = basin_mesh_count(mesh, BASIN_MESH_POINT);
    const size_t triangle_count = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE);
    const uint32_t *cells = basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE);
    const double *points = basin_mesh_points(mesh);
    double *x = malloc(6 * count * sizeof *x), *p = calloc(6 * count, sizeof *p);
    uint32_t *triangles = malloc(6 * triangle_count * sizeof *triangles);
    uint32_t *bodies = malloc(2 * count * sizeof *bodies);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t v = 0; v < count; ++v) {
      low = fmin(low, points[3 * v + 1]);
      high = fmax(high, points[3 * v + 1]);
    }
    for (size_t v = 0; v < 2 * count; ++v) {
      const double *from = points + 3 * (v % count);
      const bool second = v >= count;
      x[3 * v] = second ? -from[2] : from[0];
      x[3 * v + 1] = from[1] + (second ? 1.02 * (high - low) : 0);
      x[3 * v + 2] = second ? from[0] : from[2];
      p[3 * v + 1] = second ? low - high : 0;
      bodies[v] = 1 + second;
    }
    for (size_t i = 0; i < 6 * triangle_count; ++i)
      triangles[i] =
          cells[i % (3 * triangle_count)] + (i < 3 * triangle_count ? 0 : (uint32_t)count);
    basin_contact_description description = basin_contact_description_defaults();
    description.vertex_count = 2 * count;
    description.triangle_count = 2 * triangle_count;
    description.triangles = triangles;
    if (m == 0) description.bodies = bodies;
    if (m == 1) description.rest_positions = x;
    pair_of_detectors d = detectors_of(&description);
    expect_closest(&d, x);
    expect_steps(&d, x, p, 1);
    expect_sweep(&d, x, p, 0.3);
    assert_true(expect_lists(&d, x, 0.03 * (high - low)) > 0);
    free_detectors(&d);
    free(x), free(p), free(triangles), free(bodies);
    basin_mesh_destroy(mesh);
  }
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(heaps),
                                     cmocka_unit_test(rules),
                                     cmocka_unit_test(equal_pairs),
                                     cmocka_unit_test(versions),
                                     cmocka_unit_test(only_scalars_come_back),
                                     cmocka_unit_test(errors),
                                     cmocka_unit_test(empty_sets),
                                     cmocka_unit_test(turning_pairs),
                                     cmocka_unit_test(meshes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
