/* Random heaps of primitives for the contact tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_CONTACT_HEAP_H
#define BASIN_TESTS_CONTACT_HEAP_H

#include "contact_support.h"

/* A random heap of triangles, edges and points; some repeat vertices or have no size. */
typedef struct heap {
  size_t vertices;
  double *x, *p;
  uint32_t *points, *edges, *triangles, *bodies;
  basin_contact_description d;
} heap;

static inline uint32_t pick(uint64_t *seed, size_t count)
{
  return (uint32_t)((0.5 * random_unit(seed) + 0.5) * (double)count);
}

static inline heap make_heap(uint64_t seed, size_t cells, double scale, double shift)
{
  heap h = {.vertices = 8 * cells};
  h.x = malloc(3 * h.vertices * sizeof *h.x);
  h.p = malloc(3 * h.vertices * sizeof *h.p);
  h.points = malloc(2 * cells * sizeof *h.points);
  h.edges = malloc(2 * cells * sizeof *h.edges);
  h.triangles = malloc(3 * cells * sizeof *h.triangles);
  h.bodies = malloc(h.vertices * sizeof *h.bodies);
  for (size_t v = 0; v < h.vertices; ++v) {
    h.bodies[v] = (uint32_t)(v / 3 % 4);
    for (size_t k = 0; k < 3; ++k) {
      /* Neighbours stay near each other. */
      h.x[3 * v + k] =
          scale * (v % 3 ? h.x[3 * (v - v % 3) + k] / scale + 0.2 * random_unit(&seed) - shift
                         : random_unit(&seed)) +
          scale * shift;
      h.p[3 * v + k] = 0.1 * scale * random_unit(&seed);
    }
  }
  for (size_t i = 0; i < 3 * cells; ++i) h.triangles[i] = (uint32_t)i;
  for (size_t i = 0; i < 2 * cells; ++i) h.edges[i] = (uint32_t)(3 * cells + i / 2 * 3 + i % 2);
  for (size_t i = 0; i < 2 * cells; ++i) h.points[i] = (uint32_t)(6 * cells + i);
  for (size_t i = 0; i < cells; i += 9) {
    h.triangles[3 * i] = pick(&seed, 3 * cells);               /* shares a vertex */
    memcpy(h.x + 9 * i + 3, h.x + 9 * i + 6, 3 * sizeof *h.x); /* no area */
    h.edges[2 * i] = h.edges[2 * i + 1];                       /* no length */
  }
  h.d = basin_contact_description_defaults();
  h.d.vertex_count = h.vertices;
  h.d.point_count = 2 * cells, h.d.points = h.points;
  h.d.edge_count = cells, h.d.edges = h.edges;
  h.d.triangle_count = cells, h.d.triangles = h.triangles;
  h.d.bodies = h.bodies;
  return h;
}

static inline void free_heap(heap *h)
{
  free(h->x), free(h->p), free(h->points), free(h->edges), free(h->triangles), free(h->bodies);
}

#endif
