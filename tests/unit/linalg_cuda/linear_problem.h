/* A system of equations on both sides, for the tests of iterative solvers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_LINEAR_PROBLEM_H
#define BASIN_TESTS_LINEAR_PROBLEM_H

#include "linear_support.h"

/* One system on both sides. */
typedef struct problem {
  basin_bsr *matrix;
  device_matrix device;
  size_t size;
  double *b, *x, *found;
  basin_preconditioner *m;
  basin_cuda_preconditioner *device_m;
  basin_buffer device_b, device_x;
  basin_pcg *pcg;
  basin_cuda_pcg *device_pcg;
  basin_cuda_minres *device_minres;
} problem;

static inline problem
make_problem(basin_bsr *matrix, unsigned parts, size_t count, const basin_node_range *instances)
{
  problem p = {.matrix = matrix, .size = basin_bsr_size(matrix)};
  uint32_t nodes = basin_bsr_node_count(matrix);
  unsigned b = basin_bsr_block_size(matrix);
  uint64_t seed = 99;
  p.b = calloc(p.size + 1, sizeof *p.b);
  p.x = calloc(p.size + 1, sizeof *p.x);
  p.found = calloc(p.size + 1, sizeof *p.found);
  for (size_t i = 0; i < p.size; i++) p.b[i] = random_number(&seed);
  p.device = matrix_on_device(matrix, parts);
  p.device_b = numbers_on_device(p.b, p.size);
  p.device_x = numbers_on_device(p.x, p.size);
  OK(basin_preconditioner_create(test_context_of, nodes, b, count, instances, &p.m));
  OK(basin__cuda_preconditioner_create(cuda, nodes, b, count, instances, &p.device_m));
  OK(basin_pcg_create(test_context_of, &p.pcg));
  OK(basin__cuda_pcg_create(cuda, &p.device_pcg));
  OK(basin__cuda_minres_create(cuda, &p.device_minres));
  return p;
}

static inline void free_problem(problem *p)
{
  basin_bsr_destroy(p->matrix);
  release_matrix(&p->device);
  basin_preconditioner_destroy(p->m);
  basin__cuda_preconditioner_destroy(p->device_m);
  basin_pcg_destroy(p->pcg);
  basin__cuda_pcg_destroy(p->device_pcg);
  basin__cuda_minres_destroy(p->device_minres);
  basin__buffer_release(cuda, &p->device_b);
  basin__buffer_release(cuda, &p->device_x);
  free(p->b), free(p->x), free(p->found);
}

typedef struct outcome {
  basin_linear_result cpu, device;
} outcome;

static inline void update(problem *p)
{
  size_t cpu = 0, device = 0;
  OK(basin_preconditioner_update(p->m, p->matrix, &cpu));
  OK(basin__cuda_preconditioner_update(p->device_m, &p->device.matrix, &device));
  assert_int_equal(cpu, device);
}

/* Within one iteration, and the same solution to the tolerance. */
static inline void assert_same(const problem *p, const outcome *o, double tolerance)
{
  assert_int_equal(o->cpu.status, o->device.status);
  long difference = (long)o->cpu.iterations - (long)o->device.iterations;
  if (labs(difference) > 1)
    fail_msg("%zu iterations, the CPU %zu", o->device.iterations, o->cpu.iterations);
  assert_close(p->size, p->found, p->x, tolerance);
}

#endif
