/* Prints JSON lines: contact between two wavy sheets on a CUDA device and on the CPU, which must
 * agree. Usage: bench_cuda_contact [CELLS [ROUNDS]] (300: 180000 points; 10). Times are the best of
 * so many rounds, by the clock of the host, waiting included.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/detector.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct bench {
  basin_context *context;
  basin_cuda *cuda;
  basin_contact *cpu;
  basin_cuda_contact *gpu;
  size_t vertices, triangle_count;
  double *x, *p;
  uint32_t *triangles;
  basin_buffer x_device, p_device;
  double reach, step_cpu, step_gpu;
  basin_contact_closest near_cpu, near_gpu;
} bench;

static void check(const bench *b, basin_status status)
{
  if (status == BASIN_OK) return;
  fprintf(stderr, "%s\n", basin_error_text(b->context));
  exit(1);
}

/* Two sheets of cells x cells squares, waves apart, that approach. */
static void make_sheets(bench *b, size_t cells)
{
  const size_t n = cells + 1;
  size_t next = 0;
  b->vertices = 2 * n * n;
  b->x = malloc(3 * b->vertices * sizeof *b->x);
  b->p = malloc(3 * b->vertices * sizeof *b->p);
  b->triangles = malloc(4 * cells * cells * 3 * sizeof *b->triangles);
  if (!b->x || !b->p || !b->triangles) exit(1);
  for (size_t v = 0; v < b->vertices; ++v) {
    const size_t layer = v / (n * n), i = v % n, k = v / n % n;
    const double s = (double)i / (double)cells, t = (double)k / (double)cells;
    b->x[3 * v] = s + 0.003 * (double)layer;
    b->x[3 * v + 1] = 0.02 * sin(40 * s) * sin(30 * t) + b->reach * (layer ? 0.6 + 0.5 * s : 0);
    b->x[3 * v + 2] = t;
    b->p[3 * v] = 0;
    b->p[3 * v + 1] = layer ? -2 * b->reach : 0;
    b->p[3 * v + 2] = 0.1 * b->reach * s;
    if (i == cells || k == cells) continue;
    const uint32_t a = (uint32_t)v, row = (uint32_t)n;
    const uint32_t corners[6] = {a, a + 1, a + row, a + 1, a + row + 1, a + row};
    for (size_t c = 0; c < 6; ++c) b->triangles[next++] = corners[c];
  }
  b->triangle_count = next / 3;
}

static void detect_cpu(bench *b)
{
  check(b, basin_contact_detect(b->cpu, b->x, b->reach));
}

static void detect_gpu(bench *b)
{
  check(b, basin__cuda_contact_detect(b->gpu, b->x_device.address, b->reach));
}

static void step_cpu(bench *b)
{
  check(b, basin_contact_largest_step(b->cpu, b->x, b->p, 1, 0.8, &b->step_cpu, NULL));
}

static void step_gpu(bench *b)
{
  check(b,
        basin__cuda_contact_largest_step(
            b->gpu, b->x_device.address, b->p_device.address, 1, 0.8, &b->step_gpu, NULL));
}

static void closest_cpu(bench *b)
{
  check(b, basin_contact_smallest_distance(b->cpu, b->x, &b->near_cpu));
}

static void closest_gpu(bench *b)
{
  check(b, basin__cuda_contact_smallest_distance(b->gpu, b->x_device.address, &b->near_gpu));
}

static double best_of(bench *b, int rounds, void (*run)(bench *))
{
  double best = HUGE_VAL;
  for (int i = 0; i < rounds; ++i) {
    const double start = basin__seconds();
    run(b);
    best = fmin(best, basin__seconds() - start);
  }
  return best;
}

static void
compare(bench *b, int rounds, const char *what, void (*cpu)(bench *), void (*gpu)(bench *))
{
  const double here = best_of(b, rounds, cpu);
  best_of(b, 2, gpu); /* gets memory, sorts trees */
  const basin_cuda_statistics before = basin__cuda_get_statistics(b->cuda);
  gpu(b);
  const basin_cuda_statistics after = basin__cuda_get_statistics(b->cuda);
  const double there = best_of(b, rounds, gpu);
  printf("{\"bench\": \"cuda_contact\", \"what\": \"%s\", \"points\": %zu, \"cuda_seconds\": %.4g, "
         "\"cpu_seconds\": %.4g, \"launches\": %zu, \"downloads\": %zu}\n",
         what,
         b->vertices,
         there,
         here,
         after.launches - before.launches,
         after.downloads - before.downloads);
}

static void expect_equal(bench *b)
{
  size_t total = 0;
  bool same = b->step_cpu == b->step_gpu && b->near_cpu.gap == b->near_gpu.gap;
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) {
    const basin_contact_pairs a = basin_contact_pairs_get(b->cpu, (basin_contact_kind)k);
    basin_contact_pairs c;
    check(b, basin__cuda_contact_pairs(b->gpu, (basin_contact_kind)k, &c));
    same = same && a.count == c.count;
    for (size_t i = 0; same && i < a.count; ++i)
      same = a.squared_distance[i] == c.squared_distance[i] &&
             a.vertices[i * a.arity] == c.vertices[i * a.arity];
    total += a.count;
  }
  printf("{\"bench\": \"cuda_contact\", \"what\": \"result\", \"pairs\": %zu, \"step\": %.17g, "
         "\"device_bytes\": %zu, \"equal\": %s}\n",
         total,
         b->step_gpu,
         basin__cuda_contact_memory(b->gpu),
         same ? "true" : "false");
  if (!same || total == 0) exit(1);
}

int main(int argc, char **argv)
{
  const int cells = argc > 1 ? atoi(argv[1]) : 300, rounds = argc > 2 ? atoi(argv[2]) : 10;
  bench b = {.context = basin_context_create(NULL)};
  if (!b.context || cells < 1 || rounds < 1) return 2;
  if (basin__cuda_open(b.context, 0, &b.cuda) != BASIN_OK) {
    printf("%s\n", basin_error_text(b.context));
    basin_context_destroy(b.context);
    return 77;
  }
  b.reach = 1.0 / cells;
  make_sheets(&b, (size_t)cells);
  basin_contact_description description = basin_contact_description_defaults();
  description.vertex_count = b.vertices;
  description.triangle_count = b.triangle_count;
  description.triangles = b.triangles;
  description.rest_positions = b.x;
  check(&b, basin_contact_create(b.context, &description, &b.cpu));
  check(&b, basin__cuda_contact_create(b.cuda, b.cpu, &b.gpu));
  const size_t bytes = 3 * b.vertices * sizeof(double);
  check(&b, basin__buffer_reserve(b.cuda, &b.x_device, bytes));
  check(&b, basin__buffer_reserve(b.cuda, &b.p_device, bytes));
  check(&b, basin__cuda_upload(b.cuda, b.x_device.address, b.x, bytes));
  check(&b, basin__cuda_upload(b.cuda, b.p_device.address, b.p, bytes));
  compare(&b, rounds, "detect", detect_cpu, detect_gpu);
  compare(&b, rounds, "largest_step", step_cpu, step_gpu);
  compare(&b, rounds, "smallest_distance", closest_cpu, closest_gpu);
  expect_equal(&b);
  basin__buffer_release(b.cuda, &b.x_device);
  basin__buffer_release(b.cuda, &b.p_device);
  basin__cuda_contact_destroy(b.gpu);
  basin_contact_destroy(b.cpu);
  basin__cuda_close(b.cuda);
  basin_context_destroy(b.context);
  free(b.x), free(b.p), free(b.triangles);
  return 0;
}
