/* The same small scene twice, on the CPU and on a CUDA device: points with positions, edges between
 * them, a union of two spaces, and an array of every kind.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_TWO_SYSTEMS_H
#define BASIN_TESTS_TWO_SYSTEMS_H

#include "cuda_support.h"
#include "device/system.h"
#include <basin/compiler.h>

enum { TWO_POINTS = 70, TWO_EDGES = 130, TWO_MORE = 9 };

typedef struct scene {
  basin_context *context;
  basin_graph *graph;
  basin_system *system;
  basin_backend *backend;
  basin_plan *plans[8];
  size_t plan_count;
  basin_space_id root, points, more, all, edges;
  basin_connectivity_id ends, around; /* edges to points; points to edges, of any number */
  basin_array_id x, y, weight, joined, length, scaled, chain, sum, mean, gathered, averaged;
} scene;

/* Builds the scene; `device` "cpu" or "cuda". Errors are returned, and scene_fini releases what was
 * made. */
basin_status scene_init(scene *s, basin_context *context, const char *device);
void scene_fini(scene *s);
/* The values of x, the same for both. */
double scene_number(size_t i);
/* Every readable array. */
enum { SCENE_ARRAYS = 11 };
void scene_arrays(const scene *s, basin_array_id arrays[SCENE_ARRAYS]);

#endif
