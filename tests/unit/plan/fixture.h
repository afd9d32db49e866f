/* A graph with vertices, elements of four vertices and data for both; kernels run through the
 * interpreter. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_PLAN_FIXTURE_H
#define BASIN_TESTS_PLAN_FIXTURE_H

#include "support.h"
#include <basin/compiler.h>

enum { SPACE_SCENE, SPACE_MESH, SPACE_VERTICES, SPACE_ELEMENTS };
/* Rest positions are 3 x 1 a vertex like positions; material is 2 x 1 an element; step is one
 * number a scene. */
enum {
  ARRAY_POSITION,
  ARRAY_REST,
  ARRAY_HELD,
  ARRAY_MATERIAL,
  ARRAY_STEP,
  ARRAY_MATRIX,
  ARRAY_HOISTED,
  ARRAY_COUNT
};
enum { CONNECTIVITY_CORNERS };
enum { ELEMENTS = 5, VERTICES = 11 };

typedef struct fixture {
  basin_context *context;
  basin_graph *graph;
  basin_backend *backend;
  double *arrays[ARRAY_COUNT];
  uint32_t corners[ELEMENTS * 4];
  uint32_t
      hoisted_count; /* arrays that plans declared, ARRAY_HOISTED and up; they share one buffer */
} fixture;

int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Expressions; any failure fails the test with the error text. */
typedef basin_expression ex;
ex literal(fixture *f, double value);
ex array(fixture *f, basin_array_id id);
ex gather(fixture *f, basin_array_id id); /* through the corners: 4 x size */
ex op1(fixture *f, const char *name, ex a);
ex op2(fixture *f, const char *name, ex a, ex b);
ex op3(fixture *f, const char *name, ex a, ex b, ex c);
ex row(fixture *f, ex a, int i);
ex entry(fixture *f, ex a, int i);
ex edges(fixture *f, ex corners); /* 3 x 3, columns x_k - x_0 */

/* Model energies on an element. */
ex neo_hookean(fixture *f);    /* of F from positions and rest positions */
ex spring(fixture *f);         /* corners 0 and 1 */
ex hinge(fixture *f);          /* edge 0 1, opposite 2 3 */
ex point_triangle(fixture *f); /* barrier of corner 0 over the triangle 1 2 3 */

basin_plan *energy_plan(fixture *f, ex e, bool project_unknowns, bool hoist);
/* Runs a kernel over all elements in stored form. Sizes as in kernel.h. NULL outputs are not
 * computed. */
void run(fixture *f,
         const basin_plan *plan,
         basin_stage stage,
         basin_projection projection,
         double *energy,
         double *gradient,
         double *hessian);
void run_compute(fixture *f, const basin_plan *plan, double *output);
/* The double that local unknown `i` of element `e` reads. */
double *unknown(fixture *f, const basin_plan_info *info, unsigned block, uint32_t e, uint32_t i);

#endif
