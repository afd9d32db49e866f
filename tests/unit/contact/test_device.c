/* The detector on a CUDA device finds what the CPU's finds: lists, steps, distances.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_detectors.h"

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

/* Candidates serve several calls while things move a little; a long motion and a return to rest. */
static void reused_candidates(void **state)
{
  (void)state;
  heap h = make_heap(13, 60, 1, 0);
  pair_of_detectors d = detectors_of(&h.d);
  for (int call = 0; call < 12; ++call) {
    const double much = call == 6 ? 1 : 0.02;
    for (size_t i = 0; i < 3 * h.vertices; ++i) h.x[i] += 0.3 * much * h.p[i];
    for (size_t i = 0; i < 3 * h.vertices; ++i) h.p[i] *= call % 2 ? -much : 1 / much;
    expect_lists(&d, h.x, 0.05);
    expect_steps(&d, h.x, h.p, 0.02);
    for (size_t i = 0; i < 3 * h.vertices; ++i) h.p[i] *= call % 2 ? -1 / much : much;
  }
  const basin_contact_statistics statistics = basin__cuda_contact_statistics(d.gpu);
  assert_int_equal(statistics.detections, 12);
  assert_int_equal(statistics.steps, 12);
  assert_in_range(statistics.collections, 1, 16);
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
                                     cmocka_unit_test(reused_candidates),
                                     cmocka_unit_test(empty_sets),
                                     cmocka_unit_test(turning_pairs),
                                     cmocka_unit_test(meshes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
