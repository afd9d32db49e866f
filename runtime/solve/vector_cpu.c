/* Vectors and dense symmetric matrices of first-order minimizers on the CPU. Every sum has an order
 * that depends on its length alone. SPDX-License-Identifier: Apache-2.0 */
#include "solve/engine.h"

#include "linalg/vector.h"
#include <math.h>

/* Tasks that a vector is divided into; entries of a task at least. */
enum { TASKS = 64, LEAST = 4096 };

typedef struct vector_task {
  size_t size, chunk;
  double a, b;
  const double *x, *y;
  double *to;
  const basin_vector_pair *pairs;
  size_t pair_count;
  double (*sums)[BASIN_VECTOR_PAIRS];
} vector_task;

static size_t chunk_of(size_t size)
{
  size_t even = (size + TASKS - 1) / TASKS;
  return even > LEAST ? even : LEAST;
}

/* All tasks in turn where there is no context, else on its threads. */
static void run(const basin_minimizer *minimizer,
                size_t count,
                double operations,
                basin_task_function body,
                void *user)
{
  if (minimizer)
    basin__parallel_work(minimizer->context, count, operations, body, user);
  else
    for (size_t k = 0; k < count; ++k) body(user, k, 0);
}

static void bounds(const vector_task *task, size_t index, size_t *begin, size_t *end)
{
  *begin = index * task->chunk;
  *end = *begin + task->chunk < task->size ? *begin + task->chunk : task->size;
}

static void blend_chunk(void *user, size_t index, unsigned worker)
{
  const vector_task *task = user;
  size_t begin, end;
  (void)worker;
  bounds(task, index, &begin, &end);
  for (size_t k = begin; k < end; ++k) task->to[k] = task->a * task->x[k] + task->b * task->y[k];
}

basin_status basin__blend_cpu(basin_minimizer *minimizer,
                              size_t size,
                              double a,
                              const double *x,
                              double b,
                              const double *y,
                              double *to)
{
  vector_task task = {
      .size = size, .chunk = chunk_of(size), .a = a, .b = b, .x = x, .y = y, .to = to};
  run(minimizer, (size + task.chunk - 1) / task.chunk, (double)size, blend_chunk, &task);
  return BASIN_OK;
}

static void dots_chunk(void *user, size_t index, unsigned worker)
{
  const vector_task *task = user;
  const basin__vector_kernels *kernels = basin__vector_kernels_select();
  size_t begin, end;
  (void)worker;
  bounds(task, index, &begin, &end);
  for (size_t p = 0; p < task->pair_count; ++p)
    task->sums[index][p] =
        kernels->dot(end - begin, task->pairs[p].a + begin, task->pairs[p].b + begin);
}

basin_status basin__dots_cpu(basin_minimizer *minimizer,
                             size_t size,
                             const basin_vector_pair *pairs,
                             size_t count,
                             double *results)
{
  double sums[TASKS][BASIN_VECTOR_PAIRS];
  vector_task task = {
      .size = size, .chunk = chunk_of(size), .pairs = pairs, .pair_count = count, .sums = sums};
  size_t tasks = (size + task.chunk - 1) / task.chunk;
  run(minimizer, tasks, (double)(size * count), dots_chunk, &task);
  for (size_t p = 0; p < count; ++p) {
    results[p] = 0;
    for (size_t k = 0; k < tasks; ++k) results[p] += sums[k][p];
  }
  return BASIN_OK;
}

/* ---- dense matrices: a row a task ---- */

typedef struct dense_task {
  size_t size;
  const double *H, *x;
  double *to;
  const basin_dense_change *change;
} dense_task;

basin_status
basin__dense_identity_cpu(basin_minimizer *minimizer, size_t size, double scale, double *H)
{
  (void)minimizer;
  for (size_t k = 0; k < size * size; ++k) H[k] = k % (size + 1) == 0 ? scale : 0;
  return BASIN_OK;
}

static void multiply_row(void *user, size_t row, unsigned worker)
{
  const dense_task *task = user;
  (void)worker;
  task->to[row] =
      basin__vector_kernels_select()->dot(task->size, task->H + row * task->size, task->x);
}

basin_status basin__dense_multiply_cpu(
    basin_minimizer *minimizer, size_t size, const double *H, const double *x, double *to)
{
  dense_task task = {.size = size, .H = H, .x = x, .to = to};
  run(minimizer, size, (double)(size * size), multiply_row, &task);
  return BASIN_OK;
}

static void change_row(void *user, size_t row, unsigned worker)
{
  const dense_task *task = user;
  const basin_dense_change *change = task->change;
  const double *u = change->u, *v = change->v;
  double *to = task->to + row * task->size;
  (void)worker;
  for (size_t k = 0; k < task->size; ++k)
    to[k] += change->a * (u[row] * u[k]) + change->b * (u[row] * v[k] + v[row] * u[k]) +
             change->c * (v[row] * v[k]);
}

basin_status basin__dense_change_cpu(basin_minimizer *minimizer,
                                     size_t size,
                                     const basin_dense_change *change,
                                     double *H)
{
  dense_task task = {.size = size, .to = H, .change = change};
  run(minimizer, size, 6 * (double)(size * size), change_row, &task);
  return BASIN_OK;
}
