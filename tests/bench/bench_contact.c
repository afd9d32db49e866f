/* Prints JSON lines: broad phase, narrow phase, smallest distance and intersections of two frames
 * of a cloth (the counts are those of the published data set), and times of single queries.
 *   bench_contact FRAME92.ply FRAME93.ply [QUERIES.txt [COUNT]]
 * Every time is the best of several runs; "first" is that of the first, which also gets the memory;
 * "cpu" is the processor time of the best, of all threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include <basin/contact.h>
#include <basin/mesh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7 };

static void check(basin_context *context, basin_status status)
{
  if (status == BASIN_OK) return;
  fprintf(stderr, "%s\n", basin_error_text(context));
  exit(1);
}

static basin_context *make_context(unsigned threads)
{
  basin_options options = basin_options_defaults();
  options.threads = threads;
  basin_context *context = basin_context_create(&options);
  if (!context) exit(1);
  return context;
}

static basin_contact *make_contact(basin_context *context, const basin_mesh *mesh)
{
  basin_contact_description description = basin_contact_description_defaults();
  description.vertex_count = basin_mesh_count(mesh, BASIN_MESH_POINT);
  description.triangle_count = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE);
  description.triangles = basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE);
  basin_contact *contact;
  check(context, basin_contact_create(context, &description, &contact));
  return contact;
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void report(const char *what, unsigned threads, double first, double best, double cpu)
{
  printf("{\"bench\": \"contact\", \"what\": \"%s\", \"threads\": %u, \"seconds\": %.4g, "
         "\"first\": %.4g, \"cpu\": %.4g",
         what,
         threads,
         best,
         first,
         cpu);
}

/* Best and first time of a call that may fail. */
#define TIME(first, best, context, call)                        \
  cpu = HUGE_VAL;                                               \
  for (int round = 0; round < ROUNDS; ++round) {                \
    const double used = cpu_seconds();                          \
    const double start = basin__seconds();                      \
    check(context, call);                                       \
    const double time = basin__seconds() - start;               \
    if (round == 0) first = best = time;                        \
    if (time < best) best = time;                               \
    if (cpu_seconds() - used < cpu) cpu = cpu_seconds() - used; \
  }

static void frames(unsigned threads, const char *path, const char *next)
{
  basin_context *context = make_context(threads);
  basin_mesh *mesh, *end;
  check(context, basin_mesh_read(context, path, NULL, &mesh));
  check(context, basin_mesh_read(context, next, NULL, &end));
  const double *x = basin_mesh_points(mesh), *y = basin_mesh_points(end);
  const size_t size = 3 * basin_mesh_count(mesh, BASIN_MESH_POINT);
  double *direction = malloc(size * sizeof *direction), first, best, step;
  double cpu = HUGE_VAL;
  for (size_t i = 0; i < size; ++i) direction[i] = y[i] - x[i];

  first = best = 0;
  basin_contact *contact = NULL;
  for (int round = 0; round < ROUNDS; ++round) {
    basin_contact_destroy(contact);
    contact = make_contact(context, mesh);
    const double used = cpu_seconds(), start = basin__seconds();
    check(context, basin_contact_sweep(contact, x, direction, 1));
    const double time = basin__seconds() - start;
    if (cpu_seconds() - used < cpu) cpu = cpu_seconds() - used;
    if (round == 0) first = best = time;
    if (time < best) best = time;
  }
  report("sweep, new detector", threads, first, best, cpu);
  printf(", \"vertex_face\": %zu, \"edge_edge\": %zu, \"bytes\": %zu}\n",
         basin_contact_candidate_count(contact, BASIN_CONTACT_POINT_TRIANGLE),
         basin_contact_candidate_count(contact, BASIN_CONTACT_EDGE_EDGE),
         basin_contact_memory(contact));
  TIME(first, best, context, basin_contact_sweep(contact, x, direction, 1))
  report("sweep, refitted", threads, first, best, cpu);
  printf("}\n");
  TIME(first, best, context, basin_contact_step(contact, 0.9, &step))
  report("step over candidates", threads, first, best, cpu);
  printf(", \"step\": %.17g}\n", step);
  basin_contact_impact impact;
  TIME(first,
       best,
       context,
       basin_contact_largest_step(contact, x, direction, 1, 0.9, &step, &impact))
  report("largest step", threads, first, best, cpu);
  printf(", \"step\": %.17g, \"kind\": \"%s\", \"vertices\": [%u, %u, %u, %u]}\n",
         step,
         basin_contact_kind_name(impact.kind),
         impact.vertices[0],
         impact.vertices[1],
         impact.vertices[2],
         impact.vertices[3]);
  TIME(first, best, context, basin_contact_detect(contact, x, 1e-3))
  report("detect", threads, first, best, cpu);
  for (int kind = 0; kind < BASIN_CONTACT_KIND_COUNT; ++kind)
    printf(", \"%s\": %zu",
           basin_contact_kind_name((basin_contact_kind)kind),
           basin_contact_pairs_get(contact, (basin_contact_kind)kind).count);
  printf("}\n");
  basin_contact_closest near;
  TIME(first, best, context, basin_contact_smallest_distance(contact, x, &near))
  report("smallest distance", threads, first, best, cpu);
  printf(", \"distance\": %.17g}\n", near.gap);
  size_t count;
  TIME(first, best, context, basin_contact_intersections(contact, x, 0, NULL, &count))
  report("intersections", threads, first, best, cpu);
  printf(", \"count\": %zu}\n", count);
  free(direction);
  basin_contact_destroy(contact);
  basin_mesh_destroy(mesh);
  basin_mesh_destroy(end);
  basin_context_destroy(context);
}

typedef struct query {
  basin_contact_kind kind;
  bool hit;
  double truth, x0[12], x1[12];
} query;

static size_t read_queries(const char *path, query **queries)
{
  FILE *file = fopen(path, "r");
  size_t count = 0, capacity = 0;
  char line[2048], kind[8], scene[128];
  if (!file) exit(1);
  while (fgets(line, sizeof line, file)) {
    int hit, used;
    double truth;
    if (sscanf(line, "%7s %127s %d %lf%n", kind, scene, &hit, &truth, &used) != 4) continue;
    if (kind[0] == '#') continue;
    if (count == capacity) {
      capacity = capacity ? 2 * capacity : 1024;
      *queries = realloc(*queries, capacity * sizeof **queries);
    }
    query *q = &(*queries)[count++];
    q->kind = kind[0] == 'p' ? BASIN_CONTACT_POINT_TRIANGLE : BASIN_CONTACT_EDGE_EDGE;
    q->hit = hit;
    q->truth = truth;
    char *at = line + used;
    for (int i = 0; i < 24; ++i) (i < 12 ? q->x0 + i : q->x1 + i - 12)[0] = strtod(at, &at);
  }
  fclose(file);
  return count;
}

/* `count` queries in all: the file over and over. */
static void queries(const char *path, size_t count, double slackness)
{
  query *list = NULL;
  const size_t size = read_queries(path, &list);
  size_t late = 0, false_alarms = 0, hits = 0;
  double early = 0, worst = 0;
  const double start = basin__seconds();
  for (size_t i = 0; i < count; ++i) {
    const query *q = &list[i % size];
    double time;
    bool hit;
    if (basin_contact_time(q->kind, q->x0, q->x1, 0, 1, slackness, &time, &hit) != BASIN_OK)
      exit(1);
    late += q->hit && (!hit || time > q->truth);
    false_alarms += !q->hit && hit;
    if (!q->hit || q->truth == 0) continue;
    ++hits;
    early += 1 - time / q->truth;
    if (1 - time / q->truth > worst) worst = 1 - time / q->truth;
  }
  const double seconds = basin__seconds() - start;
  printf("{\"bench\": \"contact\", \"what\": \"queries\", \"slackness\": %.10g, \"count\": %zu, "
         "\"seconds\": %.4g, \"per_second\": %.4g, \"late\": %zu, \"false_alarms\": %zu, "
         "\"mean_early\": %.4g, \"most_early\": %.4g}\n",
         slackness,
         count,
         seconds,
         (double)count / seconds,
         late,
         false_alarms,
         hits ? early / (double)hits : 0,
         worst);
  free(list);
}

int main(int argc, char **argv)
{
  if (argc < 3) {
    fprintf(stderr, "usage: bench_contact FRAME92.ply FRAME93.ply [QUERIES.txt [COUNT]]\n");
    return 2;
  }
  frames(1, argv[1], argv[2]);
  frames(2, argv[1], argv[2]);
  const size_t count = argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 1000000;
  if (argc > 3) {
    queries(argv[3], count, 0.9);
    queries(argv[3], count, 1 - 1e-6);
  }
  return 0;
}
